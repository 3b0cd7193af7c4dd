//! Queries: culling, rays, boxes, spheres and neighbours. Each brings the world up to date first.

use glam::{Mat4, Vec3};
use pleach_graph::NodeId;
use pleach_spatial::{Aabb, ClipSpace, Filter, Frustum, Ray, Sphere};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::number;
use crate::numbers;
use crate::worlds::{World, edit};

/// The slot of a ray that hit nothing.
const NOTHING: u32 = u32::MAX;

/// The nearest hit of a ray.
pub(crate) struct RayHit {
    pub(crate) node: NodeId,
    pub(crate) distance: f32,
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
    pub(crate) triangle: Option<u32>,
    pub(crate) instance: Option<u32>,
}

pub(crate) fn clip_space(number: u32) -> Result<ClipSpace, Fault> {
    match number {
        0 => Ok(ClipSpace::ZeroToOne),
        1 => Ok(ClipSpace::NegOneToOne),
        2 => Ok(ClipSpace::ZeroToOneReversed),
        _ => Err(Fault::new(
            "out-of-range",
            "the clip space is 'zero-to-one', 'negative-one-to-one' or 'reversed'",
        )),
    }
}

pub(crate) fn filter<'a>(layers: u32, hidden: bool) -> Filter<'a> {
    let filter = Filter::default().with_layers(layers);
    if hidden { filter.with_hidden() } else { filter }
}

fn frustum(matrix: &[f32], clip: u32) -> Result<Frustum, Fault> {
    let matrix: &[f32; 16] = matrix
        .try_into()
        .map_err(|_| Fault::length("the view-projection matrix", matrix.len(), 16))?;
    Ok(Frustum::from_view_projection(&Mat4::from_cols_array(matrix), clip_space(clip)?)?)
}

/// Writes the slots of the nodes in view, ascending, to the slots. Returns how many there are.
#[wasm_bindgen]
pub fn cull(world: u32, matrix: &[f32], clip: u32, layers: u32, hidden: bool) -> f64 {
    number(edit(world, |world| {
        let frustum = frustum(matrix, clip)?;
        world.update()?;
        let mut visible = std::mem::take(&mut world.visible);
        world.index().cull(&frustum, &filter(layers, hidden), &mut visible);
        world.output.slots.clear();
        world.output.slots.extend(visible.nodes().iter().map(|node| node.index() as u32));
        world.visible = visible;
        Ok(world.output.slots.len() as f64)
    }))
}

/// Casts rays of 7 floats (origin, direction, maximum distance) and writes, per ray, slot, triangle and instance to the
/// slots, and distance, point and normal (7 floats) to the floats. The slot is 0xffffffff if nothing was hit.
#[wasm_bindgen]
pub fn pick_many(world: u32, rays: &[f32], layers: u32, hidden: bool) -> f64 {
    number(edit(world, |world| {
        let (rays, rest) = rays.as_chunks::<7>();
        if !rest.is_empty() {
            return Err(Fault::length(
                "the array of rays, 7 floats each,",
                rays.len() * 7 + rest.len(),
                (rays.len() + 1) * 7,
            ));
        }
        world.update()?;
        let mut output = std::mem::take(&mut world.output);
        let result = cast(world, rays, &filter(layers, hidden), &mut output);
        world.output = output;
        result?;
        Ok(rays.len() as f64)
    }))
}

fn cast(
    world: &World,
    rays: &[[f32; 7]],
    filter: &Filter<'_>,
    output: &mut crate::bulk::Output,
) -> Result<(), Fault> {
    output.slots.clear();
    output.floats.clear();
    for (index, ray) in rays.iter().enumerate() {
        let [ox, oy, oz, dx, dy, dz, max_distance] = *ray;
        let ray = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz))
            .map_err(|error| Fault::from(error).at(index))?
            .with_max_distance(max_distance);
        let hit = world.raycast(&ray, filter);
        let slots = hit.as_ref().map_or([NOTHING; 3], |hit| {
            [
                hit.node.index() as u32,
                hit.triangle.unwrap_or(NOTHING),
                hit.instance.unwrap_or(NOTHING),
            ]
        });
        output.slots.extend(slots);
        let floats = hit.map_or([f32::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], |hit| {
            let (p, n) = (hit.point, hit.normal);
            [hit.distance, p.x, p.y, p.z, n.x, n.y, n.z]
        });
        output.floats.extend(floats);
    }
    Ok(())
}

/// Writes the slots of the nodes that a box (6 numbers) touches to the slots.
#[wasm_bindgen]
pub fn query_box(world: u32, layers: u32, hidden: bool) -> f64 {
    let bounds = Aabb { min: numbers::take_vec3(0), max: numbers::take_vec3(3) };
    query(world, |world, nodes| world.index().query_aabb(&bounds, &filter(layers, hidden), nodes))
}

/// Writes the slots of the nodes that a sphere (4 numbers) touches to the slots.
#[wasm_bindgen]
pub fn query_sphere(world: u32, layers: u32, hidden: bool) -> f64 {
    let [x, y, z, radius] = numbers::take(0);
    let sphere = Sphere { center: Vec3::new(x, y, z), radius };
    query(world, |world, nodes| world.index().query_sphere(&sphere, &filter(layers, hidden), nodes))
}

fn query(world: u32, f: impl FnOnce(&World, &mut Vec<NodeId>)) -> f64 {
    number(edit(world, |world| {
        world.update()?;
        let mut nodes = Vec::new();
        f(world, &mut nodes);
        world.output.slots.clear();
        world.output.slots.extend(nodes.iter().map(|node| node.index() as u32));
        Ok(nodes.len() as f64)
    }))
}

/// Writes the slots of the nodes whose bounds, enlarged by the rounding error, a ray hits (7 numbers: origin, direction,
/// maximum distance) to the slots, ascending.
#[wasm_bindgen]
pub fn ray_candidates(world: u32, layers: u32, hidden: bool) -> f64 {
    let ray = match Ray::new(numbers::take_vec3(0), numbers::take_vec3(3)) {
        Ok(ray) => ray.with_max_distance(numbers::take::<1>(6)[0]),
        Err(error) => return number(Err(error.into())),
    };
    query(world, |world, nodes| world.index().ray_candidates(&ray, &filter(layers, hidden), nodes))
}

/// Writes the slots of the nodes whose bounds are nearest to a point (3 numbers), nearest first, to the slots.
#[wasm_bindgen]
pub fn nearest(world: u32, count: u32, layers: u32, hidden: bool) -> f64 {
    let point = numbers::take_vec3(0);
    query(world, |world, nodes| {
        let mut hits = Vec::new();
        world.index().nearest(point, count as usize, &filter(layers, hidden), &mut hits);
        nodes.extend(hits.iter().map(|hit| hit.node));
    })
}

/// Returns the 24 floats of the planes of a frustum: normal and offset of left, right, bottom, top, near and far.
#[wasm_bindgen]
pub fn frustum_planes(matrix: &[f32], clip: u32) -> Result<Vec<f32>, JsValue> {
    let frustum = frustum(matrix, clip)?;
    Ok(frustum
        .planes()
        .iter()
        .flat_map(|plane| {
            let n = plane.normal;
            [n.x, n.y, n.z, plane.d]
        })
        .collect())
}
