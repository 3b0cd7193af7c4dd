//! Generated documents: whatever loads can be saved in both formats. The saved file loads as the
//! same scene, and saving it again gives the same bytes.
//!
//! `cargo +nightly fuzz run round_trip -- -rss_limit_mb=1024 -timeout=5`

#![no_main]

use std::collections::BTreeMap;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pleach_gltf::{Bytes, Document, Format, Options};
use serde_json::{Map, Value, json};

/// A document with every kind of entry, and with indices that are mostly in range.
#[derive(Arbitrary, Debug)]
struct Model {
    is_glb: bool,
    /// `true` for a data URI, `false` for a file.
    has_data_uri: bool,
    scene: Option<u8>,
    scenes: Vec<Vec<u8>>,
    nodes: Vec<Node>,
    meshes: Vec<Vec<Primitive>>,
    skins: Vec<(Vec<u8>, Option<u8>, Option<u8>)>,
    animations: Vec<(Vec<(u8, u8, u8)>, Vec<(u8, u8, u8)>)>,
    accessors: Vec<Accessor>,
    views: Vec<(u8, u8, Option<u8>)>,
    cameras: Vec<(bool, i16, i16)>,
    lights: Vec<(u8, i16)>,
    materials: Vec<(Option<u8>, i16)>,
    images: Vec<(Option<u8>, Option<String>)>,
    bytes: Vec<u8>,
    floats: Vec<i16>,
}

#[derive(Arbitrary, Debug)]
struct Node {
    name: Option<String>,
    children: Vec<u8>,
    translation: Option<[i16; 3]>,
    rotation: Option<[i16; 4]>,
    scale: Option<[i16; 3]>,
    matrix: Option<[i16; 12]>,
    mesh: Option<u8>,
    skin: Option<u8>,
    camera: Option<u8>,
    light: Option<u8>,
    is_visible: Option<bool>,
    weights: Option<Vec<i16>>,
    instances: Option<u8>,
    extras: Option<String>,
}

#[derive(Arbitrary, Debug)]
struct Primitive {
    attributes: Vec<(u8, u8)>,
    indices: Option<u8>,
    material: Option<u8>,
    mode: Option<u8>,
    targets: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
struct Accessor {
    view: Option<u8>,
    offset: u8,
    code: u8,
    kind: u8,
    count: u8,
    is_normalized: bool,
    sparse: Option<(u8, u8, u8)>,
}

/// Returns a number of the file: usually a small one, rarely one out of the range of f32.
fn number(number: i16) -> f64 {
    match number {
        i16::MAX => 1e39,
        i16::MIN => -1e-46,
        other => f64::from(other) / 16.0,
    }
}

fn numbers(list: &[i16]) -> Value {
    list.iter().map(|&it| number(it)).collect()
}

/// Returns an index that is rarely out of range.
fn index(index: u8, have: usize) -> usize {
    if index == 255 { have } else { usize::from(index) % have.max(1) }
}

fn choose(list: &[&'static str], index: u8) -> &'static str {
    list[usize::from(index) % list.len()]
}

impl Model {
    fn node(&self, node: &Node) -> Value {
        let mut out = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                out.insert(key.into(), value);
            }
        };
        put("name", node.name.clone().map(Value::from));
        let children: Vec<Value> =
            node.children.iter().map(|&it| index(it, self.nodes.len()).into()).collect();
        put("children", (!children.is_empty()).then_some(children.into()));
        put("translation", node.translation.map(|it| numbers(&it)));
        put("rotation", node.rotation.map(|it| numbers(&it)));
        put("scale", node.scale.map(|it| numbers(&it)));
        put(
            "matrix",
            node.matrix.map(|it| {
                let mut all = Vec::new();
                for (column, last) in it.chunks(3).zip([0.0, 0.0, 0.0, 1.0]) {
                    all.extend(column.iter().map(|&it| number(it)));
                    all.push(last);
                }
                all.into()
            }),
        );
        put("mesh", node.mesh.map(|it| index(it, self.meshes.len()).into()));
        put("skin", node.skin.map(|it| index(it, self.skins.len()).into()));
        put("camera", node.camera.map(|it| index(it, self.cameras.len()).into()));
        put("weights", node.weights.as_ref().map(|it| numbers(it)));
        put("extras", node.extras.as_ref().map(|it| json!({"text": it})));
        let mut extensions = Map::new();
        if let Some(light) = node.light {
            extensions.insert(
                "KHR_lights_punctual".into(),
                json!({"light": index(light, self.lights.len())}),
            );
        }
        if let Some(visible) = node.is_visible {
            extensions.insert("KHR_node_visibility".into(), json!({"visible": visible}));
        }
        if let Some(instances) = node.instances {
            let accessor = index(instances, self.accessors.len());
            extensions.insert(
                "EXT_mesh_gpu_instancing".into(),
                json!({"attributes": {"TRANSLATION": accessor}}),
            );
        }
        put("extensions", (!extensions.is_empty()).then_some(extensions.into()));
        out.into()
    }

    fn primitive(&self, primitive: &Primitive) -> Value {
        const NAMES: &[&str] = &[
            "POSITION",
            "NORMAL",
            "TANGENT",
            "TEXCOORD_0",
            "COLOR_0",
            "JOINTS_0",
            "WEIGHTS_0",
            "_OWN",
            "TEXCOORD_1",
        ];
        let accessor = |it: u8| index(it, self.accessors.len());
        let attributes: Map<String, Value> = primitive
            .attributes
            .iter()
            .map(|&(name, it)| (choose(NAMES, name).to_string(), accessor(it).into()))
            .collect();
        let mut out = json!({"attributes": attributes});
        if let Some(indices) = primitive.indices {
            out["indices"] = accessor(indices).into();
        }
        if let Some(material) = primitive.material {
            out["material"] = index(material, self.materials.len()).into();
        }
        if let Some(mode) = primitive.mode {
            out["mode"] = (mode % 8).into();
        }
        if !primitive.targets.is_empty() {
            out["targets"] =
                primitive.targets.iter().map(|&it| json!({"POSITION": accessor(it)})).collect();
        }
        out
    }

    fn accessor(&self, accessor: &Accessor) -> Value {
        const KINDS: &[&str] = &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT4", "MAT2"];
        const CODES: [u32; 6] = [5126, 5121, 5123, 5125, 5120, 5122];
        let view = |it: u8| index(it, self.views.len());
        let mut out = json!({"componentType": CODES[usize::from(accessor.code) % 6],
            "type": choose(KINDS, accessor.kind), "count": accessor.count});
        if let Some(it) = accessor.view {
            out["bufferView"] = view(it).into();
            out["byteOffset"] = accessor.offset.into();
        }
        if accessor.is_normalized {
            out["normalized"] = true.into();
        }
        if let Some((count, indices, values)) = accessor.sparse {
            out["sparse"] = json!({"count": count, "indices": {"bufferView": view(indices), "componentType": 5121},
                "values": {"bufferView": view(values)}});
        }
        out
    }

    fn animation(&self, (channels, samplers): &(Vec<(u8, u8, u8)>, Vec<(u8, u8, u8)>)) -> Value {
        let channels: Vec<Value> = channels
            .iter()
            .map(|&(sampler, node, path)| {
                let path = choose(&["translation", "rotation", "scale", "weights", "pointer"], path);
                let node = index(node, self.nodes.len());
                let target = match path {
                    "pointer" => json!({"path": path, "extensions": {"KHR_animation_pointer": {
                        "pointer": format!("/nodes/{node}/extensions/KHR_node_visibility/visible")}}}),
                    _ => json!({"path": path, "node": node}),
                };
                json!({"sampler": index(sampler, samplers.len()), "target": target})
            })
            .collect();
        let samplers: Vec<Value> = samplers
            .iter()
            .map(|&(input, output, how)| {
                json!({"input": index(input, self.accessors.len()), "output": index(output, self.accessors.len()),
                    "interpolation": choose(&["LINEAR", "STEP", "CUBICSPLINE"], how)})
            })
            .collect();
        json!({"channels": channels, "samplers": samplers})
    }

    /// Returns the file and its buffer file.
    fn files(&self) -> (Vec<u8>, BTreeMap<String, Bytes>) {
        let mut bin = self.bytes.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        bin.extend(self.floats.iter().flat_map(|&it| (number(it) as f32).to_le_bytes()));
        let mut json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}]});
        let mut put = |key: &str, list: Vec<Value>| {
            if !list.is_empty() {
                json[key] = list.into();
            }
        };
        put("scenes", self.scenes.iter().map(|roots| {
            json!({"nodes": roots.iter().map(|&it| index(it, self.nodes.len())).collect::<Vec<_>>()})
        }).collect());
        put("nodes", self.nodes.iter().map(|it| self.node(it)).collect());
        put("meshes", self.meshes.iter().map(|parts| {
            json!({"primitives": parts.iter().map(|it| self.primitive(it)).collect::<Vec<_>>()})
        }).collect());
        put(
            "skins",
            self.skins
                .iter()
                .map(|(joints, binds, skeleton)| {
                    let joints: Vec<usize> =
                        joints.iter().map(|&it| index(it, self.nodes.len())).collect();
                    let mut out = json!({"joints": joints});
                    if let &Some(binds) = binds {
                        out["inverseBindMatrices"] = index(binds, self.accessors.len()).into();
                    }
                    if let &Some(skeleton) = skeleton {
                        out["skeleton"] = index(skeleton, self.nodes.len()).into();
                    }
                    out
                })
                .collect(),
        );
        put("animations", self.animations.iter().map(|it| self.animation(it)).collect());
        put("accessors", self.accessors.iter().map(|it| self.accessor(it)).collect());
        put(
            "bufferViews",
            self.views
                .iter()
                .map(|&(offset, length, stride)| {
                    let mut out = json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
                    if let Some(stride) = stride {
                        out["byteStride"] = stride.into();
                    }
                    out
                })
                .collect(),
        );
        put("cameras", self.cameras.iter().map(|&(is_perspective, a, b)| match is_perspective {
            true => json!({"type": "perspective", "perspective": {"yfov": number(a), "znear": number(b)}}),
            false => json!({"type": "orthographic", "orthographic": {"xmag": number(a), "ymag": number(b),
                "znear": 0, "zfar": 10}}),
        }).collect());
        put(
            "materials",
            self.materials
                .iter()
                .map(|&(texture, factor)| {
                    let mut out =
                        json!({"pbrMetallicRoughness": {"metallicFactor": number(factor)}});
                    if let Some(texture) = texture {
                        out["emissiveTexture"] =
                            json!({"index": index(texture, self.images.len())});
                    }
                    out
                })
                .collect(),
        );
        put("textures", (0..self.images.len()).map(|it| json!({"source": it})).collect());
        put(
            "images",
            self.images
                .iter()
                .map(|(view, uri)| match (view, uri) {
                    (&Some(view), _) => json!({"bufferView": index(view, self.views.len())}),
                    (None, Some(uri)) => json!({"uri": uri}),
                    (None, None) => json!({}),
                })
                .collect(),
        );
        if !self.lights.is_empty() {
            let lights: Vec<Value> = self.lights.iter().map(|&(kind, range)| {
                json!({"type": choose(&["point", "spot", "directional"], kind), "range": number(range)})
            }).collect();
            json["extensions"] = json!({"KHR_lights_punctual": {"lights": lights}});
        }
        if let Some(scene) = self.scene {
            json["scene"] = index(scene, self.scenes.len()).into();
        }
        if self.is_glb {
            return (glb(&json.to_string(), &bin), BTreeMap::new());
        }
        if self.has_data_uri {
            let text: String = bin.iter().map(|byte| format!("%{byte:02x}")).collect();
            json["buffers"][0]["uri"] = format!("data:,{text}").into();
            return (json.to_string().into_bytes(), BTreeMap::new());
        }
        json["buffers"][0]["uri"] = "a%20b.bin".into();
        (json.to_string().into_bytes(), BTreeMap::from([("a b.bin".into(), Bytes::from(bin))]))
    }
}

fn glb(json: &str, bin: &[u8]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content, padding) in [(b"JSON", json.as_bytes(), b' '), (b"BIN\0", bin, 0)] {
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

fn worlds(document: &Document) -> Vec<Vec<[u32; 16]>> {
    let bits = |scene: &pleach::Scene| {
        let nodes = scene.graph.depth_first().filter_map(|node| scene.graph.get(node));
        nodes.map(|node| node.world().to_cols_array().map(f32::to_bits)).collect()
    };
    document.scenes().iter().chain(document.unreferenced_nodes()).map(bits).collect()
}

fuzz_target!(|model: Model| {
    let (file, files) = model.files();
    let Ok(document) = Options::new().load_with(file, &files) else { return };
    for format in [Format::Glb, Format::Gltf] {
        let saved = document.save_bytes(format).expect("a loaded document can be saved");
        let files: BTreeMap<String, Bytes> = saved.files.iter().cloned().collect();
        let again = Options::new().load_with(saved.bytes.clone(), &files);
        let again = again.expect("a saved file can be loaded");
        assert_eq!(worlds(&document), worlds(&again));
        let twice = again.save_bytes(format).expect("a saved file can be saved again");
        assert_eq!(saved.bytes, twice.bytes);
        assert_eq!(saved.files.len(), twice.files.len());
        for (one, two) in saved.files.iter().zip(&twice.files) {
            assert_eq!((&one.0, &*one.1), (&two.0, &*two.1));
        }
    }
});
