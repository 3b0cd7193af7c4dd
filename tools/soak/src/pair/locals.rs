//! Edits of single nodes: local transforms, visibility, names.
//!
//! Two things the model cannot know to the last bit, and takes over from the
//! graph once it has seen that they are right: a rotation that had to be
//! normalised, and the transform nearest to a given matrix.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, NodeId, NodeMut, NodeRef, Transform};
use testkit::matrix;
use testkit::naive::{Key, Local};

use super::{Done, Pair};
use crate::difference::{Difference, holds, same};

impl Pair {
    /// A node known to be alive in the graph.
    pub(super) fn view(&self, key: Key) -> Result<NodeRef<'_>, Difference> {
        self.graph.node(self.ids[key]).map_err(Difference::new)
    }

    /// Edits a node of the graph; answers its local transform if that was right.
    fn set(
        &mut self,
        what: &str,
        key: Key,
        set: impl FnOnce(&mut NodeMut<'_>) -> Result<(), Error>,
    ) -> Result<Option<Transform>, Difference> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| set(&mut node));
        let is_set = self.agree(what, result, self.alive(key))?;
        Ok(is_set.map(|()| self.model.state(key).transform))
    }

    /// The rotation that a node has after it was given this one: the same bits if
    /// it was a unit, and otherwise the same direction.
    pub(super) fn normalised(&self, node: NodeId, given: Quat) -> Result<Quat, Difference> {
        let stored = self.graph.node(node).map_err(Difference::new)?.rotation();
        let wide = given.to_array().map(f64::from);
        let square: f64 = wide.iter().map(|part| part * part).sum();
        if (square - 1.0).abs() < 5e-7 {
            let bits = |rotation: Quat| rotation.to_array().map(f32::to_bits);
            same(format_args!("the unit rotation of {node}"), bits(stored), bits(given))?;
        }
        let unit = wide.map(|part| part / square.sqrt());
        let is_close =
            stored.to_array().iter().zip(unit).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-6);
        holds(format_args!("{node} with {given} is turned by {stored}"), is_close)?;
        Ok(stored)
    }

    pub(super) fn set_translation(&mut self, key: Key, to: Vec3) -> Result<Done, Difference> {
        let set = self.set("set_translation", key, |node| node.set_translation(to).map(drop))?;
        let Some(old) = set else { return Ok(Done::Nothing) };
        let moved = old.with_translation(to);
        match self.model.node(key).local {
            Local::Trs(..) => self.model.set_transform(key, moved),
            Local::Matrix(mut matrix) => {
                matrix[12..].copy_from_slice(&to.extend(1.0).to_array());
                self.model.set_matrix(key, matrix, moved);
            }
        }
        Ok(Done::Edited)
    }

    pub(super) fn set_rotation(&mut self, key: Key, to: Quat) -> Result<Done, Difference> {
        let set = self.set("set_rotation", key, |node| node.set_rotation(to).map(drop))?;
        let Some(old) = set else { return Ok(Done::Nothing) };
        let rotation = self.normalised(self.ids[key], to)?;
        self.model.set_transform(key, old.with_rotation(rotation));
        Ok(Done::Edited)
    }

    pub(super) fn set_rotation_raw(&mut self, key: Key, to: Quat) -> Result<Done, Difference> {
        let set = self.set("set_rotation_raw", key, |node| node.set_rotation_raw(to).map(drop))?;
        let Some(old) = set else { return Ok(Done::Nothing) };
        self.model.set_transform(key, old.with_rotation(to));
        Ok(Done::Edited)
    }

    pub(super) fn set_scale(&mut self, key: Key, to: Vec3) -> Result<Done, Difference> {
        let set = self.set("set_scale", key, |node| node.set_scale(to).map(drop))?;
        let Some(old) = set else { return Ok(Done::Nothing) };
        self.model.set_transform(key, old.with_scale(to));
        Ok(Done::Edited)
    }

    pub(super) fn set_transform(&mut self, key: Key, to: Transform) -> Result<Done, Difference> {
        let set = self.set("set_transform", key, |node| node.set_transform(to).map(drop))?;
        let Some(_) = set else { return Ok(Done::Nothing) };
        let rotation = self.normalised(self.ids[key], to.rotation)?;
        self.model.set_transform(key, to.with_rotation(rotation));
        Ok(Done::Edited)
    }

    pub(super) fn set_transform_if_changed(
        &mut self,
        key: Key,
        to: Transform,
    ) -> Result<Done, Difference> {
        let set = self.set("set_transform_if_changed", key, |node| {
            node.set_transform_if_changed(to).map(drop)
        })?;
        let Some(old) = set else { return Ok(Done::Nothing) };
        let rotation = self.normalised(self.ids[key], to.rotation)?;
        let to = to.with_rotation(rotation);
        let is_trs = matches!(self.model.node(key).local, Local::Trs(..));
        if is_trs && transform_bits(old) == transform_bits(to) {
            return Ok(Done::Nothing);
        }
        self.model.set_transform(key, to);
        Ok(Done::Edited)
    }

    pub(super) fn set_matrix(&mut self, key: Key, to: Mat4) -> Result<Done, Difference> {
        let set = self.set("set_local_matrix", key, |node| node.set_local_matrix(to).map(drop))?;
        let Some(_) = set else { return Ok(Done::Nothing) };
        let nearest = self.view(key)?.transform();
        let length: f64 =
            nearest.rotation.to_array().map(|part| f64::from(part).powi(2)).iter().sum();
        holds("the nearest rotation is a unit", (length - 1.0).abs() < 1e-6)?;
        holds("the nearest scale is finite", nearest.scale.is_finite())?;
        let place = |at: Vec3| at.to_array().map(f32::to_bits);
        same("the nearest place", place(nearest.translation), place(to.w_axis.truncate()))?;
        self.model.set_matrix(key, to.to_cols_array(), nearest);
        Ok(Done::Edited)
    }

    /// Takes over the local transform that the graph worked out.
    pub(super) fn adopt_local(&mut self, key: Key) -> Result<(), Difference> {
        let view = self.view(key)?;
        let (matrix, transform) = (view.local_matrix().to_cols_array(), view.transform());
        if view.has_local_matrix() {
            self.model.set_matrix(key, matrix, transform);
        } else {
            self.model.set_transform(key, transform);
        }
        Ok(())
    }

    pub(super) fn compare_local(&self, key: Key) -> Result<(), Difference> {
        let view = self.view(key)?;
        let node = view.id();
        let local = self.model.node(key).local;
        let (is_given, expected) = match local {
            Local::Matrix(given) => (true, given),
            Local::Trs(..) => (false, matrix::finite(&local.matrix())),
        };
        same(format_args!("{node} has a matrix"), view.has_local_matrix(), is_given)?;
        let of = transform_bits;
        let expected_transform = self.model.state(key).transform;
        same(format_args!("{node} transform"), of(view.transform()), of(expected_transform))?;
        let stored = matrix::bits(&view.local_matrix().to_cols_array());
        same(format_args!("{node} local matrix"), stored, matrix::bits(&expected))
    }

    pub(super) fn set_visible(&mut self, key: Key, visible: bool) -> Result<Done, Difference> {
        let set = self.set("set_visible", key, |node| {
            node.set_visible(visible);
            Ok(())
        })?;
        if set.is_none() {
            return Ok(Done::Nothing);
        }
        self.model.set_visible(key, visible);
        Ok(Done::Edited)
    }

    pub(super) fn set_name(
        &mut self,
        key: Key,
        name: Option<&'static str>,
    ) -> Result<Done, Difference> {
        let set = self.set("set_name", key, |node| {
            match name {
                Some(name) => node.set_name(name),
                None => node.clear_name(),
            };
            Ok(())
        })?;
        if set.is_none() {
            return Ok(Done::Nothing);
        }
        self.model.set_name(key, name);
        Ok(Done::Edited)
    }
}

/// For comparing bit for bit: translation, rotation, scale.
fn transform_bits(of: Transform) -> ([u32; 3], [u32; 4], [u32; 3]) {
    (
        of.translation.to_array().map(f32::to_bits),
        of.rotation.to_array().map(f32::to_bits),
        of.scale.to_array().map(f32::to_bits),
    )
}
