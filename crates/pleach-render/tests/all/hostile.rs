//! Odd scenes, views and settings make a picture or an error, never a panic, a hang, or a pixel
//! that is no colour.

use crate::common::{self, HEIGHT, Table, WIDTH, unlit};
use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane};
use pleach::{
    AlphaMode, Ambient, Background, Camera, Fog, Geometry, Image, ImageData, Instances, Light,
    Material, Mesh, MorphTarget, Node, Scene, Skin, TextureRef, TextureTransform, Topology,
    Transform, Viewport,
};
use pleach_render::{Error, Exposure, Renderer, Settings};

/// A picture of 64 × 48 pixels by the usual settings, whatever comes out.
fn draw(table: &mut Table) -> pleach_render::Picture {
    table.scene.update().unwrap();
    let view = table.scene.view(table.camera, (WIDTH, HEIGHT)).unwrap();
    let picture = Renderer::new().render(&table.scene, &view).unwrap();
    assert_eq!(picture.pixels.len(), (WIDTH * HEIGHT) as usize);
    assert!(picture.distances.iter().all(|it| *it >= 0.0), "distances are numbers");
    picture
}

#[test]
fn viewports_that_are_no_size_for_a_picture_are_refused() {
    let mut table = Table::new();
    table.scene.update().unwrap();
    let mut renderer = Renderer::new();
    let mut view = table.scene.view(table.camera, 1.5).unwrap();
    assert_eq!(renderer.render(&table.scene, &view), Err(Error::NoPixels));
    view.viewport = Viewport::Pixels(0, 9);
    assert_eq!(renderer.render(&table.scene, &view), Err(Error::NoPixels));
    for (width, height) in [(u32::MAX, u32::MAX), (1 << 25, 2), (8192, 4097)] {
        view.viewport = Viewport::Pixels(width, height);
        let error = renderer.render(&table.scene, &view).unwrap_err();
        assert_eq!(error, Error::TooManyPixels { width, height });
        assert!(error.to_string().contains(&format!("{width} × {height}")));
    }
    view.viewport = Viewport::Pixels(1, 1);
    assert_eq!(renderer.render(&table.scene, &view).unwrap().pixels.len(), 1);
}

#[test]
fn any_number_of_threads_will_do() {
    let mut table = Table::new();
    table.plane(Vec2::ONE, Vec3::ZERO, unlit(Vec4::ONE));
    let one = table.picture_with(Settings { threads: Some(1), ..Settings::default() });
    for threads in [0, 7, usize::MAX] {
        let settings = Settings { threads: Some(threads), ..Settings::default() };
        assert_eq!(table.picture_with(settings), one, "{threads}");
    }
}

#[test]
fn geometry_that_does_not_fit_together_is_drawn_as_far_as_it_goes() {
    let odd = [f32::NAN, f32::INFINITY, -1e38, 1e38, 1e-40, 0.0];
    let plane = || Plane::new(Vec2::splat(3.0)).build().unwrap();
    let mut geometries = vec![
        Geometry::default(),
        Geometry::from_positions(vec![Vec3::ZERO; 2]),
        Geometry::from_positions(vec![Vec3::ZERO; 9]),
        Geometry::from_triangles(plane().positions.into_vec(), vec![0, 1, 99, 0, 2, 3, 1]),
        Geometry::from_triangles(Vec::new(), vec![0, 1, 2]),
        plane().with_face_materials(vec![7]),
        plane().with_colors(vec![Vec4::NAN; 4]),
        plane().with_colors(vec![Vec4::ONE; 1]),
        plane().with_tangents(vec![Vec4::ZERO; 4]),
        plane().with_tangents(vec![Vec4::NAN; 2]),
    ];
    for number in odd {
        let mut broken = plane();
        broken.positions[1].x = number;
        geometries.push(broken);
        let mut broken = plane();
        broken.normals[1].y = number;
        broken.uvs[0][2].x = number;
        geometries.push(broken);
    }
    for mode in [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::TriangleFan,
        Topology::TriangleStrip,
    ] {
        let changed: Vec<Geometry> =
            geometries.iter().map(|it| it.clone().with_topology(mode)).collect();
        for geometry in changed {
            let mut table = Table::new();
            let image = table.scene.assets.add(Image::from_rgba8(1, 1, vec![90; 4]).unwrap());
            let texture = TextureRef::new(image);
            let material = Material {
                base_color_texture: Some(texture.clone()),
                normal_texture: Some(texture),
                ..Material::default()
            };
            table.put(geometry, Vec3::ZERO, material);
            draw(&mut table);
        }
    }
}

#[test]
fn numbers_of_materials_and_lights_may_be_anything() {
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -1.0, 0.0] {
        let mut table = Table::new();
        let transform = TextureTransform {
            offset: Vec2::splat(number),
            rotation: number,
            scale: Vec2::splat(number),
        };
        let image = table.scene.assets.add(Image::from_rgba8(1, 1, vec![200; 4]).unwrap());
        let texture = Some(TextureRef::new(image).with_transform(transform));
        let material = Material {
            base_color: Vec4::splat(number),
            base_color_texture: texture.clone(),
            metallic: number,
            roughness: number,
            metallic_roughness_texture: texture.clone(),
            normal_texture: texture.clone(),
            normal_scale: number,
            occlusion_texture: texture.clone(),
            occlusion_strength: number,
            emissive: Vec3::splat(number),
            emissive_texture: texture,
            emissive_strength: number,
            alpha_mode: AlphaMode::Mask { cutoff: number },
            ior: number,
            ..Material::default()
        };
        table.plane(Vec2::splat(3.0), Vec3::ZERO, material.clone());
        let blend = Material { alpha_mode: AlphaMode::Blend, ..material };
        table.plane(Vec2::splat(2.0), Vec3::Z, blend);
        let color = Vec3::new(1.0, number, 0.5);
        for light in [
            Light::directional(color, number),
            Light::directional(color, 1.0),
            Light::point(color, number).with_range(number),
            Light::point(color, 3.0).with_range(number),
            Light::spot(color, 2.0, number, number),
            Light::spot(color, 2.0, 0.1, number),
            Light::ambient(color, number),
        ] {
            table.light(light, Vec3::new(0.0, 0.0, 2.0));
        }
        table.scene.environment.ambient = Ambient { color, intensity: number };
        table.scene.environment.background = Some(Background::Color(color));
        table.scene.environment.fog = Some(Fog { color, near: number, far: 3.0 });
        draw(&mut table);
        for exposure in [Exposure::Auto, Exposure::Fixed(number)] {
            let background = Some(Vec4::splat(number));
            table.picture_with(Settings { exposure, background, ..Settings::default() });
        }
    }
}

#[test]
fn a_lamp_on_a_surface_is_no_trouble() {
    let mut table = Table::new();
    table.plane(Vec2::splat(6.0), Vec3::ZERO, Material::from_color(Vec4::ONE));
    let place = common::middle(32, 24).extend(0.0);
    table.light(Light::point(Vec3::ONE, 1.0), place);
    table.light(Light::spot(Vec3::ONE, 1.0, 0.1, 0.2), place);
    draw(&mut table);
}

#[test]
fn images_without_pixels_are_left_out_with_a_warning() {
    for image in [
        Image::from_rgba8(0, 0, Vec::new()).unwrap(),
        Image { name: None, data: ImageData::Rgba8 { width: 9, height: 9, pixels: vec![0; 5] } },
        Image {
            name: None,
            data: ImageData::Rgba8 { width: u32::MAX, height: u32::MAX, pixels: Vec::new() },
        },
        Image::from_uri("elsewhere.png"),
        Image::from_encoded("image/png", Vec::new()),
    ] {
        let mut table = Table::new();
        let texture = TextureRef::new(table.scene.assets.add(image));
        let material = Material { base_color_texture: Some(texture), ..unlit(Vec4::ONE) };
        table.plane(Vec2::splat(3.0), Vec3::ZERO, material);
        table.scene.update().unwrap();
        let view = table.scene.view(table.camera, (16, 12)).unwrap();
        // A decoder that gives back what it was given.
        let mut renderer = Renderer::new().with_decoder(|image| Ok(image.clone()));
        let picture = renderer.render(&table.scene, &view).unwrap();
        assert_eq!((picture.pixels[6 * 16 + 8], renderer.warnings().len()), ([255; 4], 1));
    }
}

#[test]
fn poses_may_be_as_odd_as_anything() {
    let cube = || Cuboid::new(Vec3::ONE).build().unwrap();
    let count = cube().positions.len();
    let mut table = Table::new();
    let bone = table.scene.spawn(Node::group()).unwrap();
    table.scene.update().unwrap();
    for (joints, weights) in [
        (vec![[0; 4]; count], vec![[0.0; 4]; count]),
        (vec![[9; 4]; count], vec![[1.0; 4]; count]),
        (vec![[0; 4]; count], vec![[f32::NAN; 4]; count]),
        (vec![[0; 4]; 1], vec![[1.0; 4]; 2]),
    ] {
        let geometry = table.scene.assets.add(cube().with_influences(joints, weights));
        let material = table.scene.assets.add(Material::default());
        for skin in [
            Skin::new(vec![bone], vec![Mat4::IDENTITY]).unwrap(),
            Skin::new(vec![bone], vec![Mat4::ZERO]).unwrap(),
            Skin::new(Vec::new(), Vec::new()).unwrap(),
        ] {
            table.scene.spawn(Node::mesh(&geometry, &material).skinned(skin)).unwrap();
        }
    }
    let target = MorphTarget {
        positions: [Vec3::NAN; 3].into(),
        normals: [Vec3::MAX; 99].into(),
        ..MorphTarget::default()
    };
    let node = table.put(cube().with_morph_target(target), Vec3::ZERO, Material::default());
    table.scene.set_weights(node, vec![f32::NAN, 1.0, 2.0]).unwrap();
    draw(&mut table);
    table.scene.set_weights(node, vec![1.0]).unwrap();
    draw(&mut table);
}

#[test]
fn flat_and_huge_and_tiny_things_are_drawn_or_not() {
    for scale in [
        Vec3::ZERO,
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::splat(1e-30),
        Vec3::splat(1e18),
        Vec3::splat(-1e-3),
    ] {
        let mut table = Table::new();
        let cube =
            table.put(Cuboid::new(Vec3::ONE).build().unwrap(), Vec3::ZERO, Material::default());
        table.scene.node_mut(cube).unwrap().set_scale(scale).unwrap();
        draw(&mut table);
    }
    for place in [1e15_f32, 1e30] {
        let mut table = Table::new();
        table.plane(Vec2::splat(1e15), Vec3::splat(place), Material::default());
        let up = Transform::from_xyz(place, place, place * 1.5);
        table.scene.node_mut(table.camera).unwrap().set_transform(up).unwrap();
        let camera = Camera::orthographic(place).with_depth_range(0.0, place);
        table.scene.cameras.insert(&table.scene.graph, table.camera, camera).unwrap();
        draw(&mut table);
    }
}

#[test]
fn an_eye_within_a_cube_sees_its_walls_from_inside_if_they_have_one() {
    for double_sided in [false, true] {
        let mut table = Table::new();
        let material = Material { double_sided, ..unlit(Vec4::ONE) };
        let cube =
            table.put(Cuboid::new(Vec3::splat(4.0)).build().unwrap(), Vec3::Z * 10.0, material);
        let camera = Camera::perspective(1.0, 4.0 / 3.0);
        table.scene.cameras.insert(&table.scene.graph, table.camera, camera).unwrap();
        let wanted = double_sided.then_some(cube);
        assert!(draw(&mut table).nodes.iter().all(|node| *node == wanted));
    }
}

#[test]
fn a_hundred_thousand_copies_and_ten_thousand_lights_make_a_picture() {
    let mut table = Table::new();
    let cube = table.scene.assets.add(Cuboid::new(Vec3::splat(0.4)).build().unwrap());
    let material = table.scene.assets.add(Material::from_color(Vec4::ONE));
    let place =
        |i: u32| Mat4::from_translation(Vec3::new((i % 400) as f32, (i / 400) as f32, 0.0) - 200.0);
    let copies = (0..160_000).map(place).collect();
    let mut mesh = Mesh::new(cube.clone(), material);
    mesh.instances = Some(Box::new(Instances::new(cube.bounds(), copies).unwrap()));
    table.scene.spawn(Node::group().with_mesh(mesh).at(Vec3::Z * 200.0)).unwrap();
    for i in 0..10_000 {
        table.light(Light::point(Vec3::ONE, 1.0), Vec3::new(i as f32 * 0.04 - 200.0, 0.0, 3.0));
    }
    table.scene.update().unwrap();
    let view = table.scene.view(table.camera, (32, 24)).unwrap();
    let mut renderer = Renderer::new();
    let picture = renderer.render(&table.scene, &view).unwrap();
    assert!(picture.nodes.iter().flatten().count() > 50);
    assert_eq!(
        renderer.warnings(),
        ["9936 lights are left out, the dimmest: a picture has 64 at most"],
    );
}

#[test]
fn a_scene_of_nothing_is_its_background() {
    let mut table = Table::new();
    let picture = draw(&mut table);
    assert!(picture.nodes.iter().all(Option::is_none));
    let mut scene = Scene::new();
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    scene.update().unwrap();
    let view = scene.view(camera, (3, 2)).unwrap();
    assert_eq!(Renderer::new().render(&scene, &view).unwrap().pixels.len(), 6);
}
