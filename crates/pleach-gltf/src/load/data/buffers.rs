//! Buffers: bytes from external files, data URIs and the binary chunk of a `.glb`.

use crate::diagnostics::{Pointer, Result};
use crate::files::uri::{self, DataError, Uri, shortened};
use crate::load::Load;
use crate::{Bytes, Error, ErrorKind, Stage, WarningCode};

/// A buffer and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) bytes: Bytes,
    pub(crate) origin: Origin,
}

/// The origin of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The binary chunk of the `.glb`.
    Chunk,
    /// A data URI.
    Data,
    /// An external file, by its percent-decoded name.
    File(String),
    /// None: a fallback buffer without bytes, for readers without EXT_meshopt_compression.
    Fallback,
}

/// Reads all buffers.
pub(crate) fn buffers(load: &mut Load<'_>, bin: Option<&Bytes>) -> Result<Vec<Buffer>> {
    let root = load.root;
    let mut buffers = Vec::new();
    for (index, buffer) in root.buffers.iter().enumerate() {
        load.progress(Stage::Buffers, index, root.buffers.len())?;
        let at = Pointer::entry("buffers", index);
        let length = buffer.byte_length.index();
        let is_fallback = buffer
            .extensions
            .as_ref()
            .is_some_and(|it| it.meshopt.as_ref().is_some_and(|it| it.fallback));
        let (bytes, origin) = match (&buffer.uri, bin) {
            (Some(uri), _) => read_uri(load, uri, &at.key("uri"))?,
            (None, Some(bin)) if index == 0 => (bin.clone(), Origin::Chunk),
            (None, _) if is_fallback => {
                buffers.push(Buffer { bytes: Bytes::default(), origin: Origin::Fallback });
                continue;
            }
            (None, _) => {
                let message =
                    "it has no `uri` and is not the first buffer of a .glb with a binary chunk";
                return Err(Error::data(&at, message));
            }
        };
        if length == 0 {
            load.tolerate(&at.key("byteLength"), WarningCode::EmptyBuffer, "the buffer is empty")?;
        }
        let Some(bytes) = bytes.slice(0..length) else {
            let message =
                format!("the buffer declares {length} bytes, but {} are available", bytes.len());
            return Err(Error::data(&at.key("byteLength"), message));
        };
        buffers.push(Buffer { bytes, origin });
    }
    Ok(buffers)
}

/// Reads the bytes of a data URI or external file.
pub(crate) fn read_uri(
    load: &mut Load<'_>,
    uri: &str,
    at: &Pointer<'_>,
) -> Result<(Bytes, Origin)> {
    let refused = |message: String| Error::new(ErrorKind::Uri, at, message);
    let limits = load.options.limits;
    match Uri::parse(uri).map_err(refused)? {
        Uri::Data { base64, content, .. } => {
            load.budget.take(at, content.len(), 1)?;
            let bytes = uri::decode_data(base64, content, limits.max_file_bytes);
            let bytes = bytes.map_err(|error| match error {
                DataError::Refused(message) => refused(message),
                DataError::OutOfMemory(bytes) => Error::out_of_memory(at.to_string(), bytes),
            })?;
            Ok((Bytes::from(bytes), Origin::Data))
        }
        Uri::File(name) => {
            if let Some(bytes) = load.files.get(&name) {
                return Ok((bytes.clone(), Origin::File(name)));
            }
            match load.resolver.read(&name, limits.max_file_bytes) {
                Ok(bytes) => {
                    load.budget.grow(&limits, bytes.len() as u64);
                    load.files.insert(name.clone(), bytes.clone());
                    Ok((bytes, Origin::File(name)))
                }
                Err(error) => {
                    let kind = match error.kind() {
                        std::io::ErrorKind::FileTooLarge => ErrorKind::Limit,
                        std::io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
                        _ => ErrorKind::Uri,
                    };
                    let message = format!("{} could not be read: {error}", shortened(&name));
                    Err(Error::new(kind, at, message).caused_by(error))
                }
            }
        }
    }
}
