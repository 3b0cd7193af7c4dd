//! The `.glb` container: a header, a JSON chunk, a binary chunk, and unknown chunks.
//!
//! Unknown chunks are kept and written after the known ones.

use crate::diagnostics::{Pointer, Result, Tolerance};
use crate::{Bytes, Error, ErrorKind, WarningCode};

const MAGIC: &[u8; 4] = b"glTF";
pub(crate) const JSON: u32 = u32::from_le_bytes(*b"JSON");
pub(crate) const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// The chunks of a `.glb` file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunks {
    pub(crate) json: Bytes,
    pub(crate) bin: Option<Bytes>,
    /// Type and content of unknown chunks.
    pub(crate) others: Vec<(u32, Bytes)>,
}

/// Returns `true` if the file begins with the `.glb` magic number.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Splits a `.glb` into its chunks without copying.
pub(crate) fn read(file: &Bytes, tolerance: &mut Tolerance) -> Result<Chunks> {
    let error = |message: String| Error::new(ErrorKind::Container, &Pointer::ROOT, message);
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(file.get(at..at.checked_add(4)?)?.try_into().ok()?))
    };
    let (Some(version), Some(length)) = (number(4), number(8)) else {
        return Err(error(format!(
            "the file ends after {} bytes, within the 12 bytes of the GLB header",
            file.len()
        )));
    };
    if version != 2 {
        let mut message = format!("GLB version {version} is not supported, only version 2");
        if version == 1 {
            message = format!("{message}; {}", crate::load::CONVERT_VERSION_1);
        }
        return Err(error(message).with_advice(crate::load::OTHER_VERSION_ADVICE));
    }
    let mut end = length as usize;
    if end > file.len() {
        return Err(error(format!(
            "the GLB header declares {length} bytes, but the file has {}: it is truncated",
            file.len()
        )));
    }
    if end < file.len() {
        let message = format!("{} bytes after the end of the GLB are ignored", file.len() - end);
        tolerance.tolerate(&Pointer::ROOT, WarningCode::GlbTrailingBytes, message)?;
    }
    let mut chunks = Chunks::default();
    let (mut at, mut count) = (12, 0usize);
    while at < end {
        let (Some(size), Some(kind)) = (number(at), number(at + 4)) else {
            return Err(error(format!(
                "the header of GLB chunk {count} is truncated at byte {at}"
            )));
        };
        let start = at + 8;
        let stop = start.saturating_add(size as usize);
        let Some(content) = file.slice(start..stop).filter(|_| stop <= end) else {
            let available = end.saturating_sub(start);
            return Err(error(format!(
                "GLB chunk {count} declares {size} bytes, but {available} are available"
            )));
        };
        match (count, kind) {
            (0, JSON) => chunks.json = content,
            (0, _) => {
                return Err(error(format!(
                    "the first GLB chunk must be JSON, but is of type {kind:#010x}"
                )));
            }
            (1, BIN) => chunks.bin = Some(content),
            (_, JSON | BIN) => {
                let message = format!("GLB chunk {count} is a duplicate; it is ignored");
                tolerance.tolerate(&Pointer::ROOT, WarningCode::GlbDuplicateChunk, message)?;
            }
            _ => chunks.others.push((kind, content)),
        }
        if size % 4 != 0 {
            let message =
                format!("GLB chunk {count} has {size} bytes, which is not a multiple of 4");
            tolerance.tolerate(&Pointer::ROOT, WarningCode::GlbUnalignedChunk, message)?;
        }
        (at, count) = (stop, count + 1);
        if at > end - end % 4 {
            end = at;
        }
    }
    if count == 0 {
        return Err(error("the GLB has no JSON chunk".into()));
    }
    Ok(chunks)
}

/// Writes a `.glb`. JSON is padded with spaces, binary chunks with zeros.
pub(crate) fn write(json: &str, bin: &[&[u8]], others: &[(u32, Bytes)]) -> Result<Vec<u8>> {
    let bin_len: usize = bin.iter().map(|piece| piece.len()).sum();
    let padded = |len: usize| len.next_multiple_of(4);
    let mut total = 12 + 8 + padded(json.len());
    if !bin.is_empty() {
        total += 8 + padded(bin_len);
    }
    total += others.iter().map(|(_, content)| 8 + padded(content.len())).sum::<usize>();
    let Ok(length) = u32::try_from(total) else {
        let message = format!(
            "{total} bytes exceed the maximum size of a .glb (4 GiB); write a .gltf instead"
        );
        return Err(Error::new(ErrorKind::Unwritable, &Pointer::ROOT, message));
    };
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&2u32.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    let mut chunk = |kind: u32, pieces: &[&[u8]], len: usize, padding: u8| {
        // Not longer than the file, whose length fits in 32 bits.
        out.extend_from_slice(&(padded(len) as u32).to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
        for piece in pieces {
            out.extend_from_slice(piece);
        }
        out.resize(out.len() + padded(len) - len, padding);
    };
    chunk(JSON, &[json.as_bytes()], json.len(), b' ');
    if !bin.is_empty() {
        chunk(BIN, bin, bin_len, 0);
    }
    for (kind, content) in others {
        chunk(*kind, &[content], content.len(), 0);
    }
    Ok(out)
}
