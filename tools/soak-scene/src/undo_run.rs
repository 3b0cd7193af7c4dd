//! `UndoRun`: a scene that is edited, undone, redone, merged, forgotten, written and loaded in any
//! order, against copies of its whole state. A copy follows it by patches for a while.
//!
//! Invariant: `undo` and `redo` have the states before and after the steps that the history can undo
//! and redo, and `state` is that of the scene.

use std::collections::VecDeque;

use pleach::report::SceneProblemKind;
use pleach::undo::ScenePatch;
use pleach::{Error, History, NodeId, Scene};
use pleach_format::Options;
use testkit::Rng;

use crate::follower::Follower;
use crate::pair::{Result, ensure};
use crate::random_edit::{SharedAssets, edit_some};
use crate::state::{Health, State};

/// A step that can be undone.
struct Done {
    label: String,
    before: State,
    after: State,
    /// The patches by which the copy follows; `None` if it did not follow all of them.
    followed: Option<Vec<ScenePatch>>,
}

/// A scene, its history, and what both should be.
pub struct UndoRun {
    scene: Scene,
    assets: SharedAssets,
    history: History,
    random: Rng,
    state: State,
    undo: VecDeque<Done>,
    redo: Vec<Done>,
    /// Files, with the states that they have.
    snapshots: Vec<(Vec<u8>, State)>,
    /// Handles that were issued by transactions that failed: dead forever.
    dead: Vec<NodeId>,
    /// A copy that follows by patches.
    follower: Option<Follower>,
    /// The latest states without constraints, with the world matrices of an update.
    updated: VecDeque<(State, Vec<u64>)>,
    steps: u64,
    /// The number of values compared.
    pub compared: u64,
    /// The number of patches by which a copy followed.
    pub followed: u64,
    /// The number of patches that were rejected by a scene that they do not fit.
    pub rejected: u64,
}

impl std::fmt::Debug for UndoRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UndoRun of {} nodes after {} steps", self.scene.graph.len(), self.steps)
    }
}

/// The number of states whose world matrices are kept.
const KEPT_WORLDS: usize = 8;

/// The number of dead handles that are checked after each step: the latest ones.
const CHECKED_HANDLES: usize = 32;

fn options() -> Options {
    Options::new().component::<Health>()
}

impl UndoRun {
    /// Creates an empty scene, whose steps follow from the seed. Every other history has a limit of
    /// some kilobytes.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        scene.register::<Health>();
        let limit = if random.one_in(2) { usize::MAX } else { 2_000 << random.below(5) };
        Self {
            assets: SharedAssets::of(&scene),
            history: History::with_limit(limit),
            state: State::of(&scene),
            scene,
            random,
            undo: VecDeque::new(),
            redo: Vec::new(),
            snapshots: Vec::new(),
            dead: Vec::new(),
            follower: None,
            updated: VecDeque::new(),
            steps: 0,
            compared: 0,
            followed: 0,
            rejected: 0,
        }
    }

    /// Performs one random step, and compares the scene with what it should be.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn step(&mut self) -> Result {
        let number = self.random.below(100);
        let result = match number {
            0..32 => self.edit(None),
            // Merged with the step before, if that has the same key.
            32..40 => self.edit(Some("x")),
            40..42 => self.edit(Some("y")),
            42..48 => self.fail(),
            48..68 => self.undo(),
            68..84 => self.redo(),
            84..88 => self.compare_clone(),
            88..93 => self.snapshot(),
            93..96 => self.load(),
            96 => self.forget(),
            97 => self.begin_to_follow(),
            _ => self.update(),
        };
        self.steps += 1;
        result
            .and_then(|()| self.compare())
            .map_err(|what| format!("step {} of kind {number}: {what}", self.steps))
    }

    fn edit(&mut self, key: Option<&str>) -> Result {
        let label = format!("step {}", self.steps);
        let Self { scene, assets, history, random, follower, .. } = self;
        let mut result = Ok(());
        let run = |scene: &mut Scene| {
            result = edit_some(scene, assets, random, &mut Vec::new());
            Ok::<_, Error>(())
        };
        let count = history.undo_labels().len();
        let done = scene.transact(&label, run).map_err(|error: Error| error.to_string());
        let ((), patch) = done?;
        result?;
        let followed = match follower {
            Some(copy) if !patch.is_empty() => {
                Some(copy.follow(&patch, &options(), random.one_in(3))?)
            }
            _ => None,
        };
        match key {
            Some(key) => history.push_merged(scene, patch, key),
            None => history.push(scene, patch),
        }
        let dropped = history.take_dropped();
        self.followed += u64::from(followed.is_some());
        let added = history.undo_labels().len() + dropped.len() - count;
        let after = State::of(&self.scene);
        let before = std::mem::replace(&mut self.state, after.clone());
        if added > 0 {
            self.redo.clear();
            let followed = followed.map(|patch| vec![patch]);
            self.undo.push_back(Done { label, before, after, followed });
        } else if before != after || followed.is_some() {
            // Part of the step before.
            let last = self.undo.back_mut().ok_or("the edits were not recorded")?;
            ensure(key.is_some(), || "a step was merged without a key".into())?;
            last.after = after;
            match (&mut last.followed, followed) {
                (Some(patches), Some(patch)) => patches.push(patch),
                (patches, _) => *patches = None,
            }
        }
        for label in dropped {
            let oldest = self.undo.pop_front().map(|done| done.label);
            ensure(oldest.as_deref() == Some(&*label), || format!("{label} was dropped"))?;
        }
        let is_within = self.history.byte_size() <= self.history.limit() || self.undo.len() <= 1;
        ensure(is_within, || format!("the history has {} bytes", self.history.byte_size()))
    }

    /// Edits in a transaction that returns an error.
    fn fail(&mut self) -> Result {
        let Self { scene, assets, random, dead, .. } = self;
        let mut result = Ok(());
        let failed = scene.transact("fails", |scene| {
            result = edit_some(scene, assets, random, dead);
            Err::<(), _>(Error::NoTransaction)
        });
        ensure(failed.is_err(), || "the error was lost".into())?;
        result
    }

    fn undo(&mut self) -> Result {
        let label = self.history.undo(&mut self.scene).map_err(|error| error.to_string())?;
        let done = self.undo.pop_back();
        let expected = done.as_ref().map(|done| done.label.as_str());
        ensure(label == expected, || format!("{label:?} was undone, not {expected:?}"))?;
        if let Some(done) = done {
            self.state = done.before.clone();
            match (&mut self.follower, &done.followed) {
                (Some(copy), Some(patches)) => copy.undo(patches)?,
                (follower, _) => *follower = None,
            }
            self.redo.push(done);
        }
        Ok(())
    }

    fn redo(&mut self) -> Result {
        let label = self.history.redo(&mut self.scene).map_err(|error| error.to_string())?;
        let done = self.redo.pop();
        let expected = done.as_ref().map(|done| done.label.as_str());
        ensure(label == expected, || format!("{label:?} was redone, not {expected:?}"))?;
        if let Some(done) = done {
            self.state = done.after.clone();
            match (&mut self.follower, &done.followed) {
                (Some(copy), Some(patches)) => copy.redo(patches)?,
                (follower, _) => *follower = None,
            }
            self.undo.push_back(done);
        }
        Ok(())
    }

    /// Replaces the copy by one of the current state, which cannot follow back to earlier ones.
    fn begin_to_follow(&mut self) -> Result {
        self.follower = Some(Follower::of(&self.scene, &options())?);
        self.undo.iter_mut().chain(&mut self.redo).for_each(|done| done.followed = None);
        Ok(())
    }

    fn compare_clone(&mut self) -> Result {
        compare_states(&State::of(&self.scene.clone()), &self.state, true)?;
        let patches = self.undo.back().and_then(|done| done.followed.as_ref());
        if let (Some(copy), Some([.., patch])) = (&self.follower, patches.map(Vec::as_slice)) {
            self.rejected += u64::from(copy.undo_without_a_node(patch, &mut self.random)?);
        }
        Ok(())
    }

    /// Writes the scene. Up to four files are kept.
    fn snapshot(&mut self) -> Result {
        let bytes = options().to_bytes(&self.scene, &[]).map_err(|error| error.to_string())?;
        if self.snapshots.len() == 4 {
            self.snapshots.swap_remove(self.random.below(4));
        }
        self.snapshots.push((bytes, self.state.clone()));
        Ok(())
    }

    /// Replaces the scene by one from a file, which has no history. Its handles are the same.
    fn load(&mut self) -> Result {
        let Some((bytes, state)) = self.random.choose(&self.snapshots) else { return Ok(()) };
        let snapshot = options().from_bytes(bytes).map_err(|error| error.to_string())?;
        self.scene = snapshot.scene;
        let loaded = State::of(&self.scene);
        compare_states(&loaded, state, false)?;
        let again = options().to_bytes(&self.scene, &[]).map_err(|error| error.to_string())?;
        ensure(again == *bytes, || "a loaded scene is written as other bytes".into())?;
        self.state = loaded;
        self.assets = SharedAssets::of(&self.scene);
        self.history = History::with_limit(self.history.limit());
        (self.undo, self.redo) = (VecDeque::new(), Vec::new());
        self.follower = None;
        // The loaded scene may issue handles that were issued after it was written.
        self.dead.clear();
        Ok(())
    }

    fn forget(&mut self) -> Result {
        self.history.clear(&mut self.scene);
        (self.undo, self.redo) = (VecDeque::new(), Vec::new());
        let parked = self.scene.graph.parked_count();
        ensure(parked == 0, || format!("{parked} nodes are parked"))
    }

    fn update(&mut self) -> Result {
        self.scene.update().map_err(|error| error.to_string())?;
        if let Some(copy) = &mut self.follower {
            copy.update()?;
        }
        // Edits remove nodes that others refer to, and give skins to any node.
        let is_expected = |kind: &SceneProblemKind| {
            matches!(
                kind,
                SceneProblemKind::DeadJoint { .. }
                    | SceneProblemKind::DeadLevel { .. }
                    | SceneProblemKind::DeadTarget
                    | SceneProblemKind::SkinWithoutMesh
                    | SceneProblemKind::NoInfluences { .. }
            )
        };
        let problems: Vec<_> =
            self.scene.check().into_iter().filter(|it| !is_expected(&it.kind)).collect();
        ensure(problems.is_empty(), || format!("{problems:?}"))?;
        self.compare_worlds()
    }

    /// Compares the world matrices of an update with those of the earlier ones in the same state.
    fn compare_worlds(&mut self) -> Result {
        if !self.scene.constraints.is_empty() {
            return Ok(());
        }
        let (state, worlds) = (State::of(&self.scene), State::worlds(&self.scene));
        self.compared += worlds.len() as u64;
        match self.updated.iter().find(|(earlier, _)| *earlier == state) {
            Some((_, earlier)) => {
                ensure(*earlier == worlds, || "an update writes other world matrices".into())
            }
            None => {
                self.updated.push_back((state, worlds));
                let excess = self.updated.len().saturating_sub(KEPT_WORLDS);
                self.updated.drain(..excess);
                Ok(())
            }
        }
    }

    fn compare(&mut self) -> Result {
        let state = State::of(&self.scene);
        self.compared += state.value_count() as u64;
        compare_states(&state, &self.state, true)?;
        if let Some(copy) = &self.follower {
            copy.compare(&self.state, &self.scene)?;
        }
        let problems = self.scene.graph.check();
        ensure(problems.is_empty(), || format!("{problems:?}"))?;
        let excess = self.dead.len().saturating_sub(CHECKED_HANDLES);
        self.dead.drain(..excess);
        let alive = self.dead.iter().find(|&&node| self.scene.graph.contains(node));
        ensure(alive.is_none(), || format!("{alive:?} is alive again"))
    }
}

fn compare_states(ours: &State, expected: &State, compares_ids: bool) -> Result {
    ours.difference(expected, compares_ids).map_or(Ok(()), Err)
}
