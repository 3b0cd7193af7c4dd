//! A grid in the plane of the world's x and y axes, which fades out with the distance.
//!
//! The spacing follows the distance from which the camera sees the plane: a power of ten, with finer
//! lines that vanish before the spacing changes. So nothing jumps while the camera moves away.
//!
//! Invariant: at most `2 · MAX_LINES` lines per axis, each of `SECTIONS` sections.

use glam::{DVec2, DVec3};
use pleach::View;

use super::axes::COLORS;
use super::line::{Line, LineBatch, LineColor, LineStyle, OccludedLines};

/// The maximum number of lines of one spacing and axis.
const MAX_LINES: usize = 101;

/// The radius of the grid, relative to the distance from which it is seen.
const RADIUS: f64 = 5.0;

/// The sections of a line, along which the opacity is interpolated.
const SECTIONS: i32 = 12;

/// The opacities of lines and of the world's axes in the centre.
const LINE_ALPHA: f64 = 0.4;
const AXIS_ALPHA: f64 = 0.9;

/// An orthographic view at less than this slope sees the grid fade.
const FLAT_SLOPE: f64 = 0.05;

pub(super) fn generate(lines: &mut LineBatch<'_>, view: &View) {
    let Some(viewpoint) = Viewpoint::new(view) else { return };
    let level = libm::log10(viewpoint.distance);
    let decade = level.floor();
    let step = libm::pow(10.0, decade);
    let alpha = LINE_ALPHA * viewpoint.alpha;
    let fine = Disc { step: step / 10.0, radius: RADIUS * step, center: viewpoint.center };
    let coarse = Disc { step, radius: RADIUS * viewpoint.distance, center: viewpoint.center };
    lines.begin(LineStyle::thin(LineColor::CONTRASTING, OccludedLines::Hidden));
    for axis in [0, 1] {
        fine.push_lines(lines, axis, alpha * (1.0 - (level - decade)), |index| index % 10.0 != 0.0);
        coarse.push_lines(lines, axis, alpha, |index| index != 0.0);
    }
    for axis in [0, 1] {
        lines.begin(LineStyle::thin(LineColor::Fixed(COLORS[axis]), OccludedLines::Hidden));
        coarse.push_line(lines, axis, AXIS_ALPHA * viewpoint.alpha, 0.0);
    }
    lines.flush();
}

/// The relation of a camera to the plane.
struct Viewpoint {
    /// The centre of the grid.
    center: DVec2,
    /// The distance from which the plane is seen; the height of the picture in an orthographic view.
    distance: f64,
    /// The opacity of the grid.
    alpha: f64,
}

impl Viewpoint {
    /// Returns `None` if the view sees the plane from its side, or if its numbers are unusable.
    fn new(view: &View) -> Option<Self> {
        let (eye, direction) = (view.position.as_dvec3(), view.direction().as_dvec3());
        let (center, distance, alpha) = if view.lens().rays_start_at_camera() {
            // The distance along the view direction, unless it is too flat.
            let (height, along) = (eye.z.abs(), -eye.z / direction.z);
            let limit = 8.0 * height;
            let distance = if along > 0.0 { along.clamp(height, limit) } else { limit };
            (eye.truncate(), distance, 1.0)
        } else {
            let slope = direction.z.abs();
            let center = eye - direction * (eye.z / direction.z);
            let height = 2.0 / f64::from(view.projection.y_axis.y).abs();
            (center.truncate(), height, slope / FLAT_SLOPE)
        };
        let is_usable =
            center.is_finite() && (1e-30..1e30).contains(&distance) && alpha > 1.0 / 64.0;
        is_usable.then_some(Self { center, distance, alpha: alpha.min(1.0) })
    }
}

/// Lines at the multiples of a spacing within a circle.
struct Disc {
    step: f64,
    radius: f64,
    center: DVec2,
}

impl Disc {
    /// Adds the lines along an axis whose index `filter` accepts.
    fn push_lines(
        &self,
        lines: &mut LineBatch<'_>,
        axis: usize,
        alpha: f64,
        filter: impl Fn(f64) -> bool,
    ) {
        let across = self.center[1 - axis];
        let first = ((across - self.radius) / self.step).ceil();
        for index in (0..MAX_LINES).map(|number| first + number as f64) {
            if index * self.step > across + self.radius {
                break;
            }
            if filter(index) {
                self.push_line(lines, axis, alpha, index * self.step);
            }
        }
    }

    /// Adds the line along an axis at a coordinate of the other axis, as far as the circle reaches.
    fn push_line(&self, lines: &mut LineBatch<'_>, axis: usize, alpha: f64, at: f64) {
        let offset = at - self.center[1 - axis];
        let squared = self.radius * self.radius - offset * offset;
        if squared <= 0.0 {
            return;
        }
        let half = squared.sqrt();
        let point = |section: i32| {
            let along = half * (2.0 * f64::from(section) / f64::from(SECTIONS) - 1.0);
            let distance = DVec2::new(along, offset).length() / self.radius;
            let fade = (1.0 - distance * distance).max(0.0);
            let mut point = DVec3::ZERO;
            (point[axis], point[1 - axis]) = (self.center[axis] + along, at);
            (point, (alpha * fade * fade) as f32)
        };
        for section in 0..SECTIONS {
            let [(from, a), (to, b)] = [point(section), point(section + 1)];
            lines.push(Line { ends: [from, to], alphas: [a, b] });
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use pleach::{Camera, Transform};

    use super::super::line::LineSink;
    use super::*;

    #[derive(Default)]
    struct Collect(Vec<Line>);

    impl LineSink for Collect {
        fn begin(&mut self, _: LineStyle) {}

        fn charge(&mut self, _: usize) -> bool {
            true
        }

        fn add(&mut self, lines: &[Line]) -> bool {
            self.0.extend(lines);
            true
        }
    }

    fn grid(camera: &Camera, from: Vec3, to: Vec3) -> Vec<Line> {
        let transform = Transform::from_translation(from).looking_at(to, Vec3::Z);
        let view = View::new(camera, transform, 1.0).unwrap();
        let mut lines = Collect::default();
        generate(&mut LineBatch::new(&mut lines), &view);
        lines.0
    }

    #[test]
    fn lines_are_at_multiples_of_a_power_of_ten_and_bounded_in_number() {
        for camera in [Camera::default(), Camera::orthographic(7.0)] {
            for height in [1e-3, 0.9, 1.0, 3.0, 99.0, 1e6_f32] {
                // Not so far away that the direction or the frustum is lost to rounding.
                let scale = if camera == Camera::default() { height } else { height.max(7.0) };
                for at in [0.0, 123.45 * scale, -1e4 * scale].map(|at| at.clamp(-1e5, 1e5)) {
                    let eye = Vec3::new(at, -at - height, height);
                    let lines = grid(&camera, eye, Vec3::new(at, -at, 0.0));
                    let case = format!("{camera:?} {eye}");
                    assert!(lines.len() <= 4 * MAX_LINES * SECTIONS as usize, "{case}");
                    assert!(lines.len() > 100, "{case}");
                    let distance = if camera == Camera::default() {
                        f64::from(height) * 2_f64.sqrt()
                    } else {
                        7.0
                    };
                    let fine = 10_f64.powf(distance.log10().floor() - 1.0);
                    for Line { ends: [from, to], alphas } in lines {
                        assert!(from.z == 0.0 && to.z == 0.0 && from.is_finite());
                        assert!(alphas.iter().all(|it| (0.0..=1.0).contains(it)));
                        let across = if from.y == to.y { from.y } else { from.x } / fine;
                        let off = (across - across.round()).abs();
                        assert!(off < 1e-6 * across.abs().max(1.0), "{case}: {across}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_grid_fades_to_nothing_at_its_edge() {
        let lines = grid(&Camera::default(), Vec3::new(0.0, -2.0, 2.0), Vec3::ZERO);
        let ends = lines.iter().flat_map(|line| line.ends.into_iter().zip(line.alphas));
        let radius = ends.clone().map(|(at, _)| at.length()).fold(0.0, f64::max);
        for (at, alpha) in ends.filter(|(at, _)| at.distance(DVec3::NEG_Y * 2.0) > 0.95 * radius) {
            assert!(alpha < 0.05, "{at} {alpha}");
        }
        let brightest = lines.iter().flat_map(|line| line.alphas).fold(0.0, f32::max);
        assert!(brightest > 0.5, "{brightest}");
    }

    #[test]
    fn the_opacity_does_not_jump_when_the_spacing_changes() {
        // The sum of the lengths of all lines, weighted by opacity, relative to the scale.
        let weight = |height: f32| {
            let lines = grid(&Camera::default(), Vec3::Z * height, Vec3::new(0.0, 1e-3, 0.0));
            let weight = |line: &Line| {
                let [from, to] = line.ends;
                from.distance(to) * f64::from(line.alphas[0] + line.alphas[1]) / 2.0
            };
            lines.iter().map(weight).sum::<f64>() / f64::from(height)
        };
        let (before, after) = (weight(9.999), weight(10.001));
        assert!((before / after - 1.0).abs() < 0.02, "{before} {after}");
    }

    #[test]
    fn views_along_the_plane_have_no_grid() {
        assert!(grid(&Camera::default(), Vec3::ZERO, Vec3::Y).is_empty());
        let orthographic = Camera::orthographic(4.0);
        assert!(grid(&orthographic, Vec3::new(0.0, -9.0, 1.0), Vec3::Z).is_empty());
        assert!(grid(&orthographic, Vec3::splat(1e30), Vec3::ZERO).len() < 10_000);
    }
}
