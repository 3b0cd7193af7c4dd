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

use crate::lines::screen_projection::Lens;

/// Two points of view space.
pub(crate) type Line = [DVec3; 2];

/// A line in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) from: DVec2,
    pub(crate) to: DVec2,
    /// How far from its middle pixels are covered, soft edge included.
    pub(crate) reach: f64,
    /// Which parts of the whole line its ends are, from 0 to 1.
    pub(crate) cut: [f64; 2],
    /// What comes out there, in view space and its `w`s in clip space.
    line: Line,
    depths: [f64; 2],
}

impl Stroke {
    /// What of a line of this width, in pixels, is in the picture. `None` if nothing is, or if an end
    /// is not finite.
    pub(crate) fn new(lens: &Lens, line: Line, width: f64) -> Option<Self> {
        let along = line[1] - line[0];
        let nearest = nearest(line);
        let middle = between(line, nearest);
        // From the middle on, the places of cuts are exact, however far away the ends are.
        let (at, slope) = (lens.to_clip(middle), lens.turn_to_clip(along));
        if !at.is_finite() || !slope.is_finite() {
            return None;
        }
        let reach = width / 2.0 + 0.5;
        let sides = DVec2::ONE + 2.0 * reach / lens.size();
        let (mut first, mut last) = (-nearest, 1.0 - nearest);
        for (at, slope) in insides(lens, at, sides).into_iter().zip(insides(lens, slope, sides)) {
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
        let parts = [first, last];
        let (line, ends) =
            (parts.map(|part| middle + along * part), parts.map(|part| at + slope * part));
        let cut = parts.map(|part| (part + nearest).clamp(0.0, 1.0));
        // Rounding may have left them a little, or of huge lines a lot, outside.
        let outside = DVec2::splat(reach);
        let pixel = |end| lens.to_pixel(end).clamp(-outside, lens.size() + outside);
        let [from, to] = ends.map(pixel);
        let depths = ends.map(|end| end.w);
        let sane = from.is_finite() && to.is_finite() && depths.iter().all(|&depth| depth > 0.0);
        sane.then_some(Self { from, to, reach, cut, line, depths })
    }

    /// How many pixels it covers, about.
    pub(crate) fn cost(&self) -> u64 {
        let length = (self.to - self.from).abs().max_element();
        ((length + 2.0 * self.reach) * 2.0 * self.reach) as u64 + 1
    }

    /// Which part of the stroke in space comes out at a part of it in the picture, both from 0
    /// to 1: what is half way in the picture is not half way in the world.
    pub(crate) fn in_space(&self, part: f64) -> f64 {
        let [from, to] = self.depths;
        let far = part * from;
        far / (far + (1.0 - part) * to)
    }

    /// The point of view space at a part of the stroke in space.
    pub(crate) fn at(&self, in_space: f64) -> DVec3 {
        between(self.line, in_space)
    }
}

/// Which part of a line is nearest to the eye, from 0 to 1.
fn nearest([from, to]: Line) -> f64 {
    let along = to - from;
    let part = -from.dot(along) / along.length_squared();
    // Not a number if there is no length, or too much.
    if part > 0.0 { part.min(1.0) } else { 0.0 }
}

/// How far inside a point of clip space is, for each plane that lines are cut at.
fn insides(lens: &Lens, point: DVec4, sides: DVec2) -> [f64; 7] {
    let DVec4 { x, y, w, .. } = point;
    let (wide, high) = (w * sides.x, w * sides.y);
    let [near, far] = lens.between(point);
    [near, far, w, wide + x, wide - x, high + y, high - y]
}

/// The ends themselves at 0 and 1.
fn between([a, b]: Line, part: f64) -> DVec3 {
    match part {
        0.0 => a,
        1.0 => b,
        part => a * (1.0 - part) + b * part,
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
    pub(crate) fn lenses(width: u32, height: u32) -> Vec<Lens> {
        let mut graph = Graph::new();
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.update();
        let clips = [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
        let cameras = clips.into_iter().flat_map(|clip| {
            let cameras = [Camera::default(), Camera::orthographic(6.0)];
            cameras.map(|camera| camera.with_clip_space(clip).with_depth_range(0.5, 7.0))
        });
        let view = |camera| View::new(&graph, node, &camera, (width, height)).unwrap();
        cameras.map(|camera| Lens::new(&view(camera), width, height)).collect()
    }

    /// How far outside the picture a pixel is.
    fn outside(pixel: DVec2) -> f64 {
        (pixel - pixel.clamp(DVec2::ZERO, SIZE)).abs().max_element()
    }

    pub(crate) fn distance(stroke: &Stroke, pixel: DVec2) -> f64 {
        let along = stroke.to - stroke.from;
        let part = (pixel - stroke.from).dot(along) / along.length_squared();
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        (stroke.from + along * part - pixel).length()
    }

    #[test]
    fn a_stroke_is_what_samples_of_its_line_say() {
        let mut rng = Rng::new(7);
        let (mut seen, mut unseen) = (0, 0);
        for (number, lens) in lenses(64, 40).iter().cycle().take(3000).enumerate() {
            let line = [random_point(&mut rng, 8.0), random_point(&mut rng, 8.0)];
            let stroke = Stroke::new(lens, line, 1.0);
            let to_pixel = |point: DVec3| lens.to_pixel(lens.to_clip(point));
            let inside: Vec<DVec3> = (0..=400)
                .map(|step| line[0].lerp(line[1], f64::from(step) / 400.0))
                .filter(|point| {
                    (-7.0..=-0.5).contains(&point.z) && outside(to_pixel(*point)) <= 1.0
                })
                .collect();
            let Some(stroke) = stroke else {
                assert!(inside.is_empty(), "line {number}");
                unseen += 1;
                continue;
            };
            seen += 1;
            for point in inside {
                let pixel = to_pixel(point);
                assert!(distance(&stroke, pixel) < 1e-4, "line {number}: {pixel}");
            }
            for part in [0.0, 0.1, 0.5, 1.0] {
                // On the line, in the picture, and where the stroke says.
                let in_space = stroke.in_space(part);
                let point = stroke.at(in_space);
                let [first, last] = stroke.cut;
                let whole = line[0].lerp(line[1], first + (last - first) * in_space);
                assert!(point.distance(whole) < 1e-9, "line {number}");
                assert!((0.5 - 1e-6..7.0 + 1e-4).contains(&-point.z), "line {number}: {point}");
                let pixel = to_pixel(point);
                let expected = stroke.from.lerp(stroke.to, part);
                assert!((pixel - expected).length() < 1e-6, "line {number}: {pixel} {expected}");
                assert!(outside(pixel) < 1.0 + 1e-6, "line {number}");
            }
        }
        assert!(seen > 300 && unseen > 300, "{seen} {unseen}");
    }

    #[test]
    fn huge_lines_cost_what_is_seen_of_them() {
        for lens in lenses(64, 40) {
            for far in [1e6, 1e10, 1e30, 1e200] {
                let lines = [
                    [DVec3::new(-far, 0.1, -5.0), DVec3::new(far, 0.1, -5.0)],
                    [DVec3::new(0.1, -far, -5.0), DVec3::new(0.1, far, -5.0)],
                    [DVec3::new(0.1, 0.1, far), DVec3::new(0.2, 0.2, -far)],
                    [DVec3::splat(-far), DVec3::splat(far)],
                ];
                let strokes = lines.map(|line| Stroke::new(&lens, line, 1.0));
                let costs = strokes.map(|stroke| stroke.map_or(0, |stroke| stroke.cost()));
                assert!(costs.iter().all(|&cost| cost < 140), "{far} {costs:?}");
                if far <= 1e30 {
                    let [across, down] = [strokes[0].unwrap(), strokes[1].unwrap()];
                    let off = [across.from.x, across.to.x - 64.0, down.from.y - 40.0, down.to.y];
                    assert!(off.iter().all(|off| (off.abs() - 1.0).abs() < 1e-3), "{far} {off:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_stroke() {
        for lens in lenses(64, 40) {
            let good = lens.to_view(Vec3::new(0.0, 0.0, -5.0));
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308] {
                for axis in 0..3 {
                    let mut point = good;
                    point[axis] = bad;
                    let sane = |stroke: Option<Stroke>| stroke.is_none_or(|it| it.cost() < 140);
                    assert!(sane(Stroke::new(&lens, [good, point], 1.0)), "{bad}");
                    assert!(sane(Stroke::new(&lens, [point, good], 1.0)), "{bad}");
                    assert!(bad.is_finite() || Stroke::new(&lens, [good, point], 1.0).is_none());
                }
            }
        }
    }
}
