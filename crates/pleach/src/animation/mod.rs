//! Animation: keyframe clips, bound to nodes and blended in layers.
//!
//! ```
//! use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
//! use pleach::glam::{Quat, Vec3};
//! use pleach::{Graph, Table, Transform};
//!
//! let mut graph = Graph::new();
//! let arm = graph.add_root(Transform::IDENTITY)?;
//! let sword = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
//! let mut weights = Table::new();
//!
//! // A clip has targets; a binding maps them to nodes.
//! let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
//! let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], [Quat::IDENTITY, quarter])?;
//! let swing = Clip::new("swing", ["arm"], [swing])?;
//! let mut mixer = Mixer::new();
//! mixer.add(Binding::new(swing, [arm])?, &graph, &weights);
//!
//! // Once per frame: animate, then update. The sword follows in the same frame.
//! mixer.update(0.5, &mut graph, &mut weights);
//! graph.update();
//! let diagonal = Vec3::new(0.5f32.sqrt(), 0.5f32.sqrt(), 0.0);
//! assert!(graph.node(sword)?.world_translation().abs_diff_eq(diagonal, 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | purpose |
//! | --- | --- |
//! | [`Curve`], [`WeightCurve`] | a value over time, interpolated between keys |
//! | [`Channel`], [`Clip`] | curves for properties of targets; shared, independent of any graph |
//! | [`Binding`] | a clip and the nodes it animates |
//! | [`Player`] | the clock of a playing clip |
//! | [`BlendLayer`], [`Mask`] | playback and blend settings of a clip |
//! | [`Mixer`] | the layers of a character, and the blended pose |
//!
//! Animation reads clips, players and the rest pose, and writes local transforms and morph
//! weights; [`Graph::update`](crate::Graph::update) then computes world transforms.
//!
//! Results are bit-for-bit the same on every machine, and finite keys never yield a NaN. To
//! animate many characters on several threads, call [`Mixer::advance`] and [`Mixer::sample`]
//! for each on any thread, then [`Mixer::write`] sequentially.

mod binding;
mod clip;
mod curve;
mod error;
mod interpolate;
mod mixer;
mod player;
mod rotation;
mod sampling;

pub use binding::Binding;
pub use clip::{Channel, Clip, Property, Track};
pub use curve::{Cursor, Curve, Interpolation, WeightCurve};
pub use error::{BindError, ClipError, CurveError, LabelKind};
pub use interpolate::Value;
pub use mixer::{Blend, BlendLayer, BlendLayerId, Mask, Mixer, PoseStats, Reference};
pub use player::{Player, Repeat};
