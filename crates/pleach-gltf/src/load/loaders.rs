//! `Loaders`: chooses a loader by the extension of the file name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::diagnostics::Pointer;
use crate::{Document, Error, ErrorKind, Options};

type BoxedError = Box<dyn std::error::Error + Send + Sync>;
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
    by_extension: BTreeMap<String, Box<Loader>>,
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
    /// case-insensitive, with or without a leading dot.
    pub fn register(
        &mut self,
        extension: &str,
        load: impl Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync + 'static,
    ) {
        self.by_extension.insert(normalized(extension), Box::new(load));
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
    /// [source](std::error::Error::source) of an [`Error`], whose kind is
    /// [`ErrorKind::UnknownFormat`], too.
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
        let Some(load) = self.by_extension.get(&normalized(extension)) else {
            let known: Vec<String> = self.extensions().map(|it| format!(".{it}")).collect();
            let message = format!(
                "no loader is registered for {:?}, only for {}",
                format!(".{extension}"),
                known.join(", ")
            );
            return Err(Error::new(ErrorKind::UnknownFormat, &Pointer::ROOT, message).in_file(path));
        };
        load(path, options).map_err(|error| match error.downcast::<Error>() {
            Ok(error) => *error,
            Err(error) => {
                let wrapped =
                    Error::new(ErrorKind::UnknownFormat, &Pointer::ROOT, error.to_string());
                wrapped.in_file(path).caused_by(error)
            }
        })
    }
}

fn normalized(extension: &str) -> String {
    extension.trim_start_matches('.').to_lowercase()
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
