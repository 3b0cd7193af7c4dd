//! Unsigned integers and strings of glTF's JSON, and extensions that are only kept.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// An unsigned integer: an index, a count or an offset.
///
/// Accepts `5.0` for 5, as some exporters write it. An `Option<UInt>` takes eight bytes, too.
///
/// ```
/// use pleach_gltf::raw::UInt;
///
/// assert_eq!(serde_json::from_str::<UInt>("5.0").unwrap(), UInt::new(5));
/// assert_eq!(size_of::<Option<UInt>>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UInt {
    /// The number plus one, so that 0 can stand for `None`.
    plus_one: NonZeroU64,
}

impl Default for UInt {
    fn default() -> Self {
        Self { plus_one: NonZeroU64::MIN }
    }
}

impl fmt::Debug for UInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UInt").field(&self.get()).finish()
    }
}

impl UInt {
    /// Creates a number. `u64::MAX` becomes the largest number below it: nothing is that large.
    #[inline]
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self { plus_one: NonZeroU64::MIN.saturating_add(number) }
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.plus_one.get() - 1
    }

    /// Converts to `usize`, saturating: a value beyond `usize` exceeds everything that it is
    /// compared with.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        usize::try_from(self.get()).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for UInt {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = UInt;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a non-negative integer")
            }

            #[inline]
            fn visit_u64<E: Error>(self, number: u64) -> Result<UInt, E> {
                Ok(UInt::new(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<UInt, E> {
                // Beyond 2^53 an f64 does not determine the integer.
                if (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0 {
                    return Ok(UInt::new(number as u64));
                }
                Err(E::invalid_value(Unexpected::Float(number), &self))
            }
        }

        deserializer.deserialize_u64(Reader)
    }
}

/// A string, borrowed unless it contains escapes. Lone surrogates become U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            #[inline]
            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
                if bytes.iter().any(|&byte| byte < 0x20) {
                    return Err(E::custom(CONTROL_CHARACTER));
                }
                std::str::from_utf8(bytes).map(|text| Text(Cow::Borrowed(text))).map_err(E::custom)
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(replace_lone_surrogates(bytes))))
            }
        }

        // As bytes, because serde_json then accepts lone surrogates.
        deserializer.deserialize_bytes(Reader)
    }
}

/// The message of serde_json for a control character in a string.
pub(crate) const CONTROL_CHARACTER: &str =
    "control character (\\u0000-\\u001F) found while parsing a string";

/// Decodes UTF-8 in which lone surrogates, of three bytes each, become U+FFFD.
fn replace_lone_surrogates(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    loop {
        match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                return text;
            }
            Err(error) => {
                let (good, rest) = bytes.split_at(error.valid_up_to());
                text.push_str(std::str::from_utf8(good).unwrap_or_default());
                text.push(char::REPLACEMENT_CHARACTER);
                bytes = rest.get(3..).unwrap_or_default();
            }
        }
    }
}
