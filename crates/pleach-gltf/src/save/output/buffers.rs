//! Buffers: in the binary chunk of a `.glb`, or in files.
//!
//! If the format is that of the loaded file, buffers stay as they were, and new bytes are appended
//! to one of them. Otherwise they are merged into one chunk, or written to a file.

use super::json_edit::{JsonEdit, quoted};
use super::output_document::OutputDocument;
use crate::diagnostics::Pointer;
use crate::document::{Format, SourceFile};
use crate::files::sniff_mime_type;
use crate::files::uri::{Uri, decode_data, percent_encode};
use crate::json::UInt;
use crate::load::{Buffer, Origin};
use crate::save::{SaveContext, SaveInput};
use crate::{Bytes, WarningCode};

impl SaveInput<'_> {
    /// Returns the buffer that new bytes are appended to, and its length.
    pub(crate) fn appended_buffer(&self) -> (usize, usize) {
        let (format, stem) = (self.format, self.stem);
        let Some(source) = self.source() else { return (0, 0) };
        if merges_buffers(source, format) {
            // All buffers are concatenated into one chunk.
            return (0, merged_starts(source).1);
        }
        let is_appendable = |buffer: &Buffer| match &buffer.origin {
            Origin::Chunk => true,
            Origin::File(name) => {
                format == Format::Gltf
                    && *name == buffer_file(stem)
                    && is_entire_file(source, buffer, name)
            }
            Origin::Data | Origin::Fallback => false,
        };
        match source.buffers.iter().position(is_appendable) {
            Some(index) => (index, source.buffers[index].bytes.len()),
            None => (source.buffers.len(), 0),
        }
    }
}

/// Returns the name of the file for new bytes.
fn buffer_file(stem: &str) -> String {
    format!("{stem}.bin")
}

/// Returns the name of the file for new bytes, made unique with a number.
fn unused_buffer_file(source: Option<&SourceFile>, stem: &str) -> String {
    let is_taken =
        |name: &String| source.is_some_and(|source| source.files.iter().any(|it| it.0 == *name));
    let names = (2..).map(|number| format!("{stem}-{number}.bin"));
    // There are fewer files than numbers.
    std::iter::once(buffer_file(stem)).chain(names).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Returns `true` if a buffer is an entire file that no other buffer uses.
fn is_entire_file(source: &SourceFile, buffer: &Buffer, name: &str) -> bool {
    let of_file = |it: &&Buffer| matches!(&it.origin, Origin::File(other) if other == name);
    let length = source.files.iter().find(|file| file.0 == name).map(|file| file.1.len());
    length == Some(buffer.bytes.len()) && source.buffers.iter().filter(of_file).count() == 1
}

/// Returns `true` if all buffers are merged into one chunk.
fn merges_buffers(source: &SourceFile, format: Format) -> bool {
    format == Format::Glb && source.format == Format::Gltf
}

/// Returns the start of each buffer in the merged chunk, and the length of the chunk.
fn merged_starts(source: &SourceFile) -> (Vec<usize>, usize) {
    let mut starts = Vec::with_capacity(source.buffers.len());
    let mut end = 0usize;
    for buffer in &source.buffers {
        if !buffer.bytes.is_empty() {
            end = end.next_multiple_of(4);
        }
        starts.push(end);
        end += buffer.bytes.len();
    }
    (starts, end)
}

/// The binary data that is written with the JSON.
#[derive(Debug, Default)]
pub(crate) struct BinaryData {
    /// The binary chunk of a `.glb`, to be concatenated.
    pub(crate) chunk: Vec<Bytes>,
    /// The files that belong to the model.
    pub(crate) files: Vec<(String, Bytes)>,
}

impl SaveContext<'_> {
    /// Writes all buffers, and edits their entries.
    pub(crate) fn write_buffers(&mut self) -> BinaryData {
        let added = Bytes::from(std::mem::take(&mut self.output.added));
        let mut data = BinaryData::default();
        match self.input.source() {
            Some(source) if merges_buffers(source, self.input.format) => {
                merge(source, &mut self.output, &added, &mut data);
            }
            _ => self.keep_buffers(&added, &mut data),
        }
        data.files.sort_by(|one, other| one.0.cmp(&other.0));
        data
    }

    /// Keeps all buffers, and appends the new bytes to one of them.
    fn keep_buffers(&mut self, added: &Bytes, data: &mut BinaryData) {
        let (format, stem, source) = (self.input.format, self.input.stem, self.input.source());
        let output = &mut self.output;
        let buffers = source.map_or(&[][..], |source| &source.buffers);
        let files = source.into_iter().flat_map(|source| &source.files);
        data.files.extend(files.filter(|file| !is_replaced(output, buffers, &file.0)).cloned());
        let mut chunk = source.and_then(|source| source.bin_chunk.clone());
        for (index, buffer) in buffers.iter().enumerate() {
            let is_appended = index == output.appended_buffer && !added.is_empty();
            let mut edit = JsonEdit::new();
            let mut bytes = buffer.bytes.clone();
            if is_appended {
                edit.set(&["byteLength"], (bytes.len() + added.len()).to_string());
                bytes = Bytes::from([&*bytes, &**added].concat());
            }
            match &buffer.origin {
                Origin::Chunk if format == Format::Glb => {
                    if is_appended {
                        chunk = Some(bytes);
                    }
                }
                Origin::Chunk => {
                    let name = unused_buffer_file(source, stem);
                    edit.set(&["uri"], quoted(&percent_encode(&name)));
                    data.files.push((name, bytes));
                    chunk = None;
                }
                Origin::File(name) if is_appended => {
                    for file in data.files.iter_mut().filter(|file| file.0 == *name) {
                        file.1 = bytes.clone();
                    }
                }
                Origin::File(_) | Origin::Data | Origin::Fallback => {}
            }
            output.buffers.edit(index, edit);
        }
        if output.appended_buffer >= buffers.len() && !added.is_empty() {
            let mut edit = JsonEdit::new();
            edit.set(&["byteLength"], added.len().to_string());
            if format == Format::Glb && buffers.is_empty() {
                chunk = Some(added.clone());
            } else {
                let name = unused_buffer_file(source, stem);
                edit.set(&["uri"], quoted(&percent_encode(&name)));
                data.files.push((name, added.clone()));
            }
            output.buffers.add(edit.to_object());
        }
        let drops_chunks =
            source.is_some_and(|source| !source.unknown_chunks.is_empty()) || chunk.is_some();
        if format == Format::Glb {
            data.chunk.extend(chunk);
        } else if drops_chunks {
            output.report.warn(
                &Pointer::ROOT,
                WarningCode::DroppedChunks,
                "unknown chunks of the .glb are left out",
            );
        }
    }
}

/// Returns `true` if only images whose data was replaced used a file.
fn is_replaced(output: &OutputDocument<'_>, buffers: &[Buffer], name: &str) -> bool {
    if output.replaced_images.is_empty() {
        return false;
    }
    let is_file = |uri: &str| matches!(Uri::parse(uri), Ok(Uri::File(file)) if file == name);
    let images = output.root.images.iter().enumerate();
    let mut users =
        images.filter(|(_, image)| image.uri.as_deref().is_some_and(is_file)).peekable();
    users.peek().is_some()
        && users.all(|(index, _)| output.replaced_images.contains(&index))
        && !buffers.iter().any(|it| matches!(&it.origin, Origin::File(file) if file == name))
}

/// Merges all buffers and image files into the chunk of a `.glb`.
fn merge(
    source: &SourceFile,
    output: &mut OutputDocument<'_>,
    added: &Bytes,
    data: &mut BinaryData,
) {
    let (starts, buffers_end) = merged_starts(source);
    let mut at = 0;
    let mut push = |bytes: &Bytes, start: usize| {
        if start > at {
            data.chunk.push(Bytes::from(vec![0; start - at]));
        }
        data.chunk.push(bytes.clone());
        at = start + bytes.len();
    };
    for (buffer, &start) in source.buffers.iter().zip(&starts).filter(|it| !it.0.bytes.is_empty()) {
        push(&buffer.bytes, start);
    }
    if !added.is_empty() {
        push(added, buffers_end);
    }
    let mut end = buffers_end + added.len();
    // Buffers without bytes (placeholders) stay, after the chunk.
    let mut moved = vec![0; source.buffers.len()];
    let mut placeholders = 0;
    for (index, buffer) in source.buffers.iter().enumerate() {
        if buffer.origin == Origin::Fallback {
            placeholders += 1;
            moved[index] = placeholders;
        }
    }
    let mut embedded = Vec::new();
    for (index, image) in output.root.images.iter().enumerate() {
        if output.replaced_images.contains(&index) {
            continue;
        }
        let (bytes, mime) = match image.uri.as_deref().map(Uri::parse) {
            Some(Ok(Uri::File(name))) => {
                (source.files.iter().find(|file| file.0 == name).map(|file| file.1.clone()), "")
            }
            // The URI was decoded when the file was loaded, so that it can be decoded again.
            Some(Ok(Uri::Data { mime, base64, content })) => {
                (decode_data(base64, content, u64::MAX).ok().map(Bytes::from), mime)
            }
            _ => continue,
        };
        // A buffer view must not be empty.
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
            end = end.next_multiple_of(4);
            let length = bytes.len();
            embedded.push((index, end, bytes, mime));
            end += length;
        }
    }
    for (index, start, bytes, mime) in embedded {
        push(&bytes, start);
        let mut view = JsonEdit::new();
        view.set(&["buffer"], "0");
        view.set(&["byteOffset"], start.to_string());
        view.set(&["byteLength"], bytes.len().to_string());
        let view = output.views.add(view.to_object());
        let mut edit = JsonEdit::new();
        edit.remove(&["uri"]);
        edit.set(&["bufferView"], view.to_string());
        if output.root.images[index].mime_type.is_none() {
            let sniffed = sniff_mime_type(&bytes);
            let mime = sniffed.or(Some(mime).filter(|mime| !mime.is_empty()));
            edit.set(&["mimeType"], quoted(mime.unwrap_or("image/jpeg")));
        }
        output.images.edit(index, edit);
    }
    move_views(output, &starts, &moved);
    if end > 0 || source.buffers.iter().any(|it| it.origin != Origin::Fallback) {
        merge_buffer_entries(source, output, end);
        if data.chunk.is_empty() {
            data.chunk.push(Bytes::default());
        }
    }
}

/// Renumbers and moves the views of merged buffers.
fn move_views(output: &mut OutputDocument<'_>, starts: &[usize], moved: &[usize]) {
    for (index, view) in output.root.buffer_views.iter().enumerate() {
        let mut edit = JsonEdit::new();
        let mut put = |path: [&[&'static str]; 2], buffer: UInt, offset: UInt| {
            let buffer = buffer.index();
            let (Some(&start), Some(&to)) = (starts.get(buffer), moved.get(buffer)) else { return };
            if to != buffer {
                edit.set(path[0], to.to_string());
            }
            if to == 0 && start != 0 {
                edit.set(path[1], (start + offset.index()).to_string());
            }
        };
        put([&["buffer"], &["byteOffset"]], view.buffer, view.byte_offset);
        if let Some(extensions) = &view.extensions {
            for (name, view) in [
                ("EXT_meshopt_compression", &extensions.ext_meshopt),
                ("KHR_meshopt_compression", &extensions.khr_meshopt),
            ] {
                if let Some(view) = view {
                    let path = |key| ["extensions", name, key];
                    put([&path("buffer"), &path("byteOffset")], view.buffer, view.byte_offset);
                }
            }
        }
        output.views.edit(index, edit);
    }
}

/// Replaces the entries of merged buffers by one, before the placeholders.
fn merge_buffer_entries(source: &SourceFile, output: &mut OutputDocument<'_>, length: usize) {
    let has_bytes = |index: &usize| source.buffers[*index].origin != Origin::Fallback;
    let Some(first) = (0..source.buffers.len()).find(has_bytes) else {
        let mut edit = JsonEdit::new();
        edit.set(&["byteLength"], length.to_string());
        output.buffers.insert_first(edit.to_object());
        return;
    };
    for index in (0..source.buffers.len()).filter(has_bytes).skip(1) {
        output.buffers.remove(index);
    }
    let mut edit = JsonEdit::new();
    edit.remove(&["uri"]);
    edit.set(&["byteLength"], length.to_string());
    output.buffers.edit(first, edit);
    output.buffers.move_first(first);
}
