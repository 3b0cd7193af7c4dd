//! The parameters that glTF's ratified extensions add to a material. Each is boxed there, so that a
//! plain material stays small; each default is that of the extension, which has no effect.

use glam::Vec3;

use super::TextureRef;

/// A clear coating: KHR_materials_clearcoat.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearcoat {
    /// The strength, from 0 to 1.
    pub factor: f32,
    /// The texture of the strength, in red.
    pub texture: Option<TextureRef>,
    /// The roughness, from 0 (a mirror) to 1.
    pub roughness: f32,
    /// The texture of the roughness, in green.
    pub roughness_texture: Option<TextureRef>,
    /// The normals of the coating; without, those of the geometry.
    pub normal_texture: Option<TextureRef>,
    /// The factor of the normals' x and y.
    pub normal_scale: f32,
}

impl Default for Clearcoat {
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            roughness: 0.0,
            roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
        }
    }
}

/// Retroreflective fibres, such as velvet: KHR_materials_sheen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheen {
    /// The linear colour of the reflection; black for none.
    pub color: Vec3,
    /// The texture of the colour, in sRGB.
    pub color_texture: Option<TextureRef>,
    /// The roughness, from 0 to 1.
    pub roughness: f32,
    /// The texture of the roughness, in alpha.
    pub roughness_texture: Option<TextureRef>,
}

/// The specular reflection of dielectrics: KHR_materials_specular.
#[derive(Clone, Debug, PartialEq)]
pub struct Specular {
    /// The strength of the reflection, from 0 to 1.
    pub factor: f32,
    /// The texture of the strength, in alpha.
    pub texture: Option<TextureRef>,
    /// The linear colour that the reflectance at normal incidence (F0) is multiplied by.
    pub color: Vec3,
    /// The texture of the colour, in sRGB.
    pub color_texture: Option<TextureRef>,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, texture: None, color: Vec3::ONE, color_texture: None }
    }
}

/// Transmission of light through a thin surface: KHR_materials_transmission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// The fraction of light that is transmitted instead of reflected diffusely, from 0 to 1.
    pub factor: f32,
    /// The texture of the fraction, in red.
    pub texture: Option<TextureRef>,
}

/// Transmission of light that is scattered, such as through a leaf or a lampshade:
/// KHR_materials_diffuse_transmission.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffuseTransmission {
    /// The fraction of diffuse light that is transmitted instead of reflected, from 0 to 1.
    pub factor: f32,
    /// The texture of the fraction, in alpha.
    pub texture: Option<TextureRef>,
    /// The linear colour of the transmitted light.
    pub color: Vec3,
    /// The texture of the colour, in sRGB.
    pub color_texture: Option<TextureRef>,
}

impl Default for DiffuseTransmission {
    fn default() -> Self {
        Self { factor: 0.0, texture: None, color: Vec3::ONE, color_texture: None }
    }
}

/// The volume inside of a closed transmissive surface: KHR_materials_volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// The thickness in the geometry's space; 0 for a thin surface.
    pub thickness: f32,
    /// The texture of the thickness, in green.
    pub thickness_texture: Option<TextureRef>,
    /// The distance in world space after which white light has the attenuation colour. May be
    /// infinite.
    pub attenuation_distance: f32,
    /// The linear colour of white light after that distance.
    pub attenuation_color: Vec3,
}

impl Default for Volume {
    fn default() -> Self {
        Self {
            thickness: 0.0,
            thickness_texture: None,
            attenuation_distance: f32::INFINITY,
            attenuation_color: Vec3::ONE,
        }
    }
}

/// A thin film whose colour depends on the angle: KHR_materials_iridescence.
#[derive(Clone, Debug, PartialEq)]
pub struct Iridescence {
    /// The strength, from 0 to 1.
    pub factor: f32,
    /// The texture of the strength, in red.
    pub texture: Option<TextureRef>,
    /// The film's index of refraction.
    pub ior: f32,
    /// The film's thickness in nanometres where the texture is 0.
    pub thickness_min: f32,
    /// The film's thickness in nanometres where the texture is 1, or without a texture.
    pub thickness_max: f32,
    /// The texture of the thickness, in green.
    pub thickness_texture: Option<TextureRef>,
}

impl Default for Iridescence {
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            ior: 1.3,
            thickness_min: 100.0,
            thickness_max: 400.0,
            thickness_texture: None,
        }
    }
}

/// Reflections stretched in one direction, such as on brushed metal: KHR_materials_anisotropy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// The strength, from 0 to 1.
    pub strength: f32,
    /// The direction: radians counter-clockwise from the tangent.
    pub rotation: f32,
    /// The texture: directions in red and green, strength in blue.
    pub texture: Option<TextureRef>,
}
