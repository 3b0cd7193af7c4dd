//! `Edit`: one change of a file, with its old and new value; and its readable form.

use std::fmt;

use super::value::{Ref, Value};
use crate::references::{GltfArray, PerArray};

/// One change of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) owner: Owner,
    /// The path of a node, or the name of another entry.
    pub(super) label: String,
    pub(super) change: Change,
}

/// The object that an edit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    Root,
    /// The unknown chunks of a `.glb`.
    Chunks,
    /// The order of an array.
    Array(GltfArray),
    Entry(Ref),
}

/// A step from an object to a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A key with its escapes.
    Key(Box<str>),
    Index(usize),
}

/// The kind of an edit.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// Adds an entry.
    Add(Value),
    /// Removes an entry.
    Remove,
    /// Sets or removes a value.
    Set { path: Vec<Step>, old: Option<Value>, new: Option<Value> },
    /// Replaces elements of an array.
    Splice { path: Vec<Step>, at: usize, old: Vec<Value>, new: Vec<Value> },
    /// Sets the order of an array: the first id and the length of each run of consecutive ids.
    Order(Vec<(u32, u32)>),
}

/// The kind of a [`FileEdit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EditAction {
    /// An entry is added.
    Added,
    /// An entry is removed.
    Removed,
    /// A property is set, changed or removed.
    Changed,
    /// The order of an array changes.
    Reordered,
}

impl EditAction {
    /// Returns the action as text, which does not change between versions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Reordered => "reordered",
        }
    }
}

/// One edit of a [`FilePatch`](super::FilePatch) in readable form.
///
/// Values are JSON, except for references (`meshes #3`, or `new meshes #0` for an added entry) and
/// bytes (`1024 bytes`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileEdit {
    /// The kind of the edit.
    pub action: EditAction,
    /// The array of the entry; `None` for the root object.
    pub array: Option<GltfArray>,
    /// The index of the entry in the first file; `None` for an added entry and for the root object.
    pub index: Option<usize>,
    /// The number of an added entry, by which references in the patch name it.
    pub added: Option<usize>,
    /// The path of names of a node from its root (`#12` without a name), or the name of another entry.
    pub path: String,
    /// The changed property: the keys from the entry to the value, separated by `/`, such as
    /// `translation` or `extras/price`; empty if the whole entry was added or removed.
    pub property: String,
    /// The old value, if there was one.
    pub old: Option<String>,
    /// The new value, if there is one.
    pub new: Option<String>,
}

/// Formats values for people. The numbers of entries of the first file are needed to distinguish
/// added entries.
pub(super) struct Describe<'a> {
    pub(super) counts: &'a PerArray<u32>,
}

impl Describe<'_> {
    pub(super) fn edit(&self, edit: &Edit) -> FileEdit {
        let (array, id) = match edit.owner {
            Owner::Root | Owner::Chunks => (None, None),
            Owner::Array(array) => (Some(array), None),
            Owner::Entry(of) => (Some(of.array), Some(of.id)),
        };
        let is_old = |id: &u32| array.is_some_and(|array| *id < self.counts[array]);
        let index = id.filter(is_old).map(|id| id as usize);
        let number = |id: u32| id.checked_sub(self.counts[array?]).map(|it| it as usize);
        let added = id.and_then(number);
        let value = |value: &Value| self.value(value);
        let list = |values: &Vec<Value>| (!values.is_empty()).then(|| self.list(values));
        let (action, property, old, new) = match &edit.change {
            Change::Add(new) => (EditAction::Added, String::new(), None, Some(value(new))),
            Change::Remove => (EditAction::Removed, String::new(), None, None),
            Change::Set { path, old, new } => {
                let values = (old.as_ref().map(value), new.as_ref().map(value));
                (EditAction::Changed, property(path), values.0, values.1)
            }
            Change::Splice { path, at, old, new } => {
                let property = format!("{}/{at}", property(path));
                (EditAction::Changed, property, list(old), list(new))
            }
            Change::Order(_) => (EditAction::Reordered, String::new(), None, None),
        };
        let property = if edit.owner == Owner::Chunks { "(chunks)".into() } else { property };
        FileEdit { action, array, index, added, path: edit.label.clone(), property, old, new }
    }

    /// Formats a value as one line.
    pub(super) fn value(&self, value: &Value) -> String {
        let mut text = String::new();
        self.write(value, &mut text);
        text
    }

    fn list(&self, values: &[Value]) -> String {
        let values: Vec<String> = values.iter().map(|it| self.value(it)).collect();
        format!("[{}]", values.join(", "))
    }

    fn write(&self, value: &Value, out: &mut String) {
        match value {
            Value::Text(text) => out.push_str(&text.0),
            Value::Array(values) => out.push_str(&self.list(values)),
            Value::Object(object) => {
                out.push('{');
                for (number, (key, value)) in object.in_text_order().into_iter().enumerate() {
                    out.push_str(if number > 0 { ", \"" } else { "\"" });
                    out.push_str(key);
                    out.push_str("\": ");
                    self.write(value, out);
                }
                out.push('}');
            }
            Value::Ref(to) => out.push_str(&self.reference(*to)),
            Value::Pointer(pointer) => {
                out.push_str(&format!("{}{}", self.reference(pointer.to), pointer.tail));
            }
            Value::Bytes(blob) => out.push_str(&format!("{} bytes", blob.length)),
            Value::File(file) => out.push_str(&format!("{} ({} bytes)", file.0.0, file.1.length)),
            Value::List(array) => out.push_str(&format!("[{array}]")),
        }
    }

    pub(super) fn reference(&self, to: Ref) -> String {
        match to.id.checked_sub(self.counts[to.array]) {
            None => format!("{} #{}", to.array, to.id),
            Some(added) => format!("new {} #{added}", to.array),
        }
    }
}

/// Formats a path as keys and indices separated by `/`.
pub(super) fn property(path: &[Step]) -> String {
    let steps: Vec<String> = path.iter().map(ToString::to_string).collect();
    steps.join("/")
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}
