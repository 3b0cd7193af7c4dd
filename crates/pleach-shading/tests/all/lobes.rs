//! Single lobes, compared with their definitions.

use pleach_shading::brdf::{anisotropy, fresnel, ggx, transmission};
use pleach_shading::glam::{DVec3, Mat4, Vec3};
use pleach_shading::{Shading, SplitSumLut, Surface};
use testkit::{Rng, sized};

use crate::common::{integrate, tilted, upper};

#[test]
fn microfacets_cover_the_surface_once() {
    // The projected area of all microfacets is that of the surface.
    for alpha in [0.3_f32, 0.6, 1.0] {
        let area =
            |half: DVec3| f64::from(ggx::distribution(alpha, Vec3::Z, half.as_vec3())) * half.z;
        let total = integrate(600, area) / std::f64::consts::PI;
        assert!((total - 1.0).abs() < 2e-3, "alpha {alpha}: {total}");
    }
}

#[test]
fn the_distribution_agrees_with_f64_for_smooth_surfaces() {
    let mut rng = Rng::from_env(0xd);
    for _ in 0..sized(20_000, 200_000) {
        let alpha = rng.between(ggx::MIN_ALPHA, 0.1);
        let half = (Vec3::Z + rng.vec3(3.0 * alpha)).normalize();
        let squared = f64::from(alpha).powi(2);
        let half_f64 = half.as_dvec3().normalize();
        let denominator = half_f64.z * half_f64.z * (squared - 1.0) + 1.0;
        let expected = squared / (denominator * denominator);
        let found = f64::from(ggx::distribution(alpha, Vec3::Z, half));
        assert!((found / expected - 1.0).abs() < 1e-3, "{alpha} {half}: {found} != {expected}");
    }
}

#[test]
fn without_strength_anisotropy_is_ggx() {
    let mut rng = Rng::from_env(0xa);
    for _ in 0..sized(20_000, 200_000) {
        let alpha = ggx::alpha_from_roughness(rng.between(0.0, 1.0));
        let (light, view) = (upper(&mut rng), upper(&mut rng));
        let (n_dot_l, n_dot_v) = (light.z, view.z.max(ggx::MIN_COSINE));
        let half = (light + view).normalize();
        let alphas = anisotropy::alphas(alpha, 0.0);
        let frame = [Vec3::X, Vec3::Y, Vec3::Z];
        let stretched = anisotropy::specular(alphas, frame, [light, view, half], n_dot_l, n_dot_v);
        let round = ggx::specular(alpha, Vec3::Z, half, n_dot_l, n_dot_v);
        let error = (stretched - round).abs();
        assert!(error <= 5e-3 * round.max(1e-3), "{alpha} {light} {view}: {stretched} {round}");
    }
}

#[test]
fn anisotropic_highlights_are_longer_along_the_tangent() {
    let surface = Surface { metallic: 1.0, roughness: 0.3, anisotropy: 0.8, ..Surface::default() };
    let shading = Shading::new(&surface, Vec3::Z, SplitSumLut::shared());
    let [along, across] = [Vec3::new(0.5, 0.0, 0.866), Vec3::new(0.0, 0.5, 0.866)]
        .map(|light| shading.evaluate(light).x);
    assert!(along > 5.0 * across, "{along} {across}");
}

#[test]
fn the_reflectance_of_glass_and_diamond_at_normal_incidence_is_known() {
    let known = [(1.5, 0.04), (1.33, 0.020_06), (2.42, 0.172_4), (1.0, 0.0), (0.0, 1.0)];
    for (ior, expected) in known {
        assert!((fresnel::f0_from_ior(ior) - expected).abs() < 1e-4, "{ior}");
    }
}

#[test]
fn refracted_rays_follow_snells_law() {
    let mut rng = Rng::from_env(0x5e11);
    for _ in 0..sized(10_000, 100_000) {
        let (view, ior) = (upper(&mut rng), rng.between(1.0, 2.5));
        let ray = transmission::refracted(Vec3::Z, view, ior);
        let [outside, inside] = [view, ray].map(|it| f64::from(it.x).hypot(f64::from(it.y)));
        assert!((outside - f64::from(ior) * inside).abs() < 1e-5, "{view} {ior}: {ray}");
        assert!(ray.z < 0.0 && (ray.length() - 1.0).abs() < 1e-5);
        // The ray stays in the plane of incidence and continues to the other side.
        assert!(
            ray.dot(view.cross(Vec3::Z)).abs() < 1e-5 && ray.truncate().dot(view.truncate()) <= 0.0
        );
    }
}

#[test]
fn a_volume_has_its_colour_after_its_distance() {
    let amber = Vec3::new(0.9, 0.5, 0.1);
    assert!((transmission::attenuation(2.0, amber, 2.0) - amber).length() < 1e-6);
    assert!((transmission::attenuation(4.0, amber, 2.0) - amber * amber).length() < 1e-6);
    for distance in [0.0, f32::INFINITY, f32::NAN, -1.0] {
        assert_eq!(transmission::attenuation(2.0, amber, distance), Vec3::ONE);
    }
    let scaled = Mat4::from_scale(Vec3::splat(3.0));
    assert!((transmission::world_thickness(0.5, &scaled) - 1.5).abs() < 1e-6);
}

#[test]
fn dispersion_bends_blue_more_than_red() {
    let surface = Surface {
        transmission: 1.0,
        thickness: 1.0,
        ior: 1.8,
        dispersion: 4.0,
        ..Surface::default()
    };
    let shading = Shading::new(&surface, tilted(0.5), SplitSumLut::shared());
    let [red, green, blue] = shading.transmission_rays().map(|ray| -ray.x);
    assert!(red > green && green > blue, "{red} {green} {blue}");
    let surface = Surface { dispersion: 0.0, ..surface };
    let plain = Shading::new(&surface, tilted(0.5), SplitSumLut::shared()).transmission_rays();
    assert!(plain[0] == plain[1] && plain[1] == plain[2] && (plain[1].x + green).abs() < 1e-6);
}

#[test]
fn a_coat_reflects_with_its_own_normal() {
    let tilted_coat = Vec3::new(0.5, 0.0, 0.75_f32.sqrt());
    let surface = Surface {
        base_color: Vec3::ZERO,
        specular: 0.0,
        clearcoat: 1.0,
        clearcoat_roughness: 0.2,
        clearcoat_normal: tilted_coat,
        ..Surface::default()
    };
    let shading = Shading::new(&surface, Vec3::Z, SplitSumLut::shared());
    let mirrored = tilted_coat * (2.0 * tilted_coat.z) - Vec3::Z;
    assert!(shading.evaluate(mirrored).x > 20.0 * shading.evaluate(Vec3::Z).x);
}
