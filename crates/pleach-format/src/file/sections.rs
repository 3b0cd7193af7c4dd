//! The header and the sections of a file.
//!
//! Invariant of what `read` returns: the sections lie within the file, one after the other, none twice,
//! and their checksums match, unless these were not asked for.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// The first bytes of every file. The first is not ASCII and the last ones are ends of lines, so that a transfer as
/// text is noticed.
const SIGNATURE: [u8; 8] = *b"\x89PLCH\r\n\x1a";
/// The version of the format that is written, and the latest that is read.
pub(crate) const FORMAT_VERSION: u16 = 1;
const HEADER: usize = 40;
const SECTION_HEADER: usize = 16;
/// More than there are tags.
const MAX_SECTIONS: u32 = 64;
/// Sections and columns begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 8;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Scene,
    /// Of a graph.
    Patch,
    ScenePatch,
}

impl FileKind {
    fn code(self) -> u16 {
        match self {
            Self::Scene => 1,
            Self::Patch => 2,
            Self::ScenePatch => 3,
        }
    }
}

/// The kind of a section: four ASCII characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tag(pub(crate) [u8; 4]);

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The version of this crate that wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Writer(pub(crate) [u16; 3]);

impl Writer {
    /// The version of this crate.
    pub(crate) const THIS: Self = Self([
        parse(env!("CARGO_PKG_VERSION_MAJOR")),
        parse(env!("CARGO_PKG_VERSION_MINOR")),
        parse(env!("CARGO_PKG_VERSION_PATCH")),
    ]);
}

/// Returns the value of decimal digits.
const fn parse(digits: &str) -> u16 {
    let (digits, mut value, mut at) = (digits.as_bytes(), 0, 0);
    while at < digits.len() {
        value = value * 10 + (digits[at] - b'0') as u16;
        at += 1;
    }
    value
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "pleach-format {major}.{minor}.{patch}")
    }
}

/// Writes sections to one buffer.
#[derive(Debug)]
pub(crate) struct FileWriter {
    pub(crate) bytes: Vec<u8>,
    kind: FileKind,
    sections: u32,
}

impl FileWriter {
    pub(crate) fn new(kind: FileKind, capacity: usize) -> Self {
        let mut bytes = Vec::with_capacity(capacity);
        bytes.resize(HEADER, 0);
        Self { bytes, kind, sections: 0 }
    }

    /// Writes a section, whose payload `write` appends to the buffer.
    pub(crate) fn section<R>(&mut self, tag: Tag, write: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let start = self.bytes.len();
        self.bytes.resize(start + SECTION_HEADER, 0);
        let result = write(&mut self.bytes);
        let payload = start + SECTION_HEADER;
        let length = ((self.bytes.len() - payload) as u64).to_le_bytes();
        let checksum = section_checksum(tag, length, &self.bytes[payload..]);
        self.bytes[start..start + 4].copy_from_slice(&tag.0);
        self.bytes[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
        self.bytes[start + 8..payload].copy_from_slice(&length);
        pad(&mut self.bytes);
        self.sections += 1;
        result
    }

    /// Writes the header and returns the file.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = self.bytes.len() as u64;
        let header = &mut self.bytes[..HEADER];
        header[..8].copy_from_slice(&SIGNATURE);
        header[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        header[10..12].copy_from_slice(&self.kind.code().to_le_bytes());
        for (number, bytes) in Writer::THIS.0.iter().zip(header[12..18].chunks_exact_mut(2)) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        header[20..24].copy_from_slice(&self.sections.to_le_bytes());
        header[24..32].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32fast::hash(&header[..32]);
        header[32..36].copy_from_slice(&checksum.to_le_bytes());
        self.bytes
    }
}

/// Appends zeros up to a multiple of `ALIGNMENT`.
pub(crate) fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

/// Returns the checksum of a section, which covers its tag and length, too.
fn section_checksum(tag: Tag, length: [u8; 8], payload: &[u8]) -> u32 {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&tag.0);
    checksum.update(&length);
    checksum.update(payload);
    checksum.finalize()
}

/// The payload of a section, and its offset in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) tag: Tag,
    pub(crate) offset: usize,
    pub(crate) bytes: &'a [u8],
    /// The version that wrote the file, for messages.
    pub(crate) writer: Writer,
}

/// The sections of a file, and the version that wrote it.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    pub(crate) writer: Writer,
    pub(crate) list: Vec<Section<'a>>,
}

impl<'a> Sections<'a> {
    /// Reads the header and finds the sections of a file of this kind. `verify` compares the
    /// checksums.
    pub(crate) fn read(file: &'a [u8], kind: FileKind, verify: bool) -> Result<Self> {
        if !file.starts_with(&SIGNATURE) {
            let message = "the file does not begin with the signature of pleach files";
            return Err(Error::at(ErrorKind::NotPleach, 0, message));
        }
        let Some(header) = file.first_chunk::<HEADER>() else {
            return Err(too_short(file.len(), "the header"));
        };
        let u16_at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let (version, writer) = (u16_at(8), Writer([12, 14, 16].map(u16_at)));
        // Before the checksum: another version may compute it in another way.
        if version == 0 || version > FORMAT_VERSION {
            let message = format!(
                "the file has version {version} of the format and was written by {writer}; this is \
                 {}, which reads versions 1 to {FORMAT_VERSION}",
                Writer::THIS,
            );
            return Err(Error::at(ErrorKind::Version, 8, message));
        }
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        if verify && u32_at(32) != crc32fast::hash(&header[..32]) {
            let message = "the checksum of the header does not match: the file was damaged";
            return Err(Error::at(ErrorKind::Checksum, 32, message));
        }
        if u16_at(10) != kind.code() {
            let message = format!(
                "the file is of kind {}, written by {writer}; this call reads kind {} ({kind:?})",
                u16_at(10),
                kind.code(),
            );
            return Err(Error::at(ErrorKind::NotPleach, 10, message));
        }
        let length = u64::from(u32_at(24)) | u64::from(u32_at(28)) << 32;
        if length != file.len() as u64 {
            let message =
                format!("the file states a length of {length} bytes, but has {}", file.len());
            return Err(Error::at(ErrorKind::Length, 24, message));
        }
        let count = u32_at(20);
        if count > MAX_SECTIONS {
            let message = format!(
                "the file has {count} sections and was written by {writer}; at most {MAX_SECTIONS} \
                 are known",
            );
            return Err(Error::at(ErrorKind::Version, 20, message));
        }
        let mut sections = Self { writer, list: Vec::new() };
        sections.find(file, count, verify)?;
        Ok(sections)
    }

    fn find(&mut self, file: &'a [u8], count: u32, verify: bool) -> Result<()> {
        let mut at = HEADER;
        for _ in 0..count {
            let Some(header) = file.get(at..).and_then(|it| it.first_chunk::<SECTION_HEADER>())
            else {
                return Err(too_short(file.len(), "the header of a section"));
            };
            let [t0, t1, t2, t3, c0, c1, c2, c3, length @ ..] = *header;
            let (tag, checksum) = (Tag([t0, t1, t2, t3]), u32::from_le_bytes([c0, c1, c2, c3]));
            let offset = at + SECTION_HEADER;
            let stated = u64::from_le_bytes(length);
            let payload = usize::try_from(stated).ok().and_then(|len| file[offset..].get(..len));
            let Some(bytes) = payload else {
                let message = format!(
                    "section {tag} has {stated} bytes, but the file ends after {}",
                    file.len() - offset,
                );
                return Err(Error::at(ErrorKind::Length, at as u64 + 8, message));
            };
            if verify && section_checksum(tag, length, bytes) != checksum {
                let message =
                    format!("the checksum of section {tag} does not match: the file was damaged");
                return Err(Error::at(ErrorKind::Checksum, at as u64, message));
            }
            if self.list.iter().any(|other| other.tag == tag) {
                let message = format!("section {tag} is there twice");
                return Err(Error::at(ErrorKind::Value, at as u64, message));
            }
            self.list.push(Section { tag, offset, bytes, writer: self.writer });
            at = (offset + bytes.len()).next_multiple_of(ALIGNMENT);
        }
        if at != file.len() {
            let message = format!("the sections end here, but the file has {} bytes", file.len());
            return Err(Error::at(ErrorKind::Length, at as u64, message));
        }
        Ok(())
    }

    /// Returns the section with a tag.
    pub(crate) fn get(&self, tag: Tag) -> Option<Section<'a>> {
        self.list.iter().find(|section| section.tag == tag).copied()
    }

    /// Returns a section that every file has.
    pub(crate) fn require(&self, tag: Tag) -> Result<Section<'a>> {
        self.get(tag).ok_or_else(|| {
            let message =
                format!("the file has no section {tag}; it was written by {}", self.writer);
            Error::at(ErrorKind::Value, 20, message)
        })
    }

    /// Fails if there is a section of another tag than these.
    pub(crate) fn check_tags(&self, known: impl Fn(Tag) -> bool) -> Result<()> {
        let unknown = self.list.iter().find(|section| !known(section.tag));
        let Some(Section { tag, offset, .. }) = unknown else { return Ok(()) };
        let message = format!(
            "section {tag} is unknown to {}; the file was written by {}, so read it with that \
             version or a later one",
            Writer::THIS,
            self.writer,
        );
        Err(Error::at(ErrorKind::Version, (offset - SECTION_HEADER) as u64, message))
    }
}

fn too_short(length: usize, what: &str) -> Error {
    Error::at(ErrorKind::Length, length as u64, format!("the file ends in {what}"))
}
