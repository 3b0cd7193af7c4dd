//! `ScenePatch`: the edits of one transaction of a scene.
//!
//! Nodes are edited first, then rows: a row is keyed by its node, and the rows of nodes that are not
//! alive after the edits are gone, too. Assets, environment and name depend on nothing.

use pleach_graph::{NodeId, Patch};

use crate::assets::{AnyAssetEdit, push_merged};
use crate::components::AnyRowEdits;
use crate::{Environment, Error, Scene};

/// The edits of a scene, in order: of its graph, of the tables of all components, of assets, and of
/// its environment and name. What [`Scene::transact`] did.
///
/// [`Scene::apply`] performs them on a scene in the state that they were recorded in;
/// [`Scene::revert`] undoes them.
#[derive(Clone, Debug)]
pub struct ScenePatch {
    pub(super) graph: Patch,
    pub(super) rows: Vec<Box<dyn AnyRowEdits>>,
    pub(super) assets: Vec<Box<dyn AnyAssetEdit>>,
    pub(super) environment: Option<Box<[Environment; 2]>>,
    pub(super) name: Option<Box<[String; 2]>>,
}

impl ScenePatch {
    /// Returns what the edits do, for people: for example "Move lamp".
    #[must_use]
    pub fn label(&self) -> &str {
        self.graph.label()
    }

    /// Returns the edits of the nodes.
    #[must_use]
    pub fn graph(&self) -> &Patch {
        &self.graph
    }

    /// Returns `true` if the patch has no edits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.graph.is_empty()
            && self.rows.is_empty()
            && self.assets.is_empty()
            && self.environment.is_none()
            && self.name.is_none()
    }

    /// Returns the kinds of the components whose rows were edited, and for each edit its node.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Vec<NodeId>)> + '_ {
        self.rows.iter().map(|rows| (rows.name(), rows.nodes()))
    }

    /// Returns the ids of the assets that were edited.
    pub fn assets(&self) -> impl Iterator<Item = crate::AssetId> + '_ {
        self.assets.iter().map(|edit| edit.id())
    }

    /// Returns the memory that the patch uses, in bytes, with that of the values that it keeps alive
    /// ([`Component::byte_size`](crate::Component::byte_size),
    /// [`Asset::byte_size`](crate::Asset::byte_size)), but not that of
    /// [parked](pleach_graph::Graph::parked_count) nodes.
    #[must_use]
    pub fn byte_size(&self) -> usize {
        size_of::<Self>()
            + self.graph.byte_size()
            + self.rows.iter().map(|rows| rows.byte_size()).sum::<usize>()
            + self.assets.iter().map(|edit| edit.byte_size()).sum::<usize>()
            + self.name.as_ref().map_or(0, |names| names[0].len() + names[1].len())
    }

    /// Appends the edits of `next`, which begins with the revision that this patch ends with, and
    /// merges those of the same property. Returns `false`, and appends nothing, if it does not.
    pub fn append(&mut self, next: &Self) -> bool {
        if !self.graph.append(&next.graph) {
            return false;
        }
        self.graph.squash();
        for rows in &next.rows {
            if self.rows.iter_mut().any(|earlier| earlier.append(&**rows)) {
                continue;
            }
            self.rows.push(rows.clone());
        }
        self.rows.iter_mut().for_each(|rows| rows.squash());
        for edit in &next.assets {
            _ = push_merged(&mut self.assets, 0, edit.clone());
        }
        self.environment = match (self.environment.take(), &next.environment) {
            (Some(first), Some(last)) => Some(Box::new([first[0].clone(), last[1].clone()])),
            (first, None) => first,
            (None, last) => last.clone(),
        };
        self.name = match (self.name.take(), &next.name) {
            (Some(first), Some(last)) => Some(Box::new([first[0].clone(), last[1].clone()])),
            (first, None) => first,
            (None, last) => last.clone(),
        };
        true
    }
}

impl Scene {
    /// Performs the edits of a patch: all of them, or none.
    ///
    /// # Errors
    ///
    /// [`Error::Patch`] if the patch does not fit: see
    /// [`Graph::apply`](pleach_graph::Graph::apply).
    ///
    /// ```
    /// # use pleach::{Error, Node, Scene};
    /// let mut scene = Scene::new();
    /// let (lamp, patch) = scene.transact("Add lamp", |scene| scene.spawn(Node::group()))?;
    /// scene.revert(&patch)?;
    /// assert!(!scene.graph.contains(lamp));
    /// scene.apply(&patch)?;
    /// assert!(scene.graph.contains(lamp));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "redo")]
    pub fn apply(&mut self, patch: &ScenePatch) -> Result<(), Error> {
        self.graph.apply(&patch.graph)?;
        self.apply_others(patch, true);
        Ok(())
    }

    /// Undoes the edits of a patch: all of them, or none. Nodes come back with the same handles, and
    /// components in the same order.
    ///
    /// # Errors
    ///
    /// Same as [`apply`](Self::apply).
    ///
    /// ```
    /// # use pleach::{Error, Node, Scene};
    /// let mut scene = Scene::new();
    /// let lamp = scene.spawn(Node::group().named("lamp"))?;
    /// let (_, patch) = scene.transact("Delete lamp", |scene| scene.remove(lamp))?;
    /// scene.revert(&patch)?;
    /// assert_eq!(scene.find("lamp"), Some(lamp));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "undo")]
    pub fn revert(&mut self, patch: &ScenePatch) -> Result<(), Error> {
        self.graph.apply(&patch.graph.invert())?;
        self.apply_others(patch, false);
        Ok(())
    }

    /// Applies everything but the edits of the graph.
    fn apply_others(&mut self, patch: &ScenePatch, forward: bool) {
        for rows in &patch.rows {
            if self.graph_and_tables_mut().1.any(|table| rows.apply(table, forward)) {
                continue;
            }
            let mut table = rows.new_table();
            self.recorder.begin_table(&mut *table);
            rows.apply(&mut *table, forward);
            self.user_tables.push(table);
        }
        for edit in &patch.assets {
            edit.apply(forward);
        }
        if let Some(environment) = &patch.environment {
            self.environment.clone_from(&environment[usize::from(forward)]);
        }
        if let Some(name) = &patch.name {
            self.name.clone_from(&name[usize::from(forward)]);
        }
    }
}

/// Returns a number for the edits that the graph does not know, so that they lead to a revision of
/// their own.
pub(super) fn salt(patch: &ScenePatch) -> u64 {
    let mut salt = 0_u64;
    let mut add = |number: u64| {
        salt = (salt.rotate_left(23) ^ number).wrapping_mul(0xd6e8_feb8_6659_fd93);
    };
    for rows in &patch.rows {
        rows.name().bytes().for_each(|byte| add(u64::from(byte)));
        rows.nodes().iter().for_each(|node| add(node.to_bits()));
    }
    for edit in &patch.assets {
        add(1 + edit.versions().1);
    }
    add(u64::from(patch.environment.is_some()));
    add(u64::from(patch.name.is_some()));
    salt | 1
}
