//! Revisions of a scene: which state of it a patch begins and ends with.
//!
//! The first one, the lineage, is a hash of the whole scene when its first transaction begins that is not
//! rolled back: nodes, components, the assets that they use, environment and name. So the same file, loaded
//! on two machines, has the same lineage on both. A patch leads to a hash of the revision before it and of
//! the values after its edits, which it stores: whoever applies it reaches the same one.
//!
//! A kind without [content](Component::write_content) is not part of the lineage, and an edit of it
//! leads to a revision that no other edit leads to.
//!
//! [Component::write_content]: crate::Component::write_content

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::OnceLock;

use pleach_graph::Patch;

use super::scene_patch::ScenePatch;
use crate::content::Content;
use crate::stamp::next_stamp;
use crate::{Error, Scene};

impl Scene {
    /// Begins the lineage, unless a transaction or a patch did.
    pub(super) fn begin_lineage(&mut self) {
        if self.graph.lineage() == 0 {
            let lineage = self.state_hash();
            self.graph.set_revision(lineage, lineage);
        }
    }

    /// Returns a hash of everything that a patch can change, which is not 0.
    fn state_hash(&self) -> u64 {
        let mut content = Content::of_scene();
        content.write_u64(self.graph.state_hash());
        self.name.hash(&mut content);
        self.environment.write_content(&mut content);
        // Tables of users' own kinds are in the order of their registration.
        let mut tables: Vec<_> = self.tables().filter(|table| table.row_count() > 0).collect();
        tables.sort_by_key(|table| table.name());
        tables.into_iter().for_each(|table| table.write_content(&self.graph, &mut content));
        content.finish().max(1)
    }

    /// Checks that a patch belongs to this scene and begins with its current revision. Takes constant
    /// time, but reads the whole scene before the first transaction.
    ///
    /// # Errors
    ///
    /// [`Error::Patch`].
    ///
    /// ```
    /// # use pleach::{Error, Light, Node, Scene, glam::Vec3};
    /// let mut scene = Scene::new();
    /// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0)))?;
    /// let mut other = scene.clone();
    /// let brighten = |scene: &mut Scene, candela: f32| {
    ///     scene.transact("Brighten", |scene| scene.insert(lamp, Light::point(Vec3::ONE, candela)))
    /// };
    /// brighten(&mut scene, 2.0)?;
    /// brighten(&mut other, 3.0)?;
    /// let (_, next) = brighten(&mut scene, 4.0)?;
    /// assert!(other.check_revision(next.graph()).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check_revision(&self, patch: &Patch) -> Result<(), Error> {
        // A patch of the graph alone has the lineage of that.
        if self.graph.lineage() != 0 || patch.lineage() == self.graph.state_hash() {
            return Ok(self.graph.check_revision(patch)?);
        }
        Ok(self.graph.check_revision_before(patch, self.state_hash())?)
    }
}

/// Returns a number for the edits that the graph does not know, so that they lead to a revision of
/// their own.
pub(super) fn salt(patch: &ScenePatch) -> u64 {
    let mut content = Content::of_edits();
    patch.rows.iter().for_each(|rows| rows.write_content(&mut content));
    patch.assets.iter().for_each(|edit| edit.write_content(&mut content));
    content.write_option(patch.environment.as_deref(), |content, [_, new]| {
        new.write_content(content);
    });
    content.write_option(patch.name.as_deref(), |content, [_, new]| new.hash(content));
    if !content.is_complete() {
        content.write_u64(unique_number());
    }
    content.finish() | 1
}

/// Returns a number that is not returned again. Other processes most likely do not return it either,
/// except where the standard library has no random numbers (wasm32-unknown-unknown).
fn unique_number() -> u64 {
    static PROCESS: OnceLock<RandomState> = OnceLock::new();
    PROCESS.get_or_init(RandomState::new).hash_one(next_stamp())
}
