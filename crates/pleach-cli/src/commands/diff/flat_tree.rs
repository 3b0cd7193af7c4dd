//! A scene as a list of nodes, parents before children, and as a tree for the matching.

use pleach::{NodeId, Scene};
use pleach_gltf::Document;
use pleach_gltf::patch::{MatchTree, TreeItem, TreeMatching};

use super::content_ids::ContentIds;

/// No item.
pub(super) const NONE: u32 = TreeMatching::NONE;

/// The maximum number of names in a path, as a chain may have many thousand nodes.
const MAX_PATH_NAMES: usize = 16;

/// The descendants of a scene's root; the root itself is item 0.
pub(super) struct FlatTree<'a> {
    pub(super) scene: &'a Scene,
    pub(super) items: Vec<Item<'a>>,
    /// The same nodes, for the matching.
    pub(super) match_tree: MatchTree<'a>,
    /// Items by slot of the graph.
    by_slot: Vec<u32>,
}

/// A node of the list.
pub(super) struct Item<'a> {
    pub(super) node: NodeId,
    pub(super) parent: u32,
    pub(super) name: Option<&'a str>,
    /// The file's index.
    pub(super) file_index: Option<u32>,
}

impl<'a> FlatTree<'a> {
    /// Flattens the scene with index `number`.
    pub(super) fn of(
        document: &'a Document,
        number: usize,
        scene: &'a Scene,
        ids: &mut ContentIds,
    ) -> Self {
        let graph = &scene.graph;
        let nodes = graph.get(scene.root()).into_iter().flat_map(|root| root.descendants());
        let mut by_slot: Vec<u32> = Vec::new();
        let mut items: Vec<Item<'a>> = Vec::new();
        for node in nodes {
            let Some(view) = graph.get(node) else { continue };
            if by_slot.len() <= node.index() {
                by_slot.resize(node.index() + 1, NONE);
            }
            by_slot[node.index()] = items.len() as u32;
            let parent = view.parent().and_then(|parent| by_slot.get(parent.index()));
            items.push(Item {
                node,
                parent: parent.copied().unwrap_or(NONE),
                name: view.name(),
                file_index: document.index_of(number, node).map(|index| index as u32),
            });
        }
        let match_tree = MatchTree::new(items.iter().map(|item| TreeItem {
            parent: Some(item.parent).filter(|&parent| parent != NONE),
            name: item.name,
            content_hash: ids.of_node(scene, item.node),
            object_hash: ids.of_object(scene, item.node),
        }));
        Self { scene, items, match_tree, by_slot }
    }

    /// Returns the item of a node, or `None` if it is not below the scene's root.
    pub(super) fn item(&self, node: NodeId) -> Option<u32> {
        self.by_slot.get(node.index()).copied().filter(|&item| item != NONE)
    }

    /// Returns the path of names from the scene's root; `#12` for an unnamed node.
    pub(super) fn path(&self, item: u32) -> String {
        let mut ancestors = Vec::new();
        let mut at = item;
        while at != 0 && at != NONE && ancestors.len() <= MAX_PATH_NAMES {
            ancestors.push(at);
            at = self.items[at as usize].parent;
        }
        let mut path = String::new();
        if ancestors.len() > MAX_PATH_NAMES {
            ancestors.pop();
            path.push_str("…/");
        }
        for (number, &ancestor) in ancestors.iter().rev().enumerate() {
            if number > 0 {
                path.push('/');
            }
            let item = &self.items[ancestor as usize];
            match (item.name, item.file_index) {
                (Some(name), _) => path.push_str(name),
                (None, Some(file_index)) => path.push_str(&format!("#{file_index}")),
                (None, None) => path.push('?'),
            }
        }
        path
    }
}
