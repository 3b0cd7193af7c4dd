//! `Binding`: which node each target of a clip is.
//!
//! Nodes, not names: a hundred nodes may have the same name and still move each by
//! its own channel. Names and paths serve to make a binding, once.
//!
//! Invariant: there is an entry for each target, and no node is there twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pleach_graph::{CloneMap, Graph, NodeId, NodeLabel};

use super::clip::Clip;
use super::error::{BindError, LabelKind};

/// A clip together with the nodes it moves.
///
/// ```
/// use pleach::animation::{Binding, Channel, Clip, Interpolation};
/// use pleach::glam::Vec3;
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let car = graph.add_root(Transform::IDENTITY)?;
/// let wheel = graph.add_child(car, Transform::IDENTITY)?;
/// graph.node_mut(wheel)?.set_name("wheel");
///
/// let hop = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [Vec3::ZERO, Vec3::Z])?;
/// let hop = std::sync::Arc::new(Clip::new("hop", ["wheel"], [hop])?);
/// let by_node = Binding::new(hop.clone(), [wheel])?;
/// let by_name = Binding::by_names(hop.clone(), &graph, car)?;
/// assert_eq!(by_node, by_name);
///
/// // A copy of the car has a wheel of its own.
/// let copies = graph.clone_subtree(car, None)?;
/// let other = by_node.remapped(&copies);
/// assert_eq!(other.node(0), copies.get(wheel));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    clip: Arc<Clip>,
    nodes: Vec<Option<NodeId>>,
}

impl Binding {
    /// Binds each target of a clip, in order, to a node, or to `None` to leave its
    /// channels out. No graph is asked: nodes that are not alive, now or later, are
    /// skipped when the clip plays.
    ///
    /// # Errors
    ///
    /// [`BindError::Count`] if there are not as many as the clip has targets;
    /// [`BindError::Twice`] if a node is given twice.
    pub fn new<N: Into<Option<NodeId>>>(
        clip: impl Into<Arc<Clip>>,
        nodes: impl IntoIterator<Item = N>,
    ) -> Result<Self, BindError> {
        let clip = clip.into();
        let nodes: Vec<Option<NodeId>> = nodes.into_iter().map(Into::into).collect();
        if nodes.len() != clip.targets().len() {
            let (targets, nodes) = (clip.targets().len(), nodes.len());
            return Err(BindError::Count { clip: clip.name().into(), targets, nodes });
        }
        let mut first_targets = HashMap::new();
        for (target, node) in nodes.iter().enumerate() {
            let Some(node) = *node else { continue };
            if let Some(first) = first_targets.insert(node, target) {
                let targets = [first, target];
                return Err(BindError::DuplicateNode { clip: clip.name().into(), targets, node });
            }
        }
        Ok(Self { clip, nodes })
    }

    /// Binds a clip whose labels are names to the nodes with these names in the tree
    /// of `top`, itself included. Walks that tree once.
    ///
    /// # Errors
    ///
    /// [`BindError::Labels`] if a name is missing there, or there several times;
    /// [`BindError::Twice`] if two targets have the same label;
    /// [`BindError::Graph`] if `top` is not alive.
    pub fn by_names(
        clip: impl Into<Arc<Clip>>,
        graph: &Graph,
        root: NodeId,
    ) -> Result<Self, BindError> {
        let mut named: HashMap<&str, (NodeId, usize)> = HashMap::new();
        for node in graph.node(root)?.descendants() {
            if let Some(name) = graph.node(node)?.name() {
                named.entry(name).or_insert((node, 0)).1 += 1;
            }
        }
        Self::by_labels(LabelKind::Names, clip.into(), graph, root, |label| {
            named.get(label).map_or((root, 0), |&found| found)
        })
    }

    /// Binds a clip whose labels are paths of names, like `"hips/spine/head"`, to
    /// the nodes at these paths below `top`: `hips` is a child of it. The empty path
    /// is `top` itself. Names that contain a `/` cannot be part of a path.
    ///
    /// # Errors
    ///
    /// As [`by_names`](Self::by_names).
    pub fn by_paths(
        clip: impl Into<Arc<Clip>>,
        graph: &Graph,
        root: NodeId,
    ) -> Result<Self, BindError> {
        graph.node(root)?;
        Self::by_labels(LabelKind::Paths, clip.into(), graph, root, |path| {
            let mut found = vec![root];
            for name in path.split('/').filter(|_| !path.is_empty()) {
                let children = found.iter().filter_map(|&node| graph.get(node));
                let children = children.flat_map(|node| node.children());
                let is_named =
                    |node: &NodeId| graph.get(*node).and_then(|n| n.name()) == Some(name);
                found = children.filter(is_named).collect();
            }
            (found.first().copied().unwrap_or(root), found.len())
        })
    }

    /// Binds by labels, given for each the first node that has it, and how many have.
    fn by_labels(
        kind: LabelKind,
        clip: Arc<Clip>,
        graph: &Graph,
        root: NodeId,
        find: impl Fn(&str) -> (NodeId, usize),
    ) -> Result<Self, BindError> {
        let (mut nodes, mut missing, mut ambiguous) = (Vec::new(), Vec::new(), Vec::new());
        for label in clip.targets() {
            match find(label) {
                (_, 0) => missing.push(label.clone()),
                (node, 1) => nodes.push(node),
                (_, count) => ambiguous.push((label.clone(), count)),
            }
        }
        if missing.is_empty() && ambiguous.is_empty() {
            return Self::new(clip, nodes);
        }
        let name = graph.get(root).and_then(|node| node.name()).map(Into::into);
        let (clip, root) = (clip.name().into(), NodeLabel { node: root, name });
        Err(BindError::Labels { clip, root, kind, missing, ambiguous })
    }

    /// The same clip for a copy: every node that was copied becomes its copy, so
    /// that the two move apart. Nodes that were not copied stay. Also for subtrees
    /// that were copied or moved to another graph.
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        // A node and its copy may both be targets here; then the first one counts.
        let mut seen = HashSet::new();
        let mut remap = |node: NodeId| {
            let node = clones.get(node).unwrap_or(node);
            seen.insert(node).then_some(node)
        };
        let nodes = self.nodes.iter().map(|node| node.and_then(&mut remap)).collect();
        Self { clip: Arc::clone(&self.clip), nodes }
    }

    /// The clip.
    #[must_use]
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// The node of each target.
    #[must_use]
    pub fn nodes(&self) -> &[Option<NodeId>] {
        &self.nodes
    }

    /// The node of a target, if it has one.
    #[must_use]
    pub fn node(&self, target: u32) -> Option<NodeId> {
        self.nodes.get(target as usize).copied().flatten()
    }
}
