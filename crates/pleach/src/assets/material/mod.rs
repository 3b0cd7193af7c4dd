//! `Material`: how a surface looks, in glTF's terms: metallic-roughness, and the ratified
//! extensions to it. Data only; a renderer gives it its meaning.

mod extensions;
mod texture;

pub use extensions::{Anisotropy, Clearcoat, Iridescence, Sheen, Specular, Transmission, Volume};
pub use texture::{TextureRef, TextureTransform};

use glam::{Vec3, Vec4};

use crate::{Asset, AssetKind};

/// How a surface looks. [`default`](Self::default) is glTF's default material: white, wholly
/// metallic and rough.
///
/// ```
/// use pleach::{AlphaMode, Material, glam::Vec4};
///
/// let glass = Material { alpha_mode: AlphaMode::Blend, ..Material::from_color(Vec4::new(0.5, 0.8, 1.0, 0.3)) };
/// assert!(glass.is_transparent());
/// assert_eq!((glass.metallic, glass.roughness), (0.0, 1.0));
/// ```
///
/// Colours are linear. Numbers are multiplied with what their texture says, where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// What it is called; several may be called the same.
    pub name: Option<String>,
    /// The colour (of metal: of its reflections), and alpha.
    pub base_color: Vec4,
    /// Its texture: colour in sRGB, alpha linear.
    pub base_color_texture: Option<TextureRef>,
    /// From 0, not metal, to 1, metal.
    pub metallic: f32,
    /// From 0, a mirror, to 1.
    pub roughness: f32,
    /// Roughness in green and metallic in blue, linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Normals in tangent space.
    pub normal_texture: Option<TextureRef>,
    /// What their x and y are multiplied with.
    pub normal_scale: f32,
    /// How much indirect light arrives, in red.
    pub occlusion_texture: Option<TextureRef>,
    /// From 0, no occlusion, to 1, all of it.
    pub occlusion_strength: f32,
    /// The light that it gives.
    pub emissive: Vec3,
    /// Its texture, in sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// What that light is multiplied with, to be above 1.
    pub emissive_strength: f32,
    /// What alpha does.
    pub alpha_mode: AlphaMode,
    /// Are backs drawn too, with the normal turned round?
    pub double_sided: bool,
    /// Is the base colour shown as it is, without any light?
    pub unlit: bool,
    /// The index of refraction: 1.5, or 0 for an extremely high one.
    pub ior: f32,
    /// How strongly it splits colours: 20 by the Abbe number, 0 for not at all.
    pub dispersion: f32,
    /// A clear layer on top.
    pub clearcoat: Option<Box<Clearcoat>>,
    /// Fibres that reflect towards the edge, as of velvet.
    pub sheen: Option<Box<Sheen>>,
    /// Strength and colour of the reflections of what is not metal.
    pub specular: Option<Box<Specular>>,
    /// Light that goes through, as through a window.
    pub transmission: Option<Box<Transmission>>,
    /// What light loses on its way through.
    pub volume: Option<Box<Volume>>,
    /// A thin film with the colours of a soap bubble.
    pub iridescence: Option<Box<Iridescence>>,
    /// Reflections drawn out in one direction, as of brushed metal.
    pub anisotropy: Option<Box<Anisotropy>>,
}

/// What a material's alpha does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing.
    #[default]
    Opaque,
    /// What is below the cutoff is not drawn, the rest is opaque.
    Mask {
        /// glTF's default is 0.5.
        cutoff: f32,
    },
    /// It is mixed with what is behind.
    Blend,
}

impl AlphaMode {
    /// A mask with glTF's cutoff.
    pub const MASK: Self = Self::Mask { cutoff: 0.5 };
}

impl Material {
    /// A rough material that is no metal, of this linear colour and alpha. Alpha does nothing
    /// until [`alpha_mode`](Self::alpha_mode) says so.
    #[must_use]
    pub fn from_color(base_color: Vec4) -> Self {
        Self { base_color, metallic: 0.0, ..Self::default() }
    }

    /// With this name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Must it be drawn after what is behind it? That is so for [`AlphaMode::Blend`] alone,
    /// whatever the alphas are.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.alpha_mode == AlphaMode::Blend
    }

    /// Does light go through it? Such a surface is opaque as far as alpha goes, but shows what
    /// was drawn before it: draw it after all that is opaque.
    #[must_use]
    pub fn is_transmissive(&self) -> bool {
        self.transmission.as_ref().is_some_and(|transmission| transmission.factor > 0.0)
    }

    /// The textures it uses, each as often as it is used.
    pub fn textures(&self) -> impl Iterator<Item = &TextureRef> {
        let own = [
            &self.base_color_texture,
            &self.metallic_roughness_texture,
            &self.normal_texture,
            &self.occlusion_texture,
            &self.emissive_texture,
        ];
        let extended = [
            self.clearcoat
                .as_ref()
                .map(|it| [&it.texture, &it.roughness_texture, &it.normal_texture]),
            self.sheen.as_ref().map(|it| [&it.color_texture, &it.roughness_texture, &None]),
            self.specular.as_ref().map(|it| [&it.texture, &it.color_texture, &None]),
            self.transmission.as_ref().map(|it| [&it.texture, &None, &None]),
            self.volume.as_ref().map(|it| [&it.thickness_texture, &None, &None]),
            self.iridescence.as_ref().map(|it| [&it.texture, &it.thickness_texture, &None]),
            self.anisotropy.as_ref().map(|it| [&it.texture, &None, &None]),
        ];
        own.into_iter().chain(extended.into_iter().flatten().flatten()).filter_map(Option::as_ref)
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: None,
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            emissive_strength: 1.0,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: 1.5,
            dispersion: 0.0,
            clearcoat: None,
            sheen: None,
            specular: None,
            transmission: None,
            volume: None,
            iridescence: None,
            anisotropy: None,
        }
    }
}

impl Asset for Material {
    const KIND: AssetKind = AssetKind::Material;
    type Derived = ();
}
