//! The attributes controller: from the stream to one value per point, group by group.
//!
//! The integers of a group's attributes come first, then their transforms. Positions are kept as
//! integers, as later groups may be predicted from them.

use super::descriptor::{self, AttributeDescriptor, AttributeGroup, Encoding, Traversal};
use super::integer_values::IntegerValues;
use super::transform::{AttributeTransform, EntryValues, values_by_point};
use super::traversal::EntryOrder;
use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::connectivity::Connectivity;
use crate::connectivity::corner_table::{INVALID, get, set};
use crate::prediction::{MeshData, Positions};
use crate::{Attribute, Error};

/// Decodes all attributes.
pub(crate) fn decode(
    reader: &mut Reader<'_>,
    connectivity: &Connectivity,
    budget: &mut Budget,
) -> Result<Vec<Attribute>, Error> {
    let groups = descriptor::read(reader, connectivity, budget)?;
    let count = groups.iter().map(|group| group.descriptors.len()).sum();
    let mut attributes = budget.vec_with_capacity(count)?;
    let mut controller = Controller::new(connectivity, groups.len(), budget)?;
    for group in &groups {
        controller.begin_group(group.traversal, budget)?;
        let values = controller.decode_values(reader, group, budget)?;
        let mut transforms = budget.vec_with_capacity(group.descriptors.len())?;
        for descriptor in &group.descriptors {
            transforms.push(AttributeTransform::read(reader, descriptor, budget)?);
        }

        let values = values.into_iter().zip(transforms);
        for (descriptor, (values, transform)) in group.descriptors.iter().zip(values) {
            if let Some(component_type) = descriptor.data_type.component_type() {
                let bytes = match controller.point_to_entry() {
                    None => {
                        let entries = 0..connectivity.point_count;
                        values_by_point(descriptor, &values, &transform, entries, budget)
                    }
                    Some(entries) => {
                        let entries = entries.iter().map(|&entry| entry as usize);
                        values_by_point(descriptor, &values, &transform, entries, budget)
                    }
                }?;
                let &AttributeDescriptor { unique_id, kind, components, normalized, .. } =
                    descriptor;
                attributes.push(Attribute {
                    unique_id,
                    kind,
                    components,
                    component_type,
                    normalized,
                    bytes,
                });
            }
            match values {
                EntryValues::Integers(values) if descriptor.is_prediction_source => {
                    controller.keep_positions(values);
                }
                EntryValues::Integers(values) => budget.release(values),
                EntryValues::Raw(_) => (),
            }
        }
    }
    Ok(attributes)
}

/// The results of the groups so far.
struct Controller<'a> {
    connectivity: &'a Connectivity,
    /// The traversals so far, and their results: groups may share these.
    traversals: Vec<Traversal>,
    orders: Vec<EntryOrder>,
    /// By traversal, by point: its entry.
    point_to_entry: Vec<Vec<u32>>,
    /// By group: the index of its traversal. The last group is the current one.
    groups: Vec<Option<usize>>,
    /// The group of the positions, and their values.
    positions: Option<(usize, Vec<i32>)>,
}

impl<'a> Controller<'a> {
    fn new(
        connectivity: &'a Connectivity,
        groups: usize,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        Ok(Self {
            connectivity,
            traversals: budget.vec_with_capacity(groups)?,
            orders: budget.vec_with_capacity(groups)?,
            point_to_entry: budget.vec_with_capacity(groups)?,
            groups: budget.vec_with_capacity(groups)?,
            positions: None,
        })
    }

    /// Begins a group and computes its order of entries, unless that of an earlier group is the
    /// same.
    fn begin_group(
        &mut self,
        traversal: Option<Traversal>,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        let Some(traversal) = traversal else {
            self.groups.push(None);
            return Ok(());
        };
        let known = self.traversals.iter().position(|&known| known == traversal);
        self.groups.push(Some(known.unwrap_or(self.traversals.len())));
        if known.is_none() {
            let table = &self.connectivity.corner_tables[traversal.corner_table];
            let order = EntryOrder::new(traversal.method, table, budget)?;
            let mut point_to_entry = budget.vec_filled(self.connectivity.point_count, INVALID)?;
            let corners = self.connectivity.corner_to_point.iter().zip(&table.corner_to_vertex);
            for (&point, &vertex) in corners {
                set(&mut point_to_entry, point, get(&order.vertex_to_entry, vertex));
            }
            self.traversals.push(traversal);
            self.orders.push(order);
            self.point_to_entry.push(point_to_entry);
        }
        Ok(())
    }

    /// Returns the mesh data of a group, or `None` for sequential connectivity.
    fn mesh_data(&self, group: usize) -> Option<MeshData<'_>> {
        let index = (*self.groups.get(group)?)?;
        let table = &self.connectivity.corner_tables[self.traversals[index].corner_table];
        Some(MeshData { table, order: &self.orders[index] })
    }

    fn current_group(&self) -> usize {
        self.groups.len() - 1
    }

    fn decode_values<'d>(
        &self,
        reader: &mut Reader<'d>,
        group: &AttributeGroup,
        budget: &mut Budget,
    ) -> Result<Vec<EntryValues<'d>>, Error> {
        let mesh = self.mesh_data(self.current_group());
        let entry_count =
            mesh.map_or(self.connectivity.point_count, |mesh| mesh.order.entry_to_corner.len());
        let mut values = budget.vec_with_capacity(group.descriptors.len())?;
        for descriptor in &group.descriptors {
            values.push(if descriptor.encoding == Encoding::Raw {
                let size = entry_count.saturating_mul(descriptor.value_size());
                EntryValues::Raw(reader.bytes(size)?)
            } else {
                let positions = self.positions(group, &values);
                let integers = IntegerValues { descriptor, entry_count, mesh, positions };
                EntryValues::Integers(integers.decode(reader, budget)?)
            });
        }
        Ok(values)
    }

    /// Returns the positions of an earlier group, or among the values of the current one.
    fn positions<'b>(
        &'b self,
        group: &AttributeGroup,
        values: &'b [EntryValues<'_>],
    ) -> Option<Positions<'b>> {
        let (group, values) = match &self.positions {
            Some((group, values)) => (*group, values),
            None => {
                let mut descriptors = group.descriptors.iter();
                let index = descriptors.position(|descriptor| descriptor.is_prediction_source)?;
                let EntryValues::Integers(values) = values.get(index)? else { return None };
                (self.current_group(), values)
            }
        };
        Some(Positions { mesh: self.mesh_data(group)?, values })
    }

    fn keep_positions(&mut self, values: Vec<i32>) {
        self.positions = Some((self.current_group(), values));
    }

    /// Returns the entry of each point in the current group, or `None` if points are entries.
    fn point_to_entry(&self) -> Option<&[u32]> {
        Some(&self.point_to_entry[(*self.groups.last()?)?])
    }
}
