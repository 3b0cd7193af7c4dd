//! `Error`: the kind, the byte where it was found, and a message with the remedy.

use std::fmt;

/// The reason why a scene was not written or read. Nothing is changed then.
///
/// ```
/// use pleach_format::ErrorKind;
///
/// let error = pleach_format::from_bytes(b"not a scene").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::NotPleach, Some(0)));
/// assert_eq!(error.to_string(), "byte 0: the file does not begin with the signature of pleach files");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: Option<u64>,
    message: String,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The data is not a pleach file, or one of another kind.
    NotPleach,
    /// The file was written by a version that this one does not know, or contains what this version
    /// does not know. The message names the version that wrote it.
    Version,
    /// The file ends too early, or is longer than it states.
    Length,
    /// A checksum does not match: the file was damaged.
    Checksum,
    /// A value is not valid.
    Value,
    /// More memory would be needed than the [limits](crate::Limits) allow.
    Limit,
    /// A kind of component is not registered, or could not be converted.
    Component,
    /// The scene contains what this version of the format cannot express.
    Unsupported,
    /// A patch does not fit the scene that it was read for.
    Patch,
    /// The text is not JSON, or not that of a scene.
    Json,
}

/// A record of a file, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The name of the list that it is in.
    pub(crate) list: &'static str,
    pub(crate) index: usize,
    /// The offset of the record in the file.
    pub(crate) offset: Option<u64>,
}

/// The result of reading and writing.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, offset: None, message: message.into() }
    }

    pub(crate) fn at(
        kind: ErrorKind,
        offset: impl Into<Option<u64>>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, offset: offset.into(), message: message.into() }
    }

    /// Names the record that the error is about. The offset of the record is used if the error has none.
    pub(crate) fn within(self, place: Place) -> Self {
        let Place { list, index, offset } = place;
        let message = format!("{list}[{index}]: {}", self.message);
        Self { message, offset: self.offset.or(offset), ..self }
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset in the file of the byte or of the record that is not valid; `None` for JSON
    /// text, whose messages name lines or members, and for errors of writing.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
