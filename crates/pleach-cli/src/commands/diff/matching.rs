//! Which node of one scene is which of the other.
//!
//! From the roots down: children of matched nodes are matched by name, those that are the same
//! with all below them first, others in their order; nodes without a name likewise. Then, of what
//! is left: what is the same below the same parent but for its name was renamed; what has the
//! same name elsewhere was re-parented. Each step goes over what is left once, with tables, so
//! that a million nodes take no longer than a million steps.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::flat_tree::{FlatTree, Item, NONE};

/// Partners, both ways.
pub(super) struct Matching {
    /// By item of the one: the item of the other, or `NONE`.
    pub(super) of_a: Vec<u32>,
    pub(super) of_b: Vec<u32>,
}

impl Matching {
    pub(super) fn of(a: &FlatTree<'_>, b: &FlatTree<'_>) -> Self {
        let matching = Self { of_a: vec![NONE; a.items.len()], of_b: vec![NONE; b.items.len()] };
        let names = [a.names(), b.names()];
        let mut matcher =
            Matcher { a, b, matching, names, pending: Vec::new(), partial: Vec::new() };
        matcher.pair_up(0, 0);
        matcher.match_all();
        matcher.match_moved(|item| Some((item.name?, item.named_hash)));
        matcher.match_moved_unique();
        matcher.matching
    }
}

struct Matcher<'a> {
    a: &'a FlatTree<'a>,
    b: &'a FlatTree<'a>,
    matching: Matching,
    /// The names that either has anywhere.
    names: [HashSet<&'a str>; 2],
    /// Pairs whose children were not looked at.
    pending: Vec<(u32, u32)>,
    /// Pairs of which both have children that found no partner.
    partial: Vec<(u32, u32)>,
}

/// Items with what they are matched by.
type Keyed<K> = Vec<(K, u32)>;

impl<'a> Matcher<'a> {
    fn pair_up(&mut self, a: u32, b: u32) {
        self.matching.of_a[a as usize] = b;
        self.matching.of_b[b as usize] = a;
        self.pending.push((a, b));
    }

    /// Joins items with the same key, in their order.
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

    /// The children of a pair that have no partner, with a key made of each and its place.
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

    /// Matches what is below matched nodes, and what was renamed there, until there is nothing
    /// to be done.
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
        // As it nearly always is: the same, in the same order.
        let mut all_matched = left.len() == right.len();
        for (&one, &other) in left.iter().zip(right) {
            let is_free = self.matching.of_a[one as usize] == NONE
                && self.matching.of_b[other as usize] == NONE;
            if is_free
                && self.a.items[one as usize].named_hash == self.b.items[other as usize].named_hash
            {
                self.pair_up(one, other);
            } else {
                all_matched = false;
            }
        }
        if all_matched {
            return;
        }
        self.pair_by(self.unmatched(pair, |item, _| item.named_hash));
        self.pair_by(self.unmatched(pair, |item, _| item.name));
        let (left, right) = self.unmatched(pair, |_, _| ());
        if !left.is_empty() && !right.is_empty() {
            self.partial.push(pair);
        }
    }

    /// Children of a pair that have other names now: first those that are the same with all
    /// below. Then, if neither name is anywhere in the other file, those that are the same
    /// themselves: at the same place, or as the only ones.
    fn match_renamed(&mut self, pair: (u32, u32)) {
        self.pair_by(self.unmatched(pair, |item, _| item.subtree_hash));
        let unshared =
            self.unshared(self.unmatched(pair, |item, position| (position, item.own_hash)));
        self.pair_by(unshared);
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

    /// Those whose names are nowhere in the other file.
    fn unshared<K>(&self, (mut left, mut right): (Keyed<K>, Keyed<K>)) -> (Keyed<K>, Keyed<K>) {
        let [of_a, of_b] = &self.names;
        let is_unshared = |name: Option<&str>, other: &HashSet<&str>| {
            name.is_none_or(|name| !other.contains(name))
        };
        left.retain(|(_, item)| is_unshared(self.a.items[*item as usize].name, of_b));
        right.retain(|(_, item)| is_unshared(self.b.items[*item as usize].name, of_a));
        (left, right)
    }

    /// Joins what has the same key under other parents: the topmost; what is below follows.
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
            let Some(open) = key(item).and_then(|key| waiting.get_mut(&key)) else {
                continue;
            };
            // Some may have found a partner below another that was joined here.
            while let Some(partner) = open.pop_front() {
                if self.matching.of_b[partner as usize] == NONE {
                    self.pair_up(index as u32, partner);
                    self.match_all();
                    break;
                }
            }
        }
    }

    /// Joins what has a name that is left once on either side.
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
