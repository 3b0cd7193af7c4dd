//! One episode of a soak: a graph of some size and shape, and random edits.
//!
//! Everything in an episode follows from the seed of the run and the number of the
//! episode; the edits do not depend on the graph. An episode can therefore be
//! repeated, and its edits listed, without having been recorded.

use pleach_graph::TransformKernel;
use testkit::Rng;

use crate::difference::Result;
use crate::edit::{Edit, NodeChoice, WORDS};
use crate::pair::Pair;

/// The number of edits between two spot checks.
const EDITS_PER_SPOT_CHECK: usize = 32;

/// A graph of some size and shape, and random edits.
#[derive(Clone, Debug)]
pub struct Episode {
    seed: u64,
    /// The number of edits.
    length: usize,
    /// The approximate maximum number of nodes.
    limit: usize,
    /// Adds children below the latest node, so that chains grow.
    deep: bool,
    /// Updates after every few edits, so that little is out of date.
    eager: bool,
    kernel: TransformKernel,
}

/// Counts of the work done by an episode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// The number of edits taken from the list.
    pub drawn: usize,
    /// The number of these edits that changed the graph.
    pub edits: u64,
    /// The number of nodes compared completely.
    pub compared: u64,
}

impl Episode {
    /// Creates episode `number` of the run with this seed.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut rng = Rng::new(seed ^ number.wrapping_mul(0xa076_1d64_78bd_642f));
        let available: Vec<TransformKernel> =
            TransformKernel::ALL.into_iter().filter(|kernel| kernel.is_available()).collect();
        let limit = match rng.below(100) {
            0 => 1_000 + rng.below(4_000),
            1..10 => 100 + rng.below(300),
            _ => 1 + rng.below(64),
        };
        Self {
            seed: rng.next_u64(),
            length: 200 * limit + rng.below(20_000),
            limit,
            deep: rng.one_in(8),
            eager: limit < 400 && rng.one_in(16),
            kernel: available[rng.below(available.len())],
        }
    }

    /// Returns the edits, in order.
    pub fn edits(&self) -> impl Iterator<Item = Edit> + use<> {
        let mut rng = Rng::new(self.seed);
        let Self { length, limit, deep, eager, .. } = *self;
        let mut draw = move || loop {
            let edit = Edit::from_words([(); WORDS].map(|()| rng.next_u32()));
            // Edits for which the model visits all nodes are rarer in large graphs.
            if !visits_all_nodes(&edit) || rng.one_in(1 + limit / 64) {
                return edit;
            }
        };
        (0..length).map(move |index| match draw() {
            _ if eager && index.is_multiple_of(4) => Edit::Update,
            Edit::AddChild(_, transform) if deep => Edit::AddChild(NodeChoice::Latest, transform),
            edit => edit,
        })
    }

    /// Applies a list of edits like this episode does, and compares at the end.
    ///
    /// # Errors
    ///
    /// The first difference between graph and model.
    pub fn apply(&self, edits: &[Edit]) -> Result<()> {
        let mut pair = Pair::new(self.kernel, self.limit);
        edits.iter().try_for_each(|edit| pair.apply(edit).map(drop))?;
        compare(&mut pair).map(drop)
    }

    /// Applies the edits to a graph and a model, and compares the two periodically.
    ///
    /// # Errors
    ///
    /// The first difference between graph and model; `tally.drawn` is then the
    /// number of edits taken.
    pub fn run(&self, tally: &mut Tally) -> Result<()> {
        let mut pair = Pair::new(self.kernel, self.limit);
        let edits_per_comparison = 100 * self.limit + 2_000;
        for edit in self.edits() {
            tally.drawn += 1;
            tally.edits += u64::from(pair.apply(&edit)?);
            if tally.drawn.is_multiple_of(EDITS_PER_SPOT_CHECK) {
                pair.spot_check(NodeChoice::from_word(tally.drawn as u32))?;
            }
            if tally.drawn.is_multiple_of(edits_per_comparison) {
                tally.compared += compare(&mut pair)?;
            }
        }
        tally.compared += compare(&mut pair)?;
        Ok(())
    }
}

fn visits_all_nodes(edit: &Edit) -> bool {
    use Edit::{ClearChanges, CloneGraph, PurgeRows, ReadChanges, ReplaceReader, Update};
    let (Update | ClearChanges | ReadChanges(..) | ReplaceReader(_) | CloneGraph | PurgeRows) =
        edit
    else {
        return false;
    };
    true
}

/// Compares everything, before and after an update; returns the number of nodes.
fn compare(pair: &mut Pair) -> Result<u64> {
    pair.compare()?;
    pair.apply(&Edit::Update)?;
    pair.compare()?;
    Ok(2 * pair.graph().len() as u64)
}
