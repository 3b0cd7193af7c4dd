//! `Tracer`: the surfaces along a ray, front to back, shaded with shadows.
//!
//! A surface is visible if it lies between near and far, faces the camera or is double-sided, and
//! is not cut away by its alpha mask. Most rays end at the first triangle hit; all hits are queried
//! only where that is not the case.
//!
//! Invariant: the result depends on scene, view and settings only. Sums and products are evaluated
//! in the order of distance.

use glam::Vec3;
use pleach::{Filter, Fog, NodeId, Ray};
use pleach_spatial::Hit;

use crate::light::environment::EnvironmentLight;
use crate::light::punctual_light::{IncidentLight, PunctualLight};
use crate::light::shading::SurfaceShading;
use crate::prepare::prepared_scene::PreparedScene;
use crate::trace::camera_rays::{CameraRays, PrimaryRay};
use crate::trace::surface::Surface;

/// The maximum number of surfaces seen through one another.
const MAX_SURFACES: usize = 64;
/// A transmittance below this counts as opaque.
const MIN_TRANSMITTANCE: f32 = 1.0 / 1024.0;
/// A surface behind others whose weight is below this is shaded without shadow rays: a hundred
/// layers of smoke would otherwise take minutes.
const MIN_SHADOWED_WEIGHT: f32 = 0.2;

/// The inputs of ray tracing.
#[derive(Debug)]
pub(crate) struct Tracer<'a> {
    pub(crate) prepared: &'a PreparedScene<'a>,
    pub(crate) camera: &'a CameraRays<'a>,
    pub(crate) lights: Vec<PunctualLight>,
    pub(crate) environment: EnvironmentLight,
    pub(crate) fog: Option<Fog>,
    pub(crate) shadows: bool,
    /// Reflected light below this gets no shadow ray.
    pub(crate) min_shadowed_light: f32,
}

/// The result of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayResult {
    /// Light, before exposure.
    pub(crate) light: Vec3,
    /// Colour that exposure does not affect: unlit surfaces and fog.
    pub(crate) color: Vec3,
    /// The transmittance to the background.
    pub(crate) transmittance: Vec3,
    pub(crate) first_hit: Option<FirstHit>,
    /// The distance of the first surface that hides everything behind it.
    pub(crate) opaque_distance: f32,
}

/// The nearest visible surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstHit {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    pub(crate) distance: f32,
    pub(crate) normal: Vec3,
}

/// Scratch buffers of a thread, reused to avoid allocations.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    hits: Vec<Hit>,
    shadow_hits: Vec<Hit>,
}

impl Tracer<'_> {
    /// Traces a camera ray.
    pub(crate) fn trace(&self, primary: &PrimaryRay, buffers: &mut Buffers) -> RayResult {
        let mut result = RayResult {
            light: Vec3::ZERO,
            color: Vec3::ZERO,
            transmittance: Vec3::ONE,
            first_hit: None,
            opaque_distance: f32::INFINITY,
        };
        let (scene, view) = (self.prepared.scene, self.camera.view);
        let filter = Filter::default().with_layers(view.layers);
        let shape = |node, part| self.prepared.shape(node, part);
        let ray = &primary.ray;
        let nearest = scene.spatial.pick_parts(&scene.graph, ray, &filter, shape);
        let Some(hit) = nearest else { return result };
        if self.is_visible(primary, &hit) && self.is_opaque(&hit) {
            self.add_hit(&mut result, ray, &hit, buffers);
            return result;
        }
        let mut hits = std::mem::take(&mut buffers.hits);
        scene.spatial.pick_all_parts(&scene.graph, ray, &filter, shape, &mut hits);
        let mut last: Option<Hit> = None;
        let mut surfaces = 0;
        for hit in &hits {
            if !self.is_visible(primary, hit) || last.is_some_and(|last| is_same_hit(&last, hit)) {
                continue;
            }
            last = Some(*hit);
            if !self.add_hit(&mut result, ray, hit, buffers) {
                continue;
            }
            surfaces += 1;
            if surfaces == MAX_SURFACES || result.transmittance.max_element() < MIN_TRANSMITTANCE {
                break;
            }
        }
        buffers.hits = hits;
        result
    }

    /// Returns `true` if a hit is beyond the near plane and on a side that is drawn.
    fn is_visible(&self, primary: &PrimaryRay, hit: &Hit) -> bool {
        if hit.distance < primary.near {
            return false;
        }
        let Some(item) = self.prepared.item(hit.node) else { return false };
        let material = self.prepared.material(self.prepared.part(item, hit.part), hit.triangle);
        hit.front || material.double_sided
    }

    fn is_opaque(&self, hit: &Hit) -> bool {
        self.prepared.alpha(hit).is_some_and(|(material, _)| material.is_opaque())
    }

    /// Composites a surface behind those before it. Returns `false` if it is fully transparent.
    fn add_hit(&self, result: &mut RayResult, ray: &Ray, hit: &Hit, buffers: &mut Buffers) -> bool {
        let pixel = self.camera.pixel_size_at(hit.distance);
        let Some(surface) = self.prepared.surface(ray, hit, pixel) else { return false };
        let coverage = surface.material.coverage(surface.base.w);
        if coverage <= 0.0 {
            return false;
        }
        let is_first = result.first_hit.is_none();
        result.first_hit.get_or_insert(FirstHit {
            node: hit.node,
            part: hit.part,
            instance: hit.instance.unwrap_or(0),
            distance: hit.distance,
            normal: surface.normal,
        });
        let fog = self
            .fog
            .map_or(0.0, |fog| fog.factor(self.camera.fog_distance(hit.point, hit.distance)));
        let weight = result.transmittance * coverage;
        if let Some(it) = self.fog.filter(|_| fog > 0.0) {
            result.color += weight * sanitize_color(it.color) * fog;
        }
        let visible = weight * (1.0 - fog);
        let mut transmittance = Vec3::splat(1.0 - coverage);
        if surface.material.unlit {
            result.color += visible * surface.base.truncate();
        } else if fog < 1.0 {
            let shading = SurfaceShading::new(&surface, -ray.direction());
            let shadowed =
                self.shadows && (is_first || visible.max_element() > MIN_SHADOWED_WEIGHT);
            result.light +=
                visible * self.outgoing_light(hit.node, &surface, &shading, shadowed, buffers);
            if surface.transmission > 0.0 {
                transmittance += shading.transmittance() * (coverage * (1.0 - fog));
            }
        }
        result.transmittance *= transmittance;
        if result.transmittance.max_element() < MIN_TRANSMITTANCE {
            result.opaque_distance = result.opaque_distance.min(hit.distance);
        }
        true
    }

    /// Returns the light from a surface towards the camera.
    fn outgoing_light(
        &self,
        node: NodeId,
        surface: &Surface<'_>,
        shading: &SurfaceShading<'_>,
        shadowed: bool,
        buffers: &mut Buffers,
    ) -> Vec3 {
        let mut light = surface.emissive + shading.environment_light(&self.environment);
        let Some(item) = self.prepared.item(node) else { return light };
        for punctual in self.lights.iter().filter(|punctual| punctual.layers & item.layers != 0) {
            let Some(incident) = punctual.incident_at(surface.point) else { continue };
            let reflected = shading.direct_light(&incident);
            if reflected.max_element() <= 0.0 {
                continue;
            }
            let needs_shadow_ray = reflected.max_element() > self.min_shadowed_light;
            let visibility = if shadowed && item.receives_shadow && needs_shadow_ray {
                self.visibility(surface, &incident, buffers)
            } else {
                Vec3::ONE
            };
            light += reflected * visibility;
        }
        light
    }

    /// Returns the fraction of a light that reaches the surface.
    fn visibility(
        &self,
        surface: &Surface<'_>,
        light: &IncidentLight,
        buffers: &mut Buffers,
    ) -> Vec3 {
        let Ok(ray) = Ray::new(surface.shadow_ray_origin, light.direction) else {
            return Vec3::ONE;
        };
        let ray = ray.with_max_distance(light.distance * (1.0 - 1e-5));
        let scene = self.prepared.scene;
        let filter = Filter::default();
        let shape = |node, part| self.prepared.casting_shape(node, part);
        let hits = &mut buffers.shadow_hits;
        scene.spatial.pick_all_parts(&scene.graph, &ray, &filter, shape, hits);
        let (mut transmittance, mut last) = (Vec3::ONE, None);
        for hit in hits {
            if last.is_some_and(|last| is_same_hit(&last, hit)) {
                continue;
            }
            last = Some(*hit);
            transmittance *= self.hit_transmittance(hit);
            if transmittance.max_element() <= 0.0 {
                break;
            }
        }
        transmittance
    }

    /// Returns the transmittance of a triangle for a shadow ray.
    fn hit_transmittance(&self, hit: &Hit) -> Vec3 {
        let Some((material, alpha)) = self.prepared.alpha(hit) else { return Vec3::ONE };
        // The ray points at the light, so light arrives from the other side.
        if hit.front && !material.double_sided {
            return Vec3::ONE;
        }
        let coverage = material.coverage(alpha);
        let tint = material.base_color.truncate().min(Vec3::ONE) * material.attenuation;
        Vec3::splat(1.0 - coverage)
            + tint * (coverage * material.transmission * (1.0 - material.metallic))
    }
}

/// Returns `true` if a ray through an edge hit the same surface in both triangles.
fn is_same_hit(last: &Hit, hit: &Hit) -> bool {
    let surface = |hit: &Hit| (hit.node, hit.part, hit.instance, hit.front);
    surface(last) == surface(hit) && hit.distance <= last.distance * (1.0 + 4.0 * f32::EPSILON)
}

pub(crate) fn sanitize_color(color: Vec3) -> Vec3 {
    color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 })
}
