//! The JSON form: the same records, and the columns as arrays of numbers.
//!
//! Columns of bytes are base64 text. Each record is a line and so is each column, so that texts can be
//! compared line by line.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pleach::Scene;
use pleach::animation::Clip;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::decode::{Decoder, Offsets, decode};
use crate::encode::{SharedColumns, check_built_in_kinds, encode};
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::{ColumnWriter, Columns, NumberType};
use crate::file::sections::{FORMAT_VERSION, Writer};
use crate::file::wire;
use crate::limits::Budget;
use crate::records::components::TableRecord;
use crate::records::numbers::F32;
use crate::records::scene::{Records, sections};
use crate::user_kinds::{JsonTable, UserKinds};
use crate::{Limits, Snapshot};

/// The value of the member `format`.
const FORMAT: &str = "pleach scene";
/// The memory that values need for each byte of their text, at most: an empty list is three bytes with its
/// comma, and takes 24 in a list that may have twice the capacity.
pub(crate) const BYTES_PER_BYTE: usize = 24;

/// The members that identify the text and the version that wrote it.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
    #[serde(default)]
    writer: String,
}

/// The members that are not records.
#[derive(Deserialize)]
struct Rest {
    #[serde(default)]
    components: Vec<JsonTable>,
    columns: Vec<JsonColumn>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonColumn {
    #[serde(rename = "type")]
    number: NumberType,
    /// The numbers per row.
    width: u8,
    /// All numbers, row by row; base64 for bytes.
    values: Box<RawValue>,
}

// ---- writing ----

pub(crate) fn write(scene: &Scene, clips: &[Arc<Clip>], kinds: &UserKinds) -> Result<String> {
    check_built_in_kinds(scene)?;
    let mut bytes = Vec::new();
    let records = encode(scene, clips, &mut SharedColumns::new(&mut bytes))?;
    let columns = Columns::find(&bytes, None)?;
    let components = kinds.write_json(scene)?;
    let mut text = head(FORMAT);
    text += &format!(",\n\"scene\": {}", pretty(&records.scene)?);
    text += &format!(",\n\"graph\": {}", pretty(&records.graph)?);
    append_lists(&mut text, &records)?;
    append_list(&mut text, "components", &components)?;
    append_columns(&mut text, &columns)?;
    text += "\n}\n";
    Ok(text)
}

/// Returns the beginning of a text: format, version and writer.
pub(crate) fn head(format: &str) -> String {
    format!(
        "{{\n\"format\": \"{format}\",\n\"version\": {FORMAT_VERSION},\n\"writer\": \"{}\"",
        Writer::THIS,
    )
}

pub(crate) fn append_columns(text: &mut String, columns: &Columns<'_>) -> Result<()> {
    let columns: Vec<JsonColumn> =
        (0..columns.len()).map(|index| json_column(columns, index)).collect::<Result<_>>()?;
    append_list(text, "columns", &columns)
}

macro_rules! implement_lists {
    (
        lists { $($list:ident: $item:ty = $list_tag:literal,)* }
        tables { $($table:ident: $row:ty = $table_tag:literal $name:literal,)* }
    ) => {
        fn append_lists(text: &mut String, records: &Records) -> Result<()> {
            $(append_list(text, stringify!($list), &records.$list)?;)*
            $(append_table(text, stringify!($table), &records.$table)?;)*
            Ok(())
        }

        /// The names of all members.
        const MEMBERS: &[&str] = &[
            "format", "version", "writer", "scene", "graph", "components", "columns",
            $(stringify!($list),)* $(stringify!($table),)*
        ];
    };
}

sections!(implement_lists);

/// Appends a member with one value per line, if there are any.
pub(crate) fn append_list<R: Serialize>(
    text: &mut String,
    name: &str,
    records: &[R],
) -> Result<()> {
    if !records.is_empty() || name == "columns" {
        *text += &format!(",\n\"{name}\": ");
        append_lines(text, records)?;
    }
    Ok(())
}

fn append_table<R: Serialize>(text: &mut String, name: &str, table: &TableRecord<R>) -> Result<()> {
    let TableRecord { nodes, indices, values } = table;
    if nodes.is_some() {
        let columns = [compact(nodes)?, compact(indices)?];
        let [nodes, indices] = columns;
        *text +=
            &format!(",\n\"{name}\": {{\"nodes\": {nodes}, \"indices\": {indices}, \"values\": ");
        append_lines(text, values)?;
        text.push('}');
    }
    Ok(())
}

pub(crate) fn append_lines<R: Serialize>(text: &mut String, records: &[R]) -> Result<()> {
    text.push('[');
    for (index, record) in records.iter().enumerate() {
        *text += if index == 0 { "\n" } else { ",\n" };
        *text += &compact(record)?;
    }
    *text += "\n]";
    Ok(())
}

pub(crate) fn compact<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(not_written)
}

fn pretty<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(not_written)
}

fn not_written(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Json, format!("the scene cannot be written as JSON: {error}"))
}

fn json_column(columns: &Columns<'_>, index: u32) -> Result<JsonColumn> {
    let (number, width, _, bytes) = columns.raw(index).expect("the index is below the length");
    let values = match number {
        NumberType::U8 => compact(&STANDARD.encode(bytes)),
        NumberType::U16 => compact(&numbers(bytes, u16::from_le_bytes)),
        NumberType::U32 => compact(&numbers(bytes, u32::from_le_bytes)),
        NumberType::F32 => compact(&numbers(bytes, |bytes| F32(f32::from_le_bytes(bytes)))),
    }?;
    let values = RawValue::from_string(values).map_err(not_written)?;
    Ok(JsonColumn { number, width, values })
}

fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
}

// ---- reading ----

pub(crate) fn read(text: &str, kinds: &UserKinds, limits: &Limits) -> Result<Snapshot> {
    let mut budget = Budget::new(limits, text.len());
    budget.take(None, text.len(), BYTES_PER_BYTE)?;
    let writer = check_members(text, FORMAT, MEMBERS)?;
    let records: Records = parse_of(&writer, text)?;
    let Rest { components, columns } = parse_of(&writer, text)?;
    let bytes = column_bytes(&columns)?;
    drop(columns);
    let columns = Columns::find(&bytes, None)?;
    let (offsets, bind_matrices) = (Offsets::default(), HashMap::new());
    let mut decoder =
        Decoder { columns: &columns, budget: &mut budget, offsets: &offsets, bind_matrices };
    let (mut scene, clips) = decode(records, &mut decoder)?;
    kinds.read_json(&components, &mut scene)?;
    Ok(Snapshot { scene, clips })
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::Json, error.to_string()))
}

/// Parses a text. The error for a variant or a member that is unknown names the version that wrote it.
pub(crate) fn parse_of<T: DeserializeOwned>(writer: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        // serde has no other way to distinguish them.
        if !message.starts_with("unknown variant") && !message.starts_with("unknown field") {
            return Error::new(ErrorKind::Json, message);
        }
        let message = format!("{message}; {}", wire::newer(format_args!("{writer:?}")));
        Error::new(ErrorKind::Version, message)
    })
}

/// Checks the format and the version of a text, and returns the version that wrote it.
pub(crate) fn check_version(text: &str, expected: &str) -> Result<String> {
    let Head { format, version, writer } = parse(text)?;
    if format != expected {
        let message = format!(
            "the text is not a {expected}: its member \"format\" is {format:?}, and must be {expected:?}",
        );
        return Err(Error::new(ErrorKind::NotPleach, message));
    }
    if version == 0 || version > u64::from(FORMAT_VERSION) {
        let message = format!(
            "the text has version {version} of the format and was written by {writer:?}; this is {}, \
             which reads versions 1 to {FORMAT_VERSION}",
            Writer::THIS,
        );
        return Err(Error::new(ErrorKind::Version, message));
    }
    Ok(writer)
}

/// Checks the format and the version of a text, and that it has no other members. Returns the version
/// that wrote it.
pub(crate) fn check_members(text: &str, format: &str, known: &[&str]) -> Result<String> {
    let writer = check_version(text, format)?;
    let members: BTreeMap<String, IgnoredAny> = parse(text)?;
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(writer),
        Some(unknown) => {
            let message = format!(
                "member {unknown:?} is unknown to {}; the text was written by {writer:?}, so read it \
                 with that version or a later one",
                Writer::THIS,
            );
            Err(Error::new(ErrorKind::Version, message))
        }
    }
}

/// Returns the columns as they are in a file.
pub(crate) fn column_bytes(columns: &[JsonColumn]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = ColumnWriter::new(&mut bytes);
    for (index, JsonColumn { number, width, values }) in columns.iter().enumerate() {
        let invalid =
            |error: String| Error::new(ErrorKind::Json, format!("columns[{index}]: {error}"));
        let values = values.get();
        let numbers = match number {
            NumberType::U8 => {
                let text: String = parse_column(values).map_err(invalid)?;
                STANDARD.decode(text).map_err(|error| invalid(error.to_string()))?
            }
            NumberType::U16 => to_bytes(values, u16::to_le_bytes).map_err(invalid)?,
            NumberType::U32 => to_bytes(values, u32::to_le_bytes).map_err(invalid)?,
            NumberType::F32 => to_bytes(values, |it: F32| it.0.to_le_bytes()).map_err(invalid)?,
        };
        let size = number.size() * usize::from(*width);
        if size == 0 || numbers.len() % size != 0 {
            return Err(invalid(format!("the numbers do not divide into rows of {width}")));
        }
        writer.push_bytes(*number, *width, numbers.len() / size, &numbers);
    }
    Ok(bytes)
}

fn to_bytes<T: DeserializeOwned, const N: usize>(
    values: &str,
    bytes: impl Fn(T) -> [u8; N],
) -> Result<Vec<u8>, String> {
    let values: Vec<T> = parse_column(values)?;
    Ok(values.into_iter().flat_map(bytes).collect())
}

fn parse_column<T: DeserializeOwned>(values: &str) -> Result<T, String> {
    serde_json::from_str(values).map_err(|error| error.to_string())
}
