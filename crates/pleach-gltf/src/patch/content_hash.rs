//! `ContentHash`: identifies the content of a file, and bytes of it.

use std::fmt;

use sha2::{Digest, Sha256};

/// The SHA-256 of the content of a file; see [`content_hash`](super::content_hash).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(super) fn from_hasher(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// Returns the 32 bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses 64 hexadecimal digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = (digit(0)? * 16 + digit(1)?) as u8;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for ContentHash {
    /// Writes 64 hexadecimal digits; with a precision, as many as that.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        f.pad(&digits)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:.12}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_and_parsed_as_hexadecimal_digits() {
        let hash = ContentHash::of(b"abc");
        let text = hash.to_string();
        assert!(text.starts_with("ba7816bf") && text.len() == 64, "{text}");
        assert_eq!(ContentHash::parse(&text), Some(hash));
        assert_eq!(format!("{hash:.4}"), "ba78");
        assert_eq!(ContentHash::parse(&text[1..]), None);
        assert_eq!(ContentHash::parse(&text.replace('b', "g")), None);
    }
}
