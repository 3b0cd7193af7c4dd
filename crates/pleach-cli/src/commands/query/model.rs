//! `Model`: a document by the file's own indices.
//!
//! A document keeps a tree for each scene, and one for what no scene lists; a root that several
//! scenes list is in each of theirs. A node's *home* is the first tree that has it: there it is
//! looked at. It is the same in every other.
//!
//! Invariant: every node of the file has a home, and is in the list of each tree that has it.

use anyhow::{Context, Result};
use glam::Mat4;
use pleach::{NodeId, Scene};
use pleach_gltf::Document;

use super::answers::Matrix;
use super::gltf_json::GltfJson;
use crate::input::resolve;

/// A document, and where the file's nodes are in it.
pub(crate) struct Model {
    pub(crate) document: Document,
    pub(crate) gltf_json: GltfJson,
    /// Of the scenes, and at last of what no scene lists.
    pub(crate) trees: Vec<Tree>,
    locations: Vec<NodeLocation>,
}

/// The file's nodes in a tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) roots: Vec<usize>,
    /// Depth first, children in the file's order.
    pub(crate) nodes: Vec<usize>,
}

/// Where a node is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeLocation {
    pub(crate) tree: usize,
    pub(crate) node: NodeId,
}

impl Model {
    pub(crate) fn new(document: Document) -> Result<Self> {
        let gltf_json = GltfJson::of(document.json())?;
        let count = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
        let mut locations = vec![None; gltf_json.nodes.len()];
        let mut trees = Vec::with_capacity(count);
        for number in 0..count {
            let scene = resolve::scene(&document, number)?;
            let top = scene.node(document.up_axis_node(number).unwrap_or(scene.root()))?;
            let file = |node| document.index_of(number, node);
            let mut tree =
                Tree { roots: top.children().filter_map(file).collect(), nodes: Vec::new() };
            for node in top.descendants().skip(1) {
                let Some(index) = file(node) else { continue };
                tree.nodes.push(index);
                if let Some(location @ None) = locations.get_mut(index) {
                    *location = Some(NodeLocation { tree: number, node });
                }
            }
            trees.push(tree);
        }
        let locations: Option<Vec<NodeLocation>> = locations.into_iter().collect();
        let locations = locations.context("a node of the file is in none of its trees")?;
        Ok(Self { document, gltf_json, trees, locations })
    }

    /// How many nodes the file has.
    pub(crate) fn len(&self) -> usize {
        self.locations.len()
    }

    /// Where a node is looked at.
    pub(crate) fn location(&self, index: usize) -> NodeLocation {
        self.locations[index]
    }

    /// A tree, as a scene.
    pub(crate) fn scene(&self, tree: usize) -> Result<&Scene> {
        resolve::scene(&self.document, tree)
    }

    /// The tree that is meant if no scene is named: the one to show. The file may have nothing at
    /// all to show.
    pub(crate) fn chosen(&self, scene: Option<usize>) -> Option<usize> {
        let tree = scene.or(self.document.default_scene()).unwrap_or(0);
        (tree < self.trees.len()).then_some(tree)
    }

    /// The world matrices of all nodes, as the trees are posed.
    pub(crate) fn worlds(&self) -> Result<Vec<Mat4>> {
        let world =
            |location: &NodeLocation| Ok(self.scene(location.tree)?.node(location.node)?.world());
        self.locations.iter().map(world).collect()
    }

    /// The joint matrices of all skins, given the world matrices of all nodes.
    pub(crate) fn joint_matrices(&self, worlds: &[Mat4]) -> Vec<Vec<Matrix>> {
        let of_skin = |(joints, inverse_binds): (&[u32], &[Mat4])| {
            let joints = joints.iter().zip(inverse_binds);
            joints.map(|(&joint, bind)| joint_matrix(&worlds[joint as usize], bind)).collect()
        };
        self.document.skins().map(of_skin).collect()
    }
}

/// A joint's matrix: in f64, rounded once. What is beyond f32 stops at its end.
fn joint_matrix(world: &Mat4, inverse_bind: &Mat4) -> Matrix {
    let product = world.as_dmat4() * inverse_bind.as_dmat4();
    product.to_cols_array().map(rounded)
}

/// As an f32, and finite.
pub(crate) fn rounded(number: f64) -> f32 {
    number.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}
