//! `NodeLists`: flat lists of the meshes, cameras and lights of a scene that are in use.
//!
//! A node is in use if it is shown and below the root. An update gives the scene another stamp if
//! something changed that the lists depend on; lists with the stamp of the scene are up to date, and
//! a scene without lists has no cost.
//!
//! Invariants: each list is in slot order; the version changes if and only if a list does.

use pleach_graph::NodeId;

use crate::Scene;

/// The nodes of a scene with meshes, cameras and lights that are neither hidden nor detached, in
/// slot order. The caller keeps it, so that its memory is reused.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Light, Node, NodeLists, Scene};
///
/// let mut scene = Scene::new();
/// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 5.0)))?;
/// let mut lists = NodeLists::new();
/// scene.update()?;
/// assert!(lists.build(&scene));
/// assert_eq!(lists.lights(), [lamp]);
///
/// // Moving nodes does not change the lists, hiding them does.
/// scene.node_mut(lamp)?.set_translation(Vec3::X)?;
/// scene.update()?;
/// assert!(!lists.build(&scene));
/// scene.node_mut(lamp)?.set_visible(false);
/// scene.update()?;
/// assert!(lists.build(&scene));
/// assert_eq!((lists.lights().len(), lists.version()), (0, 2));
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NodeLists {
    meshes: Vec<NodeId>,
    skinned_meshes: Vec<NodeId>,
    cameras: Vec<NodeId>,
    lights: Vec<NodeId>,
    /// A list that is being built. Kept for its memory.
    next: Vec<NodeId>,
    version: u64,
    stamp: Option<u64>,
}

impl NodeLists {
    /// Creates empty lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings the lists up to date with the scene's last [`update`](Scene::update) and returns
    /// `true` if one of them changed.
    ///
    /// O(1) if no update since the last call changed the tree's structure, the visibility of a node
    /// or a mesh, skin, camera or light; otherwise O(n log n) for n nodes with such components.
    /// Does not allocate once the lists have had that length.
    pub fn build(&mut self, scene: &Scene) -> bool {
        let stamp = Some(scene.derived.lists_stamp);
        if core::mem::replace(&mut self.stamp, stamp) == stamp {
            return false;
        }
        let graph = &scene.graph;
        let is_used = |node: &NodeId| {
            scene.derived.attachment.is_attached(*node)
                && graph.get(*node).is_some_and(|node| node.is_shown())
        };
        let meshes = || scene.meshes.iter(graph).map(|(node, _)| node).filter(is_used);
        let is_skinned = |node: &NodeId| scene.skin(*node).is_some();
        let cameras = scene.cameras.iter(graph).map(|(node, _)| node).filter(is_used);
        let lights = scene.lights.iter(graph).map(|(node, _)| node).filter(is_used);
        let next = &mut self.next;
        let mut changed = false;
        changed |= replace(&mut self.meshes, next, meshes().filter(|node| !is_skinned(node)));
        changed |= replace(&mut self.skinned_meshes, next, meshes().filter(is_skinned));
        changed |= replace(&mut self.cameras, next, cameras);
        changed |= replace(&mut self.lights, next, lights);
        self.version += u64::from(changed);
        changed
    }

    /// Returns the nodes with a mesh but without a skin.
    #[must_use]
    pub fn meshes(&self) -> &[NodeId] {
        &self.meshes
    }

    /// Returns the nodes with a mesh and a skin.
    #[must_use]
    pub fn skinned_meshes(&self) -> &[NodeId] {
        &self.skinned_meshes
    }

    /// Returns the nodes with a camera.
    #[must_use]
    pub fn cameras(&self) -> &[NodeId] {
        &self.cameras
    }

    /// Returns the nodes with a light.
    #[must_use]
    pub fn lights(&self) -> &[NodeId] {
        &self.lights
    }

    /// Returns the number of entries of all lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.meshes.len() + self.skinned_meshes.len() + self.cameras.len() + self.lights.len()
    }

    /// Returns `true` if all lists are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a number that changes whenever a list does, and not when nodes only move.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Replaces a list by nodes in any order, and returns `true` if it changed.
fn replace(
    list: &mut Vec<NodeId>,
    next: &mut Vec<NodeId>,
    nodes: impl Iterator<Item = NodeId>,
) -> bool {
    next.clear();
    next.extend(nodes);
    next.sort_unstable_by_key(|node| node.index());
    let changed = list != next;
    if changed {
        core::mem::swap(list, next);
    }
    changed
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{Light, MorphWeights, Node};

    /// `build` returns early if the stamp is that of its last call.
    #[test]
    fn lists_are_not_built_again_when_only_transforms_names_and_weights_change() {
        let mut scene = Scene::new();
        let [group, lamp] = {
            let lamp = Node::light(Light::point(Vec3::ONE, 1.0));
            let nodes = scene.spawn_tree(Node::group().child(lamp)).unwrap();
            [nodes[0], nodes[1]]
        };
        scene.update().unwrap();
        let mut stamp = scene.derived.lists_stamp;
        let mut is_kept = |scene: &mut Scene| {
            scene.update().unwrap();
            core::mem::replace(&mut stamp, scene.derived.lists_stamp) == stamp
        };
        assert!(is_kept(&mut scene), "no edit");
        scene.node_mut(group).unwrap().set_translation(Vec3::X).unwrap();
        assert!(is_kept(&mut scene), "a transform");
        scene.node_mut(group).unwrap().set_name("group");
        assert!(is_kept(&mut scene), "a name");
        scene.insert(group, MorphWeights(vec![1.0])).unwrap();
        assert!(is_kept(&mut scene), "weights");
        scene.light_mut(lamp).unwrap().intensity = 2.0;
        assert!(!is_kept(&mut scene), "a light");
        scene.node_mut(group).unwrap().set_visible(false);
        assert!(!is_kept(&mut scene), "visibility");
        scene.detach(lamp).unwrap();
        assert!(!is_kept(&mut scene), "the structure");
    }
}
