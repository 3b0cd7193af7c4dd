//! Pruning: removes what a document does not use.
//!
//! `References` holds the entries of all arrays and their references. Used entries are
//! marked from the scenes down. The text is written without the unused entries, with new indices
//! and packed buffers, and loaded again. The text is edited, not generated: digits, order, extras
//! and white space of remaining entries do not change.
//!
//! ```text
//! document → text → references → (duplicates) → used entries → buffer layout → rewrite → document
//! ```
//!
//! Invariant: a file with references that are not understood is returned unchanged.

mod buffer_layout;
mod byte_range;
mod duplicates;
mod rewrite;
mod text_edits;
mod used;

use std::collections::BTreeMap;

use self::buffer_layout::BufferLayout;
use self::duplicates::DuplicateFinder;
use self::rewrite::{MergedBuffer, Rewriter};
use self::used::{Duplicates, UsedEntries};
use crate::diagnostics::{Report, Tolerance};
use crate::files::glb;
use crate::files::uri::{self, Uri};
use crate::json::{ParseLimits, Root};
use crate::references::{GltfArray, PerArray, Reference, References};
use crate::{Bytes, Document, Error, Format, Limits, Options, Saved, load};

/// Options for pruning a document. Unused entries are always dropped.
///
/// ```
/// use pleach_gltf::{GltfArray, Prune};
///
/// let file = r#"{
///     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "camera", "camera": 1}],
///     "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}},
///                 {"type": "perspective", "perspective": {"yfov": 0.50, "znear": 0.1}}]
/// }"#;
/// let document = pleach_gltf::load_bytes(file.as_bytes())?;
/// let (pruned, report) = Prune::new().run(document)?;
/// assert_eq!(report.unused(GltfArray::Cameras), 1);
/// assert_eq!(pruned.raw("/nodes/0/camera"), Some("0"));
/// assert_eq!(pruned.raw("/cameras/0/perspective/yfov"), Some("0.50"));
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
///
/// Used entries are all scenes and all nodes (but see
/// [`drop_unused_nodes`](Self::drop_unused_nodes)), the meshes, skins, cameras and lights of nodes,
/// and so on down to the bytes of buffers. An animation channel is dropped with its target, an
/// animation with its last channel. Image files that are not used are no longer written with the
/// document. Extras are kept, and indices in them are not changed.
///
/// If bytes are dropped, the remaining bytes become one buffer: in the `.glb`, or in a file with
/// the name of the `.gltf`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    drops_nodes: bool,
    merges_equal: bool,
}

/// The entries and bytes that pruning dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    unused: PerArray<usize>,
    merged: PerArray<usize>,
    /// The number of dropped bytes of buffers.
    pub bytes: usize,
    /// The reason why nothing was dropped, if pruning was skipped: the file has an unknown
    /// extension, which may reference any entry by its index.
    pub skip_reason: Option<String>,
    /// Warnings about data that glTF cannot represent. It is lost, because the document was written
    /// and loaded again: data of scenes that were edited or built in code.
    pub lost: Report,
}

impl PruneReport {
    /// Returns the number of entries of an array that were dropped because nothing used them.
    #[must_use]
    pub fn unused(&self, array: GltfArray) -> usize {
        self.unused[array]
    }

    /// Returns the number of entries of an array that were dropped because another entry, which
    /// replaces them, is equal.
    #[must_use]
    pub fn merged(&self, array: GltfArray) -> usize {
        self.merged[array]
    }

    /// Returns `true` if nothing was dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let any = |array: GltfArray| self.unused(array) > 0 || self.merged(array) > 0;
        self.bytes == 0 && !GltfArray::ALL.into_iter().any(any)
    }
}

impl Prune {
    /// Creates the options to drop unused entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also drops nodes that are in no scene, unless a skin in a scene needs them. In a file
    /// without scenes all nodes stay. The indices of the nodes after them change, except in extras,
    /// whose meaning is not known.
    #[must_use]
    pub fn drop_unused_nodes(self) -> Self {
        Self { drops_nodes: true, ..self }
    }

    /// Also merges equal entries: accessors with the same elements, images, samplers, textures, and
    /// materials and meshes of the same name.
    #[must_use]
    pub fn merge_equal(self) -> Self {
        Self { merges_equal: true, ..self }
    }

    /// Prunes a document. Returns it unchanged if there is nothing to drop.
    ///
    /// # Errors
    ///
    /// The errors of [`Document::save_bytes`], also if the document exceeds 4 GiB.
    pub fn run(self, document: Document) -> Result<(Document, PruneReport), Error> {
        let format = document.source.as_ref().map_or(Format::Glb, |source| source.format);
        let saved = document.save_bytes(format)?;
        let Some((pruned, report)) = self.prune_file(saved, format, &document)? else {
            return Ok((document, PruneReport::default()));
        };
        Ok((pruned.unwrap_or(document), report))
    }

    /// Prunes a saved file. Returns `None` if there is nothing to drop, and no document if pruning
    /// is skipped.
    fn prune_file(
        self,
        saved: Saved,
        format: Format,
        from: &Document,
    ) -> Result<Option<(Option<Document>, PruneReport)>, Error> {
        let Saved { bytes, files, report: lost, .. } = saved;
        let bytes = Bytes::from(bytes);
        let files: BTreeMap<String, Bytes> = files.into_iter().collect();
        let mut tolerance = Tolerance { strict: false, report: Report::default() };
        let chunks = match format {
            Format::Glb => glb::read(&bytes, &mut tolerance)?,
            Format::Gltf => glb::Chunks { json: bytes, ..glb::Chunks::default() },
        };
        let json_text = load::json_text(&chunks.json)?;
        let root = Root::parse(json_text, ParseLimits::NONE)?;
        let map = References::from_json(json_text);
        let dangling = |it: &Reference| {
            let Reference { array, index, .. } = it;
            let count = map.len(*array);
            format!("a reference to entry {index} of {array} is out of range: there are {count}")
        };
        let reason = map.incomplete().map(Into::into);
        if let Some(reason) = reason.or_else(|| map.dangling().next().map(dangling)) {
            let skip_reason = Some(format!("{reason}, so nothing is dropped"));
            return Ok(Some((None, PruneReport { skip_reason, ..PruneReport::default() })));
        }
        let buffers = buffers(&root, chunks.bin.as_ref(), &files);
        let mut duplicates = Duplicates::default();
        let mut used = UsedEntries::find(&map, &duplicates, self.drops_nodes);
        if self.merges_equal {
            duplicates =
                DuplicateFinder { root: &root, map: &map, buffers: &buffers, used: &used }.find();
            used = UsedEntries::find(&map, &duplicates, self.drops_nodes);
        }
        let layout = BufferLayout::compute(&root, &map, &duplicates, &used);
        let mut report = count_dropped(&duplicates, &used);
        if report.is_empty() && layout.is_unchanged() {
            return Ok(None);
        }
        let merge = || MergedBuffer::new(&layout, &buffers, &used);
        let repacked = (!layout.is_unchanged()).then(merge);
        let rewriter = Rewriter {
            root: &root,
            map: &map,
            duplicates: &duplicates,
            used: &used,
            merged: repacked,
        };
        let json = rewriter.text();
        let pruned = match &rewriter.merged {
            Some(merged_buffer) => {
                let before: usize = buffers.iter().flatten().map(|bytes| bytes.len()).sum();
                let ranges = merged_bytes(merged_buffer);
                report.bytes = before.saturating_sub(merged_buffer.starts().1);
                glb::write(&json, &ranges, &chunks.others)?
            }
            None if format == Format::Gltf => json.into_bytes(),
            None => {
                let chunk: Vec<&[u8]> = chunks.bin.iter().map(|bytes| &**bytes).collect();
                glb::write(&json, &chunk, &chunks.others)?
            }
        };
        let mut document = load::load(pruned.into(), &files, &reload_options(from))?;
        if let Some(source) = &mut document.source {
            source.format = format;
        }
        report.lost = lost;
        Ok(Some((Some(document), report)))
    }
}

/// Returns options without limits, because the file was loaded before.
fn reload_options(from: &Document) -> Options {
    let limits = Limits {
        max_file_bytes: u64::MAX,
        max_decoded_bytes: u64::MAX / 2,
        max_decoded_ratio: 1,
        max_json_depth: usize::MAX,
    };
    let components = from.components.clone();
    let options = Options { components, ..Options::new() }.with_limits(limits);
    if from.y_up { options.keep_y_up() } else { options }
}

/// Returns the bytes of the buffers, with `None` for placeholders.
fn buffers(
    root: &Root<'_>,
    chunk: Option<&Bytes>,
    files: &BTreeMap<String, Bytes>,
) -> Vec<Option<Bytes>> {
    let buffers = root.buffers.iter().enumerate();
    let buffers = buffers.map(|(index, buffer)| {
        let bytes = match buffer.uri.as_deref().map(Uri::parse) {
            Some(Ok(Uri::File(name))) => files.get(&name)?.clone(),
            Some(Ok(Uri::Data { base64, content, .. })) => {
                Bytes::from(uri::decode_data(base64, content, u64::MAX).ok()?)
            }
            Some(Err(_)) => return None,
            None => chunk.filter(|_| index == 0)?.clone(),
        };
        bytes.slice(0..buffer.byte_length.index())
    });
    buffers.collect()
}

/// Returns the remaining bytes, with zeros as padding.
fn merged_bytes<'a>(merged_buffer: &MergedBuffer<'a>) -> Vec<&'a [u8]> {
    const ZEROS: [u8; 8] = [0; 8];
    let (starts, _) = merged_buffer.starts();
    let mut ranges: Vec<&[u8]> = Vec::new();
    let mut end = 0;
    for (buffer, bytes) in merged_buffer.buffers.iter().enumerate() {
        let Some(bytes) = bytes else { continue };
        for range in merged_buffer.layout.ranges(buffer) {
            // Pointer most three bytes after a buffer, and three before a range.
            let gap = (starts[buffer] + range.new).saturating_sub(end).min(ZEROS.len());
            ranges.push(&ZEROS[..gap]);
            ranges.push(bytes.get(range.old.clone()).unwrap_or_default());
            end = starts[buffer] + range.new + range.old.len();
        }
    }
    ranges
}

fn count_dropped(duplicates: &Duplicates, used: &UsedEntries) -> PruneReport {
    let mut report = PruneReport::default();
    for array in GltfArray::ALL {
        for (index, _) in used.in_array(array).iter().enumerate().filter(|it| !it.1) {
            // A duplicate of an unused entry is unused as well.
            let is_duplicate = duplicates.is_duplicate(array, index)
                && used.is_used(array, duplicates.original_of(array, index));
            let count = if is_duplicate { &mut report.merged } else { &mut report.unused };
            count[array] += 1;
        }
    }
    report
}
