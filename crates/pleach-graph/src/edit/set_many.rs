//! Setting the transforms of many nodes at once, as animation and physics do.
//!
//! The result is the same as setting them one after the other. Everything is checked
//! in a first pass, so an error leaves all nodes unchanged; the second pass writes.

use glam::Vec3;

use crate::edit::validate::{is_finite, is_ordinary, not_finite, validate};
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
    /// Everything is checked before anything is written. Takes about as long as a loop
    /// of single calls that the compiler inlines, and a fraction of one that it does not.
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
        // No early exit, so that the loop has few branches.
        let is_stored_unchanged = nodes
            .iter()
            .zip(transforms)
            .fold(true, |all, (&node, it)| all & self.slots.get(node).is_some() & is_ordinary(it));
        if is_stored_unchanged && !self.locals.any_matrix() {
            if self.recorder.has_watched() {
                nodes.iter().for_each(|node| self.watch_local(node.index() as u32));
            }
            let (flags, column) = (&mut self.flags[..], self.locals.transforms_mut());
            write_transforms(nodes, transforms, &mut self.dirty, flags, column);
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

/// Writes valid transforms of live nodes without local matrices, and marks them dirty.
///
/// A function of its own, so that the compiler knows that the slices do not overlap.
fn write_transforms(
    nodes: &[NodeId],
    transforms: &[Transform],
    dirty: &mut DirtyQueue,
    flags: &mut [NodeFlags],
    column: &mut [Transform],
) {
    let mut marks = dirty.marks();
    for (&node, transform) in nodes.iter().zip(transforms) {
        marks.mark(node.index() as u32, &mut flags[node.index()]);
        column[node.index()] = *transform;
    }
}

/// Rejects slices of different lengths, one of which is about nodes.
pub(super) fn check_lengths(nodes: usize, values: usize) -> Result<(), Error> {
    if nodes == values { Ok(()) } else { Err(Error::LengthMismatch { nodes, values }) }
}
