//! `Surface`: what is there where a ray meets a triangle.
//!
//! Attributes are interpolated between the corners, textures read, and the normal turned
//! towards whoever looks. Missing columns and numbers that are not finite have an answer: the
//! triangle's own normal, white, (0, 0).

use glam::{Vec2, Vec3, Vec4};
use pleach::Ray;
use pleach_spatial::Hit;

use crate::prepare::prepared_scene::{Part, Placing, Stage};
use crate::prepare::shading_material::{Map, Paint};

/// A point of a surface, as it is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) paint: &'a Paint,
    pub(crate) point: Vec3,
    /// The normal to shade with.
    pub(crate) normal: Vec3,
    /// Base colour and alpha.
    pub(crate) base: Vec4,
    pub(crate) metallic: f32,
    pub(crate) roughness: f32,
    pub(crate) occlusion: f32,
    pub(crate) emissive: Vec3,
    pub(crate) transmission: f32,
    /// Where shadow rays start: on the round surface that the normals tell of.
    pub(crate) lifted: Vec3,
}

/// The three corners of a triangle that was hit.
struct Corners<'a> {
    part: &'a Part<'a>,
    vertices: [usize; 3],
    weights: Vec3,
}

impl Corners<'_> {
    fn mix<T: Copy>(&self, column: &[T], mixed: impl Fn([T; 3]) -> T) -> Option<T> {
        Some(mixed(self.of(column)?))
    }

    fn of<T: Copy>(&self, column: &[T]) -> Option<[T; 3]> {
        let [a, b, c] = self.vertices;
        Some([*column.get(a)?, *column.get(b)?, *column.get(c)?])
    }

    fn mix3(&self, [a, b, c]: [Vec3; 3]) -> Vec3 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    fn mix4(&self, [a, b, c]: [Vec4; 3]) -> Vec4 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    /// The corners' normals in the world, of length 1, on the side that is seen.
    fn normals(&self, placing: &Placing, side: f32) -> Option<[Vec3; 3]> {
        let [a, b, c] = self.of(self.part.normals())?;
        let turned = |normal: Vec3| Some(unit(placing.normals * normal)? * side);
        Some([turned(a)?, turned(b)?, turned(c)?])
    }

    fn uvs(&self, set: usize) -> Option<[Vec2; 3]> {
        self.of(self.part.geometry.uvs.get(set)?)
    }

    fn uv(&self, set: usize) -> Vec2 {
        let mixed = self
            .uvs(set)
            .map(|[a, b, c]| a * self.weights.x + b * self.weights.y + c * self.weights.z);
        mixed.unwrap_or_default()
    }

    fn color(&self) -> Vec4 {
        let color =
            self.part.geometry.colors.first().and_then(|it| self.mix(it, |it| self.mix4(it)));
        let color = color.unwrap_or(Vec4::ONE);
        Vec4::from_array(color.to_array().map(|it| if it.is_finite() { it.max(0.0) } else { 1.0 }))
    }

    /// Twice the area in the texture, of twice the area in the world.
    fn density(&self, set: usize, area: f32) -> f32 {
        let Some([a, b, c]) = self.uvs(set) else { return 0.0 };
        (b - a).perp_dot(c - a).abs() / area
    }
}

impl<'a> Stage<'a> {
    fn corners(&self, hit: &Hit) -> Option<Corners<'_>> {
        let part = self.part(self.actor(hit.node)?, hit.part);
        let vertices = part.geometry.triangle(hit.triangle as usize)?;
        Some(Corners { part, vertices: vertices.map(|it| it as usize), weights: hit.barycentrics })
    }

    /// The paint at a hit, and its alpha if that counts.
    pub(crate) fn alpha(&self, hit: &Hit) -> Option<(&Paint, f32)> {
        let part = self.part(self.actor(hit.node)?, hit.part);
        let paint = self.paint(part, hit.triangle);
        if paint.is_solid() {
            return Some((paint, 1.0));
        }
        let corners = self.corners(hit)?;
        let mut alpha = paint.base_color.w * corners.color().w;
        if let Some(map) = &paint.base_map {
            alpha *= map.sample(corners.uv(map.uv_set), 0.0).w;
        }
        Some((paint, alpha))
    }

    /// What is there where a ray meets a triangle; `pixel` is the width of what a pixel shows.
    pub(crate) fn surface(&self, ray: &Ray, hit: &Hit, pixel: f32) -> Option<Surface<'_>> {
        let actor = self.actor(hit.node)?;
        let corners = self.corners(hit)?;
        let paint = self.paint(corners.part, hit.triangle);
        let placing = actor.placing(hit.instance);
        let side = if hit.front { 1.0 } else { -1.0 };
        let flat = hit.normal * side;

        let [a, b, c] = corners.of(corners.part.positions())?;
        let edges = [b - a, c - a].map(|edge| placing.linear * edge);
        let area = edges[0].cross(edges[1]).length();
        let slant = flat.dot(ray.direction()).abs().max(0.05);
        let footprint = pixel * pixel / slant;
        let read = |map: &Option<Map>| {
            let map = map.as_ref()?;
            let density = corners.density(map.uv_set, area);
            Some(map.sample(corners.uv(map.uv_set), footprint * density))
        };

        let normals = corners.normals(&placing, side);
        let smooth = normals.and_then(|normals| unit(corners.mix3(normals))).unwrap_or(flat);
        let normal = match (&paint.normal_map, read(&paint.normal_map)) {
            (Some(map), Some(value)) => {
                let frame = tangent(&corners, &placing, edges, map, smooth * side);
                frame
                    .and_then(|it| bumped(it, smooth, side, value, paint.normal_scale))
                    .unwrap_or(smooth)
            }
            _ => smooth,
        };

        let base = paint.base_color * corners.color() * read(&paint.base_map).unwrap_or(Vec4::ONE);
        let metal = read(&paint.metallic_roughness_map).unwrap_or(Vec4::ONE);
        let occlusion = read(&paint.occlusion_map)
            .map_or(1.0, |value| 1.0 + paint.occlusion_strength * (value.x - 1.0));
        let emissive = read(&paint.emissive_map).map_or(Vec3::ONE, Vec4::truncate);
        let through = read(&paint.transmission_map).map_or(1.0, |value| value.x);
        Some(Surface {
            paint,
            point: hit.point,
            normal,
            base,
            metallic: paint.metallic * metal.z,
            roughness: paint.roughness * metal.y,
            occlusion,
            emissive: paint.emissive * emissive,
            transmission: paint.transmission * through,
            lifted: lifted(&corners, edges, normals, hit, flat),
        })
    }
}

/// Tangent and bitangent: the geometry's own, or those along which the coordinates grow.
fn tangent(
    corners: &Corners<'_>,
    placing: &Placing,
    edges: [Vec3; 2],
    map: &Map,
    normal: Vec3,
) -> Option<[Vec3; 2]> {
    let own = corners.mix(corners.part.tangents(), |it| corners.mix4(it));
    if let Some(own) = own {
        let along = placing.linear * own.truncate();
        let along = unit(along - normal * normal.dot(along))?;
        // A mirror turns it round.
        let sign = if own.w < 0.0 { -1.0 } else { 1.0 } * placing.sign;
        return Some([along, normal.cross(along) * sign]);
    }
    let [a, b, c] = corners.uvs(map.uv_set)?.map(|uv| map.transformed(uv));
    let [first, second] = [b - a, c - a];
    let turn = first.perp_dot(second);
    let along = (edges[0] * second.y - edges[1] * first.y) * turn.signum();
    let down = (edges[1] * first.x - edges[0] * second.x) * turn.signum();
    let along = unit(along - normal * normal.dot(along))?;
    let across = normal.cross(along);
    // In the picture of a texture, up is where v shrinks.
    Some([along, if across.dot(down) > 0.0 { -across } else { across }])
}

/// A normal of a normal map, in the world.
fn bumped(
    [along, across]: [Vec3; 2],
    smooth: Vec3,
    side: f32,
    value: Vec4,
    scale: f32,
) -> Option<Vec3> {
    let value = value.truncate() * 2.0 - 1.0;
    let (x, y) = (value.x * scale, value.y * scale);
    unit(along * (x * side) + across * (y * side) + smooth * value.z)
}

/// Where shadow rays start: off the triangle by more than its place is rounded, and where the
/// corners' normals say that the surface bulges, on the bulge. Without it round things that are
/// made of few triangles would show these in their shadows.
///
/// The bulge is that of Hanika, "Hacking the Shadow Terminator" (2021): the mean of the point's
/// projections onto the planes at the corners.
fn lifted(
    corners: &Corners<'_>,
    edges: [Vec3; 2],
    normals: Option<[Vec3; 3]>,
    hit: &Hit,
    flat: Vec3,
) -> Vec3 {
    let off = hit.point.abs().max_element() * 1e-6 + hit.distance * 2e-7 + f32::MIN_POSITIVE;
    let start = hit.point + flat * off;
    let Some(normals) = normals else { return start };
    let from_first = edges[0] * corners.weights.y + edges[1] * corners.weights.z;
    let ways = [from_first, from_first - edges[0], from_first - edges[1]];
    let rise = |i: usize| normals[i] * -ways[i].dot(normals[i]).min(0.0);
    let bulge = corners.mix3([rise(0), rise(1), rise(2)]);
    if bulge.is_finite() && bulge.dot(flat) > 0.0 { start + bulge } else { start }
}

/// With length 1; `None` if it has no direction.
fn unit(vector: Vec3) -> Option<Vec3> {
    let size = vector.abs().max_element();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    // Scaled first: squares of what is tiny vanish.
    let vector = vector / size;
    Some(vector / vector.length())
}
