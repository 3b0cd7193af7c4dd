//! `Renderer`: from a scene and a view to a picture, stage by stage.
//!
//! Prepare (poses, trees, textures) → expose (a coarse grid of rays) → look (one ray a pixel) →
//! look again (more rays where something changes) → strokes (points and lines) → encode. Each
//! stage reads what came before.
//!
//! Invariant: no pixel depends on which thread drew it, or when.

use glam::Vec2;
use pleach::{Image, Scene, View, Viewport};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::MOST_PIXELS;
use crate::light::background::Backdrop;
use crate::light::environment::{self as studio, Surroundings};
use crate::light::punctual_light as lights;
use crate::light::tone_mapping as tone;
use crate::output::frame::Canvas;
use crate::output::srgb;
use crate::prepare::prepared_scene::Stage;
use crate::prepare::texture_cache::Gallery;
use crate::trace::camera_rays::Eye;
use crate::trace::sampling::{Pixel, pattern};
use crate::trace::tracer::{Buffers, World};
use crate::{Error, Exposure, Picture, Settings, Studio};

/// How many points across and down tell how bright a picture is.
const GRID: u32 = 48;
/// More threads than this are not started.
const MOST_THREADS: usize = 256;
/// How bright the surroundings are that keep the dark sides of things from being black.
const FILL: f32 = 0.3;
/// What is dimmer than this on the screen is not looked at twice.
const FAINT: f32 = 1.0 / 4096.0;

/// Draws pictures of scenes. It keeps decoded textures from one picture to the next.
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
    gallery: Gallery,
    /// The threads that were asked for, and how many.
    pool: Option<(usize, ThreadPool)>,
}

impl Renderer {
    /// With the [default](Settings::default) settings, and no decoder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With these settings.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The settings, to change.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// With this to turn encoded images (PNG, JPEG) into
    /// [`Rgba8`](pleach::ImageData::Rgba8). Without it textures of such images are left out,
    /// with a [warning](Self::warnings). It is called on several threads.
    #[must_use]
    pub fn with_decoder(
        mut self,
        decode: impl Fn(&Image) -> Result<Image, String> + Send + Sync + 'static,
    ) -> Self {
        self.gallery.decode = Some(Box::new(decode));
        self
    }

    /// What could not be drawn as the scene has it, such as images that could not be decoded:
    /// each is told once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.gallery.warnings
    }

    /// A picture of what a view sees, as of the scene's last [update](Scene::update), of as many
    /// pixels as its viewport has.
    ///
    /// The same scene, view and settings give the same picture, to the bit, on any number of
    /// threads.
    ///
    /// # Errors
    ///
    /// [`Error::NoPixels`] and [`Error::TooManyPixels`] if the viewport is no size for a picture;
    /// [`Error::Threads`] if the threads asked for cannot be had.
    pub fn render(&mut self, scene: &Scene, view: &View) -> Result<Picture, Error> {
        let (width, height) = size(view)?;
        self.start_threads()?;
        let Self { settings, gallery, pool } = self;
        let mut draw = || draw(settings, gallery, scene, view, width, height);
        Ok(match pool {
            Some((_, pool)) => pool.install(draw),
            None => draw(),
        })
    }

    fn start_threads(&mut self) -> Result<(), Error> {
        let asked = self.settings.threads.map(|threads| threads.clamp(1, MOST_THREADS));
        if self.pool.as_ref().map(|(threads, _)| *threads) == asked {
            return Ok(());
        }
        self.pool = None;
        if let Some(threads) = asked {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            self.pool = Some((threads, pool.map_err(|error| Error::Threads(error.to_string()))?));
        }
        Ok(())
    }
}

fn size(view: &View) -> Result<(u32, u32), Error> {
    match view.viewport {
        Viewport::Aspect(_) | Viewport::Pixels(0, _) | Viewport::Pixels(_, 0) => {
            Err(Error::NoPixels)
        }
        Viewport::Pixels(width, height) => {
            let pixels = u64::from(width) * u64::from(height);
            if pixels > MOST_PIXELS {
                return Err(Error::TooManyPixels { width, height });
            }
            Ok((width, height))
        }
    }
}

fn draw(
    settings: &Settings,
    gallery: &mut Gallery,
    scene: &Scene,
    view: &View,
    width: u32,
    height: u32,
) -> Picture {
    let stage = Stage::new(scene, view, gallery);
    let eye = Eye::new(view, width, height);
    let (lamps, left_out) = lights::lamps(scene);
    if left_out > 0 {
        gallery.warn_once(format!(
            "{left_out} lights are left out, the dimmest: a picture has {} at most",
            lights::MOST
        ));
    }
    let mut world = World {
        stage: &stage,
        eye: &eye,
        lamps,
        surroundings: Surroundings::even(scene.ambient().light()),
        fog: scene.environment.fog,
        shadows: settings.shadows,
        faint: 0.0,
    };
    let is_filled = light_up(&mut world, settings.studio, view);
    let exposure = expose(&world, settings.exposure, width, height);
    if exposure > 0.0 {
        world.faint = FAINT / exposure;
        if is_filled {
            world.surroundings = Surroundings::studio(FILL / exposure);
        }
    }
    let backdrop = Backdrop::new(settings.background, scene);
    let canvas = Canvas::new(&world, backdrop, exposure, width, height);
    let mut pixels = canvas.look();
    canvas.look_again(&mut pixels, pattern(settings.samples));
    if !canvas.stroke(&mut pixels) {
        gallery.warn_once("there are too many points and lines: only the first are drawn".into());
    }
    encode(width, height, &pixels)
}

/// Adds what light the studio gives. Is it to be a fill, as bright as the exposure asks for?
fn light_up(world: &mut World<'_>, studio: Studio, view: &View) -> bool {
    let (has_lamps, is_dark) = (!world.lamps.is_empty(), world.surroundings.is_dark());
    match studio {
        Studio::Never => return false,
        Studio::Auto if has_lamps => return is_dark,
        Studio::Auto if !is_dark => return false,
        Studio::Auto | Studio::Always => {}
    }
    world.lamps = vec![studio::key(view)];
    world.surroundings = Surroundings::studio(1.0);
    false
}

/// The exposure, from a coarse grid of rays.
fn expose(world: &World<'_>, asked: Exposure, width: u32, height: u32) -> f32 {
    let mut lights: Vec<f32> = Vec::new();
    if asked == Exposure::Auto {
        let (columns, rows) = (width.min(GRID), height.min(GRID));
        let middle = |number: u32, count: u32, size: u32| {
            ((f64::from(number) + 0.5) * f64::from(size) / f64::from(count)).floor() as f32 + 0.5
        };
        let points =
            (0..columns * rows).into_par_iter().map_init(Buffers::default, |buffers, i| {
                let x = middle(i % columns, columns, width);
                let y = middle(i / columns, rows, height);
                let glance = world.eye.glance(Vec2::new(x, y))?;
                let look = world.look(&glance, buffers);
                look.first.map(|_| tone::luminance(look.light))
            });
        lights = points.flatten_iter().collect();
    }
    tone::exposure(asked, &mut lights)
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
        pixels: pixels.par_iter().map(bytes).collect(),
        distances: pixels.iter().map(|pixel| pixel.distance).collect(),
        nodes: pixels.iter().map(|pixel| pixel.node).collect(),
    }
}
