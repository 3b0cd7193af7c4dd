//! Views: the matrices of a camera for a viewport, rays through pixels, and what is in view.

use glam::{Mat4, Vec2, Vec3};
use pleach::camera::Viewport;
use pleach::{Camera, Filter, NodeId, Ray, View};
use pleach_spatial::{CullReason, Side};
use wasm_bindgen::prelude::*;

use super::nodes::wrong_kind;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::numbers;
use crate::queries::clip_space;
use crate::tree::live;
use crate::worlds::{World, edit};

/// Returns the viewport of a width and height in pixels. With a height of 0 the width is the aspect; if that is 0, too,
/// the aspect is the camera's.
fn viewport(width: f32, height: f32, camera: Option<&Camera>) -> Result<Viewport, Fault> {
    if height != 0.0 {
        let is_size = |size: f32| size >= 1.0 && size.is_finite();
        if !is_size(width) || !is_size(height) {
            let message = format!("the viewport is {width} × {height} pixels; it has no area");
            return Err(Fault::new("no-viewport", message));
        }
        return Ok(Viewport::Pixels(width as u32, height as u32));
    }
    if width != 0.0 {
        return Ok(Viewport::Aspect(width));
    }
    match camera.and_then(|camera| camera.aspect) {
        Some(aspect) => Ok(Viewport::Aspect(aspect)),
        None => Err(Fault::new(
            "no-viewport",
            "the camera has no aspect: pass a viewport, { width, height } or an aspect, or set `camera.aspect`",
        )),
    }
}

/// Returns the view of a camera of an updated world.
pub(crate) fn view(world: &World, camera: NodeId, width: f32, height: f32) -> Result<View, Fault> {
    let component = world.scene.camera(camera);
    let component = component.ok_or_else(|| wrong_kind(world, camera, "camera"))?;
    let viewport = viewport(width, height, Some(component))
        .map_err(|fault| Fault { node: Some(camera), ..fault })?;
    Ok(world.scene.view(camera, viewport)?)
}

/// Updates the world, and writes view, projection and view-projection matrix of a camera to the first 48 numbers.
#[wasm_bindgen]
pub fn view_matrices(world: u32, slot: u32, generation: u32, width: f32, height: f32) -> u32 {
    status(edit(world, |world| {
        let camera = live(slot, generation)?;
        world.update()?;
        let view = view(world, camera, width, height)?;
        let mut floats = [0.0; 48];
        floats[..16].copy_from_slice(&view.view.to_cols_array());
        floats[16..32].copy_from_slice(&view.projection.to_cols_array());
        floats[32..].copy_from_slice(&view.view_projection.to_cols_array());
        numbers::put(&floats);
        Ok(())
    }))
}

/// Rebuilds a view from the world matrix of its camera and its projection: the first 32 numbers.
fn rebuilt(clip: u32, width: f32, height: f32) -> Result<View, Fault> {
    let world = Mat4::from_cols_array(&numbers::take(0));
    let projection = Mat4::from_cols_array(&numbers::take(16));
    let camera = Camera::custom(projection, clip_space(clip)?);
    Ok(View::new(&camera, world, viewport(width, height, None)?)?)
}

/// Writes origin and direction of the ray through a pixel to the first 6 numbers. Before the call these are the world
/// matrix of the camera and the projection. Returns 0 if no ray leads there.
#[wasm_bindgen]
pub fn ray_through_pixel(clip: u32, width: f32, height: f32, x: f32, y: f32) -> f64 {
    number((|| {
        let view = rebuilt(clip, width, height)?;
        let ray: Option<Ray> = if height == 0.0 {
            // From 0 to 1 without pixels.
            view.ray_through_ndc(Vec2::new(x * 2.0 - 1.0, 1.0 - y * 2.0))
        } else {
            view.ray_through_pixel(Vec2::new(x, y))
        };
        let Some(ray) = ray else { return Ok(0.0) };
        let (o, d) = (ray.origin(), ray.direction());
        numbers::put(&[o.x, o.y, o.z, d.x, d.y, d.z]);
        Ok(1.0)
    })())
}

/// Writes where a point is in the picture to the first 3 numbers: pixels (or 0 to 1 without pixels) and depth. Before the
/// call these are the world matrix of the camera and the projection. Returns 0 for points behind the camera.
#[wasm_bindgen]
pub fn project(clip: u32, width: f32, height: f32, x: f32, y: f32, z: f32) -> f64 {
    number((|| {
        let view = rebuilt(clip, width, height)?;
        let point = Vec3::new(x, y, z);
        let Some(ndc) = view.project(point).filter(|_| view.depth(point) > 0.0) else {
            return Ok(0.0);
        };
        let fraction = (ndc.truncate() * Vec2::new(0.5, -0.5) + 0.5)
            * if height == 0.0 { Vec2::ONE } else { Vec2::new(width, height) };
        numbers::put(&[fraction.x, fraction.y, ndc.z]);
        Ok(1.0)
    })())
}

/// Updates the world, and writes the slots of the meshes that a camera sees to the slots. Returns how many there are.
#[wasm_bindgen]
pub fn visible_meshes(world: u32, slot: u32, generation: u32, width: f32, height: f32) -> f64 {
    number(edit(world, |world| {
        let node = live(slot, generation)?;
        let camera = world.scene.camera(node).ok_or_else(|| wrong_kind(world, node, "camera"))?;
        let viewport = viewport(width, height, Some(camera))
            .map_err(|fault| Fault { node: Some(node), ..fault })?;
        let mut visible = std::mem::take(&mut world.visible);
        let result = world.scene.visible_meshes(node, viewport, &mut visible);
        world.visible = visible;
        result?;
        world.output.slots.clear();
        world.output.slots.extend(world.visible.nodes().iter().map(|node| node.index() as u32));
        Ok(world.output.slots.len() as f64)
    }))
}

/// Returns why a camera does not see a node: 'in-view', 'never-culled', 'no-bounds', 'detached', 'hidden', 'layers', or
/// 'outside-left' and the other sides.
#[wasm_bindgen]
pub fn cull_reason(
    world: u32,
    slot: u32,
    generation: u32,
    camera_slot: u32,
    camera_generation: u32,
    width: f32,
    height: f32,
) -> Result<String, JsValue> {
    Ok(edit(world, |world| {
        let (node, camera) = (live(slot, generation)?, live(camera_slot, camera_generation)?);
        world.update()?;
        let view = view(world, camera, width, height)?;
        let filter = Filter::default().with_layers(view.layers);
        let reason = world.index().cull_reason(world.graph(), node, &view.frustum, &filter)?;
        Ok(match reason {
            CullReason::InView => "in-view",
            CullReason::NeverCulled => "never-culled",
            CullReason::Detached => "detached",
            CullReason::Hidden { .. } => "hidden",
            CullReason::Layers { .. } => "layers",
            CullReason::Outside(Side::Left) => "outside-left",
            CullReason::Outside(Side::Right) => "outside-right",
            CullReason::Outside(Side::Bottom) => "outside-bottom",
            CullReason::Outside(Side::Top) => "outside-top",
            CullReason::Outside(Side::Near) => "outside-near",
            CullReason::Outside(Side::Far) => "outside-far",
            _ => "no-bounds",
        }
        .to_owned())
    })?)
}
