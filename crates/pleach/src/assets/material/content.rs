//! The content of a material, bit for bit: see `Content`.
//!
//! Every struct is taken apart without `..`, so that a new field cannot be forgotten.

use std::hash::Hash;

use super::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular, TextureRef,
    TextureTransform, Transmission, Volume,
};
use crate::AlphaMode;
use crate::content::Content;

fn write_texture(content: &mut Content, texture: Option<&TextureRef>) {
    content.write_option(texture, |content, texture| {
        let TextureRef { image, sampler, uv_set, transform } = texture;
        content.write_asset(image);
        (sampler, uv_set).hash(content);
        content.write_option(transform.as_ref(), |content, transform| {
            let &TextureTransform { offset, rotation, scale } = transform;
            content.write_numbers(&[offset.x, offset.y, rotation, scale.x, scale.y]);
        });
    });
}

fn write_textures<const N: usize>(content: &mut Content, textures: [&Option<TextureRef>; N]) {
    textures.into_iter().for_each(|texture| write_texture(content, texture.as_ref()));
}

impl Material {
    pub(super) fn write_to(&self, content: &mut Content) {
        let Self {
            name,
            base_color,
            base_color_texture,
            metallic,
            roughness,
            metallic_roughness_texture,
            normal_texture,
            normal_scale,
            occlusion_texture,
            occlusion_strength,
            emissive,
            emissive_texture,
            emissive_strength,
            alpha_mode,
            double_sided,
            unlit,
            ior,
            dispersion,
            clearcoat,
            sheen,
            specular,
            transmission,
            diffuse_transmission,
            volume,
            iridescence,
            anisotropy,
        } = self;
        (name, double_sided, unlit).hash(content);
        let (cutoff, mode) = match *alpha_mode {
            AlphaMode::Opaque => (0.0, 0_u8),
            AlphaMode::Mask { cutoff } => (cutoff, 1),
            AlphaMode::Blend => (0.0, 2),
        };
        mode.hash(content);
        content.write_rows(&[*base_color]);
        content.write_rows(&[*emissive]);
        content.write_numbers(&[
            *metallic,
            *roughness,
            *normal_scale,
            *occlusion_strength,
            *emissive_strength,
            cutoff,
            *ior,
            *dispersion,
        ]);
        write_textures(
            content,
            [
                base_color_texture,
                metallic_roughness_texture,
                normal_texture,
                occlusion_texture,
                emissive_texture,
            ],
        );
        content.write_option(clearcoat.as_deref(), write_clearcoat);
        content.write_option(sheen.as_deref(), write_sheen);
        content.write_option(specular.as_deref(), write_specular);
        content.write_option(transmission.as_deref(), write_transmission);
        content.write_option(diffuse_transmission.as_deref(), write_diffuse_transmission);
        content.write_option(volume.as_deref(), write_volume);
        content.write_option(iridescence.as_deref(), write_iridescence);
        content.write_option(anisotropy.as_deref(), write_anisotropy);
    }
}

fn write_clearcoat(content: &mut Content, it: &Clearcoat) {
    let Clearcoat { factor, texture, roughness, roughness_texture, normal_texture, normal_scale } =
        it;
    content.write_numbers(&[*factor, *roughness, *normal_scale]);
    write_textures(content, [texture, roughness_texture, normal_texture]);
}

fn write_sheen(content: &mut Content, it: &Sheen) {
    let Sheen { color, color_texture, roughness, roughness_texture } = it;
    content.write_numbers(&[color.x, color.y, color.z, *roughness]);
    write_textures(content, [color_texture, roughness_texture]);
}

fn write_specular(content: &mut Content, it: &Specular) {
    let Specular { factor, texture, color, color_texture } = it;
    content.write_numbers(&[*factor, color.x, color.y, color.z]);
    write_textures(content, [texture, color_texture]);
}

fn write_transmission(content: &mut Content, it: &Transmission) {
    let Transmission { factor, texture } = it;
    content.write_numbers(&[*factor]);
    write_textures(content, [texture]);
}

fn write_diffuse_transmission(content: &mut Content, it: &DiffuseTransmission) {
    let DiffuseTransmission { factor, texture, color, color_texture } = it;
    content.write_numbers(&[*factor, color.x, color.y, color.z]);
    write_textures(content, [texture, color_texture]);
}

fn write_volume(content: &mut Content, it: &Volume) {
    let Volume { thickness, thickness_texture, attenuation_distance, attenuation_color: color } =
        it;
    content.write_numbers(&[*thickness, *attenuation_distance, color.x, color.y, color.z]);
    write_textures(content, [thickness_texture]);
}

fn write_iridescence(content: &mut Content, it: &Iridescence) {
    let Iridescence { factor, texture, ior, thickness_min, thickness_max, thickness_texture } = it;
    content.write_numbers(&[*factor, *ior, *thickness_min, *thickness_max]);
    write_textures(content, [texture, thickness_texture]);
}

fn write_anisotropy(content: &mut Content, it: &Anisotropy) {
    let Anisotropy { strength, rotation, texture } = it;
    content.write_numbers(&[*strength, *rotation]);
    write_textures(content, [texture]);
}
