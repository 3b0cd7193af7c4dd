//! `AnimatedNodes`: the nodes that animations target, which must not have a matrix.

use std::collections::HashSet;

use super::index_map::IndexMap;
use crate::document::Targets;
use crate::load::split_node_pointer;
use crate::save::SaveInput;

/// The nodes that animations target.
#[derive(Debug, Default)]
pub(crate) struct AnimatedNodes {
    /// By index in the written file.
    written: HashSet<usize>,
    /// By index in the loaded file. Animated visibility does not count.
    in_file: HashSet<usize>,
}

impl AnimatedNodes {
    /// Collects the targets of all animations that will be written.
    pub(crate) fn of(input: &SaveInput<'_>, index_map: &IndexMap) -> Self {
        let mut nodes = Self::default();
        if input.document.animations.is_empty() {
            return nodes;
        }
        let clones = index_map.clones();
        for animation in &input.document.animations {
            for channel in animation.clip().channels() {
                let target = channel.target() as usize;
                match &animation.targets {
                    Targets::File(files) => {
                        let Some(file) = files.get(target).map(|&file| file as usize) else {
                            continue;
                        };
                        nodes.written.extend(index_map.new_index(file));
                        nodes.written.extend(clones.get(&file).into_iter().flatten());
                    }
                    Targets::Scene(scene_index, targets) => {
                        let node = targets.get(target).copied().flatten();
                        let index = node.and_then(|node| index_map.index(*scene_index, node));
                        nodes.written.extend(index);
                    }
                }
            }
        }
        for channel in input.root.animations.iter().flat_map(|it| &it.channels) {
            let pointer = channel.target.pointer().and_then(split_node_pointer);
            let is_pose =
                |path: &str| ["translation", "rotation", "scale", "weights"].contains(&path);
            let pointed = pointer.filter(|(_, path)| is_pose(path));
            let pointed = pointed.and_then(|(node, _)| usize::try_from(node).ok());
            nodes.in_file.extend(channel.target.node.map(|node| node.index()).or(pointed));
        }
        nodes
    }

    /// Returns `true` if an animation targets the written node `index`.
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.written.contains(&index)
    }

    /// Returns `true` if an animation of the loaded file targets its node `file`.
    pub(crate) fn contains_in_file(&self, file: usize) -> bool {
        self.in_file.contains(&file)
    }
}
