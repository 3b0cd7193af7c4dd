//! Checks primitives for missing attributes, degenerate triangles and unused vertices.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use pleach::{AssetId, AssetVersion, Geometry, Material, Part, Topology, VertexData};

use super::context::Context;
use super::finding::Findings;
use super::note::{count, fraction};
use super::rule::Rule;

/// The tolerance of the Khronos validator for the length of vectors of three bytes.
const UNIT_TOLERANCE: f64 = 0.006_74;

/// Counts of problems in a geometry.
#[derive(Clone, Copy)]
struct GeometryStats {
    triangles: usize,
    without_area: usize,
    normals: usize,
    denormals: usize,
    unused: usize,
}

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let skinned = skinned(context);
    // Primitives may share their geometry, and geometries their vertex data.
    let mut stats_by_geometry: BTreeMap<AssetId, GeometryStats> = BTreeMap::new();
    let mut shared = SharedStats::default();
    for (mesh, parts) in context.document.meshes().iter().enumerate() {
        for (number, part) in parts.iter().enumerate() {
            let pointer = format!("/meshes/{mesh}/primitives/{number}");
            let geometry = &part.geometry;
            missing_attributes(part, &pointer, findings);
            let stats = stats_by_geometry
                .entry(geometry.id())
                .or_insert_with(|| GeometryStats::of(&geometry.get(), &pointer, &mut shared));
            stats.report(&geometry.get(), &pointer, findings);
            if !geometry.get().influences.is_empty() && !skinned.contains_key(&geometry.id()) {
                findings.add(Rule::UnusedWeights, pointer);
            }
        }
    }
    for VertexUse { pointer, vertices } in shared.used {
        let unused = vertices.iter().filter(|is_used| !**is_used).count();
        if unused > 0 {
            let note = fraction(unused, vertices.len(), "vertices");
            findings.add_note(Rule::UnusedVertices, pointer, note);
        }
    }
}

/// Counts for vertex data that several geometries share, by its identity.
#[derive(Default)]
struct SharedStats {
    non_unit: CountCache,
    denormals: CountCache,
    /// Vertex use by shared positions, in the order of the file.
    used: Vec<VertexUse>,
    slots: BTreeMap<usize, usize>,
}

#[derive(Default)]
struct CountCache(BTreeMap<usize, usize>);

/// The used vertices of shared positions and the first primitive that uses them.
struct VertexUse {
    pointer: String,
    vertices: Vec<bool>,
}

impl CountCache {
    /// Returns the number of values that satisfy `predicate`; shared values are counted once.
    fn count<T>(&mut self, values: &VertexData<T>, predicate: impl Fn(&T) -> bool) -> usize {
        let count = || values.iter().filter(|value| predicate(value)).count();
        match values.shared_id() {
            Some(id) => *self.0.entry(id).or_insert_with(count),
            None => count(),
        }
    }
}

impl SharedStats {
    /// Returns the number of unindexed vertices, or 0 for shared positions, which are reported at
    /// the end.
    fn unused(&mut self, geometry: &Geometry, pointer: &str) -> usize {
        let positions = &geometry.positions;
        let Some(id) = positions.shared_id() else {
            let mut is_used = vec![false; positions.len()];
            mark_used(geometry, &mut is_used);
            return is_used.iter().filter(|is_used| !**is_used).count();
        };
        let next = self.used.len();
        let slot = *self.slots.entry(id).or_insert(next);
        if slot == next {
            let vertices = vec![false; positions.len()];
            self.used.push(VertexUse { pointer: pointer.into(), vertices });
        }
        mark_used(geometry, &mut self.used[slot].vertices);
        0
    }
}

/// Marks the vertices that a geometry uses.
fn mark_used(geometry: &Geometry, is_used: &mut [bool]) {
    let Some(indices) = &geometry.indices else {
        is_used.fill(true);
        return;
    };
    for &index in indices {
        if let Some(is_used) = is_used.get_mut(index as usize) {
            *is_used = true;
        }
    }
}

/// Returns the geometries that nodes use with a skin.
fn skinned(context: &Context<'_>) -> BTreeMap<AssetId, Arc<AssetVersion<Geometry>>> {
    let nodes = context.nodes.iter().filter(|it| it.scene.skin(it.id).is_some());
    let parts = nodes.filter_map(|it| it.scene.mesh(it.id)).flat_map(|mesh| &mesh.parts);
    parts.map(|part| (part.geometry.id(), part.geometry.snapshot())).collect()
}

/// Reports attributes that the material requires and the geometry lacks.
fn missing_attributes(part: &Part, pointer: &str, findings: &mut Findings) {
    let (geometry, material): (&Geometry, &Material) = (&part.geometry.get(), &part.material.get());
    if geometry.positions.is_empty() {
        return;
    }
    let has_triangles = geometry.triangle_count() > 0;
    if has_triangles && !material.unlit && geometry.normals.is_empty() {
        findings.add(Rule::NoNormals, pointer);
    }
    let wants_tangents = material.normal_texture.is_some() && !material.unlit;
    if has_triangles && wants_tangents && geometry.tangents.is_empty() {
        findings.add(Rule::NoTangents, pointer);
    }
    let coat = material.clearcoat.as_ref().and_then(|it| it.normal_texture.as_ref());
    let anisotropy = material.anisotropy.as_ref().and_then(|it| it.texture.as_ref());
    let needs_tangents = coat.is_some() || anisotropy.is_some();
    let has_tangents = !geometry.tangents.is_empty() || material.normal_texture.is_some();
    if has_triangles && needs_tangents && !has_tangents {
        findings.add(Rule::NoTangentSpace, pointer);
    }
    let missing = material.textures().map(|it| it.uv_set);
    if let Some(set) = missing.filter(|&set| set as usize >= geometry.uvs.len()).min() {
        findings.add_note(Rule::NoUvs, pointer, format!("TEXCOORD_{set}"));
    }
}

impl GeometryStats {
    fn of(geometry: &Geometry, pointer: &str, shared: &mut SharedStats) -> Self {
        let positions = &geometry.positions;
        let at = |vertex: u32| positions.get(vertex as usize).map(|it| it.as_dvec3());
        let is_flat = |&[a, b, c]: &[u32; 3]| match (at(a), at(b), at(c)) {
            (Some(a), Some(b), Some(c)) => (b - a).cross(c - a).length_squared() == 0.0,
            _ => true,
        };
        // Degenerate triangles join the parts of strips.
        let is_list = geometry.topology != Topology::TriangleStrip;
        let is_non_unit = |normal: &Vec3| (normal.as_dvec3().length() - 1.0).abs() > UNIT_TOLERANCE;
        let is_denormal = |it: &Vec3| it.to_array().into_iter().any(f32::is_subnormal);
        let is_denormal2 = |it: &Vec2| it.to_array().into_iter().any(f32::is_subnormal);
        let denormal_uvs: usize =
            geometry.uvs.iter().map(|set| shared.denormals.count(set, is_denormal2)).sum();
        let denormals = shared.denormals.count(positions, is_denormal)
            + shared.denormals.count(&geometry.normals, is_denormal);
        Self {
            triangles: geometry.triangle_count(),
            without_area: if is_list { geometry.triangles().filter(is_flat).count() } else { 0 },
            normals: shared.non_unit.count(&geometry.normals, is_non_unit),
            denormals: denormals + denormal_uvs,
            unused: shared.unused(geometry, pointer),
        }
    }

    fn report(&self, geometry: &Geometry, pointer: &str, findings: &mut Findings) {
        let &Self { triangles, without_area, normals, denormals, unused } = self;
        if triangles > 0 && without_area == triangles {
            findings.add_note(
                Rule::NoArea,
                pointer,
                fraction(without_area, triangles, "triangles"),
            );
        } else if without_area > 0 {
            findings.add_note(
                Rule::ZeroArea,
                pointer,
                fraction(without_area, triangles, "triangles"),
            );
        }
        if normals > 0 {
            let note = fraction(normals, geometry.normals.len(), "normals");
            findings.add_note(Rule::NormalsNotUnit, format!("{pointer}/attributes/NORMAL"), note);
        }
        if denormals > 0 {
            findings.add_note(Rule::Denormal, pointer, count(denormals, "vector", "vectors"));
        }
        if unused > 0 {
            let note = fraction(unused, geometry.positions.len(), "vertices");
            findings.add_note(Rule::UnusedVertices, pointer, note);
        }
    }
}
