//! `Geometry`: the vertices of a mesh and what they form, as plain data.
//!
//! Columns by vertex, as a GPU and glTF want them; an empty column is one that is not there.
//! Nothing is enforced while it is put together: `check.rs` tells what does not fit.
//! What is worked out (bounds, the tree for picking) is not in here but beside it, with the
//! handle (`derived.rs`), so that a field can be changed without leaving anything stale.
//! Columns that several geometries have in common remember it themselves (`column.rs`).

mod cache;
mod joint_bounds;
mod memory;
mod normals;
mod skinning;
mod triangles;
mod validate;
mod vertex_data;

pub use cache::GeometryDerived;
pub(crate) use joint_bounds::JointBounds;
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
/// All columns by vertex are as long as [`positions`](Self::positions), or empty if the
/// geometry has none. Fronts are counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// What the vertices form.
    pub topology: Topology,
    /// Where the vertices are, in the space of the mesh's node.
    pub positions: VertexData<Vec3>,
    /// Which way the surface faces, of length 1.
    pub normals: VertexData<Vec3>,
    /// The direction of growing u, of length 1, and in `w` 1 or −1: the bitangent is
    /// `normal.cross(tangent) * w`.
    pub tangents: VertexData<Vec4>,
    /// Sets of texture coordinates. (0, 0) is the upper left corner of an image.
    pub uvs: Vec<VertexData<Vec2>>,
    /// Sets of colours: linear red, green and blue, and alpha.
    pub colors: Vec<VertexData<Vec4>>,
    /// Sets of joints that move the vertices, four a set.
    pub influences: Vec<Influences>,
    /// Which vertices, in turn. `None`: all in their order.
    pub indices: Option<Vec<u32>>,
    /// Other shapes to blend with.
    pub morph_targets: Vec<MorphTarget>,
    /// By triangle: which material of the mesh's palette. Empty: the first, for all.
    pub face_materials: Vec<u32>,
}

/// What the vertices of a [`Geometry`] form. Vertices left over at the end form nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Each is a point.
    Points,
    /// Each two are a line.
    Lines,
    /// Each is joined with the next, and the last with the first.
    LineLoop,
    /// Each is joined with the next.
    LineStrip,
    /// Each three are a triangle.
    #[default]
    Triangles,
    /// Each is a triangle with the next two, every other one the other way round.
    TriangleStrip,
    /// Each two that follow one another are a triangle with the first.
    TriangleFan,
}

/// Four joints that move each vertex, and how much.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// By vertex: places in the skin's list of joints.
    pub joints: VertexData<[u16; 4]>,
    /// By vertex: the weights of these joints, not negative. Those of all sets sum to 1.
    pub weights: VertexData<[f32; 4]>,
}

impl Geometry {
    /// Triangles of each three positions.
    #[must_use]
    pub fn from_positions(positions: Vec<Vec3>) -> Self {
        Self { positions: positions.into(), ..Self::default() }
    }

    /// Triangles of each three indices.
    #[must_use]
    pub fn from_triangles(positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        Self { positions: positions.into(), indices: Some(indices), ..Self::default() }
    }

    /// Forms something else of the vertices.
    #[must_use]
    pub fn with_topology(self, topology: Topology) -> Self {
        Self { topology, ..self }
    }

    /// With these normals.
    #[must_use]
    pub fn with_normals(self, normals: Vec<Vec3>) -> Self {
        Self { normals: normals.into(), ..self }
    }

    /// With these tangents.
    #[must_use]
    pub fn with_tangents(self, tangents: Vec<Vec4>) -> Self {
        Self { tangents: tangents.into(), ..self }
    }

    /// With one more set of texture coordinates.
    #[must_use]
    pub fn with_uvs(mut self, uvs: Vec<Vec2>) -> Self {
        self.uvs.push(uvs.into());
        self
    }

    /// With one more set of colours.
    #[must_use]
    pub fn with_colors(mut self, colors: Vec<Vec4>) -> Self {
        self.colors.push(colors.into());
        self
    }

    /// With one more set of four joints a vertex.
    #[must_use]
    pub fn with_influences(mut self, joints: Vec<[u16; 4]>, weights: Vec<[f32; 4]>) -> Self {
        self.influences.push(Influences { joints: joints.into(), weights: weights.into() });
        self
    }

    /// With these indices.
    #[must_use]
    pub fn with_indices(self, indices: Vec<u32>) -> Self {
        Self { indices: Some(indices), ..self }
    }

    /// With one more morph target.
    #[must_use]
    pub fn with_morph_target(mut self, target: MorphTarget) -> Self {
        self.morph_targets.push(target);
        self
    }

    /// With these places in the mesh's palette of materials, one a triangle.
    #[must_use]
    pub fn with_face_materials(self, face_materials: Vec<u32>) -> Self {
        Self { face_materials, ..self }
    }

    /// The box of all positions, used or not; [`Aabb::EMPTY`] if there are none. Of positions that
    /// are [shared](VertexData::shared) only those count that its indices name, since the others are most
    /// likely for other geometries.
    ///
    /// Positions that are not finite are left out. O(n);
    /// [a handle](crate::Handle#method.bounds) remembers it.
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

    /// Which material of the mesh's palette a triangle has.
    #[must_use]
    pub fn face_material(&self, triangle: usize) -> u32 {
        self.face_materials.get(triangle).copied().unwrap_or(0)
    }

    /// How many materials the palette of a mesh must have: one more than the greatest of
    /// [`face_materials`](Self::face_materials). O(n).
    #[must_use]
    pub fn material_count(&self) -> usize {
        1 + self.face_materials.iter().max().map_or(0, |&max| max as usize)
    }
}
