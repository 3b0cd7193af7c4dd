//! Reads JSON text as `Value`s.
//!
//! Invariant: an array that is not empty and has only numbers, `true`, `false` and `null` is one
//! text, wherever it is; so equal texts are equal values.

use std::ops::Range;

use super::value::{Object, Text, Value};
use crate::diagnostics::{Pointer, Result};
use crate::json::Members;
use crate::{Error, ErrorKind};

/// The maximum nesting of values.
pub(super) const MAX_DEPTH: usize = 320;

/// Replaces values while they are read.
pub(super) trait Replace<'a> {
    /// Returns the value for the text at `span`, or `None` to read it as it is. `path` holds the keys
    /// from the entry, with `*` for an index in an array.
    fn replace(&mut self, path: &[&'a str], span: &Range<usize>) -> Result<Option<Value>>;

    /// Returns `true` if nothing below `path` is to be replaced.
    fn is_opaque(&self, path: &[&'a str]) -> bool;
}

/// Reads values as they are.
pub(super) struct AsIs;

impl<'a> Replace<'a> for AsIs {
    fn replace(&mut self, _: &[&'a str], _: &Range<usize>) -> Result<Option<Value>> {
        Ok(None)
    }

    fn is_opaque(&self, _: &[&'a str]) -> bool {
        true
    }
}

/// Reads the value at `span` of a text that is valid JSON.
///
/// # Errors
///
/// [`ErrorKind::Limit`] if it is nested deeper than [`MAX_DEPTH`]; the errors of `replace`.
pub(super) fn read<'a>(
    text: &'a str,
    span: &Range<usize>,
    replace: &mut impl Replace<'a>,
) -> Result<Value> {
    let mut reader = Reader { text, path: Vec::new(), depth: 0 };
    reader.value(span, Some(replace))
}

struct Reader<'a> {
    text: &'a str,
    path: Vec<&'a str>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value<R: Replace<'a>>(
        &mut self,
        span: &Range<usize>,
        mut replace: Option<&mut R>,
    ) -> Result<Value> {
        if let Some(replace) = replace.as_deref_mut()
            && let Some(value) = replace.replace(&self.path, span)?
        {
            return Ok(value);
        }
        let text = &self.text[span.clone()];
        if !text.starts_with(['{', '[']) {
            return Ok(Value::Text(Text(text.into())));
        }
        if self.depth >= MAX_DEPTH {
            let message = format!("the JSON is nested deeper than {MAX_DEPTH} levels");
            return Err(Error::new(ErrorKind::Limit, &Pointer::ROOT, message));
        }
        self.depth += 1;
        let is_opaque = replace.as_deref().is_none_or(|it| it.is_opaque(&self.path));
        let mut replace = replace.filter(|_| !is_opaque);
        let mut values = Vec::new();
        let is_object = text.starts_with('{');
        for member in Members::of(self.text, span) {
            self.path.push(if is_object { member.raw_key } else { "*" });
            let value = self.value(&member.value, replace.as_deref_mut())?;
            self.path.pop();
            values.push((member.raw_key, value));
        }
        self.depth -= 1;
        if is_object {
            let members = values.into_iter().map(|(key, value)| (key.into(), value)).collect();
            let object = Object::new(members).map(Value::Object);
            return Ok(object.unwrap_or_else(|| Value::Text(Text(text.into()))));
        }
        Ok(array(values.into_iter().map(|it| it.1).collect()))
    }
}

/// Returns an array of these values.
pub(super) fn array(values: Vec<Value>) -> Value {
    let number = |value: &Value| match value {
        Value::Text(Text(text)) => !text.starts_with(['"', '[', '{']),
        _ => false,
    };
    if values.is_empty() || !values.iter().all(number) {
        return Value::Array(values);
    }
    let mut text = String::from("[");
    for value in &values {
        let Value::Text(Text(number)) = value else { continue };
        text.push_str(if text.len() == 1 { "" } else { "," });
        text.push_str(number);
    }
    text.push(']');
    Value::Text(Text(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        read(text, &(0..text.len()), &mut AsIs).unwrap()
    }

    #[test]
    fn white_space_and_the_order_of_members_do_not_matter() {
        let one = value(r#"{"a": [1, 2.0], "b": {"c": [ ], "d": ["x"]}}"#);
        let other = value(r#"{"b":{"d":["x"],"c":[]},"a":[1,2]}"#);
        assert_eq!(one, other);
        assert_ne!(one, value(r#"{"b":{"d":["x"],"c":[]},"a":[2,1]}"#));
        assert!(matches!(value("[1, true, null]"), Value::Text(_)));
        assert!(matches!(value("[1, []]"), Value::Array(_)));
    }

    #[test]
    fn objects_with_repeated_keys_are_kept_as_text() {
        assert!(matches!(value(r#"{"a": 1, "a": 2}"#), Value::Text(_)));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
        let error = read(&deep, &(0..deep.len()), &mut AsIs).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}
