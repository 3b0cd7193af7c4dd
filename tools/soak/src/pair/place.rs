//! Edits that are about the world: keeping one's place in it, looking at a point
//! of it.
//!
//! The graph chooses the new local transform; the model takes it over, and then
//! demands of the world that it makes what was promised, as closely as the
//! parent's transform allows: the flatter the parent, the more the rounding of
//! f32 is magnified. Parents too flat may be refused; others must not be.

use pleach_graph::glam::Vec3;
use pleach_graph::{Error, LocalKind};
use testkit::matrix::{self, Matrix};
use testkit::naive::Key;

use super::{Done, Pair, Refusal};
use crate::difference::{Difference, holds, same};

/// A parent that magnifies errors less than this must not be called flat.
const CERTAINLY_NOT_FLAT: f64 = 1e3;
/// A parent that magnifies errors less than this lets nodes keep their place
/// within [`CLOSE`] of their size.
const STURDY: f64 = 300.0;
const CLOSE: f64 = 1e-4;
/// What is left under parents that are nearly flat.
const ROUGHLY: f64 = 2e-3;

impl Pair {
    pub(super) fn attach_in_place(&mut self, child: Key, parent: Key) -> Result<Done, Difference> {
        let allowed = self.may_attach(child, parent);
        let result = self.graph.attach_in_place(self.ids[child], self.ids[parent]);
        if allowed.is_err() {
            self.agree("attach_in_place", result, allowed)?;
            return Ok(Done::Nothing);
        }
        let [world, parent_world] = [child, parent].map(|key| self.model.world(key));
        let spread = magnification(&parent_world);
        let is_moderate = moderate(&world) && moderate(&parent_world);
        if let Err(Error::SingularParent { .. }) = result {
            let is_flat = spread > CERTAINLY_NOT_FLAT || !is_moderate;
            holds(format_args!("{} is flat: {parent_world:?}", self.ids[parent]), is_flat)?;
            return Ok(Done::Nothing);
        }
        let Some(kept) = self.agree("attach_in_place", result, Ok(()))? else {
            return Ok(Done::Nothing);
        };
        self.model.attach(child, Some(parent), usize::MAX);
        self.adopt_kept(child, kept)?;
        if is_moderate {
            let within = if spread < STURDY { CLOSE } else { ROUGHLY };
            let reach = size(&world[12..]).max(size(&parent_world[12..]));
            self.compare_place(child, &world, reach, within)?;
        }
        Ok(Done::Restructured)
    }

    pub(super) fn detach_in_place(&mut self, key: Key) -> Result<Done, Difference> {
        let result = self.graph.detach_in_place(self.ids[key]);
        let Some(kept) = self.agree("detach_in_place", result, self.alive(key))? else {
            return Ok(Done::Nothing);
        };
        if self.model.node(key).parent.is_none() {
            same(
                "kept by a matrix",
                kept == LocalKind::Matrix,
                self.view(key)?.has_local_matrix(),
            )?;
            return Ok(Done::Nothing);
        }
        let world = self.model.world(key);
        self.model.attach(key, None, usize::MAX);
        self.adopt_kept(key, kept)?;
        self.compare_place(key, &world, 0.0, 1e-5)?;
        Ok(Done::Restructured)
    }

    fn adopt_kept(&mut self, key: Key, kept: LocalKind) -> Result<(), Difference> {
        same("kept by a matrix", kept == LocalKind::Matrix, self.view(key)?.has_local_matrix())?;
        self.adopt_local(key)
    }

    /// Is the node, as the model has it now, where it was? Translations may be off
    /// by a part of `reach`, the rest by the same part of the node's size.
    fn compare_place(
        &self,
        key: Key,
        was: &Matrix,
        reach: f64,
        within: f64,
    ) -> Result<(), Difference> {
        let now = self.model.world(key);
        let size = size(&was[..12]);
        let is_kept = (0..16).all(|index| {
            let off = (f64::from(now[index]) - f64::from(was[index])).abs();
            off <= within * if index < 12 { size } else { reach }
        });
        let node = self.ids[key];
        holds(format_args!("{node} keeps its place within {within}:\n{was:?}\n{now:?}"), is_kept)
    }

    pub(super) fn look_at(&mut self, key: Key, target: Vec3, up: Vec3) -> Result<Done, Difference> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| {
            node.look_at(target, up)?;
            Ok(())
        });
        self.turned_to(key, target, 2, result)
    }

    pub(super) fn face(&mut self, key: Key, target: Vec3, up: Vec3) -> Result<Done, Difference> {
        let result = self.graph.node_mut(self.ids[key]).and_then(|mut node| {
            node.face(target, up)?;
            Ok(())
        });
        self.turned_to(key, target, 1, result)
    }

    /// Does the negative of this axis of the node point at the target?
    fn turned_to(
        &mut self,
        key: Key,
        target: Vec3,
        axis: usize,
        result: Result<(), Error>,
    ) -> Result<Done, Difference> {
        if let Err(dead) = self.alive(key) {
            self.agree("look_at", result, Err(dead))?;
            return Ok(Done::Nothing);
        }
        let parent = self.model.node(key).parent;
        let parent_world = parent.map_or(matrix::IDENTITY, |parent| self.model.world(parent));
        let spread = magnification(&parent_world);
        let world = self.model.world(key);
        let is_moderate = moderate(&parent_world) && moderate(&world);
        let [x, y, z] = [0, 1, 2].map(|row| f64::from(target[row]) - f64::from(world[12 + row]));
        let is_there = [x, y, z] == [0.0; 3];
        match result.as_ref().err().and_then(Refusal::of) {
            Some(Refusal::FlatParent) => {
                let is_flat = spread > CERTAINLY_NOT_FLAT || !is_moderate;
                holds(format_args!("the parent is flat: {parent_world:?}"), is_flat)?;
                return Ok(Done::Nothing);
            }
            Some(Refusal::NoDirection) => {
                holds("the target is where the node is", is_there || !is_moderate)?;
                return Ok(Done::Nothing);
            }
            _ => _ = self.agree("look_at", result, Ok(()))?,
        }
        self.adopt_local(key)?;
        let now = self.model.world(key);
        let ahead = [0, 1, 2].map(|row| -f64::from(now[4 * axis + row]));
        if is_moderate && size(&now[4 * axis..][..3]) > 0.0 {
            let least = if spread < STURDY { 1.0 - 1e-5 } else { 0.998 };
            let turned = cosine(ahead, [x, y, z]);
            let what = format_args!("its cosine to {target} under {parent_world:?} is {turned}");
            holds(format_args!("{} looks well: {what}", self.ids[key]), turned > least)?;
        }
        Ok(Done::Edited)
    }
}

fn size(of: &[f32]) -> f64 {
    of.iter().fold(0.0, |greatest, &number| f64::from(number.abs()).max(greatest))
}

/// Neither so great nor so small that f32 itself gives out.
fn moderate(matrix: &Matrix) -> bool {
    matrix.iter().all(|number| *number == 0.0 || (1e-15..1e15).contains(&number.abs()))
}

/// How much greater an error may become on the way through the inverse of the
/// 3 × 3 part and back; infinite if there is no inverse.
fn magnification(matrix: &Matrix) -> f64 {
    let at = |row: usize, column: usize| f64::from(matrix[4 * (column % 3) + row % 3]);
    let cofactor = |row: usize, column: usize| {
        at(row + 1, column + 1) * at(row + 2, column + 2)
            - at(row + 1, column + 2) * at(row + 2, column + 1)
    };
    let determinant: f64 = (0..3).map(|column| at(0, column) * cofactor(0, column)).sum();
    let greatest = (0..9).map(|i| at(i / 3, i % 3).abs()).fold(0.0, f64::max);
    let greatest_cofactor = (0..9).map(|i| cofactor(i / 3, i % 3).abs()).fold(0.0, f64::max);
    match determinant {
        0.0 => f64::INFINITY,
        _ => 3.0 * greatest * greatest_cofactor / determinant.abs(),
    }
}

fn cosine(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
