//! Three-way merge of values.
//!
//! A value that one side changed is taken from that side. Objects are merged member by member, arrays
//! of objects of the same length element by element; lists of nodes and of extensions are merged as
//! lists. Other values that both sides changed in different ways are conflicts.

use std::collections::{BTreeSet, HashMap};

use super::super::edit::{Owner, Step};
use super::super::value::{Object, Ref, Text, Value};
use super::lists::merge_lists;
use crate::references::GltfArray;

/// Three versions of a value; `None` where there is none.
#[derive(Clone, Copy)]
pub(super) struct Versions<'a> {
    pub(super) base: Option<&'a Value>,
    pub(super) ours: Option<&'a Value>,
    pub(super) theirs: Option<&'a Value>,
}

/// A value that both sides changed in different ways.
pub(super) struct ValueConflict<'a> {
    pub(super) path: Vec<Step>,
    pub(super) versions: Versions<'a>,
    /// `true` if only the orders differ.
    pub(super) is_order: bool,
}

/// Merges the versions of one object of a file.
pub(super) struct MergeValues<'a> {
    pub(super) owner: Owner,
    pub(super) path: Vec<Step>,
    pub(super) conflicts: Vec<ValueConflict<'a>>,
}

impl<'a> MergeValues<'a> {
    /// Returns the merged value: `None` if it is removed. At a conflict the value is ours.
    pub(super) fn merge(&mut self, versions: Versions<'a>) -> Option<Value> {
        let Versions { base, ours, theirs } = versions;
        if ours == theirs || theirs == base {
            return ours.cloned();
        }
        if ours == base {
            return theirs.cloned();
        }
        if self.is_list() {
            return self.merge_list(versions);
        }
        match (base, ours, theirs) {
            (base, Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                let base = match base {
                    None => None,
                    Some(Value::Object(base)) => Some(base),
                    Some(_) => return self.conflict(versions, false),
                };
                Some(Value::Object(self.merge_objects(base, ours, theirs)))
            }
            (Some(Value::Array(base)), Some(Value::Array(ours)), Some(Value::Array(theirs)))
                if base.len() == ours.len()
                    && base.len() == theirs.len()
                    && base.iter().chain(ours).chain(theirs).all(Value::is_container) =>
            {
                let mut merged = Vec::with_capacity(base.len());
                for (index, ((base, ours), theirs)) in base.iter().zip(ours).zip(theirs).enumerate()
                {
                    self.path.push(Step::Index(index));
                    let versions =
                        Versions { base: Some(base), ours: Some(ours), theirs: Some(theirs) };
                    merged.extend(self.merge(versions));
                    self.path.pop();
                }
                Some(Value::Array(merged))
            }
            // Which program wrote the file last, and to which files, does not matter.
            _ if self.is_incidental() => ours.cloned(),
            _ => self.conflict(versions, false),
        }
    }

    fn conflict(&mut self, versions: Versions<'a>, is_order: bool) -> Option<Value> {
        self.conflicts.push(ValueConflict { path: self.path.clone(), versions, is_order });
        versions.ours.cloned()
    }

    fn merge_objects(
        &mut self,
        base: Option<&'a Object>,
        ours: &'a Object,
        theirs: &'a Object,
    ) -> Object {
        // In the order of ours.
        let mut merged = ours.clone();
        let keys = ours.in_text_order().into_iter().chain(theirs.in_text_order());
        let mut seen = BTreeSet::new();
        for key in keys.map(|it| it.0).filter(|&it| seen.insert(it)) {
            self.path.push(Step::Key(key.into()));
            let base = base.and_then(|it| it.get(key));
            let versions = Versions { base, ours: ours.get(key), theirs: theirs.get(key) };
            match self.merge(versions) {
                Some(value) => merged.set(key, value),
                None => _ = merged.remove(key),
            }
            self.path.pop();
        }
        merged
    }

    fn is_at(&self, owner: Option<GltfArray>, keys: &[&str]) -> bool {
        let is_owner = match self.owner {
            Owner::Root => owner.is_none(),
            Owner::Entry(of) => owner == Some(of.array),
            _ => false,
        };
        let is_key = |(step, key): (&Step, &&str)| matches!(step, Step::Key(it) if &**it == *key);
        is_owner && self.path.len() == keys.len() && self.path.iter().zip(keys).all(is_key)
    }

    /// Returns `true` if the value is a list of distinct elements.
    fn is_list(&self) -> bool {
        self.is_at(Some(GltfArray::Nodes), &["children"])
            || self.is_at(Some(GltfArray::Scenes), &["nodes"])
            || self.is_at(None, &["extensionsUsed"])
            || self.is_at(None, &["extensionsRequired"])
    }

    /// Returns `true` for the name of the program that wrote the file, and of the file of a buffer.
    fn is_incidental(&self) -> bool {
        self.is_at(None, &["asset", "generator"]) || self.is_at(Some(GltfArray::Buffers), &["uri"])
    }

    fn merge_list(&mut self, versions: Versions<'a>) -> Option<Value> {
        let Versions { base, ours, theirs } = versions;
        // Elements are compared by number.
        let mut numbers: HashMap<Key<'a>, usize> = HashMap::new();
        let mut elements: Vec<&'a Value> = Vec::new();
        let mut number = |value: Option<&'a Value>| {
            let values = match value {
                None => &[],
                Some(Value::Array(values)) => &values[..],
                Some(_) => return None,
            };
            let mut list = Vec::with_capacity(values.len());
            for value in values {
                let next = elements.len();
                let number = *numbers.entry(Key::of(value)?).or_insert(next);
                if number == next {
                    elements.push(value);
                }
                list.push(number);
            }
            let distinct: BTreeSet<&usize> = list.iter().collect();
            (distinct.len() == list.len()).then_some(list)
        };
        let lists = (number(base), number(ours), number(theirs));
        let (Some(of_base), Some(of_ours), Some(of_theirs)) = lists else {
            return self.conflict(versions, false);
        };
        let merged = merge_lists(&of_base, &of_ours, &of_theirs);
        if merged.is_order_conflict {
            return self.conflict(versions, true);
        }
        if merged.elements.is_empty() && (ours.is_none() || theirs.is_none()) {
            return None;
        }
        Some(Value::Array(merged.elements.iter().map(|&it| elements[it].clone()).collect()))
    }
}

/// An element of a list.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Ref(Ref),
    Text(&'a str),
}

impl<'a> Key<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Ref(to) => Some(Self::Ref(*to)),
            Value::Text(Text(text)) => Some(Self::Text(text)),
            _ => None,
        }
    }
}
