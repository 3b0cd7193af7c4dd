//! Validation of input: finite numbers, and rotations that are not zero.
//!
//! The checks are small and inlined into every setter; the error is built in a
//! separate cold function, so that setters stay short.

use glam::Vec3;

use crate::error::{NodeDescription, Property};
use crate::math::rotation;
use crate::{Error, Transform};

/// Returns `true` if all components are finite, which they are if their sum is.
#[inline]
pub(crate) fn is_finite(vector: Vec3) -> bool {
    ((vector.x + vector.y) + vector.z).is_finite() || vector.is_finite()
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
