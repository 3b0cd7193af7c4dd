//! `Binding`: the node of each target of a clip.
//!
//! A binding holds nodes, not names: a hundred nodes may share a name and still be
//! animated by separate channels. Names and paths are resolved once, when a binding is made.
//!
//! Invariant: there is one entry per target, and no node occurs twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pleach_graph::{CloneMap, Graph, NodeId, NodeLabel};

use super::clip::Clip;
use super::error::{BindError, LabelKind};

/// A clip together with the nodes it animates.
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
/// // A clone of the car has a wheel of its own.
/// let clones = graph.clone_subtree(car, None)?;
/// let other = by_node.remapped(&clones);
/// assert_eq!(other.node(0), clones.get(wheel));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    clip: Arc<Clip>,
    nodes: Vec<Option<NodeId>>,
}

impl Binding {
    /// Binds each target of `clip`, in order, to a node, or to `None` to skip its
    /// channels. Nodes are not checked: those that are dead, now or later, are skipped
    /// when the clip plays.
    ///
    /// # Errors
    ///
    /// [`BindError::Count`] if the number of nodes differs from the number of targets;
    /// [`BindError::DuplicateNode`] if a node occurs twice.
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

    /// Binds a clip whose labels are names to the nodes with these names in the subtree
    /// of `root`, including `root`. Traverses that subtree once.
    ///
    /// # Errors
    ///
    /// [`BindError::Labels`] if a name is missing or ambiguous;
    /// [`BindError::DuplicateNode`] if two targets have the same label;
    /// [`BindError::Graph`] if `root` is not alive.
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
    /// the nodes at these paths below `root`: `hips` is a child of `root`. The empty path
    /// is `root` itself. Names that contain a `/` cannot be part of a path.
    ///
    /// # Errors
    ///
    /// The errors of [`by_names`](Self::by_names).
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

    /// Binds by labels; `find` returns the first node with a label, and the number of such nodes.
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
        let name = graph.get(root).and_then(|node| node.name());
        let (clip, root) = (clip.name().into(), NodeLabel::new(root, name));
        Err(BindError::Labels { clip, root, kind, missing, ambiguous })
    }

    /// Returns a binding of the same clip to cloned nodes: every node in `clones` is
    /// replaced by its clone, so that both animate independently. Other nodes are kept.
    /// Also works for subtrees that were cloned or moved to another graph.
    #[must_use]
    pub fn remapped(&self, clones: &CloneMap) -> Self {
        // A node and its clone may both be targets here; then only the first is kept.
        let mut seen = HashSet::new();
        let mut remap = |node: NodeId| {
            let node = clones.get(node).unwrap_or(node);
            seen.insert(node).then_some(node)
        };
        let nodes = self.nodes.iter().map(|node| node.and_then(&mut remap)).collect();
        Self { clip: Arc::clone(&self.clip), nodes }
    }

    /// Returns the clip.
    #[must_use]
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// Returns the node of each target.
    #[must_use]
    pub fn nodes(&self) -> &[Option<NodeId>] {
        &self.nodes
    }

    /// Returns the node of a target, if it is bound.
    #[must_use]
    pub fn node(&self, target: u32) -> Option<NodeId> {
        self.nodes.get(target as usize).copied().flatten()
    }
}
