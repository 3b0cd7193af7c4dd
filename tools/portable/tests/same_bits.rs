//! Every recording has the committed hash, with each kernel that this CPU supports.

use portable::{Area, Kernels};

/// Compares the hashes of an area with the committed ones.
fn compare(area: Area) {
    for kernels in Kernels::available() {
        for seed in 0..area.seeds() {
            let line = area.line(seed, kernels);
            let is_committed = include_str!("../hashes.txt").lines().any(|known| known == line);
            assert!(is_committed, "{line} with {kernels:?} is not in tools/portable/hashes.txt");
        }
    }
}

#[test]
fn browser() {
    compare(Area::Browser);
}

#[test]
fn graph() {
    compare(Area::Graph);
}

#[test]
fn edits_in_world_space() {
    compare(Area::WorldSpace);
}

#[test]
fn a2_rotations_have_the_same_bits_on_every_machine() {
    compare(Area::Rotations);
}

#[test]
fn spatial_index() {
    compare(Area::Spatial);
}

#[test]
fn scenes() {
    compare(Area::Scene);
}

#[test]
fn a1_joint_matrices_from_current_pose_have_the_same_bits_on_every_machine() {
    compare(Area::Skin);
}

#[test]
fn animation() {
    compare(Area::Animation);
}

#[test]
fn views() {
    compare(Area::Views);
}

#[test]
fn shapes() {
    compare(Area::Shapes);
}

#[test]
fn picture() {
    compare(Area::Picture);
}

#[test]
fn every_committed_hash_is_compared() {
    let count: u64 = Area::ALL.iter().map(|area| area.seeds()).sum();
    assert_eq!(include_str!("../hashes.txt").lines().count() as u64, count);
}

#[test]
fn what_is_not_compared_here_is_reported() {
    let kernels = Kernels::unavailable();
    if !kernels.is_empty() {
        testkit::skip(&format!("this CPU or build does not support {}", kernels.join(", ")));
    }
    if std::env::var_os("PLEACH_ALL_TARGETS").is_none() {
        testkit::skip("only this processor was compared; tools/portable/check compares others");
    }
}
