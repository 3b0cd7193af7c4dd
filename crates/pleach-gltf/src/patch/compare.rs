//! Compares two files entry by entry.
//!
//! Invariant: applying the edits to the first file gives the second.

use super::edit::{Change, Edit, Owner, Step};
use super::labels::Labels;
use super::model::{Model, arrays};
use super::value::{Ref, Value};

/// Returns the edits that turn `a` into `b`, whose entries have the ids of their partners in `a`.
pub(super) fn compare(a: &Model, b: &Model) -> Vec<Edit> {
    let (of_a, of_b) = (Labels::of(a), Labels::of(b));
    let mut compare = Compare { path: Vec::new(), changes: Vec::new() };
    let mut edits = Vec::new();
    let add = |owner, label: &dyn Fn() -> String, changes: Vec<Change>, edits: &mut Vec<Edit>| {
        if changes.is_empty() {
            return;
        }
        let label = label();
        edits.extend(changes.into_iter().map(|change| Edit {
            owner,
            label: label.clone(),
            change,
        }));
    };
    let changes = compare.changes(&a.root, &b.root);
    add(Owner::Root, &String::new, changes, &mut edits);
    let changes = compare.changes(&a.chunks, &b.chunks);
    add(Owner::Chunks, &String::new, changes, &mut edits);
    for array in arrays() {
        let (from, to) = (&a.lists[array], &b.lists[array]);
        let mut expected = Vec::with_capacity(to.order.len());
        for &id in &from.order {
            let of = Ref { array, id };
            let changes = match (from.get(id), to.get(id)) {
                (Some(old), Some(new)) => {
                    expected.push(id);
                    compare.changes(old, new)
                }
                _ => vec![Change::Remove],
            };
            add(Owner::Entry(of), &|| of_a.label(of), changes, &mut edits);
        }
        for &id in to.order.iter().filter(|&&id| from.get(id).is_none()) {
            let of = Ref { array, id };
            if let Some(new) = to.get(id) {
                expected.push(id);
                let change = vec![Change::Add(new.clone())];
                add(Owner::Entry(of), &|| of_b.label(of), change, &mut edits);
            }
        }
        if expected != to.order {
            let order = Change::Order(runs(&to.order));
            add(Owner::Array(array), &String::new, vec![order], &mut edits);
        }
    }
    edits
}

/// Returns the first id and the length of each run of consecutive ids.
fn runs(ids: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &id in ids {
        match runs.last_mut() {
            Some((first, length)) if *first + *length == id => *length += 1,
            _ => runs.push((id, 1)),
        }
    }
    runs
}

struct Compare {
    path: Vec<Step>,
    changes: Vec<Change>,
}

impl Compare {
    /// Returns the changes from one value to another.
    fn changes(&mut self, old: &Value, new: &Value) -> Vec<Change> {
        self.compare(old, new);
        std::mem::take(&mut self.changes)
    }

    fn set(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (old, new) = (old.cloned(), new.cloned());
        self.changes.push(Change::Set { path: self.path.clone(), old, new });
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Object(from), Value::Object(to)) => {
                for (key, old) in from.iter() {
                    self.path.push(Step::Key(key.into()));
                    match to.get(key) {
                        Some(new) => self.compare(old, new),
                        None => self.set(Some(old), None),
                    }
                    self.path.pop();
                }
                for (key, new) in to.in_text_order() {
                    if from.get(key).is_none() {
                        self.path.push(Step::Key(key.into()));
                        self.set(None, Some(new));
                        self.path.pop();
                    }
                }
            }
            (Value::Array(from), Value::Array(to)) => self.compare_arrays(from, to),
            _ if old == new => {}
            _ => self.set(Some(old), Some(new)),
        }
    }

    fn compare_arrays(&mut self, old: &[Value], new: &[Value]) {
        let are_containers = old.iter().chain(new).all(Value::is_container);
        if old.len() == new.len() && are_containers {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                self.path.push(Step::Index(index));
                self.compare(old, new);
                self.path.pop();
            }
            return;
        }
        let is_same = |(one, other): &(&Value, &Value)| one == other;
        let head = old.iter().zip(new).take_while(is_same).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(is_same).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        if old.is_empty() && new.is_empty() {
            return;
        }
        let (path, at) = (self.path.clone(), head);
        self.changes.push(Change::Splice { path, at, old: old.to_vec(), new: new.to_vec() });
    }
}
