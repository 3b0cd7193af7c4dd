//! `Surface`: the interpolated attributes where a ray hits a triangle.
//!
//! Attributes are interpolated between the corners, textures sampled, and the normal flipped
//! towards the viewer. Missing attributes and numbers that are not finite have defaults: the
//! triangle's own normal, white, (0, 0).

use glam::{Vec2, Vec3, Vec4};
use pleach::Ray;
use pleach_graph::unit;
use pleach_spatial::Hit;

use crate::prepare::prepared_scene::{ModelToWorld, PreparedPart, PreparedScene};
use crate::prepare::shading_material::{ShadingMaterial, TextureMap};

/// A visible point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) material: &'a ShadingMaterial,
    pub(crate) point: Vec3,
    /// The shading normal.
    pub(crate) normal: Vec3,
    /// The base colour and alpha.
    pub(crate) base: Vec4,
    pub(crate) metallic: f32,
    pub(crate) roughness: f32,
    pub(crate) occlusion: f32,
    pub(crate) emissive: Vec3,
    pub(crate) transmission: f32,
    /// The origin of shadow rays: on the curved surface that the vertex normals describe.
    pub(crate) shadow_ray_origin: Vec3,
}

/// The corners of a triangle that was hit.
struct Corners<'a> {
    part: &'a PreparedPart,
    vertices: [usize; 3],
    weights: Vec3,
}

impl Corners<'_> {
    fn mix<T: Copy>(&self, values: &[T], blend: impl Fn([T; 3]) -> T) -> Option<T> {
        Some(blend(self.get(values)?))
    }

    fn get<T: Copy>(&self, values: &[T]) -> Option<[T; 3]> {
        let [a, b, c] = self.vertices;
        Some([*values.get(a)?, *values.get(b)?, *values.get(c)?])
    }

    fn mix3(&self, [a, b, c]: [Vec3; 3]) -> Vec3 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    fn mix4(&self, [a, b, c]: [Vec4; 3]) -> Vec4 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    /// Returns the normalized world-space normals of the corners, on the visible side.
    fn normals(&self, model_to_world: &ModelToWorld, side: f32) -> Option<[Vec3; 3]> {
        let [a, b, c] = self.get(self.part.normals())?;
        let to_world = |normal: Vec3| Some(normalize(model_to_world.normals * normal)? * side);
        Some([to_world(a)?, to_world(b)?, to_world(c)?])
    }

    fn uvs(&self, set: usize) -> Option<[Vec2; 3]> {
        self.get(self.part.geometry.uvs.get(set)?)
    }

    fn uv(&self, set: usize) -> Vec2 {
        let blend = self
            .uvs(set)
            .map(|[a, b, c]| a * self.weights.x + b * self.weights.y + c * self.weights.z);
        blend.unwrap_or_default()
    }

    fn color(&self) -> Vec4 {
        let color =
            self.part.geometry.colors.first().and_then(|it| self.mix(it, |it| self.mix4(it)));
        let color = color.unwrap_or(Vec4::ONE);
        Vec4::from_array(color.to_array().map(|it| if it.is_finite() { it.max(0.0) } else { 1.0 }))
    }

    /// Returns the ratio of the area in texture coordinates to `area`, both doubled.
    fn density(&self, set: usize, area: f32) -> f32 {
        let Some([a, b, c]) = self.uvs(set) else { return 0.0 };
        (b - a).perp_dot(c - a).abs() / area
    }
}

impl<'a> PreparedScene<'a> {
    fn corners(&self, hit: &Hit) -> Option<Corners<'_>> {
        let part = self.part(self.item(hit.node)?, hit.part);
        let vertices = part.geometry.triangle(hit.triangle as usize)?;
        Some(Corners { part, vertices: vertices.map(|it| it as usize), weights: hit.barycentrics })
    }

    /// Returns the material at a hit, and its alpha if the material is not opaque.
    pub(crate) fn alpha(&self, hit: &Hit) -> Option<(&ShadingMaterial, f32)> {
        let part = self.part(self.item(hit.node)?, hit.part);
        let material = self.material(part, hit.triangle);
        if material.is_opaque() {
            return Some((material, 1.0));
        }
        let corners = self.corners(hit)?;
        let mut alpha = material.base_color.w * corners.color().w;
        if let Some(map) = &material.base_map {
            alpha *= map.sample(corners.uv(map.uv_set), 0.0).w;
        }
        Some((material, alpha))
    }

    /// Evaluates the surface where a ray hits a triangle; `pixel` is the size of a pixel there, in
    /// metres.
    pub(crate) fn surface(&self, ray: &Ray, hit: &Hit, pixel: f32) -> Option<Surface<'_>> {
        let item = self.item(hit.node)?;
        let corners = self.corners(hit)?;
        let material = self.material(corners.part, hit.triangle);
        let model_to_world = item.model_to_world(hit.instance);
        let side = if hit.front { 1.0 } else { -1.0 };
        let face_normal = hit.normal * side;

        let [a, b, c] = corners.get(corners.part.positions())?;
        let edges = [b - a, c - a].map(|edge| model_to_world.linear * edge);
        let area = edges[0].cross(edges[1]).length();
        let cosine = face_normal.dot(ray.direction()).abs().max(0.05);
        let footprint = pixel * pixel / cosine;
        let sample = |map: &Option<TextureMap>| {
            let map = map.as_ref()?;
            let density = corners.density(map.uv_set, area);
            Some(map.sample(corners.uv(map.uv_set), footprint * density))
        };

        let normals = corners.normals(&model_to_world, side);
        let smooth =
            normals.and_then(|normals| normalize(corners.mix3(normals))).unwrap_or(face_normal);
        let normal = match (&material.normal_map, sample(&material.normal_map)) {
            (Some(map), Some(value)) => {
                let frame = tangent_frame(&corners, &model_to_world, edges, map, smooth * side);
                frame
                    .and_then(|it| apply_normal_map(it, smooth, side, value, material.normal_scale))
                    .unwrap_or(smooth)
            }
            _ => smooth,
        };

        let base =
            material.base_color * corners.color() * sample(&material.base_map).unwrap_or(Vec4::ONE);
        let metal = sample(&material.metallic_roughness_map).unwrap_or(Vec4::ONE);
        let occlusion = sample(&material.occlusion_map)
            .map_or(1.0, |value| 1.0 + material.occlusion_strength * (value.x - 1.0));
        let emissive = sample(&material.emissive_map).map_or(Vec3::ONE, Vec4::truncate);
        let transmission = sample(&material.transmission_map).map_or(1.0, |value| value.x);
        Some(Surface {
            material,
            point: hit.point,
            normal,
            base,
            metallic: material.metallic * metal.z,
            roughness: material.roughness * metal.y,
            occlusion,
            emissive: material.emissive * emissive,
            transmission: material.transmission * transmission,
            shadow_ray_origin: shadow_ray_origin(&corners, edges, normals, hit, face_normal),
        })
    }
}

/// Returns tangent and bitangent: the geometry's own, or the directions in which the texture
/// coordinates grow.
fn tangent_frame(
    corners: &Corners<'_>,
    model_to_world: &ModelToWorld,
    edges: [Vec3; 2],
    map: &TextureMap,
    normal: Vec3,
) -> Option<[Vec3; 2]> {
    let own = corners.mix(corners.part.tangents(), |it| corners.mix4(it));
    if let Some(own) = own {
        let tangent = model_to_world.linear * own.truncate();
        let tangent = normalize(tangent - normal * normal.dot(tangent))?;
        // A mirroring transform flips it.
        let sign = if own.w < 0.0 { -1.0 } else { 1.0 } * model_to_world.sign;
        return Some([tangent, normal.cross(tangent) * sign]);
    }
    let [a, b, c] = corners.uvs(map.uv_set)?.map(|uv| map.transformed(uv));
    let [first, second] = [b - a, c - a];
    let uv_area = first.perp_dot(second);
    let tangent = (edges[0] * second.y - edges[1] * first.y) * uv_area.signum();
    let down = (edges[1] * first.x - edges[0] * second.x) * uv_area.signum();
    let tangent = normalize(tangent - normal * normal.dot(tangent))?;
    let bitangent = normal.cross(tangent);
    // In texture space, up is the direction of decreasing v.
    Some([tangent, if bitangent.dot(down) > 0.0 { -bitangent } else { bitangent }])
}

/// Returns the world-space normal of a normal map's value.
fn apply_normal_map(
    [tangent, bitangent]: [Vec3; 2],
    smooth: Vec3,
    side: f32,
    value: Vec4,
    scale: f32,
) -> Option<Vec3> {
    let value = value.truncate() * 2.0 - 1.0;
    let (x, y) = (value.x * scale, value.y * scale);
    normalize(tangent * (x * side) + bitangent * (y * side) + smooth * value.z)
}

/// Returns the origin of shadow rays: offset from the triangle by more than the rounding error, and
/// moved onto the curved surface that the vertex normals describe. Otherwise coarse curved meshes
/// would show their triangles in their shadows.
///
/// The offset follows Hanika, "Hacking the Shadow Terminator" (2021): the mean of the point's
/// projections onto the tangent planes at the corners.
fn shadow_ray_origin(
    corners: &Corners<'_>,
    edges: [Vec3; 2],
    normals: Option<[Vec3; 3]>,
    hit: &Hit,
    face_normal: Vec3,
) -> Vec3 {
    let epsilon = hit.point.abs().max_element() * 1e-6 + hit.distance * 2e-7 + f32::MIN_POSITIVE;
    let start = hit.point + face_normal * epsilon;
    let Some(normals) = normals else { return start };
    let from_first = edges[0] * corners.weights.y + edges[1] * corners.weights.z;
    let offsets = [from_first, from_first - edges[0], from_first - edges[1]];
    let projected = |i: usize| normals[i] * -offsets[i].dot(normals[i]).min(0.0);
    let bulge = corners.mix3([projected(0), projected(1), projected(2)]);
    if bulge.is_finite() && bulge.dot(face_normal) > 0.0 { start + bulge } else { start }
}

/// Normalizes a vector. Returns `None` if it has no direction.
fn normalize(vector: Vec3) -> Option<Vec3> {
    unit(vector.as_dvec3()).map(|unit| unit.as_vec3())
}
