//! The external files of a model, found without loading it.

use crate::diagnostics::{Report, Result, Tolerance};
use crate::files::glb;
use crate::files::uri::Uri;
use crate::json::{ParseLimits, Root};
use crate::load::{Budget, check_file_size, check_version, json_text, parse};
use crate::{Bytes, Options};

/// A file that a model refers to; see [`external_files`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExternalFile {
    /// The name that a [`Resolver`](crate::Resolver) is asked for: the percent-decoded URI.
    pub name: String,
    /// The URI as it is in the model, relative to the model's own URI.
    pub uri: String,
    /// `true` if only images refer to it, so that the model can be loaded without it.
    pub is_image: bool,
}

/// Returns the files that a `.gltf` or `.glb` in memory refers to, each once, buffers first. Parses the JSON and
/// loads nothing else: for callers that must fetch files before they load the model, such
/// as a page in a browser.
///
/// URIs that are never followed (`https:` and other schemes) are left out; loading reports them.
///
/// ```
/// use std::collections::BTreeMap;
/// use pleach_gltf::{Bytes, Options, external_files};
///
/// let model = br#"{ "asset": {"version": "2.0"},
///     "buffers": [{"uri": "old%20data.bin", "byteLength": 4}], "images": [{"uri": "oak.png"}] }"#;
/// let mut files = BTreeMap::new();
/// for file in external_files(model)? {
///     // let bytes = fetch(&file.uri).await?;
///     let bytes = vec![0; 4];
///     files.insert(file.name, Bytes::from(bytes));
/// }
/// assert!(files.keys().eq(["oak.png", "old data.bin"]));
/// let document = Options::new().load_with(model.to_vec(), &files)?;
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
///
/// # Errors
///
/// Fails like [`load`](crate::load) if the container, the JSON or the version is invalid.
#[doc(alias = "external_uris")]
#[doc(alias = "dependencies")]
pub fn external_files(file: &[u8]) -> Result<Vec<ExternalFile>> {
    Options::new().external_files(file)
}

impl Options {
    /// Returns the files that a `.gltf` or `.glb` in memory refers to; see [`external_files`], which
    /// has an example. Only the [limits](Self::with_limits) have an effect.
    ///
    /// # Errors
    ///
    /// Fails like [`load`](Self::load) if the container, the JSON or the version is invalid, or a
    /// limit is exceeded.
    pub fn external_files(&self, file: &[u8]) -> Result<Vec<ExternalFile>> {
        let mut tolerance = Tolerance { strict: false, report: Report::default() };
        let size = file.len() as u64;
        check_file_size(size, &self.limits)?;
        let json = if glb::is_glb(file) {
            glb::read(&Bytes::from(file.to_vec()), &mut tolerance)?.json
        } else {
            Bytes::from(file.to_vec())
        };
        let text = json_text(json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&json))?;
        let limits = ParseLimits {
            max_depth: self.limits.max_json_depth,
            max_array_bytes: Budget::new(&self.limits, size).left() as u64,
        };
        let root = parse(text, limits)?;
        check_version(&root)?;
        Ok(files_of(&root))
    }
}

fn files_of(root: &Root<'_>) -> Vec<ExternalFile> {
    let buffers = root.buffers.iter().filter_map(|it| Some((it.uri.as_deref()?, false)));
    let images = root.images.iter().filter_map(|it| Some((it.uri.as_deref()?, true)));
    let mut files: Vec<ExternalFile> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for (uri, is_image) in buffers.chain(images) {
        if let Ok(Uri::File(name)) = Uri::parse(uri)
            && names.insert(name.clone())
        {
            files.push(ExternalFile { name, uri: uri.into(), is_image });
        }
    }
    files
}
