//! Attributes: from the stream to one value by point.
//!
//! They come in *groups* that share a connectivity and an order. A group's integers are read
//! first, then what turns them into floats. Positions are kept as integers to the end, as
//! later groups may be predicted from them.

use super::corners::{NONE, at, set};
use super::fault::Fault;
use super::order::{Order, best_first, depth_first};
use super::predict::{Creases, Place, Positions, Wrap};
use super::rans::Flags;
use super::reader::Reader;
use super::room::Room;
use super::seams::Mesh;
use super::texcoords::Sides;
use super::normals::{self, Square};
use super::{Attribute, Component, numbers, predict, texcoords};

/// The most attributes of a mesh. glTF names a dozen; each costs time, whatever its size.
const MOST: usize = 256;

/// Attributes of one connectivity and order.
struct Group {
    /// The connectivity, and whether its order is the best predicted first.
    walk: Option<(usize, bool)>,
    attributes: Vec<Head>,
}

/// What the stream says of an attribute before its values.
#[derive(Clone, Copy)]
struct Head {
    is_position: bool,
    kind: u8,
    components: usize,
    normalized: bool,
    id: u32,
    coding: Coding,
}

/// How values are written.
#[derive(Clone, Copy, PartialEq)]
enum Coding {
    /// As they are.
    Plain,
    /// Integers.
    Integers,
    /// Floats, as integers between two bounds.
    Floats,
    /// Normals, as places on an octahedron.
    Normals,
}

/// Integers, or the bytes of a plain attribute.
enum Values<'a> {
    Integers(Vec<i32>),
    Plain(&'a [u8]),
}

/// What makes integers to what they stand for.
enum Meaning {
    Same,
    Scaled { least: Vec<f32>, scale: f32 },
    Directions(Square),
}

/// The positions, and the group they are in.
struct Kept {
    group: usize,
    values: Vec<i32>,
}

/// Reads all attributes. `mesh` has tables unless the triangles were written in sequence.
pub(super) fn read(
    reader: &mut Reader<'_>,
    mesh: &Mesh,
    room: &mut Room,
) -> Result<Vec<Attribute>, Fault> {
    let groups = heads(reader, mesh, room)?;
    let mut result = room.empty(groups.iter().map(|group| group.attributes.len()).sum())?;
    let mut walks: Vec<(usize, bool)> = room.empty(groups.len())?;
    // By walk.
    let mut orders: Vec<Order> = room.empty(groups.len())?;
    // By group: which walk it has.
    let mut ordered: Vec<Option<usize>> = room.empty(groups.len())?;
    let mut positions: Option<Kept> = None;
    for (number, group) in groups.iter().enumerate() {
        let order = match group.walk {
            None => None,
            Some(walk) => Some(match walks.iter().position(|&other| other == walk) {
                Some(known) => known,
                None => {
                    let table = &mesh.tables[walk.0];
                    let best = walk.1;
                    orders.push(if best { best_first } else { depth_first }(table, room)?);
                    walks.push(walk);
                    walks.len() - 1
                }
            }),
        };
        ordered.push(order);
        let place = |group: usize| -> Option<Place<'_>> {
            let order = (*ordered.get(group)?)?;
            Some(Place { corners: &mesh.tables[walks[order].0], order: &orders[order] })
        };
        let entries = place(number).map_or(mesh.points, |place| place.order.corner.len());

        let mut values = room.empty(group.attributes.len())?;
        for head in &group.attributes {
            if head.coding == Coding::Plain {
                let size = entries.saturating_mul(head.components * size_of_kind(head.kind));
                values.push(Values::Plain(reader.bytes(size)?));
                continue;
            }
            let known = positions.as_ref().and_then(|kept| {
                Some(Positions { place: place(kept.group)?, values: &kept.values })
            });
            let integers = integers(reader, head, entries, place(number), known, room)?;
            if head.is_position && positions.is_none() && head.components == 3 {
                let mut values = room.empty(integers.len())?;
                values.extend_from_slice(&integers);
                positions = Some(Kept { group: number, values });
            }
            values.push(Values::Integers(integers));
        }
        let mut meanings = room.empty(group.attributes.len())?;
        for head in &group.attributes {
            meanings.push(Meaning::read(reader, head, room)?);
        }

        let entry = place(number).map(|place| entry_by_point(mesh, place, room)).transpose()?;
        for ((head, values), meaning) in group.attributes.iter().zip(values).zip(meanings) {
            if let Some(component) = component(head.kind) {
                let size = head.components * size_of_kind(head.kind);
                let mut bytes = room.empty(mesh.points.saturating_mul(size))?;
                for point in 0..mesh.points {
                    let entry = entry.as_ref().map_or(point, |entry| entry[point] as usize);
                    put(&mut bytes, head, &values, &meaning, entry)?;
                }
                let Head { id, components, normalized, .. } = *head;
                result.push(Attribute { id, components, component, normalized, bytes });
            }
            if let Values::Integers(values) = values {
                room.give(values);
            }
        }
        if let Some(entry) = entry {
            room.give(entry);
        }
    }
    Ok(result)
}

/// Reads what comes before the values.
fn heads(reader: &mut Reader<'_>, mesh: &Mesh, room: &mut Room) -> Result<Vec<Group>, Fault> {
    let count = reader.u8()?.into();
    let mut groups: Vec<Group> = room.empty(count)?;
    for _ in 0..count {
        let walk = if mesh.tables.is_empty() { None } else { Some(walk(reader, mesh)?) };
        groups.push(Group { walk, attributes: Vec::new() });
    }
    let mut left = MOST;
    let mut has_position = false;
    for group in &mut groups {
        let count = reader.count()?;
        let more = Fault::Broken("it has more than 256 attributes, or a group of none");
        left = left.checked_sub(count).filter(|_| count > 0).ok_or(more)?;
        group.attributes = room.empty(count)?;
        for _ in 0..count {
            let (meant, kind) = (reader.u8()?, reader.u8()?);
            let (components, normalized) = (usize::from(reader.u8()?), reader.u8()? != 0);
            let id = reader.varint()?;
            if components == 0 || !(1..=11).contains(&kind) {
                return Err(Fault::Broken("an attribute has no components, or no type"));
            }
            // Only the first attribute of positions predicts others.
            let is_position = meant == 0 && !has_position;
            has_position |= is_position;
            let coding = Coding::Plain;
            group.attributes.push(Head { is_position, kind, components, normalized, id, coding });
        }
        for head in &mut group.attributes {
            head.coding = match reader.u8()? {
                0 => Coding::Plain,
                1 if kind_is_integer(head.kind) => Coding::Integers,
                2 if head.kind == FLOAT => Coding::Floats,
                3 if head.kind == FLOAT && head.components == 3 => Coding::Normals,
                1..=3 => return Err(Fault::Broken("an attribute is coded as another type")),
                coding => return Err(Fault::Unknown("an attribute coded in way", coding.into())),
            };
        }
    }
    Ok(groups)
}

/// Which connectivity a group has, and in which order its values are.
fn walk(reader: &mut Reader<'_>, mesh: &Mesh) -> Result<(usize, bool), Fault> {
    let (seams, by_corner, order) = (reader.i8()?, reader.u8()?, reader.u8()?);
    let best = match order {
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
        (0, _) => Ok((0, best)),
        (1, Some(table)) if !best => Ok((table, false)),
        _ => Err(Fault::Broken("an attribute has no connectivity")),
    }
}

/// Reads integers and undoes their prediction.
fn integers(
    reader: &mut Reader<'_>,
    head: &Head,
    entries: usize,
    place: Option<Place<'_>>,
    positions: Option<Positions<'_>>,
    room: &mut Room,
) -> Result<Vec<i32>, Fault> {
    let normals = head.coding == Coding::Normals;
    let components = if normals { 2 } else { head.components };
    let scheme = reader.i8()?;
    if scheme == -2 {
        return differences(reader, entries, components, true, room);
    }
    let transform = reader.i8()?;
    if transform != if normals { 3 } else { 1 } {
        return Err(Fault::Unknown("differences of kind", transform as u8 as u32));
    }
    let mut values = differences(reader, entries, components, !normals, room)?;
    let no_positions = Fault::Broken("values are predicted from positions that are not there");
    match (scheme, place) {
        (6, Some(place)) if normals => {
            let square = Square::read(reader)?;
            let flags = Flags::read(reader)?;
            let positions = positions.ok_or(no_positions)?;
            normals::from_positions(&mut values, place, positions, square, flags)?;
        }
        (0..=6, _) if normals => normals::from_last(&mut values, Square::read(reader)?),
        (1, Some(place)) => {
            predict::parallelogram(&mut values, components, place, Wrap::read(reader)?);
        }
        (4, Some(place)) => {
            let mut creases = Creases::read(reader, place.corners, room)?;
            let wrap = Wrap::read(reader)?;
            predict::parallelograms(&mut values, components, place, wrap, &mut creases)?;
            creases.give(room);
        }
        (5, Some(place)) if components == 2 => {
            let mut sides = Sides::read(reader, entries, room)?;
            let wrap = Wrap::read(reader)?;
            let positions = positions.ok_or(no_positions)?;
            texcoords::restore(&mut values, place, positions, wrap, &mut sides)?;
            sides.give(room);
        }
        // Without a connectivity, every scheme is this one.
        (0, _) | (1..=6, None) => {
            predict::from_last(&mut values, components, Wrap::read(reader)?);
        }
        _ => return Err(Fault::Unknown("prediction scheme", scheme as u8 as u32)),
    }
    Ok(values)
}

/// Reads numbers; signed ones have their sign in the lowest bit.
fn differences(
    reader: &mut Reader<'_>,
    entries: usize,
    components: usize,
    signed: bool,
    room: &mut Room,
) -> Result<Vec<i32>, Fault> {
    let make = |number: u32| match signed {
        true => (number >> 1) as i32 ^ -((number & 1) as i32),
        false => number as i32,
    };
    if reader.u8()? > 0 {
        return numbers::read(reader, entries, components, room, make);
    }
    let size = usize::from(reader.u8()?);
    if size > 4 {
        return Err(Fault::Broken("an integer has more than 4 bytes"));
    }
    let count = entries.saturating_mul(components);
    let bytes = reader.bytes(count.saturating_mul(size))?;
    let mut numbers = room.empty(count)?;
    for at in 0..count {
        let bytes = bytes[at * size..].iter().take(size).rev();
        numbers.push(make(bytes.fold(0, |number, &byte| number << 8 | u32::from(byte))));
    }
    Ok(numbers)
}

impl Meaning {
    fn read(reader: &mut Reader<'_>, head: &Head, room: &mut Room) -> Result<Self, Fault> {
        Ok(match head.coding {
            Coding::Plain | Coding::Integers => Self::Same,
            Coding::Normals => Self::Directions(Square::new(reader.u8()?.into())?),
            Coding::Floats => {
                let mut least = room.empty(head.components)?;
                for _ in 0..head.components {
                    least.push(reader.f32()?);
                }
                let range = reader.f32()?;
                let bits = reader.u8()?;
                if !(1..=30).contains(&bits) {
                    return Err(Fault::Broken("floats have no bits, or more than 30"));
                }
                Self::Scaled { least, scale: range / ((1 << bits) - 1) as f32 }
            }
        })
    }
}

/// By point: which entry it has.
fn entry_by_point(mesh: &Mesh, place: Place<'_>, room: &mut Room) -> Result<Vec<u32>, Fault> {
    let mut entries = room.filled(mesh.points, NONE)?;
    for (&point, &vertex) in mesh.point.iter().zip(&place.corners.vertex) {
        set(&mut entries, point, at(&place.order.entry, vertex));
    }
    if entries.contains(&NONE) {
        return Err(Fault::Broken("a point has no value"));
    }
    Ok(entries)
}

/// Puts the value of an entry behind those before, little endian.
fn put(
    bytes: &mut Vec<u8>,
    head: &Head,
    values: &Values<'_>,
    meaning: &Meaning,
    entry: usize,
) -> Result<(), Fault> {
    let size = head.components * size_of_kind(head.kind);
    let values = match values {
        Values::Plain(plain) => {
            let value = plain.get(entry * size..entry * size + size).ok_or(Fault::Ends)?;
            bytes.extend_from_slice(value);
            return Ok(());
        }
        Values::Integers(values) => values,
    };
    let components = if head.coding == Coding::Normals { 2 } else { head.components };
    let value = values.get(entry * components..(entry + 1) * components).ok_or(Fault::Ends)?;
    match meaning {
        Meaning::Same => {
            let size = size_of_kind(head.kind);
            value.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()[..size]));
        }
        Meaning::Scaled { least, scale } => {
            for (&value, least) in value.iter().zip(least) {
                bytes.extend_from_slice(&(value as f32 * scale + least).to_le_bytes());
            }
        }
        Meaning::Directions(square) => {
            for value in square.direction([value[0], value[1]]) {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// Draco's number for floats.
const FLOAT: u8 = 9;

fn kind_is_integer(kind: u8) -> bool {
    (1..=6).contains(&kind)
}

/// The bytes of a component, by Draco's number of its type.
fn size_of_kind(kind: u8) -> usize {
    match kind {
        1 | 2 | 11 => 1,
        3 | 4 => 2,
        5 | 6 | FLOAT => 4,
        _ => 8,
    }
}

/// glTF's type, if it has one.
fn component(kind: u8) -> Option<Component> {
    Some(match kind {
        1 => Component::I8,
        2 => Component::U8,
        3 => Component::I16,
        4 => Component::U16,
        5 => Component::I32,
        6 => Component::U32,
        FLOAT => Component::F32,
        _ => return None,
    })
}
