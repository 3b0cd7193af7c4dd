//! Animation: sampling of the clips of a crowd and writing of the local transforms, compared with a
//! loop over the channels.

use std::cell::RefCell;
use std::time::Instant;

use super::median_frame;
use crate::frame::channel_loop::ChannelLoop;
use crate::frame::crowd::{CHARACTERS, ClipKind, Crowd, CrowdKind, JOINTS};
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds};

/// The kinds of clips, and their names in the tables.
pub const CLIPS: [(ClipKind, &str); 3] = [
    (ClipKind::AllProperties, "translation, rotation, scale"),
    (ClipKind::OwnTimes, "translation, rotation, scale, times by channel"),
    (ClipKind::Rotations, "rotations"),
];

/// Mixers compute the pose, and do not write it.
const SAMPLE: &str = "sample only";

/// The number of frames per round.
const FRAMES: u32 = 5;

pub fn run((kind, name): (ClipKind, &str), effort: Effort) -> Result<Table, String> {
    let mut crowd = Crowd::with_clip(CrowdKind::NoSkins, kind, effort.seed);
    let mut other = Crowd::with_clip(CrowdKind::NoSkins, kind, effort.seed);
    let mut channel_loop = ChannelLoop::new(&other);
    for frame in 0..100 {
        let found = [crowd.animate(), channel_loop.animate(&mut other.scene.graph)];
        if found != [CHARACTERS * JOINTS; 2] {
            return Err(format!("{kind:?}, frame {frame}: {found:?} nodes were animated"));
        }
        crowd.update();
        other.update();
        compare(&crowd, &other)?;
    }

    let crowd = RefCell::new(crowd);
    let benchmarks = vec![
        Benchmark::new(Implementation::Pleach, "", || {
            median_frame(FRAMES, || crowd.borrow_mut().time_to_animate())
        }),
        Benchmark::new(Implementation::Pleach, SAMPLE, || {
            median_frame(FRAMES, || crowd.borrow_mut().time_to_sample())
        }),
        Benchmark::new(Implementation::ChannelLoop, "", || {
            median_frame(FRAMES, || {
                let start = Instant::now();
                channel_loop.animate(&mut other.scene.graph);
                let time = start.elapsed().as_nanos() as f64;
                other.update();
                time
            })
        }),
    ];
    Ok(Table {
        title: format!("Animation, {CHARACTERS} characters of {JOINTS} joints, {name}"),
        note: "Each character plays a shared clip of 31 keys per channel at a time of its own. Timed: \
               all mixers advance, sample and write. The loop samples one channel after the other, \
               then edits one node after the other, as pleach did at commit 3c81cde; without blending \
               and rest poses it takes less time than pleach took there."
            .into(),
        unit: ("µs", 1e3),
        baseline: Some(""),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}

/// Compares the local transforms of two crowds.
fn compare(crowd: &Crowd, other: &Crowd) -> Result<(), String> {
    for joint in crowd.characters.iter().flat_map(|character| &character.joints) {
        let [found, expected] = [crowd, other]
            .map(|crowd| crowd.scene.graph.node(*joint).expect("no joint is removed").transform());
        let is_equal = found.translation.abs_diff_eq(expected.translation, 1e-6)
            && found.rotation.abs_diff_eq(expected.rotation, 1e-6)
            && found.scale.abs_diff_eq(expected.scale, 1e-6);
        if !is_equal {
            return Err(format!("joint {joint:?}: found {found:?}, expected {expected:?}"));
        }
    }
    Ok(())
}
