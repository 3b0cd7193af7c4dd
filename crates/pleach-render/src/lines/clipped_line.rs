//! `ClippedLine`: the visible section of a line, in pixels and in view space. A point is a line
//! without length.
//!
//! A line is clipped at the near and far planes and at the sides of the picture before the
//! perspective division: so its cost is bounded by its visible section, whatever its length.
//! Parameters are measured from its point nearest to the camera: so the visible section is exact,
//! however far away the ends are.
//!
//! Invariants: both ends are finite, and no farther outside of the picture than `radius`.

use glam::{DVec2, DVec3, DVec4};

use crate::lines::projector::Projector;

/// Two points in view space.
pub(crate) type Line = [DVec3; 2];

/// The visible section of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClippedLine {
    pub(crate) from: DVec2,
    pub(crate) to: DVec2,
    /// The distance from its axis up to which pixels are covered, including the soft edge.
    pub(crate) radius: f64,
    /// The parameters of its ends on the whole line, from 0 to 1.
    pub(crate) range: [f64; 2],
    /// The ends in view space.
    line: Line,
    /// The `w` of the ends in clip space.
    clip_w: [f64; 2],
}

impl ClippedLine {
    /// Clips a line of this width in pixels. Returns `None` if nothing is visible, or if an end is
    /// not finite.
    pub(crate) fn new(projector: &Projector, line: Line, width: f64) -> Option<Self> {
        let direction = line[1] - line[0];
        let nearest_t = nearest_t(line);
        let anchor = lerp(line, nearest_t);
        // Measured from the anchor, the intersections are exact however far away the ends are.
        let (at, slope) = (projector.to_clip(anchor), projector.direction_to_clip(direction));
        if !at.is_finite() || !slope.is_finite() {
            return None;
        }
        let radius = width / 2.0 + 0.5;
        let sides = DVec2::ONE + 2.0 * radius / projector.size();
        let (mut first, mut last) = (-nearest_t, 1.0 - nearest_t);
        let distances = |point| clip_distances(projector, point, sides);
        for (at, slope) in distances(at).into_iter().zip(distances(slope)) {
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
        // Rounding may leave them slightly outside; for huge lines, far outside.
        let margin = DVec2::splat(radius);
        let pixel = |end| projector.clip_to_pixel(end).clamp(-margin, projector.size() + margin);
        let [from, to] = ends.map(pixel);
        let clip_w = ends.map(|end| end.w);
        let valid = from.is_finite() && to.is_finite() && clip_w.iter().all(|&depth| depth > 0.0);
        valid.then_some(Self { from, to, radius, range, line, clip_w })
    }

    /// Estimates the number of pixels that it covers.
    pub(crate) fn pixel_cost(&self) -> u64 {
        let length = (self.to - self.from).abs().max_element();
        ((length + 2.0 * self.radius) * 2.0 * self.radius) as u64 + 1
    }

    /// Converts a parameter along the line in the picture to the parameter in space (perspective
    /// correction), both from 0 to 1.
    pub(crate) fn perspective_correct(&self, t: f64) -> f64 {
        let [from, to] = self.clip_w;
        let far = t * from;
        far / (far + (1.0 - t) * to)
    }

    /// Returns the view-space point at a parameter in space.
    pub(crate) fn point_at(&self, t: f64) -> DVec3 {
        lerp(self.line, t)
    }
}

/// Returns the parameter of the point nearest to the camera, from 0 to 1.
fn nearest_t([from, to]: Line) -> f64 {
    let direction = to - from;
    let t = -from.dot(direction) / direction.length_squared();
    // NaN if the length is zero or overflows.
    if t > 0.0 { t.min(1.0) } else { 0.0 }
}

/// Returns the signed distances of a clip-space point from the clip planes.
fn clip_distances(projector: &Projector, point: DVec4, sides: DVec2) -> [f64; 7] {
    let DVec4 { x, y, w, .. } = point;
    let (wide, high) = (w * sides.x, w * sides.y);
    let [near, far] = projector.depth_margins(point);
    [near, far, w, wide + x, wide - x, high + y, high - y]
}

/// Interpolates between the ends; exact at 0 and 1.
fn lerp([a, b]: Line, t: f64) -> DVec3 {
    match t {
        0.0 => a,
        1.0 => b,
        t => a * (1.0 - t) + b * t,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use pleach::{Camera, ClipSpace, Graph, Transform, View};
    use testkit::Rng;

    use super::*;

    pub(crate) fn random_point(rng: &mut Rng, extent: f32) -> DVec3 {
        rng.vec3(extent).as_dvec3()
    }

    const SIZE: DVec2 = DVec2::new(64.0, 40.0);

    /// Returns projectors from 0.5 to 7 metres, in all clip spaces, perspective and orthographic.
    pub(crate) fn projectors(width: u32, height: u32) -> Vec<Projector> {
        let mut graph = Graph::new();
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.update();
        let spaces = [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
        let cameras = spaces.into_iter().flat_map(|clip| {
            let cameras = [Camera::default(), Camera::orthographic(6.0)];
            cameras.map(|camera| camera.with_clip_space(clip).with_near(0.5).with_far(7.0))
        });
        let view = |camera| {
            View::new(&camera, graph.node(node).unwrap().world(), (width, height)).unwrap()
        };
        cameras.map(|camera| Projector::new(&view(camera), width, height)).collect()
    }

    /// Returns the distance of a pixel position from the picture.
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
    fn a_clipped_line_agrees_with_samples_of_the_line() {
        let mut rng = Rng::new(7);
        let (mut visible, mut hidden) = (0, 0);
        for (index, projector) in projectors(64, 40).iter().cycle().take(3000).enumerate() {
            let line = [random_point(&mut rng, 8.0), random_point(&mut rng, 8.0)];
            let clipped = ClippedLine::new(projector, line, 1.0);
            let to_pixel = |point: DVec3| projector.clip_to_pixel(projector.to_clip(point));
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
            visible += 1;
            for point in inside {
                let pixel = to_pixel(point);
                assert!(distance(&clipped, pixel) < 1e-4, "line {index}: {pixel}");
            }
            for t in [0.0, 0.1, 0.5, 1.0] {
                // On the line, in the picture, and at the expected pixel.
                let in_space = clipped.perspective_correct(t);
                let point = clipped.point_at(in_space);
                let [first, last] = clipped.range;
                let expected_point = line[0].lerp(line[1], first + (last - first) * in_space);
                assert!(point.distance(expected_point) < 1e-9, "line {index}");
                assert!((0.5 - 1e-6..7.0 + 1e-4).contains(&-point.z), "line {index}: {point}");
                let pixel = to_pixel(point);
                let expected = clipped.from.lerp(clipped.to, t);
                assert!((pixel - expected).length() < 1e-6, "line {index}: {pixel} {expected}");
                assert!(pixels_outside(pixel) < 1.0 + 1e-6, "line {index}");
            }
        }
        assert!(visible > 300 && hidden > 300, "{visible} {hidden}");
    }

    #[test]
    fn the_cost_of_huge_lines_is_that_of_their_visible_section() {
        for projector in projectors(64, 40) {
            for far in [1e6, 1e10, 1e30, 1e200] {
                let lines = [
                    [DVec3::new(-far, 0.1, -5.0), DVec3::new(far, 0.1, -5.0)],
                    [DVec3::new(0.1, -far, -5.0), DVec3::new(0.1, far, -5.0)],
                    [DVec3::new(0.1, 0.1, far), DVec3::new(0.2, 0.2, -far)],
                    [DVec3::splat(-far), DVec3::splat(far)],
                ];
                let lines = lines.map(|line| ClippedLine::new(&projector, line, 1.0));
                let costs = lines.map(|clipped| clipped.map_or(0, |clipped| clipped.pixel_cost()));
                assert!(costs.iter().all(|&cost| cost < 140), "{far} {costs:?}");
                if far <= 1e30 {
                    let [across, down] = [lines[0].unwrap(), lines[1].unwrap()];
                    let off = [across.from.x, across.to.x - 64.0, down.from.y - 40.0, down.to.y];
                    assert!(off.iter().all(|off| (off.abs() - 1.0).abs() < 1e-3), "{far} {off:?}");
                }
            }
        }
    }

    #[test]
    fn lines_that_are_not_finite_are_rejected() {
        for projector in projectors(64, 40) {
            let good = projector.to_view(DVec3::new(0.0, 0.0, -5.0));
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308] {
                for axis in 0..3 {
                    let mut point = good;
                    point[axis] = bad;
                    let valid = |clipped: Option<ClippedLine>| {
                        clipped.is_none_or(|it| it.pixel_cost() < 140)
                    };
                    assert!(valid(ClippedLine::new(&projector, [good, point], 1.0)), "{bad}");
                    assert!(valid(ClippedLine::new(&projector, [point, good], 1.0)), "{bad}");
                    assert!(
                        bad.is_finite()
                            || ClippedLine::new(&projector, [good, point], 1.0).is_none()
                    );
                }
            }
        }
    }
}
