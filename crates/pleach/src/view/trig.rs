//! Sine, cosine and tangent with the same bits on every machine.
//!
//! The standard library calls the platform's functions, which differ in the last bits between
//! systems, and between native code and WebAssembly. `libm` is plain IEEE arithmetic in Rust, with
//! one result everywhere. Nothing in this crate calls the platform's functions.
//!
//! Computed in f64, so that a result in f32 is rounded once.

/// Returns the tangent of an angle in radians.
pub(crate) fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// Returns the sine and the cosine of an angle in radians.
pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded bits: every machine must compute the same.
    #[test]
    fn results_have_the_recorded_bits() {
        let hash = |f: fn(f64) -> f64| {
            let angles = (-2000..2000).map(|step| f64::from(step) * 0.003_7);
            let bits = angles.map(|angle| f(angle).to_bits());
            bits.fold(0_u64, |hash, bits| (hash ^ bits).wrapping_mul(0x0100_0000_01B3))
        };
        let hashes = [hash(tan), hash(|angle| sin_cos(angle).0), hash(|angle| sin_cos(angle).1)];
        let known = [0xF7B6_C1EC_5048_D4B8, 0x2241_F841_A8E4_1646, 0xC661_ACFB_2496_0F35];
        assert_eq!(hashes, known);
    }

    #[test]
    fn results_agree_with_the_standard_library() {
        for step in -2000..2000 {
            let angle = f64::from(step) * 0.003_7;
            let (sin, cos) = sin_cos(angle);
            assert!((sin - angle.sin()).abs() < 1e-15 && (cos - angle.cos()).abs() < 1e-15);
            assert!(
                (tan(angle) - angle.tan()).abs() < 1e-15 * (1.0 + angle.tan().powi(2)),
                "{angle}"
            );
        }
    }
}
