//! Matches the nodes of two scenes.
//!
//! From the roots down, children of matched nodes are matched by name: first those with equal
//! subtrees, then the others in order; unnamed nodes likewise. Of the unmatched nodes, those below
//! the same parent that are equal except for the name were renamed; those with the same name
//! elsewhere were re-parented. Each step processes the unmatched nodes once with hash tables, so
//! the cost is linear.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::flat_tree::{FlatTree, Item, NONE};

/// The matched nodes in both directions.
pub(super) struct Matching {
    /// By item of the first scene: the item of the second, or `NONE`.
    pub(super) of_a: Vec<u32>,
    pub(super) of_b: Vec<u32>,
}

impl Matching {
    pub(super) fn of(a: &FlatTree<'_>, b: &FlatTree<'_>) -> Self {
        let matching = Self { of_a: vec![NONE; a.items.len()], of_b: vec![NONE; b.items.len()] };
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
    a: &'a FlatTree<'a>,
    b: &'a FlatTree<'a>,
    matching: Matching,
    /// All names of either scene.
    names: [HashSet<&'a str>; 2],
    /// Pairs whose children are not yet matched.
    pending: Vec<(u32, u32)>,
    /// Pairs with unmatched children on both sides.
    partial: Vec<(u32, u32)>,
}

/// Items with their matching keys.
type Keyed<K> = Vec<(K, u32)>;

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
        let unmatched = |tree: &FlatTree<'a>, partners: &[u32], parent: u32| {
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
        let counts = |items: &Keyed<u64>| {
            let mut counts: HashMap<u64, usize> = HashMap::new();
            items.iter().for_each(|(key, _)| *counts.entry(*key).or_default() += 1);
            counts
        };
        let (of_a, of_b) = (counts(&left), counts(&right));
        let is_unique = |key: &u64| of_a.get(key) == Some(&1) && of_b.get(key) == Some(&1);
        left.retain(|(key, _)| is_unique(key));
        right.retain(|(key, _)| is_unique(key));
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
        let counts = |tree: &FlatTree<'a>, partners: &[u32]| {
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
