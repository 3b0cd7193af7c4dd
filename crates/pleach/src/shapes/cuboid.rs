//! A box.

use glam::{Vec2, Vec3};

use super::error::Validator;
use crate::{Error, Geometry};

/// A box with its edges along the axes.
///
/// 24 vertices and 12 triangles: four and two a face, in the order +X, −X, +Y, −Y, +Z, −Z.
/// Each face shows all of a texture, upright on the sides; seen from above +Y is the top,
/// seen from below −Y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Along X, Y and Z.
    pub size: Vec3,
}

/// By face: which way is right and which is up, seen from outside.
const FACES: [[Vec3; 2]; 6] = [
    [Vec3::Y, Vec3::Z],
    [Vec3::NEG_Y, Vec3::Z],
    [Vec3::NEG_X, Vec3::Z],
    [Vec3::X, Vec3::Z],
    [Vec3::X, Vec3::Y],
    [Vec3::X, Vec3::NEG_Y],
];

/// By corner of a face: how far right and up. Counter-clockwise from the upper left.
const CORNERS: [[f32; 2]; 4] = [[-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]];

impl Cuboid {
    /// A box of this size.
    #[must_use]
    pub fn new(size: Vec3) -> Self {
        Self { size }
    }

    /// Its geometry.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] as told in [the introduction](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("cuboid");
        shape.size("size.x", self.size.x)?;
        shape.size("size.y", self.size.y)?;
        shape.size("size.z", self.size.z)?;

        let half = 0.5 * self.size;
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
        Ok(geometry.with_indices(indices))
    }
}

impl Default for Cuboid {
    fn default() -> Self {
        Self::new(Vec3::ONE)
    }
}
