//! Attribute descriptors: what the stream declares about its attributes before their values.
//!
//! Attributes come in *groups* (Draco's attributes decoders), which share a corner table and an
//! order of values.

use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::connectivity::Connectivity;
use crate::{AttributeKind, ComponentType, Error};

/// The maximum number of attributes of a mesh. glTF names a dozen; each takes time, whatever its
/// size.
const MAX_ATTRIBUTES: usize = 256;

/// Attributes that share a corner table and an order of values.
pub(crate) struct AttributeGroup {
    /// `None` if the values are in the order of points.
    pub(crate) traversal: Option<Traversal>,
    pub(crate) descriptors: Vec<AttributeDescriptor>,
}

/// The order of values.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Traversal {
    /// The index of the corner table.
    pub(crate) corner_table: usize,
    pub(crate) method: TraversalMethod,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum TraversalMethod {
    DepthFirst,
    MaxPredictionDegree,
}

/// The properties of one attribute.
#[derive(Clone, Copy)]
pub(crate) struct AttributeDescriptor {
    pub(crate) unique_id: u32,
    pub(crate) kind: AttributeKind,
    pub(crate) components: usize,
    pub(crate) data_type: DataType,
    pub(crate) normalized: bool,
    pub(crate) encoding: Encoding,
    /// `true` for the first position attribute, from which other attributes are predicted.
    pub(crate) is_prediction_source: bool,
}

impl AttributeDescriptor {
    /// Returns the size of a value in bytes.
    pub(crate) fn value_size(&self) -> usize {
        self.components * self.data_type.size()
    }

    /// Returns the number of integers that encode a value.
    pub(crate) fn integers_per_value(&self) -> usize {
        if self.encoding == Encoding::Octahedral { 2 } else { self.components }
    }
}

/// The encoding of the values.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Encoding {
    /// Uncompressed bytes.
    Raw,
    /// Integers.
    Integer,
    /// Floats, quantized to integers.
    Quantized,
    /// Normals, quantized to octahedral coordinates.
    Octahedral,
}

/// Draco's number of a component type: 1 to 11.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct DataType(u8);

impl DataType {
    const FLOAT32: Self = Self(9);

    /// Returns the size of a component in bytes.
    pub(crate) fn size(self) -> usize {
        match self.0 {
            1 | 2 | 11 => 1,
            3 | 4 => 2,
            5 | 6 | 9 => 4,
            _ => 8,
        }
    }

    /// Returns the public component type, or `None` for 64-bit and boolean types.
    pub(crate) fn component_type(self) -> Option<ComponentType> {
        Some(match self.0 {
            1 => ComponentType::I8,
            2 => ComponentType::U8,
            3 => ComponentType::I16,
            4 => ComponentType::U16,
            5 => ComponentType::I32,
            6 => ComponentType::U32,
            9 => ComponentType::F32,
            _ => return None,
        })
    }

    fn is_integer(self) -> bool {
        (1..=6).contains(&self.0)
    }
}

/// Reads the descriptors of all groups.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    connectivity: &Connectivity,
    budget: &mut Budget,
) -> Result<Vec<AttributeGroup>, Error> {
    let count = reader.u8()?.into();
    let mut groups: Vec<AttributeGroup> = budget.vec_with_capacity(count)?;
    for _ in 0..count {
        let is_sequential = connectivity.corner_tables.is_empty();
        let traversal =
            if is_sequential { None } else { Some(read_traversal(reader, connectivity)?) };
        groups.push(AttributeGroup { traversal, descriptors: Vec::new() });
    }
    let mut remaining = MAX_ATTRIBUTES;
    let mut has_positions = false;
    for group in &mut groups {
        let count = reader.count()?;
        let malformed = Error::Malformed("it has more than 256 attributes, or an empty group");
        remaining = remaining.checked_sub(count).filter(|_| count > 0).ok_or(malformed)?;
        group.descriptors = budget.vec_with_capacity(count)?;
        for _ in 0..count {
            group.descriptors.push(read_descriptor(reader, &mut has_positions)?);
        }
        for descriptor in &mut group.descriptors {
            descriptor.encoding = read_encoding(reader, descriptor)?;
        }
    }
    Ok(groups)
}

fn read_traversal(
    reader: &mut Reader<'_>,
    connectivity: &Connectivity,
) -> Result<Traversal, Error> {
    let (seams, is_corner_attribute, method) = (reader.i8()?, reader.u8()?, reader.u8()?);
    let method = match method {
        0 => TraversalMethod::DepthFirst,
        1 => TraversalMethod::MaxPredictionDegree,
        _ => {
            return Err(Error::Unsupported { field: "traversal method", value: method.into() });
        }
    };
    let no_seams = Error::Malformed("an attribute refers to seams that do not exist");
    let corner_table = match usize::try_from(seams) {
        Ok(seams) => Some(*connectivity.attribute_tables.get(seams).ok_or(no_seams)?),
        Err(_) => None,
    };
    match (is_corner_attribute, corner_table) {
        (0, _) => Ok(Traversal { corner_table: 0, method }),
        (_, Some(corner_table)) if method == TraversalMethod::DepthFirst => {
            Ok(Traversal { corner_table, method })
        }
        _ => Err(Error::Malformed("an attribute has no corner table")),
    }
}

/// Reads a descriptor, except for its encoding.
fn read_descriptor(
    reader: &mut Reader<'_>,
    has_positions: &mut bool,
) -> Result<AttributeDescriptor, Error> {
    let kind = match reader.u8()? {
        0 => AttributeKind::Position,
        1 => AttributeKind::Normal,
        2 => AttributeKind::Color,
        3 => AttributeKind::TexCoord,
        _ => AttributeKind::Generic,
    };
    let data_type = DataType(reader.u8()?);
    let (components, normalized) = (usize::from(reader.u8()?), reader.u8()? != 0);
    let unique_id = reader.varint()?;
    if components == 0 || !(1..=11).contains(&data_type.0) {
        return Err(Error::Malformed("an attribute has no components or an unknown type"));
    }
    let is_position = kind == AttributeKind::Position;
    let is_prediction_source = is_position && components == 3 && !*has_positions;
    *has_positions |= is_position;
    Ok(AttributeDescriptor {
        unique_id,
        kind,
        components,
        data_type,
        normalized,
        encoding: Encoding::Raw,
        is_prediction_source,
    })
}

fn read_encoding(
    reader: &mut Reader<'_>,
    descriptor: &AttributeDescriptor,
) -> Result<Encoding, Error> {
    let is_float = descriptor.data_type == DataType::FLOAT32;
    Ok(match reader.u8()? {
        0 => Encoding::Raw,
        1 if descriptor.data_type.is_integer() => Encoding::Integer,
        2 if is_float => Encoding::Quantized,
        3 if is_float && descriptor.components == 3 => Encoding::Octahedral,
        1..=3 => return Err(Error::Malformed("the encoding of an attribute is of another type")),
        encoding => {
            return Err(Error::Unsupported { field: "attribute encoding", value: encoding.into() });
        }
    })
}
