//! `Live`: which entries something uses, and which number each has afterwards.
//!
//! Scenes are used, and nodes unless those are asked for that no scene lists; then whatever a used
//! entry names. A channel of an animation is used if what it moves is, and its sampler with it;
//! an animation if one of its channels is.

use std::ops::Range;

use super::gltf_array::{ByList, GltfArray};
use super::references::{Name, Survey};

/// Which entries are used.
#[derive(Debug, Default)]
pub(super) struct Live {
    used: ByList<Vec<bool>>,
    /// How many used ones come before.
    ranks: ByList<Vec<usize>>,
}

impl Live {
    /// Follows all names. `same` says which entry stands for one that equals it.
    pub(super) fn of(survey: &Survey<'_>, same: &Same, without_nodes: bool) -> Self {
        let mut used: ByList<Vec<bool>> = ByList::default();
        for list in GltfArray::ALL {
            used[list] = vec![false; survey.entries[list].len()];
        }
        // A file without scenes is a shelf of nodes.
        let without_nodes = without_nodes && !survey.entries[GltfArray::Scenes].is_empty();
        let mut follow = Follow { survey, same, used, open: Vec::new() };
        let mut roots = vec![GltfArray::Scenes];
        if !without_nodes {
            roots.push(GltfArray::Nodes);
        }
        for list in roots {
            for index in 0..survey.entries[list].len() {
                follow.mark(list, index);
            }
        }
        if without_nodes {
            follow.all_with_parents();
        } else {
            follow.all();
        }
        follow.animations();
        let used = follow.used;
        let mut ranks: ByList<Vec<usize>> = ByList::default();
        for list in GltfArray::ALL {
            let mut rank = 0;
            let counted = used[list].iter().map(|&is_used| {
                rank += usize::from(is_used);
                rank - usize::from(is_used)
            });
            ranks[list] = counted.collect();
        }
        Self { used, ranks }
    }

    pub(super) fn is_used(&self, list: GltfArray, index: usize) -> bool {
        self.used[list].get(index).copied().unwrap_or(false)
    }

    /// Which entries of a list are used.
    pub(super) fn of_list(&self, list: GltfArray) -> &[bool] {
        &self.used[list]
    }

    /// The number that a name has afterwards.
    pub(super) fn number(&self, same: &Same, name: &Name) -> usize {
        let rank = |index: usize| self.ranks[name.list].get(index).copied().unwrap_or(0);
        rank(same.of(name.list, name.index)) - rank(name.first)
    }
}

/// For each entry the first that equals it.
#[derive(Debug, Default)]
pub(super) struct Same(pub(super) ByList<Vec<usize>>);

impl Same {
    pub(super) fn of(&self, list: GltfArray, index: usize) -> usize {
        self.0[list].get(index).copied().unwrap_or(index)
    }

    /// Does another stand for it?
    pub(super) fn is_merged(&self, list: GltfArray, index: usize) -> bool {
        self.of(list, index) != index
    }
}

struct Follow<'a> {
    survey: &'a Survey<'a>,
    same: &'a Same,
    used: ByList<Vec<bool>>,
    /// Marked, but not yet followed.
    open: Vec<(GltfArray, usize)>,
}

impl Follow<'_> {
    fn mark(&mut self, list: GltfArray, index: usize) {
        let index = self.same.of(list, index);
        if !std::mem::replace(&mut self.used[list][index], true) {
            self.open.push((list, index));
        }
    }

    fn all(&mut self) {
        while let Some((list, index)) = self.open.pop() {
            for name in self.survey.names_of(list, index) {
                self.mark(name.list, name.index);
            }
        }
    }

    /// The same; and where a node is used, those above it are, as they say where it is.
    fn all_with_parents(&mut self) {
        let mut parents: Vec<(usize, usize)> = Vec::new();
        for node in 0..self.survey.entries[GltfArray::Nodes].len() {
            let names = self.survey.names_of(GltfArray::Nodes, node).iter();
            let children = names.filter(|name| name.list == GltfArray::Nodes);
            parents.extend(children.map(|name| (name.index, node)));
        }
        parents.sort_unstable();
        while let Some((list, index)) = self.open.pop() {
            for name in self.survey.names_of(list, index) {
                self.mark(name.list, name.index);
            }
            if list == GltfArray::Nodes {
                let first = parents.partition_point(|&(child, _)| child < index);
                for &(_, parent) in parents[first..].iter().take_while(|it| it.0 == index) {
                    self.mark(GltfArray::Nodes, parent);
                }
            }
        }
    }

    fn animations(&mut self) {
        let survey = self.survey;
        for channel in 0..survey.entries[GltfArray::AnimationChannels].len() {
            let names = survey.names_of(GltfArray::AnimationChannels, channel);
            let moves = |name: &&Name| name.list != GltfArray::AnimationSamplers;
            let is_there = |name: &Name| self.used[name.list][self.same.of(name.list, name.index)];
            if names.iter().filter(moves).all(is_there) {
                self.used[GltfArray::AnimationChannels][channel] = true;
                for name in names.iter().filter(|name| name.list == GltfArray::AnimationSamplers) {
                    self.mark(name.list, name.index);
                }
            }
        }
        for (index, animation) in survey.entries[GltfArray::Animations].iter().enumerate() {
            let inside = |&channel: &usize| {
                let span = &survey.entries[GltfArray::AnimationChannels][channel].span;
                animation.span.contains(&span.start)
            };
            let first = survey.entries[GltfArray::AnimationChannels]
                .partition_point(|channel| channel.span.start < animation.span.start);
            let mut channels =
                (first..survey.entries[GltfArray::AnimationChannels].len()).take_while(inside);
            let mut has_none = true;
            let is_used = channels.any(|channel| {
                has_none = false;
                self.used[GltfArray::AnimationChannels][channel]
            });
            self.used[GltfArray::Animations][index] = is_used || has_none;
            // What never had a channel is not ours to judge.
            if has_none {
                self.curves_of(animation.span.clone());
            }
        }
        self.all();
    }

    fn curves_of(&mut self, animation: Range<usize>) {
        let curves = &self.survey.entries[GltfArray::AnimationSamplers];
        let first = curves.partition_point(|curve| curve.span.start < animation.start);
        let is_inside = |&curve: &usize| animation.contains(&curves[curve].span.start);
        for curve in (first..curves.len()).take_while(is_inside) {
            self.mark(GltfArray::AnimationSamplers, curve);
        }
    }
}
