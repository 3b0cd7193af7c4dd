//! Finds the spans of values in a text, without parsing them.
//!
//! The spans are correct if the text is valid JSON. Otherwise they are wrong but within bounds: on
//! loading, serde parses the text at each span and rejects it (`parse.rs`), and saving scans only
//! texts that were loaded. Nothing recurses.

use std::borrow::Cow;

/// A range of bytes in the text.
pub(crate) type Span = std::ops::Range<usize>;

/// Iterates over the members of an object or the elements of an array, in order. Elements have no
/// key.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    text: &'a str,
    at: usize,
    is_object: bool,
}

/// A member of an object or element of an array: its key and the span of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    /// The key with its escapes, without quotes; empty in arrays.
    pub(crate) raw_key: &'a str,
    /// The offset of the key's opening quote; in arrays, of the value.
    pub(crate) start: usize,
    /// The span of the value.
    pub(crate) value: Span,
}

impl<'a> Members<'a> {
    /// Returns the members of the object or array at `span`; none for other values.
    pub(crate) fn of(text: &'a str, span: &Span) -> Self {
        let start = skip_space(text.as_bytes(), span.start);
        let first = text.as_bytes().get(start).copied();
        let at = if matches!(first, Some(b'{' | b'[')) { start + 1 } else { text.len() };
        Self { text, at, is_object: first == Some(b'{') }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let bytes = self.text.as_bytes();
        let mut at = skip_space(bytes, self.at);
        if bytes.get(at) == Some(&b',') {
            at = skip_space(bytes, at + 1);
        }
        let start = at;
        let mut raw_key = "";
        if self.is_object {
            if bytes.get(at) != Some(&b'"') {
                return None;
            }
            let end = end_of_string(bytes, at);
            raw_key = self.text.get(at + 1..end.checked_sub(1)?)?;
            at = skip_space(bytes, end);
            if bytes.get(at) != Some(&b':') {
                return None;
            }
            at = skip_space(bytes, at + 1);
        }
        let (end, _) = end_of_value(bytes, at);
        if end <= at {
            return None;
        }
        self.at = end;
        Some(Member { raw_key, start, value: at..end })
    }
}

impl<'a> Member<'a> {
    /// Returns the key with escapes decoded.
    pub(crate) fn key(&self) -> Cow<'a, str> {
        if !self.raw_key.contains('\\') {
            return Cow::Borrowed(self.raw_key);
        }
        let quoted = format!("\"{}\"", self.raw_key);
        serde_json::from_str(&quoted).map_or(Cow::Borrowed(self.raw_key), Cow::Owned)
    }
}

/// Returns the span of the value at a JSON pointer.
pub(crate) fn value_at(text: &str, pointer: &str) -> Option<Span> {
    let mut span = trimmed_span(text);
    if pointer.is_empty() {
        return Some(span);
    }
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        let mut members = Members::of(text, &span);
        let found = if members.is_object {
            members.find(|member| member.key() == step)
        } else {
            // Rust parses `+1` and `01`, which are not valid in JSON pointers.
            let plain = step.bytes().all(|byte| byte.is_ascii_digit())
                && (step.len() == 1 || !step.starts_with('0'));
            members.nth(step.parse().ok().filter(|_| plain)?)
        };
        span = found?.value;
    }
    Some(span)
}

/// Returns the span of the text without surrounding white space.
fn trimmed_span(text: &str) -> Span {
    let start = skip_space(text.as_bytes(), 0);
    start..text.trim_ascii_end().len().max(start)
}

pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// Returns the offset after the closing quote of the string that begins at `at`.
pub(super) fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(rest) = bytes.get(at..) {
        let Some(next) = rest.iter().position(|&byte| byte == b'"' || byte == b'\\') else { break };
        if rest[next] == b'"' {
            return at + next + 1;
        }
        at += next + 2;
    }
    bytes.len()
}

/// Returns the offset after the value that begins at `at`, and its nesting depth.
pub(super) fn end_of_value(bytes: &[u8], at: usize) -> (usize, usize) {
    match bytes.get(at) {
        Some(b'"') => (end_of_string(bytes, at), 0),
        Some(b'{' | b'[') => end_of_nested(bytes, at),
        _ => {
            let is_end =
                |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
            let rest = bytes.get(at..).unwrap_or_default();
            (at + rest.iter().position(is_end).unwrap_or(rest.len()), 0)
        }
    }
}

/// Returns the offset after the bracket that closes the one at `at`, and the nesting depth. In
/// JSON, brackets match, so that counting them suffices.
fn end_of_nested(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let mut depth = 0usize;
    let mut max_depth = 0;
    while let Some(next) = next_delimiter(bytes, at) {
        at = next + 1;
        match bytes[next] {
            b'"' => at = end_of_string(bytes, next),
            b'{' | b'[' => {
                depth += 1;
                max_depth = max_depth.max(depth);
            }
            _ => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (at, max_depth);
                }
            }
        }
    }
    (bytes.len(), max_depth)
}

/// Returns the offset of the next quote or bracket. Scans eight bytes at a time.
#[inline]
fn next_delimiter(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let (words, last) = rest.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let mask = delimiter_mask(u64::from_le_bytes(*word));
        if mask != 0 {
            return Some(at + number * 8 + mask.trailing_zeros() as usize / 8);
        }
    }
    let is_delimiter = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
    Some(at + words.len() * 8 + last.iter().position(is_delimiter)?)
}

/// Sets the high bit of the first byte that is a quote or bracket, and none below it. (Bits
/// above may be wrong because the subtraction borrows.)
#[inline]
fn delimiter_mask(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    // Setting one bit turns `[` into `{` and `]` into `}`.
    let brackets = word | ONES << 5;
    zeros(word ^ (ONES * b'"' as u64))
        | zeros(brackets ^ (ONES * b'{' as u64))
        | zeros(brackets ^ (ONES * b'}' as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" {"a": [1, {"b\n": "x]\"}"} , [], -2.5e3], "~/": true } "#;

    #[test]
    fn members_are_found_with_their_spans() {
        let members: Vec<_> = Members::of(TEXT, &trimmed_span(TEXT)).collect();
        assert_eq!(members.iter().map(|it| it.key()).collect::<Vec<_>>(), ["a", "~/"]);
        let list: Vec<_> = Members::of(TEXT, &members[0].value).collect();
        let texts: Vec<_> = list.iter().map(|it| &TEXT[it.value.clone()]).collect();
        assert_eq!(texts, ["1", r#"{"b\n": "x]\"}"}"#, "[]", "-2.5e3"]);
    }

    #[test]
    fn json_pointers_resolve_to_spans() {
        let at = |pointer| value_at(TEXT, pointer).map(|span| &TEXT[span]);
        assert_eq!(at("/a/3"), Some("-2.5e3"));
        assert_eq!(at("/a/1/b\n"), Some(r#""x]\"}""#));
        assert_eq!(at("/~0~1"), Some("true"));
        for none in ["/b", "/a/4", "/a/x", "/a/+1", "/a/01", "/a/2/0", "/a/0/b", "a"] {
            assert_eq!(at(none), None, "{none}");
        }
    }

    #[test]
    fn delimiters_are_found_among_all_bytes() {
        let is_delimiter = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
        let mut bytes: Vec<u8> = (0..=255).collect();
        for round in 0..300 {
            for at in 0..bytes.len() {
                let expected = bytes[at..].iter().position(is_delimiter).map(|it| at + it);
                assert_eq!(next_delimiter(&bytes, at), expected, "round {round}, at {at}");
            }
            // A new permutation, which does not repeat soon.
            let length = bytes.len();
            bytes.rotate_left(7);
            bytes.swap(round % length, (round * 31 + 5) % length);
        }
    }

    #[test]
    fn depth_is_counted_outside_of_strings() {
        assert_eq!(end_of_value(TEXT.as_bytes(), 1), (TEXT.len() - 1, 3));
        assert_eq!(end_of_value(br#""[[[""#, 0), (5, 0));
        let deep = "[".repeat(100_000);
        assert_eq!(end_of_value(deep.as_bytes(), 0), (100_000, 100_000));
    }
}
