//! What was dropped on the way, for people and for scripts.

use std::collections::BTreeMap;
use std::fmt;

use pleach_gltf::{GltfArray, PruneReport};
use serde::Serialize;

use crate::units::{bytes, count};

/// What was dropped.
#[derive(Debug, Serialize)]
pub(super) struct Loss {
    /// How many of each list nothing used; lists without are not there.
    unused: BTreeMap<&'static str, usize>,
    /// How many were the same as another.
    merged: BTreeMap<&'static str, usize>,
    /// Of buffers.
    bytes: usize,
    /// Why nothing was dropped.
    held: Option<String>,
}

impl Loss {
    pub(super) fn of(dropped: &PruneReport) -> Self {
        let counts = |of: &dyn Fn(GltfArray) -> usize| {
            let counts = GltfArray::ALL.into_iter().map(|list| (list.name(), of(list)));
            counts.filter(|(_, count)| *count > 0).collect()
        };
        Self {
            unused: counts(&|list| dropped.unused(list)),
            merged: counts(&|list| dropped.merged(list)),
            bytes: dropped.bytes,
            held: dropped.skip_reason.clone(),
        }
    }
}

impl fmt::Display for Loss {
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
            parts.push(format!("{} for an equal", counts(&self.merged)));
        }
        if self.bytes > 0 {
            parts.push(format!("{} of buffers", bytes(self.bytes)));
        }
        f.write_str(&if parts.is_empty() { "nothing".into() } else { parts.join("; ") })
    }
}

/// One of a list.
fn singular(list: &str) -> &str {
    match list {
        "meshes" => "mesh",
        "bufferViews" => "buffer view",
        "animationChannels" => "animation channel",
        "animationSamplers" => "animation sampler",
        list => list.strip_suffix('s').unwrap_or(list),
    }
}
