//! One episode of a soak: a graph of some size and shape, and random edits.
//!
//! Everything about an episode follows from the run's seed and the episode's
//! number; the edits do not depend on the graph. An episode can therefore be run
//! again, and its edits listed, without having been recorded.

use pleach_graph::TransformKernel;
use testkit::Rng;

use crate::difference::Difference;
use crate::edit::{Edit, Pick, WORDS};
use crate::pair::Pair;

/// How many edits there are between two glances.
const GLANCE: usize = 32;

/// A graph of some size and shape, and random edits.
#[derive(Clone, Debug)]
pub struct Episode {
    seed: u64,
    /// How many words are drawn for edits.
    length: usize,
    /// About so many nodes at most.
    limit: usize,
    /// Are children added below the latest node, so that chains grow?
    deep: bool,
    /// Is there an update after every few edits, so that little is out of date?
    eager: bool,
    kernel: TransformKernel,
}

/// What an episode has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Edits taken from the list.
    pub drawn: usize,
    /// Of these, edits that changed the graph.
    pub edits: u64,
    /// Nodes compared in full.
    pub compared: u64,
}

impl Episode {
    /// Episode `number` of the run with this seed.
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

    /// The edits, in order.
    pub fn edits(&self) -> impl Iterator<Item = Edit> + use<> {
        let mut rng = Rng::new(self.seed);
        let Self { length, limit, deep, eager, .. } = *self;
        let mut draw = move || loop {
            let edit = Edit::from_words([(); WORDS].map(|()| rng.next_u32()));
            // What costs the model a walk over all nodes is rarer among many.
            if !costs_a_walk(&edit) || rng.one_in(1 + limit / 64) {
                return edit;
            }
        };
        (0..length).map(move |index| match draw() {
            _ if eager && index.is_multiple_of(4) => Edit::Update,
            Edit::AddChild(_, transform) if deep => Edit::AddChild(Pick::Latest, transform),
            edit => edit,
        })
    }

    /// Applies a list of edits as this episode does, and compares at its end.
    ///
    /// # Errors
    ///
    /// Where the two disagree.
    pub fn apply(&self, edits: &[Edit]) -> Result<(), Difference> {
        let mut pair = Pair::new(self.kernel, self.limit);
        edits.iter().try_for_each(|edit| pair.apply(edit).map(drop))?;
        compare(&mut pair).map(drop)
    }

    /// Applies its edits to a graph and a model, and compares the two now and then.
    ///
    /// # Errors
    ///
    /// Where the two disagree; `tally.drawn` then tells how far the list was.
    pub fn run(&self, tally: &mut Tally) -> Result<(), Difference> {
        let mut pair = Pair::new(self.kernel, self.limit);
        let between = 100 * self.limit + 2_000;
        for edit in self.edits() {
            tally.drawn += 1;
            tally.edits += u64::from(pair.apply(&edit)?);
            if tally.drawn.is_multiple_of(GLANCE) {
                pair.glance(Pick::from_word(tally.drawn as u32))?;
            }
            if tally.drawn.is_multiple_of(between) {
                tally.compared += compare(&mut pair)?;
            }
        }
        tally.compared += compare(&mut pair)?;
        Ok(())
    }
}

fn costs_a_walk(edit: &Edit) -> bool {
    use Edit::{ClearChanges, CloneGraph, PurgeRows, ReadFeed, Resubscribe, Update};
    let (Update | ClearChanges | ReadFeed(..) | Resubscribe(_) | CloneGraph | PurgeRows) = edit
    else {
        return false;
    };
    true
}

/// Compares everything, before and after an update; answers how many nodes.
fn compare(pair: &mut Pair) -> Result<u64, Difference> {
    pair.compare()?;
    pair.apply(&Edit::Update)?;
    pair.compare()?;
    Ok(2 * pair.graph().len() as u64)
}
