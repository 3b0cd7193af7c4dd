//! Compares strict validation with the Khronos validator: whatever it reports as an error is an
//! error here as well.
//!
//! The comparison needs node and the packages of `tools/gltf-js` (`npm ci` there). Without them it
//! prints SKIPPED, or fails if `PLEACH_GLTF_JS=required`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use pleach_gltf::validate::{ProblemCode, Severity};
use pleach_gltf::{ErrorKind, Validate};
use serde_json::{Value, json};
use testkit::{Effort, Rng};

use super::base_file::{
    BINDS, COLORS, INDICES, NORMALS, PNG, POSITIONS, ROTATIONS, TANGENTS, TIMES, UNUSED, WEIGHTS,
    base, set_floats,
};
use crate::common::accessors::data_uri;
use crate::common::temp_dir::TempDir;

type Change = fn(&mut Value);

/// Error codes of the Khronos validator, with a change that causes each.
const CASES: &[(&str, Change)] = &[
    // Schemas.
    ("ARRAY_LENGTH_NOT_IN_LIST", |it| it["nodes"][3]["translation"] = json!([0, 1])),
    ("ARRAY_TYPE_MISMATCH", |it| it["nodes"][3]["weights"] = json!(["x"])),
    ("DUPLICATE_ELEMENTS", |it| it["extensionsUsed"][1] = json!("KHR_lights_punctual")),
    ("EMPTY_ENTITY", |it| it["samplers"] = json!([])),
    ("EMPTY_ENTITY", |it| it["nodes"][3]["children"] = json!([])),
    ("INVALID_INDEX", |it| {
        let extension = &mut it["meshes"][1]["primitives"][0]["extensions"];
        extension["KHR_materials_variants"]["mappings"][0]["material"] = json!(-1);
    }),
    ("PATTERN_MISMATCH", |it| it["asset"]["minVersion"] = json!("two")),
    ("TYPE_MISMATCH", |it| it["materials"][0]["doubleSided"] = json!("yes")),
    ("TYPE_MISMATCH", |it| it["asset"]["generator"] = json!(7)),
    ("TYPE_MISMATCH", |it| {
        it["materials"][0]["extensions"]["KHR_materials_ior"]["ior"] = json!("high");
    }),
    ("UNDEFINED_PROPERTY", |it| {
        it["extensions"]["KHR_materials_variants"]["variants"][0] = json!({});
    }),
    ("VALUE_MULTIPLE_OF", |it| it["bufferViews"][0]["byteStride"] = json!(13)),
    ("VALUE_NOT_IN_RANGE", |it| it["materials"][0]["alphaCutoff"] = json!(-1)),
    ("VALUE_NOT_IN_RANGE", |it| {
        it["materials"][0]["extensions"]["KHR_materials_sheen"]["sheenRoughnessFactor"] = json!(2);
    }),
    ("VALUE_NOT_IN_RANGE", |it| it["cameras"][0]["perspective"]["aspectRatio"] = json!(0)),
    ("ONE_OF_MISMATCH", |it| it["images"][0]["uri"] = json!("x.png")),
    ("UNSATISFIED_DEPENDENCY", |it| {
        it["accessors"][UNUSED]["byteOffset"] = json!(0);
        it["accessors"][UNUSED].as_object_mut().unwrap().remove("bufferView");
    }),
    // Accessors and buffer views.
    ("ACCESSOR_NORMALIZED_INVALID", |it| it["accessors"][NORMALS]["normalized"] = json!(true)),
    ("ACCESSOR_OFFSET_ALIGNMENT", |it| it["accessors"][UNUSED]["byteOffset"] = json!(2)),
    ("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", |it| {
        it["bufferViews"][UNUSED]["byteOffset"] = json!(2);
    }),
    ("ACCESSOR_USAGE_OVERRIDE", |it| {
        it["animations"][0]["samplers"][0]["output"] = json!(POSITIONS);
    }),
    ("BUFFER_VIEW_TARGET_OVERRIDE", |it| it["bufferViews"][INDICES]["target"] = json!(34962)),
    ("BUFFER_VIEW_TARGET_OVERRIDE", |it| it["bufferViews"][TIMES]["target"] = json!(34962)),
    ("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", |it| {
        it["bufferViews"][UNUSED]["byteStride"] = json!(16);
    }),
    ("BUFFER_VIEW_INVALID_BYTE_STRIDE", |it| {
        it["bufferViews"][UNUSED]["byteStride"] = json!(12);
        it["bufferViews"][UNUSED]["target"] = json!(34963);
    }),
    ("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", |it| it["bufferViews"][14]["byteStride"] = json!(4)),
    ("BUFFER_DATA_URI_MIME_TYPE_INVALID", |it| {
        let uri = it["buffers"][0]["uri"].as_str().unwrap().replace("octet-stream", "text");
        it["buffers"][0]["uri"] = json!(uri);
    }),
    ("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", |it| {
        it["accessors"][NORMALS]["bufferView"] = json!(POSITIONS);
    }),
    ("ACCESSOR_MIN_MISMATCH", |it| it["accessors"][POSITIONS]["min"][0] = json!(-1)),
    ("ACCESSOR_MAX_MISMATCH", |it| it["accessors"][POSITIONS]["max"][0] = json!(2)),
    ("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", |it| {
        it["accessors"][POSITIONS]["max"][0] = json!(0.5);
    }),
    ("ACCESSOR_INVALID_FLOAT", |it| set_floats(it, UNUSED, 1, &[f32::NAN])),
    // Meshes.
    ("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", |it| {
        it["accessors"][POSITIONS].as_object_mut().unwrap().remove("min");
    }),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", |it| {
        it["meshes"][0]["primitives"][0]["attributes"]["HEAT"] = json!(NORMALS);
    }),
    ("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", |it| {
        it["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_2"] = json!(3);
    }),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", |it| {
        let attributes = &mut it["meshes"][0]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove("WEIGHTS_0");
    }),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", |it| {
        it["accessors"][UNUSED]["componentType"] = json!(5125);
        it["accessors"][UNUSED]["count"] = json!(3);
        it["accessors"][UNUSED]["type"] = json!("SCALAR");
        it["meshes"][0]["primitives"][0]["attributes"]["_ID"] = json!(UNUSED);
    }),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", |it| {
        it["accessors"][WEIGHTS]["componentType"] = json!(5120);
    }),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", |it| {
        it["accessors"][INDICES]["normalized"] = json!(true);
    }),
    ("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", |it| {
        let attributes = &mut it["meshes"][1]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove("NORMAL");
        it["meshes"][1]["primitives"][0]["targets"][0]["NORMAL"] = json!(NORMALS);
    }),
    ("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", |it| {
        it["materials"][0]["emissiveTexture"]["texCoord"] = json!(3);
    }),
    ("MESH_PRIMITIVE_NO_TANGENT_SPACE", |it| {
        it["materials"][0]["extensions"]["KHR_materials_anisotropy"]["anisotropyTexture"] =
            json!({"index": 0});
        it["materials"][0].as_object_mut().unwrap().remove("normalTexture");
        for mesh in 0..2 {
            let attributes = &mut it["meshes"][mesh]["primitives"][0]["attributes"];
            attributes.as_object_mut().unwrap().remove("TANGENT");
        }
    }),
    ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", |it| it["accessors"][COLORS]["count"] = json!(2)),
    ("MESH_INVALID_WEIGHTS_COUNT", |it| it["meshes"][1]["weights"] = json!([0, 1])),
    ("ACCESSOR_VECTOR3_NON_UNIT", |it| set_floats(it, NORMALS, 0, &[0.0, 0.0, 1.01])),
    ("ACCESSOR_VECTOR3_NON_UNIT", |it| set_floats(it, TANGENTS, 0, &[2.0])),
    ("ACCESSOR_INVALID_SIGN", |it| set_floats(it, TANGENTS, 3, &[0.5])),
    ("ACCESSOR_NON_CLAMPED", |it| set_floats(it, COLORS, 0, &[1.5])),
    ("ACCESSOR_WEIGHTS_NEGATIVE", |it| set_floats(it, WEIGHTS, 0, &[1.5, -0.5])),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", |it| set_floats(it, WEIGHTS, 0, &[0.2])),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", |it| {
        set_floats(it, WEIGHTS, 0, &[0.5, 0.25, 0.25]);
    }),
    ("ACCESSOR_JOINTS_INDEX_OOB", |it| {
        it["skins"][0]["joints"] = json!([1]);
    }),
    ("KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT", |it| {
        let extension = &mut it["meshes"][1]["primitives"][0]["extensions"];
        extension["KHR_materials_variants"]["mappings"][1]["variants"] = json!([0]);
    }),
    // Nodes, skins and cameras.
    ("NODE_MATRIX_NON_TRS", |it| it["nodes"][4]["matrix"][4] = json!(0.5)),
    ("NODE_MATRIX_TRS", |it| it["nodes"][4]["scale"] = json!([1, 1, 2])),
    ("ROTATION_NON_UNIT", |it| it["nodes"][5]["rotation"] = json!([0, 0, 0, 0.9])),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", |it| {
        it["nodes"][2]["skin"] = json!(0);
    }),
    ("NODE_WEIGHTS_INVALID", |it| it["nodes"][2]["weights"] = json!([0, 1])),
    ("NODE_SKIN_NO_SCENE", |it| it["scenes"][0]["nodes"] = json!([0, 2])),
    ("SKIN_SKELETON_INVALID", |it| it["skins"][0]["skeleton"] = json!(3)),
    ("SKIN_NO_COMMON_ROOT", |it| {
        it["skins"][0] = json!({"joints": [3, 4], "inverseBindMatrices": BINDS});
    }),
    ("ACCESSOR_INVALID_IBM", |it| set_floats(it, BINDS, 3, &[0.5])),
    ("SKIN_IBM_INVALID_FORMAT", |it| it["accessors"][BINDS]["type"] = json!("MAT2")),
    ("CAMERA_XMAG_YMAG_ZERO", |it| it["cameras"][1]["orthographic"]["xmag"] = json!(0)),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", |it| it["cameras"][0]["perspective"]["zfar"] = json!(0.05)),
    ("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", |it| {
        it["extensions"]["KHR_lights_punctual"]["lights"][0]["spot"]["innerConeAngle"] = json!(0.6);
    }),
    // Animations.
    ("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", |it| {
        it["animations"][0]["channels"][0]["target"]["node"] = json!(4);
    }),
    ("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", |it| {
        it["animations"][0]["channels"][2]["target"]["node"] = json!(0);
    }),
    ("ANIMATION_DUPLICATE_TARGETS", |it| {
        let channel = it["animations"][0]["channels"][0].clone();
        it["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
    }),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", |it| {
        it["accessors"][TIMES]["componentType"] = json!(5121);
        it["accessors"][TIMES]["normalized"] = json!(true);
    }),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", |it| {
        it["accessors"][TIMES].as_object_mut().unwrap().remove("max");
    }),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", |it| {
        it["accessors"][ROTATIONS]["count"] = json!(1);
    }),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", |it| {
        it["accessors"][10]["componentType"] = json!(5122);
        it["accessors"][10]["normalized"] = json!(true);
    }),
    ("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", |it| {
        it["bufferViews"][10]["byteStride"] = json!(12);
    }),
    ("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", |it| {
        set_floats(it, ROTATIONS, 3, &[1.1]);
    }),
    ("ACCESSOR_ANIMATION_INPUT_NEGATIVE", |it| {
        set_floats(it, TIMES, 0, &[-1.0]);
        it["accessors"][TIMES]["min"] = json!([-1]);
    }),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", |it| {
        set_floats(it, TIMES, 0, &[1.0]);
        it["accessors"][TIMES]["min"] = json!([1]);
    }),
    ("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE", |it| {
        it["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_animation_pointer"));
        it["animations"][0]["channels"][0]["target"] = json!({"node": 3, "path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/3/translation"}}});
    }),
    ("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH", |it| {
        it["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_animation_pointer"));
        it["animations"][0]["channels"][0]["target"] = json!({"path": "scale",
            "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/3/translation"}}});
    }),
    // Images, references and extensions.
    ("IMAGE_MIME_TYPE_INVALID", |it| it["images"][0]["mimeType"] = json!("image/jpeg")),
    ("TEXTURE_INVALID_IMAGE_MIME_TYPE", |it| {
        it["images"][0]["mimeType"] = json!("image/webp");
    }),
    ("IMAGE_UNEXPECTED_EOS", |it| {
        it["images"][0] = json!({"uri": data_uri("image/png", &PNG[..20])});
    }),
    ("UNRESOLVED_REFERENCE", |it| {
        it["extensionsUsed"].as_array_mut().unwrap().push(json!("EXT_texture_webp"));
        it["textures"][0]["extensions"] = json!({"EXT_texture_webp": {"source": 4}});
    }),
    ("UNRESOLVED_REFERENCE", |it| {
        let extension = &mut it["meshes"][1]["primitives"][0]["extensions"];
        extension["KHR_materials_variants"]["mappings"][0]["variants"] = json!([9]);
    }),
    ("UNDECLARED_EXTENSION", |it| {
        it["materials"][1]["extensions"] = json!({"KHR_materials_unlit": {}});
    }),
    ("UNEXPECTED_EXTENSION_OBJECT", |it| {
        it["nodes"][3]["extensions"] = json!({"KHR_materials_ior": {"ior": 1.5}});
    }),
    ("UNUSED_EXTENSION_REQUIRED", |it| {
        it["extensionsRequired"] = json!(["KHR_materials_unlit"]);
    }),
    ("UNDEFINED_PROPERTY", |it| {
        let light = &mut it["extensions"]["KHR_lights_punctual"]["lights"][0];
        light.as_object_mut().unwrap().remove("spot");
    }),
    ("NON_REQUIRED_EXTENSION", |it| {
        it["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_mesh_quantization"));
    }),
    ("ASSET_MIN_VERSION_GREATER_THAN_VERSION", |it| it["asset"]["minVersion"] = json!("2.1")),
    ("UNKNOWN_ASSET_MAJOR_VERSION", |it| it["asset"]["version"] = json!("3.0")),
    ("NODE_LOOP", |it| it["nodes"][3]["children"] = json!([1])),
    ("NODE_PARENT_OVERRIDE", |it| it["nodes"][2]["children"] = json!([3, 4, 5])),
    ("SCENE_NON_ROOT_NODE", |it| it["scenes"][0]["nodes"] = json!([0, 1, 2, 3])),
];

/// Returns the codes of our errors.
fn own_errors(file: &Value) -> Vec<String> {
    let validation = Validate::new().strict().bytes(file.to_string().as_bytes());
    let errors = validation.problems.iter().filter(|it| it.severity == Severity::Error);
    errors.map(|it| format!("{} {:?}", it.code.as_str(), it.locations)).collect()
}

fn changed(change: Change) -> Value {
    let (mut json, _) = base();
    change(&mut json);
    json
}

#[test]
fn a13_every_error_of_the_khronos_validator_is_an_error_if_strict() {
    assert_eq!(own_errors(&base().0), [] as [&str; 0], "the base file is valid");
    let missed: Vec<String> = CASES
        .iter()
        .enumerate()
        .filter(|(_, case)| own_errors(&changed(case.1)).is_empty())
        .map(|(number, case)| format!("{number} {}", case.0))
        .collect();
    assert!(missed.is_empty(), "not reported: {missed:#?}");
}

/// Returns the error codes of the Khronos validator by file name, or `None` if it is not installed.
fn khronos_errors(directory: &Path) -> Option<BTreeMap<String, Vec<String>>> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/gltf-js");
    let is_installed = tools.join("node_modules/gltf-validator").exists();
    let output = is_installed.then(|| {
        let script = tools.join("validate.mjs");
        Command::new("node").arg(script).arg("--json").arg(directory).output()
    });
    let Some(Ok(output)) = output else {
        let is_required = std::env::var("PLEACH_GLTF_JS").is_ok_and(|it| it == "required");
        assert!(!is_required, "the Khronos validator is not installed: npm ci in tools/gltf-js");
        eprintln!("SKIPPED: needs node, and `npm ci` in tools/gltf-js");
        return None;
    };
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let files = report["files"].as_array().unwrap().iter().map(|file| {
        let issues = file["issues"].as_array().unwrap().iter();
        let errors = issues.filter(|it| it["severity"] == "error");
        let codes = errors.map(|it| format!("{} {}", it["code"], it["pointer"]));
        (file["name"].as_str().unwrap().to_string(), codes.collect())
    });
    Some(files.collect())
}

#[test]
fn a13_the_cases_have_the_errors_that_they_name() {
    let directory = TempDir::new("khronos-cases");
    directory.write("base.gltf", base().0.to_string().as_bytes());
    for (number, case) in CASES.iter().enumerate() {
        let name = format!("{number:03}.gltf");
        directory.write(&name, changed(case.1).to_string().as_bytes());
    }
    let Some(errors) = khronos_errors(&directory.path) else { return };
    assert_eq!(errors["base.gltf"], [] as [&str; 0]);
    let wrong: Vec<String> = CASES
        .iter()
        .enumerate()
        .filter_map(|(number, case)| {
            let found = &errors[&format!("{number:03}.gltf")];
            let code = format!("\"{}\"", case.0);
            (!found.iter().any(|it| it.starts_with(&code)))
                .then(|| format!("{number} {code}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Lists the pointers of all values outside of data URIs.
fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.into());
    match value {
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(key, it)| pointers(it, &format!("{at}/{key}"), into));
        }
        Value::Object(all) => {
            all.iter().for_each(|(key, it)| pointers(it, &format!("{at}/{key}"), into));
        }
        _ => {}
    }
}

fn mutate(json: &mut Value, all: &[String], rng: &mut Rng) -> String {
    let pointer = &all[1 + rng.below(all.len() - 1)];
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    if rng.one_in(4) {
        match json.pointer_mut(parent).unwrap() {
            Value::Object(members) => _ = members.remove(key),
            Value::Array(items) => _ = items.remove(key.parse().unwrap()),
            _ => unreachable!(),
        }
        return format!("without {pointer}");
    }
    let values = [
        json!(-1),
        json!(0),
        json!(1),
        json!(2),
        json!(7),
        json!(0.5),
        json!(1e9),
        json!("x"),
        json!(""),
        json!([]),
        json!({}),
        json!(true),
        json!([0, 0]),
        json!([1, 1, 1]),
        json!(5121),
        json!("VEC3"),
    ];
    let value = &values[rng.below(values.len())];
    *json.pointer_mut(pointer).unwrap() = value.clone();
    format!("{pointer} = {value}")
}

#[test]
fn a13_random_changes_with_errors_are_errors() {
    let (json, _) = base();
    let mut all = Vec::new();
    pointers(&json, "", &mut all);
    all.retain(|it| !it.starts_with("/buffers/0/uri"));
    let rng = &mut Rng::from_env(13);
    let seed = rng.state();
    let directory = TempDir::new("khronos-random");
    let mut changes = Vec::new();
    for number in 0..Effort::pick(300, 3000) {
        let mut json = json.clone();
        let change = mutate(&mut json, &all, rng);
        directory.write(&format!("{number:04}.gltf"), json.to_string().as_bytes());
        changes.push((change, json));
    }
    let Some(errors) = khronos_errors(&directory.path) else { return };
    let (mut missed, mut found) = (BTreeSet::new(), 0);
    for (number, (change, json)) in changes.iter().enumerate() {
        let theirs = &errors[&format!("{number:04}.gltf")];
        if theirs.is_empty() {
            continue;
        }
        found += 1;
        if own_errors(json).is_empty() {
            missed.insert(format!("{change}: {theirs:?}"));
        }
    }
    assert!(found > 100, "only {found} files have errors");
    assert!(missed.is_empty(), "seed {seed}: {} not reported: {missed:#?}", missed.len());
}

/// The sample models have errors if and only if the Khronos validator reports some. Unknown required
/// extensions are an error here only.
#[test]
fn a13_sample_models_have_errors_where_the_khronos_validator_reports_some() {
    let Some(directory) = testkit::sample_models() else { return };
    let Some(errors) = khronos_errors(&directory) else { return };
    for (name, theirs) in errors {
        let path = directory.join(&name);
        if std::fs::metadata(&path).unwrap().len() > Effort::pick(1 << 20, u64::MAX) {
            continue;
        }
        let validation = Validate::new().strict().file(&path).unwrap();
        if validation.find(ProblemCode::Rejected(ErrorKind::Extension)).is_none() {
            let has_errors = validation.count(Severity::Error) > 0;
            assert_eq!(has_errors, !theirs.is_empty(), "{name}: {theirs:?} {validation:#?}");
        }
    }
}
