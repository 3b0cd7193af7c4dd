//! Materials: numbers by the names that JavaScript gives them.
//!
//! An extension that a material does not have reads as its default, and is added by the first write.

use glam::{Vec3, Vec4};
use pleach::Material;
use pleach::material::AlphaMode;
use wasm_bindgen::prelude::*;

use super::assets::{create, find};
use crate::fault::Fault;

/// A number, colour or flag of a material.
enum Field<'a> {
    Number(&'a mut f32),
    Color(&'a mut Vec3),
    BaseColor(&'a mut Vec4),
    Opacity(&'a mut Vec4),
    Flag(&'a mut bool),
    AlphaMode(&'a mut AlphaMode),
    AlphaCutoff(&'a mut AlphaMode),
}

const DEFAULT_CUTOFF: f32 = 0.5;

fn field<'a>(material: &'a mut Material, name: &str) -> Result<Field<'a>, Fault> {
    macro_rules! extension {
        ($field:ident) => {
            &mut **material.$field.get_or_insert_default()
        };
    }
    Ok(match name {
        "color" => Field::BaseColor(&mut material.base_color),
        "opacity" => Field::Opacity(&mut material.base_color),
        "metallic" => Field::Number(&mut material.metallic),
        "roughness" => Field::Number(&mut material.roughness),
        "normalScale" => Field::Number(&mut material.normal_scale),
        "occlusionStrength" => Field::Number(&mut material.occlusion_strength),
        "emissive" => Field::Color(&mut material.emissive),
        "emissiveStrength" => Field::Number(&mut material.emissive_strength),
        "alphaMode" => Field::AlphaMode(&mut material.alpha_mode),
        "alphaCutoff" => Field::AlphaCutoff(&mut material.alpha_mode),
        "doubleSided" => Field::Flag(&mut material.double_sided),
        "unlit" => Field::Flag(&mut material.unlit),
        "ior" => Field::Number(&mut material.ior),
        "dispersion" => Field::Number(&mut material.dispersion),
        "clearcoat" => Field::Number(&mut extension!(clearcoat).factor),
        "clearcoatRoughness" => Field::Number(&mut extension!(clearcoat).roughness),
        "clearcoatNormalScale" => Field::Number(&mut extension!(clearcoat).normal_scale),
        "sheenColor" => Field::Color(&mut extension!(sheen).color),
        "sheenRoughness" => Field::Number(&mut extension!(sheen).roughness),
        "specular" => Field::Number(&mut extension!(specular).factor),
        "specularColor" => Field::Color(&mut extension!(specular).color),
        "transmission" => Field::Number(&mut extension!(transmission).factor),
        "diffuseTransmission" => Field::Number(&mut extension!(diffuse_transmission).factor),
        "diffuseTransmissionColor" => Field::Color(&mut extension!(diffuse_transmission).color),
        "thickness" => Field::Number(&mut extension!(volume).thickness),
        "attenuationDistance" => Field::Number(&mut extension!(volume).attenuation_distance),
        "attenuationColor" => Field::Color(&mut extension!(volume).attenuation_color),
        "iridescence" => Field::Number(&mut extension!(iridescence).factor),
        "iridescenceIor" => Field::Number(&mut extension!(iridescence).ior),
        "iridescenceThicknessMin" => Field::Number(&mut extension!(iridescence).thickness_min),
        "iridescenceThicknessMax" => Field::Number(&mut extension!(iridescence).thickness_max),
        "anisotropy" => Field::Number(&mut extension!(anisotropy).strength),
        "anisotropyRotation" => Field::Number(&mut extension!(anisotropy).rotation),
        _ => return Err(Fault::new("out-of-range", format!("materials have no {name}"))),
    })
}

/// Creates a material, and returns its id.
#[wasm_bindgen]
pub fn material_new() -> f64 {
    create(Material { metallic: 0.0, ..Material::default() })
}

/// Returns a field of a material: one number, or three of a colour. Flags are 0 or 1; the alpha mode is 0 opaque, 1
/// mask, 2 blend.
#[wasm_bindgen]
pub fn material_get(id: f64, name: &str) -> Result<Vec<f32>, JsValue> {
    let mut material = find::<Material>(id)?.get().value().clone();
    Ok(match field(&mut material, name)? {
        Field::Number(value) => vec![*value],
        Field::Color(color) => color.to_array().to_vec(),
        Field::BaseColor(color) => color.truncate().to_array().to_vec(),
        Field::Opacity(color) => vec![color.w],
        Field::Flag(flag) => vec![f32::from(*flag)],
        Field::AlphaMode(mode) => vec![match mode {
            AlphaMode::Opaque => 0.0,
            AlphaMode::Mask { .. } => 1.0,
            AlphaMode::Blend => 2.0,
        }],
        Field::AlphaCutoff(mode) => vec![match mode {
            AlphaMode::Mask { cutoff } => *cutoff,
            _ => DEFAULT_CUTOFF,
        }],
    })
}

/// Sets a field of a material for everything that uses it.
#[wasm_bindgen]
pub fn material_set(id: f64, name: &str, values: &[f32]) -> Result<(), JsValue> {
    let handle = find::<Material>(id)?;
    let mut material = handle.get().value().clone();
    write(&mut material, name, values)?;
    handle.set(material);
    Ok(())
}

fn write(material: &mut Material, name: &str, values: &[f32]) -> Result<(), Fault> {
    let may_be_infinite = name == "attenuationDistance";
    if values.iter().any(|value| value.is_nan() || (value.is_infinite() && !may_be_infinite)) {
        return Err(Fault::new("not-finite", format!("{name} must be finite; it is {values:?}")));
    }
    let one = || match values {
        [value] => Ok(*value),
        _ => Err(Fault::length(name, values.len(), 1)),
    };
    let three = || match values {
        [x, y, z] => Ok(Vec3::new(*x, *y, *z)),
        _ => Err(Fault::length(&format!("the colour {name}"), values.len(), 3)),
    };
    match field(material, name)? {
        Field::Number(number) => *number = one()?,
        Field::Color(color) => *color = three()?,
        Field::BaseColor(color) => *color = three()?.extend(color.w),
        Field::Opacity(color) => color.w = one()?,
        Field::Flag(flag) => *flag = one()? != 0.0,
        Field::AlphaMode(mode) => {
            *mode = match (one()?, *mode) {
                (1.0, AlphaMode::Mask { cutoff }) => AlphaMode::Mask { cutoff },
                (1.0, _) => AlphaMode::Mask { cutoff: DEFAULT_CUTOFF },
                (2.0, _) => AlphaMode::Blend,
                _ => AlphaMode::Opaque,
            };
        }
        Field::AlphaCutoff(mode) => *mode = AlphaMode::Mask { cutoff: one()? },
    }
    Ok(())
}
