//! The JSON text of the output: the members of the root, edited where arrays changed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::array_edit::ArrayEdit;
use super::json_edit::{JsonEdit, json_array, quoted};
use super::output_document::OutputDocument;
use crate::json::{Text, value_at};

/// Returns the file's text with all changes, or the same text if there are none.
pub(crate) fn json_text<'a>(
    source: &'a str,
    output: &OutputDocument<'_>,
    scene: Option<usize>,
) -> Cow<'a, str> {
    let mut edit = JsonEdit::new();
    let arrays: [(&'static str, &ArrayEdit); 13] = [
        ("scenes", &output.scenes),
        ("nodes", &output.nodes),
        ("meshes", &output.meshes),
        ("skins", &output.skins),
        ("cameras", &output.cameras),
        ("animations", &output.animations),
        ("materials", &output.materials),
        ("textures", &output.textures),
        ("images", &output.images),
        ("samplers", &output.samplers),
        ("accessors", &output.accessors),
        ("bufferViews", &output.views),
        ("buffers", &output.buffers),
    ];
    let outline = &output.root.outline;
    let span_of = |name: &str| {
        let member = outline.members.iter().find(|member| member.raw_key == name)?;
        Some(member.value.clone())
    };
    for (name, array) in arrays.into_iter().filter(|(_, array)| !array.is_unchanged()) {
        let json = match span_of(name) {
            Some(span) if name == "nodes" && !outline.nodes.is_empty() => {
                array.write_entries(source, span, outline.nodes.iter().cloned())
            }
            span => array.write(span.map(|span| &source[span])),
        };
        edit.set_or_remove(&[name], json);
    }
    if !output.lights.is_unchanged() {
        let was = value_at(source, "/extensions/KHR_lights_punctual/lights");
        let json = output.lights.write(was.map(|span| &source[span]));
        edit.set_or_remove(&["extensions", "KHR_lights_punctual", "lights"], json);
    }
    if scene != output.root.scene.map(|it| it.index()) {
        edit.set_or_remove(&["scene"], scene.map(|scene| scene.to_string()));
    }
    let mut names = |key: &'static str, have: &[Text<'_>], more: BTreeSet<&str>| {
        let is_new = |name: &&str| !have.iter().any(|it| **it == **name);
        let new: Vec<&str> = more.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            let all = have.iter().map(|it| &**it).chain(new);
            edit.set(&[key], json_array(all.map(quoted)));
        }
    };
    let root = output.root;
    let required = output.required.iter().copied();
    let of_clones = output.used_by_clones.iter().map(|it| &**it);
    let used = output.used.iter().copied().chain(required.clone()).chain(of_clones);
    names("extensionsUsed", &root.extensions_used, used.collect());
    names("extensionsRequired", &root.extensions_required, required.collect());
    if edit.is_empty() {
        return Cow::Borrowed(source);
    }
    // White space around the object stays.
    let start = source.len() - source.trim_ascii_start().len();
    let end = source.trim_ascii_end().len();
    let object = edit.apply_to(source, &outline.members);
    if (start, end) == (0, source.len()) {
        return Cow::Owned(object);
    }
    Cow::Owned([&source[..start], &*object, &source[end..]].concat())
}
