//! `pleach bulk`: the graph of `pleach-graph` with the calls that edit many nodes at once: `add_all`,
//! `set_translations`, `set_transforms`, `attach_each`. Where there is no such call it does the same
//! as `pleach`, and is not timed.
//!
//! The slices for these calls are filled as part of the edits, except for the transforms of
//! `all_set`, which all contenders have in a slice.

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, NodeId};

use super::pleach::{FINITE, Pleach, transform};
use crate::contender::{Contender, Edits};
use crate::scene::{ROOT, Scene, position_at};
use crate::workload::Workload;

/// The number of nodes per call of a setter whose slice is filled: it stays in the cache.
const CHUNK: usize = 1024;

#[derive(Default)]
pub struct PleachBulk {
    pleach: Pleach,
    // The arguments of the calls, kept for their memory.
    translations: Vec<Vec3>,
    children: Vec<NodeId>,
    parents: Vec<NodeId>,
}

impl PleachBulk {
    fn move_all(&mut self, step: u32) {
        let Pleach { graph, nodes, .. } = &mut self.pleach;
        let mut number = 0;
        for nodes in nodes.chunks(CHUNK) {
            let numbers = number..number + nodes.len() as u32;
            number = numbers.end;
            self.translations.clear();
            self.translations.extend(numbers.map(|number| Vec3::from(position_at(number, step))));
            graph.set_translations(nodes, &self.translations).expect(FINITE);
        }
    }

    fn set_all(&mut self, step: u32) {
        let Pleach { graph, nodes, prepared } = &mut self.pleach;
        let prepared = prepared.at(step, nodes.len(), transform);
        graph.set_transforms(nodes, prepared).expect(FINITE);
    }

    fn attach(&mut self, pairs: &[(u32, u32)]) {
        let Pleach { graph, nodes, .. } = &mut self.pleach;
        self.children.clear();
        self.parents.clear();
        self.children.extend(pairs.iter().map(|&(node, _)| nodes[node as usize]));
        self.parents.extend(pairs.iter().map(|&(_, parent)| nodes[parent as usize]));
        graph.attach_each(&self.children, &self.parents).expect("the edits create no cycle");
    }
}

impl Contender for PleachBulk {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn is_timed(&self, workload: Workload) -> bool {
        use Workload::{AllMoved, AllSet, Build, Reparent};
        matches!(workload, Build | AllMoved | AllSet | Reparent)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn build(&mut self, scene: &Scene) {
        let parents = scene.parents.iter().zip(0..);
        let parents = parents.map(|(&parent, node)| (node != ROOT).then_some(parent));
        let nodes = parents.zip(scene.locals.iter().map(transform));
        let nodes: Vec<_> = nodes.collect();
        let mut graph = Graph::with_capacity(nodes.len()).expect("the scene fits");
        self.pleach.nodes = graph.add_all(None, &nodes).expect(FINITE);
        self.pleach.graph = graph;
        self.pleach.update();
    }

    fn frame(&mut self, edits: Edits<'_>) {
        match edits {
            Edits::MoveAll { step } => self.move_all(step),
            Edits::SetAll { step } => self.set_all(step),
            Edits::Attach(pairs) => self.attach(pairs),
            _ => return self.pleach.frame(edits),
        }
        self.pleach.update();
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.pleach.worlds()
    }
}
