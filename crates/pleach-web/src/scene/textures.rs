//! Textures of materials: an image, a sampler and a transform, as 12 numbers.

use glam::Vec2;
use pleach::Material;
use pleach::material::{Image, MagFilter, MinFilter, Sampler, TextureRef, TextureTransform, Wrap};
use wasm_bindgen::prelude::*;

use super::assets::{find, keep};
use crate::fault::Fault;

/// The count of numbers that describe a texture: image, set of texture coordinates, magnification, minification, wrapping in u
/// and v, 1 with a transform, offset (2), rotation, scale (2).
const NUMBERS: usize = 12;

fn texture<'a>(
    material: &'a mut Material,
    name: &str,
) -> Result<&'a mut Option<TextureRef>, Fault> {
    macro_rules! extension {
        ($field:ident) => {
            &mut **material.$field.get_or_insert_default()
        };
    }
    Ok(match name {
        "colorTexture" => &mut material.base_color_texture,
        "metallicRoughnessTexture" => &mut material.metallic_roughness_texture,
        "normalTexture" => &mut material.normal_texture,
        "occlusionTexture" => &mut material.occlusion_texture,
        "emissiveTexture" => &mut material.emissive_texture,
        "clearcoatTexture" => &mut extension!(clearcoat).texture,
        "clearcoatRoughnessTexture" => &mut extension!(clearcoat).roughness_texture,
        "clearcoatNormalTexture" => &mut extension!(clearcoat).normal_texture,
        "sheenColorTexture" => &mut extension!(sheen).color_texture,
        "sheenRoughnessTexture" => &mut extension!(sheen).roughness_texture,
        "specularTexture" => &mut extension!(specular).texture,
        "specularColorTexture" => &mut extension!(specular).color_texture,
        "transmissionTexture" => &mut extension!(transmission).texture,
        "diffuseTransmissionTexture" => &mut extension!(diffuse_transmission).texture,
        "diffuseTransmissionColorTexture" => &mut extension!(diffuse_transmission).color_texture,
        "thicknessTexture" => &mut extension!(volume).thickness_texture,
        "iridescenceTexture" => &mut extension!(iridescence).texture,
        "iridescenceThicknessTexture" => &mut extension!(iridescence).thickness_texture,
        "anisotropyTexture" => &mut extension!(anisotropy).texture,
        _ => return Err(Fault::new("out-of-range", format!("materials have no {name}"))),
    })
}

/// Returns the numbers of a texture, or nothing if the material has none there. Filters are numbers of OpenGL, or 0.
#[wasm_bindgen]
pub fn texture_get(material: f64, name: &str) -> Result<Vec<f64>, JsValue> {
    let mut material = find::<Material>(material)?.get().value().clone();
    let Some(texture) = texture(&mut material, name)? else { return Ok(Vec::new()) };
    let Sampler { mag_filter, min_filter, wrap_u, wrap_v } = texture.sampler;
    let mag = mag_filter.map_or(0.0, |filter| match filter {
        MagFilter::Nearest => 9728.0,
        MagFilter::Linear => 9729.0,
    });
    let min = min_filter.map_or(0.0, |filter| match filter {
        MinFilter::Nearest => 9728.0,
        MinFilter::Linear => 9729.0,
        MinFilter::NearestMipmapNearest => 9984.0,
        MinFilter::LinearMipmapNearest => 9985.0,
        MinFilter::NearestMipmapLinear => 9986.0,
        MinFilter::LinearMipmapLinear => 9987.0,
    });
    let wrap = |wrap| match wrap {
        Wrap::Repeat => 10497.0,
        Wrap::MirroredRepeat => 33648.0,
        Wrap::ClampToEdge => 33071.0,
    };
    let transform = texture.transform.unwrap_or_default();
    let mut numbers = vec![keep(&texture.image), f64::from(texture.uv_set), mag, min];
    numbers.extend([wrap(wrap_u), wrap(wrap_v), f64::from(u32::from(texture.transform.is_some()))]);
    let TextureTransform { offset, rotation, scale } = transform;
    numbers.extend([offset.x, offset.y, rotation, scale.x, scale.y].map(f64::from));
    Ok(numbers)
}

/// Sets a texture from such numbers, or removes it.
#[wasm_bindgen]
pub fn texture_set(material: f64, name: &str, numbers: &[f64]) -> Result<(), JsValue> {
    let handle = find::<Material>(material)?;
    let mut material = handle.get().value().clone();
    *texture(&mut material, name)? =
        if numbers.is_empty() { None } else { Some(to_texture(name, numbers)?) };
    handle.set(material);
    Ok(())
}

fn to_texture(name: &str, numbers: &[f64]) -> Result<TextureRef, Fault> {
    let &[image, uv_set, mag, min, wrap_u, wrap_v, has_transform, ox, oy, rotation, sx, sy] =
        numbers
    else {
        return Err(Fault::length(name, numbers.len(), NUMBERS));
    };
    if [ox, oy, rotation, sx, sy].iter().any(|number| !number.is_finite()) {
        return Err(Fault::new("not-finite", format!("the transform of {name} must be finite")));
    }
    let wrap = |number: f64| match number as u32 {
        33648 => Wrap::MirroredRepeat,
        33071 => Wrap::ClampToEdge,
        _ => Wrap::Repeat,
    };
    let sampler = Sampler {
        mag_filter: match mag as u32 {
            9728 => Some(MagFilter::Nearest),
            9729 => Some(MagFilter::Linear),
            _ => None,
        },
        min_filter: match min as u32 {
            9728 => Some(MinFilter::Nearest),
            9729 => Some(MinFilter::Linear),
            9984 => Some(MinFilter::NearestMipmapNearest),
            9985 => Some(MinFilter::LinearMipmapNearest),
            9986 => Some(MinFilter::NearestMipmapLinear),
            9987 => Some(MinFilter::LinearMipmapLinear),
            _ => None,
        },
        wrap_u: wrap(wrap_u),
        wrap_v: wrap(wrap_v),
    };
    let transform = (has_transform != 0.0).then(|| TextureTransform {
        offset: Vec2::new(ox as f32, oy as f32),
        rotation: rotation as f32,
        scale: Vec2::new(sx as f32, sy as f32),
    });
    Ok(TextureRef { image: find::<Image>(image)?, sampler, uv_set: uv_set as u32, transform })
}
