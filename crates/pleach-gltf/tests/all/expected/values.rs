//! Values of `expected.json`: axes, boxes, numbers, lists.

use glam::{DMat4, DVec3, DVec4};
use pleach::Aabb;
use pleach_gltf::Options;
use serde_json::Value;

/// The up axis of the scene. In `expected.json` it is always +Y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    Z,
    Y,
}

impl Up {
    pub(crate) fn options(self) -> Options {
        match self {
            Self::Z => Options::new(),
            Self::Y => Options::new().keep_y_up(),
        }
    }

    /// Returns the rotation from the file's axes to the scene's.
    pub(crate) fn up_rotation(self) -> DMat4 {
        match self {
            Self::Z => DMat4::from_cols(DVec4::X, DVec4::Z, DVec4::NEG_Y, DVec4::W),
            Self::Y => DMat4::IDENTITY,
        }
    }

    /// Returns a world matrix in the scene's axes.
    pub(crate) fn matrix(self, expected: &Value) -> DMat4 {
        self.up_rotation() * matrix(expected)
    }

    /// Returns a point or direction in the scene's axes.
    pub(crate) fn vector(self, expected: &Value) -> DVec3 {
        self.up_rotation().transform_vector3(vector(expected))
    }

    /// Returns a world-space box in the scene's axes.
    pub(crate) fn bounds(self, expected: &Value) -> Bounds {
        let [a, b, c, d, e, f] = numbers(expected).try_into().unwrap();
        Bounds::of([DVec3::new(a, b, c), DVec3::new(d, e, f)]).after(&self.up_rotation())
    }
}

/// An axis-aligned box in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(crate) fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| Self {
            min: all.min.min(point),
            max: all.max.max(point),
        })
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the box of the eight transformed corners.
    pub(crate) fn after(self, matrix: &DMat4) -> Self {
        let ends = [self.min, self.max];
        let corner = |i: usize| DVec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z);
        Self::of((0..8).map(|i| matrix.transform_point3(corner(i))))
    }

    pub(crate) fn numbers(self) -> [f64; 6] {
        let [a, b, c] = self.min.to_array();
        let [d, e, f] = self.max.to_array();
        [a, b, c, d, e, f]
    }

    pub(crate) fn diagonal(self) -> f64 {
        (self.max - self.min).length()
    }

    /// Returns the box in f32.
    pub(crate) fn aabb(self) -> Aabb {
        Aabb::new(self.min.as_vec3(), self.max.as_vec3())
    }
}

impl From<Aabb> for Bounds {
    fn from(Aabb { min, max }: Aabb) -> Self {
        Self { min: min.as_dvec3(), max: max.as_dvec3() }
    }
}

/// Returns the elements of an array, or none if it is missing.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

pub(crate) fn number_of(value: &Value, key: &str) -> f64 {
    number(&value[key])
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// Returns an index, or `None` if it is missing or −1.
pub(crate) fn index(value: &Value) -> Option<usize> {
    value.as_u64().map(|index| index as usize)
}

pub(crate) fn indices(value: &Value) -> Vec<usize> {
    list(value).iter().filter_map(index).collect()
}

pub(crate) fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

pub(crate) fn matrix(value: &Value) -> DMat4 {
    DMat4::from_cols_slice(&numbers(value))
}
