//! `Stroke`: what of a line is in the picture, and what comes out along it. A point is a line of
//! no length.
//!
//! A line is cut where it passes the near and far planes and the sides of the picture, before it is
//! divided by its depth: so it costs what is seen of it, be it as long as it likes. Where, is
//! measured from its point nearest to the eye: so what is seen is in its place, however far away the
//! ends are.
//!
//! Invariants: both ends are finite, and no further from the picture than the stroke reaches.

use glam::{DVec2, DVec3, DVec4};

use crate::lines::screen_projection::ScreenProjection;

/// Two points of view space.
pub(crate) type Line = [DVec3; 2];

/// A line in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClippedLine {
    pub(crate) from: DVec2,
    pub(crate) to: DVec2,
    /// How far from its middle pixels are covered, soft edge included.
    pub(crate) radius: f64,
    /// Which parts of the whole line its ends are, from 0 to 1.
    pub(crate) range: [f64; 2],
    /// What comes out there, in view space and its `w`s in clip space.
    line: Line,
    clip_w: [f64; 2],
}

impl ClippedLine {
    /// What of a line of this width, in pixels, is in the picture. `None` if nothing is, or if an end
    /// is not finite.
    pub(crate) fn new(projection: &ScreenProjection, line: Line, width: f64) -> Option<Self> {
        let direction = line[1] - line[0];
        let nearest_t = nearest_t(line);
        let anchor = lerp(line, nearest_t);
        // From the middle on, the places of cuts are exact, however far away the ends are.
        let (at, slope) = (projection.to_clip(anchor), projection.direction_to_clip(direction));
        if !at.is_finite() || !slope.is_finite() {
            return None;
        }
        let radius = width / 2.0 + 0.5;
        let sides = DVec2::ONE + 2.0 * radius / projection.size();
        let (mut first, mut last) = (-nearest_t, 1.0 - nearest_t);
        for (at, slope) in clip_distances(projection, at, sides)
            .into_iter()
            .zip(clip_distances(projection, slope, sides))
        {
            if slope > 0.0 {
                if at + slope * first < 0.0 {
                    first = -at / slope;
                }
            } else if at + slope * last < 0.0 {
                if slope == 0.0 {
                    return None;
                }
                last = -at / slope;
            }
        }
        if first > last {
            return None;
        }
        let ends_t = [first, last];
        let (line, ends) = (ends_t.map(|t| anchor + direction * t), ends_t.map(|t| at + slope * t));
        let range = ends_t.map(|t| (t + nearest_t).clamp(0.0, 1.0));
        // Rounding may have left them a little, or of huge lines a lot, outside.
        let margin = DVec2::splat(radius);
        let pixel = |end| projection.clip_to_pixel(end).clamp(-margin, projection.size() + margin);
        let [from, to] = ends.map(pixel);
        let clip_w = ends.map(|end| end.w);
        let valid = from.is_finite() && to.is_finite() && clip_w.iter().all(|&depth| depth > 0.0);
        valid.then_some(Self { from, to, radius, range, line, clip_w })
    }

    /// How many pixels it covers, about.
    pub(crate) fn pixel_cost(&self) -> u64 {
        let length = (self.to - self.from).abs().max_element();
        ((length + 2.0 * self.radius) * 2.0 * self.radius) as u64 + 1
    }

    /// Which part of the stroke in space comes out at a part of it in the picture, both from 0
    /// to 1: what is half way in the picture is not half way in the world.
    pub(crate) fn perspective_correct(&self, t: f64) -> f64 {
        let [from, to] = self.clip_w;
        let far = t * from;
        far / (far + (1.0 - t) * to)
    }

    /// The point of view space at a part of the stroke in space.
    pub(crate) fn point_at(&self, t: f64) -> DVec3 {
        lerp(self.line, t)
    }
}

/// Which part of a line is nearest to the eye, from 0 to 1.
fn nearest_t([from, to]: Line) -> f64 {
    let direction = to - from;
    let t = -from.dot(direction) / direction.length_squared();
    // Not a number if there is no length, or too much.
    if t > 0.0 { t.min(1.0) } else { 0.0 }
}

/// How far inside a point of clip space is, for each plane that lines are cut at.
fn clip_distances(projection: &ScreenProjection, point: DVec4, sides: DVec2) -> [f64; 7] {
    let DVec4 { x, y, w, .. } = point;
    let (wide, high) = (w * sides.x, w * sides.y);
    let [near, far] = projection.depth_margins(point);
    [near, far, w, wide + x, wide - x, high + y, high - y]
}

/// The ends themselves at 0 and 1.
fn lerp([a, b]: Line, t: f64) -> DVec3 {
    match t {
        0.0 => a,
        1.0 => b,
        t => a * (1.0 - t) + b * t,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use glam::Vec3;
    use pleach::{Camera, ClipSpace, Graph, Transform, View};
    use testkit::Rng;

    use super::*;

    pub(crate) fn random_point(rng: &mut Rng, extent: f32) -> DVec3 {
        rng.vec3(extent).as_dvec3()
    }

    const SIZE: DVec2 = DVec2::new(64.0, 40.0);

    /// From 0.5 to 7 metres, in all clip spaces, in perspective and in parallel.
    pub(crate) fn projections(width: u32, height: u32) -> Vec<ScreenProjection> {
        let mut graph = Graph::new();
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.update();
        let clip_spaces =
            [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
        let cameras = clip_spaces.into_iter().flat_map(|clip| {
            let cameras = [Camera::default(), Camera::orthographic(6.0)];
            cameras.map(|camera| camera.with_clip_space(clip).with_depth_range(0.5, 7.0))
        });
        let view = |camera| View::new(&graph, node, &camera, (width, height)).unwrap();
        cameras.map(|camera| ScreenProjection::new(&view(camera), width, height)).collect()
    }

    /// How far outside the picture a pixel is.
    fn pixels_outside(pixel: DVec2) -> f64 {
        (pixel - pixel.clamp(DVec2::ZERO, SIZE)).abs().max_element()
    }

    pub(crate) fn distance(clipped: &ClippedLine, pixel: DVec2) -> f64 {
        let direction = clipped.to - clipped.from;
        let t = (pixel - clipped.from).dot(direction) / direction.length_squared();
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        (clipped.from + direction * t - pixel).length()
    }

    #[test]
    fn a_stroke_is_what_samples_of_its_line_say() {
        let mut rng = Rng::new(7);
        let (mut seen, mut hidden) = (0, 0);
        for (index, projection) in projections(64, 40).iter().cycle().take(3000).enumerate() {
            let line = [random_point(&mut rng, 8.0), random_point(&mut rng, 8.0)];
            let clipped = ClippedLine::new(projection, line, 1.0);
            let to_pixel = |point: DVec3| projection.clip_to_pixel(projection.to_clip(point));
            let inside: Vec<DVec3> = (0..=400)
                .map(|step| line[0].lerp(line[1], f64::from(step) / 400.0))
                .filter(|point| {
                    (-7.0..=-0.5).contains(&point.z) && pixels_outside(to_pixel(*point)) <= 1.0
                })
                .collect();
            let Some(clipped) = clipped else {
                assert!(inside.is_empty(), "line {index}");
                hidden += 1;
                continue;
            };
            seen += 1;
            for point in inside {
                let pixel = to_pixel(point);
                assert!(distance(&clipped, pixel) < 1e-4, "line {index}: {pixel}");
            }
            for t in [0.0, 0.1, 0.5, 1.0] {
                // On the line, in the picture, and where the stroke says.
                let perspective_correct = clipped.perspective_correct(t);
                let point = clipped.point_at(perspective_correct);
                let [first, last] = clipped.range;
                let whole = line[0].lerp(line[1], first + (last - first) * perspective_correct);
                assert!(point.distance(whole) < 1e-9, "line {index}");
                assert!((0.5 - 1e-6..7.0 + 1e-4).contains(&-point.z), "line {index}: {point}");
                let pixel = to_pixel(point);
                let expected = clipped.from.lerp(clipped.to, t);
                assert!((pixel - expected).length() < 1e-6, "line {index}: {pixel} {expected}");
                assert!(pixels_outside(pixel) < 1.0 + 1e-6, "line {index}");
            }
        }
        assert!(seen > 300 && hidden > 300, "{seen} {hidden}");
    }

    #[test]
    fn huge_lines_cost_what_is_seen_of_them() {
        for projection in projections(64, 40) {
            for far in [1e6, 1e10, 1e30, 1e200] {
                let lines = [
                    [DVec3::new(-far, 0.1, -5.0), DVec3::new(far, 0.1, -5.0)],
                    [DVec3::new(0.1, -far, -5.0), DVec3::new(0.1, far, -5.0)],
                    [DVec3::new(0.1, 0.1, far), DVec3::new(0.2, 0.2, -far)],
                    [DVec3::splat(-far), DVec3::splat(far)],
                ];
                let lines = lines.map(|line| ClippedLine::new(&projection, line, 1.0));
                let costs = lines.map(|clipped| clipped.map_or(0, |clipped| clipped.pixel_cost()));
                assert!(costs.iter().all(|&pixel_cost| pixel_cost < 140), "{far} {costs:?}");
                if far <= 1e30 {
                    let [across, down] = [lines[0].unwrap(), lines[1].unwrap()];
                    let off = [across.from.x, across.to.x - 64.0, down.from.y - 40.0, down.to.y];
                    assert!(off.iter().all(|off| (off.abs() - 1.0).abs() < 1e-3), "{far} {off:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_stroke() {
        for projection in projections(64, 40) {
            let good = projection.to_view(Vec3::new(0.0, 0.0, -5.0));
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308] {
                for axis in 0..3 {
                    let mut point = good;
                    point[axis] = bad;
                    let valid = |clipped: Option<ClippedLine>| {
                        clipped.is_none_or(|it| it.pixel_cost() < 140)
                    };
                    assert!(valid(ClippedLine::new(&projection, [good, point], 1.0)), "{bad}");
                    assert!(valid(ClippedLine::new(&projection, [point, good], 1.0)), "{bad}");
                    assert!(
                        bad.is_finite()
                            || ClippedLine::new(&projection, [good, point], 1.0).is_none()
                    );
                }
            }
        }
    }
}
