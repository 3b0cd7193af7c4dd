//! What must be refused, by every call that could be asked: handles that were
//! never given out, and numbers that are no transform.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, NodeDescription, NodeId, Property, Transform};
use testkit::naive::Key;

use super::{Done, Pair};
use crate::difference::{Difference, holds, same};
use crate::edit::Fault;

impl Pair {
    /// Tries every call with a handle that is one generation or one slot off.
    pub(super) fn try_bad_handle(&mut self, word: u32) -> Result<Done, Difference> {
        let known = self.ids[word as usize / 4 % self.ids.len()].to_bits();
        let forged = match word % 4 {
            0 => known + (1 << 32),
            1 => known | 0xffff_ffff,
            2 => known + 100_000,
            _ => known | (0xffff_ffff << 32),
        };
        let bad = NodeId::from_bits(forged).expect("its generation is not zero");
        // One generation later may be a node that really is there.
        if self.generations.get(bad.index()) == Some(&bad.generation()) {
            return Ok(Done::Nothing);
        }
        let good = self.ids[self.pick(crate::edit::Pick::Living(word))];
        let good = if self.graph.contains(good) { good } else { bad };
        let graph = &mut self.graph;
        let refusals = [
            graph.node(bad).err(),
            graph.node_mut(bad).err(),
            graph.remove(bad).err(),
            graph.add_child(bad, Transform::IDENTITY).err(),
            graph.attach(bad, good).err(),
            graph.attach(good, bad).err(),
            graph.attach_all(&[bad], good).err(),
            graph.attach_at(bad, good, 0).err(),
            graph.attach_at(good, bad, 0).err(),
            graph.attach_before(bad, good).err(),
            graph.attach_before(good, bad).err(),
            graph.attach_after(bad, good).err(),
            graph.attach_after(good, bad).err(),
            graph.attach_in_place(bad, good).err(),
            graph.attach_in_place(good, bad).err(),
            graph.detach(bad).err(),
            graph.detach_in_place(bad).err(),
            graph.detach_from(bad, good).err(),
            graph.detach_from(good, bad).err(),
            graph.clone_subtree(bad, None).err(),
            graph.clone_subtree(good, Some(bad)).err(),
            graph.move_subtree_to(bad, &mut self.elsewhere, None).err(),
            graph.find_in(bad, "arm").err(),
        ];
        for (call, refusal) in refusals.into_iter().enumerate() {
            same(format_args!("call {call} with {bad}"), refusal, Some(Error::Dead(bad)))?;
        }
        holds(format_args!("{bad} is not in the graph"), !self.graph.contains(bad))?;
        Ok(Done::Nothing)
    }

    /// Tries to give a node numbers that are no transform.
    pub(super) fn try_bad_number(&mut self, key: Key, fault: Fault) -> Result<Done, Difference> {
        let id = self.ids[key];
        let Some(mut node) = self.graph.get_mut(id) else { return Ok(Done::Nothing) };
        let result = match fault {
            Fault::NotFinite(Property::Translation, at, bad) => {
                node.set_translation(spoilt(Vec3::ONE, at, bad)).map(drop)
            }
            Fault::NotFinite(Property::Rotation, at, bad) => {
                let mut parts = Quat::IDENTITY.to_array();
                parts[at] = bad;
                node.set_rotation(Quat::from_array(parts)).map(drop)
            }
            Fault::NotFinite(Property::Scale, at, bad) => {
                node.set_scale(spoilt(Vec3::ONE, at, bad)).map(drop)
            }
            Fault::NotFinite(Property::Matrix, at, bad) => {
                let mut elements = Mat4::IDENTITY.to_cols_array();
                elements[at] = bad;
                node.set_local_matrix(Mat4::from_cols_array(&elements)).map(drop)
            }
            Fault::NotFinite(Property::Target, at, bad) => {
                node.look_at(spoilt(Vec3::ONE, at, bad), Vec3::Z).map(drop)
            }
            Fault::NotFinite(Property::Up, at, bad) => {
                node.face(Vec3::ONE, spoilt(Vec3::Z, at, bad)).map(drop)
            }
            Fault::ZeroRotation => {
                let zero = Quat::from_xyzw(0.0, -0.0, 0.0, 0.0);
                node.set_transform(Transform::from_rotation(zero)).map(drop)
            }
            Fault::NotAffine(at) => {
                let mut elements = Mat4::IDENTITY.to_cols_array();
                elements[4 * at + 3] = 0.5;
                node.set_local_matrix(Mat4::from_cols_array(&elements)).map(drop)
            }
        };
        let refused = result.err();
        holds(format_args!("{id} refuses {fault:?}: {refused:?}"), is_told(&refused, id, fault))?;
        Ok(Done::Nothing)
    }
}

fn spoilt(mut vector: Vec3, at: usize, bad: f32) -> Vec3 {
    vector[at] = bad;
    vector
}

/// Does the error name the node and the fault?
fn is_told(error: &Option<Error>, node: NodeId, fault: Fault) -> bool {
    let is_node = |subject: &NodeDescription| matches!(subject, NodeDescription::Node(label) if label.node == node);
    match (error, fault) {
        (
            Some(Error::NotFinite { node, property, component, value }),
            Fault::NotFinite(of, at, bad),
        ) => {
            let is_value = value.to_bits() == bad.to_bits();
            is_node(node) && (*property, *component) == (of, at) && is_value
        }
        (Some(Error::ZeroRotation(node)), Fault::ZeroRotation) => is_node(node),
        (Some(Error::NotAffine { node, last_row }), Fault::NotAffine(at)) => {
            is_node(node) && last_row[at] == 0.5
        }
        _ => false,
    }
}
