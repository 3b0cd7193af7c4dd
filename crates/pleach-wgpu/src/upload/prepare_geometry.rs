//! A geometry as a GPU draws it: flat normals where none are stored, unless it is posed, and lists instead of
//! strips, loops and fans.
//!
//! Invariants: every index is in range; a primitive with an index out of range becomes one of no size, so
//! that the others keep their numbers, and material groups their ranges.

use std::borrow::Cow;

use pleach::{Geometry, Topology, VertexData};

use crate::upload::generated_tangents::{split, with_generated_tangents};

/// The primitives of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitives {
    /// Each vertex is a point.
    Points,
    /// Each pair of vertices is a line.
    Lines,
    /// Each three vertices are a triangle.
    #[default]
    Triangles,
}

impl Primitives {
    fn of(topology: Topology) -> Self {
        match topology {
            Topology::Points => Self::Points,
            Topology::Lines | Topology::LineLoop | Topology::LineStrip => Self::Lines,
            Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan => {
                Self::Triangles
            }
        }
    }

    /// Returns the number of vertices of one.
    #[must_use]
    pub fn vertices(self) -> usize {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }
}

/// A geometry, and its vertices as a list of primitives.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) geometry: Cow<'a, Geometry>,
    pub(crate) primitives: Primitives,
    /// `None` for all vertices in their order.
    pub(crate) indices: Option<Cow<'a, [u32]>>,
    /// The number of indices, or of vertices without.
    pub(crate) index_count: u32,
    /// The indices of the triangles sorted by material, if they select from several.
    pub(crate) groups: Option<Vec<u32>>,
}

impl Prepared<'_> {
    /// Prepares a geometry, with tangents along a set of texture coordinates if a material needs them.
    /// O(vertices + indices), or O(n log n) with tangents.
    pub(crate) fn new(geometry: &Geometry, tangent_uv_set: Option<usize>) -> Prepared<'_> {
        let primitives = Primitives::of(geometry.topology);
        if geometry.positions.is_empty() {
            let geometry = Cow::Borrowed(geometry);
            return Prepared { geometry, primitives, indices: None, index_count: 0, groups: None };
        }
        let has_normals = geometry.normals.len() == geometry.positions.len();
        let needs_normals = primitives == Primitives::Triangles && !has_normals;
        let is_posed = !geometry.influences.is_empty() || !geometry.morph_targets.is_empty();
        let geometry = match needs_normals && (!is_posed || tangent_uv_set.is_some()) {
            true => Cow::Owned(with_flat_normals(geometry)),
            false => Cow::Borrowed(geometry),
        };
        let generated = tangent_uv_set
            .filter(|_| primitives == Primitives::Triangles)
            .and_then(|uv_set| with_generated_tangents(&geometry, uv_set));
        let mut geometry = generated.map_or(geometry, Cow::Owned);
        if needs_normals && is_posed && !geometry.normals.is_empty() {
            // The pose decides: the shader takes those of the posed triangles.
            geometry.to_mut().normals = VertexData::default();
        }
        let (indices, index_count) = match &geometry {
            Cow::Borrowed(geometry) => list_indices(geometry, primitives),
            Cow::Owned(geometry) => {
                let (indices, count) = list_indices(geometry, primitives);
                (indices.map(|it| Cow::Owned(it.into_owned())), count)
            }
        };
        let groups = geometry.material_groups().map(|groups| {
            let mut indices = groups.indices().to_vec();
            repair(&mut indices, geometry.positions.len(), 3);
            indices
        });
        Prepared { geometry, primitives, indices, index_count, groups }
    }
}

/// Returns the number of vertices that form whole primitives.
fn whole(vertices: usize, primitives: Primitives) -> u32 {
    (vertices - vertices % primitives.vertices()).min(u32::MAX as usize) as u32
}

fn with_flat_normals(geometry: &Geometry) -> Geometry {
    let mut flat = geometry.clone();
    split(&mut flat);
    flat.compute_flat_normals();
    flat
}

/// Returns the indices of a list of primitives and their number.
fn list_indices(geometry: &Geometry, primitives: Primitives) -> (Option<Cow<'_, [u32]>>, u32) {
    let vertices = geometry.positions.len();
    let size = primitives.vertices();
    let mut list = match (geometry.topology, &geometry.indices) {
        (Topology::Points | Topology::Lines | Topology::Triangles, None) => {
            return (None, whole(vertices, primitives));
        }
        (Topology::Points | Topology::Lines | Topology::Triangles, Some(indices)) => {
            let indices = &indices[..indices.len() - indices.len() % size];
            if indices.iter().all(|&index| (index as usize) < vertices) {
                return (Some(Cow::Borrowed(indices)), indices.len() as u32);
            }
            indices.to_vec()
        }
        (Topology::TriangleStrip | Topology::TriangleFan, _) => {
            geometry.triangles().flatten().collect()
        }
        (topology @ (Topology::LineStrip | Topology::LineLoop), indices) => {
            let all: Vec<u32> = match indices {
                Some(indices) => indices.clone(),
                None => (0..vertices as u32).collect(),
            };
            let mut lines: Vec<u32> = all.windows(2).flat_map(|line| [line[0], line[1]]).collect();
            if let (Topology::LineLoop, [first, .., last]) = (topology, &all[..]) {
                lines.extend([*last, *first]);
            }
            lines
        }
    };
    repair(&mut list, vertices, size);
    let count = list.len() as u32;
    (Some(Cow::Owned(list)), count)
}

/// Makes all indices of a primitive the first vertex if one is out of range.
pub(super) fn repair(indices: &mut [u32], vertices: usize, size: usize) {
    for primitive in indices.chunks_mut(size) {
        if primitive.iter().any(|&index| index as usize >= vertices) {
            primitive.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};
    use pleach::MorphTarget;

    use super::*;

    fn points(count: usize) -> Vec<Vec3> {
        (0..count).map(|i| Vec3::new(i as f32, (i * i) as f32, 1.0)).collect()
    }

    fn indices(geometry: &Geometry) -> Vec<u32> {
        let prepared = Prepared::new(geometry, None);
        let indices = prepared.indices.map_or(Vec::new(), Cow::into_owned);
        assert!(indices.is_empty() || indices.len() == prepared.index_count as usize);
        indices
    }

    #[test]
    fn strips_loops_and_fans_become_lists() {
        let with = |topology| {
            let normals = vec![Vec3::Z; 4];
            indices(
                &Geometry::from_positions(points(4)).with_normals(normals).with_topology(topology),
            )
        };
        assert_eq!(with(Topology::LineStrip), [0, 1, 1, 2, 2, 3]);
        assert_eq!(with(Topology::LineLoop), [0, 1, 1, 2, 2, 3, 3, 0]);
        assert_eq!(with(Topology::TriangleFan).len(), 6);
        assert_eq!(with(Topology::TriangleStrip).len(), 6);
        assert_eq!(with(Topology::Points), []);
    }

    #[test]
    fn a_primitive_with_an_index_out_of_range_has_no_size() {
        let geometry = Geometry::from_triangles(points(3), vec![0, 1, 2, 1, 2, 3, 2, 1])
            .with_normals(vec![Vec3::Z; 3]);
        assert_eq!(indices(&geometry), [0, 1, 2, 0, 0, 0]);
        let no_vertices = Geometry::from_triangles(Vec::new(), vec![0, 1, 2]);
        assert_eq!(
            (indices(&no_vertices), Prepared::new(&no_vertices, None).index_count),
            (vec![], 0)
        );
    }

    #[test]
    fn triangles_that_are_posed_have_the_normals_of_their_pose() {
        let mut geometry = Geometry::from_triangles(points(4), vec![0, 1, 2, 2, 1, 3]);
        geometry.uvs.push(vec![Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].into());
        geometry.morph_targets.push(MorphTarget::default());
        for tangent_uv_set in [None, Some(0)] {
            let prepared = Prepared::new(&geometry, tangent_uv_set);
            assert!(prepared.geometry.normals.is_empty());
            assert_eq!(prepared.geometry.tangents.is_empty(), tangent_uv_set.is_none());
        }
    }

    #[test]
    fn triangles_without_normals_are_flat_and_keep_their_materials() {
        let geometry = Geometry::from_triangles(points(4), vec![0, 1, 2, 2, 1, 3])
            .with_vertex_materials(vec![1, 0, 0, 0]);
        let prepared = Prepared::new(&geometry, None);
        assert_eq!((prepared.geometry.positions.len(), prepared.geometry.normals.len()), (6, 6));
        assert_eq!(prepared.index_count, 6);
        // The second triangle has material 0.
        assert_eq!(prepared.groups.unwrap(), [3, 4, 5, 0, 1, 2]);
    }
}
