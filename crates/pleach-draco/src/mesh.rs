//! The result of a decode: indices, and one value per point for each attribute.

/// A decoded triangular mesh.
///
/// Guarantees, for any stream that was decoded:
///
/// - `indices.len()` is a multiple of 3, and every index is below `point_count`;
/// - each attribute has exactly `point_count` values;
/// - points and triangles are in the order of the reference decoder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mesh {
    /// The number of points; what glTF calls vertices.
    pub point_count: usize,
    /// Three point indices per triangle.
    pub indices: Vec<u32>,
    /// The attributes in the order of the stream. Attributes of 64-bit and boolean types,
    /// which glTF does not have, are left out.
    pub attributes: Vec<Attribute>,
}

/// An attribute of a [`Mesh`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attribute {
    /// The id that `KHR_draco_mesh_compression` refers to the attribute by.
    pub unique_id: u32,
    /// The meaning of the values.
    pub kind: AttributeKind,
    /// The number of components per value: 1 to 255.
    pub components: usize,
    /// The type of each component.
    pub component_type: ComponentType,
    /// `true` if integers represent fractions of their type's maximum.
    pub normalized: bool,
    /// The values, one per point in the order of the points, tightly packed and little-endian.
    pub bytes: Vec<u8>,
}

/// The meaning of the values of an [`Attribute`], as stored by the encoder.
///
/// glTF ignores it: there, attributes are found by [`Attribute::unique_id`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttributeKind {
    /// Positions.
    Position,
    /// Normals.
    Normal,
    /// Vertex colors.
    Color,
    /// Texture coordinates.
    TexCoord,
    /// Anything else.
    Generic,
}

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentType {
    /// `i8`.
    I8,
    /// `u8`.
    U8,
    /// `i16`.
    I16,
    /// `u16`.
    U16,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
}

impl ComponentType {
    /// Returns the size of a component in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
        }
    }
}
