//! A model on disk: its own file and the files it references.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use pleach_gltf::{Format, external_files};
use serde::Serialize;

use crate::report::output::{BOLD, DIM, OneLine, Styled};
use crate::report::units;

/// Parses an output path with the extension .gltf or .glb.
pub(in crate::commands) fn parse_model_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match format_of(&path) {
        Some(_) => Ok(path),
        None => {
            Err("expected a file name that ends in .gltf or .glb, which selects the format".into())
        }
    }
}

pub(in crate::commands) fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "gltf" => Some(Format::Gltf),
        "glb" => Some(Format::Glb),
        _ => None,
    }
}

/// A file that a model references.
#[derive(Debug, Serialize)]
struct ReferencedFile {
    /// The decoded URI, with `/` as separator.
    name: String,
    /// The size; `None` if the file does not exist.
    bytes: Option<u64>,
}

/// A model on disk.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct ModelFiles {
    path: String,
    format: &'static str,
    /// The size of the file itself.
    bytes: u64,
    /// Sorted by name.
    files: Vec<ReferencedFile>,
}

impl ModelFiles {
    pub(in crate::commands) fn of(path: &Path) -> anyhow::Result<Self> {
        let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let referenced = external_files(&file).with_context(|| path.display().to_string())?;
        let files = referenced.into_iter().map(|it| {
            let metadata = fs::metadata(resolved(directory(path), &it.name)).ok();
            let bytes = metadata.filter(fs::Metadata::is_file).map(|it| it.len());
            ReferencedFile { name: it.name, bytes }
        });
        let mut files: Vec<ReferencedFile> = files.collect();
        files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(Self {
            path: path.display().to_string(),
            format: if file.starts_with(b"glTF") { "glb" } else { "gltf" },
            bytes: file.len() as u64,
            files,
        })
    }

    /// Returns `true` for a .glb.
    pub(in crate::commands) fn is_glb(&self) -> bool {
        self.format == "glb"
    }

    /// Returns the paths of its own file and of the files it references.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let own = Path::new(&self.path);
        let files = self.files.iter().map(|it| resolved(directory(own), &it.name));
        std::iter::once(own.to_path_buf()).chain(files)
    }
}

/// Returns the path of a referenced file: `a/../b` is `b`, even if `a` does not exist.
fn resolved(directory: &Path, name: &str) -> PathBuf {
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

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Formats a number of bytes.
fn bytes(number: u64) -> String {
    units::bytes(usize::try_from(number).unwrap_or(usize::MAX))
}

impl fmt::Display for ModelFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Styled(BOLD, OneLine(&self.path)))?;
        write!(f, " {}", Styled(DIM, format_args!("({}, {})", self.format, bytes(self.bytes))))?;
        for file in &self.files {
            let size = file.bytes.map_or("missing".into(), bytes);
            write!(f, ", {} {}", OneLine(&file.name), Styled(DIM, format_args!("({size})")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_components_are_resolved_lexically() {
        let at = |name| resolved(Path::new("in"), name);
        assert_eq!(at("a/../b.bin"), Path::new("in/b.bin"));
        assert_eq!(at("./a/./b.bin"), Path::new("in/a/b.bin"));
        assert_eq!(at("a/../../../b.bin"), Path::new("in/../../b.bin"));
    }
}
