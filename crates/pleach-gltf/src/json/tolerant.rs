//! `Tolerant<T>`: an optional part of a file that may be malformed without making the file invalid.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Reads a member that is not needed for loading: `None` if it has another type.
pub(super) fn lenient<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(match Tolerant::deserialize(deserializer)? {
        Tolerant::Valid(value) => value,
        Tolerant::Invalid(_) => None,
    })
}

/// A value, or the reason why the JSON is not such a value. The loader warns of the latter, unless it
/// is strict.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerant<T> {
    /// The value.
    Valid(T),
    /// The reason.
    Invalid(String),
}

impl<T> Tolerant<T> {
    /// Returns the value, or the reason why it is invalid.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn as_result(&self) -> Result<&T, &str> {
        match self {
            Self::Valid(value) => Ok(value),
            Self::Invalid(reason) => Err(reason),
        }
    }

    /// Returns the reason why the value is invalid, or `None` if it is valid.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.as_result().err()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tolerant<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(match serde_json::from_str(raw.get()) {
            Ok(value) => Self::Valid(value),
            Err(error) => {
                // Without the position in this value, which is not that in the file.
                let error = error.to_string();
                Self::Invalid(error.split(" at line ").next().unwrap_or_default().into())
            }
        })
    }
}
