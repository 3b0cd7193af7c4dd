//! Checks the members of all objects against the schemas: unknown, missing and invalid ones, and
//! extensions in the wrong place.
//!
//! The text is scanned; extras are skipped. The recursion is as deep as the schema, not as the
//! JSON.

use std::collections::BTreeSet;
use std::ops::Range;

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;
use super::schema::{self, ExtensionObject, ObjectKind, ROOT, Shape};
use crate::diagnostics::Pointer;
use crate::json::Members;

/// The maximum length of names to compare and print.
const MAX_NAME_LEN: usize = 60;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let text = context.document.json();
    let warnings = context.document.report().warnings();
    let reported = warnings.iter().map(|it| &*it.pointer).collect();
    Checker { text, reported, findings }.object(&ROOT, 0..text.len(), &Pointer::ROOT);
}

struct Checker<'a> {
    text: &'a str,
    /// The pointers of the loader's warnings, which need not be repeated.
    reported: BTreeSet<&'a str>,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn object(&mut self, kind: &ObjectKind, span: Range<usize>, at: &Pointer<'_>) {
        let mut found = vec![false; kind.members.len()];
        for member in Members::of(self.text, &span) {
            let key = member.key();
            match kind.members.iter().position(|it| it.key == key) {
                Some(index) => {
                    found[index] = true;
                    self.value(kind.members[index].shape, member.value, &at.key(&key));
                }
                None if key == "extras" => {}
                None if key == "extensions" => self.extensions(kind, member.value, &at.key(&key)),
                None => self.unknown(kind, &key, at),
            }
        }
        let missing = kind.members.iter().zip(found).filter(|(it, found)| it.is_required && !found);
        for (member, _) in missing {
            let note = format!("{} needs {:?}", kind.name, member.key);
            self.findings.add_note(Rule::MissingMember, at.to_string(), note);
        }
    }

    fn extensions(&mut self, kind: &ObjectKind, span: Range<usize>, at: &Pointer<'_>) {
        for member in Members::of(self.text, &span) {
            let key = member.key();
            match schema::extension(&key, kind) {
                ExtensionObject::Known(kind) => {
                    self.value(Shape::Object(kind), member.value, &at.key(&key));
                }
                ExtensionObject::Misplaced => {
                    let note = format!("{} does not have it", kind.name);
                    self.findings.add_note(
                        Rule::MisplacedExtension,
                        at.key(&key).to_string(),
                        note,
                    );
                }
                ExtensionObject::Unknown => {}
            }
        }
    }

    fn unknown(&mut self, kind: &ObjectKind, key: &str, at: &Pointer<'_>) {
        if key.len() > MAX_NAME_LEN {
            let start: String = key.chars().take(MAX_NAME_LEN).collect();
            self.findings.add_note(Rule::UnknownMember, at.to_string(), format!("{start:?}…"));
            return;
        }
        let pointer = at.key(key).to_string();
        match closest(key, kind.members.iter().map(|it| it.key)) {
            Some(known) => {
                let note = format!("{} has {known:?}", kind.name);
                self.findings.add_note(Rule::MisspeltMember, pointer, note);
            }
            None => self.findings.add(Rule::UnknownMember, pointer),
        }
    }

    fn value(&mut self, shape: Shape, span: Range<usize>, at: &Pointer<'_>) {
        match (shape, self.text[span.clone()].bytes().next()) {
            (Shape::Object(kind), Some(b'{')) => self.object(kind, span, at),
            (Shape::Array(kind), Some(b'[')) => {
                let mut count = 0;
                for (index, element) in Members::of(self.text, &span).enumerate() {
                    count += 1;
                    self.value(Shape::Object(kind), element.value, &at.index(index));
                }
                if count == 0 {
                    self.invalid(at, "it is empty");
                }
            }
            _ => {
                if let Some(fault) = self.fault(shape, span) {
                    self.invalid(at, &fault);
                }
            }
        }
    }

    fn invalid(&mut self, at: &Pointer<'_>, fault: &str) {
        let pointer = at.to_string();
        if self.findings.is_strict() || !self.reported.contains(&*pointer) {
            self.findings.add_note(Rule::InvalidMember, pointer, fault);
        }
    }

    /// Returns the fault of a value, if any.
    fn fault(&self, shape: Shape, span: Range<usize>) -> Option<String> {
        let text = &self.text[span.clone()];
        let first = text.bytes().next();
        let is_list = first == Some(b'[');
        let expected = |what: &str| Some(format!("expected {what}"));
        match shape {
            Shape::Unchecked => None,
            Shape::Bool if matches!(text, "true" | "false") => None,
            Shape::Bool => expected("true or false"),
            Shape::Text if first == Some(b'"') => None,
            Shape::Text => expected("a string"),
            Shape::Index => index_fault(text),
            Shape::Indices | Shape::Names if !is_list => expected("an array"),
            Shape::Indices => self.list_fault(span, index_fault),
            Shape::Names => self.list_fault(span, |it| match it.starts_with('"') {
                true => None,
                false => Some("expected strings".into()),
            }),
            Shape::Attributes if first != Some(b'{') => expected("an object"),
            Shape::Attributes => {
                let mut members = Members::of(self.text, &span).peekable();
                if members.peek().is_none() {
                    return Some("it is empty".into());
                }
                members.find_map(|it| index_fault(&self.text[it.value]))
            }
            Shape::UInt(min, max) => match uint(text) {
                None => expected("an integer"),
                Some(value) if value < min || value > max => match max {
                    u64::MAX => Some(format!("{value} is less than {min}")),
                    _ => Some(format!("{value} is not in the range from {min} to {max}")),
                },
                Some(_) => None,
            },
            Shape::Choice(choices) => match uint(text) {
                Some(value) if choices.contains(&value) => None,
                _ => expected(&format!("one of {choices:?}")),
            },
            Shape::Number(min, max) => number_fault(text, min, max),
            Shape::Above(min) => match number(text) {
                None => expected("a number"),
                Some(value) if value <= min => Some(format!("{value} is not greater than {min}")),
                Some(_) => None,
            },
            Shape::Numbers(..) if !is_list => expected("an array of numbers"),
            Shape::Numbers(length, min, max) => {
                let count = Members::of(self.text, &span).count();
                if count == 0 || (length != 0 && count != length) {
                    return expected(&match length {
                        0 => "at least one number".into(),
                        _ => format!("{length} numbers, not {count}"),
                    });
                }
                let mut numbers = Members::of(self.text, &span);
                numbers.find_map(|it| number_fault(&self.text[it.value], min, max))
            }
            Shape::Object(_) => expected("an object"),
            Shape::Array(_) => expected("an array of objects"),
        }
    }

    /// Returns the fault of a list of distinct values.
    fn list_fault(
        &self,
        span: Range<usize>,
        fault: impl Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let mut seen = BTreeSet::new();
        for element in Members::of(self.text, &span) {
            let text = &self.text[element.value];
            if let Some(fault) = fault(text) {
                return Some(fault);
            }
            if !seen.insert(text) {
                let short: String = text.chars().take(MAX_NAME_LEN).collect();
                return Some(format!("{short} is listed twice"));
            }
        }
        seen.is_empty().then(|| "it is empty".into())
    }
}

fn index_fault(text: &str) -> Option<String> {
    uint(text).is_none().then(|| "expected an index".into())
}

fn number_fault(text: &str, min: f64, max: f64) -> Option<String> {
    let Some(value) = number(text) else { return Some("expected a number".into()) };
    // Stored values are 32-bit floats.
    match (value as f32) < min as f32 || (value as f32) > max as f32 {
        true if max == f64::INFINITY => Some(format!("{value} is less than {min}")),
        true => Some(format!("{value} is not in the range from {min} to {max}")),
        false => None,
    }
}

/// Parses an integer, which may be written as `5.0`.
fn uint(text: &str) -> Option<u64> {
    number(text).filter(|it| *it >= 0.0 && it.fract() == 0.0).map(|it| it as u64)
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| text.starts_with(|it: char| it == '-' || it.is_ascii_digit()))
}

/// Returns the most similar name, with at most two edits and one edit per three letters.
pub(super) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let distance = |other: &str| strsim::osa_distance(&name, &other.to_ascii_lowercase());
    let (edits, other) = names.map(|it| (distance(it), it)).min_by_key(|it| it.0)?;
    (edits <= 2 && edits * 3 <= other.len()).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["translation", "mesh", "uri", "texCoord"];
        let near = |name| closest(name, names.into_iter());
        assert_eq!(near("Translation"), Some("translation"));
        assert_eq!(near("tranlsation"), Some("translation"));
        assert_eq!(near("texcoords"), Some("texCoord"));
        assert_eq!(near("url"), Some("uri"));
        assert_eq!(near("user"), None);
        assert_eq!(near("foo"), None);
    }
}
