//! `ScenePatch`: the edits of one transaction of a scene.
//!
//! Nodes are edited first, then rows: a row is keyed by its node, and the rows of nodes that are not
//! alive after the edits are gone, too. Assets, environment and name depend on nothing. Whether rows
//! fit is checked before anything is changed (`Scene::check_rows`).

use std::any::Any;
use std::collections::BTreeSet;

use pleach_graph::{Edit, NodeId, Patch};

use crate::assets::{AnyAssetEdit, Asset, AssetEdits, RecordedAsset};
use crate::components::{AnyRowEdits, Expected, RowEdit, RowEdits};
use crate::content::Content;
use crate::{AssetId, Component, Constraint, Environment, Error, Handle, Scene};

/// The edits of a scene, in order: of its graph, of the tables of all components, of assets, and of
/// its environment and name. What [`Scene::transact`] did.
///
/// [`Scene::apply`] performs them on a scene in the state that they were recorded in;
/// [`Scene::revert`] undoes them. `pleach-format` writes them to files: the methods that return edits
/// are for writers, those that add some for readers.
///
/// ```
/// # use pleach::{Error, Light, Node, Scene, component::RowEdit, glam::Vec3, undo::ScenePatch};
/// let mut scene = Scene::new();
/// let lamp = scene.spawn(Node::group())?;
/// let light = Light::point(Vec3::ONE, 100.0);
/// let (_, patch) = scene.transact("Light", |scene| scene.insert(lamp, light))?;
/// assert_eq!(patch.row_edits::<Light>(), [RowEdit::Insert { node: lamp, new: light }]);
///
/// let mut copy = ScenePatch::from_graph(patch.graph().clone());
/// copy.set_row_edits(patch.row_edits::<Light>().to_vec());
/// scene.revert(&copy)?;
/// assert!(scene.light(lamp).is_none());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScenePatch {
    pub(super) graph: Patch,
    pub(super) rows: Vec<Box<dyn AnyRowEdits>>,
    pub(super) assets: Vec<Box<dyn AnyAssetEdit>>,
    pub(super) environment: Option<Box<[Environment; 2]>>,
    pub(super) name: Option<Box<[String; 2]>>,
}

impl ScenePatch {
    /// Creates a patch of edits of nodes. Its label, lineage and revisions are those of `graph`.
    #[must_use]
    pub fn from_graph(graph: Patch) -> Self {
        let (rows, assets) = (Vec::new(), Vec::new());
        Self { graph, rows, assets, environment: None, name: None }
    }

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

    /// Returns the edits of the rows of one kind of component, in order.
    #[must_use]
    pub fn row_edits<T: Component>(&self) -> &[RowEdit<T>] {
        let edits = self.rows.iter().find_map(|rows| (&**rows as &dyn Any).downcast_ref());
        edits.map_or(&[], |rows: &RowEdits<T>| &rows.edits)
    }

    /// Replaces the edits of the rows of one kind of component. Whether they fit a scene is checked
    /// when they are applied.
    pub fn set_row_edits<T: Component>(&mut self, edits: Vec<RowEdit<T>>) {
        self.rows.retain(|rows| !(&**rows as &dyn Any).is::<RowEdits<T>>());
        if !edits.is_empty() {
            self.rows.push(Box::new(RowEdits { edits }));
        }
    }

    /// Returns the edits of assets of one type: one for each asset.
    pub fn asset_edits<T: Asset>(&self) -> impl Iterator<Item = &RecordedAsset<T>> {
        self.assets.iter().filter_map(|edit| (&**edit as &dyn Any).downcast_ref())
    }

    /// Adds edits of assets, by their values before and after. Several of the same asset become one.
    /// Each value becomes a version with a number of its own.
    pub fn extend_asset_edits<T: Asset>(
        &mut self,
        edits: impl IntoIterator<Item = (Handle<T>, T, T)>,
    ) {
        self.append_assets(edits.into_iter().map(|(handle, old, new)| {
            let (old, new) = (handle.new_version(old), handle.new_version(new));
            Box::new(RecordedAsset { handle, old, new, is_foreign: true }) as Box<dyn AnyAssetEdit>
        }));
    }

    fn append_assets(&mut self, edits: impl Iterator<Item = Box<dyn AnyAssetEdit>>) {
        let mut merged = AssetEdits::from(std::mem::take(&mut self.assets));
        edits.for_each(|edit| _ = merged.push(edit));
        self.assets = merged.into_vec();
    }

    /// Returns the environment before and after the edits, if they changed it.
    #[must_use]
    pub fn environment(&self) -> Option<&[Environment; 2]> {
        self.environment.as_deref()
    }

    /// Sets the environment before and after the edits.
    pub fn set_environment(&mut self, change: Option<[Environment; 2]>) {
        self.environment = change.map(Box::new);
    }

    /// Returns the name of the scene before and after the edits, if they changed it.
    #[must_use]
    pub fn scene_name(&self) -> Option<&[String; 2]> {
        self.name.as_deref()
    }

    /// Sets the name of the scene before and after the edits.
    pub fn set_scene_name(&mut self, change: Option<[String; 2]>) {
        self.name = change.map(Box::new);
    }

    /// Returns the ids of the assets that were edited.
    pub fn assets(&self) -> impl Iterator<Item = AssetId> + '_ {
        self.assets.iter().map(|edit| edit.id())
    }

    /// Returns the memory that the patch uses, in bytes, with that of the values that it keeps alive
    /// ([`Component::byte_size`](crate::Component::byte_size),
    /// [`Asset::byte_size`](crate::Asset::byte_size)) and of
    /// [parked](pleach_graph::Graph::parked_count) nodes.
    ///
    /// The assets that were used before the edits and are not after them, such as those of a removed
    /// mesh, count once in each patch. That is an upper bound: something else may use them, too.
    #[must_use]
    pub fn byte_size(&self) -> usize {
        size_of::<Self>()
            + self.graph.byte_size()
            + self.rows.iter().map(|rows| rows.byte_size()).sum::<usize>()
            + self.assets.iter().map(|edit| edit.byte_size()).sum::<usize>()
            + self.environment.as_ref().map_or(0, |environments| size_of_val(&**environments))
            + self.name.as_ref().map_or(0, |names| names[0].len() + names[1].len())
            + self.asset_bytes()
    }

    /// Returns the memory of the assets that were used before the edits and are not after them.
    fn asset_bytes(&self) -> usize {
        let mut assets = Content::of_assets();
        self.assets.iter().for_each(|edit| edit.count_assets(&mut assets));
        self.rows.iter().for_each(|rows| rows.count_assets(&mut assets));
        if let Some([old, new]) = self.environment.as_deref() {
            assets.count_without(|it| new.write_content(it), |it| old.write_content(it));
        }
        assets.asset_bytes()
    }

    /// Appends the edits of `next`, which begins with the revision that this patch ends with, and
    /// merges those of the same property. Returns `false`, and appends nothing, if it does not.
    pub fn append(&mut self, next: &Self) -> bool {
        if !self.graph.append(&next.graph) {
            return false;
        }
        // Updates write the transforms of constrained nodes without recording it.
        let constrained: BTreeSet<NodeId> = [&*self, next]
            .into_iter()
            .flat_map(|patch| patch.row_edits::<Constraint>())
            .map(RowEdit::node)
            .collect();
        self.graph.squash_keeping(|node| constrained.contains(&node));
        for rows in &next.rows {
            if self.rows.iter_mut().any(|earlier| earlier.append(&**rows)) {
                continue;
            }
            self.rows.push(rows.clone());
        }
        self.rows.iter_mut().for_each(|rows| rows.squash());
        self.rows.retain(|rows| rows.len() > 0);
        self.append_assets(next.assets.iter().cloned());
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
    /// [`Graph::apply`](pleach_graph::Graph::apply). [`Error::Row`] if it inserts a component of a node
    /// that does not exist afterwards. Rows that were written outside of transactions are replaced
    /// whatever they are; [`check_patch`](Self::check_patch) is stricter. [`Error::AssetEdit`] if an
    /// asset that the patch edits was edited outside of the transactions of this scene, also by a
    /// clone of it: the scenes share their assets.
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
        self.perform(patch, &patch.graph, true)
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
        self.perform(patch, &patch.graph.invert(), false)
    }

    /// Performs or undoes a patch, whose edits of the graph are then `graph`.
    fn perform(&mut self, patch: &ScenePatch, graph: &Patch, forward: bool) -> Result<(), Error> {
        self.check_revision(graph)?;
        self.check_rows(patch, graph, forward, false)?;
        check_assets(patch, forward)?;
        let has_lineage = self.graph.lineage() != 0;
        if !has_lineage {
            self.graph.set_revision(graph.lineage(), graph.revisions().0);
        }
        if let Err(error) = self.graph.apply(graph) {
            if !has_lineage {
                self.graph.set_revision(0, 0);
            }
            return Err(error.into());
        }
        self.apply_others(patch, forward);
        Ok(())
    }

    /// Checks that [`apply`](Self::apply) would succeed, without changing anything, and that the rows
    /// that the patch changes or removes exist, and those that it inserts do not.
    ///
    /// # Errors
    ///
    /// Those of [`apply`](Self::apply), and [`Error::Row`] for other rows.
    ///
    /// ```
    /// # use pleach::{Camera, Error, Node, Scene};
    /// let mut scene = Scene::new();
    /// let node = scene.spawn(Node::camera(Camera::default()))?;
    /// let (_, patch) = scene.transact("Remove", |scene| Ok::<_, Error>(scene.cameras.remove(node)))?;
    /// scene.revert(&patch)?;
    /// assert!(scene.check_patch(&patch).is_ok());
    /// scene.cameras.remove(node);
    /// assert!(scene.check_patch(&patch).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check_patch(&self, patch: &ScenePatch) -> Result<(), Error> {
        self.check_revision(&patch.graph)?;
        self.graph.check_edits(&patch.graph)?;
        check_assets(patch, true)?;
        self.check_rows(patch, &patch.graph, true, true)
    }

    /// Checks the edits of rows, which follow edits of the graph. The rows must be those that the
    /// patch expects if it `is_strict`.
    fn check_rows(
        &self,
        patch: &ScenePatch,
        graph: &Patch,
        forward: bool,
        is_strict: bool,
    ) -> Result<(), Error> {
        if patch.rows.is_empty() {
            return Ok(());
        }
        let fates = fates(graph);
        let is_alive = |node: NodeId| match fates.binary_search_by_key(&node, |fate| fate.0) {
            Ok(at) => fates[at].1,
            Err(_) => self.graph.contains(node),
        };
        for rows in &patch.rows {
            let expected = if is_strict {
                Expected::Rows(self.tables().find(|&table| rows.is_of(table)))
            } else {
                Expected::Any
            };
            rows.check(expected, forward, &is_alive)?;
        }
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

/// Checks that the assets have the values that the edits begin with.
fn check_assets(patch: &ScenePatch, forward: bool) -> Result<(), Error> {
    Ok(patch.assets.iter().try_for_each(|edit| edit.check(forward))?)
}

/// Returns the nodes that a patch adds or removes, in order, and whether they exist after it.
fn fates(patch: &Patch) -> Vec<(NodeId, bool)> {
    let mut fates: Vec<(NodeId, bool)> = Vec::new();
    for edit in patch.iter().rev() {
        let is_added = matches!(*edit, Edit::Add(_));
        if is_added || matches!(*edit, Edit::Remove(_)) {
            fates.extend(edit.nodes().map(|node| (node, is_added)));
        }
    }
    // The last edit of a node is the first one here.
    fates.sort_by_key(|fate| fate.0);
    fates.dedup_by_key(|fate| fate.0);
    fates
}
