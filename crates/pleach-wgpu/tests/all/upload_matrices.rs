//! World and joint matrices on the GPU have the bits of the scene's, after any edits, for few bytes.

use std::collections::BTreeMap;

use pleach::glam::{Mat4, Vec3};
use pleach::graph::ChangeReader;
use pleach::{Error, History, Node, NodeId, Scene, Skin, Transform};
use pleach_wgpu::upload::{DataStore, MatrixRows, UploadStats, Uploads, matrix_rows};
use pleach_wgpu::{Gpu, Tier};
use testkit::{Effort, Rng};

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

/// Asserts that these rows of a store have the bits of the matrices.
fn assert_rows(
    gpu: &Gpu,
    store: &DataStore,
    matrices: &[Mat4],
    rows: impl Iterator<Item = usize>,
    what: &str,
) {
    let texels = read_back::texels(gpu, store, 3 * matrices.len() as u32);
    for row in rows {
        let expected: MatrixRows = matrix_rows(&matrices[row]);
        assert_eq!(bits(&texels[3 * row..][..3]), bits(&expected), "{what}: row {row}");
    }
}

/// Asserts that the rows of all live nodes and of all joints are those of the scene.
fn assert_same_matrices(gpu: &Gpu, uploads: &Uploads, scene: &Scene, what: &str) {
    let live = scene.walk().map(NodeId::index);
    assert_rows(gpu, uploads.worlds(), scene.graph.world_matrices(), live, what);
    let joints = scene.joint_matrices().matrices();
    assert_rows(gpu, uploads.joints(), joints, 0..joints.len(), what);
}

/// Asserts the bounds of bytes for a number of changed rows.
fn assert_few_bytes(gpu: &Gpu, bytes: u64, rows: usize, what: &str) {
    let changed = 48 * rows as u64;
    let factor = if gpu.tier == Tier::Full { 1.2 } else { 4.0 };
    assert!(bytes >= changed, "{what}: {bytes} bytes for {rows} rows");
    assert!(bytes as f64 <= factor * changed as f64, "{what}: {bytes} bytes for {rows} rows");
}

#[test]
fn only_changed_world_matrices_are_uploaded() {
    for test in gpus() {
        for is_attached in [true, false] {
            let (gpu, name) = (&test.gpu, format!("{}, attached: {is_attached}", test.name));
            let mut scene = Scene::new();
            let nodes = (0..5000).map(|i| Node::group().at(Vec3::new(i as f32, 0.5, -0.0)));
            let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
            let mut uploads = Uploads::new(gpu, None);
            if is_attached {
                uploads.attach(&mut scene);
            }
            scene.update().unwrap();
            assert_eq!(sync(gpu, &mut uploads, &scene).worlds, 5001 * 48, "{name}");
            assert_same_matrices(gpu, &uploads, &scene, &name);
            assert_eq!(sync(gpu, &mut uploads, &scene).total(), 0, "{name}");
            let mut rng = Rng::from_env(7);
            for (count, stride) in [(1, 1), (100, 1), (500, 10), (700, 3)] {
                for i in 0..count {
                    let node = nodes[(17 + i * stride) % nodes.len()];
                    scene.node_mut(node).unwrap().set_translation(rng.vec3(9.0)).unwrap();
                }
                scene.update().unwrap();
                assert_few_bytes(gpu, sync(gpu, &mut uploads, &scene).worlds, count, &name);
                assert_same_matrices(gpu, &uploads, &scene, &name);
            }
        }
    }
}

/// A scene under random edits.
struct Edited {
    scene: Scene,
    nodes: Vec<NodeId>,
    history: History,
    rng: Rng,
}

impl Edited {
    fn new(seed: u64) -> Self {
        let mut scene = Scene::new();
        let mut nodes = vec![scene.root()];
        let mut rng = Rng::from_env(seed);
        for _ in 0..1500 {
            let parent = nodes[rng.below(nodes.len().min(200))];
            nodes.push(scene.spawn(Node::group().under(parent).at(rng.vec3(5.0))).unwrap());
        }
        Self { scene, nodes, history: History::new(), rng }
    }

    /// Makes `count` edits, and undoes some of them.
    fn edit(&mut self, count: usize) {
        let Self { scene, nodes, history, rng } = self;
        let edits = |scene: &mut Scene| -> Result<(), Error> {
            for _ in 0..count {
                random_edit(scene, nodes, rng)?;
            }
            Ok(())
        };
        history.transact(scene, "edits", edits).unwrap();
        let undone = [0, 0, 1, 3][self.rng.below(4)];
        for _ in 0..undone {
            self.history.undo(&mut self.scene).unwrap();
        }
        if undone > 0 && self.rng.one_in(2) {
            self.history.redo(&mut self.scene).unwrap();
        }
        self.nodes.clear();
        self.nodes.extend(self.scene.walk());
    }
}

fn random_edit(scene: &mut Scene, nodes: &mut Vec<NodeId>, rng: &mut Rng) -> Result<(), Error> {
    let node = nodes[rng.below(nodes.len())];
    match rng.below(20) {
        0 | 5 if nodes.len() < 2000 => {
            nodes.push(scene.spawn(Node::group().under(node).at(rng.vec3(5.0)))?);
        }
        // Leaves, and sometimes a subtree.
        1 if node != scene.root() && (scene.children(node).next().is_none() || rng.one_in(100)) => {
            scene.remove(node)?;
            nodes.retain(|&it| scene.graph.contains(it));
        }
        2 if node != scene.root() => {
            let parent = nodes[rng.below(nodes.len())];
            // A cycle is refused.
            _ = scene.attach(node, parent);
        }
        3 if rng.one_in(20) => {
            let joints: Vec<_> = (0..1 + rng.below(40)).map(|_| rng.pick(nodes)).collect();
            let inverse: Vec<_> = joints.iter().map(|_| rng.affine(3.0)).collect();
            scene.insert(node, Skin::new(joints, inverse)?)?;
        }
        4 if rng.one_in(20) => _ = scene.remove_component::<Skin>(node),
        _ => {
            let transform = Transform {
                translation: rng.vec3(5.0),
                rotation: rng.rotation(),
                scale: rng.scale(),
            };
            // Mostly leaves, so that changes are scattered.
            if scene.children(node).next().is_none() || rng.one_in(50) {
                scene.node_mut(node)?.set_transform(transform)?;
            }
        }
    }
    Ok(())
}

/// The joint matrices of the last frame, by row.
#[derive(Default)]
struct JointCopy(BTreeMap<usize, Vec<[u32; 4]>>);

impl JointCopy {
    /// Returns the number of rows that are new or differ, and remembers them.
    fn count_changed(&mut self, matrices: &[Mat4]) -> usize {
        let mut changed = 0;
        for (row, matrix) in matrices.iter().enumerate() {
            let bits = bits(&matrix_rows(matrix));
            changed += usize::from(self.0.insert(row, bits.clone()) != Some(bits));
        }
        changed
    }
}

fn count_changed(reader: &mut ChangeReader, scene: &Scene) -> usize {
    reader.read(&scene.graph).unwrap().changed().count()
}

#[test]
fn after_random_edits_all_matrices_have_the_bits_of_the_scene() {
    for test in gpus() {
        let (gpu, name) = (&test.gpu, &test.name);
        let mut edited = Edited::new(16);
        let mut uploads = Uploads::new(gpu, None);
        edited.scene.update().unwrap();
        uploads.attach(&mut edited.scene);
        sync(gpu, &mut uploads, &edited.scene);
        let mut reader = edited.scene.graph.change_reader();
        let mut joints = JointCopy::default();
        let (mut edits, mut most_joints) = (0, 0);
        while edits < 100_000 {
            // One edit, or many; one update before a frame, or several.
            for _ in 0..1 + edited.rng.below(2) {
                let count = [1, 10, 100, 400][edited.rng.below(4)];
                edited.edit(count);
                edits += count;
                edited.scene.update().unwrap();
            }
            let scene = &edited.scene;
            let stats = sync(gpu, &mut uploads, scene);
            assert_few_bytes(gpu, stats.worlds, count_changed(&mut reader, scene), name);
            let changed = joints.count_changed(scene.joint_matrices().matrices());
            most_joints = most_joints.max(changed);
            assert_few_bytes(gpu, stats.joints, changed, name);
            if edited.rng.one_in(Effort::pick(10, 1)) {
                assert_same_matrices(gpu, &uploads, scene, name);
            }
            assert_eq!(sync(gpu, &mut uploads, scene).total(), 0, "{name}");
        }
        assert_same_matrices(gpu, &uploads, &edited.scene, name);
        let nodes = edited.nodes.len();
        assert!(nodes > 1000 && most_joints > 500, "{name}: {nodes} nodes, {most_joints} joints");
    }
}

#[test]
fn another_scene_and_a_forgotten_upload_are_uploaded_as_a_whole() {
    for test in gpus() {
        let (gpu, name) = (&test.gpu, &test.name);
        let mut edited = Edited::new(3);
        let mut uploads = Uploads::new(gpu, None);
        uploads.attach(&mut edited.scene);
        edited.edit(500);
        edited.scene.update().unwrap();
        sync(gpu, &mut uploads, &edited.scene);
        let mut clone = edited.scene.clone();
        clone.node_mut(clone.root()).unwrap().set_translation(Vec3::X).unwrap();
        clone.update().unwrap();
        for scene in [&clone, &edited.scene] {
            sync(gpu, &mut uploads, scene);
            assert_same_matrices(gpu, &uploads, scene, name);
        }
        uploads.forget(gpu);
        let rows = edited.scene.graph.world_matrices().len() as u64;
        assert_eq!(sync(gpu, &mut uploads, &edited.scene).worlds, 48 * rows, "{name}");
        assert_same_matrices(gpu, &uploads, &edited.scene, name);
    }
}

#[test]
fn changes_are_read_again_after_another_scene() {
    for test in gpus() {
        let (gpu, name) = (&test.gpu, &test.name);
        let mut edited = Edited::new(3);
        let mut uploads = Uploads::new(gpu, None);
        uploads.attach(&mut edited.scene);
        edited.edit(100);
        edited.scene.update().unwrap();
        sync(gpu, &mut uploads, &edited.scene);
        let clone = edited.scene.clone();
        for edits in [3, 0, 3] {
            sync(gpu, &mut uploads, &clone);
            assert_same_matrices(gpu, &uploads, &clone, name);
            // Changes while another scene is drawn.
            edited.edit(edits);
            edited.scene.update().unwrap();
            sync(gpu, &mut uploads, &edited.scene);
            assert_same_matrices(gpu, &uploads, &edited.scene, name);
            assert_eq!(sync(gpu, &mut uploads, &edited.scene).worlds, 0, "{name}");
            // A comparison would not find a change that leaves the matrix as it is.
            let mut root = edited.scene.node_mut(edited.scene.root()).unwrap();
            let at = root.translation();
            root.set_translation(at).unwrap();
            edited.scene.update().unwrap();
            assert!(sync(gpu, &mut uploads, &edited.scene).worlds > 0, "{name}");
        }
    }
}

#[test]
fn two_frames_recorded_before_a_submission_each_have_their_own_data() {
    for test in gpus() {
        let gpu = &test.gpu;
        let mut scene = Scene::new();
        let nodes = (0..400).map(|i| Node::group().at(Vec3::splat(i as f32)));
        let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
        let mut uploads = Uploads::new(gpu, None);
        uploads.attach(&mut scene);
        let mut encoders = Vec::new();
        for frame in 0..3 {
            for &node in nodes.iter().skip(frame).step_by(2 + frame) {
                scene.node_mut(node).unwrap().set_translation(Vec3::X * frame as f32).unwrap();
            }
            // The store grows between the frames, too.
            let more = (0..2000).map(|_| Node::group().at(Vec3::Y));
            scene.spawn_all(scene.root(), more).unwrap();
            scene.update().unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            uploads.sync(gpu, &scene, &[], &mut encoder).unwrap();
            encoders.push(encoder.finish());
        }
        gpu.queue.submit(encoders);
        assert_same_matrices(gpu, &uploads, &scene, &test.name);
    }
}

#[test]
fn more_matrices_than_the_device_allows_are_an_error() {
    for test in gpus() {
        let mut gpu = test.gpu;
        let lines = 2;
        gpu.limits.max_storage_buffer_binding_size = 16 * 1536 * lines;
        gpu.limits.max_texture_dimension_2d = lines as u32;
        let mut scene = Scene::new();
        let nodes = (0..2000).map(|_| Node::group());
        let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
        scene.update().unwrap();
        let mut uploads = Uploads::new(&gpu, None);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let error = uploads.sync(&gpu, &scene, &[], &mut encoder).unwrap_err();
        assert_eq!(
            error.to_string(),
            "world matrices need 96048 bytes, but the device allows 49152; request a device with \
             higher limits, or draw less"
        );
        drop(encoder);
        // A smaller scene is uploaded afterwards.
        nodes[500..].iter().for_each(|&node| _ = scene.remove(node).unwrap());
        let mut small = Scene::new();
        small.spawn(Node::group().at(Vec3::X)).unwrap();
        small.update().unwrap();
        sync(&gpu, &mut uploads, &small);
        assert_same_matrices(&gpu, &uploads, &small, &test.name);
    }
}
