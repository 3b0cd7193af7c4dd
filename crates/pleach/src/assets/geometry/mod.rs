//! `Geometry`: vertex attributes and indices, as plain data.
//!
//! One array per attribute, as in glTF and on a GPU; an empty array is an absent attribute. Nothing
//! is enforced while a geometry is built: `validate.rs` reports inconsistencies. Derived data
//! (bounds, the triangle tree for picking) is stored with the handle (`cache.rs`), so that a field
//! can be changed without leaving stale data behind. Vertex data that several geometries share
//! caches its own (`vertex_data.rs`).

mod cache;
mod joint_bounds;
mod material_groups;
mod memory;
mod normals;
mod skinning;
mod triangles;
mod validate;
mod vertex_data;

pub use cache::{GeometryDerived, TreeRef};
pub(crate) use joint_bounds::JointBounds;
pub use material_groups::{MaterialGroup, MaterialGroups};
pub use triangles::Triangles;
pub use vertex_data::VertexData;

use glam::{Vec2, Vec3, Vec4};
use pleach_spatial::Aabb;

use crate::MorphTarget;

/// Vertices, and the points, lines or triangles they form.
///
/// ```
/// use pleach::Geometry;
/// use pleach::glam::{Vec2, Vec3};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
/// let mut quad = Geometry::from_triangles(corners.to_vec(), vec![0, 1, 2, 0, 2, 3])
///     .with_uvs(corners.map(|corner| Vec2::new(corner.x, 1.0 - corner.y)).to_vec());
/// quad.compute_normals();
/// quad.check()?;
///
/// assert_eq!(quad.normals, [Vec3::Z; 4]);
/// assert_eq!(quad.bounds().max, Vec3::new(1.0, 1.0, 0.0));
/// assert_eq!(quad.triangles().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), pleach::Error>(())
/// ```
///
/// Every vertex attribute has as many entries as [`positions`](Self::positions), or none. Front
/// faces are counter-clockwise.
#[doc(alias("BufferGeometry", "ArrayMesh"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// The primitives that the vertices form.
    pub topology: Topology,
    /// The positions in the space of the mesh's node.
    pub positions: VertexData<Vec3>,
    /// The normals, of length 1.
    pub normals: VertexData<Vec3>,
    /// The direction of increasing u, of length 1, and in `w` 1 or −1: the bitangent is
    /// `normal.cross(tangent) * w`.
    pub tangents: VertexData<Vec4>,
    /// Sets of texture coordinates. (0, 0) is the upper left corner of an image.
    pub uvs: Vec<VertexData<Vec2>>,
    /// Sets of colours: linear red, green and blue, and alpha.
    pub colors: Vec<VertexData<Vec4>>,
    /// Sets of joint influences, four joints per vertex and set.
    pub influences: Vec<Influences>,
    /// The vertices of the primitives, in order; `None` for all vertices in their order.
    pub indices: Option<Vec<u32>>,
    /// The morph targets.
    pub morph_targets: Vec<MorphTarget>,
    /// By triangle: the index into the mesh's materials. Empty if the vertices select the
    /// materials, or all triangles have the first.
    pub face_materials: Vec<u32>,
    /// By vertex: the index into the mesh's materials. A triangle has the material of its first
    /// vertex. Ignored if there are [`face_materials`](Self::face_materials).
    pub vertex_materials: Vec<u32>,
}

/// The primitives that the vertices of a [`Geometry`] form. Incomplete primitives at the end are
/// ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Each vertex is a point.
    Points,
    /// Each pair of vertices is a line.
    Lines,
    /// Each vertex is connected to the next, and the last to the first.
    LineLoop,
    /// Each vertex is connected to the next.
    LineStrip,
    /// Each three vertices are a triangle.
    #[default]
    Triangles,
    /// Each vertex forms a triangle with the next two; every other one has the reverse order.
    TriangleStrip,
    /// Each vertex forms a triangle with the next and the first.
    TriangleFan,
}

/// Four joints per vertex, and their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// By vertex: indices into the skin's list of joints.
    pub joints: VertexData<[u16; 4]>,
    /// By vertex: the weights of these joints, not negative. The weights of all sets sum to 1.
    pub weights: VertexData<[f32; 4]>,
}

impl Geometry {
    /// Creates triangles; each three positions are one.
    #[must_use]
    pub fn from_positions(positions: Vec<Vec3>) -> Self {
        Self { positions: positions.into(), ..Self::default() }
    }

    /// Creates triangles; each three indices are one.
    #[must_use]
    pub fn from_triangles(positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        Self { positions: positions.into(), indices: Some(indices), ..Self::default() }
    }

    /// Sets the topology.
    #[must_use]
    pub fn with_topology(self, topology: Topology) -> Self {
        Self { topology, ..self }
    }

    /// Sets the normals.
    #[must_use]
    pub fn with_normals(self, normals: Vec<Vec3>) -> Self {
        Self { normals: normals.into(), ..self }
    }

    /// Sets the tangents.
    #[must_use]
    pub fn with_tangents(self, tangents: Vec<Vec4>) -> Self {
        Self { tangents: tangents.into(), ..self }
    }

    /// Adds a set of texture coordinates.
    #[must_use]
    pub fn with_uvs(mut self, uvs: Vec<Vec2>) -> Self {
        self.uvs.push(uvs.into());
        self
    }

    /// Adds a set of colours.
    #[must_use]
    pub fn with_colors(mut self, colors: Vec<Vec4>) -> Self {
        self.colors.push(colors.into());
        self
    }

    /// Adds a set of four joint influences per vertex.
    #[must_use]
    pub fn with_influences(mut self, joints: Vec<[u16; 4]>, weights: Vec<[f32; 4]>) -> Self {
        self.influences.push(Influences { joints: joints.into(), weights: weights.into() });
        self
    }

    /// Sets the indices.
    #[must_use]
    pub fn with_indices(self, indices: Vec<u32>) -> Self {
        Self { indices: Some(indices), ..self }
    }

    /// Adds a morph target.
    #[must_use]
    pub fn with_morph_target(mut self, target: MorphTarget) -> Self {
        self.morph_targets.push(target);
        self
    }

    /// Sets the index into the mesh's materials of each triangle.
    #[must_use]
    pub fn with_face_materials(self, face_materials: Vec<u32>) -> Self {
        Self { face_materials, ..self }
    }

    /// Computes the bounds of all positions, whether primitives use them or not; [`Aabb::EMPTY`] if
    /// there are none. Of [shared](VertexData::shared) positions only those with an index count,
    /// since the others most likely belong to other geometries.
    ///
    /// Positions that are not finite are ignored. O(n); [a handle](crate::Handle#method.bounds)
    /// caches it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match &self.indices {
            Some(indices) if self.positions.shared_id().is_some() => {
                let position = |&index: &u32| self.positions.get(index as usize).copied();
                Aabb::from_points(indices.iter().filter_map(position))
            }
            _ => self.positions.bounds(),
        }
    }

    /// Sets the index into the mesh's materials of each vertex, which the triangles that begin with
    /// it have.
    ///
    /// ```
    /// use pleach::{Geometry, glam::Vec3};
    ///
    /// let roof = Geometry::from_triangles(vec![Vec3::ZERO; 4], vec![0, 1, 2, 3, 2, 1])
    ///     .with_vertex_materials(vec![0, 0, 0, 1]);
    /// assert_eq!([0, 1].map(|triangle| roof.face_material(triangle)), [0, 1]);
    /// ```
    #[must_use]
    pub fn with_vertex_materials(self, vertex_materials: Vec<u32>) -> Self {
        Self { vertex_materials, ..self }
    }

    /// Returns the index into the mesh's materials of a triangle: that of the face, or of its first
    /// vertex, or 0.
    #[must_use]
    pub fn face_material(&self, triangle: usize) -> u32 {
        if self.face_materials.is_empty() && !self.vertex_materials.is_empty() {
            let first = self.triangle(triangle).map(|[first, ..]| first as usize);
            let material = first.and_then(|first| self.vertex_materials.get(first));
            return material.copied().unwrap_or(0);
        }
        self.face_materials.get(triangle).copied().unwrap_or(0)
    }

    /// Returns the number of materials that a mesh must have: one more than the maximum of
    /// [`face_materials`](Self::face_materials), or of
    /// [`vertex_materials`](Self::vertex_materials). O(n).
    #[must_use]
    pub fn material_count(&self) -> usize {
        let indices = match &self.face_materials[..] {
            [] => &self.vertex_materials,
            faces => faces,
        };
        1 + indices.iter().max().map_or(0, |&max| max as usize)
    }
}
