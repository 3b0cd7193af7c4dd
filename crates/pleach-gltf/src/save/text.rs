//! The text of a file on its way out: the root's members, changed where arrays changed.

use super::array::Array;
use super::patch::{Patch, list, quoted};
use super::sheet::Sheet;
use crate::json::{Text, value_at};

/// The file's text with all changes; the same text if there are none.
pub(crate) fn text(source: &str, sheet: &Sheet<'_>, scene: Option<usize>) -> String {
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
    let members = |path: &[&'static str], array: &Array, patch: &mut Patch| {
        if !array.is_unchanged() {
            let pointer: String = path.iter().map(|step| format!("/{step}")).collect();
            let was = value_at(source, &pointer).map(|span| &source[span]);
            patch.set(path, array.write(was));
        }
    };
    for (name, array) in arrays {
        members(&[name], array, &mut patch);
    }
    members(&["extensions", "KHR_lights_punctual", "lights"], &sheet.lights, &mut patch);
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
    if patch.is_empty() { source.into() } else { with_margins(source, &patch) }
}

/// Changes an object, and leaves what surrounds it.
fn with_margins(source: &str, patch: &Patch) -> String {
    let start = source.len() - source.trim_ascii_start().len();
    let end = source.trim_ascii_end().len();
    format!("{}{}{}", &source[..start], patch.apply(&source[start..end]), &source[end..])
}
