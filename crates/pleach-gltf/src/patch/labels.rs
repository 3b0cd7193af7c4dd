//! Names of entries for people: paths of nodes, names of others.

use super::matching::nodes_of;
use super::model::Model;
use super::value::{Ref, Value};
use crate::references::GltfArray;

/// The maximum number of names in a path, as a chain may have many thousand nodes.
const MAX_PATH_NAMES: usize = 16;

/// Names of the entries of a file.
pub(super) struct Labels<'a> {
    model: &'a Model,
    /// The parent of each node, by id.
    parents: Vec<Option<u32>>,
}

impl<'a> Labels<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let nodes = &model.lists[GltfArray::Nodes];
        let mut parents = vec![None; nodes.entries.len()];
        for (id, node) in nodes.entries.iter().enumerate() {
            for child in nodes_of(node.as_ref(), "children") {
                if let Some(parent) = parents.get_mut(child as usize) {
                    *parent = Some(id as u32);
                }
            }
        }
        Self { model, parents }
    }

    /// Returns the parent of a node.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        self.parents.get(node as usize).copied().flatten()
    }

    /// Returns the path of names of a node, or the name of another entry.
    pub(super) fn label(&self, of: Ref) -> String {
        let name = |of: Ref| self.model.entry(of)?.at(&["name"]).and_then(Value::as_string);
        if of.array != GltfArray::Nodes {
            return name(of).unwrap_or_default().into_owned();
        }
        let mut ancestors = Vec::new();
        let mut at = Some(of.id);
        while let Some(id) = at.filter(|_| ancestors.len() <= MAX_PATH_NAMES) {
            ancestors.push(id);
            at = self.parent(id);
        }
        let mut path = String::new();
        if ancestors.len() > MAX_PATH_NAMES {
            ancestors.pop();
            path.push_str("…/");
        }
        for (number, &id) in ancestors.iter().rev().enumerate() {
            if number > 0 {
                path.push('/');
            }
            match name(Ref { id, ..of }).filter(|it| !it.is_empty()) {
                Some(name) => path.push_str(&name),
                None => {
                    // Ids of another file are not indices.
                    let order = &self.model.lists[GltfArray::Nodes].order;
                    let index = match order.get(id as usize) {
                        Some(&at) if at == id => Some(id as usize),
                        _ => order.iter().position(|&it| it == id),
                    };
                    path.push_str(&index.map_or("?".into(), |index| format!("#{index}")));
                }
            }
        }
        path
    }
}
