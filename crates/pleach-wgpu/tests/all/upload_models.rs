//! The sample models on the GPU: every draw of a frame finds its data there, with the bits of the scene's.

use std::path::PathBuf;

use pleach::glam::Vec3;
use pleach::{Camera, Frame, Geometry, Material, Node, Scene};
use pleach_wgpu::Gpu;
use pleach_wgpu::upload::{Uploads, VertexStream, matrix_rows};

use crate::adapter::gpus;
use crate::read_back;

fn models() -> Vec<PathBuf> {
    let Some(directory) = testkit::sample_models() else { return Vec::new() };
    let files = |path: PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut models: Vec<_> = files(directory)
        .flat_map(|model| files(model.path()))
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|it| it == "gltf" || it == "glb"))
        .collect();
    models.sort();
    models
}

fn check(gpu: &Gpu, scene: &mut Scene, what: &str) {
    let mut uploads = Uploads::new(gpu, None);
    uploads.attach(scene);
    let camera = Node::camera(Camera::default()).at(Vec3::Z);
    let camera = scene.spawn(camera).unwrap();
    let mut frame = Frame::new();
    scene.frame(camera, 1.0, 0.0, &mut frame).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    uploads.sync(gpu, scene, &[&frame.list], &mut encoder).unwrap();
    gpu.queue.submit([encoder.finish()]);

    let joints = scene.joint_matrices().matrices();
    let rows = read_back::texels(gpu, uploads.joints(), 3 * joints.len() as u32);
    assert!(rows.iter().eq(joints.iter().map(matrix_rows).collect::<Vec<_>>().as_flattened()));
    for draw in frame.list.opaque().iter().chain(frame.list.transparent()) {
        let geometry = scene.assets.get::<Geometry>(draw.geometry).unwrap();
        let material = scene.assets.get::<Material>(draw.material).unwrap();
        assert!(uploads.material(material.id()).is_some(), "{what}");
        let uploaded = uploads.geometry(geometry.id()).unwrap();
        assert!(uploaded.index_count() > 0, "{what}");
        let geometry = geometry.get();
        let (buffer, offset) = uploads.vertex_stream(uploaded, VertexStream::Positions).unwrap();
        if geometry.normals.len() == geometry.positions.len() {
            let expected: &[u8] = bytemuck::cast_slice(&geometry.positions);
            let positions = read_back::range(gpu, buffer, offset, expected.len() as u64);
            assert!(positions == expected, "{what}");
        }
        assert_eq!(uploads.group_indices(uploaded).is_some(), draw.group.is_some(), "{what}");
        let has_weights = scene.weights.get(&scene.graph, draw.node).is_some();
        let is_morphed = uploads.morph_record(draw.node, draw.part).is_some();
        assert_eq!(is_morphed, has_weights && !geometry.morph_targets.is_empty(), "{what}");
        assert_eq!(uploads.instance_row(draw.node).is_some(), !draw.instances.is_empty(), "{what}");
    }
}

#[test]
fn every_draw_of_the_sample_models_has_its_data() {
    let gpus = gpus();
    let mut drawn = 0;
    for path in models() {
        let what = path.display().to_string();
        let Ok(document) = pleach_gltf::load(&path) else { continue };
        let mut scene = document.into_scene();
        for mesh in scene.meshes.rows_mut().map(|(_, mesh)| mesh) {
            mesh.frustum_culled = false;
        }
        drawn += usize::from(!scene.meshes.is_empty());
        for test in &gpus {
            check(&test.gpu, &mut scene.clone(), &format!("{what}, {}", test.name));
        }
    }
    assert!(drawn > 30 || testkit::sample_models().is_none(), "{drawn} models");
}
