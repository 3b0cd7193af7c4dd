//! Binary data: buffers, buffer views and accessors.
//!
//! Reads the JSON and the files that it refers to. Guarantees that every accessor lies within its
//! buffer view and every view within its buffer, so that reading elements cannot go out of bounds.

pub(crate) mod accessor;
pub(super) mod buffers;
mod document_min_max;
pub(super) mod draco;
pub(super) mod views;

use self::accessor::Accessor;
use self::views::View;
use super::Load;
use crate::diagnostics::{Pointer, Result};
use crate::json::{UInt, check_index};

/// The buffer views and accessors of a file.
#[derive(Debug)]
pub(crate) struct Data<'a> {
    pub(crate) views: &'a [View<'a>],
    accessors: Vec<Accessor<'a>>,
}

/// Checks the accessors of a file against its buffer views.
pub(crate) fn data<'a>(load: &mut Load<'_>, views: &'a [View<'a>]) -> Result<Data<'a>> {
    let accessors = accessor::accessors(load, views)?;
    Ok(Data { views, accessors })
}

impl<'a> Data<'a> {
    /// Returns an accessor by its index.
    pub(crate) fn accessor(&self, index: UInt, at: &Pointer<'_>) -> Result<&Accessor<'a>> {
        Ok(&self.accessors[check_index(index, self.accessors.len(), "accessor", at)?])
    }
}
