//! Values of a file in one line of text.

use std::fmt;

use super::output::OneLine;

/// The maximum number of characters of a value.
const MAX_CHARACTERS: usize = 60;

/// A value that is shortened for display; `–` if there is none.
pub(crate) struct ShortValue<'a>(pub(crate) Option<&'a str>);

impl fmt::Display for ShortValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(text) = self.0 else { return f.write_str("–") };
        match text.char_indices().nth(MAX_CHARACTERS) {
            Some((end, _)) => write!(f, "{}…", OneLine(&text[..end])),
            None => write!(f, "{}", OneLine(text)),
        }
    }
}
