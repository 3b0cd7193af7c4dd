//! `ShaderKey` and `PipelineKey`: what a pipeline depends on.
//!
//! Invariant: keys are canonical. What a pass does not use (the normals of a shadow caster, the
//! textures of an unlit material other than its colour) is removed when a key is made.

use crate::Tier;
use crate::upload::{Primitives, TextureSlot};

/// Declares sets of named bits.
macro_rules! bits {
    ($(#[$doc:meta])* $name:ident($number:ty) { $($(#[$bit_doc:meta])* $bit:ident = $value:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) $number);

        impl $name {
            $($(#[$bit_doc])* pub(crate) const $bit: Self = Self($value);)*
            /// Every bit, alone.
            pub(crate) const EACH: &[Self] = &[$(Self($value)),*];
            /// All bits.
            pub(crate) const ALL: Self = Self(0 $(| $value)*);

            /// Returns `true` if one of the bits of `other` is set.
            pub(crate) const fn has(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Returns the bits of both.
            pub(crate) const fn or(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// Returns `self` with the bits of `other` if `condition` is true.
            pub(crate) const fn with(self, other: Self, condition: bool) -> Self {
                if condition { self.or(other) } else { self }
            }
        }
    };
}

bits! {
    /// The attributes of a vertex, apart from its position.
    Attributes(u16) {
        NORMALS = 1,
        TANGENTS = 2,
        UV0 = 4,
        UV1 = 8,
        COLORS = 16,
        /// Joint influences: one set of four, and a second one.
        SKIN = 32,
        SKIN2 = 64,
        MORPHS = 256,
        INSTANCES = 512,
    }
}

bits! {
    /// The parts of the shading model that a material uses.
    Lobes(u16) {
        CLEARCOAT = 1,
        SHEEN = 2,
        SPECULAR = 4,
        TRANSMISSION = 8,
        VOLUME = 16,
        DIFFUSE_TRANSMISSION = 32,
        IRIDESCENCE = 64,
        ANISOTROPY = 128,
        DISPERSION = 256,
    }
}

/// The textures of a material with their names in shaders, in the order of their slots.
pub(crate) const TEXTURES: [(TextureSlot, &str); 19] = [
    (TextureSlot::BaseColor, "base_color"),
    (TextureSlot::MetallicRoughness, "metallic_roughness"),
    (TextureSlot::Normal, "normal"),
    (TextureSlot::Occlusion, "occlusion"),
    (TextureSlot::Emissive, "emissive"),
    (TextureSlot::Clearcoat, "clearcoat"),
    (TextureSlot::ClearcoatRoughness, "clearcoat_roughness"),
    (TextureSlot::ClearcoatNormal, "clearcoat_normal"),
    (TextureSlot::SheenColor, "sheen_color"),
    (TextureSlot::SheenRoughness, "sheen_roughness"),
    (TextureSlot::Specular, "specular"),
    (TextureSlot::SpecularColor, "specular_color"),
    (TextureSlot::Transmission, "transmission"),
    (TextureSlot::DiffuseTransmission, "diffuse_transmission"),
    (TextureSlot::DiffuseTransmissionColor, "diffuse_transmission_color"),
    (TextureSlot::Thickness, "thickness"),
    (TextureSlot::Iridescence, "iridescence"),
    (TextureSlot::IridescenceThickness, "iridescence_thickness"),
    (TextureSlot::Anisotropy, "anisotropy"),
];

/// Returns the bit of a slot in a [`TextureSet`].
pub(crate) const fn texture_bit(slot: TextureSlot) -> TextureSet {
    1 << slot as u32
}

/// A set of texture slots, as bits.
pub(crate) type TextureSet = u32;

/// The passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Pass {
    /// Light towards the camera.
    Light,
    /// Node, part, instance and depth.
    Ids,
    /// The depth of a shadow map.
    Shadow,
}

/// The meaning of a fragment's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Alpha {
    Opaque,
    Masked,
    Blended,
}

/// The sources of the light of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Illumination {
    /// Reflected light and emission.
    Lit,
    /// The colour and the emission: for points and lines without normals.
    WithoutNormals,
    /// The colour alone.
    Unlit,
}

/// The features that the text of a shader depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShaderKey {
    pub(crate) tier: Tier,
    pub(crate) pass: Pass,
    pub(crate) attributes: Attributes,
    pub(crate) textures: TextureSet,
    pub(crate) lobes: Lobes,
    pub(crate) alpha: Alpha,
    pub(crate) illumination: Illumination,
}

impl ShaderKey {
    /// Returns `true` if the shader reads the picture behind transmissive surfaces.
    pub(crate) fn reads_screen(&self) -> bool {
        self.pass == Pass::Light && self.lobes.has(Lobes::TRANSMISSION)
    }

    /// Returns `true` if a fragment shader is needed: a pass for depth alone needs one only to discard
    /// fragments.
    pub(crate) fn has_fragments(&self) -> bool {
        self.pass != Pass::Shadow
            || self.alpha != Alpha::Opaque
            || self.lobes.has(Lobes::TRANSMISSION)
    }

    /// Removes what the pass does not use.
    pub(crate) fn canonical(self) -> Self {
        let Self { mut attributes, mut textures, mut lobes, alpha, mut illumination, .. } = self;
        let posing =
            Attributes::SKIN.or(Attributes::SKIN2).or(Attributes::MORPHS).or(Attributes::INSTANCES);
        let coloring = Attributes::UV0.or(Attributes::UV1).or(Attributes::COLORS);
        if self.pass != Pass::Light {
            // A shadow is lighter by the share of light that passes.
            lobes.0 &= if self.pass == Pass::Shadow { Lobes::TRANSMISSION.0 } else { 0 };
            illumination = Illumination::Unlit;
            // The colour of opaque surfaces does not matter.
            if alpha == Alpha::Opaque {
                textures = 0;
                attributes.0 &= posing.0;
            }
        }
        if illumination != Illumination::Lit {
            if self.pass == Pass::Light {
                lobes = Lobes::default();
            }
            let mut used = texture_bit(TextureSlot::BaseColor);
            if illumination == Illumination::WithoutNormals {
                used |= texture_bit(TextureSlot::Emissive);
            }
            textures &= used;
            attributes.0 &= posing.or(coloring).0;
        }
        if textures == 0 {
            let mut used = posing.or(Attributes::COLORS).or(Attributes::NORMALS);
            if lobes.has(Lobes::ANISOTROPY) {
                used = used.or(Attributes::UV0).or(Attributes::TANGENTS);
            }
            attributes.0 &= used.0;
        }
        let normal_maps =
            texture_bit(TextureSlot::Normal) | texture_bit(TextureSlot::ClearcoatNormal);
        if textures & normal_maps == 0 && !lobes.has(Lobes::ANISOTROPY) {
            attributes.0 &= !Attributes::TANGENTS.0;
        }
        Self { attributes, textures, lobes, alpha, illumination, ..self }
    }
}

/// The state that a pipeline depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub(crate) shader: ShaderKey,
    pub(crate) primitives: Primitives,
    /// The faces that are not drawn.
    pub(crate) cull: Option<wgpu::Face>,
    /// `true` if front faces are clockwise.
    pub(crate) is_mirrored: bool,
    /// `true` if near is 1 and far is 0.
    pub(crate) is_depth_reversed: bool,
    pub(crate) samples: u32,
}

impl PipelineKey {
    /// Removes what the primitives do not use.
    pub(crate) fn canonical(self) -> Self {
        let has_sides = self.primitives == Primitives::Triangles;
        Self {
            shader: self.shader.canonical(),
            cull: self.cull.filter(|_| has_sides),
            is_mirrored: self.is_mirrored && has_sides,
            ..self
        }
    }
}
