//! Invalid input that every call must reject: handles that were never issued, and
//! invalid transforms.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, NodeDescription, NodeId, Property, Transform};
use testkit::naive::Key;

use super::{Effect, Pair};
use crate::difference::{Result, ensure, ensure_eq};
use crate::edit::{InvalidInput, NodeChoice};

impl Pair {
    /// Tries every call with a handle that is one generation or one slot off.
    pub(super) fn try_invalid_handle(&mut self, word: u32) -> Result<Effect> {
        let known = self.ids[word as usize / 4 % self.ids.len()].to_bits();
        let forged = match word % 4 {
            0 => known + (1 << 32),
            1 => known | 0xffff_ffff,
            2 => known + 100_000,
            _ => known | (0xffff_ffff << 32),
        };
        let bad = NodeId::from_bits(forged).expect("the generation is not zero");
        // The next generation may be a node that exists.
        if self.generations.get(bad.index()) == Some(&bad.generation()) {
            return Ok(Effect::None);
        }
        let good = self.ids[self.choose(NodeChoice::Live(word))];
        let good = if self.graph.contains(good) { good } else { bad };
        let graph = &mut self.graph;
        let errors = [
            graph.node(bad).err(),
            graph.node_mut(bad).err(),
            graph.remove(bad).err(),
            graph.add_child(bad, Transform::IDENTITY).err(),
            graph.attach(bad, good).err(),
            graph.attach(good, bad).err(),
            graph.attach_all(&[bad], good).err(),
            graph.attach_each(&[good, bad], &[good, good]).err(),
            graph.attach_each(&[good], &[bad]).err(),
            graph.set_transforms(&[good, bad], &[Transform::IDENTITY; 2]).err(),
            graph.set_translations(&[good, bad], &[Vec3::ONE; 2]).err(),
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
            graph.move_subtree_to(bad, &mut self.other_graph, None).err(),
            graph.find_in(bad, "arm").err(),
        ];
        for (call, error) in errors.into_iter().enumerate() {
            ensure_eq(format_args!("call {call} with {bad}"), error, Some(Error::Dead(bad)))?;
        }
        ensure(format_args!("{bad} is not in the graph"), !self.graph.contains(bad))?;
        Ok(Effect::None)
    }

    /// Tries to set an invalid transform.
    pub(super) fn try_invalid_input(&mut self, key: Key, input: InvalidInput) -> Result<Effect> {
        let id = self.ids[key];
        let Some(mut node) = self.graph.get_mut(id) else { return Ok(Effect::None) };
        let result = match input {
            InvalidInput::NotFinite(Property::Translation, at, bad) => {
                node.set_translation(with_component(Vec3::ONE, at, bad)).map(drop)
            }
            InvalidInput::NotFinite(Property::Rotation, at, bad) => {
                let mut components = Quat::IDENTITY.to_array();
                components[at] = bad;
                node.set_rotation(Quat::from_array(components)).map(drop)
            }
            InvalidInput::NotFinite(Property::Scale, at, bad) => {
                node.set_scale(with_component(Vec3::ONE, at, bad)).map(drop)
            }
            InvalidInput::NotFinite(Property::Matrix, at, bad) => {
                let mut elements = Mat4::IDENTITY.to_cols_array();
                elements[at] = bad;
                node.set_local_matrix(Mat4::from_cols_array(&elements)).map(drop)
            }
            InvalidInput::NotFinite(Property::Target, at, bad) => {
                node.look_at(with_component(Vec3::ONE, at, bad), Vec3::Z).map(drop)
            }
            InvalidInput::NotFinite(Property::Up, at, bad) => {
                node.face(Vec3::ONE, with_component(Vec3::Z, at, bad)).map(drop)
            }
            InvalidInput::NotFinite(..) => return Ok(Effect::None),
            InvalidInput::ZeroRotation => {
                let zero = Quat::from_xyzw(0.0, -0.0, 0.0, 0.0);
                node.set_transform(Transform::from_rotation(zero)).map(drop)
            }
            InvalidInput::NotAffine(at) => {
                let mut elements = Mat4::IDENTITY.to_cols_array();
                elements[4 * at + 3] = 0.5;
                node.set_local_matrix(Mat4::from_cols_array(&elements)).map(drop)
            }
        };
        let error = result.err();
        ensure(format_args!("{id} rejects {input:?}: {error:?}"), names_input(&error, id, input))?;
        Ok(Effect::None)
    }
}

fn with_component(mut vector: Vec3, at: usize, bad: f32) -> Vec3 {
    vector[at] = bad;
    vector
}

/// Returns `true` if the error names the node and the invalid input.
fn names_input(error: &Option<Error>, node: NodeId, input: InvalidInput) -> bool {
    let is_node = |description: &NodeDescription| matches!(description, NodeDescription::Node(label) if label.node == node);
    match (error, input) {
        (
            Some(Error::NotFinite { node, property, component, value }),
            InvalidInput::NotFinite(expected, at, bad),
        ) => {
            let is_value = value.to_bits() == bad.to_bits();
            is_node(node) && (*property, *component) == (expected, at) && is_value
        }
        (Some(Error::ZeroRotation(node)), InvalidInput::ZeroRotation) => is_node(node),
        (Some(Error::NotAffine { node, last_row }), InvalidInput::NotAffine(at)) => {
            is_node(node) && last_row[at] == 0.5
        }
        _ => false,
    }
}
