//! Composes the text of shader modules.

use std::fmt::Write as _;

use pleach_shading::overlay::{LIGHT_LUMA, OCCLUSION_TOLERANCE, OUTLINE_COLOR, OccludedLines};

use crate::Tier;
use crate::pipeline::key::{
    Alpha, Attributes, Illumination, Lobes, Pass, ShaderKey, TEXTURES, texture_bit,
};
use crate::upload::TextureSlot;

const VERTEX: &str = include_str!("vertex.wgsl");
const DATA_FULL: &str = include_str!("data_full.wgsl");
const DATA_LIMITED: &str = include_str!("data_limited.wgsl");
const FRAME_LIGHT: &str = include_str!("frame_light.wgsl");
const BRDF_SURFACE: &str = include_str!("brdf_surface.wgsl");
const ENVIRONMENT: &str = include_str!("environment.wgsl");
const SCENE_DATA: &str = include_str!("scene_data.wgsl");
const FRAME: &str = include_str!("frame.wgsl");
const SHADOW_FRAME: &str = include_str!("shadow_frame.wgsl");
const MATERIAL: &str = include_str!("material.wgsl");
const LIGHT: &[&str] = &[
    TONE_MAPPING,
    COLORS,
    FRAME_LIGHT,
    BRDF_SURFACE,
    include_str!("brdf_ggx.wgsl"),
    include_str!("brdf_fresnel.wgsl"),
    include_str!("brdf_diffuse.wgsl"),
    include_str!("brdf_anisotropy.wgsl"),
    include_str!("brdf_clearcoat.wgsl"),
    include_str!("brdf_sheen.wgsl"),
    include_str!("brdf_iridescence.wgsl"),
    include_str!("brdf_transmission.wgsl"),
    include_str!("brdf_shading.wgsl"),
    ENVIRONMENT,
    include_str!("punctual.wgsl"),
    include_str!("shadow.wgsl"),
    include_str!("surface.wgsl"),
    include_str!("storable_light.wgsl"),
    include_str!("light.wgsl"),
];
const LIGHTS_FULL: &str = include_str!("lights_full.wgsl");
const LIGHTS_LIMITED: &str = include_str!("lights_limited.wgsl");
const SCREEN: &str = include_str!("screen.wgsl");
const NO_SCREEN: &str = include_str!("no_screen.wgsl");
const IDS: &str = include_str!("ids.wgsl");
const SHADOW_CASTER: &str = include_str!("shadow_caster.wgsl");
const TONE_MAPPING: &str = include_str!("tone_mapping.wgsl");
const TONE_MAP_PASS: &str = include_str!("tone_map_pass.wgsl");
const COLORS: &str = include_str!("colors.wgsl");
const BACKGROUND: &str = include_str!("background.wgsl");
const DOWNSAMPLE: &str = include_str!("downsample.wgsl");
const OVERLAY: &str = include_str!("overlay.wgsl");
const OVERLAY_LINES: &str = include_str!("overlay_lines.wgsl");
const OVERLAY_LAYER: &str = include_str!("overlay_layer.wgsl");
const OVERLAY_OUTLINE: &str = include_str!("overlay_outline.wgsl");

/// Returns the shader that draws surfaces, with the entry points `vertex` and `fragment`.
pub(crate) fn surface(key: ShaderKey) -> String {
    let mut text = constants(key);
    text += &vertex_input(key.attributes);
    text += &textures(key.textures);
    let data = match key.tier {
        Tier::Full => DATA_FULL,
        Tier::Limited => DATA_LIMITED,
    };
    let frame = if key.pass == Pass::Shadow { SHADOW_FRAME } else { FRAME };
    let pass: &[&str] = match key.pass {
        Pass::Light => LIGHT,
        Pass::Ids => &[IDS],
        Pass::Shadow => &[SHADOW_CASTER],
    };
    if key.pass == Pass::Light {
        text += if key.tier == Tier::Full { LIGHTS_FULL } else { LIGHTS_LIMITED };
        text += if key.reads_screen() { SCREEN } else { NO_SCREEN };
    }
    for file in [frame, data, SCENE_DATA, VERTEX, MATERIAL].iter().chain(pass) {
        text += file;
    }
    text
}

/// Returns the shader of the tone mapping pass, which reads `samples` samples of each pixel.
pub(crate) fn tone_map_pass(samples: u32, unmultiply: bool, encode_srgb: bool) -> String {
    let texture = if samples > 1 { "texture_multisampled_2d<f32>" } else { "texture_2d<f32>" };
    let level = if samples > 1 { "i" } else { "0" };
    format!(
        "const SAMPLES: i32 = {samples};\n\
         const UNMULTIPLY: bool = {unmultiply};\n\
         const ENCODE_SRGB: bool = {encode_srgb};\n\
         @group(0) @binding(1) var light_texture: {texture};\n\
         fn load_light(pixel: vec2i, i: i32) -> vec4f {{\n    \
             return textureLoad(light_texture, pixel, {level});\n}}\n\
         {TONE_MAPPING}{TONE_MAP_PASS}"
    )
}

/// Returns the shader of the background.
pub(crate) fn background() -> String {
    [FRAME, FRAME_LIGHT, TONE_MAPPING, COLORS, BRDF_SURFACE, ENVIRONMENT, BACKGROUND].concat()
}

/// Returns the shader that computes a level of a mip chain.
pub(crate) fn downsample() -> &'static str {
    DOWNSAMPLE
}

/// Returns the shader that draws the lines of overlays into a layer.
pub(crate) fn overlay_lines() -> String {
    overlay(false, OVERLAY_LINES)
}

/// Returns the shader that blends a layer of lines over a target. An sRGB one encodes colours itself.
pub(crate) fn overlay_layer(is_srgb_target: bool) -> String {
    overlay(is_srgb_target, OVERLAY_LAYER)
}

/// Returns the shader of the outline of selected nodes. An sRGB target encodes colours itself.
pub(crate) fn overlay_outline(is_srgb_target: bool) -> String {
    overlay(is_srgb_target, OVERLAY_OUTLINE)
}

fn overlay(is_srgb_target: bool, file: &str) -> String {
    let [red, green, blue] = OUTLINE_COLOR.map(|channel| f32::from(channel) / 255.0);
    format!(
        "const IS_SRGB_TARGET: bool = {is_srgb_target};\n\
         const FAINT_ALPHA: f32 = {:?};\n\
         const OCCLUSION_TOLERANCE: f32 = {OCCLUSION_TOLERANCE:?};\n\
         const LIGHT_LUMA: f32 = {:?};\n\
         const OUTLINE_COLOR = vec3<f32>({red:?}, {green:?}, {blue:?});\n\
         {OVERLAY}{file}",
        OccludedLines::Faint.alpha(),
        f32::from(LIGHT_LUMA) / 255.0,
    )
}

fn constants(key: ShaderKey) -> String {
    let mut text = String::from("const NONE: u32 = 0xffffffffu;\n");
    let mut flag = |name: &str, value: bool| {
        _ = writeln!(text, "const {name}: bool = {value};");
    };
    let attributes = [
        ("HAS_NORMALS", Attributes::NORMALS),
        ("HAS_TANGENTS", Attributes::TANGENTS),
        ("HAS_SKIN", Attributes::SKIN),
        ("HAS_MORPHS", Attributes::MORPHS),
        ("HAS_INSTANCES", Attributes::INSTANCES),
    ];
    for (name, attribute) in attributes {
        flag(name, key.attributes.has(attribute));
    }
    let lobes = [
        ("HAS_CLEARCOAT", Lobes::CLEARCOAT),
        ("HAS_SHEEN", Lobes::SHEEN),
        ("HAS_SPECULAR", Lobes::SPECULAR),
        ("HAS_TRANSMISSION", Lobes::TRANSMISSION),
        ("HAS_VOLUME", Lobes::VOLUME),
        ("HAS_DIFFUSE_TRANSMISSION", Lobes::DIFFUSE_TRANSMISSION),
        ("HAS_IRIDESCENCE", Lobes::IRIDESCENCE),
        ("HAS_ANISOTROPY", Lobes::ANISOTROPY),
        ("HAS_DISPERSION", Lobes::DISPERSION),
    ];
    for (name, lobe) in lobes {
        flag(name, key.lobes.has(lobe));
    }
    for (slot, name) in [
        (TextureSlot::Normal, "HAS_NORMAL_MAP"),
        (TextureSlot::ClearcoatNormal, "HAS_CLEARCOAT_NORMAL_MAP"),
        (TextureSlot::Anisotropy, "HAS_ANISOTROPY_MAP"),
    ] {
        flag(name, key.textures & texture_bit(slot) != 0);
    }
    // The coordinates of the normal map, or of the texture of the anisotropy.
    let has_normal_map = key.textures & texture_bit(TextureSlot::Normal) != 0;
    let slot = if has_normal_map { TextureSlot::Normal } else { TextureSlot::Anisotropy };
    _ = writeln!(text, "const ANISOTROPY_UV_SLOT: u32 = {}u;", slot as u32);
    let mut flag = |name: &str, value: bool| {
        _ = writeln!(text, "const {name}: bool = {value};");
    };
    flag("IS_MASKED", key.alpha == Alpha::Masked);
    flag("IS_BLENDED", key.alpha == Alpha::Blended);
    flag("IS_UNLIT", key.illumination != Illumination::Lit);
    flag("HAS_EMISSION", key.illumination != Illumination::Unlit);
    text
}

/// The attributes with their locations in shaders and vertex buffers, which are the same in all
/// variants, their WGSL types, and the values of absent ones.
const POSITION_LOCATION: u32 = 2;
/// The location of the first set of joints; its weights, and further sets, follow.
const SKIN_LOCATION: u32 = 8;
const ATTRIBUTES: [(Attributes, u32, &str, &str, &str); 5] = [
    (Attributes::NORMALS, 3, "normal", "vec3f", "vec3f(0.0)"),
    (Attributes::TANGENTS, 4, "tangent", "vec4f", "vec4f(0.0, 0.0, 0.0, 1.0)"),
    (Attributes::UV0, 5, "uv0", "vec2f", "vec2f(0.0)"),
    (Attributes::UV1, 6, "uv1", "vec2f", "vec2f(0.0)"),
    (Attributes::COLORS, 7, "color", "vec4f", "vec4f(1.0)"),
];

fn vertex_input(attributes: Attributes) -> String {
    let mut members = String::new();
    let mut functions = String::new();
    for (attribute, location, name, kind, absent) in ATTRIBUTES {
        let value = if attributes.has(attribute) {
            _ = writeln!(members, "    @location({location}) {name}: {kind},");
            format!("in.{name}")
        } else {
            absent.to_owned()
        };
        _ = writeln!(
            functions,
            "fn attribute_{name}(in: VertexInput) -> {kind} {{ return {value}; }}"
        );
    }
    let mut influences = String::new();
    for (set, attribute) in [Attributes::SKIN, Attributes::SKIN2].into_iter().enumerate() {
        if attributes.has(attribute) {
            let location = SKIN_LOCATION as usize + 2 * set;
            _ = writeln!(members, "    @location({location}) joints{set}: vec4u,");
            _ = writeln!(members, "    @location({}) weights{set}: vec4f,", location + 1);
            for axis in ["x", "y", "z", "w"] {
                _ = writeln!(
                    influences,
                    "    add_joint(&sum, first + in.joints{set}.{axis}, in.weights{set}.{axis});"
                );
            }
        }
    }
    _ = write!(
        functions,
        "fn skin_matrix(in: VertexInput) -> Affine {{\n    var sum: Affine;\n    \
         let first = in.record.y;\n{influences}    return sum;\n}}\n"
    );
    format!(
        "struct VertexInput {{\n    @builtin(vertex_index) index: u32,\n    \
         // World slot, first joint matrix, morph record, instance matrix.\n    \
         @location(0) record: vec4u,\n    \
         // Generation, part, instance, layers.\n    @location(1) ids: vec4u,\n    \
         @location({POSITION_LOCATION}) position: vec3f,\n{members}}}\n{functions}\
         fn attribute_uvs(in: VertexInput) -> vec4f {{\n    \
         return vec4f(attribute_uv0(in), attribute_uv1(in));\n}}\n"
    )
}

/// Returns the bindings of a material's textures, and a function that samples each, which returns
/// white if there is no texture.
fn textures(present: u32) -> String {
    let mut text = String::new();
    let mut binding = 1;
    for (slot, name) in TEXTURES {
        let number = slot as u32;
        let value = if present & texture_bit(slot) == 0 {
            "vec4f(1.0)".to_owned()
        } else {
            _ = write!(
                text,
                "@group(2) @binding({binding}) var {name}_texture: texture_2d<f32>;\n\
                 @group(2) @binding({}) var {name}_sampler: sampler;\n",
                binding + 1,
            );
            binding += 2;
            format!("textureSample({name}_texture, {name}_sampler, texture_uv(uv, {number}u))")
        };
        _ = writeln!(text, "fn sample_{name}(uv: vec4f) -> vec4f {{ return {value}; }}");
    }
    text
}
