//! Pruning: a document without what nothing in it uses.
//!
//! A survey of the text tells where things are and what they name; from the scenes down it is
//! followed what is used; the text is written without the rest, all numbers set right, and the
//! bytes packed; then it is read again. The text is edited, not written anew: digits, order, extras
//! and white space of what stays are as they were.
//!
//! ```text
//! document → text → survey → (equal) → live → pack → write → document
//! ```
//!
//! Invariant: a file whose numbers are not all known is given back as it was.

mod equal;
mod extent;
mod list;
mod live;
mod pack;
mod rules;
mod splice;
mod survey;
mod write;

pub use list::GltfArray;

use std::collections::BTreeMap;

use self::equal::Equal;
use self::list::ByList;
use self::live::{Live, Same};
use self::pack::Packing;
use self::survey::Survey;
use self::write::{Moved, Writing};
use crate::diagnostics::{Report, Tolerance};
use crate::files::glb;
use crate::files::uri::{self, Uri};
use crate::json::{ParseLimits, Root};
use crate::{Bytes, Document, Error, Format, Limits, Options, Saved, load};

/// How to prune a document: what nothing uses goes, and what else is asked for.
///
/// ```
/// use pleach_gltf::{List, Prune};
///
/// let file = r#"{
///     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "camera", "camera": 1}],
///     "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}},
///                 {"type": "perspective", "perspective": {"yfov": 0.50, "znear": 0.1}}]
/// }"#;
/// let document = pleach_gltf::load_bytes(file.as_bytes())?;
/// let (pruned, dropped) = Prune::new().run(document)?;
/// assert_eq!(dropped.unused(List::Cameras), 1);
/// assert_eq!(pruned.raw("/nodes/0/camera"), Some("0"));
/// assert_eq!(pruned.raw("/cameras/0/perspective/yfov"), Some("0.50"));
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
///
/// What is used: all scenes and all nodes (but see [`nodes`](Self::nodes)); meshes, skins, cameras
/// and lights of nodes; and so on down to the bytes of buffers. A channel of an animation goes
/// if what it moves does, an animation if all its channels do. Image files that are not used are
/// not written with the document any more. Extras are kept, and may hold numbers: those are left
/// as they are.
///
/// If bytes go, those that stay are one buffer afterwards: in the `.glb`, or in a file that has the
/// `.gltf`'s name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    nodes: bool,
    equal: bool,
}

/// What was dropped from a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    unused: ByList<usize>,
    merged: ByList<usize>,
    /// Bytes of buffers.
    pub bytes: usize,
    /// Why nothing was dropped: the file has an extension that is not known here, which may name
    /// anything by its number.
    pub skip_reason: Option<String>,
    /// What glTF has no word for, and is lost as the document was written and read again: of
    /// scenes that were edited or built in code.
    pub lost: Report,
}

impl PruneReport {
    /// How many entries of a list nothing used.
    #[must_use]
    pub fn unused(&self, list: GltfArray) -> usize {
        self.unused[list]
    }

    /// How many entries of a list were the same as another, which now stands for them.
    #[must_use]
    pub fn merged(&self, list: GltfArray) -> usize {
        self.merged[list]
    }

    /// Is all as it was?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let any = |list: GltfArray| self.unused(list) > 0 || self.merged(list) > 0;
        self.bytes == 0 && !GltfArray::ALL.into_iter().any(any)
    }
}

impl Prune {
    /// Drops what nothing uses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also drops nodes that are in no scene, unless a skin of one that is needs them. In a file
    /// without scenes all stay.
    #[must_use]
    pub fn drop_unused_nodes(self) -> Self {
        Self { nodes: true, ..self }
    }

    /// Also keeps but one of things that are the same: accessors with the same elements, image
    /// files, samplers, textures, and materials and meshes that have the same name, too.
    #[must_use]
    pub fn merge_equal(self) -> Self {
        Self { equal: true, ..self }
    }

    /// Prunes a document. If there is nothing to drop it is given back as it was.
    ///
    /// # Errors
    ///
    /// Those of [`Document::save_bytes`]: also if it has more than 4 GiB.
    pub fn run(self, document: Document) -> Result<(Document, PruneReport), Error> {
        let form = document.source.as_ref().map_or(Format::Glb, |kept| kept.format);
        let saved = document.save_bytes(form)?;
        let Some((made, dropped)) = self.file(saved, form, document.y_up)? else {
            return Ok((document, PruneReport::default()));
        };
        Ok((made.unwrap_or(document), dropped))
    }

    /// A file as a document without what is dropped: none if that is nothing, and no document if
    /// it is held.
    fn file(
        self,
        saved: Saved,
        form: Format,
        y_up: bool,
    ) -> Result<Option<(Option<Document>, PruneReport)>, Error> {
        let Saved { bytes, files, report: lost, .. } = saved;
        let bytes = Bytes::from(bytes);
        let files: BTreeMap<String, Bytes> = files.into_iter().collect();
        let mut tolerance = Tolerance { strict: false, report: Report::default() };
        let chunks = match form {
            Format::Glb => glb::read(&bytes, &mut tolerance)?,
            Format::Gltf => glb::Chunks { json: bytes, ..glb::Chunks::default() },
        };
        let text = load::json_text(&chunks.json)?;
        let root = Root::parse(text, ParseLimits::NONE)?;
        let survey = match Survey::of(text) {
            Ok(survey) => survey,
            Err(why) => {
                let held = Some(format!("{why}, so nothing is dropped"));
                return Ok(Some((
                    None,
                    PruneReport { skip_reason: held, ..PruneReport::default() },
                )));
            }
        };
        let buffers = buffers(&root, chunks.bin.as_ref(), &files);
        let mut same = Same::default();
        let mut live = Live::of(&survey, &same, self.nodes);
        if self.equal {
            same = Equal { root: &root, survey: &survey, buffers: &buffers, live: &live }.find();
            live = Live::of(&survey, &same, self.nodes);
        }
        let packing = Packing::of(&root, &survey, &same, &live);
        let mut dropped = counted(&same, &live);
        if dropped.is_empty() && packing.is_same() {
            return Ok(None);
        }
        let moved = || Moved::new(&packing, &buffers, &live);
        let repacked = (!packing.is_same()).then(moved);
        let writing =
            Writing { root: &root, survey: &survey, same: &same, live: &live, moved: repacked };
        let json = writing.text();
        let made = match &writing.moved {
            Some(moved) => {
                let before: usize = buffers.iter().flatten().map(|bytes| bytes.len()).sum();
                let pieces = joined(moved);
                dropped.bytes = before.saturating_sub(moved.starts().1);
                glb::write(&json, &pieces, &chunks.others)?
            }
            None if form == Format::Gltf => json.into_bytes(),
            None => {
                let chunk: Vec<&[u8]> = chunks.bin.iter().map(|bytes| &**bytes).collect();
                glb::write(&json, &chunk, &chunks.others)?
            }
        };
        let mut document = load::load(made.into(), &files, &reading(y_up))?;
        if let Some(kept) = &mut document.source {
            kept.format = form;
        }
        dropped.lost = lost;
        Ok(Some((Some(document), dropped)))
    }
}

/// It was read before, so it may be as large as it is.
fn reading(y_up: bool) -> Options {
    let limits = Limits {
        max_file_bytes: u64::MAX,
        max_decoded_bytes: u64::MAX / 2,
        max_decoded_ratio: 1,
        max_json_depth: usize::MAX,
    };
    let options = Options::new().with_limits(limits);
    if y_up { options.keep_y_up() } else { options }
}

/// The bytes of the buffers; none for stand-ins.
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

/// The bytes that stay, with zeros between.
fn joined<'a>(moved: &Moved<'a>) -> Vec<&'a [u8]> {
    const ZEROS: [u8; 8] = [0; 8];
    let (starts, _) = moved.starts();
    let mut pieces: Vec<&[u8]> = Vec::new();
    let mut end = 0;
    for (buffer, bytes) in moved.buffers.iter().enumerate() {
        let Some(bytes) = bytes else { continue };
        for piece in moved.packing.pieces(buffer) {
            // Three at most after a buffer, and three before a piece.
            let gap = (starts[buffer] + piece.new).saturating_sub(end).min(ZEROS.len());
            pieces.push(&ZEROS[..gap]);
            pieces.push(bytes.get(piece.old.clone()).unwrap_or_default());
            end = starts[buffer] + piece.new + piece.old.len();
        }
    }
    pieces
}

fn counted(same: &Same, live: &Live) -> PruneReport {
    let mut dropped = PruneReport::default();
    for list in GltfArray::ALL {
        for (index, _) in live.of_list(list).iter().enumerate().filter(|it| !it.1) {
            // One that equals something nobody uses is not used, either.
            let is_merged = same.is_merged(list, index) && live.is_used(list, same.of(list, index));
            let count = if is_merged { &mut dropped.merged } else { &mut dropped.unused };
            count[list] += 1;
        }
    }
    dropped
}
