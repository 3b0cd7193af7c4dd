//! `LineInstance`: the points and lines of a geometry, clipped to the picture.
//!
//! Vertices with normals are lit, as surfaces are; those without show the base colour plus the
//! emission, unlit. Light and colour are evaluated at the vertices and interpolated between
//! them. `draw_lines.rs` draws them.

use glam::{DMat4, DVec3, Vec3, Vec4};
use pleach::{Geometry, NodeId, Topology};
use pleach_shading::{self as shading, Shading, primitive_count, primitive_vertices};

use crate::lines::clipped_line::ClippedLine;
use crate::prepare::prepared_scene::{DrawItem, ModelToWorld, PreparedPart};
use crate::prepare::shading_material::{ShadingMaterial, TextureMap};
use crate::trace::corners::normalize;
use crate::trace::surface::Surface;
use crate::trace::tracer::{Buffers, Tracer};

/// The widths of lines and points in pixels.
const LINE_WIDTH: f64 = 1.5;
const POINT_WIDTH: f64 = 4.0;

/// One instance of a part that consists of points or lines.
#[derive(Debug)]
pub(crate) struct LineInstance<'a> {
    tracer: &'a Tracer<'a>,
    part: &'a PreparedPart,
    material: &'a ShadingMaterial,
    /// The transforms to world and view space.
    world: DMat4,
    model_to_world: ModelToWorld,
    matrix: DMat4,
    id: (NodeId, u32, u32),
}

/// The source of a clipped line, and its colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSource {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    /// At both ends of the clipped line.
    pub(crate) ends: [LineEnd; 2],
}

/// The light, colour and coverage at a point of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnd {
    /// Light before exposure.
    pub(crate) light: Vec3,
    /// Colour that neither exposure nor tone mapping affect.
    pub(crate) color: Vec3,
    pub(crate) coverage: f32,
}

impl LineEnd {
    /// Interpolates linearly.
    pub(crate) fn lerp([a, b]: [Self; 2], t: f32) -> Self {
        Self {
            light: a.light + (b.light - a.light) * t,
            color: a.color + (b.color - a.color) * t,
            coverage: a.coverage + (b.coverage - a.coverage) * t,
        }
    }
}

impl<'a> LineInstance<'a> {
    /// Returns all instances in view, in the order of draw items, parts and instances.
    pub(crate) fn visible(tracer: &'a Tracer<'a>) -> impl Iterator<Item = Self> {
        let (prepared, layers) = (tracer.prepared, tracer.camera.view.layers);
        let items = prepared.items.iter().filter(move |it| it.layers & layers != 0);
        let parts = items.flat_map(|item| (0..item.part_count()).map(move |it| (item, it)));
        let parts =
            parts.filter(|&(item, it)| primitive_count(&prepared.part(item, it).geometry) > 0);
        parts.flat_map(move |(item, part)| {
            (0..item.instance_count()).map(move |instance| Self::new(tracer, item, part, instance))
        })
    }

    fn new(tracer: &'a Tracer<'a>, item: &DrawItem<'_>, index: u32, instance: u32) -> Self {
        let part = tracer.prepared.part(item, index);
        let own_instance = item.has_instances().then_some(instance);
        let world = item.matrix(own_instance);
        Self {
            tracer,
            part,
            material: tracer.prepared.material(part, 0),
            world,
            model_to_world: item.model_to_world(own_instance),
            matrix: tracer.camera.projector.model_to_view(world),
            id: (item.node, index, instance),
        }
    }

    /// Returns the number of points or lines.
    pub(crate) fn primitive_count(&self) -> usize {
        primitive_count(&self.part.geometry)
    }

    /// Clips a point or line to the picture.
    pub(crate) fn clip(
        &self,
        index: usize,
        buffers: &mut Buffers,
    ) -> Option<(ClippedLine, LineSource)> {
        let geometry: &Geometry = &self.part.geometry;
        let vertices = primitive_vertices(geometry, index);
        let [a, b] = vertices.map(|vertex| self.view_position(vertex));
        let width = if geometry.topology == Topology::Points { POINT_WIDTH } else { LINE_WIDTH };
        let clipped = ClippedLine::new(&self.tracer.camera.projector, [a?, b?], width)?;
        let first = self.shade(vertices[0], buffers);
        let ends =
            if vertices[0] == vertices[1] { first } else { self.shade(vertices[1], buffers) };
        let ends = clipped.range.map(|t| LineEnd::lerp([first, ends], t as f32));
        let (node, part, instance) = self.id;
        Some((clipped, LineSource { node, part, instance, ends }))
    }

    /// Returns the position of a vertex in view space.
    fn view_position(&self, vertex: usize) -> Option<DVec3> {
        Some(self.matrix.transform_point3(self.part.positions().get(vertex)?.as_dvec3()))
    }

    /// Evaluates the material at a vertex.
    fn shade(&self, vertex: usize, buffers: &mut Buffers) -> LineEnd {
        let (material, geometry) = (self.material, &self.part.geometry);
        let color = geometry.colors.first().and_then(|colors| colors.get(vertex));
        let color = color.filter(|color| color.is_finite()).copied().unwrap_or(Vec4::ONE);
        let sample = |map: &Option<TextureMap>| {
            let map = map.as_ref()?;
            let uv = geometry.uvs.get(map.uv_set).and_then(|uvs| uvs.get(vertex));
            Some(map.sample(uv.copied().unwrap_or_default(), 0.0))
        };
        let base = material.base_color * color * sample(&material.base_map).unwrap_or(Vec4::ONE);
        let emissive = sample(&material.emissive_map).map_or(Vec3::ONE, Vec4::truncate);
        let emissive = if material.unlit { Vec3::ZERO } else { material.emissive * emissive };
        let coverage = material.coverage(base.w);
        match self.part.normals().get(vertex).filter(|_| !material.unlit) {
            None => LineEnd { light: Vec3::ZERO, color: base.truncate() + emissive, coverage },
            Some(&normal) => {
                let metal = sample(&material.metallic_roughness_map).unwrap_or(Vec4::ONE);
                let parameters = shading::Surface {
                    base_color: base.truncate().clamp(Vec3::ZERO, Vec3::splat(1e30)),
                    metallic: material.metallic * metal.z,
                    roughness: material.roughness * metal.y,
                    emissive,
                    ior: material.ior,
                    ..shading::Surface::default()
                };
                let light = self.lit(vertex, normal, parameters, buffers);
                LineEnd { light: light.unwrap_or(emissive), color: Vec3::ZERO, coverage }
            }
        }
    }

    /// Returns the light from a vertex with a normal towards the camera.
    fn lit(
        &self,
        vertex: usize,
        normal: Vec3,
        parameters: shading::Surface,
        buffers: &mut Buffers,
    ) -> Option<Vec3> {
        let (tracer, camera) = (self.tracer, self.tracer.camera);
        let point = self.world.transform_point3(self.part.positions().get(vertex)?.as_dvec3());
        let point = point.as_vec3();
        let normal = normalize(self.model_to_world.normals * normal)?;
        let pixel = camera.projector.pixel(point)?;
        let ray = camera.view.ray_through_pixel(pixel.as_vec2())?;
        let distance = (point - ray.origin()).length();
        let parameters = shading::Surface { normal, clearcoat_normal: normal, ..parameters };
        let shading = Shading::new(&parameters, -ray.direction(), tracer.lut);
        // A line may lie on a surface, within a pixel.
        let offset = normal * camera.pixel_size_at(distance);
        let surface = Surface::without_area(self.material, point, parameters, offset);
        let light = tracer.outgoing_light(self.id.0, &surface, &shading, tracer.shadows, buffers);
        light.is_finite().then_some(light)
    }
}
