//! What can go wrong with a file, and how it is said: where, what, and the way out.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnostics::Pointer;

/// Why a file could not be read or written.
///
/// It prints as one line, with the place in the JSON as a pointer:
/// `town.gltf: /nodes/14/skin: skin 3 does not exist (the file has 2)`.
pub struct Error(Box<ErrorInner>);

struct ErrorInner {
    kind: ErrorKind,
    file: Option<PathBuf>,
    pointer: String,
    message: String,
    /// Where the message goes on after what it is about.
    reason_start: usize,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read or written.
    Io,
    /// No loader is known for the extension of the file's name.
    UnknownFormat,
    /// The container is broken: the header or a chunk of a `.glb`.
    Container,
    /// The text is no JSON, or a member is not of the type it should be.
    Json,
    /// An index of something that is not there.
    Reference,
    /// A value that glTF does not allow, such as one that is not finite.
    Value,
    /// Bytes do not fit: too few for what is said of them, or a compressed stream is broken.
    Data,
    /// Nodes do not form trees.
    Structure,
    /// An extension that the file requires is not known here.
    Extension,
    /// A URI that is not followed: it leads elsewhere, or to nothing.
    Uri,
    /// More than the [limits](crate::Limits) allow.
    Limit,
    /// A fault that is only warned of, unless [strict](crate::Options::strict) is asked for.
    Strict,
    /// The progress callback asked to stop.
    Cancelled,
    /// The scene has something that cannot be written.
    Unwritable,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, at: &Pointer<'_>, message: impl Into<String>) -> Self {
        Self::at_pointer(kind, at.to_string(), message)
    }

    pub(crate) fn at_pointer(kind: ErrorKind, pointer: String, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorInner {
            kind,
            file: None,
            pointer,
            message: message.into(),
            reason_start: 0,
            source: None,
        }))
    }

    /// `what` number `index` does not exist, of `have`.
    pub(crate) fn missing(at: &Pointer<'_>, what: &str, index: usize, count: usize) -> Self {
        let message = format!("{what} {index} does not exist (the file has {count})");
        Self::new(ErrorKind::Reference, at, message)
    }

    pub(crate) fn value(at: &Pointer<'_>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Value, at, message)
    }

    pub(crate) fn data(at: &Pointer<'_>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, at, message)
    }

    pub(crate) fn io(file: &Path, action: &str, source: std::io::Error) -> Self {
        let mut error =
            Self::at_pointer(ErrorKind::Io, String::new(), format!("{action}: {source}"));
        error.0.file = Some(file.into());
        error.0.source = Some(Box::new(source));
        error
    }

    pub(crate) fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    #[cfg(feature = "images")]
    /// The message, with what it is about before it.
    pub(crate) fn with_subject(mut self, subject: &str) -> Self {
        self.0.message.insert_str(0, subject);
        self.0.reason_start = subject.len();
        self
    }

    /// With the name of the file, if it has none.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file, if one was named.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Where in the JSON: a JSON pointer such as `/nodes/14/skin`; empty if it is not about
    /// one place.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the message without the image that it is about, if it names one.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.message[self.0.reason_start..]
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        if !self.0.pointer.is_empty() {
            write!(f, "{}: ", self.0.pointer)?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
