//! `VertexData`: one value per vertex, which several geometries may share.
//!
//! Files often store the vertices of many meshes in one list and give each mesh indices into it.
//! Such a list is stored once. What every geometry needs to know about it is computed once, too, so
//! that a thousand geometries with one list cost as much as one.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use pleach_spatial::Aabb;

/// One value per vertex: a `Vec` that may be shared.
///
/// It derefs to a `Vec`. Clones of [shared](Self::shared) data share its memory; the first mutable
/// access to one of them copies it, O(n), and does not change the others. Data that is not shared
/// is a plain `Vec`, and its clones are copies.
///
/// ```
/// use pleach::{VertexData, Geometry, glam::Vec3};
///
/// let corners = VertexData::shared(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE]);
/// let part = |indices: [u32; 3]| Geometry {
///     positions: corners.clone(),
///     indices: Some(indices.into()),
///     ..Geometry::default()
/// };
/// let (left, mut right) = (part([0, 1, 2]), part([1, 3, 2]));
/// assert_eq!(left.positions.shared_id(), right.positions.shared_id());
///
/// right.positions[3] = Vec3::new(1.0, 1.0, 0.0);
/// assert_eq!(right.positions.shared_id(), None);
/// assert_eq!(left.positions[3], Vec3::ONE);
/// ```
#[derive(Clone)]
pub struct VertexData<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    Owned(Vec<T>),
    Shared(Arc<Shared<T>>),
}

/// Shared values, and cached results about them.
struct Shared<T> {
    values: Vec<T>,
    is_finite: OnceLock<bool>,
    bounds: OnceLock<Aabb>,
}

impl<T> VertexData<T> {
    /// Creates empty vertex data.
    #[must_use]
    pub const fn new() -> Self {
        Self(Storage::Owned(Vec::new()))
    }

    /// Creates vertex data whose clones share its memory.
    #[must_use]
    pub fn shared(values: Vec<T>) -> Self {
        let (is_finite, bounds) = (OnceLock::new(), OnceLock::new());
        Self(Storage::Shared(Arc::new(Shared { values, is_finite, bounds })))
    }

    /// Returns an id that is equal for data with the same memory and different for other data, as
    /// long as they exist; `None` if it is not shared. For work that is done once for all clones,
    /// such as an upload.
    #[must_use]
    pub fn shared_id(&self) -> Option<usize> {
        match &self.0 {
            Storage::Owned(_) => None,
            Storage::Shared(shared) => Some(Arc::as_ptr(shared).addr()),
        }
    }

    /// Returns `true` if all numbers are finite. O(n), once for shared values.
    pub(crate) fn is_finite<const N: usize>(&self) -> bool
    where
        T: Copy + Into<[f32; N]>,
    {
        let compute = |values: &[T]| {
            values.iter().all(|&value| value.into().iter().all(|number| number.is_finite()))
        };
        match &self.0 {
            Storage::Owned(values) => compute(values),
            Storage::Shared(shared) => *shared.is_finite.get_or_init(|| compute(&shared.values)),
        }
    }
}

impl<T: Clone> VertexData<T> {
    /// Returns the values, without a copy if no clone shares them.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Storage::Owned(values) => values,
            Storage::Shared(shared) => {
                Arc::try_unwrap(shared).map_or_else(|shared| shared.values.clone(), |it| it.values)
            }
        }
    }
}

impl VertexData<Vec3> {
    /// Computes the bounds of all points that are finite; [`Aabb::EMPTY`] if there are none. O(n),
    /// once for shared values.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let compute = |points: &[Vec3]| Aabb::from_points(points.iter().copied());
        match &self.0 {
            Storage::Owned(points) => compute(points),
            Storage::Shared(shared) => *shared.bounds.get_or_init(|| compute(&shared.values)),
        }
    }
}

impl<T> Deref for VertexData<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        match &self.0 {
            Storage::Owned(values) => values,
            Storage::Shared(shared) => &shared.values,
        }
    }
}

/// Mutable access copies shared data, which is not shared afterwards.
impl<T: Clone> DerefMut for VertexData<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        if let Storage::Shared(_) = self.0 {
            self.0 = Storage::Owned(std::mem::take(self).into_vec());
        }
        match &mut self.0 {
            Storage::Owned(values) => values,
            Storage::Shared(_) => unreachable!("shared data was copied above"),
        }
    }
}

impl<T> Default for VertexData<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<T>> for VertexData<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Storage::Owned(values))
    }
}

impl<T, const N: usize> From<[T; N]> for VertexData<T> {
    fn from(values: [T; N]) -> Self {
        Vec::from(values).into()
    }
}

impl<T> FromIterator<T> for VertexData<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<'a, T> IntoIterator for &'a VertexData<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut VertexData<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: fmt::Debug> fmt::Debug for VertexData<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for VertexData<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: PartialEq> PartialEq<VertexData<T>> for Vec<T> {
    fn eq(&self, other: &VertexData<T>) -> bool {
        *self == **other
    }
}

impl<T: PartialEq> PartialEq<Vec<T>> for VertexData<T> {
    fn eq(&self, other: &Vec<T>) -> bool {
        **self == *other
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for VertexData<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}
