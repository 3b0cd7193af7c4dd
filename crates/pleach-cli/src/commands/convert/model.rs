//! A model on disk: its file, and those it names; what may be replaced.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pleach_gltf::Form;
use serde::Serialize;

use super::beside::{self, Beside};
use crate::output::{BOLD, DIM, OneLine, Painted};
use crate::units;

/// A path that can be written, by its extension.
pub(in crate::commands) fn model_name(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match form_of(&path) {
        Some(_) => Ok(path),
        None => Err("the name must end with .gltf or .glb: that says what is written".into()),
    }
}

pub(in crate::commands) fn form_of(path: &Path) -> Option<Form> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "gltf" => Some(Form::Gltf),
        "glb" => Some(Form::Glb),
        _ => None,
    }
}

/// A model on disk.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Model {
    path: String,
    form: &'static str,
    /// Of the file itself.
    bytes: u64,
    files: Vec<Beside>,
}

impl Model {
    pub(in crate::commands) fn of(path: &Path) -> anyhow::Result<Self> {
        let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let is_glb = beside::is_glb(&file);
        Ok(Self {
            path: path.display().to_string(),
            form: if is_glb { "glb" } else { "gltf" },
            bytes: file.len() as u64,
            files: beside::of(&file, directory(path))?,
        })
    }

    /// Asserts that what is written to `to` replaces neither this model nor a file it names.
    /// `bytes_change` if a buffer of another content is written beside it.
    pub(in crate::commands) fn guard(&self, to: &Path, bytes_change: bool) -> anyhow::Result<()> {
        let own = Path::new(&self.path);
        let mut written = vec![to.to_path_buf()];
        if bytes_change && form_of(to) == Some(Form::Gltf) {
            written.push(to.with_extension("bin"));
        }
        let beside = self.files.iter().map(|file| directory(own).join(&file.name));
        for source in std::iter::once(own.to_path_buf()).chain(beside) {
            if written.iter().any(|path| is_same_file(path, &source)) {
                bail!("{} would be replaced; --force does that", source.display());
            }
        }
        Ok(())
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// So many bytes, for people.
fn bytes(number: u64) -> String {
    units::bytes(usize::try_from(number).unwrap_or(usize::MAX))
}

/// Are these two names of one file? What is not there cannot be replaced.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Painted(BOLD, OneLine(&self.path)))?;
        write!(f, " {}", Painted(DIM, format_args!("({}, {})", self.form, bytes(self.bytes))))?;
        for file in &self.files {
            let size = file.bytes.map_or("not there".into(), bytes);
            write!(f, ", {} {}", OneLine(&file.name), Painted(DIM, format_args!("({size})")))?;
        }
        Ok(())
    }
}
