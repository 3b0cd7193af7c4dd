//! Matches the nodes of two trees: the matching that comparing, patching and merging share.
//!
//! From the roots down, children of matched nodes are matched by name: first those with equal
//! subtrees, then the others in order; unnamed nodes likewise. Of the unmatched nodes, those below
//! the same parent that are equal except for the name were renamed; those with the same object or
//! the same children were renamed and changed; those with the same name elsewhere were re-parented.
//! Each step processes the unmatched nodes once with hash tables, so the cost is linear.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A node of a [`MatchTree`].
#[derive(Clone, Copy, Debug)]
pub struct TreeItem<'a> {
    /// The position of the parent in the list of items, which comes before it; `None` for the root.
    pub parent: Option<u32>,
    /// The name of the node.
    pub name: Option<&'a str>,
    /// A hash of the content of the node, without its name and its position in the tree.
    pub content_hash: u64,
    /// A hash of the mesh, camera or light of the node, by which it is recognized if it was both renamed
    /// and changed; `None` if it has none of them.
    pub object_hash: Option<u64>,
}

/// A tree of nodes with hashes of their subtrees, for [`TreeMatching`].
#[derive(Clone, Debug, Default)]
pub struct MatchTree<'a> {
    items: Vec<Item<'a>>,
    /// By item: the start of its children in `children`; they end at the next start.
    starts: Vec<u32>,
    children: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Item<'a> {
    parent: u32,
    name: Option<&'a str>,
    /// The hash of the node without its name.
    own_hash: u64,
    /// The hash of its mesh, camera or light.
    object_hash: Option<u64>,
    /// The hash of its descendants with their names, in any order; `None` without children.
    children_hash: Option<u64>,
    /// The hash of the names of its children, in any order; `None` without named children.
    child_names_hash: Option<u64>,
    /// The hash of the node and its descendants with their names, in any order.
    subtree_hash: u64,
    /// The hash of the subtree with the node's own name.
    full_hash: u64,
}

/// No item.
const NONE: u32 = TreeMatching::NONE;

impl<'a> MatchTree<'a> {
    /// Creates a tree from its nodes: the root first, parents before children, siblings in order. A
    /// parent that does not come before its child is ignored.
    #[must_use]
    pub fn new(items: impl IntoIterator<Item = TreeItem<'a>>) -> Self {
        let items = items.into_iter().enumerate().map(|(index, it)| Item {
            parent: it.parent.filter(|&it| (it as usize) < index).unwrap_or(NONE),
            name: it.name,
            own_hash: it.content_hash,
            object_hash: it.object_hash,
            children_hash: None,
            child_names_hash: None,
            subtree_hash: 0,
            full_hash: 0,
        });
        let items: Vec<Item<'a>> = items.collect();
        let (starts, children) = children(&items);
        let mut tree = Self { items, starts, children };
        tree.hash_all();
        tree
    }

    /// Returns the children of an item, in order.
    #[must_use]
    pub fn children(&self, item: u32) -> &[u32] {
        let item = item as usize;
        match (self.starts.get(item), self.starts.get(item + 1)) {
            (Some(&start), Some(&end)) => &self.children[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Computes the subtree hashes from the leaves up.
    fn hash_all(&mut self) {
        for index in (0..self.items.len()).rev() {
            let item = &mut self.items[index];
            item.subtree_hash = hash_of((item.own_hash, item.children_hash));
            item.full_hash = hash_of((item.name, item.subtree_hash));
            let (parent, hash, name) = (item.parent as usize, item.full_hash, item.name);
            let Some(parent) = self.items.get_mut(parent) else { continue };
            let add = |sum: &mut Option<u64>, hash| {
                *sum = Some(sum.unwrap_or(0).wrapping_add(hash));
            };
            add(&mut parent.children_hash, hash);
            if let Some(name) = name {
                add(&mut parent.child_names_hash, hash_of(name));
            }
        }
    }

    /// Returns all names.
    fn names(&self) -> HashSet<&'a str> {
        self.items.iter().filter_map(|item| item.name).collect()
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the start of each item's children and the concatenated lists of children.
fn children(items: &[Item<'_>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; items.len() + 1];
    for item in items {
        if let Some(count) = starts.get_mut(item.parent.wrapping_add(1) as usize)
            && item.parent != NONE
        {
            *count += 1;
        }
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut ends = starts.clone();
    let mut children = vec![0u32; starts.last().copied().unwrap_or(0) as usize];
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.parent != NONE) {
        let end = &mut ends[item.parent as usize];
        children[*end as usize] = index as u32;
        *end += 1;
    }
    (starts, children)
}

/// The matched nodes of two trees, in both directions.
///
/// ```
/// use pleach_gltf::patch::{MatchTree, TreeItem, TreeMatching};
///
/// let item = |parent, name, content_hash| {
///     TreeItem { parent, name: Some(name), content_hash, object_hash: None }
/// };
/// let a = MatchTree::new([item(None, "house", 0), item(Some(0), "door", 1), item(Some(0), "cat", 2)]);
/// let b = MatchTree::new([item(None, "house", 0), item(Some(0), "cat", 2), item(Some(0), "gate", 1)]);
/// let matching = TreeMatching::of(&a, &b);
/// assert_eq!(matching.of_a, [0, 2, 1]);            // the door is now called gate
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeMatching {
    /// By item of the first tree: the item of the second, or [`NONE`](Self::NONE).
    pub of_a: Vec<u32>,
    /// By item of the second tree: the item of the first, or [`NONE`](Self::NONE).
    pub of_b: Vec<u32>,
}

impl TreeMatching {
    /// The item of a node without a partner.
    pub const NONE: u32 = u32::MAX;

    /// Matches the nodes of two trees; the roots are matched. Takes time proportional to the number
    /// of nodes.
    #[must_use]
    pub fn of(a: &MatchTree<'_>, b: &MatchTree<'_>) -> Self {
        let matching = Self { of_a: vec![NONE; a.items.len()], of_b: vec![NONE; b.items.len()] };
        if a.items.is_empty() || b.items.is_empty() {
            return matching;
        }
        let names = [a.names(), b.names()];
        let (pending, partial) = (Vec::new(), Vec::new());
        let mut matcher = Matcher { a, b, matching, names, pending, partial };
        matcher.pair_up(0, 0);
        matcher.match_all();
        matcher.match_moved(|item| Some((item.name?, item.full_hash)));
        matcher.match_moved_unique();
        matcher.matching
    }
}

struct Matcher<'a> {
    a: &'a MatchTree<'a>,
    b: &'a MatchTree<'a>,
    matching: TreeMatching,
    /// All names of either scene.
    names: [HashSet<&'a str>; 2],
    /// Pairs whose children are not yet matched.
    pending: Vec<(u32, u32)>,
    /// Pairs with unmatched children on both sides.
    partial: Vec<(u32, u32)>,
}

/// Items with their matching keys.
type Keyed<K> = Vec<(K, u32)>;

/// Returns how many items have each key.
fn counts<K: Hash + Eq + Copy>(items: &Keyed<K>) -> HashMap<K, usize> {
    let mut counts = HashMap::new();
    items.iter().for_each(|(key, _)| *counts.entry(*key).or_default() += 1);
    counts
}

impl<'a> Matcher<'a> {
    fn pair_up(&mut self, a: u32, b: u32) {
        self.matching.of_a[a as usize] = b;
        self.matching.of_b[b as usize] = a;
        self.pending.push((a, b));
    }

    /// Pairs items with the same key in order.
    fn pair_by<K: Hash + Eq>(&mut self, (left, right): (Keyed<K>, Keyed<K>)) {
        if left.is_empty() || right.is_empty() {
            return;
        }
        let mut waiting: HashMap<K, VecDeque<u32>> = HashMap::with_capacity(right.len());
        for (key, item) in right {
            waiting.entry(key).or_default().push_back(item);
        }
        for (key, item) in left {
            if let Some(partner) = waiting.get_mut(&key).and_then(VecDeque::pop_front) {
                self.pair_up(item, partner);
            }
        }
    }

    /// Returns the unmatched children of a pair with a key computed from each item and its
    /// position.
    fn unmatched<K>(
        &self,
        (a, b): (u32, u32),
        key: impl Fn(&Item<'a>, usize) -> K,
    ) -> (Keyed<K>, Keyed<K>) {
        let unmatched = |tree: &MatchTree<'a>, partners: &[u32], parent: u32| {
            let children = tree.children(parent).iter().enumerate();
            let children = children.filter(|(_, child)| partners[**child as usize] == NONE);
            children
                .map(|(position, &child)| (key(&tree.items[child as usize], position), child))
                .collect()
        };
        (unmatched(self.a, &self.matching.of_a, a), unmatched(self.b, &self.matching.of_b, b))
    }

    /// Matches the descendants of matched nodes, including renamed ones, until no pair is pending.
    fn match_all(&mut self) {
        while !self.pending.is_empty() {
            while let Some(pair) = self.pending.pop() {
                self.match_children(pair);
            }
            for pair in std::mem::take(&mut self.partial) {
                self.match_renamed(pair);
            }
        }
    }

    fn match_children(&mut self, pair: (u32, u32)) {
        let (left, right) = (self.a.children(pair.0), self.b.children(pair.1));
        // The common case: equal children in the same order.
        let mut all_matched = left.len() == right.len();
        for (&one, &other) in left.iter().zip(right) {
            let is_free = self.matching.of_a[one as usize] == NONE
                && self.matching.of_b[other as usize] == NONE;
            let hashes =
                (self.a.items[one as usize].full_hash, self.b.items[other as usize].full_hash);
            if is_free && hashes.0 == hashes.1 {
                self.pair_up(one, other);
            } else {
                all_matched = false;
            }
        }
        if all_matched {
            return;
        }
        self.pair_by(self.unmatched(pair, |item, _| item.full_hash));
        self.pair_by(self.unmatched(pair, |item, _| item.name));
        let (left, right) = self.unmatched(pair, |_, _| ());
        if !left.is_empty() && !right.is_empty() {
            self.partial.push(pair);
        }
    }

    /// Matches renamed children of a pair: first those with equal subtrees; then, if neither name
    /// occurs in the other file, those that are equal themselves, at the same position or unique.
    fn match_renamed(&mut self, pair: (u32, u32)) {
        self.pair_by(self.unmatched(pair, |item, _| item.subtree_hash));
        self.pair_by(self.unshared(self.unmatched(pair, |item, at| (at, item.own_hash))));
        let (mut left, mut right) = self.unshared(self.unmatched(pair, |item, _| item.own_hash));
        let (of_a, of_b) = (counts(&left), counts(&right));
        let is_unique = |key: &u64| of_a.get(key) == Some(&1) && of_b.get(key) == Some(&1);
        left.retain(|(key, _)| is_unique(key));
        right.retain(|(key, _)| is_unique(key));
        self.pair_by((left, right));
        self.match_renamed_and_changed(pair);
    }

    /// Matches children of a pair that were renamed and changed, if neither name occurs in the other
    /// file: those with the same object and the same children, then with the same object, with the
    /// same children, and with children of the same names. If there are several, those of either side
    /// are matched in order, but only if there are as many on both sides.
    fn match_renamed_and_changed(&mut self, pair: (u32, u32)) {
        self.pair_equal_counts(pair, |item| {
            let key = (item.object_hash, item.children_hash);
            (key != (None, None)).then_some(key)
        });
        self.pair_equal_counts(pair, |item| item.object_hash);
        self.pair_equal_counts(pair, |item| item.children_hash);
        self.pair_equal_counts(pair, |item| item.child_names_hash);
    }

    /// Pairs unmatched children whose names do not occur in the other file, and which have the same
    /// key, in order, unless there are more of them on one side.
    fn pair_equal_counts<K: Hash + Eq + Copy>(
        &mut self,
        pair: (u32, u32),
        key: impl Fn(&Item<'a>) -> Option<K>,
    ) {
        let (mut left, mut right) = self.unshared(self.unmatched(pair, |item, _| key(item)));
        let (of_a, of_b) = (counts(&left), counts(&right));
        let is_kept = |key: &Option<K>| key.is_some() && of_a.get(key) == of_b.get(key);
        left.retain(|(key, _)| is_kept(key));
        right.retain(|(key, _)| is_kept(key));
        self.pair_by((left, right));
    }

    /// Keeps the items whose names do not occur in the other file.
    fn unshared<K>(&self, (mut left, mut right): (Keyed<K>, Keyed<K>)) -> (Keyed<K>, Keyed<K>) {
        let [of_a, of_b] = &self.names;
        let is_unshared = |name: Option<&str>, other: &HashSet<&str>| {
            name.is_none_or(|name| !other.contains(name))
        };
        left.retain(|(_, item)| is_unshared(self.a.items[*item as usize].name, of_b));
        right.retain(|(_, item)| is_unshared(self.b.items[*item as usize].name, of_a));
        (left, right)
    }

    /// Pairs items with the same key below other parents, topmost first; their descendants follow.
    fn match_moved<K: Hash + Eq>(&mut self, key: impl Fn(&Item<'a>) -> Option<K>) {
        let mut waiting: HashMap<K, VecDeque<u32>> = HashMap::new();
        for (index, item) in self.b.items.iter().enumerate() {
            if self.matching.of_b[index] == NONE
                && let Some(key) = key(item)
            {
                waiting.entry(key).or_default().push_back(index as u32);
            }
        }
        for (index, item) in self.a.items.iter().enumerate() {
            if self.matching.of_a[index] != NONE {
                continue;
            }
            let Some(open) = key(item).and_then(|key| waiting.get_mut(&key)) else { continue };
            // Some may have been matched below another pair in the meantime.
            while let Some(partner) = open.pop_front() {
                if self.matching.of_b[partner as usize] == NONE {
                    self.pair_up(index as u32, partner);
                    self.match_all();
                    break;
                }
            }
        }
    }

    /// Pairs items whose names are unique among the unmatched items of both sides.
    fn match_moved_unique(&mut self) {
        let counts = |tree: &MatchTree<'a>, partners: &[u32]| {
            let mut names: HashMap<&'a str, u32> = HashMap::new();
            for (item, _) in tree.items.iter().zip(partners).filter(|it| *it.1 == NONE) {
                if let Some(name) = item.name {
                    *names.entry(name).or_default() += 1;
                }
            }
            names
        };
        let of_a = counts(self.a, &self.matching.of_a);
        let of_b = counts(self.b, &self.matching.of_b);
        let is_unique = |name: &&str| of_a.get(name) == Some(&1) && of_b.get(name) == Some(&1);
        self.match_moved(|item| item.name.filter(is_unique));
    }
}
