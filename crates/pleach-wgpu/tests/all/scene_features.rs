//! Material groups, levels of detail, fog, exposure, tangents and environment maps in pictures.

use pleach::glam::{Vec3, Vec4};
use pleach::{
    Aabb, Anisotropy, EnvironmentMap, Fog, Geometry, Image, Level, Light, Lod, Material, Mesh,
    Node, Part, RenderList, Scene, Shadow, TextureRef, Transform, Visible, shapes,
};
use pleach_render::Settings;
use pleach_wgpu::{Exposure, Headless, Options, RenderedImage, Renderer, Shadows, Studio, Warning};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{
    GREEN, RED, SIZE, add, front_view, is_green, is_red, middle, pixel, render_all, square, unlit,
};

#[test]
fn triangles_of_one_geometry_have_their_own_materials() {
    let mut scene = Scene::new();
    // The lower right triangle, then the upper left one.
    let node = add(&mut scene, square().with_face_materials(vec![1, 0]), unlit(RED));
    let materials = [RED, GREEN].map(|color| scene.assets.add(unlit(color))).to_vec();
    let node = scene.spawn(node).unwrap();
    scene.meshes.get_mut(&scene.graph, node).unwrap().materials = materials;
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let (x, y) = (SIZE[0] / 2, SIZE[1] / 2);
        assert!(is_green(pixel(image, x + 6, y + 6)), "{name}: {:?}", pixel(image, x + 6, y + 6));
        assert!(is_red(pixel(image, x - 6, y - 6)), "{name}: {:?}", pixel(image, x - 6, y - 6));
    });
}

#[test]
fn parts_without_vertices_are_not_drawn_and_the_others_are() {
    let mut scene = Scene::new();
    let red = scene.assets.add(unlit(RED));
    let [empty, no_vertices, full] =
        [Geometry::default(), Geometry::from_triangles(vec![], vec![0, 1, 2]), square()]
            .map(|it| scene.assets.add(it));
    let parts = [&empty, &no_vertices, &full]
        .map(|it| Part { geometry: it.clone(), material: red.clone() });
    let node = scene.spawn(Node::group()).unwrap();
    scene.meshes.insert(&scene.graph, node, Mesh::from_parts(parts.to_vec())).unwrap();
    // Alone, with bounds of its own.
    let node = scene.spawn(Node::mesh(&empty, &red)).unwrap();
    scene.set_bounds(node, Some(Aabb::new(-Vec3::ONE, Vec3::ONE))).unwrap();
    let sun = Light::directional(Vec3::ONE, 1.0).with_shadow(Shadow::default());
    scene.spawn(Node::light(sun)).unwrap();
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        assert!(is_red(middle(image)), "{name}: {:?}", middle(image));
        assert!(image.warnings.is_empty(), "{name}: {:?}", image.warnings);
    });
}

#[test]
fn a_list_of_a_geometry_that_was_edited_since_is_drawn_as_far_as_it_goes() {
    for edited in [square(), Geometry::default(), square().with_face_materials(vec![0, 0])] {
        for TestGpu { name, gpu } in gpus() {
            let mut scene = Scene::new();
            let geometry = scene.assets.add(square().with_face_materials(vec![1, 0]));
            let materials = [RED, GREEN].map(|color| scene.assets.add(unlit(color))).to_vec();
            let node = scene.spawn(Node::mesh(&geometry, &materials[0])).unwrap();
            scene.meshes.get_mut(&scene.graph, node).unwrap().materials = materials;
            scene.update().unwrap();
            let (mut visible, mut list) = (Visible::new(), RenderList::new());
            scene.cull(&front_view(), &mut visible);
            list.build(&scene, &visible, &front_view());
            assert_eq!(list.opaque().len(), 2);
            geometry.set(edited.clone());
            let options = Options { tier: Some(gpu.tier), ..Options::default() };
            let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options).unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let ids = renderer.draw_ids(&mut encoder, &scene, &list, &front_view(), SIZE).unwrap();
            gpu.queue.submit([encoder.finish()]);
            assert!(ids.wait(&gpu.device).is_ok(), "{name}");
        }
    }
}

#[test]
fn the_level_of_detail_depends_on_the_size_in_the_picture() {
    for (y, is_fine) in [(0.0, true), (200.0, false)] {
        let mut scene = Scene::new();
        // Large enough to be seen from afar.
        let node = add(&mut scene, square(), unlit(RED));
        let fine = scene.spawn(node.scaled(Vec3::splat(4.0))).unwrap();
        let node = add(&mut scene, square(), unlit(GREEN));
        let coarse = scene.spawn(node.scaled(Vec3::splat(40.0))).unwrap();
        let group = scene.spawn(Node::group().at(Vec3::Y * y)).unwrap();
        for node in [fine, coarse] {
            scene.graph.attach(node, group).unwrap();
        }
        let level = |node, min_screen_size| Level { node, min_screen_size };
        let lod = Lod { levels: vec![level(fine, 0.3), level(coarse, 0.0)] };
        scene.lods.insert(&scene.graph, group, lod).unwrap();
        scene.update().unwrap();
        render_all(&scene, &front_view(), &Options::default(), |name, image| {
            let color = middle(image);
            let expected = if is_fine { is_red(color) } else { is_green(color) };
            assert!(expected, "{name}, at {y} m: {color:?}");
        });
    }
}

#[test]
fn fog_hides_what_is_far_away() {
    let mut scene = Scene::new();
    let color = Vec3::new(0.02, 0.8, 0.02);
    scene.environment.fog = Some(Fog { color, near: 15.0, far: 30.0 });
    for (x, y, z) in [(-1.2, 0.0, 0.0), (1.2, 0.0, 0.0), (0.0, 25.0, 6.0)] {
        let node = add(&mut scene, square(), unlit(RED));
        scene.spawn(node.at(Vec3::new(x, y, z))).unwrap();
    }
    scene.update().unwrap();
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let count = |is: fn([u8; 4]) -> bool| image.pixels.iter().filter(|it| is(**it)).count();
        // The two near squares are red, the far one has the colour of the fog.
        assert!(count(is_red) > 500, "{name}: {} red pixels", count(is_red));
        assert!(count(is_green) > 20, "{name}: {} green pixels", count(is_green));
    });
}

/// A sphere and a square in the light of a sun of this brightness.
fn sunny(brightness: f32) -> Scene {
    let mut scene = Scene::new();
    let ball = shapes::Sphere::new(1.0).build().unwrap();
    let node = add(&mut scene, ball, Material::from_color(Vec4::new(0.7, 0.3, 0.2, 1.0)));
    scene.spawn(node.at(Vec3::new(-0.8, 0.0, 0.0))).unwrap();
    let node = add(&mut scene, square(), unlit(Vec4::new(0.2, 0.4, 0.8, 1.0)));
    scene.spawn(node.at(Vec3::new(1.2, 0.0, 0.0))).unwrap();
    let at = Transform::from_xyz(-4.0, -9.0, 6.0).looking_at(Vec3::ZERO, Vec3::Z);
    let sun = Light::directional(Vec3::ONE, brightness);
    scene.spawn(Node::light(sun).with_transform(at)).unwrap();
    scene.update().unwrap();
    scene
}

/// Returns the mean difference of two pictures, in bytes.
fn mean_difference(image: &RenderedImage, other: &[[u8; 4]]) -> f64 {
    let bytes = image.pixels.as_flattened().iter().zip(other.as_flattened());
    let sum: u64 = bytes.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / (4 * other.len()) as f64
}

#[test]
fn automatic_exposure_is_that_of_the_cpu() {
    let options = Options {
        exposure: Exposure::Auto,
        studio: Studio::Never,
        shadows: Shadows::All,
        ..Options::default()
    };
    for brightness in [0.01, 1.0, 50.0, 100_000.0] {
        let scene = sunny(brightness);
        let settings = Settings { studio: Studio::Never, ..Settings::default() };
        let mut renderer = pleach_render::Renderer::new().with_settings(settings);
        let expected = renderer.render(&scene, &front_view()).unwrap();
        render_all(&scene, &front_view(), &options, |name, image| {
            let difference = mean_difference(image, &expected.pixels);
            assert!(difference < 3.0, "{name}, {brightness}: {difference}");
        });
    }
}

#[test]
fn normal_maps_without_tangents_look_as_on_the_cpu() {
    let mut scene = Scene::new();
    let ball = shapes::Sphere::new(1.2).build().unwrap();
    assert!(ball.tangents.is_empty() && !ball.uvs.is_empty());
    // Tilted to the right and upwards, in alternating squares.
    let pixels = (0..64).flat_map(|i| match (i + i / 8) % 2 {
        0 => [210, 170, 210, 255],
        _ => [80, 128, 230, 255],
    });
    let image = scene.assets.add(Image::from_rgba8(8, 8, pixels.collect()).unwrap());
    let bumpy = Material {
        roughness: 0.4,
        normal_texture: Some(TextureRef::new(image)),
        ..Material::from_color(Vec4::new(0.7, 0.6, 0.5, 1.0))
    };
    let node = add(&mut scene, ball, bumpy);
    scene.spawn(node).unwrap();
    assert_looks_as_on_the_cpu(&mut scene, 3.0);
}

#[test]
fn anisotropy_without_textures_and_tangents_looks_as_on_the_cpu() {
    let mut scene = Scene::new();
    let ball = shapes::Sphere::new(1.2).build().unwrap();
    let anisotropy = Anisotropy { strength: 1.0, rotation: 1.5, ..Anisotropy::default() };
    let brushed = Material {
        metallic: 1.0,
        roughness: 0.3,
        anisotropy: Some(Box::new(anisotropy)),
        ..Material::from_color(Vec4::ONE)
    };
    let node = add(&mut scene, ball, brushed);
    scene.spawn(node).unwrap();
    assert_looks_as_on_the_cpu(&mut scene, 3.0);
}

/// Compares the pictures of both renderers; `limit` is the largest mean difference, of 255.
fn assert_looks_as_on_the_cpu(scene: &mut Scene, limit: f64) {
    scene.update().unwrap();
    let mut renderer = pleach_render::Renderer::new();
    let expected = renderer.render(scene, &front_view()).unwrap();
    let options = Options { shadows: Shadows::All, ..Options::default() };
    render_all(scene, &front_view(), &options, |name, image| {
        let difference = mean_difference(image, &expected.pixels);
        assert!(difference < limit, "{name}: {difference}");
    });
}

#[test]
fn encoded_images_of_the_environment_are_decoded() {
    let mut scene = Scene::new();
    let ball = shapes::Sphere::new(1.0).build().unwrap();
    let node =
        add(&mut scene, ball, Material { roughness: 1.0, ..Material::from_color(Vec4::ONE) });
    scene.spawn(node).unwrap();
    let sky = scene.assets.add(Image::from_encoded("image/vnd.radiance", vec![1, 2, 3]));
    scene.environment.map = Some(EnvironmentMap::image(&sky));
    scene.update().unwrap();
    let options = Options { studio: Studio::Never, ..Options::default() };
    let without = |name: &str, image: &RenderedImage| {
        let is_warned =
            image.warnings.iter().any(|it| matches!(it, Warning::EnvironmentIgnored(_)));
        assert!(is_warned, "{name}: {:?}", image.warnings);
        assert!(middle(image)[0] < 10, "{name}: {:?}", middle(image));
    };
    render_all(&scene, &front_view(), &options, without);
    let Ok(mut headless) = pollster::block_on(Headless::with_decoder(options, |_| {
        Image::from_rgba8(4, 2, [0, 255, 0, 255].repeat(8)).map_err(|error| error.to_string())
    })) else {
        // Reported by the picture above.
        assert!(gpus().is_empty(), "there are adapters, but none is used");
        return;
    };
    let image = headless.render(&scene, &front_view(), SIZE).unwrap();
    assert!(is_green(middle(&image)), "{:?}, {:?}", middle(&image), image.warnings);
}
