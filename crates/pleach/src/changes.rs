//! `SceneChanges`: what changed since the owner of a scene last cleared the changes.
//!
//! A view of the logs of the graph and of the tables, from the owner's positions on; nothing is
//! copied. Updates add to the logs and never move the owner's positions.

use pleach_graph::{AddedNodes, ChangedNodes, NodeId};

use crate::{Component, Scene};

/// The changes of a scene since [`Scene::clear_changes`], or since it was created.
///
/// They accumulate over any number of updates. A node is at most once in each list, and memory is
/// bounded by the number of nodes and of those removed since. There is one set of lists per scene:
/// consumers that read at different paces use a
/// [change reader](pleach_graph::Graph::change_reader) of the graph each, and
/// [one](crate::Table::change_reader) of each kind of components.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Light, Node, Scene};
///
/// let mut scene = Scene::new();
/// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 60.0)))?;
/// scene.update()?;
/// assert!(scene.changes().inserted_rows::<Light>().eq([lamp]));
///
/// scene.clear_changes();
/// scene.light_mut(lamp).unwrap().intensity = 30.0;
/// scene.update()?;
/// scene.node_mut(lamp)?.set_translation(Vec3::X)?;
/// scene.update()?;                               // nothing is lost
/// assert!(scene.changes().changed().eq([lamp]));
/// assert!(scene.changes().changed_rows::<Light>().eq([lamp]));
///
/// scene.node_mut(lamp)?.set_name("lamp");
/// let post = scene.spawn(Node::group())?;
/// scene.attach(lamp, post)?;
/// assert!(scene.changes().renamed().eq([lamp]));
/// assert!(scene.changes().added().eq([post]));
/// assert!(scene.changes().reparented().eq([lamp]));
///
/// scene.remove(lamp)?;
/// scene.update()?;
/// assert_eq!(scene.changes().removed(), [lamp]);
/// assert!(scene.changes().removed_rows::<Light>().eq([lamp]));
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SceneChanges<'a> {
    scene: &'a Scene,
}

impl Scene {
    /// Returns what changed since [`clear_changes`](Self::clear_changes).
    #[must_use]
    pub fn changes(&self) -> SceneChanges<'_> {
        SceneChanges { scene: self }
    }

    /// Starts new lists of [`changes`](Self::changes). Call it once per frame after reading them;
    /// a scene whose changes are never cleared updates a little slower.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// scene.spawn(Node::group())?;
    /// scene.update()?;
    /// scene.clear_changes();
    /// assert_eq!(scene.changes().changed().count(), 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn clear_changes(&mut self) {
        self.graph.clear_changes();
        for table in self.graph_and_tables_mut().1 {
            table.clear_changes();
        }
    }
}

impl<'a> SceneChanges<'a> {
    /// Returns the nodes whose world transform was computed: alive, parents before their children
    /// (as of the update that computed them).
    #[must_use]
    pub fn changed(&self) -> ChangedNodes<'a> {
        self.scene.graph.changed()
    }

    /// Returns the nodes that were added: alive, in the order of their addition.
    #[must_use]
    pub fn added(&self) -> AddedNodes<'a> {
        self.scene.graph.added()
    }

    /// Returns the nodes that were attached or detached, also if only their position among their
    /// siblings changed: alive, in the order of the latest change. Their descendants are not listed.
    #[must_use]
    pub fn reparented(&self) -> ChangedNodes<'a> {
        self.scene.graph.reparented()
    }

    /// Returns the nodes whose name changed: alive, in the order of the latest change.
    #[must_use]
    pub fn renamed(&self) -> ChangedNodes<'a> {
        self.scene.graph.renamed()
    }

    /// Returns the nodes whose [`shown`](pleach_graph::NodeRef::is_shown) changed, possibly back to
    /// the same value: alive.
    #[must_use]
    pub fn shown_changed(&self) -> ChangedNodes<'a> {
        self.scene.graph.shown_changed()
    }

    /// Returns the nodes that were removed, in the order of their removal.
    #[must_use]
    pub fn removed(&self) -> &'a [NodeId] {
        self.scene.graph.removed()
    }

    /// Iterates over the nodes that have a component of this kind and had none before, in
    /// deterministic but unspecified order.
    pub fn inserted_rows<T: Component>(&self) -> impl Iterator<Item = NodeId> + 'a {
        self.scene.table::<T>().inserted(&self.scene.graph)
    }

    /// Iterates over the nodes that had and have a component of this kind, which was replaced or
    /// borrowed mutably in between; otherwise like [`inserted_rows`](Self::inserted_rows).
    pub fn changed_rows<T: Component>(&self) -> impl Iterator<Item = NodeId> + 'a {
        self.scene.table::<T>().edited(&self.scene.graph)
    }

    /// Iterates over the nodes that had a component of this kind and have none now. Nodes that were
    /// removed with [`Graph::remove`](pleach_graph::Graph::remove) are listed from the next
    /// [`update`](Scene::update) on.
    pub fn removed_rows<T: Component>(&self) -> impl Iterator<Item = NodeId> + 'a {
        self.scene.table::<T>().removed()
    }
}
