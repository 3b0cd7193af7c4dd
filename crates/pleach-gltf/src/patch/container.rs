//! A patch as a file: header, JSON, bytes. docs/file-patches.md specifies it.
//!
//! Invariant: whatever the bytes are, reading them gives a patch or an error, and takes memory in
//! proportion to their number.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::FilePatch;
use super::content_hash::ContentHash;
use super::edit::{Change, Edit, Owner, Step};
use super::model::{Layout, arrays};
use super::tokens::{self, BlobTable, array_named};
use super::value::{Blob, BlobSource, Ref, Text, Value};
use crate::diagnostics::{Pointer, Result};
use crate::json::{Member, Members, UInt};
use crate::references::PerArray;
use crate::{Bytes, Error, ErrorKind};

const MAGIC: &[u8; 8] = b"PLEACHFP";
/// The version of the encoding that is written, and the latest that is read.
const VERSION: u32 = 1;
const WRITER: &str = concat!("pleach ", env!("CARGO_PKG_VERSION"));
/// The maximum length of the name of the program that wrote a patch.
const MAX_WRITER: usize = 100;

pub(super) fn encode(patch: &FilePatch) -> Vec<u8> {
    let mut blobs = BlobTable::default();
    let mut edits = String::new();
    for (number, edit) in patch.edits.iter().enumerate() {
        edits.push_str(if number > 0 { ",\n" } else { "\n" });
        encode_edit(edit, &mut blobs, &mut edits);
    }
    let (table, pieces) = encode_blobs(&patch.edits, &blobs.blobs);
    let counts: Vec<String> = arrays()
        .filter(|&it| patch.counts[it] > 0)
        .map(|it| format!("\"{it}\":{}", patch.counts[it]))
        .collect();
    let layout = match patch.layout {
        Layout::Free => "free",
        Layout::Exact => "exact",
    };
    let json = format!(
        "{{\"layout\":\"{layout}\",\n\"base\":\"{}\",\n\"result\":\"{}\",\n\"counts\":{{{}}},\n\
         \"blobs\":[{table}],\n\"edits\":[{edits}]}}\n",
        patch.base,
        patch.result,
        counts.join(",")
    );
    let length: usize = pieces.iter().map(|it| it.len()).sum();
    let mut body = json.into_bytes();
    let json_length = body.len();
    body.reserve(length);
    pieces.iter().for_each(|it| body.extend_from_slice(it));
    let mut out = Vec::with_capacity(body.len() + 128);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(WRITER.len() as u32).to_le_bytes());
    out.extend_from_slice(WRITER.as_bytes());
    out.extend_from_slice(&(json_length as u64).to_le_bytes());
    out.extend_from_slice(&(length as u64).to_le_bytes());
    out.extend_from_slice(&Sha256::digest(&body));
    out.extend_from_slice(&body);
    out
}

fn encode_edit(edit: &Edit, blobs: &mut BlobTable, out: &mut String) {
    let owner = match edit.owner {
        Owner::Root => "[]".into(),
        Owner::Chunks => "[\"(chunks)\"]".into(),
        Owner::Array(array) => format!("[\"{array}\"]"),
        Owner::Entry(of) => format!("[\"{}\",{}]", of.array, of.id),
    };
    out.push_str(&format!("{{\"in\":{owner},\"label\":{}", Text::string(&edit.label).0));
    match &edit.change {
        Change::Add(value) => {
            out.push_str(",\"add\":");
            tokens::encode(value, blobs, out);
        }
        Change::Remove => out.push_str(",\"remove\":true"),
        Change::Set { path, old, new } => {
            out.push_str(&format!(",\"set\":{}", path_text(path)));
            for (key, value) in [("old", old), ("new", new)] {
                if let Some(value) = value {
                    out.push_str(&format!(",\"{key}\":"));
                    tokens::encode(value, blobs, out);
                }
            }
        }
        Change::Splice { path, at, old, new } => {
            out.push_str(&format!(",\"splice\":{},\"at\":{at}", path_text(path)));
            for (key, values) in [("old", old), ("new", new)] {
                out.push_str(&format!(",\"{key}\":"));
                tokens::encode_all(values, blobs, out);
            }
        }
        Change::Order(runs) => {
            let runs: Vec<String> =
                runs.iter().map(|(first, length)| format!("{first},{length}")).collect();
            out.push_str(&format!(",\"order\":[{}]", runs.join(",")));
        }
    }
    out.push('}');
}

fn path_text(path: &[Step]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| match step {
            Step::Key(key) => format!("\"{key}\""),
            Step::Index(index) => index.to_string(),
        })
        .collect();
    format!("[{}]", steps.join(","))
}

/// Returns the table of the blobs, and the bytes to store. Bytes that the first file has are not
/// stored; of bytes that replace others, only those between their common start and end.
fn encode_blobs<'a>(edits: &'a [Edit], blobs: &'a [Arc<Blob>]) -> (String, Vec<&'a [u8]>) {
    // The blobs that the first file has, as far as edits mention them, and what replaces them.
    let mut old_blobs: HashMap<ContentHash, &Arc<Blob>> = HashMap::new();
    let mut replaced: HashMap<ContentHash, &Arc<Blob>> = HashMap::new();
    for edit in edits {
        let old = match &edit.change {
            Change::Set { old: Some(old), new, .. } => {
                if let (Some(old), Some(new)) = (old.blob(), new.as_ref().and_then(Value::blob)) {
                    replaced.entry(new.hash).or_insert(old);
                }
                std::slice::from_ref(old)
            }
            Change::Splice { old, .. } => &old[..],
            _ => &[],
        };
        old.iter().for_each(|it| {
            it.visit(&mut |value| {
                if let Some(blob) = value.blob() {
                    old_blobs.insert(blob.hash, blob);
                }
            });
        });
    }
    let mut table = String::new();
    let mut pieces = Vec::new();
    for (number, blob) in blobs.iter().enumerate() {
        let Blob { hash, length, source } = &**blob;
        table.push_str(if number > 0 { ",\n" } else { "\n" });
        table.push_str(&format!("{{\"hash\":\"{hash}\",\"length\":{length}"));
        let between = |base: &ContentHash, head: usize, tail: usize| {
            format!(",\"base\":\"{base}\",\"head\":{head},\"tail\":{tail}")
        };
        match source {
            _ if old_blobs.contains_key(hash) => {}
            BlobSource::Base => {}
            BlobSource::Between { base, head, middle, tail } => {
                table.push_str(&between(base, *head, *tail));
                pieces.push(&**middle);
            }
            BlobSource::Stored(bytes) => {
                let base = replaced.get(hash).and_then(|it| Some((it.hash, it.bytes()?)));
                match base {
                    Some((base, old)) => {
                        let head = old.iter().zip(&**bytes).take_while(|it| it.0 == it.1).count();
                        let (old, new) = (&old[head..], &bytes[head..]);
                        let ends = old.iter().rev().zip(new.iter().rev());
                        let tail = ends.take_while(|it| it.0 == it.1).count();
                        table.push_str(&between(&base, head, tail));
                        pieces.push(&new[..new.len() - tail]);
                    }
                    None => {
                        table.push_str(",\"stored\":true");
                        pieces.push(&**bytes);
                    }
                }
            }
        }
        table.push('}');
    }
    (table, pieces)
}

fn damaged(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Patch, &Pointer::ROOT, message)
}

/// Reads the header and returns the program that wrote the patch, and the ranges of JSON and bytes.
fn header(file: &[u8]) -> Result<(String, Range<usize>, Range<usize>)> {
    let truncated = || damaged(format!("the patch is truncated: it ends at byte {}", file.len()));
    let take = |at: usize, length: usize| file.get(at..at.checked_add(length)?);
    let number32 = |at: usize| {
        let bytes = take(at, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let number64 = |at: usize| {
        let bytes = take(at, 8)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    if !file.starts_with(MAGIC) {
        let is_start = !file.is_empty() && MAGIC.starts_with(file);
        let other = || {
            damaged(
                "it is not a patch of a glTF file, which begins with PLEACHFP; `pleach diff A B --patch \
                 OUT` writes one",
            )
        };
        return Err(if is_start { truncated() } else { other() });
    }
    let version = number32(8).ok_or_else(truncated)?;
    let length = number32(12).ok_or_else(truncated)? as usize;
    if length > MAX_WRITER {
        return Err(damaged(format!("the name at byte 16 of the patch has {length} bytes")));
    }
    let writer = take(16, length).ok_or_else(truncated)?;
    let writer = String::from_utf8_lossy(writer).into_owned();
    if version == 0 || version > VERSION {
        return Err(damaged(format!(
            "the patch was written by {writer:?} in version {version} of the format; {WRITER} reads \
             versions up to {VERSION}, so use that program or a newer one"
        )));
    }
    let at = 16 + length;
    let json_length = number64(at).ok_or_else(truncated)?;
    let bytes_length = number64(at + 8).ok_or_else(truncated)?;
    let checksum = take(at + 16, 32).ok_or_else(truncated)?;
    let start = at + 48;
    let json_end = start.checked_add(json_length).filter(|&it| it <= file.len());
    let json_end = json_end.ok_or_else(truncated)?;
    let end = json_end.checked_add(bytes_length).filter(|&it| it <= file.len());
    let end = end.ok_or_else(truncated)?;
    if end < file.len() {
        return Err(damaged(format!("the patch ends at byte {end}, but more bytes follow")));
    }
    if Sha256::digest(&file[start..end])[..] != *checksum {
        let message =
            format!("the patch is damaged: bytes {start}..{end} do not have its checksum");
        return Err(damaged(message));
    }
    Ok((writer, start..json_end, json_end..end))
}

pub(super) fn decode(file: &Bytes) -> Result<FilePatch> {
    let (writer, json, bytes) = header(file)?;
    let invalid_json = |error: String| {
        damaged(format!("the JSON at byte {} of the patch is invalid: {error}", json.start))
    };
    let text = std::str::from_utf8(&file[json.clone()]);
    let text = text.map_err(|error| invalid_json(error.to_string()))?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| invalid_json(error.to_string()))?;
    let mut members: HashMap<&str, Range<usize>> = HashMap::new();
    for Member { raw_key, value, .. } in Members::of(text, &(0..text.len())) {
        members.insert(raw_key, value);
    }
    let missing =
        |key: &str| damaged(format!("the member {key:?} of the patch is missing or invalid"));
    let member = |key: &str| members.get(key).cloned().ok_or_else(|| missing(key));
    let string = |key: &str| member(key).map(|span| text[span].trim_matches('"'));
    let layout = match string("layout")? {
        "free" => Layout::Free,
        "exact" => Layout::Exact,
        _ => return Err(missing("layout")),
    };
    let hash = |key: &str| ContentHash::parse(string(key)?).ok_or_else(|| missing(key));
    let (base, result) = (hash("base")?, hash("result")?);
    let mut counts: PerArray<u32> = PerArray::default();
    for it in Members::of(text, &member("counts")?) {
        let count = index(&text[it.value]).and_then(|it| u32::try_from(it).ok());
        let (Some(array), Some(count)) = (array_named(it.raw_key), count) else {
            return Err(missing("counts"));
        };
        counts[array] = count;
    }
    let stored = file.slice(bytes).unwrap_or_default();
    let blobs = decode_blobs(text, &member("blobs")?, &stored).ok_or_else(|| missing("blobs"))?;
    let mut edits = Vec::new();
    for (number, it) in Members::of(text, &member("edits")?).enumerate() {
        let edit = decode_edit(text, &it.value, &blobs)?;
        let unknown = || damaged(format!("edit {number} of the patch, by {writer}, is not known"));
        edits.push(edit.ok_or_else(unknown)?);
    }
    Ok(FilePatch { layout, base, result, counts, edits, writer })
}

fn index(text: &str) -> Option<usize> {
    serde_json::from_str::<UInt>(text).ok().map(UInt::index)
}

fn decode_blobs(text: &str, span: &Range<usize>, stored: &Bytes) -> Option<Vec<Arc<Blob>>> {
    let mut blobs = Vec::new();
    let mut at = 0usize;
    for entry in Members::of(text, span) {
        let (mut hash, mut length, mut is_stored) = (None, None, false);
        let (mut base, mut head, mut tail) = (None, 0, 0);
        for member in Members::of(text, &entry.value) {
            let value = &text[member.value];
            let parse_hash = || ContentHash::parse(value.trim_matches('"'));
            match member.raw_key {
                "hash" => hash = parse_hash(),
                "length" => length = index(value),
                "stored" => is_stored = value == "true",
                "base" => base = Some(parse_hash()?),
                "head" => head = index(value)?,
                "tail" => tail = index(value)?,
                _ => return None,
            }
        }
        let (hash, length) = (hash?, length?);
        let mut take = |length: usize| {
            let end = at.checked_add(length)?;
            let bytes = stored.slice(at..end)?;
            at = end;
            Some(bytes)
        };
        let source = match base {
            _ if is_stored => {
                let bytes = take(length)?;
                if ContentHash::of(&bytes) != hash {
                    return None;
                }
                BlobSource::Stored(bytes)
            }
            Some(base) => {
                let middle = take(length.checked_sub(head)?.checked_sub(tail)?)?;
                BlobSource::Between { base, head, middle, tail }
            }
            None => BlobSource::Base,
        };
        blobs.push(Arc::new(Blob { hash, length, source }));
    }
    (at == stored.len()).then_some(blobs)
}

/// Reads an edit, or returns `None` if it is of an unknown kind.
fn decode_edit(text: &str, span: &Range<usize>, blobs: &[Arc<Blob>]) -> Result<Option<Edit>> {
    let mut members: HashMap<&str, Range<usize>> = HashMap::new();
    for Member { raw_key, value, .. } in Members::of(text, span) {
        members.insert(raw_key, value);
    }
    let owner = members.remove("in").and_then(|it| decode_owner(text, &it));
    let label = members.remove("label").and_then(|it| serde_json::from_str(&text[it]).ok());
    let (Some(owner), Some(label)) = (owner, label) else { return Ok(None) };
    let mut change = None;
    if let Some(span) = members.remove("add") {
        change = Some(Change::Add(tokens::decode(text, &span, blobs)?));
    } else if let Some(path) = members.remove("set") {
        let Some(path) = decode_path(text, &path) else { return Ok(None) };
        let mut value = |key: &str| {
            members.remove(key).map(|span| tokens::decode(text, &span, blobs)).transpose()
        };
        change = Some(Change::Set { path, old: value("old")?, new: value("new")? });
    } else if let Some(path) = members.remove("splice") {
        let at = members.remove("at").and_then(|it| index(&text[it]));
        let (Some(path), Some(at)) = (decode_path(text, &path), at) else { return Ok(None) };
        let mut values = |key: &str| -> Result<Vec<Value>> {
            let Some(span) = members.remove(key) else { return Ok(Vec::new()) };
            Members::of(text, &span).map(|it| tokens::decode(text, &it.value, blobs)).collect()
        };
        change = Some(Change::Splice { path, at, old: values("old")?, new: values("new")? });
    } else if let Some(order) = members.remove("order") {
        let mut numbers = Vec::new();
        for it in Members::of(text, &order) {
            let number = index(&text[it.value]).and_then(|it| u32::try_from(it).ok());
            let Some(number) = number else { return Ok(None) };
            numbers.push(number);
        }
        let (runs, rest) = numbers.as_chunks::<2>();
        if !rest.is_empty() {
            return Ok(None);
        }
        change = Some(Change::Order(runs.iter().map(|&[first, length]| (first, length)).collect()));
    } else if members.remove("remove").is_some_and(|it| &text[it] == "true") {
        change = Some(Change::Remove);
    }
    let change = change.filter(|_| members.is_empty());
    Ok(change.map(|change| Edit { owner, label, change }))
}

fn decode_owner(text: &str, span: &Range<usize>) -> Option<Owner> {
    let parts: Vec<&str> = Members::of(text, span).map(|it| &text[it.value]).collect();
    let array = |name: &str| array_named(name.trim_matches('"'));
    match parts[..] {
        [] => Some(Owner::Root),
        ["\"(chunks)\""] => Some(Owner::Chunks),
        [name] => array(name).map(Owner::Array),
        [name, id] => {
            let id = u32::try_from(index(id)?).ok()?;
            Some(Owner::Entry(Ref { array: array(name)?, id }))
        }
        _ => None,
    }
}

fn decode_path(text: &str, span: &Range<usize>) -> Option<Vec<Step>> {
    let step = |text: &str| match text.strip_prefix('"') {
        Some(key) => Some(Step::Key(key.strip_suffix('"')?.into())),
        None => index(text).map(Step::Index),
    };
    Members::of(text, span).map(|it| step(&text[it.value])).collect()
}
