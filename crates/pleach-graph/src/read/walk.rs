//! Traversals: children, ancestors, whole trees; and one that allows edits.
//!
//! The iterators borrow the graph, follow the links, and need no memory. `Walk`
//! borrows nothing between its steps, so the graph can be edited meanwhile; it
//! stores the handles that it has not visited yet, and checks each when it is due.

use alloc::collections::VecDeque;

use crate::store::links::NONE;
use crate::{Graph, NodeId, NodeRef};

/// An iterator over the children of a node, or over the roots, in order.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    graph: &'a Graph,
    front: u32,
    back: u32,
    remaining: usize,
}

impl<'a> Children<'a> {
    /// Iterates over the children of `parent`, or over the roots for `NONE`.
    pub(crate) fn of(graph: &'a Graph, parent: u32) -> Self {
        let links = &graph.links;
        Self {
            graph,
            front: links.first(parent),
            back: links.last(parent),
            remaining: links.count(parent) as usize,
        }
    }
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.remaining = self.remaining.checked_sub(1)?;
        let slot = self.front;
        self.front = self.graph.links.next(slot);
        Some(self.graph.slots.live_id(slot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<NodeId> {
        self.remaining = self.remaining.checked_sub(1)?;
        let slot = self.back;
        self.back = self.graph.links.prev(slot);
        Some(self.graph.slots.live_id(slot))
    }
}

impl ExactSizeIterator for Children<'_> {}

/// An iterator over the parent of a node, the parent's parent, and so on.
#[derive(Clone, Debug)]
pub struct Ancestors<'a> {
    graph: &'a Graph,
    slot: u32,
}

impl<'a> Ancestors<'a> {
    pub(crate) fn of(graph: &'a Graph, slot: u32) -> Self {
        Self { graph, slot: graph.links.parent(slot) }
    }
}

impl Iterator for Ancestors<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let node = self.graph.id(self.slot)?;
        self.slot = self.graph.links.parent(self.slot);
        Some(node)
    }
}

/// A depth-first iterator: parents before children, siblings in order, each node
/// once.
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    graph: &'a Graph,
    /// The root of the subtree; `NONE` for the whole forest.
    root: u32,
    /// The next node if nothing is skipped.
    next: u32,
    /// The node returned last.
    last: u32,
    shown_only: bool,
}

impl<'a> Descendants<'a> {
    /// Iterates over the subtree of `root`, or over the whole forest for `NONE`.
    pub(crate) fn of(graph: &'a Graph, root: u32) -> Self {
        let next = if root == NONE { graph.links.first(NONE) } else { root };
        Self { graph, root, next, last: NONE, shown_only: false }
    }

    /// Skips nodes that are not shown, and therefore their descendants.
    #[must_use]
    pub fn shown(mut self) -> Self {
        self.shown_only = true;
        self
    }

    /// Skips the descendants of the node returned last.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let a = graph.add_root(Transform::IDENTITY)?;
    /// let _below_a = graph.add_child(a, Transform::IDENTITY)?;
    /// let b = graph.add_root(Transform::IDENTITY)?;
    ///
    /// let mut walk = graph.depth_first();
    /// assert_eq!(walk.next(), Some(a));
    /// walk.skip_children();
    /// assert_eq!(walk.next(), Some(b));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn skip_children(&mut self) {
        if self.last != NONE {
            self.next = self.graph.links.next_after_subtree(self.root, self.last);
        }
    }
}

impl Iterator for Descendants<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        while self.next != NONE {
            let slot = self.next;
            let links = &self.graph.links;
            if self.shown_only && !self.graph.flags[slot as usize].is_shown() {
                self.next = links.next_after_subtree(self.root, slot);
                continue;
            }
            self.next = links.next_in_preorder(self.root, slot);
            self.last = slot;
            return Some(self.graph.slots.live_id(slot));
        }
        self.last = NONE;
        None
    }
}

/// Controls how [`Graph::visit`] continues after a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Continue with the node's children.
    Continue,
    /// Continue, but skip the node's descendants.
    SkipChildren,
    /// Stop.
    Stop,
}

/// A traversal during which the graph can be edited, because it borrows nothing
/// between its steps.
///
/// A node is visited if, when it is due, it is alive and still below the parent (or
/// still a root) at which the walk found it. Children are looked up in the step
/// after their parent's. Therefore removed nodes are not visited; nodes added below
/// the current node are; a node that was moved is visited at its new position if
/// the walk gets there, and not at the old one.
///
/// ```
/// use pleach_graph::{Graph, Transform, Walk};
///
/// let mut graph = Graph::new();
/// let house = graph.add_root(Transform::IDENTITY)?;
/// for name in ["door", "ghost", "roof"] {
///     let child = graph.add_child(house, Transform::IDENTITY)?;
///     graph.node_mut(child)?.set_name(name);
/// }
///
/// let mut seen = Vec::new();
/// let mut walk = Walk::depth_first(house);
/// while let Some(node) = walk.next(&graph) {
///     let name = graph.node(node)?.name().unwrap_or("house").to_string();
///     if name == "door" {
///         graph.remove(graph.find("ghost").unwrap())?;      // not visited yet
///     }
///     seen.push(name);
/// }
/// assert_eq!(seen, ["house", "door", "roof"]);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[doc(alias = "traverse")]
#[derive(Clone, Debug)]
pub struct Walk {
    /// Nodes to visit, each with the parent at which it was found.
    pending: VecDeque<(NodeId, Option<NodeId>)>,
    order: Order,
    shown_only: bool,
    /// The node whose children have not been looked up yet.
    current: Option<NodeId>,
    /// The start, until the first step: a node, or `None` for all roots.
    start: Option<Option<NodeId>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Depth,
    Breadth,
}

impl Walk {
    fn new(start: Option<NodeId>, order: Order) -> Self {
        Self {
            pending: VecDeque::new(),
            order,
            shown_only: false,
            current: None,
            start: Some(start),
        }
    }

    /// Visits a node and its descendants, or the whole forest for `None`, depth
    /// first: parents before children, and a child with all its descendants before
    /// the next.
    #[must_use]
    pub fn depth_first(start: impl Into<Option<NodeId>>) -> Self {
        Self::new(start.into(), Order::Depth)
    }

    /// Visits a node and its descendants, or the whole forest for `None`, breadth
    /// first.
    #[must_use]
    pub fn breadth_first(start: impl Into<Option<NodeId>>) -> Self {
        Self::new(start.into(), Order::Breadth)
    }

    /// Skips nodes that are not shown, and therefore their descendants.
    #[must_use]
    pub fn shown(mut self) -> Self {
        self.shown_only = true;
        self
    }

    /// Returns the next node, or `None` at the end. To stop earlier, stop calling.
    pub fn next(&mut self, graph: &Graph) -> Option<NodeId> {
        match self.start.take() {
            Some(Some(node)) => {
                let parent = graph.get(node)?.parent();
                self.pending.push_back((node, parent));
            }
            Some(None) => self.add(Children::of(graph, NONE), None),
            None => {}
        }
        if let Some(current) = self.current.take().and_then(|node| graph.get(node)) {
            self.add(current.children(), Some(current.id()));
        }
        loop {
            let (node, parent) = match self.order {
                Order::Depth => self.pending.pop_back()?,
                Order::Breadth => self.pending.pop_front()?,
            };
            let Some(view) = graph.get(node) else { continue };
            if view.parent() == parent && (view.is_shown() || !self.shown_only) {
                self.current = Some(node);
                return Some(node);
            }
        }
    }

    fn add(&mut self, children: Children<'_>, parent: Option<NodeId>) {
        match self.order {
            Order::Depth => self.pending.extend(children.rev().map(|child| (child, parent))),
            Order::Breadth => self.pending.extend(children.map(|child| (child, parent))),
        }
    }

    /// Skips the descendants of the node returned last.
    pub fn skip_children(&mut self) {
        self.current = None;
    }
}

impl Graph {
    /// Returns the nodes without a parent, in the order in which they were added,
    /// detached or attached next to a root.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let [a, b] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// graph.add_child(a, Transform::IDENTITY)?;
    /// assert!(graph.roots().eq([a, b]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn roots(&self) -> Children<'_> {
        Children::of(self, NONE)
    }

    /// Returns every node, depth first: parents before children, siblings in order. To
    /// edit the graph during the walk, use [`Walk`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let a = graph.add_root(Transform::IDENTITY)?;
    /// let b = graph.add_root(Transform::IDENTITY)?;
    /// let below_a = graph.add_child(a, Transform::IDENTITY)?;
    /// assert!(graph.depth_first().eq([a, below_a, b]));
    /// graph.node_mut(a)?.set_visible(false);
    /// assert!(graph.depth_first().shown().eq([b]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "traverse")]
    #[doc(alias = "iter")]
    #[must_use]
    pub fn depth_first(&self) -> Descendants<'_> {
        Descendants::of(self, NONE)
    }

    /// Returns every node by depth: all roots, then all their children, and so on.
    /// The order within one depth is deterministic but arbitrary; for siblings in
    /// order, use [`Walk::breadth_first`]. No order is built for this, unless a large
    /// subtree was attached or detached since the last update.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let a = graph.add_root(Transform::IDENTITY)?;
    /// let below_a = graph.add_child(a, Transform::IDENTITY)?;
    /// let b = graph.add_root(Transform::IDENTITY)?;
    /// assert!(graph.by_depth().eq([a, b, below_a]));
    /// assert!(graph.depth_first().eq([a, below_a, b]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn by_depth(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        let (levels, collected) = match self.levels.is_up_to_date() {
            true => (self.levels.len(), alloc::vec::Vec::new()),
            false => (0, self.slots_by_depth_from_links()),
        };
        let slots = (0..levels).flat_map(|depth| self.levels.at(depth)).copied().chain(collected);
        slots.map(|slot| self.slots.live_id(slot))
    }

    /// Calls `visit` for a node and its descendants (or for the whole forest),
    /// depth first, as the returned [`Visit`] directs.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, Visit};
    ///
    /// let mut graph = Graph::new();
    /// let a = graph.add_root(Transform::IDENTITY)?;
    /// graph.add_child(a, Transform::IDENTITY)?;
    /// graph.add_root(Transform::IDENTITY)?;
    /// let mut count = 0;
    /// graph.visit(None, |node| {
    ///     count += 1;
    ///     if node.id() == a { Visit::SkipChildren } else { Visit::Continue }
    /// });
    /// assert_eq!(count, 2);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "traverse")]
    #[doc(alias = "traverseVisible")]
    pub fn visit<'a>(
        &'a self,
        start: impl Into<Option<NodeId>>,
        mut visit: impl FnMut(NodeRef<'a>) -> Visit,
    ) {
        let mut nodes = match start.into() {
            None => self.depth_first(),
            Some(node) => match self.get(node) {
                Some(node) => node.descendants(),
                None => return,
            },
        };
        while let Some(node) = nodes.next() {
            let Some(view) = self.get(node) else { return };
            match visit(view) {
                Visit::Continue => {}
                Visit::SkipChildren => nodes.skip_children(),
                Visit::Stop => return,
            }
        }
    }
}
