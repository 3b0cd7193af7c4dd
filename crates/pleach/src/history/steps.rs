//! `History`: the patches that can be undone and redone.
//!
//! Invariants: `undo` ends with the patch that was applied last, `redo` with the one that was undone
//! last. `bytes` is the sum of their sizes, and above `limit` only if there is a single step.

use std::collections::VecDeque;

use super::scene_patch::ScenePatch;
use crate::{Error, Scene};

/// The edits of a scene that can be undone and redone.
///
/// Every step is a [`ScenePatch`]. An undone node comes back with its handle, name, components and
/// place, bit for bit. What a step needs is kept as long as the history has it: removed nodes are
/// [parked](pleach_graph::Graph::is_parked), assets are not released.
///
/// ```
/// # use pleach::{Error, History, Node, Scene};
/// let (mut scene, mut history) = (Scene::new(), History::new());
/// let lamp = history.transact(&mut scene, "Add lamp", |scene| scene.spawn(Node::group().named("lamp")))?;
/// history.transact(&mut scene, "Delete lamp", |scene| scene.remove(lamp))?;
///
/// assert_eq!(history.undo(&mut scene)?, Some("Delete lamp"));
/// assert_eq!(scene.find("lamp"), Some(lamp));                  // the same handle
/// assert_eq!(history.undo(&mut scene)?, Some("Add lamp"));
/// assert_eq!(history.undo(&mut scene)?, None);                 // nothing to undo
/// assert_eq!(history.redo(&mut scene)?, Some("Add lamp"));
/// # Ok::<(), Error>(())
/// ```
#[doc(alias("UndoRedo", "undo stack", "command"))]
#[derive(Clone, Debug)]
pub struct History {
    undo: VecDeque<Step>,
    redo: Vec<Step>,
    bytes: usize,
    limit: usize,
    /// The labels of the steps that were dropped, the oldest first.
    dropped: Vec<Box<str>>,
    /// The number of the next state.
    next: u64,
    /// The state before the oldest step.
    oldest: u64,
    /// The saved state; `None` if it cannot be reached.
    saved: Option<u64>,
}

#[derive(Clone, Debug)]
struct Step {
    patch: ScenePatch,
    /// The state after the step.
    number: u64,
    bytes: usize,
    /// Later edits with this key become part of the step.
    key: Option<Box<str>>,
}

/// A state that [`History::return_to`] returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

/// The default of [`History::limit`], in bytes.
const DEFAULT_LIMIT: usize = 256 << 20;

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// Creates an empty history with a limit of 256 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// Creates an empty history that keeps steps of up to `bytes` bytes in total
    /// ([`ScenePatch::byte_size`], which is an upper bound): beyond that, it drops the oldest ones, but never the latest.
    #[must_use]
    pub fn with_limit(bytes: usize) -> Self {
        Self {
            undo: VecDeque::new(),
            redo: Vec::new(),
            bytes: 0,
            limit: bytes,
            dropped: Vec::new(),
            next: 1,
            oldest: 0,
            saved: Some(0),
        }
    }

    /// Returns the limit, in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the memory of all steps, in bytes.
    #[must_use]
    pub fn byte_size(&self) -> usize {
        self.bytes
    }

    /// Calls `edit` as a [transaction](Scene::transact), and adds a step for it, unless it changed
    /// nothing. Steps that were undone can then not be redone any more.
    ///
    /// Inside of another transaction of the scene no step is added: the edits belong to that.
    ///
    /// # Errors
    ///
    /// Same as [`Scene::transact`]. Nothing is changed then.
    pub fn transact<T, E: From<Error>>(
        &mut self,
        scene: &mut Scene,
        label: &str,
        edit: impl FnOnce(&mut Scene) -> Result<T, E>,
    ) -> Result<T, E> {
        let (value, patch) = scene.transact(label, edit)?;
        self.push(scene, patch);
        Ok(value)
    }

    /// Like [`transact`](Self::transact), but the edits become part of the latest step if that has the
    /// same key: the thousand moves of a slider are one step. An undo, a step with another key and
    /// [`end_merging`](Self::end_merging) begin a new one.
    ///
    /// # Errors
    ///
    /// Same as [`Scene::transact`].
    ///
    /// ```
    /// # use pleach::{Error, History, Node, Scene};
    /// # let (mut scene, mut history) = (Scene::new(), History::new());
    /// # let lamp = scene.spawn(Node::group())?;
    /// for x in 0..1000 {
    ///     history.transact_merged(&mut scene, "Drag lamp", "drag 1", |scene| {
    ///         scene.node_mut(lamp)?.set_translation([x as f32, 0.0, 0.0].into())?;
    ///         Ok::<_, Error>(())
    ///     })?;
    /// }
    /// assert_eq!(history.undo_labels().count(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn transact_merged<T, E: From<Error>>(
        &mut self,
        scene: &mut Scene,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut Scene) -> Result<T, E>,
    ) -> Result<T, E> {
        let (value, patch) = scene.transact(label, edit)?;
        self.push_merged(scene, patch, key);
        Ok(value)
    }

    /// Adds a step for a patch that was just recorded. Empty ones are ignored.
    pub fn push(&mut self, scene: &mut Scene, patch: ScenePatch) {
        self.push_step(scene, patch, None);
    }

    /// Adds a patch that was just recorded to the latest step, if that has the same key; otherwise
    /// adds a step with that key.
    pub fn push_merged(&mut self, scene: &mut Scene, patch: ScenePatch, key: &str) {
        if patch.is_empty() {
            return;
        }
        if let Some(last) = self.undo.back_mut()
            && self.redo.is_empty()
            && last.key.as_deref() == Some(key)
            && last.patch.append(&patch)
        {
            self.bytes -= last.bytes;
            last.bytes = last.patch.byte_size();
            self.bytes += last.bytes;
            last.number = self.next;
            self.next += 1;
            self.drop_oldest(scene);
            return;
        }
        self.push_step(scene, patch, Some(key.into()));
    }

    fn push_step(&mut self, scene: &mut Scene, patch: ScenePatch, key: Option<Box<str>>) {
        if patch.is_empty() {
            return;
        }
        self.drop_redo();
        let (number, bytes) = (self.next, patch.byte_size());
        self.next += 1;
        self.bytes += bytes;
        self.undo.push_back(Step { patch, number, bytes, key });
        self.drop_oldest(scene);
        scene.graph.free_parked();
    }

    fn drop_redo(&mut self) {
        if let Some(saved) = self.saved
            && self.redo.iter().any(|step| step.number == saved)
        {
            self.saved = None;
        }
        for step in self.redo.drain(..) {
            self.bytes -= step.bytes;
        }
    }

    fn drop_oldest(&mut self, scene: &mut Scene) {
        let mut has_dropped = false;
        while self.bytes > self.limit && self.undo.len() > 1 {
            let Some(step) = self.undo.pop_front() else { break };
            self.bytes -= step.bytes;
            // The state before the step cannot be reached any more.
            if self.saved == Some(self.oldest) {
                self.saved = None;
            }
            self.oldest = step.number;
            self.dropped.push(step.patch.label().into());
            has_dropped = true;
        }
        if has_dropped {
            scene.graph.free_parked();
        }
    }

    /// Returns the labels of the steps that were dropped because of the limit since the last call, the
    /// oldest first.
    pub fn take_dropped(&mut self) -> Vec<Box<str>> {
        std::mem::take(&mut self.dropped)
    }

    /// Undoes the latest step, and returns its label; `None` if there is nothing to undo.
    ///
    /// # Errors
    ///
    /// [`Error::Patch`] if it does not fit, because nodes were edited outside of transactions, and
    /// [`Error::AssetEdit`] if an asset was; nothing is changed then. [`Error::InTransaction`] while a
    /// transaction runs.
    pub fn undo(&mut self, scene: &mut Scene) -> Result<Option<&str>, Error> {
        check_no_transaction(scene)?;
        let Some(mut step) = self.undo.pop_back() else { return Ok(None) };
        if let Err(error) = scene.revert(&step.patch) {
            self.undo.push_back(step);
            return Err(error);
        }
        step.key = None;
        self.redo.push(step);
        Ok(self.redo_label())
    }

    /// Performs the step that was undone last again, and returns its label; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Same as [`undo`](Self::undo).
    pub fn redo(&mut self, scene: &mut Scene) -> Result<Option<&str>, Error> {
        check_no_transaction(scene)?;
        let Some(step) = self.redo.pop() else { return Ok(None) };
        if let Err(error) = scene.apply(&step.patch) {
            self.redo.push(step);
            return Err(error);
        }
        self.undo.push_back(step);
        Ok(self.undo_label())
    }

    /// Returns the label of the step that [`undo`](Self::undo) would undo.
    #[must_use]
    pub fn undo_label(&self) -> Option<&str> {
        self.undo.back().map(|step| step.patch.label())
    }

    /// Returns the label of the step that [`redo`](Self::redo) would perform.
    #[must_use]
    pub fn redo_label(&self) -> Option<&str> {
        self.redo.last().map(|step| step.patch.label())
    }

    /// Returns the labels of the steps that can be undone, the latest first.
    #[must_use]
    pub fn undo_labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.undo.iter().rev().map(|step| step.patch.label())
    }

    /// Returns the labels of the steps that can be redone, the next one first.
    #[must_use]
    pub fn redo_labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.redo.iter().rev().map(|step| step.patch.label())
    }

    /// Lets the next edits with the key of the latest step begin a new one: for example when the
    /// mouse button is released.
    pub fn end_merging(&mut self) {
        if let Some(last) = self.undo.back_mut() {
            last.key = None;
        }
    }

    /// Returns the current state, to return to.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.current())
    }

    /// Undoes or redoes steps until the scene is in a marked state. Returns `false`, and does nothing,
    /// if the history does not lead there any more.
    ///
    /// # Errors
    ///
    /// Same as [`undo`](Self::undo); the steps before the one that does not fit stay undone.
    ///
    /// ```
    /// # use pleach::{Error, History, Node, Scene};
    /// # let (mut scene, mut history) = (Scene::new(), History::new());
    /// let mark = history.mark();
    /// for _ in 0..3 {
    ///     history.transact(&mut scene, "Add", |scene| scene.spawn(Node::group()))?;
    /// }
    /// assert!(history.return_to(&mut scene, mark)?);
    /// assert_eq!(scene.graph.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn return_to(&mut self, scene: &mut Scene, mark: Mark) -> Result<bool, Error> {
        let Mark(number) = mark;
        if self.redo.iter().any(|step| step.number == number) {
            while self.current() != number {
                self.redo(scene)?;
            }
            return Ok(true);
        }
        if number != self.oldest && !self.undo.iter().any(|step| step.number == number) {
            return Ok(false);
        }
        while self.current() != number {
            self.undo(scene)?;
        }
        Ok(true)
    }

    /// Remembers that the current state was saved.
    pub fn set_saved(&mut self) {
        self.saved = Some(self.current());
    }

    /// Returns `true` if the scene is not as it was when it was saved, or when the history was created:
    /// undoing all edits since then makes it unmodified.
    ///
    /// ```
    /// # use pleach::{Error, History, Node, Scene};
    /// # let (mut scene, mut history) = (Scene::new(), History::new());
    /// history.transact(&mut scene, "Add", |scene| scene.spawn(Node::group()))?;
    /// history.set_saved();
    /// history.transact(&mut scene, "Add", |scene| scene.spawn(Node::group()))?;
    /// assert!(history.is_modified());
    /// history.undo(&mut scene)?;
    /// assert!(!history.is_modified());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn is_modified(&self) -> bool {
        self.saved != Some(self.current())
    }

    /// Drops all steps, and frees what they kept.
    pub fn clear(&mut self, scene: &mut Scene) {
        self.oldest = self.current();
        self.saved = self.saved.filter(|&saved| saved == self.oldest);
        self.undo.clear();
        self.redo.clear();
        self.bytes = 0;
        scene.graph.free_parked();
    }

    /// Returns the number of the current state.
    fn current(&self) -> u64 {
        self.undo.back().map_or(self.oldest, |step| step.number)
    }
}

fn check_no_transaction(scene: &Scene) -> Result<(), Error> {
    if scene.is_in_transaction() { Err(Error::InTransaction) } else { Ok(()) }
}
