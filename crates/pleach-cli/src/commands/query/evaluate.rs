//! Evaluates the questions: the model at rest, then each pose with its rays.
//!
//! The model is posed once for each distinct time of an animation, and is restored to the rest pose
//! after each animation.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anyhow::Result;
use pleach::animation::Track;

use super::answers::{Answers, Culled, Hits, Pose};
use super::describe::{self, MeshBounds};
use super::model::{Model, NodeLocation};
use super::questions::{Cull, Questions};
use super::rays::Targets;
use crate::picture::pose::PosePlayer;
use crate::report::progress::Progress;

/// Answers all questions.
pub(crate) fn answers(model: &mut Model<'_>, questions: &Questions) -> Result<Answers> {
    let worlds = model.worlds()?;
    let mesh_bounds = describe::mesh_bounds(model)?;
    let culls = questions.culls.iter().map(|cull| culled(model, &mesh_bounds, cull));
    let mut answers = Answers {
        nodes: describe::nodes(model, &worlds)?,
        mesh_nodes: describe::mesh_nodes(&mesh_bounds),
        scenes: describe::scenes(model, &mesh_bounds),
        skins: describe::skins(model, &worlds),
        animations: describe::animations(model),
        cameras: describe::cameras(model),
        lights: describe::lights(model, &worlds),
        poses: questions.poses.iter().map(|_| Pose::default()).collect(),
        culls: culls.collect(),
        rays: questions.grids.iter().map(|_| Hits::default()).collect(),
    };
    let plan = plan(questions);
    let steps = plan.values().map(BTreeMap::len).sum::<usize>();
    let progress = Progress::new("answering", steps as u64);
    let mut done = 0;
    for (animation, moments) in plan {
        let mut posing = match animation {
            Some(animation) => pose_players(model, animation)?,
            None => Vec::new(),
        };
        for (t, asked) in moments {
            for posing in &mut posing {
                posing.seek(&mut model.document, f32::from_bits(t))?;
            }
            at_moment(model, animation, &asked, questions, &mut answers)?;
            done += 1;
            progress.set(done);
        }
        for posing in posing {
            posing.restore(&mut model.document)?;
        }
    }
    Ok(answers)
}

/// Answers the questions about the current pose.
fn at_moment(
    model: &Model<'_>,
    animation: Option<usize>,
    asked: &MomentQuestions,
    questions: &Questions,
    answers: &mut Answers,
) -> Result<()> {
    for &number in &asked.poses {
        answers.poses[number] = posed(model, animation)?;
    }
    let mut targets = BTreeMap::new();
    for &number in &asked.grids {
        let grid = &questions.grids[number];
        let Some(tree) = model.chosen(grid.scene) else { continue };
        let targets = match targets.entry(tree) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(Targets::new(model, tree)?),
        };
        answers.rays[number].hits = targets.cast(grid)?;
    }
    Ok(())
}

/// Binds an animation to every tree of the model.
fn pose_players(model: &Model<'_>, animation: usize) -> Result<Vec<PosePlayer>> {
    let trees = 0..model.trees.len();
    trees.map(|tree| PosePlayer::new(&model.document, tree, animation)).collect()
}

/// The indices of the questions about one pose.
#[derive(Debug, Default)]
struct MomentQuestions {
    poses: Vec<usize>,
    grids: Vec<usize>,
}

/// Groups the questions by animation (`None` at rest) and the bits of the time.
fn plan(questions: &Questions) -> BTreeMap<Option<usize>, BTreeMap<u32, MomentQuestions>> {
    let mut plan: BTreeMap<Option<usize>, BTreeMap<u32, MomentQuestions>> = BTreeMap::new();
    for (number, pose) in questions.poses.iter().enumerate() {
        let (animation, t) = pose.map_or((None, 0), |it| (Some(it.animation), it.t.to_bits()));
        plan.entry(animation).or_default().entry(t).or_default().poses.push(number);
    }
    for (number, grid) in questions.grids.iter().enumerate() {
        let (animation, t) = grid.pose.map_or((None, 0), |it| (Some(it.animation), it.t.to_bits()));
        plan.entry(animation).or_default().entry(t).or_default().grids.push(number);
    }
    plan
}

/// Returns the current pose of the model.
fn posed(model: &Model<'_>, animation: Option<usize>) -> Result<Pose> {
    let worlds = model.worlds()?;
    let mut weights = Vec::new();
    for index in animation.map(|animation| weighted(model, animation)).unwrap_or_default() {
        let NodeLocation { tree, node } = model.location(index);
        let scene = model.scene(tree)?;
        if let Some(values) = scene.weights.get(&scene.graph, node) {
            weights.push((index, values.0.clone()));
        }
    }
    Ok(Pose {
        world: worlds.iter().map(|world| world.to_cols_array()).collect(),
        weights,
        joint_matrices: model.joint_matrices(&worlds),
    })
}

/// Returns the nodes with a weights channel in an animation, sorted.
fn weighted(model: &Model<'_>, animation: usize) -> Vec<usize> {
    let Some(animation) = model.document.animations().get(animation) else { return Vec::new() };
    let channels = animation.clip().channels().iter();
    let weighted = channels.filter(|channel| matches!(channel.track(), Track::Weights(_)));
    let nodes = animation.node_indices();
    let node = |target: u32| nodes.get(target as usize).map(|&node| node as usize);
    let mut weighted: Vec<usize> = weighted.filter_map(|channel| node(channel.target())).collect();
    weighted.sort_unstable();
    weighted.dedup();
    weighted
}

/// Returns the mesh nodes of a scene whose loose boxes intersect the frustum.
fn culled(model: &Model<'_>, mesh_bounds: &[Option<MeshBounds>], cull: &Cull) -> Culled {
    let tree = model.chosen(cull.scene).map(|tree| &model.trees[tree]);
    let nodes = tree.map_or(&[][..], |tree| &tree.nodes);
    let is_inside = |&&node: &&usize| {
        let aabb = mesh_bounds[node].and_then(|mesh_bounds| mesh_bounds.loose.aabb());
        aabb.is_some_and(|aabb| cull.frustum.intersects(&aabb))
    };
    let mut inside: Vec<usize> = nodes.iter().filter(is_inside).copied().collect();
    inside.sort_unstable();
    Culled { inside }
}
