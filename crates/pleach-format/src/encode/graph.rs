//! The graph: its snapshot, without the rows of slots that are not alive.

use glam::{Quat, Vec3};
use pleach::Graph;
use pleach::graph::GraphSnapshot;

use super::SharedColumns;
use crate::error::{Error, ErrorKind, Result};
use crate::records::graph::GraphRecord;

pub(super) fn encode(graph: &Graph, columns: &mut SharedColumns<'_>) -> Result<GraphRecord> {
    let snapshot = graph.to_snapshot();
    let GraphSnapshot { generations, parents, transforms, .. } = &snapshot;
    let is_new = generations.iter().all(|&generation| generation == 1);
    let is_alive = |slot: &usize| generations[*slot] != 0;
    let live = || (0..generations.len()).filter(is_alive);
    let live_parents: Vec<u32> = live().map(|slot| parents[slot]).collect();
    let translations: Vec<Vec3> = live().map(|slot| transforms[slot].translation).collect();
    let rotations: Vec<Quat> = live().map(|slot| transforms[slot].rotation).collect();
    let scales: Vec<Vec3> = live().map(|slot| transforms[slot].scale).collect();
    let free = snapshot.free.iter().map(|node| [node.index() as u32, node.generation()]);
    let free: Vec<[u32; 2]> = free.collect();
    let names = [0].iter().chain(&snapshot.name_ends).zip(&snapshot.name_ends);
    let name_lengths = names.map(|(start, end)| u32::try_from(end - start));
    let name_lengths: Vec<u32> = name_lengths.collect::<Result<_, _>>().map_err(|_| {
        Error::new(ErrorKind::Unsupported, "the name of a node is longer than 4 GiB; shorten it")
    })?;
    let is_counted = (0..).zip(&snapshot.name_ages).all(|(count, &age)| count == age);
    let name_ages = snapshot.name_ages.iter().map(|&age| [age as u32, (age >> 32) as u32]);
    let name_ages: Vec<[u32; 2]> = name_ages.filter(|_| !is_counted).collect();
    Ok(GraphRecord {
        max_generation: snapshot.max_generation.get(),
        slots: generations.len() as u32,
        generations: (!is_new).then(|| columns.writer.push(generations)),
        free: columns.push_some(&free),
        parents: columns.push_some(&live_parents),
        order: snapshot.order.as_ref().map(|order| columns.writer.push(order)),
        translations: push_unless(columns, &translations, |it| bits(it.to_array()) == [0; 3]),
        rotations: push_unless(columns, &rotations, |it| {
            bits(it.to_array()) == bits(Quat::IDENTITY.to_array())
        }),
        scales: push_unless(columns, &scales, |it| bits(it.to_array()) == bits([1.0; 3])),
        matrix_slots: columns.push_some(&snapshot.matrix_slots),
        matrices: columns.push_some(&snapshot.matrices),
        hidden: columns.push_some(&snapshot.hidden),
        named: columns.push_some(&snapshot.named),
        name_lengths: columns.push_some(&name_lengths),
        name_text: columns.push_some(snapshot.name_text.as_bytes()),
        name_ages: columns.push_some(&name_ages),
        next_name_age: snapshot.next_name_age,
        lineage: snapshot.lineage,
        revision: snapshot.revision,
    })
}

fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}

/// Appends a column, unless all its rows are the default.
fn push_unless<T: crate::file::columns::Row>(
    columns: &mut SharedColumns<'_>,
    rows: &[T],
    is_default: impl Fn(&T) -> bool,
) -> Option<u32> {
    (!rows.iter().all(is_default)).then(|| columns.writer.push(rows))
}
