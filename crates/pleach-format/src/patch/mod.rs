//! Patches of graphs: recorded edits, as files and as JSON. docs/format.md specifies both.
//!
//! A patch is relative to the graph that it begins with: of a transform only the properties that change
//! are written, and the others are those that the node has when the patch is read.

mod decode;
mod encode;
mod records;
mod transforms;

use pleach::Graph;
use pleach::graph::Patch;
use serde::{Deserialize, Serialize};

use crate::error::{Place, Result};
use crate::file::columns::{ColumnWriter, Columns};
use crate::file::sections::{FileKind, FileWriter, Sections, Tag};
use crate::file::wire;
use crate::limits::Budget;
use crate::records::scene::DATA;
use crate::{Limits, json};
pub(crate) use encode::encode;
use records::EditRecord;
pub(crate) use records::PatchRecord;
use records::TransformChange;
use transforms::BatchRecord;

pub(crate) const PATCH: Tag = Tag(*b"PTCH");
pub(crate) const EDITS: Tag = Tag(*b"EDIT");
/// The value of the member `format` of JSON texts.
const FORMAT: &str = "pleach patch";
/// The memory that records need for each byte of the file, at most.
const BYTES_PER_BYTE: usize = 32;

/// The edits of a patch as they are in files.
pub(crate) type PackedEdits = Vec<EditRecord<BatchRecord>>;
/// The edits of a patch as they are in JSON.
pub(crate) type JsonEdits = Vec<EditRecord<Vec<TransformChange>>>;

pub(crate) fn write(patch: &Patch) -> Result<Vec<u8>> {
    let (head, edits) = encode(patch)?;
    let mut file = FileWriter::new(FileKind::Patch, 256 + 32 * patch.len());
    let edits = file.section(DATA, |bytes| pack(edits, &mut ColumnWriter::new(bytes)));
    write_edits(&mut file, &head, &edits)?;
    Ok(file.finish())
}

/// Appends the columns of edits of transforms.
pub(crate) fn pack(edits: JsonEdits, columns: &mut ColumnWriter<'_>) -> PackedEdits {
    edits.into_iter().map(|edit| edit.map(|it| transforms::pack(&it, columns))).collect()
}

/// Writes the sections of the edits of a graph.
pub(crate) fn write_edits(
    file: &mut FileWriter,
    head: &PatchRecord,
    edits: &PackedEdits,
) -> Result<()> {
    file.section(PATCH, |bytes| wire::write(bytes, head))?;
    file.section(EDITS, |bytes| {
        wire::write(bytes, &(edits.len() as u64))?;
        edits.iter().try_for_each(|edit| wire::write(bytes, edit))
    })
}

pub(crate) fn read(bytes: &[u8], graph: &Graph, limits: &Limits, verify: bool) -> Result<Patch> {
    let file = Sections::read(bytes, FileKind::Patch, verify)?;
    file.check_tags(|tag| [DATA, PATCH, EDITS].contains(&tag))?;
    let mut budget = Budget::new(limits, bytes.len());
    let columns = Columns::read(file.require(DATA)?, &mut budget)?;
    read_edits(&file, &columns, graph, &mut budget)
}

/// Reads the sections of the edits of a graph.
pub(crate) fn read_edits(
    file: &Sections<'_>,
    columns: &Columns<'_>,
    graph: &Graph,
    budget: &mut Budget,
) -> Result<Patch> {
    let mut reader = wire::Reader::new(file.require(PATCH)?);
    let head: PatchRecord = reader.read()?;
    reader.finish()?;
    let section = file.require(EDITS)?;
    budget.take(Some(section.offset as u64), section.bytes.len(), BYTES_PER_BYTE)?;
    let mut reader = wire::Reader::new(section);
    let count: u64 = reader.read()?;
    let mut decoder = decode::Decoder::new(graph, budget);
    for index in 0..count {
        let offset = reader.offset();
        reader.check_variant("operation", EditRecord::<BatchRecord>::COUNT)?;
        let edit: EditRecord<BatchRecord> = reader.read()?;
        let place = Place { list: "edits", index: index as usize, offset: Some(offset) };
        let edit = edit.try_map(|batch| transforms::unpack(&batch, columns, decoder.budget));
        edit.and_then(|edit| decoder.push(edit)).map_err(|error| error.within(place))?;
    }
    reader.finish()?;
    Ok(decoder.finish(&head))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonPatch {
    format: String,
    version: u64,
    writer: String,
    patch: PatchRecord,
    edits: JsonEdits,
}

pub(crate) fn write_json(patch: &Patch) -> Result<String> {
    let (head, edits) = encode(patch)?;
    let mut text = json::head(FORMAT);
    text += ",\n\"patch\": ";
    text += &json::compact(&head)?;
    text += ",\n\"edits\": ";
    json::append_lines(&mut text, &edits)?;
    text += "\n}\n";
    Ok(text)
}

pub(crate) fn read_json(text: &str, graph: &Graph, limits: &Limits) -> Result<Patch> {
    let mut budget = Budget::new(limits, text.len());
    budget.take(None, text.len(), BYTES_PER_BYTE)?;
    let writer = json::check_version(text, FORMAT)?;
    let JsonPatch { patch, edits, .. } = json::parse_of(&writer, text)?;
    decode_json(&patch, edits, graph, &mut budget)
}

/// Returns the patch of edits in JSON.
pub(crate) fn decode_json(
    head: &PatchRecord,
    edits: JsonEdits,
    graph: &Graph,
    budget: &mut Budget,
) -> Result<Patch> {
    let mut decoder = decode::Decoder::new(graph, budget);
    for (index, edit) in edits.into_iter().enumerate() {
        let place = Place { list: "edits", index, offset: None };
        decoder.push(edit).map_err(|error| error.within(place))?;
    }
    Ok(decoder.finish(head))
}
