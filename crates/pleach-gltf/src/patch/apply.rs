//! Applies the edits of a patch to a file.
//!
//! Invariant: every edit is checked against the values that it replaces; the first that does not fit
//! is an error, and nothing is returned.

use std::collections::HashMap;
use std::sync::Arc;

use super::content_hash::ContentHash;
use super::edit::{Change, Edit, Owner, Step, property};
use super::model::{List, Model, arrays};
use super::value::{Blob, BlobSource, Value};
use crate::diagnostics::{Pointer, Result};
use crate::{Bytes, Error, ErrorKind};

/// Applies edits to a file.
///
/// # Errors
///
/// [`ErrorKind::Patch`] for the first edit that does not fit.
pub(super) fn apply(mut model: Model, edits: &[Edit]) -> Result<Model> {
    let blobs = BaseBlobs::of(&model);
    let mut added: Vec<(Owner, u32)> = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        apply_edit(&mut model, edit, &blobs)
            .map_err(|reason| does_not_fit(number, edit, &reason))?;
        if let (Owner::Entry(of), Change::Add(_)) = (edit.owner, &edit.change) {
            added.push((Owner::Array(of.array), of.id));
        }
    }
    for array in arrays() {
        let list = &mut model.lists[array];
        if edits.iter().any(|it| it.owner == Owner::Array(array)) {
            continue;
        }
        let List { entries, order } = list;
        order.retain(|&id| entries.get(id as usize).is_some_and(Option::is_some));
        order.extend(added.iter().filter(|it| it.0 == Owner::Array(array)).map(|it| it.1));
    }
    for (number, edit) in edits.iter().enumerate() {
        if let (Owner::Array(array), Change::Order(runs)) = (edit.owner, &edit.change) {
            set_order(&mut model.lists[array], runs)
                .map_err(|reason| does_not_fit(number, edit, &reason))?;
        }
    }
    Ok(model)
}

fn does_not_fit(number: usize, edit: &Edit, reason: &str) -> Error {
    let owner = match edit.owner {
        Owner::Root => "the root object".into(),
        Owner::Chunks => "the chunks".into(),
        Owner::Array(array) => format!("the order of {array}"),
        Owner::Entry(of) => format!("{} {}", of.array, of.id),
    };
    let property = match &edit.change {
        Change::Set { path, .. } | Change::Splice { path, .. } => property(path),
        _ => String::new(),
    };
    let message =
        format!("edit {number} of the patch ({owner} {property:?}) does not fit: {reason}");
    Error::new(ErrorKind::Patch, &Pointer::ROOT, message)
}

fn apply_edit(
    model: &mut Model,
    edit: &Edit,
    blobs: &BaseBlobs,
) -> std::result::Result<(), String> {
    let resolved = |value: &Value| blobs.resolve(value.clone());
    match (&edit.change, edit.owner) {
        (Change::Order(_), Owner::Array(_)) => Ok(()),
        (Change::Add(value), Owner::Entry(of)) => {
            let list = &mut model.lists[of.array];
            // Ids are consecutive, so that a large one cannot ask for memory.
            if of.id as usize != list.entries.len() {
                return Err(format!("the next entry is {}", list.entries.len()));
            }
            list.set(of.id, resolved(value)?);
            Ok(())
        }
        (Change::Remove, Owner::Entry(of)) => {
            let entry = model.lists[of.array].entries.get_mut(of.id as usize);
            entry.and_then(Option::take).map(drop).ok_or_else(|| "the entry does not exist".into())
        }
        (Change::Set { path, old, new }, owner) => {
            let root = owner_value(model, owner).ok_or("the entry does not exist")?;
            let new = new.as_ref().map(resolved).transpose()?;
            set(root, path, old.as_ref(), new)
        }
        (Change::Splice { path, at, old, new }, owner) => {
            let root = owner_value(model, owner).ok_or("the entry does not exist")?;
            let value = path.iter().try_fold(root, step).ok_or("the array does not exist")?;
            let Value::Array(values) = value else {
                return Err("the value is not an array".into());
            };
            let end = at.checked_add(old.len()).filter(|&end| end <= values.len());
            let end = end.ok_or("the array is too short")?;
            if values[*at..end] != old[..] {
                return Err("the old value is another".into());
            }
            let new: Vec<Value> =
                new.iter().map(resolved).collect::<std::result::Result<_, _>>()?;
            values.splice(*at..end, new);
            Ok(())
        }
        _ => Err("it is not an edit of such an object".into()),
    }
}

fn owner_value(model: &mut Model, owner: Owner) -> Option<&mut Value> {
    match owner {
        Owner::Root => Some(&mut model.root),
        Owner::Chunks => Some(&mut model.chunks),
        Owner::Array(_) => None,
        Owner::Entry(of) => model.lists[of.array].entries.get_mut(of.id as usize)?.as_mut(),
    }
}

fn step<'a>(value: &'a mut Value, step: &Step) -> Option<&'a mut Value> {
    match (value, step) {
        (Value::Object(object), Step::Key(key)) => object.get_mut(key),
        (Value::Array(values), Step::Index(index)) => values.get_mut(*index),
        _ => None,
    }
}

fn set(
    root: &mut Value,
    path: &[Step],
    old: Option<&Value>,
    new: Option<Value>,
) -> std::result::Result<(), String> {
    let Some((last, parents)) = path.split_last() else {
        return match (old, new) {
            (Some(old), Some(new)) if old == root => {
                *root = new;
                Ok(())
            }
            _ => Err("the old value is another".into()),
        };
    };
    let parent = parents.iter().try_fold(root, step).ok_or("the parent does not exist")?;
    let current = step(parent, last);
    if current.as_deref() != old {
        return Err("the old value is another".into());
    }
    match (parent, last, new) {
        (Value::Object(object), Step::Key(key), Some(new)) => object.set(key, new),
        (Value::Object(object), Step::Key(key), None) => _ = object.remove(key),
        (Value::Array(values), Step::Index(index), Some(new)) if *index < values.len() => {
            values[*index] = new;
        }
        _ => return Err("the parent does not exist".into()),
    }
    Ok(())
}

/// Sets the order of an array, which must contain each entry once.
fn set_order(list: &mut List, runs: &[(u32, u32)]) -> std::result::Result<(), String> {
    let mut is_missing: Vec<bool> = list.entries.iter().map(Option::is_some).collect();
    let mut order = Vec::new();
    for &(first, length) in runs {
        let end = first.checked_add(length).filter(|&end| end as usize <= is_missing.len());
        let end = end.ok_or("an entry does not exist")?;
        for id in first..end {
            if !std::mem::take(&mut is_missing[id as usize]) {
                return Err(format!("entry {id} does not exist or is listed twice"));
            }
            order.push(id);
        }
    }
    if is_missing.contains(&true) {
        return Err("an entry is not listed".into());
    }
    list.order = order;
    Ok(())
}

/// The bytes of the file that a patch is applied to, by hash.
struct BaseBlobs(HashMap<ContentHash, Arc<Blob>>);

impl BaseBlobs {
    fn of(model: &Model) -> Self {
        let mut blobs = HashMap::new();
        model.visit(|value| {
            if let Some(blob) = value.blob() {
                blobs.entry(blob.hash).or_insert_with(|| Arc::clone(blob));
            }
        });
        Self(blobs)
    }

    /// Finds the bytes of a value that are not in memory.
    fn resolve(&self, mut value: Value) -> std::result::Result<Value, String> {
        let mut failed = None;
        value.edit_leaves(&mut |leaf| {
            let blob = match leaf {
                Value::Bytes(blob) => blob,
                Value::File(file) => &mut file.1,
                _ => return,
            };
            match self.find(blob) {
                Ok(found) => *blob = found,
                Err(reason) => failed = Some(reason),
            }
        });
        failed.map_or(Ok(value), Err)
    }

    fn find(&self, blob: &Arc<Blob>) -> std::result::Result<Arc<Blob>, String> {
        let base = |hash: &ContentHash| {
            let found = self.0.get(hash);
            found.ok_or_else(|| format!("the bytes {hash:.12} are not in the file"))
        };
        let found = match &blob.source {
            BlobSource::Stored(_) => return Ok(Arc::clone(blob)),
            BlobSource::Base => Arc::clone(base(&blob.hash)?),
            BlobSource::Between { base: hash, head, middle, tail } => {
                let bytes = base(hash)?.bytes().ok_or("bytes are missing")?;
                let parts = (bytes.get(..*head), bytes.len().checked_sub(*tail));
                let (Some(first), Some(start)) = parts else {
                    return Err("more bytes are reused than there are".into());
                };
                Blob::new(Bytes::from([first, middle, &bytes[start..]].concat()))
            }
        };
        if found.hash != blob.hash || found.length != blob.length {
            return Err(format!("the bytes {:.12} are damaged", blob.hash));
        }
        Ok(found)
    }
}
