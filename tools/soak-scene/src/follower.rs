//! `Follower`: a copy of a scene that follows it by patches, which are written and read, as on another
//! machine.
//!
//! Invariant: both maps number the same assets alike.

use pleach::undo::ScenePatch;
use pleach::{NodeId, Scene};
use pleach_format::{AssetMap, Options};
use testkit::Rng;

use crate::pair::{Result, ensure};
use crate::state::State;

/// A copy, and the maps of the assets of both sides.
#[derive(Debug)]
pub struct Follower {
    scene: Scene,
    map: AssetMap,
    map_of_leader: AssetMap,
}

impl Follower {
    /// Creates a copy by a snapshot.
    ///
    /// # Errors
    ///
    /// If the snapshot cannot be written or read.
    pub fn of(leader: &Scene, options: &Options) -> Result<Self> {
        let bytes = options.to_bytes(leader, &[]).map_err(|error| error.to_string())?;
        let scene = options.from_bytes(&bytes).map_err(|error| error.to_string())?.scene;
        let (map, map_of_leader) = (AssetMap::of_scene(&scene), AssetMap::of_scene(leader));
        Ok(Self { scene, map, map_of_leader })
    }

    /// Performs a patch of the leader, and returns that of the copy.
    ///
    /// # Errors
    ///
    /// If it cannot be written or read, or does not fit.
    pub fn follow(
        &mut self,
        patch: &ScenePatch,
        options: &Options,
        as_text: bool,
    ) -> Result<ScenePatch> {
        let Self { scene, map, map_of_leader } = self;
        let read = if as_text {
            let text = options.scene_patch_to_json(patch, map_of_leader);
            let text = text.map_err(|error| error.to_string())?;
            options.scene_patch_from_json(&text, scene, map)
        } else {
            let bytes = options.scene_patch_to_bytes(patch, map_of_leader);
            let bytes = bytes.map_err(|error| error.to_string())?;
            options.scene_patch_from_bytes(&bytes, scene, map)
        };
        let read = read.map_err(|error| format!("the copy cannot read a patch: {error}"))?;
        scene.apply(&read).map_err(|error| format!("the copy cannot follow: {error}"))?;
        Ok(read)
    }

    /// Undoes patches, the last one first.
    ///
    /// # Errors
    ///
    /// If one does not fit.
    pub fn undo(&mut self, patches: &[ScenePatch]) -> Result {
        let mut patches = patches.iter().rev();
        let result = patches.try_for_each(|patch| self.scene.revert(patch));
        result.map_err(|error| format!("the copy cannot undo: {error}"))
    }

    /// Performs patches again.
    ///
    /// # Errors
    ///
    /// If one does not fit.
    pub fn redo(&mut self, patches: &[ScenePatch]) -> Result {
        let result = patches.iter().try_for_each(|patch| self.scene.apply(patch));
        result.map_err(|error| format!("the copy cannot redo: {error}"))
    }

    /// Undoes the latest patch in a clone of the copy from which a node was removed that it edits. Returns
    /// `false` if it edits none.
    ///
    /// # Errors
    ///
    /// If it is not rejected, or changes something.
    pub fn undo_without_a_node(&self, patch: &ScenePatch, random: &mut Rng) -> Result<bool> {
        let mut scene = self.scene.clone();
        let edited = patch.graph().iter().flat_map(|edit| edit.nodes().collect::<Vec<_>>());
        let is_removable = |&node: &NodeId| node != scene.root() && scene.graph.contains(node);
        let nodes: Vec<NodeId> = edited.filter(is_removable).collect();
        let Some(&node) = random.choose(&nodes) else { return Ok(false) };
        scene.graph.remove(node).map_err(|error| error.to_string())?;
        let (before, revision) = (State::of(&scene), scene.graph.revision());
        ensure(scene.revert(patch).is_err(), || format!("{node} came back to life"))?;
        let difference = State::of(&scene).difference(&before, true);
        let is_same = difference.is_none() && scene.graph.revision() == revision;
        ensure(is_same, || format!("a rejected patch changed the scene: {difference:?}"))?;
        Ok(true)
    }

    /// Updates the copy.
    ///
    /// # Errors
    ///
    /// That of the update.
    pub fn update(&mut self) -> Result {
        self.scene.update().map(drop).map_err(|error| error.to_string())
    }

    /// Compares the copy with what it should be.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(&self, state: &State, leader: &Scene) -> Result {
        let (ours, theirs) = (self.scene.graph.revision(), leader.graph.revision());
        // The lineage of the copy begins with the first patch, that of the leader with the first transaction, which may be empty.
        let is_same = ours == theirs || (ours == 0 && theirs == leader.graph.lineage());
        ensure(is_same, || format!("the copy has revision {ours}, not {theirs}"))?;
        let difference = State::of(&self.scene).difference(state, false);
        difference.map_or(Ok(()), |what| Err(format!("the copy: {what}")))
    }
}
