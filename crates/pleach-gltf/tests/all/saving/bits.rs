//! Edited values round-trip bit for bit.

use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::{Camera, NodeId, Projection, Scene};
use pleach_gltf::Document;
use testkit::Rng;

use super::random_edits::seeds;
use super::save_and_check::scene_after;
use super::shared_assets::set_far;
use crate::common_save::{
    FORMATS, again, differences, find, geometry_bits, light_values, load_with, load_yard,
    material_line, saved, text_of, yard,
};

#[test]
fn numbers_round_trip_bit_for_bit() {
    for seed in seeds(15) {
        let mut rng = Rng::new(seed);
        let (_, mut document) = load_yard();
        let nodes: Vec<NodeId> = (0..15).map(|it| document.node(0, it).unwrap()).collect();
        let scene = &mut document.scenes_mut()[0];
        let vector = |rng: &mut Rng| Vec3::from_array([0; 3].map(|_| rng.finite()));
        for &node in &nodes {
            let (translation, scale) = (vector(&mut rng), vector(&mut rng));
            let mut node = scene.node_mut(node).unwrap();
            node.set_translation(translation).unwrap().set_scale(scale).unwrap();
        }
        let mesh = scene.mesh_mut(nodes[12]).unwrap();
        mesh.parts[0].geometry.make_unique().edit(|geometry| {
            geometry.positions = (0..5).map(|_| vector(&mut rng)).collect();
            geometry.influences.clear();
            let color = |rng: &mut Rng| vector(rng).extend(rng.finite()).abs().min(Vec4::ONE);
            geometry.colors = vec![(0..5).map(|_| color(&mut rng)).collect()];
            geometry.uvs = vec![(0..5).map(|_| Vec2::new(rng.finite(), rng.finite())).collect()];
            geometry.morph_targets[0].positions = (0..5).map(|_| vector(&mut rng)).collect();
        });
        scene.skins.remove(nodes[12]);
        scene.set_weights(nodes[12], vec![rng.finite()]).unwrap();
        let material = scene.mesh_mut(nodes[12]).unwrap().parts[0].material.make_unique();
        let color = vector(&mut rng).abs().min(Vec3::ONE).extend(0.1);
        material.edit(|it| it.base_color = color);
        let light = scene.light_mut(nodes[14]).unwrap();
        light.color = vector(&mut rng).abs().min(Vec3::ONE);
        light.intensity = rng.finite().abs();
        let matrix = {
            let mut all = [0; 12].map(|_| rng.moderate());
            all[0] += 0.0;
            Mat4::from_cols(
                Vec4::new(all[0], all[1], all[2], 0.0),
                Vec4::new(all[3], all[4], all[5], 0.0),
                Vec4::new(all[6], all[7], all[8], 0.0),
                Vec4::new(all[9], all[10], all[11], 1.0),
            )
        };
        scene.node_mut(nodes[0]).unwrap().set_local_matrix(matrix).unwrap();
        for format in FORMATS {
            let saved = document.save_bytes(format).unwrap();
            let back = again(&saved);
            for (index, &node) in nodes.iter().enumerate() {
                let (old, new) = (&document.scenes()[0], &back.scenes()[0]);
                let (a, b) =
                    (old.node(node).unwrap(), new.node(back.node(0, index).unwrap()).unwrap());
                let bits = |it: pleach_graph::NodeRef<'_>| {
                    let transform = it.transform();
                    let parts = [transform.translation, transform.scale]
                        .map(|it| it.to_array().map(f32::to_bits));
                    (
                        parts,
                        transform.rotation.to_array().map(f32::to_bits),
                        it.local_matrix().to_cols_array().map(f32::to_bits),
                    )
                };
                assert_eq!(bits(a), bits(b), "seed {seed}, node {index}, {format:?}");
            }
            assert_same_bits(&document, &back, nodes[12], 12, seed);
            let light = back.scenes()[0].light(back.node(0, 14).unwrap()).unwrap();
            let was = document.scenes()[0].light(nodes[14]).unwrap();
            assert_eq!(light_values(light), light_values(was), "seed {seed}");
        }
    }
}

#[track_caller]
fn assert_same_bits(one: &Document, other: &Document, node: NodeId, index: usize, seed: u64) {
    let there = other.node(0, index).unwrap();
    let (a, b) = (&one.scenes()[0], &other.scenes()[0]);
    let bits = |scene: &Scene, node| {
        let part = &scene.mesh(node).unwrap().parts[0];
        let weights = scene.weights.get(&scene.graph, node).unwrap();
        (
            geometry_bits(&part.geometry.get()),
            material_line(&part.material.get()),
            weights.iter().map(|it| it.to_bits()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(bits(a, node), bits(b, there), "seed {seed}");
}

#[test]
fn cameras_round_trip_bit_for_bit() {
    for seed in seeds(40) {
        let mut rng = Rng::new(seed);
        let (_, mut document) = load_yard();
        let [left, plan] = [5, 7].map(|it| document.node(0, it).unwrap());
        let scene = &mut document.scenes_mut()[0];
        let size = |rng: &mut Rng| (1 + rng.below(1 << 24)) as f32 * 1e-5;
        let (height, aspect, near) = (size(&mut rng), size(&mut rng), size(&mut rng));
        *scene.camera_mut(plan).unwrap() = Camera {
            projection: Projection::Orthographic { height, zoom: 1.0, near, far: near + 1.0 },
            aspect: Some(aspect),
            ..Camera::default()
        };
        let projection = Projection::Perspective { fov_y: 0.1, near, far: near * 3.0 };
        *scene.camera_mut(left).unwrap() =
            Camera { projection, aspect: Some(aspect), ..Camera::default() };
        let back = again(&saved(&document));
        let camera = |document: &Document, index| {
            *document.scenes()[0].camera(document.node(0, index).unwrap()).unwrap()
        };
        assert_eq!(camera(&back, 5), camera(&document, 5), "seed {seed}");
        let Camera { projection, aspect: found, .. } = camera(&back, 7);
        assert_eq!(projection, camera(&document, 7).projection, "seed {seed}");
        // It is stored as a width, so its last bit may differ.
        let found = found.unwrap();
        assert!((found - aspect).abs() <= aspect * 2e-7, "seed {seed}: {found}, not {aspect}");
    }
}

#[test]
fn an_orthographic_camera_keeps_its_width_when_its_depth_changes() {
    for seed in seeds(40) {
        let mut rng = Rng::new(seed);
        let [x, y] = [0; 2].map(|_| (1 + rng.below(1 << 24)) as f32 * -1e-5);
        let (text, files) = yard();
        let (x, y) = (x * if seed % 2 == 0 { 1.0 } else { -1.0 }, y.abs());
        let text = text.replace(
            "\"xmag\": 0.10, \"ymag\": 0.30",
            &format!("\"xmag\": {x:?}, \"ymag\": {y:?}"),
        );
        let mut document = load_with(&text, &files);
        let plan = document.node(0, 7).unwrap();
        set_far(document.scenes_mut()[0].camera_mut(plan).unwrap(), 50.0);
        let after = text_of(&saved(&document));
        assert_eq!(after, text.replace("\"zfar\": 1e2", "\"zfar\": 50"), "seed {seed}");
    }
}

#[test]
fn changing_zero_to_minus_zero_is_an_edit() {
    let (before, after) = scene_after(|scene| {
        let hip = find(scene, "hip");
        scene.node_mut(hip).unwrap().set_translation(Vec3::new(-0.0, 0.0, 0.0)).unwrap();
    });
    // They are equal as numbers, so only the texts differ.
    assert!(differences(&before, &after) == ["+/nodes/9/translation = [-0.0,0,0]"], "{after}");
}
