//! Saving.

mod array;
mod patch;
mod sheet;

/// A file that was written, in memory.
#[derive(Clone, Debug)]
pub struct Saved {
    /// .
    pub bytes: Vec<u8>,
}

impl crate::Document {
    /// .
    ///
    /// # Errors
    ///
    /// .
    pub fn save_bytes(&self, _form: crate::Form) -> Result<Saved, crate::Error> {
        Ok(Saved { bytes: self.json().into() })
    }
}
