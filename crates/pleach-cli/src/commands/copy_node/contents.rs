//! Copies the contents of nodes: skins and animations.

use std::collections::{HashMap, HashSet};
use std::fmt;

use pleach::animation::{Binding, Channel, Clip};
use pleach::{NodeId, Scene};
use pleach_gltf::Document;
use pleach_graph::CloneMap;
use serde::Serialize;

use super::omitted::GltfEntries;
use crate::input::resolve;
use crate::report::units::count;

/// The number of copied nodes with a mesh, a skin, …, and of animations that target them.
#[derive(Debug, Default, Serialize)]
pub(super) struct CopiedContents {
    pub(super) meshes: usize,
    pub(super) skins: usize,
    pub(super) cameras: usize,
    pub(super) lights: usize,
    pub(super) animations: usize,
}

impl CopiedContents {
    pub(super) fn of(scene: &Scene, root: NodeId) -> Self {
        let graph = &scene.graph;
        let mut copied = Self::default();
        for node in graph.get(root).into_iter().flat_map(|root| root.descendants()) {
            copied.meshes += usize::from(scene.meshes.get(graph, node).is_some());
            copied.skins += usize::from(scene.skins.get(graph, node).is_some());
            copied.cameras += usize::from(scene.cameras.get(graph, node).is_some());
            copied.lights += usize::from(scene.lights.get(graph, node).is_some());
        }
        copied
    }
}

impl fmt::Display for CopiedContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { meshes, skins, cameras, lights, animations } = *self;
        let kinds = [
            (meshes, "mesh"),
            (skins, "skin"),
            (cameras, "camera"),
            (lights, "light"),
            (animations, "animation"),
        ];
        for (number, kind) in kinds.into_iter().filter(|(number, _)| *number > 0) {
            write!(f, ", {}", count(number, kind))?;
        }
        Ok(())
    }
}

/// Removes skins whose joints are not all below `root`, and returns notes about them.
pub(super) fn remove_incomplete_skins(
    document: &mut Document,
    number: usize,
    root: NodeId,
) -> anyhow::Result<Vec<String>> {
    let scene = resolve::scene(document, number)?;
    let subtree: HashSet<NodeId> = scene.node(root)?.descendants().collect();
    let is_incomplete = |node: &NodeId| {
        let skin = scene.skins.get(&scene.graph, *node);
        skin.is_some_and(|skin| skin.joints.iter().any(|joint| !subtree.contains(joint)))
    };
    let incomplete: Vec<NodeId> = scene.node(root)?.descendants().filter(is_incomplete).collect();
    let describe = |&node: &NodeId| {
        let name = scene.graph.get(node).and_then(|node| node.name()).unwrap_or_default();
        let index = document.index_of(number, node).unwrap_or_default();
        format!("not copied: the skin of node #{index} {name:?}, which has joints elsewhere")
    };
    let notes = incomplete.iter().map(describe).collect();
    let scene = resolve::scene_mut(document, number)?;
    for node in incomplete {
        scene.skins.remove(node);
    }
    Ok(notes)
}

/// Copies the animation channels that target copied nodes, and returns the number of animations.
pub(super) fn animations(
    (from, number): (&Document, usize),
    (into, scene): (&mut Document, usize),
    clones: &CloneMap,
    entries: &GltfEntries,
    omitted: &mut Vec<String>,
) -> anyhow::Result<usize> {
    let mut copied = 0;
    for (index, animation) in from.animations().iter().enumerate() {
        let binding = from.bind(index, number)?;
        let clip = animation.clip();
        let mut targets: Vec<(Box<str>, NodeId)> = Vec::new();
        let mut target_indices: HashMap<u32, u32> = HashMap::new();
        let mut channels = Vec::new();
        for channel in clip.channels() {
            let target = channel.target();
            let Some(copy) = binding.node(target).and_then(|node| clones.get(node)) else {
                continue;
            };
            let target_index = *target_indices.entry(target).or_insert_with(|| {
                let label = clip.targets().get(target as usize).cloned().unwrap_or_default();
                targets.push((label, copy));
                targets.len() as u32 - 1
            });
            channels.push(Channel::new(target_index, channel.track().clone()));
        }
        if channels.is_empty() {
            continue;
        }
        let name = clip.name();
        let others = clip.channels().len() - channels.len();
        if others > 0 {
            let others = count(others, "channel");
            omitted.push(format!("not copied: {others} of animation {name:?} for other nodes"));
        }
        if animation.visibility_target_count() + animation.property_target_count() > 0 {
            let what = "channels of visibility, materials, cameras and lights";
            omitted.push(format!("not copied: {what} of animation {name:?}"));
        }
        if entries.has_animation_extras(index) {
            omitted.push(format!("not copied: extras of animation {name:?}"));
        }
        let (labels, nodes): (Vec<_>, Vec<_>) = targets.into_iter().unzip();
        let clip = Clip::new(name, labels, channels)?;
        into.add_animation(scene, &Binding::new(clip, nodes)?);
        copied += 1;
    }
    Ok(copied)
}
