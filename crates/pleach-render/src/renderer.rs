//! A stand-in until the tracer is there.
#![allow(missing_docs)]
use glam::{Vec3, Vec4};
use pleach::{Aabb, Camera, Image, Scene, Transform, View};

use crate::Picture;

#[derive(Debug, Default)]
pub struct Renderer;
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub samples: u32,
    pub threads: Option<usize>,
    pub shadows: bool,
    pub exposure: Exposure,
    pub background: Option<Vec4>,
}
#[derive(Clone, Debug, Default)]
pub enum Exposure {
    #[default]
    Auto,
    Fixed(f32),
}
#[derive(Debug)]
pub struct Error;
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stand-in")
    }
}
impl std::error::Error for Error {}
impl Renderer {
    pub fn new() -> Self {
        Self
    }
    pub fn with_settings(self, _settings: Settings) -> Self {
        self
    }
    pub fn with_decoder(
        self,
        _decode: impl Fn(&Image) -> Result<Image, String> + Send + Sync + 'static,
    ) -> Self {
        self
    }
    pub fn render(&mut self, _scene: &Scene, _view: &View) -> Result<Picture, Error> {
        Ok(Picture::new(64, 64, [128; 4]))
    }
    pub fn warnings(&self) -> &[String] {
        &[]
    }
}
pub fn framing(bounds: &Aabb, from: Vec3, _aspect: f32) -> (Camera, Transform) {
    let at = bounds.center();
    let eye = at + from.normalize() * bounds.size().length().max(1e-3) * 1.5;
    (Camera::default(), Transform::from_translation(eye).looking_at(at, Vec3::Z))
}
