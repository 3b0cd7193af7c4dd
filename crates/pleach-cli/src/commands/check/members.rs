//! Members that glTF does not have: perhaps they are misspelt.
//!
//! The text is gone through once, and nothing of it kept. What is in extras and extensions is not
//! looked at.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::context::Survey;
use super::finding::{Findings, Rule, Severity::*};
use super::schema::{Kind, ROOT, Shape};
use super::skip_scalars::pass_plain_values;

const MISSPELT: Rule = Rule {
    severity: Warning,
    code: "misspelt-member",
    message: "a member is not of glTF, but is spelt almost like one that is: it has no effect",
    advice: "Correct its name; if it is meant so, put it into extras.",
};
const UNKNOWN: Rule = Rule {
    severity: Hint,
    code: "unknown-member",
    message: "a member is not of glTF: it is kept, and has no effect",
    advice: "Put it into extras, where anything may be.",
};

/// Names that are longer are like no other.
const LONGEST: usize = 60;

pub(super) fn look(survey: &Survey<'_>, findings: &mut Findings) {
    let mut json = serde_json::Deserializer::from_str(survey.document.json());
    let look = Look { shape: Shape::One(&ROOT), at: &Path::Root, findings };
    // It was read before; what cannot be read here says nothing.
    _ = look.deserialize(&mut json);
}

/// Where one is.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => {
                write!(f, "{above}/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

/// Looks through a value. As deep as the table of kinds is, not as the JSON.
struct Look<'a> {
    shape: Shape,
    at: &'a Path<'a>,
    findings: &'a mut Findings,
}

impl Look<'_> {
    fn tell(&mut self, kind: &Kind, key: &str) {
        if key.len() > LONGEST {
            let start: String = key.chars().take(LONGEST).collect();
            self.findings.add_note(&UNKNOWN, self.at.to_string(), format!("{start:?}…"));
            return;
        }
        let pointer = Path::Key(self.at, key).to_string();
        match nearest(key, kind.members.iter().map(|it| it.0)) {
            Some(known) => {
                let note = format!("{} has {known:?}", kind.name);
                self.findings.add_note(&MISSPELT, pointer, note);
            }
            None => self.findings.add(&UNKNOWN, pointer),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.shape {
            Shape::Plain => deserializer.deserialize_ignored_any(IgnoredAny).map(drop),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let mut shape = Shape::Plain;
            if let Shape::One(kind) = self.shape {
                match kind.members.iter().find(|it| it.0 == key) {
                    Some(member) => shape = member.1,
                    None if key == "extras" || key == "extensions" => {}
                    None => self.tell(kind, &key),
                }
            }
            let at = Path::Key(self.at, &key);
            map.next_value_seed(Look { shape, at: &at, findings: self.findings })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::List(kind) => Shape::One(kind),
            _ => Shape::Plain,
        };
        for index in 0.. {
            let at = Path::Index(self.at, index);
            let look = Look { shape, at: &at, findings: self.findings };
            if items.next_element_seed(look)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    pass_plain_values!();
}

/// The name that is almost this one: a third of its letters may be wrong, no more than two.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let far = |other: &&str| distance(name.as_bytes(), other.to_ascii_lowercase().as_bytes());
    let (distance, other) = names.map(|it| (far(&it), it)).min_by_key(|it| it.0)?;
    (distance <= 2 && distance * 3 <= other.len()).then_some(other)
}

/// How many letters are to be put in, taken out, changed or swapped with the next.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let (mut before, mut last) = (Vec::new(), (0..=other.len()).collect::<Vec<_>>());
    for (row, &letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, &wanted) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != wanted);
            let mut least = changed.min(last[column + 1] + 1).min(next[column] + 1);
            let is_swapped = row > 0
                && column > 0
                && letter == other[column - 1]
                && one[row - 1] == wanted
                && letter != wanted;
            if is_swapped {
                let swapped: usize = before[column - 1];
                least = least.min(swapped + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_are_counted() {
        let cases = [
            ("tranlsation", "translation", 1),
            ("mesh", "mesh", 0),
            ("", "skin", 4),
            ("skn", "skin", 1),
            ("meshh", "mesh", 1),
            ("colour", "color", 1),
            ("kitten", "sitting", 3),
        ];
        for (one, other, far) in cases {
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), far, "{one} {other}");
            assert_eq!(distance(other.as_bytes(), one.as_bytes()), far, "{other} {one}");
        }
    }

    #[test]
    fn only_names_that_are_almost_the_same_are_near() {
        let names = ["translation", "mesh", "uri", "texCoord"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("Translation"), Some("translation"));
        assert_eq!(near("texcoords"), Some("texCoord"));
        assert_eq!(near("url"), Some("uri"));
        assert_eq!(near("user"), None);
        assert_eq!(near("foo"), None);
    }
}
