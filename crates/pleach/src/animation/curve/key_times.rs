//! Key times: which two keys a moment lies between.
//!
//! Invariant: the times of a curve are finite, do not decrease, and are at least
//! one. The answer follows from the times and the moment alone; a `Cursor` only
//! says where to look first.

use crate::animation::error::CurveError;

/// Where a curve was read last, so that the next read need not search.
///
/// A cursor makes reading forward in time O(1), where a search is the logarithm
/// of the number of keys. It never changes an answer; a new one, or that of
/// another curve, is as good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(usize);

/// A moment among the keys: the last key that is not later, and how far it is on
/// the way to the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::animation) struct KeyPosition {
    pub(in crate::animation) key: usize,
    /// 0 at the key, 1 at the next one. More than 0 only where there is a next one.
    pub(in crate::animation) t: f32,
}

/// What is wrong with these times.
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

/// Where a moment is among the times, held at the ends. Of keys with the same
/// time the last one counts.
#[inline]
pub(in crate::animation) fn find(times: &[f32], seconds: f32, cursor: &mut Cursor) -> KeyPosition {
    let key = key_at(times, seconds, cursor.0);
    cursor.0 = key;
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
