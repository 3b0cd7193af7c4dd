//! A camera's view: the six planes of its frustum, and views that contain a given number of boxes.

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_to_mat4;
use glam::{Mat4, Vec3, Vec4, Vec4Swizzles};

use super::boxes::BoxField;
use super::brute_force;

const ASPECT: f32 = 16.0 / 9.0;
const NEAR: f32 = 0.1;
/// The vertical field of view.
const FOV_Y: f32 = std::f32::consts::FRAC_PI_3;

pub struct View {
    /// Right-handed, depth from 0 to 1.
    pub clip_from_world: Mat4,
    /// Left, right, bottom, top, near, far. The normals point inwards and have length 1.
    pub planes: [Vec4; 6],
}

impl View {
    fn new(vertical_angle: f32, far: f32) -> Self {
        let direction = Vec3::new(0.6, -0.25, -0.8).normalize();
        let position = Vec3::new(3.0, 2.0, 1.0);
        let clip_from_world = perspective(vertical_angle, ASPECT, NEAR, far)
            * look_to_mat4(position, direction, Vec3::Y);
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        let planes = [w + x, w - x, w + y, w - y, z, w - z];
        let planes = planes.map(|plane| plane / plane.xyz().length());
        Self { clip_from_world, planes }
    }

    /// Returns a view from the centre of the field, with the far plane behind all of it (Bevy
    /// ignores that plane), and with the field of view at which `target_count` boxes are visible.
    pub fn with_fov_for(field: &BoxField, target_count: usize) -> Self {
        let far = 4.0 * field.half_extent;
        bisect(field, target_count, [0.05, 2.5], |angle| Self::new(angle, far))
    }

    /// Returns a view from the centre of the field, with the far plane at which `target_count`
    /// boxes are visible.
    pub fn with_far_plane_for(field: &BoxField, target_count: usize) -> Self {
        bisect(field, target_count, [1.0, 4.0 * field.half_extent], |far| Self::new(FOV_Y, far))
    }
}

/// Bisects the interval until the view at its centre contains about `target_count` boxes.
fn bisect(
    field: &BoxField,
    target_count: usize,
    range: [f32; 2],
    view: impl Fn(f32) -> View,
) -> View {
    let [mut low, mut high] = range;
    loop {
        let middle = (low + high) / 2.0;
        let view_tried = view(middle);
        let visible = brute_force::visible_count(&field.boxes, &view_tried);
        if visible.abs_diff(target_count) * 100 <= target_count || high - low < 1e-4 * high {
            return view_tried;
        }
        if visible < target_count {
            low = middle;
        } else {
            high = middle;
        }
    }
}
