//! What nothing in the file refers to.

use pleach_gltf::Document;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::context::Survey;
use super::finding::{Findings, Rule, Severity::Hint};
use crate::input::raw_json::{LIGHTS, length};

const UNUSED: Rule = Rule {
    severity: Hint,
    code: "unused",
    message: "nothing refers to it",
    advice: "Leave it out, as `pleach convert --drop-unused` does: it takes room, and is never shown.",
};

/// A node's references; all else may be millions, and is skipped.
#[derive(Deserialize)]
struct Node {
    mesh: Option<f64>,
    skin: Option<f64>,
    camera: Option<f64>,
    extensions: Option<NodeExtensions>,
}

#[derive(Deserialize)]
struct NodeExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    light: Option<Value>,
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    instancing: Option<Value>,
}

pub(super) fn look(survey: &Survey<'_>, findings: &mut Findings) {
    // If a part cannot be read here, what it refers to is not known: nothing is said.
    let Some(lists) = Lists::of(survey.document) else { return };
    for list in lists.all() {
        for index in list.used.iter().enumerate().filter(|it| !it.1).map(|it| it.0) {
            findings.add(&UNUSED, format!("{}/{index}", list.pointer));
        }
    }
}

/// A list of the file; empty if it is not there, `None` if it cannot be read.
fn all<T: DeserializeOwned>(document: &Document, pointer: &str) -> Option<Vec<T>> {
    document.raw(pointer).map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}

/// A list of the file, and which entries something refers to.
struct List {
    pointer: &'static str,
    used: Vec<bool>,
}

impl List {
    fn of(document: &Document, pointer: &'static str) -> Self {
        Self { pointer, used: vec![false; length(document, pointer)] }
    }

    fn mark(&mut self, index: &Value) {
        self.mark_index(index.as_f64());
    }

    fn mark_index(&mut self, index: Option<f64>) {
        let index = index.filter(|&index| index >= 0.0);
        if let Some(used) = index.and_then(|index| self.used.get_mut(index as usize)) {
            *used = true;
        }
    }
}

struct Lists {
    meshes: List,
    skins: List,
    cameras: List,
    lights: List,
    materials: List,
    textures: List,
    samplers: List,
    images: List,
    accessors: List,
    views: List,
    buffers: List,
}

impl Lists {
    /// What is there, with what is referred to marked.
    fn of(document: &Document) -> Option<Self> {
        let of = |pointer| List::of(document, pointer);
        let mut lists = Self {
            meshes: of("/meshes"),
            skins: of("/skins"),
            cameras: of("/cameras"),
            lights: of(LIGHTS),
            materials: of("/materials"),
            textures: of("/textures"),
            samplers: of("/samplers"),
            images: of("/images"),
            accessors: of("/accessors"),
            views: of("/bufferViews"),
            buffers: of("/buffers"),
        };
        all(document, "/nodes")?.iter().for_each(|it| lists.mark_node(it));
        for mesh in all::<Value>(document, "/meshes")? {
            items(&mesh["primitives"]).for_each(|it| lists.mark_primitive(it));
        }
        for skin in all::<Value>(document, "/skins")? {
            lists.accessors.mark(&skin["inverseBindMatrices"]);
        }
        for animation in all::<Value>(document, "/animations")? {
            for sampler in items(&animation["samplers"]) {
                lists.accessors.mark(&sampler["input"]);
                lists.accessors.mark(&sampler["output"]);
            }
        }
        for material in all::<Value>(document, "/materials")? {
            each(&material, "index", &mut |texture| lists.textures.mark(texture));
        }
        for texture in all::<Value>(document, "/textures")? {
            each(&texture, "source", &mut |image| lists.images.mark(image));
            lists.samplers.mark(&texture["sampler"]);
        }
        for pointer in ["/accessors", "/images"] {
            for it in all::<Value>(document, pointer)? {
                each(&it, "bufferView", &mut |view| lists.views.mark(view));
            }
        }
        for view in all::<Value>(document, "/bufferViews")? {
            each(&view, "buffer", &mut |buffer| lists.buffers.mark(buffer));
        }
        Some(lists)
    }

    fn mark_node(&mut self, node: &Node) {
        self.meshes.mark_index(node.mesh);
        self.skins.mark_index(node.skin);
        self.cameras.mark_index(node.camera);
        let Some(extensions) = &node.extensions else { return };
        if let Some(light) = &extensions.light {
            self.lights.mark(&light["light"]);
        }
        if let Some(instancing) = &extensions.instancing {
            members(&instancing["attributes"]).for_each(|it| self.accessors.mark(it));
        }
    }

    fn mark_primitive(&mut self, primitive: &Value) {
        members(&primitive["attributes"]).for_each(|it| self.accessors.mark(it));
        self.accessors.mark(&primitive["indices"]);
        for target in items(&primitive["targets"]) {
            members(target).for_each(|it| self.accessors.mark(it));
        }
        // Also those of variants, and compressed bytes.
        each(primitive, "material", &mut |it| self.materials.mark(it));
        each(primitive, "bufferView", &mut |it| self.views.mark(it));
    }

    fn all(&self) -> [&List; 11] {
        [
            &self.meshes,
            &self.skins,
            &self.cameras,
            &self.lights,
            &self.materials,
            &self.textures,
            &self.samplers,
            &self.images,
            &self.accessors,
            &self.views,
            &self.buffers,
        ]
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(|it| it.values())
}

/// Calls `f` with each member of this name, however deep. As deep as the JSON is, which is bounded
/// where it was parsed.
fn each(value: &Value, key: &str, f: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|it| each(it, key, f)),
        Value::Object(members) => {
            for (name, member) in members {
                if name == key {
                    f(member);
                }
                each(member, key, f);
            }
        }
        _ => {}
    }
}
