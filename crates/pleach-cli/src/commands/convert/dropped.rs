//! The objects removed by pruning, as text and JSON.

use std::collections::BTreeMap;
use std::fmt;

use pleach_gltf::{GltfArray, PruneReport};
use serde::Serialize;

use crate::report::units::{bytes, count};

/// The removed objects.
#[derive(Debug, Serialize)]
pub(super) struct Dropped {
    /// The number of unused entries by array; arrays without any are omitted.
    unused: BTreeMap<&'static str, usize>,
    /// The number of entries merged with an equal one, by array.
    merged: BTreeMap<&'static str, usize>,
    /// The removed bytes of buffers.
    bytes: usize,
    /// The reason why nothing was removed.
    skip_reason: Option<String>,
}

impl Dropped {
    pub(super) fn of(dropped: &PruneReport) -> Self {
        let counts = |of: &dyn Fn(GltfArray) -> usize| {
            let counts = GltfArray::ALL.into_iter().map(|list| (list.name(), of(list)));
            counts.filter(|(_, count)| *count > 0).collect()
        };
        Self {
            unused: counts(&|list| dropped.unused(list)),
            merged: counts(&|list| dropped.merged(list)),
            bytes: dropped.bytes,
            skip_reason: dropped.skip_reason.clone(),
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = |counts: &BTreeMap<&'static str, usize>| {
            let counts = counts.iter().map(|(list, number)| count(*number, singular(list)));
            counts.collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        if !self.unused.is_empty() {
            parts.push(counts(&self.unused));
        }
        if !self.merged.is_empty() {
            parts.push(format!("{} merged", counts(&self.merged)));
        }
        if self.bytes > 0 {
            parts.push(format!("{} of buffers", bytes(self.bytes)));
        }
        f.write_str(&if parts.is_empty() { "nothing".into() } else { parts.join("; ") })
    }
}

/// Returns the singular of the name of an array.
fn singular(list: &str) -> &str {
    match list {
        "meshes" => "mesh",
        "bufferViews" => "buffer view",
        "animationChannels" => "animation channel",
        "animationSamplers" => "animation sampler",
        list => list.strip_suffix('s').unwrap_or(list),
    }
}
