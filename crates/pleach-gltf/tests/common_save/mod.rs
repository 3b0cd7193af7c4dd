//! What the tests of saving share: what differs between two texts, the yard, models on disk.
//!
//! Two texts are compared by a reader of JSON that is not pleach's: once as values
//! (`differences`), once leaf by leaf as they are written (`check_writing`).

#![allow(dead_code, unused_imports, reason = "each test file uses its part of this")]

mod check;
mod describe;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_gltf::{Bytes, Document, ErrorKind, Form, Options, Saved};
use serde_json::Value;

pub(crate) use check::{check_file, faults};
pub(crate) use describe::{
    assert_same_scene, camera_values, describe, geometry_bits, light_values, material_line,
};

/// Files beside a model, by name.
pub(crate) type Files = BTreeMap<String, Bytes>;

/// A model without files.
pub(crate) fn load(text: &str) -> Document {
    load_with(text, &Files::new())
}

/// A model with files.
pub(crate) fn load_with(text: &str, files: &Files) -> Document {
    Options::new().load_with(text.as_bytes().to_vec(), files).unwrap()
}

/// What a document is as JSON.
pub(crate) fn saved(document: &Document) -> Saved {
    document.save_bytes(Form::Gltf).unwrap()
}

pub(crate) fn text_of(saved: &Saved) -> String {
    String::from_utf8(saved.bytes.clone()).unwrap()
}

/// What a document is, loaded again.
pub(crate) fn again(saved: &Saved) -> Document {
    let files: Files = saved.files.iter().cloned().collect();
    Options::new().load_with(saved.bytes.clone(), &files).unwrap()
}

/// The JSON of either form.
pub(crate) fn json_of(bytes: &[u8]) -> String {
    if !bytes.starts_with(b"glTF") {
        return String::from_utf8(bytes.to_vec()).unwrap();
    }
    String::from_utf8(chunks_of(bytes)[0].1.clone()).unwrap()
}

/// The chunks of a `.glb`: kind and content.
pub(crate) fn chunks_of(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(number(8) as usize, bytes.len(), "the length of the .glb");
    let (mut at, mut chunks) = (12, Vec::new());
    while at < bytes.len() {
        let end = at + 8 + number(at) as usize;
        assert_eq!(end % 4, 0, "chunks are aligned");
        chunks.push((number(at + 4), bytes[at + 8..end].to_vec()));
        at = end;
    }
    chunks
}

/// A `.glb` of chunks that are as long as they should be.
pub(crate) fn glb_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content) in chunks {
        assert_eq!(content.len() % 4, 0);
        out.extend((content.len() as u32).to_le_bytes());
        out.extend(*kind);
        out.extend(*content);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{fault} in\n{text}"))
}

/// What differs between two texts, in the order of the pointers: `/nodes/1/name = "gate"`,
/// `+/nodes/7 = {}`, `-/nodes/3/matrix`. Entries of arrays are compared by their index.
pub(crate) fn differences(before: &str, after: &str) -> Vec<String> {
    let mut all = Vec::new();
    compare("", &value(before), &value(after), &mut all);
    all
}

fn compare(at: &str, before: &Value, after: &Value, all: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let step = key.replace('~', "~0").replace('/', "~1");
                member(&format!("{at}/{step}"), old.get(key), new.get(key), all);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.iter().chain(new).any(|it| !is_leaf(it)) => {
            for index in 0..old.len().max(new.len()) {
                member(&format!("{at}/{index}"), old.get(index), new.get(index), all);
            }
        }
        _ if !is_same(before, after) => all.push(format!("{at} = {after}")),
        _ => {}
    }
}

fn member(at: &str, before: Option<&Value>, after: Option<&Value>, all: &mut Vec<String>) {
    match (before, after) {
        (Some(before), Some(after)) => compare(at, before, after, all),
        (Some(_), None) => all.push(format!("-{at}")),
        (None, Some(after)) => all.push(format!("+{at} = {after}")),
        (None, None) => {}
    }
}

fn is_leaf(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Equal, where 1 and 1.0 are.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        _ => one == other,
    }
}

/// Asserts what differs.
#[track_caller]
pub(crate) fn assert_differences(before: &str, after: &str, expected: &[&str]) {
    let found = differences(before, after);
    assert!(
        found == expected,
        "found\n  {}\nexpected\n  {}\nin\n{after}",
        found.join("\n  "),
        expected.join("\n  "),
    );
    check_writing(before, after);
}

/// What is the same is written the same, in the same order: numbers with their digits, strings
/// with their escapes.
#[track_caller]
pub(crate) fn check_writing(before: &str, after: &str) {
    let (old, new) = (leaves(before), leaves(after));
    let places: HashMap<&str, usize> =
        old.iter().enumerate().map(|(place, (at, _))| (&**at, place)).collect();
    // An array that differs in one number is written anew.
    let changed: HashSet<String> = differences(before, after)
        .iter()
        .map(|it| it.trim_start_matches(['+', '-']).split(" = ").next().unwrap().to_string())
        .collect();
    let is_within_changed =
        |at: &str| at.match_indices('/').any(|(end, _)| end > 0 && changed.contains(&at[..end]));
    let mut last = 0;
    for (at, written) in &new {
        let Some(&place) = places.get(&**at) else { continue };
        if is_within_changed(at) {
            continue;
        }
        let was = &old[place].1;
        let means_same = is_same(&value(was), &value(written));
        assert!(!means_same || was == written, "{at} was written {was}, and is now {written}");
        assert!(place >= last, "{at} comes earlier than it did");
        last = place;
    }
}

/// Numbers, strings and all else that is not made of others, by JSON pointer, as written, and
/// what is empty.
pub(crate) fn leaves(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut scan = Scan { text: text.as_bytes(), at: 0 };
    scan.space();
    scan.value("", &mut all);
    all
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.text[self.at] != b'"' {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }

    fn value(&mut self, pointer: &str, all: &mut Vec<(String, String)>) {
        let (open, start) = (self.text[self.at], self.at);
        match open {
            b'{' | b'[' => {
                self.at += 1;
                self.space();
                let mut index = 0;
                while !matches!(self.text[self.at], b'}' | b']') {
                    let mut step = index.to_string();
                    if open == b'{' {
                        step = serde_json::from_str::<String>(&self.string()).unwrap();
                        self.space();
                        assert_eq!(self.text[self.at], b':');
                        self.at += 1;
                        self.space();
                    }
                    self.value(&format!("{pointer}/{step}"), all);
                    index += 1;
                    self.space();
                    if self.text[self.at] == b',' {
                        self.at += 1;
                        self.space();
                    }
                }
                self.at += 1;
                if index == 0 {
                    let written = String::from_utf8(self.text[start..self.at].to_vec()).unwrap();
                    all.push((pointer.into(), written));
                }
            }
            b'"' => all.push((pointer.into(), self.string())),
            _ => {
                while self.at < self.text.len()
                    && !matches!(self.text[self.at], b',' | b'}' | b']')
                    && !self.text[self.at].is_ascii_whitespace()
                {
                    self.at += 1;
                }
                let written = String::from_utf8(self.text[start..self.at].to_vec()).unwrap();
                all.push((pointer.into(), written));
            }
        }
    }
}

/// Text with its JSON changed as JSON: what is expected of an edit that moves many numbers.
pub(crate) fn with(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut value = value(text);
    edit(&mut value);
    value.to_string()
}

/// Bytes that are put one after another, each with a view and an accessor of its own.
#[derive(Default)]
pub(crate) struct Columns {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: String,
    pub(crate) accessors: String,
    pub(crate) count: usize,
}

impl Columns {
    pub(crate) fn add(
        &mut self,
        bytes: &[u8],
        count: usize,
        component: u32,
        kind: &str,
        more: &str,
    ) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let comma = if self.count == 0 { "" } else { ",\n    " };
        write!(
            self.views,
            "{comma}{{ \"buffer\" : 0, \"byteOffset\": {}, \"byteLength\":{} }}",
            self.bytes.len(),
            bytes.len()
        )
        .unwrap();
        write!(
            self.accessors,
            "{comma}{{ \"bufferView\": {}, \"componentType\": {component}, \"count\": {count}, \
             \"type\": \"{kind}\"{more} }}",
            self.count
        )
        .unwrap();
        self.bytes.extend_from_slice(bytes);
        self.count += 1;
    }

    pub(crate) fn floats(&mut self, values: &[f32], kind: &str, more: &str) {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.add(&bytes, values.len() / width, 5126, kind, more);
    }
}

/// A file with some of everything, written in an odd way; see `yard.gltf`, which has all but
/// the bytes.
pub(crate) fn yard() -> (String, Files) {
    let mut columns = Columns::default();
    let bounds = ", \"min\": [0,0,0], \"max\": [1.0,1.00,0.0]";
    let triangle = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    columns.floats(&triangle, "VEC3", bounds); // 0: of the house
    columns.add(&[0, 0, 1, 0, 2, 0], 3, 5123, "SCALAR", "");
    columns.floats(&triangle, "VEC3", bounds); // 2: of the door
    columns.floats(&[0.0, 0.0, 1.0].repeat(3), "VEC3", ""); // 3: of both
    columns.add(&[0, 1, 2, 0].repeat(3), 3, 5121, "VEC4", ""); // 4
    columns.floats(&[0.5, 0.25, 0.25, 0.0].repeat(3), "VEC4", "");
    let mut identity = [0.0; 16];
    for i in 0..4 {
        identity[i * 5] = 1.0;
    }
    columns.floats(&identity.repeat(3), "MAT4", ""); // 6
    columns.floats(&[0.5; 9], "VEC3", ", \"min\": [0.5,0.5,0.5], \"max\": [0.5,0.5,0.5]"); // 7
    columns.floats(&[0.0, 1.0], "SCALAR", ", \"min\": [0], \"max\": [1]"); // 8
    columns.floats(&[0.0, 0.0, 0.0, 0.0, 2.0, 0.0], "VEC3", ""); // 9
    columns.floats(&[1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "VEC3", ""); // 10: of the copies
    columns.add(&[0, 1], 2, 5121, "SCALAR", ""); // 11
    columns.floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "VEC2", ""); // 12
    let text = include_str!("yard.gltf")
        .replace("\"VIEWS\"", &columns.views)
        .replace("\"ACCESSORS\"", &columns.accessors)
        .replace("\"LENGTH\"", &columns.bytes.len().to_string());
    let png = b"\x89PNG\r\n\x1a\nnot really".to_vec();
    let files = Files::from([
        ("data.bin".into(), Bytes::from(columns.bytes)),
        ("old wood.png".into(), Bytes::from(png)),
    ]);
    (text, files)
}

/// The yard's document.
pub(crate) fn load_yard() -> (String, Document) {
    let (text, files) = yard();
    let document = load_with(&text, &files);
    assert!(document.report().is_empty(), "{}", document.report());
    (text, document)
}

/// A directory of its own for a test, empty at first, gone at the end.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
}

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pleach-gltf-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    /// All files in it, by their path, with `/`.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let (mut found, mut open) = (BTreeMap::new(), vec![self.path.clone()]);
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&self.path).unwrap();
                    let name = name.to_str().unwrap().replace('\\', "/");
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.path);
    }
}

/// All models that can be read.
pub(crate) fn opened() -> impl Iterator<Item = (PathBuf, Document)> {
    models().into_iter().filter_map(|path| match pleach_gltf::load(&path) {
        Ok(document) => Some((path, document)),
        Err(fault) if fault.pointer().starts_with("/extensionsRequired") => {
            eprintln!("SKIPPED: {fault}");
            None
        }
        Err(fault) => panic!("{fault}"),
    })
}

/// The models that lie beside the repository; none, loudly, if they are not there.
pub(crate) fn models() -> Vec<PathBuf> {
    let given = std::env::var_os("PLEACH_ASSETS");
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets");
    let directory = given.clone().map_or(beside, PathBuf::from);
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(&directory) else {
        let is_needed = given.is_some() || std::env::var_os("CI").is_some();
        assert!(!is_needed, "no models in {}", directory.display());
        eprintln!("SKIPPED: no models in {} (PLEACH_ASSETS)", directory.display());
        return found;
    };
    for entry in entries {
        let Ok(files) = fs::read_dir(entry.unwrap().path()) else { continue };
        found.extend(files.map(|file| file.unwrap().path()).filter(|path| {
            let extension = path.extension().and_then(|it| it.to_str());
            matches!(extension, Some("gltf" | "glb"))
        }));
    }
    found.sort();
    assert!(!found.is_empty(), "{} is empty", directory.display());
    found
}

/// Numbers that look random, always the same for a seed (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    /// Any finite number, odd ones often.
    pub(crate) fn number(&mut self) -> f32 {
        const ODD: [f32; 9] =
            [0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 16_777_217.0, 0.1];
        if self.below(4) == 0 {
            return ODD[self.below(ODD.len())];
        }
        loop {
            let number = f32::from_bits(self.next() as u32);
            if number.is_finite() {
                return number;
            }
        }
    }

    /// One that scenes can multiply with others.
    pub(crate) fn tame(&mut self) -> f32 {
        match self.below(8) {
            0 => -0.0,
            1 => 1e-45,
            2 => 1e-30,
            _ => (self.next() as i32) as f32 * 1e-7,
        }
    }
}
