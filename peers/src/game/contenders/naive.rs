//! `naive`: what a program without a library would contain. A vector of nodes with parent, children
//! and a dirty flag; an update that walks all trees and computes the matrices below dirty nodes; a
//! test of every mesh's box, whose corners are transformed for the test; a sorted vector of draws.
//!
//! The variant `stored boxes` keeps the world boxes: it computes them with the matrices, from centre
//! and size instead of corners.

use glam::{Mat4, Quat, Vec3};

use crate::game::contender::{Contender, Drawn, Game};
use crate::game::edits::Edits;
use crate::game::field::{self, CameraPose, Field, Level};
use crate::game::planes::{Planes, WorldBox};
use crate::scene::Local;

struct Node {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    world: Mat4,
    parent: Option<usize>,
    children: Vec<usize>,
    dirty: bool,
    mesh: Option<Mesh>,
}

struct Mesh {
    /// The number of the mesh.
    number: u32,
    material: u32,
    /// Half the size of its box.
    half: Vec3,
    /// Up to date only if boxes are stored.
    bounds: WorldBox,
}

#[derive(Default)]
pub struct Naive {
    stores_boxes: bool,
    nodes: Vec<Node>,
    free: Vec<usize>,
    roots: Vec<usize>,
    /// The index in `nodes` of each node of the field.
    slots: Vec<usize>,
    visible: Vec<usize>,
    /// Material and node.
    draws: Vec<(u32, usize)>,
}

impl Naive {
    pub fn with_stored_boxes() -> Self {
        Self { stores_boxes: true, ..Self::default() }
    }

    fn slot(&self, node: u32) -> usize {
        self.slots[node as usize]
    }

    fn add(&mut self, node: u32, parent: Option<usize>, local: &Local) -> usize {
        let mesh = (field::level(node) == Level::Mesh).then(|| Mesh {
            number: node,
            material: field::material(node),
            half: field::half_extents(field::geometry(node)).into(),
            bounds: WorldBox { center: Vec3::ZERO, half: Vec3::ZERO },
        });
        let node = Node {
            translation: local.translation.into(),
            rotation: Quat::from_array(local.rotation),
            scale: local.scale.into(),
            world: Mat4::IDENTITY,
            parent,
            children: Vec::new(),
            dirty: true,
            mesh,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.nodes[slot] = node;
                slot
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        match parent {
            Some(parent) => self.nodes[parent].children.push(slot),
            None => self.roots.push(slot),
        }
        slot
    }

    fn detach(&mut self, slot: usize) {
        if let Some(parent) = self.nodes[slot].parent.take() {
            let siblings = &mut self.nodes[parent].children;
            if let Some(index) = siblings.iter().position(|&sibling| sibling == slot) {
                siblings.swap_remove(index);
            }
        }
    }

    fn attach(&mut self, slot: usize, parent: usize) {
        self.detach(slot);
        self.nodes[slot].parent = Some(parent);
        self.nodes[slot].dirty = true;
        self.nodes[parent].children.push(slot);
    }

    fn remove(&mut self, slot: usize) {
        self.detach(slot);
        for child in std::mem::take(&mut self.nodes[slot].children) {
            self.nodes[child].parent = None;
            self.remove(child);
        }
        self.nodes[slot].mesh = None;
        self.free.push(slot);
    }
}

fn update_subtree<const STORES_BOXES: bool>(
    nodes: &mut [Node],
    slot: usize,
    parent_world: &Mat4,
    parent_changed: bool,
) {
    let node = &mut nodes[slot];
    let changed = parent_changed || node.dirty;
    if changed {
        node.world = *parent_world
            * Mat4::from_scale_rotation_translation(node.scale, node.rotation, node.translation);
        node.dirty = false;
        if let (true, Some(mesh)) = (STORES_BOXES, &mut node.mesh) {
            mesh.bounds = WorldBox::transformed(mesh.half, &node.world);
        }
    }
    if node.children.is_empty() {
        return;
    }
    let world = node.world;
    for index in 0..node.children.len() {
        let child = nodes[slot].children[index];
        update_subtree::<STORES_BOXES>(nodes, child, &world, changed);
    }
}

impl Contender for Naive {
    fn build(&mut self, game: &Game) {
        self.nodes.reserve(game.field.len());
        self.slots = vec![usize::MAX; game.field.len()];
        for (node, parent) in game.edit_lists.in_creation_order() {
            let parent = parent.map(|parent| self.slot(parent));
            self.slots[node as usize] = self.add(node, parent, &game.field.local(node, 0));
        }
        self.update();
    }

    fn clear(&mut self) {
        *self = Self { stores_boxes: self.stores_boxes, ..Self::default() };
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, _: &CameraPose) {
        for &number in edits.moved {
            let local = field.local(number, edits.step);
            let slot = self.slot(number);
            let node = &mut self.nodes[slot];
            node.translation = local.translation.into();
            node.rotation = Quat::from_array(local.rotation);
            node.scale = local.scale.into();
            node.dirty = true;
        }
        for &(node, parent) in edits.attached {
            self.attach(self.slot(node), self.slot(parent));
        }
        for &(mesh, _) in edits.replaced {
            self.remove(self.slot(mesh));
        }
        for &(mesh, parent) in edits.replaced {
            let parent = self.slot(parent);
            self.slots[mesh as usize] =
                self.add(mesh, Some(parent), &field.local(mesh, edits.step));
        }
    }

    fn update(&mut self) {
        let update =
            if self.stores_boxes { update_subtree::<true> } else { update_subtree::<false> };
        for &root in &self.roots {
            update(&mut self.nodes, root, &Mat4::IDENTITY, false);
        }
    }

    fn cull(&mut self, camera: &CameraPose) {
        let planes = Planes::new(&camera.clip_from_world);
        self.visible.clear();
        let stores_boxes = self.stores_boxes;
        for (slot, node) in self.nodes.iter().enumerate() {
            let Some(mesh) = &node.mesh else { continue };
            let bounds = match stores_boxes {
                true => mesh.bounds,
                false => WorldBox::around_corners(mesh.half, &node.world),
            };
            if planes.intersects(&bounds) {
                self.visible.push(slot);
            }
        }
    }

    fn list(&mut self) {
        self.draws.clear();
        for &slot in &self.visible {
            if let Some(mesh) = &self.nodes[slot].mesh {
                self.draws.push((mesh.material, slot));
            }
        }
        self.draws.sort_unstable_by_key(|&(material, _)| material);
    }

    fn drawn(&self) -> Vec<Drawn> {
        let drawn = |&(material, slot): &(u32, usize)| {
            let mesh = self.nodes[slot].mesh.as_ref().expect("only meshes are drawn");
            Drawn { mesh: mesh.number, material }
        };
        self.draws.iter().map(drawn).collect()
    }
}
