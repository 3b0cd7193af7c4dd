//! Edits in world space: attaching in place, and looking at a point.
//!
//! The graph chooses the new local transform; the model adopts it, and then checks
//! that the resulting world transform is as documented, up to the precision that
//! the parent's transform allows: the closer the parent is to singular, the more
//! the rounding of f32 is magnified. Parents that are too close may be rejected;
//! others must not be.

use pleach_graph::glam::Vec3;
use pleach_graph::{Error, LocalKind};
use testkit::matrix::{self, Matrix};
use testkit::naive::Key;

use super::{Effect, ExpectedError, Pair};
use crate::difference::{Result, ensure, ensure_eq};

/// A parent with a lower condition number must not be treated as singular.
const MAX_REGULAR_CONDITION: f64 = 1e3;
/// Below a parent with a lower condition number, world transforms are kept within
/// [`TIGHT`] of their size.
const WELL_CONDITIONED: f64 = 300.0;
const TIGHT: f64 = 1e-4;
/// The tolerance below parents that are nearly singular.
const LOOSE: f64 = 2e-3;

impl Pair {
    pub(super) fn attach_in_place(&mut self, child: Key, parent: Key) -> Result<Effect> {
        let allowed = self.may_attach(child, parent);
        let result = self.graph.attach_in_place(self.ids[child], self.ids[parent]);
        if allowed.is_err() {
            self.agree("attach_in_place", result, allowed)?;
            return Ok(Effect::None);
        }
        let [world, parent_world] = [child, parent].map(|key| self.model.world(key));
        let condition = condition_number(&parent_world);
        let is_moderate = is_moderate_matrix(&world) && is_moderate_matrix(&parent_world);
        if let Err(Error::SingularParent { .. }) = result {
            let is_singular = condition > MAX_REGULAR_CONDITION || !is_moderate;
            ensure(format_args!("the parent is singular: {parent_world:?}"), is_singular)?;
            return Ok(Effect::None);
        }
        let Some(kind) = self.agree("attach_in_place", result, Ok(()))? else {
            return Ok(Effect::None);
        };
        self.model.attach(child, Some(parent), usize::MAX);
        self.check_kind(child, kind)?;
        self.adopt_local(child)?;
        if is_moderate {
            let tolerance = if condition < WELL_CONDITIONED { TIGHT } else { LOOSE };
            let distance = max_abs(&world[12..]).max(max_abs(&parent_world[12..]));
            self.compare_world_kept(child, &world, distance, tolerance)?;
        }
        Ok(Effect::Restructured)
    }

    pub(super) fn detach_in_place(&mut self, key: Key) -> Result<Effect> {
        let result = self.graph.detach_in_place(self.ids[key]);
        let Some(kind) = self.agree("detach_in_place", result, self.alive(key))? else {
            return Ok(Effect::None);
        };
        if self.model.node(key).parent.is_none() {
            return self.check_kind(key, kind).map(|()| Effect::None);
        }
        let world = self.model.world(key);
        self.model.attach(key, None, usize::MAX);
        self.check_kind(key, kind)?;
        self.adopt_local(key)?;
        self.compare_world_kept(key, &world, 0.0, 1e-5)?;
        Ok(Effect::Restructured)
    }

    fn check_kind(&self, key: Key, kind: LocalKind) -> Result<()> {
        let has_matrix = self.view(key)?.has_local_matrix();
        ensure_eq("has a local matrix", kind == LocalKind::Matrix, has_matrix)
    }

    /// Compares the node's world transform in the model with `before`. The
    /// tolerance of translations is relative to `distance`, that of the other
    /// elements to the node's size.
    fn compare_world_kept(
        &self,
        key: Key,
        before: &Matrix,
        distance: f64,
        tolerance: f64,
    ) -> Result<()> {
        let after = self.model.world(key);
        let max_abs = max_abs(&before[..12]);
        let is_kept = (0..16).all(|index| {
            let error = (f64::from(after[index]) - f64::from(before[index])).abs();
            error <= tolerance * if index < 12 { max_abs } else { distance }
        });
        let node = self.ids[key];
        ensure(format_args!("{node} keeps its world: {before:?} {after:?}, {tolerance}"), is_kept)
    }

    pub(super) fn look_at(&mut self, key: Key, target: Vec3, up: Vec3) -> Result<Effect> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| {
            node.look_at(target, up)?;
            Ok(())
        });
        self.check_orientation(key, target, 2, result)
    }

    pub(super) fn face(&mut self, key: Key, target: Vec3, up: Vec3) -> Result<Effect> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| {
            node.face(target, up)?;
            Ok(())
        });
        self.check_orientation(key, target, 1, result)
    }

    /// Checks that the negative of this axis of the node points at the target.
    fn check_orientation(
        &mut self,
        key: Key,
        target: Vec3,
        axis: usize,
        result: Result<(), Error>,
    ) -> Result<Effect> {
        if let Err(dead) = self.alive(key) {
            self.agree("look_at", result, Err(dead))?;
            return Ok(Effect::None);
        }
        let parent = self.model.node(key).parent;
        let parent_world = parent.map_or(matrix::IDENTITY, |parent| self.model.world(parent));
        let condition = condition_number(&parent_world);
        let world = self.model.world(key);
        let is_moderate = is_moderate_matrix(&parent_world) && is_moderate_matrix(&world);
        let [x, y, z] = [0, 1, 2].map(|row| f64::from(target[row]) - f64::from(world[12 + row]));
        let is_at_target = [x, y, z] == [0.0; 3];
        match result.as_ref().err().and_then(ExpectedError::of) {
            Some(ExpectedError::SingularParent) => {
                let is_singular = condition > MAX_REGULAR_CONDITION || !is_moderate;
                ensure(format_args!("the parent is singular: {parent_world:?}"), is_singular)?;
                return Ok(Effect::None);
            }
            Some(ExpectedError::NoDirection) => {
                ensure("the target is at the position of the node", is_at_target || !is_moderate)?;
                return Ok(Effect::None);
            }
            _ => _ = self.agree("look_at", result, Ok(()))?,
        }
        self.adopt_local(key)?;
        let after = self.model.world(key);
        let ahead = [0, 1, 2].map(|row| -f64::from(after[4 * axis + row]));
        if is_moderate && max_abs(&after[4 * axis..][..3]) > 0.0 {
            let min_cosine = if condition < WELL_CONDITIONED { 1.0 - 1e-5 } else { 0.998 };
            let cos = cosine(ahead, [x, y, z]);
            let what = format_args!("cosine {cos} to {target} below {parent_world:?}");
            ensure(format_args!("{} points at it: {what}", self.ids[key]), cos > min_cosine)?;
        }
        Ok(Effect::Edited)
    }
}

fn max_abs(numbers: &[f32]) -> f64 {
    numbers.iter().fold(0.0, |max, &number| f64::from(number.abs()).max(max))
}

/// Returns `true` if no element is so large or small that f32 loses precision.
fn is_moderate_matrix(matrix: &Matrix) -> bool {
    matrix.iter().all(|number| *number == 0.0 || (1e-15..1e15).contains(&number.abs()))
}

/// Returns an upper bound of the magnification of errors by the inverse of the
/// linear part; infinite if there is no inverse.
fn condition_number(matrix: &Matrix) -> f64 {
    let at = |row: usize, column: usize| f64::from(matrix[4 * (column % 3) + row % 3]);
    let cofactor = |row: usize, column: usize| {
        at(row + 1, column + 1) * at(row + 2, column + 2)
            - at(row + 1, column + 2) * at(row + 2, column + 1)
    };
    let determinant: f64 = (0..3).map(|column| at(0, column) * cofactor(0, column)).sum();
    let max = (0..9).map(|i| at(i / 3, i % 3).abs()).fold(0.0, f64::max);
    let max_cofactor = (0..9).map(|i| cofactor(i / 3, i % 3).abs()).fold(0.0, f64::max);
    match determinant {
        0.0 => f64::INFINITY,
        _ => 3.0 * max * max_cofactor / determinant.abs(),
    }
}

fn cosine(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
