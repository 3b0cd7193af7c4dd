//! `Loaders`: chooses a loader by the extension of the file name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::convention::{Convention, convert};
use crate::diagnostics::Pointer;
use crate::{Document, Error, ErrorKind, Options};

/// Any error, as custom loaders and savers return it.
pub(crate) type BoxedError = Box<dyn std::error::Error + Send + Sync>;
type Loader = dyn Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync;

/// A registry of loaders by file extension. [`new`](Self::new) registers those for `.gltf`
/// and `.glb`; add your own.
///
/// ```
/// use pleach::{Node, Scene};
/// use pleach_gltf::{Document, Loaders};
///
/// let mut loaders = Loaders::new();
/// // A file with one name per line becomes a scene of nodes.
/// loaders.register("names", |path, _options| {
///     let mut scene = Scene::new();
///     for name in std::fs::read_to_string(path)?.lines() {
///         scene.spawn(Node::group().named(name))?;
///     }
///     Ok(Document::from_scenes([scene]))
/// });
/// # let path = std::env::temp_dir().join("pleach-doc.names");
/// # std::fs::write(&path, "oak\nash\n")?;
/// let wood = loaders.load(&path)?.into_scene();
/// assert!(wood.graph.find("ash").is_some());
///
/// let refused = loaders.load("town.fbx").unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "town.fbx: no loader is registered for \".fbx\", only for .glb, .gltf, .names",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Loaders {
    by_extension: BTreeMap<String, (Box<Loader>, Convention)>,
}

impl Loaders {
    /// Creates a registry with the loaders for `.gltf` and `.glb`.
    #[must_use]
    pub fn new() -> Self {
        let mut loaders = Self::empty();
        for extension in ["glb", "gltf"] {
            loaders.register(extension, |path, options| Ok(options.load(path)?));
        }
        loaders
    }

    /// Creates an empty registry.
    #[must_use]
    pub fn empty() -> Self {
        Self { by_extension: BTreeMap::new() }
    }

    /// Registers a loader for an extension, replacing any previous one. The extension is
    /// case-insensitive, with or without a leading dot. The scenes that the loader returns are Z-up;
    /// see [`register_with_convention`](Self::register_with_convention) for other formats.
    pub fn register(
        &mut self,
        extension: &str,
        load: impl Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync + 'static,
    ) {
        self.register_with_convention(extension, Convention::Z_UP, load);
    }

    /// Registers a loader like [`register`](Self::register), for a format with other axes or another
    /// unit: the loader returns scenes as they are in the file, and loading inserts one node
    /// above all others that converts them, as it does for glTF. With
    /// [`Options::keep_y_up`] the scenes stay as they are in the file.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    /// use pleach_gltf::{Convention, Document, Loaders};
    ///
    /// let mut loaders = Loaders::new();
    /// let centimetres = Convention { meters_per_unit: 0.01, ..Convention::Y_UP };
    /// loaders.register_with_convention("tower", centimetres, |_path, _options| {
    ///     let mut scene = Scene::new();
    ///     scene.spawn(Node::group().named("top").at(Vec3::new(0.0, 500.0, 0.0)))?;
    ///     Ok(Document::from_scenes([scene]))
    /// });
    /// let scene = loaders.load("any.tower")?.into_scene();
    /// let top = scene.graph.find("top").unwrap();
    /// assert_eq!(scene.node(top)?.world_translation(), Vec3::new(0.0, 0.0, 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register_with_convention(
        &mut self,
        extension: &str,
        convention: Convention,
        load: impl Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync + 'static,
    ) {
        let extension = normalized_extension(extension);
        self.by_extension.insert(extension, (Box::new(load), convention));
    }

    /// Iterates over the registered extensions in alphabetical order: lowercase, without a dot.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.by_extension.keys().map(String::as_str)
    }

    /// Loads a file with the loader for its extension.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`] if no loader is registered for the extension. An [`Error`]
    /// returned by the loader is returned unchanged. An error of any other type becomes the
    /// [source](std::error::Error::source) of an [`Error`] of the kind [`ErrorKind::Custom`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Document, Error> {
        self.load_with(path, &Options::new())
    }

    /// Loads a file like [`load`](Self::load), with options.
    ///
    /// # Errors
    ///
    /// Fails like [`load`](Self::load).
    pub fn load_with(&self, path: impl AsRef<Path>, options: &Options) -> Result<Document, Error> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let Some((load, convention)) = self.by_extension.get(&normalized_extension(extension))
        else {
            return Err(unknown_extension("loader", path, self.extensions()));
        };
        let mut document = load(path, options).map_err(|error| to_custom_error(error, path))?;
        if !options.keep_y_up {
            convert(&mut document, *convention).map_err(|error| error.in_file(path))?;
        }
        Ok(document)
    }
}

/// Returns an extension in lowercase, without a leading dot.
pub(crate) fn normalized_extension(extension: &str) -> String {
    extension.trim_start_matches('.').to_lowercase()
}

/// Creates the error for a path whose extension is not among those of a registry.
pub(crate) fn unknown_extension<'a>(
    what: &str,
    path: &Path,
    known: impl Iterator<Item = &'a str>,
) -> Error {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let known: Vec<String> = known.map(|it| format!(".{it}")).collect();
    let message = format!(
        "no {what} is registered for {:?}, only for {}",
        format!(".{extension}"),
        known.join(", ")
    );
    Error::new(ErrorKind::UnknownFormat, &Pointer::ROOT, message).in_file(path)
}

/// Returns an error of this crate unchanged, and another error as the source of one.
pub(crate) fn to_custom_error(error: BoxedError, path: &Path) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => {
            let wrapped = Error::new(ErrorKind::Custom, &Pointer::ROOT, error.to_string());
            wrapped.in_file(path).caused_by(error)
        }
    }
}

impl Default for Loaders {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Loaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Loaders").field(&self.extensions().collect::<Vec<_>>()).finish()
    }
}
