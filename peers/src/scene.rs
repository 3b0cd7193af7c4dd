//! The scenes: hierarchy, creation order and local transforms of the nodes, as plain data that each
//! contender builds from.

use crate::named_enum::named_enum;
use crate::rng::Rng;

named_enum! {
    /// The shape of the hierarchy. Each shape has one root.
    pub enum Shape {
        /// The root and `N - 1` children.
        Flat = "flat",
        /// Each node in turn gets 1 to 8 children until there are `N`.
        Tree = "tree",
        /// Chains of 64 nodes under the root.
        Chains = "chains",
        /// Skeletons of 64 joints under the root.
        Crowd = "crowd",
    }
}

named_enum! {
    /// The creation order of the nodes; parents always come before their children.
    pub enum Order {
        /// The order of a typical program: `tree` level by level, `chains` and `crowd` one chain or
        /// skeleton after the other.
        Natural = "natural",
        Breadth = "breadth",
        Depth = "depth",
        Shuffled = "shuffled",
    }
}

/// The parameters that determine a scene, here or in a worker process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    pub shape: Shape,
    pub n: usize,
    pub order: Order,
    pub seed: u64,
}

/// A local transform as plain numbers, which every contender converts to its own type.
#[derive(Clone, Copy)]
pub struct Local {
    pub translation: [f32; 3],
    pub rotation: [f32; 4],
    pub scale: [f32; 3],
}

impl Local {
    /// Creates a transform without rotation and scale.
    pub fn at(translation: [f32; 3]) -> Self {
        Self { translation, rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

/// A scene; nodes are numbered in creation order, and node 0 is the root.
pub struct Scene {
    /// The parent of each node; the root's entry is the root itself.
    pub parents: Vec<u32>,
    pub locals: Vec<Local>,
}

pub const ROOT: u32 = 0;
const CHAIN_LENGTH: usize = 64;
const MAX_CHILDREN: usize = 8;

impl Scene {
    pub fn new(case: &Case) -> Self {
        let mut rng = Rng::new(case.seed);
        let natural = match case.shape {
            Shape::Flat => vec![ROOT; case.n],
            Shape::Tree => random_tree(case.n, &mut rng),
            Shape::Chains => repeated(&chain(), case.n),
            Shape::Crowd => repeated(&skeleton(), case.n),
        };
        let parents = match case.order {
            Order::Natural => natural,
            Order::Breadth => reordered(&natural, |frontier| frontier.next_oldest()),
            Order::Depth => reordered(&natural, |frontier| frontier.next_newest()),
            Order::Shuffled => reordered(&natural, |frontier| frontier.next_any(&mut rng)),
        };
        let locals = (0..case.n).map(|_| random_local(&mut rng)).collect();
        Self { parents, locals }
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns all nodes except the root, each with its parent.
    pub fn children(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (1..).zip(self.parents[1..].iter().copied())
    }
}

/// Returns the position of a node after an edit: cheap to compute, different at each step.
#[inline]
pub fn position_at(node: u32, step: u32) -> [f32; 3] {
    let drift = (step & 1023) as f32 * 1e-3;
    [(node & 31) as f32 * 0.03 + drift, drift, 0.5 - drift]
}

/// Returns the transform of a node after an edit of all its parts.
pub fn local_at(node: u32, step: u32) -> Local {
    const ROTATIONS: [[f32; 4]; 4] =
        [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8], [0.0, 0.6, 0.0, 0.8], [0.0, 0.0, 0.6, 0.8]];
    Local {
        translation: position_at(node, step),
        rotation: ROTATIONS[(node.wrapping_add(step) & 3) as usize],
        scale: [1.01 - (step & 15) as f32 * 1e-3; 3],
    }
}

fn random_local(rng: &mut Rng) -> Local {
    let mut quaternion = || rng.between(-1.0, 1.0);
    let rotation = [quaternion(), quaternion(), quaternion(), quaternion() + 2.0];
    let length = rotation.iter().map(|part| part * part).sum::<f32>().sqrt();
    Local {
        translation: [0; 3].map(|_: i32| rng.between(-1.0, 1.0)),
        rotation: rotation.map(|part| part / length),
        // Close to 1, so that chains of 64 neither underflow nor overflow.
        scale: [0; 3].map(|_: i32| rng.between(0.98, 1.02)),
    }
}

fn random_tree(n: usize, rng: &mut Rng) -> Vec<u32> {
    let mut parents = vec![ROOT];
    for parent in 0.. {
        for _ in 0..1 + rng.below(MAX_CHILDREN) {
            if parents.len() == n {
                return parents;
            }
            parents.push(parent);
        }
    }
    unreachable!("the range of parents is unbounded")
}

/// Repeats a hierarchy under the root until there are `n` nodes; the last may be incomplete.
/// `parents_in_part` contains the parents within the part, or `None` for children of the root.
fn repeated(parents_in_part: &[Option<u32>], n: usize) -> Vec<u32> {
    let mut parents = vec![ROOT];
    while parents.len() < n {
        let base = parents.len() as u32;
        parents.extend(parents_in_part.iter().map(|part| part.map_or(ROOT, |p| base + p)));
    }
    parents.truncate(n);
    parents
}

fn chain() -> Vec<Option<u32>> {
    (0..CHAIN_LENGTH as u32).map(|link| link.checked_sub(1)).collect()
}

/// Returns a human-like skeleton of 64 joints.
fn skeleton() -> Vec<Option<u32>> {
    let mut joints = SkeletonBuilder(Vec::with_capacity(CHAIN_LENGTH));
    let pelvis = joints.add(None);
    let chest = joints.add_chain(pelvis, 3);
    let head = joints.add_chain(chest, 2);
    joints.add_chain(head, 3); // hair
    for _jaw_and_eyes in 0..3 {
        joints.add_chain(head, 1);
    }
    for _arm in 0..2 {
        let upper_arm = joints.add_chain(chest, 2);
        joints.add_chain(upper_arm, 1); // twist
        let forearm = joints.add_chain(upper_arm, 1);
        joints.add_chain(forearm, 1); // twist
        let hand = joints.add_chain(forearm, 1);
        for _finger in 0..5 {
            joints.add_chain(hand, 3);
        }
    }
    for _leg in 0..2 {
        let thigh = joints.add_chain(pelvis, 1);
        joints.add_chain(thigh, 1); // twist
        joints.add_chain(thigh, 3);
    }
    assert_eq!(joints.0.len(), CHAIN_LENGTH);
    joints.0
}

struct SkeletonBuilder(Vec<Option<u32>>);

impl SkeletonBuilder {
    fn add(&mut self, parent: Option<u32>) -> u32 {
        self.0.push(parent);
        self.0.len() as u32 - 1
    }

    /// Adds a chain of `length` joints and returns its last.
    fn add_chain(&mut self, from: u32, length: usize) -> u32 {
        (0..length).fold(from, |parent, _| self.add(Some(parent)))
    }
}

/// The nodes that are not created yet, but whose parents are.
struct Frontier {
    nodes: std::collections::VecDeque<u32>,
}

impl Frontier {
    fn next_oldest(&mut self) -> Option<u32> {
        self.nodes.pop_front()
    }

    fn next_newest(&mut self) -> Option<u32> {
        self.nodes.pop_back()
    }

    fn next_any(&mut self, rng: &mut Rng) -> Option<u32> {
        if self.nodes.is_empty() {
            return None;
        }
        self.nodes.swap_remove_back(rng.below(self.nodes.len()))
    }
}

/// Returns the same hierarchy with its nodes renumbered in the order in which `pick` selects them.
fn reordered(parents: &[u32], mut pick: impl FnMut(&mut Frontier) -> Option<u32>) -> Vec<u32> {
    let mut children = vec![Vec::new(); parents.len()];
    for (node, &parent) in (1..).zip(&parents[1..]) {
        children[parent as usize].push(node);
    }
    let mut renumbered = vec![ROOT; parents.len()];
    let mut ordered = Vec::with_capacity(parents.len());
    let mut frontier = Frontier { nodes: [ROOT].into() };
    while let Some(node) = pick(&mut frontier) {
        renumbered[node as usize] = ordered.len() as u32;
        ordered.push(renumbered[parents[node as usize] as usize]);
        frontier.nodes.extend(&children[node as usize]);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of nodes at each depth.
    fn levels(scene: &Scene) -> Vec<usize> {
        let mut depths = vec![0; scene.len()];
        let mut counts = vec![1];
        for (node, parent) in scene.children() {
            assert!(parent < node, "parents come first");
            let depth = depths[parent as usize] + 1;
            depths[node as usize] = depth;
            counts.resize(counts.len().max(depth + 1), 0);
            counts[depth] += 1;
        }
        counts
    }

    #[test]
    fn orders_keep_the_hierarchy() {
        for &shape in Shape::ALL {
            let scene = |order| Scene::new(&Case { shape, n: 1_000, order, seed: 1 });
            let natural = levels(&scene(Order::Natural));
            for &order in Order::ALL {
                assert_eq!(levels(&scene(order)), natural, "{shape:?} {order:?}");
            }
        }
    }
}
