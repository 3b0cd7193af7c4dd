//! Writes a model as a file and loads it.
//!
//! Invariant: the file has the content of the model, or there is an error. With a free layout,
//! buffers are packed: the bytes of views in their order, equal bytes once.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::content_hash::ContentHash;
use super::model::{Layout, Model, RANGES, arrays};
use super::value::{Blob, Object, Ref, Text, Value};
use crate::diagnostics::{Pointer, Result};
use crate::files::glb;
use crate::files::uri::Uri;
use crate::references::{GltfArray, PerArray};
use crate::{Bytes, Document, Error, ErrorKind, Options};

/// Writes a model as a file and loads it with `options`.
///
/// # Errors
///
/// [`ErrorKind::Patch`] if the model is not a file, and the errors of loading.
pub(super) fn assemble(mut model: Model, options: &Options) -> Result<Document> {
    place_lists(&mut model)?;
    let mut files = Files::default();
    let buffers = lay_out(&mut model)?;
    let chunk = place_buffers(&mut model, buffers, &mut files)?;
    place_image_files(&mut model, &mut files)?;
    let chunks = take_chunks(&model)?;
    let json = Writer::text(&model)?;
    let bytes = if chunk.is_some() || !chunks.is_empty() {
        let chunk: Vec<&[u8]> = chunk.iter().map(|it| &**it).collect();
        glb::write(&json, &chunk, &chunks)?
    } else {
        json.into_bytes()
    };
    options.load_with(bytes, &files.0)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Patch, &Pointer::ROOT, message)
}

/// Adds the arrays of entries that the root does not have.
fn place_lists(model: &mut Model) -> Result<()> {
    let mut placed: PerArray<bool> = PerArray::default();
    let mut repeated = None;
    model.root.visit(&mut |value| {
        if let Value::List(array) = value
            && std::mem::replace(&mut placed[*array], true)
        {
            repeated = Some(*array);
        }
    });
    if let Some(array) = repeated {
        return Err(invalid(format!("the root object contains {array} twice")));
    }
    for array in arrays().filter(|&it| !model.lists[it].order.is_empty() && !placed[it]) {
        let Some(pointer) = array.pointer() else { continue };
        let mut keys = pointer.split('/').skip(1).peekable();
        let mut at = &mut model.root;
        while let Some(key) = keys.next() {
            let Value::Object(object) = at else {
                return Err(invalid(format!("{pointer} is not in an object")));
            };
            if keys.peek().is_none() {
                object.set(key, Value::List(array));
                break;
            }
            if object.get(key).is_none() {
                object.set(key, Value::Object(Object::default()));
            }
            at = object.get_mut(key).expect("it was set above");
        }
    }
    Ok(())
}

/// The bytes of the buffers that views are in, by id.
type Buffers = HashMap<u32, PackedBuffer>;

#[derive(Default)]
struct PackedBuffer {
    bytes: Vec<u8>,
    /// The offsets of the bytes in it.
    offsets: HashMap<ContentHash, usize>,
}

/// Assigns offsets to the views.
fn lay_out(model: &mut Model) -> Result<Buffers> {
    let mut buffers = Buffers::new();
    if model.layout == Layout::Exact {
        return Ok(buffers);
    }
    let mut distinct: HashMap<ContentHash, usize> = HashMap::new();
    model.visit(|value| {
        if let Some(blob) = value.blob() {
            distinct.insert(blob.hash, blob.length);
        }
    });
    let available = distinct.values().fold(0usize, |sum, it| sum.saturating_add(*it));
    let mut left = available.saturating_mul(4).saturating_add(1 << 20);
    let views = &mut model.lists[GltfArray::BufferViews];
    for id in views.order.clone() {
        let Some(Some(view)) = views.entries.get_mut(id as usize) else { continue };
        for path in RANGES {
            let object =
                path.iter().try_fold(&mut *view, |value, key| value.as_object_mut()?.get_mut(key));
            let Some(object) = object.and_then(Value::as_object_mut) else { continue };
            let Some(Value::Bytes(blob)) = object.get("byteLength").cloned() else { continue };
            let Some(Value::Ref(Ref { array: GltfArray::Buffers, id })) = object.get("buffer")
            else {
                return Err(invalid("a buffer view has bytes, but no buffer"));
            };
            let offset = buffers.entry(*id).or_default().place(&blob, &mut left)?;
            object.remove("byteOffset");
            if offset > 0 {
                object.set("byteOffset", Text::number(offset));
            }
            object.set("byteLength", Text::number(blob.length));
        }
    }
    Ok(buffers)
}

impl PackedBuffer {
    /// Appends bytes at a multiple of four, unless they are there, and returns their offset.
    fn place(&mut self, blob: &Blob, left: &mut usize) -> Result<usize> {
        if let Some(&offset) = self.offsets.get(&blob.hash) {
            return Ok(offset);
        }
        let bytes = bytes_of(blob)?;
        *left = left.checked_sub(bytes.len()).ok_or_else(|| {
            let message = "the buffers of the result would be much larger than their content";
            Error::new(ErrorKind::Limit, &Pointer::ROOT, message)
        })?;
        let offset = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(offset, 0);
        self.bytes.extend_from_slice(bytes);
        self.offsets.insert(blob.hash, offset);
        Ok(offset)
    }
}

fn bytes_of(blob: &Blob) -> Result<&Bytes> {
    blob.bytes().ok_or_else(|| invalid(format!("the bytes {:.12} are missing", blob.hash)))
}

/// Stores the bytes of buffers in their URIs and files. Returns those of the binary chunk.
fn place_buffers(
    model: &mut Model,
    mut packed: Buffers,
    files: &mut Files,
) -> Result<Option<Bytes>> {
    let mut chunk = None;
    let layout = model.layout;
    let list = &mut model.lists[GltfArray::Buffers];
    for (position, id) in list.order.clone().into_iter().enumerate() {
        let entry = list.entries.get_mut(id as usize).and_then(Option::as_mut);
        let Some(object) = entry.and_then(Value::as_object_mut) else { continue };
        let bytes = match (object.get("byteLength"), layout) {
            (Some(Value::Bytes(blob)), _) => bytes_of(blob)?.clone(),
            (None, Layout::Free) => {
                let mut bytes = packed.remove(&id).unwrap_or_default().bytes;
                if bytes.is_empty() {
                    // An empty buffer is not valid.
                    bytes.resize(4, 0);
                }
                Bytes::from(bytes)
            }
            // A fallback buffer, which has no bytes.
            _ => continue,
        };
        object.set("byteLength", Text::number(bytes.len()));
        let uri = object.get("uri").and_then(Value::as_string).map(|it| it.into_owned());
        match uri {
            None if position == 0 => chunk = Some(bytes),
            None => {
                return Err(invalid(format!("buffer {position} has no URI, but is not the first")));
            }
            Some(uri) if is_data_uri(&uri) => {
                let uri = format!("{uri}{}", STANDARD.encode(&*bytes));
                object.set("uri", Value::Text(Text::string(&uri)));
            }
            Some(uri) => files.add(&uri, bytes)?,
        }
    }
    Ok(chunk)
}

fn is_data_uri(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

fn place_image_files(model: &mut Model, files: &mut Files) -> Result<()> {
    for image in model.lists[GltfArray::Images].entries.iter_mut().flatten() {
        let Some(uri) = image.as_object_mut().and_then(|it| it.get_mut("uri")) else { continue };
        let Value::File(file) = &*uri else { continue };
        let name =
            file.0.decoded().ok_or_else(|| invalid("the URI of an image is not a string"))?;
        files.add(&name, bytes_of(&file.1)?.clone())?;
        *uri = Value::Text(file.0.clone());
    }
    Ok(())
}

/// The files next to the model, by name.
#[derive(Default)]
struct Files(BTreeMap<String, Bytes>);

impl Files {
    /// Adds the file of a URI.
    fn add(&mut self, uri: &str, bytes: Bytes) -> Result<()> {
        let Ok(Uri::File(name)) = Uri::parse(uri) else {
            return Err(invalid(format!("{uri:?} is not the name of a file")));
        };
        if let Some(other) = self.0.get(&name) {
            // Buffers of different lengths may be in one file.
            if other.starts_with(&bytes) {
                return Ok(());
            }
            if !bytes.starts_with(other) {
                return Err(invalid(format!("the file {name:?} has two different contents")));
            }
        }
        self.0.insert(name, bytes);
        Ok(())
    }
}

fn take_chunks(model: &Model) -> Result<Vec<(u32, Bytes)>> {
    let Value::Array(chunks) = &model.chunks else { return Err(invalid("the chunks are invalid")) };
    let chunk = |value: &Value| match value {
        Value::Array(parts) => match &parts[..] {
            [kind, Value::Bytes(blob)] => {
                let kind = u32::try_from(kind.as_index()?).ok()?;
                // Others would be taken for the content of the file.
                let is_unknown = kind != glb::JSON && kind != glb::BIN;
                Some((kind, blob.bytes().filter(|_| is_unknown)?.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    let chunks: Option<Vec<_>> = chunks.iter().map(chunk).collect();
    chunks.ok_or_else(|| invalid("the chunks are invalid"))
}

/// Writes the JSON text of a model.
struct Writer<'a> {
    model: &'a Model,
    positions: PerArray<Vec<Option<u32>>>,
    out: String,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn text(model: &'a Model) -> Result<String> {
        let mut positions = PerArray::default();
        for array in arrays() {
            positions[array] = model.lists[array].positions();
        }
        let mut writer = Self { model, positions, out: String::new(), depth: 0 };
        writer.value(&model.root, true)?;
        if model.indent.is_some() {
            writer.out.push('\n');
        }
        Ok(writer.out)
    }

    /// Begins a new line, or does nothing if the text is one line.
    fn line(&mut self) {
        if let Some(indent) = &self.model.indent {
            self.out.push('\n');
            (0..self.depth).for_each(|_| self.out.push_str(indent));
        }
    }

    fn value(&mut self, value: &Value, in_root: bool) -> Result<()> {
        match value {
            Value::Text(text) => {
                let is_array = text.0.starts_with('[') && self.model.indent.is_some();
                match is_array {
                    true => self.out.push_str(&text.0.replace(',', ", ")),
                    false => self.out.push_str(&text.0),
                }
            }
            Value::Array(values) => self.array(values.iter(), in_root)?,
            Value::Object(object) => {
                self.out.push('{');
                self.depth += 1;
                for (number, (key, value)) in object.in_text_order().into_iter().enumerate() {
                    self.out.push_str(if number > 0 { "," } else { "" });
                    self.line();
                    self.out.push('"');
                    self.out.push_str(key);
                    self.out.push_str(if self.model.indent.is_some() { "\": " } else { "\":" });
                    self.value(value, in_root)?;
                }
                self.depth -= 1;
                if object.len() > 0 {
                    self.line();
                }
                self.out.push('}');
            }
            Value::Ref(to) => {
                let index = self.index(*to)?;
                self.out.push_str(&index.to_string());
            }
            Value::Pointer(pointer) => {
                let index = self.index(pointer.to)?;
                let head = pointer.to.array.pointer().unwrap_or_default();
                let text = Text::string(&format!("{head}/{index}{}", pointer.tail));
                self.out.push_str(&text.0);
            }
            Value::List(array) if in_root => {
                let list = &self.model.lists[*array];
                self.array(list.order.iter().filter_map(|&id| list.get(id)), false)?;
            }
            Value::Bytes(_) | Value::File(_) | Value::List(_) => {
                return Err(invalid("bytes or a list of entries are where they have no meaning"));
            }
        }
        Ok(())
    }

    fn array<'b>(
        &mut self,
        values: impl Iterator<Item = &'b Value> + Clone,
        in_root: bool,
    ) -> Result<()> {
        let has_lines = self.model.indent.is_some() && values.clone().any(Value::is_container);
        self.out.push('[');
        self.depth += 1;
        for (number, value) in values.enumerate() {
            let space = if has_lines || self.model.indent.is_none() { "," } else { ", " };
            self.out.push_str(if number > 0 { space } else { "" });
            if has_lines {
                self.line();
            }
            self.value(value, in_root)?;
        }
        self.depth -= 1;
        if has_lines {
            self.line();
        }
        self.out.push(']');
        Ok(())
    }

    fn index(&self, to: Ref) -> Result<u32> {
        let position = self.positions[to.array].get(to.id as usize).copied().flatten();
        position.ok_or_else(|| {
            let message =
                format!("a reference leads to {} {}, which does not exist", to.array, to.id);
            Error::new(ErrorKind::Reference, &Pointer::ROOT, message)
        })
    }
}

/// Returns an empty file, for a merge without a common base.
pub(super) fn empty(layout: Layout) -> Model {
    let version = ("version".into(), Value::Text(Text::string("2.0")));
    let asset = Object::new(vec![version]).map(Value::Object);
    let root = asset.and_then(|asset| Object::new(vec![("asset".into(), asset)]));
    Model {
        layout,
        root: root.map_or(Value::Array(Vec::new()), Value::Object),
        chunks: Value::Array(Vec::new()),
        lists: PerArray::default(),
        indent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_stored_once() {
        let mut buffer = PackedBuffer::default();
        let mut left = 100;
        let blob = |bytes: &[u8]| Blob::new(Bytes::from(bytes.to_vec()));
        let blobs = [blob(b"abcde"), blob(b"fg"), blob(b"abcde")];
        let offsets = blobs.map(|it| buffer.place(&it, &mut left).unwrap());
        assert_eq!((offsets, left), ([0, 8, 0], 93));
        assert_eq!(buffer.place(&blob(&[0; 94]), &mut left).unwrap_err().kind(), ErrorKind::Limit);
    }
}
