//! Uses a loaded document like a program: a few frames, saving, loading again.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use pleach::animation::Mixer;
use pleach::{Filter, Frustum, Ray, RenderList, Scene, Visible};
use pleach_gltf::{Bytes, Document, Format, Options};

use crate::common::is_same_files;

/// Updates, culls, picks, animates, saves and reloads a document.
pub(crate) fn exercise(mut document: Document) -> Result<(), String> {
    check_round_trip(&document).map_err(|error| format!("unedited: {error}"))?;
    let trees = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
    for scene in document.scenes_mut().iter_mut().take(20) {
        frame(scene)?;
    }
    if let Some(unreferenced) = document.unreferenced_nodes_mut() {
        frame(unreferenced)?;
    }
    for animation in 0..document.animations().len().min(20) {
        for scene in 0..trees.min(4) {
            play(&mut document, animation, scene)?;
        }
    }
    _ = document.raw("/nodes/0/extras");
    _ = document.report().to_string();
    check_round_trip(&document).map_err(|error| format!("after animation: {error}"))
}

fn frame(scene: &mut Scene) -> Result<(), String> {
    // A transform that overflows is an error, which is allowed.
    _ = scene.update();
    let of_graph = scene.graph.check().into_iter().map(|problem| problem.to_string());
    let of_index = scene.spatial.check().into_iter().map(|problem| problem.to_string());
    let problems: Vec<String> = of_graph.chain(of_index).collect();
    if !problems.is_empty() {
        return Err(format!("check: {}", problems.join("; ")));
    }
    // `check` visits every vertex of every mesh.
    if scene.meshes.len() < 100 {
        _ = scene.check();
    }
    let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).map_err(|it| it.to_string())?;
    _ = scene.pick(&ray, &Filter::default());
    let matrix = Mat4::from_scale(Vec3::splat(0.01));
    let frustum = Frustum::from_view_projection(&matrix, pleach::ClipSpace::NegOneToOne)
        .map_err(|it| it.to_string())?;
    let mut visible = Visible::new();
    scene.spatial.cull(&frustum, &Filter::default(), &mut visible);
    let cameras: Vec<_> = scene.cameras.iter(&scene.graph).map(|(node, _)| node).take(4).collect();
    let mut list = RenderList::new();
    for camera in cameras {
        if let Ok(view) = scene.view(camera, (640, 480)) {
            scene.cull(&view, &mut visible);
            list.build(scene, &visible, &view);
        }
    }
    Ok(())
}

fn play(document: &mut Document, animation: usize, scene: usize) -> Result<(), String> {
    let binding = document.bind(animation, scene).map_err(|it| it.to_string())?;
    let tree = match scene < document.scenes().len() {
        true => &mut document.scenes_mut()[scene],
        false => document.unreferenced_nodes_mut().ok_or("no unreferenced nodes")?,
    };
    let mut mixer = Mixer::new();
    mixer.add(binding, &tree.graph, &tree.weights);
    for seconds in [0.0, 0.3, 1e9] {
        tree.animate(&mut mixer, seconds);
        _ = tree.update();
    }
    for seconds in [0.0, 0.5, f32::MAX, f32::NAN, -1.0] {
        document.apply_pointers(animation, scene, seconds);
    }
    Ok(())
}

/// Saves in both formats, loads the result and saves it again: the bytes must be equal.
fn check_round_trip(document: &Document) -> Result<(), String> {
    for format in [Format::Glb, Format::Gltf] {
        let save = |document: &Document| {
            document.save_bytes(format).map_err(|error| format!("save as {format:?}: {error}"))
        };
        let first = save(document)?;
        let files: BTreeMap<String, Bytes> = first.files.iter().cloned().collect();
        let again = Options::new()
            .load_with(first.bytes.clone(), &files)
            .map_err(|error| format!("load after saving as {format:?}: {error}"))?;
        let second = save(&again)?;
        if first.bytes != second.bytes || !is_same_files(&first.files, &second.files) {
            return Err(format!("saving twice as {format:?} gives different bytes"));
        }
    }
    Ok(())
}
