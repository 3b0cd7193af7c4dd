//! The edits of the game frame, generated before any timing and the same for every contender.
//!
//! The lists repeat after [`PERIOD`] frames. The hierarchy does, too: each list states the new
//! parents, and the field starts with the hierarchy that a whole period leaves behind.

use std::collections::HashSet;

use super::field::{AREA_NODES, Field, Level, PERIOD, initial_parent, level, mesh, object};
use crate::named_enum::named_enum;
use crate::rng::Rng;

named_enum! {
    /// The share of the nodes that move in a frame; all else is the same.
    pub enum Motion {
        /// 10 % of the areas, with all their nodes.
        Game = "game",
        /// 1 % of the areas.
        Calm = "calm",
        /// All nodes.
        Wild = "wild",
    }
}

/// The edits of one frame, in this order.
#[derive(Clone, Copy)]
pub struct Edits<'a> {
    /// The number of the frame, for [`Field::local`] and [`Field::camera`].
    pub step: u32,
    /// The nodes whose transforms are set: whole subtrees.
    pub moved: &'a [u32],
    /// Nodes and their new parents; their local transforms are kept.
    pub attached: &'a [(u32, u32)],
    /// Meshes to remove, then to spawn again under these parents.
    pub replaced: &'a [(u32, u32)],
}

pub struct EditLists {
    /// The parent of each node before the first frame; `None` for areas.
    parents: Vec<Option<u32>>,
    attached: Vec<Vec<(u32, u32)>>,
    replaced: Vec<Vec<(u32, u32)>>,
    /// The moved nodes of each frame: in a game frame, and in a calm one.
    moved: [Vec<Vec<u32>>; 2],
    all: Vec<u32>,
}

impl EditLists {
    pub fn new(field: &Field, seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0xed17);
        let count = (field.len() / 1000).max(1);
        let (mut attached, mut replaced) = (Vec::new(), Vec::new());
        for _ in 0..PERIOD {
            let mut chosen = HashSet::new();
            let mut next_mesh = |rng: &mut Rng| loop {
                let mesh = random(field, rng, mesh);
                if chosen.insert(mesh) {
                    return mesh;
                }
            };
            let attachments = (0..count).map(|number| match number % 10 {
                9 => (
                    random(field, &mut rng, object),
                    random(field, &mut rng, |area, _| area * AREA_NODES),
                ),
                _ => (next_mesh(&mut rng), random(field, &mut rng, object)),
            });
            attached.push(attachments.collect::<Vec<_>>());
            let replacements =
                (0..count).map(|_| (next_mesh(&mut rng), random(field, &mut rng, object)));
            replaced.push(replacements.collect::<Vec<_>>());
        }

        let mut parents: Vec<_> = (0..field.len() as u32).map(initial_parent).collect();
        for step in 0..PERIOD as usize {
            apply(&mut parents, &attached[step]);
            apply(&mut parents, &replaced[step]);
        }
        let mut state = parents.clone();
        let mut moved = [Vec::new(), Vec::new()];
        for step in 0..PERIOD as usize {
            for (lists, share) in moved.iter_mut().zip([10, 100]) {
                let count = (field.areas() as usize).div_ceil(share);
                lists.push(subtrees(&state, &random_areas(field, count, &mut rng)));
            }
            apply(&mut state, &attached[step]);
            apply(&mut state, &replaced[step]);
        }
        assert!(state == parents, "the hierarchy repeats");
        Self { parents, attached, replaced, moved, all: (0..field.len() as u32).collect() }
    }

    /// Returns all nodes with their parents, in the order of creation: area by area, parents first.
    pub fn in_creation_order(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let mut children = vec![Vec::new(); self.parents.len()];
        let mut areas = Vec::new();
        for (node, parent) in (0..).zip(&self.parents) {
            parent.map_or(&mut areas, |parent| &mut children[parent as usize]).push(node);
        }
        areas.reverse();
        let mut pending = areas;
        std::iter::from_fn(move || {
            let node = pending.pop()?;
            pending.extend(children[node as usize].iter().rev());
            Some((node, self.parents[node as usize]))
        })
    }

    pub fn edits(&self, motion: Motion, step: u32) -> Edits<'_> {
        let index = (step % PERIOD) as usize;
        let moved = match motion {
            Motion::Game => &self.moved[0][index],
            Motion::Calm => &self.moved[1][index],
            Motion::Wild => &self.all,
        };
        let [attached, replaced] = [&self.attached[index], &self.replaced[index]];
        Edits { step, moved, attached, replaced }
    }

    /// Returns the meshes in view at the end of a frame, sorted.
    pub fn expected_visible(&self, field: &Field, step: u32) -> Vec<u32> {
        let mut parents = self.parents.clone();
        for step in 0..=(step % PERIOD) as usize {
            apply(&mut parents, &self.attached[step]);
            apply(&mut parents, &self.replaced[step]);
        }
        let meshes = (0..field.len() as u32).filter(|&node| level(node) == Level::Mesh);
        let visible = |&mesh: &u32| field.is_visible(area_of(&parents, mesh), step);
        meshes.filter(visible).collect()
    }
}

fn random(field: &Field, rng: &mut Rng, node: impl Fn(u32, u32) -> u32) -> u32 {
    node(rng.below(field.areas() as usize) as u32, rng.below(1 << 16) as u32)
}

/// Returns some different areas in random order.
fn random_areas(field: &Field, count: usize, rng: &mut Rng) -> Vec<u32> {
    let mut areas: Vec<_> = (0..field.areas()).collect();
    rng.shuffle(&mut areas);
    areas.truncate(count);
    areas
}

fn apply(parents: &mut [Option<u32>], pairs: &[(u32, u32)]) {
    for &(node, parent) in pairs {
        parents[node as usize] = Some(parent);
    }
}

/// Returns the number of the area that a node is in.
fn area_of(parents: &[Option<u32>], node: u32) -> u32 {
    let mut node = node;
    while let Some(parent) = parents[node as usize] {
        node = parent;
    }
    node / AREA_NODES
}

/// Returns all nodes of the areas, area by area.
fn subtrees(parents: &[Option<u32>], areas: &[u32]) -> Vec<u32> {
    let mut order = vec![usize::MAX; parents.len() / AREA_NODES as usize];
    for (index, &area) in areas.iter().enumerate() {
        order[area as usize] = index;
    }
    let mut nodes = vec![Vec::new(); areas.len()];
    for node in 0..parents.len() as u32 {
        if let Some(nodes) = nodes.get_mut(order[area_of(parents, node) as usize]) {
            nodes.push(node);
        }
    }
    nodes.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_edit_the_planned_shares_of_the_nodes() {
        let field = Field::new(20_000, 3);
        let lists = EditLists::new(&field, 3);
        for step in 0..2 * PERIOD {
            for (motion, share) in [(Motion::Game, 0.1), (Motion::Calm, 0.01), (Motion::Wild, 1.0)]
            {
                let edits = lists.edits(motion, step);
                let moved: HashSet<_> = edits.moved.iter().collect();
                assert_eq!(moved.len(), edits.moved.len(), "each node is set once");
                let found = moved.len() as f64 / field.len() as f64;
                assert!((found / share - 1.0).abs() < 0.1, "{motion:?}, step {step}: {found}");
                assert_eq!([edits.attached.len(), edits.replaced.len()], [20; 2]);
            }
        }
    }

    #[test]
    fn nodes_are_created_once_and_after_their_parents() {
        let field = Field::new(2_000, 5);
        let lists = EditLists::new(&field, 5);
        let mut created = HashSet::new();
        for (node, parent) in lists.in_creation_order() {
            assert!(parent.is_none_or(|parent| created.contains(&parent)), "{node}");
            assert!(created.insert(node), "{node}");
        }
        assert_eq!(created.len(), field.len());
    }
}
