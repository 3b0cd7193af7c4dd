//! `pleach, graph + index`: the graph of `pleach-graph` with the `SpatialIndex` of `pleach-spatial`,
//! and a draw list of its own.

use std::collections::HashMap;

use glam::Vec3;
use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::{Aabb, ClipSpace, Filter, Frustum, SpatialIndex, Visible};

use super::scene::{FINITE, IN_SCENE, NO_CYCLE, transform};
use crate::game::contender::{Contender, Drawn, Game};
use crate::game::edits::Edits;
use crate::game::field::{self, CameraPose, Field, Level};
use crate::scene::Local;

#[derive(Default)]
pub struct GraphAndIndex(Option<Content>);

struct Content {
    graph: Graph,
    index: SpatialIndex,
    /// The material of each mesh.
    materials: NodeMap<u32>,
    nodes: Vec<NodeId>,
    visible: Visible,
    draws: Vec<(u32, NodeId)>,
}

impl Content {
    fn new(game: &Game) -> Self {
        let mut graph = Graph::with_capacity(game.field.len()).expect("the field fits");
        let mut content = Self {
            index: SpatialIndex::new(&mut graph),
            graph,
            materials: NodeMap::new(),
            nodes: Vec::new(),
            visible: Visible::new(),
            draws: Vec::new(),
        };
        for (node, parent) in game.edit_lists.in_creation_order() {
            let parent = parent.map(|parent| content.node(parent));
            let added = content.add(node, parent, &game.field.local(node, 0));
            content.nodes.resize(game.field.len(), added);
            content.nodes[node as usize] = added;
        }
        content
    }

    fn node(&self, number: u32) -> NodeId {
        self.nodes[number as usize]
    }

    fn add(&mut self, number: u32, parent: Option<NodeId>, local: &Local) -> NodeId {
        let Self { graph, index, materials, .. } = self;
        let transform = transform(local);
        let node = match parent {
            Some(parent) => graph.add_child(parent, transform),
            None => graph.add_root(transform),
        };
        let node = node.expect(FINITE);
        if field::level(number) == Level::Mesh {
            let half = Vec3::from(field::half_extents(field::geometry(number)));
            index.set_bounds(graph, node, Aabb::new(-half, half)).expect("the bounds are finite");
            materials.insert(graph, node, field::material(number)).expect(IN_SCENE);
        }
        node
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>) {
        for &number in edits.moved {
            let mut node = self.graph.node_mut(self.nodes[number as usize]).expect(IN_SCENE);
            node.set_transform(transform(&field.local(number, edits.step))).expect(FINITE);
        }
        for &(node, parent) in edits.attached {
            let (node, parent) = (self.node(node), self.node(parent));
            self.graph.attach(node, parent).expect(NO_CYCLE);
        }
        for &(mesh, _) in edits.replaced {
            let node = self.node(mesh);
            self.graph.remove(node).expect(IN_SCENE);
            self.index.remove(node);
            self.materials.remove(node);
        }
        for &(mesh, parent) in edits.replaced {
            let parent = self.node(parent);
            self.nodes[mesh as usize] =
                self.add(mesh, Some(parent), &field.local(mesh, edits.step));
        }
    }
}

impl GraphAndIndex {
    fn content(&mut self) -> &mut Content {
        self.0.as_mut().expect("a field has been built")
    }
}

impl Contender for GraphAndIndex {
    fn build(&mut self, game: &Game) {
        self.0 = Some(Content::new(game));
        self.update();
    }

    fn clear(&mut self) {
        self.0 = None;
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, _: &CameraPose) {
        self.content().edit(field, edits);
    }

    fn update(&mut self) {
        let Content { graph, index, .. } = self.content();
        graph.update();
        index.sync(graph).expect("the index belongs to this graph");
        graph.clear_changes();
    }

    fn cull(&mut self, camera: &CameraPose) {
        let Content { index, visible, .. } = self.content();
        let frustum = Frustum::from_view_projection(&camera.clip_from_world, ClipSpace::ZeroToOne);
        let frustum = frustum.expect("the view has a volume");
        index.cull(&frustum, &Filter::default(), visible);
    }

    fn list(&mut self) {
        let Content { graph, materials, visible, draws, .. } = self.content();
        draws.clear();
        for &node in visible.nodes() {
            if let Some(&material) = materials.get(graph, node) {
                draws.push((material, node));
            }
        }
        draws.sort_unstable_by_key(|&(material, _)| material);
    }

    fn drawn(&self) -> Vec<Drawn> {
        let Some(content) = &self.0 else { return Vec::new() };
        let numbers: HashMap<NodeId, u32> = content.nodes.iter().copied().zip(0..).collect();
        let draws = content.draws.iter();
        draws.map(|&(material, node)| Drawn { mesh: numbers[&node], material }).collect()
    }
}
