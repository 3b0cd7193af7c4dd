//! `Options` for loading a file, and `Limits` against malicious files.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::ComponentReader;
use crate::files::{Directory, NoFiles};
use crate::{Bytes, Document, Error, Resolver, load, with_threads};

/// Options for loading a file.
///
/// ```
/// use pleach_gltf::Options;
///
/// let file = r#"{ "asset": {"version": "2.0"}, "nodes": [{"translation": [0, 1, 0]}],
///                 "scenes": [{"nodes": [0]}] }"#;
/// let up = |options: Options| -> Result<_, Box<dyn std::error::Error>> {
///     let document = options.load_bytes(file.as_bytes())?;
///     let node = document.node(0, 0).unwrap();
///     Ok(document.scenes()[0].node(node)?.world_translation().to_array())
/// };
/// assert_eq!(up(Options::new())?, [0.0, 0.0, 1.0]);                 // Z is up
/// assert_eq!(up(Options::new().keep_y_up())?, [0.0, 1.0, 0.0]);     // as in the file
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) keep_y_up: bool,
    pub(crate) strict: bool,
    pub(crate) skip_images: bool,
    pub(crate) trust: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) limits: Limits,
    pub(crate) components: Vec<ComponentReader>,
    pub(crate) progress: Option<Arc<ProgressCallback>>,
}

type ProgressCallback = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl Options {
    /// Creates the default options: converts to Z-up, tolerates common faults with a warning.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads without the node that converts Y-up to Z-up.
    #[must_use]
    pub fn keep_y_up(self) -> Self {
        Self { keep_y_up: true, ..self }
    }

    /// Rejects faults that are otherwise reported as warnings: equal key times, weights that do not
    /// sum to one, joints without a common root, an unexpected `byteStride`, …
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Skips external image files: they stay
    /// [`External`](pleach::ImageData::External).
    #[must_use]
    pub fn skip_images(self) -> Self {
        Self { skip_images: true, ..self }
    }

    /// Trusts the file: decoded data may take any amount of memory, and [`load`](Self::load) also
    /// reads external files outside of the model's directory (`../textures/oak.png`).
    #[must_use]
    pub fn trust(self) -> Self {
        let limits = Limits { max_decoded_bytes: u64::MAX, ..self.limits };
        Self { trust: true, limits, ..self }
    }

    /// Sets the number of threads that parse a long file: 0 for one per core, 1 for the calling thread
    /// alone. The default is the threads of the rayon pool that the calling thread belongs to, if any.
    ///
    /// What is loaded does not depend on the number. If threads cannot be started, and without the
    /// feature `parallel`, the calling thread does the work. [`with_threads`](crate::with_threads) does
    /// the same for calls without options.
    ///
    /// ```
    /// # let file = r#"{"asset": {"version": "2.0"}}"#;
    /// let document = pleach_gltf::Options::new().with_threads(0).load_bytes(file.as_bytes())?;
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Calls `progress` repeatedly while loading, on the calling thread. If it returns
    /// [`ControlFlow::Break`], loading fails with [`ErrorKind::Cancelled`](crate::ErrorKind).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// let options = pleach_gltf::Options::new().on_progress(|step| {
    ///     eprintln!("{step}");
    ///     ControlFlow::Continue(())
    /// });
    /// # let file = r#"{"asset": {"version": "2.0"}}"#;
    /// options.load_bytes(file.as_bytes())?;
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn on_progress(
        self,
        progress: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self { progress: Some(Arc::new(progress)), ..self }
    }

    /// Loads a `.gltf` or `.glb` file and the files that it refers to. The format is detected by
    /// content.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] that names the file, the location in it, and the fault.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Document, Error> {
        let path = path.as_ref();
        let result = load::read_file(path, &self.limits).and_then(|bytes| {
            let directory = path.parent().unwrap_or(Path::new(""));
            let directory = Directory::new(directory);
            self.load_with(bytes, &if self.trust { directory.unrestricted() } else { directory })
        });
        result.map_err(|error| error.in_file(path))
    }

    /// Loads a file from memory that refers to no other files. Copies the bytes;
    /// [`load_with`](Self::load_with) takes ownership instead.
    ///
    /// # Errors
    ///
    /// Fails like [`load`](Self::load), and if the file refers to other files.
    pub fn load_bytes(&self, bytes: &[u8]) -> Result<Document, Error> {
        self.load_with(Bytes::from(bytes.to_vec()), &NoFiles)
    }

    /// Loads a file from memory; `resolver` reads the files that it refers to.
    ///
    /// # Errors
    ///
    /// Fails like [`load`](Self::load).
    pub fn load_with(
        &self,
        bytes: impl Into<Bytes>,
        resolver: &dyn Resolver,
    ) -> Result<Document, Error> {
        with_threads(self.threads, || load::load(bytes.into(), resolver, self))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("keep_y_up", &self.keep_y_up)
            .field("strict", &self.strict)
            .field("skip_images", &self.skip_images)
            .field("trust", &self.trust)
            .field("threads", &self.threads)
            .field("limits", &self.limits)
            .field("components", &self.components)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// Limits against malicious files. Ordinary files are far below them; a file that exceeds one is
/// rejected before memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of each file in bytes.
    pub max_file_bytes: u64,
    /// The maximum memory for decoded data in bytes, in addition to the files themselves and to
    /// `max_decoded_ratio`.
    pub max_decoded_bytes: u64,
    /// The additional memory for decoded data, as a multiple of the bytes read.
    pub max_decoded_ratio: u64,
    /// The maximum nesting depth of the JSON, including extras and unknown extensions.
    pub max_json_depth: usize,
}

impl Default for Limits {
    /// Files of 16 GiB; 32 MiB of decoded data plus 64 bytes per byte read; a nesting depth of 256.
    fn default() -> Self {
        Self {
            max_file_bytes: 16 << 30,
            max_decoded_bytes: 32 << 20,
            max_decoded_ratio: 64,
            max_json_depth: 256,
        }
    }
}

/// The progress of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The units of the stage that are done.
    pub done: usize,
    /// The total number of units of the stage.
    pub total: usize,
}

/// The stages of a load, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Parses the JSON; counted in bytes.
    Json,
    /// Reads buffers; counted in files.
    Buffers,
    /// Reads image files; counted in images.
    Images,
    /// Decodes vertices; counted in primitives.
    Geometry,
    /// Decodes animations; counted in animations.
    Animations,
    /// Builds scenes; counted in nodes.
    Scenes,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stage, unit) = match self.stage {
            Stage::Json => ("parsing", "bytes"),
            Stage::Buffers => ("reading buffers", "files"),
            Stage::Images => ("reading images", "images"),
            Stage::Geometry => ("decoding geometry", "primitives"),
            Stage::Animations => ("decoding animations", "animations"),
            Stage::Scenes => ("building scenes", "nodes"),
        };
        write!(f, "{stage}: {} of {} {unit}", self.done, self.total)
    }
}
