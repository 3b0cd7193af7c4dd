//! Clones of a file's nodes: new nodes that have the extras and unknown extensions of the node that
//! they were cloned from, of the same file or another one.
//!
//! The text is copied unchanged. An extension that is not loaded may refer to entries by index. It is
//! copied only if the indices still mean the same entries, or if nothing in it can be an index.

use std::borrow::Cow;

use pleach::NodeId;

use super::super::output::json_edit::JsonEdit;
use super::index_map::NodeEntry;
use crate::WarningCode;
use crate::diagnostics::Pointer;
use crate::document::node_text::{NodeText, is_kept};
use crate::json::Members;
use crate::save::SaveContext;

impl SaveContext<'_> {
    /// Returns the object that a new node is written into: empty, or with the extras and unknown
    /// extensions of the file's node that it was cloned from.
    pub(super) fn new_node_text(&mut self, entry: &NodeEntry, id: NodeId) -> Cow<'static, str> {
        let scene = self.input.scenes[entry.scene_index];
        let Some(source) = scene.get::<NodeText>(id) else { return "{}".into() };
        let node = source.get();
        let keeps_indices = source.is_part_of(self.input.text) && !self.index_map.has_removed_nodes;
        let mut edit = JsonEdit::new();
        for member in Members::of(node, &(0..node.len())) {
            match &*member.key() {
                "extras" => {
                    let extras = &node[member.value];
                    if let Some(extras) = without_members(extras, &source.components) {
                        edit.set(&["extras"], extras);
                    }
                }
                "extensions" => {
                    for extension in Members::of(node, &member.value) {
                        let name = extension.key().into_owned();
                        let json = &node[extension.value];
                        if !is_kept(&name) {
                            continue;
                        }
                        if keeps_indices || !may_have_references(json) {
                            self.output.used_by_clones.insert(name.clone());
                            edit.set_named(&["extensions"], name, json.into());
                        } else {
                            self.warn_dropped_extension(entry, &name);
                        }
                    }
                }
                _ => {}
            }
        }
        edit.to_object().into()
    }

    fn warn_dropped_extension(&mut self, entry: &NodeEntry, name: &str) {
        let at = Pointer::entry("nodes", entry.index);
        let at = at.key("extensions");
        let message = format!(
            "the extension {name:?} of the node that this one was cloned from was not written: it \
             may refer to entries of its file by index"
        );
        self.output.report.warn(&at.key(name), WarningCode::DroppedExtension, message);
    }
}

/// Returns the text of extras without the members of these names, or `None` if no others are left.
fn without_members(extras: &str, names: &[&'static str]) -> Option<String> {
    if names.is_empty() {
        return Some(extras.into());
    }
    let mut edit = JsonEdit::new();
    for &name in names {
        edit.remove(&[name]);
    }
    let rest = edit.apply(extras);
    Members::of(&rest, &(0..rest.len())).next().is_some().then_some(rest)
}

/// Returns `true` if a value may refer to an entry of its file: it contains a number that may be an
/// index, or a string that may be a JSON pointer.
fn may_have_references(json: &str) -> bool {
    let all = 0..json.len();
    let mut stack = vec![all];
    while let Some(span) = stack.pop() {
        let value = &json[span.clone()];
        let is_reference = match value.as_bytes().first() {
            Some(b'{' | b'[') => {
                stack.extend(Members::of(json, &span).map(|it| it.value));
                false
            }
            // `2.0` is accepted as an index.
            Some(b'0'..=b'9') => value.parse().is_ok_and(|it: f64| it.fract() == 0.0),
            // The slash may be escaped.
            Some(b'"') => value[1..].starts_with(['/', '\\']),
            _ => false,
        };
        if is_reference {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_json_pointers_may_be_references() {
        for (json, expected) in [
            ("{}", false),
            ("{\"a\": [true, null, \"3\", 0.5, -1, {\"b\": \"x/y\"}]}", false),
            ("[1e-3]", false),
            ("3", true),
            ("{\"a\": [ {\"b\": 0 } ]}", true),
            ("[2.0]", true),
            ("[20e-1]", true),
            ("[\"/nodes/1\"]", true),
            ("[\"\\u002fnodes/1\"]", true),
        ] {
            assert_eq!(may_have_references(json), expected, "{json}");
        }
    }
}
