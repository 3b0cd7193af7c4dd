//! Users' own kinds of components: written and read with serde, by functions that know the type.
//!
//! In bytes, the rows of a kind are a column of bytes, as postcard writes them one after the other; in JSON
//! they are values. Handles of nodes stay the same, so they need no mapping.

use std::fmt;

use pleach::component::Component;
use pleach::{NodeId, Scene};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::decode::{Decoder, begin_table, check_distinct};
use crate::encode::SharedColumns;
use crate::error::{Error, ErrorKind, Result};
use crate::file::sections::{Section, Tag, Writer};
use crate::file::wire;
use crate::records::components::UserTableRecord;
use crate::records::numbers::Node;
use crate::records::scene::{BUILT_IN, USER};

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
        }
    }
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
            let unknown = || {
                let message = format!(
                    "the scene has components of kind {name:?}, which is not registered; register it \
                     with `Options::component`, or leave it out with `Options::skip_component`",
                );
                Error::new(ErrorKind::Component, message)
            };
            match self.find(name, unknown) {
                Ok(kind) => found.extend(kind),
                Err(error) if rows > 0 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(found)
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
            let unknown = || {
                let message = format!(
                    "the file has components of kind {:?}, which is not registered; it was written by \
                     {writer}; {REMEDY}",
                    table.kind,
                );
                Error::at(ErrorKind::Component, offset, message)
            };
            let Some(kind) = self.find(&table.kind, unknown)? else { continue };
            let bytes = decoder.columns.bytes(table.rows)?;
            let start = decoder.columns.offset(table.rows, 0);
            decoder.budget.take(start, bytes.len(), BYTES_PER_BYTE)?;
            let rows = Section { tag: ROWS, offset: start.unwrap_or(0) as usize, bytes };
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
            let unknown = || {
                let message = format!(
                    "the text has components of kind {:?}, which is not registered; {REMEDY}",
                    table.kind,
                );
                Error::new(ErrorKind::Component, message)
            };
            if let Some(kind) = self.find(&table.kind, unknown)? {
                (kind.read_json)(scene, &table.rows)?;
            }
        }
        Ok(())
    }
}

const REMEDY: &str = "register it with `Options::component`, or leave it out with \
                      `Options::skip_component`";

/// The name of the rows in messages.
const ROWS: Tag = USER;
