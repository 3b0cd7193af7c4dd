//! Files that lie: whatever is in a file, loading it ends soon, in little memory, without a
//! panic; and what loads can be used, saved and loaded again.
//!
//! Cases are generated: a model that uses every feature is cut, bent and exaggerated in each
//! of its members. A case has a name, which says how to make it again. Memory is asserted
//! always, as it is the same in every run; time only if `PLEACH_TIMES` is set, in release. A
//! case that hangs ends the whole run, with its name.
//!
//! `PLEACH_ALL=1` runs every case in debug builds, too; without it one of `SHARE` is.
//! `PLEACH_CASE=text` runs only the cases with that text in their names.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Mat4, Vec3};
use pleach::animation::Mixer;
use pleach::{Filter, Frustum, Ray, RenderList, Scene, Visible};
use pleach_gltf::{Bytes, Document, Form, Options, Resolver};
use serde_json::{Map, Value, json};

// ---------------------------------------------------------------- memory

/// Counts what each thread holds, and the most it held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// The beginning of the name of the case that runs.
    static CASE: Cell<([u8; 160], usize)> = const { Cell::new(([0; 160], 0)) };
}

/// More than any case may take by far: before the machine suffers, the run ends.
const TOO_MUCH: isize = 3 << 30;

fn count(bytes: isize) {
    // A thread that is ending has no counters any more.
    _ = HELD.try_with(|held| {
        let now = held.get() + bytes;
        held.set(now);
        _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
        if now > TOO_MUCH && bytes > 0 {
            let (name, len) = CASE.get();
            let mut out = std::io::stderr();
            _ = out.write_all(b"\nmore than 3 GiB in case: ");
            _ = out.write_all(&name[..len]);
            _ = out.write_all(b"\n");
            std::process::abort();
        }
    });
}

// SAFETY: every call goes to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it moves, both are held.
        count(size as isize);
        // SAFETY: as the caller promised.
        let moved = unsafe { System.realloc(memory, layout, size) };
        count(-(layout.size() as isize));
        moved
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

// ---------------------------------------------------------------- one case

const MOST_MEMORY: usize = 256 << 20;
/// One case of so many is run in debug builds.
const SHARE: usize = 20;

/// Ends the name of a case that was loaded, and is now used.
const IN_USE: &str = " (in use)";

/// Which cases run, and since when.
static RUNNING: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

fn watch() {
    static ONCE: Once = Once::new();
    let patience = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 10 });
    // Use saves and loads four times over, on a machine that may be busy.
    let overdue = move |name: &str, since: &Instant| {
        since.elapsed() > if name.ends_with(IN_USE) { 6 * patience } else { patience }
    };
    ONCE.call_once(|| {
        _ = thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(100));
                let running = RUNNING.lock().unwrap_or_else(|broken| broken.into_inner());
                if let Some((name, _)) = running.iter().find(|(name, since)| overdue(name, since)) {
                    eprintln!("\nno end after {patience:?}: case {name}");
                    std::process::abort();
                }
            }
        });
    });
}

/// What came of the cases of a test.
#[derive(Default)]
struct Tally {
    group: &'static str,
    cases: usize,
    loaded: usize,
    skipped: usize,
    slowest: (Duration, String),
    slowest_use: (Duration, String),
    hungriest: (usize, String),
    faults: Vec<String>,
}

impl Tally {
    fn new(group: &'static str) -> Self {
        watch();
        Self { group, ..Self::default() }
    }

    /// Is this case to be run in this build?
    fn is_chosen(&mut self, number: usize) -> bool {
        let all = !cfg!(debug_assertions) || std::env::var_os("PLEACH_ALL").is_some();
        let chosen = all || number.is_multiple_of(SHARE);
        self.skipped += usize::from(!chosen);
        chosen
    }

    /// A file in memory that names no others.
    fn bytes(&mut self, name: &str, file: &[u8]) -> Option<bool> {
        self.case(name, file.len(), || Options::new().load_bytes(file))
    }

    fn value(&mut self, name: &str, model: &Value) -> Option<bool> {
        self.bytes(name, model.to_string().as_bytes())
    }

    /// A file and those it names.
    fn with(&mut self, name: &str, file: &[u8], resolver: &dyn Resolver) -> Option<bool> {
        self.case(name, file.len(), || Options::new().load_with(file.to_vec(), resolver))
    }

    fn case(
        &mut self,
        name: &str,
        size: usize,
        load: impl Fn() -> Result<Document, pleach_gltf::Error>,
    ) -> Option<bool> {
        let name = format!("{}: {name}", self.group);
        if std::env::var("PLEACH_CASE").is_ok_and(|part| !name.contains(&part)) {
            self.skipped += 1;
            return None;
        }
        self.cases += 1;
        let mut short = ([0; 160], name.len().min(160));
        short.0[..short.1].copy_from_slice(&name.as_bytes()[..short.1]);
        CASE.set(short);
        lock().insert(name.clone(), Instant::now());
        let before = HELD.get();
        PEAK.set(before);
        let start = Instant::now();
        let loaded = catch_unwind(AssertUnwindSafe(&load));
        let (took, peak) = (start.elapsed(), (PEAK.get() - before) as usize);
        let mut is_loaded = false;
        let start = Instant::now();
        lock().remove(&name);
        lock().insert(format!("{name}{IN_USE}"), start);
        match loaded {
            Err(panic) => self.fault(&name, &format!("load panics: {}", text_of(&*panic))),
            Ok(Err(error)) => {
                // It prints in one line, whatever the file says.
                let said = error.to_string();
                assert!(!said.is_empty(), "{name}");
            }
            Ok(Ok(document)) => {
                is_loaded = true;
                let used = catch_unwind(AssertUnwindSafe(|| used(document)));
                match used {
                    Err(panic) => self.fault(&name, &format!("use panics: {}", text_of(&*panic))),
                    Ok(Err(fault)) => self.fault(&name, &fault),
                    Ok(Ok(())) => {}
                }
            }
        }
        let use_took = start.elapsed();
        let all_peak = (PEAK.get() - before) as usize;
        lock().remove(&format!("{name}{IN_USE}"));
        self.loaded += usize::from(is_loaded);
        // The limits allow 64 bytes for each that was read; the parsed JSON is beside that.
        let most = MOST_MEMORY.max((32 << 20) + 128 * size);
        if peak > most {
            self.fault(&name, &format!("load takes {} MiB for {size} bytes", peak >> 20));
        } else if all_peak > 2 * most {
            self.fault(&name, &format!("use takes {} MiB for {size} bytes", all_peak >> 20));
        }
        // Text is read at a speed that is not that of lies.
        let allowed = Duration::from_millis(100) + Duration::from_millis(50) * (size >> 20) as u32;
        if std::env::var_os("PLEACH_TIMES").is_some() && took > allowed {
            self.fault(&name, &format!("load takes {took:?}; {allowed:?} are allowed"));
        }
        if took > self.slowest.0 {
            self.slowest = (took, name.clone());
        }
        if use_took > self.slowest_use.0 {
            self.slowest_use = (use_took, name.clone());
        }
        if peak > self.hungriest.0 {
            self.hungriest = (peak, name);
        }
        Some(is_loaded)
    }

    fn fault(&mut self, name: &str, fault: &str) {
        let fault: String = fault.chars().take(600).collect();
        eprintln!("FAULT {name}: {fault}");
        self.faults.push(format!("{name}: {fault}"));
    }

    fn end(self) {
        println!(
            "{}: {} cases, {} loaded, {} left out; slowest load {:?} ({}), slowest use {:?} ({}), \
             hungriest {} KiB ({})",
            self.group,
            self.cases,
            self.loaded,
            self.skipped,
            self.slowest.0,
            self.slowest.1,
            self.slowest_use.0,
            self.slowest_use.1,
            self.hungriest.0 >> 10,
            self.hungriest.1,
        );
        assert!(
            self.faults.is_empty(),
            "{} of {} cases:\n{}",
            self.faults.len(),
            self.cases,
            self.faults.iter().take(40).map(|it| format!("  {it}\n")).collect::<String>(),
        );
    }
}

fn lock() -> std::sync::MutexGuard<'static, BTreeMap<String, Instant>> {
    RUNNING.lock().unwrap_or_else(|broken| broken.into_inner())
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?").into()
}

// ---------------------------------------------------------------- use

/// Does with a document what a program would: a few frames, saving, loading again.
fn used(mut document: Document) -> Result<(), String> {
    saved(&document).map_err(|fault| format!("as it was: {fault}"))?;
    let trees = document.scenes().len() + usize::from(document.outside().is_some());
    for scene in document.scenes_mut().iter_mut().take(20) {
        frame(scene)?;
    }
    if let Some(outside) = document.outside_mut() {
        frame(outside)?;
    }
    for animation in 0..document.animations().len().min(20) {
        for scene in 0..trees.min(4) {
            play(&mut document, animation, scene)?;
        }
    }
    _ = document.raw("/nodes/0/extras");
    _ = document.report().to_string();
    saved(&document).map_err(|fault| format!("after animation: {fault}"))
}

fn frame(scene: &mut Scene) -> Result<(), String> {
    // What is too far away to be computed is an error, not a fault.
    _ = scene.update();
    let problems = [scene.graph.check(), scene.spatial.check()].concat();
    if !problems.is_empty() {
        return Err(format!("check: {}", problems.join("; ")));
    }
    // It looks at every vertex of every mesh.
    if scene.meshes.len() < 100 {
        _ = scene.check();
    }
    let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).map_err(|it| it.to_string())?;
    _ = scene.pick(&ray, &Filter::default());
    let matrix = Mat4::from_scale(Vec3::splat(0.01));
    let frustum = Frustum::from_view_projection(&matrix, pleach::ClipSpace::NegOneToOne)
        .map_err(|it| it.to_string())?;
    let mut visible = Visible::new();
    scene.spatial.cull(&frustum, &Filter::default(), &mut visible);
    let cameras: Vec<_> = scene.cameras.iter(&scene.graph).map(|(node, _)| node).take(4).collect();
    let mut list = RenderList::new();
    for camera in cameras {
        if let Ok(view) = scene.view(camera, (640, 480)) {
            scene.cull(&view, &mut visible);
            list.build(scene, &visible, &view);
        }
    }
    Ok(())
}

fn play(document: &mut Document, animation: usize, scene: usize) -> Result<(), String> {
    let binding = document.bind(animation, scene).map_err(|it| it.to_string())?;
    let tree = match scene < document.scenes().len() {
        true => &mut document.scenes_mut()[scene],
        false => document.outside_mut().ok_or("no scene outside")?,
    };
    let mut mixer = Mixer::new();
    mixer.add(binding, &tree.graph, &tree.weights);
    for seconds in [0.0, 0.3, 1e9] {
        tree.animate(&mut mixer, seconds);
        _ = tree.update();
    }
    for seconds in [0.0, 0.5, f32::MAX, f32::NAN, -1.0] {
        document.show_at(animation, scene, seconds);
    }
    Ok(())
}

/// Saves it in both forms, loads what was saved, and saves that again: the same bytes.
fn saved(document: &Document) -> Result<(), String> {
    for form in [Form::Glb, Form::Gltf] {
        let save = |document: &Document| {
            document.save_bytes(form).map_err(|error| format!("save as {form:?}: {error}"))
        };
        let first = save(document)?;
        let files: BTreeMap<String, Bytes> = first.files.iter().cloned().collect();
        let again = Options::new()
            .load_with(first.bytes.clone(), &files)
            .map_err(|error| format!("load what was saved as {form:?}: {error}"))?;
        let second = save(&again)?;
        if first.bytes != second.bytes || !is_same(&first.files, &second.files) {
            return Err(format!("saved as {form:?} twice, it is not the same"));
        }
    }
    Ok(())
}

fn is_same(these: &[(String, Bytes)], those: &[(String, Bytes)]) -> bool {
    these.len() == those.len()
        && these.iter().zip(those).all(|(this, that)| this.0 == that.0 && *this.1 == *that.1)
}

// ---------------------------------------------------------------- the model

/// A model under construction: its bytes, and what is said of them.
#[derive(Default)]
struct Builder {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Where floats are in the bytes.
    floats: Vec<usize>,
}

impl Builder {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()
        }));
        self.bin.extend_from_slice(bytes);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let start = self.bin.len() - bytes.len();
        self.floats.extend((0..numbers.len()).map(|number| start + 4 * number));
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        self.accessor(json!({
            "bufferView": view, "byteOffset": 0, "componentType": 5126, "type": kind,
            "count": numbers.len() / width
        }))
    }

    fn whole(&mut self, code: u32, kind: &str, count: usize, bytes: &[u8], extra: Value) -> usize {
        let view = self.view(bytes);
        let mut accessor = json!({
            "bufferView": view, "componentType": code, "type": kind, "count": count
        });
        for (key, value) in extra.as_object().into_iter().flatten() {
            accessor[key] = value.clone();
        }
        self.accessor(accessor)
    }

    /// A view that is compressed: `count` times `stride` bytes, once decoded.
    fn meshopt(&mut self, mode: &str, count: usize, stride: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let packed = self.views[view].take();
        self.views[view] = json!({
            "buffer": 1, "byteOffset": 0, "byteLength": count * stride,
            "extensions": {"EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": packed["byteOffset"], "byteLength": packed["byteLength"],
                "byteStride": stride, "count": count, "mode": mode, "filter": "NONE"
            }}
        });
        view
    }
}

/// A file in parts.
struct Model {
    json: Value,
    bin: Vec<u8>,
    floats: Vec<usize>,
}

impl Model {
    fn glb(&self) -> Vec<u8> {
        glb(self.json.to_string().as_bytes(), &self.bin)
    }

    /// As JSON alone, with the bytes in a data URI.
    fn gltf(&self) -> Value {
        let mut json = self.json.clone();
        json["buffers"][0]["uri"] = Value::from(data_uri(&self.bin));
        json
    }
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes))
}

fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut json = json.to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    let total = 12 + 8 + json.len() + 8 + bin.len();
    out.extend((total as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(&json);
    out.extend((bin.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(&bin);
    out
}

/// A single triangle.
fn small() -> Model {
    let mut it = Builder::default();
    let positions = it.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let indices = it.whole(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0], json!({}));
    let json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "t\u{e9}"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]}],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [{"byteLength": it.bin.len()}]
    });
    Model { json, bin: it.bin, floats: it.floats }
}

/// A model that uses every feature, each as small as it can be.
fn rich() -> Model {
    let mut it = Builder::default();
    let square = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    let positions = it.floats("VEC3", &square);
    let normals = it.floats("VEC3", &[0., 0., 1.].repeat(4));
    let tangents = it.floats("VEC4", &[1., 0., 0., 1.].repeat(4));
    let uvs = it.floats("VEC2", &[0., 0., 1., 0., 1., 1., 0., 1.]);
    let colors = it.whole(5121, "VEC4", 4, &[200; 16], json!({"normalized": true}));
    let joints = it.whole(5121, "VEC4", 4, &[0, 1, 0, 0].repeat(4), json!({}));
    let weights = it.floats("VEC4", &[0.5, 0.5, 0., 0.].repeat(4));
    let indices = it.whole(5123, "SCALAR", 6, &[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0], json!({}));
    // Interleaved with a stride.
    let strided = it.view(&[0; 64]);
    it.views[strided]["byteStride"] = json!(16);
    let strided = it.accessor(json!({
        "bufferView": strided, "byteOffset": 4, "componentType": 5126, "count": 4, "type": "VEC3"
    }));
    // Compressed: an index sequence 0 1 2, and three equal vertices.
    let sequence = [0xd1, 0, 4, 4, 0, 0, 0, 0];
    let packed_indices = it.meshopt("INDICES", 3, 2, &sequence);
    let packed_indices = it.accessor(json!({
        "bufferView": packed_indices, "componentType": 5123, "count": 3, "type": "SCALAR"
    }));
    let mut vertices = vec![0xa0];
    vertices.resize(1 + 12 + 32, 0);
    let packed_vertices = it.meshopt("ATTRIBUTES", 4, 12, &vertices);
    let packed_vertices = it.accessor(json!({
        "bufferView": packed_vertices, "componentType": 5126, "count": 4, "type": "VEC3"
    }));
    // Sparse, with and without a view below.
    let replaced = it.view(&[1, 0, 3, 0]);
    let values: Vec<u8> = [1.0f32; 6].iter().flat_map(|it| it.to_le_bytes()).collect();
    let values = it.view(&values);
    let sparse = json!({
        "count": 2, "indices": {"bufferView": replaced, "byteOffset": 0, "componentType": 5123},
        "values": {"bufferView": values, "byteOffset": 0}
    });
    let sparse_zero = it.accessor(json!({
        "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse
    }));
    let below = it.accessors[positions]["bufferView"].clone();
    let sparse_over = it.accessor(json!({
        "bufferView": below, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse,
        "min": [0, 0, 0], "max": [1, 1, 1]
    }));
    let identity = Mat4::IDENTITY.to_cols_array();
    let binds = it.floats("MAT4", &identity.repeat(2));
    let times = it.floats("SCALAR", &[0., 1.]);
    let moves = it.floats("VEC3", &[0., 0., 0., 1., 2., 3.]);
    let turns = it.floats("VEC4", &[0., 0., 0., 1.].repeat(6));
    let morphs = it.floats("SCALAR", &[0., 1., 1., 0.]);
    let shown = it.whole(5121, "SCALAR", 2, &[1, 0], json!({}));
    let copies = it.floats("VEC3", &[0., 0., 0., 3., 0., 0.]);
    let copy_turns = it.floats("VEC4", &[0., 0., 0., 1., 0., 1., 0., 0.]);
    let png = it.view(b"\x89PNG\r\n\x1a\n\0\0\0\0");
    let json = json!({
        "asset": {"version": "2.0", "generator": "hostile", "copyright": "", "minVersion": "2.0"},
        "extensionsUsed": ["KHR_lights_punctual", "EXT_mesh_gpu_instancing", "KHR_node_visibility",
            "KHR_animation_pointer", "EXT_meshopt_compression", "KHR_texture_transform", "VENDOR_x"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "directional", "name": "sun", "color": [1, 1, 0.5], "intensity": 3},
            {"type": "point", "range": 10},
            {"type": "spot", "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.5}}
        ]}, "VENDOR_x": {"list": [1, {"deep": [[]]}]}},
        "extras": {"a": [1, 2.50, "x"]},
        "scene": 1,
        "scenes": [
            {"name": "first", "nodes": [0, 4]}, {"name": "second", "nodes": [0, 5, 6]}, {"nodes": []}
        ],
        "nodes": [
            {"name": "root", "children": [1, 2, 3], "translation": [0, 1, 0], "rotation": [0, 0, 0, 1],
                "scale": [1, 2, 1], "extras": {"k": "v"}},
            {"name": "hip", "children": [7]},
            {"name": "skinned", "mesh": 0, "skin": 0, "weights": [0.25, 0.5]},
            {"name": "matrix", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], "camera": 0},
            {"name": "sun", "extensions": {"KHR_lights_punctual": {"light": 0},
                "KHR_node_visibility": {"visible": false}}},
            {"name": "many", "mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {
                "TRANSLATION": copies, "ROTATION": copy_turns, "SCALE": copies, "_ID": shown}}}},
            {"name": "eye", "camera": 1, "children": [8], "extensions": {"KHR_lights_punctual": {"light": 2}}},
            {"name": "knee", "translation": [0, -1, 0]},
            {"name": "packed", "mesh": 2},
            {"name": "outside", "children": [10], "extensions": {"VENDOR_x": {"node": 3}}},
            {"name": "far", "mesh": 1, "skin": 1}
        ],
        "meshes": [
            {"name": "body", "weights": [0, 0.5], "extras": {"targetNames": ["smile", "frown"]},
                "primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals,
                    "TANGENT": tangents, "TEXCOORD_0": uvs, "COLOR_0": colors, "JOINTS_0": joints,
                    "WEIGHTS_0": weights, "_OWN": shown}, "indices": indices, "material": 0, "mode": 4,
                    "targets": [{"POSITION": sparse_zero, "NORMAL": normals},
                        {"POSITION": packed_vertices, "TANGENT": normals}]}]},
            {"primitives": [
                {"attributes": {"POSITION": sparse_over}, "mode": 0},
                {"attributes": {"POSITION": strided, "JOINTS_0": joints, "WEIGHTS_0": weights},
                    "material": 1, "mode": 5}]},
            {"primitives": [{"attributes": {"POSITION": positions}, "indices": packed_indices}]}
        ],
        "skins": [
            {"name": "legs", "joints": [1, 7], "inverseBindMatrices": binds, "skeleton": 1},
            {"joints": [7, 1]}
        ],
        "cameras": [
            {"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1, "zfar": 100, "aspectRatio": 1.5}},
            {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 10}}
        ],
        "animations": [
            {"name": "walk", "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 7, "path": "rotation"}},
                {"sampler": 2, "target": {"node": 2, "path": "weights"}},
                {"sampler": 0, "target": {"node": 7, "path": "scale"}}],
             "samplers": [
                {"input": times, "output": moves, "interpolation": "STEP"},
                {"input": times, "output": turns, "interpolation": "CUBICSPLINE"},
                {"input": times, "output": morphs, "interpolation": "LINEAR"}]},
            {"channels": [
                {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/nodes/4/extensions/KHR_node_visibility/visible"}}}},
                {"sampler": 1, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/nodes/9/translation"}}}},
                {"sampler": 1, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/materials/0/emissiveFactor"}}}}],
             "samplers": [
                {"input": times, "output": shown, "interpolation": "STEP"},
                {"input": times, "output": moves}]}
        ],
        "materials": [
            {"name": "skin", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.5,
                "emissiveFactor": [0, 0.5, 1], "emissiveTexture": {"index": 0},
                "normalTexture": {"index": 0, "scale": 0.5}, "occlusionTexture": {"index": 1, "strength": 0.5},
                "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5], "metallicFactor": 0,
                    "roughnessFactor": 1, "metallicRoughnessTexture": {"index": 1},
                    "baseColorTexture": {"index": 0, "texCoord": 0, "extensions": {
                        "KHR_texture_transform": {"offset": [0, 1], "rotation": 1, "scale": [2, 2], "texCoord": 0}}}},
                "extensions": {"KHR_materials_ior": {"ior": 1.4}, "KHR_materials_emissive_strength":
                    {"emissiveStrength": 2}, "KHR_materials_clearcoat": {"clearcoatFactor": 1,
                    "clearcoatTexture": {"index": 0}}, "KHR_materials_sheen": {"sheenColorFactor": [1, 0, 0]},
                    "KHR_materials_transmission": {"transmissionFactor": 0.5},
                    "KHR_materials_volume": {"thicknessFactor": 1, "attenuationDistance": 2}}},
            {"extensions": {"KHR_materials_unlit": {}}}
        ],
        "textures": [{"source": 0, "sampler": 0}, {"source": 1, "name": "t"}],
        "samplers": [{"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 10497}],
        "images": [
            {"bufferView": png, "mimeType": "image/png", "name": "i"},
            {"uri": "data:image/jpeg;base64,/9j/AAAA"}
        ],
        "accessors": it.accessors, "bufferViews": it.views,
        "buffers": [
            {"byteLength": it.bin.len()},
            {"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}
        ]
    });
    Model { json, bin: it.bin, floats: it.floats }
}

/// The pointers of all values below a value, and its own, outer ones first.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut at = 0;
    while at < all.len() {
        let here = all[at].clone();
        match value.pointer(&here) {
            Some(Value::Array(list)) => all.extend((0..list.len()).map(|i| format!("{here}/{i}"))),
            Some(Value::Object(map)) => all.extend(
                map.keys()
                    .map(|key| format!("{here}/{}", key.replace('~', "~0").replace('/', "~1"))),
            ),
            _ => {}
        }
        at += 1;
    }
    all
}

/// Takes a value out.
fn removed(model: &Value, pointer: &str) -> Value {
    let mut model = model.clone();
    if let Some((above, last)) = pointer.rsplit_once('/') {
        match model.pointer_mut(above) {
            Some(Value::Array(list)) => _ = last.parse().map(|at: usize| list.remove(at)),
            Some(Value::Object(map)) => {
                _ = map.remove(&last.replace("~1", "/").replace("~0", "~"));
            }
            _ => {}
        }
    }
    model
}

/// Puts a value in the place of another.
fn replaced(model: &Value, pointer: &str, value: Value) -> Value {
    let mut model = model.clone();
    if let Some(place) = model.pointer_mut(pointer) {
        *place = value;
    }
    model
}

/// A number that JSON can say, but `json!` cannot.
fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

// ---------------------------------------------------------------- the cases

#[test]
fn the_models_that_are_bent_are_loaded_when_they_are_straight() {
    for model in [small(), rich()] {
        let document = pleach_gltf::load_bytes(&model.glb()).unwrap();
        println!("{}", document.report());
        used(document).unwrap();
        used(pleach_gltf::load_bytes(model.gltf().to_string().as_bytes()).unwrap()).unwrap();
    }
}

#[test]
fn a_file_may_end_at_any_byte() {
    let mut tally = Tally::new("cut");
    let small = small();
    let glb = small.glb();
    for end in 0..=glb.len() {
        tally.bytes(&format!("small.glb at byte {end}"), &glb[..end]);
    }
    let gltf = small.gltf().to_string();
    for end in 0..=gltf.len() {
        tally.bytes(&format!("small.gltf at byte {end}"), &gltf.as_bytes()[..end]);
    }
    let rich = rich();
    for (form, file) in [("glb", rich.glb()), ("gltf", rich.gltf().to_string().into_bytes())] {
        for end in (0..=file.len()).filter(|end| end % 7 == 0) {
            if tally.is_chosen(end / 7) {
                tally.bytes(&format!("rich.{form} at byte {end}"), &file[..end]);
            }
        }
    }
    tally.end();
}

#[test]
fn any_byte_of_the_framing_may_be_any() {
    let mut tally = Tally::new("framing");
    let small = small();
    let glb = small.glb();
    let json = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    let framing = (0..20).chain(20 + json..28 + json);
    for at in framing {
        for byte in [0, 1, 2, 4, 0x7f, 0x80, 0xff] {
            let mut file = glb.clone();
            file[at] = byte;
            tally.bytes(&format!("byte {at} is {byte:#x}"), &file);
        }
    }
    for at in [4, 8, 12, 16, 20 + json, 24 + json] {
        for number in
            [0, 1, 2, 3, 11, 12, 13, 19, 20, 1 << 31, u32::MAX, u32::MAX - 3, u32::MAX - 11]
        {
            let mut file = glb.clone();
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
            tally.bytes(&format!("the number at {at} is {number}"), &file);
        }
    }
    // Every byte of the whole, in a few ways.
    for at in 0..glb.len() {
        for byte in [0, b'"', b'{', b'9', b'\\', 0xff] {
            let mut file = glb.clone();
            file[at] = byte;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} of all is {byte:#x}"), &file);
            }
        }
    }
    // Chunks again and again.
    for (name, kind, count, size) in [
        ("empty", *b"ABCD", much(200_000), 0),
        ("json", *b"JSON", 1000, 4),
        ("bin", *b"BIN\0", 1000, 4),
    ] {
        let mut file = glb.clone();
        for _ in 0..count {
            file.extend(u32::to_le_bytes(size));
            file.extend(kind);
            file.extend(vec![b' '; size as usize]);
        }
        let length = u32::to_le_bytes(file.len() as u32);
        file[8..12].copy_from_slice(&length);
        tally.bytes(&format!("{count} chunks: {name}"), &file);
    }
    tally.end();
}

#[test]
fn any_whole_number_may_lie() {
    let mut tally = Tally::new("lies");
    let model = rich();
    #[rustfmt::skip] // A table.
    let lies: Vec<Value> = [
        "0", "1", "2", "3", "255", "2147483647", "2147483648", "4294967295", "4294967296",
        "9007199254740992", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e308", "-1", "-9223372036854775808", "0.5", "1.0", "1e2", "\"1\"",
        "null", "[]", "[1]", "{}", "false",
    ]
    .map(number)
    .into();
    let json = &model.json;
    let mut number = 0;
    for pointer in pointers(json) {
        if !json.pointer(&pointer).is_some_and(Value::is_u64) {
            continue;
        }
        for lie in &lies {
            number += 1;
            if tally.is_chosen(number) {
                let file = replaced(json, &pointer, lie.clone()).to_string();
                tally.bytes(&format!("{pointer} is {lie}"), &glb(file.as_bytes(), &model.bin));
            }
        }
    }
    tally.end();
}

#[test]
fn any_member_may_be_missing_or_something_else() {
    let mut tally = Tally::new("members");
    let model = rich();
    let json = &model.json;
    #[rustfmt::skip] // A table.
    let others: Vec<Value> = [
        "null", "{}", "[]", "\"\"", "-1", "1e39", "2147483648", "true", "\"\\u0000\"", "[[]]",
        "[{}]", "{\"\":0}", "[null]", "1e-46",
    ]
    .map(number)
    .into();
    let mut number = 0;
    for pointer in pointers(json).into_iter().skip(1) {
        let cases = std::iter::once(("removed".to_string(), removed(json, &pointer)))
            .chain(others.iter().map(|it| (it.to_string(), replaced(json, &pointer, it.clone()))));
        for (name, file) in cases {
            number += 1;
            if tally.is_chosen(number) {
                let file = glb(file.to_string().as_bytes(), &model.bin);
                tally.bytes(&format!("{pointer}: {name}"), &file);
            }
        }
    }
    for other in others {
        tally.value(&format!("the root is {other}"), &other);
    }
    tally.end();
}

fn repeated(list: &[Value], times: usize) -> Vec<Value> {
    list.iter().cycle().take(list.len() * times).cloned().collect()
}

#[test]
fn any_list_may_be_empty_double_or_repeat_itself() {
    let mut tally = Tally::new("lists");
    let model = rich();
    let json = &model.json;
    for pointer in pointers(json) {
        let Some(Value::Array(list)) = json.pointer(&pointer) else { continue };
        let mut cases = vec![("empty".to_string(), vec![]), ("double".into(), repeated(list, 2))];
        cases.push(("backwards".into(), list.iter().rev().cloned().collect()));
        for (number, item) in list.iter().enumerate() {
            let mut longer = list.clone();
            longer.insert(number, item.clone());
            cases.push((format!("{number} twice"), longer));
            cases.push((
                format!("only {number}, {} times", list.len()),
                vec![item.clone(); list.len()],
            ));
        }
        cases.push(("1000 times".into(), repeated(list, 1000 / list.len().max(1))));
        for (name, list) in cases {
            let file = replaced(json, &pointer, Value::Array(list)).to_string();
            tally.bytes(&format!("{pointer}: {name}"), &glb(file.as_bytes(), &model.bin));
        }
    }
    tally.end();
}

/// Members that are indices, and of what.
fn list_of(pointer: &str) -> Option<&'static str> {
    let steps: Vec<&str> = pointer.split('/').collect();
    let last = |back: usize| steps.get(steps.len().checked_sub(back)?).copied();
    Some(match (last(2), last(1)?) {
        (Some("children" | "joints" | "nodes"), _) => "nodes",
        (_, "node" | "skeleton") => "nodes",
        (_, "mesh") => "meshes",
        (_, "skin") => "skins",
        (_, "camera") => "cameras",
        (_, "scene") => "scenes",
        (_, "material") => "materials",
        (_, "source") => "images",
        (_, "index") => "textures",
        (_, "bufferView") => "bufferViews",
        (_, "buffer") => "buffers",
        (_, "indices" | "input" | "output" | "inverseBindMatrices") => "accessors",
        (Some("attributes"), _) | (Some("0" | "1"), "POSITION" | "NORMAL" | "TANGENT") => {
            "accessors"
        }
        (_, "light" | "sampler") => "few",
        _ => return None,
    })
}

#[test]
fn any_index_may_be_any_other() {
    let mut tally = Tally::new("indices");
    let model = rich();
    let json = &model.json;
    let mut number = 0;
    for pointer in pointers(json) {
        let (Some(list), Some(Value::Number(_))) = (list_of(&pointer), json.pointer(&pointer))
        else {
            continue;
        };
        let have = json[list].as_array().map_or(4, Vec::len);
        for index in 0..=have {
            number += 1;
            if tally.is_chosen(number) {
                let file = replaced(json, &pointer, index.into()).to_string();
                tally.bytes(&format!("{pointer} is {index}"), &glb(file.as_bytes(), &model.bin));
            }
        }
    }
    // Every node a child of every node, beside what it is already, and instead.
    let nodes = json["nodes"].as_array().map_or(0, Vec::len);
    for parent in 0..nodes {
        for child in 0..nodes {
            let mut file = json.clone();
            file["nodes"][parent]["children"] = json!([child]);
            tally.bytes(
                &format!("node {child} is the child of node {parent}"),
                &glb(file.to_string().as_bytes(), &model.bin),
            );
        }
    }
    tally.end();
}

#[test]
fn any_float_may_be_any_pattern_of_bits() {
    let mut tally = Tally::new("floats");
    let model = rich();
    #[rustfmt::skip] // A table.
    let patterns = [
        f32::NAN.to_bits(), 0x7f80_0001, 0xffff_ffff, f32::INFINITY.to_bits(),
        f32::NEG_INFINITY.to_bits(), f32::MAX.to_bits(), f32::MIN.to_bits(), 1, 0x8000_0000,
        0x8000_0001, f32::MIN_POSITIVE.to_bits(), 1e-20f32.to_bits(), 1e20f32.to_bits(),
    ];
    let json = model.json.to_string();
    for (number, &at) in model.floats.iter().enumerate() {
        for bits in patterns {
            let mut bin = model.bin.clone();
            bin[at..at + 4].copy_from_slice(&bits.to_le_bytes());
            if tally.is_chosen(number) {
                let name = format!("float {number} has the bits {bits:#010x}");
                tally.bytes(&name, &glb(json.as_bytes(), &bin));
            }
        }
    }
    for bits in patterns {
        let mut bin = model.bin.clone();
        for &at in &model.floats {
            bin[at..at + 4].copy_from_slice(&bits.to_le_bytes());
        }
        tally.bytes(&format!("all floats have the bits {bits:#010x}"), &glb(json.as_bytes(), &bin));
    }
    // All other bytes, too: indices, joints, compressed streams.
    for at in 0..model.bin.len() {
        for byte in [0u8, 1, 0x7f, 0x80, 0xff] {
            let mut bin = model.bin.clone();
            bin[at] = byte;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} is {byte:#x}"), &glb(json.as_bytes(), &bin));
            }
        }
    }
    tally.end();
}

/// Much of something; a tenth of it in debug builds.
fn much(count: usize) -> usize {
    if cfg!(debug_assertions) { count / 10 } else { count }
}

/// `times` copies of a text, with commas between.
fn list(times: usize, text: &str) -> String {
    let mut out = format!("{text},").repeat(times);
    out.pop();
    out
}

fn root(rest: &str) -> Vec<u8> {
    format!(r#"{{"asset":{{"version":"2.0"}}{}{rest}}}"#, if rest.is_empty() { "" } else { "," })
        .into_bytes()
}

#[test]
fn deep_json_is_refused_or_skipped() {
    let mut tally = Tally::new("nested");
    for depth in [100, 127, 128, 129, 255, 256, 257, 100_000, much(1_000_000)] {
        let objects = format!("{}{}{}", "{\"a\":".repeat(depth), 0, "}".repeat(depth));
        let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (kind, deep) in [("objects", objects), ("arrays", arrays)] {
            let places = [
                ("extras", root(&format!(r#""extras":{deep}"#))),
                ("extensions", root(&format!(r#""extensions":{{"X":{deep}}}"#))),
                ("a node's extras", root(&format!(r#""nodes":[{{"extras":{deep}}}]"#))),
                (
                    "mesh extras",
                    root(&format!(r#""meshes":[{{"primitives":[],"extras":{deep}}}]"#)),
                ),
                (
                    "targetNames",
                    root(&format!(
                        r#""meshes":[{{"primitives":[],"extras":{{"targetNames":{deep}}}}}]"#
                    )),
                ),
                ("an unknown member", root(&format!(r#""unknown":{deep}"#))),
                ("nodes", root(&format!(r#""nodes":{deep}"#))),
                ("the root", deep.clone().into_bytes()),
            ];
            for (place, file) in places {
                tally.bytes(&format!("{depth} {kind} as {place}"), &file);
            }
        }
        tally.bytes(&format!("{depth} brackets, none closed"), "[".repeat(depth).as_bytes());
        tally.bytes(&format!("{depth} braces, none closed"), "{\"a\":".repeat(depth).as_bytes());
    }
    tally.end();
}

#[test]
fn many_of_a_thing_take_what_they_need_and_not_more() {
    let mut tally = Tally::new("many");
    // A chain, and what walks up.
    for count in [1000, much(100_000)] {
        let mut nodes = String::new();
        for index in 1..count {
            write!(nodes, r#"{{"children":[{index}]}},"#).unwrap();
        }
        let chain = format!(r#""nodes":[{nodes}{{}}]"#);
        let last = count - 1;
        tally.bytes(
            &format!("a chain of {count}"),
            &root(&format!(r#"{chain},"scenes":[{{"nodes":[0]}}]"#)),
        );
        tally.bytes(
            &format!("a chain of {count}, {count} skins with the last as joint"),
            &root(&format!(
                r#"{chain},"skins":[{}]"#,
                list(count, &format!(r#"{{"joints":[{last}]}}"#))
            )),
        );
        tally.bytes(
            &format!("a chain of {count}, a skin of all its nodes"),
            &root(&format!(
                r#"{chain},"skins":[{{"joints":[{}]}}]"#,
                (0..count).map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
        tally.bytes(
            &format!("a chain of {count}, a skin of every second node, and every fourth"),
            &root(&format!(
                r#"{chain},"skins":[{{"joints":[{}]}},{{"joints":[{}]}}]"#,
                (0..count).step_by(2).map(|it| it.to_string()).collect::<Vec<_>>().join(","),
                (0..count).step_by(4).map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
        tally.bytes(
            &format!("a ring of {count}"),
            &root(&format!(r#""nodes":[{nodes}{{"children":[0]}}]"#)),
        );
        let nodes = list(count, "{}");
        tally.bytes(
            &format!("{count} children of one node, listed backwards"),
            &root(&format!(
                r#""nodes":[{{"children":[{}]}},{nodes}]"#,
                (1..=count).rev().map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
    }
    // Plain lists of the shortest entries.
    for (name, item) in [
        ("nodes", "{}"),
        ("scenes", "{}"),
        ("materials", "{}"),
        ("textures", "{}"),
        ("images", "{}"),
        ("samplers", "{}"),
        ("meshes", r#"{"primitives":[]}"#),
        ("skins", r#"{"joints":[]}"#),
        ("animations", r#"{"channels":[],"samplers":[]}"#),
        ("accessors", r#"{"componentType":5121,"count":0,"type":"SCALAR"}"#),
        ("buffers", r#"{"byteLength":0,"uri":"data:,"}"#),
        ("cameras", r#"{"type":"perspective","perspective":{"yfov":1,"znear":1}}"#),
        ("extensionsUsed", "\"\""),
        ("extensionsRequired", "\"KHR_materials_ior\""),
    ] {
        for count in [1000, much(100_000), much(1_000_000)] {
            tally.bytes(
                &format!("{count} {name}"),
                &root(&format!(r#""{name}":[{}]"#, list(count, item))),
            );
        }
    }
    // Members of entries, as short.
    for (name, before, item, after) in [
        ("joints", r#""nodes":[{}],"skins":[{"joints":["#, "0", "]}]"),
        ("children", r#""nodes":[{"children":["#, "1", "]},{}]"),
        ("roots", r#""nodes":[{}],"scenes":[{"nodes":["#, "0", "]}]"),
        ("primitives", r#""meshes":[{"primitives":["#, r#"{"attributes":{}}"#, "]}]"),
        ("target names", r#""meshes":[{"primitives":[],"extras":{"targetNames":["#, "\"\"", "]}}]"),
        ("weights", r#""meshes":[{"primitives":[],"weights":["#, "0", "]}]"),
        (
            "samplers of an animation",
            r#""animations":[{"channels":[],"samplers":["#,
            r#"{"input":0,"output":0}"#,
            "]}]",
        ),
        (
            "channels",
            r#""nodes":[{}],"animations":[{"samplers":[],"channels":["#,
            r#"{"sampler":0,"target":{"path":""}}"#,
            "]}]",
        ),
    ] {
        for count in [much(100_000), much(1_000_000)] {
            tally.bytes(
                &format!("{count} {name}"),
                &root(&format!("{before}{}{after}", list(count, item))),
            );
        }
    }
    let items = list(100_000, r#"{"type":"point"}"#);
    tally.bytes(
        "100000 lights",
        &root(&format!(r#""extensions":{{"KHR_lights_punctual":{{"lights":[{items}]}}}}"#)),
    );
    tally.end();
}

#[test]
fn things_that_are_shared_are_not_multiplied() {
    let mut tally = Tally::new("shared");
    let scenes = list(100_000, r#"{"nodes":[0]}"#);
    tally.bytes(
        "100000 scenes of one root",
        &root(&format!(r#""nodes":[{{}}],"scenes":[{scenes}]"#)),
    );
    let scenes = list(1000, r#"{"nodes":[0]}"#);
    let name = "n".repeat(1 << 20);
    tally.bytes(
        "1000 scenes of one root with a name of a megabyte",
        &root(&format!(r#""nodes":[{{"name":"{name}"}}],"scenes":[{scenes}]"#)),
    );
    let children = (1..1000).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    let nodes = list(999, "{}");
    tally.bytes(
        "1000 scenes of one root with 1000 nodes",
        &root(&format!(r#""nodes":[{{"children":[{children}]}},{nodes}],"scenes":[{scenes}]"#)),
    );
    tally.bytes(
        "1000 scenes far apart in 100000 nodes",
        &root(&format!(
            r#""nodes":[{}],"scenes":[{}]"#,
            list(100_000, "{}"),
            list(1000, r#"{"nodes":[0,99999]}"#)
        )),
    );
    let parts = list(much(10_000), r#"{"attributes":{}}"#);
    tally.bytes(
        "many nodes with a mesh of many parts",
        &root(&format!(
            r#""meshes":[{{"primitives":[{parts}]}}],"nodes":[{}]"#,
            list(much(10_000), r#"{"mesh":0}"#)
        )),
    );
    let animations = list(
        1000,
        r#"{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":0,"output":1}]}"#,
    );
    tally.bytes(
        "1000 animations of a node with a name of a megabyte",
        &root(&format!(
            r#""nodes":[{{"name":"{name}"}}],"animations":[{animations}],"accessors":[{{"componentType":5126,"count":1,"type":"SCALAR"}},{{"componentType":5126,"count":1,"type":"VEC3"}}]"#
        )),
    );
    let parts = list(1000, r#"{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}"#);
    tally.bytes(
        "1000 primitives with a morph target whose name has a megabyte",
        &root(&format!(
            r#""meshes":[{{"primitives":[{parts}],"extras":{{"targetNames":["{name}"]}}}}],"accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}}]"#
        )),
    );
    let joints = list(100_000, "0");
    for count in [1, 1000] {
        tally.bytes(
            &format!("{count} nodes with a skin of 100000 times the same joint"),
            &root(&format!(
                r#""nodes":[{}],"skins":[{{"joints":[{joints}]}}],"meshes":[{{"primitives":[]}}],"scenes":[{{"nodes":[0]}}]"#,
                list(count, r#"{"mesh":0,"skin":0}"#)
            )),
        );
    }
    let joints = (0..100_000).rev().map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    tally.bytes(
        "a skin of 100000 roots that are not in the scene, backwards",
        &root(&format!(
            r#""nodes":[{},{{"mesh":0,"skin":0}}],"skins":[{{"joints":[{joints}]}}],"meshes":[{{"primitives":[]}}],"scenes":[{{"nodes":[100000]}}]"#,
            list(100_000, "{}")
        )),
    );
    // One big column, read in many ways.
    let bin = vec![0u8; much(3 << 20).next_multiple_of(48)];
    let views = json!([{"buffer": 0, "byteLength": bin.len()}]);
    let with = |rest: Value, bin: &[u8]| {
        let mut json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}],
            "bufferViews": views});
        for (key, value) in rest.as_object().into_iter().flatten() {
            json[key] = value.clone();
        }
        glb(json.to_string().as_bytes(), bin)
    };
    let big =
        json!({"bufferView": 0, "componentType": 5126, "count": bin.len() / 12, "type": "VEC3"});
    let same: Vec<Value> = (0..much(10_000))
        .map(|_| json!({"primitives": [{"attributes": {"POSITION": 0}}]}))
        .collect();
    tally.bytes(
        "many meshes of one big accessor",
        &with(json!({"accessors": [big], "meshes": same}), &bin),
    );
    let own: Vec<Value> = (0..much(10_000))
        .map(|it| json!({"primitives": [{"attributes": {"POSITION": 0, format!("_{it}"): 0}}]}))
        .collect();
    tally.bytes(
        "many meshes of one big accessor, each its own",
        &with(json!({"accessors": [big], "meshes": own}), &bin),
    );
    let mesh = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
    let nodes: Vec<Value> = (0..much(10_000)).map(|_| json!({"mesh": 0})).collect();
    tally.bytes(
        "many nodes with one big mesh",
        &with(json!({"accessors": [big], "meshes": mesh, "nodes": nodes}), &bin),
    );
    let mesh =
        json!([{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}]);
    // Each node works out the boxes of its joints from all vertices: too slow for debug builds.
    let sizes =
        if cfg!(debug_assertions) { [(100, 2000); 2] } else { [(10_000, 196_608), (1000, 19_600)] };
    for (nodes, vertices) in sizes {
        let column = |code: u32, kind: &str| json!({"bufferView": 0, "componentType": code, "count": vertices, "type": kind});
        let skinned = [column(5126, "VEC3"), column(5121, "VEC4"), column(5126, "VEC4")];
        let list: Vec<Value> = (0..nodes).map(|_| json!({"mesh": 0, "skin": 0})).collect();
        let rest = json!({"accessors": skinned, "meshes": mesh, "nodes": list, "skins": [{"joints": [0]}]});
        tally.bytes(&format!("{nodes} nodes with a skinned mesh of {vertices}"), &with(rest, &bin));
    }
    let nodes: Vec<Value> = (0..much(10_000))
        .map(|_| json!({"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}))
        .collect();
    tally.bytes(
        "many nodes with many copies each",
        &with(json!({"accessors": [big], "meshes": [{"primitives": []}], "nodes": nodes}), &bin),
    );
    let copies = json!({"bufferView": 0, "componentType": 5126, "count": 10, "type": "VEC3"});
    tally.bytes(
        "many nodes with ten copies each of a big mesh",
        &with(json!({"accessors": [copies, big], "meshes": [{"primitives": [{"attributes": {"POSITION": 1}}]}], "nodes": nodes}), &bin),
    );
    let sparse = json!({"componentType": 5121, "count": bin.len(), "type": "SCALAR", "sparse": {
        "count": bin.len() / 4, "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0}}});
    tally.bytes(
        "many accessors that replace the same elements",
        &with(json!({"accessors": vec![sparse; much(10_000)]}), &bin),
    );
    let mut rising = bin.clone();
    for (number, bytes) in rising.chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&(number as u32).to_le_bytes());
    }
    let sparse = json!({"componentType": 5121, "count": bin.len(), "type": "SCALAR", "sparse": {
        "count": bin.len() / 4, "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0}}});
    tally.bytes(
        "many accessors that replace the same elements in order",
        &with(json!({"accessors": vec![sparse; much(10_000)]}), &rising),
    );
    let image = json!({"bufferView": 0});
    tally.bytes(
        "many images of one view",
        &with(json!({"images": vec![image; much(10_000)]}), &bin),
    );
    let channel =
        |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "translation"}});
    let channels: Vec<Value> = (0..much(10_000)).map(channel).collect();
    let times =
        json!({"bufferView": 0, "componentType": 5126, "count": bin.len() / 12, "type": "SCALAR"});
    tally.bytes(
        "many channels of one big sampler",
        &with(
            json!({"accessors": [times, big], "nodes": vec![json!({}); much(10_000)], "animations": [
                {"channels": channels, "samplers": [{"input": 0, "output": 1}]}]}),
            &bin,
        ),
    );
    tally.end();
}

#[test]
fn what_is_counted_but_not_there_is_not_allocated() {
    let mut tally = Tally::new("counted");
    #[rustfmt::skip] // A table.
    let counts = [
        1u64 << 20, 1 << 23, 1 << 24, 10_000_000, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 31,
        1 << 32, 1 << 53, 1 << 63,
    ];
    for count in counts {
        for kind in ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"] {
            for code in [5121, 5126] {
                let accessor = json!({"componentType": code, "count": count, "type": kind});
                let uses = [
                    ("unused", json!({})),
                    (
                        "POSITION",
                        json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}),
                    ),
                    (
                        "JOINTS_0",
                        json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 0}}]}]}),
                    ),
                    (
                        "COLOR_0",
                        json!({"meshes": [{"primitives": [{"attributes": {"COLOR_0": 0}}]}]}),
                    ),
                    (
                        "TEXCOORD_63",
                        json!({"meshes": [{"primitives": [{"attributes": {"TEXCOORD_63": 0}}]}]}),
                    ),
                    (
                        "indices",
                        json!({"meshes": [{"primitives": [{"attributes": {}, "indices": 0}]}]}),
                    ),
                    (
                        "targets",
                        json!({"meshes": [{"primitives": [{"attributes": {}, "targets": [{"POSITION": 0}]}]}]}),
                    ),
                    (
                        "inverseBindMatrices",
                        json!({"nodes": [{}], "skins": [{"joints": [0], "inverseBindMatrices": 0}]}),
                    ),
                    (
                        "input",
                        json!({"nodes": [{}], "animations": [{"channels": [
                        {"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                        "samplers": [{"input": 0, "output": 0}]}]}),
                    ),
                    (
                        "visibility",
                        json!({"nodes": [{}], "animations": [{"channels": [
                        {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {
                            "pointer": "/nodes/0/extensions/KHR_node_visibility/visible"}}}}],
                        "samplers": [{"input": 0, "output": 0}]}]}),
                    ),
                    (
                        "copies",
                        json!({"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing":
                        {"attributes": {"TRANSLATION": 0}}}}], "meshes": [{"primitives": []}]}),
                    ),
                    (
                        "copies' rotations",
                        json!({"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing":
                        {"attributes": {"ROTATION": 0}}}}], "meshes": [{"primitives": []}]}),
                    ),
                ];
                for (name, rest) in uses {
                    let mut json = json!({"asset": {"version": "2.0"}, "accessors": [accessor]});
                    for (key, value) in rest.as_object().into_iter().flatten() {
                        json[key] = value.clone();
                    }
                    if count > (1 << 24)
                        && cfg!(debug_assertions)
                        && !tally.is_chosen(count as usize)
                    {
                        continue;
                    }
                    tally.value(&format!("{count} {kind} of {code} as {name}"), &json);
                }
            }
        }
    }
    // Sparse over nothing.
    for count in [1u64 << 25, 1 << 31, 1 << 32] {
        let json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 16, "uri": data_uri(&[0; 16])}],
            "bufferViews": [{"buffer": 0, "byteLength": 16}],
            "accessors": [{"componentType": 5126, "count": count, "type": "SCALAR", "sparse": {"count": 1,
                "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 0}]}]});
        tally.value(&format!("sparse over {count} of nothing"), &json);
    }
    // Compressed views that say much of little.
    for (mode, stride) in [("ATTRIBUTES", 4), ("ATTRIBUTES", 256), ("TRIANGLES", 2), ("INDICES", 4)]
    {
        for count in [3u64 << 10, 3 << 20, 3 << 24, 3 << 28, 3 << 40] {
            for head in [0xa0u8, 0xa1, 0xe0, 0xe1, 0xd0, 0xd1] {
                let mut bytes = vec![0u8; 4096];
                bytes[0] = head;
                let view = json!({"buffer": 0, "byteLength": count * stride, "extensions": {
                    "EXT_meshopt_compression": {"buffer": 0, "byteLength": bytes.len(), "byteStride": stride,
                        "count": count, "mode": mode}}});
                let json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": bytes.len()}],
                    "bufferViews": vec![view; 3]});
                tally.bytes(
                    &format!("{mode} of {count} times {stride}, header {head:#x}"),
                    &glb(json.to_string().as_bytes(), &bytes),
                );
            }
        }
    }
    tally.end();
}

#[test]
fn many_attributes_and_many_warnings_are_borne() {
    let mut tally = Tally::new("attributes");
    for count in [1024, 1025, much(1_000_000)] {
        let mut attributes = String::new();
        for number in 0..count {
            write!(attributes, r#""_{number}":0,"#).unwrap();
        }
        attributes.pop();
        let accessor = r#""accessors":[{"componentType":5126,"count":1,"type":"VEC3"}]"#;
        tally.bytes(
            &format!("{count} attributes"),
            &root(&format!(
                r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{{attributes}}}}}]}}]"#
            )),
        );
        tally.bytes(
            &format!("{count} attributes of a target"),
            &root(&format!(r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{}},"targets":[{{{attributes}}}]}}]}}]"#)),
        );
        let same = list(count, r#""POSITION":0"#);
        tally.bytes(
            &format!("{count} times the same attribute"),
            &root(&format!(
                r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{{same}}}}}]}}]"#
            )),
        );
        let targets = list(count, "{}");
        tally.bytes(
            &format!("{count} targets"),
            &root(&format!(r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{targets}]}}]}}],"nodes":[{{"mesh":0}},{{"mesh":0}}]"#)),
        );
    }
    #[rustfmt::skip] // A table.
    let sets = [
        "0", "63", "64", "65535", "4294967295", "18446744073709551615", "18446744073709551616",
        "-1", "+1", "00", "", "1e3", "0x1",
    ];
    for set in sets {
        for kind in ["TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"] {
            for code in [5121, 5123, 5126] {
                let json = json!({"asset": {"version": "2.0"},
                    "accessors": [{"componentType": 5126, "count": 1, "type": "VEC3"},
                        {"componentType": code, "count": 1, "type": if kind == "TEXCOORD" { "VEC2" } else { "VEC4" }}],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, format!("{kind}_{set}"): 1}}]}],
                    "nodes": [{"mesh": 0, "skin": 0}], "skins": [{"joints": [0]}], "scenes": [{"nodes": [0]}]});
                tally.value(&format!("{kind}_{set} of {code}"), &json);
            }
        }
    }
    let views = list(much(100_000), r#"{"buffer":0,"byteLength":0,"byteStride":7}"#);
    tally.bytes(
        "many warnings",
        &root(&format!(r#""buffers":[{{"byteLength":0,"uri":"data:,"}}],"bufferViews":[{views}]"#)),
    );
    tally.end();
}

#[test]
fn names_may_be_anything() {
    let mut tally = Tally::new("names");
    let long = "x".repeat(much(10 << 20));
    let quotes = "\\\"".repeat(much(1 << 20));
    let wide = "\\u2764".repeat(much(1 << 18));
    #[rustfmt::skip] // A table.
    let names = [
        "", "\\u0000", "a\\u0000b", "\\ud800", "\\udc00", "\\ud800\\ud800", "\\ud83d\\ude00",
        "\\uDC00\\uD800", "\\x", "\\u12", "\u{feff}", "\u{202e}", "\n", "\u{1}", "../../x", "con",
        "/", "~1", &long, &quotes, &wide,
    ];
    for name in names {
        let short: String = name.chars().take(20).collect();
        let short = format!("{short:?} ({} bytes)", name.len());
        tally
            .bytes(&format!("a node {short}"), &root(&format!(r#""nodes":[{{"name":"{name}"}}]"#)));
        tally.bytes(
            &format!("a scene {short}"),
            &root(&format!(r#""scenes":[{{"name":"{name}"}}]"#)),
        );
        tally.bytes(&format!("a key {short}"), &root(&format!(r#""{name}":[{{"name":1}}]"#)));
        tally.bytes(
            &format!("a key above a fault {short}"),
            &root(&format!(r#""x":{{"{name}":[1,}}}}"#)),
        );
        tally.bytes(&format!("an attribute {short}"), &root(&format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"{name}":0,"TEXCOORD_64":0,"POSITION":0}}}}]}}],"nodes":[{{"mesh":0}}],"accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}}]"#
        )));
        tally.bytes(
            &format!("an attribute without accessor {short}"),
            &root(&format!(r#""meshes":[{{"primitives":[{{"attributes":{{"{name}":7}}}}]}}]"#)),
        );
        tally.bytes(&format!("an animation and its node {short}"), &root(&format!(
            r#""nodes":[{{"name":"{name}"}}],"animations":[{{"name":"{name}","channels":[{{"sampler":0,"target":{{"node":0,"path":"{name}"}}}}],"samplers":[{{"input":0,"output":0,"interpolation":"{name}"}}]}}]"#
        )));
        tally.bytes(&format!("a pointer {short}"), &root(&format!(
            r#""nodes":[{{}}],"animations":[{{"channels":[{{"sampler":0,"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"/nodes/0/{name}"}}}}}}}}],"samplers":[{{"input":0,"output":0}}]}}]"#
        )));
        tally.bytes(
            &format!("an image {short}"),
            &root(&format!(r#""images":[{{"uri":"{name}","mimeType":"{name}","name":"{name}"}}]"#)),
        );
        tally.bytes(
            &format!("a buffer {short}"),
            &root(&format!(r#""buffers":[{{"uri":"{name}","byteLength":1}}]"#)),
        );
        tally.bytes(
            &format!("an extension {short}"),
            &root(&format!(r#""extensionsRequired":["{name}"]"#)),
        );
        tally.bytes(
            &format!("a version {short}"),
            format!(r#"{{"asset":{{"version":"2.{name}","minVersion":"{name}"}}}}"#).as_bytes(),
        );
        tally.bytes(
            &format!("a type {short}"),
            &root(&format!(r#""accessors":[{{"componentType":5126,"count":1,"type":"{name}"}}]"#)),
        );
        tally.bytes(
            &format!("a camera {short}"),
            &root(&format!(r#""cameras":[{{"type":"{name}"}}]"#)),
        );
    }
    tally.end();
}

#[test]
fn text_that_is_no_text_is_refused() {
    let mut tally = Tally::new("text");
    let file = small().gltf().to_string().into_bytes();
    let mark = b"\xef\xbb\xbf";
    for (name, before) in [
        ("a mark", &mark[..]),
        ("two marks", b"\xef\xbb\xbf\xef\xbb\xbf"),
        ("half a mark", b"\xef\xbb"),
        ("UTF-16", b"\xff\xfe"),
        ("spaces", b" \n\r\t"),
        ("a zero", b"\0"),
    ] {
        tally.bytes(&format!("{name} before"), &[before, &file].concat());
        tally.bytes(&format!("{name} after"), &[&file, before].concat());
        tally.bytes(&format!("{name} alone"), before);
        tally.bytes(
            &format!("{name} in a glb"),
            &glb(&[before, &small().json.to_string().into_bytes()].concat(), &small().bin),
        );
    }
    let wide: Vec<u8> =
        String::from_utf8_lossy(&file).encode_utf16().flat_map(u16::to_le_bytes).collect();
    tally.bytes("all in UTF-16", &wide);
    for at in 0..file.len() {
        for bad in [0xffu8, 0xc0, 0xed, 0xf8, 0x80] {
            let mut file = file.clone();
            file[at] = bad;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} is {bad:#x}"), &file);
            }
        }
    }
    for (name, rest) in [
        ("nodes", r#""nodes":[{}],"nodes":[{},{}]"#),
        ("scene", r#""scene":0,"scene":0,"scenes":[{}]"#),
        ("asset", r#""asset":{"version":"1.0"}"#),
        ("names", r#""nodes":[{"name":"a","name":"b"}]"#),
        ("extras", r#""nodes":[{"extras":1,"extras":2}],"extras":1,"extras":{}"#),
        ("unknown", r#""x":1,"x":2,"nodes":[{"y":1,"y":2}]"#),
        ("escaped", r#""nodes":[{}],"\u006eodes":[{},{}]"#),
        (
            "attributes",
            r#""meshes":[{"primitives":[{"attributes":{"POSITION":0,"POSITION":1}}]}],"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5126,"count":4,"type":"VEC3"}]"#,
        ),
        (
            "extensions",
            r#""extensions":{"KHR_lights_punctual":{"lights":[]},"KHR_lights_punctual":{"lights":[]}}"#,
        ),
    ] {
        tally.bytes(&format!("{name} twice"), &root(rest));
    }
    #[rustfmt::skip] // A table.
    let numbers = [
        "1e400", "-1e400", "1e-400", "-0", "00", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x10",
        "1e", "--1", "1_000", "1e99999999999999999999",
    ];
    for number in numbers {
        for member in ["translation", "scale", "rotation"] {
            let width = if member == "rotation" { 4 } else { 3 };
            tally.bytes(
                &format!("{member} of {number}"),
                &root(&format!(r#""nodes":[{{"{member}":[{}]}}]"#, list(width, number))),
            );
        }
        tally.bytes(
            &format!("a mesh {number}"),
            &root(&format!(r#""nodes":[{{"mesh":{number}}}],"meshes":[{{"primitives":[]}}]"#)),
        );
        tally.bytes(&format!("unknown {number}"), &root(&format!(r#""x":{number}"#)));
    }
    let digits = "9".repeat(much(1 << 20));
    for number in [
        digits.clone(),
        format!("0.{digits}"),
        format!("{digits}e-1048576"),
        format!("1e{digits}"),
        format!("-{digits}.{digits}"),
    ] {
        let short: String = number.chars().take(8).collect();
        tally.bytes(
            &format!("a number of many digits: {short}"),
            &root(&format!(r#""nodes":[{{"translation":[{number},0,0]}}]"#)),
        );
        tally.bytes(
            &format!("a count of many digits: {short}"),
            &root(&format!(r#""scene":{number}"#)),
        );
        tally.bytes(
            &format!("an unknown number of many digits: {short}"),
            &root(&format!(r#""x":{number}"#)),
        );
    }
    tally.end();
}

fn gltf_with(uri: &str, length: u64) -> Vec<u8> {
    let json = json!({"asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": length}],
        "images": [{"uri": uri}]});
    json.to_string().into_bytes()
}

#[test]
fn uris_lead_nowhere_else() {
    let mut tally = Tally::new("uris");
    let directory = std::env::temp_dir().join(format!("pleach-hostile-{}", std::process::id()));
    let inside = directory.join("model");
    std::fs::create_dir_all(inside.join("sub")).unwrap();
    std::fs::write(directory.join("secret.bin"), b"secret!!").unwrap();
    std::fs::write(inside.join("data.bin"), [0; 64]).unwrap();
    std::fs::write(inside.join("sub").join("a b.bin"), [0; 64]).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret.bin", inside.join("out.bin")).unwrap();
        symlink("data.bin", inside.join("in.bin")).unwrap();
        symlink("..", inside.join("up")).unwrap();
        symlink("loop.bin", inside.join("loop.bin")).unwrap();
        symlink("/dev/zero", inside.join("zero.bin")).unwrap();
        symlink("nothing", inside.join("dangling.bin")).unwrap();
        _ = std::process::Command::new("mkfifo").arg(inside.join("pipe.bin")).status();
    }
    let long = "a/".repeat(100_000);
    let many = "%2e%2e%2f".repeat(100_000);
    // What may be read, and what may not.
    #[rustfmt::skip] // A table.
    let uris = [
        ("data.bin", true), ("./data.bin", true), ("sub/../data.bin", true),
        ("sub/a%20b.bin", true), ("sub/a b.bin", true), ("in.bin", cfg!(unix)),
        ("%64ata.bin", true), ("", false), (".", false), ("sub", false), ("sub/", false),
        ("../secret.bin", false), ("..%2fsecret.bin", false), ("%2e%2e/secret.bin", false),
        ("%2E%2E%2Fsecret.bin", false), ("sub/../../secret.bin", false), ("sub/../..", false),
        ("..", false), ("/etc/passwd", false), ("//etc/passwd", false), ("%2fetc%2fpasswd", false),
        ("file:///etc/passwd", false), ("FILE:///etc/passwd", false), ("file:data.bin", false),
        ("http://localhost/x", false), ("https://example.com/data.bin", false),
        ("ftp://x/y", false), ("javascript:1", false), ("\\\\host\\share", false),
        ("..\\secret.bin", false), ("C:\\x", false), ("/dev/zero", false), ("/dev/stdin", false),
        ("out.bin", false), ("up/secret.bin", false), ("up/model/../secret.bin", false),
        ("loop.bin", false), ("zero.bin", false), ("dangling.bin", false), ("pipe.bin", false),
        ("data.bin%00.png", false), ("data.bin\u{0}", false), ("%", false), ("%zz", false),
        ("%ff", false), ("data.bin?x=1", false), ("data.bin#x", false), ("%+64ata.bin", false),
        (&long, false), (&many, false), ("data:", false), ("data:,", false),
        ("data:;base64", false), ("data:;base64,", false), ("data:;base64,A", false),
        ("data:;base64,AAA", false), ("data:;base64,AAAA=", false), ("data:;base64,A AA", false),
        ("data:;base64,====", false), ("data:;base64,AAAA\u{0}", false),
        ("data:;base64,%41%41%41%41", false), ("data:application/octet-stream,%00%01%", false),
        ("data:text/plain;charset=utf-16;base64,AAAAAAAAAAA=", true),
        ("DATA:;base64,AAAAAAAAAAA=", true), ("data:\u{1F600};base64,AAAAAAAAAAA=", true),
        ("data", false), ("data:;base64,-_-_", false),
    ];
    for (uri, may) in uris {
        let short: String = uri.chars().take(40).collect();
        let file = gltf_with(uri, 8);
        let path = inside.join("case.gltf");
        std::fs::write(&path, &file).unwrap();
        let loaded = tally.case(&format!("{short:?}"), file.len(), || Options::new().load(&path));
        assert!(
            loaded.is_none_or(|it| it == may),
            "{short:?}: {:?}",
            Options::new().load(&path).err()
        );
        tally.bytes(&format!("{short:?} in memory"), &file);
        for length in [0, 1, 64, 65, u64::MAX] {
            let file = gltf_with(uri, length);
            std::fs::write(&path, &file).unwrap();
            tally
                .case(&format!("{short:?} of {length}"), file.len(), || Options::new().load(&path));
        }
        // Images that cannot be read are left out; the rest is shown.
        let image = json!({"asset": {"version": "2.0"}, "images": [{"uri": uri}]}).to_string();
        std::fs::write(&path, &image).unwrap();
        let loaded =
            tally.case(&format!("{short:?} as image"), file.len(), || Options::new().load(&path));
        assert!(loaded != Some(false), "{short:?} as image");
    }
    for length in [0u64, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 31, 1 << 32, 1 << 53, u64::MAX] {
        for uri in ["data:;base64,AAAAAAA=", "data:,01234", "data:,%30%31%32%33%34"] {
            let file = gltf_with(uri, length);
            let loaded = tally.bytes(&format!("{uri} of {length}"), &file);
            assert!(loaded.is_none_or(|it| it == (length <= 5)), "{uri} of {length}");
        }
    }
    // The model as its own buffer, again and again; and a file beside it.
    for (uri, size) in [("case.gltf", 1 << 20), ("big.bin", 1 << 20)] {
        std::fs::write(inside.join("big.bin"), vec![0; size]).unwrap();
        let buffers = list(much(10_000), &format!(r#"{{"uri":"{uri}","byteLength":1}}"#));
        let images = list(much(10_000), &format!(r#"{{"uri":"{uri}"}}"#));
        for (name, rest) in [
            ("buffers", format!(r#""buffers":[{buffers}]"#)),
            ("images", format!(r#""images":[{images}]"#)),
        ] {
            let mut file = root(&rest);
            file.resize(size.max(file.len()), b' ');
            let path = inside.join("case.gltf");
            std::fs::write(&path, &file).unwrap();
            tally.case(&format!("many {name} that are all {uri}"), file.len(), || {
                Options::new().load(&path)
            });
        }
    }
    for path in
        [inside.clone(), inside.join("nothing.gltf"), inside.join("sub"), "/".into(), "".into()]
    {
        tally.case(&format!("the model is {path:?}"), 0, || Options::new().load(&path));
    }
    std::fs::remove_dir_all(&directory).unwrap();
    tally.end();
}

/// A resolver that lies: endless, empty, or failing.
struct Liar(usize);

impl Resolver for Liar {
    fn read(&self, _name: &str, _most: u64) -> std::io::Result<Bytes> {
        match self.0 {
            usize::MAX => Err(std::io::Error::other("no")),
            length => Ok(Bytes::from(vec![0; length])),
        }
    }
}

#[test]
fn resolvers_may_lie() {
    let mut tally = Tally::new("resolvers");
    for given in [0, 1, 8, 1 << 20, usize::MAX] {
        for length in [0, 1, 8, 1 << 20, 1 << 40, u64::MAX] {
            let name = format!("{given} bytes for {length}");
            tally.with(&name, &gltf_with("x", length), &Liar(given));
        }
    }
    // One that shows less each time.
    struct Shrinking(Mutex<usize>);
    impl AsRef<[u8]> for Shrinking {
        fn as_ref(&self) -> &[u8] {
            let mut left = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
            *left = left.saturating_sub(7);
            &[b' '; 4096][..*left]
        }
    }
    tally.case("a file that shrinks while it is read", 4096, || {
        Options::new().load_with(Bytes::new(Shrinking(Mutex::new(4096))), &Liar(0))
    });
    let mut json = Map::new();
    json.insert("asset".into(), json!({"version": "2.0"}));
    tally.value("nothing but a version", &Value::Object(json));
    tally.end();
}
