//! `Corners`: the vertex attributes of a triangle, interpolated where a ray hits it.
//!
//! Missing attributes and numbers that are not finite have defaults: white, (0, 0).

use glam::{Vec2, Vec3, Vec4};
use pleach_graph::unit;
use pleach_spatial::Hit;

use crate::prepare::prepared_scene::{ModelToWorld, PreparedPart, PreparedScene};

/// The corners of a triangle that was hit, and the weights of the corners at the hit.
#[derive(Debug)]
pub(crate) struct Corners<'a> {
    pub(crate) part: &'a PreparedPart,
    pub(crate) triangle: usize,
    vertices: [usize; 3],
    pub(crate) weights: Vec3,
}

impl PreparedScene<'_> {
    pub(crate) fn corners(&self, hit: &Hit) -> Option<Corners<'_>> {
        let part = self.part(self.item(hit.node)?, hit.part);
        let triangle = hit.triangle as usize;
        let vertices = part.geometry.triangle(triangle)?.map(|it| it as usize);
        Some(Corners { part, triangle, vertices, weights: hit.barycentrics })
    }
}

impl Corners<'_> {
    pub(crate) fn get<T: Copy>(&self, values: &[T]) -> Option<[T; 3]> {
        let [a, b, c] = self.vertices;
        Some([*values.get(a)?, *values.get(b)?, *values.get(c)?])
    }

    pub(crate) fn mix3(&self, [a, b, c]: [Vec3; 3]) -> Vec3 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    pub(crate) fn mix4(&self, [a, b, c]: [Vec4; 3]) -> Vec4 {
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    /// Returns the normalized world-space normals of the corners, on the visible side.
    pub(crate) fn normals(&self, model_to_world: &ModelToWorld, side: f32) -> Option<[Vec3; 3]> {
        let [a, b, c] = self.get(self.part.normals())?;
        let to_world = |normal: Vec3| Some(normalize(model_to_world.normals * normal)? * side);
        Some([to_world(a)?, to_world(b)?, to_world(c)?])
    }

    fn uvs(&self, set: usize) -> Option<[Vec2; 3]> {
        self.get(self.part.geometry.uvs.get(set)?)
    }

    pub(crate) fn uv(&self, set: usize) -> Vec2 {
        let blend = self
            .uvs(set)
            .map(|[a, b, c]| a * self.weights.x + b * self.weights.y + c * self.weights.z);
        blend.unwrap_or_default()
    }

    pub(crate) fn color(&self) -> Vec4 {
        let colors = self.part.geometry.colors.first().and_then(|it| self.get(it));
        let color = colors.map_or(Vec4::ONE, |it| self.mix4(it));
        Vec4::from_array(color.to_array().map(|it| if it.is_finite() { it.max(0.0) } else { 1.0 }))
    }

    /// Returns the ratio of the area in texture coordinates to `area`, both doubled.
    pub(crate) fn density(&self, set: usize, area: f32) -> f32 {
        let Some([a, b, c]) = self.uvs(set) else { return 0.0 };
        (b - a).perp_dot(c - a).abs() / area
    }
}

/// Normalizes a vector. Returns `None` if it has no direction.
pub(crate) fn normalize(vector: Vec3) -> Option<Vec3> {
    unit(vector.as_dvec3()).map(|unit| unit.as_vec3())
}
