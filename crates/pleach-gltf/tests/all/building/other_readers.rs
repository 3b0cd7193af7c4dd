//! Built scenes in other readers: the `gltf` crate, and tools that read the files.

use std::collections::BTreeMap;

use pleach::glam::{Mat4, Vec2, Vec3};
use pleach::{Geometry, NodeId};
use pleach_gltf::{Document, Format, load_bytes, save_bytes};

use super::test_scene::{test_animation, test_scene};
use crate::common_save::find;

#[test]
fn the_gltf_crate_reads_the_same_scene() {
    let scene = test_scene();
    let saved = save_bytes(&scene, Format::Glb).unwrap();
    let (document, buffers, images) = gltf::import_slice(&saved.bytes).unwrap();
    assert_eq!(document.scenes().len(), 1);
    let root = scene.root();
    let expected: Vec<NodeId> =
        scene.node(root).unwrap().descendants().filter(|&it| it != root).collect();
    // One more node: the up-axis node.
    assert_eq!(document.nodes().len(), expected.len() + 1);
    assert_eq!(images.len(), 2);
    assert_eq!((images[0].width, images[0].height), (2, 2));

    let mut open: Vec<(gltf::Node<'_>, Mat4)> =
        document.default_scene().unwrap().nodes().map(|it| (it, Mat4::IDENTITY)).collect();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    while let Some((node, above)) = open.pop() {
        let world = above * Mat4::from_cols_array_2d(&node.transform().matrix());
        open.extend(node.children().map(|it| (it, world)));
        let Some(name) = node.name().filter(|it| *it != "Z up") else { continue };
        *found.entry(name.into()).or_default() += 1;
        let own = find(&scene, name);
        let z_up = Mat4::from_cols_array(&[
            1., 0., 0., 0., 0., 0., 1., 0., 0., -1., 0., 0., 0., 0., 0., 1.,
        ]);
        let expected = scene.node(own).unwrap().world();
        assert!((z_up * world).abs_diff_eq(expected, 1e-5), "{name}: {world}, not {expected}");
        let parts = scene.mesh(own).map_or(&[][..], |it| &it.parts);
        let primitives: Vec<_> = node.mesh().map_or(vec![], |it| it.primitives().collect());
        assert_eq!(primitives.len(), parts.len(), "{name}");
        for (primitive, part) in primitives.iter().zip(parts) {
            compare_primitive(primitive, &buffers, &part.geometry.get(), name);
            let material = primitive.material();
            assert_eq!(material.name(), part.material.get().name.as_deref());
            assert_eq!(
                material.pbr_metallic_roughness().base_color_factor(),
                part.material.get().base_color.to_array()
            );
            assert_eq!(material.double_sided(), part.material.get().double_sided);
            assert_eq!(material.unlit(), part.material.get().unlit);
            assert_eq!(material.ior().unwrap_or(1.5), part.material.get().ior);
        }
        assert_eq!(node.camera().is_some(), scene.camera(own).is_some(), "{name}");
        if let (Some(light), Some(own)) = (node.light(), scene.light(own)) {
            assert_eq!(light.color(), own.color.to_array());
            assert_eq!(light.intensity(), own.intensity);
        }
        let joints = node.skin().map_or(0, |it| it.joints().count());
        assert_eq!(joints, scene.skin(own).map_or(0, |it| it.joints.len()), "{name}");
    }
    let named = expected.iter().filter(|&&it| scene.node(it).unwrap().name().is_some()).count();
    assert_eq!(found.values().sum::<usize>(), named);
}

fn compare_primitive(
    primitive: &gltf::Primitive<'_>,
    buffers: &[gltf::buffer::Data],
    geometry: &Geometry,
    name: &str,
) {
    let reader = primitive.reader(|it| buffers.get(it.index()).map(|it| &**it));
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from_array).collect();
    assert_eq!(positions, geometry.positions, "{name}");
    let indices = reader.read_indices().map(|it| it.into_u32().collect::<Vec<u32>>());
    assert_eq!(indices, geometry.indices, "{name}");
    let normals: Vec<Vec3> =
        reader.read_normals().map_or(vec![], |it| it.map(Vec3::from_array).collect());
    assert_eq!(normals, geometry.normals, "{name}");
    for (set, expected) in geometry.uvs.iter().enumerate() {
        let uvs = reader.read_tex_coords(set as u32).unwrap().into_f32();
        assert_eq!(uvs.map(Vec2::from_array).collect::<Vec<_>>(), *expected, "{name}");
    }
    for (set, expected) in geometry.influences.iter().enumerate() {
        let joints = reader.read_joints(set as u32).unwrap().into_u16();
        assert_eq!(joints.collect::<Vec<_>>(), expected.joints);
        let weights = reader.read_weights(set as u32).unwrap().into_f32();
        assert_eq!(weights.collect::<Vec<_>>(), expected.weights);
    }
    let targets = reader.read_morph_targets();
    for ((positions, ..), expected) in targets.zip(&geometry.morph_targets) {
        let positions: Vec<Vec3> = positions.unwrap().map(Vec3::from_array).collect();
        assert_eq!(positions, expected.positions, "{name}");
    }
    let (min, max) = (primitive.bounding_box().min, primitive.bounding_box().max);
    assert_eq!(Vec3::from_array(min), geometry.bounds().min, "{name}");
    assert_eq!(Vec3::from_array(max), geometry.bounds().max, "{name}");
}

/// Writes files for the validator: `PLEACH_KEEP=DIR cargo test -p pleach-gltf --test all keep`.
#[test]
fn keep_built_files_for_other_tools() {
    let Some(directory) = std::env::var_os("PLEACH_KEEP") else { return };
    let directory = std::path::PathBuf::from(directory);
    let scene = test_scene();
    let test_animation = test_animation(&scene);
    let mut document = Document::from_scenes([scene]);
    document.add_animation(0, &test_animation);
    document.save(directory.join("stage.glb")).unwrap();
    document.save(directory.join("stage.gltf")).unwrap();
    let bytes = document.save_bytes(Format::Glb).unwrap().bytes;
    load_bytes(&bytes).unwrap().save(directory.join("again/stage.gltf")).unwrap();
}
