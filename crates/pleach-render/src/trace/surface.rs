//! `Surface`: a point where a ray hits a triangle, with its material evaluated.
//!
//! Attributes are interpolated between the corners, textures sampled, and the normal flipped
//! towards the viewer. Without vertex normals, the triangle's own normal is used.

use glam::{Vec3, Vec4};
use pleach::Ray;
use pleach_shading as shading;
use pleach_spatial::Hit;

use crate::prepare::prepared_scene::PreparedScene;
use crate::prepare::shading_material::{ShadingMaterial, TextureMap};
use crate::trace::corners::{Corners, normalize};
use crate::trace::tangent_frame::TangentFrame;

/// A visible point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) material: &'a ShadingMaterial,
    pub(crate) point: Vec3,
    /// The parameters of all lobes.
    pub(crate) parameters: shading::Surface,
    pub(crate) alpha: f32,
    /// The geometric normal on the visible side.
    face_normal: Vec3,
    /// The origins of shadow rays on the visible side, on the curved surface that the vertex
    /// normals describe, and on the other side.
    shadow_ray_origins: [Vec3; 2],
}

impl<'a> Surface<'a> {
    /// Creates a point of a line; `offset` is that of the origins of shadow rays.
    pub(crate) fn without_area(
        material: &'a ShadingMaterial,
        point: Vec3,
        parameters: shading::Surface,
        offset: Vec3,
    ) -> Self {
        let shadow_ray_origins = [point + offset, point - offset];
        let face_normal = parameters.normal;
        Self { material, point, parameters, alpha: 1.0, face_normal, shadow_ray_origins }
    }

    /// Returns the origin of a shadow ray.
    pub(crate) fn shadow_ray_origin(&self, direction: Vec3) -> Vec3 {
        let is_behind =
            direction.dot(self.face_normal) < 0.0 && direction.dot(self.parameters.normal) < 0.0;
        self.shadow_ray_origins[usize::from(is_behind)]
    }
}

impl<'a> PreparedScene<'a> {
    /// Returns the fraction of light that passes where a shadow ray hits a triangle.
    pub(crate) fn shadow_transmittance(&self, hit: &Hit) -> Option<Vec3> {
        let item = self.item(hit.node)?;
        let material = self.material(self.part(item, hit.part), hit.triangle);
        // The ray points at the light, so light arrives from the other side.
        if hit.front && !material.double_sided {
            return Some(Vec3::ONE);
        }
        let is_transmissive = material.is_transmissive();
        if material.is_opaque() && !is_transmissive {
            return Some(Vec3::ZERO);
        }
        let corners = self.corners(hit)?;
        let sample = |map: &Option<TextureMap>| {
            let map = map.as_ref()?;
            Some(map.sample(corners.uv(map.uv_set), 0.0))
        };
        let base =
            material.base_color * corners.color() * sample(&material.base_map).unwrap_or(Vec4::ONE);
        let coverage = material.coverage(base.w);
        let passed = Vec3::splat(1.0 - coverage);
        if !is_transmissive {
            return Some(passed);
        }
        let metal = sample(&material.metallic_roughness_map).map_or(1.0, |it| it.z);
        let base = base.truncate().min(Vec3::ONE) * (1.0 - material.metallic * metal);
        let scale = item.model_to_world(hit.instance).scale;
        Some(passed + material.extensions.shadow_tint(base, scale, sample) * coverage)
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
        let (coat, anisotropy) = (&material.extensions.clearcoat, &material.extensions.anisotropy);
        let coat_map = coat.as_ref().filter(|it| it.normal_map.is_some());
        let frame = if material.normal_map.is_some() || coat_map.is_some() || anisotropy.is_some() {
            TangentFrame::new(&corners, &model_to_world, smooth * side)
        } else {
            None
        };
        let mapped = |map: &Option<TextureMap>, scale: f32| {
            let (frame, value) = (frame?, sample(map)?);
            frame.mapped_normal(smooth, side, map.as_ref()?, value, scale)
        };
        let normal = mapped(&material.normal_map, material.normal_scale).unwrap_or(smooth);

        let base =
            material.base_color * corners.color() * sample(&material.base_map).unwrap_or(Vec4::ONE);
        let metal = sample(&material.metallic_roughness_map).unwrap_or(Vec4::ONE);
        let occlusion = sample(&material.occlusion_map)
            .map_or(1.0, |value| 1.0 + material.occlusion_strength * (value.x - 1.0));
        let emissive = sample(&material.emissive_map).map_or(Vec3::ONE, Vec4::truncate);
        let mut parameters = shading::Surface {
            normal,
            base_color: base.truncate(),
            metallic: material.metallic * metal.z,
            roughness: material.roughness * metal.y,
            occlusion,
            emissive: material.emissive * emissive,
            ior: material.ior,
            clearcoat_normal: smooth,
            ..shading::Surface::default()
        };
        material.extensions.apply(&mut parameters, model_to_world.scale, sample);
        if let Some(it) = coat_map {
            parameters.clearcoat_normal = mapped(&it.normal_map, it.normal_scale).unwrap_or(smooth);
        }
        if let Some(it) = anisotropy {
            let direction = frame.and_then(|frame| frame.direction(it.direction(sample), normal));
            let tangent = direction.unwrap_or_else(|| normal.any_orthonormal_vector());
            (parameters.tangent, parameters.bitangent) = (tangent, normal.cross(tangent));
        }
        Some(Surface {
            material,
            point: hit.point,
            parameters,
            alpha: base.w,
            face_normal,
            shadow_ray_origins: shadow_ray_origins(&corners, edges, normals, hit, face_normal),
        })
    }
}

/// Returns the origins of shadow rays on the visible side and on the other: offset from the
/// triangle by more than the rounding error. The first is moved onto the curved surface that the
/// vertex normals describe; otherwise coarse curved meshes would show their triangles in their
/// shadows.
///
/// The offset follows Hanika, "Hacking the Shadow Terminator" (2021): the mean of the point's
/// projections onto the tangent planes at the corners.
fn shadow_ray_origins(
    corners: &Corners<'_>,
    edges: [Vec3; 2],
    normals: Option<[Vec3; 3]>,
    hit: &Hit,
    face_normal: Vec3,
) -> [Vec3; 2] {
    let epsilon = hit.point.abs().max_element() * 1e-6 + hit.distance * 2e-7 + f32::MIN_POSITIVE;
    let [start, behind] = [1.0, -1.0].map(|side| hit.point + face_normal * (epsilon * side));
    let Some(normals) = normals else { return [start, behind] };
    let from_first = edges[0] * corners.weights.y + edges[1] * corners.weights.z;
    let offsets = [from_first, from_first - edges[0], from_first - edges[1]];
    let projected = |i: usize| normals[i] * -offsets[i].dot(normals[i]).min(0.0);
    let bulge = corners.mix3([projected(0), projected(1), projected(2)]);
    let is_outside = bulge.is_finite() && bulge.dot(face_normal) > 0.0;
    [if is_outside { start + bulge } else { start }, behind]
}
