//! Matches the entries of two files.
//!
//! Nodes are matched scene by scene, by `TreeMatching`. Scenes and buffers are matched by index;
//! other entries if they are equal, else if matched entries use them in the same place, else by
//! name, else, without names, by index.
//!
//! Invariant: an entry has at most one partner, which is of the same array.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::deep_hash::DeepHashes;
use super::model::{List, Model, arrays};
use super::tree_matching::{MatchTree, TreeItem, TreeMatching};
use super::value::{Ref, Value};
use crate::references::{GltfArray, PerArray};

/// No entry.
pub(super) const NONE: u32 = TreeMatching::NONE;

/// The matched entries of two files, by id in both directions.
#[derive(Debug, Default)]
pub(super) struct Matching {
    pub(super) of_a: PerArray<Vec<u32>>,
    pub(super) of_b: PerArray<Vec<u32>>,
}

impl Matching {
    /// Matches the entries of two files. Takes time proportional to their sizes.
    pub(super) fn of(a: &Model, b: &Model) -> Self {
        Self::with_hashes((a, &DeepHashes::of(a)), (b, &DeepHashes::of(b)))
    }

    pub(super) fn with_hashes(a: (&Model, &DeepHashes), b: (&Model, &DeepHashes)) -> Self {
        let mut matching = Self::default();
        for array in arrays() {
            matching.of_a[array] = vec![NONE; a.0.lists[array].entries.len()];
            matching.of_b[array] = vec![NONE; b.0.lists[array].entries.len()];
        }
        let ((a, hashes_a), (b, hashes_b)) = (a, b);
        let mut matcher = Matcher { a, b, hashes: [hashes_a, hashes_b], matching, pending: vec![] };
        for array in [GltfArray::Buffers, GltfArray::Scenes] {
            matcher.match_by_index(array, |_, _| true);
        }
        matcher.match_nodes();
        for array in arrays().filter(|&it| is_asset(it)) {
            let hashes = matcher.hashes.map(|it| it.of_array(array));
            let is_same = |a: u32, b: u32| hashes[0][a as usize] == hashes[1][b as usize];
            matcher.match_by_index(array, is_same);
            matcher.match_in_order(array, |side, id| Some(hashes[side][id as usize]));
        }
        matcher.match_users();
        for array in arrays().filter(|&it| is_asset(it)) {
            let lists = [&a.lists[array], &b.lists[array]];
            matcher.match_in_order(array, |side, id| name(lists[side], id));
        }
        matcher.match_users();
        for array in arrays().filter(|&it| is_asset(it)) {
            let lists = [&a.lists[array], &b.lists[array]];
            let has_name = |side: usize, id| name(lists[side], id).is_some();
            matcher.match_by_index(array, |a, b| !has_name(0, a) && !has_name(1, b));
        }
        matcher.match_users();
        matcher.matching
    }
}

/// Returns `true` for arrays whose entries are matched by content and use.
fn is_asset(array: GltfArray) -> bool {
    !matches!(array, GltfArray::Nodes | GltfArray::Scenes | GltfArray::Buffers)
}

/// Returns the name of an entry as JSON text.
pub(super) fn name(list: &List, id: u32) -> Option<&str> {
    match list.get(id)?.at(&["name"])? {
        Value::Text(text) => Some(&text.0),
        _ => None,
    }
}

/// Returns the nodes that a member lists.
pub(super) fn nodes_of<'a>(value: Option<&'a Value>, key: &str) -> impl Iterator<Item = u32> + 'a {
    let list = match value.and_then(|it| it.at(&[key])) {
        Some(Value::Array(values)) => &values[..],
        _ => &[],
    };
    list.iter().filter_map(|it| match it {
        Value::Ref(Ref { array: GltfArray::Nodes, id }) => Some(*id),
        _ => None,
    })
}

struct Matcher<'a> {
    a: &'a Model,
    b: &'a Model,
    hashes: [&'a DeepHashes; 2],
    matching: Matching,
    /// Pairs whose references are not yet compared.
    pending: Vec<(GltfArray, u32, u32)>,
}

impl<'a> Matcher<'a> {
    fn pair_up(&mut self, array: GltfArray, a: u32, b: u32) {
        self.matching.of_a[array][a as usize] = b;
        self.matching.of_b[array][b as usize] = a;
        self.pending.push((array, a, b));
    }

    fn is_free(&self, array: GltfArray, a: u32, b: u32) -> bool {
        self.matching.of_a[array].get(a as usize) == Some(&NONE)
            && self.matching.of_b[array].get(b as usize) == Some(&NONE)
    }

    /// Pairs unmatched entries at the same position.
    fn match_by_index(&mut self, array: GltfArray, is_pair: impl Fn(u32, u32) -> bool) {
        let [a, b] = [self.a, self.b].map(|model| &model.lists[array].order);
        for (&one, &other) in a.iter().zip(b) {
            if self.is_free(array, one, other) && is_pair(one, other) {
                self.pair_up(array, one, other);
            }
        }
    }

    /// Pairs unmatched entries with the same key, in order.
    fn match_in_order<K: Hash + Eq>(
        &mut self,
        array: GltfArray,
        key: impl Fn(usize, u32) -> Option<K>,
    ) {
        let mut waiting: HashMap<K, VecDeque<u32>> = HashMap::new();
        for &id in &self.b.lists[array].order {
            if self.matching.of_b[array][id as usize] == NONE
                && let Some(key) = key(1, id)
            {
                waiting.entry(key).or_default().push_back(id);
            }
        }
        for &id in &self.a.lists[array].order {
            if self.matching.of_a[array][id as usize] != NONE || waiting.is_empty() {
                continue;
            }
            let open = key(0, id).and_then(|key| waiting.get_mut(&key));
            if let Some(partner) = open.and_then(VecDeque::pop_front) {
                self.pair_up(array, id, partner);
            }
        }
    }

    /// Pairs unmatched entries that matched entries refer to in the same place, unless one of them
    /// has a name that the other file has as well.
    fn match_users(&mut self) {
        let mut names: HashMap<GltfArray, [HashSet<&'a str>; 2]> = HashMap::new();
        let (a, b) = (self.a, self.b);
        while let Some((array, one, other)) = self.pending.pop() {
            let values = (a.lists[array].get(one), b.lists[array].get(other));
            let (Some(one), Some(other)) = values else { continue };
            let mut pairs = Vec::new();
            same_places(one, other, &mut |one, other| pairs.push((one, other)));
            for (one, other) in pairs {
                let array = one.array;
                if other.array != array
                    || !is_asset(array)
                    || !self.is_free(array, one.id, other.id)
                {
                    continue;
                }
                let lists = [&a.lists[array], &b.lists[array]];
                let [of_a, of_b] = names.entry(array).or_insert_with(|| {
                    lists.map(|list| list.order.iter().filter_map(|&id| name(list, id)).collect())
                });
                let (left, right) = (name(lists[0], one.id), name(lists[1], other.id));
                let is_renamed = left.is_none_or(|it| !of_b.contains(it))
                    && right.is_none_or(|it| !of_a.contains(it));
                if left == right || is_renamed {
                    self.pair_up(array, one.id, other.id);
                }
            }
        }
    }

    /// Matches the nodes of scenes with the same index, then the nodes that are in no such scene.
    fn match_nodes(&mut self) {
        let (a, b) = (self.a, self.b);
        let mut in_scenes = [a, b].map(|it| vec![false; it.lists[GltfArray::Nodes].entries.len()]);
        let scenes = [a, b].map(|it| &it.lists[GltfArray::Scenes]);
        for (&one, &other) in scenes[0].order.iter().zip(&scenes[1].order) {
            let roots = [(0, one), (1, other)]
                .map(|(side, id)| nodes_of(scenes[side].get(id), "nodes").collect::<Vec<u32>>());
            self.match_trees(&roots, &mut in_scenes);
        }
        let roots = [0, 1].map(|side| {
            let nodes = &[a, b][side].lists[GltfArray::Nodes];
            let mut is_root: Vec<bool> = in_scenes[side].iter().map(|it| !it).collect();
            let mut mark = |id: u32| {
                if let Some(is_root) = is_root.get_mut(id as usize) {
                    *is_root = false;
                }
            };
            nodes
                .entries
                .iter()
                .for_each(|it| nodes_of(it.as_ref(), "children").for_each(&mut mark));
            nodes.order.iter().copied().filter(|&id| is_root[id as usize]).collect::<Vec<u32>>()
        });
        self.match_trees(&roots, &mut in_scenes);
    }

    /// Matches the nodes below these roots that were not visited before.
    fn match_trees(&mut self, roots: &[Vec<u32>; 2], visited: &mut [Vec<bool>; 2]) {
        let [(tree_a, ids_a), (tree_b, ids_b)] = [0, 1].map(|side| {
            let model = [self.a, self.b][side];
            tree(model, self.hashes[side], &roots[side], &mut visited[side])
        });
        let matching = TreeMatching::of(&tree_a, &tree_b);
        for (&one, &partner) in ids_a.iter().zip(&matching.of_a).skip(1) {
            if let Some(&other) = ids_b.get(partner as usize)
                && self.is_free(GltfArray::Nodes, one, other)
            {
                self.pair_up(GltfArray::Nodes, one, other);
            }
        }
    }
}

/// Returns the nodes below these roots as a tree, and the ids of its items. Item 0 is above the roots.
fn tree<'a>(
    model: &'a Model,
    hashes: &DeepHashes,
    roots: &[u32],
    visited: &mut [bool],
) -> (MatchTree<'a>, Vec<u32>) {
    let nodes = &model.lists[GltfArray::Nodes];
    let mut items = vec![TreeItem { parent: None, name: None, content_hash: 0, object_hash: None }];
    let mut ids = vec![NONE];
    let mut open: VecDeque<(u32, u32)> = roots.iter().map(|&id| (0, id)).collect();
    while let Some((parent, id)) = open.pop_front() {
        let Some(visited) = visited.get_mut(id as usize).filter(|it| !**it) else { continue };
        *visited = true;
        let item = items.len() as u32;
        let content_hash = hashes.of_array(GltfArray::Nodes)[id as usize];
        items.push(TreeItem {
            parent: Some(parent),
            name: name(nodes, id),
            content_hash,
            object_hash: nodes.get(id).and_then(|node| hashes.of_object(node)),
        });
        ids.push(id);
        open.extend(nodes_of(nodes.get(id), "children").map(|child| (item, child)));
    }
    (MatchTree::new(items), ids)
}

/// Calls `visit` for the references in the same place of two values.
fn same_places(one: &Value, other: &Value, visit: &mut impl FnMut(Ref, Ref)) {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).for_each(|(one, other)| same_places(one, other, visit));
        }
        (Value::Object(one), Value::Object(object)) => {
            for (key, one) in one.iter() {
                if let Some(other) = object.get(key) {
                    same_places(one, other, visit);
                }
            }
        }
        _ => {
            if let (Some(one), Some(other)) = (one.reference(), other.reference()) {
                visit(one, other);
            }
        }
    }
}

/// Gives the entries of `model` the ids of their partners, and new ids from `next` on to the others.
pub(super) fn relabel(
    mut model: Model,
    partners: &PerArray<Vec<u32>>,
    next: &mut PerArray<u32>,
) -> Model {
    let mut ids: PerArray<Vec<u32>> = PerArray::default();
    for array in arrays() {
        let partners = partners[array].iter();
        let next = &mut next[array];
        ids[array] = partners
            .map(|&partner| {
                if partner != NONE {
                    return partner;
                }
                *next += 1;
                *next - 1
            })
            .collect();
    }
    for array in arrays() {
        let list = std::mem::take(&mut model.lists[array]);
        let mut relabelled = List::default();
        for (id, value) in ids[array].iter().zip(list.entries) {
            if let Some(mut value) = value {
                relabel_value(&mut value, &ids);
                relabelled.set(*id, value);
            }
        }
        relabelled.order = list.order.iter().map(|&id| ids[array][id as usize]).collect();
        model.lists[array] = relabelled;
    }
    relabel_value(&mut model.root, &ids);
    model
}

/// Replaces the ids of the references in a value.
pub(super) fn relabel_value(value: &mut Value, ids: &PerArray<Vec<u32>>) {
    let relabel = |to: &mut Ref| {
        if let Some(&id) = ids[to.array].get(to.id as usize) {
            to.id = id;
        }
    };
    value.edit_leaves(&mut |leaf| match leaf {
        Value::Ref(to) => relabel(to),
        Value::Pointer(pointer) => relabel(&mut pointer.to),
        _ => {}
    });
}
