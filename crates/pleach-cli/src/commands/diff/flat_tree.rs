//! A scene as a list of nodes, parents before children, with hashes of their content.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use pleach::{NodeId, Scene};
use pleach_gltf::Document;

use super::content_ids::ContentIds;

/// No item.
pub(super) const NONE: u32 = u32::MAX;

/// The maximum number of names in a path, as a chain may have many thousand nodes.
const MAX_PATH_NAMES: usize = 16;

/// The descendants of a scene's root; the root itself is item 0.
pub(super) struct FlatTree<'a> {
    pub(super) scene: &'a Scene,
    pub(super) items: Vec<Item<'a>>,
    /// By item: the start of its children in `children`; they end at the next start.
    starts: Vec<u32>,
    children: Vec<u32>,
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
    /// The hash of the node without its name.
    pub(super) own_hash: u64,
    /// The hash of the node and its descendants with their names, in any order.
    pub(super) subtree_hash: u64,
    /// The hash of the subtree with the node's own name.
    pub(super) full_hash: u64,
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
                own_hash: ids.of_node(scene, node),
                subtree_hash: 0,
                full_hash: 0,
            });
        }
        let (starts, children) = children(&items);
        let mut tree = Self { scene, items, starts, children, by_slot };
        tree.hash_all();
        tree
    }

    /// Computes the subtree hashes from the leaves up.
    fn hash_all(&mut self) {
        let mut subtree_sums = vec![0u64; self.items.len()];
        for index in (0..self.items.len()).rev() {
            let item = &mut self.items[index];
            item.subtree_hash = hash_of((item.own_hash, subtree_sums[index]));
            item.full_hash = hash_of((item.name, item.subtree_hash));
            if let Some(sum) = subtree_sums.get_mut(item.parent as usize) {
                *sum = sum.wrapping_add(item.full_hash);
            }
        }
    }

    pub(super) fn children(&self, item: u32) -> &[u32] {
        let item = item as usize;
        &self.children[self.starts[item] as usize..self.starts[item + 1] as usize]
    }

    /// Returns all names.
    pub(super) fn names(&self) -> HashSet<&'a str> {
        self.items.iter().filter_map(|item| item.name).collect()
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

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the start of each item's children and the concatenated lists of children.
fn children(items: &[Item<'_>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; items.len() + 1];
    for item in items {
        if let Some(count) = starts.get_mut(item.parent.wrapping_add(1) as usize)
            && item.parent != NONE
        {
            *count += 1;
        }
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut ends = starts.clone();
    let mut children = vec![0u32; starts.last().copied().unwrap_or(0) as usize];
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.parent != NONE) {
        let end = &mut ends[item.parent as usize];
        children[*end as usize] = index as u32;
        *end += 1;
    }
    (starts, children)
}
