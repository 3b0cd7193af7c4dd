//! Background, fog, and the near and far planes.

use crate::common::{Fixture, assert_near, at, exact_settings, srgb, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{Ambient, Background, Camera, EnvironmentMap, Fog, Image, ImageData, Material};
use pleach_render::{Renderer, Settings};

#[test]
fn background_is_taken_from_settings_then_scene_then_default() {
    let mut fixture = Fixture::new();
    let none = Settings { background: None, ..exact_settings() };
    let unset = fixture.picture_with(none.clone());
    // A light grey, brighter at the top.
    let (top, bottom) = (unset.pixels[0], unset.pixels[47 * 64]);
    assert!(top[0] > bottom[0] && bottom[0] > 100 && top[0] == top[1] && top[3] == 255);
    assert!(unset.pixels.chunks(64).all(|row| row.iter().all(|pixel| *pixel == row[0])));

    fixture.scene.environment.background = Some(Background::Color(Vec3::new(0.1, 0.2, 0.3)));
    let expected = [srgb(0.1), srgb(0.2), srgb(0.3), 255];
    assert!(fixture.picture_with(none).pixels.iter().all(|pixel| *pixel == expected));

    let requested =
        Settings { background: Some(Vec4::new(0.5, 0.0, 0.0, 0.5)), ..exact_settings() };
    let expected = [srgb(0.5), 0, 0, 128];
    assert!(fixture.picture_with(requested).pixels.iter().all(|pixel| *pixel == expected));
}

#[test]
fn fog_is_blended_by_its_factor() {
    let fog = Fog { color: Vec3::new(0.0, 0.0, 0.5), near: 4.0, far: 12.0 };
    for height in [9.0, 6.5, 4.0, 1.0, -2.0, -4.0] {
        let mut fixture = Fixture::new();
        fixture.plane(
            Vec2::splat(2.0),
            Vec3::new(0.0, 0.0, height),
            unlit(Vec4::new(1.0, 0.0, 0.0, 1.0)),
        );
        fixture.scene.environment.fog = Some(fog);
        // The distance below the camera: rays are parallel.
        let part = f64::from(fog.factor(10.0 - height));
        let [r, g, b, _] = at(&fixture.picture(), 0.0, 0.0);
        assert_near(r, srgb(1.0 - part), &format!("red at {height}"));
        assert_near(b, srgb(0.5 * part), &format!("blue at {height}"));
        assert_eq!(g, 0);
    }
}

#[test]
fn fog_in_perspective_depends_on_the_distance_from_the_camera() {
    let mut fixture = Fixture::new();
    let camera = Camera::perspective(1.2).with_aspect(4.0 / 3.0);
    fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
    fixture.plane(Vec2::splat(99.0), Vec3::ZERO, unlit(Vec4::ONE));
    let fog = Fog { color: Vec3::ZERO, near: 9.0, far: 15.0 };
    fixture.scene.environment.fog = Some(fog);
    let picture = fixture.picture();
    for (pixel, distance) in picture.pixels.iter().zip(&picture.distances) {
        assert_near(pixel[0], srgb(1.0 - f64::from(fog.factor(*distance))), &format!("{distance}"));
    }
    assert!(picture.distances[0] > picture.distances[24 * 64 + 32] + 1.0);
}

#[test]
fn surfaces_before_near_or_beyond_far_are_clipped() {
    for perspective in [false, true] {
        let mut fixture = Fixture::new();
        let camera = match perspective {
            true => Camera::perspective(0.6).with_aspect(4.0 / 3.0),
            false => Camera::orthographic(6.0),
        };
        let camera = camera.with_near(3.0).with_far(8.0);
        fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
        let colors = [
            Vec4::new(1.0, 0.0, 0.0, 1.0),
            Vec4::new(0.0, 1.0, 0.0, 1.0),
            Vec4::new(0.0, 0.0, 1.0, 1.0),
        ];
        let mut nodes = Vec::new();
        for (height, color) in [7.1, 6.9, 2.1].into_iter().zip(colors) {
            nodes.push(fixture.plane(Vec2::splat(20.0), Vec3::new(0.0, 0.0, height), unlit(color)));
        }
        // Up to the edges of the picture: near and far are planes.
        let all =
            |fixture: &mut Fixture, node| fixture.picture().nodes.iter().all(|it| *it == node);
        assert!(all(&mut fixture, Some(nodes[1])));
        fixture.scene.node_mut(nodes[1]).unwrap().set_visible(false);
        assert!(all(&mut fixture, Some(nodes[2])));
        let lower = Vec3::new(0.0, 0.0, 1.9);
        fixture.scene.node_mut(nodes[2]).unwrap().set_translation(lower).unwrap();
        assert!(all(&mut fixture, None));
    }
}

#[test]
fn a_uniform_environment_map_lights_like_ambient_light() {
    let lit = |change: &dyn Fn(&mut Fixture)| {
        let mut fixture = Fixture::new();
        fixture.plane(Vec2::splat(9.0), Vec3::ZERO, Material::from_color(Vec4::ONE * 0.6));
        change(&mut fixture);
        at(&fixture.picture(), 0.0, 0.0)
    };
    let ambient = lit(&|fixture| {
        fixture.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.5 };
    });
    let map = lit(&|fixture| {
        let image = Image::from_rgb_f32(4, 2, vec![[0.25; 3]; 8]).unwrap();
        let image = fixture.scene.assets.add(image);
        let map = EnvironmentMap { intensity: 2.0, ..EnvironmentMap::image(&image) };
        fixture.scene.environment.map = Some(map);
    });
    assert_near(map[0], ambient[0], "by map");
    assert!(ambient[0] > 100);
}

#[test]
fn the_background_may_show_the_environment_map() {
    let mut fixture = Fixture::new();
    // Red above, green below: the camera looks down.
    let pixels = [[0.5, 0.0, 0.0], [0.0, 0.25, 0.0]].map(|color| [color; 16]).concat();
    let sky = Image::from_rgb_f32(8, 4, pixels).unwrap();
    let encoded = Image::from_encoded("image/vnd.radiance", vec![1, 2, 3]);
    let map = EnvironmentMap::image(&fixture.scene.assets.add(encoded));
    fixture.scene.environment.map = Some(map);
    fixture.scene.environment.background = Some(Background::EnvironmentMap { blur: 0.0 });
    fixture.scene.update().unwrap();
    let view = fixture.scene.view(fixture.camera, (8, 6)).unwrap();
    let settings = Settings { background: None, ..exact_settings() };

    let decoded = sky.clone();
    let decode = move |image: &Image| match &image.data {
        ImageData::Encoded { mime, .. } if mime == "image/vnd.radiance" => Ok(decoded.clone()),
        _ => Err("unexpected".to_string()),
    };
    let mut renderer = Renderer::new().with_settings(settings.clone()).with_decoder(decode);
    let picture = renderer.render(&fixture.scene, &view).unwrap();
    assert_eq!(picture.pixels[20], [0, srgb(0.25), 0, 255]);
    assert_eq!(renderer.warnings(), [""; 0]);

    // Without a decoder the map is ignored, with a warning.
    let mut renderer = Renderer::new().with_settings(settings);
    let picture = renderer.render(&fixture.scene, &view).unwrap();
    assert_eq!(picture.pixels[20], [0, 0, 0, 255]);
    assert_eq!(renderer.warnings().len(), 1, "{:?}", renderer.warnings());
}
