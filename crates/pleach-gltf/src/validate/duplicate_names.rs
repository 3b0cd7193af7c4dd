//! Checks for nodes of a scene with the same name.

use std::collections::BTreeMap;

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut first: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for node in &context.nodes {
        let name = node.scene.graph.get(node.id).and_then(|view| view.name());
        let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
        let earlier = *first.entry((node.number, name)).or_insert(node.index);
        if earlier != node.index {
            let name: String = name.chars().take(60).collect();
            findings.add_note(
                Rule::DuplicateName,
                node.pointer(),
                format!("{name:?}, same as #{earlier}"),
            );
        }
    }
}
