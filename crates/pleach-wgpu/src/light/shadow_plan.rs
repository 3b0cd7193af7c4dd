//! `ShadowPlan`: which shadow maps a picture needs, and what each of them shows.
//!
//! A directional light has cascades: the part of the view frustum that contains anything is cut into four
//! slices, and each map covers the bounding sphere of one, moved by whole texels only, so that shadow
//! edges do not crawl while the camera moves. A spot light has one map, a point light six.
//!
//! Invariant: all matrices are finite, and their depths are from 0 to 1.

use glam::{DMat4, DVec3, DVec4, Mat4};
use pleach::spatial::IndexVersion;
use pleach::{Aabb, Frustum, Light, Scene, Shadow, View};
use pleach_shading::{Emitter, PunctualLight};

use crate::Shadows;
use crate::light::lights::ShadowRange;

/// The number of cascades of a directional light.
const CASCADES: usize = 4;
/// The number of shadow views of a picture, at most: that of `shadow.wgsl`.
pub(crate) const MAX_VIEWS: usize = 64;
/// The weight of slices that grow with the distance, against equal ones.
const LOGARITHMIC: f64 = 0.7;

/// One shadow map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlannedView {
    /// From world space to the clip space of the map.
    pub(crate) matrix: Mat4,
    pub(crate) frustum: Frustum,
    /// The width and height in texels, a power of two.
    pub(crate) map_size: u32,
    /// The depth along the view direction where a cascade ends.
    pub(crate) end: f32,
    /// The size of the map in world space where w is 1.
    pub(crate) extent: f32,
    /// The bias in depths of the map.
    pub(crate) bias: f32,
}

/// The shadow maps of a picture, and those of each light.
#[derive(Debug, Default)]
pub(crate) struct ShadowPlan {
    pub(crate) views: Vec<PlannedView>,
    /// By light.
    pub(crate) ranges: Vec<ShadowRange>,
    /// The number of lights without a map because there are too many.
    pub(crate) ignored: usize,
    /// The bounds of the scene, which cost O(nodes), and the version of the index that they are of.
    bounds: Option<(IndexVersion, Aabb)>,
}

impl ShadowPlan {
    /// Plans the shadow maps of a view.
    pub(crate) fn update(
        &mut self,
        scene: &Scene,
        view: &View,
        lights: &[PunctualLight],
        shadows: Shadows,
    ) {
        self.views.clear();
        self.ranges.clear();
        self.ignored = 0;
        for light in lights {
            let range = settings(scene, light, shadows).and_then(|settings| {
                let bounds = self.bounds(scene);
                let is_bounded = !bounds.is_empty() && bounds.is_finite();
                is_bounded.then(|| self.add(view, light, &settings, &bounds))
            });
            self.ranges.push(range.unwrap_or_default());
        }
    }

    /// Returns the bounds of a scene.
    fn bounds(&mut self, scene: &Scene) -> Aabb {
        let version = scene.spatial.version();
        match self.bounds {
            Some((known, bounds)) if known == version => bounds,
            _ => self.bounds.insert((version, scene.spatial.bounds())).1,
        }
    }

    fn add(
        &mut self,
        view: &View,
        light: &PunctualLight,
        settings: &Shadow,
        bounds: &Aabb,
    ) -> ShadowRange {
        let first = self.views.len();
        match light.emitter {
            Emitter::Directional { direction } => {
                add_cascades(&mut self.views, view, direction.as_dvec3(), settings, bounds);
            }
            Emitter::Point { position, range, cone } => {
                let farthest = farthest(bounds, position).min(f64::from(range)).max(1e-3);
                let far = match settings.far > settings.near {
                    true => farthest.min(f64::from(settings.far).max(1e-3)),
                    false => farthest,
                };
                let near = f64::from(settings.near).clamp(far * 1e-4, far * 0.5);
                match cone {
                    Some(cone) => {
                        let outer = libm::acosf((-cone.offset / cone.scale).clamp(-1.0, 1.0));
                        // A texel more, for the filter.
                        let half = f64::from(outer).clamp(0.01, 1.5) + 0.01;
                        let axes = basis(cone.axis.as_dvec3());
                        let it = perspective(position, axes, libm::tan(half), near, far, settings);
                        self.views.extend(it);
                    }
                    None => {
                        let settings = Shadow { map_size: settings.map_size / 2, ..*settings };
                        for axis in FACES {
                            // A little more than 90°, for the filter.
                            let it = perspective(position, basis(axis), 1.02, near, far, &settings);
                            self.views.extend(it);
                        }
                    }
                }
            }
        }
        let count = self.views.len() - first;
        let is_complete = match light.emitter {
            Emitter::Directional { .. } => count > 0,
            Emitter::Point { cone: Some(_), .. } => count == 1,
            Emitter::Point { cone: None, .. } => count == 6,
        };
        if !is_complete || self.views.len() > MAX_VIEWS {
            self.ignored += usize::from(is_complete);
            self.views.truncate(first);
            return ShadowRange::default();
        }
        ShadowRange { first: first as u32, count: count as u32 }
    }
}

/// The directions of the maps of a point light.
const FACES: [DVec3; 6] = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];

/// Returns the shadow settings of a light, if it casts shadows.
fn settings(scene: &Scene, light: &PunctualLight, shadows: Shadows) -> Option<Shadow> {
    let component = light.node.and_then(|node| scene.light(node));
    let own = component.and_then(Light::shadow).copied();
    let settings = match shadows {
        Shadows::Off => None,
        Shadows::Configured => own,
        // Without settings: as large as the scene.
        Shadows::All => {
            own.or(Some(Shadow { near: 0.01, far: 0.0, map_size: 2048, ..Shadow::default() }))
        }
    }?;
    let is_finite = settings.bias.is_finite() && settings.near.is_finite();
    is_finite.then_some(Shadow { map_size: settings.map_size.clamp(64, 8192), ..settings })
}

/// Adds the cascades of a directional light; `to_light` is the unit vector towards it.
fn add_cascades(
    views: &mut Vec<PlannedView>,
    view: &View,
    to_light: DVec3,
    settings: &Shadow,
    bounds: &Aabb,
) {
    // The depths of the view that contain anything.
    let depths = bounds.corners().map(|corner| f64::from(view.depth(corner)));
    let farthest = depths.iter().fold(0.0, |max: f64, &it| max.max(it));
    let nearest = depths.iter().fold(f64::INFINITY, |min: f64, &it| min.min(it));
    let far = farthest.min(f64::from(view.far));
    let near = nearest.max(f64::from(view.near)).max(far * 1e-4);
    if far <= near {
        return;
    }
    let [right, up, back] = basis(-to_light);
    // Everything that may cast a shadow is in front of the map.
    let along = bounds.corners().map(|corner| corner.as_dvec3().dot(back));
    let top = along.iter().fold(f64::NEG_INFINITY, |max, &it| max.max(it));
    let bottom = along.iter().fold(f64::INFINITY, |min, &it| min.min(it));
    let diagonal = (bounds.max - bounds.min).as_dvec3().length();
    let margin = (top - bottom).max(1e-3 * diagonal) * 0.01;
    let map_size = previous_power_of_two(settings.map_size);
    for cascade in 0..CASCADES {
        let [start, end] = [cascade, cascade + 1].map(|it| split(near, far, it));
        let Some((center, radius)) = slice_sphere(view, start, end) else { continue };
        let texel = 2.0 * radius / f64::from(map_size);
        // Whole texels.
        let [x, y] = [right, up].map(|axis| (axis.dot(center) / texel).floor() * texel);
        let (far_z, near_z) = (bottom - margin, top + margin);
        let scale_z = 1.0 / (far_z - near_z);
        let row = |axis: DVec3, offset: f64| (axis / radius).extend(-offset / radius);
        let matrix = from_rows([
            row(right, x),
            row(up, y),
            (back * scale_z).extend(-near_z * scale_z),
            DVec4::W,
        ]);
        let extent = (2.0 * radius) as f32;
        let end = if cascade + 1 == CASCADES { f32::INFINITY } else { end as f32 };
        views.extend(planned(matrix, map_size, end, extent, settings));
    }
}

/// Returns the depth where a cascade starts.
fn split(near: f64, far: f64, cascade: usize) -> f64 {
    let fraction = cascade as f64 / CASCADES as f64;
    let even = near + (far - near) * fraction;
    let logarithmic = near * libm::pow(far / near, fraction);
    even + (logarithmic - even) * LOGARITHMIC
}

/// Returns the bounding sphere of a slice of the view frustum between two depths.
fn slice_sphere(view: &View, start: f64, end: f64) -> Option<(DVec3, f64)> {
    let lens = view.lens();
    let to_world = view.view.as_dmat4().inverse();
    let mut corners = [DVec3::ZERO; 8];
    for (index, corner) in corners.iter_mut().enumerate() {
        let ndc = glam::DVec2::new(
            if index & 1 == 0 { -1.0 } else { 1.0 },
            if index & 2 == 0 { -1.0 } else { 1.0 },
        );
        let depth = if index & 4 == 0 { start } else { end };
        let (origin, direction) = lens.ray(ndc)?;
        let distance = (-depth - origin.z) / direction.z;
        *corner = to_world.transform_point3(origin + direction * distance);
    }
    let center = corners.iter().sum::<DVec3>() / 8.0;
    let radius = corners.iter().map(|it| it.distance(center)).fold(0.0, f64::max);
    // A radius that does not depend on rounding, so that texels keep their size.
    let radius = rounded_up(radius);
    (center.is_finite() && radius.is_finite() && radius > 0.0).then_some((center, radius))
}

/// Returns a radius with six bits after the first one: at most 1/64 larger, however small it is.
fn rounded_up(radius: f64) -> f64 {
    let unit = libm::exp2(libm::log2(radius).floor() - 6.0);
    (radius / unit).ceil() * unit
}

/// Returns the map of a light at a point, towards −Z of `axes`; `slope` is the tangent of half its angle.
fn perspective(
    position: DVec3,
    [right, up, back]: [DVec3; 3],
    slope: f64,
    near: f64,
    far: f64,
    settings: &Shadow,
) -> Option<PlannedView> {
    let row = |axis: DVec3| axis.extend(-axis.dot(position));
    let depth = row(back) * (far / (near - far)) + DVec4::W * (far * near / (near - far));
    let matrix = from_rows([row(right) / slope, row(up) / slope, depth, -row(back)]);
    let map_size = previous_power_of_two(settings.map_size);
    planned(matrix, map_size, f32::INFINITY, (2.0 * slope) as f32, settings)
}

fn planned(
    matrix: DMat4,
    map_size: u32,
    end: f32,
    extent: f32,
    settings: &Shadow,
) -> Option<PlannedView> {
    let matrix = matrix.as_mat4();
    if !matrix.is_finite() {
        return None;
    }
    let frustum = Frustum::from_view_projection(&matrix, pleach::ClipSpace::ZeroToOne).ok()?;
    let bias = settings.bias.clamp(0.0, 0.1);
    Some(PlannedView { matrix, frustum, map_size, end, extent, bias })
}

fn from_rows([x, y, z, w]: [DVec4; 4]) -> DMat4 {
    DMat4::from_cols(x, y, z, w).transpose()
}

/// Returns right, up and back of a view along `ahead`.
fn basis(ahead: DVec3) -> [DVec3; 3] {
    let back = -ahead;
    let up = if back.z.abs() > 0.99 { DVec3::Y } else { DVec3::Z };
    let right = up.cross(back).normalize();
    [right, back.cross(right), back]
}

fn farthest(bounds: &Aabb, point: DVec3) -> f64 {
    bounds.corners().iter().map(|it| it.as_dvec3().distance(point)).fold(0.0, f64::max)
}

fn previous_power_of_two(number: u32) -> u32 {
    1 << (31 - number.max(1).leading_zeros())
}
