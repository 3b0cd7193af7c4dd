//! Models changed at random, by their structure: whatever loads can be saved, and what was saved
//! is the same scene and, saved again, the same bytes.
//!
//! A round takes a model, changes values, bytes or framing a few times, and loads it. Round `n` of
//! seed `s` is round 0 of seed `s + n`: a failure prints the seed to repeat it alone.
//! `PLEACH_SEED` and `PLEACH_ROUNDS` choose others; `PLEACH_ASSETS` tells where real models are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pleach::Scene;
use pleach_gltf::{Bytes, Document, Form, Options};
use serde_json::{Value, json};

// ---------------------------------------------------------------- chance

/// SplitMix64: every seed is as good as any.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }
}

// ---------------------------------------------------------------- models

/// A model in parts that can be changed.
#[derive(Clone)]
struct Model {
    name: String,
    json: Value,
    /// The chunk of a `.glb`; none for a `.gltf`.
    bin: Option<Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Model {
    /// As a file.
    fn bytes(&self) -> Vec<u8> {
        let json = self.json.to_string().into_bytes();
        match &self.bin {
            None => json,
            Some(bin) => {
                let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
                for (kind, content, padding) in [(b"JSON", &json, b' '), (b"BIN\0", bin, 0)] {
                    let padded = content.len().next_multiple_of(4);
                    out.extend((padded as u32).to_le_bytes());
                    out.extend(kind);
                    out.extend(content);
                    out.resize(out.len() + padded - content.len(), padding);
                }
                let length = (out.len() as u32).to_le_bytes();
                out[8..12].copy_from_slice(&length);
                out
            }
        }
    }

    fn resolver(&self) -> BTreeMap<String, Bytes> {
        self.files.iter().map(|(name, bytes)| (name.clone(), Bytes::from(bytes.clone()))).collect()
    }

    /// All pieces of bytes.
    fn pieces(&mut self) -> Vec<&mut Vec<u8>> {
        self.bin.iter_mut().chain(self.files.values_mut()).collect()
    }
}

/// Takes a `.glb` apart, or a `.gltf` with the files around it.
fn read(path: &Path) -> Option<Model> {
    let file = fs::read(path).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    if file.starts_with(b"glTF") {
        let number = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
        let end = 20 + number(12)? as usize;
        let json = serde_json::from_slice(file.get(20..end)?).ok()?;
        let bin = file.get(end + 8..).map(<[u8]>::to_vec);
        return Some(Model { name, json, bin, files: BTreeMap::new() });
    }
    let json: Value = serde_json::from_slice(&file).ok()?;
    let mut files = BTreeMap::new();
    for list in ["buffers", "images"] {
        for uri in json[list].as_array().into_iter().flatten().filter_map(|it| it["uri"].as_str()) {
            if let Ok(bytes) = fs::read(path.parent()?.join(uri)) {
                files.insert(uri.to_string(), bytes);
            }
        }
    }
    Some(Model { name, json, bin: None, files })
}

/// The sample models, if they are on this machine; those that are small enough to be read often.
fn real() -> Vec<Model> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets");
    let place = std::env::var_os("PLEACH_ASSETS").map_or(beside, PathBuf::from);
    let mut paths: Vec<PathBuf> = fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_dir(entry.path()).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "gltf" || it == "glb"))
        .collect();
    paths.sort();
    let size =
        |model: &Model| model.bytes().len() + model.files.values().map(Vec::len).sum::<usize>();
    paths.iter().filter_map(|path| read(path)).filter(|model| size(model) < 40_000).collect()
}

/// Bytes as they are put together.
#[derive(Default)]
struct Builder {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    fn column(&mut self, code: u32, kind: &str, count: usize, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.accessors.push(json!({
            "bufferView": self.views.len(), "componentType": code, "type": kind, "count": count
        }));
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()
        }));
        self.bin.extend(bytes);
        self.accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, count: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.column(5126, kind, count, &bytes)
    }
}

/// Models that are always there.
fn built() -> Vec<Model> {
    let mut it = Builder::default();
    let positions = it.floats("VEC3", 3, &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let normals = it.floats("VEC3", 3, &[0., 0., 1.].repeat(3));
    let indices = it.column(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0]);
    let joints = it.column(5121, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    let weights = it.floats("VEC4", 3, &[0.5, 0.5, 0., 0.].repeat(3));
    let binds = it.floats("MAT4", 2, &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let times = it.floats("SCALAR", 2, &[0., 1.]);
    let moves = it.floats("VEC3", 2, &[0., 0., 0., 1., 2., 3.]);
    let turns = it.floats("VEC4", 6, &[0., 0., 0., 1.].repeat(6));
    let morphs = it.floats("SCALAR", 2, &[0., 1.]);
    let shown = it.column(5121, "SCALAR", 2, &[1, 0]);
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "extras": {"x": [1, null]},
        "extensionsUsed": ["KHR_lights_punctual", "KHR_node_visibility", "EXT_mesh_gpu_instancing"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "name": "bulb"}, {"type": "spot"}]}},
        "scenes": [{"nodes": [0, 5]}, {"nodes": [0, 6], "name": "b"}],
        "nodes": [
            {"name": "root", "children": [1, 2, 3]},
            {"name": "hip", "children": [4], "translation": [0, 1, 0]},
            {"mesh": 0, "skin": 0, "weights": [0.5]},
            {"camera": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
            {"name": "knee", "rotation": [0, 0.6, 0, 0.8], "scale": [1, 2, 3]},
            {"mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": moves}}}},
            {"extensions": {"KHR_lights_punctual": {"light": 0}, "KHR_node_visibility": {"visible": false}}},
            {"name": "outside", "mesh": 1, "children": [8]},
            {"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1}}}
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints,
                "WEIGHTS_0": weights}, "indices": indices, "material": 0, "targets": [{"POSITION": normals}]}],
                "weights": [0.25], "extras": {"targetNames": ["up"]}},
            {"primitives": [{"attributes": {"POSITION": positions}, "mode": 0}, {"attributes": {
                "POSITION": positions}, "indices": indices, "material": 1}]}
        ],
        "materials": [
            {"name": "m", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0.5}},
            {"alphaMode": "BLEND", "extensions": {"KHR_materials_ior": {"ior": 1.5}}}
        ],
        "textures": [{"source": 0, "sampler": 0}], "samplers": [{"wrapS": 33071}],
        "images": [{"uri": "data:image/png;base64,iVBORw=="}],
        "skins": [{"joints": [1, 4], "inverseBindMatrices": binds, "skeleton": 1}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}},
            {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9}}],
        "animations": [{"name": "walk", "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "translation"}},
            {"sampler": 1, "target": {"node": 4, "path": "rotation"}},
            {"sampler": 2, "target": {"node": 2, "path": "weights"}},
            {"sampler": 3, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {
                "pointer": "/nodes/6/extensions/KHR_node_visibility/visible"}}}}],
            "samplers": [{"input": times, "output": moves}, {"input": times, "output": turns,
                "interpolation": "CUBICSPLINE"}, {"input": times, "output": morphs},
                {"input": times, "output": shown, "interpolation": "STEP"}]}],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [{"byteLength": it.bin.len()}]
    });
    let chunk =
        Model { name: "all.glb".into(), json, bin: Some(it.bin.clone()), files: BTreeMap::new() };
    let mut file = chunk.clone();
    file.json["buffers"][0]["uri"] = "all%20of.bin".into();
    file.name = "all.gltf".into();
    file.files.insert("all of.bin".into(), it.bin.clone());
    file.bin = None;
    let mut data = file.clone();
    data.json["buffers"][0]["uri"] = format!("data:;base64,{}", STANDARD.encode(&it.bin)).into();
    data.name = "data.gltf".into();
    data.files.clear();
    vec![chunk, file, data]
}

// ---------------------------------------------------------------- changes

/// The pointers of all values but the root.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut at = 0;
    while at < all.len() {
        let here = all[at].clone();
        match value.pointer(&here) {
            Some(Value::Array(list)) => all.extend((0..list.len()).map(|i| format!("{here}/{i}"))),
            Some(Value::Object(map)) => {
                let escaped = |key: &String| key.replace('~', "~0").replace('/', "~1");
                all.extend(map.keys().map(|key| format!("{here}/{}", escaped(key))));
            }
            _ => {}
        }
        at += 1;
    }
    all.remove(0);
    all
}

fn take(json: &mut Value, pointer: &str) -> Option<Value> {
    let (above, last) = pointer.rsplit_once('/')?;
    match json.pointer_mut(above)? {
        Value::Array(list) => {
            let at: usize = last.parse().ok()?;
            (at < list.len()).then(|| list.remove(at))
        }
        Value::Object(map) => map.remove(&last.replace("~1", "/").replace("~0", "~")),
        _ => None,
    }
}

/// Changes the JSON in one way; says how.
fn change_json(json: &mut Value, chance: &mut Chance) -> Option<String> {
    let all = pointers(json);
    let numbers: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_number)).collect();
    let wholes: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_u64)).collect();
    let lists: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_array)).collect();
    let at = chance.pick(&all)?.clone();
    let other = chance.pick(&all)?.clone();
    Some(match chance.below(14) {
        // Whole numbers: small steps, other indices, lies.
        0..=3 => {
            let at = *chance.pick(&wholes)?;
            let place = json.pointer_mut(at)?;
            let old = place.as_u64()?;
            let new = match chance.below(8) {
                0 => old + 1,
                1 => old.saturating_sub(1),
                2 => old * 2,
                3 => old / 2,
                4 => 1 << chance.below(64),
                _ => chance.below(12) as u64,
            };
            *place = new.into();
            format!("{at}: {old} becomes {new}")
        }
        4 => {
            let at = *chance.pick(&numbers)?;
            let texts = [
                "-1", "0.5", "1e39", "-1e39", "1e-46", "-0.0", "3.4e38", "1e20", "1.0", "0",
                "1e-20",
            ];
            let text = *chance.pick(&texts)?;
            *json.pointer_mut(at)? = serde_json::from_str(text).ok()?;
            format!("{at} becomes {text}")
        }
        5 => {
            let (one, two) = (chance.pick(&wholes)?.to_string(), chance.pick(&wholes)?.to_string());
            let value = json.pointer(&two)?.clone();
            let value = std::mem::replace(json.pointer_mut(&one)?, value);
            *json.pointer_mut(&two)? = value;
            format!("{one} and {two} are exchanged")
        }
        6 => {
            take(json, &at)?;
            format!("{at} is removed")
        }
        7 => {
            let at = *chance.pick(&lists)?;
            let list = json.pointer_mut(at)?.as_array_mut()?;
            let from = chance.below(list.len());
            let item = list.get(from)?.clone();
            let to = chance.below(list.len() + 1);
            list.insert(to, item);
            format!("{at}: {from} is also at {to}")
        }
        8 => {
            let at = *chance.pick(&lists)?;
            let list = json.pointer_mut(at)?.as_array_mut()?;
            let (one, two) = (chance.below(list.len()), chance.below(list.len()));
            if list.is_empty() {
                return None;
            }
            list.swap(one, two);
            format!("{at}: {one} and {two} are exchanged")
        }
        9 => {
            let value = json.pointer(&other)?.clone();
            *json.pointer_mut(&at)? = value;
            format!("{at} becomes a copy of {other}")
        }
        10 => {
            let value = take(json, &other)?;
            *json.pointer_mut(&at)? = value;
            format!("{other} moves to {at}")
        }
        11 => {
            // Under another's name: a member that another object has.
            let (above, _) = at.rsplit_once('/')?;
            let (_, key) = other.rsplit_once('/')?;
            let value = json.pointer(&other)?.clone();
            json.pointer_mut(above)?.as_object_mut()?.insert(key.into(), value);
            format!("{above} gets {other}")
        }
        12 => {
            let texts = [
                "null",
                "{}",
                "[]",
                "\"\"",
                "true",
                "false",
                "0",
                "\"\\u0000\\u2764\"",
                "[0]",
                "[0,1,2]",
            ];
            let text = *chance.pick(&texts)?;
            *json.pointer_mut(&at)? = serde_json::from_str(text).ok()?;
            format!("{at} becomes {text}")
        }
        _ => {
            // What someone else's tool may add.
            let (above, _) = at.rsplit_once('/')?;
            let added = [
                ("extras", r#"{"a":[1.50,{"b":"\u00e9"}]}"#),
                ("extensions", r#"{"VENDOR_x":{"y":[0]}}"#),
                ("name", r#""n""#),
                ("extras", "1e400"),
                ("weights", "[1]"),
                ("children", "[]"),
            ];
            let (key, text) = *chance.pick(&added)?;
            let value = serde_json::from_str(text).ok()?;
            json.pointer_mut(above)?.as_object_mut()?.insert(key.into(), value);
            format!("{above} gets {key} {text}")
        }
    })
}

/// Changes bytes of a buffer or an image.
fn change_bytes(bytes: &mut Vec<u8>, chance: &mut Chance) -> Option<String> {
    let at = chance.below(bytes.len());
    Some(match chance.below(5) {
        0 => {
            let byte = chance.next() as u8;
            *bytes.get_mut(at)? = byte;
            format!("byte {at} becomes {byte:#x}")
        }
        1 => {
            let at = at & !3;
            let values =
                [f32::NAN, f32::INFINITY, -0.0, f32::MAX, 1e-45, 1e20, 0.0, 1.0, -1.0, 1e-20];
            let value = *chance.pick(&values)?;
            bytes.get_mut(at..at + 4)?.copy_from_slice(&value.to_le_bytes());
            format!("the float at {at} becomes {value}")
        }
        2 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        3 => {
            let more = chance.below(20);
            bytes.extend((0..more).map(|it| it as u8));
            format!("{more} bytes more")
        }
        _ => {
            let from = chance.below(bytes.len());
            let length = chance.below(16).min(bytes.len() - from.max(at));
            bytes.copy_within(from..from + length, at);
            format!("{length} bytes from {from} also at {at}")
        }
    })
}

/// Changes the container.
fn change_framing(file: &mut Vec<u8>, chance: &mut Chance) -> Option<String> {
    if !file.starts_with(b"glTF") {
        return None;
    }
    let json = u32::from_le_bytes(file.get(12..16)?.try_into().ok()?) as usize;
    Some(match chance.below(5) {
        0 => {
            let places = [4, 8, 12, 16, 20 + json, 24 + json];
            let at = *chance.pick(&places)?;
            let field = file.get_mut(at..at + 4)?;
            let old = u32::from_le_bytes(field.try_into().ok()?);
            let steps = [1, 4, 3, 8, 1 << 20, 1 << 31, u32::MAX, u32::MAX - 3];
            let new = old.wrapping_add(*chance.pick(&steps)?);
            field.copy_from_slice(&new.to_le_bytes());
            format!("the number at {at} becomes {new}")
        }
        1 => {
            let size = chance.below(4) as u32 * 4;
            file.extend(size.to_le_bytes());
            let kinds = [*b"ABCD", *b"JSON", *b"BIN\0"];
            file.extend(chance.pick(&kinds)?);
            file.extend(vec![b'7'; size as usize]);
            let length = (file.len() as u32).to_le_bytes();
            file.get_mut(8..12)?.copy_from_slice(&length);
            format!("a chunk of {size} more")
        }
        2 => {
            file.truncate(20 + json);
            let length = (file.len() as u32).to_le_bytes();
            file.get_mut(8..12)?.copy_from_slice(&length);
            "no chunk of bytes".into()
        }
        3 => {
            let end = chance.below(file.len());
            file.truncate(end);
            format!("the file ends at {end}")
        }
        _ => {
            file.extend(b"tail");
            "four bytes after the end".into()
        }
    })
}

// ---------------------------------------------------------------- what must hold

/// What is compared of a node: its name, its world's bits, and whether it is shown.
type Seen = (Option<String>, [u32; 16], bool);

/// A scene as it can be compared: nodes in depth first order.
fn worlds(scene: &Scene) -> Vec<Seen> {
    let nodes = scene.graph.depth_first().filter_map(|node| scene.graph.get(node));
    nodes
        .map(|node| {
            let world = node.world().to_cols_array().map(f32::to_bits);
            (node.name().map(String::from), world, node.is_shown())
        })
        .collect()
}

fn all_worlds(document: &Document) -> Vec<Vec<Seen>> {
    document.scenes().iter().chain(document.outside()).map(worlds).collect()
}

/// Saves a document, loads what was saved, and compares: worlds, clips, and bytes when it is saved
/// again.
fn round_trip(document: &Document, is_glb: bool) -> Result<(), String> {
    for form in [Form::Glb, Form::Gltf] {
        let saved =
            document.save_bytes(form).map_err(|error| format!("save as {form:?}: {error}"))?;
        let names: BTreeSet<&String> = saved.files.iter().map(|(name, _)| name).collect();
        if names.len() != saved.files.len() {
            return Err(format!("saved as {form:?}, a file is named twice: {names:?}"));
        }
        let files: BTreeMap<String, Bytes> = saved.files.iter().cloned().collect();
        let again = Options::new()
            .load_with(saved.bytes.clone(), &files)
            .map_err(|error| format!("load what was saved as {form:?}: {error}"))?;
        if (form == Form::Glb) == is_glb && again.json().trim_end() != document.json().trim_end() {
            return Err(format!("saved as {form:?}, its text is not as it was"));
        }
        if all_worlds(document) != all_worlds(&again) {
            return Err(format!("saved as {form:?}, its worlds are not the same"));
        }
        let clips = |document: &Document| -> Vec<_> {
            document
                .animations()
                .iter()
                .map(|it| (it.clip().clone(), it.file_nodes().to_vec()))
                .collect()
        };
        if format!("{:?}", clips(document)) != format!("{:?}", clips(&again)) {
            return Err(format!("saved as {form:?}, its animations are not the same"));
        }
        let twice =
            again.save_bytes(form).map_err(|error| format!("save as {form:?} again: {error}"))?;
        let is_same = saved.bytes == twice.bytes
            && saved.files.len() == twice.files.len()
            && saved.files.iter().zip(&twice.files).all(|(a, b)| a.0 == b.0 && *a.1 == *b.1);
        if !is_same {
            return Err(format!("saved as {form:?} twice, it is not the same"));
        }
    }
    Ok(())
}

/// One round: what was done to which model, and what was wrong with what came of it.
fn round(seed: u64, models: &[Model], loaded: &mut usize) -> Result<(), (String, String)> {
    let mut chance = Chance(seed);
    let mut model = models[chance.below(models.len())].clone();
    let mut story = vec![model.name.clone()];
    let changes = [1, 1, 1, 2, 3, 5][chance.below(6)];
    for _ in 0..changes {
        let told = match chance.below(8) {
            0 => {
                let mut pieces = model.pieces();
                let at = chance.below(pieces.len());
                pieces.get_mut(at).and_then(|piece| change_bytes(piece, &mut chance))
            }
            _ => change_json(&mut model.json, &mut chance),
        };
        story.extend(told);
    }
    let mut file = model.bytes();
    if chance.below(12) == 0 {
        story.extend(change_framing(&mut file, &mut chance));
    }
    let files = model.resolver();
    let run = catch_unwind(AssertUnwindSafe(|| {
        let Ok(document) = Options::new().load_with(file.clone(), &files) else { return Ok(false) };
        round_trip(&document, file.starts_with(b"glTF")).map(|()| true)
    }));
    let fault = match run {
        Ok(Ok(is_loaded)) => {
            *loaded += usize::from(is_loaded);
            return Ok(());
        }
        Ok(Err(fault)) => fault,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?"))
        }
    };
    let fault: String = fault.chars().take(300).collect();
    let path = std::env::temp_dir().join(format!("pleach-mutation-{seed}"));
    _ = fs::write(&path, &file);
    let repeat = format!("PLEACH_SEED={seed} PLEACH_ROUNDS=1 ({})", path.display());
    Err((fault, format!("{repeat}: {}", story.join("; "))))
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn models_that_are_not_changed_come_back_as_they_were() {
    for model in built().into_iter().chain(real()) {
        let file = model.bytes();
        if let Ok(document) = Options::new().load_with(file.clone(), &model.resolver()) {
            round_trip(&document, file.starts_with(b"glTF"))
                .unwrap_or_else(|it| panic!("{}: {it}", model.name));
        }
    }
}

#[test]
fn whatever_loads_can_be_saved_and_is_the_same() {
    let models: Vec<Model> = built().into_iter().chain(real()).collect();
    let seed = number("PLEACH_SEED", 1);
    let rounds = number("PLEACH_ROUNDS", if cfg!(debug_assertions) { 2000 } else { 10_000 });
    let (start, mut loaded) = (Instant::now(), 0);
    // Faults of a kind, of which the first are told.
    let mut faults: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for number in 0..rounds {
        if let Err((fault, story)) = round(seed.wrapping_add(number), &models, &mut loaded) {
            let kind = fault.split('{').next().unwrap_or_default();
            let kind = kind.chars().filter(|it| !it.is_ascii_digit()).take(80).collect();
            faults.entry(kind).or_default().push(format!("{fault}\n    {story}"));
        }
    }
    println!(
        "seed {seed}: {rounds} rounds of {} models, {loaded} loaded, in {:?}",
        models.len(),
        start.elapsed()
    );
    let mut told = String::new();
    for (kind, faults) in &faults {
        _ = writeln!(told, "{} times {kind}", faults.len());
        for fault in faults.iter().take(3) {
            _ = writeln!(told, "  {fault}");
        }
    }
    assert!(faults.is_empty(), "\n{told}");
}
