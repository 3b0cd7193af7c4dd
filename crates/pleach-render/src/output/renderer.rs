//! `Renderer`: renders a scene and a view to a picture, stage by stage.
//!
//! Prepare (poses, trees, tangents, textures) → measure the exposure (a coarse grid of rays) → if
//! something transmits light: render the rest → trace (one ray per pixel) → supersample edges →
//! rasterize points and lines → encode. Each stage reads the result of the one before.
//!
//! Invariant: no pixel depends on the thread that computes it, or on when it is computed.

use glam::Vec2;
use pleach::{Image, Scene, View, Viewport};
use pleach_shading::{Backdrop, EnvironmentCache, Lighting, SplitSumLut, luminance};

use crate::error::MAX_PIXELS;
use crate::output::frame::Frame;
use crate::output::srgb;
use crate::prepare::prepared_scene::PreparedScene;
use crate::prepare::tangent_cache::TangentCache;
use crate::prepare::texture_cache::TextureCache;
use crate::threads::{self, Pool};
use crate::trace::camera_rays::CameraRays;
use crate::trace::sampling::{Pixel, pattern};
use crate::trace::tracer::{Buffers, Tracer, Transmission};
use crate::trace::transmission_buffer::TransmissionBuffer;
use crate::{Error, Exposure, Picture, Settings};

/// The columns and rows of the grid that measures the brightness of a picture.
const EXPOSURE_GRID: u32 = 48;
/// The maximum number of lights; beyond it the dimmest are ignored.
const MAX_LIGHTS: usize = 64;
/// Reflected light that is dimmer than this on the screen gets no shadow ray.
const MIN_SHADOWED_LEVEL: f32 = 1.0 / 4096.0;

/// Renders pictures of scenes. Decoded textures, generated tangents and the filtered environment map
/// are kept from one picture to the next.
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
    caches: Caches,
    /// The threads, and the number requested.
    pool: Option<(Option<usize>, Pool)>,
}

/// Data that is kept from one picture to the next.
#[derive(Debug, Default)]
struct Caches {
    textures: TextureCache,
    tangents: TangentCache,
    environment: EnvironmentCache,
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

    /// Sets the function that decodes images (PNG, JPEG) into [`Rgba8`](pleach::ImageData::Rgba8),
    /// and images of environment maps (Radiance) into [`RgbF32`](pleach::ImageData::RgbF32).
    /// Without it, encoded images are ignored with a [warning](Self::warnings). It is called on
    /// several threads if [`Settings::threads`] asks for them.
    #[must_use]
    pub fn with_decoder(
        mut self,
        decode: impl Fn(&Image) -> Result<Image, String> + Send + Sync + 'static,
    ) -> Self {
        self.caches.textures.decode = Some(Box::new(decode));
        self
    }

    /// Returns warnings about what could not be drawn, such as images that could not be decoded.
    /// Each is reported once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.caches.textures.warnings
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
        let Self { settings, caches, pool } = self;
        if pool.as_ref().is_none_or(|(threads, _)| *threads != settings.threads) {
            *pool = None;
        }
        let (_, pool) = pool.get_or_insert_with(|| (settings.threads, Pool::new(settings.threads)));
        Ok(pool.enter(|| draw(settings, caches, scene, view, width, height)))
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
    caches: &mut Caches,
    scene: &Scene,
    view: &View,
    width: u32,
    height: u32,
) -> Picture {
    let prepared = PreparedScene::new(scene, view, &mut caches.textures, &mut caches.tangents);
    let camera = CameraRays::new(view, width, height);
    let mut tracer = Tracer {
        prepared: &prepared,
        camera: &camera,
        lighting: lighting(settings, caches, scene, view),
        lut: SplitSumLut::shared(),
        tone_mapping: settings.tone_mapping,
        transmission: Transmission::Straight,
        shadows: settings.shadows,
        min_shadowed_light: 0.0,
    };
    let exposure = measure_exposure(&tracer, settings.exposure, width, height);
    if exposure > 0.0 {
        tracer.min_shadowed_light = MIN_SHADOWED_LEVEL / exposure;
        tracer.lighting.add_fill(exposure);
    }
    let backdrop = Backdrop::new(settings.background, scene);
    let render = |tracer: &Tracer<'_>| {
        let (width, height) = (width as usize, height as usize);
        let frame = Frame { tracer, backdrop, exposure, width, height };
        let mut pixels = frame.trace_pixels();
        frame.supersample_edges(&mut pixels, pattern(settings.samples));
        let is_complete = frame.draw_lines(&mut pixels);
        (pixels, is_complete)
    };
    if prepared.has_transmission() {
        tracer.transmission = Transmission::Hidden;
        let (pixels, _) = render(&tracer);
        let colors = pixels.iter().map(|pixel| pixel.color).collect();
        tracer.transmission =
            Transmission::Refracted(TransmissionBuffer::new(width as usize, colors));
    }
    let (pixels, is_complete) = render(&tracer);
    if !is_complete {
        caches
            .textures
            .warn_once("there are too many points and lines; only the first ones are drawn".into());
    }
    encode(width, height, &pixels)
}

/// Collects the light of a scene: its lights, its environment map, the studio.
fn lighting(settings: &Settings, caches: &mut Caches, scene: &Scene, view: &View) -> Lighting {
    let Caches { textures, environment, .. } = caches;
    let map = scene.environment.map.as_ref().and_then(|map| {
        let decode = textures.decode.as_deref();
        match environment.get(map, decode.map(|it| it as _)) {
            Ok(map) => Some(map),
            Err(error) => {
                textures.warn_once(error.to_string());
                None
            }
        }
    });
    let mut lighting = Lighting::from_scene(scene, view, settings.studio, map);
    let omitted = lighting.keep_brightest(MAX_LIGHTS, scene);
    if omitted > 0 {
        textures.warn_once(format!(
            "the {omitted} dimmest lights are ignored: a picture has {MAX_LIGHTS} lights at most"
        ));
    }
    lighting
}

/// Returns the exposure, measured with a coarse grid of rays.
fn measure_exposure(tracer: &Tracer<'_>, requested: Exposure, width: u32, height: u32) -> f32 {
    let mut lights: Vec<f32> = Vec::new();
    if requested == Exposure::Auto {
        let (columns, rows) = (width.min(EXPOSURE_GRID), height.min(EXPOSURE_GRID));
        // Those of a picture with as many pixels, which a GPU draws for it.
        let center = |number: u32, count: u32, size: u32| {
            ((f64::from(number) + 0.5) * f64::from(size) / f64::from(count)) as f32
        };
        let points =
            threads::map_init((columns * rows) as usize, Buffers::default, |buffers, i| {
                let i = i as u32;
                let x = center(i % columns, columns, width);
                let y = center(i / columns, rows, height);
                let primary_ray = tracer.camera.primary_ray(Vec2::new(x, y))?;
                let result = tracer.trace(&primary_ray, buffers);
                result.first_hit.map(|_| luminance(result.light))
            });
        lights = points.into_iter().flatten().collect();
    }
    requested.factor(&mut lights)
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
