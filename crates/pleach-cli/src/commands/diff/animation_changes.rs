//! Compares the animations of two files by name, then channel by channel.

use std::collections::{HashMap, VecDeque};

use pleach::animation::{Property, Track};
use pleach_gltf::{Animation, Document};

use super::change::{Change, Detail};
use super::change_kind::ChangeKind;

/// Compares all animations. `nodes` maps nodes of the first file to nodes of the second.
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
    let partner = |animation: &Animation| {
        waiting.get_mut(animation.clip().name()).and_then(VecDeque::pop_front)
    };
    let mut partners: Vec<Option<usize>> = a.animations().iter().map(partner).collect();
    let mut new: Vec<usize> = waiting.into_values().flatten().collect();
    new.sort_unstable();
    renamed((a.animations(), &mut partners), (b.animations(), &mut new), nodes);
    for (number, (one, partner)) in a.animations().iter().zip(partners).enumerate() {
        let name = one.clip().name();
        let files = [Some(number), partner];
        let Some(other) = partner.map(|partner| &b.animations()[partner]) else {
            changes.push(change(ChangeKind::AnimationRemoved, name, files, Detail::Empty {}));
            continue;
        };
        if name != other.clip().name() {
            let [from, to] = [name, other.clip().name()].map(|name| Some(name.to_string()));
            changes.push(change(
                ChangeKind::AnimationRenamed,
                name,
                files,
                Detail::Names { from, to },
            ));
        }
        if let Some(detail) = differs(one, other, nodes) {
            changes.push(change(ChangeKind::Animation, name, files, detail));
        }
    }
    for number in new {
        let name = b.animations()[number].clip().name();
        let detail = Detail::Empty {};
        changes.push(change(ChangeKind::AnimationAdded, name, [None, Some(number)], detail));
    }
}

/// Matches unmatched animations with the first equal one among `new`.
fn renamed(
    (a, partners): (&[Animation], &mut [Option<usize>]),
    (b, new): (&[Animation], &mut Vec<usize>),
    nodes: &HashMap<u32, u32>,
) {
    // All pairs are compared, so the numbers must be small.
    const FEW: usize = 100;
    if new.len() > FEW || partners.iter().filter(|it| it.is_none()).count() > FEW {
        return;
    }
    for (one, partner) in a.iter().zip(partners).filter(|it| it.1.is_none()) {
        let same = new.iter().position(|&other| differs(one, &b[other], nodes).is_none());
        *partner = same.map(|position| new.remove(position));
    }
}

fn change(change: ChangeKind, name: &str, files: [Option<usize>; 2], detail: Detail) -> Change {
    let [a, b] = files.map(|index| index.map(|index| index as u32));
    Change { change, scene: None, path: name.into(), a, b, detail }
}

/// Channels by property and node index in the second file.
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
    changed += usize::from(one.visibility_target_count() != other.visibility_target_count());
    changed += usize::from(one.property_target_count() != other.property_target_count());
    let seconds = [one.clip().duration(), other.clip().duration()];
    let is_same = (added, removed, changed) == (0, 0, 0) && seconds[0] == seconds[1];
    (!is_same).then_some(Detail::Channels { added, removed, changed, seconds })
}

fn channels(animation: &Animation, node: impl Fn(u32) -> Option<u32>) -> Channels<'_> {
    let targets = animation.node_indices();
    let channels = animation.clip().channels().iter();
    let channels = channels.filter_map(|channel| {
        let target = *targets.get(channel.target() as usize)?;
        Some(((node(target)?, channel.track().property()), channel.track()))
    });
    channels.collect()
}
