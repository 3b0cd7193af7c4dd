//! What a ray sees: the surfaces along it, front to back, lit and in shadow or not.
//!
//! A surface is seen if it is between near and far, faces the eye or is double-sided, and is not
//! masked away. Most rays end at the first triangle they meet; only where that is not so are all
//! of them asked for.
//!
//! Invariant: what comes out depends on scene, view and settings alone. Sums and products are
//! taken in the order of distance.

use glam::Vec3;
use pleach::{Filter, Fog, NodeId, Ray};
use pleach_spatial::Hit;

use crate::light::environment::Surroundings;
use crate::light::punctual_light::{Arriving, Lamp};
use crate::light::shading::Seen;
use crate::prepare::prepared_scene::Stage;
use crate::trace::camera_rays::{Eye, Glance};
use crate::trace::surface::Surface;

/// As many surfaces as are seen through one another.
const MOST_LAYERS: usize = 64;
/// What is left of light that makes no difference any more.
const SPENT: f32 = 1.0 / 1024.0;
/// Behind others, a surface that is a smaller part of what is seen than this is lit without
/// shadows: through a hundred layers of smoke they would take minutes.
const SHADED: f32 = 0.2;

/// Everything that a ray's colour depends on.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) stage: &'a Stage<'a>,
    pub(crate) eye: &'a Eye<'a>,
    pub(crate) lamps: Vec<Lamp>,
    pub(crate) surroundings: Surroundings,
    pub(crate) fog: Option<Fog>,
    pub(crate) shadows: bool,
    /// Light that is dimmer than this is not worth a shadow.
    pub(crate) faint: f32,
}

/// What a ray sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Light, to be exposed.
    pub(crate) light: Vec3,
    /// What is a colour already: unlit surfaces and fog.
    pub(crate) color: Vec3,
    /// How much of the background is seen.
    pub(crate) through: Vec3,
    pub(crate) first: Option<First>,
    /// How far away the first thing is that hides all behind it.
    pub(crate) solid: f32,
}

/// The surface that is nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    pub(crate) distance: f32,
    pub(crate) normal: Vec3,
}

/// Buffers of a thread, kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    hits: Vec<Hit>,
    shade: Vec<Hit>,
}

impl World<'_> {
    /// What is seen along a ray.
    pub(crate) fn look(&self, glance: &Glance, buffers: &mut Buffers) -> Look {
        let mut look = Look {
            light: Vec3::ZERO,
            color: Vec3::ZERO,
            through: Vec3::ONE,
            first: None,
            solid: f32::INFINITY,
        };
        let (scene, view) = (self.stage.scene, self.eye.view);
        let filter = Filter::default().with_layers(view.layers);
        let shape = |node, part| self.stage.shape(node, part);
        let ray = &glance.ray;
        let nearest = scene.spatial.pick_parts(&scene.graph, ray, &filter, shape);
        let Some(hit) = nearest else { return look };
        if self.is_seen(glance, &hit) && self.is_solid(&hit) {
            self.add(&mut look, ray, &hit, buffers);
            return look;
        }
        let mut hits = std::mem::take(&mut buffers.hits);
        scene.spatial.pick_all_parts(&scene.graph, ray, &filter, shape, &mut hits);
        let mut last: Option<Hit> = None;
        let mut layers = 0;
        for hit in &hits {
            if !self.is_seen(glance, hit) || last.is_some_and(|last| is_same(&last, hit)) {
                continue;
            }
            last = Some(*hit);
            if !self.add(&mut look, ray, hit, buffers) {
                continue;
            }
            layers += 1;
            if layers == MOST_LAYERS || look.through.max_element() < SPENT {
                break;
            }
        }
        buffers.hits = hits;
        look
    }

    /// Is a triangle that was hit in view, and its side that was hit one that is drawn?
    fn is_seen(&self, glance: &Glance, hit: &Hit) -> bool {
        if hit.distance < glance.near {
            return false;
        }
        let Some(actor) = self.stage.actor(hit.node) else { return false };
        let paint = self.stage.paint(self.stage.part(actor, hit.part), hit.triangle);
        hit.front || paint.double_sided
    }

    fn is_solid(&self, hit: &Hit) -> bool {
        self.stage.alpha(hit).is_some_and(|(paint, _)| paint.is_solid())
    }

    /// Adds a surface behind those that were added. Is it there at all?
    fn add(&self, look: &mut Look, ray: &Ray, hit: &Hit, buffers: &mut Buffers) -> bool {
        let pixel = self.eye.pixel_at(hit.distance);
        let Some(surface) = self.stage.surface(ray, hit, pixel) else { return false };
        let cover = surface.paint.cover(surface.base.w);
        if cover <= 0.0 {
            return false;
        }
        let is_first = look.first.is_none();
        look.first.get_or_insert(First {
            node: hit.node,
            part: hit.part,
            instance: hit.instance.unwrap_or(0),
            distance: hit.distance,
            normal: surface.normal,
        });
        let fog =
            self.fog.map_or(0.0, |fog| fog.factor(self.eye.seen_from(hit.point, hit.distance)));
        let share = look.through * cover;
        if let Some(it) = self.fog.filter(|_| fog > 0.0) {
            look.color += share * colored(it.color) * fog;
        }
        let clear = share * (1.0 - fog);
        let mut behind = Vec3::splat(1.0 - cover);
        if surface.paint.unlit {
            look.color += clear * surface.base.truncate();
        } else if fog < 1.0 {
            let seen = Seen::new(&surface, -ray.direction());
            let shaded = self.shadows && (is_first || clear.max_element() > SHADED);
            look.light += clear * self.lit(hit.node, &surface, &seen, shaded, buffers);
            if surface.transmission > 0.0 {
                behind += seen.through() * (cover * (1.0 - fog));
            }
        }
        look.through *= behind;
        if look.through.max_element() < SPENT {
            look.solid = look.solid.min(hit.distance);
        }
        true
    }

    /// The light that a surface sends to the eye.
    fn lit(
        &self,
        node: NodeId,
        surface: &Surface<'_>,
        seen: &Seen<'_>,
        shaded: bool,
        buffers: &mut Buffers,
    ) -> Vec3 {
        let mut light = surface.emissive + seen.amid(&self.surroundings);
        let Some(actor) = self.stage.actor(node) else { return light };
        for lamp in self.lamps.iter().filter(|lamp| lamp.layers & actor.layers != 0) {
            let Some(arriving) = lamp.arriving(surface.point) else { continue };
            let sent = seen.under(&arriving);
            if sent.max_element() <= 0.0 {
                continue;
            }
            let is_worth = sent.max_element() > self.faint;
            let left = if shaded && actor.receives && is_worth {
                self.unshaded(surface, &arriving, buffers)
            } else {
                Vec3::ONE
            };
            light += sent * left;
        }
        light
    }

    /// How much of the light from a lamp is not shaded.
    fn unshaded(&self, surface: &Surface<'_>, arriving: &Arriving, buffers: &mut Buffers) -> Vec3 {
        let Ok(ray) = Ray::new(surface.lifted, arriving.to) else { return Vec3::ONE };
        let ray = ray.with_max_distance(arriving.reach * (1.0 - 1e-5));
        let scene = self.stage.scene;
        let filter = Filter::default();
        let shape = |node, part| self.stage.casting_shape(node, part);
        let hits = &mut buffers.shade;
        scene.spatial.pick_all_parts(&scene.graph, &ray, &filter, shape, hits);
        let (mut left, mut last) = (Vec3::ONE, None);
        for hit in hits {
            if last.is_some_and(|last| is_same(&last, hit)) {
                continue;
            }
            last = Some(*hit);
            left *= self.behind(hit);
            if left.max_element() <= 0.0 {
                break;
            }
        }
        left
    }

    /// How much light goes on behind a triangle.
    fn behind(&self, hit: &Hit) -> Vec3 {
        let Some((paint, alpha)) = self.stage.alpha(hit) else { return Vec3::ONE };
        // The ray leads to the lamp, so the lamp is on the other side.
        if hit.front && !paint.double_sided {
            return Vec3::ONE;
        }
        let cover = paint.cover(alpha);
        let tint = paint.base_color.truncate().min(Vec3::ONE) * paint.tint;
        Vec3::splat(1.0 - cover) + tint * (cover * paint.transmission * (1.0 - paint.metallic))
    }
}

/// Did a ray through the edge of two triangles meet the same surface twice?
fn is_same(last: &Hit, hit: &Hit) -> bool {
    let surface = |hit: &Hit| (hit.node, hit.part, hit.instance, hit.front);
    surface(last) == surface(hit) && hit.distance <= last.distance * (1.0 + 4.0 * f32::EPSILON)
}

pub(crate) fn colored(color: Vec3) -> Vec3 {
    color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 })
}
