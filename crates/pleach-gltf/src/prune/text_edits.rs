//! `TextEdits`: replaced and removed ranges of a text. Everything else is copied unchanged.

use std::ops::Range;

/// Changes to a text.
#[derive(Debug, Default)]
pub(super) struct TextEdits {
    /// The ranges, and their new text.
    edits: Vec<(Range<usize>, String)>,
}

impl TextEdits {
    /// Replaces the text at `span` by `new`.
    pub(super) fn replace(&mut self, span: Range<usize>, new: impl Into<String>) {
        self.edits.push((span, new.into()));
    }

    /// Removes entries of an array, or members of an object, with the commas between them. `spans`
    /// are all entries, or all members from their keys; at least one must be kept.
    pub(super) fn remove(&mut self, spans: &[Range<usize>], is_kept: impl Fn(usize) -> bool) {
        let mut has_kept = false;
        for (index, span) in spans.iter().enumerate() {
            if is_kept(index) {
                has_kept = true;
                continue;
            }
            // The comma before it is removed, or the comma after it if it is the first.
            let removed = match (has_kept, spans.get(index + 1)) {
                (true, _) => spans[index - 1].end..span.end,
                (false, Some(next)) => span.start..next.start,
                (false, None) => span.clone(),
            };
            self.replace(removed, "");
        }
    }

    /// Returns the text with all changes. Of overlapping changes the one that starts first applies,
    /// or the longest of those: changes inside of a removed range have no effect.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.edits.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, new) in &self.edits {
            if span.start < at {
                continue;
            }
            out.push_str(&text[at..span.start]);
            out.push_str(new);
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Members;

    fn without(text: &str, removed: &[usize]) -> String {
        let spans: Vec<_> =
            Members::of(text, &(0..text.len())).map(|it| it.start..it.value.end).collect();
        let mut edits = TextEdits::default();
        edits.remove(&spans, |index| !removed.contains(&index));
        edits.apply(text)
    }

    #[test]
    fn commas_are_removed_with_their_entries() {
        let array = "[ 1,\n  {\"a\": 2} , 3 ]";
        assert_eq!(without(array, &[]), array);
        assert_eq!(without(array, &[0]), "[ {\"a\": 2} , 3 ]");
        assert_eq!(without(array, &[1]), "[ 1 , 3 ]");
        assert_eq!(without(array, &[2]), "[ 1,\n  {\"a\": 2} ]");
        assert_eq!(without(array, &[0, 1]), "[ 3 ]");
        assert_eq!(without(array, &[1, 2]), "[ 1 ]");
        assert_eq!(without(array, &[0, 2]), "[ {\"a\": 2} ]");
        assert_eq!(without("{\"a\" : 1, \"b\": [2]}", &[0]), "{\"b\": [2]}");
    }

    #[test]
    fn edits_inside_of_a_removed_range_have_no_effect() {
        let mut edits = TextEdits::default();
        edits.replace(2..3, "x");
        edits.replace(1..5, "");
        edits.replace(5..6, "y");
        assert_eq!(edits.apply("abcdefg"), "ayg");
    }
}
