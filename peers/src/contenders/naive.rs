//! `naive`: what one writes by hand in an afternoon. A vector of nodes that know their parent
//! and children, a dirty flag on each, and a recursive walk over the whole tree.
//!
//! A contender, written to be fast; `testkit::NaiveTree` is the one that results are compared with.

use glam::{Mat4, Quat, Vec3};

use crate::contender::{Contender, Edits};
use crate::scene::{Local, ROOT, Scene, spot};
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
    /// Where each of the scene's nodes is in `nodes`.
    places: Vec<usize>,
}

impl Naive {
    fn place(&self, node: u32) -> usize {
        self.places[node as usize]
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
        let place = match self.free.pop() {
            Some(place) => {
                self.nodes[place] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        if let Some(parent) = parent {
            self.nodes[parent].children.push(place);
        }
        place
    }

    fn detach(&mut self, place: usize) {
        if let Some(parent) = self.nodes[place].parent.take() {
            let siblings = &mut self.nodes[parent].children;
            if let Some(index) = siblings.iter().position(|&sibling| sibling == place) {
                siblings.swap_remove(index);
            }
        }
    }

    fn attach(&mut self, place: usize, parent: usize) {
        self.detach(place);
        self.nodes[place].parent = Some(parent);
        self.nodes[place].dirty = true;
        self.nodes[parent].children.push(place);
    }

    fn remove(&mut self, place: usize) {
        self.detach(place);
        for child in std::mem::take(&mut self.nodes[place].children) {
            self.nodes[child].parent = None;
            self.remove(child);
        }
        self.free.push(place);
    }

    fn set_translation(&mut self, place: usize, translation: [f32; 3]) {
        let node = &mut self.nodes[place];
        node.translation = Vec3::from_array(translation);
        node.dirty = true;
    }

    fn update(&mut self) {
        let root = self.place(ROOT);
        update_subtree(&mut self.nodes, root, &Mat4::IDENTITY, false);
    }
}

fn update_subtree(nodes: &mut [Node], place: usize, above: &Mat4, above_changed: bool) {
    let node = &mut nodes[place];
    let changed = above_changed || node.dirty;
    if changed {
        node.world = *above
            * Mat4::from_scale_rotation_translation(node.scale, node.rotation, node.translation);
        node.dirty = false;
    }
    let world = node.world;
    for index in 0..node.children.len() {
        let child = nodes[place].children[index];
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
        self.places.reserve(scene.len());
        let root = self.add(None, &scene.locals[ROOT as usize]);
        self.places.push(root);
        for (node, parent) in scene.children() {
            let parent = self.place(parent);
            let place = self.add(Some(parent), &scene.locals[node as usize]);
            self.places.push(place);
        }
        self.update();
    }

    fn frame(&mut self, edits: Edits<'_>) {
        match edits {
            Edits::Nothing => {}
            Edits::MoveAll { step } => {
                for node in 0..self.places.len() as u32 {
                    self.set_translation(self.place(node), spot(node, step));
                }
            }
            Edits::MoveRoot { step } => self.set_translation(self.place(ROOT), spot(ROOT, step)),
            Edits::MoveLeaves { leaves, step } => {
                for &leaf in leaves {
                    self.set_translation(self.place(leaf), spot(leaf, step));
                }
            }
            Edits::Attach(pairs) => {
                for &(node, parent) in pairs {
                    self.attach(self.place(node), self.place(parent));
                }
            }
            Edits::Replace { leaves, step } => {
                for &(leaf, _) in leaves {
                    self.remove(self.place(leaf));
                }
                for &(leaf, parent) in leaves {
                    let local = Local::at(spot(leaf, step));
                    self.places[leaf as usize] = self.add(Some(self.place(parent)), &local);
                }
            }
        }
        self.update();
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        let world = |&place: &usize| self.nodes[place].world.to_cols_array();
        self.places.iter().map(world).collect()
    }
}
