//! A document addressed by the file's own indices.
//!
//! A document has a tree for each scene and one for unreferenced nodes; a root that several scenes
//! list is in each of their trees. A node's *location* is the first tree that contains it; it is
//! the same in all others.
//!
//! Invariant: every node of the file has a location and is in the list of each tree that contains
//! it.

use anyhow::{Context, Result};
use glam::Mat4;
use pleach::{NodeId, Scene};
use pleach_gltf::Document;
use pleach_gltf::raw::Root;
use rayon::ThreadPool;

use super::answers::Matrix;
use crate::input::resolve;

/// A document and the locations of the file's nodes.
pub(crate) struct Model<'a> {
    pub(crate) document: Document,
    /// Names and indices, which a loaded document does not keep.
    pub(crate) root: Root<'a>,
    /// The threads for rays; without, they are cast on the calling thread.
    pub(crate) pool: Option<ThreadPool>,
    /// The trees of the scenes, and last that of the unreferenced nodes.
    pub(crate) trees: Vec<Tree>,
    locations: Vec<NodeLocation>,
}

/// The indices of the nodes of a tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) roots: Vec<usize>,
    /// Depth first, children in the file's order.
    pub(crate) nodes: Vec<usize>,
}

/// The first tree that contains a node, and the node in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeLocation {
    pub(crate) tree: usize,
    pub(crate) node: NodeId,
}

impl<'a> Model<'a> {
    /// `root` is the JSON of the document.
    pub(crate) fn new(
        document: Document,
        root: Root<'a>,
        pool: Option<ThreadPool>,
    ) -> Result<Self> {
        let count = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
        let mut locations = vec![None; root.nodes.len()];
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
        let locations = locations.context("a node of the file is not in any tree")?;
        Ok(Self { document, root, pool, trees, locations })
    }

    /// Returns the number of nodes of the file.
    pub(crate) fn len(&self) -> usize {
        self.locations.len()
    }

    /// The first tree that contains a node, and the node in it.
    pub(crate) fn location(&self, index: usize) -> NodeLocation {
        self.locations[index]
    }

    /// Returns the scene of a tree.
    pub(crate) fn scene(&self, tree: usize) -> Result<&Scene> {
        resolve::scene(&self.document, tree)
    }

    /// Returns the tree of `scene`, or of the default scene; `None` if there is no such tree.
    pub(crate) fn chosen(&self, scene: Option<usize>) -> Option<usize> {
        let tree = scene.or(self.document.default_scene()).unwrap_or(0);
        (tree < self.trees.len()).then_some(tree)
    }

    /// Returns the world matrices of all nodes in the current pose.
    pub(crate) fn worlds(&self) -> Result<Vec<Mat4>> {
        let world = |it: &NodeLocation| Ok(self.scene(it.tree)?.node(it.node)?.world());
        self.locations.iter().map(world).collect()
    }

    /// Returns the joint matrices of all skins from the world matrices of all nodes.
    pub(crate) fn joint_matrices(&self, worlds: &[Mat4]) -> Vec<Vec<Matrix>> {
        let of_skin = |(joints, inverse_binds): (&[u32], &[Mat4])| {
            let joints = joints.iter().zip(inverse_binds);
            joints.map(|(&joint, bind)| joint_matrix(&worlds[joint as usize], bind)).collect()
        };
        self.document.skins().map(of_skin).collect()
    }
}

/// Computes a joint matrix in f64, rounded once and clamped to the range of f32.
fn joint_matrix(world: &Mat4, inverse_bind: &Mat4) -> Matrix {
    let product = world.as_dmat4() * inverse_bind.as_dmat4();
    product.to_cols_array().map(rounded)
}

/// Converts to a finite f32.
pub(crate) fn rounded(number: f64) -> f32 {
    number.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}
