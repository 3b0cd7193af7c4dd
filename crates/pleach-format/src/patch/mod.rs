//! Patches: recorded edits of a graph, as files and as JSON. docs/format.md specifies both.
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

use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::{ColumnWriter, Columns};
use crate::file::sections::{FORMAT_VERSION, FileKind, FileWriter, Sections, Tag, Writer};
use crate::file::wire;
use crate::limits::Budget;
use crate::{Limits, json};
use records::{EditRecord, PatchRecord, TransformChange};
use transforms::BatchRecord;

const DATA: Tag = crate::records::scene::DATA;
const PATCH: Tag = Tag(*b"PTCH");
const EDITS: Tag = Tag(*b"EDIT");
/// The value of the member `format` of JSON texts.
const FORMAT: &str = "pleach patch";
/// The memory that records need for each byte of the file, at most.
const BYTES_PER_BYTE: usize = 32;

pub(crate) fn write(patch: &Patch) -> Result<Vec<u8>> {
    let (head, edits) = encode::encode(patch)?;
    let mut file = FileWriter::new(FileKind::Patch, 256 + 32 * patch.len());
    let edits: Vec<EditRecord<BatchRecord>> = file.section(DATA, |bytes| {
        let mut columns = ColumnWriter::new(bytes);
        edits.into_iter().map(|edit| edit.map(|it| transforms::pack(&it, &mut columns))).collect()
    });
    file.section(PATCH, |bytes| wire::write(bytes, &head))?;
    file.section(EDITS, |bytes| {
        wire::write(bytes, &(edits.len() as u64))?;
        edits.iter().try_for_each(|edit| wire::write(bytes, edit))
    })?;
    Ok(file.finish())
}

pub(crate) fn read(bytes: &[u8], graph: &Graph, limits: &Limits, verify: bool) -> Result<Patch> {
    let file = Sections::read(bytes, FileKind::Patch, verify)?;
    file.check_tags(|tag| [DATA, PATCH, EDITS].contains(&tag))?;
    let mut budget = Budget::new(limits, bytes.len());
    let columns = Columns::read(file.require(DATA)?, &mut budget)?;
    let mut reader = wire::Reader::new(file.require(PATCH)?);
    let head: PatchRecord = reader.read()?;
    reader.finish()?;
    let section = file.require(EDITS)?;
    budget.take(Some(section.offset as u64), section.bytes.len(), BYTES_PER_BYTE)?;
    let mut reader = wire::Reader::new(section);
    let count: u64 = reader.read()?;
    let mut decoder = decode::Decoder::new(graph, &mut budget);
    for index in 0..count {
        let offset = reader.offset();
        let edit: EditRecord<BatchRecord> = reader.read()?;
        let place =
            crate::error::Place { list: "edits", index: index as usize, offset: Some(offset) };
        let edit = edit.try_map(|batch| transforms::unpack(&batch, &columns, decoder.budget));
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
    edits: Vec<EditRecord<Vec<TransformChange>>>,
}

pub(crate) fn write_json(patch: &Patch) -> Result<String> {
    let (head, edits) = encode::encode(patch)?;
    let mut text = format!(
        "{{\n\"format\": \"{FORMAT}\",\n\"version\": {FORMAT_VERSION},\n\"writer\": \"{}\",\n\"patch\": ",
        Writer::THIS,
    );
    text += &json::compact(&head)?;
    text += ",\n\"edits\": ";
    json::append_lines(&mut text, &edits)?;
    text += "\n}\n";
    Ok(text)
}

pub(crate) fn read_json(text: &str, graph: &Graph, limits: &Limits) -> Result<Patch> {
    let mut budget = Budget::new(limits, text.len());
    budget.take(None, text.len(), BYTES_PER_BYTE)?;
    json::check_version(text, FORMAT)?;
    let JsonPatch { patch, edits, .. } = serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::Json, error.to_string()))?;
    let mut decoder = decode::Decoder::new(graph, &mut budget);
    for (index, edit) in edits.into_iter().enumerate() {
        let place = crate::error::Place { list: "edits", index, offset: None };
        decoder.push(edit).map_err(|error| error.within(place))?;
    }
    Ok(decoder.finish(&patch))
}
