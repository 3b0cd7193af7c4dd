//! `pleach, graph`: the graph of `pleach-graph`; the boxes of changed meshes are computed and all
//! are tested by hand, as in `naive`. The meshes are in a vector by slot.

use glam::Vec3;
use pleach_graph::{Graph, NodeId};

use super::scene::{FINITE, IN_SCENE, NO_CYCLE, transform};
use crate::game::contender::{Contender, Drawn, Game};
use crate::game::edits::Edits;
use crate::game::field::{self, CameraPose, Field, Level};
use crate::game::planes::{Planes, WorldBox};
use crate::scene::Local;

#[derive(Default)]
pub struct GraphOnly {
    graph: Graph,
    nodes: Vec<NodeId>,
    /// By slot of the graph; `None` for nodes without a mesh.
    meshes: Vec<Option<Mesh>>,
    visible: Vec<u32>,
    /// Material and slot.
    draws: Vec<(u32, u32)>,
}

struct Mesh {
    number: u32,
    material: u32,
    half: Vec3,
    bounds: WorldBox,
}

impl GraphOnly {
    fn node(&self, number: u32) -> NodeId {
        self.nodes[number as usize]
    }

    fn add(&mut self, number: u32, parent: Option<NodeId>, local: &Local) -> NodeId {
        let transform = transform(local);
        let node = match parent {
            Some(parent) => self.graph.add_child(parent, transform),
            None => self.graph.add_root(transform),
        };
        let node = node.expect(FINITE);
        if self.meshes.len() <= node.index() {
            self.meshes.resize_with(node.index() + 1, || None);
        }
        self.meshes[node.index()] = (field::level(number) == Level::Mesh).then(|| Mesh {
            number,
            material: field::material(number),
            half: field::half_extents(field::geometry(number)).into(),
            bounds: WorldBox { center: Vec3::ZERO, half: Vec3::ZERO },
        });
        node
    }
}

impl Contender for GraphOnly {
    fn build(&mut self, game: &Game) {
        self.graph = Graph::with_capacity(game.field.len()).expect("the field fits");
        for (number, parent) in game.edit_lists.in_creation_order() {
            let parent = parent.map(|parent| self.node(parent));
            let added = self.add(number, parent, &game.field.local(number, 0));
            self.nodes.resize(game.field.len(), added);
            self.nodes[number as usize] = added;
        }
        self.update();
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, _: &CameraPose) {
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
            self.meshes[node.index()] = None;
        }
        for &(mesh, parent) in edits.replaced {
            let parent = self.node(parent);
            self.nodes[mesh as usize] =
                self.add(mesh, Some(parent), &field.local(mesh, edits.step));
        }
    }

    fn update(&mut self) {
        self.graph.update();
        let worlds = self.graph.world_matrices();
        for node in self.graph.changed() {
            if let Some(mesh) = &mut self.meshes[node.index()] {
                mesh.bounds = WorldBox::transformed(mesh.half, &worlds[node.index()]);
            }
        }
        self.graph.clear_changes();
    }

    fn cull(&mut self, camera: &CameraPose) {
        let planes = Planes::new(&camera.clip_from_world);
        self.visible.clear();
        for (slot, mesh) in self.meshes.iter().enumerate() {
            if let Some(mesh) = mesh
                && planes.intersects(&mesh.bounds)
            {
                self.visible.push(slot as u32);
            }
        }
    }

    fn list(&mut self) {
        self.draws.clear();
        for &slot in &self.visible {
            if let Some(mesh) = &self.meshes[slot as usize] {
                self.draws.push((mesh.material, slot));
            }
        }
        self.draws.sort_unstable_by_key(|&(material, _)| material);
    }

    fn drawn(&self) -> Vec<Drawn> {
        let drawn = |&(material, slot): &(u32, u32)| {
            let mesh = self.meshes[slot as usize].as_ref().expect("only meshes are drawn");
            Drawn { mesh: mesh.number, material }
        };
        self.draws.iter().map(drawn).collect()
    }
}
