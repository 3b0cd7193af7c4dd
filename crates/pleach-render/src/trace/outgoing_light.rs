//! The light from a surface towards the camera, with shadow rays.
//!
//! The equations are those of `pleach-shading`; what a ray tracer adds are the shadows. A shadow ray
//! collects the transmittance of all surfaces between a point and a light: masked surfaces block
//! light where they are opaque, blended ones in proportion to their alpha, and glass tints it.

use glam::Vec3;
use pleach::{Filter, NodeId, Ray};
use pleach_shading::{IncidentLight, Shading};

use crate::trace::surface::Surface;
use crate::trace::tracer::{Buffers, Tracer, is_same_hit};

impl Tracer<'_> {
    /// Returns the light from a surface towards the camera.
    pub(crate) fn outgoing_light(
        &self,
        node: NodeId,
        surface: &Surface<'_>,
        shading: &Shading<'_>,
        shadowed: bool,
        buffers: &mut Buffers,
    ) -> Vec3 {
        let mut light =
            shading.emitted_light() + shading.environment_light(&self.lighting.environment);
        let Some(item) = self.prepared.item(node) else { return light };
        for punctual in
            self.lighting.lights.iter().filter(|punctual| punctual.layers & item.layers != 0)
        {
            let Some(incident) = punctual.incident_at(surface.point) else { continue };
            let reflected = shading.evaluate(incident.direction) * incident.light;
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
        let Ok(ray) = Ray::new(surface.shadow_ray_origin(light.direction), light.direction) else {
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
            transmittance *= self.prepared.shadow_transmittance(hit).unwrap_or(Vec3::ONE);
            if transmittance.max_element() <= 0.0 {
                break;
            }
        }
        transmittance
    }
}
