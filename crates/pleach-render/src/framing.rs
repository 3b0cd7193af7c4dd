//! `Framing`: computes a camera that frames given points tightly.
//!
//! Exact, not by a bounding sphere: for each image axis the points bound the camera's position from
//! both sides, and the minimum distance is where these bounds meet.
//!
//! Invariant: camera and transform form a valid view for any input.

use glam::{DVec3, Quat, Vec3};
use pleach::{Aabb, Camera, Mesh, NodeId, Projection, Scene, Transform};
use pleach_graph::axes;

use crate::threads;
use crate::visible_bounds::{each_vertex, visible_meshes};

/// The vertical field of view in radians: about that of a 50 mm lens.
const FOV_Y: f32 = 0.6;
/// The margin around the framed points, as a factor.
const MARGIN: f64 = 1.06;
/// The range of sizes that f32 can represent after multiplication.
const MIN_SIZE: f64 = 1e-15;
const MAX_COORDINATE: f64 = 1e30;

/// Returns a camera that frames a box, and its transform.
///
/// `from` points from the centre of the box to the camera; its length is irrelevant. `aspect` is
/// the width of the picture divided by its height. The camera takes its aspect ratio from the
/// viewport; its near plane lies before the box and its far plane well behind it.
///
/// Every box is valid: an empty one (or one that is not finite) counts as a cube of 1 metre at the
/// origin, and a degenerate one is extended. A direction that is zero or not finite is replaced by
/// right, front and above.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Aabb, View};
///
/// let room = Aabb::new(Vec3::new(-3.0, -2.0, 0.0), Vec3::new(3.0, 2.0, 2.5));
/// let (camera, transform) = pleach_render::framing(&room, Vec3::new(1.0, -2.0, 1.0), 16.0 / 9.0);
/// let view = View::new(&camera, transform, (1280, 720))?;
/// let seen = |corner| view.project(corner).unwrap().abs().max_element() < 1.0;
/// assert!(room.corners().into_iter().all(seen));
/// # Ok::<(), pleach::Error>(())
/// ```
#[must_use]
pub fn framing(bounds: &Aabb, from: Vec3, aspect: f32) -> (Camera, Transform) {
    let mut framing = Framing::new(from, aspect);
    framing.add_aabb(bounds);
    framing.camera()
}

/// Computes a camera that frames points, seen from a direction. The camera is closer than one that
/// [frames](framing) their bounding box.
///
/// ```
/// use pleach::{Material, Node, Scene, glam::Vec3, shapes::Sphere};
/// use pleach_render::{Framing, framing};
///
/// let mut scene = Scene::new();
/// let ball = scene.assets.add(Sphere::new(1.0).build()?);
/// let material = scene.assets.add(Material::default());
/// scene.spawn(Node::mesh(&ball, &material))?;
/// scene.update()?;
///
/// let from = Vec3::new(1.0, 1.0, 1.0);
/// let mut all = Framing::new(from, 1.5);
/// all.add_scene(&scene);
/// let (_camera, near) = all.camera();
/// let (_camera, far) = framing(&scene.spatial.bounds(), from, 1.5);
/// assert!(near.translation.length() < 0.7 * far.translation.length());
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Framing {
    rotation: Quat,
    /// The camera's right, up and backward axes.
    axes: [DVec3; 3],
    /// The half width and half height of the view at a distance of 1.
    tangents: [f64; 2],
    /// For both: the maxima of `x + z tan` and of `-x + z tan`, where x is the image axis and z
    /// points backwards.
    side_bounds: [[f64; 2]; 2],
    /// The maxima of z and of -z.
    depth_bounds: [f64; 2],
    bounds: Aabb,
}

impl Framing {
    /// Creates an empty framing for a direction from the points to the camera and an aspect ratio
    /// (width divided by height).
    #[must_use]
    pub fn new(from: Vec3, aspect: f32) -> Self {
        let default_direction = Vec3::new(0.6, -1.0, 0.5);
        let from = if from.is_finite() && from != Vec3::ZERO { from } else { default_direction };
        let rotation = axes::look_rotation(-from, axes::UP).unwrap_or_default();
        let axes =
            [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (rotation.as_dquat() * axis).normalize());
        let aspect = if aspect.is_finite() { f64::from(aspect).clamp(1e-3, 1e3) } else { 1.0 };
        let tan = libm::tan(f64::from(FOV_Y) * 0.5) / MARGIN;
        Self {
            rotation,
            axes,
            tangents: [tan * aspect, tan],
            side_bounds: [[f64::NEG_INFINITY; 2]; 2],
            depth_bounds: [f64::NEG_INFINITY; 2],
            bounds: Aabb::EMPTY,
        }
    }

    /// Adds a point; points that are not finite are ignored.
    pub fn add_point(&mut self, point: Vec3) {
        if point.is_finite() {
            self.bounds = self.bounds.union(&Aabb { min: point, max: point });
            self.extend(point.as_dvec3());
        }
    }

    /// Adds a box; boxes that are empty or not finite are ignored.
    pub fn add_aabb(&mut self, bounds: &Aabb) {
        if !bounds.is_empty() && bounds.is_finite() {
            bounds.corners().into_iter().for_each(|corner| self.add_point(corner));
        }
    }

    /// Adds all visible vertices of a scene in their current pose, and the bounds of meshes with
    /// instances; as of the scene's last [update](Scene::update). O(vertices).
    pub fn add_scene(&mut self, scene: &Scene) {
        let of_mesh = |&(node, mesh): &(NodeId, &Mesh)| {
            let mut single = self.clone();
            each_vertex(scene, node, mesh, |point| single.add_point(point));
            single
        };
        let visible_meshes: Vec<(NodeId, &Mesh)> = visible_meshes(scene).collect();
        let framings = threads::map(&visible_meshes, of_mesh);
        *self = framings.into_iter().fold(self.clone(), Self::merge);
    }

    fn merge(self, other: Self) -> Self {
        let max_of = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
        let [right, up] = self.side_bounds;
        Self {
            side_bounds: [max_of(right, other.side_bounds[0]), max_of(up, other.side_bounds[1])],
            depth_bounds: max_of(self.depth_bounds, other.depth_bounds),
            bounds: self.bounds.union(&other.bounds),
            ..self
        }
    }

    fn extend(&mut self, point: DVec3) {
        let point = point.clamp(DVec3::splat(-MAX_COORDINATE), DVec3::splat(MAX_COORDINATE));
        let [x, y, z] = self.axes.map(|axis| axis.dot(point));
        for ((at, tan), max) in [x, y].into_iter().zip(self.tangents).zip(&mut self.side_bounds) {
            max[0] = max[0].max(at + z * tan);
            max[1] = max[1].max(-at + z * tan);
        }
        self.depth_bounds = [self.depth_bounds[0].max(z), self.depth_bounds[1].max(-z)];
    }

    /// Returns a camera that frames all added points, and its transform; see [`framing`].
    #[must_use]
    pub fn camera(mut self) -> (Camera, Transform) {
        if self.bounds.is_empty() {
            self.add_aabb(&Aabb::from_center_half(Vec3::ZERO, Vec3::splat(0.5)));
        }
        // Pads each point by the size that the bounds lack.
        let padding = padding(&self.bounds);
        let back = self.axes[2];
        for i in 0..2 {
            for (max, axis) in self.side_bounds[i].iter_mut().zip([self.axes[i], -self.axes[i]]) {
                *max += padding.dot((axis + back * self.tangents[i]).abs());
            }
        }
        self.depth_bounds = self.depth_bounds.map(|max| max + padding.dot(back.abs()));
        let [right, up, _] = self.axes;
        // A point (x, z) is in view from (c, d) if |x - c| <= (d - z) tan.
        let fit = |[first, other]: [f64; 2], tan: f64| {
            ((first + other) * 0.5 / tan, (first - other) * 0.5)
        };
        let [across, above] = [0, 1].map(|i| fit(self.side_bounds[i], self.tangents[i]));
        let distance = across.0.max(above.0);

        let (near, far) = (distance - self.depth_bounds[0], distance + self.depth_bounds[1]);
        let position = right * across.1 + up * above.1 + back * distance;
        let projection = Projection::Perspective {
            fov_y: FOV_Y,
            near: (near * 0.5).max(far * 1e-4) as f32,
            far: (far * 2.0) as f32,
        };
        let camera = Camera { projection, ..Camera::default() };
        (camera, Transform::from_translation(position.as_vec3()).with_rotation(self.rotation))
    }
}

/// Returns the padding that a degenerate box needs on all sides: a point has no size, and a line
/// along the view direction would put the camera at its end.
fn padding(bounds: &Aabb) -> DVec3 {
    let limit = DVec3::splat(MAX_COORDINATE);
    let [min, max] = [bounds.min, bounds.max].map(|it| it.as_dvec3().clamp(-limit, limit));
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    // Details below the resolution of the camera's position cannot be viewed from close up.
    let resolution = center.abs().max_element() * 1e-6;
    let size = match half.max_element() {
        0.0 if resolution == 0.0 => 0.5,
        size => size.max(resolution).max(MIN_SIZE),
    };
    let min_half = if half.max_element() < size { size } else { size * 0.01 };
    (DVec3::splat(min_half) - half).max(DVec3::ZERO)
}
