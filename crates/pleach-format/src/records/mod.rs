//! Records: the structured values of a file, as serde writes them. docs/format.md specifies them.
//!
//! They are separate from the types of `pleach`, so that these can change without changing the
//! format. A change here needs another version of the format.

pub(crate) mod assets;
pub(crate) mod clips;
pub(crate) mod components;
pub(crate) mod graph;
pub(crate) mod numbers;
pub(crate) mod scene;

/// Declares an enumeration without data that mirrors one of `pleach`.
macro_rules! mirror {
    ($(#[$attribute:meta])* $record:ident = $type:ty { $($variant:ident,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $record {
            $($variant,)*
        }

        impl $record {
            /// Returns the record of a value, or `None` for variants that are newer than the format.
            #[allow(unreachable_patterns, reason = "some of the enumerations may grow")]
            pub(crate) fn of(value: $type) -> Option<Self> {
                match value {
                    $(<$type>::$variant => Some(Self::$variant),)*
                    _ => None,
                }
            }

            pub(crate) fn value(self) -> $type {
                match self {
                    $(Self::$variant => <$type>::$variant,)*
                }
            }
        }
    };
}
pub(crate) use mirror;
