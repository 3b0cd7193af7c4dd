//! A `NodeMap` for the graph, and a list of handles and rows for the model.

use pleach_graph::{NodeId, NodeMap};
use testkit::naive::Key;

use super::{Effect, Pair};
use crate::difference::{Result, ensure_eq};

#[derive(Debug, Default)]
pub(super) struct Rows {
    map: NodeMap<u32>,
    naive: Vec<(NodeId, u32)>,
    /// The rows of dead nodes whose slots have the rows of later nodes: no longer listed.
    displaced: Vec<(NodeId, u32)>,
}

impl Rows {
    fn find(&self, node: NodeId) -> Option<u32> {
        let mut rows = self.naive.iter().chain(&self.displaced);
        rows.find(|&&(other, _)| other == node).map(|&(_, row)| row)
    }
}

impl Pair {
    pub(super) fn set_row(&mut self, key: Key, row: u32) -> Result<Effect> {
        let node = self.ids[key];
        let result = self.rows.map.insert(&self.graph, node, row);
        let Some(old) = self.agree("NodeMap::insert", result, self.alive(key))? else {
            return Ok(Effect::None);
        };
        ensure_eq("the row before", old, self.rows.find(node))?;
        self.rows.naive.retain(|&(other, _)| other != node);
        let displaced = self.rows.naive.extract_if(.., |(other, _)| other.index() == node.index());
        self.rows.displaced.extend(displaced);
        self.rows.naive.push((node, row));
        Ok(Effect::Edited)
    }

    pub(super) fn remove_row(&mut self, key: Key) -> Result<Effect> {
        let node = self.ids[key];
        let old = self.rows.find(node);
        ensure_eq("the row removed", self.rows.map.remove(node), old)?;
        self.rows.naive.retain(|&(other, _)| other != node);
        self.rows.displaced.retain(|&(other, _)| other != node);
        Ok(if old.is_some() { Effect::Edited } else { Effect::None })
    }

    pub(super) fn purge_rows(&mut self) -> Result<Effect> {
        let before = self.rows.naive.len() + self.rows.displaced.len();
        self.rows.naive.retain(|&(node, _)| self.graph.contains(node));
        self.rows.displaced.clear();
        let purged = before - self.rows.naive.len();
        ensure_eq("rows purged", self.rows.map.purge(&self.graph), purged)?;
        Ok(if purged > 0 { Effect::Edited } else { Effect::None })
    }

    pub(super) fn compare_rows(&self) -> Result<()> {
        let Rows { map, naive, .. } = &self.rows;
        ensure_eq("rows", map.len(), naive.len())?;
        for &(node, row) in naive {
            let alive = self.graph.contains(node).then_some(row);
            ensure_eq(format_args!("row of {node}"), map.get(&self.graph, node).copied(), alive)?;
        }
        let sorted = |mut rows: Vec<(NodeId, u32)>| {
            rows.sort_unstable();
            rows
        };
        ensure_eq("all rows", sorted(map.rows().map(copied).collect()), sorted(naive.clone()))?;
        let live = naive.iter().copied().filter(|&(node, _)| self.graph.contains(node));
        let listed = map.iter(&self.graph).map(copied);
        ensure_eq("rows of live nodes", sorted(listed.collect()), sorted(live.collect()))
    }
}

fn copied((node, row): (NodeId, &u32)) -> (NodeId, u32) {
    (node, *row)
}
