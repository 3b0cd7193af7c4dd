//! Merges ordered lists of distinct elements.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A merged list.
pub(super) struct MergedList<K> {
    pub(super) elements: Vec<K>,
    /// `true` if both sides changed the order of the elements that all three lists have, in different
    /// ways. The order is then that of the first side.
    pub(super) is_order_conflict: bool,
}

/// Merges two lists that were derived from `base`. Each element occurs once per list.
///
/// An element that one side removed is removed; elements that the sides added come after the element
/// that they followed, those of `ours` first.
pub(super) fn merge_lists<K: Copy + Eq + Hash>(
    base: &[K],
    ours: &[K],
    theirs: &[K],
) -> MergedList<K> {
    let merged =
        |elements: &[K]| MergedList { elements: elements.to_vec(), is_order_conflict: false };
    if ours == theirs || theirs == base {
        return merged(ours);
    }
    if ours == base {
        return merged(theirs);
    }
    let [in_base, in_ours, in_theirs] =
        [base, ours, theirs].map(|list| list.iter().copied().collect::<HashSet<K>>());
    let common = |list: &[K]| {
        let is_common =
            |it: &K| in_base.contains(it) && in_ours.contains(it) && in_theirs.contains(it);
        list.iter().copied().filter(is_common).collect::<Vec<K>>()
    };
    let (of_base, of_ours, of_theirs) = (common(base), common(ours), common(theirs));
    let is_reordered = of_ours != of_base;
    let is_order_conflict = is_reordered && of_theirs != of_base && of_ours != of_theirs;
    let (first, in_first, second, in_second) = match is_reordered {
        false if of_theirs != of_base => (theirs, in_theirs, ours, in_ours),
        _ => (ours, in_ours, theirs, in_theirs),
    };
    let is_kept = |it: &K| !in_base.contains(it) || in_second.contains(it);
    // The elements that the second side added, by the element before them.
    let mut added: HashMap<Option<K>, Vec<K>> = HashMap::new();
    let mut before = None;
    for it in second {
        if in_first.contains(it) {
            before = Some(*it);
        } else if !in_base.contains(it) {
            added.entry(before).or_default().push(*it);
        }
    }
    let mut elements = Vec::with_capacity(first.len() + second.len());
    let mut pending: Vec<K> = added.remove(&None).unwrap_or_default();
    for it in first {
        // What the first side added at the same place comes first.
        if in_base.contains(it) {
            elements.append(&mut pending);
        }
        if is_kept(it) {
            elements.push(*it);
        }
        pending.extend(added.remove(&Some(*it)).unwrap_or_default());
    }
    elements.append(&mut pending);
    MergedList { elements, is_order_conflict }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, bool) {
        let [base, ours, theirs] = [base, ours, theirs].map(|it| it.chars().collect::<Vec<_>>());
        let MergedList { elements, is_order_conflict } = merge_lists(&base, &ours, &theirs);
        (elements.into_iter().collect(), is_order_conflict)
    }

    #[test]
    fn additions_and_removals_of_both_sides_are_merged() {
        for (base, ours, theirs, expected) in [
            ("abc", "abcx", "abcy", "abcxy"),
            ("abc", "xabc", "yabc", "xyabc"),
            ("abc", "abxc", "aybc", "aybxc"),
            ("abc", "ac", "ab", "a"),
            ("abc", "ac", "abyc", "ayc"),
            ("abc", "acb", "abcy", "acyb"),
            ("abc", "abcx", "cba", "cxba"),
            ("", "xy", "z", "xyz"),
            ("ab", "", "abc", "c"),
            ("abc", "abxc", "abxc", "abxc"),
        ] {
            assert_eq!(
                merged(base, ours, theirs),
                (expected.into(), false),
                "{base} {ours} {theirs}"
            );
        }
    }

    #[test]
    fn different_orders_are_a_conflict() {
        assert_eq!(merged("abc", "bac", "acb"), ("bac".into(), true));
        assert_eq!(merged("abc", "bac", "bacx"), ("bacx".into(), false));
    }
}
