//! Matches equal entries that both sides added.

use super::super::matching::{Matching, NONE, relabel_value};
use super::super::model::{Model, arrays};
use super::super::value::Ref;
use crate::references::PerArray;

/// Returns the ids that entries get: those of their partners, or new ones from `next` on.
pub(super) fn ids(partners: &[u32], next: &mut u32) -> Vec<u32> {
    let mut id = |&partner: &u32| {
        if partner != NONE {
            return partner;
        }
        *next += 1;
        *next - 1
    };
    partners.iter().map(&mut id).collect()
}

/// Sets the partners of entries that both sides added to our entries, if they are equal, including
/// what they refer to. `our_ids` are the ids of our entries, `partners` the partners of theirs.
pub(super) fn match_added(
    matching: &Matching,
    (ours, our_ids, base): (&Model, &PerArray<Vec<u32>>, &Model),
    theirs: &Model,
    partners: &mut PerArray<Vec<u32>>,
) {
    // Pairs of entries: our index, their index.
    let mut pairs: Vec<(Ref, u32)> = Vec::new();
    for array in arrays() {
        let first_added = base.lists[array].entries.len() as u32;
        for (their_id, &id) in matching.of_b[array].iter().enumerate() {
            let is_added = |id: u32| our_ids[array][id as usize] >= first_added;
            if partners[array][their_id] == NONE && id != NONE && is_added(id) {
                pairs.push((Ref { array, id }, their_id as u32));
            }
        }
    }
    // A pair is equal only if what it refers to is, so dropping one may make others unequal.
    const MAX_ROUNDS: usize = 32;
    for _ in 0..MAX_ROUNDS {
        let mut their_ids = partners.clone();
        for (of, their_id) in &pairs {
            their_ids[of.array][*their_id as usize] = our_ids[of.array][of.id as usize];
        }
        let count = pairs.len();
        pairs.retain(|(of, their_id)| {
            let their_entry = theirs.entry(Ref { id: *their_id, ..*of }).cloned();
            let (Some(mut one), Some(mut other)) = (ours.entry(*of).cloned(), their_entry) else {
                return false;
            };
            relabel_value(&mut one, our_ids);
            relabel_value(&mut other, &their_ids);
            one == other
        });
        if pairs.len() == count {
            *partners = their_ids;
            return;
        }
    }
}
