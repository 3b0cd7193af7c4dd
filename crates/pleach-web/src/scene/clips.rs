//! Clips: keys, bound to the nodes of a world.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{Quat, Vec3};
use js_sys::{Array, Float32Array};
use pleach::NodeId;
use pleach::animation::{Binding, Channel, Clip, Interpolation};
use wasm_bindgen::prelude::*;

use super::nodes::nodes;
use super::slab::Slab;
use crate::fault::Fault;
use crate::host::number;
use crate::node_number::{from_number, to_number};
use crate::worlds::read;

const WHAT: &str = "clip";

thread_local! {
    static CLIPS: RefCell<Slab<Binding>> = const { RefCell::new(Slab::new()) };
}

pub(crate) fn insert(binding: Binding) -> u32 {
    CLIPS.with_borrow_mut(|clips| clips.insert(binding))
}

pub(crate) fn get(clip: u32) -> Result<Binding, Fault> {
    CLIPS.with_borrow(|clips| clips.get(clip, WHAT).cloned())
}

/// Binds a clip to the copies of its nodes.
pub(crate) fn remapped(
    clip: u32,
    copy: impl Fn(NodeId) -> Option<NodeId>,
) -> Result<Binding, Fault> {
    let binding = get(clip)?;
    let nodes = binding.nodes().iter().map(|node| node.and_then(&copy));
    Ok(Binding::new(Arc::clone(binding.clip()), nodes).map_err(pleach::Error::from)?)
}

/// Frees a clip. Layers of mixers that play it go on.
#[wasm_bindgen]
pub fn clip_free(clip: u32) {
    drop(CLIPS.with_borrow_mut(|clips| clips.remove(clip)));
}

/// Returns the name of a clip.
#[wasm_bindgen]
pub fn clip_name(clip: u32) -> Result<String, JsValue> {
    Ok(get(clip)?.clip().name().to_owned())
}

/// Returns the duration of a clip in seconds.
#[wasm_bindgen]
pub fn clip_duration(clip: u32) -> f64 {
    number(get(clip).map(|clip| f64::from(clip.clip().duration())))
}

/// Returns the nodes that a clip moves; 0 for targets without a node.
#[wasm_bindgen]
pub fn clip_nodes(clip: u32) -> Result<Vec<f64>, JsValue> {
    Ok(get(clip)?.nodes().iter().map(|node| node.map_or(0.0, to_number)).collect())
}

/// Binds the keys of a clip to nodes of a world (0: none), and returns the number of the new clip.
#[wasm_bindgen]
pub fn clip_rebound(world: u32, clip: u32, targets: &[f64]) -> Result<u32, JsValue> {
    let binding = get(clip)?;
    let target = |(index, &id): (usize, &f64)| {
        if id == 0.0 {
            return Ok(None);
        }
        let node = from_number(id).ok_or_else(|| Fault::dead(None).at(index))?;
        read(world, |world| {
            world.graph().node(node).map_err(|error| Fault::from(error).at(index))?;
            Ok(Some(node))
        })
    };
    let nodes = targets.iter().enumerate().map(target).collect::<Result<Vec<_>, Fault>>()?;
    let bound = Binding::new(Arc::clone(binding.clip()), nodes);
    Ok(insert(bound.map_err(|error| Fault::from(pleach::Error::from(error)))?))
}

/// Creates a clip for nodes of a world, and returns its number. Per channel, `headers` has the position of its node in the
/// list, its property (0 translation, 1 rotation, 2 scale, 3 weights) and its interpolation (0 step, 1 linear, 2 cubic
/// spline); `times` and `values` have a `Float32Array` each.
#[wasm_bindgen]
pub fn clip_new(
    world: u32,
    name: &str,
    targets: &[f64],
    headers: &[u32],
    times: &Array,
    values: &Array,
) -> Result<u32, JsValue> {
    let nodes = read(world, |world| nodes(world, targets))?;
    let rows = headers.as_chunks::<3>().0.iter().zip(times.iter().zip(values.iter()));
    let mut channels = Vec::new();
    for (index, (header, (times, values))) in rows.enumerate() {
        let times = Float32Array::new(&times).to_vec();
        let values = Float32Array::new(&values).to_vec();
        channels.push(channel(*header, times, values).map_err(|fault| fault.at(index))?);
    }
    let labels: Vec<String> = (0..nodes.len()).map(|index| index.to_string()).collect();
    let error = |error: pleach::Error| Fault::from(error);
    let clip = Clip::new(name, labels, channels).map_err(|it| error(it.into()))?;
    let binding = Binding::new(clip, nodes).map_err(|it| error(it.into()))?;
    Ok(insert(binding))
}

fn rows<const N: usize, T: From<[f32; N]>>(values: &[f32]) -> Result<Vec<T>, Fault> {
    let (rows, rest) = values.as_chunks::<N>();
    if rest.is_empty() {
        Ok(rows.iter().copied().map(T::from).collect())
    } else {
        let what = format!("the values of a channel, {N} floats each,");
        Err(Fault::length(&what, values.len(), rows.len() * N + N))
    }
}

fn channel(
    [node, property, interpolation]: [u32; 3],
    times: Vec<f32>,
    values: Vec<f32>,
) -> Result<Channel, Fault> {
    let interpolation = match interpolation {
        0 => Interpolation::Step,
        1 => Interpolation::Linear,
        _ => Interpolation::CubicSpline,
    };
    let channel = match property {
        0 => Channel::translation(node, interpolation, times, rows::<3, Vec3>(&values)?),
        1 => {
            let rotations = rows::<4, [f32; 4]>(&values)?;
            let rotations: Vec<Quat> = rotations.into_iter().map(Quat::from_array).collect();
            Channel::rotation(node, interpolation, times, rotations)
        }
        2 => Channel::scale(node, interpolation, times, rows::<3, Vec3>(&values)?),
        _ => Channel::weights(node, interpolation, times, values),
    };
    Ok(channel.map_err(pleach::Error::from)?)
}
