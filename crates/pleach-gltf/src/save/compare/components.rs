//! Users' own components, in the `extras` of nodes under the name of their kind.
//!
//! A component that was loaded and removed is removed from the file; other extras are unchanged, as
//! is the text of a component that has the same value as in the file.

use pleach::NodeId;
use serde_json::Value;

use super::super::output::json_edit::JsonEdit;
use super::index_map::NodeEntry;
use crate::WarningCode;
use crate::diagnostics::Pointer;
use crate::json::{Members, value_at};
use crate::save::SaveContext;

impl SaveContext<'_> {
    /// Edits the components of a node whose types implement `Component::to_json`. `node` is the text
    /// that is edited.
    pub(super) fn edit_components(
        &mut self,
        edit: &mut JsonEdit,
        entry: &NodeEntry,
        id: NodeId,
        node: &str,
        at: &Pointer<'_>,
    ) {
        let input = self.input;
        let index_of = |node| self.index_map.index(entry.scene_index, node);
        let components = input.scenes[entry.scene_index].components_to_json(id, &index_of);
        let loaded = &input.document.components_read;
        if components.is_empty() && loaded.is_empty() {
            return;
        }
        let extras = value_at(node, "/extras");
        let is_object = extras.as_ref().is_none_or(|extras| node[extras.clone()].starts_with('{'));
        let in_file = |name: &str| {
            let mut members = Members::of(node, extras.as_ref()?);
            let member = members.find(|member| member.key() == name)?;
            serde_json::from_str::<Value>(&node[member.value]).ok()
        };
        for (name, json) in &components {
            let problem = match serde_json::from_str::<Value>(json) {
                Ok(value) if in_file(name).as_ref() == Some(&value) => continue,
                Ok(_) if is_object => {
                    edit.set_named(&["extras"], (*name).into(), json.clone());
                    continue;
                }
                Ok(_) => "the extras of the node are not an object".to_string(),
                Err(error) => format!("its text is not valid JSON: {error}"),
            };
            let message = format!("the component {name:?} was not written: {problem}");
            let at = at.key("extras");
            self.output.report.warn(&at, WarningCode::DroppedComponent, message);
        }
        let Some(file) = entry.source else { return };
        for &(_, name) in loaded.range((file as usize, "")..(file as usize + 1, "")) {
            if !components.iter().any(|(other, _)| *other == name) {
                edit.remove_named(&["extras"], name.into());
            }
        }
    }
}
