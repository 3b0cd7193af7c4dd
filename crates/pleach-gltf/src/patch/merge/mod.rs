//! Three-way merge of files.
//!
//! Both sides are matched with the base, so that all three share the identities of entries. Entries
//! are then merged one by one: `values.rs` merges values, `lists.rs` lists, `units.rs` finds data that
//! must not be mixed, and `tree.rs` checks that nodes still form trees.
//!
//! Invariant: a change of one side that does not touch what the other changed is in the result; all
//! others are conflicts, and there is no result.

mod added;
mod lists;
mod tree;
mod units;
mod values;

use std::collections::BTreeSet;

use self::lists::merge_lists;
use self::values::{MergeValues, ValueConflict, Versions};
use super::deep_hash::DeepHashes;
use super::edit::{Describe, Owner, property};
use super::labels::Labels;
use super::matching::{Matching, NONE, relabel};
use super::model::{List, Model, arrays};
use super::value::{Ref, Value};
use super::{assemble, counts};
use crate::diagnostics::{Pointer, Result};
use crate::references::{GltfArray, PerArray};
use crate::{Document, Error, ErrorKind, Options};

/// The result of [`merge`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Merged {
    /// The merged file.
    Document(Box<Document>),
    /// The changes that contradict each other, at least one.
    Conflicts(Vec<Conflict>),
}

/// A property that both sides changed in different ways.
///
/// Values are formatted like those of a [`FileEdit`](super::FileEdit).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The kind of the conflict.
    pub kind: ConflictKind,
    /// The array of the entry; `None` for the root object.
    pub array: Option<GltfArray>,
    /// The index of the entry in the base; `None` if it was added, and for the root object.
    pub index: Option<usize>,
    /// The path of names of a node from its root (`#12` without a name), or the name of another entry.
    pub path: String,
    /// The keys from the entry to the value, separated by `/`; empty for the whole entry.
    pub property: String,
    /// The value in the base, if there is one.
    pub base: Option<String>,
    /// The value of our side, if there is one.
    pub ours: Option<String>,
    /// The value of the other side, if there is one.
    pub theirs: Option<String>,
}

/// The kind of a [`Conflict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ConflictKind {
    /// Both sides set a property to different values.
    Changed,
    /// One side removed an entry that the other changed.
    Removed,
    /// One side removed a node that the other refers to.
    Reference,
    /// Both sides attached a node to different parents, or the merge would create a cycle.
    Parent,
    /// Both sides changed the order of a list in different ways.
    Order,
    /// Both sides changed data that belong together, such as the positions and normals of a primitive.
    Data,
}

impl ConflictKind {
    /// Returns the kind as text, which does not change between versions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Reference => "reference",
            Self::Parent => "parent",
            Self::Order => "order",
            Self::Data => "data",
        }
    }
}

/// Merges the changes of two files that were derived from `base`. Without a common base it is `None`,
/// and the base is an empty file.
///
/// ```
/// use pleach_gltf::patch::{Merged, merge};
/// use pleach_gltf::{Options, load_bytes};
///
/// let shed = |x: u32, extras: &str| {
///     load_bytes(format!(r#"{{ "asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}],
///         "nodes": [{{"name": "shed", "translation": [{x}, 0, 0], "extras": {{ {extras} }} }}] }}"#).as_bytes())
/// };
/// let (base, ours, theirs) = (shed(1, "")?, shed(2, "")?, shed(1, r#""price": 12"#)?);
/// let Merged::Document(merged) = merge(Some(&base), &ours, &theirs, &Options::new())? else { panic!() };
/// assert_eq!(merged.raw("/nodes/0/translation"), Some("[2,0,0]"));
/// assert_eq!(merged.raw("/nodes/0/extras/price"), Some("12"));
///
/// let theirs = shed(3, "")?;
/// let Merged::Conflicts(conflicts) = merge(Some(&base), &ours, &theirs, &Options::new())? else { panic!() };
/// assert_eq!((&*conflicts[0].path, &*conflicts[0].property), ("shed", "translation"));
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
///
/// The result is loaded with `options`.
///
/// - Entries are matched as by [`FilePatch`](super::FilePatch). Equal entries that both sides added are merged into one.
/// - Children of nodes, nodes of scenes and used extensions are merged as lists; other arrays only
///   element by element, if they have the same length.
/// - An entry other than a node or scene that one side removed and the other still uses is kept.
/// - The order of the arrays of entries is not a conflict: where both sides changed it, ours
///   wins; so do our `generator` and the names of the files of our buffers.
///
/// # Errors
///
/// [`ErrorKind::Patch`] if a document was not loaded from a file, or if the merge would change indices
/// that an unknown extension may refer to; the errors of loading if the result is not valid.
pub fn merge(
    base: Option<&Document>,
    ours: &Document,
    theirs: &Document,
    options: &Options,
) -> Result<Merged> {
    let ([base, ours, theirs], exact_reason) = match base {
        Some(base) => Model::of_all([base, ours, theirs])?,
        None => {
            let ([ours, theirs], reason) = Model::of_all([ours, theirs])?;
            ([assemble::empty(ours.layout), ours, theirs], reason)
        }
    };
    let (hash, of_ours, of_theirs) = (base.hash(), ours.hash(), theirs.hash());
    if of_theirs == hash || of_ours == of_theirs {
        return Ok(Merged::Document(Box::new(assemble::assemble(ours, options)?)));
    }
    if of_ours == hash {
        return Ok(Merged::Document(Box::new(assemble::assemble(theirs, options)?)));
    }
    let sides = Sides::label(base, ours, theirs);
    let mut merge = Merge::new(&sides);
    let merged = merge.run();
    if !merge.conflicts.is_empty() {
        let mut conflicts = merge.conflicts;
        conflicts.sort_by_key(|it| it.array.is_none());
        return Ok(Merged::Conflicts(conflicts));
    }
    if let Some(reason) = exact_reason {
        check_indices(&sides, &merged, &reason)?;
    }
    let document = assemble::assemble(merged, options).map_err(|error| {
        let message = format!("the merged file would not be valid: {error}");
        Error::new(error.kind(), &Pointer::ROOT, message).caused_by(error)
    })?;
    Ok(Merged::Document(Box::new(document)))
}

/// The three files, with the same ids for the same entries.
struct Sides {
    base: Model,
    ours: Model,
    theirs: Model,
}

impl Sides {
    fn label(base: Model, ours: Model, theirs: Model) -> Self {
        let [of_base, our_hashes, their_hashes] = [&base, &ours, &theirs].map(DeepHashes::of);
        let of_ours = Matching::with_hashes((&base, &of_base), (&ours, &our_hashes));
        let mut of_theirs = Matching::with_hashes((&base, &of_base), (&theirs, &their_hashes));
        let mut next = counts(&base);
        // The ids that entries which we added will have.
        let mut added_ids = next.clone();
        let mut our_ids: PerArray<Vec<u32>> = PerArray::default();
        for array in arrays() {
            our_ids[array] = added::ids(&of_ours.of_b[array], &mut added_ids[array]);
        }
        let has_added = |it: &Matching| arrays().any(|array| it.of_b[array].contains(&NONE));
        if has_added(&of_ours) && has_added(&of_theirs) {
            let matching = Matching::with_hashes((&ours, &our_hashes), (&theirs, &their_hashes));
            let ours = (&ours, &our_ids, &base);
            added::match_added(&matching, ours, &theirs, &mut of_theirs.of_b);
        }
        let ours = relabel(ours, &of_ours.of_b, &mut next);
        let theirs = relabel(theirs, &of_theirs.of_b, &mut next);
        Self { base, ours, theirs }
    }

    fn versions(&self, of: Ref) -> Versions<'_> {
        let [base, ours, theirs] = [&self.base, &self.ours, &self.theirs].map(|it| it.entry(of));
        Versions { base, ours, theirs }
    }
}

struct Merge<'a> {
    sides: &'a Sides,
    counts: PerArray<u32>,
    labels: [Labels<'a>; 3],
    conflicts: Vec<Conflict>,
}

impl<'a> Merge<'a> {
    fn new(sides: &'a Sides) -> Self {
        let labels = [&sides.base, &sides.ours, &sides.theirs].map(Labels::of);
        Self { sides, counts: counts(&sides.base), labels, conflicts: Vec::new() }
    }

    /// Merges all entries. The result has a meaning only if there are no conflicts.
    fn run(&mut self) -> Model {
        let Sides { base, ours, theirs } = self.sides;
        let root =
            Versions { base: Some(&base.root), ours: Some(&ours.root), theirs: Some(&theirs.root) };
        let root = self.values(Owner::Root, root);
        let chunks = Versions {
            base: Some(&base.chunks),
            ours: Some(&ours.chunks),
            theirs: Some(&theirs.chunks),
        };
        let chunks = self.values(Owner::Chunks, chunks);
        let mut merged = Model {
            layout: base.layout,
            root: root.unwrap_or_else(|| ours.root.clone()),
            chunks: chunks.unwrap_or_else(|| ours.chunks.clone()),
            lists: PerArray::default(),
            indent: ours.indent.clone(),
        };
        for array in arrays() {
            merged.lists[array] = self.list(array);
        }
        self.keep_used(&mut merged);
        self.drop_empty_arrays(&mut merged);
        self.units();
        self.matrices(&merged);
        self.tree(&merged);
        merged
    }

    fn values(&mut self, owner: Owner, versions: Versions<'a>) -> Option<Value> {
        let mut merge = MergeValues { owner, path: Vec::new(), conflicts: Vec::new() };
        let merged = merge.merge(versions);
        for ValueConflict { path, versions, is_order } in merge.conflicts {
            let kind = if is_order { ConflictKind::Order } else { ConflictKind::Changed };
            self.add(kind, owner, property(&path), versions);
        }
        merged
    }

    fn list(&mut self, array: GltfArray) -> List {
        let sides = self.sides;
        let [base, ours, theirs] =
            [&sides.base, &sides.ours, &sides.theirs].map(|it| &it.lists[array].order);
        let mut merged = List::default();
        let ids: BTreeSet<u32> = base.iter().chain(ours).chain(theirs).copied().collect();
        for id in ids {
            let of = Ref { array, id };
            let versions = sides.versions(of);
            let entry = match (versions.base, versions.ours, versions.theirs) {
                // Entries of which one side removed what the other changed.
                (Some(base), None, Some(other)) | (Some(base), Some(other), None) => {
                    if base != other {
                        self.add(ConflictKind::Removed, Owner::Entry(of), String::new(), versions);
                    }
                    None
                }
                _ => self.values(Owner::Entry(of), versions),
            };
            if let Some(entry) = entry {
                merged.set(id, entry);
            }
        }
        let order = merge_lists(base, ours, theirs).elements;
        // Entries with a conflict may be missing.
        merged.order = order.into_iter().filter(|&id| merged.get(id).is_some()).collect();
        merged
    }

    /// Restores removed entries that the merged file refers to, except for nodes and scenes.
    fn keep_used(&mut self, merged: &mut Model) {
        let mut open: Vec<(Owner, Ref)> = Vec::new();
        let references = |owner: Owner, value: &Value, open: &mut Vec<(Owner, Ref)>| {
            value.visit(&mut |it| open.extend(it.reference().map(|to| (owner, to))));
        };
        references(Owner::Root, &merged.root, &mut open);
        for array in arrays() {
            for &id in &merged.lists[array].order {
                let of = Ref { array, id };
                if let Some(entry) = merged.entry(of) {
                    references(Owner::Entry(of), entry, &mut open);
                }
            }
        }
        let mut reported = BTreeSet::new();
        while let Some((owner, to)) = open.pop() {
            if merged.entry(to).is_some() {
                continue;
            }
            let kept = self.sides.base.entry(to);
            match kept.filter(|_| !matches!(to.array, GltfArray::Nodes | GltfArray::Scenes)) {
                Some(entry) => {
                    references(Owner::Entry(to), entry, &mut open);
                    let list = &mut merged.lists[to.array];
                    list.set(to.id, entry.clone());
                    list.order.push(to.id);
                }
                None if reported.insert((owner, to)) => self.missing(owner, to),
                None => {}
            }
        }
    }

    /// Removes arrays of which the two sides removed all entries, as glTF has no empty arrays.
    fn drop_empty_arrays(&self, merged: &mut Model) {
        let Some(root) = merged.root.as_object_mut() else { return };
        for array in arrays().filter(|&it| merged.lists[it].order.is_empty()) {
            let is_placed = root.get(array.name()) == Some(&Value::List(array));
            if is_placed && !self.sides.ours.lists[array].order.is_empty() {
                root.remove(array.name());
            }
        }
    }

    /// Reports a reference to an entry that one side removed.
    fn missing(&mut self, owner: Owner, to: Ref) {
        let removed = format!("{} was removed", self.describe(to));
        let refers = format!("refers to {}", self.describe(to));
        let is_in = |model: &Model| model.entry(to).is_some();
        let side =
            |model: &Model| Some(if is_in(model) { refers.clone() } else { removed.clone() });
        let (ours, theirs) = (side(&self.sides.ours), side(&self.sides.theirs));
        let mut conflict = self.conflict(ConflictKind::Reference, owner, String::new());
        (conflict.ours, conflict.theirs) = (ours, theirs);
        self.conflicts.push(conflict);
    }

    /// Returns the array and label of an entry, for messages.
    fn describe(&self, of: Ref) -> String {
        let label = self.label(of);
        let reference = Describe { counts: &self.counts }.reference(of);
        if label.is_empty() { reference } else { format!("{reference} {label:?}") }
    }

    fn label(&self, of: Ref) -> String {
        let models = [&self.sides.base, &self.sides.ours, &self.sides.theirs];
        let found = models.iter().position(|it| it.entry(of).is_some());
        found.map_or_else(String::new, |at| self.labels[at].label(of))
    }

    fn conflict(&self, kind: ConflictKind, owner: Owner, property: String) -> Conflict {
        let (array, of) = match owner {
            Owner::Entry(of) => (Some(of.array), Some(of)),
            Owner::Array(array) => (Some(array), None),
            Owner::Root | Owner::Chunks => (None, None),
        };
        let index = of.filter(|of| of.id < self.counts[of.array]).map(|of| of.id as usize);
        let path = of.map_or_else(String::new, |of| self.label(of));
        let property = if owner == Owner::Chunks { "(chunks)".into() } else { property };
        Conflict { kind, array, index, path, property, base: None, ours: None, theirs: None }
    }

    fn add(&mut self, kind: ConflictKind, owner: Owner, property: String, versions: Versions<'_>) {
        let describe = Describe { counts: &self.counts };
        let text = |value: Option<&Value>| value.map(|it| describe.value(it));
        let [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(text);
        let conflict = self.conflict(kind, owner, property);
        self.conflicts.push(Conflict { base, ours, theirs, ..conflict });
    }
}

/// Rejects a merge that changes indices, for files with references that are not known.
fn check_indices(sides: &Sides, merged: &Model, reason: &str) -> Result<()> {
    for array in arrays() {
        let order = &merged.lists[array].order;
        let is_kept = |side: &Model| {
            let side = &side.lists[array].order;
            side.iter().zip(order).all(|(one, other)| one == other)
        };
        if ![&sides.base, &sides.ours, &sides.theirs].into_iter().all(is_kept) {
            let message = format!(
                "the merge would change indices of {array}, but {reason}; merge by hand, or remove \
                 the extension first"
            );
            return Err(Error::new(ErrorKind::Patch, &Pointer::ROOT, message));
        }
    }
    Ok(())
}
