//! `NodeText`: the text of a file's node, for clones of the node.
//!
//! Scenes have no extras and no unknown extensions; a document keeps these in the text of its file.
//! A clone is not a node of the file, so saving finds them in this component, which is cloned with
//! the node (`save/compare/cloned_node.rs`). Only nodes with extras, or with extensions that are not
//! loaded, have it.
//!
//! Invariant: the text is that of a node in a file that was loaded.

use std::ops::Range;
use std::sync::Arc;

use pleach::Component;

use crate::json::{Members, Root};
use crate::{Bytes, Support, supports};

/// The text of a file's node. It shares the memory of the file.
#[derive(Clone, Debug)]
pub(crate) struct NodeText {
    text: Bytes,
    /// The names of the users' own components that were read from the extras.
    pub(crate) components: Arc<[&'static str]>,
}

/// Not saved as a user's own component: `to_json` returns `None`.
impl Component for NodeText {
    const NAME: &'static str = "text of a glTF node";
}

impl PartialEq for NodeText {
    fn eq(&self, other: &Self) -> bool {
        *self.text == *other.text && self.components == other.components
    }
}

impl NodeText {
    pub(crate) fn new(text: Bytes, components: Arc<[&'static str]>) -> Self {
        Self { text, components }
    }

    /// Returns the text.
    pub(crate) fn get(&self) -> &str {
        // It is valid UTF-8, unless the owner of the bytes returns others than before.
        std::str::from_utf8(&self.text).unwrap_or("{}")
    }

    /// Returns `true` if the text is a part of `json`, at the same place in memory.
    pub(crate) fn is_part_of(&self, json: &str) -> bool {
        json.as_bytes().as_ptr_range().contains(&self.text.as_ptr())
    }
}

/// Returns `true` if scenes do not have an extension of nodes, so that its text is kept.
pub(crate) fn is_kept(extension: &str) -> bool {
    supports(extension) != Support::Loaded
}

/// Returns the nodes of a file that have extras, or extensions that are not loaded: the index and
/// the span of each, in order.
pub(crate) fn nodes_with_kept_members(root: &Root<'_>, text: &str) -> Vec<(usize, Range<usize>)> {
    let has_kept_members = |span: &Range<usize>| {
        Members::of(text, span).any(|member| match &*member.key() {
            "extras" => true,
            "extensions" => Members::of(text, &member.value).any(|it| is_kept(&it.key())),
            _ => false,
        })
    };
    let nodes = root.nodes.iter().zip(&root.outline.nodes).enumerate();
    let nodes = nodes.filter(|(_, (node, span))| node.is_parsed_by_serde && has_kept_members(span));
    nodes.map(|(index, (_, span))| (index, span.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nodes_with_extras_or_unknown_extensions_are_listed() {
        let text = r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "extras"}, {"weights": [1]},
            {"extensions": {"KHR_node_visibility": {"extras": 1}}}, {"extr\u0061s": 1},
            {"extensions": {"KHR_node_visibility": {}, "X": {}}}, {"extras": null}]}"#;
        let root = Root::from_json(text).unwrap();
        let listed = nodes_with_kept_members(&root, text);
        let indices: Vec<usize> = listed.iter().map(|it| it.0).collect();
        assert_eq!(indices, [3, 4, 5]);
        assert_eq!(&text[listed[2].1.clone()], r#"{"extras": null}"#);
    }
}
