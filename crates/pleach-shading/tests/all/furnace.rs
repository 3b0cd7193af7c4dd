//! White surfaces in uniform light are white: no lobe loses or adds energy.

use pleach_shading::glam::Vec3;
use pleach_shading::{
    EnvironmentLight, EquirectangularImage, PrefilteredEnvironment, Shading, SplitSumLut, Surface,
};
use std::sync::Arc;

use crate::common::tilted;

/// Returns the light of a surface in uniform light of 1, for many roughnesses and directions.
fn reflections(surface: impl Fn(f32) -> Surface) -> Vec<(f32, f32, Vec3)> {
    let environment = EnvironmentLight::uniform(Vec3::ONE);
    let mut lights = Vec::new();
    for roughness in (0..=20).map(|step| step as f32 / 20.0) {
        for n_dot_v in [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0] {
            let view = tilted(n_dot_v);
            let shading = Shading::new(&surface(roughness), view, SplitSumLut::shared());
            lights.push((roughness, n_dot_v, shading.environment_light(&environment)));
        }
    }
    lights
}

fn assert_white(lights: &[(f32, f32, Vec3)]) {
    for (roughness, n_dot_v, light) in lights {
        let error = (*light - Vec3::ONE).abs().max_element();
        assert!(error < 0.01, "roughness {roughness}, n·v {n_dot_v}: {light}");
    }
}

#[test]
fn white_surfaces_of_any_metalness_and_roughness_are_white_in_uniform_light() {
    for metallic in [0.0, 0.3, 1.0] {
        assert_white(&reflections(|roughness| Surface {
            metallic,
            roughness,
            ..Surface::default()
        }));
    }
}

#[test]
fn layers_on_white_surfaces_keep_them_white() {
    let white = Surface::default();
    assert_white(&reflections(|it| Surface { clearcoat: 1.0, clearcoat_roughness: it, ..white }));
    let sheen = Surface { sheen_color: Vec3::ONE, ..white };
    assert_white(&reflections(|it| Surface { sheen_roughness: it, ..sheen }));
    assert_white(&reflections(|it| Surface { anisotropy: 0.8, roughness: it, ..white }));
    let film = Surface { iridescence: 1.0, iridescence_thickness: 300.0, ..white };
    let lights = reflections(|it| Surface { roughness: it, ..film });
    // A film reflects colours, and takes the strongest from what is below.
    assert!(lights.iter().all(|(.., light)| light.max_element() < 1.01));
    assert!(lights.iter().all(|(.., light)| light.max_element() > 0.98));
    assert_white(&reflections(|it| Surface { diffuse_transmission: it, ..white }));
}

#[test]
fn coloured_metals_are_never_much_darker_than_their_colour_squared() {
    let gold = Vec3::new(1.0, 0.77, 0.34);
    let lights = reflections(|roughness| Surface {
        base_color: gold,
        metallic: 1.0,
        roughness,
        ..Surface::default()
    });
    for (roughness, n_dot_v, light) in lights {
        let bounds = light.cmpge(gold * gold * 0.8).all() && light.cmple(Vec3::splat(1.001)).all();
        assert!(bounds, "roughness {roughness}, n·v {n_dot_v}: {light}");
    }
}

#[test]
fn a_uniform_image_gives_uniform_light() {
    let image = EquirectangularImage::new(64, 32, vec![Vec3::new(0.5, 1.0, 2.0); 64 * 32]);
    let map = Arc::new(PrefilteredEnvironment::from_image(&image.expect("it has pixels")));
    let expected = Vec3::new(0.5, 1.0, 2.0);
    for level in map.cube.levels() {
        for texel in level.texels() {
            assert!((*texel / expected - Vec3::ONE).abs().max_element() < 1e-5, "{texel}");
        }
    }
    let environment = EnvironmentLight::default().with_map(map, 1.0, 0.7);
    for normal in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, -0.8)] {
        let lights = [environment.irradiance(normal), environment.sheen(normal, Vec3::Z, 0.5)];
        for light in lights {
            assert!((light / expected - Vec3::ONE).abs().max_element() < 1e-3, "{light}");
        }
    }
}
