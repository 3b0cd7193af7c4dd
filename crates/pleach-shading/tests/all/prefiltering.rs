//! Prefiltered environments, compared with brute-force integrals in `f64`.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use pleach::EnvironmentMap;
use pleach_shading::brdf::sheen;
use pleach_shading::glam::{DVec3, Vec2, Vec3};
use pleach_shading::{EnvironmentLight, EquirectangularImage, PrefilteredEnvironment};
use testkit::Rng;

const WIDTH: usize = 256;
const HEIGHT: usize = 128;

/// A sky with a horizon, coloured walls and a small bright light.
fn sky(direction: DVec3) -> DVec3 {
    let sun = DVec3::new(0.4, 0.5, 0.768).normalize();
    let glow = (40.0 * (direction.dot(sun) - 1.0)).exp();
    let wall = 0.5 + 0.5 * (3.0 * direction.y.atan2(direction.x)).sin();
    let sky = DVec3::new(0.3, 0.5, 0.9) * (0.5 + 0.5 * direction.z);
    sky + DVec3::new(0.6, 0.3, 0.1) * wall * (1.0 - direction.z * direction.z)
        + DVec3::splat(8.0 * glow)
}

fn image() -> EquirectangularImage {
    let map = EnvironmentMap::studio();
    let pixel = |i: usize| {
        let uv = Vec2::new(
            ((i % WIDTH) as f32 + 0.5) / WIDTH as f32,
            ((i / WIDTH) as f32 + 0.5) / HEIGHT as f32,
        );
        sky(map.direction(uv).as_dvec3()).as_vec3()
    };
    EquirectangularImage::new(WIDTH, HEIGHT, (0..WIDTH * HEIGHT).map(pixel).collect())
        .expect("the number of pixels is right")
}

fn frame(normal: DVec3) -> [DVec3; 2] {
    let (a, b) = normal.any_orthonormal_pair();
    [a, b]
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The mean over the GGX lobe around a direction, seen from there, weighted by the cosine.
fn ggx_mean(rng: &mut Rng, normal: DVec3, roughness: f64) -> DVec3 {
    let alpha = roughness * roughness;
    let [tangent, bitangent] = frame(normal);
    let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
    for _ in 0..20_000 {
        let (u, angle) = (uniform(rng), TAU * uniform(rng));
        let cos = ((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u)).sqrt();
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let half = tangent * (sin * angle.cos()) + bitangent * (sin * angle.sin()) + normal * cos;
        let light = half * (2.0 * cos) - normal;
        let cosine = light.dot(normal);
        if cosine > 0.0 {
            sum += sky(light) * cosine;
            weights += cosine;
        }
    }
    sum / weights
}

#[test]
fn levels_agree_with_monte_carlo_integrals_of_their_lobes() {
    let environment = PrefilteredEnvironment::from_image(&image());
    let mut rng = Rng::from_env(0xcafe);
    for level in 0..environment.cube.levels().len() {
        let roughness = environment.level_roughness(level);
        let mut largest: f64 = 0.0;
        for _ in 0..40 {
            let direction = rng.direction();
            let expected =
                ggx_mean(&mut rng, direction.as_dvec3().normalize(), f64::from(roughness));
            let found = environment.specular(direction, roughness).as_dvec3();
            // Relative to the light there and a part of the mean, which is about 0.7.
            let error = ((found - expected) / (expected + 0.1)).abs().max_element();
            largest = largest.max(error);
            assert!(error < 0.06, "level {level}, {direction}: {found} != {expected}");
        }
        println!("level {level}, roughness {roughness}: at most {:.2} %", largest * 100.0);
    }
}

/// Integrates over the hemisphere of a normal.
fn hemisphere(normal: DVec3, mut value: impl FnMut(DVec3, f64)) {
    let [tangent, bitangent] = frame(normal);
    let count = 150;
    for i in 0..count {
        let cosine = (f64::from(i) + 0.5) / f64::from(count);
        let radius = (1.0 - cosine * cosine).sqrt();
        for j in 0..2 * count {
            let angle = PI * (f64::from(j) + 0.5) / f64::from(count);
            let across = tangent * angle.cos() + bitangent * angle.sin();
            value(normal * cosine + across * radius, cosine);
        }
    }
}

#[test]
fn irradiance_agrees_with_an_integral() {
    let environment = PrefilteredEnvironment::from_image(&image());
    let mut rng = Rng::from_env(0xd1f);
    let mut largest: f64 = 0.0;
    for _ in 0..60 {
        let normal = rng.direction();
        let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
        hemisphere(normal.as_dvec3(), |light, cosine| {
            sum += sky(light) * cosine;
            weights += cosine;
        });
        let (found, expected) =
            (environment.harmonics.irradiance(normal).as_dvec3(), sum / weights);
        largest = largest.max(((found - expected) / expected).abs().max_element());
        // Nine coefficients have an error of up to 3 % for smooth light, 9 % for a small one.
        assert!(largest < 0.09, "{normal}: {found} != {expected}");
    }
    println!("at most {:.2} %", largest * 100.0);
}

#[test]
fn the_light_of_sheen_agrees_with_an_integral_of_its_lobe() {
    let environment = PrefilteredEnvironment::from_image(&image());
    let mut rng = Rng::from_env(0x5ee);
    let (mut sum_of_squares, mut count) = (0.0, 0.0);
    for _ in 0..60 {
        let (normal, roughness) = (rng.direction().as_dvec3(), rng.between(0.25, 1.0));
        let [tangent, _] = frame(normal);
        let n_dot_v = f64::from(rng.between(0.05, 0.7));
        let view = normal * n_dot_v + tangent * (1.0 - n_dot_v * n_dot_v).sqrt();
        let alpha = sheen::alpha_from_roughness(roughness);
        let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
        hemisphere(normal, |light, cosine| {
            let n_dot_h = (light + view).normalize().dot(normal);
            let lobe = sheen::specular(alpha, n_dot_h as f32, cosine as f32, n_dot_v as f32);
            sum += sky(light) * f64::from(lobe);
            weights += f64::from(lobe);
        });
        let expected = sum / weights;
        let found = environment.harmonics.sheen(normal.as_vec3(), view.as_vec3(), roughness);
        let error = ((found.as_dvec3() - expected) / (expected + 0.3)).abs().max_element();
        assert!(error < 0.35, "{normal} {n_dot_v} {roughness}: {found} != {expected}");
        sum_of_squares += error * error;
        count += 1.0;
    }
    let typical = f64::sqrt(sum_of_squares / count);
    println!("typically {:.1} %", typical * 100.0);
    assert!(typical < 0.2);
}

#[test]
fn directions_are_those_of_the_environment_map() {
    let filtered = Arc::new(PrefilteredEnvironment::from_image(&image()));
    let mut rng = Rng::from_env(0xd1c);
    for _ in 0..200 {
        let map = EnvironmentMap { rotation: rng.between(-4.0, 4.0), ..EnvironmentMap::studio() };
        let light = EnvironmentLight::default().with_map(Arc::clone(&filtered), 2.0, map.rotation);
        let direction = rng.direction();
        let unrotated = EnvironmentMap::studio().direction(map.uv(direction));
        let expected = sky(unrotated.as_dvec3()) * 2.0;
        let found = light.specular(direction, 0.0).as_dvec3();
        let limit = expected * 0.05 + DVec3::splat(0.01);
        assert!((found - expected).abs().cmple(limit).all(), "{found} {expected}");
        assert_eq!(light.background(direction, 0.0).as_dvec3(), found);
    }
}

#[test]
fn a_single_bright_pixel_keeps_its_energy_and_makes_no_speckles() {
    let mut pixels = vec![Vec3::splat(0.1); 2048 * 1024];
    pixels[300 * 2048 + 700] = Vec3::splat(20_000.0);
    let image = EquirectangularImage::new(2048, 1024, pixels).expect("the size is right");
    let environment = PrefilteredEnvironment::from_image(&image);
    // The pixel's mean radiance over the sphere, next to that of the rest.
    let row = PI * 300.5 / 1024.0;
    let mean = 0.1 + 20_000.0 * (TAU / 2048.0) * (PI / 1024.0) * row.sin() / (4.0 * PI);
    for level in environment.cube.levels() {
        let (mut sum, mut total) = (0.0, 0.0);
        let texels = level.texels();
        let size = level.size();
        for (i, texel) in texels.iter().enumerate() {
            let coordinate = |at: usize| (at as f64 + 0.5) * 2.0 / size as f64 - 1.0;
            let (s, t) = (coordinate(i % size), coordinate(i / size % size));
            let solid_angle = (1.0 + s * s + t * t).powf(-1.5);
            sum += f64::from(texel.x) * solid_angle;
            total += solid_angle;
        }
        let found = sum / total;
        println!("size {size}: {found:.4}, expected {mean:.4}");
        assert!((found / mean - 1.0).abs() < 0.06, "size {size}: {found} != {mean}");
    }
    // Blurred, the pixel is one smooth spot: brightness falls monotonically with the distance from
    // the brightest texel, apart from ripples of a fraction.
    let last = environment.cube.levels().last().expect("there are levels");
    let brightest = last.texels().iter().map(|it| it.x).fold(0.0, f32::max);
    assert!(brightest < 40.0 * mean as f32, "{brightest}");
}

#[test]
fn invalid_colours_are_replaced() {
    let pixels = [f32::NAN, f32::INFINITY, -1.0, 1e30].map(Vec3::splat);
    let image = EquirectangularImage::new(4, 1, pixels.to_vec()).expect("it has pixels");
    let environment = PrefilteredEnvironment::from_image(&image);
    for level in environment.cube.levels() {
        let is_valid = |texel: &Vec3| texel.is_finite() && texel.min_element() >= 0.0;
        assert!(level.texels().iter().all(is_valid));
    }
    assert!(environment.harmonics.coefficients.iter().all(|it| it.is_finite()));
}

#[test]
fn the_studio_is_neutral_and_its_light_comes_from_above() {
    let studio = PrefilteredEnvironment::studio();
    let [up, down, side] = [Vec3::Z, -Vec3::Z, Vec3::X].map(|it| studio.harmonics.irradiance(it));
    println!("irradiance: up {up}, down {down}, side {side}");
    assert!((0.85..1.2).contains(&up.x) && up.x > 2.0 * down.x && down.x > 0.1);
    assert!([up, down, side].iter().all(|it| (it.x - it.z).abs() < 1e-4));
    let darkest = studio.cube.levels()[0].texels().iter().map(|it| it.x).fold(f32::MAX, f32::min);
    assert!(darkest > 0.1, "metals have no black parts: {darkest}");
}
