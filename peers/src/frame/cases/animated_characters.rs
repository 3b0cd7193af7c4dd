//! People: everything that an animated crowd costs, against the graph and the palettes alone.

use std::cell::RefCell;

use super::{check_crowd, middle};
use crate::frame::crowd::{BONES, Crowd, Outfit, PEOPLE};
use crate::frame::graph_and_loop::Plain;
use crate::frame::joint_loop::Kernel;
use crate::rounds::{Effort, Lane, Table, Who, race};

pub const FRAME: &str = "animate and update";
const ANIMATE: &str = "of it animate";
const UPDATE: &str = "of it update";
pub const ALONE: &str = "update, no meshes";
const PLAIN: &str = "after Graph::update";

/// Frames to a round.
const FRAMES: u32 = 5;

pub fn run(effort: Effort) -> Result<Table, String> {
    let mut dressed = Crowd::new(Outfit::Dressed, effort.seed);
    check_crowd(&mut dressed, Outfit::Dressed)?;
    let mut alone = Crowd::new(Outfit::Skinned, effort.seed);
    check_crowd(&mut alone, Outfit::Skinned)?;
    let mut plain = Plain::new(&alone, Kernel::widest());

    let dressed = RefCell::new(dressed);
    let part = |way, time: fn(&mut Crowd) -> f64| {
        let dressed = &dressed;
        Lane::new(Who::Pleach, way, move || middle(FRAMES, || time(&mut dressed.borrow_mut())))
    };
    let lanes = vec![
        part(FRAME, Crowd::time_of_frame),
        part(ANIMATE, Crowd::time_to_animate),
        part(UPDATE, Crowd::time_to_update),
        Lane::new(Who::Pleach, ALONE, || middle(FRAMES, || alone.time_to_update())),
        Lane::new(Who::SimdLoop, PLAIN, || middle(FRAMES, || plain.time())),
    ];
    Ok(Table {
        title: format!("{PEOPLE} animated people of {BONES} bones"),
        note: "A mixer for each, which turns every bone in every frame, by a clip that all share, \
               of 31 keys in a second. The update computes worlds, palettes and the bounds of the \
               pose, and brings the index up to date. Without meshes there are no bounds: the \
               graph's update and the palettes alone. Last, a graph's `update` with the straight \
               loop after it, outside of any scene."
            .into(),
        unit: ("ms", 1e6),
        by: Some(ALONE),
        rows: race(lanes, effort.rounds),
    })
}
