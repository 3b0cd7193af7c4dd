//! Patches of scenes: recorded edits of nodes, components, assets, environment and name, as files and as
//! JSON. docs/format.md specifies both.
//!
//! Nodes have the same handles on both sides; assets are referred to by the numbers of an `AssetMap`.

pub(crate) mod decode;
pub(crate) mod encode;
mod records;

use std::collections::HashMap;

use pleach::Scene;
use pleach::undo::ScenePatch;
use serde::Deserialize;

use crate::binary::{read_list, read_one, write_list};
use crate::decode::{Decoder, Offsets};
use crate::encode::SharedColumns;
use crate::error::Result;
use crate::file::columns::Columns;
use crate::file::sections::{FileKind, FileWriter, Sections};
use crate::file::wire;
use crate::json::JsonColumn;
use crate::limits::Budget;
use crate::patch::{self, PatchRecord};
use crate::records::scene::{DATA, USER};
use crate::user_kinds::{JsonEdits, UserKinds};
use crate::{AssetMap, Limits, json};
use records::{MEMBERS, Records, SCENE_PATCH, is_known, patch_lists};
pub(crate) use records::{RowEditRecord, UserEditsRecord};

/// The value of the member `format` of JSON texts.
const FORMAT: &str = "pleach scene patch";

/// Calls `call` with a map, which loses what was added to it if that fails.
fn with_map<T>(map: &mut AssetMap, call: impl FnOnce(&mut AssetMap) -> Result<T>) -> Result<T> {
    let before = map.counts();
    let result = call(map);
    if result.is_err() {
        map.truncate(before);
    }
    result
}

pub(crate) fn write(patch: &ScenePatch, map: &mut AssetMap, kinds: &UserKinds) -> Result<Vec<u8>> {
    with_map(map, |map| {
        let (head, edits) = patch::encode(patch.graph())?;
        let mut file = FileWriter::new(FileKind::ScenePatch, 256 + 32 * edits.len());
        let (records, edits, user) = file.section(DATA, |bytes| {
            let mut columns = SharedColumns::deduplicating(bytes);
            let records = encode::encode(patch, map, &mut columns)?;
            let edits = patch::pack(edits, &mut columns.writer);
            Ok((records, edits, kinds.write_edits(patch, &mut columns)?))
        })?;
        patch::write_edits(&mut file, &head, &edits)?;
        file.section(SCENE_PATCH, |bytes| wire::write(bytes, &records.scene))?;
        write_lists(&mut file, &records)?;
        write_list(&mut file, USER, &user)?;
        Ok(file.finish())
    })
}

pub(crate) fn read(
    bytes: &[u8],
    scene: &Scene,
    map: &mut AssetMap,
    kinds: &UserKinds,
    (limits, verify): (&Limits, bool),
) -> Result<ScenePatch> {
    let file = Sections::read(bytes, FileKind::ScenePatch, verify)?;
    file.check_tags(is_known)?;
    let mut budget = Budget::new(limits, bytes.len());
    let columns = Columns::read(file.require(DATA)?, &mut budget)?;
    let graph = patch::read_edits(&file, &columns, &scene.graph, &mut budget)?;
    scene.check_revision(&graph).map_err(decode::misfit)?;
    let mut offsets = Offsets::default();
    let records = read_records(&file, &mut budget, &mut offsets)?;
    let user: Vec<UserEditsRecord> = read_list(&file, USER, &mut budget, &mut offsets)?;
    let (budget, bind_matrices) = (&mut budget, HashMap::new());
    let mut decoder = Decoder { columns: &columns, budget, offsets: &offsets, bind_matrices };
    with_map(map, |map| {
        let mut patch = decode::decode(graph, records, scene, map, &mut decoder)?;
        let user_offsets = offsets.0.get(&USER).map_or(&[][..], Vec::as_slice);
        kinds.read_edits(&user, user_offsets, file.writer, &mut patch, &mut decoder)?;
        decode::check(&patch, scene)?;
        Ok(patch)
    })
}

macro_rules! implement_lists {
    ($($list:ident = $tag:path,)*) => {
        fn write_lists(file: &mut FileWriter, records: &Records) -> Result<()> {
            $(write_list(file, $tag, &records.$list)?;)*
            Ok(())
        }

        fn read_records(
            file: &Sections<'_>,
            budget: &mut Budget,
            offsets: &mut Offsets,
        ) -> Result<Records> {
            Ok(Records {
                scene: read_one(file.require(SCENE_PATCH)?, budget)?,
                $($list: read_list(file, $tag, budget, offsets)?,)*
            })
        }

        fn append_lists(text: &mut String, records: &Records) -> Result<()> {
            $(json::append_list(text, stringify!($list), &records.$list)?;)*
            Ok(())
        }
    };
}

patch_lists!(implement_lists);

pub(crate) fn write_json(
    patch: &ScenePatch,
    map: &mut AssetMap,
    kinds: &UserKinds,
) -> Result<String> {
    with_map(map, |map| {
        let (head, edits) = patch::encode(patch.graph())?;
        let mut bytes = Vec::new();
        let records = encode::encode(patch, map, &mut SharedColumns::deduplicating(&mut bytes))?;
        let mut text = json::head(FORMAT);
        text += &format!(",\n\"patch\": {}", json::compact(&head)?);
        text += &format!(",\n\"scene\": {}", json::compact(&records.scene)?);
        json::append_list(&mut text, "edits", &edits)?;
        append_lists(&mut text, &records)?;
        json::append_list(&mut text, "components", &kinds.write_json_edits(patch)?)?;
        json::append_columns(&mut text, &Columns::find(&bytes, None)?)?;
        text += "\n}\n";
        Ok(text)
    })
}

/// The members that are not `Records`.
#[derive(Deserialize)]
struct Rest {
    patch: PatchRecord,
    #[serde(default)]
    edits: patch::JsonEdits,
    #[serde(default)]
    components: Vec<JsonEdits>,
    columns: Vec<JsonColumn>,
}

pub(crate) fn read_json(
    text: &str,
    scene: &Scene,
    map: &mut AssetMap,
    kinds: &UserKinds,
    limits: &Limits,
) -> Result<ScenePatch> {
    let mut budget = Budget::new(limits, text.len());
    budget.take(None, text.len(), json::BYTES_PER_BYTE)?;
    let writer = json::check_members(text, FORMAT, MEMBERS)?;
    let records: Records = json::parse_of(&writer, text)?;
    let Rest { patch, edits, components, columns } = json::parse_of(&writer, text)?;
    let graph = patch::decode_json(&patch, edits, &scene.graph, &mut budget)?;
    scene.check_revision(&graph).map_err(decode::misfit)?;
    let bytes = json::column_bytes(&columns)?;
    drop(columns);
    let columns = Columns::find(&bytes, None)?;
    let (offsets, bind_matrices) = (Offsets::default(), HashMap::new());
    let mut decoder =
        Decoder { columns: &columns, budget: &mut budget, offsets: &offsets, bind_matrices };
    with_map(map, |map| {
        let mut patch = decode::decode(graph, records, scene, map, &mut decoder)?;
        kinds.read_json_edits(components, &mut patch)?;
        decode::check(&patch, scene)?;
        Ok(patch)
    })
}
