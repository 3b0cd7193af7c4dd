//! Edits of single nodes: local transforms, visibility, names.
//!
//! There are two values whose bits the model cannot predict, and adopts from the
//! graph after checking them: a normalized rotation, and the transform nearest to a
//! given matrix.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, NodeId, NodeMut, NodeRef, Transform};
use testkit::matrix;
use testkit::naive::{Key, Local};

use super::{Effect, Pair};
use crate::difference::{Difference, Result, ensure, ensure_eq};

impl Pair {
    /// Returns a view of a node that must be alive in the graph.
    pub(super) fn view(&self, key: Key) -> Result<NodeRef<'_>> {
        self.graph.node(self.ids[key]).map_err(Difference::new)
    }

    /// Edits a node of the graph; returns its previous local transform if the edit
    /// was accepted.
    fn set(
        &mut self,
        what: &str,
        key: Key,
        set: impl FnOnce(&mut NodeMut<'_>) -> Result<(), Error>,
    ) -> Result<Option<Transform>> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| set(&mut node));
        let is_set = self.agree(what, result, self.alive(key))?;
        Ok(is_set.map(|()| self.model.state(key).transform))
    }

    /// Returns the rotation of a node after setting `given`: the same bits if it
    /// was normalized, otherwise the same direction.
    pub(super) fn normalized(&self, node: NodeId, given: Quat) -> Result<Quat> {
        let stored = self.graph.node(node).map_err(Difference::new)?.rotation();
        let components = given.to_array().map(f64::from);
        let square: f64 = components.iter().map(|component| component * component).sum();
        if (square - 1.0).abs() < 5e-7 {
            let bits = |rotation: Quat| rotation.to_array().map(f32::to_bits);
            ensure_eq(format_args!("the unit rotation of {node}"), bits(stored), bits(given))?;
        }
        let unit = components.map(|component| component / square.sqrt());
        let is_close =
            stored.to_array().iter().zip(unit).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-6);
        ensure(format_args!("{node} with {given} has the rotation {stored}"), is_close)?;
        Ok(stored)
    }

    pub(super) fn set_translation(&mut self, key: Key, to: Vec3) -> Result<Effect> {
        let set = self.set("set_translation", key, |node| node.set_translation(to).map(drop))?;
        let Some(_) = set else { return Ok(Effect::None) };
        self.move_in_model(key, to);
        Ok(Effect::Edited)
    }

    /// Sets the translation of a node, or that of its local matrix, in the model.
    fn move_in_model(&mut self, key: Key, to: Vec3) {
        let moved = self.model.state(key).transform.with_translation(to);
        match self.model.node(key).local {
            Local::Trs(..) => self.model.set_transform(key, moved),
            Local::Matrix(mut matrix) => {
                matrix[12..].copy_from_slice(&to.extend(1.0).to_array());
                self.model.set_matrix(key, matrix, moved);
            }
        }
    }

    pub(super) fn set_translations(&mut self, keys: [Key; 2], to: [Vec3; 2]) -> Result<Effect> {
        let result = self.graph.set_translations(&keys.map(|key| self.ids[key]), &to);
        let allowed = keys.into_iter().try_for_each(|key| self.alive(key));
        let Some(()) = self.agree("set_translations", result, allowed)? else {
            return Ok(Effect::None);
        };
        for (key, to) in keys.into_iter().zip(to) {
            self.move_in_model(key, to);
        }
        Ok(Effect::Edited)
    }

    pub(super) fn set_rotation(&mut self, key: Key, to: Quat) -> Result<Effect> {
        let set = self.set("set_rotation", key, |node| node.set_rotation(to).map(drop))?;
        let Some(old) = set else { return Ok(Effect::None) };
        let rotation = self.normalized(self.ids[key], to)?;
        self.model.set_transform(key, old.with_rotation(rotation));
        Ok(Effect::Edited)
    }

    pub(super) fn set_rotation_raw(&mut self, key: Key, to: Quat) -> Result<Effect> {
        let set = self.set("set_rotation_raw", key, |node| node.set_rotation_raw(to).map(drop))?;
        let Some(old) = set else { return Ok(Effect::None) };
        self.model.set_transform(key, old.with_rotation(to));
        Ok(Effect::Edited)
    }

    pub(super) fn set_scale(&mut self, key: Key, to: Vec3) -> Result<Effect> {
        let set = self.set("set_scale", key, |node| node.set_scale(to).map(drop))?;
        let Some(old) = set else { return Ok(Effect::None) };
        self.model.set_transform(key, old.with_scale(to));
        Ok(Effect::Edited)
    }

    pub(super) fn set_transform(&mut self, key: Key, to: Transform) -> Result<Effect> {
        let set = self.set("set_transform", key, |node| node.set_transform(to).map(drop))?;
        let Some(_) = set else { return Ok(Effect::None) };
        let rotation = self.normalized(self.ids[key], to.rotation)?;
        self.model.set_transform(key, to.with_rotation(rotation));
        Ok(Effect::Edited)
    }

    pub(super) fn set_transforms(&mut self, keys: [Key; 2], to: [Transform; 2]) -> Result<Effect> {
        let result = self.graph.set_transforms(&keys.map(|key| self.ids[key]), &to);
        let allowed = keys.into_iter().try_for_each(|key| self.alive(key));
        let Some(()) = self.agree("set_transforms", result, allowed)? else {
            return Ok(Effect::None);
        };
        // Of two values for one node, the last counts.
        let first = usize::from(keys[0] == keys[1]);
        for (key, to) in keys.into_iter().zip(to).skip(first) {
            let rotation = self.normalized(self.ids[key], to.rotation)?;
            self.model.set_transform(key, to.with_rotation(rotation));
        }
        Ok(Effect::Edited)
    }

    pub(super) fn set_transform_if_changed(&mut self, key: Key, to: Transform) -> Result<Effect> {
        let set = self.set("set_transform_if_changed", key, |node| {
            node.set_transform_if_changed(to).map(drop)
        })?;
        let Some(old) = set else { return Ok(Effect::None) };
        let rotation = self.normalized(self.ids[key], to.rotation)?;
        let to = to.with_rotation(rotation);
        let is_trs = matches!(self.model.node(key).local, Local::Trs(..));
        if is_trs && transform_bits(old) == transform_bits(to) {
            return Ok(Effect::None);
        }
        self.model.set_transform(key, to);
        Ok(Effect::Edited)
    }

    pub(super) fn set_matrix(&mut self, key: Key, to: Mat4) -> Result<Effect> {
        let set = self.set("set_local_matrix", key, |node| node.set_local_matrix(to).map(drop))?;
        let Some(_) = set else { return Ok(Effect::None) };
        let nearest = self.view(key)?.transform();
        let length: f64 = nearest.rotation.to_array().map(|it| f64::from(it).powi(2)).iter().sum();
        ensure("the nearest rotation is normalized", (length - 1.0).abs() < 1e-6)?;
        ensure("the nearest scale is finite", nearest.scale.is_finite())?;
        let bits = |vector: Vec3| vector.to_array().map(f32::to_bits);
        ensure_eq("nearest translation", bits(nearest.translation), bits(to.w_axis.truncate()))?;
        self.model.set_matrix(key, to.to_cols_array(), nearest);
        Ok(Effect::Edited)
    }

    /// Adopts the local transform that the graph computed.
    pub(super) fn adopt_local(&mut self, key: Key) -> Result<()> {
        let view = self.view(key)?;
        let (matrix, transform) = (view.local_matrix().to_cols_array(), view.transform());
        if view.has_local_matrix() {
            self.model.set_matrix(key, matrix, transform);
        } else {
            self.model.set_transform(key, transform);
        }
        Ok(())
    }

    pub(super) fn compare_local(&self, key: Key) -> Result<()> {
        let view = self.view(key)?;
        let node = view.id();
        let local = self.model.node(key).local;
        let (is_given, expected) = match local {
            Local::Matrix(given) => (true, given),
            Local::Trs(..) => (false, matrix::finite(&local.matrix())),
        };
        ensure_eq(format_args!("{node} has a matrix"), view.has_local_matrix(), is_given)?;
        let of = transform_bits;
        let expected_transform = self.model.state(key).transform;
        ensure_eq(format_args!("{node} transform"), of(view.transform()), of(expected_transform))?;
        let stored = matrix::bits(&view.local_matrix().to_cols_array());
        ensure_eq(format_args!("{node} local matrix"), stored, matrix::bits(&expected))
    }

    pub(super) fn set_visible(&mut self, key: Key, visible: bool) -> Result<Effect> {
        let set = self.set("set_visible", key, |node| {
            node.set_visible(visible);
            Ok(())
        })?;
        if set.is_none() {
            return Ok(Effect::None);
        }
        self.model.set_visible(key, visible);
        Ok(Effect::Edited)
    }

    pub(super) fn set_name(&mut self, key: Key, name: Option<&'static str>) -> Result<Effect> {
        let set = self.set("set_name", key, |node| {
            match name {
                Some(name) => node.set_name(name),
                None => node.clear_name(),
            };
            Ok(())
        })?;
        if set.is_none() {
            return Ok(Effect::None);
        }
        self.model.set_name(key, name);
        Ok(Effect::Edited)
    }
}

/// Returns the bits of translation, rotation and scale.
fn transform_bits(of: Transform) -> ([u32; 3], [u32; 4], [u32; 3]) {
    (
        of.translation.to_array().map(f32::to_bits),
        of.rotation.to_array().map(f32::to_bits),
        of.scale.to_array().map(f32::to_bits),
    )
}
