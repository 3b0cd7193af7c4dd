//! Every shader is valid WGSL, and those of the limited tier are valid for WebGL2: parsed, validated and
//! translated by naga, without a GPU.

use bytemuck::Zeroable as _;
use naga::back::glsl;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use pleach_wgpu::shader_variants;
use pleach_wgpu::upload::MaterialBlock;

#[test]
fn every_variant_is_valid() {
    let variants = shader_variants();
    assert!(variants.len() > 300, "{} variants", variants.len());
    let mut translated = 0;
    for (name, text) in &variants {
        let module = match naga::front::wgsl::parse_str(text) {
            Ok(module) => module,
            Err(error) => panic!("{name}: {}", error.emit_to_string(text)),
        };
        // What WebGPU guarantees.
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = match validator.validate(&module) {
            Ok(info) => info,
            Err(error) => panic!("{name}: {}", error.emit_to_string(text)),
        };
        assert!(!module.entry_points.is_empty(), "{name}");
        // Compute shaders and samples of multisampled textures are those of the full tier.
        let is_limited = !name.contains("tier: Full") && !name.contains("tone mapping of 4");
        if is_limited && name != "scatter" {
            translated += 1;
            translate(name, &module, &info);
        }
    }
    assert!(translated > 150, "{translated} of {} variants", variants.len());
    let has = |feature: &str| variants.iter().filter(|(_, text)| text.contains(feature)).count();
    for feature in ["HAS_INSTANCES: bool = true", "HAS_MORPHS: bool = true", "@compute"] {
        assert!(has(feature) > 0, "{feature}");
    }
}

/// Translates a module to the GLSL of WebGL2, which lacks some functions of WGSL.
fn translate(name: &str, module: &naga::Module, info: &ModuleInfo) {
    let options = glsl::Options {
        version: glsl::Version::Embedded { version: 300, is_webgl: true },
        ..glsl::Options::default()
    };
    for entry in &module.entry_points {
        let pipeline = glsl::PipelineOptions {
            shader_stage: entry.stage,
            entry_point: entry.name.clone(),
            multiview: None,
        };
        let mut text = String::new();
        let policies = naga::proc::BoundsCheckPolicies::default();
        let writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies);
        let result = writer.and_then(|mut writer| writer.write());
        assert!(result.is_ok(), "{name}, {}: {result:?}", entry.name);
    }
}

/// Offset and size of each member of a struct, by name.
fn members(module: &naga::Module, name: &str) -> (Vec<(String, u32, u32)>, u32) {
    let found = module.types.iter().find(|(_, it)| it.name.as_deref() == Some(name));
    let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, span }, .. })) = found
    else {
        panic!("the shader lacks the struct {name}");
    };
    let members = members.iter().map(|it| {
        let size = module.types[it.ty].inner.size(module.to_ctx());
        (it.name.clone().unwrap_or_default(), it.offset, size)
    });
    (members.collect(), *span)
}

/// Offset and size of each field of a block, by name.
macro_rules! fields {
    ($block:ident: $($field:ident),* $(,)?) => {{
        let block = $block::zeroed();
        vec![$((
            stringify!($field).to_owned(),
            std::mem::offset_of!($block, $field) as u32,
            size_of_val(&block.$field) as u32,
        )),*]
    }};
}

#[test]
fn the_block_of_a_material_has_the_layout_of_the_shader() {
    let expected = fields!(MaterialBlock:
        base_color, emissive, alpha_cutoff, metallic, roughness, normal_scale, occlusion_strength,
        ior, dispersion, clearcoat, clearcoat_roughness, sheen_color, sheen_roughness,
        specular_color, specular, transmission, diffuse_transmission, thickness,
        attenuation_distance, attenuation_color, clearcoat_normal_scale,
        diffuse_transmission_color, iridescence, iridescence_ior, iridescence_thickness_min,
        iridescence_thickness_max, anisotropy, anisotropy_rotation, uv_transforms,
    );
    let mut modules = 0;
    for (name, text) in shader_variants() {
        if text.contains("struct Material {") {
            let module = naga::front::wgsl::parse_str(&text).expect("it is valid");
            let (members, span) = members(&module, "Material");
            assert_eq!(members, expected, "{name}");
            assert_eq!(span as usize, size_of::<MaterialBlock>(), "{name}");
            modules += 1;
            // All variants share the file.
            if modules == 10 {
                break;
            }
        }
    }
    assert_eq!(modules, 10);
}
