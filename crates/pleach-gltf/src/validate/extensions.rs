//! Checks for extensions that are used but not declared, declared but not used, or not supported.

use std::collections::BTreeSet;

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;
use crate::extensions::has_no_members;
use crate::json::{Members, Root};
use crate::{Support, supports};

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let root = &context.root;
    let declared: Vec<&str> = root.extensions_used.iter().map(|it| &**it).collect();
    let required: Vec<&str> = root.extensions_required.iter().map(|it| &**it).collect();
    let used = used_extensions(context.document.json());
    for (index, name) in required.iter().enumerate() {
        let pointer = format!("/extensionsRequired/{index}");
        if !declared.contains(name) {
            findings.add_note(Rule::ExtensionRequiredOnly, pointer, *name);
        }
    }
    for name in used.iter().filter(|name| !declared.contains(&&***name)) {
        findings.add_note(Rule::ExtensionUndeclared, "/extensionsUsed", name);
    }
    for (index, name) in declared.iter().enumerate() {
        let pointer = format!("/extensionsUsed/{index}");
        if supports(name) == Support::Unknown {
            findings.add_note(Rule::ExtensionUnknown, &pointer, *name);
        }
        if !used.contains(*name) && !has_no_members(name) {
            findings.add_note(Rule::ExtensionUnused, &pointer, *name);
        }
        if !required.contains(name) && must_be_required(root, name) {
            findings.add_note(Rule::ExtensionNotRequired, &pointer, *name);
        }
    }
}

/// Returns `true` if loaders without the extension cannot show the file.
fn must_be_required(root: &Root<'_>, name: &str) -> bool {
    let is_only_source = |has: fn(&crate::json::TextureExtensions) -> bool| {
        let mut textures = root.textures.iter().filter(|it| it.source.is_none());
        textures.any(|it| it.extensions.as_ref().is_some_and(has))
    };
    match name {
        "KHR_mesh_quantization" => true,
        "EXT_texture_avif" => is_only_source(|it| it.avif.is_some()),
        "EXT_texture_webp" => is_only_source(|it| it.webp.is_some()),
        "KHR_texture_basisu" => is_only_source(|it| it.basisu.is_some()),
        "KHR_draco_mesh_compression" => {
            let mut primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
            primitives.any(|primitive| {
                let is_compressed =
                    primitive.extensions.as_ref().is_some_and(|it| it.draco.is_some());
                let mut accessors = primitive.attributes.0.iter();
                is_compressed
                    && accessors.any(|(_, accessor)| {
                        let accessor = root.accessors.get(accessor.index());
                        accessor.is_some_and(|it| it.buffer_view.is_none() && it.sparse.is_none())
                    })
            })
        }
        _ => false,
    }
}

/// Returns the keys of all `extensions` objects outside of extras. Nothing recurses.
fn used_extensions(text: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut stack = vec![(Members::of(text, &(0..text.len())), false)];
    while let Some((members, is_extensions)) = stack.last_mut() {
        let Some(member) = members.next() else {
            stack.pop();
            continue;
        };
        let key = member.key();
        if key == "extras" {
            continue;
        }
        if *is_extensions {
            used.insert(key.to_string());
        }
        if text[member.value.clone()].starts_with(['{', '[']) {
            stack.push((Members::of(text, &member.value), key == "extensions"));
        }
    }
    used
}
