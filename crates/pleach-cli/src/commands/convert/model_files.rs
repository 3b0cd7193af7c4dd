//! A model on disk: its own file and the files it references.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pleach_gltf::Format;
use serde::Serialize;

use super::external_files::{self, ExternalFile};
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

/// A model on disk.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct ModelFiles {
    path: String,
    format: &'static str,
    /// The size of the file itself.
    bytes: u64,
    files: Vec<ExternalFile>,
}

impl ModelFiles {
    pub(in crate::commands) fn of(path: &Path) -> anyhow::Result<Self> {
        let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let is_glb = external_files::is_glb(&file);
        Ok(Self {
            path: path.display().to_string(),
            format: if is_glb { "glb" } else { "gltf" },
            bytes: file.len() as u64,
            files: external_files::read(&file, directory(path))?,
        })
    }

    /// Returns the paths of its own file and of the files it references.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let own = Path::new(&self.path);
        let files = self.files.iter().map(|it| external_files::path(directory(own), &it.name));
        std::iter::once(own.to_path_buf()).chain(files)
    }
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
