//! Key times: finds the two keys around a time.
//!
//! Invariant: the times of a curve are finite, do not decrease, and there is at least
//! one. The result depends on the times and the given time alone; a `Cursor` is only
//! the start of the search.

use crate::animation::error::CurveError;

/// The key that a curve was last sampled at, where the next search starts.
///
/// With a cursor, sampling forward in time is O(1) instead of O(log n) in the number
/// of keys. A cursor never changes a result; a new one, or one of another curve, is
/// equally valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(usize);

/// A time relative to the keys: the last key that is not later, and the fraction of the
/// way to the next key.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::animation) struct KeyPosition {
    pub(in crate::animation) key: usize,
    /// 0 at the key, 1 at the next key. Greater than 0 only if there is a next key.
    pub(in crate::animation) t: f32,
}

/// Returns the first error of these times, if any.
pub(in crate::animation) fn validate(times: &[f32]) -> Option<CurveError> {
    if times.is_empty() {
        return Some(CurveError::NoKeys);
    }
    if let Some(key) = times.iter().position(|time| !time.is_finite()) {
        return Some(CurveError::TimeNotFinite { key, time: times[key] });
    }
    let key = 1 + times.windows(2).position(|pair| pair[1] < pair[0])?;
    Some(CurveError::TimeDecreases { key, time: times[key], before: times[key - 1] })
}

/// Finds `seconds` in the times, clamped to the first and last key. Of keys with equal
/// times the last is used.
#[inline]
pub(in crate::animation) fn find(times: &[f32], seconds: f32, cursor: &mut Cursor) -> KeyPosition {
    let position = find_from(times, seconds, cursor.0);
    cursor.0 = position.key;
    position
}

/// Same as [`find`], but starts at a key.
#[inline]
pub(in crate::animation) fn find_from(times: &[f32], seconds: f32, hint: usize) -> KeyPosition {
    let key = key_at(times, seconds, hint);
    let from = times[key];
    match times.get(key + 1) {
        // In f64 the difference of two times cannot overflow.
        Some(&to) if seconds > from => {
            let (seconds, from, to) = (f64::from(seconds), f64::from(from), f64::from(to));
            KeyPosition { key, t: ((seconds - from) / (to - from)) as f32 }
        }
        _ => KeyPosition { key, t: 0.0 },
    }
}

#[inline]
fn key_at(times: &[f32], seconds: f32, hint: usize) -> usize {
    // Most often the same key or the next one; no branch depends on which.
    if let Some(&[time, next, after]) = times.get(hint..).and_then(|it| it.first_chunk())
        && time <= seconds
        && seconds < after
    {
        return hint + usize::from(next <= seconds);
    }
    let contains = |key: usize| {
        times.get(key).is_some_and(|&time| time <= seconds)
            && times.get(key + 1).is_none_or(|&next| seconds < next)
    };
    if contains(hint) {
        hint
    } else if contains(hint.saturating_add(1)) {
        hint + 1
    } else {
        times.partition_point(|&time| time <= seconds).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_position_does_not_depend_on_the_cursor() {
        let times = [-1.0, 0.0, 0.0, 0.0, 0.5, 2.0, 2.0];
        let sample_times = [-9.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.999, 2.0, 3.0, f32::NAN];
        for seconds in sample_times {
            let expected = find(&times, seconds, &mut Cursor::default());
            for hint in [0, 1, 2, 3, 4, 5, 6, 7, 100, usize::MAX] {
                assert_eq!(find(&times, seconds, &mut Cursor(hint)), expected, "{seconds} {hint}");
            }
        }
    }

    #[test]
    fn last_of_several_keys_at_the_same_time_is_used() {
        let times = [0.0, 1.0, 1.0, 1.0, 2.0];
        let at = |seconds| find(&times, seconds, &mut Cursor::default());
        assert_eq!(at(1.0), KeyPosition { key: 3, t: 0.0 });
        assert_eq!(at(0.5), KeyPosition { key: 0, t: 0.5 });
        assert_eq!(at(1.5), KeyPosition { key: 3, t: 0.5 });
    }

    #[test]
    fn times_at_the_f32_limits_are_interpolated() {
        let times = [f32::MIN, f32::MAX];
        assert_eq!(find(&times, 0.0, &mut Cursor::default()), KeyPosition { key: 0, t: 0.5 });
    }
}
