//! Shadow maps: of spot and point lights, more than fit, and kept while nothing changes.

use pleach::glam::{Vec3, Vec4};
use pleach::{
    AlphaMode, Camera, Frame, Image, Light, Material, Node, NodeId, Scene, Shadow, TextureRef,
    Transform, Transmission, View, shapes,
};
use pleach_wgpu::{Headless, Options, Renderer, Studio, Target, Warning};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{SIZE, add, front_view, pixel, render_all, square};

/// A white square behind a bar that hides its lower half from lights in front of it.
fn wall_and_bar() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let white = Material::from_color(Vec4::ONE);
    let node = add(&mut scene, square(), white.clone());
    scene.spawn(node.at(Vec3::Y)).unwrap();
    let bar = shapes::Cuboid::new(Vec3::new(3.0, 0.2, 1.0)).build().unwrap();
    let node = add(&mut scene, bar, white);
    // Near the lights, outside of the picture's frustum.
    let bar = scene.spawn(node.at(Vec3::new(0.0, -14.0, -0.55))).unwrap();
    (scene, bar)
}

fn options() -> Options {
    Options { studio: Studio::Never, ..Options::default() }
}

#[test]
fn spot_and_point_lights_cast_shadows() {
    let spot = Light::spot(Vec3::ONE, 200.0, 0.3, 0.5);
    let point = Light::point(Vec3::ONE, 200.0);
    for (kind, light) in [("spot", spot), ("point", point)] {
        let (mut scene, _) = wall_and_bar();
        let at = Transform::from_xyz(0.0, -16.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
        let light = light.with_shadow(Shadow::default());
        scene.spawn(Node::light(light).with_transform(at)).unwrap();
        scene.update().unwrap();
        let (x, upper, lower) = (SIZE[0] / 2, SIZE[1] / 2 - 6, SIZE[1] / 2 + 6);
        render_all(&scene, &front_view(), &options(), |name, image| {
            let (lit, shaded) = (pixel(image, x, upper)[0], pixel(image, x, lower)[0]);
            assert!(lit > 150 && shaded < 20, "{kind}, {name}: {lit} above, {shaded} below");
        });
    }
}

/// Returns the brightness of a white wall where a square of this material is between it and the sun.
fn brightness_behind(caster: impl Fn(&Scene) -> Material, check: impl Fn(&str, u8)) {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), Material::from_color(Vec4::ONE));
    scene.spawn(node.at(Vec3::Y)).unwrap();
    let caster = caster(&scene);
    let node = add(&mut scene, square(), caster);
    scene.spawn(node.at(Vec3::new(0.0, -14.0, 0.0))).unwrap();
    let along_y = Transform::from_xyz(0.0, -16.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    let sun = Light::directional(Vec3::ONE, 1.0).with_shadow(Shadow::default());
    scene.spawn(Node::light(sun).with_transform(along_y)).unwrap();
    scene.update().unwrap();
    // The part of the square that has the lower left texel.
    let (x, y) = (SIZE[0] / 2 - 4, SIZE[1] / 2 + 4);
    render_all(&scene, &front_view(), &options(), |name, image| check(name, pixel(image, x, y)[0]));
}

#[test]
fn the_alpha_of_opaque_transmissive_casters_does_not_matter() {
    let transmission = |factor| Some(Box::new(Transmission { factor, texture: None }));
    let faint = Vec4::new(1.0, 1.0, 1.0, 0.2);
    let caster =
        |factor| Material { transmission: transmission(factor), ..Material::from_color(faint) };
    brightness_behind(
        |_| Material { metallic: 0.0, ..caster(0.01) },
        |name, value| assert!(value < 60, "{name}: {value} behind an opaque one"),
    );
    brightness_behind(
        |_| Material { metallic: 0.0, ..caster(1.0) },
        |name, value| assert!(value > 150, "{name}: {value} behind a clear one"),
    );
    brightness_behind(
        |_| Material { unlit: true, metallic: 0.0, ..caster(1.0) },
        |name, value| assert!(value < 20, "{name}: {value} behind an unlit one"),
    );
}

#[test]
fn transmissive_casters_with_a_mask_have_its_holes() {
    for (alpha, is_hole) in [(100, true), (150, false)] {
        let caster = |scene: &Scene| {
            let image = Image::from_rgba8(1, 1, vec![255, 255, 255, alpha]).unwrap();
            let transmission = Transmission { factor: 0.01, texture: None };
            Material {
                base_color_texture: Some(TextureRef::new(scene.assets.add(image))),
                alpha_mode: AlphaMode::MASK,
                transmission: Some(Box::new(transmission)),
                metallic: 0.0,
                ..Material::from_color(Vec4::ONE)
            }
        };
        brightness_behind(caster, |name, value| {
            let expected = if is_hole { value > 200 } else { value < 60 };
            assert!(expected, "{name}: {value} behind an alpha of {alpha}");
        });
    }
}

#[test]
fn shadows_of_a_scene_of_millimetres_are_as_sharp_as_those_of_a_scene_of_metres() {
    let picture = |scale: f32| {
        let mut scene = Scene::new();
        let white = Material::from_color(Vec4::ONE);
        let node = add(&mut scene, square(), white.clone());
        scene.spawn(node.at(Vec3::Y * scale).scaled(Vec3::splat(2.0 * scale))).unwrap();
        for i in 0..5 {
            let node = add(&mut scene, shapes::Sphere::new(0.3).build().unwrap(), white.clone());
            let at = Vec3::new(i as f32 - 2.0, -1.0, (i % 2) as f32) * scale;
            scene.spawn(node.at(at).scaled(Vec3::splat(scale))).unwrap();
        }
        let at = Transform::from_xyz(3.0, -8.0, 5.0).looking_at(Vec3::ZERO, Vec3::Z);
        let small_map = Shadow { map_size: 256, ..Shadow::default() };
        let sun = Light::directional(Vec3::ONE, 1.0).with_shadow(small_map);
        scene.spawn(Node::light(sun).with_transform(at)).unwrap();
        scene.update().unwrap();
        let at = Transform::from_xyz(0.0, -10.0 * scale, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
        let camera = Camera::perspective(0.5).with_near(0.1 * scale);
        let view = View::new(&camera, at, (SIZE[0], SIZE[1])).unwrap();
        let pictures = std::cell::RefCell::new(Vec::new());
        render_all(&scene, &view, &options(), |name, image| {
            pictures.borrow_mut().push((name.to_owned(), image.pixels.clone()));
        });
        pictures.into_inner()
    };
    for ((name, metres), (_, millimetres)) in picture(1.0).into_iter().zip(picture(0.001)) {
        let is_other = |(a, b): &(&[u8; 4], &[u8; 4])| a[0].abs_diff(b[0]) > 16;
        let others = metres.iter().zip(&millimetres).filter(is_other).count();
        assert!(others < 20, "{name}: {others} pixels differ");
        let shaded = metres.iter().filter(|it| it[0] < 20).count();
        assert!(shaded > 100, "{name}: {shaded} pixels are dark");
    }
}

#[test]
fn shadow_maps_that_do_not_fit_are_smaller_and_then_fewer() {
    let (mut scene, _) = wall_and_bar();
    let at = Transform::from_xyz(0.0, -16.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    // Six maps each: 12 lights have 72, but there are 64 at most.
    for _ in 0..12 {
        let large = Shadow { map_size: 8192, ..Shadow::default() };
        let light = Light::point(Vec3::ONE, 20.0).with_shadow(large);
        scene.spawn(Node::light(light).with_transform(at)).unwrap();
    }
    scene.update().unwrap();
    for TestGpu { name, gpu } in gpus() {
        let options = Options { tier: Some(gpu.tier), ..options() };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
        let image = headless.render(&scene, &front_view(), SIZE).unwrap();
        let reduced =
            image.warnings.iter().any(|it| matches!(it, Warning::ShadowMapsReduced { .. }));
        let ignored = image.warnings.contains(&Warning::ShadowsIgnored { lights: 2 });
        assert!(reduced && ignored, "{name}: {:?}", image.warnings);
        // Of twelve lights, ten have a shadow.
        let (x, upper, lower) = (SIZE[0] / 2, SIZE[1] / 2 - 6, SIZE[1] / 2 + 6);
        let (lit, shaded) = (pixel(&image, x, upper)[0], pixel(&image, x, lower)[0]);
        assert!(lit > shaded && shaded > 20, "{name}: {lit} above, {shaded} below");
        let again = headless.render(&scene, &front_view(), SIZE).unwrap();
        assert_eq!((again.warnings, again.pixels == image.pixels), (vec![], true), "{name}");
    }
}

#[test]
fn shadow_maps_are_drawn_again_only_if_something_changed() {
    for TestGpu { name, gpu } in gpus() {
        let (mut scene, bar) = wall_and_bar();
        let sun = Light::directional(Vec3::ONE, 0.7).with_shadow(Shadow::default());
        let down = Transform::from_xyz(0.0, -30.0, 9.0).looking_at(Vec3::ZERO, Vec3::Z);
        let sun = scene.spawn(Node::light(sun).with_transform(down)).unwrap();
        let at = Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
        let camera = Node::camera(Camera::perspective(0.5)).with_transform(at);
        let camera = scene.spawn(camera).unwrap();
        let options = Options { tier: Some(gpu.tier), ..options() };
        let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options).unwrap();
        renderer.attach(&mut scene);
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8UnormSrgb,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let texture_view = texture.create_view(&Default::default());
        let target = Target { view: &texture_view, format: texture.format(), size: SIZE };
        let mut frame = Frame::new();
        let mut draw = |scene: &mut Scene| {
            scene.frame(camera, (SIZE[0], SIZE[1]), 0.0, &mut frame).unwrap();
            let view = scene.view(camera, (SIZE[0], SIZE[1])).unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let stats = renderer.draw(&mut encoder, scene, &frame.list, &view, &target).unwrap();
            gpu.queue.submit([encoder.finish()]);
            stats.shadow_maps
        };
        assert_eq!([draw(&mut scene), draw(&mut scene), draw(&mut scene)], [4, 0, 0], "{name}");
        // The bar is not in view.
        scene.node_mut(bar).unwrap().set_translation(Vec3::new(0.0, -14.0, 0.5)).unwrap();
        assert_eq!([draw(&mut scene), draw(&mut scene)], [4, 0], "{name}: a caster moved");
        scene.node_mut(sun).unwrap().set_translation(Vec3::new(5.0, -30.0, 9.0)).unwrap();
        assert_eq!(draw(&mut scene), 4, "{name}: the light moved");
        scene.meshes.get_mut(&scene.graph, bar).unwrap().cast_shadow = false;
        assert_eq!([draw(&mut scene), draw(&mut scene)], [4, 0], "{name}: no caster any more");
        scene.node_mut(camera).unwrap().set_translation(Vec3::new(1.0, -10.0, 0.0)).unwrap();
        assert_eq!([draw(&mut scene), draw(&mut scene)], [4, 0], "{name}: the camera moved");
    }
}
