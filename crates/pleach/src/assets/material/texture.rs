//! `TextureRef`: an image with a sampler and texture coordinates, as a material uses it.

use glam::Vec2;

use crate::{Handle, Image, Sampler};

/// A texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRef {
    /// The image.
    pub image: Handle<Image>,
    /// The filters and wrap modes. A value of a few bytes that compares and hashes, so that a
    /// renderer can use it as a key for GPU samplers.
    pub sampler: Sampler,
    /// The index into the geometry's [`uvs`](crate::Geometry::uvs).
    pub uv_set: u32,
    /// A transform of the coordinates.
    pub transform: Option<TextureTransform>,
}

impl TextureRef {
    /// Creates a texture with glTF's default sampler and the first set of coordinates.
    #[must_use]
    pub fn new(image: Handle<Image>) -> Self {
        Self { image, sampler: Sampler::default(), uv_set: 0, transform: None }
    }

    /// Sets the sampler.
    #[must_use]
    pub fn with_sampler(self, sampler: Sampler) -> Self {
        Self { sampler, ..self }
    }

    /// Sets the set of texture coordinates.
    #[must_use]
    pub fn with_uv_set(self, uv_set: u32) -> Self {
        Self { uv_set, ..self }
    }

    /// Sets the transform of the coordinates.
    #[must_use]
    pub fn with_transform(self, transform: TextureTransform) -> Self {
        Self { transform: Some(transform), ..self }
    }
}

/// A transform of texture coordinates as in glTF's KHR_texture_transform: scale, then rotation,
/// then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// The offset of the origin, in units of the image's size.
    pub offset: Vec2,
    /// The rotation around the origin in radians, counter-clockwise, which rotates the image
    /// clockwise.
    pub rotation: f32,
    /// The scale of the coordinates.
    pub scale: Vec2,
}

impl TextureTransform {
    /// The identity.
    pub const IDENTITY: Self = Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE };
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
