//! The wrap transform: values stay between two bounds, at which corrections wrap around.

use crate::Error;
use crate::bitstream::reader::Reader;

/// The bounds of an attribute's values.
#[derive(Clone, Copy)]
pub(crate) struct WrapTransform {
    min: i32,
    max: i32,
    /// The number of values from `min` to `max`.
    span: i32,
}

impl WrapTransform {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let (min, max) = (reader.i32()?, reader.i32()?);
        let span = max.checked_sub(min).and_then(|span| span.checked_add(1));
        let span = span.filter(|&span| span > 0);
        let span = span.ok_or(Error::Malformed("the bounds of an attribute are out of range"))?;
        Ok(Self { min, max, span })
    }

    /// Returns the value of a prediction and its correction.
    #[inline]
    pub(crate) fn restore(self, prediction: i32, correction: i32) -> i32 {
        let value = prediction.clamp(self.min, self.max).wrapping_add(correction);
        if value > self.max {
            value.wrapping_sub(self.span)
        } else if value < self.min {
            value.wrapping_add(self.span)
        } else {
            value
        }
    }
}
