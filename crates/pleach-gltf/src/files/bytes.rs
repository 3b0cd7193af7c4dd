//! `Bytes`: reference-counted bytes, such as a chunk of a file or a buffer.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Reference-counted bytes. Clones and slices share the same memory.
///
/// The owner is any `AsRef<[u8]>`: a `Vec<u8>`, or a memory map for models that are too large
/// to be read as a whole. (Creating a memory map is unsafe because it changes when
/// the file does; this crate leaves that to the caller.)
///
/// ```
/// use pleach_gltf::{Bytes, Directory, Options};
///
/// # let map = br#"{"asset": {"version": "2.0"}}"#.to_vec();
/// // let map = unsafe { memmap2::Mmap::map(&file)? };
/// let document = Options::new().load_with(Bytes::new(map), &Directory::new("models"))?;
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Bytes {
    /// Wraps all bytes of `owner`, such as a `Vec<u8>` or a memory map.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let range = 0..owner.as_ref().len();
        Self { owner: Arc::new(owner), range }
    }

    /// Returns a slice that shares the memory, or `None` if `range` is out of bounds.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let start = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end)?;
        (start <= end && end <= self.range.end)
            .then(|| Self { owner: Arc::clone(&self.owner), range: start..end })
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // `as_ref` of a user's type may return fewer bytes than before.
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.range.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_beyond_the_end_is_none() {
        let bytes = Bytes::from(vec![1, 2, 3, 4]);
        let middle = bytes.slice(1..3).unwrap();
        assert_eq!(&*middle, [2, 3]);
        assert_eq!(middle.slice(1..2).as_deref(), Some(&[3][..]));
        assert!(middle.slice(1..3).is_none());
        assert!(middle.slice(0..usize::MAX).is_none());
        assert!(bytes.slice(Range { start: 3, end: 2 }).is_none());
    }
}
