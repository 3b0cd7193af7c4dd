//! `naive`: a straightforward implementation. A vector of nodes with parent and children, a dirty
//! flag per node, and a recursive walk over the whole tree.
//!
//! A contender, written to be fast; results are compared with `testkit::NaiveTree`.

use glam::{Mat4, Quat, Vec3};

use crate::contender::{Contender, Edits};
use crate::prepared::Prepared;
use crate::scene::{Local, ROOT, Scene, position_at};
use crate::workload::Workload;

struct Node {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    world: Mat4,
    parent: Option<usize>,
    children: Vec<usize>,
    dirty: bool,
}

#[derive(Default)]
pub struct Naive {
    nodes: Vec<Node>,
    free: Vec<usize>,
    /// The index in `nodes` of each node of the scene.
    slots: Vec<usize>,
    prepared: Prepared<Local>,
}

impl Naive {
    fn slot(&self, node: u32) -> usize {
        self.slots[node as usize]
    }

    fn add(&mut self, parent: Option<usize>, local: &Local) -> usize {
        let node = Node {
            translation: Vec3::from_array(local.translation),
            rotation: Quat::from_array(local.rotation),
            scale: Vec3::from_array(local.scale),
            world: Mat4::IDENTITY,
            parent,
            children: Vec::new(),
            dirty: true,
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
        if let Some(parent) = parent {
            self.nodes[parent].children.push(slot);
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
        self.free.push(slot);
    }

    fn set_translation(&mut self, slot: usize, translation: [f32; 3]) {
        let node = &mut self.nodes[slot];
        node.translation = Vec3::from_array(translation);
        node.dirty = true;
    }

    fn update(&mut self) {
        let root = self.slot(ROOT);
        update_subtree(&mut self.nodes, root, &Mat4::IDENTITY, false);
    }
}

fn update_subtree(nodes: &mut [Node], slot: usize, parent_world: &Mat4, parent_changed: bool) {
    let node = &mut nodes[slot];
    let changed = parent_changed || node.dirty;
    if changed {
        node.world = *parent_world
            * Mat4::from_scale_rotation_translation(node.scale, node.rotation, node.translation);
        node.dirty = false;
    }
    let world = node.world;
    for index in 0..node.children.len() {
        let child = nodes[slot].children[index];
        update_subtree(nodes, child, &world, changed);
    }
}

impl Contender for Naive {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn build(&mut self, scene: &Scene) {
        self.nodes.reserve(scene.len());
        self.slots.reserve(scene.len());
        let root = self.add(None, &scene.locals[ROOT as usize]);
        self.slots.push(root);
        for (node, parent) in scene.children() {
            let parent = self.slot(parent);
            let slot = self.add(Some(parent), &scene.locals[node as usize]);
            self.slots.push(slot);
        }
        self.update();
    }

    fn frame(&mut self, edits: Edits<'_>) {
        match edits {
            Edits::Nothing => {}
            Edits::MoveAll { step } => {
                for node in 0..self.slots.len() as u32 {
                    self.set_translation(self.slot(node), position_at(node, step));
                }
            }
            Edits::SetAll { step } => {
                let prepared = self.prepared.at(step, self.slots.len(), |&local| local);
                for (&slot, local) in self.slots.iter().zip(prepared) {
                    let node = &mut self.nodes[slot];
                    node.translation = Vec3::from_array(local.translation);
                    node.rotation = Quat::from_array(local.rotation);
                    node.scale = Vec3::from_array(local.scale);
                    node.dirty = true;
                }
            }
            Edits::MoveRoot { step } => {
                self.set_translation(self.slot(ROOT), position_at(ROOT, step))
            }
            Edits::MoveLeaves { leaves, step } => {
                for &leaf in leaves {
                    self.set_translation(self.slot(leaf), position_at(leaf, step));
                }
            }
            Edits::Attach(pairs) => {
                for &(node, parent) in pairs {
                    self.attach(self.slot(node), self.slot(parent));
                }
            }
            Edits::Replace { leaves, step } => {
                for &(leaf, _) in leaves {
                    self.remove(self.slot(leaf));
                }
                for &(leaf, parent) in leaves {
                    let local = Local::at(position_at(leaf, step));
                    self.slots[leaf as usize] = self.add(Some(self.slot(parent)), &local);
                }
            }
        }
        self.update();
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        let world = |&slot: &usize| self.nodes[slot].world.to_cols_array();
        self.slots.iter().map(world).collect()
    }
}
