//! Users' own kinds of components: written and read with serde, by functions that know the type.
//!
//! In bytes, the rows of a kind, or their edits in a patch, are a column of bytes, as postcard writes them one after the
//! other; in JSON they are values. Handles of nodes stay the same, so they need no mapping.

use std::fmt;

use pleach::component::{Component, RowEdit};
use pleach::undo::ScenePatch;
use pleach::{NodeId, Scene};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::decode::{Decoder, begin_table, check_distinct};
use crate::encode::SharedColumns;
use crate::error::{Error, ErrorKind, Result};
use crate::file::sections::{Section, Writer};
use crate::file::wire;
use crate::limits::Budget;
use crate::records::components::UserTableRecord;
use crate::records::numbers::Node;
use crate::records::scene::{BUILT_IN, USER};
use crate::scene_patch::{RowEditRecord, UserEditsRecord, decode, encode};

/// The memory of a component for each byte of the file, in addition to its size: an upper bound for
/// types without unusual `Deserialize`.
const BYTES_PER_BYTE: usize = 32;

/// A kind of component, and the functions that write and read its rows.
#[derive(Clone, Copy)]
pub(crate) struct UserKind {
    pub(crate) name: &'static str,
    write: fn(&Scene, &mut Vec<u32>, &mut Vec<u8>) -> Result<()>,
    read: for<'a> fn(&mut Scene, u32, Section<'a>, &mut Decoder<'_, 'a>) -> Result<()>,
    write_json: fn(&Scene) -> serde_json::Result<Vec<JsonRow>>,
    read_json: fn(&mut Scene, &[JsonRow]) -> Result<()>,
    edits: EditFunctions,
}

/// The functions that write and read the edits of rows.
#[derive(Clone, Copy)]
struct EditFunctions {
    /// Returns the number of edits.
    write: fn(&ScenePatch, &mut Vec<u8>) -> Result<usize>,
    read: for<'a> fn(&mut ScenePatch, usize, Section<'a>, &mut Budget) -> Result<()>,
    write_json: fn(&ScenePatch) -> serde_json::Result<Vec<JsonEdit>>,
    read_json: fn(&mut ScenePatch, Vec<JsonEdit>) -> Result<()>,
}

/// An edit of a component in JSON.
pub(crate) type JsonEdit = RowEditRecord<Box<RawValue>>;

/// The edits of the components of one kind in JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonEdits {
    kind: String,
    edits: Vec<JsonEdit>,
}

impl fmt::Debug for UserKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The components of one kind in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct JsonTable {
    pub(crate) kind: String,
    pub(crate) rows: Vec<JsonRow>,
}

/// A component in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct JsonRow {
    node: Node,
    value: Box<RawValue>,
}

impl UserKind {
    pub(crate) fn of<T: Component + Serialize + DeserializeOwned>() -> Self {
        Self {
            name: T::NAME,
            write: |scene, nodes, bytes| {
                for (node, row) in scene.table::<T>().iter(&scene.graph) {
                    nodes.push(node.index() as u32);
                    wire::write(bytes, row)?;
                }
                Ok(())
            },
            read: read::<T>,
            write_json: |scene| {
                let rows = scene.table::<T>().iter(&scene.graph);
                let row = |(node, row)| {
                    let value = serde_json::value::to_raw_value(row)?;
                    Ok(JsonRow { node: Node(node), value })
                };
                rows.map(row).collect()
            },
            read_json: read_json::<T>,
            edits: EditFunctions {
                write: |patch, bytes| {
                    let edits = patch.row_edits::<T>();
                    for edit in edits {
                        wire::write(bytes, &encode::row(edit, Ok)?)?;
                    }
                    Ok(edits.len())
                },
                read: read_edits::<T>,
                write_json: |patch| {
                    let edits = patch.row_edits::<T>().iter();
                    let record = |edit| {
                        let raw = |row: &T| serde_json::value::to_raw_value(row).map_err(not_json);
                        encode::row(edit, raw).map_err(serde::ser::Error::custom)
                    };
                    edits.map(record).collect()
                },
                read_json: read_json_edits::<T>,
            },
        }
    }
}

fn not_json(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Component, error.to_string())
}

fn read_edits<T: Component + DeserializeOwned>(
    patch: &mut ScenePatch,
    count: usize,
    bytes: Section<'_>,
    budget: &mut Budget,
) -> Result<()> {
    let mut reader = wire::Reader::new(bytes);
    let mut edits = Vec::new();
    for _ in 0..count {
        budget.take(Some(reader.offset()), 2, size_of::<RowEdit<T>>())?;
        edits.push(decode::row(reader.read::<RowEditRecord<T>>()?, Ok)?);
    }
    reader.finish()?;
    patch.set_row_edits(edits);
    Ok(())
}

fn read_json_edits<T: Component + DeserializeOwned>(
    patch: &mut ScenePatch,
    records: Vec<JsonEdit>,
) -> Result<()> {
    let edit = |(index, record)| {
        let value = |raw: Box<RawValue>| serde_json::from_str::<T>(raw.get()).map_err(not_json);
        decode::row(record, value).map_err(|error| {
            let message = format!("components of kind {:?}, edit {index}: {error}", T::NAME);
            Error::new(ErrorKind::Component, message)
        })
    };
    patch.set_row_edits(records.into_iter().enumerate().map(edit).collect::<Result<_>>()?);
    Ok(())
}

fn read<'a, T: Component + DeserializeOwned>(
    scene: &mut Scene,
    column: u32,
    rows: Section<'a>,
    decoder: &mut Decoder<'_, 'a>,
) -> Result<()> {
    let nodes = begin_table::<T>(scene, column, decoder)?;
    let count = nodes.len();
    let mut reader = wire::Reader::new(rows);
    let values = nodes.into_iter().map(|node| Ok((node, reader.read::<T>()?)));
    let values: Vec<(NodeId, T)> = values.collect::<Result<_>>()?;
    reader.finish()?;
    insert(scene, values, count)
}

fn read_json<T: Component + DeserializeOwned>(scene: &mut Scene, rows: &[JsonRow]) -> Result<()> {
    let read = |(index, row): (usize, &JsonRow)| match serde_json::from_str(row.value.get()) {
        Ok(value) => Ok((row.node.0, value)),
        Err(error) => {
            let message = format!("components of kind {:?}, row {index}: {error}", T::NAME);
            Err(Error::new(ErrorKind::Component, message))
        }
    };
    let values: Vec<(NodeId, T)> = rows.iter().enumerate().map(read).collect::<Result<_>>()?;
    insert(scene, values, rows.len())
}

fn insert<T: Component>(scene: &mut Scene, rows: Vec<(NodeId, T)>, count: usize) -> Result<()> {
    let invalid = |error: String| {
        Error::new(ErrorKind::Value, format!("components of kind {:?}: {error}", T::NAME))
    };
    scene.restore_rows(rows).map_err(|error| invalid(error.to_string()))?;
    check_distinct::<T>(scene, "rows", count).map_err(invalid)
}

/// The registered kinds, and the names of those to leave out.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserKinds {
    kinds: Vec<UserKind>,
    skipped: Vec<String>,
}

impl UserKinds {
    pub(crate) fn register(&mut self, kind: UserKind) {
        self.kinds.retain(|other| other.name != kind.name);
        self.kinds.push(kind);
    }

    pub(crate) fn skip(&mut self, name: String) {
        self.skipped.push(name);
    }

    /// Returns the kind of a name, or `None` if it is to be left out.
    fn find(&self, name: &str, unknown: impl FnOnce() -> Error) -> Result<Option<&UserKind>> {
        match self.kinds.iter().find(|kind| kind.name == name) {
            Some(kind) => Ok(Some(kind)),
            None if self.skipped.iter().any(|skipped| skipped == name) => Ok(None),
            None => Err(unknown()),
        }
    }

    /// Returns the kinds of a scene that are written. An empty table of another kind is left out.
    fn of_scene<'a>(&'a self, scene: &Scene) -> Result<Vec<&'a UserKind>> {
        let mut found = Vec::new();
        for (name, rows) in scene.component_kinds().skip(BUILT_IN.len()) {
            match self.find(name, || not_registered("scene", name)) {
                Ok(kind) => found.extend(kind),
                Err(error) if rows > 0 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(found)
    }

    /// Returns the kinds of a patch that are written.
    fn of_patch<'a>(&'a self, patch: &ScenePatch) -> Result<Vec<&'a UserKind>> {
        let names = patch.rows().map(|(name, _)| name).filter(|name| !BUILT_IN.contains(name));
        let kinds = names.map(|name| self.find(name, || not_registered("patch", name)));
        kinds.filter_map(Result::transpose).collect()
    }

    /// Appends the edits of all kinds as columns.
    pub(crate) fn write_edits(
        &self,
        patch: &ScenePatch,
        columns: &mut SharedColumns<'_>,
    ) -> Result<Vec<UserEditsRecord>> {
        let record = |kind: &UserKind| {
            let mut bytes = Vec::new();
            let count = (kind.edits.write)(patch, &mut bytes)? as u32;
            let edits = columns.writer.push_new(&bytes);
            Ok(UserEditsRecord { kind: kind.name.into(), count, edits })
        };
        self.of_patch(patch)?.into_iter().map(record).collect()
    }

    /// Reads the edits of users' own kinds; `offsets` are those of the records.
    pub(crate) fn read_edits(
        &self,
        records: &[UserEditsRecord],
        offsets: &[u64],
        writer: Writer,
        patch: &mut ScenePatch,
        decoder: &mut Decoder<'_, '_>,
    ) -> Result<()> {
        for (record, &offset) in records.iter().zip(offsets) {
            let unknown = || unknown_kind(&record.kind, writer, offset);
            let Some(kind) = self.find(&record.kind, unknown)? else { continue };
            let rows = user_bytes(record.edits, writer, decoder)?;
            (kind.edits.read)(patch, record.count as usize, rows, decoder.budget)?;
        }
        Ok(())
    }

    pub(crate) fn write_json_edits(&self, patch: &ScenePatch) -> Result<Vec<JsonEdits>> {
        let edits = |kind: &UserKind| {
            let edits = (kind.edits.write_json)(patch).map_err(|error| {
                let message = format!("components of kind {:?}: {error}", kind.name);
                Error::new(ErrorKind::Component, message)
            })?;
            Ok(JsonEdits { kind: kind.name.into(), edits })
        };
        self.of_patch(patch)?.into_iter().map(edits).collect()
    }

    pub(crate) fn read_json_edits(
        &self,
        tables: Vec<JsonEdits>,
        patch: &mut ScenePatch,
    ) -> Result<()> {
        for JsonEdits { kind, edits } in tables {
            if let Some(kind) = self.find(&kind, || unknown_kind_of_text(&kind))? {
                (kind.edits.read_json)(patch, edits)?;
            }
        }
        Ok(())
    }

    /// Appends the rows of all kinds as columns.
    pub(crate) fn write(
        &self,
        scene: &Scene,
        columns: &mut SharedColumns<'_>,
    ) -> Result<Vec<UserTableRecord>> {
        let mut tables = Vec::new();
        for kind in self.of_scene(scene)? {
            let (mut nodes, mut bytes) = (Vec::new(), Vec::new());
            (kind.write)(scene, &mut nodes, &mut bytes)?;
            tables.push(UserTableRecord {
                kind: kind.name.into(),
                nodes: columns.writer.push(&nodes),
                rows: columns.writer.push(&bytes),
            });
        }
        Ok(tables)
    }

    /// Reads the tables of users' own kinds; `offsets` are those of the records.
    pub(crate) fn read<'a>(
        &self,
        tables: &[UserTableRecord],
        offsets: &[u64],
        writer: Writer,
        scene: &mut Scene,
        decoder: &mut Decoder<'_, 'a>,
    ) -> Result<()> {
        for (table, &offset) in tables.iter().zip(offsets) {
            let unknown = || unknown_kind(&table.kind, writer, offset);
            let Some(kind) = self.find(&table.kind, unknown)? else { continue };
            let rows = user_bytes(table.rows, writer, decoder)?;
            (kind.read)(scene, table.nodes, rows, decoder)?;
        }
        Ok(())
    }

    pub(crate) fn write_json(&self, scene: &Scene) -> Result<Vec<JsonTable>> {
        let table = |kind: &UserKind| {
            let rows = (kind.write_json)(scene).map_err(|error| {
                let message = format!("components of kind {:?}: {error}", kind.name);
                Error::new(ErrorKind::Component, message)
            })?;
            Ok(JsonTable { kind: kind.name.into(), rows })
        };
        self.of_scene(scene)?.into_iter().map(table).collect()
    }

    pub(crate) fn read_json(&self, tables: &[JsonTable], scene: &mut Scene) -> Result<()> {
        for table in tables {
            let unknown = || unknown_kind_of_text(&table.kind);
            if let Some(kind) = self.find(&table.kind, unknown)? {
                (kind.read_json)(scene, &table.rows)?;
            }
        }
        Ok(())
    }
}

const REMEDY: &str = "register it with `Options::component`, or leave it out with \
                      `Options::skip_component`";

/// Returns the error for a kind that cannot be written.
fn not_registered(what: &str, kind: &str) -> Error {
    let message =
        format!("the {what} has components of kind {kind:?}, which is not registered; {REMEDY}",);
    Error::new(ErrorKind::Component, message)
}

/// Returns the error for a kind in a file.
fn unknown_kind(kind: &str, writer: Writer, offset: u64) -> Error {
    let message = format!(
        "the file has components of kind {kind:?}, which is not registered; it was written by \
         {writer}; {REMEDY}",
    );
    Error::at(ErrorKind::Component, offset, message)
}

/// Returns the error for a kind in a text.
fn unknown_kind_of_text(kind: &str) -> Error {
    let message =
        format!("the text has components of kind {kind:?}, which is not registered; {REMEDY}");
    Error::new(ErrorKind::Component, message)
}

/// Returns a column of bytes that types of users are read from, after taking their memory from the
/// budget.
fn user_bytes<'a>(
    column: u32,
    writer: Writer,
    decoder: &mut Decoder<'_, 'a>,
) -> Result<Section<'a>> {
    let bytes = decoder.columns.bytes(column)?;
    let start = decoder.columns.offset(column, 0);
    decoder.budget.take(start, bytes.len(), BYTES_PER_BYTE)?;
    Ok(Section { tag: USER, offset: start.unwrap_or(0) as usize, bytes, writer })
}
