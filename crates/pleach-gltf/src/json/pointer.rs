//! Converts an offset in the text to a JSON pointer, for errors.

use std::fmt::Write;

use super::scan::{end_of_string, skip_space};
use crate::diagnostics::Escaped;

/// The current member of an open object, or entry of an open array.
enum Level<'a> {
    Object(&'a str),
    Array(usize),
}

/// Returns the pointer to the innermost value that contains the byte before
/// `offset`. The text may be invalid from there on. The pointer has at most twelve steps.
pub(crate) fn pointer_to(text: &str, offset: usize) -> String {
    let end = offset.min(text.len());
    let bytes = text.as_bytes();
    let mut levels: Vec<Level<'_>> = Vec::new();
    let (mut at, mut expects_key) = (0, false);
    while at < end {
        match bytes[at] {
            b'"' => {
                let stop = end_of_string(bytes, at);
                let is_key = expects_key && bytes.get(skip_space(bytes, stop)) == Some(&b':');
                if let (true, Some(Level::Object(key))) = (is_key, levels.last_mut()) {
                    *key = text.get(at + 1..stop - 1).unwrap_or_default();
                    expects_key = false;
                }
                at = stop;
                continue;
            }
            b'{' => {
                levels.push(Level::Object(""));
                expects_key = true;
            }
            b'[' => {
                levels.push(Level::Array(0));
                expects_key = false;
            }
            // The closing bracket of the value at `offset` still belongs to it.
            b'}' | b']' if at + 1 < end => {
                levels.pop();
                expects_key = false;
            }
            b',' => match levels.last_mut() {
                Some(Level::Array(index)) => *index += 1,
                Some(Level::Object(_)) => expects_key = true,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    // An error at a closing bracket concerns the value that it closes, not its last entry.
    let is_closing = end > 0 && matches!(bytes.get(end - 1), Some(b'}' | b']'));
    if is_closing {
        levels.pop();
    }
    let mut pointer = String::new();
    for level in levels.iter().take(12) {
        // Writing to a string does not fail.
        _ = match level {
            Level::Object("") => Ok(()),
            Level::Object(key) => write!(pointer, "/{}", Escaped(key)),
            Level::Array(index) => write!(pointer, "/{index}"),
        };
    }
    pointer
}
