//! Compares the names of the meshes, skins, cameras and lights of matched nodes, and of the images
//! of their materials.
//!
//! Scenes do not store these names, so they are read from the JSON. Each pair is reported once,
//! however many nodes share it.

use std::collections::{BTreeSet, HashMap};

use pleach::{AssetId, Part};
use pleach_gltf::references::References;
use pleach_gltf::{Document, GltfArray};

use super::change::{Change, Detail};
use super::change_kind::ChangeKind;
use crate::input::raw_json::{self, LIGHTS, Named};

/// Indices in the first file and the second.
type Pairs = BTreeSet<(usize, usize)>;

/// Compares names. `nodes` maps nodes of the first file to nodes of the second.
pub(super) fn changes(
    a: &Document,
    b: &Document,
    nodes: &HashMap<u32, u32>,
    changes: &mut Vec<Change>,
) {
    let [of_a, of_b] = [a, b].map(|document| References::from_json(document.json()));
    let pairs = |array: GltfArray| -> Pairs {
        let index = |references: &References<'_>, node: u32| {
            let mut all = references.of_entry(GltfArray::Nodes, node as usize).iter();
            all.find(|it| it.array == array).map(|it| it.index)
        };
        let pair = |(one, other): (&u32, &u32)| Some((index(&of_a, *one)?, index(&of_b, *other)?));
        nodes.iter().filter_map(pair).collect()
    };
    let meshes = pairs(GltfArray::Meshes);
    let lists = [
        (ChangeKind::MeshRenamed, "/meshes", &meshes),
        (ChangeKind::SkinRenamed, "/skins", &pairs(GltfArray::Skins)),
        (ChangeKind::CameraRenamed, "/cameras", &pairs(GltfArray::Cameras)),
        (ChangeKind::LightRenamed, LIGHTS, &pairs(GltfArray::Lights)),
        (ChangeKind::ImageRenamed, "/images", &images(a, b, &meshes)),
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
