//! Picking: all that is known about a hit.

use pleach::{Hit, Ray};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::number;
use crate::node_number::to_number;
use crate::numbers;
use crate::queries::filter;
use crate::worlds::{World, edit};

/// The number of the instance of a node without instances.
const NONE: u32 = u32::MAX;

/// Takes origin, direction and maximum distance from the first 7 numbers.
fn ray() -> Result<Ray, Fault> {
    let max_distance = numbers::take::<1>(6)[0];
    if max_distance.is_nan() {
        return Err(Fault::new("not-finite", "the maximum distance of a ray must not be NaN"));
    }
    let ray = Ray::new(numbers::take_vec3(0), numbers::take_vec3(3))?;
    Ok(ray.with_max_distance(max_distance))
}

fn write(world: &mut World, hits: &[Hit]) {
    let output = &mut world.output;
    output.slots.clear();
    output.floats.clear();
    output.ids.clear();
    for hit in hits {
        output.ids.push(to_number(hit.node));
        let instance = hit.instance.unwrap_or(NONE);
        output.slots.extend([hit.triangle, hit.part, instance, u32::from(hit.front)]);
        let (p, n, b) = (hit.point, hit.normal, hit.barycentrics);
        output.floats.extend([hit.distance, p.x, p.y, p.z, n.x, n.y, n.z, b.x, b.y, b.z]);
    }
}

/// Updates the world, and casts a ray (the first 7 numbers). `which` is 0 for the nearest hit, 1 for all hits, 2 for the
/// nearest hit of each node, nearest first. Writes per hit one id, 4 slots (triangle, part, instance, front) and 10 floats
/// (distance, point, normal, barycentric coordinates). Returns how many hits there are.
#[wasm_bindgen]
pub fn pick(world: u32, layers: u32, hidden: bool, which: u32) -> f64 {
    number(edit(world, |world| {
        let ray = ray()?;
        world.update()?;
        let filter = filter(layers, hidden);
        let mut hits = Vec::new();
        match which {
            0 => hits.extend(world.scene.pick(&ray, &filter)),
            1 => world.scene.pick_all(&ray, &filter, &mut hits),
            _ => world.scene.pick_nodes(&ray, &filter, &mut hits),
        }
        write(world, &hits);
        Ok(hits.len() as f64)
    }))
}
