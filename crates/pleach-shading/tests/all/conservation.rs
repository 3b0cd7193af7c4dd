//! Reciprocity, energy conservation and finite results of the layered lobes.

use pleach_shading::glam::{DVec3, Vec3};
use pleach_shading::{EnvironmentLight, Shading, SplitSumLut, Surface};
use testkit::{Rng, sized};

use crate::common::{any_surface, integrate, plain_surface, tilted, upper};

fn evaluate(surface: &Surface, view: Vec3, light: Vec3) -> Vec3 {
    Shading::new(surface, view, SplitSumLut::shared()).evaluate(light)
}

#[test]
fn light_and_view_can_be_exchanged() {
    let mut rng = Rng::from_env(0x5ade);
    for _ in 0..sized(20_000, 200_000) {
        let surface = Surface {
            anisotropy: rng.pick(&[0.0, 0.4, 1.0]),
            sheen_color: rng.pick(&[Vec3::ZERO, Vec3::splat(0.5)]),
            sheen_roughness: rng.between(0.0, 1.0),
            ..plain_surface(&mut rng)
        };
        let (view, light) = (upper(&mut rng), upper(&mut rng));
        if view.z < 0.01 || light.z < 0.01 {
            continue;
        }
        let [there, back] =
            [evaluate(&surface, view, light) / light.z, evaluate(&surface, light, view) / view.z];
        let error = (there - back).abs().max_element();
        assert!(error <= 2e-3 * there.max_element().max(1.0), "{there} {back} {surface:?}");
    }
}

/// Returns the fraction of uniform light from above that is reflected towards the view.
fn albedo(surface: &Surface, view: Vec3) -> f64 {
    let shading = Shading::new(surface, view, SplitSumLut::shared());
    let light = |light: DVec3| f64::from(shading.evaluate(light.as_vec3()).max_element());
    integrate(160, light) / std::f64::consts::PI
}

#[test]
fn no_lobe_reflects_much_more_light_than_arrives() {
    let white = Surface::default();
    let metal = Surface { metallic: 1.0, ..white };
    // Appendix B of glTF does not conserve energy exactly: the diffuse light below a dielectric is
    // dimmed by the Fresnel term of the half vector, which is small where the view grazes.
    let surfaces = [
        ("dielectric", white, 1.06),
        ("metal", metal, 1.0),
        ("coat", Surface { clearcoat: 1.0, clearcoat_roughness: 0.5, ..white }, 1.0),
        ("sheen", Surface { sheen_color: Vec3::ONE, sheen_roughness: 0.5, ..white }, 1.02),
        ("anisotropy", Surface { anisotropy: 0.7, ..metal }, 1.0),
        ("film", Surface { iridescence: 1.0, iridescence_thickness: 400.0, ..metal }, 1.0),
        ("diffuse transmission", Surface { diffuse_transmission: 0.5, ..white }, 1.0),
        ("transmission", Surface { transmission: 1.0, ..white }, 1.0),
    ];
    for (name, surface, limit) in surfaces {
        let mut largest: f64 = 0.0;
        // Narrower lobes would need more points.
        for roughness in [0.5, 0.7, 0.85, 1.0] {
            for n_dot_v in [0.2, 0.4, 0.7, 1.0] {
                let albedo = albedo(&Surface { roughness, ..surface }, tilted(n_dot_v));
                largest = largest.max(albedo);
                let is_bounded = albedo <= limit + 0.02;
                assert!(is_bounded, "{name}, roughness {roughness}, n·v {n_dot_v}: {albedo}");
            }
        }
        println!("{name}: at most {largest}");
    }
}

#[test]
fn results_are_finite_and_not_negative_for_any_finite_parameters() {
    let mut rng = Rng::from_env(0xf1);
    let extremes = [0.0, -0.0, 1.0, -1.0, 1e-38, 1e-10, 0.5, 1e10, f32::MAX, f32::MIN];
    let environment = EnvironmentLight::uniform(Vec3::splat(0.5));
    for _ in 0..sized(50_000, 1_000_000) {
        let mut number = || rng.pick(&extremes);
        let mut color = || Vec3::new(number(), number(), number());
        let (base_color, specular_color, sheen_color) = (color(), color(), color());
        let (diffuse_transmission_color, attenuation_color, emissive) = (color(), color(), color());
        let surface = Surface {
            base_color,
            specular_color,
            sheen_color,
            diffuse_transmission_color,
            attenuation_color,
            emissive,
            metallic: number(),
            roughness: number(),
            occlusion: number(),
            ior: number(),
            specular: number(),
            clearcoat: number(),
            clearcoat_roughness: number(),
            sheen_roughness: number(),
            iridescence: number(),
            iridescence_ior: number(),
            iridescence_thickness: number(),
            anisotropy: number(),
            diffuse_transmission: number(),
            transmission: number(),
            thickness: number(),
            attenuation_distance: number(),
            dispersion: number(),
            ..Surface::default()
        };
        let axes = [Vec3::Z, -Vec3::Z, Vec3::X, Vec3::Y, rng.direction(), tilted(1e-20)];
        let (view, light) = (rng.pick(&axes), rng.pick(&axes));
        let shading = Shading::new(&surface, view, SplitSumLut::shared());
        let results = [
            shading.evaluate(light),
            shading.environment_light(&environment),
            shading.emitted_light(),
            shading.transmittance(),
        ];
        for result in results {
            let is_valid = result.is_finite() && result.cmpge(Vec3::ZERO).all();
            assert!(is_valid, "{results:?} {view} {light} {surface:?}");
        }
        assert!(shading.transmission_rays().iter().all(|ray| ray.is_finite()), "{surface:?}");
        assert!(shading.transmission_lod(1024.0).is_finite());
    }
}

#[test]
fn transmission_reaches_the_camera_only_where_nothing_above_reflects_it() {
    let mut rng = Rng::from_env(0x7a);
    let environment = EnvironmentLight::uniform(Vec3::ONE);
    for _ in 0..sized(2000, 20_000) {
        let surface = Surface { occlusion: 1.0, transmission: 1.0, ..any_surface(&mut rng) };
        let shading = Shading::new(&surface, upper(&mut rng), SplitSumLut::shared());
        let total = shading.environment_light(&environment) + shading.transmittance();
        assert!(total.max_element() < 1.01, "{total} {surface:?}");
    }
}
