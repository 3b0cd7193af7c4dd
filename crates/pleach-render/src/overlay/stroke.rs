//! `Stroke`: what of a line is in the picture, and which pixels it covers how much.
//!
//! A line is cut where it passes the near plane and the sides of the picture, before it is divided
//! by its depth: so it costs what is seen of it, be it as long as it likes. A pixel
//! is covered by how far it is within half the width of the nearest point of the stroke. A line
//! of 2^40 pixels is cut right to a thousandth of a pixel; longer ones are less sure of their place.
//!
//! Invariants: both ends are finite, and no further from the picture than its margin.

use glam::{DVec2, DVec3, DVec4};

use super::eye::Eye;

/// Two points of view space.
pub(super) type Line = [DVec3; 2];

/// A line in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    from: DVec2,
    to: DVec2,
    /// What comes out there, in view space and its `w`s in clip space.
    line: Line,
    depths: [f64; 2],
}

impl Stroke {
    /// What of a line is in the picture, or less than `margin` pixels beside it. `None` if nothing
    /// is, or if an end is not finite.
    pub(super) fn new(eye: &Eye, line: Line, margin: f64) -> Option<Self> {
        let ends = line.map(|point| eye.to_clip(point));
        if !ends.iter().all(|end| end.is_finite()) {
            return None;
        }
        let sides = DVec2::ONE + 2.0 * margin / eye.size();
        let [a, b] = ends.map(|end| insides(eye, end, sides));
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for (a, b) in a.into_iter().zip(b) {
            match (a < 0.0, b < 0.0) {
                (true, true) => return None,
                (true, false) => first = first.max(a / (a - b)),
                (false, true) => last = last.min(a / (a - b)),
                (false, false) => {}
            }
        }
        if first > last {
            return None;
        }
        let line = [between(line, first), between(line, last)];
        let ends = [between(ends, first), between(ends, last)];
        // Rounding may have left them a little, or of huge lines a lot, outside.
        let outside = DVec2::splat(margin);
        let pixel = |end| eye.to_pixel(end).clamp(-outside, eye.size() + outside);
        let [from, to] = ends.map(pixel);
        let depths = ends.map(|end| end.w);
        let sane = from.is_finite() && to.is_finite() && depths.iter().all(|&depth| depth > 0.0);
        sane.then_some(Self { from, to, line, depths })
    }

    /// How many columns or rows of pixels it goes through, about.
    pub(super) fn cost(&self) -> u64 {
        ((self.to - self.from).abs().max_element() as u64) + 3
    }

    /// The point of view space that comes out at a part of the stroke from 0 to 1.
    pub(super) fn at(&self, part: f64) -> DVec3 {
        let [from, to] = self.depths;
        let far = part * from;
        let near = (1.0 - part) * to;
        between(self.line, far / (near + far))
    }

    /// Calls `f` with each pixel of the picture that is covered by a stroke of this width: its
    /// column, row, how much of it is covered, and which part of the stroke is nearest.
    pub(super) fn each_pixel(
        &self,
        size: DVec2,
        width: f64,
        mut f: impl FnMut(usize, usize, f64, f64),
    ) {
        let along = self.to - self.from;
        // Steps go along the axis on which the stroke is longer.
        let steep = along.y.abs() > along.x.abs();
        let turn = |v: DVec2| if steep { DVec2::new(v.y, v.x) } else { v };
        let (from, along, size) = (turn(self.from), turn(along), turn(size));
        let slope = if along.x == 0.0 { 0.0 } else { along.y / along.x };
        let length = along.length();
        let direction = if length > 0.0 { along / length } else { DVec2::ZERO };
        let reach = width / 2.0 + 0.5;
        let (least, most) = (from.x.min(from.x + along.x), from.x.max(from.x + along.x));
        // Of the band around the stroke, in which also its round ends are.
        let high = reach * (1.0 + slope * slope).sqrt();
        for step in pixels(least - reach, most + reach, size.x) {
            let x = step as f64 + 0.5 - from.x;
            let middle = from.y + slope * x;
            for across in pixels(middle - high, middle + high, size.y) {
                let place = DVec2::new(x, across as f64 + 0.5 - from.y);
                let nearest = place.dot(direction).clamp(0.0, length);
                let covered = reach - (place - direction * nearest).length();
                if covered > 0.0 {
                    let part = if length > 0.0 { nearest / length } else { 0.0 };
                    let (x, y) = if steep { (across, step) } else { (step, across) };
                    f(x, y, covered.min(1.0), part);
                }
            }
        }
    }
}

/// The pixels from 0 to `end` whose middles are between two places.
fn pixels(from: f64, to: f64, end: f64) -> std::ops::Range<usize> {
    let first = (from - 0.5).ceil().clamp(0.0, end);
    let last = (to - 0.5).floor().clamp(-1.0, end - 1.0);
    first as usize..(last + 1.0) as usize
}

/// How far inside a point of clip space is, for each plane that lines are cut at.
fn insides(eye: &Eye, end: DVec4, sides: DVec2) -> [f64; 6] {
    let DVec4 { x, y, w, .. } = end;
    let (wide, high) = (w * sides.x, w * sides.y);
    // Not zero, so that it can be divided by.
    let ahead = w - f64::MIN_POSITIVE;
    [eye.beyond_near(end), ahead, wide + x, wide - x, high + y, high - y]
}

/// The ends themselves at 0 and 1.
fn between<T>([a, b]: [T; 2], part: f64) -> T
where
    T: Copy + std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
{
    match part {
        0.0 => a,
        1.0 => b,
        part => a * (1.0 - part) + b * part,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use pleach::{Camera, ClipSpace, Graph, Transform, View};

    use super::*;

    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as f64 / (1_u64 << 31) as f64
        }

        fn point(&mut self, reach: f64) -> DVec3 {
            DVec3::new(self.unit(), self.unit(), self.unit()) * (2.0 * reach) - reach
        }
    }

    const SIZE: DVec2 = DVec2::new(64.0, 40.0);

    fn eyes() -> Vec<Eye> {
        let mut graph = Graph::new();
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.update();
        let clips = [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
        let cameras = clips.into_iter().flat_map(|clip| {
            let cameras = [Camera::default(), Camera::orthographic(6.0)];
            cameras.map(|camera| camera.with_clip(clip).with_depth(0.5, 100.0))
        });
        let view = |camera| View::of(&graph, node, &camera, (64, 40)).unwrap();
        cameras.map(|camera| Eye::new(&view(camera), 64, 40).unwrap()).collect()
    }

    fn is_inside(eye: &Eye, point: DVec3) -> bool {
        let clip = eye.to_clip(point);
        let pixel = eye.to_pixel(clip);
        point.z <= -0.5 && pixel.cmpge(DVec2::ZERO).all() && pixel.cmple(SIZE).all()
    }

    fn distance(stroke: &Stroke, pixel: DVec2) -> f64 {
        let along = stroke.to - stroke.from;
        let part = (pixel - stroke.from).dot(along) / along.length_squared();
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        (stroke.from + along * part - pixel).length()
    }

    #[test]
    fn a_stroke_is_what_samples_of_its_line_say() {
        let mut random = Random(7);
        let (mut seen, mut unseen) = (0, 0);
        for (number, eye) in eyes().iter().cycle().take(3000).enumerate() {
            let line = [random.point(8.0), random.point(8.0)];
            let stroke = Stroke::new(eye, line, 0.0);
            let inside: Vec<DVec3> = (0..=400)
                .map(|step| line[0].lerp(line[1], f64::from(step) / 400.0))
                .filter(|&point| is_inside(eye, point))
                .collect();
            let Some(stroke) = stroke else {
                assert!(inside.is_empty(), "line {number}");
                unseen += 1;
                continue;
            };
            seen += 1;
            for point in inside {
                let pixel = eye.to_pixel(eye.to_clip(point));
                assert!(distance(&stroke, pixel) < 1e-6, "line {number}: {pixel}");
            }
            for part in [0.0, 0.1, 0.5, 1.0] {
                // On the line, in the picture, and where the stroke says.
                let point = stroke.at(part);
                let along = (line[1] - line[0]).normalize();
                assert!((point - line[0]).cross(along).length() < 1e-9, "line {number}");
                assert!(-point.z > 0.5 - 1e-9, "line {number}");
                let pixel = eye.to_pixel(eye.to_clip(point));
                let expected = stroke.from.lerp(stroke.to, part);
                assert!((pixel - expected).length() < 1e-6, "line {number}: {pixel} {expected}");
                assert!(pixel.clamp(DVec2::ZERO, SIZE).distance(pixel) < 1e-6, "line {number}");
            }
        }
        assert!(seen > 300 && unseen > 300, "{seen} {unseen}");
    }

    #[test]
    fn pixels_are_covered_by_their_distance_from_the_stroke() {
        let mut random = Random(11);
        let eye = &eyes()[1];
        for number in 0..300 {
            let line = [random.point(4.0), random.point(4.0)].map(|it| it - DVec3::Z * 8.0);
            let line = if number % 10 == 0 { [line[0]; 2] } else { line };
            let width = 1.0 + f64::from(number % 3);
            let Some(stroke) = Stroke::new(eye, line, width) else { continue };
            let mut covered = vec![0.0; 64 * 40];
            stroke.each_pixel(SIZE, width, |x, y, cover, part| {
                assert!((0.0..=1.0).contains(&part));
                assert_eq!(covered[y * 64 + x], 0.0, "once each");
                covered[y * 64 + x] = cover;
            });
            for (place, &cover) in covered.iter().enumerate() {
                let pixel = DVec2::new((place % 64) as f64 + 0.5, (place / 64) as f64 + 0.5);
                let expected = width / 2.0 + 0.5 - distance(&stroke, pixel);
                let expected = expected.clamp(0.0, 1.0);
                assert!(
                    (cover - expected).abs() < 1e-6,
                    "line {number}: {pixel} {cover} {expected}"
                );
            }
        }
    }

    #[test]
    fn huge_lines_cost_what_is_seen_of_them() {
        for eye in eyes() {
            for far in [1e6, 1e10, 1e30, 1e200] {
                let lines = [
                    [DVec3::new(-far, 0.1, -5.0), DVec3::new(far, 0.1, -5.0)],
                    [DVec3::new(0.1, -far, -5.0), DVec3::new(0.1, far, -5.0)],
                    [DVec3::new(0.1, 0.1, far), DVec3::new(0.2, 0.2, -far)],
                    [DVec3::splat(-far), DVec3::splat(far)],
                ];
                let strokes = lines.map(|line| Stroke::new(&eye, line, 0.0));
                let costs = strokes.map(|stroke| stroke.map_or(0, |stroke| stroke.cost()));
                assert!(costs.iter().all(|&cost| cost < 70), "{far} {costs:?}");
                if far <= 1e10 {
                    let [across, down] = [strokes[0].unwrap(), strokes[1].unwrap()];
                    let off = [across.from.x, across.to.x - 64.0, down.from.y - 40.0, down.to.y];
                    assert!(off.iter().all(|off| off.abs() < 1e-3), "{far} {off:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_stroke() {
        for eye in eyes() {
            let good = eye.to_view(Vec3::new(0.0, 0.0, -5.0));
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308] {
                for axis in 0..3 {
                    let mut point = good;
                    point[axis] = bad;
                    let sane = |stroke: Option<Stroke>| stroke.is_none_or(|it| it.cost() < 70);
                    assert!(sane(Stroke::new(&eye, [good, point], 1.0)), "{bad}");
                    assert!(sane(Stroke::new(&eye, [point, good], 1.0)), "{bad}");
                    assert!(bad.is_finite() || Stroke::new(&eye, [good, point], 1.0).is_none());
                }
            }
        }
    }
}
