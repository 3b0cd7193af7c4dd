//! Draws points and lines into the pixels, where no surface is in front of them.
//!
//! They are gathered, cut and drawn as long as there is ink, in the order in which they come:
//! so what is left out does not depend on threads.

use std::mem;

use glam::Vec3;
use rayon::prelude::*;

use crate::lines::clipped_line::Stroke;
use crate::lines::depth_buffer::Distances;
use crate::lines::line_instance::{Linework, Mark};
use crate::lines::rasterize::{self as bands, Dot};
use crate::output::frame::Canvas;
use crate::trace::sampling::Pixel;
use crate::trace::tracer::colored;

/// How many are cut, and drawn, in one go: enough to be worth the threads.
const BATCH: usize = 1 << 14;
/// And fewer than this are not worth another thread.
const FEW: usize = 1 << 10;

/// Pixels that they may cover, and lines that may be looked at: some seconds' work.
const INK: u64 = 1 << 30;

impl Canvas<'_> {
    /// Draws the points and lines in view, each over those before it unless it is behind them. Are
    /// these all?
    pub(crate) fn stroke(&self, pixels: &mut [Pixel]) -> bool {
        let eye = self.world.eye;
        let mut all = Linework::all(self.world.stage, &eye.lens, eye.view.layers).peekable();
        if all.peek().is_none() {
            return true;
        }
        // From here on, what is solid in a pixel is a stroke.
        let solid = |pixel: &mut Pixel| mem::replace(&mut pixel.solid, f32::INFINITY);
        let solid: Vec<f32> = pixels.par_iter_mut().map(solid).collect();
        let surfaces = Distances::new(self.width, &solid);
        let mut flush = |strokes: &mut Vec<(Stroke, Mark)>| {
            bands::draw(strokes, self.width, pixels, |stroke, dot, pixel| {
                self.dot(stroke, dot, &surfaces, pixel);
            });
            strokes.clear();
        };
        let (mut waiting, mut ink) = (Vec::new(), INK);
        for linework in all {
            for first in (0..linework.count()).step_by(BATCH) {
                if ink == 0 {
                    flush(&mut waiting);
                    return false;
                }
                let numbers = first..linework.count().min(first + BATCH);
                let (known, looked_at) = (waiting.len(), numbers.len() as u64);
                let numbers = numbers.into_par_iter().with_min_len(FEW);
                waiting.par_extend(numbers.filter_map(|number| linework.stroke(number)));
                let costs = waiting[known..].iter().map(|(stroke, _)| stroke.cost());
                ink = ink.saturating_sub(looked_at + costs.sum::<u64>());
                if waiting.len() >= BATCH {
                    flush(&mut waiting);
                }
            }
        }
        flush(&mut waiting);
        true
    }

    /// One pixel of a stroke.
    fn dot(
        &self,
        (stroke, mark): &(Stroke, Mark),
        dot: Dot,
        surfaces: &Distances<'_>,
        pixel: &mut Pixel,
    ) {
        let eye = self.world.eye;
        let part = stroke.in_space(dot.part);
        let point = stroke.at(part);
        let distance = eye.lens.distance(point, dot.middle()) as f32;
        // Lines often lie on surfaces, or on each other, but for a pixel.
        let nearest = distance - eye.pixel_at(distance);
        let is_behind = nearest > pixel.solid * (1.0 + 1e-4);
        if is_behind || surfaces.hide(dot.x, dot.y, nearest.into(), stroke.reach) {
            return;
        }
        let [a, b] = mark.colors;
        let own = a + (b - a) * part as f32;
        let alpha = dot.cover as f32 * own.w;
        let mut shown = colored(own.truncate()).min(Vec3::ONE);
        if let Some(fog) = self.world.fog {
            let depth = if eye.starts_at_eye { distance } else { -point.z as f32 };
            let thick = fog.factor(depth);
            shown = shown * (1.0 - thick) + colored(fog.color).min(Vec3::ONE) * thick;
        }
        pixel.color = pixel.color * (1.0 - alpha) + (shown * alpha).extend(alpha);
        if alpha >= 0.5 {
            pixel.distance = pixel.distance.min(distance);
            pixel.solid = pixel.solid.min(distance);
            (pixel.node, pixel.part) = (Some(mark.node), mark.part);
            pixel.instance = mark.instance;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3, Vec4};
    use pleach::shapes::Plane;
    use pleach::{Camera, Geometry, Material, Node, NodeId, Scene, Topology, Transform};

    use crate::{Picture, Renderer};

    /// Red points or lines, seen from (0, −10, 0) along +Y: x goes to the right, z goes up. A picture
    /// of 64 × 48 pixels shows 8 × 6 metres at the origin.
    fn picture(
        camera: Camera,
        vertices: &[Vec3],
        mode: Topology,
        floor: bool,
    ) -> (NodeId, Picture) {
        let mut scene = Scene::new();
        let paint = |color| Material { unlit: true, ..Material::from_color(color) };
        let red = scene.assets.add(paint(Vec4::new(1.0, 0.0, 0.0, 1.0)));
        let lines = Geometry::from_positions(vertices.to_vec()).with_topology(mode);
        let lines = scene.assets.add(lines);
        let node = scene.spawn(Node::mesh(&lines, &red)).unwrap();
        if floor {
            let blue = scene.assets.add(paint(Vec4::new(0.0, 0.0, 1.0, 1.0)));
            let floor = scene.assets.add(Plane::new(Vec2::splat(400.0)).build().unwrap());
            scene.spawn(Node::mesh(&floor, &blue).at(Vec3::NEG_Z)).unwrap();
        }
        let place = Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
        let camera = scene.spawn(Node::camera(camera).with_transform(place)).unwrap();
        scene.update().unwrap();
        let view = scene.view(camera, (64, 48)).unwrap();
        (node, Renderer::new().render(&scene, &view).unwrap())
    }

    fn cameras() -> [Camera; 2] {
        let perspective = Camera::perspective(2.0 * libm::atanf(0.3), 64.0 / 48.0);
        [perspective, Camera::orthographic(6.0)].map(|it| it.with_depth_range(1.0, 100.0))
    }

    /// The pixels of a node, by column and row.
    fn drawn(node: NodeId, picture: &Picture) -> Vec<(usize, usize)> {
        let places = picture.nodes.iter().enumerate().filter(|(_, it)| **it == Some(node));
        places.map(|(place, _)| (place % 64, place / 64)).collect()
    }

    #[test]
    fn lines_of_any_length_are_where_their_seen_part_is() {
        // In the middle of the pixels of row 24.
        let z = -1.0 / 16.0;
        let row: Vec<(usize, usize)> = (0..64).map(|x| (x, 24)).collect();
        for camera in cameras() {
            for far in [4.5, 1e6, 1e30, 3e38] {
                let line = [Vec3::new(-far, 0.0, z), Vec3::new(far, 0.0, z)];
                let (node, picture) = picture(camera, &line, Topology::Lines, false);
                assert_eq!(drawn(node, &picture), row, "{far}");
            }
            // Past the eye, through the near plane and the far one: but a point in parallel.
            let line = [Vec3::new(0.06, -1e6, z), Vec3::new(0.06, 1e6, z)];
            let (node, picture) = picture(camera, &line, Topology::Lines, false);
            let seen = drawn(node, &picture);
            assert!(!seen.is_empty() && seen.iter().all(|&(x, y)| x >= 31 && y >= 23), "{seen:?}");
            assert!(picture.distances.iter().all(|it| *it >= 0.0));
        }
    }

    #[test]
    fn what_has_no_length_is_a_dot_and_what_is_no_place_is_nothing() {
        let at = Vec3::new(1.0 / 16.0, 0.0, -1.0 / 16.0);
        for camera in cameras() {
            let (node, dot) = picture(camera, &[at, at], Topology::Lines, false);
            assert_eq!(drawn(node, &dot), [(32, 24)]);
            for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::Y * -30.0, Vec3::Y * 200.0] {
                for vertices in [[bad, bad], [bad, bad + Vec3::X * 1e-3]] {
                    for mode in [Topology::Points, Topology::Lines] {
                        let (node, picture) = picture(camera, &vertices, mode, false);
                        assert_eq!(drawn(node, &picture), [], "{bad}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_point_beside_the_picture_is_seen_as_far_as_it_reaches_into_it() {
        for camera in cameras() {
            let (node, whole) = picture(camera, &[Vec3::X * 3.0625], Topology::Points, false);
            let (other, half) = picture(camera, &[Vec3::X * 4.0625], Topology::Points, false);
            let rows = |seen: Vec<(usize, usize)>, x| seen.iter().filter(|it| it.0 == x).count();
            // Half a pixel beside the edge, as half a pixel beside its middle.
            assert_eq!(rows(drawn(other, &half), 63), rows(drawn(node, &whole), 55));
            assert!(rows(drawn(other, &half), 63) >= 2);
        }
    }

    #[test]
    fn lines_on_a_floor_that_is_seen_at_a_low_angle_have_no_gaps() {
        let [camera, _] = cameras();
        for slant in [0.0, 0.3, 1.0, 5.0] {
            let line = [Vec3::new(-60.0, 30.0, -1.0), Vec3::new(60.0, 30.0 + slant * 8.0, -1.0)];
            let (node, picture) = picture(camera, &line, Topology::Lines, true);
            let seen = drawn(node, &picture);
            let missing = (0..64).filter(|x| !seen.iter().any(|it| it.0 == *x)).count();
            assert_eq!(missing, 0, "{slant}");
            let below = line.map(|end| end - Vec3::Z * 5.0);
            let (node, picture) = self::picture(camera, &below, Topology::Lines, true);
            assert_eq!(drawn(node, &picture), [], "{slant}");
        }
    }
}
