//! `ArrayEdit`: the changes to one of the file's arrays.
//!
//! Entries are copied unchanged, edited in place, removed, or appended. The text is written at the
//! end, when all changes are known.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::json_edit::{JsonEdit, push_separator};
use crate::json::Members;

/// The changes to one array of the file.
#[derive(Debug, Default)]
pub(crate) struct ArrayEdit {
    /// The number of entries in the file.
    file_len: usize,
    changed: BTreeMap<usize, JsonEdit>,
    removed: Vec<bool>,
    added: Vec<String>,
    /// The entry that is written first.
    first: Option<FirstEntry>,
}

#[derive(Debug)]
enum FirstEntry {
    Entry(usize),
    New(String),
}

impl ArrayEdit {
    /// Creates an array without changes that has `file_len` entries in the file.
    pub(crate) fn new(file_len: usize) -> Self {
        Self { file_len, ..Self::default() }
    }

    /// Returns the number of entries, including removed ones.
    pub(crate) fn len(&self) -> usize {
        self.file_len + self.added.len()
    }

    /// Appends an entry and returns its index.
    pub(crate) fn add(&mut self, json: String) -> usize {
        self.added.push(json);
        self.len() - 1
    }

    /// Edits an entry of the file. A second edit must not contradict the first.
    pub(crate) fn edit(&mut self, index: usize, edit: JsonEdit) {
        if !edit.is_empty() {
            self.changed.entry(index).or_default().append(edit);
        }
    }

    /// Removes an entry of the file.
    pub(crate) fn remove(&mut self, index: usize) {
        self.removed.resize(self.file_len, false);
        if let Some(removed) = self.removed.get_mut(index) {
            *removed = true;
        }
    }

    /// Moves an entry of the file to the front.
    pub(crate) fn move_first(&mut self, index: usize) {
        if index > 0 {
            self.first = Some(FirstEntry::Entry(index));
        }
    }

    /// Inserts an entry at the front.
    pub(crate) fn insert_first(&mut self, json: String) {
        self.first = Some(FirstEntry::New(json));
    }

    fn is_removed(&self, index: usize) -> bool {
        self.removed.get(index).copied().unwrap_or(false)
    }

    /// Returns `true` if nothing was changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
            && self.added.is_empty()
            && self.first.is_none()
            && !self.removed.contains(&true)
    }

    /// Returns the text of an entry. `source` is its text in the file.
    fn text<'a>(&self, index: usize, source: &'a str) -> Cow<'a, str> {
        match self.changed.get(&index) {
            Some(edit) => Cow::Owned(edit.apply(source)),
            None => Cow::Borrowed(source),
        }
    }

    /// Returns the text of the array, or `None` if it has become empty, which glTF does not allow.
    /// `source` is its text in the file.
    pub(crate) fn write(&self, source: Option<&str>) -> Option<String> {
        let source = source.unwrap_or("[]");
        let span =
            source.find('[').unwrap_or(0)..source.rfind(']').map_or(source.len(), |at| at + 1);
        let entries = Members::of(source, &(0..source.len())).map(|entry| entry.value);
        self.write_entries(source, span, entries)
    }

    /// Returns the text of an array at `span` of `source` whose entries are at `entries`; see
    /// [`write`](Self::write).
    pub(crate) fn write_entries(
        &self,
        source: &str,
        span: Range<usize>,
        entries: impl Iterator<Item = Range<usize>> + Clone,
    ) -> Option<String> {
        let entries = entries.enumerate();
        let mut out = String::with_capacity(span.len() + 64);
        let (mut copied_to, mut first_lead) = (span.start + 1, None);
        let mut count = 0;
        let mut push = |out: &mut String, lead: &str, json: &str| {
            if count == 0 {
                out.push('[');
            }
            push_separator(out, lead, count == 0);
            out.push_str(json);
            count += 1;
        };
        match &self.first {
            Some(FirstEntry::New(json)) => push(&mut out, "", json),
            Some(FirstEntry::Entry(index)) => {
                if let Some(entry) = entries.clone().nth(*index) {
                    push(&mut out, "", &self.text(entry.0, &source[entry.1]));
                }
            }
            None => {}
        }
        for (index, entry) in entries {
            let lead = &source[copied_to..entry.start];
            first_lead.get_or_insert(lead);
            copied_to = entry.end;
            let was_first = matches!(self.first, Some(FirstEntry::Entry(first)) if first == index);
            if !self.is_removed(index) && !was_first {
                push(&mut out, lead, &self.text(index, &source[entry]));
            }
        }
        for json in &self.added {
            push(&mut out, first_lead.unwrap_or_default(), json);
        }
        if count == 0 {
            return None;
        }
        out.push_str(
            source
                .get(copied_to..span.end.saturating_sub(1))
                .filter(|it| it.trim_ascii().is_empty())
                .unwrap_or(""),
        );
        out.push(']');
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_an_edit_are_unchanged() {
        let source = "[\n {\"a\" : 1.0},\n {} , {\"b\":2}\n]";
        let mut array = ArrayEdit::new(3);
        assert!(array.is_unchanged());
        assert_eq!(array.write(Some(source)).unwrap(), source);
        array.remove(1);
        let mut edit = JsonEdit::new();
        edit.set(&["c"], "3");
        array.edit(2, edit);
        assert_eq!(array.add("{\"d\":4}".into()), 3);
        assert_eq!(
            array.write(Some(source)).unwrap(),
            "[\n {\"a\" : 1.0} , {\"b\":2,\"c\":3},\n {\"d\":4}\n]"
        );
        assert!(!array.is_unchanged());
    }

    #[test]
    fn an_array_that_becomes_empty_is_removed() {
        let mut array = ArrayEdit::new(1);
        array.remove(0);
        assert_eq!(array.write(Some("[{}]")), None);
        assert_eq!(ArrayEdit::new(0).write(None), None);
    }
}
