//! What may be stored: finite numbers, rotations that are not zero.
//!
//! The tests are small and inlined into every setter; what to say of a value that
//! fails them is worked out apart, so that setters stay short.

use glam::Vec3;

use crate::error::{NodeDescription, Property};
use crate::math::rotation;
use crate::{Error, Transform};

/// Are all three numbers finite? If their sum is, they are.
#[inline]
pub(crate) fn is_finite(vector: Vec3) -> bool {
    ((vector.x + vector.y) + vector.z).is_finite() || vector.is_finite()
}

/// May the transform be stored as it is?
#[inline]
pub(crate) fn is_valid(transform: &Transform) -> bool {
    is_finite(transform.translation)
        && is_finite(transform.scale)
        && rotation::is_unit(transform.rotation)
}

/// The transform with a unit rotation, or why it may not be stored.
#[cold]
pub(crate) fn validate(
    transform: &Transform,
    node: impl FnOnce() -> NodeDescription,
) -> Result<Transform, Error> {
    let is_finite = is_finite(transform.translation)
        && transform.rotation.is_finite()
        && is_finite(transform.scale);
    match rotation::normalized(transform.rotation) {
        Some(rotation) if is_finite => Ok(transform.with_rotation(rotation)),
        _ => Err(validation_error(transform, node())),
    }
}

/// Why a transform may not be stored.
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

/// What to say of numbers of which one is not finite.
#[cold]
pub(crate) fn not_finite(numbers: &[f32], property: Property, node: NodeDescription) -> Error {
    let component = numbers.iter().position(|number| !number.is_finite()).unwrap_or(0);
    Error::NotFinite { node, property, component, value: numbers[component] }
}
