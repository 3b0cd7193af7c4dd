//! The node tree of a file: checks that each node has at most one parent and that there are no
//! cycles, and finds the roots of each scene.

use super::Load;
use crate::diagnostics::{Pointer, Result};
use crate::json::check_index;
use crate::{Error, ErrorKind};

/// The parents and children of the file's nodes. The children of all nodes are in one list.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The parent of each node; `NONE` for roots.
    pub(crate) parents: Vec<u32>,
    /// The root of each node's tree.
    pub(crate) root_of: Vec<u32>,
    /// The start of each node's children in `children`, and the end of the last.
    starts: Vec<u32>,
    children: Vec<u32>,
}

pub(crate) const NONE: u32 = u32::MAX;

impl Tree {
    /// Builds and checks the tree of a file's nodes.
    pub(crate) fn of(load: &Load<'_>) -> Result<Self> {
        let nodes = &load.root.nodes;
        if nodes.len() >= NONE as usize {
            let message = format!("{} nodes exceed the maximum of 4294967294", nodes.len());
            return Err(Error::new(ErrorKind::Limit, &Pointer::root("nodes"), message));
        }
        let mut tree = Self { parents: vec![NONE; nodes.len()], ..Self::default() };
        tree.starts.reserve_exact(nodes.len() + 1);
        for (index, node) in nodes.iter().enumerate() {
            tree.starts.push(tree.children.len() as u32);
            for (position, &child) in node.children.iter().enumerate() {
                let list = Pointer::entry("nodes", index);
                let at = list.item("children", position);
                let child = check_index(child, nodes.len(), "node", &at)?;
                let parent = &mut tree.parents[child];
                if *parent != NONE {
                    let message = format!(
                        "node {child} is already a child of node {parent}; a node can have only one parent"
                    );
                    return Err(Error::new(ErrorKind::Structure, &at, message));
                }
                *parent = index as u32;
                tree.children.push(child as u32);
            }
        }
        tree.starts.push(tree.children.len() as u32);
        tree.check_cycles()?;
        Ok(tree)
    }

    /// Returns the children of a node, in the file's order.
    pub(crate) fn children(&self, node: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|next| self.starts[node as usize + next] as usize);
        &self.children[start..end]
    }

    /// Iterates over the nodes without a parent, in the file's order.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.parents).filter(|&(_, &parent)| parent == NONE).map(|(node, _)| node)
    }

    /// Computes `root_of`. Because every node has at most one parent, nodes that are unreachable
    /// from a root are in a cycle or below one.
    fn check_cycles(&mut self) -> Result<()> {
        self.root_of = vec![NONE; self.parents.len()];
        let mut stack: Vec<u32> = self.roots().collect();
        while let Some(node) = stack.pop() {
            let parent = self.parents[node as usize];
            let root = if parent == NONE { node } else { self.root_of[parent as usize] };
            self.root_of[node as usize] = root;
            stack.extend_from_slice(self.children(node));
        }
        let Some(unreached) = self.root_of.iter().position(|&root| root == NONE) else {
            return Ok(());
        };
        // It is in a cycle or below one; after that many steps upwards, the node is in the cycle.
        let mut node = unreached as u32;
        for _ in 0..self.parents.len() {
            node = self.parents[node as usize];
        }
        let parent = self.parents[node as usize];
        let position = self.children(parent).iter().position(|&child| child == node).unwrap_or(0);
        let message =
            format!("node {node} is an ancestor of node {parent}: the nodes form a cycle");
        let at = Pointer::entry("nodes", parent as usize);
        Err(Error::new(ErrorKind::Structure, &at.item("children", position), message))
    }
}

/// Returns the roots of each scene of the file.
pub(crate) fn scene_roots(load: &Load<'_>, tree: &Tree) -> Result<Vec<Vec<u32>>> {
    let root = load.root;
    let mut scenes = Vec::with_capacity(root.scenes.len());
    // The last scene that lists each node.
    let mut listed = vec![NONE; root.nodes.len()];
    for (index, scene) in root.scenes.iter().enumerate() {
        let scene_at = Pointer::entry("scenes", index);
        let mut roots = Vec::with_capacity(scene.nodes.len());
        for (position, &node) in scene.nodes.iter().enumerate() {
            let at = scene_at.item("nodes", position);
            let node = check_index(node, root.nodes.len(), "node", &at)?;
            let parent = tree.parents[node];
            if parent != NONE {
                let message = format!(
                    "node {node} is a child of node {parent}; a scene can list only nodes without a parent"
                );
                return Err(Error::new(ErrorKind::Structure, &at, message));
            }
            if std::mem::replace(&mut listed[node], index as u32) == index as u32 {
                let message = format!("node {node} is listed twice");
                return Err(Error::new(ErrorKind::Structure, &at, message));
            }
            roots.push(node as u32);
        }
        scenes.push(roots);
    }
    Ok(scenes)
}
