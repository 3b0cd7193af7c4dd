//! Converts from the axes of `expected.json` to those of questions and answers; reads JSON numbers.

use serde_json::Value;

/// The up axis of questions and answers. In `expected.json` it is always +Y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    Y,
    Z,
}

impl Up {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
        }
    }

    /// Converts a point or a direction: (x, y, z) → (x, −z, y).
    pub(crate) fn vector(self, expected: &Value) -> Vec<f64> {
        let v = numbers(expected);
        match self {
            Self::Y => v,
            Self::Z => vec![v[0], -v[2], v[1]],
        }
    }

    /// Converts a world matrix: each column is a vector.
    pub(crate) fn matrix(self, expected: &Value) -> Vec<f64> {
        let m = numbers(expected);
        match self {
            Self::Y => m,
            Self::Z => m.chunks(4).flat_map(|c| [c[0], -c[2], c[1], c[3]]).collect(),
        }
    }

    /// Converts a box.
    pub(crate) fn bounds(self, expected: &Value) -> Vec<f64> {
        let b = numbers(expected);
        match self {
            Self::Y => b,
            Self::Z => vec![b[0], -b[5], b[1], b[3], -b[2], b[4]],
        }
    }

    /// Converts a matrix from world to clip space, by exchanging columns.
    pub(crate) fn view_projection(self, expected: &Value) -> Vec<f64> {
        let m = numbers(expected);
        match self {
            Self::Y => m,
            Self::Z => {
                let z: Vec<f64> = m[8..12].iter().map(|number| -number).collect();
                [&m[0..4], &z, &m[4..8], &m[12..16]].concat()
            }
        }
    }
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

pub(crate) fn indices(value: &Value) -> Vec<u64> {
    list(value).iter().filter_map(Value::as_u64).collect()
}
