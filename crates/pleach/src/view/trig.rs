//! Sine, cosine and tangent, the same bits on every machine.
//!
//! Those of the standard library are the platform's, which differ in their last bits from
//! system to system, and between native code and WebAssembly. `libm` is plain IEEE
//! arithmetic in Rust: one answer everywhere. Nothing in this crate calls the platform's.
//!
//! In f64, so that a number which is rounded to f32 in the end is rounded once.

/// The tangent of an angle in radians.
pub(crate) fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// The sine and the cosine of an angle in radians.
pub(crate) fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits written down once: another machine must find the same.
    #[test]
    fn the_bits_are_known() {
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
    fn the_answers_are_right() {
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
