//! `Tracer`: the surfaces along a ray, front to back, shaded with shadows.
//!
//! A surface is visible if it lies between near and far, faces the camera or is double-sided, and
//! is not cut away by its alpha mask. Most rays end at the first triangle hit; all hits are queried
//! only where that is not the case.
//!
//! Invariant: the result depends on scene, view and settings only. Sums and products are evaluated
//! in the order of distance.

use glam::{DVec2, Vec2, Vec3, Vec4};
use pleach::{Filter, NodeId, Ray};
use pleach_shading::{Lighting, Shading, SplitSumLut, ToneMapping};
use pleach_spatial::Hit;

use crate::prepare::prepared_scene::PreparedScene;
use crate::trace::camera_rays::{CameraRays, PrimaryRay};
use crate::trace::transmission_buffer::TransmissionBuffer;

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
    pub(crate) lighting: Lighting,
    pub(crate) lut: &'a SplitSumLut,
    pub(crate) tone_mapping: ToneMapping,
    pub(crate) transmission: Transmission,
    pub(crate) shadows: bool,
    /// Reflected light below this gets no shadow ray.
    pub(crate) min_shadowed_light: f32,
}

/// The view through transmissive surfaces.
#[derive(Debug)]
pub(crate) enum Transmission {
    /// Shows what is behind them, without refraction: to measure the exposure, before there is a
    /// buffer.
    Straight,
    /// Hides them: to render the buffer.
    Hidden,
    /// Shows the buffer, refracted and blurred.
    Refracted(TransmissionBuffer),
}

/// The result of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayResult {
    /// Light, before exposure.
    pub(crate) light: Vec3,
    /// Colour that neither exposure nor tone mapping affect: unlit surfaces, fog, and what is seen
    /// through glass.
    pub(crate) color: Vec3,
    /// The transmittance to the background.
    pub(crate) transmittance: Vec3,
    /// The fraction of the pixel that shows a transparent background through glass.
    pub(crate) clear: f32,
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
    pub(crate) shadow_hits: Vec<Hit>,
}

impl Tracer<'_> {
    /// Traces a camera ray.
    pub(crate) fn trace(&self, primary: &PrimaryRay, buffers: &mut Buffers) -> RayResult {
        let mut result = RayResult {
            light: Vec3::ZERO,
            color: Vec3::ZERO,
            transmittance: Vec3::ONE,
            clear: 0.0,
            first_hit: None,
            opaque_distance: f32::INFINITY,
        };
        let (scene, view) = (self.prepared.scene, self.camera.view);
        let filter = Filter::default().with_layers(view.layers);
        let hides_glass = matches!(self.transmission, Transmission::Hidden);
        let shape = |node, part| {
            if hides_glass {
                self.prepared.shape_behind_glass(node, part)
            } else {
                self.prepared.shape(node, part)
            }
        };
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

    /// Returns `true` if a hit is beyond the near plane, on a side that is drawn, and not hidden.
    fn is_visible(&self, primary: &PrimaryRay, hit: &Hit) -> bool {
        if hit.distance < primary.near {
            return false;
        }
        let Some(item) = self.prepared.item(hit.node) else { return false };
        let material = self.prepared.material(self.prepared.part(item, hit.part), hit.triangle);
        let is_hidden =
            matches!(self.transmission, Transmission::Hidden) && material.is_transmissive();
        (hit.front || material.double_sided) && !is_hidden
    }

    /// Returns `true` if a hit hides everything behind it.
    fn is_opaque(&self, hit: &Hit) -> bool {
        let Some(item) = self.prepared.item(hit.node) else { return false };
        let material = self.prepared.material(self.prepared.part(item, hit.part), hit.triangle);
        let is_straight = matches!(self.transmission, Transmission::Straight);
        material.is_opaque() && !(is_straight && material.is_transmissive())
    }

    /// Composites a surface behind those before it. Returns `false` if it is fully transparent.
    fn add_hit(&self, result: &mut RayResult, ray: &Ray, hit: &Hit, buffers: &mut Buffers) -> bool {
        let pixel = self.camera.pixel_size_at(hit.distance);
        let Some(surface) = self.prepared.surface(ray, hit, pixel) else { return false };
        let coverage = surface.material.coverage(surface.alpha);
        if coverage <= 0.0 {
            return false;
        }
        let is_first = result.first_hit.is_none();
        result.first_hit.get_or_insert(FirstHit {
            node: hit.node,
            part: hit.part,
            instance: hit.instance.unwrap_or(0),
            distance: hit.distance,
            normal: surface.parameters.normal,
        });
        let fog = self.lighting.fog;
        let fogged =
            fog.map_or(0.0, |fog| fog.factor(self.camera.fog_distance(hit.point, hit.distance)));
        let weight = result.transmittance * coverage;
        if let Some(fog) = fog.filter(|_| fogged > 0.0) {
            result.color += weight * sanitize_color(fog.color) * fogged;
        }
        let visible = weight * (1.0 - fogged);
        let mut transmittance = Vec3::splat(1.0 - coverage);
        if surface.material.unlit {
            result.color += visible * surface.parameters.base_color;
        } else if fogged < 1.0 {
            let shading = Shading::new(&surface.parameters, -ray.direction(), self.lut);
            let shadowed =
                self.shadows && (is_first || visible.max_element() > MIN_SHADOWED_WEIGHT);
            result.light +=
                visible * self.outgoing_light(hit.node, &surface, &shading, shadowed, buffers);
            let through = shading.transmittance();
            if through.max_element() > 0.0 {
                match &self.transmission {
                    Transmission::Refracted(buffer) => {
                        let behind = self.refracted(buffer, hit.point, &shading);
                        result.color += visible * through * behind.truncate();
                        let mean = visible * through * (1.0 - behind.w);
                        result.clear += (mean.x + mean.y + mean.z) / 3.0;
                    }
                    _ => transmittance += through * (coverage * (1.0 - fogged)),
                }
            }
        }
        result.transmittance *= transmittance;
        if result.transmittance.max_element() < MIN_TRANSMITTANCE {
            result.opaque_distance = result.opaque_distance.min(hit.distance);
        }
        true
    }

    /// Returns the colour, premultiplied by alpha, that is seen along the refracted rays, one for
    /// each channel.
    fn refracted(&self, buffer: &TransmissionBuffer, point: Vec3, shading: &Shading<'_>) -> Vec4 {
        let lod = shading.transmission_lod(buffer.width());
        let rays = shading.transmission_rays();
        let sample = |ray: Vec3| {
            let pixel = self.camera.projector.pixel(point + ray);
            let pixel = pixel.or_else(|| self.camera.projector.pixel(point));
            buffer.sample(pixel.map_or(Vec2::ZERO, DVec2::as_vec2), lod)
        };
        let [red, green, blue] = rays;
        let middle = sample(green);
        if red == blue {
            return middle;
        }
        Vec4::new(sample(red).x, middle.y, sample(blue).z, middle.w)
    }
}

/// Returns `true` if a ray through an edge hit the same surface in both triangles.
pub(crate) fn is_same_hit(last: &Hit, hit: &Hit) -> bool {
    let surface = |hit: &Hit| (hit.node, hit.part, hit.instance, hit.front);
    surface(last) == surface(hit) && hit.distance <= last.distance * (1.0 + 4.0 * f32::EPSILON)
}

pub(crate) fn sanitize_color(color: Vec3) -> Vec3 {
    color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 })
}
