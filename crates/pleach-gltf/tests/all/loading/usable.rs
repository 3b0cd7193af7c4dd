//! Valid files with unusual numbers, and faulty files whose rest can be used.

use std::fmt::Write as _;

use pleach::glam::{Mat4, Quat, Vec3};
use pleach_gltf::{ErrorKind, Options, WarningCode};
use serde_json::json;

use crate::common::accessors::{Builder, data_uri};

/// Loads a model and checks that it has exactly one warning, which is an error if strict.
#[track_caller]
fn load_with_warning(text: &str, code: WarningCode, pointer: &str) -> pleach_gltf::Document {
    let document = pleach_gltf::load_bytes(text.as_bytes()).unwrap();
    let [warning] = document.report().warnings() else { panic!("{}", document.report()) };
    assert_eq!((warning.code, &*warning.pointer), (code, pointer));
    let error = Options::new().strict().load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Strict, pointer));
    document
}

#[test]
fn a10_visibility_counts_for_the_duration_of_a_clip() {
    let mut builder = Builder::default();
    let times = builder.floats("SCALAR", &[0.5, 2.5]);
    let values = builder.packed(5121, "SCALAR", 2, &[1, 0]);
    let file = json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"],
        "nodes": [{"extensions": {"KHR_node_visibility": {}}}],
        "buffers": [{"byteLength": builder.bin.len(), "uri": data_uri("", &builder.bin)}],
        "bufferViews": builder.views, "accessors": builder.accessors,
        "animations": [{
            "samplers": [{"input": times, "output": values, "interpolation": "STEP"}],
            "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": {
                "KHR_animation_pointer": {
                    "pointer": "/nodes/0/extensions/KHR_node_visibility/visible"}}}}],
        }],
    });
    let mut document = pleach_gltf::load_bytes(file.to_string().as_bytes()).unwrap();
    assert_eq!(document.animations()[0].clip().duration(), 2.5);
    let node = document.node(0, 0).unwrap();
    for (seconds, is_visible) in [(0.0, true), (1.0, true), (2.5, false)] {
        document.apply_pointers(0, 0, seconds);
        assert_eq!(document.scenes()[0].node(node).unwrap().is_visible(), is_visible);
    }
}

#[test]
fn a11_last_matrix_of_an_accessor_may_omit_its_padding() {
    // Columns of 2 bytes at multiples of 4, and 3 columns of 3 bytes.
    for (kind, component, size, least) in
        [("MAT2", 5121, 8, 6), ("MAT3", 5121, 12, 11), ("MAT3", 5123, 24, 22)]
    {
        for (length, is_valid) in [(size + least, true), (size + least - 1, false)] {
            let file = json!({
                "asset": {"version": "2.0"},
                "buffers": [{"byteLength": length, "uri": data_uri("", &vec![1; length])}],
                "bufferViews": [{"buffer": 0, "byteLength": length}],
                "accessors": [{"bufferView": 0, "componentType": component, "count": 2, "type": kind}],
            });
            let loaded = pleach_gltf::load_bytes(file.to_string().as_bytes());
            assert_eq!(loaded.is_ok(), is_valid, "{kind} of {component}, {length} bytes");
            // The same for the values of a sparse accessor.
            let file = json!({
                "asset": {"version": "2.0"},
                "buffers": [{"byteLength": length, "uri": data_uri("", &vec![1; length])},
                            {"byteLength": 2, "uri": data_uri("", &[0, 1])}],
                "bufferViews": [{"buffer": 0, "byteLength": length}, {"buffer": 1, "byteLength": 2}],
                "accessors": [{"componentType": component, "count": 9, "type": kind,
                    "sparse": {"count": 2, "values": {"bufferView": 0},
                               "indices": {"bufferView": 1, "componentType": 5121}}}],
            });
            let loaded = pleach_gltf::load_bytes(file.to_string().as_bytes());
            assert_eq!(loaded.is_ok(), is_valid, "sparse {kind} of {component}, {length} bytes");
        }
    }
}

#[test]
fn a11_nine_hundred_scenes_are_loaded() {
    let (mut nodes, mut scenes) = (String::new(), String::new());
    for index in 0..900 {
        write!(nodes, "{}{{}}", if index == 0 { "" } else { "," }).unwrap();
        write!(scenes, "{}{{\"nodes\":[{index}]}}", if index == 0 { "" } else { "," }).unwrap();
    }
    let file = format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{scenes}],"nodes":[{nodes}]}}"#);
    let document = pleach_gltf::load_bytes(file.as_bytes()).unwrap();
    assert_eq!(document.scenes().len(), 900);
}

#[cfg(feature = "draco")]
#[test]
fn a11_flat_draco_grid_is_loaded() {
    use pleach_gltf::Limits;

    // 28,800 triangles in 5 kB, with a limit in the same proportion as the default is to 500,000.
    let file = include_bytes!("flat-grid-draco.glb");
    let limits = Limits { max_decoded_bytes: 2 << 20, ..Limits::default() };
    let document = Options::new().with_limits(limits).load_bytes(file).unwrap();
    assert_eq!(document.meshes()[0][0].geometry.get().indices.as_ref().unwrap().len(), 3 * 28_800);
    // The result still counts.
    let limits = Limits { max_decoded_bytes: 100 << 10, max_decoded_ratio: 1, ..limits };
    let error = Options::new().with_limits(limits).load_bytes(file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

#[test]
fn a11_normal_that_is_not_finite_is_replaced() {
    let mut builder = Builder::default();
    let positions = builder.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let nan = f32::NAN;
    let normals = builder.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, nan, 1.0, 0.0, 1.0, 0.0]);
    let file = json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "buffers": [{"byteLength": builder.bin.len(), "uri": data_uri("", &builder.bin)}],
        "bufferViews": builder.views, "accessors": builder.accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals}}]}],
    })
    .to_string();
    let document = load_with_warning(
        &file,
        WarningCode::NotFiniteAttribute,
        "/meshes/0/primitives/0/attributes/NORMAL",
    );
    let geometry = &document.meshes()[0][0].geometry;
    assert_eq!(*geometry.get().normals, [Vec3::Y, Vec3::Z, Vec3::Y]);
    // The file keeps its bytes.
    let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    assert_eq!(saved.bytes, file.as_bytes());
    // A position that is not finite has no replacement.
    let file = file.replace(
        &format!("\"NORMAL\":{normals},\"POSITION\":{positions}"),
        &format!("\"POSITION\":{normals}"),
    );
    let error = pleach_gltf::load_bytes(file.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
}

#[test]
fn a11_camera_without_a_field_of_view_gets_the_default() {
    let file = |camera: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"camera":0}}],"cameras":[{camera}]}}"#
        )
    };
    for (yfov, code, key) in [
        (r#""yfov":null,"znear":1"#, WarningCode::CameraFieldOfView, "yfov"),
        (r#""znear":1"#, WarningCode::CameraFieldOfView, "yfov"),
        (r#""yfov":1"#, WarningCode::CameraNearPlane, "znear"),
    ] {
        let text = file(&format!(r#"{{"type":"perspective","perspective":{{{yfov}}}}}"#));
        let document = load_with_warning(&text, code, &format!("/cameras/0/perspective/{key}"));
        let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
        assert_eq!(saved.bytes, text.as_bytes(), "saved unchanged");
    }
    let text =
        file(r#"{"type":"orthographic","orthographic":{"xmag":2,"ymag":2,"znear":0,"zfar":null}}"#);
    load_with_warning(&text, WarningCode::CameraFarPlane, "/cameras/0/orthographic/zfar");
}

#[test]
fn a11_required_avif_textures_do_not_refuse_the_file() {
    let avif = b"\0\0\0\x1cftypavif\0\0\0\0avif".to_vec();
    let file = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_texture_avif"], "extensionsRequired": ["EXT_texture_avif"],
        "images": [{"uri": data_uri("image/avif", &avif)}],
        "textures": [{"extensions": {"EXT_texture_avif": {"source": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    })
    .to_string();
    // The file is valid: a strict loader accepts it.
    for options in [Options::new(), Options::new().strict()] {
        let document = options.load_bytes(file.as_bytes()).unwrap();
        let [warning] = document.report().warnings() else { panic!("{}", document.report()) };
        assert_eq!(warning.code, WarningCode::UndecodableTexture);
        assert_eq!(warning.pointer, "/textures/0/extensions/EXT_texture_avif");
        assert!(document.materials()[0].get().base_color_texture.is_some());
    }
    // With a plain image there is nothing to warn of.
    let both = file.replace("\"textures\":[{", "\"textures\":[{\"source\":0,");
    assert!(pleach_gltf::load_bytes(both.as_bytes()).unwrap().report().is_empty());
}

#[test]
fn invalid_extensions_without_an_effect_do_not_refuse_the_file() {
    let file = |name: &str, value: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["{name}"],"nodes":[{{}},{{"extensions":{{"{name}":{value}}}}}]}}"#
        )
    };
    for (name, key) in
        [("KHR_node_hoverability", "hoverable"), ("KHR_node_selectability", "selectable")]
    {
        let pointer = format!("/nodes/1/extensions/{name}");
        for value in [&*format!(r#"{{"{key}":"no"}}"#), "7", r#"[{"a":"\u0041"}]"#] {
            let text = file(name, value);
            let document = load_with_warning(&text, WarningCode::InvalidExtension, &pointer);
            let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
            assert_eq!(saved.bytes, text.as_bytes(), "saved unchanged");
            let node = &pleach_gltf::raw::Root::from_json(&text).unwrap().nodes[1];
            assert!(node.is_hoverable() && node.is_selectable());
        }
        for (value, expected) in [("false", false), ("true", true), ("null", true)] {
            let text = file(name, &format!(r#"{{"{key}":{value}}}"#));
            assert!(pleach_gltf::load_bytes(text.as_bytes()).unwrap().report().is_empty());
            let node = &pleach_gltf::raw::Root::from_json(&text).unwrap().nodes[1];
            assert_eq!(node.is_hoverable() && node.is_selectable(), expected, "{text}");
        }
    }
}

/// Instances with quantized rotations have the same bits on every machine: those of
/// `pleach_graph::rotation`, not of glam, whose sums follow the processor.
#[test]
fn quantized_rotations_of_instances_have_the_same_bits_everywhere() {
    const COUNT: usize = 200;
    let mut random = testkit::Rng::new(11);
    let mut builder = Builder::default();
    let positions = builder.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let quats: Vec<i16> =
        (0..4 * COUNT).map(|_| (random.below(65_535) as i32 - 32_767) as i16).collect();
    let bytes: Vec<u8> = quats.iter().flat_map(|it| it.to_le_bytes()).collect();
    let rotations = builder.packed(5122, "VEC4", COUNT, &bytes);
    builder.accessors[rotations]["normalized"] = json!(true);
    let file = json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {
            "attributes": {"ROTATION": rotations}}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}}]}],
        "buffers": [{"byteLength": builder.bin.len(), "uri": data_uri("", &builder.bin)}],
        "bufferViews": builder.views, "accessors": builder.accessors,
    });
    let document = pleach_gltf::load_bytes(file.to_string().as_bytes()).unwrap();
    let scene = &document.scenes()[0];
    let node = document.node(0, 0).unwrap();
    let instances = scene.mesh(node).unwrap().instances.as_ref().unwrap();
    assert_eq!(instances.matrices().len(), COUNT);
    let mut hash = testkit::Fnv::default();
    for (matrix, quat) in instances.matrices().iter().zip(quats.chunks(4)) {
        let stored: Vec<f32> =
            quat.iter().map(|&it| (f32::from(it) / 32_767.0).max(-1.0)).collect();
        let unit = pleach_graph::rotation::normalize(Quat::from_slice(&stored)).unwrap();
        assert_eq!(*matrix, Mat4::from_quat(unit));
        hash.write_f32s(&matrix.to_cols_array());
    }
    assert_eq!(hash.finish(), 0xe8dc_db91_7891_6b0d);
}
