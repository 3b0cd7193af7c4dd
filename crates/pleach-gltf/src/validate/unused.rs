//! Checks for entries that nothing in the file references, references to entries that do not exist,
//! and versions.

use super::context::Context;
use super::finding::Findings;
use super::rule::Rule;
use crate::GltfArray;

/// The number of dangling references whose pointers are computed: each takes time proportional to
/// the length of the text.
const MAX_DANGLING: usize = 100;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    check_versions(context, findings);
    let references = &context.references;
    for reference in references.dangling().take(MAX_DANGLING) {
        let (array, index) = (reference.array, reference.index - reference.first);
        let note = format!("{index} of {array}");
        findings.add_note(Rule::DanglingReference, references.pointer(reference), note);
    }
    // Other references may exist.
    if references.incomplete().is_some() {
        return;
    }
    for array in GltfArray::ALL {
        // Scenes and animations are used by the viewer, variants by name, image-based lights are kept, channels by their
        // animation; nodes that no scene references are another problem.
        let Some(pointer) = array.pointer().filter(|_| !is_root(array)) else { continue };
        let mut used = vec![false; references.len(array)];
        for reference in references.all().iter().filter(|it| it.array == array) {
            if let Some(used) = used.get_mut(reference.index) {
                *used = true;
            }
        }
        for index in used.iter().enumerate().filter(|it| !it.1).map(|it| it.0) {
            findings.add(Rule::Unused, format!("{pointer}/{index}"));
        }
    }
}

fn is_root(array: GltfArray) -> bool {
    use GltfArray::{Animations, ImageBasedLights, Nodes, Scenes, Variants};
    matches!(array, Scenes | Nodes | Animations | Variants | ImageBasedLights)
}

fn check_versions(context: &Context<'_>, findings: &mut Findings) {
    let asset = &context.root.asset;
    let parse = |version: &str| -> Option<(u32, u32)> {
        let (major, minor) = version.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    for (key, version) in
        [("version", Some(&asset.version)), ("minVersion", asset.min_version.as_ref())]
    {
        if version.is_some_and(|it| parse(it).is_none()) {
            let note = "expected a version such as \"2.0\"";
            findings.add_note(Rule::InvalidMember, format!("/asset/{key}"), note);
        }
    }
    let min = asset.min_version.as_ref().and_then(|it| parse(it));
    if min.is_some_and(|min| Some(min) > parse(&asset.version)) {
        findings.add(Rule::MinVersion, "/asset/minVersion");
    }
}
