//! Checks for objects that nothing in the file references.

use pleach_gltf::Document;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::context::Context;
use super::finding::{Findings, Rule, Severity::Hint};
use crate::input::raw_json::{LIGHTS, array_len};

const UNUSED: Rule = Rule {
    severity: Hint,
    code: "unused",
    message: "an object is not referenced",
    advice: "Remove it with `pleach convert --drop-unused`: it makes the file larger and has no effect.",
};

/// The references of a node; other members are skipped, as there may be millions of nodes.
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

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    // If an array cannot be parsed, its references are unknown and nothing is reported.
    let Some(arrays) = ArrayUses::of(context.document) else { return };
    for array in arrays.all() {
        for index in array.used.iter().enumerate().filter(|it| !it.1).map(|it| it.0) {
            findings.add(&UNUSED, format!("{}/{index}", array.pointer));
        }
    }
}

/// Returns an array of the file, empty if it is absent, or `None` if it cannot be parsed.
fn read_array<T: DeserializeOwned>(document: &Document, pointer: &str) -> Option<Vec<T>> {
    document.raw(pointer).map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}

/// An array of the file and which of its entries are referenced.
struct ArrayUse {
    pointer: &'static str,
    used: Vec<bool>,
}

impl ArrayUse {
    fn of(document: &Document, pointer: &'static str) -> Self {
        Self { pointer, used: vec![false; array_len(document, pointer)] }
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

struct ArrayUses {
    meshes: ArrayUse,
    skins: ArrayUse,
    cameras: ArrayUse,
    lights: ArrayUse,
    materials: ArrayUse,
    textures: ArrayUse,
    samplers: ArrayUse,
    images: ArrayUse,
    accessors: ArrayUse,
    views: ArrayUse,
    buffers: ArrayUse,
}

impl ArrayUses {
    /// Marks the referenced entries of all arrays.
    fn of(document: &Document) -> Option<Self> {
        let of = |pointer| ArrayUse::of(document, pointer);
        let mut arrays = Self {
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
        read_array(document, "/nodes")?.iter().for_each(|it| arrays.mark_node(it));
        for mesh in read_array::<Value>(document, "/meshes")? {
            items(&mesh["primitives"]).for_each(|it| arrays.mark_primitive(it));
        }
        for skin in read_array::<Value>(document, "/skins")? {
            arrays.accessors.mark(&skin["inverseBindMatrices"]);
        }
        for animation in read_array::<Value>(document, "/animations")? {
            for sampler in items(&animation["samplers"]) {
                arrays.accessors.mark(&sampler["input"]);
                arrays.accessors.mark(&sampler["output"]);
            }
        }
        for material in read_array::<Value>(document, "/materials")? {
            for_each_member(&material, "index", &mut |texture| arrays.textures.mark(texture));
        }
        for texture in read_array::<Value>(document, "/textures")? {
            for_each_member(&texture, "source", &mut |image| arrays.images.mark(image));
            arrays.samplers.mark(&texture["sampler"]);
        }
        for pointer in ["/accessors", "/images"] {
            for it in read_array::<Value>(document, pointer)? {
                for_each_member(&it, "bufferView", &mut |view| arrays.views.mark(view));
            }
        }
        for view in read_array::<Value>(document, "/bufferViews")? {
            for_each_member(&view, "buffer", &mut |buffer| arrays.buffers.mark(buffer));
        }
        Some(arrays)
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
        // Includes material variants and compressed data.
        for_each_member(primitive, "material", &mut |it| self.materials.mark(it));
        for_each_member(primitive, "bufferView", &mut |it| self.views.mark(it));
    }

    fn all(&self) -> [&ArrayUse; 11] {
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

/// Calls `visit` with each member named `key` at any depth. The recursion is bounded by the nesting
/// limit of the JSON parser.
fn for_each_member(value: &Value, key: &str, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|it| for_each_member(it, key, visit)),
        Value::Object(members) => {
            for (name, member) in members {
                if name == key {
                    visit(member);
                }
                for_each_member(member, key, visit);
            }
        }
        _ => {}
    }
}
