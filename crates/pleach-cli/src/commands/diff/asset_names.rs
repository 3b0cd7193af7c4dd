//! Compares the names of the meshes, skins, cameras and lights of matched nodes, and of the images
//! of their materials.
//!
//! Scenes do not store these names, so they are read from the JSON. Each pair is reported once,
//! however many nodes share it.

use std::collections::{BTreeSet, HashMap};

use pleach::{AssetId, Part};
use pleach_gltf::Document;
use serde::Deserialize;

use super::change::{Change, Detail};
use crate::input::raw_json::{self, LIGHTS, Named};

/// The references of a node. Indices may be written as 1.0.
#[derive(Deserialize)]
struct Node {
    mesh: Option<f64>,
    skin: Option<f64>,
    camera: Option<f64>,
    extensions: Option<Extensions>,
}

#[derive(Deserialize)]
struct Extensions {
    #[serde(rename = "KHR_lights_punctual")]
    lights: Option<Light>,
}

#[derive(Deserialize)]
struct Light {
    light: Option<f64>,
}

impl Node {
    fn light(&self) -> Option<f64> {
        self.extensions.as_ref()?.lights.as_ref()?.light
    }
}

/// Indices in the first file and the second.
type Pairs = BTreeSet<(usize, usize)>;

/// Compares names. `nodes` maps nodes of the first file to nodes of the second.
pub(super) fn changes(
    a: &Document,
    b: &Document,
    nodes: &HashMap<u32, u32>,
    changes: &mut Vec<Change>,
) {
    let [of_a, of_b] = [a, b].map(|document| raw_json::array::<Node>(document, "/nodes"));
    let pairs = |index: fn(&Node) -> Option<f64>| -> Pairs {
        let pair = |(one, other): (&u32, &u32)| {
            let one = index(of_a.get(*one as usize)?)?;
            Some((one as usize, index(of_b.get(*other as usize)?)? as usize))
        };
        nodes.iter().filter_map(pair).collect()
    };
    let meshes = pairs(|node| node.mesh);
    let lists = [
        ("mesh renamed", "/meshes", &meshes),
        ("skin renamed", "/skins", &pairs(|node| node.skin)),
        ("camera renamed", "/cameras", &pairs(|node| node.camera)),
        ("light renamed", LIGHTS, &pairs(Node::light)),
        ("image renamed", "/images", &images(a, b, &meshes)),
    ];
    for (change, pointer, pairs) in lists {
        let [of_a, of_b] = [a, b].map(|document| raw_json::array::<Named>(document, pointer));
        for &(one, other) in pairs {
            let (from, to) = (raw_json::name_at(&of_a, one), raw_json::name_at(&of_b, other));
            if from != to {
                let path = from.clone().unwrap_or_default();
                let [one, other] = [one, other].map(|index| Some(index as u32));
                let detail = Detail::Names { from, to };
                changes.push(Change { change, scene: None, path, a: one, b: other, detail });
            }
        }
    }
}

/// Returns pairs of images with equal content in corresponding materials of corresponding meshes.
/// Images with different content are reported as changed materials.
fn images(a: &Document, b: &Document, meshes: &Pairs) -> Pairs {
    let [of_a, of_b] = [a, b].map(|document| -> HashMap<AssetId, usize> {
        document.images().iter().enumerate().map(|(index, it)| (it.id(), index)).collect()
    });
    let mut looked_at: BTreeSet<(AssetId, AssetId)> = BTreeSet::new();
    let mut images = Pairs::new();
    for &(one, other) in meshes {
        let parts = |document: &Document, mesh: usize| -> Vec<Part> {
            document.meshes().get(mesh).cloned().unwrap_or_default()
        };
        for (one, other) in parts(a, one).iter().zip(&parts(b, other)) {
            if !looked_at.insert((one.material.id(), other.material.id())) {
                continue;
            }
            for (one, other) in one.material.get().textures().zip(other.material.get().textures()) {
                let (one, other) = (&one.image, &other.image);
                let pair = (of_a.get(&one.id()), of_b.get(&other.id()));
                if let (Some(&left), Some(&right)) = pair
                    && !images.contains(&(left, right))
                    && one.get().data == other.get().data
                {
                    images.insert((left, right));
                }
            }
        }
    }
    images
}
