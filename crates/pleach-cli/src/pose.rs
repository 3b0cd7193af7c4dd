//! A scene in the pose that an animation has at some time.

use anyhow::Result;
use pleach::animation::{Layer, Mixer};
use pleach_gltf::Document;

use crate::choose::scene_mut;

/// Puts a scene into an animation's pose at a time, and brings it up to date.
pub(crate) fn pose(document: &mut Document, number: usize, animation: usize, t: f32) -> Result<()> {
    let binding = document.bind(animation, number)?;
    document.show_at(animation, number, t);
    let scene = scene_mut(document, number)?;
    let mut mixer = Mixer::new();
    let layer = mixer.add(Layer::new(binding), &scene.graph, &scene.weights);
    if let Some(player) = mixer.player_mut(layer) {
        player.seek(t);
    }
    scene.write_pose(&mut mixer);
    scene.update()?;
    Ok(())
}
