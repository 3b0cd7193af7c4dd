//! Iridescence, compared with the interference of waves summed over the spectrum in `f64`.

use pleach_shading::brdf::iridescence;
use pleach_shading::glam::{DVec3, Vec3};

/// The colour matching functions, as fitted by Wyman, Sloan and Shirley (2013).
fn matching(wavelength: f64) -> DVec3 {
    let lobe = |height: f64, center: f64, below: f64, above: f64| {
        let width = if wavelength < center { below } else { above };
        height * (-0.5 * ((wavelength - center) / width).powi(2)).exp()
    };
    DVec3::new(
        lobe(1.056, 599.8, 37.9, 31.0) + lobe(0.362, 442.0, 16.0, 26.7)
            - lobe(0.065, 501.1, 20.4, 26.2),
        lobe(0.821, 568.8, 46.9, 40.5) + lobe(0.286, 530.9, 16.3, 31.1),
        lobe(1.217, 437.0, 11.8, 36.0) + lobe(0.681, 459.0, 26.0, 13.8),
    )
}

fn to_rgb(xyz: DVec3) -> DVec3 {
    DVec3::new(
        3.2405 * xyz.x - 1.5371 * xyz.y - 0.4985 * xyz.z,
        -0.9693 * xyz.x + 1.8760 * xyz.y + 0.0416 * xyz.z,
        0.0556 * xyz.x - 0.2040 * xyz.y + 1.0572 * xyz.z,
    )
}

/// The reflectance of a film at normal incidence, all orders of interference, by wavelength.
fn airy(film: f64, base: f64, thickness: f64, wavelength: f64) -> f64 {
    let (outer, inner) = ((1.0 - film) / (1.0 + film), (film - base) / (film + base));
    let phase = 4.0 * std::f64::consts::PI * film * thickness / wavelength;
    let numerator = outer * outer + inner * inner + 2.0 * outer * inner * phase.cos();
    let denominator = 1.0 + (outer * inner).powi(2) + 2.0 * outer * inner * phase.cos();
    numerator / denominator
}

fn expected(film: f64, base: f64, thickness: f64) -> DVec3 {
    let (mut light, mut white) = (DVec3::ZERO, DVec3::ZERO);
    for wavelength in 380..=780 {
        let wavelength = f64::from(wavelength);
        light += matching(wavelength) * airy(film, base, thickness, wavelength);
        white += matching(wavelength);
    }
    // Relative to light of equal energy, as the Gaussian fits are.
    to_rgb(light / white.y)
}

#[test]
fn a_film_has_the_colours_of_interference_at_normal_incidence() {
    let mut largest: f64 = 0.0;
    for (film, base) in [(1.3, 1.5), (1.8, 1.5), (1.4, 3.0), (2.0, 4.0)] {
        let f0 = ((base - 1.0) / (base + 1.0_f64)).powi(2);
        for thickness in (100..=800).step_by(50).map(f64::from) {
            let found = iridescence::reflectance(
                film as f32,
                thickness as f32,
                1.0,
                Vec3::splat(f0 as f32),
            );
            let expected = expected(film, base, thickness).clamp(DVec3::ZERO, DVec3::ONE);
            let error = (found.as_dvec3() - expected).abs().max_element();
            largest = largest.max(error);
            assert!(error < 0.08, "film {film}, base {base}, {thickness} nm: {found} {expected}");
        }
    }
    println!("the largest error is {largest}");
}

#[test]
fn a_film_without_thickness_does_not_change_the_base() {
    for f0 in [0.04, 0.3, 0.95] {
        let found = iridescence::reflectance(1.3, 0.0, 1.0, Vec3::splat(f0));
        assert!((found - Vec3::splat(f0)).abs().max_element() < 0.01, "{f0}: {found}");
    }
}
