//! Loading: container → JSON → buffers, views, accessors (`data/`) → assets (`assets/`) → scenes
//! (`scenes/`).
//!
//! Reads a file and the files that it refers to; writes a [`Document`]. Each stage validates its
//! input, and takes memory from the budget before it allocates. Nothing recurses over the file.

mod assets;
mod budget;
mod components;
mod convention;
mod data;
mod loaders;
mod options;
mod scenes;

pub(crate) use assets::animation::split_node_pointer;
pub(crate) use assets::{material, mesh, skin};
pub(crate) use components::ComponentReader;
pub use convention::Convention;
pub(crate) use data::buffers::{Buffer, Origin};
pub(crate) use data::views::views;
pub(crate) use data::{Data, data};
pub use loaders::Loaders;
pub(crate) use loaders::{BoxedError, normalized_extension, to_custom_error, unknown_extension};
pub use options::{Limits, Options, Progress, Stage};
pub(crate) use scenes::{Y_UP_TO_Z_UP, bounds, environment, node};

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pleach::{Assets, Handle, Material};

use self::assets::{animation, image, unused_joints};
pub(crate) use self::budget::Budget;
use self::data::accessor::Accessor;
use self::data::buffers;
use self::scenes::tree::{self, Tree};
use crate::diagnostics::{Pointer, Result};
use crate::diagnostics::{Report, Tolerance};
use crate::document::loaded::LoadedVersions;
use crate::document::node_text::{NodeText, nodes_with_kept_members};
use crate::document::variants::Variants;
use crate::document::{Format, SourceFile};
use crate::files::glb;
use crate::json::{
    CONTROL_CHARACTER, LoneSurrogates, Outline, ParseLimits, Root, check_index, json_error,
    pointer_to, value_at,
};
use crate::{Animation, Bytes, Document, Error, ErrorKind, Resolver, Support, supports};
use crate::{WarningCode, files};

/// The context of a load: its input, its options and limits, and the assets and warnings so far.
pub(crate) struct Load<'a> {
    pub(crate) root: &'a Root<'a>,
    pub(crate) options: &'a Options,
    pub(crate) resolver: &'a dyn Resolver,
    pub(crate) tolerance: Tolerance,
    pub(crate) budget: Budget,
    pub(crate) assets: Assets,
    /// External files by name, so that each is read once.
    files: HashMap<String, Bytes>,
}

impl<'a> Load<'a> {
    /// Creates the context for reading a loaded file again, without limits.
    pub(crate) fn for_reread(
        root: &'a Root<'a>,
        options: &'a Options,
        resolver: &'a dyn Resolver,
        tolerance: Tolerance,
        assets: Assets,
    ) -> Self {
        let budget = Budget::new(&options.limits, 0);
        let files = HashMap::new();
        Self { root, options, resolver, tolerance, budget, assets, files }
    }

    /// Warns of a fault that is tolerated, or returns it as an error if the options are strict.
    pub(crate) fn tolerate(
        &mut self,
        at: &Pointer<'_>,
        code: WarningCode,
        message: impl Into<String>,
    ) -> Result<()> {
        self.tolerance.tolerate(at, code, message)
    }

    /// Warns if the buffer view has a `byteStride`, which is only for vertex attributes.
    fn check_no_stride(&mut self, accessor: &Accessor<'_>, at: &Pointer<'_>) -> Result<()> {
        if accessor.has_stride {
            let message = "its buffer view has a byteStride, which is only for vertex attributes; it is applied";
            self.tolerate(at, WarningCode::UnexpectedByteStride, message)?;
        }
        Ok(())
    }

    /// Reports progress to the callback, if there is one.
    fn progress(&self, stage: Stage, done: usize, total: usize) -> Result<()> {
        report_progress(self.options, stage, done, total)
    }
}

/// Returns the end of a message about the first of `count` + 1 equal problems.
fn as_in_more(count: usize, singular: &str, plural: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(", as in 1 more {singular}"),
        more => format!(", as in {more} more {plural}"),
    }
}

/// Reports progress to the callback, if there is one. Returns an error if it asks to stop.
pub(crate) fn report_progress(
    options: &Options,
    stage: Stage,
    done: usize,
    total: usize,
) -> Result<()> {
    let Some(callback) = &options.progress else { return Ok(()) };
    if callback(Progress { stage, done, total }).is_break() {
        let message = "stopped by the progress callback";
        return Err(Error::new(ErrorKind::Cancelled, &Pointer::ROOT, message));
    }
    Ok(())
}

/// Reads a file.
pub(crate) fn read_file(path: &Path, limits: &Limits) -> Result<Bytes> {
    // Checked before opening: a pipe would block, and a device may never end.
    let bytes = std::fs::metadata(path).and_then(|it| match it.is_file() {
        true => files::read_at_most(path, limits.max_file_bytes),
        false => {
            Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
    });
    bytes.map(Bytes::from).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            Error::new(ErrorKind::Limit, &Pointer::ROOT, error.to_string())
        }
        std::io::ErrorKind::OutOfMemory => {
            Error::new(ErrorKind::OutOfMemory, &Pointer::ROOT, error.to_string()).caused_by(error)
        }
        _ => Error::io(path, "the file could not be read", error),
    })
}

/// The memory of a node in what is built after the JSON was parsed, in bytes.
const SCENE_NODE_BYTES: usize = 256;

/// The memory of the text of a node in a scene, in bytes.
const NODE_TEXT_BYTES: usize = size_of::<NodeText>() + 32;

/// Fails if `count` times `size` bytes cannot be allocated now, so that the many small allocations
/// that follow, which abort the process if they fail, can be expected to succeed. The memory is
/// released at once and never touched.
pub(crate) fn check_available(
    count: usize,
    size: usize,
    pointer: impl FnOnce() -> String,
) -> Result<()> {
    let bytes = count.saturating_mul(size);
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(bytes).map_err(|_| Error::out_of_memory(pointer(), bytes))
}

/// Returns the number of bytes of a JSON text in strings without escapes, which are not copied when
/// the text is parsed.
fn plain_string_bytes(text: &str) -> usize {
    let (mut bytes, mut start, mut has_escape) = (0, None, false);
    let mut all = text.bytes().enumerate();
    while let Some((at, byte)) = all.next() {
        match (byte, start) {
            (b'"', None) => (start, has_escape) = (Some(at + 1), false),
            (b'"', Some(from)) => {
                bytes += if has_escape { 0 } else { at - from };
                start = None;
            }
            (b'\\', Some(_)) => {
                has_escape = true;
                all.next();
            }
            _ => {}
        }
    }
    bytes
}

/// Loads a document from the bytes of a file.
pub(crate) fn load(file: Bytes, resolver: &dyn Resolver, options: &Options) -> Result<Document> {
    let mut tolerance = Tolerance { strict: options.strict, report: Report::default() };
    let read = file.len() as u64;
    check_file_size(read, &options.limits)?;
    let (format, chunks) = if glb::is_glb(&file) {
        (Format::Glb, glb::read(&file, &mut tolerance)?)
    } else {
        (Format::Gltf, glb::Chunks { json: file, ..glb::Chunks::default() })
    };
    let json = strip_byte_order_mark(chunks.json, &mut tolerance)?;
    let text = json_text(&json)?;
    report_progress(options, Stage::Json, 0, text.len())?;
    let budget = Budget::new(&options.limits, read);
    let limits = ParseLimits {
        max_depth: options.limits.max_json_depth,
        max_array_bytes: budget.left() as u64,
    };
    // Lists of indices and names in entries take at most four times their text. Strings, such as
    // data URIs, are borrowed.
    check_available(text.len(), 4, String::new)
        .or_else(|_| check_available(text.len() - plain_string_bytes(text), 4, String::new))?;
    let mut root = parse(text, limits)?;
    check_strings(text, &mut tolerance)?;
    let with_kept_members = nodes_with_kept_members(&root, text);
    // Only saving needs the rest of the outline, and the capacity for more nodes is not needed either.
    root.outline = Outline::default();
    root.nodes.shrink_to_fit();
    check_available(root.nodes.len(), SCENE_NODE_BYTES, || "/nodes".into())?;
    report_progress(options, Stage::Json, text.len(), text.len())?;
    check_version(&root)?;
    check_extensions(&root)?;
    let assets = Assets::new();
    let files = HashMap::new();
    let mut load = Load { root: &root, options, resolver, tolerance, budget, assets, files };

    let buffers = buffers::buffers(&mut load, chunks.bin.as_ref())?;
    let document = assemble(&mut load, &buffers)?;
    let has_variants = root.extensions_used.iter().any(|it| &**it == "KHR_materials_variants");
    let variants = if has_variants { Variants::parse(text) } else { Variants::default() };
    let mut document = document;
    let scenes = (&mut document.trees[..], &document.node_indices[..]);
    document.components_read = components::components(options, text, scenes, &mut load.tolerance)?;
    insert_node_texts(&mut load.budget, &json, &with_kept_members, &mut document)?;
    document.components.clone_from(&options.components);
    let report = load.tolerance.report;
    let mut files: Vec<_> = load.files.into_iter().collect();
    files.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    drop(root);
    let source = SourceFile {
        format,
        json,
        buffers,
        bin_chunk: chunks.bin,
        files,
        unknown_chunks: chunks.others,
    };
    let y_up = options.keep_y_up;
    Ok(Document { source: Some(source), report, variants, y_up, ..document })
}

/// Inserts the texts of the nodes that have members which scenes do not have, for their clones.
fn insert_node_texts(
    budget: &mut Budget,
    json: &Bytes,
    nodes: &[(usize, Range<usize>)],
    document: &mut Document,
) -> Result<()> {
    let read = &document.components_read;
    let no_components: Arc<[&'static str]> = Arc::default();
    for (scene, indices) in document.trees.iter_mut().zip(&document.node_indices) {
        let range = indices.range();
        let nodes = &nodes[nodes.partition_point(|it| it.0 < range.start)..];
        for (index, span) in nodes.iter().take_while(|it| it.0 < range.end) {
            let Some(id) = indices.node(*index) else { continue };
            let at = Pointer::entry("nodes", *index);
            budget.take(&at, 1, NODE_TEXT_BYTES)?;
            let names = || read.range((*index, "")..(*index + 1, "")).map(|it| it.1);
            let components = match names().next() {
                Some(_) => names().collect(),
                None => Arc::clone(&no_components),
            };
            let text = NodeText::new(json.slice(span.clone()).unwrap_or_default(), components);
            let inserted = scene.insert(id, text);
            inserted.map_err(|error| Error::value(&at, error.to_string()))?;
        }
    }
    Ok(())
}

/// Builds the document from the JSON and the buffers.
fn assemble(load: &mut Load<'_>, buffers: &[Buffer]) -> Result<Document> {
    let root = load.root;
    let views = views(load, buffers)?;
    let data = data(load, &views)?;
    let images = image::images(load, &data)?;
    material::check_textures(root, &mut load.tolerance)?;
    material::check_samplers(root, &mut load.tolerance)?;
    node::check_kept_extensions(root, &mut load.tolerance)?;
    let mut materials = Vec::with_capacity(root.materials.len());
    let size = size_of::<Material>() + size_of::<Handle<Material>>() + 64;
    load.budget.take(&Pointer::root("materials"), root.materials.len(), size)?;
    for index in 0..root.materials.len() {
        let material = material::material(root, index, &images, &mut load.tolerance)?;
        materials.push(load.assets.add(material));
    }
    let default_material = load.assets.add(Material::default());
    let mut meshes = mesh::meshes(load, &data, &materials, &default_material)?;
    unused_joints::clear(load, &mut meshes)?;
    let tree = Tree::of(load)?;
    let roots = tree::scene_roots(load, &tree)?;
    let default_scene = match root.scene {
        Some(scene) => Some(check_index(scene, roots.len(), "scene", &Pointer::root("scene"))?),
        None => None,
    };
    let skins = skin::skins(load, &data, &tree)?;
    let cameras = root.cameras.iter().enumerate();
    let cameras = cameras
        .map(|(index, it)| node::camera(it, &Pointer::entry("cameras", index), &mut load.tolerance))
        .collect::<Result<Vec<_>, _>>()?;
    let lights_at = Pointer::root("extensions");
    let lights_at = lights_at.key("KHR_lights_punctual");
    let lights = root.lights().iter().enumerate();
    let lights = lights
        .map(|(index, it)| node::light(it, &lights_at.item("lights", index), &mut load.tolerance))
        .collect::<Result<Vec<_>, _>>()?;
    let animations = animation::animations(load, &data)?;
    let shared = scenes::SharedAssets {
        tree: &tree,
        meshes: &meshes,
        skins: &skins,
        cameras: &cameras,
        lights: &lights,
        images: &images,
        joints: RefCell::default(),
    };
    let (trees, node_indices) = scenes::scenes(load, &data, &shared, &roots)?;
    let animations = animations.into_iter().enumerate();
    Ok(Document {
        listed: roots.len(),
        loaded: LoadedVersions::new(&images, &materials, &meshes),
        trees,
        node_indices,
        default_scene,
        animations: animations.map(|(index, it)| Animation::from_file(index, it)).collect(),
        images,
        materials,
        default_material: Some(default_material),
        meshes,
        skins,
        cameras,
        lights,
        ..Document::default()
    })
}

/// Rejects a file that exceeds the limit.
pub(crate) fn check_file_size(bytes: u64, limits: &Limits) -> Result<()> {
    if bytes > limits.max_file_bytes {
        let message = format!("{bytes} bytes; the limit is {}", limits.max_file_bytes);
        return Err(Error::new(ErrorKind::Limit, &Pointer::ROOT, message));
    }
    Ok(())
}

/// Parses the JSON of a file. A file of glTF 1.0 is named as such.
pub(crate) fn parse(text: &str, limits: ParseLimits) -> Result<Root<'_>> {
    Root::parse(text, limits).map_err(|error| version_1_error(text).unwrap_or(error))
}

/// Removes a byte order mark from the JSON, with a warning.
fn strip_byte_order_mark(json: Bytes, tolerance: &mut Tolerance) -> Result<Bytes> {
    if !json.starts_with(b"\xef\xbb\xbf") {
        return Ok(json);
    }
    let message = "the JSON begins with a byte order mark; it is ignored";
    tolerance.tolerate(&Pointer::ROOT, WarningCode::ByteOrderMark, message)?;
    Ok(json.slice(3..json.len()).unwrap_or_default())
}

/// Returns the JSON as text, or an error if it is not JSON or not valid UTF-8.
pub(crate) fn json_text(json: &[u8]) -> Result<&str> {
    let error = |message: String| Error::new(ErrorKind::Json, &Pointer::ROOT, message);
    if json.trim_ascii().is_empty() {
        let what = if json.is_empty() { "the file is empty" } else { "the file is blank" };
        let advice = "The file has no content; download or export it again.";
        return Err(error(format!("{what}: it has no JSON")).with_advice(advice));
    }
    // The parser reports arrays.
    if !matches!(json.trim_ascii_start().first(), Some(b'{' | b'[')) {
        let advice = "Only .gltf and .glb are supported; convert it first.";
        return Err(error("the file is neither glTF (JSON) nor GLB".into()).with_advice(advice));
    }
    std::str::from_utf8(json)
        .map_err(|it| error(format!("the JSON is not valid UTF-8 at byte {}", it.valid_up_to())))
}

/// Rejects control characters in strings and warns of lone surrogates.
fn check_strings(text: &str, tolerance: &mut Tolerance) -> Result<()> {
    let surrogates = LoneSurrogates::of(text);
    if let Some(at) = surrogates.control {
        return Err(json_error(text, at, CONTROL_CHARACTER.into()));
    }
    let Some(first) = surrogates.first else { return Ok(()) };
    let more = match surrogates.count - 1 {
        0 => String::new(),
        1 => "; there is 1 more".into(),
        more => format!("; there are {more} more"),
    };
    let message = format!("a lone surrogate ({}) is read as U+FFFD{more}", &text[first..first + 6]);
    let pointer = pointer_to(text, first + 1);
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    tolerate_at(&Pointer::ROOT, &steps, tolerance, WarningCode::LoneSurrogate, message)
}

/// Tolerates a fault at the end of the steps of a pointer, of which there are at most twelve.
fn tolerate_at(
    at: &Pointer<'_>,
    steps: &[&str],
    tolerance: &mut Tolerance,
    code: WarningCode,
    message: String,
) -> Result<()> {
    let Some((step, steps)) = steps.split_first() else {
        return tolerance.tolerate(at, code, message);
    };
    let step = step.replace("~1", "/").replace("~0", "~");
    tolerate_at(&at.key(&step), steps, tolerance, code, message)
}

/// The end of messages about glTF 1.0.
pub(crate) const CONVERT_VERSION_1: &str =
    "convert it to glTF 2.0, for example with `npx gltf-pipeline -i IN -o OUT.glb`";

/// The advice of `validate` for files of other versions of glTF.
pub(crate) const OTHER_VERSION_ADVICE: &str = "Convert it to glTF 2.0, or export it as glTF 2.0.";

/// Returns the error for a file of glTF 1.0, whose top-level members are objects instead of arrays.
fn version_1_error(text: &str) -> Option<Error> {
    let start = |pointer: &str| Some(&text[value_at(text, pointer)?]);
    let version = start("/asset/version").map(|it| it.trim_matches('"'));
    let is_version_1 = version.is_some_and(|it| it.starts_with('1'));
    let names = ["/nodes", "/meshes", "/scenes", "/buffers", "/accessors"];
    let has_objects = names.into_iter().filter_map(start).any(|it| it.starts_with('{'));
    (is_version_1 || (version.is_none() && has_objects)).then(|| {
        let message = format!("the file is glTF 1.0, which is not supported; {CONVERT_VERSION_1}");
        let asset = Pointer::root("asset");
        Error::value(&asset.key("version"), message).with_advice(OTHER_VERSION_ADVICE)
    })
}

/// Rejects other versions than 2.0.
pub(crate) fn check_version(root: &Root<'_>) -> Result<()> {
    let asset = Pointer::root("asset");
    let major = |version: &str| version.split('.').next().map(str::to_string);
    if major(&root.asset.version).as_deref() != Some("2") {
        let version = &*root.asset.version;
        let mut message = format!("glTF version {version} is not supported, only 2.0");
        if major(version).as_deref() == Some("1") {
            message = format!("{message}; {CONVERT_VERSION_1}");
        }
        return Err(Error::value(&asset.key("version"), message).with_advice(OTHER_VERSION_ADVICE));
    }
    let is_above = |version: &&str| {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(u32::MAX));
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) > (2, 0)
    };
    if let Some(version) = root.asset.min_version.as_deref().filter(is_above) {
        let message = format!("the file requires glTF {version} or later; only 2.0 is supported");
        let error = Error::value(&asset.key("minVersion"), message);
        return Err(error.with_advice(OTHER_VERSION_ADVICE));
    }
    Ok(())
}

fn check_extensions(root: &Root<'_>) -> Result<()> {
    for (index, name) in root.extensions_required.iter().enumerate() {
        if supports(name) == Support::Unknown {
            let message =
                format!("the file requires the extension {:?}, which is not supported", &**name);
            let list = Pointer::root("extensionsRequired");
            return Err(Error::new(ErrorKind::Extension, &list.index(index), message));
        }
    }
    Ok(())
}
