//! The external files of a model: those that its buffers and images reference.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// A file that a model references.
#[derive(Debug, Serialize)]
pub(super) struct ExternalFile {
    /// The decoded URI, with `/` as separator.
    pub(super) name: String,
    /// The size; `None` if the file does not exist.
    pub(super) bytes: Option<u64>,
}

/// Returns `true` if the file is a .glb.
pub(super) fn is_glb(file: &[u8]) -> bool {
    file.starts_with(b"glTF")
}

/// Returns the files that a model in `directory` references, sorted by name.
pub(super) fn read(model: &[u8], directory: &Path) -> anyhow::Result<Vec<ExternalFile>> {
    #[derive(Deserialize)]
    struct Root {
        #[serde(default)]
        buffers: Vec<Named>,
        #[serde(default)]
        images: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        uri: Option<String>,
    }
    let root: Root = serde_json::from_slice(json(model)).context("cannot parse its JSON")?;
    let uris = root.buffers.iter().chain(&root.images).filter_map(|it| it.uri.as_deref());
    let is_data = |uri: &&str| uri.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("data:"));
    let names: BTreeSet<String> = uris.filter(|uri| !is_data(uri)).map(percent_decoded).collect();
    let files = names.into_iter().map(|name| {
        let metadata = fs::metadata(path(directory, &name)).ok().filter(fs::Metadata::is_file);
        ExternalFile { bytes: metadata.map(|it| it.len()), name }
    });
    Ok(files.collect())
}

/// Returns the path of a referenced file: `a/../b` is `b`, even if `a` does not exist.
pub(super) fn path(directory: &Path, name: &str) -> PathBuf {
    let mut relative = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::ParentDir if relative.file_name().is_some() => _ = relative.pop(),
            Component::CurDir => {}
            component => relative.push(component),
        }
    }
    directory.join(relative)
}

/// Returns the JSON of a valid model.
fn json(model: &[u8]) -> &[u8] {
    let text = match model {
        [b'g', b'l', b'T', b'F', _, _, _, _, _, _, _, _, a, b, c, d, _, _, _, _, rest @ ..] => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            rest.get(..length).unwrap_or(rest)
        }
        text => text,
    };
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Decodes percent-encoded bytes: `%20` is a space.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|&it| char::from(it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_are_skipped_and_names_are_decoded() {
        let model = br#"{"buffers": [{"uri": "a%20b.bin"}, {"uri": "data:,x"}, {}],
                         "images": [{"uri": "100%.png"}, {"uri": "a b.bin"}]}"#;
        let files = read(model, Path::new("nowhere")).unwrap();
        let names: Vec<_> = files.iter().map(|it| (&*it.name, it.bytes)).collect();
        assert_eq!(names, [("100%.png", None), ("a b.bin", None)]);
    }

    #[test]
    fn parent_components_are_resolved_lexically() {
        let at = |name| path(Path::new("in"), name);
        assert_eq!(at("a/../b.bin"), Path::new("in/b.bin"));
        assert_eq!(at("./a/./b.bin"), Path::new("in/a/b.bin"));
        assert_eq!(at("a/../../../b.bin"), Path::new("in/../../b.bin"));
    }
}
