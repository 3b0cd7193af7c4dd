//! Setting the transforms of many nodes at once, as animation and physics do.
//!
//! The result is the same as setting them one after the other. Everything is checked
//! in a first pass, so an error leaves all nodes unchanged; the second pass writes.
//!
//! Handles are tested in blocks: where the nodes of a block are in consecutive slots, as
//! those of most programs are, their handles are compared, their rows copied and their
//! flags set as a whole.

use core::ops::Range;
use core::slice;

use glam::Vec3;

use crate::edit::validate::{are_finite, are_ordinary, is_finite, not_finite, validate};
use crate::error::{NodeDescription, Property};
use crate::math::rotation;
use crate::store::flags::NodeFlags;
use crate::update::dirty::DirtyQueue;
use crate::{Error, Graph, NodeId, Transform};

impl Graph {
    /// Sets the local transforms of many nodes, or of none of them: `nodes[i]` gets
    /// `transforms[i]`. The result is that of
    /// [`NodeMut::set_transform`](crate::NodeMut::set_transform) for one after the
    /// other. If a node is listed several times, its last transform counts.
    ///
    /// Everything is checked before anything is written. Faster than a loop of single
    /// calls, most of all for nodes in consecutive slots, such as those that were added one
    /// after the other; not for a slice that does not fit into the caches, because it is read twice.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Dead`],
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for the first node that is not
    /// alive or has an invalid transform. No node is changed then.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let boids = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// let places = [1.0, 2.0, 3.0].map(|x| Transform::from_xyz(x, 0.0, 0.0));
    /// graph.set_transforms(&boids, &places)?;
    /// assert_eq!(graph.node(boids[2])?.transform(), places[2]);
    ///
    /// let bad = [Transform::IDENTITY, Transform::from_xyz(0.0, f32::NAN, 0.0)];
    /// let error = graph.set_transforms(&boids[..2], &bad).unwrap_err();
    /// assert_eq!(error.to_string(), "node 1v1: translation.y is NaN; it must be finite");
    /// assert_eq!(graph.node(boids[0])?.transform(), places[0]);     // nothing changed
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_local_transforms")]
    pub fn set_transforms(
        &mut self,
        nodes: &[NodeId],
        transforms: &[Transform],
    ) -> Result<(), Error> {
        check_lengths(nodes.len(), transforms.len())?;
        if let Some(layout) = self.layout_of(nodes)
            && are_ordinary(transforms)
        {
            self.write_all(nodes, transforms, layout, |rows, values| rows.copy_from_slice(values));
            return Ok(());
        }
        self.check_transforms(nodes, transforms)?;
        self.write_checked(nodes, transforms);
        Ok(())
    }

    /// Sets the local translations of many nodes, or of none of them: `nodes[i]` gets
    /// `translations[i]`. The result is that of
    /// [`NodeMut::set_translation`](crate::NodeMut::set_translation) for one after the
    /// other.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the slices differ in length; [`Error::Dead`] or
    /// [`Error::NotFinite`] for the first node that is not alive or has an invalid
    /// translation. No node is changed then.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let boids = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// graph.set_translations(&boids, &[Vec3::X, Vec3::Y, Vec3::Z])?;
    /// assert_eq!(graph.node(boids[1])?.translation(), Vec3::Y);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_positions")]
    pub fn set_translations(
        &mut self,
        nodes: &[NodeId],
        translations: &[Vec3],
    ) -> Result<(), Error> {
        check_lengths(nodes.len(), translations.len())?;
        if let Some(layout) = self.layout_of(nodes)
            && are_finite(translations)
        {
            self.write_all(nodes, translations, layout, |rows, values| {
                let rows = rows.iter_mut().zip(values);
                rows.for_each(|(row, &translation)| row.translation = translation);
            });
            return Ok(());
        }
        for (&node, &translation) in nodes.iter().zip(translations) {
            let slot = self.slot(node)?;
            if !is_finite(translation) {
                let node = NodeDescription::Node(self.label(slot));
                return Err(not_finite(&translation.to_array(), Property::Translation, node));
            }
        }
        for (&node, &translation) in nodes.iter().zip(translations) {
            self.write_translation(node.index() as u32, translation);
        }
        Ok(())
    }
}

impl Graph {
    /// Returns how the slots of the nodes lie in memory; `None` if a node is not alive, or a node
    /// of the graph has a local matrix.
    ///
    /// Reads the handles only: with the values in the same loop, the CPU prefetched these later.
    fn layout_of(&self, nodes: &[NodeId]) -> Option<Layout> {
        if self.locals.any_matrix() {
            return None;
        }
        let mut layout = Layout::Runs;
        for block in nodes.chunks(BLOCK) {
            if self.slots.first_of_consecutive(block).is_none() {
                layout = Layout::Scattered;
                // No early exit, so that the loop has few branches.
                if !block.iter().fold(true, |all, &node| all & self.slots.get(node).is_some()) {
                    return None;
                }
            }
        }
        Some(layout)
    }

    /// Writes valid values of live nodes without local matrices with `write`, and marks the nodes
    /// dirty. `write` gets rows, and as many values for them.
    fn write_all<T>(
        &mut self,
        nodes: &[NodeId],
        values: &[T],
        layout: Layout,
        write: impl Fn(&mut [Transform], &[T]),
    ) {
        if self.recorder.has_watched() {
            nodes.iter().for_each(|node| self.watch_local(node.index() as u32));
        }
        let (flags, column) = (&mut self.flags[..], self.locals.transforms_mut());
        for (nodes, values) in nodes.chunks(BLOCK).zip(values.chunks(BLOCK)) {
            let run = match layout {
                Layout::Runs => nodes.first().map(|node| node.index()),
                Layout::Scattered => self.slots.first_of_consecutive(nodes),
            };
            match run {
                Some(first) => {
                    let rows = first..first + nodes.len();
                    write(&mut column[rows.clone()], values);
                    mark_run(rows, &mut self.dirty, flags);
                }
                None => write_scattered(nodes, values, &mut self.dirty, flags, column, &write),
            }
        }
    }

    /// Returns the error of the first node that is not alive or has an invalid transform.
    #[cold]
    fn check_transforms(&self, nodes: &[NodeId], transforms: &[Transform]) -> Result<(), Error> {
        for (&node, transform) in nodes.iter().zip(transforms) {
            let slot = self.slot(node)?;
            validate(transform, || NodeDescription::Node(self.label(slot)))?;
        }
        Ok(())
    }

    /// Writes transforms that may need their rotation normalized.
    fn write_checked(&mut self, nodes: &[NodeId], transforms: &[Transform]) {
        const CHECKED: &str = "`check_transforms` rejects rotations that cannot be normalized";
        for (&node, transform) in nodes.iter().zip(transforms) {
            let rotation = rotation::normalize(transform.rotation).expect(CHECKED);
            *self.edit_transform(node.index() as u32) = transform.with_rotation(rotation);
        }
    }
}

/// The number of nodes that are tested together.
const BLOCK: usize = 64;

/// The slots of a list of nodes.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// Each block of nodes is in consecutive slots.
    Runs,
    Scattered,
}

/// Marks live nodes in consecutive slots.
fn mark_run(slots: Range<usize>, dirty: &mut DirtyQueue, flags: &mut [NodeFlags]) {
    let marked = NodeFlags::LOCAL_DIRTY | NodeFlags::QUEUED;
    if flags[slots.clone()].iter().fold(true, |all, flags| all & !flags.has(marked)) {
        dirty.mark_from(slots.start, &mut flags[..slots.end]);
        return;
    }
    let mut marks = dirty.marks();
    for slot in slots {
        marks.mark(slot as u32, &mut flags[slot]);
    }
}

/// Writes valid values of live nodes without local matrices, and marks the nodes dirty.
///
/// A function of its own, so that the compiler knows that the slices do not overlap.
fn write_scattered<T>(
    nodes: &[NodeId],
    values: &[T],
    dirty: &mut DirtyQueue,
    flags: &mut [NodeFlags],
    column: &mut [Transform],
    write: impl Fn(&mut [Transform], &[T]),
) {
    let mut marks = dirty.marks();
    for (&node, value) in nodes.iter().zip(values) {
        marks.mark(node.index() as u32, &mut flags[node.index()]);
        write(slice::from_mut(&mut column[node.index()]), slice::from_ref(value));
    }
}

/// Rejects slices of different lengths, one of which is about nodes.
pub(super) fn check_lengths(nodes: usize, values: usize) -> Result<(), Error> {
    if nodes == values { Ok(()) } else { Err(Error::LengthMismatch { nodes, values }) }
}
