//! `Material`: the appearance of a surface in glTF's terms: metallic-roughness, and the ratified
//! extensions to it. Data only; the renderer interprets it.

mod content;
mod extensions;
mod texture;

pub use extensions::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, Transmission, Volume,
};
pub use texture::{TextureRef, TextureTransform};

use glam::{Vec3, Vec4};

use crate::content::Content;
use crate::{Asset, AssetKind, Assets, Handle};

/// The appearance of a surface. [`default`](Self::default) is glTF's default material: white, fully
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
/// Colours are linear. Each factor is multiplied by its texture, if there is one.
#[doc(alias(
    "MeshStandardMaterial",
    "MeshPhysicalMaterial",
    "StandardMaterial",
    "StandardMaterial3D"
))]
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name; it need not be unique.
    pub name: Option<String>,
    /// The diffuse colour (for metals: that of the reflections), and alpha.
    pub base_color: Vec4,
    /// The texture of the base colour: colour in sRGB, alpha linear.
    pub base_color_texture: Option<TextureRef>,
    /// The metalness, from 0 (dielectric) to 1 (metal).
    pub metallic: f32,
    /// The roughness, from 0 (a mirror) to 1.
    pub roughness: f32,
    /// The texture of roughness (green) and metalness (blue), linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// The normal map, in tangent space.
    pub normal_texture: Option<TextureRef>,
    /// The factor of the normals' x and y.
    pub normal_scale: f32,
    /// The fraction of indirect light that reaches the surface, in red.
    pub occlusion_texture: Option<TextureRef>,
    /// The strength of the occlusion, from 0 (none) to 1.
    pub occlusion_strength: f32,
    /// The emitted light.
    pub emissive: Vec3,
    /// The texture of the emitted light, in sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// The factor of the emitted light, which may exceed 1.
    pub emissive_strength: f32,
    /// The meaning of alpha.
    pub alpha_mode: AlphaMode,
    /// `true` if back faces are drawn too, with the normal reversed.
    pub double_sided: bool,
    /// `true` if the base colour is drawn without lighting.
    pub unlit: bool,
    /// The index of refraction: 1.5 by default; 0 for an extremely high one.
    pub ior: f32,
    /// The dispersion: 20 divided by the Abbe number; 0 for none.
    pub dispersion: f32,
    /// A clear coating.
    pub clearcoat: Option<Box<Clearcoat>>,
    /// Retroreflective fibres, such as velvet.
    pub sheen: Option<Box<Sheen>>,
    /// The strength and colour of the specular reflection of dielectrics.
    pub specular: Option<Box<Specular>>,
    /// The transmission of light, such as through a window.
    pub transmission: Option<Box<Transmission>>,
    /// The transmission of scattered light, such as through a leaf.
    pub diffuse_transmission: Option<Box<DiffuseTransmission>>,
    /// The attenuation of transmitted light.
    pub volume: Option<Box<Volume>>,
    /// A thin film with the colours of a soap bubble.
    pub iridescence: Option<Box<Iridescence>>,
    /// Reflections stretched in one direction, such as on brushed metal.
    pub anisotropy: Option<Box<Anisotropy>>,
}

/// The meaning of a material's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Fragments with an alpha below the cutoff are discarded, others are opaque.
    Mask {
        /// The cutoff; glTF's default is 0.5.
        cutoff: f32,
    },
    /// Alpha blending with the background.
    Blend,
}

impl AlphaMode {
    /// A mask with glTF's default cutoff.
    pub const MASK: Self = Self::Mask { cutoff: 0.5 };
}

impl Material {
    /// Creates a rough dielectric material of this linear colour and alpha. Alpha has no effect
    /// until [`alpha_mode`](Self::alpha_mode) is set.
    #[must_use]
    pub fn from_color(base_color: Vec4) -> Self {
        Self { base_color, metallic: 0.0, ..Self::default() }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns `true` if it must be drawn after what is behind it: for [`AlphaMode::Blend`] only,
    /// whatever the alpha values are.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.alpha_mode == AlphaMode::Blend
    }

    /// Returns `true` if it transmits light. Such a surface is opaque in terms of alpha, but shows
    /// what was drawn before it: draw it after all opaque ones.
    #[must_use]
    pub fn is_transmissive(&self) -> bool {
        self.transmission.as_ref().is_some_and(|transmission| transmission.factor > 0.0)
    }

    /// Iterates over the textures it uses; one that is used twice is returned twice.
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
            self.diffuse_transmission.as_ref().map(|it| [&it.texture, &it.color_texture, &None]),
            self.volume.as_ref().map(|it| [&it.thickness_texture, &None, &None]),
            self.iridescence.as_ref().map(|it| [&it.texture, &it.thickness_texture, &None]),
            self.anisotropy.as_ref().map(|it| [&it.texture, &None, &None]),
        ];
        own.into_iter().chain(extended.into_iter().flatten().flatten()).filter_map(Option::as_ref)
    }

    /// Iterates over the textures it uses, for replacing their images or transforms.
    ///
    /// ```
    /// use pleach::{Assets, Image, Material, TextureRef};
    ///
    /// let assets = Assets::new();
    /// let image = assets.add(Image::from_rgba8(1, 1, vec![255; 4]).unwrap());
    /// let mut material = Material { normal_texture: Some(TextureRef::new(image)), ..Material::default() };
    /// material.textures_mut().for_each(|texture| texture.uv_set = 1);
    /// assert_eq!(material.normal_texture.unwrap().uv_set, 1);
    /// ```
    pub fn textures_mut(&mut self) -> impl Iterator<Item = &mut TextureRef> {
        let own = [
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
        ];
        let clearcoat = self
            .clearcoat
            .as_mut()
            .map(|it| [&mut it.texture, &mut it.roughness_texture, &mut it.normal_texture]);
        let pairs = [
            self.sheen.as_mut().map(|it| [&mut it.color_texture, &mut it.roughness_texture]),
            self.specular.as_mut().map(|it| [&mut it.texture, &mut it.color_texture]),
            self.diffuse_transmission.as_mut().map(|it| [&mut it.texture, &mut it.color_texture]),
            self.iridescence.as_mut().map(|it| [&mut it.texture, &mut it.thickness_texture]),
        ];
        let single = [
            self.transmission.as_mut().map(|it| &mut it.texture),
            self.volume.as_mut().map(|it| &mut it.thickness_texture),
            self.anisotropy.as_mut().map(|it| &mut it.texture),
        ];
        let extended = clearcoat.into_iter().flatten().chain(pairs.into_iter().flatten().flatten());
        let extended = extended.chain(single.into_iter().flatten());
        own.into_iter().chain(extended).filter_map(Option::as_mut)
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
            diffuse_transmission: None,
            volume: None,
            iridescence: None,
            anisotropy: None,
        }
    }
}

/// The bit of [`Asset::flags`] for [`Material::is_transparent`].
const TRANSPARENT: u32 = 1;

impl Handle<Material> {
    /// Returns [`Material::is_transparent`] of the current version, without a guard.
    #[inline]
    pub(crate) fn is_transparent(&self) -> bool {
        self.flags() & TRANSPARENT != 0
    }
}

impl Asset for Material {
    const KIND: AssetKind = AssetKind::Material;
    type Derived = ();

    fn include_used(&self, assets: &Assets) {
        for texture in self.textures() {
            assets.include(&texture.image);
        }
    }

    fn write_content(&self, content: &mut Content) -> bool {
        self.write_to(content);
        true
    }

    fn flags(&self) -> u32 {
        if self.is_transparent() { TRANSPARENT } else { 0 }
    }
}
