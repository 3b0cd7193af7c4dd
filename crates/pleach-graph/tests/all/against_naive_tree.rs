//! The main safety net: random edits on a graph and on a naive tree that computes
//! everything from its definition, and then a comparison of everything.
//!
//! The edits, the tree and the comparison are those of `tools/soak`, which runs a
//! billion edits outside the tests. A list of edits that leads to a difference is
//! shrunk by proptest and printed, with a seed that is stored next to this file.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Error, Graph, Transform, TransformKernel};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use soak::difference::Difference;
use soak::edit::{Edit, NodeChoice, WORDS};
use soak::episode::{Episode, Tally};
use soak::pair::Pair;
use testkit::{Effort, Rng};

/// The maximum number of nodes in the property tests.
const LIMIT: usize = 60;
/// The maximum number of edits in the property tests.
const EDITS: usize = if cfg!(miri) { 16 } else { 200 };
/// The number of edits between two full comparisons of a long list.
const EDITS_PER_COMPARISON: usize = 4;

fn any_edit() -> impl Strategy<Value = Edit> {
    let words = (0u32..256, any::<u32>(), any::<u32>(), any::<u32>());
    words.prop_map(|(kind, a, b, value)| Edit::from_words([kind, a, b, value]))
}

fn cases(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { Effort::pick(cases, 8 * cases) },
        failure_persistence: if cfg!(miri) { None } else { Some(Box::new(persistence)) },
        ..ProptestConfig::default()
    }
}

/// Applies the edits to a graph and a naive tree, and compares the two:
/// periodically, after every edit of a short list, and before and after a last
/// update.
fn compare_after(edits: &[Edit], kernel: TransformKernel) -> Result<(), Difference> {
    let mut pair = Pair::new(kernel, LIMIT);
    for (index, edit) in edits.iter().enumerate() {
        pair.apply(edit)?;
        if edits.len() < EDITS_PER_COMPARISON || index % EDITS_PER_COMPARISON == 0 {
            pair.compare()?;
        }
    }
    pair.compare()?;
    pair.apply(&Edit::Update)?;
    pair.compare()
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn the_graph_agrees_with_the_naive_tree_after_random_edits(edits in vec(any_edit(), 1..EDITS)) {
        compare_after(&edits, TransformKernel::best())?;
    }
}

#[test]
fn every_kernel_agrees_with_the_naive_tree_after_a_thousand_edits() {
    let mut rng = Rng::new(20_261);
    let draws = if cfg!(miri) { 20 } else { 1_000 };
    let edits: Vec<Edit> =
        (0..draws).map(|_| Edit::from_words([(); WORDS].map(|()| rng.next_u32()))).collect();
    for kernel in TransformKernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        if let Err(difference) = compare_after(&edits, kernel) {
            panic!("{kernel:?}: {difference}");
        }
    }
}

/// Some episodes as the `soak` program runs them: hundreds of thousands of edits.
#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of edits take Miri hours")]
fn a_short_soak_finds_no_difference() {
    const SEED: u64 = 1;
    for number in 0..Effort::pick(40, 400) {
        let mut tally = Tally::default();
        if let Err(difference) = Episode::new(SEED, number).run(&mut tally) {
            panic!("seed {SEED}, episode {number}, edit {}: {difference}", tally.drawn);
        }
    }
}

/// The most frequent problem of users of scene graphs is a world transform that is
/// stale when it is read. A million times one of: set a transform, reparent, read.
#[test]
#[cfg_attr(miri, ignore = "a million edits take Miri hours")]
fn compute_world_is_up_to_date_between_a_million_sets_and_reparentings() {
    const NODES: usize = 100;
    const SEED: u64 = 3;
    let mut rng = Rng::new(SEED);
    let mut pair = Pair::new(TransformKernel::best(), NODES);
    for _ in 0..NODES {
        let parent = NodeChoice::Live(rng.next_u32());
        pair.apply(&Edit::AddChild(parent, Transform::from_xyz(0.0, 0.0, 1.0))).unwrap();
    }
    for step in 0..1_000_000 {
        if let Err(difference) = set_reparent_or_read(&mut pair, &mut rng) {
            panic!("seed {SEED}, step {step}: {difference}");
        }
    }
    pair.compare().unwrap();
}

fn set_reparent_or_read(pair: &mut Pair, rng: &mut Rng) -> Result<(), Difference> {
    let node = NodeChoice::Live(rng.next_u32());
    let number = rng.between(-1.0, 1.0);
    let edit = match rng.below(6) {
        0 | 1 => return pair.spot_check(node),
        // Few nodes become parents: the naive tree takes time proportional to the
        // depth.
        2 => Edit::Attach(node, NodeChoice::Live(rng.next_u32() % 16)),
        3 => Edit::SetTranslation(node, Vec3::new(number, 0.0, 1.0)),
        4 => {
            let rotation = Quat::from_xyzw(0.0, number, 0.0, (1.0 - number * number).sqrt());
            Edit::SetRotation(node, rotation)
        }
        // Occasional updates, so that reads find some of the tree up to date.
        _ if rng.one_in(100) => Edit::Update,
        _ => Edit::SetScale(node, Vec3::new(1.0, 1.0 + number / 4.0, 1.0)),
    };
    pair.apply(&edit).map(drop)
}

// ---- regressions ----

#[test]
fn a_child_of_the_node_last_updated_is_computed_once() {
    let add_child = |parent: NodeChoice| Edit::AddChild(parent, Transform::IDENTITY);
    let first = NodeChoice::Live(0);
    let mut edits = vec![Edit::AddRoot(Transform::IDENTITY); 5];
    edits.extend([add_child(NodeChoice::Live(1)), add_child(first), Edit::Update]);
    edits.extend([Edit::SetTranslation(first, Vec3::X), Edit::Update]);
    edits.extend([
        add_child(NodeChoice::Latest),
        Edit::SetTranslation(first, Vec3::Y),
        Edit::Update,
    ]);
    compare_after(&edits, TransformKernel::best()).unwrap();
}

#[test]
fn attach_in_place_below_a_very_non_uniform_scale_keeps_the_world_transform() {
    let small_rotation = Quat::from_xyzw(0.0, 0.0, 4e-13, 1.0);
    let edits = [
        Edit::AddRoot(Transform::from_scale(Vec3::new(1e6, 1.0, 1.0))),
        Edit::AddRoot(Transform::from_rotation(small_rotation)),
        Edit::AttachInPlace(NodeChoice::Live(1), NodeChoice::Live(0)),
    ];
    compare_after(&edits, TransformKernel::best()).unwrap();
}

#[test]
fn a_clone_of_a_hidden_node_is_not_listed_in_shown_changed() {
    let edits = [
        Edit::AddRoot(Transform::IDENTITY),
        Edit::SetVisible(NodeChoice::Latest, false),
        Edit::ClearChanges,
        Edit::CloneSubtree(NodeChoice::Latest, None),
    ];
    compare_after(&edits, TransformKernel::best()).unwrap();
}

#[test]
fn look_at_below_a_singular_grandparent_is_rejected() {
    let mut graph = Graph::new();
    let [rotation, other_rotation] =
        [Quat::from_xyzw(0.1, 0.2, 0.3, 0.9), Quat::from_xyzw(0.4, -0.2, 0.3, 0.8)];
    let singular = Transform::from_rotation(rotation).with_scale(Vec3::new(1.0, 1.0, 0.0));
    let singular = graph.add_root(singular).unwrap();
    let rotated = graph.add_child(singular, Transform::from_rotation(other_rotation)).unwrap();
    let camera = graph.add_child(rotated, Transform::IDENTITY).unwrap();
    let mut camera = graph.node_mut(camera).unwrap();
    let result = camera.look_at(Vec3::new(3.0, 4.0, 5.0), Vec3::Z).map(drop);
    assert!(matches!(result, Err(Error::SingularParent { .. })), "{result:?}");
}

#[test]
fn look_at_below_a_nearly_singular_grandparent_is_exact_or_rejected() {
    let rotation = Quat::from_xyzw(0.375, -0.625, -0.875, 0.5);
    let edits = [
        Edit::AddRoot(Transform::from_scale(Vec3::new(1.0, 1.0, 1e-7))),
        Edit::AddChild(NodeChoice::Latest, Transform::from_rotation(rotation)),
        Edit::AddChild(NodeChoice::Latest, Transform::IDENTITY),
        Edit::LookAt(NodeChoice::Latest, Vec3::new(-0.875, 0.375, 0.75), Vec3::Z),
    ];
    compare_after(&edits, TransformKernel::best()).unwrap();
}
