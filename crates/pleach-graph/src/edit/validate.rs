//! Validation of input: finite numbers, and rotations that are not zero.
//!
//! The checks are small and inlined into every setter; the error is built in a
//! separate cold function, so that setters stay short.

use glam::{Vec3, Vec4};

use crate::error::{NodeDescription, Property};
use crate::math::rotation;
use crate::{Error, Transform};

/// Returns `true` if all components are finite, which they are if their sum is.
#[inline]
pub(crate) fn is_finite(vector: Vec3) -> bool {
    ((vector.x + vector.y) + vector.z).is_finite() || vector.is_finite()
}

/// Returns `true` only if all components of all vectors are finite; `false` also if their sum
/// overflows.
pub(crate) fn are_finite(vectors: &[Vec3]) -> bool {
    // Four at a time, so that few additions wait for the one before.
    let (fours, rest) = vectors.as_chunks::<4>();
    let fours = fours.iter().map(|&[a, b, c, d]| (a + b) + (c + d));
    is_finite(fours.sum()) && rest.iter().all(|&vector| is_finite(vector))
}

/// Returns `true` if the transform can be stored unchanged.
#[inline(always)]
pub(crate) fn is_valid(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = *transform;
    is_ordinary(transform)
        || (translation.is_finite() && scale.is_finite() && rotation::is_unit(rotation))
}

/// Returns `true` if the transform is valid and its numbers are small enough that
/// their sum does not overflow: one comparison for all of it.
#[inline(always)]
pub(crate) fn is_ordinary(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = *transform;
    let sum = ((translation.x + translation.y) + translation.z) + ((scale.x + scale.y) + scale.z);
    // The product is NaN if the sum is not finite, otherwise 0.
    rotation::square_error(rotation) + 0.0 * sum <= rotation::MAX_SQUARE_ERROR
}

/// Returns `true` only if all transforms can be stored unchanged; `false` also if a sum of their
/// numbers overflows. The same test of rotations as `is_ordinary`, with about half its instructions.
pub(crate) fn are_ordinary(transforms: &[Transform]) -> bool {
    // No early exit, and four at a time, so that the loop is vectorized. Sums of numbers that
    // are not all finite are not finite either.
    let (fours, rest) = transforms.as_chunks::<4>();
    let (mut xy, mut z) = (Vec4::ZERO, Vec4::ZERO);
    let mut are_unit = true;
    for four in fours {
        for Transform { translation, scale, .. } in four {
            xy += Vec4::new(translation.x, translation.y, scale.x, scale.y);
        }
        z += Vec4::from_array(four.map(|it| it.translation.z + it.scale.z));
        let errors = Vec4::from_array(four.map(|it| rotation::square_error(it.rotation)));
        are_unit &= errors.cmple(Vec4::splat(rotation::MAX_SQUARE_ERROR)).all();
    }
    let [a, b, c, d] = (xy + z).to_array();
    let is_finite = ((a + b) + (c + d)).is_finite();
    are_unit && is_finite && rest.iter().all(is_ordinary)
}

/// Returns the transform with a normalized rotation, or the reason why it is
/// invalid.
#[cold]
pub(crate) fn validate(
    transform: &Transform,
    node: impl FnOnce() -> NodeDescription,
) -> Result<Transform, Error> {
    let is_finite = is_finite(transform.translation)
        && transform.rotation.is_finite()
        && is_finite(transform.scale);
    match rotation::normalize(transform.rotation) {
        Some(rotation) if is_finite => Ok(transform.with_rotation(rotation)),
        _ => Err(validation_error(transform, node())),
    }
}

/// Returns the reason why a transform is invalid.
fn validation_error(transform: &Transform, node: NodeDescription) -> Error {
    let properties: [(&[f32], Property); 3] = [
        (&transform.translation.to_array(), Property::Translation),
        (&transform.rotation.to_array(), Property::Rotation),
        (&transform.scale.to_array(), Property::Scale),
    ];
    for (numbers, property) in properties {
        if numbers.iter().any(|number| !number.is_finite()) {
            return not_finite(numbers, property, node);
        }
    }
    Error::ZeroRotation(node)
}

/// Returns the error for `numbers`, one of which is not finite.
#[cold]
pub(crate) fn not_finite(numbers: &[f32], property: Property, node: NodeDescription) -> Error {
    let component = numbers.iter().position(|number| !number.is_finite()).unwrap_or(0);
    Error::NotFinite { node, property, component, value: numbers[component] }
}
