//! `Options`: how a file is read. `Limits`: how much of it is believed.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::files::{Directory, NoFiles};
use crate::{Bytes, Document, Error, Resolver, load};

/// How a file is read.
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
/// assert_eq!(up(Options::new())?, [0.0, 0.0, 1.0]);                 // turned: Z is up
/// assert_eq!(up(Options::new().keep_y_up())?, [0.0, 1.0, 0.0]);     // as in the file
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) keep_y_up: bool,
    pub(crate) strict: bool,
    pub(crate) skip_images: bool,
    pub(crate) trust: bool,
    pub(crate) limits: Limits,
    pub(crate) progress: Option<Arc<ProgressCallback>>,
}

type ProgressCallback = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl Options {
    /// The usual: turned so that Z is up, faults that everybody loads only warned of.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the node that turns the file's +Y up into +Z up.
    #[must_use]
    pub fn keep_y_up(self) -> Self {
        Self { keep_y_up: true, ..self }
    }

    /// Refuses what is otherwise only warned of: equal key times, weights that do not sum to
    /// one, joints without a common root, a stray `byteStride`, …
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Does not read image files that lie beside the model: they stay
    /// [`External`](pleach::ImageData::External).
    #[must_use]
    pub fn skip_images(self) -> Self {
        Self { skip_images: true, ..self }
    }

    /// Trusts the file: what it decodes to may take any memory, and [`load`](Self::load) reads the files
    /// it names also outside of its directory (`../textures/oak.png`).
    #[must_use]
    pub fn trust(self) -> Self {
        let limits = Limits { max_decoded_bytes: u64::MAX, ..self.limits };
        Self { trust: true, limits, ..self }
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Calls `progress` again and again while it loads, in this thread. If it returns
    /// [`ControlFlow::Break`], loading stops with [`ErrorKind::Cancelled`](crate::ErrorKind).
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

    /// Reads a `.gltf` or `.glb` file, whichever it is, and what it names beside it.
    ///
    /// # Errors
    ///
    /// [`Error`] names the file, the place in it, and what is wrong there.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Document, Error> {
        let path = path.as_ref();
        let result = load::read_file(path, &self.limits).and_then(|bytes| {
            let directory = path.parent().unwrap_or(Path::new(""));
            let directory = Directory::new(directory);
            self.load_with(bytes, &if self.trust { directory.unrestricted() } else { directory })
        });
        result.map_err(|error| error.in_file(path))
    }

    /// Reads a file that is in memory and names no others. Copies it; see
    /// [`load_with`](Self::load_with) for one that can be given away.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load), and if it names other files.
    pub fn load_bytes(&self, bytes: &[u8]) -> Result<Document, Error> {
        self.load_with(Bytes::from(bytes.to_vec()), &NoFiles)
    }

    /// Reads a file that is in memory; the files it names are asked of `resolver`.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with(
        &self,
        bytes: impl Into<Bytes>,
        resolver: &dyn Resolver,
    ) -> Result<Document, Error> {
        load::load(bytes.into(), resolver, self)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("keep_y_up", &self.keep_y_up)
            .field("strict", &self.strict)
            .field("skip_images", &self.skip_images)
            .field("trust", &self.trust)
            .field("limits", &self.limits)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// How much a file may ask for. A file that is honest is far below; one that lies is told so
/// before the memory is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a file, each.
    pub max_file_bytes: u64,
    /// The most bytes that what is decoded may take, beside the files themselves:
    /// so many, ...
    pub max_decoded_bytes: u64,
    /// ... and so many times what was read.
    pub max_decoded_ratio: u64,
    /// How deep the JSON may be nested, extras and unknown extensions included.
    pub max_json_depth: usize,
}

impl Default for Limits {
    /// Files of 16 GiB; 32 MiB decoded, and 64 bytes more for each that was read; nested
    /// 256 deep.
    fn default() -> Self {
        Self {
            max_file_bytes: 16 << 30,
            max_decoded_bytes: 32 << 20,
            max_decoded_ratio: 64,
            max_json_depth: 256,
        }
    }
}

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it is done ...
    pub done: usize,
    /// ... of how much.
    pub total: usize,
}

/// The stages of a load, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// The JSON is parsed: in bytes.
    Json,
    /// The files it names are read: in files.
    Buffers,
    /// Image files are read: in images.
    Images,
    /// Vertices are decoded: in primitives.
    Geometry,
    /// Animations are decoded: in animations.
    Animations,
    /// Scenes are put together: in nodes.
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
