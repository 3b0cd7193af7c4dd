//! A box.

use glam::{Vec2, Vec3};

use super::error::Validator;
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A box with its edges parallel to the axes.
///
/// 24 vertices and 12 triangles: four and two per face, in the order +X, −X, +Y, −Y, +Z, −Z.
/// Each face maps the whole texture, upright on the sides; the top of the texture is towards
/// +Y on the upper face and towards −Y on the lower face. With +Y up, the order is +X, −X, −Z, +Z,
/// +Y, −Y.
#[doc(alias("BoxGeometry", "BoxMesh"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// The size along X, Y and Z.
    pub size: Vec3,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

/// Per face: the right and up directions, seen from outside.
const FACES: [[Vec3; 2]; 6] = [
    [Vec3::Y, Vec3::Z],
    [Vec3::NEG_Y, Vec3::Z],
    [Vec3::NEG_X, Vec3::Z],
    [Vec3::X, Vec3::Z],
    [Vec3::X, Vec3::Y],
    [Vec3::X, Vec3::NEG_Y],
];

/// Per corner of a face: the offsets to the right and up. Counter-clockwise from the upper left.
const CORNERS: [[f32; 2]; 4] = [[-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]];

impl Cuboid {
    /// Creates a box of this size.
    #[must_use]
    pub fn new(size: Vec3) -> Self {
        Self { size, up: UpAxis::Z }
    }

    /// Sets the axis that points up.
    #[must_use]
    pub fn with_up(self, up: UpAxis) -> Self {
        Self { up, ..self }
    }

    /// Builds the geometry.
    ///
    /// ```
    /// let geometry = pleach::shapes::Cuboid::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("cuboid");
        shape.size("size.x", self.size.x)?;
        shape.size("size.y", self.size.y)?;
        shape.size("size.z", self.size.z)?;

        // Along the axes with Z up.
        let half = match self.up {
            UpAxis::Z => 0.5 * self.size,
            UpAxis::Y => 0.5 * Vec3::new(self.size.x, self.size.z, self.size.y),
        };
        let mut geometry = Geometry::default().with_uvs(Vec::with_capacity(24));
        let mut indices = Vec::with_capacity(36);
        for [right, up] in FACES {
            let (first, normal) = (geometry.positions.len() as u32, right.cross(up) + Vec3::ZERO);
            for [to_right, to_up] in CORNERS {
                geometry.positions.push(half * (normal + right * to_right + up * to_up));
                geometry.normals.push(normal);
                geometry.uvs[0].push(Vec2::new(0.5 + 0.5 * to_right, 0.5 - 0.5 * to_up));
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
        Ok(orient(geometry.with_indices(indices), self.up))
    }
}

impl Default for Cuboid {
    fn default() -> Self {
        Self::new(Vec3::ONE)
    }
}
