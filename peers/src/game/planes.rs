//! The six planes of a camera's frustum, and the test of a box that a program would write.

use glam::{Mat4, Vec3, Vec4, Vec4Swizzles};

/// Left, right, bottom, top, near, far. The normals point inwards and have length 1.
pub struct Planes([Vec4; 6]);

impl Planes {
    pub fn new(clip_from_world: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        let planes = [w + x, w - x, w + y, w - y, z, w - z];
        Self(planes.map(|plane| plane / plane.xyz().length()))
    }

    pub fn to_array(&self) -> [Vec4; 6] {
        self.0
    }

    /// Returns `true` if for each plane the corner farthest along its normal is inside; stops at
    /// the first plane that fails.
    #[inline]
    pub fn intersects(&self, bounds: &WorldBox) -> bool {
        let WorldBox { center, half } = *bounds;
        self.0.iter().all(|plane| {
            let normal = plane.xyz();
            normal.dot(center) + plane.w + normal.abs().dot(half) >= 0.0
        })
    }
}

/// A box in world space.
#[derive(Clone, Copy)]
pub struct WorldBox {
    pub center: Vec3,
    pub half: Vec3,
}

impl WorldBox {
    /// Returns the box around the eight transformed corners of a box that is centred at its origin.
    pub fn around_corners(half: Vec3, world: &Mat4) -> Self {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for x in [-half.x, half.x] {
            for y in [-half.y, half.y] {
                for z in [-half.z, half.z] {
                    let corner = world.transform_point3(Vec3::new(x, y, z));
                    min = min.min(corner);
                    max = max.max(corner);
                }
            }
        }
        Self { center: (min + max) / 2.0, half: (max - min) / 2.0 }
    }

    /// Returns the box around a transformed box that is centred at its origin.
    #[inline]
    pub fn transformed(half: Vec3, world: &Mat4) -> Self {
        let [x, y, z] = [world.x_axis, world.y_axis, world.z_axis].map(|axis| axis.xyz().abs());
        Self { center: world.w_axis.xyz(), half: x * half.x + y * half.y + z * half.z }
    }
}
