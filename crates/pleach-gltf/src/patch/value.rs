//! `Value`: a JSON value of a file, with references by identity and bytes by content.
//!
//! Invariant: two values are equal if and only if they mean the same: the order of members, white
//! space, and the digits of equal numbers do not matter. The digits themselves are kept, so that what
//! is not edited is written as it was read.

use std::borrow::Cow;
use std::sync::Arc;

use super::content_hash::ContentHash;
use crate::Bytes;
use crate::references::GltfArray;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A scalar, an array of numbers, or an object with a repeated key.
    Text(Text),
    /// Any other array.
    Array(Vec<Value>),
    Object(Object),
    /// The index of an entry.
    Ref(Ref),
    /// A JSON pointer to an entry or below it.
    Pointer(Box<Pointer>),
    /// The number of bytes of a buffer or view, and the bytes.
    Bytes(Arc<Blob>),
    /// The URI of a file, as JSON text, and its bytes.
    File(Box<(Text, Arc<Blob>)>),
    /// The array of entries.
    List(GltfArray),
}

/// The identity of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ref {
    pub(super) array: GltfArray,
    /// The index in the file, or a number beyond it for an entry of another file.
    pub(super) id: u32,
}

/// A JSON pointer to an entry or below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub(super) to: Ref,
    /// The rest after the index, such as `/scale`.
    pub(super) tail: String,
}

/// Bytes of a file, identified by their hash.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub(super) hash: ContentHash,
    pub(super) length: usize,
    pub(super) source: BlobSource,
}

/// The location of the bytes of a [`Blob`].
#[derive(Clone, Debug)]
pub(super) enum BlobSource {
    /// In memory.
    Stored(Bytes),
    /// In the file that a patch is applied to.
    Base,
    /// The first and the last bytes of a blob of that file, with other bytes between them.
    Between { base: ContentHash, head: usize, middle: Bytes, tail: usize },
}

impl Blob {
    /// Creates a blob from its bytes. Takes time proportional to their number.
    pub(super) fn new(bytes: Bytes) -> Arc<Self> {
        let hash = ContentHash::of(&bytes);
        Arc::new(Self { hash, length: bytes.len(), source: BlobSource::Stored(bytes) })
    }

    /// Returns the bytes, if they are in memory.
    pub(super) fn bytes(&self) -> Option<&Bytes> {
        match &self.source {
            BlobSource::Stored(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.length) == (other.hash, other.length)
    }
}

/// The text of a scalar or of an array of numbers.
#[derive(Clone, Debug)]
pub(super) struct Text(pub(super) Box<str>);

impl Text {
    pub(super) fn number(number: usize) -> Value {
        Value::Text(Self(number.to_string().into()))
    }

    /// Creates a JSON string.
    pub(super) fn string(text: &str) -> Self {
        Self(serde_json::Value::from(text).to_string().into())
    }

    /// Returns the same text for all texts with the same meaning.
    pub(super) fn canonical(&self) -> Cow<'_, str> {
        match self.0.as_bytes().first() {
            Some(b'"') => canonical_string(&self.0),
            Some(b'[') => {
                let numbers = self.0[1..self.0.len() - 1].split(',').map(canonical_number);
                let numbers: Vec<Cow<'_, str>> = numbers.collect();
                if numbers.iter().all(|it| matches!(it, Cow::Borrowed(_))) {
                    return Cow::Borrowed(&self.0);
                }
                Cow::Owned(format!("[{}]", numbers.join(",")))
            }
            Some(b'-' | b'0'..=b'9') => canonical_number(&self.0),
            _ => Cow::Borrowed(&self.0),
        }
    }

    /// Returns the content of a JSON string.
    pub(super) fn decoded(&self) -> Option<Cow<'_, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(&self.0).ok().map(Cow::Owned)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.canonical() == other.canonical()
    }
}

fn canonical_string(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    // Strings with lone surrogates are compared as they are.
    let decoded: Result<String, _> = serde_json::from_str(text);
    decoded.map_or(Cow::Borrowed(text), |it| Cow::Owned(serde_json::Value::from(it).to_string()))
}

/// Returns the shortest text of a number: of an f64, but integers of any length are kept.
fn canonical_number(text: &str) -> Cow<'_, str> {
    if !text.contains(['.', 'e', 'E']) {
        return Cow::Borrowed(text);
    }
    let number = match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number,
        _ => return Cow::Borrowed(text),
    };
    let is_short_integer = number.trunc() == number && number.abs() < 1e15;
    let canonical = if is_short_integer { format!("{number}") } else { format!("{number:e}") };
    if canonical == text { Cow::Borrowed(text) } else { Cow::Owned(canonical) }
}

/// The members of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    /// Sorted by key; each key once.
    members: Vec<Member>,
}

#[derive(Clone, Debug)]
struct Member {
    /// The key with its escapes, without quotes.
    key: Box<str>,
    /// The position in the text.
    rank: u32,
    value: Value,
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let is_same =
            |(one, other): (&Member, &Member)| one.key == other.key && one.value == other.value;
        self.members.len() == other.members.len()
            && self.members.iter().zip(&other.members).all(is_same)
    }
}

impl Object {
    /// Creates an object from its members in the order of the text, or `None` if a key is repeated.
    pub(super) fn new(members: Vec<(Box<str>, Value)>) -> Option<Self> {
        let ranked = members.into_iter().zip(0..);
        let ranked = ranked.map(|((key, value), rank)| Member { key, rank, value });
        let mut members: Vec<Member> = ranked.collect();
        members.sort_by(|one, other| one.key.cmp(&other.key));
        let is_repeated = members.windows(2).any(|pair| pair[0].key == pair[1].key);
        (!is_repeated).then_some(Self { members })
    }

    fn position(&self, key: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|it| (*it.key).cmp(key))
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).ok().map(|at| &self.members[at].value)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).ok().map(|at| &mut self.members[at].value)
    }

    /// Sets a member; a new one comes last.
    pub(super) fn set(&mut self, key: &str, value: Value) {
        match self.position(key) {
            Ok(at) => self.members[at].value = value,
            Err(at) => {
                let last = self.members.iter().map(|it| it.rank + 1).max();
                let member = Member { key: key.into(), rank: last.unwrap_or(0), value };
                self.members.insert(at, member);
            }
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Value> {
        self.position(key).ok().map(|at| self.members.remove(at).value)
    }

    /// Returns the members sorted by key.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.members.iter().map(|it| (&*it.key, &it.value))
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.members.iter_mut().map(|it| &mut it.value)
    }

    /// Returns the members in the order of the text.
    pub(super) fn in_text_order(&self) -> Vec<(&str, &Value)> {
        let mut members: Vec<&Member> = self.members.iter().collect();
        members.sort_by_key(|it| it.rank);
        members.into_iter().map(|it| (&*it.key, &it.value)).collect()
    }
}

impl Value {
    pub(super) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the member at a path of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |value, key| value.as_object()?.get(key))
    }

    /// Returns the number, if the value is an unsigned integer.
    pub(super) fn as_index(&self) -> Option<usize> {
        match self {
            Self::Text(text) => {
                serde_json::from_str::<crate::json::UInt>(&text.0).ok().map(|it| it.index())
            }
            _ => None,
        }
    }

    /// Returns the content of a string.
    pub(super) fn as_string(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => text.decoded(),
            _ => None,
        }
    }

    /// Returns `true` for an object or an array that is not an array of numbers.
    pub(super) fn is_container(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Array(_))
    }

    /// Calls `visit` for this value and all values in it.
    pub(super) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Array(values) => values.iter().for_each(|it| it.visit(visit)),
            Self::Object(object) => object.iter().for_each(|it| it.1.visit(visit)),
            _ => {}
        }
    }

    /// Calls `edit` for all values in this one that are neither arrays nor objects.
    pub(super) fn edit_leaves(&mut self, edit: &mut impl FnMut(&mut Self)) {
        match self {
            Self::Array(values) => values.iter_mut().for_each(|it| it.edit_leaves(edit)),
            Self::Object(object) => object.values_mut().for_each(|it| it.edit_leaves(edit)),
            leaf => edit(leaf),
        }
    }

    /// Returns the entry that the value refers to.
    pub(super) fn reference(&self) -> Option<Ref> {
        match self {
            Self::Ref(to) => Some(*to),
            Self::Pointer(pointer) => Some(pointer.to),
            _ => None,
        }
    }

    /// Returns the bytes that belong to the value.
    pub(super) fn blob(&self) -> Option<&Arc<Blob>> {
        match self {
            Self::Bytes(blob) => Some(blob),
            Self::File(file) => Some(&file.1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text(text.into())
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for (one, other) in [
            ("1", "1.0"),
            ("1", "1e0"),
            ("10", "1E+1"),
            ("0.1", "1e-1"),
            ("-0", "-0.0"),
            ("[1,2.50]", "[1.0,2.5]"),
            (r#""a\/b""#, r#""a/b""#),
            ("1e300", "1.0e300"),
        ] {
            assert_eq!(text(one), text(other));
        }
        for (one, other) in [
            ("1", "2"),
            ("0", "-0.0"),
            ("9007199254740993", "9007199254740992"),
            ("[1,2]", "[1,2,3]"),
            (r#""1""#, "1"),
            (r#""\ud800""#, r#""\ud801""#),
        ] {
            assert_ne!(text(one), text(other));
        }
    }

    #[test]
    fn objects_are_compared_without_the_order_of_members() {
        let member = |key: &str, value: &str| (key.into(), Value::Text(text(value)));
        let one = Object::new(vec![member("b", "1"), member("a", "2")]).unwrap();
        let other = Object::new(vec![member("a", "2"), member("b", "1")]).unwrap();
        assert_eq!(one, other);
        assert_eq!(one.in_text_order()[0].0, "b");
        assert!(Object::new(vec![member("a", "1"), member("a", "1")]).is_none());
    }
}
