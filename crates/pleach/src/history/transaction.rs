//! `Scene::transact`: the recording of everything about a scene at once.
//!
//! The graph, the tables and the registry of assets record by themselves while a transaction runs;
//! environment and name are compared with what they were. Rows of nodes that a transaction removes
//! are dropped at its end at the latest, so that its patch has them.
//!
//! Invariant: while transactions run, the graph, every table and the registry are in as many of them
//! as `begins` has entries.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use pleach_graph::{Edit, NodeId, Patch};

use super::revisions::salt;
use super::scene_patch::ScenePatch;
use crate::components::AnyTable;
use crate::content::Comparison;
use crate::{Assets, Environment, Error, Scene};

/// The transactions of a scene that run.
#[derive(Debug, Default)]
pub(crate) struct SceneRecorder {
    begins: Vec<Begin>,
    /// Identifies the scene to its registry of assets; 0 before the first transaction.
    scene: u64,
}

#[derive(Debug)]
struct Begin {
    environment: Environment,
    name: String,
    assets: Assets,
    /// `false` while all transactions before it were rolled back, or there were none.
    has_lineage: bool,
}

impl Clone for SceneRecorder {
    /// A clone does not take part in the transactions that run.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SceneRecorder {
    /// Lets a table that was just created take part in the transactions that run.
    pub(crate) fn begin_table(&self, table: &mut dyn AnyTable) {
        self.begins.iter().for_each(|_| table.begin_recording());
    }
}

impl Scene {
    /// Calls `edit`, and returns its result with a [`ScenePatch`] of everything that it changed: nodes,
    /// components of any kind, assets edited in place, environment and name. If it returns an error
    /// or panics, all of that is undone.
    ///
    /// Inside, the scene is edited and read as usual; every edit takes effect at once. Poses that
    /// [`animate`](Self::animate) and constraints write are not recorded. A transaction inside of
    /// another one joins it: see [`Graph::transact`](pleach_graph::Graph::transact), also for the cost.
    /// [`History::transact`](crate::History::transact) keeps the patch for an undo.
    ///
    /// # Errors
    ///
    /// Those of `edit`; and [`Error::Replaced`] if it replaced the whole graph, a whole table or the
    /// registry of assets (`scene.meshes = …`), which cannot be undone.
    ///
    /// ```
    /// # use pleach::{Error, Light, Node, Scene, glam::Vec3};
    /// let mut scene = Scene::new();
    /// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 100.0)))?;
    ///
    /// let (_, patch) = scene.transact("Dim the lamp", |scene| {
    ///     scene.insert(lamp, Light::point(Vec3::ONE, 10.0))
    /// })?;
    /// scene.revert(&patch)?;
    /// assert_eq!(scene.light(lamp), Some(&Light::point(Vec3::ONE, 100.0)));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias("undo", "redo", "transaction", "record"))]
    pub fn transact<T, E: From<Error>>(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(T, ScenePatch), E> {
        self.begin_transaction();
        let mut running = Running { scene: self, is_over: false };
        let value = edit(running.scene)?;
        running.is_over = true;
        let patch = running.scene.commit(label)?;
        Ok((value, patch))
    }

    /// Begins a transaction that ends with [`commit`](Self::commit) or
    /// [`roll_back`](Self::roll_back): [`transact`](Self::transact) without a closure, for example for
    /// a drag from pressing the mouse button to its release.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// scene.begin_transaction();
    /// scene.spawn(Node::group())?;
    /// let patch = scene.commit("Add group")?;
    /// assert_eq!(patch.graph().len(), 1);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn begin_transaction(&mut self) {
        let begin = Begin {
            environment: self.environment.clone(),
            name: self.name.clone(),
            assets: self.assets.clone(),
            has_lineage: self.graph.lineage() != 0,
        };
        self.recorder.begins.push(begin);
        if self.recorder.scene == 0 {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            self.recorder.scene = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        self.begin_lineage();
        self.graph.begin_transaction();
        self.assets.begin_recording(self.recorder.scene);
        self.graph_and_tables_mut().1.for_each(|table| table.begin_recording());
    }

    /// Ends the innermost transaction, and returns its patch: an empty one if it is part of another.
    ///
    /// # Errors
    ///
    /// [`Error::NoTransaction`], or [`Error::Replaced`], which rolls back what can be.
    ///
    /// ```
    /// # use pleach::Scene;
    /// let mut scene = Scene::new();
    /// scene.begin_transaction();
    /// scene.environment.ambient.intensity = 1.0;
    /// let patch = scene.commit("Light")?;
    /// scene.revert(&patch)?;
    /// assert_eq!(scene.environment.ambient.intensity, 0.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn commit(&mut self, label: &str) -> Result<ScenePatch, Error> {
        if self.recorder.begins.is_empty() {
            return Err(Error::NoTransaction);
        }
        if let Some(replaced) = self.replaced() {
            self.roll_back();
            return Err(Error::Replaced(replaced));
        }
        self.record_constrained();
        let graph = self.graph.commit(label).ok_or(Error::Replaced("graph"))?;
        let is_outermost = self.recorder.begins.len() == 1;
        if is_outermost {
            self.drop_rows_of(&graph);
        }
        let mut patch = ScenePatch::from_graph(graph);
        let tables = self.graph_and_tables_mut().1;
        patch.rows = tables.filter_map(|table| table.end_recording()).collect();
        patch.assets = self.assets.end_recording(self.recorder.scene);
        let Some(begin) = self.recorder.begins.pop() else { return Err(Error::NoTransaction) };
        if is_outermost {
            let [old, new] = [&begin.environment, &self.environment];
            // By bits: `==` holds for 0 and -0.
            if !Comparison::new().is_same(|it| old.write_content(it), |it| new.write_content(it)) {
                patch.environment = Some(Box::new([begin.environment, self.environment.clone()]));
            }
            if begin.name != self.name {
                patch.name = Some(Box::new([begin.name, self.name.clone()]));
            }
            if !patch.is_empty() {
                let salt = salt(&patch);
                patch.graph.add_to_result(salt);
                self.graph.set_revision(patch.graph.lineage(), patch.graph.revisions().1);
            }
        }
        Ok(patch)
    }

    /// Undoes everything since the innermost transaction began, and ends it. Returns `false` if none
    /// runs.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// let mut scene = Scene::new();
    /// scene.begin_transaction();
    /// let node = scene.spawn(Node::group())?;
    /// assert!(scene.roll_back() && !scene.graph.contains(node));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn roll_back(&mut self) -> bool {
        let Some(begin) = self.recorder.begins.pop() else { return false };
        self.graph.roll_back();
        self.graph_and_tables_mut().1.for_each(|table| table.roll_back_recording());
        begin.assets.roll_back_recording(self.recorder.scene);
        self.environment = begin.environment;
        self.name = begin.name;
        if !begin.has_lineage {
            // It begins with the scene as the next transaction finds it.
            self.graph.set_revision(0, 0);
        }
        true
    }

    /// Returns `true` while a transaction runs.
    #[must_use]
    pub fn is_in_transaction(&self) -> bool {
        !self.recorder.begins.is_empty()
    }

    /// Records the transforms of nodes that were given a constraint by the transaction that runs: an
    /// update overwrites them without recording that.
    pub(crate) fn record_constrained(&mut self) {
        if self.is_in_transaction() {
            for node in self.constraints.recorded_nodes() {
                self.graph.record_local(node);
            }
        }
    }

    /// Returns what was replaced as a whole since the transaction began.
    fn replaced(&mut self) -> Option<&'static str> {
        if !self.graph.is_in_transaction() {
            return Some("graph");
        }
        let begin = self.recorder.begins.last()?;
        if !begin.assets.is_same(&self.assets) {
            return Some("registry of assets");
        }
        let mut tables = self.graph_and_tables_mut().1;
        tables.find_map(|table| (!table.is_recording()).then_some(table.name()))
    }

    /// Drops the rows of nodes that a patch removed, if they were removed from the graph alone.
    fn drop_rows_of(&mut self, patch: &Patch) {
        let mut removed: Vec<NodeId> = Vec::new();
        for edit in patch.iter().filter(|edit| matches!(**edit, Edit::Remove(_))) {
            removed.extend(edit.nodes().filter(|&node| !self.graph.contains(node)));
        }
        if !removed.is_empty() {
            self.graph_and_tables_mut().1.for_each(|table| table.drop_removed(&removed));
        }
    }
}

/// A transaction that runs: rolled back when it is dropped before it is over.
struct Running<'a> {
    scene: &'a mut Scene,
    is_over: bool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !mem::replace(&mut self.is_over, true) {
            self.scene.roll_back();
        }
    }
}
