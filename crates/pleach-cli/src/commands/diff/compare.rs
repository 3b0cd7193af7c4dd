//! Compares two matched scenes node by node.

use glam::Mat4;
use pleach::{Mesh, NodeId, Part, Skin};
use pleach_gltf::patch::TreeMatching;
use pleach_graph::NodeRef;

use super::change::{Action, Change, Detail};
use super::change_kind::ChangeKind;
use super::content_ids::ContentIds;
use super::flat_tree::{FlatTree, NONE};
use super::transform_delta::{TransformDelta, is_same_local};

/// Two scenes and the matching of their nodes.
pub(super) struct Compare<'a> {
    pub(super) scene: usize,
    pub(super) a: &'a FlatTree<'a>,
    pub(super) b: &'a FlatTree<'a>,
    pub(super) matching: &'a TreeMatching,
    pub(super) tolerance: f32,
}

impl Compare<'_> {
    /// Appends all changes in the order of the first scene, then the nodes added in the second.
    pub(super) fn changes(&self, ids: &mut ContentIds, changes: &mut Vec<Change>) {
        let TreeMatching { of_a, of_b } = self.matching;
        for (item, descendants) in unmatched_roots(self.a, of_a) {
            match descendants {
                None => self.pair(item, of_a[item as usize], ids, changes),
                Some(descendants) => {
                    let (file, path) = (self.a.items[item as usize].file_index, self.a.path(item));
                    let detail = Detail::Subtree { descendants };
                    changes.push(self.change(ChangeKind::Removed, path, [file, None], detail));
                }
            }
        }
        for (item, descendants) in unmatched_roots(self.b, of_b) {
            if let Some(descendants) = descendants {
                let (file, path) = (self.b.items[item as usize].file_index, self.b.path(item));
                let detail = Detail::Subtree { descendants };
                changes.push(self.change(ChangeKind::Added, path, [None, file], detail));
            }
        }
    }

    fn change(
        &self,
        change: ChangeKind,
        path: String,
        [a, b]: [Option<u32>; 2],
        detail: Detail,
    ) -> Change {
        Change { change, scene: Some(self.scene), path, a, b, detail }
    }

    fn pair(&self, a: u32, b: u32, ids: &mut ContentIds, changes: &mut Vec<Change>) {
        let (one, other) = (&self.a.items[a as usize], &self.b.items[b as usize]);
        let (in_a, in_b) = (self.a.scene, self.b.scene);
        let (Some(left), Some(right)) = (in_a.graph.get(one.node), in_b.graph.get(other.node))
        else {
            return;
        };
        let mut add = |change, detail| {
            let files = [one.file_index, other.file_index];
            changes.push(self.change(change, self.a.path(a), files, detail));
        };
        if one.name != other.name {
            let [from, to] = [one.name, other.name].map(|name| name.map(String::from));
            add(ChangeKind::Renamed, Detail::Names { from, to });
        }
        let parent = self.matching.of_a.get(one.parent as usize).copied();
        if parent.is_some_and(|parent| parent != other.parent) {
            let (from, to) = (self.a.path(one.parent), self.b.path(other.parent));
            add(ChangeKind::Reparented, Detail::Parent { from, to, world: world(left, right) });
        }
        if !is_same_local(left, right, self.tolerance) {
            let local = TransformDelta::between(&left.local_matrix(), &right.local_matrix());
            add(ChangeKind::Moved, Detail::Transform { local, world: world(left, right) });
        }
        match (left.is_visible(), right.is_visible()) {
            (true, false) => add(ChangeKind::Hidden, Detail::Empty {}),
            (false, true) => add(ChangeKind::Shown, Detail::Empty {}),
            _ => {}
        }
        let (graph, other_graph) = (&in_a.graph, &in_b.graph);
        let meshes = (in_a.meshes.get(graph, one.node), in_b.meshes.get(other_graph, other.node));
        mesh(meshes, ids, &mut add);
        let mut component = |kind, action: Option<Action>| {
            if let Some(action) = action {
                add(kind, Detail::Component { action });
            }
        };
        let skins = (in_a.skins.get(graph, one.node), in_b.skins.get(other_graph, other.node));
        component(
            ChangeKind::Skin,
            differs(skins.0, skins.1, |one, other| self.is_same_skin(one, other)),
        );
        let weights =
            (in_a.weights.get(graph, one.node), in_b.weights.get(other_graph, other.node));
        component(ChangeKind::Weights, differs(weights.0, weights.1, |one, other| one == other));
        let cameras =
            (in_a.cameras.get(graph, one.node), in_b.cameras.get(other_graph, other.node));
        component(ChangeKind::Camera, differs(cameras.0, cameras.1, |one, other| one == other));
        let lights = (in_a.lights.get(graph, one.node), in_b.lights.get(other_graph, other.node));
        component(ChangeKind::Light, differs(lights.0, lights.1, |one, other| one == other));
    }

    /// Returns `true` for the same joints, inverse bind matrices and skeleton.
    fn is_same_skin(&self, one: &Skin, other: &Skin) -> bool {
        let is_same_joint = |(one, other): (&NodeId, &NodeId)| {
            match (self.a.item(*one), self.b.item(*other)) {
                (Some(one), Some(other)) => self.matching.of_a[one as usize] == other,
                // Joints outside the scene are compared by name.
                (None, None) => {
                    let name = |tree: &FlatTree<'_>, node| {
                        tree.scene.graph.get(node).and_then(|node| node.name().map(String::from))
                    };
                    name(self.a, *one) == name(self.b, *other)
                }
                _ => false,
            }
        };
        one.joints.len() == other.joints.len()
            && one.joints.iter().zip(&other.joints).all(is_same_joint)
            && one.inverse_bind_matrices == other.inverse_bind_matrices
            && match (&one.skeleton, &other.skeleton) {
                (Some(one), Some(other)) => is_same_joint((one, other)),
                (one, other) => one.is_none() && other.is_none(),
            }
    }
}

fn world(one: NodeRef<'_>, other: NodeRef<'_>) -> TransformDelta {
    TransformDelta::between(&one.compute_world(), &other.compute_world())
}

/// Returns how a component differs, if it does.
fn differs<T>(
    one: Option<&T>,
    other: Option<&T>,
    is_same: impl FnOnce(&T, &T) -> bool,
) -> Option<Action> {
    match (one, other) {
        (None, Some(_)) => Some(Action::Added),
        (Some(_), None) => Some(Action::Removed),
        (Some(one), Some(other)) if !is_same(one, other) => Some(Action::Changed),
        _ => None,
    }
}

/// Compares the geometries, materials and instances of a mesh.
fn mesh(
    (one, other): (Option<&Mesh>, Option<&Mesh>),
    ids: &mut ContentIds,
    add: &mut impl FnMut(ChangeKind, Detail),
) {
    let mut geometries = |mesh: &Mesh| -> Vec<u32> {
        mesh.parts.iter().map(|it| ids.geometry(&it.geometry)).collect()
    };
    let action = differs(one, other, |one, other| geometries(one) == geometries(other));
    if let Some(action) = action {
        add(ChangeKind::Mesh, Detail::Component { action });
    }
    let (Some(one), Some(other)) = (one, other) else { return };
    let both = one.parts.iter().zip(&other.parts).enumerate();
    let mut is_other =
        |one: &Part, other: &Part| ids.material(&one.material) != ids.material(&other.material);
    let parts: Vec<usize> =
        both.filter(|(_, (one, other))| is_other(one, other)).map(|(part, _)| part).collect();
    if !parts.is_empty() {
        add(ChangeKind::Material, Detail::Materials { action: Action::Changed, parts });
    }
    let matrices = |mesh: &Mesh| -> Option<Vec<Mat4>> {
        mesh.instances.as_ref().map(|matrices| matrices.matrices().to_vec())
    };
    let action =
        differs(matrices(one).as_ref(), matrices(other).as_ref(), |one, other| one == other);
    if let Some(action) = action {
        add(ChangeKind::Instances, Detail::Component { action });
    }
}

/// Returns every matched item, and the roots of unmatched subtrees with the number of their
/// unmatched descendants.
fn unmatched_roots(tree: &FlatTree<'_>, partners: &[u32]) -> Vec<(u32, Option<usize>)> {
    let is_unmatched = |item: u32| partners.get(item as usize) == Some(&NONE);
    // By unmatched item: the index of its subtree root in the list.
    let mut roots: Vec<u32> = vec![NONE; tree.items.len()];
    let mut list: Vec<(u32, Option<usize>)> = Vec::new();
    for (index, item) in tree.items.iter().enumerate() {
        if !is_unmatched(index as u32) {
            list.push((index as u32, None));
        } else if is_unmatched(item.parent) {
            roots[index] = roots[item.parent as usize];
            if let Some((_, Some(below))) = list.get_mut(roots[index] as usize) {
                *below += 1;
            }
        } else {
            roots[index] = list.len() as u32;
            list.push((index as u32, Some(0)));
        }
    }
    list
}
