//! The models to draw: files, and directories of models with one directory each.

use std::path::{Path, PathBuf};

use pleach::Scene;

/// Adds a file, or the first `.glb` or `.gltf` file below each directory in `path`, sorted by name.
pub fn collect(path: &Path, models: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_file() {
        models.push(path.into());
        return Ok(());
    }
    let entries =
        std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    if let Some(model) = entries.iter().find(|it| is_model(it)) {
        models.push(model.clone());
        return Ok(());
    }
    entries.iter().filter(|entry| entry.is_dir()).try_for_each(|entry| collect(entry, models))
}

fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "glb" || it == "gltf")
}

/// Returns the name of a model: that of its directory.
pub fn name(path: &Path) -> String {
    let directory = path.parent().and_then(Path::file_name).unwrap_or(path.as_os_str());
    directory.to_string_lossy().into_owned()
}

/// Returns `true` if a material of the scene transmits light.
pub fn transmits(scene: &Scene) -> bool {
    scene.meshes.iter(&scene.graph).any(|(_, mesh)| {
        let parts = mesh.parts.iter().map(|part| &part.material);
        parts
            .chain(&mesh.materials)
            .any(|material| material.get().transmission.as_ref().is_some_and(|it| it.factor > 0.0))
    })
}
