//! `FrameUniforms`: what is the same for all draws of a view, as `frame.wgsl` reads it.

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, DVec3, Mat4, Vec3, Vec4};
use pleach::{ClipSpace, View};
use pleach_shading::{Backdrop, Lighting, ToneMapping};

use crate::draw::canvas::{Canvas, MEASURING_EXPOSURE};

/// The uniform block of `frame.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FrameUniforms {
    view_projection: [[f32; 4]; 4],
    camera: [f32; 4],
    depth_axis: [f32; 4],
    viewport: [f32; 4],
    fog: [f32; 4],
    fog_range: [f32; 2],
    exposure: [f32; 2],
    counts: [u32; 4],
    environment: [[f32; 4]; 11],
    background: [[f32; 4]; 2],
    rays: [[f32; 4]; 3],
}

/// The smallest exposure: the picture is black then, and its inverse is still finite.
const MIN_EXPOSURE: f32 = 1e-9;

impl FrameUniforms {
    pub(crate) fn new(
        view: &View,
        canvas: Canvas,
        lighting: &Lighting,
        light_count: u32,
        tone_mapping: ToneMapping,
        backdrop: Backdrop,
    ) -> Self {
        let is_measured = canvas.exposure.is_none();
        let exposure = canvas.exposure.unwrap_or(MEASURING_EXPOSURE).max(MIN_EXPOSURE);
        let starts_at_camera = view.lens().rays_start_at_camera();
        let [width, height] = canvas.size.map(|it| it as f32);
        let fog = lighting.fog.map_or(Vec4::ZERO, |fog| {
            let color = fog.color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
            let light = if is_measured { Vec3::ZERO } else { tone_mapping.inverse(color) };
            light.extend(1.0)
        });
        let (background, is_map) = match backdrop {
            Backdrop::Gradient(it) => ([it.top.to_array(), it.bottom.to_array()], false),
            Backdrop::EnvironmentMap { blur } => ([[blur; 4]; 2], true),
        };
        Self {
            view_projection: clip_matrix(view).to_cols_array_2d(),
            camera: view.position.extend(f32::from(u8::from(starts_at_camera))).to_array(),
            depth_axis: depth_axis(view).to_array(),
            viewport: [width, height, 1.0 / width, 1.0 / height],
            fog: fog.to_array(),
            fog_range: lighting.fog.map_or([0.0; 2], |fog| [fog.near, fog.far]),
            exposure: [exposure, 1.0 / exposure],
            counts: [
                tone_mapping.shader_constant(),
                light_count,
                u32::from(is_map),
                u32::from(is_measured),
            ],
            environment: lighting.environment.to_uniform(),
            background,
            rays: rays(view),
        }
    }

    /// Returns the uniform block of `tone_map_pass.wgsl`: the curve.
    pub(crate) fn tone_mapping(&self) -> [u32; 8] {
        [self.counts[0], 0, 0, 0, 0, 0, 0, 0]
    }
}

/// Returns the matrix from world space to wgpu's clip space, whose depths are from 0 to 1.
pub(crate) fn clip_matrix(view: &View) -> Mat4 {
    match view.clip_space {
        ClipSpace::NegOneToOne => {
            let half = Mat4::from_cols(
                Vec4::X,
                Vec4::Y,
                Vec4::new(0.0, 0.0, 0.5, 0.0),
                Vec4::new(0.0, 0.0, 0.5, 1.0),
            );
            (half.as_dmat4() * view.view_projection.as_dmat4()).as_mat4()
        }
        ClipSpace::ZeroToOne | ClipSpace::ZeroToOneReversed => view.view_projection,
    }
}

/// Returns the plane whose signed distance is the depth along the view direction.
fn depth_axis(view: &View) -> Vec4 {
    let direction: Vec3 = view.direction();
    direction.extend(view.depth(Vec3::ZERO))
}

/// Returns the ray directions at the centre, and their changes to the right and upwards: the direction
/// at a point of the picture is a sum of these.
fn rays(view: &View) -> [[f32; 4]; 3] {
    let lens = view.lens();
    let to_world = view.view.as_dmat4().inverse();
    let ray = |x: f64, y: f64| {
        let direction = lens.ray(DVec2::new(x, y)).map_or(DVec3::NEG_Z, |(_, direction)| direction);
        // At the same depth, so that directions are linear in the coordinates.
        to_world.transform_vector3(direction / direction.z.abs().max(1e-9))
    };
    let center = ray(0.0, 0.0);
    [center, ray(1.0, 0.0) - center, ray(0.0, 1.0) - center]
        .map(|it| it.as_vec3().extend(0.0).to_array())
}
