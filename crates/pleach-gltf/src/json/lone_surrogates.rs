//! Finds lone surrogates: `\ud800` without a following low surrogate, or the reverse, as left by
//! programs that truncate names.
//!
//! They are valid JSON but not valid Unicode. `Text` reads each as U+FFFD; this module locates
//! them. serde_json does not check for control characters in strings that it reads as bytes, so
//! this module does.

use super::scan::end_of_string;

/// Lone surrogates and control characters in the strings of a text that contain escapes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LoneSurrogates {
    /// The offset of the first lone surrogate.
    pub(crate) first: Option<usize>,
    /// The number of lone surrogates.
    pub(crate) count: usize,
    /// The offset of the first unescaped control character, which JSON does not allow.
    pub(crate) control: Option<usize>,
}

impl LoneSurrogates {
    /// Scans a text that was parsed as JSON.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let mut at = 0;
        // JSON has backslashes only in strings.
        while let Some(next) = text.get(at..).and_then(|rest| rest.find('\\')) {
            let escape = at + next;
            // Before the first escape of a string, the last quote opens it.
            let start = text[..escape].rfind('"').unwrap_or(0);
            let end = end_of_string(bytes, start).max(escape + 1);
            found.scan_string(&bytes[..end], start + 1);
            at = end;
        }
        found
    }

    /// Scans a string that ends with the bytes.
    fn scan_string(&mut self, bytes: &[u8], mut at: usize) {
        while let Some(&byte) = bytes.get(at) {
            if byte < 0x20 {
                self.control.get_or_insert(at);
            }
            if byte != b'\\' {
                at += 1;
                continue;
            }
            match (utf16_unit(bytes, at), utf16_unit(bytes, at + 6)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
                (Some(0xd800..=0xdfff), _) => {
                    self.first.get_or_insert(at);
                    self.count += 1;
                    at += 6;
                }
                _ => at += 2,
            }
        }
    }
}

/// Returns the UTF-16 code unit of an escape `\u12ab` at `at`, if there is one.
fn utf16_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogate_pairs_are_not_lone_surrogates() {
        let found = |text: &str| (LoneSurrogates::of(text).first, LoneSurrogates::of(text).count);
        for valid in [r#"{"a": "\ud83d\ude00"}"#, r#""\\ud800""#, r#""\u00e4\n\"""#, r#""abc""#] {
            assert_eq!(found(valid), (None, 0), "{valid}");
        }
        assert_eq!(found(r#"{"a": "x\ud800abc"}"#), (Some(8), 1));
        assert_eq!(found(r#"["\\\uDC00", "\ud800\ud800\udc00", "\udfff"]"#), (Some(4), 3));
        assert_eq!(found(r#"["\ud8"#), (None, 0));
    }

    #[test]
    fn control_characters_are_found_in_strings_with_escapes() {
        assert_eq!(LoneSurrogates::of("[\n\"a\\n\"]").control, None);
        assert_eq!(LoneSurrogates::of("[\n\"a\\n\tb\"]").control, Some(6));
        assert_eq!(LoneSurrogates::of("[\"a\tb\\n\"]").control, Some(3));
    }
}
