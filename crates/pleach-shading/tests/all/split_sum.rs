//! The split-sum table, compared with integrals of the lobes in `f64`.

use pleach_shading::SplitSumLut;
use pleach_shading::glam::DVec3;

use crate::common::integrate;

/// Scale and bias of the GGX lobe, by their definitions.
fn ggx(n_dot_v: f64, roughness: f64) -> [f64; 2] {
    let squared = (roughness * roughness).powi(2);
    let view = [(1.0 - n_dot_v * n_dot_v).sqrt(), n_dot_v];
    let lobe = |light: DVec3| {
        let half = (light + DVec3::new(view[0], 0.0, view[1])).normalize();
        let d =
            squared / (std::f64::consts::PI * (half.z * half.z * (squared - 1.0) + 1.0).powi(2));
        let lambda =
            |cosine: f64| ((1.0 + squared * (1.0 / (cosine * cosine) - 1.0)).sqrt() - 1.0) / 2.0;
        let g = 1.0 / (1.0 + lambda(light.z) + lambda(n_dot_v));
        let v_dot_h = (half.x * view[0] + half.z * view[1]).clamp(0.0, 1.0);
        (d * g / (4.0 * n_dot_v), (1.0 - v_dot_h).powi(5))
    };
    let scale = integrate(1000, |light| {
        let (value, fresnel) = lobe(light);
        value * (1.0 - fresnel)
    });
    let bias = integrate(1000, |light| {
        let (value, fresnel) = lobe(light);
        value * fresnel
    });
    [scale, bias]
}

/// The fraction that the sheen lobe reflects, with the published fit of its shadowing.
fn charlie(n_dot_v: f64, roughness: f64) -> f64 {
    let alpha = roughness * roughness;
    let exponent = |x: f64| {
        let weight = (1.0 - alpha) * (1.0 - alpha);
        let mix = |a: f64, b: f64| a * (1.0 - weight) + b * weight;
        mix(21.5473, 25.3245) / (1.0 + mix(3.82987, 3.32435) * x.powf(mix(0.19823, 0.16801)))
            + mix(-1.97760, -1.27393) * x
            + mix(-4.32054, -4.85967)
    };
    let lambda = |cosine: f64| {
        let value = exponent(cosine.min(1.0 - cosine));
        if cosine < 0.5 { value.exp() } else { (2.0 * exponent(0.5) - value).exp() }
    };
    let view = DVec3::new((1.0 - n_dot_v * n_dot_v).sqrt(), 0.0, n_dot_v);
    integrate(400, |light| {
        let half = (light + view).normalize();
        let sine = (1.0 - half.z * half.z).max(0.0).sqrt();
        let d = (2.0 + 1.0 / alpha) * sine.powf(1.0 / alpha) / std::f64::consts::TAU;
        let shadowing = 1.0 + lambda(light.z) + lambda(n_dot_v);
        d * (1.0 / (shadowing * 4.0 * light.z * n_dot_v)).min(1.0) * light.z
    })
}

#[test]
fn the_table_of_ggx_agrees_with_an_integral_in_f64() {
    let lut = SplitSumLut::shared();
    let mut largest: f64 = 0.0;
    // Narrower lobes would need more points.
    for roughness in [0.3, 0.5, 0.7, 0.9, 0.99] {
        for n_dot_v in [0.1, 0.2, 0.4, 0.7, 0.95] {
            let expected = ggx(n_dot_v, roughness);
            let found = lut.ggx(n_dot_v as f32, roughness as f32).as_dvec2().to_array();
            for (found, expected) in found.into_iter().zip(expected) {
                largest = largest.max((found - expected).abs());
                let close = (found - expected).abs() < 0.01;
                assert!(close, "roughness {roughness}, n·v {n_dot_v}: {found} != {expected}");
            }
        }
    }
    println!("the largest error is {largest}");
}

#[test]
fn the_table_of_sheen_agrees_with_an_integral_in_f64() {
    let lut = SplitSumLut::shared();
    let mut largest: f64 = 0.0;
    for roughness in [0.2, 0.3, 0.5, 0.7, 0.9, 0.99] {
        for n_dot_v in [0.05, 0.1, 0.2, 0.4, 0.7, 0.95] {
            let expected = charlie(n_dot_v, roughness);
            let found = f64::from(lut.charlie(n_dot_v as f32, roughness as f32));
            largest = largest.max((found - expected).abs());
            let close = (found - expected).abs() < 0.015;
            assert!(close, "roughness {roughness}, n·v {n_dot_v}: {found} != {expected}");
        }
    }
    println!("the largest error is {largest}");
}

#[test]
fn a_table_of_16_bit_floats_has_the_same_texels() {
    let lut = SplitSumLut::shared();
    let bits = lut.to_rgba16f();
    assert_eq!(bits.len(), lut.size() * lut.size());
    for (bits, texel) in bits.iter().zip(lut.texels()) {
        let value = |bits: u16| {
            let (exponent, mantissa) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
            if exponent == 0 {
                return mantissa * 2.0_f64.powi(-24);
            }
            (1.0 + mantissa / 1024.0) * 2.0_f64.powi(exponent - 15)
        };
        for (bits, texel) in bits.iter().zip(texel.to_array()) {
            let (value, texel) = (value(*bits), f64::from(texel));
            assert!((value - texel).abs() <= (texel / 2048.0).max(3e-8), "{value} != {texel}");
        }
        assert_eq!(bits[3], 0x3c00);
    }
}
