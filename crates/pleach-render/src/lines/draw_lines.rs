//! Draws the points and lines of a scene where no surface occludes them.
//!
//! They are clipped and drawn in batches, in their order, until the work budget is used up: so
//! which ones are omitted does not depend on threads.

use std::mem;

use glam::Vec3;

use crate::lines::clipped_line::ClippedLine;
use crate::lines::depth_buffer::DepthBuffer;
use crate::lines::line_instance::{LineEnd, LineInstance, LineSource};
use crate::lines::rasterize::{self, Fragment};
use crate::output::frame::Frame;
use crate::threads;
use crate::trace::sampling::Pixel;
use crate::trace::tracer::{Buffers, sanitize_color};

/// The number of lines that are clipped and drawn at once: enough to be worth the threads.
const BATCH_SIZE: usize = 1 << 14;

/// The number of pixels covered and lines examined: some seconds of work.
const WORK_BUDGET: u64 = 1 << 30;

impl Frame<'_> {
    /// Draws the points and lines in view, each over those before it unless they occlude it.
    /// Returns `false` if the budget did not suffice for all.
    pub(crate) fn draw_lines(&self, pixels: &mut [Pixel]) -> bool {
        let mut instances = LineInstance::visible(self.tracer).peekable();
        if instances.peek().is_none() {
            return true;
        }
        // From here on, the opaque distance of a pixel is that of a line.
        let take = |pixel: &mut Pixel| mem::replace(&mut pixel.opaque_distance, f32::INFINITY);
        let opaque_distances: Vec<f32> = pixels.iter_mut().map(take).collect();
        let surfaces = DepthBuffer::new(self.width, &opaque_distances);
        let mut flush = |lines: &mut Vec<(ClippedLine, LineSource)>| {
            rasterize::draw(lines, self.width, pixels, |line, fragment, pixel| {
                self.shade_fragment(line, fragment, &surfaces, pixel);
            });
            lines.clear();
        };
        let (mut pending, mut budget) = (Vec::new(), WORK_BUDGET);
        for instance in instances {
            for first in (0..instance.primitive_count()).step_by(BATCH_SIZE) {
                if budget == 0 {
                    flush(&mut pending);
                    return false;
                }
                let indices = first..instance.primitive_count().min(first + BATCH_SIZE);
                let (start, examined) = (pending.len(), indices.len() as u64);
                let clip =
                    |buffers: &mut Buffers, index| instance.clip(indices.start + index, buffers);
                let clipped = threads::map_init(indices.len(), Buffers::default, clip);
                pending.extend(clipped.into_iter().flatten());
                let costs = pending[start..].iter().map(|(line, _)| line.pixel_cost());
                budget = budget.saturating_sub(examined + costs.sum::<u64>());
                if pending.len() >= BATCH_SIZE {
                    flush(&mut pending);
                }
            }
        }
        flush(&mut pending);
        true
    }

    /// Shades one fragment of a line.
    fn shade_fragment(
        &self,
        (line, source): &(ClippedLine, LineSource),
        fragment: Fragment,
        surfaces: &DepthBuffer<'_>,
        pixel: &mut Pixel,
    ) {
        let camera = self.tracer.camera;
        let t = line.perspective_correct(fragment.t);
        let point = line.point_at(t);
        let distance = camera.projector.ray_distance(point, fragment.center()) as f32;
        // Lines often lie on surfaces or on each other, within a pixel.
        let nearest = distance - camera.pixel_size_at(distance);
        let is_occluded = nearest > pixel.opaque_distance * (1.0 + 1e-4);
        if is_occluded || surfaces.occludes(fragment.x, fragment.y, nearest.into(), line.radius) {
            return;
        }
        let end = LineEnd::lerp(source.ends, t as f32);
        let alpha = fragment.coverage as f32 * end.coverage;
        let light = self.tracer.tone_mapping.apply(end.light * self.exposure);
        let mut color = (sanitize_color(end.color) + light).min(Vec3::ONE);
        if let Some(fog) = self.tracer.lighting.fog {
            let depth = if camera.starts_at_camera { distance } else { -point.z as f32 };
            let fogged = fog.factor(depth);
            color = color * (1.0 - fogged) + sanitize_color(fog.color).min(Vec3::ONE) * fogged;
        }
        pixel.color = pixel.color * (1.0 - alpha) + (color * alpha).extend(alpha);
        if alpha >= 0.5 {
            pixel.distance = pixel.distance.min(distance);
            pixel.opaque_distance = pixel.opaque_distance.min(distance);
            (pixel.node, pixel.part) = (Some(source.node), source.part);
            pixel.instance = source.instance;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3, Vec4};
    use pleach::shapes::Plane;
    use pleach::{Camera, Geometry, Material, Node, NodeId, Scene, Topology, Transform};

    use crate::{Picture, Renderer};

    /// Renders red points or lines, seen from (0, −10, 0) along +Y: x points right, z up. A picture
    /// of 64 × 48 pixels shows 8 × 6 metres at the origin.
    fn picture(
        camera: Camera,
        vertices: &[Vec3],
        topology: Topology,
        with_floor: bool,
    ) -> (NodeId, Picture) {
        let mut scene = Scene::new();
        let material = |color| Material { unlit: true, ..Material::from_color(color) };
        let red = scene.assets.add(material(Vec4::new(1.0, 0.0, 0.0, 1.0)));
        let lines = Geometry::from_positions(vertices.to_vec()).with_topology(topology);
        let lines = scene.assets.add(lines);
        let node = scene.spawn(Node::mesh(&lines, &red)).unwrap();
        if with_floor {
            let blue = scene.assets.add(material(Vec4::new(0.0, 0.0, 1.0, 1.0)));
            let floor = scene.assets.add(Plane::new(Vec2::splat(400.0)).build().unwrap());
            scene.spawn(Node::mesh(&floor, &blue).at(Vec3::NEG_Z)).unwrap();
        }
        let transform = Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
        let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
        scene.update().unwrap();
        let view = scene.view(camera, (64, 48)).unwrap();
        (node, Renderer::new().render(&scene, &view).unwrap())
    }

    fn cameras() -> [Camera; 2] {
        let perspective = Camera::perspective(2.0 * libm::atanf(0.3)).with_aspect(64.0 / 48.0);
        [perspective, Camera::orthographic(6.0)].map(|it| it.with_near(1.0).with_far(100.0))
    }

    /// Returns the pixels of a node, by column and row.
    fn drawn(node: NodeId, picture: &Picture) -> Vec<(usize, usize)> {
        let pixels = picture.nodes.iter().enumerate().filter(|(_, it)| **it == Some(node));
        pixels.map(|(index, _)| (index % 64, index / 64)).collect()
    }

    #[test]
    fn lines_of_any_length_are_drawn_where_they_are_visible() {
        // In the centre of the pixels of row 24.
        let z = -1.0 / 16.0;
        let row: Vec<(usize, usize)> = (0..64).map(|x| (x, 24)).collect();
        for camera in cameras() {
            for far in [4.5, 1e6, 1e30, 3e38] {
                let line = [Vec3::new(-far, 0.0, z), Vec3::new(far, 0.0, z)];
                let (node, picture) = picture(camera, &line, Topology::Lines, false);
                assert_eq!(drawn(node, &picture), row, "{far}");
            }
            // Past the camera, through the near and far planes; a single point in an orthographic
            // view.
            let line = [Vec3::new(0.06, -1e6, z), Vec3::new(0.06, 1e6, z)];
            let (node, picture) = picture(camera, &line, Topology::Lines, false);
            let pixels = drawn(node, &picture);
            assert!(
                !pixels.is_empty() && pixels.iter().all(|&(x, y)| x >= 31 && y >= 23),
                "{pixels:?}"
            );
            assert!(picture.distances.iter().all(|it| *it >= 0.0));
        }
    }

    #[test]
    fn a_line_without_length_is_a_dot_and_invalid_positions_draw_nothing() {
        let at = Vec3::new(1.0 / 16.0, 0.0, -1.0 / 16.0);
        for camera in cameras() {
            let (node, dot) = picture(camera, &[at, at], Topology::Lines, false);
            assert_eq!(drawn(node, &dot), [(32, 24)]);
            for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::Y * -30.0, Vec3::Y * 200.0] {
                for vertices in [[bad, bad], [bad, bad + Vec3::X * 1e-3]] {
                    for topology in [Topology::Points, Topology::Lines] {
                        let (node, picture) = picture(camera, &vertices, topology, false);
                        assert_eq!(drawn(node, &picture), [], "{bad}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_point_outside_of_the_picture_is_drawn_where_it_overlaps_the_picture() {
        for camera in cameras() {
            let (node, whole) = picture(camera, &[Vec3::X * 3.0625], Topology::Points, false);
            let (other, half) = picture(camera, &[Vec3::X * 4.0625], Topology::Points, false);
            let rows =
                |pixels: Vec<(usize, usize)>, x| pixels.iter().filter(|it| it.0 == x).count();
            // Half a pixel outside of the edge, and half a pixel from its centre.
            assert_eq!(rows(drawn(other, &half), 63), rows(drawn(node, &whole), 55));
            assert!(rows(drawn(other, &half), 63) >= 2);
        }
    }

    #[test]
    fn lines_on_a_floor_at_a_grazing_angle_have_no_gaps() {
        let [camera, _] = cameras();
        for slope in [0.0, 0.3, 1.0, 5.0] {
            let line = [Vec3::new(-60.0, 30.0, -1.0), Vec3::new(60.0, 30.0 + slope * 8.0, -1.0)];
            let (node, picture) = picture(camera, &line, Topology::Lines, true);
            let pixels = drawn(node, &picture);
            let missing = (0..64).filter(|x| !pixels.iter().any(|it| it.0 == *x)).count();
            assert_eq!(missing, 0, "{slope}");
            let below = line.map(|end| end - Vec3::Z * 5.0);
            let (node, picture) = self::picture(camera, &below, Topology::Lines, true);
            assert_eq!(drawn(node, &picture), [], "{slope}");
        }
    }
}
