//! What differs between the animations of two files: by name, then channel by channel.

use std::collections::{HashMap, VecDeque};

use pleach::animation::{Property, Track};
use pleach_gltf::{Animation, Document};

use super::change::{Change, Detail};

/// Compares all animations. `nodes` tells which node of the second file one of the first is.
pub(super) fn changes(
    a: &Document,
    b: &Document,
    nodes: &HashMap<u32, u32>,
    changes: &mut Vec<Change>,
) {
    let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (number, animation) in b.animations().iter().enumerate() {
        waiting.entry(animation.clip().name()).or_default().push_back(number);
    }
    for (number, one) in a.animations().iter().enumerate() {
        let name = one.clip().name();
        match waiting.get_mut(name).and_then(VecDeque::pop_front) {
            Some(partner) => {
                let other = &b.animations()[partner];
                if let Some(detail) = differs(one, other, nodes) {
                    let files = [Some(number), Some(partner)];
                    changes.push(change("animation", name, files, detail));
                }
            }
            None => {
                let detail = Detail::Below { below: 0 };
                changes.push(change("animation removed", name, [Some(number), None], detail));
            }
        }
    }
    let mut new: Vec<usize> = waiting.into_values().flatten().collect();
    new.sort_unstable();
    for number in new {
        let name = b.animations()[number].clip().name();
        let detail = Detail::Below { below: 0 };
        changes.push(change("animation added", name, [None, Some(number)], detail));
    }
}

fn change(change: &'static str, name: &str, files: [Option<usize>; 2], detail: Detail) -> Change {
    let [a, b] = files.map(|index| index.map(|index| index as u32));
    Change { change, scene: None, path: name.into(), a, b, detail }
}

/// The channels by node, as the second file numbers it, and property.
type Channels<'a> = HashMap<(u32, Property), &'a Track>;

fn differs(one: &Animation, other: &Animation, nodes: &HashMap<u32, u32>) -> Option<Detail> {
    let left = channels(one, |node| nodes.get(&node).copied());
    let right = channels(other, Some);
    let lost = one.clip().channels().len() - left.len();
    let removed = lost + left.keys().filter(|key| !right.contains_key(key)).count();
    let added = right.keys().filter(|key| !left.contains_key(key)).count();
    let is_other = |(key, track): &(&(u32, Property), &&Track)| {
        right.get(key).is_some_and(|other| **track != *other)
    };
    let mut changed = left.iter().filter(is_other).count();
    changed += usize::from(one.shown_count() != other.shown_count());
    let seconds = [one.clip().duration(), other.clip().duration()];
    let is_same = (added, removed, changed) == (0, 0, 0) && seconds[0] == seconds[1];
    (!is_same).then_some(Detail::Channels { added, removed, changed, seconds })
}

fn channels(animation: &Animation, node: impl Fn(u32) -> Option<u32>) -> Channels<'_> {
    let targets = animation.file_nodes();
    let channels = animation.clip().channels().iter();
    let channels = channels.filter_map(|channel| {
        let target = *targets.get(channel.target() as usize)?;
        Some(((node(target)?, channel.track().property()), channel.track()))
    });
    channels.collect()
}
