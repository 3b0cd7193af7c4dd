//! Snapshots and patches as bytes.
//!
//! A scene has no up axis of its own in Rust; a snapshot of one whose up axis is Y contains an empty clip as a mark.

use std::sync::Arc;

use pleach::NodeId;
use pleach::animation::Clip;
use pleach::undo::ScenePatch;
use pleach_format::{AssetMap, Options};
use wasm_bindgen::prelude::*;

use super::history::push;
use crate::fault::Fault;
use crate::host::status;
use crate::node_number::MAX_GENERATION;
use crate::worlds::{World, edit, insert};

/// The name of the clip in snapshots whose up axis is Y.
const Y_UP: &str = "pleach: up axis Y";

/// Returns a snapshot. Patches that are recorded from now on can be applied to what is restored from it.
#[wasm_bindgen]
pub fn snapshot(world: u32, y_up: bool) -> Result<Vec<u8>, JsValue> {
    Ok(edit(world, |world| {
        if world.scene.is_in_transaction() {
            let message =
                "a snapshot cannot be taken inside of a transaction; take it before or after";
            return Err(Fault::new("busy", message));
        }
        world.update()?;
        let mut clips = Vec::new();
        if y_up {
            let clip = Clip::new(Y_UP, [""; 0], []).map_err(pleach::Error::from)?;
            clips.push(Arc::new(clip));
        }
        let bytes = Options::new().to_bytes(&world.scene, &clips)?;
        world.extra.asset_map = Some(AssetMap::of_scene(&world.scene));
        Ok(bytes)
    })?)
}

/// Restores a snapshot, and returns the number of the new world, plus 2^31 if its up axis is Y.
#[wasm_bindgen]
pub fn restore(bytes: &[u8]) -> Result<f64, JsValue> {
    let (world, is_y_up) = restored(bytes)?;
    let up = if is_y_up { 2_147_483_648.0 } else { 0.0 };
    Ok(f64::from(insert(world)) + up)
}

fn restored(bytes: &[u8]) -> Result<(World, bool), Fault> {
    let snapshot = Options::new().from_bytes(bytes)?;
    let graph = &snapshot.scene.graph;
    let nodes = (0..graph.parents().len()).filter_map(|slot| graph.node_at(slot));
    check_generations("snapshot", nodes)?;
    let is_y_up = snapshot.clips.iter().any(|clip| clip.name() == Y_UP);
    let mut world = World::from_scene(snapshot.scene);
    world.extra.asset_map = Some(AssetMap::of_scene(&world.scene));
    Ok((world, is_y_up))
}

/// Ends a transaction, and returns its patch as bytes. It becomes a step of a history, too, if that has a number
/// other than 0xffffffff.
#[wasm_bindgen]
pub fn commit_to_bytes(world: u32, history: u32, label: &str) -> Result<Vec<u8>, JsValue> {
    Ok(edit(world, |world| {
        let patch = world.scene.commit(label)?;
        let map = world.extra.asset_map.get_or_insert_with(|| AssetMap::of_scene(&world.scene));
        let bytes = match Options::new().scene_patch_to_bytes(&patch, map) {
            Ok(bytes) => bytes,
            Err(error) => {
                world.scene.revert(&patch)?;
                return Err(as_patch(error));
            }
        };
        push(world, history, patch, "")?;
        Ok(bytes)
    })?)
}

/// Prepares a world for patches: the assets that it has now are known to both sides.
#[wasm_bindgen]
pub fn prepare_patches(world: u32) -> u32 {
    status(edit(world, |world| {
        let World { scene, extra, .. } = world;
        extra.asset_map.get_or_insert_with(|| AssetMap::of_scene(scene));
        Ok(())
    }))
}

/// Applies a patch, which becomes a step of a history, too, if that has a number other than 0xffffffff.
#[wasm_bindgen]
pub fn apply_patch(world: u32, history: u32, bytes: &[u8]) -> u32 {
    status(edit(world, |world| {
        let patch = applied(world, bytes)?;
        push(world, history, patch, "")
    }))
}

fn applied(world: &mut World, bytes: &[u8]) -> Result<ScenePatch, Fault> {
    let World { scene, extra, .. } = world;
    if scene.is_in_transaction() {
        return Err(Fault::new("busy", "a patch cannot be applied inside of a transaction"));
    }
    let map = extra.asset_map.get_or_insert_with(|| AssetMap::of_scene(scene));
    let patch = Options::new().scene_patch_from_bytes(bytes, scene, map).map_err(as_patch)?;
    for edit in patch.graph() {
        check_generations("patch", edit.nodes())?;
    }
    scene.apply(&patch)?;
    Ok(patch)
}

/// Rejects nodes whose handles JavaScript cannot represent exactly: programs other than browsers may create them.
fn check_generations(
    what: &'static str,
    mut nodes: impl Iterator<Item = NodeId>,
) -> Result<(), Fault> {
    let Some(node) = nodes.find(|node| node.generation() > MAX_GENERATION.get()) else {
        return Ok(());
    };
    let message = format!(
        "the {what} contains node {node:?}; generations greater than {MAX_GENERATION} cannot be handled in JavaScript. \
         Instantiate the scene into a new one before it is saved",
    );
    Err(Fault::new(what, message))
}

fn as_patch(error: pleach_format::Error) -> Fault {
    Fault { code: "patch", ..error.into() }
}

#[cfg(test)]
mod tests {
    use pleach::{Node, Scene};

    use super::*;

    #[test]
    fn snapshots_and_patches_with_handles_that_javascript_rounds_are_rejected() {
        let mut scene = Scene::new();
        let spawn = |scene: &mut Scene| scene.spawn(Node::group()).unwrap();
        let mut node = spawn(&mut scene);
        while node.generation() < MAX_GENERATION.get() {
            scene.remove(node).unwrap();
            scene.clear_changes();
            node = spawn(&mut scene);
        }
        scene.remove(node).unwrap();
        scene.update().unwrap();
        let bytes = Options::new().to_bytes(&scene, &[]).unwrap();
        let (mut world, _) = restored(&bytes).unwrap();

        let mut map = AssetMap::of_scene(&scene);
        scene.begin_transaction();
        node = spawn(&mut scene);
        assert_eq!(node.generation(), MAX_GENERATION.get() + 1);
        let patch = scene.commit("add").unwrap();
        let patch = Options::new().scene_patch_to_bytes(&patch, &mut map).unwrap();
        assert_eq!(applied(&mut world, &patch).unwrap_err().code, "patch");

        scene.update().unwrap();
        let bytes = Options::new().to_bytes(&scene, &[]).unwrap();
        assert_eq!(restored(&bytes).map(drop).unwrap_err().code, "snapshot");
    }
}
