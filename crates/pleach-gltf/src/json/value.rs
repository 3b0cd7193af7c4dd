//! Whole numbers and texts, as glTF's JSON has them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// A whole number that is not negative: an index, a count, an offset.
///
/// `5.0` is taken for 5, as some exporters write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Whole(pub(crate) u64);

impl Whole {
    /// As an index or a size. What is too large for this machine is too large for anything
    /// it is compared with.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Whole {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number that is not negative")
            }

            #[inline]
            fn visit_u64<E: Error>(self, number: u64) -> Result<Whole, E> {
                Ok(Whole(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Whole, E> {
                // Beyond 2^53 an f64 does not tell which number was meant.
                if (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0 {
                    return Ok(Whole(number as u64));
                }
                Err(E::invalid_value(Unexpected::Float(number), &self))
            }
        }

        deserializer.deserialize_u64(Reader)
    }
}

/// A text, borrowed unless it has escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

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
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.into())))
            }
        }

        deserializer.deserialize_str(Reader)
    }
}
