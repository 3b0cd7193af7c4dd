//! Checks for members that glTF does not define, which may be misspelt.
//!
//! The text is parsed once without keeping values. Extras and extensions are skipped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::context::Context;
use super::finding::{Findings, Rule, Severity::*};
use super::schema::{MemberShape, ObjectKind, ROOT};
use super::skip_scalars::skip_scalar_values;

const MISSPELT: Rule = Rule {
    severity: Warning,
    code: "misspelt-member",
    message: "a member is not part of glTF but similar to one that is: it has no effect",
    advice: "Correct its name, or move it into extras.",
};
const UNKNOWN: Rule = Rule {
    severity: Hint,
    code: "unknown-member",
    message: "a member is not part of glTF: it is preserved but has no effect",
    advice: "Move it into extras.",
};

/// The maximum length of names to compare and print.
const MAX_NAME_LEN: usize = 60;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut json = serde_json::Deserializer::from_str(context.document.json());
    let visitor = MemberVisitor { shape: MemberShape::Object(&ROOT), path: &Path::Root, findings };
    // The loader has parsed the JSON; errors here are ignored.
    _ = visitor.deserialize(&mut json);
}

/// The path of a value.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(parent, key) => {
                write!(f, "{parent}/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Self::Index(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// A visitor of a value. The recursion is as deep as the schema, not as the JSON.
struct MemberVisitor<'a> {
    shape: MemberShape,
    path: &'a Path<'a>,
    findings: &'a mut Findings,
}

impl MemberVisitor<'_> {
    fn report(&mut self, kind: &ObjectKind, key: &str) {
        if key.len() > MAX_NAME_LEN {
            let start: String = key.chars().take(MAX_NAME_LEN).collect();
            self.findings.add_note(&UNKNOWN, self.path.to_string(), format!("{start:?}…"));
            return;
        }
        let pointer = Path::Key(self.path, key).to_string();
        match closest(key, kind.members.iter().map(|it| it.0)) {
            Some(known) => {
                let note = format!("{} has {known:?}", kind.name);
                self.findings.add_note(&MISSPELT, pointer, note);
            }
            None => self.findings.add(&UNKNOWN, pointer),
        }
    }
}

impl<'de> DeserializeSeed<'de> for MemberVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.shape {
            MemberShape::Scalar => deserializer.deserialize_ignored_any(IgnoredAny).map(drop),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for MemberVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let mut shape = MemberShape::Scalar;
            if let MemberShape::Object(kind) = self.shape {
                match kind.members.iter().find(|it| it.0 == key) {
                    Some(member) => shape = member.1,
                    None if key == "extras" || key == "extensions" => {}
                    None => self.report(kind, &key),
                }
            }
            let path = Path::Key(self.path, &key);
            map.next_value_seed(MemberVisitor { shape, path: &path, findings: self.findings })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            MemberShape::Array(kind) => MemberShape::Object(kind),
            _ => MemberShape::Scalar,
        };
        for index in 0.. {
            let path = Path::Index(self.path, index);
            let visitor = MemberVisitor { shape, path: &path, findings: self.findings };
            if items.next_element_seed(visitor)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    skip_scalar_values!();
}

/// Returns the most similar name, with at most two edits and one edit per three letters.
pub(super) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let distance =
        |other: &&str| edits_between(name.as_bytes(), other.to_ascii_lowercase().as_bytes());
    let (edits, other) = names.map(|it| (distance(&it), it)).min_by_key(|it| it.0)?;
    (edits <= 2 && edits * 3 <= other.len()).then_some(other)
}

/// Returns the number of insertions, deletions, substitutions and transpositions between two names.
fn edits_between(one: &[u8], other: &[u8]) -> usize {
    let (mut before, mut last) = (Vec::new(), (0..=other.len()).collect::<Vec<_>>());
    for (row, &letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, &wanted) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != wanted);
            let mut min = changed.min(last[column + 1] + 1).min(next[column] + 1);
            let is_swapped = row > 0
                && column > 0
                && letter == other[column - 1]
                && one[row - 1] == wanted
                && letter != wanted;
            if is_swapped {
                let swapped: usize = before[column - 1];
                min = min.min(swapped + 1);
            }
            next.push(min);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_in_both_directions() {
        let cases = [
            ("tranlsation", "translation", 1),
            ("mesh", "mesh", 0),
            ("", "skin", 4),
            ("skn", "skin", 1),
            ("meshh", "mesh", 1),
            ("colour", "color", 1),
            ("kitten", "sitting", 3),
        ];
        for (one, other, distance) in cases {
            assert_eq!(edits_between(one.as_bytes(), other.as_bytes()), distance, "{one} {other}");
            assert_eq!(edits_between(other.as_bytes(), one.as_bytes()), distance, "{other} {one}");
        }
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["translation", "mesh", "uri", "texCoord"];
        let near = |name| closest(name, names.into_iter());
        assert_eq!(near("Translation"), Some("translation"));
        assert_eq!(near("texcoords"), Some("texCoord"));
        assert_eq!(near("url"), Some("uri"));
        assert_eq!(near("user"), None);
        assert_eq!(near("foo"), None);
    }
}
