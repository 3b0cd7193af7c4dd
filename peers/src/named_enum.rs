//! Enumerations whose variants have a name, used on the command line, in the worker protocol, in
//! the tables and in file names.

macro_rules! named_enum {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $member:ident = $name_text:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$inner])* $member,)+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$member),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name_text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($name_text => Ok(Self::$member),)+
                    _ => Err(format!(
                        "`{text}` is not one of {}",
                        Self::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(", "),
                    )),
                }
            }
        }
    };
}

pub(crate) use named_enum;
