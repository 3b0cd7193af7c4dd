//! Geometry, textures, materials, morph targets and instances: uploaded once, again when they are edited,
//! and freed when they are unused.

use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::{
    Camera, Frame, Geometry, Handle, Image, Instances, Material, Mesh, MorphTarget, Node, NodeId,
    Scene, TextureRef, TextureTransform, VertexData,
};
use pleach_wgpu::upload::{
    INFLUENCE_SET, MORPH_NORMALS, MORPH_POSITIONS, MaterialBlock, TextureSlot, UploadStats,
    Uploads, VertexStream, matrix_rows,
};
use pleach_wgpu::{Gpu, Warning};

use crate::adapter::gpus;
use crate::read_back;

/// A scene with a camera, and its uploads.
struct Stage<'a> {
    gpu: &'a Gpu,
    scene: Scene,
    camera: NodeId,
    frame: Frame,
    uploads: Uploads,
}

impl<'a> Stage<'a> {
    fn new(gpu: &'a Gpu) -> Self {
        let mut scene = Scene::new();
        let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
        let camera = scene.spawn(camera).unwrap();
        let mut uploads = Uploads::new(gpu, None);
        uploads.attach(&mut scene);
        Self { gpu, scene, camera, frame: Frame::new(), uploads }
    }

    fn spawn(&mut self, geometry: &Handle<Geometry>, material: &Handle<Material>) -> NodeId {
        let mut mesh = Mesh::new(geometry.clone(), material.clone());
        mesh.frustum_culled = false;
        self.scene.spawn(Node::group().with_mesh(mesh)).unwrap()
    }

    /// Updates the scene and uploads what its frame needs.
    fn sync(&mut self) -> UploadStats {
        self.scene.frame(self.camera, 1.5, 0.0, &mut self.frame).unwrap();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let lists = [&self.frame.list];
        let stats = self.uploads.sync(self.gpu, &self.scene, &lists, &mut encoder).unwrap();
        self.gpu.queue.submit([encoder.finish()]);
        stats
    }

    fn warnings(&mut self) -> Vec<Warning> {
        self.uploads.drain_warnings().collect()
    }

    /// Reads a vertex stream of a geometry back.
    fn stream(&self, geometry: &Handle<Geometry>, stream: VertexStream, size: u64) -> Vec<u8> {
        let geometry = self.uploads.geometry(geometry.id()).unwrap();
        let (buffer, offset) = self.uploads.vertex_stream(geometry, stream).unwrap();
        read_back::range(self.gpu, buffer, offset, size)
    }
}

fn triangle() -> Geometry {
    Geometry::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])
        .with_normals(vec![Vec3::Z; 3])
}

#[test]
fn vertex_data_that_geometries_share_is_uploaded_once() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let points: Vec<Vec3> = (0..300).map(|i| Vec3::splat(i as f32)).collect();
        let positions = VertexData::shared(points.clone());
        let normals = VertexData::shared(vec![Vec3::Z; 300]);
        let material = stage.scene.assets.add(Material::default());
        let part = |indices: Vec<u32>| Geometry {
            positions: positions.clone(),
            normals: normals.clone(),
            indices: Some(indices),
            ..Geometry::default()
        };
        let parts: Vec<_> = (0..10)
            .map(|i| stage.scene.assets.add(part(vec![3 * i, 3 * i + 1, 3 * i + 2])))
            .collect();
        let nodes: Vec<_> = parts.iter().map(|part| stage.spawn(part, &material)).collect();
        assert_eq!(stage.sync().geometry, 2 * 300 * 12 + 10 * 12);
        assert_eq!(stage.uploads.uploaded_assets().streams, 2);
        let bytes = stage.stream(&parts[7], VertexStream::Positions, 3600);
        assert_eq!(bytes, bytemuck::cast_slice::<_, u8>(&points));
        let geometry = stage.uploads.geometry(parts[7].id()).unwrap();
        let (buffer, offset) = stage.uploads.indices(geometry).unwrap();
        let indices = read_back::range(stage.gpu, buffer, offset, 12);
        assert_eq!(indices, *bytemuck::bytes_of(&[21u32, 22, 23]));

        // One more geometry with the same data; then all but one are dropped.
        let more = stage.scene.assets.add(part(vec![0, 1, 2]));
        stage.spawn(&more, &material);
        assert_eq!(stage.sync().geometry, 12);
        nodes.iter().for_each(|&node| _ = stage.scene.remove(node).unwrap());
        drop(parts);
        assert_eq!(stage.sync().total(), 0);
        let assets = stage.uploads.uploaded_assets();
        assert_eq!((assets.geometries, assets.streams), (1, 2));
        let last = stage.scene.meshes.rows().next().unwrap().0;
        stage.scene.remove(last).unwrap();
        drop(more);
        stage.sync();
        let assets = stage.uploads.uploaded_assets();
        assert_eq!((assets.geometries, assets.streams, assets.buffers), (0, 0, 0));
    }
}

#[test]
fn an_edited_geometry_is_uploaded_again_and_nothing_else() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let material = stage.scene.assets.add(Material::default());
        let [a, b] = [(); 2].map(|()| stage.scene.assets.add(triangle()));
        stage.spawn(&a, &material);
        stage.spawn(&b, &material);
        assert_eq!(stage.sync().geometry, 2 * (36 + 36 + 12));
        let generation = stage.uploads.generation();
        a.edit(|geometry| geometry.positions[1] = Vec3::splat(7.0));
        let stats = stage.sync();
        assert_eq!((stats.geometry, stats.total() - stats.worlds), (84, 84));
        assert_eq!(stage.uploads.generation(), generation, "its buffers are where they were");
        let positions = stage.stream(&a, VertexStream::Positions, 36);
        assert_eq!(positions, bytemuck::cast_slice::<_, u8>(&a.get().positions[..]));
        let other = stage.stream(&b, VertexStream::Positions, 36);
        assert_eq!(other, bytemuck::cast_slice::<_, u8>(&b.get().positions[..]));

        a.edit(|geometry| geometry.positions.push(Vec3::ZERO));
        stage.sync();
        assert_ne!(stage.uploads.generation(), generation, "it is larger, and has flat normals");
        assert_eq!(stage.uploads.geometry(a.id()).unwrap().vertex_count(), 3);
        assert_eq!(stage.sync().total(), 0);
    }
}

#[test]
fn joint_influences_are_one_interleaved_stream() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let material = stage.scene.assets.add(Material::default());
        let mut geometry = triangle();
        for set in 0..3 {
            geometry = geometry.with_influences(vec![[set; 4]; 3], vec![[0.25; 4]; 3]);
        }
        let geometry = stage.scene.assets.add(geometry);
        stage.spawn(&geometry, &material);
        stage.sync();
        let warning = Warning::InfluencesReduced { geometry: geometry.id(), influences: 12 };
        assert_eq!(stage.warnings(), [warning]);
        assert_eq!(stage.uploads.geometry(geometry.id()).unwrap().influence_sets(), 2);
        let bytes = stage.stream(&geometry, VertexStream::Influences, 3 * 2 * INFLUENCE_SET);
        let weights: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes[8..24]);
        assert!(weights.iter().all(|weight| (weight - 0.125).abs() < 1e-6), "{weights:?}");
    }
}

#[test]
fn an_edited_material_is_uploaded_again_without_its_textures() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let assets = &stage.scene.assets;
        let image = assets.add(Image::from_rgba8(4, 2, vec![200; 32]).unwrap());
        let texture =
            TextureRef::new(image.clone()).with_uv_set(1).with_transform(TextureTransform {
                offset: Vec2::X,
                rotation: 0.5,
                scale: Vec2::splat(2.0),
            });
        let material = assets.add(Material {
            base_color_texture: Some(texture.clone()),
            normal_texture: Some(texture),
            ..Material::default()
        });
        let geometry = assets.add(triangle());
        stage.spawn(&geometry, &material);
        let stats = stage.sync();
        // 4 × 2, 2 × 1 and 1 × 1 pixels, as colours and as normals.
        assert_eq!((stats.materials, stats.textures), (784, 2 * 4 * (8 + 2 + 1)));
        let slots = |stage: &Stage<'_>| -> Vec<TextureSlot> {
            let material = stage.uploads.material(material.id()).unwrap();
            material.textures().iter().map(|texture| texture.slot).collect()
        };
        assert_eq!(slots(&stage), [TextureSlot::BaseColor, TextureSlot::Normal]);

        let generation = stage.uploads.generation();
        material.edit(|material| material.base_color = Vec4::new(0.5, 0.25, 1.0, 1.0));
        let stats = stage.sync();
        assert_eq!((stats.materials, stats.textures, stats.geometry), (784, 0, 0));
        assert_eq!(stage.uploads.generation(), generation, "its bind group is still valid");
        let binding = stage.uploads.material_block(stage.uploads.material(material.id()).unwrap());
        let block = read_back::range(stage.gpu, binding.buffer, binding.offset, 784);
        assert_eq!(block, bytemuck::bytes_of(&MaterialBlock::new(&material.get())));

        image.edit(|image| *image = Image::from_rgba8(1, 1, vec![9; 4]).unwrap());
        let stats = stage.sync();
        assert_eq!((stats.materials, stats.textures), (0, 8));
        assert_ne!(stage.uploads.generation(), generation);
        material.edit(|material| material.normal_texture = None);
        stage.sync();
        assert_eq!(slots(&stage), [TextureSlot::BaseColor]);
        assert_eq!(stage.sync().total(), 0);

        let node = stage.scene.meshes.rows().next().unwrap().0;
        stage.scene.remove(node).unwrap();
        drop((image, material));
        stage.sync();
        let assets = stage.uploads.uploaded_assets();
        assert_eq!((assets.materials, assets.textures), (0, 0));
    }
}

#[test]
fn images_that_are_broken_or_too_large_are_warnings() {
    for test in gpus() {
        let mut gpu = test.gpu.clone();
        gpu.limits.max_texture_dimension_2d = 4;
        let mut stage = Stage::new(&gpu);
        let assets = &stage.scene.assets;
        let large = Image::from_rgba8(16, 6, vec![1; 4 * 96]).unwrap().named("large");
        let broken = pleach::ImageData::Rgba8 { width: 3, height: 3, pixels: vec![0; 7] };
        let images = [
            assets.add(large),
            assets.add(Image { name: Some("broken".into()), data: broken }),
            assets.add(Image::from_encoded("image/png", vec![1, 2, 3])),
            assets.add(Image::from_uri("wood.png")),
        ];
        let materials = images.each_ref().map(|image| {
            let texture = Some(TextureRef::new(image.clone()));
            assets.add(Material {
                base_color_texture: texture.clone(),
                occlusion_texture: texture,
                ..Material::default()
            })
        });
        let geometry = assets.add(triangle());
        materials.iter().for_each(|material| _ = stage.spawn(&geometry, material));
        stage.sync();
        let warnings: Vec<_> = stage.warnings().iter().map(Warning::to_string).collect();
        assert!(warnings[0].starts_with("image \"large\" has 16 × 6 pixels"), "{warnings:?}");
        assert!(warnings[0].ends_with("drawn with 4 × 1"), "{warnings:?}");
        // The large one is reduced for both of its uses; the others are reported once.
        assert_eq!(warnings.len(), 5, "{warnings:?}");
        assert!(warnings[2].contains("7 bytes do not match 3 × 3 pixels"), "{warnings:?}");
        assert!(warnings[3].contains("no decoder for image/png"), "{warnings:?}");
        assert!(warnings[4].contains("\"wood.png\" was not read"), "{warnings:?}");
        let counts = materials
            .map(|material| stage.uploads.material(material.id()).unwrap().textures().len());
        assert_eq!(counts, [2, 0, 0, 0]);
        stage.sync();
        assert_eq!(stage.warnings(), []);
    }
}

#[test]
fn morph_targets_are_uploaded_once_and_weights_when_they_change() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let target = |offset: Vec3| MorphTarget {
            positions: vec![offset; 3].into(),
            normals: vec![offset * 2.0; 3].into(),
            ..MorphTarget::default()
        };
        let geometry = triangle()
            .with_morph_target(target(Vec3::X))
            .with_morph_target(MorphTarget::default())
            .with_morph_target(target(Vec3::Z));
        let geometry = stage.scene.assets.add(geometry);
        let material = stage.scene.assets.add(Material::default());
        let node = stage.spawn(&geometry, &material);
        let still = stage.spawn(&geometry, &material);
        stage.scene.set_weights(node, vec![0.5, f32::NAN, 0.25]).unwrap();
        let stats = stage.sync();
        assert_eq!(stats.morph_deltas, 3 * 2 * 3 * 16);
        assert_eq!(stage.uploads.morph_record(still, 0), None);
        let record = stage.uploads.morph_record(node, 0).unwrap();
        let texels = |stage: &Stage<'_>| {
            let records = stage.uploads.morph_records();
            read_back::texels(stage.gpu, records, record + 4)[record as usize..].to_vec()
        };
        let [start, vertices, attributes, weights] = texels(&stage)[0].map(|it| it as u32);
        assert_eq!((vertices, attributes), (3, MORPH_POSITIONS | MORPH_NORMALS));
        assert_eq!(weights, record + 1);
        assert_eq!(texels(&stage)[1..3], [[2.0, 0.0, 0.0, 0.0], [0.0, 0.5, 2.0, 0.25]]);
        let deltas = read_back::texels(stage.gpu, stage.uploads.morph_deltas(), start + 18);
        let delta = |target: u32, attribute: u32, vertex: u32| {
            let index = start + (target * 2 + attribute) * vertices + vertex;
            deltas[index as usize]
        };
        assert_eq!(delta(0, 0, 2), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(delta(1, 1, 0), [0.0; 4]);
        assert_eq!(delta(2, 1, 1), [0.0, 0.0, 2.0, 0.0]);

        stage.scene.set_weights(node, vec![0.5, 0.0, 0.75]).unwrap();
        let stats = stage.sync();
        assert_eq!((stats.morph_weights, stats.morph_deltas), (16, 0));
        assert_eq!(texels(&stage)[2], [0.0, 0.5, 2.0, 0.75]);
        assert_eq!(stage.sync().total(), 0);
        stage.scene.remove(node).unwrap();
        stage.sync();
        assert_eq!(stage.uploads.morph_record(node, 0), None);
    }
}

#[test]
fn an_instance_that_moves_is_uploaded_alone() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let geometry = stage.scene.assets.add(triangle());
        let material = stage.scene.assets.add(Material::default());
        let matrices: Vec<_> =
            (0..900).map(|i| Mat4::from_translation(Vec3::X * i as f32)).collect();
        let bounds = geometry.get().bounds();
        let spawn = |stage: &mut Stage<'_>, count: usize| {
            let node = stage.spawn(&geometry, &material);
            let instances = Instances::new(bounds, matrices[..count].to_vec()).unwrap();
            stage.scene.mesh_mut(node).unwrap().instances = Some(Box::new(instances));
            node
        };
        let [first, second] = [600, 900].map(|count| spawn(&mut stage, count));
        assert_eq!(stage.sync().instances, 48 * 1500);
        let moved = Mat4::from_translation(Vec3::splat(-3.0));
        let instances = stage.scene.mesh_mut(second).unwrap().instances.as_mut().unwrap();
        instances.set(5, moved).unwrap();
        assert_eq!(stage.sync().instances, 48);
        let row = stage.uploads.instance_row(second).unwrap();
        let texels = read_back::texels(stage.gpu, stage.uploads.instances(), 3 * (row + 6));
        assert_eq!(texels[3 * (row as usize + 5)..], matrix_rows(&moved));

        stage.scene.remove(first).unwrap();
        let third = spawn(&mut stage, 600);
        assert_eq!(stage.sync().instances, 48 * 600);
        assert_eq!(stage.uploads.instance_row(first), None);
        assert!(stage.uploads.instance_row(third).is_some());
        assert_eq!(stage.sync().total(), 0);
    }
}

#[test]
fn a_frame_without_changes_does_not_allocate() {
    for test in gpus() {
        let mut stage = Stage::new(&test.gpu);
        let material = stage.scene.assets.add(Material::default());
        let geometry = stage
            .scene
            .assets
            .add(triangle().with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 3])));
        let nodes: Vec<_> = (0..2000).map(|_| stage.spawn(&geometry, &material)).collect();
        stage.scene.set_weights(nodes[0], vec![0.5]).unwrap();
        let count = |stage: &mut Stage<'_>| {
            stage.scene.frame(stage.camera, 1.5, 0.0, &mut stage.frame).unwrap();
            let mut encoder = stage.gpu.device.create_command_encoder(&Default::default());
            let Stage { gpu, scene, frame, uploads, .. } = stage;
            let (calls, stats) = testkit::allocations::count(|| {
                uploads.sync(gpu, scene, &[&frame.list], &mut encoder).unwrap()
            });
            gpu.queue.submit([encoder.finish()]);
            (calls, stats.total())
        };
        count(&mut stage);
        assert_eq!(count(&mut stage), (0, 0), "{}", test.name);
        // wgpu allocates for the staging buffer and the commands, but not for each node.
        let moved = |stage: &mut Stage<'_>, step: usize, x: f32| {
            for &node in nodes.iter().step_by(step) {
                stage.scene.node_mut(node).unwrap().set_translation(Vec3::X * x).unwrap();
            }
            count(stage).0
        };
        moved(&mut stage, 1, 1.0);
        let [few, many] = [(100, 2.0), (1, 3.0)].map(|(step, x)| moved(&mut stage, step, x));
        assert!(few < 200 && many < 200, "{}: {few}, {many}", test.name);
    }
}
