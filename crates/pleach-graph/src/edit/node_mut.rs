//! `NodeMut`: a mutable view of one node, whose handle was checked once.
//!
//! Every write of a local transform goes through `NodeMut`, which marks the node
//! dirty, so a write without a mark does not compile. The view for reading is
//! `NodeRef` in `read/node_ref.rs`; setters in world space are in `world_space.rs`.

use core::fmt;

use glam::{DMat3, Mat4, Quat, Vec3};

use crate::edit::validate::{is_finite, is_valid, not_finite, validate};
use crate::error::{NodeDescription, Property};
use crate::math::{affine, rotation};
use crate::store::flags::NodeFlags;
use crate::{Error, Graph, NodeId, NodeRef, Transform};

/// A mutable view of a live node.
///
/// Setters return the view, so that they can be chained:
///
/// ```
/// use pleach_graph::{Graph, Transform};
/// use pleach_graph::glam::{Quat, Vec3};
///
/// let mut graph = Graph::new();
/// let lamp = graph.add_root(Transform::IDENTITY)?;
/// graph
///     .node_mut(lamp)?
///     .set_name("lamp")
///     .set_visible(false)
///     .set_translation(Vec3::new(0.0, 0.0, 3.0))?
///     .set_rotation(Quat::from_rotation_x(1.0))?;
///
/// let error = graph.node_mut(lamp)?.set_scale(Vec3::new(1.0, f32::NAN, 1.0)).unwrap_err();
/// assert_eq!(error.to_string(), r#"node 0v1 "lamp": scale.y is NaN; it must be finite"#);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
pub struct NodeMut<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) slot: u32,
}

impl fmt::Debug for NodeMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NodeMut").field(&self.id()).field(&self.as_node_ref().name()).finish()
    }
}

impl<'a> NodeMut<'a> {
    #[inline]
    pub(crate) fn new(graph: &'a mut Graph, slot: u32) -> Self {
        Self { graph, slot }
    }

    /// Returns a read-only view of the node.
    #[must_use]
    pub fn as_node_ref(&self) -> NodeRef<'_> {
        NodeRef::new(self.graph, self.slot)
    }

    /// Returns the handle of the node.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.as_node_ref().id()
    }

    // ---- getters ----

    /// Returns the name, if the node has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.as_node_ref().name()
    }

    /// Returns the parent, or `None` for a root.
    #[must_use]
    pub fn parent(&self) -> Option<NodeId> {
        self.as_node_ref().parent()
    }

    /// Returns the local transform. For a node with a local matrix, the nearest
    /// transform.
    #[must_use]
    pub fn transform(&self) -> Transform {
        self.as_node_ref().transform()
    }

    /// Returns the local translation.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # let mut graph = Graph::new();
    /// # let lift = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// let mut lift = graph.node_mut(lift)?;
    /// lift.set_translation(lift.translation().with_z(8.0))?;      // one component
    /// assert_eq!(lift.translation().to_array(), [1.0, 2.0, 8.0]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        self.as_node_ref().translation()
    }

    /// Returns the local rotation.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        self.as_node_ref().rotation()
    }

    /// Returns the local scale.
    #[must_use]
    pub fn scale(&self) -> Vec3 {
        self.as_node_ref().scale()
    }

    /// Returns `true` if the node's own visibility flag is set.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.as_node_ref().is_visible()
    }

    /// Computes the world matrix as the next update will: see
    /// [`NodeRef::compute_world`]. Up to date after every setter.
    #[must_use]
    pub fn compute_world(&self) -> Mat4 {
        self.as_node_ref().compute_world()
    }

    // ---- setters ----

    #[inline(always)]
    pub(super) fn description(&self) -> NodeDescription {
        NodeDescription::Node(self.graph.label(self.slot))
    }

    #[inline(always)]
    pub(super) fn not_finite(&self, numbers: &[f32], property: Property) -> Error {
        not_finite(numbers, property, self.description())
    }

    /// Sets the name. Names need not be unique.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_name("door");
    /// assert_eq!(graph.find("door"), Some(node));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "rename")]
    pub fn set_name(&mut self, name: &str) -> &mut Self {
        let slot = self.slot;
        let set = |graph: &mut Graph| graph.names.set(slot, name);
        let has_changed = if self.graph.recorder.is_recording {
            self.graph.record_name(slot, set)
        } else {
            set(self.graph)
        };
        if has_changed {
            self.graph.changes.list_renamed(self.slot, self.graph.slots.len());
        }
        self
    }

    /// Removes the name.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_name("door").clear_name();
    /// assert_eq!(graph.node(node)?.name(), None);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn clear_name(&mut self) -> &mut Self {
        let slot = self.slot;
        let clear = |graph: &mut Graph| graph.names.clear(slot);
        let has_changed = if self.graph.recorder.is_recording {
            self.graph.record_name(slot, clear)
        } else {
            clear(self.graph)
        };
        if has_changed {
            self.graph.changes.list_renamed(self.slot, self.graph.slots.len());
        }
        self
    }

    /// Sets the node's own visibility; a node is shown if it and all its ancestors
    /// are visible. Takes time proportional to the number of nodes whose `shown`
    /// changes.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let lamp = graph.add_root(Transform::IDENTITY)?;
    /// let bulb = graph.add_child(lamp, Transform::IDENTITY)?;
    /// graph.node_mut(lamp)?.set_visible(false);
    /// let bulb = graph.node(bulb)?;
    /// assert!(bulb.is_visible() && !bulb.is_shown());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "SetActive")]
    #[doc(alias = "show")]
    #[doc(alias = "hide")]
    #[doc(alias = "visible")]
    #[doc(alias = "set_active")]
    pub fn set_visible(&mut self, visible: bool) -> &mut Self {
        self.graph.set_visible(self.slot, visible);
        self
    }

    /// Returns the transform to write, marks the node dirty, and removes its local
    /// matrix.
    #[inline(always)]
    fn edit_transform(&mut self) -> &mut Transform {
        self.graph.edit_transform(self.slot)
    }

    /// Sets the translation, in the parent's space. A local matrix keeps its other
    /// columns.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_graph::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_translation(Vec3::new(1.0, 2.0, 3.0))?;
    /// assert_eq!(graph.node(node)?.translation().y, 2.0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_position")]
    #[doc(alias = "position")]
    #[doc(alias = "local_position")]
    #[inline(always)]
    pub fn set_translation(&mut self, translation: Vec3) -> Result<&mut Self, Error> {
        if !is_finite(translation) {
            return Err(self.not_finite(&translation.to_array(), Property::Translation));
        }
        self.graph.write_translation(self.slot, translation);
        Ok(self)
    }

    /// Sets the rotation, in the parent's space. The quaternion is normalized,
    /// unless its length is 1 up to rounding; then it is stored bit for bit.
    ///
    /// A node with a local matrix changes to the nearest transform, with this
    /// rotation.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], or [`Error::ZeroRotation`] for the zero quaternion.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_graph::rotation;
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let rotation = rotation::from_rotation_z(0.5);
    /// graph.node_mut(node)?.set_rotation(rotation)?;
    /// assert_eq!(graph.node(node)?.rotation(), rotation);
    /// graph.node_mut(node)?.set_rotation(rotation * 4.0)?;      // normalized
    /// assert!(graph.node(node)?.rotation().abs_diff_eq(rotation, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_quaternion")]
    #[doc(alias = "quaternion")]
    #[doc(alias = "local_rotation")]
    #[inline(always)]
    pub fn set_rotation(&mut self, rotation: Quat) -> Result<&mut Self, Error> {
        if !rotation.is_finite() {
            return Err(self.not_finite(&rotation.to_array(), Property::Rotation));
        }
        match rotation::normalize(rotation) {
            Some(unit) => self.edit_transform().rotation = unit,
            None => return Err(Error::ZeroRotation(self.description())),
        }
        Ok(self)
    }

    /// Sets the rotation to a quaternion that is stored bit for bit, for exact
    /// round trips of files. A quaternion whose length is not 1 also scales and
    /// shears.
    ///
    /// # Errors
    ///
    /// Same as [`set_rotation`](Self::set_rotation).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_graph::glam::Quat;
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let rounded = Quat::from_xyzw(0.0, 0.0, 0.7071, 0.7071);
    /// graph.node_mut(node)?.set_rotation_raw(rounded)?;
    /// assert_eq!(graph.node(node)?.rotation(), rounded);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn set_rotation_raw(&mut self, rotation: Quat) -> Result<&mut Self, Error> {
        if !rotation.is_finite() {
            return Err(self.not_finite(&rotation.to_array(), Property::Rotation));
        }
        if rotation.to_array() == [0.0; 4] {
            return Err(Error::ZeroRotation(self.description()));
        }
        self.edit_transform().rotation = rotation;
        Ok(self)
    }

    /// Sets the scale along the node's own axes. Zero and negative scales are
    /// valid.
    ///
    /// A node with a local matrix changes to the nearest transform, with this
    /// scale.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_graph::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_scale(Vec3::new(1.0, 1.0, -1.0))?;      // mirrored
    /// graph.update();
    /// assert!(graph.node(node)?.winding_flipped());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "local_scale")]
    #[inline(always)]
    pub fn set_scale(&mut self, scale: Vec3) -> Result<&mut Self, Error> {
        if !is_finite(scale) {
            return Err(self.not_finite(&scale.to_array(), Property::Scale));
        }
        self.edit_transform().scale = scale;
        Ok(self)
    }

    /// Sets translation, rotation and scale at once.
    ///
    /// # Errors
    ///
    /// Same as [`set_rotation`](Self::set_rotation).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_transform(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert_eq!(graph.node(node)?.translation().z, 3.0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_local_transform")]
    #[inline(always)]
    pub fn set_transform(&mut self, transform: Transform) -> Result<&mut Self, Error> {
        if is_valid(&transform) {
            *self.edit_transform() = transform;
        } else {
            // A copy: with a reference to `transform`, it would be assembled in memory
            // for every call, and read back in wider pieces than it was written in,
            // which stalls the CPU (store forwarding).
            let Transform { translation, rotation, scale } = transform;
            self.graph.set_validated(self.slot, Transform { translation, rotation, scale })?;
        }
        Ok(self)
    }

    /// Like [`set_transform`](Self::set_transform), but does nothing, and does not
    /// mark the node dirty, if the transform is equal bit for bit (so −0 differs
    /// from 0).
    ///
    /// # Errors
    ///
    /// Same as [`set_rotation`](Self::set_rotation).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// graph.update();
    /// graph.node_mut(node)?.set_transform_if_changed(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert!(!graph.node(node)?.is_dirty());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn set_transform_if_changed(&mut self, transform: Transform) -> Result<&mut Self, Error> {
        let transform = validate(&transform, || self.description())?;
        let node = self.as_node_ref();
        if node.has_local_matrix() || node.transform().bits() != transform.bits() {
            *self.edit_transform() = transform;
        }
        Ok(self)
    }

    /// Sets any affine matrix as the local transform, stored bit for bit: sheared,
    /// mirrored or singular. The getters of translation, rotation and scale then
    /// return the nearest transform.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], or [`Error::NotAffine`] if the last row is not (0, 0,
    /// 0, 1).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::{Mat4, Vec3, Vec4};
    ///
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let mut sheared = Mat4::IDENTITY;
    /// sheared.y_axis = Vec4::new(0.5, 1.0, 0.0, 0.0);
    ///
    /// graph.node_mut(node)?.set_local_matrix(sheared)?;
    /// graph.update();
    /// assert_eq!(graph.node(node)?.local_matrix(), sheared);
    /// assert_eq!(graph.node(node)?.world().transform_point3(Vec3::Y), Vec3::new(0.5, 1.0, 0.0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "applyMatrix4")]
    pub fn set_local_matrix(&mut self, matrix: Mat4) -> Result<&mut Self, Error> {
        self.check_affine(&matrix)?;
        self.graph.watch_local(self.slot);
        self.graph.mark_dirty(self.slot);
        let flags = &mut self.graph.flags[self.slot as usize];
        let (nearest, _) = affine::decompose(&matrix);
        self.graph.locals.set_matrix(self.slot, flags, matrix.to_cols_array(), nearest);
        Ok(self)
    }

    /// Rejects a matrix that is not finite or not affine.
    pub(super) fn check_affine(&self, matrix: &Mat4) -> Result<(), Error> {
        if !matrix.is_finite() {
            return Err(self.not_finite(&matrix.to_cols_array(), Property::Matrix));
        }
        let last_row = matrix.row(3).to_array();
        if last_row != [0.0, 0.0, 0.0, 1.0] {
            return Err(Error::NotAffine { node: self.description(), last_row });
        }
        Ok(())
    }

    /// Moves the node by `offset` in the parent's space: adds it to the translation.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], also if the sum overflows.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, rotation};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let quarter = rotation::from_rotation_z(core::f32::consts::FRAC_PI_2);
    /// let car = graph.add_root(Transform::from_rotation(quarter))?;
    /// let mut car = graph.node_mut(car)?;
    /// car.translate(Vec3::X)?;
    /// assert_eq!(car.translation(), Vec3::X);
    /// car.translate_local(Vec3::X)?;            // along its own x axis
    /// assert!(car.translation().abs_diff_eq(Vec3::new(1.0, 1.0, 0.0), 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "translate_x")]
    #[doc(alias = "position")]
    #[doc(alias = "global_translate")]
    pub fn translate(&mut self, offset: Vec3) -> Result<&mut Self, Error> {
        self.set_translation(self.translation() + offset)
    }

    /// Moves the node by `offset` along its own rotated axes, regardless of its scale.
    ///
    /// # Errors
    ///
    /// Same as [`translate`](Self::translate), where there is an example.
    #[doc(alias = "translateX")]
    #[doc(alias = "translateOnAxis")]
    #[doc(alias = "translate_object_local")]
    pub fn translate_local(&mut self, offset: Vec3) -> Result<&mut Self, Error> {
        let Transform { translation, rotation, .. } = self.transform();
        let offset = rotation.as_dquat().normalize() * offset.as_dvec3();
        self.set_translation((translation.as_dvec3() + offset).as_vec3())
    }

    /// Rotates the node about its origin, by a rotation in the parent's space: the new
    /// rotation is `rotation * old`. A local matrix keeps its shear.
    ///
    /// # Errors
    ///
    /// Same as [`set_rotation`](Self::set_rotation).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, rotation};
    ///
    /// let mut graph = Graph::new();
    /// let [x, z] = [rotation::from_rotation_x(0.5), rotation::from_rotation_z(0.3)];
    /// let globe = graph.add_root(Transform::from_rotation(x))?;
    /// graph.node_mut(globe)?.rotate(z)?;
    /// assert_eq!(graph.node(globe)?.rotation(), rotation::mul(z, x));
    ///
    /// graph.node_mut(globe)?.set_rotation(x)?.rotate_local(z)?;    // about its own z axis
    /// assert_eq!(graph.node(globe)?.rotation(), rotation::mul(x, z));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "rotateOnWorldAxis")]
    #[doc(alias = "rotate_x")]
    pub fn rotate(&mut self, rotation: Quat) -> Result<&mut Self, Error> {
        self.rotate_by(rotation, |old, by| rotation::mul(by, old), |old, by| by * old)
    }

    /// Rotates the node about its origin, by a rotation in its own space: the new
    /// rotation is `old * rotation`. A local matrix keeps its shear.
    ///
    /// # Errors
    ///
    /// Same as [`rotate`](Self::rotate), where there is an example.
    #[doc(alias("rotateY", "rotateZ"))]
    #[doc(alias = "rotateX")]
    #[doc(alias = "rotateOnAxis")]
    #[doc(alias = "rotate_object_local")]
    pub fn rotate_local(&mut self, rotation: Quat) -> Result<&mut Self, Error> {
        self.rotate_by(rotation, rotation::mul, |old, by| old * by)
    }

    fn rotate_by(
        &mut self,
        rotation: Quat,
        of_rotation: fn(Quat, Quat) -> Quat,
        of_matrix: fn(DMat3, DMat3) -> DMat3,
    ) -> Result<&mut Self, Error> {
        if !rotation.is_finite() {
            return Err(self.not_finite(&rotation.to_array(), Property::Rotation));
        }
        let Some(by) = rotation::normalize(rotation) else {
            return Err(Error::ZeroRotation(self.description()));
        };
        if !self.as_node_ref().has_local_matrix() {
            return self.set_rotation(of_rotation(self.rotation(), by));
        }
        let (linear, translation) = affine::split(&self.as_node_ref().local_matrix());
        let turned = of_matrix(linear, DMat3::from_quat(by.as_dquat().normalize()));
        self.set_local_matrix(affine::join(turned, translation))
    }
}

impl Graph {
    /// Returns the transform of a node to write, marks the node dirty, and removes its
    /// local matrix.
    ///
    /// Inlined, so that the value is written from registers: see `set_transform`.
    #[inline(always)]
    pub(super) fn edit_transform(&mut self, slot: u32) -> &mut Transform {
        let flags = &mut self.flags[slot as usize];
        self.dirty.mark(slot, flags);
        if flags.has(NodeFlags::HAS_MATRIX | NodeFlags::WATCHED) && !self.record_transform(slot) {
            self.prepare_transform(slot);
        }
        self.locals.transform_mut(slot)
    }

    /// Records a local transform if its node is watched, and drops its matrix.
    #[cold]
    fn prepare_transform(&mut self, slot: u32) {
        self.watch_local(slot);
        self.locals.clear_matrix(slot, &mut self.flags[slot as usize]);
    }

    /// Records a local transform before it is written, if its node is watched.
    #[inline]
    pub(crate) fn watch_local(&mut self, slot: u32) {
        if self.flags[slot as usize].has(NodeFlags::WATCHED) {
            self.before_local(slot);
        }
    }

    /// Sets a transform whose rotation needs to be normalized, or that is invalid.
    #[cold]
    fn set_validated(&mut self, slot: u32, transform: Transform) -> Result<(), Error> {
        let description = || NodeDescription::Node(self.label(slot));
        *self.edit_transform(slot) = validate(&transform, description)?;
        Ok(())
    }

    /// Sets the translation of a node, or that of its local matrix.
    #[inline(always)]
    pub(super) fn write_translation(&mut self, slot: u32, translation: Vec3) {
        if self.flags[slot as usize].has(NodeFlags::HAS_MATRIX | NodeFlags::WATCHED) {
            // Component by component: a vector argument would be passed in memory,
            // and stall the store below.
            let Vec3 { x, y, z } = translation;
            self.set_special_translation(slot, x, y, z);
        } else {
            self.mark_dirty(slot);
            self.locals.transform_mut(slot).translation = translation;
        }
    }

    /// Sets the translation of a node that has a local matrix.
    #[cold]
    fn set_special_translation(&mut self, slot: u32, x: f32, y: f32, z: f32) {
        self.watch_local(slot);
        if !self.flags[slot as usize].has(NodeFlags::HAS_MATRIX) {
            self.mark_dirty(slot);
            self.locals.transform_mut(slot).translation = Vec3::new(x, y, z);
            return;
        }
        let mut matrix = self.locals.to_matrix(slot);
        matrix[12..15].copy_from_slice(&[x, y, z]);
        let nearest = self.locals.transform(slot).with_translation(Vec3::new(x, y, z));
        self.mark_dirty(slot);
        self.locals.set_matrix(slot, &mut self.flags[slot as usize], matrix, nearest);
    }
}
