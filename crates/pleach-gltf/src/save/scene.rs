//! Scenes on their way out: their names and roots, and what glTF has no word for.

use pleach::{Environment, Light, Mesh, Scene};

use super::Writing;
use super::lens::bare_light;
use super::numbers::Numbers;
use super::patch::{Patch, indices, quoted};
use super::sheet::Sheet;
use crate::WarningCode;
use crate::diagnostics::Pointer;

/// Writes all scenes.
pub(crate) fn scenes(writing: &Writing<'_>, numbers: &Numbers, sheet: &mut Sheet<'_>) {
    for (tree, roots) in numbers.roots.iter().enumerate() {
        let scene = writing.trees[tree];
        let was = writing.root.scenes.get(tree);
        let mut patch = Patch::new();
        let name = was.and_then(|was| was.name.as_deref()).unwrap_or_default();
        if scene.name != name {
            let name = Some(&*scene.name).filter(|name| !name.is_empty());
            patch.set(&["name"], name.map(quoted));
        }
        let before = was.map_or(&[][..], |was| &was.nodes);
        if !roots.iter().copied().eq(before.iter().map(|node| node.index())) {
            let list = (!roots.is_empty()).then(|| indices(roots.iter().copied()));
            patch.set(&["nodes"], list);
        }
        match was {
            Some(_) => sheet.scenes.patch(tree, patch),
            None => _ = sheet.scenes.add(patch.object()),
        }
        unsaid(scene, sheet, &Pointer::entry("scenes", tree));
    }
}

/// Warns of what a file cannot hold.
fn unsaid(scene: &Scene, sheet: &mut Sheet<'_>, at: &Pointer<'_>) {
    let usual = Mesh::from_parts(Vec::new());
    let is_odd = |mesh: &Mesh| {
        mesh.cast_shadow != usual.cast_shadow
            || mesh.receive_shadow != usual.receive_shadow
            || mesh.transparent != usual.transparent
            || mesh.is_static != usual.is_static
            || mesh.frustum_culled != usual.frustum_culled
            || mesh.layers != usual.layers
    };
    let meshes = scene.meshes.iter(&scene.graph).filter(|(_, mesh)| is_odd(mesh)).count();
    let mut lost = Vec::new();
    if meshes > 0 {
        lost.push(format!("shadows, layers and hints of {meshes} meshes"));
    }
    let all = u32::MAX;
    let cameras = scene.cameras.iter(&scene.graph).filter(|(_, it)| it.layers != all).count();
    if cameras > 0 {
        lost.push(format!("layers of {cameras} cameras"));
    }
    let is_odd = |light: &Light| light.layers != all || bare_light(light) != *light;
    let lights = scene.lights.iter(&scene.graph).filter(|(_, light)| is_odd(light)).count();
    if lights > 0 {
        lost.push(format!("layers and shadows of {lights} lights"));
    }
    if scene.lods.iter(&scene.graph).next().is_some() {
        lost.push("levels of detail".into());
    }
    if scene.graph.by_depth().any(|node| scene.constraints.get(&scene.graph, node).is_some()) {
        lost.push("constraints".into());
    }
    if scene.environment != Environment::default() {
        lost.push("its environment".into());
    }
    if !lost.is_empty() {
        let message = format!("glTF has no word for {}; they are left out", lost.join(", "));
        sheet.report.warn(at, WarningCode::DroppedSceneData, message);
    }
}
