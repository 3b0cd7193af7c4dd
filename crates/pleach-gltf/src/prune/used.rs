//! `UsedEntries`: which entries are used, and their new indices.
//!
//! Scenes are used, and nodes as well, unless the nodes that no scene lists are to be dropped; then
//! everything that a used entry references. A channel of an animation is used if its target is, and
//! its sampler with it; an animation if one of its channels is.

use std::ops::Range;

use crate::references::{GltfArray, PerArray, Reference, References};

/// The used entries.
#[derive(Debug, Default)]
pub(super) struct UsedEntries {
    used: PerArray<Vec<bool>>,
    /// The number of used entries before each entry.
    ranks: PerArray<Vec<usize>>,
}

impl UsedEntries {
    /// Marks all entries that are reachable. `duplicates` replaces each entry by the first equal
    /// one.
    pub(super) fn find(map: &References<'_>, duplicates: &Duplicates, drops_nodes: bool) -> Self {
        let mut used: PerArray<Vec<bool>> = PerArray::default();
        for array in GltfArray::ALL {
            used[array] = vec![false; map.entries[array].len()];
        }
        // A file without scenes is a library of nodes.
        let drops_nodes = drops_nodes && !map.entries[GltfArray::Scenes].is_empty();
        let mut marker = Marker { map, duplicates, used, stack: Vec::new() };
        let mut roots = vec![GltfArray::Scenes, GltfArray::Variants, GltfArray::ImageBasedLights];
        if !drops_nodes {
            roots.push(GltfArray::Nodes);
        }
        for array in roots {
            for index in 0..map.entries[array].len() {
                marker.mark(array, index);
            }
        }
        if drops_nodes {
            marker.mark_reachable_with_parents();
        } else {
            marker.mark_reachable();
        }
        marker.mark_animations();
        let used = marker.used;
        let mut ranks: PerArray<Vec<usize>> = PerArray::default();
        for array in GltfArray::ALL {
            let mut rank = 0;
            let counted = used[array].iter().map(|&is_used| {
                rank += usize::from(is_used);
                rank - usize::from(is_used)
            });
            ranks[array] = counted.collect();
        }
        Self { used, ranks }
    }

    pub(super) fn is_used(&self, array: GltfArray, index: usize) -> bool {
        self.used[array].get(index).copied().unwrap_or(false)
    }

    /// Returns which entries of an array are used.
    pub(super) fn in_array(&self, array: GltfArray) -> &[bool] {
        &self.used[array]
    }

    /// Returns the new index of a reference.
    pub(super) fn new_index(&self, duplicates: &Duplicates, reference: &Reference) -> usize {
        let rank = |index: usize| self.ranks[reference.array].get(index).copied().unwrap_or(0);
        rank(duplicates.original_of(reference.array, reference.index)) - rank(reference.first)
    }
}

/// For each entry the first one that equals it.
#[derive(Debug, Default)]
pub(super) struct Duplicates(pub(super) PerArray<Vec<usize>>);

impl Duplicates {
    pub(super) fn original_of(&self, array: GltfArray, index: usize) -> usize {
        self.0[array].get(index).copied().unwrap_or(index)
    }

    /// Returns `true` if another entry replaces it.
    pub(super) fn is_duplicate(&self, array: GltfArray, index: usize) -> bool {
        self.original_of(array, index) != index
    }
}

struct Marker<'a> {
    map: &'a References<'a>,
    duplicates: &'a Duplicates,
    used: PerArray<Vec<bool>>,
    /// Marked entries whose references have not been followed.
    stack: Vec<(GltfArray, usize)>,
}

impl Marker<'_> {
    fn mark(&mut self, array: GltfArray, index: usize) {
        let index = self.duplicates.original_of(array, index);
        if !std::mem::replace(&mut self.used[array][index], true) {
            self.stack.push((array, index));
        }
    }

    fn mark_reachable(&mut self) {
        while let Some((array, index)) = self.stack.pop() {
            for reference in self.map.of_entry(array, index) {
                self.mark(reference.array, reference.index);
            }
        }
    }

    /// Marks reachable entries, and the ancestors of used nodes, which determine their world
    /// transforms.
    fn mark_reachable_with_parents(&mut self) {
        let mut parents: Vec<(usize, usize)> = Vec::new();
        for node in 0..self.map.entries[GltfArray::Nodes].len() {
            let references = self.map.of_entry(GltfArray::Nodes, node).iter();
            let children = references.filter(|reference| reference.array == GltfArray::Nodes);
            parents.extend(children.map(|reference| (reference.index, node)));
        }
        parents.sort_unstable();
        while let Some((array, index)) = self.stack.pop() {
            for reference in self.map.of_entry(array, index) {
                self.mark(reference.array, reference.index);
            }
            if array == GltfArray::Nodes {
                let first = parents.partition_point(|&(child, _)| child < index);
                for &(_, parent) in parents[first..].iter().take_while(|it| it.0 == index) {
                    self.mark(GltfArray::Nodes, parent);
                }
            }
        }
    }

    fn mark_animations(&mut self) {
        let map = self.map;
        for channel in 0..map.entries[GltfArray::AnimationChannels].len() {
            let references = map.of_entry(GltfArray::AnimationChannels, channel);
            let is_target =
                |reference: &&Reference| reference.array != GltfArray::AnimationSamplers;
            let is_there = |reference: &Reference| {
                self.used[reference.array]
                    [self.duplicates.original_of(reference.array, reference.index)]
            };
            if references.iter().filter(is_target).all(is_there) {
                self.used[GltfArray::AnimationChannels][channel] = true;
                for reference in references
                    .iter()
                    .filter(|reference| reference.array == GltfArray::AnimationSamplers)
                {
                    self.mark(reference.array, reference.index);
                }
            }
        }
        for (index, animation) in map.entries[GltfArray::Animations].iter().enumerate() {
            let inside = |&channel: &usize| {
                let span = &map.entries[GltfArray::AnimationChannels][channel].span;
                animation.span.contains(&span.start)
            };
            let first = map.entries[GltfArray::AnimationChannels]
                .partition_point(|channel| channel.span.start < animation.span.start);
            let mut channels =
                (first..map.entries[GltfArray::AnimationChannels].len()).take_while(inside);
            let mut has_none = true;
            let is_used = channels.any(|channel| {
                has_none = false;
                self.used[GltfArray::AnimationChannels][channel]
            });
            self.used[GltfArray::Animations][index] = is_used || has_none;
            // An animation that never had channels is kept.
            if has_none {
                self.mark_samplers_in(animation.span.clone());
            }
        }
        self.mark_reachable();
    }

    fn mark_samplers_in(&mut self, animation: Range<usize>) {
        let samplers = &self.map.entries[GltfArray::AnimationSamplers];
        let first = samplers.partition_point(|sampler| sampler.span.start < animation.start);
        let is_inside = |&sampler: &usize| animation.contains(&samplers[sampler].span.start);
        for sampler in (first..samplers.len()).take_while(is_inside) {
            self.mark(GltfArray::AnimationSamplers, sampler);
        }
    }
}
