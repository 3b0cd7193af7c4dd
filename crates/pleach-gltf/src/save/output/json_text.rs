//! The text of a file on its way out: the root's members, changed where arrays changed.

use std::borrow::Cow;

use super::array_edit::Array;
use super::json_edit::{Patch, list, quoted};
use super::output_document::Sheet;
use crate::json::{Text, value_at};

/// The file's text with all changes; the same text if there are none.
pub(crate) fn text<'a>(source: &'a str, sheet: &Sheet<'_>, scene: Option<usize>) -> Cow<'a, str> {
    let mut patch = Patch::new();
    let arrays: [(&'static str, &Array); 13] = [
        ("scenes", &sheet.scenes),
        ("nodes", &sheet.nodes),
        ("meshes", &sheet.meshes),
        ("skins", &sheet.skins),
        ("cameras", &sheet.cameras),
        ("animations", &sheet.animations),
        ("materials", &sheet.materials),
        ("textures", &sheet.textures),
        ("images", &sheet.images),
        ("samplers", &sheet.samplers),
        ("accessors", &sheet.accessors),
        ("bufferViews", &sheet.views),
        ("buffers", &sheet.buffers),
    ];
    let outline = &sheet.root.outline;
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
        patch.set(&[name], json);
    }
    if !sheet.lights.is_unchanged() {
        let was = value_at(source, "/extensions/KHR_lights_punctual/lights");
        let json = sheet.lights.write(was.map(|span| &source[span]));
        patch.set(&["extensions", "KHR_lights_punctual", "lights"], json);
    }
    if scene != sheet.root.scene.map(|it| it.index()) {
        patch.set(&["scene"], scene.map(|scene| scene.to_string()));
    }
    let mut names =
        |key: &'static str, have: &[Text<'_>], more: &mut dyn Iterator<Item = &&'static str>| {
            let new: Vec<&str> =
                more.filter(|name| !have.iter().any(|it| **it == ***name)).copied().collect();
            if !new.is_empty() {
                let all = have.iter().map(|it| &**it).chain(new);
                patch.put(&[key], list(all.map(quoted)));
            }
        };
    let root = sheet.root;
    names("extensionsUsed", &root.extensions_used, &mut sheet.used.iter().chain(&sheet.required));
    names("extensionsRequired", &root.extensions_required, &mut sheet.required.iter());
    if patch.is_empty() {
        return Cow::Borrowed(source);
    }
    // What surrounds the object stays.
    let start = source.len() - source.trim_ascii_start().len();
    let end = source.trim_ascii_end().len();
    let object = patch.apply_to(source, &outline.members);
    if (start, end) == (0, source.len()) {
        return Cow::Owned(object);
    }
    Cow::Owned([&source[..start], &*object, &source[end..]].concat())
}
