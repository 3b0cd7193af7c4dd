//! `Survey`: where in the text of a file the entries of its lists are, and what they name.
//!
//! Invariant: every number of an entry that glTF, or an extension that the file uses, has
//! anywhere is listed with its span; where that cannot be promised, there is no survey.

use std::collections::BTreeSet;
use std::ops::Range;

use super::list::{ByList, GltfArray};
use super::rules::{self, Place};
use crate::json::{Members, Text, UInt};

type Span = Range<usize>;

/// glTF is not nested deeper, beside extras.
const DEEPEST: usize = 12;

/// A file's text, taken down.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    pub(super) text: &'a str,
    pub(super) entries: ByList<Vec<Entry>>,
    /// The arrays in which they are.
    pub(super) arrays: Vec<Array>,
    /// What entries name, in the order of the text.
    pub(super) names: Vec<Name>,
    /// Extensions that entries have: which entry, and where the extension's key is.
    pub(super) extensions: Vec<(GltfArray, usize, &'a str)>,
}

/// An entry of a list.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) span: Span,
    /// Which of the survey's names are in it.
    pub(super) names: Span,
}

/// An array of entries.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) list: GltfArray,
    /// Which entries of the list they are: all, but for channels and curves.
    pub(super) entries: Span,
    pub(super) span: Span,
}

/// A value that names an entry.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// Where the value is.
    pub(super) span: Span,
    pub(super) list: GltfArray,
    pub(super) index: usize,
    /// The entries are numbered from this one on.
    pub(super) first: usize,
    /// Is it a JSON pointer, rather than a number?
    pub(super) is_pointer: bool,
}

impl<'a> Survey<'a> {
    /// Takes down a text that was parsed before; or tells why that cannot be done.
    pub(super) fn of(text: &'a str) -> Result<Self, String> {
        let mut survey = Self { text, ..Self::default() };
        for member in Members::of(text, &(0..text.len())) {
            plain(member.raw_key)?;
            match GltfArray::of_root(member.raw_key) {
                Some(list) => survey.list(list, member.value)?,
                None if member.raw_key == "extensions" => survey.root_extensions(member.value)?,
                None if member.raw_key == "asset" => survey.asset(member.value)?,
                None => {}
            }
        }
        survey.check()?;
        Ok(survey)
    }

    /// The names in an entry.
    pub(super) fn names_of(&self, list: GltfArray, index: usize) -> &[Name] {
        &self.names[self.entries[list][index].names.clone()]
    }

    fn list(&mut self, list: GltfArray, span: Span) -> Result<(), String> {
        let first = self.entries[list].len();
        for entry in Members::of(self.text, &span) {
            let start = self.names.len();
            let index = self.entries[list].len();
            self.entries[list].push(Entry { span: entry.value.clone(), names: start..start });
            self.walk(list, index, entry.value)?;
            self.entries[list][index].names.end = self.names.len();
        }
        self.arrays.push(Array { list, entries: first..self.entries[list].len(), span });
        Ok(())
    }

    /// Looks through an entry, with a stack of its own.
    fn walk(&mut self, list: GltfArray, index: usize, span: Span) -> Result<(), String> {
        let text = self.text;
        let first_curve = self.entries[GltfArray::AnimationSamplers].len();
        let mut path: Vec<&'a str> = Vec::new();
        let mut open = vec![Open { members: Members::of(text, &span), inner: None }];
        while let Some(top) = open.last_mut() {
            let Some(member) = top.members.next() else {
                let closed = open.pop();
                path.pop();
                if let Some((list, index)) = closed.and_then(|it| it.inner) {
                    self.entries[list][index].names.end = self.names.len();
                }
                continue;
            };
            let is_element = member.start == member.value.start;
            let key = if is_element { "*" } else { member.raw_key };
            plain(key)?;
            if key == "extras" {
                continue;
            }
            path.push(key);
            let value = &text[member.value.clone()];
            let is_nested = value.starts_with(['{', '[']);
            if let [.., "extensions", name] = path[..]
                && !is_element
            {
                if !rules::is_known(Some(list), name) {
                    return Err(unknown(name, list));
                }
                let (list, index) =
                    open.iter().rev().find_map(|it| it.inner).unwrap_or((list, index));
                self.extensions.push((list, index, name));
                if name == "KHR_xmp_json_ld" {
                    path.pop();
                    continue;
                }
            }
            if let Some(place) = rules::place(list, &path) {
                self.name(place, member.value.clone(), first_curve)?;
            }
            if !is_nested || path.len() > DEEPEST {
                path.pop();
                continue;
            }
            let inner = self.inner(list, &path, member.value.clone());
            open.push(Open { members: Members::of(text, &member.value), inner });
        }
        Ok(())
    }

    /// Channels and curves are entries inside of an animation.
    fn inner(&mut self, list: GltfArray, path: &[&str], span: Span) -> Option<(GltfArray, usize)> {
        let inner = match (list, path) {
            (GltfArray::Animations, ["channels", ..]) => GltfArray::AnimationChannels,
            (GltfArray::Animations, ["samplers", ..]) => GltfArray::AnimationSamplers,
            _ => return None,
        };
        match path {
            [_] => {
                let first = self.entries[inner].len();
                let count = Members::of(self.text, &span).count();
                self.arrays.push(Array { list: inner, entries: first..first + count, span });
                None
            }
            [_, "*"] => {
                let start = self.names.len();
                self.entries[inner].push(Entry { span, names: start..start });
                Some((inner, self.entries[inner].len() - 1))
            }
            _ => None,
        }
    }

    fn name(&mut self, place: Place, span: Span, first_curve: usize) -> Result<(), String> {
        let value = &self.text[span.clone()];
        let fault = || format!("{value} names nothing that is known here");
        let number = |value: &str| serde_json::from_str::<UInt>(value).map(UInt::index).ok();
        let name = match place {
            Place::Number(list) => {
                let index = number(value).ok_or_else(fault)?;
                Name { span, list, index, first: 0, is_pointer: false }
            }
            Place::Curve => {
                let index = number(value).and_then(|it| it.checked_add(first_curve));
                let index = index.ok_or_else(fault)?;
                Name {
                    span,
                    list: GltfArray::AnimationSamplers,
                    index,
                    first: first_curve,
                    is_pointer: false,
                }
            }
            Place::Pointer => {
                let pointer = serde_json::from_str::<Text<'_>>(value).map_err(|_| fault())?;
                let (list, index, _) = rules::pointed(&pointer).ok_or_else(fault)?;
                Name { span, list, index, first: 0, is_pointer: true }
            }
        };
        self.names.push(name);
        Ok(())
    }

    fn root_extensions(&mut self, span: Span) -> Result<(), String> {
        for member in Members::of(self.text, &span) {
            plain(member.raw_key)?;
            if !rules::is_known(None, member.raw_key) {
                return Err(format!("the extension {:?} may name anything", member.raw_key));
            }
            if member.raw_key == "KHR_lights_punctual" {
                let mut members = Members::of(self.text, &member.value);
                if let Some(lights) = members.find(|it| it.raw_key == "lights") {
                    self.list(GltfArray::Lights, lights.value)?;
                }
            }
        }
        Ok(())
    }

    fn asset(&self, span: Span) -> Result<(), String> {
        let mut members = Members::of(self.text, &span);
        let Some(extensions) = members.find(|it| it.raw_key == "extensions") else { return Ok(()) };
        let known = |name: &str| rules::is_known(None, name);
        match Members::of(self.text, &extensions.value).find(|it| !known(it.raw_key)) {
            Some(member) => Err(format!("the extension {:?} may name anything", member.raw_key)),
            None => Ok(()),
        }
    }

    /// What is named is there. (The loader looks at what it knows, which is not all.)
    fn check(&self) -> Result<(), String> {
        match self.names.iter().find(|name| name.index >= self.entries[name.list].len()) {
            Some(name) => {
                let Name { list, index, .. } = name;
                let have = self.entries[*list].len();
                Err(format!("{index} of {list} is named somewhere, but there are {have}"))
            }
            None => Ok(()),
        }
    }

    /// The names of all extensions that entries have.
    pub(super) fn extension_names(&self) -> BTreeSet<&'a str> {
        self.extensions.iter().map(|it| it.2).collect()
    }
}

/// A value that is being looked through.
struct Open<'a> {
    members: Members<'a>,
    /// The channel or curve that it is.
    inner: Option<(GltfArray, usize)>,
}

/// Keys are compared as they stand, so none may have escapes.
fn plain(key: &str) -> Result<(), String> {
    match key.contains('\\') {
        true => Err(format!("the key {key:?} has escapes")),
        false => Ok(()),
    }
}

fn unknown(extension: &str, list: GltfArray) -> String {
    format!("the extension {extension:?} in {list} may name anything")
}
