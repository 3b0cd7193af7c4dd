//! How a material uses an image: which, sampled how, at which coordinates.

use glam::Vec2;

use crate::{Handle, Image, Sampler};

/// An image as a material uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRef {
    /// The image.
    pub image: Handle<Image>,
    /// How it is read between and beyond its pixels. A value, as it is a few bytes that
    /// compare and hash: whoever makes samplers for a GPU keeps them by it.
    pub sampler: Sampler,
    /// Which set of the geometry's [`uvs`](crate::Geometry::uvs).
    pub uv_set: u32,
    /// What is done to the coordinates first.
    pub transform: Option<TextureTransform>,
}

impl TextureRef {
    /// The image with glTF's default sampler, by the first set of coordinates.
    #[must_use]
    pub fn new(image: Handle<Image>) -> Self {
        Self { image, sampler: Sampler::default(), uv_set: 0, transform: None }
    }

    /// Read by this sampler.
    #[must_use]
    pub fn with_sampler(self, sampler: Sampler) -> Self {
        Self { sampler, ..self }
    }

    /// By this set of coordinates.
    #[must_use]
    pub fn with_uv_set(self, uv_set: u32) -> Self {
        Self { uv_set, ..self }
    }

    /// With the coordinates transformed first.
    #[must_use]
    pub fn with_transform(self, transform: TextureTransform) -> Self {
        Self { transform: Some(transform), ..self }
    }
}

/// What is done to texture coordinates, as glTF's KHR_texture_transform has it: they are
/// scaled, then rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Where the origin of the coordinates is put, in sizes of the image.
    pub offset: Vec2,
    /// Radians counter-clockwise around the origin, which turns the image clockwise.
    pub rotation: f32,
    /// What the coordinates are multiplied with.
    pub scale: Vec2,
}

impl TextureTransform {
    /// Leaves coordinates as they are.
    pub const IDENTITY: Self = Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE };
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
