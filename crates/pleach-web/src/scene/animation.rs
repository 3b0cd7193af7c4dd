//! Mixers and their layers.

use std::cell::RefCell;

use pleach::animation::{BlendLayer, BlendLayerId, Mask, Mixer, Player, Repeat};
use wasm_bindgen::prelude::*;

use super::clips;
use super::slab::Slab;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::node_number::from_number;
use crate::worlds::{edit, read};

const WHAT: &str = "mixer";

/// A mixer with the layers that it had, by number. Layers that faded out stay in the list.
#[derive(Debug, Default)]
struct Layers {
    mixer: Mixer,
    layers: Vec<BlendLayerId>,
}

thread_local! {
    static MIXERS: RefCell<Slab<Layers>> = const { RefCell::new(Slab::new()) };
}

fn with<R>(mixer: u32, f: impl FnOnce(&mut Layers) -> Result<R, Fault>) -> Result<R, Fault> {
    MIXERS.with_borrow_mut(|mixers| f(mixers.get_mut(mixer, WHAT)?))
}

/// Creates a mixer, and returns its number.
#[wasm_bindgen]
pub fn mixer_new() -> u32 {
    MIXERS.with_borrow_mut(|mixers| mixers.insert(Layers::default()))
}

/// Frees a mixer. The nodes stay as they are.
#[wasm_bindgen]
pub fn mixer_free(mixer: u32) {
    drop(MIXERS.with_borrow_mut(|mixers| mixers.remove(mixer)));
}

/// Starts a clip, and returns the number of its layer. `repeat`: 0 forever, or the number of times. `fade`: seconds; those
/// of a cross fade if `replaces`. `mask`: the top of the nodes that are moved, or 0 for all.
#[wasm_bindgen]
pub fn mixer_play(
    world: u32,
    mixer: u32,
    clip: u32,
    repeat: u32,
    speed: f32,
    weight: f32,
    at: f32,
    fade: f32,
    replaces: bool,
    mask: f64,
    additive: bool,
    priority: i32,
) -> f64 {
    number(with(mixer, |it| {
        read(world, |world| {
            for (what, value) in [("speed", speed), ("weight", weight), ("at", at), ("fade", fade)]
            {
                if !value.is_finite() {
                    let message = format!("{what} is {value}; it must be finite");
                    return Err(Fault::new("not-finite", message));
                }
            }
            let repeat = match repeat {
                0 => Repeat::Loop,
                1 => Repeat::Once,
                times => Repeat::Times(times),
            };
            let mut layer = BlendLayer::new(clips::get(clip)?)
                .with_repeat(repeat)
                .with_speed(speed)
                .with_weight(weight)
                .with_priority(priority)
                .starting_at(at);
            if additive {
                layer = layer.additive();
            }
            if mask != 0.0 {
                let top = from_number(mask).ok_or_else(|| Fault::dead(None))?;
                layer = layer.with_mask(Mask::subtree(world.graph(), top)?);
            }
            let id = if replaces {
                world.scene.fade_to(&mut it.mixer, layer, fade)
            } else {
                let id = world.scene.play(&mut it.mixer, layer);
                if fade > 0.0 {
                    it.mixer.fade(id, 0.0, 0.0);
                    it.mixer.fade(id, 1.0, fade);
                }
                id
            };
            it.layers.push(id);
            Ok(it.layers.len() as f64 - 1.0)
        })
    }))
}

/// Advances all layers and poses the nodes. Returns how many were written.
#[wasm_bindgen]
pub fn mixer_update(world: u32, mixer: u32, seconds: f32) -> f64 {
    number(with(mixer, |it| {
        if !seconds.is_finite() {
            let message = format!("the time step is {seconds}; it must be finite, in seconds");
            return Err(Fault::new("not-finite", message));
        }
        edit(world, |world| {
            let stats = world.scene.animate(&mut it.mixer, seconds);
            Ok((stats.transformed + stats.morphed) as f64)
        })
    }))
}

/// Returns all nodes to the pose that they had before the mixer.
#[wasm_bindgen]
pub fn mixer_restore(world: u32, mixer: u32) -> u32 {
    status(with(mixer, |it| {
        edit(world, |world| {
            it.mixer.restore(&mut world.scene);
            Ok(())
        })
    }))
}

/// Removes all layers. The nodes stay as they are, and this is their rest pose from now on.
#[wasm_bindgen]
pub fn mixer_clear(mixer: u32) -> u32 {
    status(with(mixer, |it| {
        it.mixer.clear();
        Ok(())
    }))
}

/// Calls `f` with the mixer and a layer; `Ok(None)` if the layer ended.
fn layer<R>(
    mixer: u32,
    layer: u32,
    f: impl FnOnce(&mut Mixer, BlendLayerId) -> R,
) -> Result<Option<R>, Fault> {
    with(mixer, |it| {
        let &id = it.layers.get(layer as usize).ok_or_else(|| {
            Fault::new("disposed", "this layer is not one of the mixer; play the clip again")
        })?;
        let lives = it.mixer.layer(id).is_some();
        Ok(lives.then(|| f(&mut it.mixer, id)))
    })
}

/// Returns a number of a layer: 0 time, 1 speed, 2 weight, 3 finished, 4 playing, 5 level of its fade. A layer that ended
/// is finished and has the weight 0.
#[wasm_bindgen]
pub fn layer_number(mixer: u32, number_of: u32, which: u32) -> f64 {
    let value = layer(mixer, number_of, |mixer, id| {
        let player = mixer.layer(id).map(BlendLayer::player);
        player.map(|player| match which {
            0 => f64::from(player.time()),
            1 => f64::from(player.speed()),
            2 => f64::from(player.weight()),
            3 => f64::from(u32::from(player.is_finished())),
            4 => f64::from(u32::from(player.is_playing())),
            _ => f64::from(mixer.fade_level(id).unwrap_or(0.0)),
        })
    });
    let ended = if which == 3 { 1.0 } else { 0.0 };
    number(value.map(|value| value.flatten().unwrap_or(ended)))
}

/// Sets a number of a layer: 0 time, 1 speed, 2 weight; or 3 pauses, 4 resumes, 5 stops, 6 fades out over this number of seconds. A
/// layer that ended stays so.
#[wasm_bindgen]
pub fn set_layer_number(mixer: u32, number_of: u32, which: u32, value: f32) -> u32 {
    status((|| {
        if !value.is_finite() {
            let message =
                format!("time, speed and weight of a layer must be finite; {value} is not");
            return Err(Fault::new("not-finite", message));
        }
        layer(mixer, number_of, |mixer, id| {
            let player: Option<&mut Player> = match which {
                5 => {
                    mixer.remove(id);
                    None
                }
                6 => {
                    mixer.fade_out(id, value);
                    None
                }
                _ => mixer.player_mut(id),
            };
            let Some(player) = player else { return };
            match which {
                0 => player.seek(value),
                1 => player.set_speed(value),
                2 => player.set_weight(value),
                3 => player.pause(),
                _ => player.play(),
            }
        })?;
        Ok(())
    })())
}
