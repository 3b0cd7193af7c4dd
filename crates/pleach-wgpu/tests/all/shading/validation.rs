//! Validation by naga, without a GPU.

use super::{BRDF, PUNCTUAL, TONE_MAPPING};

/// The functions that the including module supplies.
const SUPPLIED: &str = "
fn ggx_lut(n_dot_v: f32, roughness: f32) -> vec2f { return vec2f(1.0 - roughness, 0.0); }
fn charlie_lut(n_dot_v: f32, roughness: f32) -> f32 { return 0.1; }
fn environment_row(index: u32) -> vec4f { return vec4f(f32(index)); }
fn environment_cube(direction: vec3f, lod: f32) -> vec3f { return direction; }
";

fn assert_valid(source: &str, name: &str) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(source)));
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    );
    let result = validator.validate(&module);
    assert!(result.is_ok(), "{name}: {:?}", result.err());
}

#[test]
fn each_shader_of_reflectance_is_valid_after_those_that_it_uses() {
    let mut source = SUPPLIED.to_owned();
    for file in BRDF {
        source.push_str(file);
        assert_valid(&source, file.lines().next().unwrap_or_default());
    }
}

#[test]
fn punctual_lights_and_tone_mapping_are_valid_alone() {
    assert_valid(PUNCTUAL, "punctual.wgsl");
    assert_valid(TONE_MAPPING, "tone_mapping.wgsl");
}
