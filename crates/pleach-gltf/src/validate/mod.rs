//! Validation: reports what is wrong or unusual in a file, with locations and advice.
//!
//! The loader's errors and warnings come first; if the file loads, each file here examines one kind
//! of object. Problems are typed: a program matches on [`ProblemCode`], not on texts.
//!
//! ```
//! use pleach_gltf::validate::{ProblemCode, Rule, Severity, Validate};
//!
//! let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
//!                 "nodes": [{"mesh": 0, "tranlsation": [1, 2, 3]}],
//!                 "meshes": [{"primitives": []}] }"#;
//! let validation = Validate::new().bytes(file.as_bytes());
//! let problem = validation.find(ProblemCode::Rule(Rule::MisspeltMember)).unwrap();
//! assert_eq!(problem.severity, Severity::Warning);
//! assert_eq!(problem.locations[0].pointer, "/nodes/0/tranlsation");
//! println!("{}: {}", problem.message, problem.advice);
//! ```

mod accessor_data;
mod accessor_layout;
mod accessors;
mod advice;
mod animations;
mod cameras_and_lights;
mod context;
mod duplicate_names;
mod extensions;
mod finding;
mod geometry;
mod gltf_arrays;
mod images;
mod members;
mod nodes;
mod note;
mod primitives;
mod rule;
mod schema;
mod skins;
mod textures;
mod unused;

pub use rule::Rule;

use std::path::Path;

use self::context::Context;
use self::finding::Findings;
use self::gltf_arrays::GltfArrays;
pub(crate) use self::nodes::is_decomposable;
use crate::files::NoFiles;
use crate::{
    Bytes, Directory, Document, Error, ErrorKind, Options, Resolver, Warning, WarningCode, load,
    with_threads,
};

/// The severity of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The file cannot be loaded, or part of it is broken.
    Error,
    /// The file loads, but other programs may reject it or show it differently.
    Warning,
    /// The file is valid, but could be better.
    Hint,
}

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    /// The file cannot be loaded.
    Rejected(ErrorKind),
    /// The file cannot be loaded with [`Options::strict`].
    Strict,
    /// The loader tolerates it with a [`Warning`].
    Tolerated(WarningCode),
    /// The loader omitted further warnings.
    OmittedWarnings,
    /// A rule beyond those of the loader.
    Rule(Rule),
}

/// A problem of a file, with all its locations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The kind of the problem, for programs.
    pub code: ProblemCode,
    /// The severity.
    pub severity: Severity,
    /// The description.
    pub message: String,
    /// The remedy.
    pub advice: &'static str,
    /// The number of locations.
    pub count: usize,
    /// The first locations.
    pub locations: Vec<Location>,
}

/// A location of a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The JSON pointer; empty for the whole file.
    pub pointer: String,
    /// Details about this location.
    pub note: Option<String>,
}

/// The result of [`Validate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validation {
    /// `true` if the file can be loaded.
    pub loads: bool,
    /// The problems: errors first, then warnings, then hints. Each code occurs once.
    pub problems: Vec<Problem>,
}

impl ProblemCode {
    /// Returns the code as text in kebab case, which does not change between versions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rejected(kind) => kind.as_str(),
            Self::Strict => "strict",
            Self::Tolerated(code) => code.as_str(),
            Self::OmittedWarnings => "omitted-warnings",
            Self::Rule(rule) => rule.as_str(),
        }
    }
}

impl Validation {
    /// Returns the problem with a code.
    #[must_use]
    pub fn find(&self, code: ProblemCode) -> Option<&Problem> {
        self.problems.iter().find(|it| it.code == code)
    }

    /// Returns the number of problems of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|it| it.severity == severity).count()
    }
}

/// Options for validating a file; see the [module](self).
#[derive(Clone, Debug)]
pub struct Validate {
    options: Options,
    is_strict: bool,
    max_locations: usize,
}

impl Default for Validate {
    fn default() -> Self {
        Self { options: Options::new(), is_strict: false, max_locations: 100 }
    }
}

impl Validate {
    /// Creates the default options: not strict, at most 100 locations per problem.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports everything that the specification forbids as an error, and the error of a
    /// [strict](Options::strict) loader.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// Sets the options for loading: limits, trust, threads and progress. Decoding images is reported as
    /// [`Stage::Images`](crate::Stage).
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Sets the number of locations that are kept per problem. All are counted.
    #[must_use]
    pub fn max_locations(self, max_locations: usize) -> Self {
        Self { max_locations, ..self }
    }

    /// Validates a file and the files that it refers to.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] if the file itself cannot be read. If it cannot be loaded, that is a
    /// problem of the result.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<Validation, Error> {
        let path = path.as_ref();
        let bytes = load::read_file(path, &self.options.limits)?;
        let directory = Directory::new(path.parent().unwrap_or(Path::new("")));
        let is_trusted = self.options.trust;
        let directory = if is_trusted { directory.unrestricted() } else { directory };
        Ok(self.bytes_with(bytes, &directory))
    }

    /// Validates a file in memory that refers to no other files.
    #[must_use]
    pub fn bytes(&self, bytes: &[u8]) -> Validation {
        self.bytes_with(bytes.to_vec(), &NoFiles)
    }

    /// Validates a file in memory; `resolver` reads the files that it refers to.
    #[must_use]
    pub fn bytes_with(&self, bytes: impl Into<Bytes>, resolver: &dyn Resolver) -> Validation {
        with_threads(self.options.threads, || self.validate(bytes.into(), resolver))
    }

    fn validate(&self, bytes: Bytes, resolver: &dyn Resolver) -> Validation {
        let mut findings = Findings::new(self.max_locations, self.is_strict);
        let document = match self.options.load_with(bytes.clone(), resolver) {
            Ok(document) => document,
            Err(error) => {
                report_rejection(&error, &mut findings);
                return Validation { loads: false, problems: findings.into_problems() };
            }
        };
        report_warnings(&document, &mut findings);
        let strict = self.options.clone().strict();
        if self.is_strict
            && let Err(error) = strict.load_with(bytes, resolver)
        {
            let message = format!("a strict loader rejects it: {}", error.message());
            let advice =
                "This is the first error in strict mode; there may be more, see the warnings.";
            let at = (error.pointer(), &*message);
            findings.add_message(ProblemCode::Strict, Severity::Error, at, advice);
        }
        self.check(&document, &mut findings);
        Validation { loads: true, problems: findings.into_problems() }
    }

    fn check(&self, document: &Document, findings: &mut Findings) {
        // The document was loaded from the same text.
        let Some(context) = Context::new(document) else { return };
        let arrays = GltfArrays::new(document);
        members::check(&context, findings);
        nodes::check(&context, findings);
        skins::check(&context, findings);
        duplicate_names::check(&context, findings);
        accessors::check(document, &arrays, findings);
        accessor_layout::check(&context, &arrays, findings);
        accessor_data::check(&context, findings);
        primitives::check(&context, &arrays, findings);
        geometry::check(&context, findings);
        images::check(&context, &self.options, findings);
        textures::check(&context, findings);
        cameras_and_lights::check(&context, findings);
        animations::check(&context, findings);
        unused::check(&context, findings);
        extensions::check(&context, findings);
    }
}

/// Validates a file in memory that refers to no other files, with default options; see
/// [`Validate`].
///
/// ```
/// let file = r#"{ "asset": {"version": "2.0"}, "nodes": [{"rotation": [0, 0, 0, 2]}] }"#;
/// let validation = pleach_gltf::validate(file.as_bytes());
/// assert!(validation.loads);
/// assert_eq!(validation.problems[0].code.as_str(), "rotation-length");
/// ```
#[must_use]
pub fn validate(bytes: &[u8]) -> Validation {
    Validate::new().bytes(bytes)
}

fn report_warnings(document: &Document, findings: &mut Findings) {
    for Warning { pointer, code, message, .. } in document.report().warnings() {
        let advice = advice::on_warning(*code);
        let code = ProblemCode::Tolerated(*code);
        findings.add_message(code, Severity::Warning, (pointer, message), advice);
    }
    let omitted = document.report().omitted();
    if omitted > 0 {
        let message = format!("{omitted} more warnings were omitted");
        let advice = "Correct the other warnings first, then check again.";
        let code = ProblemCode::OmittedWarnings;
        findings.add_message(code, Severity::Warning, ("", &message), advice);
    }
}

fn report_rejection(error: &Error, findings: &mut Findings) {
    let code = ProblemCode::Rejected(error.kind());
    let advice = advice::on_error(error);
    findings.add_message(code, Severity::Error, (error.pointer(), error.message()), advice);
}
