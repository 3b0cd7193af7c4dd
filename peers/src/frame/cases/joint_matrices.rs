//! JointMatrices: what skins add to an update in which every bone moved, and how long the products
//! alone take.

use std::cell::RefCell;

use super::{check_crowd, middle};
use crate::frame::crowd::{BONES, Crowd, Outfit, PEOPLE};
use crate::frame::expected;
use crate::frame::graph_and_loop::Plain;
use crate::frame::joint_loop::{Kernel, Straight};
use crate::rounds::{Effort, Lane, Table, Who, calls, race};

const WITH: &str = "update, with skins";
const WITHOUT: &str = "update, without skins";
const ONE_BONE: &str = "update, one bone of each moved";
pub const ALONE: &str = "palettes alone";
const PLAIN: &str = "after Graph::update";

/// Frames to a round.
const FRAMES: u32 = 5;

pub fn run(effort: Effort) -> Result<Table, String> {
    let mut with = Crowd::new(Outfit::Skinned, effort.seed);
    check_crowd(&mut with, Outfit::Skinned)?;
    let mut without = Crowd::new(Outfit::Bare, effort.seed);
    check_crowd(&mut without, Outfit::Bare)?;
    let mut one_bone = Crowd::new(Outfit::Skinned, effort.seed);
    check_one_bone(&mut one_bone)?;
    let mut straight = Straight::new(&with);
    check_straight(&mut straight, &with)?;
    let mut plain = Plain::new(&with, Kernel::widest());
    plain.time();
    expected::check_each(&plain.graph, &with, plain.palettes())?;

    let mut alone = Crowd::new(Outfit::Skinned, effort.seed);
    check_one_bone(&mut alone)?;
    alone.scene.recompute_joint_matrices();
    expected::check_palettes(&alone)?;

    let straight = RefCell::new(straight);
    let mut step = 0;
    let mut lanes = vec![
        Lane::new(Who::Pleach, ALONE, || calls(2, 10, || alone.scene.recompute_joint_matrices())),
        Lane::new(Who::Pleach, WITH, || middle(FRAMES, || with.time_to_update())),
        Lane::new(Who::Pleach, WITHOUT, || middle(FRAMES, || without.time_to_update())),
        Lane::new(Who::Pleach, ONE_BONE, || {
            middle(FRAMES, || {
                step += 1;
                one_bone.time_after_one_bone(step)
            })
        }),
    ];
    lanes.extend(Kernel::available().into_iter().map(|kernel| {
        let straight = &straight;
        Lane::new(Who::SimdLoop, kernel.word(), move || {
            calls(2, 10, || straight.borrow_mut().run(kernel))
        })
    }));
    lanes.push(Lane::new(Who::SimdLoop, PLAIN, || middle(FRAMES, || plain.time())));
    Ok(Table {
        title: format!("JointMatrices, {PEOPLE} skeletons of {BONES} bones"),
        note: "All bones have turned before each update, but for one row: there it is the last \
               bone of each skeleton, so that all palettes are due and 1000 nodes moved; and \
               once the palettes are computed by themselves, through a function for this. What \
               turns the bones is not timed. With and without skins, the scenes are the same \
               otherwise, and have no meshes. The loop computes the same matrices from worlds \
               that lie one after the other, once by itself and once after a graph's `update`. \
               All skeletons share their inverse binds, in the scene and in the loop."
            .into(),
        unit: ("µs", 1e3),
        by: Some(ALONE),
        rows: race(lanes, effort.rounds),
    })
}

fn check_one_bone(crowd: &mut Crowd) -> Result<(), String> {
    crowd.turn_last_bones(100);
    let updated = crowd.update();
    let found = [updated.changed, updated.skins];
    if found != [PEOPLE; 2] {
        return Err(format!("{PEOPLE} bones moved, but {found:?} nodes and palettes"));
    }
    expected::check_palettes(crowd)
}

fn check_straight(straight: &mut Straight, crowd: &Crowd) -> Result<(), String> {
    for kernel in Kernel::available() {
        straight.run(kernel);
        expected::check_each(&crowd.scene.graph, crowd, straight.palettes())
            .map_err(|message| format!("{}: {message}", kernel.word()))?;
    }
    Ok(())
}
