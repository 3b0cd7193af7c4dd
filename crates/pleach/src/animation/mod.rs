//! Animation: clips of key frames, bound to nodes, mixed in layers.
//!
//! ```
//! use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
//! use pleach::glam::{Quat, Vec3};
//! use pleach_graph::{Graph, NodeMap, Transform};
//!
//! let mut graph = Graph::new();
//! let arm = graph.add_root(Transform::IDENTITY)?;
//! let sword = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
//! let mut weights = NodeMap::new();
//!
//! // A clip has targets; a binding says which nodes they are.
//! let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
//! let swing = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], [Quat::IDENTITY, quarter])?;
//! let swing = Clip::new("swing", ["arm"], [swing])?;
//! let mut mixer = Mixer::new();
//! mixer.add(Binding::new(swing, [arm])?, &graph, &weights);
//!
//! // Once a frame: animate, then update. The sword follows in the same frame.
//! mixer.update(0.5, &mut graph, &mut weights);
//! graph.update();
//! let diagonal = Vec3::new(0.5f32.sqrt(), 0.5f32.sqrt(), 0.0);
//! assert!(graph.node(sword)?.world_translation().abs_diff_eq(diagonal, 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | is |
//! | --- | --- |
//! | [`Curve`], [`WeightCurve`] | a value over time, from keys |
//! | [`Channel`], [`Clip`] | curves for properties of targets; shared, knows no graph |
//! | [`Binding`] | a clip and the nodes it moves |
//! | [`Player`] | the clock of a playing clip |
//! | [`BlendLayer`], [`Mask`] | how a clip plays, and how it joins others |
//! | [`Mixer`] | the layers of a character, and the pose they make |
//!
//! Everything gives the same bits on every machine, and finite keys never yield a
//! NaN. To animate many characters on several threads, call [`Mixer::advance`] and
//! [`Mixer::sample`] for each on any thread, then [`Mixer::write`] one after the other.

mod binding;
mod clip;
mod curve;
mod error;
mod interpolate;
mod mixer;
mod player;
mod rotation;

pub use binding::Binding;
pub use clip::{Channel, Clip, Property, Track};
pub use curve::{Cursor, Curve, Interpolation, WeightCurve};
pub use error::{BindError, ClipError, CurveError, LabelKind};
pub use interpolate::Value;
pub use mixer::{Blend, BlendLayer, BlendLayerId, Mask, Mixer, PoseStats, Reference};
pub use player::{Player, Repeat};
