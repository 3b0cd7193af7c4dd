//! Enumerations whose members have one written name each, used on the command line, in the
//! workers' protocol, in the tables and in file names.

macro_rules! words {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $member:ident = $word:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$inner])* $member,)+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$member),+];

            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$member => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$member),)+
                    _ => Err(format!(
                        "`{text}` is none of {}",
                        Self::ALL.iter().map(|one| one.word()).collect::<Vec<_>>().join(", "),
                    )),
                }
            }
        }
    };
}

pub(crate) use words;
