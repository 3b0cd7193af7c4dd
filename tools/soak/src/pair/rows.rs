//! A `NodeMap` beside the graph, and a list of handles and rows beside the model.

use pleach_graph::{NodeId, NodeMap};
use testkit::naive::Key;

use super::{Done, Pair};
use crate::difference::{Difference, same};

#[derive(Debug, Default)]
pub(super) struct Rows {
    map: NodeMap<u32>,
    naive: Vec<(NodeId, u32)>,
}

impl Rows {
    fn find(&self, node: NodeId) -> Option<u32> {
        self.naive.iter().find(|&&(of, _)| of == node).map(|&(_, row)| row)
    }
}

impl Pair {
    pub(super) fn set_row(&mut self, key: Key, row: u32) -> Result<Done, Difference> {
        let node = self.ids[key];
        let result = self.rows.map.insert(&self.graph, node, row);
        let Some(old) = self.agree("NodeMap::insert", result, self.alive(key))? else {
            return Ok(Done::Nothing);
        };
        same("the row before", old, self.rows.find(node))?;
        self.rows.naive.retain(|&(of, _)| of != node);
        self.rows.naive.push((node, row));
        Ok(Done::Edited)
    }

    pub(super) fn remove_row(&mut self, key: Key) -> Result<Done, Difference> {
        let node = self.ids[key];
        let old = self.rows.find(node);
        same("the row removed", self.rows.map.remove(node), old)?;
        self.rows.naive.retain(|&(of, _)| of != node);
        Ok(if old.is_some() { Done::Edited } else { Done::Nothing })
    }

    pub(super) fn purge_rows(&mut self) -> Result<Done, Difference> {
        let before = self.rows.naive.len();
        self.rows.naive.retain(|&(node, _)| self.graph.contains(node));
        let purged = before - self.rows.naive.len();
        same("rows purged", self.rows.map.purge(&self.graph), purged)?;
        Ok(if purged > 0 { Done::Edited } else { Done::Nothing })
    }

    pub(super) fn compare_rows(&self) -> Result<(), Difference> {
        let Rows { map, naive } = &self.rows;
        same("rows", map.len(), naive.len())?;
        for &(node, row) in naive {
            let alive = self.graph.contains(node).then_some(row);
            same(format_args!("the row of {node}"), map.get(&self.graph, node).copied(), alive)?;
        }
        let sorted = |mut rows: Vec<(NodeId, u32)>| {
            rows.sort_unstable();
            rows
        };
        same("all rows", sorted(map.rows().map(copied).collect()), sorted(naive.clone()))?;
        let living = naive.iter().copied().filter(|&(node, _)| self.graph.contains(node));
        let told = map.iter(&self.graph).map(copied);
        same("rows of living nodes", sorted(told.collect()), sorted(living.collect()))
    }
}

fn copied((node, row): (NodeId, &u32)) -> (NodeId, u32) {
    (node, *row)
}
