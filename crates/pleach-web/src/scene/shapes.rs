//! Shapes: geometries from a few numbers.

use glam::{Vec2, Vec3};
use pleach::camera::UpAxis;
use pleach::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, Sphere, Torus};
use wasm_bindgen::prelude::*;

use super::assets::create;
use crate::fault::Fault;

fn up(y_up: bool) -> UpAxis {
    if y_up { UpAxis::Y } else { UpAxis::Z }
}

fn finish(shape: Result<pleach::Geometry, pleach::Error>) -> Result<f64, JsValue> {
    Ok(create(shape.map_err(Fault::from)?))
}

/// Creates a box.
#[wasm_bindgen]
pub fn shape_box(x: f32, y: f32, z: f32, y_up: bool) -> Result<f64, JsValue> {
    finish(Cuboid::new(Vec3::new(x, y, z)).with_up(up(y_up)).build())
}

/// Creates a sphere.
#[wasm_bindgen]
pub fn shape_sphere(radius: f32, segments: u32, rings: u32, y_up: bool) -> Result<f64, JsValue> {
    finish(Sphere::new(radius).with_detail(segments, rings).with_up(up(y_up)).build())
}

/// Creates a plane.
#[wasm_bindgen]
pub fn shape_plane(
    width: f32,
    depth: f32,
    cells_x: u32,
    cells_y: u32,
    y_up: bool,
) -> Result<f64, JsValue> {
    finish(
        Plane::new(Vec2::new(width, depth)).with_cells(cells_x, cells_y).with_up(up(y_up)).build(),
    )
}

/// Creates a cylinder.
#[wasm_bindgen]
pub fn shape_cylinder(radius: f32, height: f32, segments: u32, y_up: bool) -> Result<f64, JsValue> {
    finish(Cylinder::new(radius, height).with_segments(segments).with_up(up(y_up)).build())
}

/// Creates a cone.
#[wasm_bindgen]
pub fn shape_cone(radius: f32, height: f32, segments: u32, y_up: bool) -> Result<f64, JsValue> {
    finish(Cone::new(radius, height).with_segments(segments).with_up(up(y_up)).build())
}

/// Creates a capsule: a cylinder of the length between two half spheres.
#[wasm_bindgen]
pub fn shape_capsule(
    radius: f32,
    length: f32,
    segments: u32,
    rings: u32,
    y_up: bool,
) -> Result<f64, JsValue> {
    finish(Capsule::new(radius, length).with_detail(segments, rings).with_up(up(y_up)).build())
}

/// Creates a torus.
#[wasm_bindgen]
pub fn shape_torus(
    radius: f32,
    tube_radius: f32,
    segments: u32,
    tube_segments: u32,
    y_up: bool,
) -> Result<f64, JsValue> {
    let torus = Torus::new(radius, tube_radius).with_detail(segments, tube_segments);
    finish(torus.with_up(up(y_up)).build())
}
