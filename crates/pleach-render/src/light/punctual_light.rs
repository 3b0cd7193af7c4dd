//! The lights of a scene, ready to be asked what arrives at a point.
//!
//! Units are glTF's, but without the 1/π of a diffuse surface: what a light of intensity 1 shines
//! straight at is as bright as its colour. Shapes are glTF's `KHR_lights_punctual`: the inverse
//! square of the distance, cut off softly at the range, and cones by the cosine.

use glam::{DVec3, Vec3};
use pleach::{Light, LightKind, NodeId, Scene};

/// More lights than this are not asked at every point: the dimmest are left out.
pub(crate) const MOST: usize = 64;

/// A light with a place or a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lamp {
    beam: Beam,
    /// Colour times intensity.
    light: Vec3,
    /// The layers it lights.
    pub(crate) layers: u32,
}

#[derive(Clone, Copy, Debug)]
enum Beam {
    /// From everywhere along one direction; this leads to where it comes from.
    Sun(Vec3),
    Bulb {
        at: DVec3,
        range: f32,
        cone: Option<Cone>,
    },
}

/// `(cos * scale + offset)²`, between 0 and 1.
#[derive(Clone, Copy, Debug)]
struct Cone {
    ahead: Vec3,
    scale: f32,
    offset: f32,
}

/// Light that arrives at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    /// To where it comes from, of length 1.
    pub(crate) to: Vec3,
    /// Straight onto a surface.
    pub(crate) light: Vec3,
    /// How far away the lamp is.
    pub(crate) reach: f32,
}

impl Lamp {
    /// A sun from this direction.
    pub(crate) fn sun(to: Vec3, light: Vec3) -> Self {
        Self { beam: Beam::Sun(to), light, layers: u32::MAX }
    }

    /// `None` if it gives no light, or is ambient.
    fn new(light: &Light, world: &glam::Mat4) -> Option<Self> {
        let color = light.color * light.intensity;
        let color = color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
        if color == Vec3::ZERO {
            return None;
        }
        let bulb = |range: Option<f32>, cone| {
            let at = light.position(world).as_dvec3();
            let range = range.unwrap_or(f32::INFINITY);
            (at.is_finite() && range > 0.0).then_some(Beam::Bulb { at, range, cone })
        };
        let beam = match light.kind {
            LightKind::Ambient => return None,
            LightKind::Directional { .. } => Beam::Sun(-light.direction(world)?),
            LightKind::Point { range, .. } => bulb(range, None)?,
            LightKind::Spot { range, inner_angle, outer_angle, .. } => {
                let ahead = light.direction(world)?;
                bulb(range, Some(Cone::new(ahead, inner_angle, outer_angle)?))?
            }
        };
        Some(Self { beam, light: color, layers: light.layers })
    }

    /// What arrives at a point; `None` if it is dark there.
    pub(crate) fn arriving(&self, point: Vec3) -> Option<Arriving> {
        match self.beam {
            Beam::Sun(to) => Some(Arriving { to, light: self.light, reach: f32::INFINITY }),
            Beam::Bulb { at, range, cone } => {
                let way = at - point.as_dvec3();
                let squared = way.length_squared();
                let distance = squared.sqrt();
                let to = (way / distance).as_vec3();
                if squared == 0.0 || !to.is_finite() || distance >= f64::from(range) {
                    return None;
                }
                let part = (distance / f64::from(range)) as f32;
                let end = 1.0 - part * part * part * part;
                let spread = cone.map_or(1.0, |cone| cone.part(to));
                // Right at the lamp it would be brighter than f32 can tell.
                let square = (1.0 / squared).min(1e12) as f32;
                let light = self.light * (square * end * spread);
                let lit = light.max_element() > 0.0;
                lit.then(|| Arriving {
                    to,
                    light: light.min(Vec3::splat(1e30)),
                    reach: distance as f32,
                })
            }
        }
    }

    /// How bright it is at most within a ball.
    fn brightness(&self, center: DVec3, radius: f64) -> f32 {
        let light = self.light.max_element();
        match self.beam {
            Beam::Sun(_) => light,
            Beam::Bulb { at, range, .. } => {
                let distance = ((at - center).length() - radius).max(radius * 1e-2);
                if distance > f64::from(range) {
                    return 0.0;
                }
                (f64::from(light) / (distance * distance)).min(f64::from(f32::MAX)) as f32
            }
        }
    }
}

impl Cone {
    fn new(ahead: Vec3, inner: f32, outer: f32) -> Option<Self> {
        if !inner.is_finite() || !outer.is_finite() || outer <= 0.0 {
            return None;
        }
        let [inner, outer] = [inner.clamp(0.0, outer), outer].map(libm::cosf);
        let scale = 1.0 / (inner - outer).max(0.001);
        Some(Self { ahead, scale, offset: -outer * scale })
    }

    /// How much of the light goes there.
    fn part(&self, to: Vec3) -> f32 {
        let part = (-self.ahead.dot(to) * self.scale + self.offset).clamp(0.0, 1.0);
        part * part
    }
}

/// The lamps of a scene that are shown, by slot; and how many were left out.
pub(crate) fn lamps(scene: &Scene) -> (Vec<Lamp>, usize) {
    if scene.lights.is_empty() {
        return (Vec::new(), 0);
    }
    let mut attached = vec![false; scene.graph.parents().len()];
    if let Some(root) = scene.graph.get(scene.root()) {
        let below = root.descendants();
        below.chain([scene.root()]).for_each(|node| attached[node.index()] = true);
    }
    let is_on = |node: NodeId| {
        let is_shown = scene.graph.get(node).is_some_and(|at| at.is_shown());
        is_shown && attached.get(node.index()) == Some(&true)
    };
    let mut lamps: Vec<(NodeId, Lamp)> = scene
        .lights
        .iter(&scene.graph)
        .filter(|&(node, _)| is_on(node))
        .filter_map(|(node, light)| {
            Some((node, Lamp::new(light, &scene.graph.get(node)?.world())?))
        })
        .collect();
    let all = lamps.len();
    if all > MOST {
        let bounds = scene.spatial.bounds();
        let (center, radius) =
            (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3().length());
        lamps.sort_by_cached_key(|(node, lamp)| {
            // Not negative, so in the order of their bits.
            (std::cmp::Reverse(lamp.brightness(center, radius).to_bits()), node.index())
        });
        lamps.truncate(MOST);
    }
    lamps.sort_unstable_by_key(|(node, _)| node.index());
    (lamps.into_iter().map(|(_, lamp)| lamp).collect(), all - all.min(MOST))
}
