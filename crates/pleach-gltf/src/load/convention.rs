//! `Convention`: the axes and the unit of a file format, and their conversion to those of pleach.

use glam::{Mat4, Vec3, Vec4};
use pleach::{NodeId, Scene, Transform, UpAxis};

use super::Y_UP_TO_Z_UP;
use crate::diagnostics::Pointer;
use crate::{Document, Error};

/// The axes and the unit of a file format; see
/// [`Loaders::register_with_convention`](crate::Loaders::register_with_convention).
///
/// ```
/// use pleach::UpAxis;
/// use pleach_gltf::Convention;
///
/// // Centimetres, with a left-handed coordinate system.
/// let convention = Convention {
///     up: UpAxis::Z,
///     is_left_handed: true,
///     meters_per_unit: 0.01,
/// };
/// assert_ne!(convention, Convention::Z_UP);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convention {
    /// The axis that points up.
    pub up: UpAxis,
    /// `true` for left-handed coordinates. They are mirrored: the horizontal axis that remains after
    /// +X and the up-axis changes its sign (Z if Y is up, Y if Z is up).
    pub is_left_handed: bool,
    /// The length of one unit in metres.
    pub meters_per_unit: f32,
}

impl Convention {
    /// The convention of pleach: +Z up, right-handed, metres.
    pub const Z_UP: Self = Self { up: UpAxis::Z, is_left_handed: false, meters_per_unit: 1.0 };

    /// The convention of glTF: +Y up, right-handed, metres.
    pub const Y_UP: Self = Self { up: UpAxis::Y, ..Self::Z_UP };

    /// Returns the matrix from this convention to that of pleach.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach_gltf::Convention;
    ///
    /// let up = Convention::Y_UP.to_z_up().transform_vector3(Vec3::Y);
    /// assert_eq!(up, Vec3::Z);
    /// ```
    #[must_use]
    pub fn to_z_up(&self) -> Mat4 {
        let mirror = |axis: Vec3| Mat4::from_scale(Vec3::ONE - 2.0 * axis);
        let (rotation, mirrored) = match self.up {
            UpAxis::Y => (Y_UP_TO_Z_UP, Vec3::Z),
            UpAxis::Z => (Mat4::IDENTITY, Vec3::Y),
        };
        let matrix = if self.is_left_handed { rotation * mirror(mirrored) } else { rotation };
        if self.meters_per_unit == 1.0 {
            // Without a product, whose zeros could be negative.
            return matrix;
        }
        let scale = self.meters_per_unit;
        Mat4::from_cols(
            matrix.x_axis * scale,
            matrix.y_axis * scale,
            matrix.z_axis * scale,
            Vec4::W,
        )
    }
}

/// Inserts a node that converts `convention` below the root of each scene, above all other nodes.
pub(super) fn convert(document: &mut Document, convention: Convention) -> Result<(), Error> {
    if convention == Convention::Z_UP {
        return Ok(());
    }
    for scene in &mut document.trees {
        insert_above(scene, convention.to_z_up())
            .map_err(|error| Error::value(&Pointer::root("scenes"), error.to_string()))?;
    }
    for (node_indices, scene) in document.node_indices.iter_mut().zip(&document.trees) {
        let top = scene.graph.get(scene.root()).and_then(|root| root.children().next());
        node_indices.up_axis_node = node_indices.up_axis_node.or(top);
    }
    Ok(())
}

fn insert_above(scene: &mut Scene, matrix: Mat4) -> Result<(), pleach::Error> {
    let root = scene.root();
    let children: Vec<NodeId> = scene.node(root)?.children().collect();
    let above = scene.graph.add_child(root, Transform::IDENTITY)?;
    scene.graph.node_mut(above)?.set_local_matrix(matrix)?;
    for child in children {
        scene.graph.attach(child, above)?;
    }
    scene.update()?;
    Ok(())
}
