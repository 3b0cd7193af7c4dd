//! Snapshots and patches as bytes.
//!
//! A scene has no up axis of its own in Rust; a snapshot of one whose up axis is Y contains an empty clip as a mark.

use std::sync::Arc;

use pleach::animation::Clip;
use pleach_format::{AssetMap, Options};
use wasm_bindgen::prelude::*;

use super::history::push;
use crate::fault::Fault;
use crate::host::status;
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
    let snapshot = Options::new().from_bytes(bytes).map_err(Fault::from)?;
    let is_y_up = snapshot.clips.iter().any(|clip| clip.name() == Y_UP);
    let mut world = World::from_scene(snapshot.scene);
    world.extra.asset_map = Some(AssetMap::of_scene(&world.scene));
    let up = if is_y_up { 2_147_483_648.0 } else { 0.0 };
    Ok(f64::from(insert(world)) + up)
}

/// Ends a transaction, and returns its patch as bytes. It becomes a step of a history, too, if that has a number
/// other than 0xffffffff.
#[wasm_bindgen]
pub fn commit_to_bytes(world: u32, history: u32, label: &str) -> Result<Vec<u8>, JsValue> {
    Ok(edit(world, |world| {
        let patch = world.scene.commit(label)?;
        let map = world.extra.asset_map.get_or_insert_with(|| AssetMap::of_scene(&world.scene));
        let bytes = Options::new().scene_patch_to_bytes(&patch, map).map_err(as_patch);
        push(world, history, patch, "")?;
        bytes
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
        let World { scene, extra, .. } = world;
        if scene.is_in_transaction() {
            return Err(Fault::new("busy", "a patch cannot be applied inside of a transaction"));
        }
        let map = extra.asset_map.get_or_insert_with(|| AssetMap::of_scene(scene));
        let patch = Options::new().scene_patch_from_bytes(bytes, scene, map).map_err(as_patch)?;
        scene.apply(&patch)?;
        push(world, history, patch, "")
    }))
}

fn as_patch(error: pleach_format::Error) -> Fault {
    Fault { code: "patch", ..error.into() }
}
