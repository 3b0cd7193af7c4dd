//! `Loaders`: which loader reads which file, by the extension of its name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::diagnostics::Pointer;
use crate::{Document, Error, ErrorKind, Options};

type BoxedError = Box<dyn std::error::Error + Send + Sync>;
type Loader = dyn Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync;

/// Loaders by extension. At first there are those for `.gltf` and `.glb`; add your own.
///
/// ```
/// use pleach::{Node, Scene};
/// use pleach_gltf::{Document, Loaders};
///
/// let mut loaders = Loaders::new();
/// // A file of names, one a line, becomes a scene of nodes.
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
///     "town.fbx: there is no loader for \".fbx\"; there are for .glb, .gltf, .names",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Loaders {
    by_extension: BTreeMap<String, Box<Loader>>,
}

impl Loaders {
    /// Those for `.gltf` and `.glb`.
    #[must_use]
    pub fn new() -> Self {
        let mut loaders = Self::empty();
        for extension in ["glb", "gltf"] {
            loaders.register(extension, |path, options| Ok(options.load(path)?));
        }
        loaders
    }

    /// None.
    #[must_use]
    pub fn empty() -> Self {
        Self { by_extension: BTreeMap::new() }
    }

    /// Reads files with this extension by this loader from now on. Upper and lower case are
    /// the same, and a point before it does not matter.
    pub fn register(
        &mut self,
        extension: &str,
        load: impl Fn(&Path, &Options) -> Result<Document, BoxedError> + Send + Sync + 'static,
    ) {
        self.by_extension.insert(normalized(extension), Box::new(load));
    }

    /// The extensions that there are loaders for.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.by_extension.keys().map(String::as_str)
    }

    /// Reads a file by the loader for its extension.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`] if there is none; what the loader says, if it is ours, and else
    /// that as the [source](std::error::Error::source) of an error of kind
    /// [`ErrorKind::UnknownFormat`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Document, Error> {
        self.load_with(path, &Options::new())
    }

    /// As [`load`](Self::load), with options.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with(&self, path: impl AsRef<Path>, options: &Options) -> Result<Document, Error> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let Some(load) = self.by_extension.get(&normalized(extension)) else {
            let known: Vec<String> = self.extensions().map(|it| format!(".{it}")).collect();
            let message = format!(
                "there is no loader for {:?}; there are for {}",
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
