//! Scenes: names and roots, and a warning for data that glTF cannot represent.

use std::convert::Infallible;

use pleach::{Ambient, Background, Environment, EnvironmentMap, Light, Mesh, Scene};

use super::super::output::json_edit::{JsonEdit, index_array, number, number_array, quoted};
use super::camera_light::representable_light;
use super::index_map::Detached;
use crate::diagnostics::Pointer;
use crate::json;
use crate::load::environment;
use crate::save::SaveContext;
use crate::{Error, Report, WarningCode};

impl SaveContext<'_> {
    /// Writes all scenes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`](crate::ErrorKind::Unwritable) if the image of an environment map cannot
    /// be written.
    pub(crate) fn write_scenes(&mut self) -> Result<(), Error> {
        let input = self.input;
        for scene_index in 0..self.index_map.roots.len() {
            let roots = &self.index_map.roots[scene_index];
            let scene = input.scenes[scene_index];
            let was = input.root.scenes.get(scene_index);
            let mut edit = JsonEdit::new();
            let name = was.and_then(|was| was.name.as_deref()).unwrap_or_default();
            if scene.name != name {
                let name = Some(&*scene.name).filter(|name| !name.is_empty());
                edit.set_or_remove(&["name"], name.map(quoted));
            }
            let before = was.map_or(&[][..], |was| &was.nodes);
            if !roots.iter().copied().eq(before.iter().map(|node| node.index())) {
                let list = (!roots.is_empty()).then(|| index_array(roots.iter().copied()));
                edit.set_or_remove(&["nodes"], list);
            }
            self.edit_environment(&mut edit, scene, was)?;
            match was {
                Some(_) => self.output.scenes.edit(scene_index, edit),
                None => _ = self.output.scenes.add(edit.to_object()),
            }
            self.warn_detached(scene_index);
            warn_unrepresentable(
                scene,
                &mut self.output.report,
                &Pointer::entry("scenes", scene_index),
            );
        }
        Ok(())
    }
}

impl SaveContext<'_> {
    /// Edits the environment in the extension PLEACH_environment, if it differs from the file's.
    fn edit_environment(
        &mut self,
        edit: &mut JsonEdit,
        scene: &Scene,
        was: Option<&json::Scene<'_>>,
    ) -> Result<(), Error> {
        const NAME: &str = "PLEACH_environment";
        // What the loader ignored is left in the file.
        let Ok(before) = environment::environment(was, &self.input.document.images, |_, _| {
            Ok::<(), Infallible>(())
        });
        if before == scene.environment {
            return Ok(());
        }
        let image = match scene.environment.map.as_ref().and_then(EnvironmentMap::as_image) {
            Some(image) => Some(self.textures.image(image, &mut self.output)?),
            None => None,
        };
        match environment_json(&scene.environment, image) {
            Some(members) if !members.is_empty() => {
                for (key, json) in members {
                    edit.set_or_remove(&["extensions", NAME, key], json);
                }
                self.output.used.insert(NAME);
            }
            _ => edit.remove(&["extensions", NAME]),
        }
        Ok(())
    }

    /// Warns about nodes that are not below the scene's root.
    fn warn_detached(&mut self, scene_index: usize) {
        let at = Pointer::entry("scenes", scene_index);
        let Detached { written, dropped } =
            self.index_map.detached.get(scene_index).copied().unwrap_or_default();
        let (report, code) = (&mut self.output.report, WarningCode::DetachedNodes);
        if written > 0 {
            let message = format!(
                "{written} nodes are not below the root of the scene; they are written, but no scene lists \
                 them"
            );
            report.warn(&at, code, message);
        }
        if dropped > 0 {
            let message = format!("{dropped} nodes below joints of another scene are left out");
            report.warn(&at, code, message);
        }
    }
}

/// Returns the members of PLEACH_environment; empty for the default environment, and `None` if a
/// number is not finite. `image` is the index of the image of the map.
fn environment_json(
    environment: &Environment,
    image: Option<usize>,
) -> Option<Vec<(&'static str, Option<String>)>> {
    if *environment == Environment::default() {
        return Some(Vec::new());
    }
    let Environment { ambient, map, background, fog } = environment;
    let mut is_finite = ambient.color.is_finite() && ambient.intensity.is_finite();
    let ambient = (*ambient != Ambient::default()).then(|| {
        let mut edit = JsonEdit::new();
        edit.set(&["color"], number_array(&ambient.color.to_array()));
        edit.set(&["intensity"], number(ambient.intensity));
        edit.to_object()
    });
    let map = map.as_ref().map(|map| {
        is_finite &= map.intensity.is_finite() && map.rotation.is_finite();
        let mut edit = JsonEdit::new();
        if let Some(image) = image {
            edit.set(&["image"], image.to_string());
        }
        edit.set(&["intensity"], number(map.intensity));
        edit.set(&["rotation"], number(map.rotation));
        edit.to_object()
    });
    let background = background.and_then(|background| {
        let mut edit = JsonEdit::new();
        match background {
            Background::Color(color) => {
                is_finite &= color.is_finite();
                edit.set(&["color"], number_array(&color.to_array()));
            }
            Background::EnvironmentMap { blur } => {
                is_finite &= blur.is_finite();
                edit.set(&["map", "blur"], number(blur));
            }
            _ => return None,
        }
        Some(edit.to_object())
    });
    let fog = fog.map(|fog| {
        is_finite &= fog.color.is_finite() && fog.near.is_finite() && fog.far.is_finite();
        let mut edit = JsonEdit::new();
        edit.set(&["color"], number_array(&fog.color.to_array()));
        edit.set(&["near"], number(fog.near));
        edit.set(&["far"], number(fog.far));
        edit.to_object()
    });
    is_finite
        .then(|| vec![("ambient", ambient), ("map", map), ("background", background), ("fog", fog)])
}

/// Warns about data of `scene` that glTF cannot represent.
fn warn_unrepresentable(scene: &Scene, report: &mut Report, at: &Pointer<'_>) {
    let default = Mesh::from_parts(Vec::new());
    let has_unrepresentable = |mesh: &Mesh| {
        mesh.cast_shadow != default.cast_shadow
            || mesh.receive_shadow != default.receive_shadow
            || mesh.transparent != default.transparent
            || mesh.is_static != default.is_static
            || mesh.frustum_culled != default.frustum_culled
            || mesh.layers != default.layers
    };
    let meshes =
        scene.meshes.iter(&scene.graph).filter(|(_, mesh)| has_unrepresentable(mesh)).count();
    let mut lost = Vec::new();
    if meshes > 0 {
        lost.push(format!("shadows, layers and hints of {meshes} meshes"));
    }
    let all = u32::MAX;
    let cameras = scene.cameras.iter(&scene.graph).filter(|(_, it)| it.layers != all).count();
    if cameras > 0 {
        lost.push(format!("layers of {cameras} cameras"));
    }
    let has_unrepresentable =
        |light: &Light| light.layers != all || representable_light(light) != *light;
    let lights =
        scene.lights.iter(&scene.graph).filter(|(_, light)| has_unrepresentable(light)).count();
    if lights > 0 {
        lost.push(format!("layers and shadows of {lights} lights"));
    }
    if scene.lods.iter(&scene.graph).next().is_some() {
        lost.push("levels of detail".into());
    }
    if scene.graph.by_depth().any(|node| scene.constraints.get(&scene.graph, node).is_some()) {
        lost.push("constraints".into());
    }
    if scene.bounds.iter(&scene.graph).any(|(_, bounds)| !bounds.is_valid()) {
        lost.push("bounds with numbers that are not finite".into());
    }
    if environment_json(&scene.environment, None).is_none() {
        lost.push("an environment with numbers that are not finite".into());
    }
    if !lost.is_empty() {
        let message = format!("glTF cannot represent {}; they are left out", lost.join(", "));
        report.warn(at, WarningCode::DroppedSceneData, message);
    }
}
