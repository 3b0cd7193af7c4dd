//! glTF files: loading, their scenes as worlds, and saving without loss.
//!
//! Invariant: between calls, the scenes of a document are in its worlds and an empty scene is in their place. They
//! are exchanged for calls that read the document as a whole.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::{Array, Object, Reflect, Uint8Array};
use pleach::Scene;
use pleach_gltf::{Bytes, Document, Format, Options, Report};
use wasm_bindgen::prelude::*;

use super::assets::keep;
use super::clips;
use super::slab::Slab;
use crate::fault::Fault;
use crate::host::number;
use crate::node_number::from_number;
use crate::worlds::{World, edit, insert, read};

const WHAT: &str = "document";

/// A document whose scenes are worlds.
#[derive(Debug)]
struct File {
    document: Document,
    worlds: Vec<u32>,
}

thread_local! {
    static FILES: RefCell<Slab<File>> = const { RefCell::new(Slab::new()) };
}

fn with<R>(document: u32, f: impl FnOnce(&mut File) -> Result<R, Fault>) -> Result<R, Fault> {
    FILES.with_borrow_mut(|files| f(files.get_mut(document, WHAT)?))
}

fn scene_of(document: &mut Document, index: usize) -> Option<&mut Scene> {
    if index < document.scenes().len() {
        return document.scenes_mut().get_mut(index);
    }
    document.unreferenced_nodes_mut()
}

impl File {
    /// Exchanges the scenes of the worlds with those in the document. `false` if a world was disposed.
    fn swap(&mut self) -> Result<(), Fault> {
        for (index, &world) in self.worlds.iter().enumerate() {
            let Some(scene) = scene_of(&mut self.document, index) else { continue };
            edit(world, |world| {
                std::mem::swap(&mut world.scene, scene);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Calls `f` with the document while its scenes are in it.
    fn complete<R>(
        &mut self,
        f: impl FnOnce(&mut Document) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        for &world in &self.worlds {
            edit(world, |_| Ok(()))?;
        }
        self.swap()?;
        let result = f(&mut self.document);
        self.swap()?;
        result
    }
}

/// Returns the external files that a file refers to: name, URI and `"image"` or `"buffer"` of each, one after the other.
#[wasm_bindgen]
pub fn external_files(bytes: &[u8]) -> Result<Vec<String>, JsValue> {
    let files = pleach_gltf::external_files(bytes).map_err(Fault::from)?;
    let kind = |is_image| if is_image { "image" } else { "buffer" };
    Ok(files.into_iter().flat_map(|it| [it.name, it.uri, kind(it.is_image).to_owned()]).collect())
}

/// Loads a file, whose external files are `contents`, by `names`. Returns the number of the document.
#[wasm_bindgen]
pub fn document_load(
    bytes: Vec<u8>,
    names: Vec<String>,
    contents: &Array,
    keep_y_up: bool,
    strict: bool,
    trust: bool,
) -> Result<u32, JsValue> {
    let content = |value: JsValue| Bytes::from(Uint8Array::new(&value).to_vec());
    let files: BTreeMap<String, Bytes> =
        names.into_iter().zip(contents.iter().map(content)).collect();
    let mut options = Options::new().skip_images();
    if keep_y_up {
        options = options.keep_y_up();
    }
    if strict {
        options = options.strict();
    }
    if trust {
        options = options.trust();
    }
    let mut document = options.load_with(bytes, &files).map_err(Fault::from)?;
    let count = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
    let take = |index| scene_of(&mut document, index).map(std::mem::take).unwrap_or_default();
    let scenes: Vec<Scene> = (0..count).map(take).collect();
    let worlds = scenes.into_iter().map(|scene| insert(World::from_scene(scene))).collect();
    Ok(FILES.with_borrow_mut(|files| files.insert(File { document, worlds })))
}

/// Creates a document of copies of worlds, and returns its number.
#[wasm_bindgen]
pub fn document_of_worlds(sources: &[u32], y_up: bool) -> Result<u32, JsValue> {
    let mut scenes = Vec::new();
    for &source in sources {
        scenes.push(edit(source, |world| {
            world.update()?;
            Ok(world.scene.clone())
        })?);
    }
    let mut document = if y_up {
        // Only a loaded document has Y up.
        let list = vec!["{}"; scenes.len()].join(",");
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{list}]}}"#);
        let options = Options::new().keep_y_up();
        let mut document = options.load_bytes(json.as_bytes()).map_err(Fault::from)?;
        for (index, scene) in scenes.into_iter().enumerate() {
            document.replace_scene(index, scene);
        }
        document
    } else {
        Document::from_scenes(scenes)
    };
    let scenes: Vec<Scene> = document.scenes_mut().iter_mut().map(std::mem::take).collect();
    let worlds = scenes.into_iter().map(|scene| insert(World::from_scene(scene))).collect();
    Ok(FILES.with_borrow_mut(|files| files.insert(File { document, worlds })))
}

/// Frees a document. Its worlds are freed by [`world_free`](crate::worlds::world_free).
#[wasm_bindgen]
pub fn document_free(document: u32) {
    drop(FILES.with_borrow_mut(|files| files.remove(document)));
}

/// Returns the numbers of the worlds of a document: its scenes, followed by the nodes that no scene lists, if there are any.
#[wasm_bindgen]
pub fn document_worlds(document: u32) -> Result<Vec<u32>, JsValue> {
    Ok(with(document, |file| Ok(file.worlds.clone()))?)
}

/// Returns a number of a document: 0 scenes, 1 the default scene (−1: none), 2 animations.
#[wasm_bindgen]
pub fn document_number(document: u32, which: u32) -> f64 {
    number(with(document, |file| {
        Ok(match which {
            0 => file.document.scenes().len() as f64,
            1 => file.document.default_scene().map_or(-1.0, |scene| scene as f64),
            _ => file.document.animations().len() as f64,
        })
    }))
}

/// Binds an animation to the nodes of a scene, and returns the number of the clip.
#[wasm_bindgen]
pub fn document_clip(document: u32, animation: u32, scene: u32) -> Result<u32, JsValue> {
    Ok(with(document, |file| {
        let binding =
            file.complete(|document| Ok(document.bind(animation as usize, scene as usize)?))?;
        Ok(clips::insert(binding))
    })?)
}

/// Returns the materials of a document, by index.
#[wasm_bindgen]
pub fn document_materials(document: u32) -> Result<Vec<f64>, JsValue> {
    Ok(with(document, |file| Ok(file.document.materials().iter().map(keep).collect::<Vec<_>>()))?)
}

/// Returns the images of a document, by index.
#[wasm_bindgen]
pub fn document_images(document: u32) -> Result<Vec<f64>, JsValue> {
    Ok(with(document, |file| Ok(file.document.images().iter().map(keep).collect::<Vec<_>>()))?)
}

/// Pointer, code and message of each warning, one after the other.
fn warnings(report: &Report) -> Vec<String> {
    let mut texts: Vec<String> = report
        .warnings()
        .iter()
        .flat_map(|it| [it.pointer.clone(), it.code.as_str().to_owned(), it.message.clone()])
        .collect();
    if report.omitted() > 0 {
        let message = format!("{} more warnings are not listed", report.omitted());
        texts.extend([String::new(), "omitted".to_owned(), message]);
    }
    texts
}

/// Returns pointer, code and message of each warning, one after the other.
#[wasm_bindgen]
pub fn document_report(document: u32) -> Result<Vec<String>, JsValue> {
    Ok(with(document, |file| Ok(warnings(file.document.report())))?)
}

/// Returns the JSON text at a pointer of the file as it was loaded.
#[wasm_bindgen]
pub fn document_raw(document: u32, pointer: &str) -> Result<Option<String>, JsValue> {
    Ok(with(document, |file| Ok(file.document.raw(pointer).map(str::to_owned)))?)
}

/// Returns the index in the file of a node of a scene, or −1.
#[wasm_bindgen]
pub fn document_index_of(document: u32, scene: u32, node: f64) -> f64 {
    number(with(document, |file| {
        let node = from_number(node).ok_or_else(|| Fault::dead(None))?;
        if let Some(&world) = file.worlds.get(scene as usize) {
            read(world, |world| Ok(world.graph().node(node).map(drop)?))?;
        }
        file.complete(|document| {
            let index = document.index_of(scene as usize, node);
            Ok(index.map_or(-1.0, |index| index as f64))
        })
    }))
}

/// Saves a document. Returns an object of `bytes`, `names` and `contents` of the files that belong to it, and `report`.
#[wasm_bindgen]
pub fn document_save(document: u32, binary: bool) -> Result<JsValue, JsValue> {
    let format = if binary { Format::Glb } else { Format::Gltf };
    let saved = with(document, |file| file.complete(|document| Ok(document.save_bytes(format)?)))?;
    let (names, contents, report) = (Array::new(), Array::new(), Array::new());
    for (name, bytes) in &saved.files {
        names.push(&JsValue::from_str(name));
        contents.push(&Uint8Array::from(&**bytes));
    }
    for text in warnings(&saved.report) {
        report.push(&JsValue::from_str(&text));
    }
    let result = Object::new();
    let bytes = Uint8Array::from(&*saved.bytes);
    let members: [(&str, JsValue); 4] = [
        ("bytes", bytes.into()),
        ("names", names.into()),
        ("contents", contents.into()),
        ("report", report.into()),
    ];
    for (name, value) in members {
        Reflect::set(&result, &JsValue::from_str(name), &value)?;
    }
    Ok(result.into())
}
