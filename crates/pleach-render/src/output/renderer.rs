//! `Renderer`: renders a scene and a view to a picture, stage by stage.
//!
//! Prepare (poses, trees, textures) → measure the exposure (a coarse grid of rays) → trace (one ray
//! per pixel) → supersample edges → rasterize points and lines → encode. Each stage reads the
//! result of the one before.
//!
//! Invariant: no pixel depends on the thread that computes it, or on when it is computed.

use glam::Vec2;
use pleach::{Image, Scene, View, Viewport};

use crate::error::MAX_PIXELS;
use crate::light::background::BackgroundGradient;
use crate::light::environment::{self, EnvironmentLight};
use crate::light::punctual_light;
use crate::light::tone_mapping;
use crate::output::frame::Frame;
use crate::output::srgb;
use crate::prepare::prepared_scene::PreparedScene;
use crate::prepare::texture_cache::TextureCache;
use crate::threads::{self, Pool};
use crate::trace::camera_rays::CameraRays;
use crate::trace::sampling::{Pixel, pattern};
use crate::trace::tracer::{Buffers, Tracer};
use crate::{Error, Exposure, Picture, Settings, Studio};

/// The columns and rows of the grid that measures the brightness of a picture.
const EXPOSURE_GRID: u32 = 48;
/// The brightness of the environment that keeps unlit sides from being black.
const FILL_LIGHT: f32 = 0.3;
/// Reflected light that is dimmer than this on the screen gets no shadow ray.
const MIN_SHADOWED_LEVEL: f32 = 1.0 / 4096.0;

/// Renders pictures of scenes. Decoded textures are kept from one picture to the next.
///
/// ```
/// use pleach::glam::{Vec3, Vec4};
/// use pleach::{Camera, Material, Node, Scene, shapes::Cuboid};
/// use pleach_render::Renderer;
///
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(Cuboid::new(Vec3::splat(4.0)).build()?);
/// let red = scene.assets.add(Material::from_color(Vec4::new(0.8, 0.05, 0.05, 1.0)));
/// let cube = scene.spawn(Node::mesh(&cube, &red))?;
/// let camera = scene.spawn(Node::camera(Camera::default()).with_transform(Camera::default_transform()))?;
/// scene.update()?;
///
/// let picture = Renderer::new().render(&scene, &scene.view(camera, (64, 48))?)?;
/// let middle = 24 * 64 + 32;
/// assert_eq!((picture.nodes[middle], picture.nodes[0]), (Some(cube), None));
/// let [r, g, b, a] = picture.pixels[middle];
/// assert!(r > 2 * g && g == b && a == 255);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Renderer {
    settings: Settings,
    textures: TextureCache,
    /// The threads, and the number requested.
    pool: Option<(Option<usize>, Pool)>,
}

impl Renderer {
    /// Creates a renderer with [default](Settings::default) settings and without a decoder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the settings.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Returns the settings for modification.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Sets the function that decodes images (PNG, JPEG) into [`Rgba8`](pleach::ImageData::Rgba8).
    /// Without it, textures with encoded images are ignored with a [warning](Self::warnings). It is
    /// called on several threads if [`Settings::threads`] asks for them.
    #[must_use]
    pub fn with_decoder(
        mut self,
        decode: impl Fn(&Image) -> Result<Image, String> + Send + Sync + 'static,
    ) -> Self {
        self.textures.decode = Some(Box::new(decode));
        self
    }

    /// Returns warnings about what could not be drawn, such as images that could not be decoded.
    /// Each is reported once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.textures.warnings
    }

    /// Renders what a view sees, as of the scene's last [update](Scene::update), in the resolution
    /// of its viewport.
    ///
    /// The same scene, view and settings give the same picture, to the bit, with any number of
    /// threads.
    ///
    /// # Errors
    ///
    /// [`Error::NoPixels`] and [`Error::TooManyPixels`] if the viewport has no pixels or too many.
    pub fn render(&mut self, scene: &Scene, view: &View) -> Result<Picture, Error> {
        let (width, height) = size(view)?;
        let Self { settings, textures, pool } = self;
        if pool.as_ref().is_none_or(|(threads, _)| *threads != settings.threads) {
            *pool = None;
        }
        let (_, pool) = pool.get_or_insert_with(|| (settings.threads, Pool::new(settings.threads)));
        Ok(pool.enter(|| draw(settings, textures, scene, view, width, height)))
    }
}

fn size(view: &View) -> Result<(u32, u32), Error> {
    match view.viewport {
        Viewport::Aspect(_) | Viewport::Pixels(0, _) | Viewport::Pixels(_, 0) => {
            Err(Error::NoPixels)
        }
        Viewport::Pixels(width, height) => {
            let pixels = u64::from(width) * u64::from(height);
            if pixels > MAX_PIXELS {
                return Err(Error::TooManyPixels { width, height });
            }
            Ok((width, height))
        }
    }
}

fn draw(
    settings: &Settings,
    textures: &mut TextureCache,
    scene: &Scene,
    view: &View,
    width: u32,
    height: u32,
) -> Picture {
    let prepared = PreparedScene::new(scene, view, textures);
    let camera = CameraRays::new(view, width, height);
    let (lights, omitted) = punctual_light::punctual_lights(scene);
    if omitted > 0 {
        textures.warn_once(format!(
            "the {omitted} dimmest lights are ignored: a picture has {} lights at most",
            punctual_light::MAX_LIGHTS
        ));
    }
    let mut tracer = Tracer {
        prepared: &prepared,
        camera: &camera,
        lights,
        environment: EnvironmentLight::uniform(scene.ambient().light()),
        fog: scene.environment.fog,
        shadows: settings.shadows,
        min_shadowed_light: 0.0,
    };
    let needs_fill = apply_studio(&mut tracer, settings.studio, view);
    let exposure = measure_exposure(&tracer, settings.exposure, width, height);
    if exposure > 0.0 {
        tracer.min_shadowed_light = MIN_SHADOWED_LEVEL / exposure;
        if needs_fill {
            tracer.environment = EnvironmentLight::studio(FILL_LIGHT / exposure);
        }
    }
    let gradient = BackgroundGradient::new(settings.background, scene);
    let frame = Frame::new(&tracer, gradient, exposure, width, height);
    let mut pixels = frame.trace_pixels();
    frame.supersample_edges(&mut pixels, pattern(settings.samples));
    if !frame.draw_lines(&mut pixels) {
        textures
            .warn_once("there are too many points and lines; only the first ones are drawn".into());
    }
    encode(width, height, &pixels)
}

/// Adds the studio's lights. Returns `true` if a fill light is needed, whose brightness depends on
/// the exposure.
fn apply_studio(tracer: &mut Tracer<'_>, studio: Studio, view: &View) -> bool {
    let (has_lights, is_dark) = (!tracer.lights.is_empty(), tracer.environment.is_dark());
    match studio {
        Studio::Never => return false,
        Studio::Auto if has_lights => return is_dark,
        Studio::Auto if !is_dark => return false,
        Studio::Auto | Studio::Always => {}
    }
    tracer.lights = vec![environment::key_light(view)];
    tracer.environment = EnvironmentLight::studio(1.0);
    false
}

/// Returns the exposure, measured with a coarse grid of rays.
fn measure_exposure(tracer: &Tracer<'_>, requested: Exposure, width: u32, height: u32) -> f32 {
    let mut lights: Vec<f32> = Vec::new();
    if requested == Exposure::Auto {
        let (columns, rows) = (width.min(EXPOSURE_GRID), height.min(EXPOSURE_GRID));
        let center = |number: u32, count: u32, size: u32| {
            ((f64::from(number) + 0.5) * f64::from(size) / f64::from(count)).floor() as f32 + 0.5
        };
        let points =
            threads::map_init((columns * rows) as usize, Buffers::default, |buffers, i| {
                let i = i as u32;
                let x = center(i % columns, columns, width);
                let y = center(i / columns, rows, height);
                let primary_ray = tracer.camera.primary_ray(Vec2::new(x, y))?;
                let result = tracer.trace(&primary_ray, buffers);
                result.first_hit.map(|_| tone_mapping::luminance(result.light))
            });
        lights = points.into_iter().flatten().collect();
    }
    tone_mapping::exposure(requested, &mut lights)
}

fn encode(width: u32, height: u32, pixels: &[Pixel]) -> Picture {
    let bytes = |&Pixel { color, .. }: &Pixel| {
        let alpha = srgb::to_byte(color.w);
        if alpha == 0 {
            return [0; 4];
        }
        let [r, g, b] = (color.truncate() / color.w).to_array().map(srgb::from_linear);
        [r, g, b, alpha]
    };
    Picture {
        width,
        height,
        pixels: threads::map(pixels, bytes),
        distances: pixels.iter().map(|pixel| pixel.distance).collect(),
        nodes: pixels.iter().map(|pixel| pixel.node).collect(),
    }
}
