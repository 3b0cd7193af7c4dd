//! Clips: keys, bound to the nodes of a world.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{Quat, Vec3};
use pleach::NodeId;
use pleach::animation::{Binding, Channel, Clip, Interpolation};
use wasm_bindgen::prelude::*;

use super::nodes::nodes;
use super::slab::Slab;
use crate::fault::Fault;
use crate::host::number;
use crate::node_number::to_number;
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

/// A clip while it is built.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ClipBuilder {
    name: String,
    channels: Vec<Channel>,
}

#[wasm_bindgen]
impl ClipBuilder {
    /// Creates a clip without channels.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), channels: Vec::new() }
    }

    /// Adds a channel for the node at a position of the list: property 0 translation, 1 rotation, 2 scale, 3 weights;
    /// interpolation 0 step, 1 linear, 2 cubic spline.
    pub fn channel(
        &mut self,
        node: u32,
        property: u32,
        interpolation: u32,
        times: Vec<f32>,
        values: Vec<f32>,
    ) -> Result<(), JsValue> {
        let interpolation = match interpolation {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            _ => Interpolation::CubicSpline,
        };
        let vectors = || -> Result<Vec<Vec3>, Fault> {
            let (rows, rest) = values.as_chunks::<3>();
            if !rest.is_empty() {
                return Err(Fault::length(
                    "the array of vectors",
                    values.len(),
                    rows.len() * 3 + 3,
                ));
            }
            Ok(rows.iter().copied().map(Vec3::from).collect())
        };
        let channel = match property {
            0 => Channel::translation(node, interpolation, times, vectors()?),
            1 => {
                let (rows, rest) = values.as_chunks::<4>();
                if !rest.is_empty() {
                    let expected = rows.len() * 4 + 4;
                    Err(Fault::length("the array of rotations", values.len(), expected))?;
                }
                let rotations: Vec<Quat> = rows.iter().copied().map(Quat::from_array).collect();
                Channel::rotation(node, interpolation, times, rotations)
            }
            2 => Channel::scale(node, interpolation, times, vectors()?),
            _ => Channel::weights(node, interpolation, times, values),
        };
        self.channels.push(channel.map_err(|error| Fault::from(pleach::Error::from(error)))?);
        Ok(())
    }

    /// Binds the clip to nodes of a world, and returns its number. The builder is empty then.
    pub fn build(&mut self, world: u32, targets: &[f64]) -> Result<u32, JsValue> {
        let nodes = read(world, |world| nodes(world, targets))?;
        let labels: Vec<String> = (0..nodes.len()).map(|index| index.to_string()).collect();
        let channels = std::mem::take(&mut self.channels);
        let error = |error: pleach::Error| Fault::from(error);
        let clip = Clip::new(&self.name, labels, channels).map_err(|it| error(it.into()))?;
        let binding = Binding::new(clip, nodes).map_err(|it| error(it.into()))?;
        Ok(insert(binding))
    }
}
