//! `Savers`: chooses a saver by the extension of the file name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::load::{BoxedError, normalized_extension, to_custom_error, unknown_extension};
use crate::{Document, Error, Report};

type Saver = dyn Fn(&Document, &Path) -> Result<Report, BoxedError> + Send + Sync;

/// A registry of savers by file extension, the counterpart of [`Loaders`](crate::Loaders).
/// [`new`](Self::new) registers those for `.gltf` and `.glb`; add your own.
///
/// ```
/// use pleach::{Node, Scene};
/// use pleach_gltf::{Document, Report, Savers};
///
/// let mut savers = Savers::new();
/// // A file with the name of each node, one per line.
/// savers.register("names", |document, path| {
///     let nodes = document.scenes().iter().flat_map(|scene| {
///         scene.graph.depth_first().filter_map(|node| scene.graph.get(node)?.name().map(String::from))
///     });
///     std::fs::write(path, nodes.collect::<Vec<_>>().join("\n"))?;
///     Ok(Report::default())
/// });
/// let mut scene = Scene::new();
/// scene.spawn(Node::group().named("oak"))?;
/// let document = Document::from_scenes([scene]);
/// # let directory = std::env::temp_dir().join("pleach-gltf-doc-savers");
/// # std::fs::create_dir_all(&directory)?;
/// let path = directory.join("wood.names");
/// savers.save(&document, &path)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "oak");
///
/// let refused = savers.save(&document, "wood.fbx").unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "wood.fbx: no saver is registered for \".fbx\", only for .glb, .gltf, .names",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "exporter")]
pub struct Savers {
    by_extension: BTreeMap<String, Box<Saver>>,
}

impl Savers {
    /// Creates a registry with the savers for `.gltf` and `.glb`.
    #[must_use]
    pub fn new() -> Self {
        let mut savers = Self::empty();
        for extension in ["glb", "gltf"] {
            savers.register(extension, |document, path| Ok(document.save(path)?));
        }
        savers
    }

    /// Creates an empty registry.
    #[must_use]
    pub fn empty() -> Self {
        Self { by_extension: BTreeMap::new() }
    }

    /// Registers a saver for an extension, replacing any previous one. The extension is
    /// case-insensitive, with or without a leading dot. The saver returns warnings about what it
    /// could not write.
    pub fn register(
        &mut self,
        extension: &str,
        save: impl Fn(&Document, &Path) -> Result<Report, BoxedError> + Send + Sync + 'static,
    ) {
        self.by_extension.insert(normalized_extension(extension), Box::new(save));
    }

    /// Iterates over the registered extensions in alphabetical order: lowercase, without a dot.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.by_extension.keys().map(String::as_str)
    }

    /// Saves a document with the saver for the extension of `path`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`](crate::ErrorKind) if no saver is registered for the extension. An
    /// [`Error`] returned by the saver is returned unchanged. An error of any other type becomes
    /// the [source](std::error::Error::source) of an [`Error`] of the kind
    /// [`ErrorKind::Custom`](crate::ErrorKind).
    pub fn save(&self, document: &Document, path: impl AsRef<Path>) -> Result<Report, Error> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let Some(save) = self.by_extension.get(&normalized_extension(extension)) else {
            return Err(unknown_extension("saver", path, self.extensions()));
        };
        save(document, path).map_err(|error| to_custom_error(error, path))
    }
}

impl Default for Savers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Savers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Savers").field(&self.extensions().collect::<Vec<_>>()).finish()
    }
}
