//! What glTF's ratified extensions add to a material. Each is boxed there, so that a plain
//! material stays small; each default is the extension's, which changes nothing.

use glam::Vec3;

use super::TextureRef;

/// A clear layer on top of a material: KHR_materials_clearcoat.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearcoat {
    /// How much of it there is, from 0 to 1.
    pub factor: f32,
    /// Its texture, in red.
    pub texture: Option<TextureRef>,
    /// From 0, a mirror, to 1.
    pub roughness: f32,
    /// Its texture, in green.
    pub roughness_texture: Option<TextureRef>,
    /// The layer's own normals; without, those of the geometry.
    pub normal_texture: Option<TextureRef>,
    /// What their x and y are multiplied with.
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

/// Fibres that reflect towards the edge, as of velvet: KHR_materials_sheen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheen {
    /// The linear colour of what they reflect; black for none.
    pub color: Vec3,
    /// Its texture, in sRGB.
    pub color_texture: Option<TextureRef>,
    /// From 0 to 1.
    pub roughness: f32,
    /// Its texture, in alpha.
    pub roughness_texture: Option<TextureRef>,
}

/// The reflections of what is not metal: KHR_materials_specular.
#[derive(Clone, Debug, PartialEq)]
pub struct Specular {
    /// Their strength, from 0 to 1.
    pub factor: f32,
    /// Its texture, in alpha.
    pub texture: Option<TextureRef>,
    /// Their linear colour, looking straight at the surface.
    pub color: Vec3,
    /// Its texture, in sRGB.
    pub color_texture: Option<TextureRef>,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, texture: None, color: Vec3::ONE, color_texture: None }
    }
}

/// Light that goes through a thin surface: KHR_materials_transmission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// How much of the light that is not reflected goes through, from 0 to 1.
    pub factor: f32,
    /// Its texture, in red.
    pub texture: Option<TextureRef>,
}

/// What is inside of a closed surface that light goes through: KHR_materials_volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// How thick it is, in the geometry's space; 0 for a thin surface.
    pub thickness: f32,
    /// Its texture, in green.
    pub thickness_texture: Option<TextureRef>,
    /// How far light goes, in the world, until it has the colour below. May be infinite.
    pub attenuation_distance: f32,
    /// The linear colour of white light after that way.
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
    /// How much of it there is, from 0 to 1.
    pub factor: f32,
    /// Its texture, in red.
    pub texture: Option<TextureRef>,
    /// The film's index of refraction.
    pub ior: f32,
    /// The film's thickness in nanometres, where the texture says 0.
    pub thickness_min: f32,
    /// Where the texture says 1, or there is none.
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

/// Reflections drawn out in one direction, as of brushed metal: KHR_materials_anisotropy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// How much, from 0 to 1.
    pub strength: f32,
    /// The direction: radians counter-clockwise from the tangent.
    pub rotation: f32,
    /// Directions in red and green, strength in blue.
    pub texture: Option<TextureRef>,
}
