//! Invalid scenes, views and settings give a picture or an error, never a panic, a hang, or an
//! invalid pixel.

use crate::common::{self, Fixture, HEIGHT, WIDTH, unlit};
use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane};
use pleach::{
    AlphaMode, Ambient, Anisotropy, Background, Camera, Clearcoat, DiffuseTransmission, Fog,
    Geometry, Image, ImageData, Instances, Iridescence, Light, Material, Mesh, MorphTarget, Node,
    Scene, Sheen, Skin, Specular, TextureRef, TextureTransform, Topology, Transform, Transmission,
    Viewport, Volume,
};
use pleach_render::{Error, Exposure, Overlay, Renderer, Settings};

/// Renders 64 × 48 pixels with default settings.
fn draw(fixture: &mut Fixture) -> pleach_render::Picture {
    fixture.scene.update().unwrap();
    let view = fixture.scene.view(fixture.camera, (WIDTH, HEIGHT)).unwrap();
    let picture = Renderer::new().render(&fixture.scene, &view).unwrap();
    assert_eq!(picture.pixels.len(), (WIDTH * HEIGHT) as usize);
    assert!(picture.distances.iter().all(|it| *it >= 0.0), "distances are numbers");
    picture
}

#[test]
fn viewports_without_pixels_or_with_too_many_are_refused() {
    let mut fixture = Fixture::new();
    fixture.scene.update().unwrap();
    let mut renderer = Renderer::new();
    let mut view = fixture.scene.view(fixture.camera, 1.5).unwrap();
    assert_eq!(renderer.render(&fixture.scene, &view), Err(Error::NoPixels));
    view.viewport = Viewport::Pixels(0, 9);
    assert_eq!(renderer.render(&fixture.scene, &view), Err(Error::NoPixels));
    for (width, height) in [(u32::MAX, u32::MAX), (1 << 25, 2), (8192, 4097)] {
        view.viewport = Viewport::Pixels(width, height);
        let error = renderer.render(&fixture.scene, &view).unwrap_err();
        assert_eq!(error, Error::TooManyPixels { width, height });
        assert!(error.to_string().contains(&format!("{width} × {height}")));
    }
    view.viewport = Viewport::Pixels(1, 1);
    assert_eq!(renderer.render(&fixture.scene, &view).unwrap().pixels.len(), 1);
}

#[test]
fn any_number_of_threads_is_accepted() {
    let mut fixture = Fixture::new();
    fixture.plane(Vec2::ONE, Vec3::ZERO, unlit(Vec4::ONE));
    let one = fixture.picture_with(Settings { threads: Some(1), ..Settings::default() });
    for threads in [0, 7, usize::MAX] {
        let settings = Settings { threads: Some(threads), ..Settings::default() };
        assert_eq!(fixture.picture_with(settings), one, "{threads}");
    }
}

#[test]
fn inconsistent_geometry_is_drawn_as_far_as_possible() {
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
    for topology in [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::TriangleFan,
        Topology::TriangleStrip,
    ] {
        let changed: Vec<Geometry> =
            geometries.iter().map(|it| it.clone().with_topology(topology)).collect();
        for geometry in changed {
            let mut fixture = Fixture::new();
            let image = fixture.scene.assets.add(Image::from_rgba8(1, 1, vec![90; 4]).unwrap());
            let texture = TextureRef::new(image);
            let material = Material {
                base_color_texture: Some(texture.clone()),
                normal_texture: Some(texture),
                ..Material::default()
            };
            fixture.put(geometry, Vec3::ZERO, material);
            draw(&mut fixture);
        }
    }
}

#[test]
fn material_and_light_parameters_may_have_any_value() {
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -1.0, 0.0] {
        let mut fixture = Fixture::new();
        let transform = TextureTransform {
            offset: Vec2::splat(number),
            rotation: number,
            scale: Vec2::splat(number),
        };
        let image = fixture.scene.assets.add(Image::from_rgba8(1, 1, vec![200; 4]).unwrap());
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
            emissive_texture: texture.clone(),
            emissive_strength: number,
            alpha_mode: AlphaMode::Mask { cutoff: number },
            ior: number,
            dispersion: number,
            clearcoat: Some(Box::new(Clearcoat {
                factor: number,
                roughness: number,
                normal_texture: texture.clone(),
                normal_scale: number,
                ..Clearcoat::default()
            })),
            sheen: Some(Box::new(Sheen {
                color: Vec3::splat(number),
                roughness: number,
                ..Sheen::default()
            })),
            specular: Some(Box::new(Specular {
                factor: number,
                color: Vec3::splat(number),
                ..Specular::default()
            })),
            transmission: Some(Box::new(Transmission { factor: number, texture: None })),
            diffuse_transmission: Some(Box::new(DiffuseTransmission {
                factor: number,
                color: Vec3::splat(number),
                ..DiffuseTransmission::default()
            })),
            volume: Some(Box::new(Volume {
                thickness: number,
                attenuation_distance: number,
                attenuation_color: Vec3::splat(number),
                ..Volume::default()
            })),
            iridescence: Some(Box::new(Iridescence {
                factor: number,
                ior: number,
                thickness_min: number,
                thickness_max: number,
                ..Iridescence::default()
            })),
            anisotropy: Some(Box::new(Anisotropy { strength: number, rotation: number, texture })),
            ..Material::default()
        };
        fixture.plane(Vec2::splat(3.0), Vec3::ZERO, material.clone());
        let blend = Material { alpha_mode: AlphaMode::Blend, ..material };
        fixture.plane(Vec2::splat(2.0), Vec3::Z, blend);
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
            fixture.light(light, Vec3::new(0.0, 0.0, 2.0));
        }
        fixture.scene.environment.ambient = Ambient { color, intensity: number };
        fixture.scene.environment.background = Some(Background::Color(color));
        fixture.scene.environment.fog = Some(Fog { color, near: number, far: 3.0 });
        draw(&mut fixture);
        for exposure in [Exposure::Auto, Exposure::Fixed(number)] {
            let background = Some(Vec4::splat(number));
            fixture.picture_with(Settings { exposure, background, ..Settings::default() });
        }
    }
}

#[test]
fn a_light_on_a_surface_is_handled() {
    let mut fixture = Fixture::new();
    fixture.plane(Vec2::splat(6.0), Vec3::ZERO, Material::from_color(Vec4::ONE));
    let position = common::pixel_center(32, 24).extend(0.0);
    fixture.light(Light::point(Vec3::ONE, 1.0), position);
    fixture.light(Light::spot(Vec3::ONE, 1.0, 0.1, 0.2), position);
    draw(&mut fixture);
}

#[test]
fn images_without_pixels_are_ignored_with_a_warning() {
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
        let mut fixture = Fixture::new();
        let texture = TextureRef::new(fixture.scene.assets.add(image));
        let material = Material { base_color_texture: Some(texture), ..unlit(Vec4::ONE) };
        fixture.plane(Vec2::splat(3.0), Vec3::ZERO, material);
        fixture.scene.update().unwrap();
        let view = fixture.scene.view(fixture.camera, (16, 12)).unwrap();
        // A decoder that returns its input.
        let mut renderer = Renderer::new().with_decoder(|image| Ok(image.clone()));
        let picture = renderer.render(&fixture.scene, &view).unwrap();
        assert_eq!((picture.pixels[6 * 16 + 8], renderer.warnings().len()), ([255; 4], 1));
    }
}

#[test]
fn invalid_skins_and_morph_targets_are_handled() {
    let cube = || Cuboid::new(Vec3::ONE).build().unwrap();
    let count = cube().positions.len();
    let mut fixture = Fixture::new();
    let joint = fixture.scene.spawn(Node::group()).unwrap();
    fixture.scene.update().unwrap();
    for (joints, weights) in [
        (vec![[0; 4]; count], vec![[0.0; 4]; count]),
        (vec![[9; 4]; count], vec![[1.0; 4]; count]),
        (vec![[0; 4]; count], vec![[f32::NAN; 4]; count]),
        (vec![[0; 4]; 1], vec![[1.0; 4]; 2]),
    ] {
        let geometry = fixture.scene.assets.add(cube().with_influences(joints, weights));
        let material = fixture.scene.assets.add(Material::default());
        for skin in [
            Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap(),
            Skin::new(vec![joint], vec![Mat4::ZERO]).unwrap(),
            Skin::new(Vec::new(), Vec::new()).unwrap(),
        ] {
            fixture.scene.spawn(Node::mesh(&geometry, &material).skinned(skin)).unwrap();
        }
    }
    let target = MorphTarget {
        positions: [Vec3::NAN; 3].into(),
        normals: [Vec3::MAX; 99].into(),
        ..MorphTarget::default()
    };
    let node = fixture.put(cube().with_morph_target(target), Vec3::ZERO, Material::default());
    fixture.scene.set_weights(node, vec![f32::NAN, 1.0, 2.0]).unwrap();
    draw(&mut fixture);
    fixture.scene.set_weights(node, vec![1.0]).unwrap();
    draw(&mut fixture);
}

#[test]
fn singular_huge_and_tiny_transforms_are_handled() {
    for scale in [
        Vec3::ZERO,
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::splat(1e-30),
        Vec3::splat(1e18),
        Vec3::splat(-1e-3),
    ] {
        let mut fixture = Fixture::new();
        let cube =
            fixture.put(Cuboid::new(Vec3::ONE).build().unwrap(), Vec3::ZERO, Material::default());
        fixture.scene.node_mut(cube).unwrap().set_scale(scale).unwrap();
        draw(&mut fixture);
    }
    for scale in [1e15_f32, 1e30] {
        let mut fixture = Fixture::new();
        fixture.plane(Vec2::splat(1e15), Vec3::splat(scale), Material::default());
        let up = Transform::from_xyz(scale, scale, scale * 1.5);
        fixture.scene.node_mut(fixture.camera).unwrap().set_transform(up).unwrap();
        let camera = Camera::orthographic(scale).with_near(0.0).with_far(scale);
        fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
        draw(&mut fixture);
    }
}

#[test]
fn a_camera_inside_a_cube_sees_double_sided_walls_only() {
    for double_sided in [false, true] {
        let mut fixture = Fixture::new();
        let material = Material { double_sided, ..unlit(Vec4::ONE) };
        let cube =
            fixture.put(Cuboid::new(Vec3::splat(4.0)).build().unwrap(), Vec3::Z * 10.0, material);
        let camera = Camera::perspective(1.0).with_aspect(4.0 / 3.0);
        fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
        let expected = double_sided.then_some(cube);
        assert!(draw(&mut fixture).nodes.iter().all(|node| *node == expected));
    }
}

#[test]
fn many_instances_and_many_lights_are_rendered() {
    let mut fixture = Fixture::new();
    let cube = fixture.scene.assets.add(Cuboid::new(Vec3::splat(0.4)).build().unwrap());
    let material = fixture.scene.assets.add(Material::from_color(Vec4::ONE));
    let matrix =
        |i: u32| Mat4::from_translation(Vec3::new((i % 400) as f32, (i / 400) as f32, 0.0) - 200.0);
    let instances = (0..160_000).map(matrix).collect();
    let mut mesh = Mesh::new(cube.clone(), material);
    mesh.instances = Some(Box::new(Instances::new(cube.get().bounds(), instances).unwrap()));
    fixture.scene.spawn(Node::group().with_mesh(mesh).at(Vec3::Z * 200.0)).unwrap();
    for i in 0..10_000 {
        fixture.light(Light::point(Vec3::ONE, 1.0), Vec3::new(i as f32 * 0.04 - 200.0, 0.0, 3.0));
    }
    fixture.scene.update().unwrap();
    let view = fixture.scene.view(fixture.camera, (32, 24)).unwrap();
    let mut renderer = Renderer::new();
    let picture = renderer.render(&fixture.scene, &view).unwrap();
    assert!(picture.nodes.iter().flatten().count() > 50);
    assert_eq!(
        renderer.warnings(),
        ["the 9936 dimmest lights are ignored: a picture has 64 lights at most"],
    );
}

#[test]
fn an_empty_scene_shows_its_background() {
    let mut fixture = Fixture::new();
    let picture = draw(&mut fixture);
    assert!(picture.nodes.iter().all(Option::is_none));
    let mut scene = Scene::new();
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    scene.update().unwrap();
    let view = scene.view(camera, (3, 2)).unwrap();
    assert_eq!(Renderer::new().render(&scene, &view).unwrap().pixels.len(), 6);
}

#[test]
fn d_error_implements_std_error() {
    fn is_error<T: std::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<Error>();
    let overlay: Box<dyn std::error::Error> = Box::new("x".parse::<Overlay>().unwrap_err());
    assert!(!overlay.to_string().is_empty());
}
