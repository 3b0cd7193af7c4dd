//! The binary form: records and columns in sections.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::Scene;
use pleach::animation::Clip;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::decode::{Decoder, Offsets, decode};
use crate::encode::{SharedColumns, check_built_in_kinds, encode};
use crate::error::Result;
use crate::file::columns::Columns;
use crate::file::sections::{FileKind, FileWriter, Section, Sections, Tag};
use crate::file::wire;
use crate::limits::Budget;
use crate::records::components::{TableRecord, UserTableRecord};
use crate::records::scene::{DATA, GRAPH, Records, SCENE, USER, is_known, sections, tags};
use crate::user_kinds::UserKinds;
use crate::{Limits, Snapshot};

/// The memory that records need for each byte of the file, at most: a text of no bytes takes 24.
const BYTES_PER_BYTE: usize = 32;

pub(crate) fn write(scene: &Scene, clips: &[Arc<Clip>], kinds: &UserKinds) -> Result<Vec<u8>> {
    check_built_in_kinds(scene)?;
    let mut file = FileWriter::new(FileKind::Scene, estimated_size(scene));
    let (records, user) = file.section(DATA, |bytes| {
        let mut columns = SharedColumns::new(bytes);
        let records = encode(scene, clips, &mut columns)?;
        Ok((records, kinds.write(scene, &mut columns)?))
    })?;
    file.section(SCENE, |bytes| wire::write(bytes, &records.scene))?;
    file.section(GRAPH, |bytes| wire::write(bytes, &records.graph))?;
    write_lists(&mut file, &records)?;
    write_list(&mut file, USER, &user)?;
    Ok(file.finish())
}

/// Returns roughly the size of the file of a scene without its assets.
fn estimated_size(scene: &Scene) -> usize {
    4096 + scene.graph.len() * 64
}

macro_rules! implement_lists {
    (
        lists { $($list:ident: $item:ty = $list_tag:literal,)* }
        tables { $($table:ident: $row:ty = $table_tag:literal $name:literal,)* }
    ) => {
        fn write_lists(file: &mut FileWriter, records: &Records) -> Result<()> {
            $(write_list(file, tags::$list, &records.$list)?;)*
            $(write_table(file, tags::$table, &records.$table)?;)*
            Ok(())
        }

        fn read_records(
            file: &Sections<'_>,
            budget: &mut Budget,
            offsets: &mut Offsets,
        ) -> Result<Records> {
            Ok(Records {
                scene: read_one(file.require(SCENE)?, budget)?,
                graph: read_one(file.require(GRAPH)?, budget)?,
                $($list: read_list(file, tags::$list, budget, offsets)?,)*
                $($table: read_table(file, tags::$table, budget, offsets)?,)*
            })
        }
    };
}

sections!(implement_lists);

/// Writes the number of records and the records, if there are any.
pub(crate) fn write_list<R: Serialize>(
    file: &mut FileWriter,
    tag: Tag,
    records: &[R],
) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    file.section(tag, |bytes| append_list(bytes, records))
}

fn append_list<R: Serialize>(bytes: &mut Vec<u8>, records: &[R]) -> Result<()> {
    wire::write(bytes, &(records.len() as u64))?;
    records.iter().try_for_each(|record| wire::write(bytes, record))
}

/// Writes the columns of a table and its values, if it has rows.
fn write_table<R: Serialize>(
    file: &mut FileWriter,
    tag: Tag,
    table: &TableRecord<R>,
) -> Result<()> {
    let TableRecord { nodes: Some(nodes), indices, values } = table else { return Ok(()) };
    file.section(tag, |bytes| {
        wire::write(bytes, &(*nodes, *indices))?;
        append_list(bytes, values)
    })
}

pub(crate) fn read(
    bytes: &[u8],
    kinds: &UserKinds,
    limits: &Limits,
    verify: bool,
) -> Result<Snapshot> {
    let file = Sections::read(bytes, FileKind::Scene, verify)?;
    file.check_tags(is_known)?;
    let mut budget = Budget::new(limits, bytes.len());
    let columns = Columns::read(file.require(DATA)?, &mut budget)?;
    let mut offsets = Offsets::default();
    let records = read_records(&file, &mut budget, &mut offsets)?;
    let user: Vec<UserTableRecord> = read_list(&file, USER, &mut budget, &mut offsets)?;
    let (budget, bind_matrices) = (&mut budget, HashMap::new());
    let mut decoder = Decoder { columns: &columns, budget, offsets: &offsets, bind_matrices };
    let (mut scene, clips) = decode(records, &mut decoder)?;
    let user_offsets = offsets.0.get(&USER).map_or(&[][..], Vec::as_slice);
    kinds.read(&user, user_offsets, file.writer, &mut scene, &mut decoder)?;
    Ok(Snapshot { scene, clips })
}

/// Reads a section that is one record.
pub(crate) fn read_one<R: DeserializeOwned>(
    section: Section<'_>,
    budget: &mut Budget,
) -> Result<R> {
    budget.take(Some(section.offset as u64), section.bytes.len(), BYTES_PER_BYTE)?;
    let mut reader = wire::Reader::new(section);
    let record = reader.read()?;
    reader.finish()?;
    Ok(record)
}

pub(crate) fn read_list<R: DeserializeOwned>(
    file: &Sections<'_>,
    tag: Tag,
    budget: &mut Budget,
    offsets: &mut Offsets,
) -> Result<Vec<R>> {
    let Some(section) = file.get(tag) else { return Ok(Vec::new()) };
    let mut reader = wire::Reader::new(section);
    read_rest(&mut reader, section, budget, offsets)
}

fn read_table<R: DeserializeOwned>(
    file: &Sections<'_>,
    tag: Tag,
    budget: &mut Budget,
    offsets: &mut Offsets,
) -> Result<TableRecord<R>> {
    let Some(section) = file.get(tag) else { return Ok(TableRecord::default()) };
    let mut reader = wire::Reader::new(section);
    let (nodes, indices) = reader.read::<(u32, Option<u32>)>()?;
    let values = read_rest(&mut reader, section, budget, offsets)?;
    Ok(TableRecord { nodes: Some(nodes), indices, values })
}

/// Reads the number of records and the records up to the end of the section.
fn read_rest<R: DeserializeOwned>(
    reader: &mut wire::Reader<'_>,
    section: Section<'_>,
    budget: &mut Budget,
    offsets: &mut Offsets,
) -> Result<Vec<R>> {
    budget.take(Some(section.offset as u64), section.bytes.len(), BYTES_PER_BYTE)?;
    let count: u64 = reader.read()?;
    let (mut records, mut starts) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let offset = reader.offset();
        // Twice: the capacity of a list may be twice its length.
        budget.take(Some(offset), 2, size_of::<R>() + size_of::<u64>())?;
        records.push(reader.read()?);
        starts.push(offset);
    }
    reader.finish()?;
    offsets.0.insert(section.tag, starts);
    Ok(records)
}
