//! Attributes: from the stream to one value by point, group by group.
//!
//! A group's integers come first, then what they stand for. Positions stay integers to the
//! end, as groups behind may be predicted from them.

use crate::Attribute;
use crate::attributes::descriptor as heads;
use crate::attributes::descriptor::{Coding, Group, Walk};
use crate::attributes::integer_values as integers;
use crate::attributes::transform::{Meaning, Values, by_point};
use crate::attributes::traversal::{Order, best_first, depth_first};
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::connectivity::corner_table::{NONE, at, set};
use crate::connectivity::seams::Mesh;
use crate::error::Fault;
use crate::prediction::parallelogram::{Place, Positions};

/// Reads all attributes.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    mesh: &Mesh,
    room: &mut Room,
) -> Result<Vec<Attribute>, Fault> {
    let groups = heads::read(reader, mesh, room)?;
    let mut attributes = room.empty(groups.iter().map(|group| group.heads.len()).sum())?;
    let mut known = Known::new(mesh, groups.len(), room)?;
    for group in &groups {
        known.add_order(group.walk, room)?;
        let values = known.read_values(reader, group, room)?;
        let mut meanings = room.empty(group.heads.len())?;
        for head in &group.heads {
            meanings.push(Meaning::read(reader, head, room)?);
        }

        for ((head, values), meaning) in group.heads.iter().zip(values).zip(meanings) {
            if let Some(component) = head.kind.component() {
                let bytes = match known.entries() {
                    None => by_point(head, &values, &meaning, 0..mesh.points, room),
                    Some(entries) => {
                        let entries = entries.iter().map(|&entry| entry as usize);
                        by_point(head, &values, &meaning, entries, room)
                    }
                }?;
                let &heads::Head { id, components, normalized, .. } = head;
                attributes.push(Attribute { id, components, component, normalized, bytes });
            }
            match values {
                Values::Integers(values) if head.is_position => known.keep_positions(values),
                Values::Integers(values) => room.give(values),
                Values::Plain(_) => (),
            }
        }
    }
    Ok(attributes)
}

/// What is known so far, for the groups behind.
struct Known<'a> {
    mesh: &'a Mesh,
    /// The walks that were taken, and what came of them: groups may share these.
    walks: Vec<Walk>,
    orders: Vec<Order>,
    /// By walk, by point: its entry.
    entries: Vec<Vec<u32>>,
    /// By group: which walk it has. The last is the group that is being read.
    groups: Vec<Option<usize>>,
    /// The positions, and their group.
    positions: Option<(usize, Vec<i32>)>,
}

impl<'a> Known<'a> {
    fn new(mesh: &'a Mesh, groups: usize, room: &mut Room) -> Result<Self, Fault> {
        Ok(Self {
            mesh,
            walks: room.empty(groups)?,
            orders: room.empty(groups)?,
            entries: room.empty(groups)?,
            groups: room.empty(groups)?,
            positions: None,
        })
    }

    /// Begins a group.
    fn add_order(&mut self, walk: Option<Walk>, room: &mut Room) -> Result<(), Fault> {
        let Some(walk) = walk else {
            self.groups.push(None);
            return Ok(());
        };
        let known = self.walks.iter().position(|&known| known == walk);
        self.groups.push(Some(known.unwrap_or(self.walks.len())));
        if known.is_none() {
            let table = &self.mesh.tables[walk.table];
            let order = if walk.best_first { best_first } else { depth_first }(table, room)?;
            let mut entries = room.filled(self.mesh.points, NONE)?;
            for (&point, &vertex) in self.mesh.point.iter().zip(&table.vertex) {
                set(&mut entries, point, at(&order.entry, vertex));
            }
            self.walks.push(walk);
            self.orders.push(order);
            self.entries.push(entries);
        }
        Ok(())
    }

    /// Where the values of a group are on the triangles.
    fn place(&self, group: usize) -> Option<Place<'_>> {
        let order = (*self.groups.get(group)?)?;
        let corners = &self.mesh.tables[self.walks[order].table];
        Some(Place { corners, order: &self.orders[order] })
    }

    fn this_group(&self) -> usize {
        self.groups.len() - 1
    }

    fn this_place(&self) -> Option<Place<'_>> {
        self.place(self.this_group())
    }

    fn read_values<'d>(
        &self,
        reader: &mut Reader<'d>,
        group: &Group,
        room: &mut Room,
    ) -> Result<Vec<Values<'d>>, Fault> {
        let place = self.this_place();
        let entries = place.map_or(self.mesh.points, |place| place.order.corner.len());
        let mut values = room.empty(group.heads.len())?;
        for head in &group.heads {
            values.push(if head.coding == Coding::Plain {
                Values::Plain(reader.bytes(entries.saturating_mul(head.size()))?)
            } else {
                let positions = self.positions(group, &values);
                Values::Integers(integers::read(reader, head, entries, place, positions, room)?)
            });
        }
        Ok(values)
    }

    /// The positions, of an earlier group or of what was read of this one.
    fn positions<'b>(&'b self, group: &Group, values: &'b [Values<'_>]) -> Option<Positions<'b>> {
        let (group, values) = match &self.positions {
            Some((group, values)) => (*group, values),
            None => {
                let here = group.heads.iter().position(|head| head.is_position)?;
                let Values::Integers(values) = values.get(here)? else { return None };
                (self.this_group(), values)
            }
        };
        Some(Positions { place: self.place(group)?, values })
    }

    fn keep_positions(&mut self, values: Vec<i32>) {
        self.positions = Some((self.this_group(), values));
    }

    /// By point: which entry it has in this group. None if these are the same.
    fn entries(&self) -> Option<&[u32]> {
        Some(&self.entries[(*self.groups.last()?)?])
    }
}
