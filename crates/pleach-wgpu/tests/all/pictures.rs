//! Pictures by their properties, on every back end and tier.

use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::{
    AlphaMode, Camera, Filter, Geometry, Image, Instances, Light, Material, MorphTarget,
    MorphWeights, Node, Scene, Shadow, Skin, TextureRef, Topology, Transform, View, Visible,
    shapes,
};
use pleach_wgpu::{Exposure, Headless, Options, RenderedImage, Shadows};

use crate::adapter::{TestGpu, gpus};

pub(crate) const SIZE: [u32; 2] = [96, 64];

/// Renders a scene with each back end and tier.
pub(crate) fn render_all(
    scene: &Scene,
    view: &View,
    options: &Options,
    check: impl Fn(&str, &RenderedImage),
) {
    for TestGpu { name, gpu } in gpus() {
        let options = Options { tier: Some(gpu.tier), ..options.clone() };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options.clone()).unwrap();
        let image = headless.render(scene, view, SIZE).unwrap();
        if let Some(folder) = std::env::var_os("PLEACH_PICTURES") {
            let test = std::thread::current().name().unwrap_or("").replace("::", "-");
            let file = format!("{test}-{}.png", name.replace(", ", "-"));
            let bytes = image.pixels.as_flattened();
            let path = std::path::Path::new(&folder).join(file);
            image::save_buffer(path, bytes, SIZE[0], SIZE[1], image::ColorType::Rgba8).unwrap();
        }
        check(&name, &image);
        // Nothing changed: the same picture. `kept_pictures` checks that it is not drawn again.
        assert_eq!(headless.render(scene, view, SIZE).unwrap().pixels, image.pixels, "{name}");
        // Pictures after another one are drawn again: by a bundle, with what was uploaded for the first.
        headless.renderer_mut().options_mut().exposure = Exposure::Fixed(2.0);
        headless.render(scene, view, SIZE).unwrap();
        headless.renderer_mut().options_mut().exposure = options.exposure;
        assert_eq!(headless.render(scene, view, SIZE).unwrap().pixels, image.pixels, "{name}");
    }
}

/// A camera 10 m in front of the origin, which looks along +Y.
pub(crate) fn front_view() -> View {
    let transform = Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    View::new(&Camera::perspective(0.5), transform, (SIZE[0], SIZE[1])).unwrap()
}

pub(crate) fn pixel(image: &RenderedImage, x: u32, y: u32) -> [u8; 4] {
    image.pixels[(y * SIZE[0] + x) as usize]
}

pub(crate) fn middle(image: &RenderedImage) -> [u8; 4] {
    pixel(image, SIZE[0] / 2, SIZE[1] / 2)
}

pub(crate) fn is_red([r, g, b, _]: [u8; 4]) -> bool {
    r > 100 && r / 2 > g && r / 2 > b
}

pub(crate) fn is_green([r, g, b, _]: [u8; 4]) -> bool {
    g > 100 && g / 2 > r && g / 2 > b
}

pub(crate) fn unlit(color: Vec4) -> Material {
    Material { unlit: true, ..Material::from_color(color) }
}

pub(crate) const RED: Vec4 = Vec4::new(0.8, 0.02, 0.02, 1.0);
pub(crate) const GREEN: Vec4 = Vec4::new(0.02, 0.8, 0.02, 1.0);

/// A square of 2 m that faces −Y.
pub(crate) fn square() -> Geometry {
    let corners = [Vec2::new(-1.0, -1.0), Vec2::new(1.0, -1.0), Vec2::ONE, Vec2::new(-1.0, 1.0)];
    Geometry::from_triangles(
        corners.map(|it| Vec3::new(it.x, 0.0, it.y)).to_vec(),
        vec![0, 1, 2, 0, 2, 3],
    )
    .with_normals(vec![Vec3::NEG_Y; 4])
    .with_uvs(corners.map(|it| Vec2::new(it.x * 0.5 + 0.5, 0.5 - it.y * 0.5)).to_vec())
}

pub(crate) fn add(scene: &mut Scene, geometry: Geometry, material: Material) -> Node {
    let geometry = scene.assets.add(geometry);
    Node::mesh(&geometry, &scene.assets.add(material))
}

#[test]
fn a_red_cube_is_red_and_the_background_grey() {
    let mut scene = Scene::new();
    let cube = shapes::Cuboid::new(Vec3::splat(2.0)).build().unwrap();
    let node = add(&mut scene, cube, Material::from_color(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        assert!(is_red(middle(image)), "{name}: {:?}", middle(image));
        let [r, g, b, a] = pixel(image, 1, 1);
        assert!(r == g && g == b && r > 100 && a == 255, "{name}");
    });
}

#[test]
fn unlit_colours_are_exact() {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(Vec4::new(0.5, 0.25, 0.9, 1.0)));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let expected = [0.5, 0.25, 0.9].map(|it: f32| (1.055 * it.powf(1.0 / 2.4) - 0.055) * 255.0);
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        for (byte, expected) in middle(image).into_iter().zip(expected) {
            assert!((f32::from(byte) - expected).abs() <= 1.5, "{name}: {byte} for {expected}");
        }
    });
}

#[test]
fn a_transparent_background_stays_transparent() {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let options = Options { background: Some(Vec4::ZERO), ..Options::default() };
    render_all(&scene, &front_view(), &options, |name, image| {
        assert_eq!(pixel(image, 0, 0), [0; 4], "{name}");
        assert_eq!(middle(image)[3], 255, "{name}");
    });
}

#[test]
fn transparent_squares_are_blended_back_to_front() {
    let mut scene = Scene::new();
    let half = |color: Vec4| Material {
        alpha_mode: AlphaMode::Blend,
        ..unlit(color.truncate().extend(0.75))
    };
    for (y, color) in [(-1.0, GREEN), (1.0, RED)] {
        let node = add(&mut scene, square(), half(color));
        scene.spawn(node.at(Vec3::new(0.0, y, 0.0))).unwrap();
    }
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let [r, g, b, _] = middle(image);
        // Mostly the green one in front, then the red one.
        assert!(g > r && r > b, "{name}: {r} {g} {b}");
    });
}

#[test]
fn blended_unlit_white_has_the_weight_of_its_alpha() {
    let mut scene = Scene::new();
    let white = Vec4::new(1.0, 1.0, 1.0, 0.25);
    let pane = Material { alpha_mode: AlphaMode::Blend, ..unlit(white) };
    let node = add(&mut scene, square(), pane);
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let background = Some(Vec4::new(0.5, 0.5, 0.5, 1.0));
    let options = Options { background, ..Options::default() };
    render_all(&scene, &front_view(), &options, |name, image| {
        // The sRGB value of 0.25 + 0.75 * 0.5, about: light is blended, not colours.
        let [r, g, b, _] = middle(image);
        assert!(r.abs_diff(207) <= 8 && r == g && g == b, "{name}: {r} {g} {b}");
    });
}

#[test]
fn masked_textures_have_holes() {
    let mut scene = Scene::new();
    let pixels = [[255, 255, 255, 255], [255, 255, 255, 0]].concat();
    let image = scene.assets.add(Image::from_rgba8(2, 1, pixels).unwrap());
    let leaf = Material {
        alpha_mode: AlphaMode::MASK,
        base_color_texture: Some(TextureRef::new(image)),
        ..unlit(RED)
    };
    let node = add(&mut scene, square(), leaf);
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let (left, right) = (SIZE[0] / 2 - 8, SIZE[0] / 2 + 8);
        assert!(is_red(pixel(image, left, SIZE[1] / 2)), "{name}");
        assert!(!is_red(pixel(image, right, SIZE[1] / 2)), "{name}");
    });
}

#[test]
fn single_sided_squares_are_seen_from_the_front_only_even_if_mirrored() {
    for (scale, is_seen) in [(Vec3::ONE, true), (Vec3::new(-1.0, 1.0, 1.0), true)] {
        for turned in [false, true] {
            let mut scene = Scene::new();
            let node = add(&mut scene, square(), unlit(RED));
            let rotation = if turned { Quat::from_rotation_z(3.1) } else { Quat::IDENTITY };
            let transform = Transform { rotation, scale, ..Transform::IDENTITY };
            scene.spawn(node.with_transform(transform)).unwrap();
            scene.update().unwrap();
            render_all(&scene, &front_view(), &Options::default(), |name, image| {
                assert_eq!(is_red(middle(image)), is_seen != turned, "{name}, {scale}, {turned}");
            });
        }
    }
}

#[test]
fn points_and_lines_are_drawn() {
    let mut scene = Scene::new();
    let line =
        Geometry::from_positions(vec![Vec3::new(-1.0, 0.0, 0.02), Vec3::new(1.0, 0.0, 0.02)]);
    let node = add(&mut scene, line.with_topology(Topology::LineStrip), unlit(RED));
    scene.spawn(node).unwrap();
    let points = Geometry::from_positions(vec![Vec3::new(0.02, 0.0, 1.02)]);
    let node = add(&mut scene, points.with_topology(Topology::Points), unlit(GREEN));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let options = Options { samples: 1, ..Options::default() };
    render_all(&scene, &front_view(), &options, |name, image| {
        let count = |is: fn([u8; 4]) -> bool| image.pixels.iter().filter(|it| is(**it)).count();
        assert!(count(is_red) > 15, "{name}: {} pixels of the line", count(is_red));
        assert!(count(is_green) >= 1, "{name}: {} pixels of the point", count(is_green));
    });
}

#[test]
fn lines_without_normals_show_colour_and_emission_whatever_the_light() {
    for intensity in [0.01, 10.0] {
        let mut scene = Scene::new();
        let ends = vec![Vec3::new(-1.0, 0.0, 0.02), Vec3::new(1.0, 0.0, 0.02)];
        let line = Geometry::from_positions(ends).with_topology(Topology::Lines);
        let material = Material { emissive: Vec3::new(0.0, 0.5, 0.0), ..Material::from_color(RED) };
        let node = add(&mut scene, line, material);
        scene.spawn(node).unwrap();
        scene.spawn(Node::light(Light::directional(Vec3::ONE, intensity))).unwrap();
        scene.update().unwrap();
        let options = Options { samples: 1, ..Options::default() };
        render_all(&scene, &front_view(), &options, |name, image| {
            // The sRGB values of 0.8, 0.52 and 0.02.
            let expected = [231, 190, 39, 255];
            let is_sum = |it: &&[u8; 4]| (0..4).all(|i| it[i].abs_diff(expected[i]) <= 2);
            let count = image.pixels.iter().filter(is_sum).count();
            assert!(count > 15, "{name}, {intensity}: {count} pixels of the line");
        });
    }
}

#[test]
fn joints_morph_targets_and_instances_move_what_is_drawn() {
    let mut scene = Scene::new();
    let far_left = Vec3::new(-2.0, 0.0, 0.0);
    let joint = scene.spawn(Node::group()).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    let skinned = square().with_influences(vec![[0; 4]; 4], vec![[1.0, 0.0, 0.0, 0.0]; 4]);
    let node = add(&mut scene, skinned, unlit(RED)).skinned(skin);
    scene.spawn(node).unwrap();
    scene.node_mut(joint).unwrap().set_translation(far_left).unwrap();
    let morphed = square().with_morph_target(MorphTarget::from_positions(vec![-far_left; 4]));
    let node = add(&mut scene, morphed, unlit(GREEN));
    let node = scene.spawn(node).unwrap();
    scene.weights.insert(&scene.graph, node, MorphWeights::from(vec![1.0])).unwrap();
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        assert!(is_red(pixel(image, SIZE[0] / 2 - 25, SIZE[1] / 2)), "{name}: skinned");
        assert!(is_green(pixel(image, SIZE[0] / 2 + 25, SIZE[1] / 2)), "{name}: morphed");
        assert!(!is_red(middle(image)) && !is_green(middle(image)), "{name}");
    });
}

#[test]
fn instances_are_drawn_where_their_matrices_are() {
    let mut scene = Scene::new();
    let geometry = scene.assets.add(square());
    let red = scene.assets.add(unlit(RED));
    let matrices = [-2.0, 2.0].map(|x| Mat4::from_translation(Vec3::X * x)).to_vec();
    let node = scene.spawn(Node::mesh(&geometry, &red)).unwrap();
    let instances = Instances::new(geometry.get().bounds(), matrices).unwrap();
    scene.meshes.get_mut(&scene.graph, node).unwrap().instances = Some(Box::new(instances));
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        for x in [SIZE[0] / 2 - 25, SIZE[0] / 2 + 25] {
            assert!(is_red(pixel(image, x, SIZE[1] / 2)), "{name}");
        }
        assert!(!is_red(middle(image)), "{name}");
    });
}

#[test]
fn lights_shine_on_their_layers_only_and_cast_shadows() {
    let mut scene = Scene::new();
    let white = Material::from_color(Vec4::ONE);
    let node = add(&mut scene, square(), white.clone());
    scene.spawn(node.with_transform(Transform::from_xyz(0.0, 1.0, 0.0))).unwrap();
    // In front of the lower half, seen from the light.
    let node =
        add(&mut scene, shapes::Cuboid::new(Vec3::new(3.0, 0.5, 1.0)).build().unwrap(), white);
    let blocker = scene.spawn(node.at(Vec3::new(0.0, -20.0, -0.5))).unwrap();
    let along_y = Transform::from_xyz(0.0, -30.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    let sun = Light::directional(Vec3::ONE, 0.7).with_shadow(Shadow::default());
    scene.spawn(Node::light(sun).with_transform(along_y)).unwrap();
    let other = Light::directional(Vec3::X, 100.0).with_layers(1 << 7);
    scene.spawn(Node::light(other).with_transform(along_y)).unwrap();
    scene.update().unwrap();
    let options = Options { studio: pleach_shading::Studio::Never, ..Options::default() };
    let (x, upper, lower) = (SIZE[0] / 2, SIZE[1] / 2 - 6, SIZE[1] / 2 + 6);
    render_all(&scene, &front_view(), &options, |name, image| {
        let [r, g, b, _] = pixel(image, x, upper);
        assert!(r > 150 && r == g && g == b, "{name}: {r} {g} {b}");
        assert!(pixel(image, x, lower)[0] < 20, "{name}: {:?}", pixel(image, x, lower));
    });
    let options = Options { shadows: Shadows::Off, ..options };
    render_all(&scene, &front_view(), &options, |name, image| {
        assert!(pixel(image, x, lower)[0] > 150, "{name}: {:?}", pixel(image, x, lower));
    });
    assert!(scene.mesh(blocker).is_some());
}

#[test]
fn glass_shows_what_is_behind_it() {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(GREEN));
    scene.spawn(node.at(Vec3::Y)).unwrap();
    let glass = Material {
        roughness: 0.0,
        transmission: Some(Box::new(pleach::Transmission { factor: 1.0, texture: None })),
        ..Material::from_color(Vec4::ONE)
    };
    let node = add(&mut scene, square(), glass);
    scene.spawn(node.at(-Vec3::Y)).unwrap();
    scene.update().unwrap();
    for samples in [1, 4] {
        let options = Options { samples, ..Options::default() };
        render_all(&scene, &front_view(), &options, |name, image| {
            let [r, g, b, _] = middle(image);
            assert!(g > 120 && g > r + 30 && g > b + 30, "{name}: {r} {g} {b}");
        });
    }
}

#[test]
fn unlit_surfaces_do_not_transmit_light_and_are_seen_through_those_that_do() {
    let mut scene = Scene::new();
    let glass = || Some(Box::new(pleach::Transmission { factor: 1.0, texture: None }));
    let node = add(&mut scene, square(), Material { transmission: glass(), ..unlit(RED) });
    scene.spawn(node.at(Vec3::Y)).unwrap();
    let clear =
        Material { roughness: 0.0, transmission: glass(), ..Material::from_color(Vec4::ONE) };
    let node = add(&mut scene, square(), clear);
    scene.spawn(node.at(-Vec3::Y)).unwrap();
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let [r, g, b, _] = middle(image);
        assert!(r > 120 && r > g + 30 && r > b + 30, "{name}: {r} {g} {b}");
    });
}

#[test]
fn the_id_of_each_pixel_is_what_a_ray_through_its_centre_hits() {
    let mut scene = Scene::new();
    for i in 0..12 {
        let i = i as f32;
        let cube = shapes::Cuboid::new(Vec3::splat(0.6)).build().unwrap();
        let node = add(&mut scene, cube, Material::from_color(RED));
        let rotation = Quat::from_rotation_z(i) * Quat::from_rotation_x(0.7 * i);
        let translation =
            Vec3::new(3.0 * (i * 2.3).sin(), 2.0 * (i * 1.7).cos(), 2.0 * (i * 0.9).sin());
        let transform = Transform { translation, rotation, scale: Vec3::ONE };
        scene.spawn(node.with_transform(transform)).unwrap();
    }
    scene.update().unwrap();
    let view = front_view();
    for TestGpu { name, gpu } in gpus() {
        let options = Options { tier: Some(gpu.tier), ..Options::default() };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options.clone()).unwrap();
        let image = headless.render_ids(&scene, &view, SIZE).unwrap();
        let (mut same, mut hits) = (0, 0);
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                let at = Vec2::new(x as f32, y as f32) + 0.5;
                let hit = scene.pick(&view.ray_through_pixel(at).unwrap(), &Filter::default());
                let id = image.ids[(y * SIZE[0] + x) as usize];
                hits += usize::from(hit.is_some());
                same += usize::from(
                    hit.map(|it| (it.node, it.part)) == id.map(|it| (it.node, it.part)),
                );
                if let (Some(hit), Some(_)) = (hit, id) {
                    let depth = image.depths[(y * SIZE[0] + x) as usize];
                    let expected = view.depth(hit.point);
                    assert!((depth - expected).abs() < 0.2, "{name}: {depth} for {expected}");
                }
            }
        }
        let pixels = (SIZE[0] * SIZE[1]) as usize;
        assert!(hits > pixels / 10, "{hits} hits");
        assert!(same * 1000 >= pixels * 995, "{name}: {same} of {pixels}");
    }
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    assert_eq!(visible.nodes().len(), 12);
}

#[test]
fn empty_and_huge_targets_do_not_panic() {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), Material::from_color(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    for TestGpu { name, gpu } in gpus() {
        let options = Options::default();
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options.clone()).unwrap();
        let empty = headless.render(&scene, &front_view(), [0, 64]).unwrap();
        assert!(empty.pixels.is_empty(), "{name}");
        let error = headless.render(&scene, &front_view(), [1 << 20, 64]).unwrap_err();
        assert!(matches!(error, pleach_wgpu::Error::TargetTooLarge { .. }), "{name}: {error}");
        headless.render(&scene, &front_view(), SIZE).unwrap();
    }
}
