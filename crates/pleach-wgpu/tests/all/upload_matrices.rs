//! World matrices on the GPU have the bits of the scene's, after any edits.

use pleach::glam::Vec3;
use pleach::{Node, NodeId, Scene};
use pleach_wgpu::Gpu;
use pleach_wgpu::upload::{MatrixRows, UploadStats, Uploads, matrix_rows};
use testkit::Rng;

use crate::adapter::gpus;
use crate::read_back;

fn sync(gpu: &Gpu, uploads: &mut Uploads, scene: &Scene) -> UploadStats {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let stats = uploads.sync(gpu, scene, &[], &mut encoder).unwrap();
    gpu.queue.submit([encoder.finish()]);
    stats
}

fn bits(rows: &[[f32; 4]]) -> Vec<[u32; 4]> {
    rows.iter().map(|row| row.map(f32::to_bits)).collect()
}

/// Asserts that the rows of all live nodes are those of the scene.
fn assert_same_worlds(gpu: &Gpu, uploads: &Uploads, scene: &Scene, what: &str) {
    let matrices = scene.graph.world_matrices();
    let texels = read_back::texels(gpu, uploads.worlds(), 3 * matrices.len() as u32);
    for node in scene.walk() {
        let slot = node.index();
        let expected: MatrixRows = matrix_rows(&matrices[slot]);
        assert_eq!(bits(&texels[3 * slot..][..3]), bits(&expected), "{what}: {node}");
    }
}

fn grid(count: usize) -> (Scene, Vec<NodeId>) {
    let mut scene = Scene::new();
    let nodes = (0..count).map(|i| Node::group().at(Vec3::new(i as f32, 0.5, -0.0)));
    let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
    (scene, nodes)
}

#[test]
fn only_changed_world_matrices_are_uploaded() {
    for test in gpus() {
        for is_attached in [true, false] {
            let (gpu, name) = (&test.gpu, format!("{}, attached: {is_attached}", test.name));
            let (mut scene, nodes) = grid(5000);
            let mut uploads = Uploads::new(gpu, None);
            if is_attached {
                uploads.attach(&mut scene);
            }
            scene.update().unwrap();
            assert_eq!(sync(gpu, &mut uploads, &scene).worlds, 5001 * 48, "{name}");
            assert_same_worlds(gpu, &uploads, &scene, &name);
            assert_eq!(sync(gpu, &mut uploads, &scene).total(), 0, "{name}");
            let mut rng = Rng::from_env(7);
            for (count, stride) in [(1, 1), (100, 1), (500, 10), (700, 3)] {
                for i in 0..count {
                    let node = nodes[(17 + i * stride) % nodes.len()];
                    scene.node_mut(node).unwrap().set_translation(rng.vec3(9.0)).unwrap();
                }
                scene.update().unwrap();
                let bytes = sync(gpu, &mut uploads, &scene).worlds;
                let changed = 48 * count as u64;
                let bound = if gpu.tier == pleach_wgpu::Tier::Full { 1.2 } else { 4.0 };
                assert!(bytes >= changed, "{name}: {bytes} of {changed}");
                assert!(bytes as f64 <= bound * changed as f64, "{name}: {bytes} for {changed}");
                assert_same_worlds(gpu, &uploads, &scene, &name);
            }
        }
    }
}
