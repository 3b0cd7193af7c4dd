//! Compares pictures with the goldens in `tests/golden`, on every back end and tier.
//!
//! Software drivers compile shaders for the processor that they run on, so the last bits differ between
//! machines; samples at edges may, too. `TOLERANCE` is the one place that states what may differ. The
//! goldens are drawn by Vulkan in the full tier: `PLEACH_BLESS=1` writes them; then inspect each.

use std::path::Path;

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{
    AlphaMode, Anisotropy, Background, Camera, Clearcoat, DiffuseTransmission, Fog, Geometry,
    Image, Iridescence, Light, Material, Node, NodeId, Scene, Shadow, Sheen, Specular, TextureRef,
    Transform, Transmission, View, Volume, shapes,
};
use pleach_wgpu::overlay::{Overlay, Overlays};
use pleach_wgpu::{Headless, Options, RenderedImage, Studio};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::add;

const SIZE: [u32; 2] = [128, 96];

/// The differences of channels, from 0 to 255, that a picture may have to its golden.
struct Tolerance {
    /// The mean of all channels of all pixels.
    mean: f64,
    /// The largest of any channel, except for some pixels at edges.
    max: u8,
    /// The fraction of the pixels that may exceed `max`.
    outliers: f64,
}

const TOLERANCE: Tolerance = Tolerance { mean: 0.4, max: 8, outliers: 0.02 };

/// The difference of two pictures.
#[derive(Debug)]
struct Difference {
    mean: f64,
    /// The fraction of the pixels with a larger difference than [`TOLERANCE`] allows.
    outliers: f64,
}

impl Difference {
    fn new(a: &[[u8; 4]], b: &[[u8; 4]]) -> Self {
        let channels = |(a, b): (&[u8; 4], &[u8; 4])| [0, 1, 2].map(|i| a[i].abs_diff(b[i]));
        let pixels: Vec<[u8; 3]> = a.iter().zip(b).map(channels).collect();
        let sum: f64 = pixels.as_flattened().iter().map(|it| f64::from(*it)).sum();
        let is_outlier = |pixel: &&[u8; 3]| pixel.iter().any(|it| *it > TOLERANCE.max);
        let outliers = pixels.iter().filter(is_outlier).count();
        Self {
            mean: sum / (3 * pixels.len()) as f64,
            outliers: outliers as f64 / pixels.len() as f64,
        }
    }

    fn is_tolerated(&self) -> bool {
        self.mean <= TOLERANCE.mean && self.outliers <= TOLERANCE.outliers
    }
}

/// Compares the pictures of a scene with a golden.
fn golden(name: &str, scene: &Scene, view: &View, options: &Options) {
    golden_with_overlays(name, scene, view, options, Overlays::new(&[]));
}

fn golden_with_overlays(
    name: &str,
    scene: &Scene,
    view: &View,
    options: &Options,
    overlays: Overlays<'_>,
) {
    let file = format!("{name}.png");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(&file);
    let mut is_blessed = std::env::var_os("PLEACH_BLESS").is_none_or(|it| it != "1");
    for TestGpu { name: device, gpu } in gpus() {
        let options = Options { tier: Some(gpu.tier), ..options.clone() };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
        let drawn = headless.render_with_overlays(scene, view, SIZE, overlays).unwrap();
        assert_eq!(drawn.warnings, [], "{name}, {device}");
        if !is_blessed {
            save(&path, &drawn);
            is_blessed = true;
        }
        let golden = image::open(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; PLEACH_BLESS=1 writes it", path.display());
        });
        assert_eq!([golden.width(), golden.height()], SIZE, "{name}");
        let golden = golden.into_rgba8().into_raw();
        let difference = Difference::new(&drawn.pixels, golden.as_chunks::<4>().0);
        println!("{name}, {device}: {difference:?}");
        if !difference.is_tolerated() {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&file);
            save(&kept, &drawn);
            panic!("{name}, {device}: {difference:?} to the golden; inspect {}", kept.display());
        }
    }
}

fn save(path: &Path, image: &RenderedImage) {
    let rgb: Vec<u8> = image.pixels.iter().flat_map(|it| [it[0], it[1], it[2]]).collect();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    image::save_buffer(path, &rgb, SIZE[0], SIZE[1], image::ExtendedColorType::Rgb8).unwrap();
}

/// The view of a camera at `eye` that looks at `at`.
fn view(eye: Vec3, at: Vec3) -> View {
    let transform = Transform::from_translation(eye).looking_at(at, Vec3::Z);
    View::new(&Camera::perspective(0.5), transform, (SIZE[0], SIZE[1])).unwrap()
}

fn ball(radius: f32) -> Geometry {
    shapes::Sphere::new(radius).with_detail(48, 24).build().unwrap()
}

/// Spawns spheres in rows of four, seen from −Y by [`rows_view`].
fn rows(materials: impl IntoIterator<Item = Material>) -> Scene {
    let mut scene = Scene::new();
    let ball = scene.assets.add(ball(0.45));
    for (i, material) in materials.into_iter().enumerate() {
        let material = scene.assets.add(material);
        let at = Vec3::new((i % 4) as f32 - 1.5, 0.0, 0.5 - (i / 4) as f32);
        scene.spawn(Node::mesh(&ball, &material).at(at)).unwrap();
    }
    scene.update().unwrap();
    scene
}

fn rows_view() -> View {
    view(Vec3::new(0.0, -6.2, 0.4), Vec3::ZERO)
}

/// A texture of 8 × 8 squares, light grey and of a colour.
fn checks(scene: &mut Scene, color: [u8; 3]) -> TextureRef {
    let texel = |i: usize| if (i % 8 + i / 8).is_multiple_of(2) { [235; 3] } else { color };
    let pixels = (0..64).map(texel).flat_map(|[r, g, b]| [r, g, b, 255]);
    TextureRef::new(scene.assets.add(Image::from_rgba8(8, 8, pixels.collect()).unwrap()))
}

/// A checkered wall behind the origin, and a floor at z = −1.
fn checkered_room(scene: &mut Scene) {
    let checks = checks(scene, [40, 90, 160]);
    let material = Material { base_color_texture: Some(checks), ..Material::from_color(Vec4::ONE) };
    let plane = shapes::Plane::new(Vec2::splat(8.0)).build().unwrap();
    let wall = add(scene, plane.clone(), material.clone());
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    scene.spawn(wall.at(Vec3::new(0.0, 2.0, 3.0)).rotated(upright)).unwrap();
    let floor = add(scene, plane, material);
    scene.spawn(floor.at(Vec3::new(0.0, -2.0, -1.0))).unwrap();
}

fn studio() -> Options {
    Options { studio: Studio::Always, ..Options::default() }
}

#[test]
fn metals_and_dielectrics_by_roughness() {
    let material = |metallic: f32, roughness: f32| Material {
        metallic,
        roughness,
        ..Material::from_color(Vec4::new(0.9, 0.45, 0.15, 1.0))
    };
    let roughnesses = [0.05, 0.3, 0.6, 1.0];
    let scene = rows([0.0, 1.0].into_iter().flat_map(|it| roughnesses.map(|r| material(it, r))));
    golden("metals_and_dielectrics", &scene, &rows_view(), &studio());
}

#[test]
fn lobes_of_materials() {
    let base = Material { roughness: 0.5, ..Material::from_color(Vec4::new(0.5, 0.02, 0.02, 1.0)) };
    let metal = Material {
        metallic: 1.0,
        roughness: 0.4,
        ..Material::from_color(Vec4::new(0.8, 0.8, 0.8, 1.0))
    };
    let clearcoat = Clearcoat { factor: 1.0, ..Clearcoat::default() };
    let sheen = Sheen { color: Vec3::new(0.6, 0.6, 1.0), roughness: 0.4, ..Sheen::default() };
    let specular = Specular { color: Vec3::new(0.1, 3.0, 0.1), ..Specular::default() };
    let film = Iridescence { factor: 1.0, ior: 1.8, ..Iridescence::default() };
    let brushed = Anisotropy { strength: 0.9, ..Anisotropy::default() };
    let leaf = DiffuseTransmission {
        factor: 0.8,
        color: Vec3::new(0.2, 0.9, 0.1),
        ..DiffuseTransmission::default()
    };
    let scene = rows([
        base.clone(),
        Material { clearcoat: Some(Box::new(clearcoat)), ..base.clone() },
        Material { sheen: Some(Box::new(sheen)), ..base.clone() },
        Material { specular: Some(Box::new(specular)), ..base.clone() },
        Material { iridescence: Some(Box::new(film)), roughness: 0.2, ..base.clone() },
        Material { anisotropy: Some(Box::new(brushed)), ..metal },
        Material { diffuse_transmission: Some(Box::new(leaf)), ..base.clone() },
        Material { emissive: Vec3::new(0.1, 0.3, 1.0), emissive_strength: 4.0, ..base },
    ]);
    golden("lobes", &scene, &rows_view(), &studio());
}

#[test]
fn shadows_of_each_kind_of_light() {
    let mut scene = Scene::new();
    let white = Material::from_color(Vec4::new(0.8, 0.8, 0.8, 1.0));
    let floor = shapes::Plane::new(Vec2::splat(12.0)).build().unwrap();
    let floor = add(&mut scene, floor, white.clone());
    scene.spawn(floor).unwrap();
    for x in [-2.0, 0.0, 2.0] {
        let post = shapes::Cuboid::new(Vec3::new(0.4, 0.4, 1.2)).build().unwrap();
        let post = add(&mut scene, post, white.clone());
        scene.spawn(post.at(Vec3::new(x, 0.0, 0.6))).unwrap();
    }
    let shadow = Shadow::default();
    let sun = Light::directional(Vec3::new(1.0, 0.9, 0.7), 0.8).with_shadow(shadow);
    let slanted = Transform::from_xyz(-3.0, 3.0, 4.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(sun).with_transform(slanted)).unwrap();
    let spot = Light::spot(Vec3::new(0.3, 1.0, 0.3), 25.0, 0.2, 0.4).with_shadow(shadow);
    let down = Transform::from_xyz(2.0, -3.5, 3.5).looking_at(Vec3::new(2.0, 0.0, 0.3), Vec3::Z);
    scene.spawn(Node::light(spot).with_transform(down)).unwrap();
    let point = Light::point(Vec3::new(1.0, 0.3, 0.2), 1.5).with_shadow(shadow);
    scene.spawn(Node::light(point).at(Vec3::new(-1.0, -1.2, 0.9))).unwrap();
    scene.update().unwrap();
    let view = view(Vec3::new(0.0, -8.0, 6.5), Vec3::new(0.0, -0.2, 0.2));
    golden("shadows", &scene, &view, &Options { studio: Studio::Never, ..Options::default() });
}

#[test]
fn glass_smooth_rough_tinted_and_dispersive() {
    let mut scene = Scene::new();
    checkered_room(&mut scene);
    let glass = |roughness: f32, volume: Volume, dispersion: f32| Material {
        roughness,
        dispersion,
        transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
        volume: Some(Box::new(volume)),
        ..Material::from_color(Vec4::ONE)
    };
    let thick = Volume { thickness: 1.0, ..Volume::default() };
    let tinted = Volume {
        attenuation_distance: 0.5,
        attenuation_color: Vec3::new(0.9, 0.5, 0.1),
        ..thick.clone()
    };
    let materials = [
        glass(0.0, Volume::default(), 0.0),
        glass(0.4, thick.clone(), 0.0),
        glass(0.05, tinted, 0.0),
        glass(0.0, thick, 10.0),
    ];
    for (i, material) in materials.into_iter().enumerate() {
        let node = add(&mut scene, ball(0.6), material);
        scene.spawn(node.at(Vec3::new(1.35 * (i as f32 - 1.5), -0.5, -0.3))).unwrap();
    }
    scene.update().unwrap();
    golden("transmission", &scene, &view(Vec3::new(0.0, -8.5, 0.8), Vec3::ZERO), &studio());
}

#[test]
fn transparent_and_masked_surfaces() {
    let mut scene = Scene::new();
    checkered_room(&mut scene);
    for (y, color) in [
        (-1.2, Vec4::new(0.8, 0.05, 0.05, 0.5)),
        (-0.6, Vec4::new(0.05, 0.7, 0.05, 0.5)),
        (0.0, Vec4::new(0.05, 0.1, 0.9, 0.5)),
    ] {
        let pane = Material {
            alpha_mode: AlphaMode::Blend,
            double_sided: true,
            ..Material::from_color(color)
        };
        let node =
            add(&mut scene, shapes::Cuboid::new(Vec3::new(1.2, 0.2, 1.2)).build().unwrap(), pane);
        scene.spawn(node.at(Vec3::new(-0.7 + 0.5 * y, y, 0.0))).unwrap();
    }
    let pixels =
        (0..64).flat_map(|i| [230, 180, 40, if (i % 8 + i / 8) % 3 == 0 { 0 } else { 255 }]);
    let holes = scene.assets.add(Image::from_rgba8(8, 8, pixels.collect()).unwrap());
    let lattice = Material {
        alpha_mode: AlphaMode::MASK,
        double_sided: true,
        base_color_texture: Some(TextureRef::new(holes)),
        ..Material::from_color(Vec4::ONE)
    };
    let node = add(&mut scene, ball(0.8), lattice);
    scene.spawn(node.at(Vec3::new(1.2, -0.4, -0.2))).unwrap();
    scene.update().unwrap();
    golden("transparency", &scene, &view(Vec3::new(0.0, -7.0, 0.6), Vec3::ZERO), &studio());
}

/// Posts in a row, from near to far.
fn posts() -> (Scene, Vec<NodeId>) {
    let mut scene = Scene::new();
    let material = Material::from_color(Vec4::new(0.8, 0.25, 0.1, 1.0));
    let floor = shapes::Plane::new(Vec2::splat(60.0)).build().unwrap();
    let floor = add(&mut scene, floor, Material::from_color(Vec4::new(0.3, 0.35, 0.3, 1.0)));
    scene.spawn(floor).unwrap();
    let nodes = (0..6).map(|i| {
        let post = shapes::Cuboid::new(Vec3::new(0.6, 0.6, 1.6)).build().unwrap();
        let post = add(&mut scene, post, material.clone());
        let at = Vec3::new(1.1 * i as f32 - 1.5, 3.0 * i as f32, 0.8);
        scene.spawn(post.at(at).rotated(Quat::from_rotation_z(0.4))).unwrap()
    });
    let nodes = nodes.collect();
    scene.update().unwrap();
    (scene, nodes)
}

fn posts_view() -> View {
    view(Vec3::new(-1.0, -7.0, 2.4), Vec3::new(0.3, 0.0, 0.8))
}

#[test]
fn fog_over_a_row_of_posts() {
    let (mut scene, _) = posts();
    let color = Vec3::new(0.4, 0.5, 0.65);
    scene.environment.fog = Some(Fog { color, near: 6.0, far: 22.0 });
    scene.environment.background = Some(Background::Color(color));
    golden("fog", &scene, &posts_view(), &studio());
}

#[test]
fn overlays_on_a_row_of_posts() {
    let (scene, nodes) = posts();
    let selected = [nodes[1]];
    let kinds = [Overlay::Grid, Overlay::Wireframe, Overlay::Axes, Overlay::Boxes];
    let overlays = Overlays::new(&kinds).with_selection(&selected);
    golden_with_overlays("overlays", &scene, &posts_view(), &studio(), overlays);
}

#[test]
fn the_tolerance_detects_visible_changes() {
    for TestGpu { name, gpu } in gpus() {
        let options = Options { tier: Some(gpu.tier), ..studio() };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
        let mut draw = |roughness: f32, shift: f32| {
            let color = Vec4::new(0.8, 0.3 + shift, 0.1, 1.0);
            let material = Material { roughness, ..Material::from_color(color) };
            let scene = rows((0..8).map(|_| material.clone()));
            headless.render(&scene, &rows_view(), SIZE).unwrap().pixels
        };
        let usual = draw(0.4, 0.0);
        for (what, changed) in [("roughness", draw(0.55, 0.0)), ("colour", draw(0.4, 0.04))] {
            let difference = Difference::new(&usual, &changed);
            assert!(!difference.is_tolerated(), "{name}, {what}: {difference:?}");
        }
    }
}
