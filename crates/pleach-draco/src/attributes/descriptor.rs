//! What the stream says of its attributes before their values.
//!
//! Attributes come in *groups*, which share a connectivity and an order of values.

use crate::Component;
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::connectivity::seams::Mesh;
use crate::error::Fault;

/// The most attributes of a mesh. glTF names a dozen; each costs time, whatever its size.
const MOST: usize = 256;

/// Attributes of one connectivity and order.
pub(crate) struct Group {
    /// None for values in the order of points.
    pub(crate) walk: Option<Walk>,
    pub(crate) heads: Vec<Head>,
}

/// In which order values come.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Walk {
    /// The connectivity, as one of the mesh's tables.
    pub(crate) table: usize,
    /// Whether it is the best predicted first, and not depth first.
    pub(crate) best_first: bool,
}

/// One attribute.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) id: u32,
    pub(crate) components: usize,
    pub(crate) kind: Kind,
    pub(crate) normalized: bool,
    pub(crate) coding: Coding,
    /// Whether it is what others are predicted from: the first that has positions.
    pub(crate) is_position: bool,
}

impl Head {
    /// The bytes of a value.
    pub(crate) fn size(&self) -> usize {
        self.components * self.kind.size()
    }

    /// How many integers stand for a value.
    pub(crate) fn integers(&self) -> usize {
        if self.coding == Coding::Normals { 2 } else { self.components }
    }
}

/// How values are written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Coding {
    /// As they are.
    Plain,
    /// Integers.
    Integers,
    /// Floats, as integers between two bounds.
    Floats,
    /// Normals, as places on an octahedron.
    Normals,
}

/// Draco's number for the type of a component: 1 to 11.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Kind(u8);

impl Kind {
    const FLOAT: Self = Self(9);

    /// The bytes of a component.
    pub(crate) fn size(self) -> usize {
        match self.0 {
            1 | 2 | 11 => 1,
            3 | 4 => 2,
            5 | 6 | 9 => 4,
            _ => 8,
        }
    }

    /// glTF's type, if it has one: not 64 bits, not truth values.
    pub(crate) fn component(self) -> Option<Component> {
        Some(match self.0 {
            1 => Component::I8,
            2 => Component::U8,
            3 => Component::I16,
            4 => Component::U16,
            5 => Component::I32,
            6 => Component::U32,
            9 => Component::F32,
            _ => return None,
        })
    }

    fn is_integer(self) -> bool {
        (1..=6).contains(&self.0)
    }
}

/// Reads all groups.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    mesh: &Mesh,
    room: &mut Room,
) -> Result<Vec<Group>, Fault> {
    let count = reader.u8()?.into();
    let mut groups: Vec<Group> = room.empty(count)?;
    for _ in 0..count {
        let walk = if mesh.tables.is_empty() { None } else { Some(walk(reader, mesh)?) };
        groups.push(Group { walk, heads: Vec::new() });
    }
    let mut left = MOST;
    let mut has_positions = false;
    for group in &mut groups {
        let count = reader.count()?;
        let more = Fault::Broken("it has more than 256 attributes, or a group of none");
        left = left.checked_sub(count).filter(|_| count > 0).ok_or(more)?;
        group.heads = room.empty(count)?;
        for _ in 0..count {
            group.heads.push(head(reader, &mut has_positions)?);
        }
        for head in &mut group.heads {
            head.coding = coding(reader, head)?;
        }
    }
    Ok(groups)
}

fn walk(reader: &mut Reader<'_>, mesh: &Mesh) -> Result<Walk, Fault> {
    let (seams, by_corner, order) = (reader.i8()?, reader.u8()?, reader.u8()?);
    let best_first = match order {
        0 => false,
        1 => true,
        order => return Err(Fault::Unknown("attributes in order", order.into())),
    };
    let no_seams = Fault::Broken("an attribute has seams that are not there");
    let table = match usize::try_from(seams) {
        Ok(seams) => Some(*mesh.cuts.get(seams).ok_or(no_seams)?),
        Err(_) => None,
    };
    match (by_corner, table) {
        (0, _) => Ok(Walk { table: 0, best_first }),
        (_, Some(table)) if !best_first => Ok(Walk { table, best_first }),
        _ => Err(Fault::Broken("an attribute has no connectivity")),
    }
}

/// An attribute, all but its coding.
fn head(reader: &mut Reader<'_>, has_positions: &mut bool) -> Result<Head, Fault> {
    let (meant, kind) = (reader.u8()?, Kind(reader.u8()?));
    let (components, normalized) = (usize::from(reader.u8()?), reader.u8()? != 0);
    let id = reader.varint()?;
    if components == 0 || !(1..=11).contains(&kind.0) {
        return Err(Fault::Broken("an attribute has no components, or no type"));
    }
    let is_position = meant == 0 && components == 3 && !*has_positions;
    *has_positions |= meant == 0;
    Ok(Head { id, components, kind, normalized, coding: Coding::Plain, is_position })
}

fn coding(reader: &mut Reader<'_>, head: &Head) -> Result<Coding, Fault> {
    Ok(match reader.u8()? {
        0 => Coding::Plain,
        1 if head.kind.is_integer() => Coding::Integers,
        2 if head.kind == Kind::FLOAT => Coding::Floats,
        3 if head.kind == Kind::FLOAT && head.components == 3 => Coding::Normals,
        1..=3 => return Err(Fault::Broken("an attribute is coded as another type")),
        coding => return Err(Fault::Unknown("an attribute coded in way", coding.into())),
    })
}
