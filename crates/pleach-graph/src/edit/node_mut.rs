//! `NodeMut`: a mutable view of one node, whose handle was checked once.
//!
//! Every write of a local transform goes through `NodeMut`, which marks the node
//! dirty, so a write without a mark does not compile. The view for reading is
//! `NodeRef` in `read/node_ref.rs`.

use core::fmt;

use glam::{DVec3, Mat4, Quat, Vec3};

use crate::axes::{self, LocalAxes};
use crate::edit::validate::{is_finite, is_valid, not_finite, validate};
use crate::error::{NodeDescription, Property};
use crate::math::{affine, rotation};
use crate::store::{flags::NodeFlags, links::NONE};
use crate::update::kernel::scalar;
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
    graph: &'a mut Graph,
    slot: u32,
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

    #[inline(always)]
    fn description(&self) -> NodeDescription {
        NodeDescription::Node(self.graph.label(self.slot))
    }

    #[inline(always)]
    fn not_finite(&self, numbers: &[f32], property: Property) -> Error {
        not_finite(numbers, property, self.description())
    }

    /// Sets the name. Names need not be unique.
    pub fn set_name(&mut self, name: &str) -> &mut Self {
        if self.graph.names.set(self.slot, name) {
            self.graph.changes.list_renamed(self.slot, self.graph.slots.len());
        }
        self
    }

    /// Removes the name.
    pub fn clear_name(&mut self) -> &mut Self {
        if self.graph.names.clear(self.slot) {
            self.graph.changes.list_renamed(self.slot, self.graph.slots.len());
        }
        self
    }

    /// Sets the node's own visibility; a node is shown if it and all its ancestors
    /// are visible. Takes time proportional to the number of nodes whose `shown`
    /// changes.
    pub fn set_visible(&mut self, visible: bool) -> &mut Self {
        self.graph.set_visible(self.slot, visible);
        self
    }

    /// Returns the transform to write, marks the node dirty, and removes its local
    /// matrix.
    #[inline]
    fn edit_transform(&mut self) -> &mut Transform {
        self.graph.mark_dirty(self.slot);
        let flags = &mut self.graph.flags[self.slot as usize];
        self.graph.locals.clear_matrix(self.slot, flags);
        self.graph.locals.transform_mut(self.slot)
    }

    /// Sets the translation, in the parent's space. A local matrix keeps its other
    /// columns.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`].
    #[inline(always)]
    pub fn set_translation(&mut self, translation: Vec3) -> Result<&mut Self, Error> {
        if !is_finite(translation) {
            return Err(self.not_finite(&translation.to_array(), Property::Translation));
        }
        if self.graph.flags[self.slot as usize].has(NodeFlags::HAS_MATRIX) {
            // Component by component: a vector argument would be passed in memory,
            // and stall the store below.
            let Vec3 { x, y, z } = translation;
            self.graph.set_matrix_translation(self.slot, x, y, z);
        } else {
            self.graph.mark_dirty(self.slot);
            self.graph.locals.transform_mut(self.slot).translation = translation;
        }
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
    #[inline(always)]
    pub fn set_transform(&mut self, transform: Transform) -> Result<&mut Self, Error> {
        if is_valid(&transform) {
            *self.edit_transform() = transform;
        } else {
            *self.edit_transform() = validate(&transform, || self.description())?;
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
    pub fn set_local_matrix(&mut self, matrix: Mat4) -> Result<&mut Self, Error> {
        let elements = matrix.to_cols_array();
        if !matrix.is_finite() {
            return Err(self.not_finite(&elements, Property::Matrix));
        }
        let last_row = matrix.row(3).to_array();
        if last_row != [0.0, 0.0, 0.0, 1.0] {
            return Err(Error::NotAffine { node: self.description(), last_row });
        }
        self.graph.mark_dirty(self.slot);
        let flags = &mut self.graph.flags[self.slot as usize];
        let (nearest, _) = affine::decompose(&matrix);
        self.graph.locals.set_matrix(self.slot, flags, elements, nearest);
        Ok(self)
    }

    /// Rotates the node so that it looks at a point in world space, as cameras and
    /// lights do: its −Z points at `target`, and its +Y lies in the plane of that
    /// direction and `up`. Correct below rotated, scaled and sheared parents, and
    /// before they are updated.
    ///
    /// If `up` is parallel to the direction, see [`axes::look_rotation`].
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`]; [`Error::NoDirection`] if `target` is the node's
    /// position; [`Error::SingularParent`] below a parent whose world transform has
    /// a scale of zero, or so close to it that the node would miss the target.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, axes};
    /// use pleach_graph::glam::{Quat, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let crane = graph.add_root(Transform::from_rotation(Quat::from_rotation_x(1.0)))?;
    /// let camera = graph.add_child(crane, Transform::from_xyz(0.0, -10.0, 5.0))?;
    /// graph.node_mut(camera)?.look_at(Vec3::ZERO, axes::UP)?;
    ///
    /// let world = graph.node(camera)?.compute_world();
    /// let ahead = world.transform_vector3(Vec3::NEG_Z);
    /// assert!(ahead.dot(-world.w_axis.truncate().normalize()) > 1.0 - 1e-5);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn look_at(&mut self, target: Vec3, up: Vec3) -> Result<&mut Self, Error> {
        self.aim(LocalAxes::CAMERA, target, up)
    }

    /// Rotates the node so that it faces a point in world space, as models do: its
    /// front, −Y, points at `target`, and its +Z lies in the plane of that
    /// direction and `up`. Otherwise like [`look_at`](Self::look_at).
    ///
    /// # Errors
    ///
    /// Same as [`look_at`](Self::look_at).
    pub fn face(&mut self, target: Vec3, up: Vec3) -> Result<&mut Self, Error> {
        self.aim(LocalAxes::MODEL, target, up)
    }

    /// Rotates the node so that the front of its `axes` points at a point in world
    /// space. Otherwise like [`look_at`](Self::look_at), which aims the axes of a
    /// camera, and [`face`](Self::face), which aims those of a model with Z up.
    ///
    /// # Errors
    ///
    /// Same as [`look_at`](Self::look_at).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, axes::LocalAxes};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();     // a world with Y up
    /// let duck = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// graph.node_mut(duck)?.aim(LocalAxes::MODEL_Y_UP, Vec3::ZERO, Vec3::Y)?;
    /// let front = graph.node(duck)?.rotation() * Vec3::Z;
    /// assert!(front.abs_diff_eq(Vec3::NEG_X, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn aim(&mut self, axes: LocalAxes, target: Vec3, up: Vec3) -> Result<&mut Self, Error> {
        for (vector, property) in [(target, Property::Target), (up, Property::Up)] {
            if !vector.is_finite() {
                return Err(self.not_finite(&vector.to_array(), property));
            }
        }
        let scaled_axes = axes.scaled(self.as_node_ref().scale());
        let direction = affine::unit(target.as_dvec3() - self.world_position().as_dvec3());
        let aimed = direction.and_then(|direction| {
            Some((direction, axes::aim_rotation_f64(scaled_axes, direction, up.as_dvec3())?))
        });
        let Some((direction, aimed)) = aimed else {
            return Err(Error::NoDirection(self.graph.label(self.slot)));
        };
        let parent = self.graph.links.parent(self.slot);
        if parent == NONE {
            return self.set_rotation(aimed);
        }
        let world = self.graph.compute_world(parent);
        let to_parent = |direction| affine::inverse_transform_direction(&world, direction);
        let in_parent = to_parent(direction).zip(to_parent(up.as_dvec3()));
        let rotation = in_parent
            .and_then(|(direction, up)| axes::aim_rotation_f64(scaled_axes, direction, up));
        match rotation {
            Some(rotation) if self.axis_points_along(axes.front(), rotation, &world, direction) => {
                self.set_rotation(rotation)
            }
            _ => Err(Error::SingularParent {
                child: self.graph.label(self.slot),
                parent: self.graph.label(parent),
            }),
        }
    }

    /// Returns `true` if, with this rotation and parent, `axis` points along
    /// `direction` in world space. Below a nearly singular parent, rounding may
    /// prevent it.
    fn axis_points_along(
        &self,
        axis: Vec3,
        rotation: Quat,
        parent: &Mat4,
        direction: DVec3,
    ) -> bool {
        let scale = self.as_node_ref().scale();
        // With a scale of zero the axis has no direction; the test ignores that
        // scale.
        let scale = Vec3::select(scale.cmpeq(Vec3::ZERO), Vec3::ONE, scale);
        let local = scalar::compose(&Transform::from_scale(scale).with_rotation(rotation));
        let world = scalar::product(&parent.to_cols_array(), &local);
        let points_to = Mat4::from_cols_array(&world).transform_vector3(axis);
        affine::unit(points_to.as_dvec3()).is_some_and(|unit| unit.dot(direction) > 0.999)
    }

    /// Returns the position in world space, as the next update will compute it.
    fn world_position(&self) -> Vec3 {
        self.as_node_ref().compute_world().w_axis.truncate()
    }
}

impl Graph {
    /// Sets the translation of a node that has a local matrix.
    #[cold]
    fn set_matrix_translation(&mut self, slot: u32, x: f32, y: f32, z: f32) {
        let mut matrix = self.locals.to_matrix(slot);
        matrix[12..15].copy_from_slice(&[x, y, z]);
        let nearest = self.locals.transform(slot).with_translation(Vec3::new(x, y, z));
        self.mark_dirty(slot);
        self.locals.set_matrix(slot, &mut self.flags[slot as usize], matrix, nearest);
    }
}
