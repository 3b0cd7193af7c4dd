//! Setters in world space: position, rotation, matrix, and looking at a point.
//!
//! Each computes the local transform with which the node gets there, relative to the
//! world transform that the next update will compute for the parent. It is therefore
//! correct below parents that were edited and not updated yet.

use glam::{DVec3, Mat4, Quat, Vec3};

use crate::axes::{self, LocalAxes};
use crate::edit::attach::LocalKind;
use crate::error::Property;
use crate::math::{affine, rotation, unit::unit};
use crate::store::links::NONE;
use crate::update::kernel::scalar;
use crate::{Error, NodeMut, Transform};

impl NodeMut<'_> {
    /// Moves the node to a position in world space; its local rotation and scale (or
    /// the other columns of its local matrix) stay as they are.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`]; [`Error::SingularParent`] below a parent whose world
    /// transform has a scale of zero, or so close to it that the node would miss the
    /// position.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let ship = graph.add_root(Transform::from_xyz(100.0, 0.0, 0.0).with_scale(Vec3::splat(2.0)))?;
    /// let sailor = graph.add_child(ship, Transform::IDENTITY)?;
    /// graph.node_mut(sailor)?.set_world_translation(Vec3::new(104.0, 0.0, 0.0))?;
    /// assert_eq!(graph.node(sailor)?.translation(), Vec3::new(2.0, 0.0, 0.0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "global_position")]
    #[doc(alias = "set_global_position")]
    #[doc(alias = "set_world_position")]
    pub fn set_world_translation(&mut self, position: Vec3) -> Result<&mut Self, Error> {
        if !position.is_finite() {
            return Err(self.not_finite(&position.to_array(), Property::Translation));
        }
        let Some(parent) = self.parent_world() else { return self.set_translation(position) };
        let world = Mat4::from_translation(position);
        match affine::inverse_transform_point(&parent, position.as_dvec3()) {
            Some(local) if affine::maps_to(&parent, local, &world) => self.set_translation(local),
            _ => Err(self.singular_parent()),
        }
    }

    /// Rotates the node to a rotation in world space; its local translation and scale
    /// stay as they are. A node with a local matrix changes to the nearest transform,
    /// with the new rotation.
    ///
    /// Afterwards (and after an update) [`world_rotation`](crate::NodeRef::world_rotation)
    /// is this rotation, up to rounding. Below a non-uniform scale, where the node is
    /// sheared, this means that its x axis points where the rotation maps the x axis to,
    /// and its y axis lies in the plane of the rotated x and y axis.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], [`Error::ZeroRotation`]; [`Error::SingularParent`] below a
    /// parent whose world transform has a scale of zero, or so close to it that the
    /// node would miss the rotation.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, rotation};
    ///
    /// let mut graph = Graph::new();
    /// let tilt = rotation::from_rotation_x(0.4);
    /// let deck = graph.add_root(Transform::from_rotation(tilt))?;
    /// let compass = graph.add_child(deck, Transform::IDENTITY)?;
    /// graph.node_mut(compass)?.set_world_rotation(rotation::from_rotation_z(1.0))?;
    /// graph.update();
    /// let world = graph.node(compass)?.world_rotation();
    /// assert!(world.abs_diff_eq(rotation::from_rotation_z(1.0), 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "global_rotation")]
    #[doc(alias = "set_global_rotation")]
    pub fn set_world_rotation(&mut self, rotation: Quat) -> Result<&mut Self, Error> {
        if !rotation.is_finite() {
            return Err(self.not_finite(&rotation.to_array(), Property::Rotation));
        }
        let Some(rotation) = rotation::normalize(rotation) else {
            return Err(Error::ZeroRotation(self.description()));
        };
        let Some(parent) = self.parent_world() else { return self.set_rotation(rotation) };
        let exact = rotation.as_dquat().normalize();
        let to_parent = |axis| affine::inverse_transform_direction(&parent, exact * axis);
        let axes = to_parent(DVec3::X).zip(to_parent(DVec3::Y));
        let axes = axes.map(|(x, y)| affine::orthonormal_axes([x, y, DVec3::ZERO]));
        if let Some(axes) = axes {
            let local = rotation::from_axes(axes);
            let (reached, _) = affine::rotation_and_scale(
                &scalar_product(&parent, &Transform::from_rotation(local)),
                Vec3::ONE,
            );
            if reached.as_dquat().dot(exact).abs() > 0.999 {
                return self.set_rotation(local);
            }
        }
        Err(self.singular_parent())
    }

    /// Gives the node any affine matrix in world space, and returns how its local
    /// transform is stored: as a translation, rotation and scale if that is exact up to
    /// rounding, otherwise as a matrix.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`]; [`Error::NotAffine`] if the last row is not (0, 0, 0, 1);
    /// [`Error::SingularParent`] below a parent whose world transform has a scale of
    /// zero, or so close to it that the node would not get the matrix.
    ///
    /// ```
    /// use pleach_graph::{Graph, LocalKind, Transform, rotation};
    /// use pleach_graph::glam::{Mat4, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let cart = graph.add_root(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0)))?;
    /// let cat = graph.add_child(cart, Transform::IDENTITY)?;
    /// let world = Transform::from_rotation(rotation::from_rotation_z(0.7)).to_matrix();
    /// assert_eq!(graph.node_mut(cat)?.set_world_matrix(world)?, LocalKind::Matrix);
    /// assert!(graph.node(cat)?.compute_world().abs_diff_eq(world, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "global_transform")]
    #[doc(alias = "set_global_transform")]
    pub fn set_world_matrix(&mut self, matrix: Mat4) -> Result<LocalKind, Error> {
        self.check_affine(&matrix)?;
        let local = match self.parent_world() {
            None => Some((matrix, affine::decompose(&matrix))),
            Some(parent) => affine::local_keeping_world(&parent, &matrix)
                .map(|local| (local, affine::decompose_below(&parent, &local, &matrix))),
        };
        let Some((local, (nearest, exact))) = local else { return Err(self.singular_parent()) };
        self.graph.mark_dirty(self.slot);
        Ok(self.graph.set_local(self.slot, &local, nearest, exact))
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
    #[doc(alias = "lookAt")]
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
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, axes};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let dog = graph.add_root(Transform::from_xyz(1.0, 1.0, 0.0))?;
    /// graph.node_mut(dog)?.face(Vec3::new(5.0, 1.0, 0.0), axes::UP)?;
    /// let front = graph.node(dog)?.rotation() * axes::FRONT;
    /// assert!(front.abs_diff_eq(Vec3::X, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
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
        let direction = unit(target.as_dvec3() - self.world_position().as_dvec3());
        let aimed = direction.and_then(|direction| {
            Some((direction, axes::aim_rotation_f64(scaled_axes, direction, up.as_dvec3())?))
        });
        let Some((direction, aimed)) = aimed else {
            return Err(Error::NoDirection(self.graph.label(self.slot)));
        };
        let Some(world) = self.parent_world() else { return self.set_rotation(aimed) };
        let to_parent = |direction| affine::inverse_transform_direction(&world, direction);
        let in_parent = to_parent(direction).zip(to_parent(up.as_dvec3()));
        let rotation = in_parent
            .and_then(|(direction, up)| axes::aim_rotation_f64(scaled_axes, direction, up));
        match rotation {
            Some(rotation) if self.axis_points_along(axes.front(), rotation, &world, direction) => {
                self.set_rotation(rotation)
            }
            _ => Err(self.singular_parent()),
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
        let world = scalar_product(parent, &Transform::from_scale(scale).with_rotation(rotation));
        let points_to = world.transform_vector3(axis);
        unit(points_to.as_dvec3()).is_some_and(|unit| unit.dot(direction) > 0.999)
    }

    /// Returns the position in world space, as the next update will compute it.
    fn world_position(&self) -> Vec3 {
        self.as_node_ref().compute_world().w_axis.truncate()
    }

    /// Returns the world matrix of the parent as the next update will compute it, or
    /// `None` for a root.
    fn parent_world(&self) -> Option<Mat4> {
        match self.graph.links.parent(self.slot) {
            NONE => None,
            parent => Some(self.graph.compute_world(parent)),
        }
    }

    #[cold]
    fn singular_parent(&self) -> Error {
        let parent = self.graph.links.parent(self.slot);
        Error::SingularParent {
            child: self.graph.label(self.slot),
            parent: self.graph.label(parent),
        }
    }
}

/// Returns `parent × local`, as an update computes it.
fn scalar_product(parent: &Mat4, local: &Transform) -> Mat4 {
    let local = scalar::compose(local);
    Mat4::from_cols_array(&scalar::product(&parent.to_cols_array(), &local))
}
