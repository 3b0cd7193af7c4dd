//! `Error`: a fault of a file, with its location and, where there is one, the way out.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnostics::Pointer;

/// The reason why a file could not be loaded or saved.
///
/// Displays as one line with the location as a JSON pointer:
/// `town.gltf: /nodes/14/skin: skin 3 does not exist (the file has 2)`.
pub struct Error(Box<ErrorInner>);

struct ErrorInner {
    kind: ErrorKind,
    file: Option<PathBuf>,
    pointer: String,
    message: String,
    /// The byte offset in `message` at which the prefix ends and the reason begins.
    reason_start: usize,
    /// The advice of `validate`, if that for the kind does not fit.
    advice: Option<&'static str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read or written.
    Io,
    /// The extension of the file's name is not supported.
    UnknownFormat,
    /// A custom [loader](crate::Loaders) or [saver](crate::Savers) failed with an error of its own
    /// type, which is the source.
    Custom,
    /// The header or a chunk of a `.glb` is invalid.
    Container,
    /// The text is not valid JSON, or a member has the wrong type.
    Json,
    /// An index is out of range.
    Reference,
    /// A value is not allowed by glTF, for example because it is not finite.
    Value,
    /// Binary data is too short for its description, or a compressed stream is invalid.
    Data,
    /// The nodes do not form trees.
    Structure,
    /// The file requires an unsupported extension.
    Extension,
    /// A URI cannot be followed: its scheme is not supported or the file cannot be read.
    Uri,
    /// The file exceeds the [limits](crate::Limits); [`Options::trust`](crate::Options::trust) lifts
    /// that of memory.
    Limit,
    /// The memory that the file needs could not be allocated.
    OutOfMemory,
    /// A fault that is an error only with [`Options::strict`](crate::Options::strict).
    Strict,
    /// The progress callback asked to stop.
    Cancelled,
    /// The scene contains data that cannot be written.
    Unwritable,
    /// A [patch](crate::patch) is damaged, of a newer version, or for another file.
    Patch,
}

impl ErrorKind {
    /// Returns the kind as text in kebab case, which does not change between versions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::UnknownFormat => "format",
            Self::Custom => "custom",
            Self::Container => "container",
            Self::Json => "json",
            Self::Reference => "reference",
            Self::Value => "value",
            Self::Data => "data",
            Self::Structure => "structure",
            Self::Extension => "extension",
            Self::Uri => "uri",
            Self::Limit => "limit",
            Self::OutOfMemory => "out-of-memory",
            Self::Strict => "strict",
            Self::Cancelled => "cancelled",
            Self::Unwritable => "unwritable",
            Self::Patch => "patch",
        }
    }
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
            advice: None,
            source: None,
        }))
    }

    /// Creates the error for an `index` that is not less than `count`.
    pub(crate) fn missing(at: &Pointer<'_>, what: &str, index: usize, count: usize) -> Self {
        let message = format!("{what} {index} does not exist (the file has {count})");
        Self::new(ErrorKind::Reference, at, message)
    }

    /// Creates the error for memory that could not be allocated.
    pub(crate) fn out_of_memory(pointer: String, bytes: usize) -> Self {
        let message = format!("not enough memory: {bytes} bytes could not be allocated");
        Self::at_pointer(ErrorKind::OutOfMemory, pointer, message)
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

    /// Sets the location of data that cannot be written to the node that has it, and prepends
    /// `label` to the message.
    pub(crate) fn of_node(mut self, at: &Pointer<'_>, label: &str) -> Self {
        if self.0.kind == ErrorKind::Unwritable {
            self.0.pointer = at.to_string();
            self.0.message.insert_str(0, &format!("node {label}: "));
        }
        self
    }

    #[cfg(feature = "images")]
    /// Prepends `prefix` to the message.
    pub(crate) fn with_prefix(mut self, prefix: &str) -> Self {
        self.0.message.insert_str(0, prefix);
        self.0.reason_start = prefix.len();
        self
    }

    /// Sets the advice of `validate`, where that for the kind does not fit.
    pub(crate) fn with_advice(mut self, advice: &'static str) -> Self {
        self.0.advice = Some(advice);
        self
    }

    /// Returns the advice that was set.
    pub(crate) fn advice(&self) -> Option<&'static str> {
        self.0.advice
    }

    /// Sets the file unless one is set.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Returns the category.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the path of the file, if it is known.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Returns the location as a JSON pointer such as `/nodes/14/skin`; empty if the error concerns
    /// the whole file.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// Returns the message without file and location.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the message without the name of the image that it concerns, if it contains one.
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
