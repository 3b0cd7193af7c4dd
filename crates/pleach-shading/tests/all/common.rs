//! Random surfaces and directions, and integrals over the hemisphere.

use pleach_shading::Surface;
use pleach_shading::glam::{DVec3, Vec3};
use testkit::Rng;

/// Returns the direction with this cosine to +Z, in the plane of X and Z.
pub(crate) fn tilted(cosine: f32) -> Vec3 {
    Vec3::new((1.0 - cosine * cosine).max(0.0).sqrt(), 0.0, cosine)
}

/// Returns a unit vector in the upper hemisphere.
pub(crate) fn upper(rng: &mut Rng) -> Vec3 {
    let direction = rng.direction();
    Vec3::new(direction.x, direction.y, direction.z.abs())
}

fn color(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.between(0.0, 1.0), rng.between(0.0, 1.0), rng.between(0.0, 1.0))
}

/// Returns a surface with random parameters of the core model, facing +Z.
pub(crate) fn plain_surface(rng: &mut Rng) -> Surface {
    Surface {
        base_color: color(rng),
        metallic: rng.between(0.0, 1.0),
        roughness: rng.between(0.0, 1.0),
        ior: rng.between(1.0, 2.5),
        specular: rng.between(0.0, 1.0),
        specular_color: color(rng),
        ..Surface::default()
    }
}

/// Returns a surface with random parameters of all extensions, facing +Z.
pub(crate) fn any_surface(rng: &mut Rng) -> Surface {
    let mut part = |value: Surface, none: Surface| if rng.one_in(2) { value } else { none };
    let none = Surface::default();
    let has = [(); 6].map(|()| part(Surface { metallic: 1.0, ..none }, none).metallic);
    Surface {
        clearcoat: has[0] * rng.between(0.0, 1.0),
        clearcoat_roughness: rng.between(0.0, 1.0),
        sheen_color: color(rng) * has[1],
        sheen_roughness: rng.between(0.0, 1.0),
        iridescence: has[2] * rng.between(0.0, 1.0),
        iridescence_ior: rng.between(1.0, 2.5),
        iridescence_thickness: rng.between(0.0, 1200.0),
        anisotropy: has[3] * rng.between(0.0, 1.0),
        diffuse_transmission: has[4] * rng.between(0.0, 1.0),
        diffuse_transmission_color: color(rng),
        transmission: has[5] * rng.between(0.0, 1.0),
        thickness: rng.between(0.0, 2.0),
        attenuation_distance: rng.between(0.1, 10.0),
        attenuation_color: color(rng),
        dispersion: rng.between(0.0, 5.0),
        occlusion: rng.between(0.0, 1.0),
        emissive: color(rng),
        ..plain_surface(rng)
    }
}

/// Integrates over the upper hemisphere with `count`² midpoints.
pub(crate) fn integrate(count: usize, value: impl Fn(DVec3) -> f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..count {
        let z = (i as f64 + 0.5) / count as f64;
        let radius = (1.0 - z * z).sqrt();
        for j in 0..count {
            let angle = std::f64::consts::TAU * (j as f64 + 0.5) / count as f64;
            sum += value(DVec3::new(radius * angle.cos(), radius * angle.sin(), z));
        }
    }
    sum * std::f64::consts::TAU / (count * count) as f64
}
