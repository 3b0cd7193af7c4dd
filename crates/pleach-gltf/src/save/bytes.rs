//! The bytes of a file on its way out: buffers in the chunk of a `.glb`, or in files.
//!
//! A file that is written in the form it was read in keeps its buffers as they were, and grows
//! one of them if there is more. In the other form they move: all into one chunk, or out of it.

use super::patch::{Patch, quoted};
use super::sheet::Sheet;
use crate::diagnostics::Pointer;
use crate::document::{Format, SourceFile};
use crate::files::sniff_mime_type;
use crate::files::uri::{Uri, percent_encode};
use crate::json::UInt;
use crate::load::{Buffer, Origin};
use crate::{Bytes, Error, WarningCode};

/// Where new bytes go: which buffer, and how many it has before.
pub(crate) fn growing(kept: Option<&SourceFile>, form: Format, stem: &str) -> (usize, usize) {
    let Some(kept) = kept else { return (0, 0) };
    if moves(kept, form) {
        // A chunk of all buffers, one after another.
        return (0, merged(kept).1);
    }
    let is_grown = |buffer: &Buffer| match &buffer.origin {
        Origin::Chunk => true,
        Origin::File(name) => {
            form == Format::Gltf && *name == own(stem) && is_whole(kept, buffer, name)
        }
        Origin::Data | Origin::Fallback => false,
    };
    match kept.buffers.iter().position(is_grown) {
        Some(index) => (index, kept.buffers[index].bytes.len()),
        None => (kept.buffers.len(), 0),
    }
}

/// The file that new bytes go to.
fn own(stem: &str) -> String {
    format!("{stem}.bin")
}

/// The same, or another if there is one of that name.
fn unused(kept: Option<&SourceFile>, stem: &str) -> String {
    let is_taken =
        |name: &String| kept.is_some_and(|kept| kept.files.iter().any(|it| it.0 == *name));
    let names = (2..).map(|number| format!("{stem}-{number}.bin"));
    // There are fewer files than numbers.
    std::iter::once(own(stem)).chain(names).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Is a buffer all of a file, and the only one of it?
fn is_whole(kept: &SourceFile, buffer: &Buffer, name: &str) -> bool {
    let of_file = |it: &&Buffer| matches!(&it.origin, Origin::File(other) if other == name);
    let length = kept.files.iter().find(|file| file.0 == name).map(|file| file.1.len());
    length == Some(buffer.bytes.len()) && kept.buffers.iter().filter(of_file).count() == 1
}

/// Do all buffers move into one chunk?
fn moves(kept: &SourceFile, form: Format) -> bool {
    form == Format::Glb && kept.format == Format::Gltf
}

/// Where each buffer begins in a chunk of all, and how long that is.
fn merged(kept: &SourceFile) -> (Vec<usize>, usize) {
    let mut starts = Vec::with_capacity(kept.buffers.len());
    let mut end = 0usize;
    for buffer in &kept.buffers {
        if !buffer.bytes.is_empty() {
            end = end.next_multiple_of(4);
        }
        starts.push(end);
        end += buffer.bytes.len();
    }
    (starts, end)
}

/// What is written beside the JSON.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The chunk of a `.glb`, in pieces.
    pub(crate) chunk: Vec<Bytes>,
    /// Files beside the model.
    pub(crate) files: Vec<(String, Bytes)>,
}

/// Puts the bytes where they belong, and tells the sheet.
pub(crate) fn place(
    kept: Option<&SourceFile>,
    form: Format,
    stem: &str,
    sheet: &mut Sheet<'_>,
) -> Result<Parts, Error> {
    let added = Bytes::from(std::mem::take(&mut sheet.added));
    let mut parts = Parts::default();
    match kept {
        Some(kept) if moves(kept, form) => merge(kept, sheet, &added, &mut parts),
        _ => keep(kept, form, stem, sheet, &added, &mut parts),
    }
    parts.files.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(parts)
}

/// All buffers as they were, one of them longer.
fn keep(
    kept: Option<&SourceFile>,
    form: Format,
    stem: &str,
    sheet: &mut Sheet<'_>,
    added: &Bytes,
    parts: &mut Parts,
) {
    let buffers = kept.map_or(&[][..], |kept| &kept.buffers);
    parts.files.extend(kept.into_iter().flat_map(|kept| &kept.files).cloned());
    let mut chunk = kept.and_then(|kept| kept.bin_chunk.clone());
    for (index, buffer) in buffers.iter().enumerate() {
        let grows = index == sheet.grown && !added.is_empty();
        let mut patch = Patch::new();
        let mut bytes = buffer.bytes.clone();
        if grows {
            patch.put(&["byteLength"], (bytes.len() + added.len()).to_string());
            bytes = Bytes::from([&*bytes, &**added].concat());
        }
        match &buffer.origin {
            Origin::Chunk if form == Format::Glb => {
                if grows {
                    chunk = Some(bytes);
                }
            }
            Origin::Chunk => {
                let name = unused(kept, stem);
                patch.put(&["uri"], quoted(&percent_encode(&name)));
                parts.files.push((name, bytes));
                chunk = None;
            }
            Origin::File(name) if grows => {
                for file in parts.files.iter_mut().filter(|file| file.0 == *name) {
                    file.1 = bytes.clone();
                }
            }
            Origin::File(_) | Origin::Data | Origin::Fallback => {}
        }
        sheet.buffers.patch(index, patch);
    }
    if sheet.grown >= buffers.len() && !added.is_empty() {
        let mut patch = Patch::new();
        patch.put(&["byteLength"], added.len().to_string());
        if form == Format::Glb && buffers.is_empty() {
            chunk = Some(added.clone());
        } else {
            let name = unused(kept, stem);
            patch.put(&["uri"], quoted(&percent_encode(&name)));
            parts.files.push((name, added.clone()));
        }
        sheet.buffers.add(patch.object());
    }
    let is_lost = kept.is_some_and(|kept| !kept.unknown_chunks.is_empty()) || chunk.is_some();
    if form == Format::Glb {
        parts.chunk.extend(chunk);
    } else if is_lost {
        sheet.report.warn(
            &Pointer::ROOT,
            WarningCode::DroppedChunks,
            "chunks of the .glb that nothing here knows are left out",
        );
    }
}

/// All buffers in one, which a `.glb` holds, and image files with them.
fn merge(kept: &SourceFile, sheet: &mut Sheet<'_>, added: &Bytes, parts: &mut Parts) {
    let (starts, whole) = merged(kept);
    let mut at = 0;
    let mut push = |bytes: &Bytes, start: usize| {
        if start > at {
            parts.chunk.push(Bytes::from(vec![0; start - at]));
        }
        parts.chunk.push(bytes.clone());
        at = start + bytes.len();
    };
    for (buffer, &start) in kept.buffers.iter().zip(&starts).filter(|it| !it.0.bytes.is_empty()) {
        push(&buffer.bytes, start);
    }
    if !added.is_empty() {
        push(added, whole);
    }
    let mut end = whole + added.len();
    // Stand-ins stay buffers of their own, after the chunk.
    let mut moved = vec![0; kept.buffers.len()];
    let mut others = 0;
    for (index, buffer) in kept.buffers.iter().enumerate() {
        if buffer.origin == Origin::Fallback {
            others += 1;
            moved[index] = others;
        }
    }
    let mut embedded = Vec::new();
    for (index, image) in sheet.root.images.iter().enumerate() {
        let Some(Ok(Uri::File(name))) = image.uri.as_deref().map(Uri::parse) else { continue };
        if let Some((_, bytes)) = kept.files.iter().find(|(file, _)| *file == name) {
            end = end.next_multiple_of(4);
            embedded.push((index, end, bytes.clone()));
            end += bytes.len();
        }
    }
    for (index, start, bytes) in embedded {
        push(&bytes, start);
        let mut view = Patch::new();
        view.put(&["buffer"], "0");
        view.put(&["byteOffset"], start.to_string());
        view.put(&["byteLength"], bytes.len().to_string());
        let view = sheet.views.add(view.object());
        let mut patch = Patch::new();
        patch.remove(&["uri"]);
        patch.put(&["bufferView"], view.to_string());
        if sheet.root.images[index].mime_type.is_none() {
            patch.put(&["mimeType"], quoted(sniff_mime_type(&bytes).unwrap_or("image/jpeg")));
        }
        sheet.images.patch(index, patch);
    }
    move_views(sheet, &starts, &moved);
    if end > 0 || kept.buffers.iter().any(|it| it.origin != Origin::Fallback) {
        first_buffer(kept, sheet, end);
        if parts.chunk.is_empty() {
            parts.chunk.push(Bytes::default());
        }
    }
}

/// Views of buffers that moved.
fn move_views(sheet: &mut Sheet<'_>, starts: &[usize], moved: &[usize]) {
    for (index, view) in sheet.root.buffer_views.iter().enumerate() {
        let mut patch = Patch::new();
        let mut put = |path: [&[&'static str]; 2], buffer: UInt, offset: UInt| {
            let buffer = buffer.index();
            let (Some(&start), Some(&to)) = (starts.get(buffer), moved.get(buffer)) else { return };
            if to != buffer {
                patch.put(path[0], to.to_string());
            }
            if to == 0 && start != 0 {
                patch.put(path[1], (start + offset.index()).to_string());
            }
        };
        put([&["buffer"], &["byteOffset"]], view.buffer, view.byte_offset);
        if let Some(extensions) = &view.extensions {
            if let Some(it) = &extensions.ext_meshopt {
                const NAME: &str = "EXT_meshopt_compression";
                let path: [&[&'static str]; 2] =
                    [&["extensions", NAME, "buffer"], &["extensions", NAME, "byteOffset"]];
                put(path, it.buffer, it.byte_offset);
            }
            if let Some(it) = &extensions.khr_meshopt {
                const NAME: &str = "KHR_meshopt_compression";
                let path: [&[&'static str]; 2] =
                    [&["extensions", NAME, "buffer"], &["extensions", NAME, "byteOffset"]];
                put(path, it.buffer, it.byte_offset);
            }
        }
        sheet.views.patch(index, patch);
    }
}

/// The list of buffers when all but the stand-ins are one.
fn first_buffer(kept: &SourceFile, sheet: &mut Sheet<'_>, length: usize) {
    let is_real = |index: &usize| kept.buffers[*index].origin != Origin::Fallback;
    let Some(first) = (0..kept.buffers.len()).find(is_real) else {
        let mut patch = Patch::new();
        patch.put(&["byteLength"], length.to_string());
        sheet.buffers.put_first(patch.object());
        return;
    };
    for index in (0..kept.buffers.len()).filter(is_real).skip(1) {
        sheet.buffers.remove(index);
    }
    let mut patch = Patch::new();
    patch.remove(&["uri"]);
    patch.put(&["byteLength"], length.to_string());
    sheet.buffers.patch(first, patch);
    sheet.buffers.move_first(first);
}
