//! The naive tree: boxed nodes that own their children, and a recursive walk that recomputes
//! everything, without dirty flags.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use pleach::Transform;
use pleach::glam::{Mat4, Vec3};

use super::tree_spec::{BenchTree, TreeSpec};

#[derive(Debug)]
struct Node {
    local: Transform,
    world: Mat4,
    parent: Weak<RefCell<Node>>,
    children: Vec<Rc<RefCell<Node>>>,
}

#[derive(Debug, Default)]
pub(super) struct NaiveTree {
    nodes: Vec<Rc<RefCell<Node>>>,
}

impl BenchTree for NaiveTree {
    fn build(spec: &TreeSpec) -> Self {
        let mut naive = Self::default();
        naive.nodes.reserve(spec.len());
        for (&parent, &local) in spec.parents.iter().zip(&spec.locals) {
            let parent = naive.nodes.get(parent as usize);
            let node = Rc::new(RefCell::new(Node {
                local,
                world: Mat4::IDENTITY,
                parent: parent.map_or_else(Weak::new, Rc::downgrade),
                children: Vec::new(),
            }));
            if let Some(parent) = parent {
                parent.borrow_mut().children.push(Rc::clone(&node));
            }
            naive.nodes.push(node);
        }
        naive.update();
        naive
    }

    fn set_translation(&mut self, node: u32, at: Vec3) {
        self.nodes[node as usize].borrow_mut().local.translation = at;
    }

    fn attach(&mut self, node: u32, parent: u32) {
        let (node, parent) = (&self.nodes[node as usize], &self.nodes[parent as usize]);
        let old_parent = node.borrow().parent.upgrade();
        if let Some(old_parent) = old_parent {
            let siblings = &mut old_parent.borrow_mut().children;
            if let Some(position) = siblings.iter().position(|child| Rc::ptr_eq(child, node)) {
                siblings.swap_remove(position);
            }
        }
        node.borrow_mut().parent = Rc::downgrade(parent);
        parent.borrow_mut().children.push(Rc::clone(node));
    }

    fn update(&mut self) {
        if let Some(root) = self.nodes.first() {
            update_below(root, &Mat4::IDENTITY);
        }
    }

    fn worlds(&self) -> Vec<Mat4> {
        self.nodes.iter().map(|node| node.borrow().world).collect()
    }
}

// The benchmark tree is shallow enough for recursion.
fn update_below(node: &RefCell<Node>, parent_world: &Mat4) {
    let mut node = node.borrow_mut();
    let Transform { translation, rotation, scale } = node.local;
    let world = *parent_world * Mat4::from_scale_rotation_translation(scale, rotation, translation);
    node.world = world;
    for child in &node.children {
        update_below(child, &world);
    }
}
