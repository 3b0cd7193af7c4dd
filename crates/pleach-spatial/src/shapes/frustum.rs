//! `Frustum`: the six planes that bound the view of a camera.
//!
//! Boxes are tested in f32 with a slack that exceeds all rounding (`slack.rs`), so that nothing in
//! view is culled. The operations and their order are the definition of culling: the kernels
//! repeat them and give the same bits.
//!
//! Invariant: every plane has a normal of length 1, or is `Plane::AT_INFINITY`.

use std::fmt;

use glam::{DVec4, Mat4, Vec3};

use crate::error::Argument;
use crate::shapes::clip_space::{frustum_sides, normalized_side};
use crate::shapes::slack::SLACK;
use crate::{Aabb, ClipSpace, Error, Plane, Sphere};

/// A side of a frustum. Planes are stored and tested in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The left side of the image.
    Left,
    /// The right side of the image.
    Right,
    /// The bottom of the image.
    Bottom,
    /// The top of the image.
    Top,
    /// The near plane.
    Near,
    /// The far plane.
    Far,
}

impl Side {
    /// All six sides, in order.
    pub const ALL: [Self; 6] =
        [Self::Left, Self::Right, Self::Bottom, Self::Top, Self::Near, Self::Far];
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Bottom => "bottom",
            Self::Top => "top",
            Self::Near => "near",
            Self::Far => "far",
        })
    }
}

/// The result of classifying a shape against a frustum or a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Containment {
    /// The shape is entirely in view, or inside the plane.
    Inside,
    /// The shape may be partly in view: it is not entirely outside any one side.
    Intersects,
    /// The shape is out of view, or outside the plane.
    Outside,
}

/// A view frustum: the closed volume between six planes.
///
/// ```
/// use pleach_spatial::{Aabb, ClipSpace, Containment, Frustum, Side};
/// use pleach_spatial::glam::{Mat4, Vec3, camera::rh::proj::directx};
///
/// // From the origin along −Z, 90° wide, from 1 to 100 metres.
/// let projection = directx::perspective(std::f32::consts::FRAC_PI_2, 1.0, 1.0, 100.0);
/// let view = Mat4::IDENTITY;
/// let frustum = Frustum::from_view_projection(&(projection * view), ClipSpace::ZeroToOne)?;
///
/// let cube = |z: f32| Aabb::from_center_half(Vec3::new(0.0, 0.0, z), Vec3::ONE);
/// assert_eq!(frustum.classify(&cube(-10.0)), Containment::Inside);
/// assert_eq!(frustum.classify(&cube(-100.0)), Containment::Intersects);
/// assert_eq!(frustum.classify(&cube(10.0)), Containment::Outside);
/// assert_eq!(frustum.first_outside(&cube(-102.0)), Some(Side::Far));
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Plane; 6],
    /// The same planes, moved outwards by their slack.
    padded: [Plane; 6],
}

impl Frustum {
    /// Extracts the frustum of `projection * view` (glam's convention: column vectors are
    /// multiplied from the right). The planes are in the space that the matrix transforms from:
    /// world space for the view-projection of a camera.
    ///
    /// An infinite far plane is recognised. A far plane some million times as far as the near plane
    /// may be treated as infinite, as f32 hardly distinguishes the two.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](Error::NotFinite) names the number. [`NoVolume`](Error::NoVolume) and
    /// [`NothingInside`](Error::NothingInside) if nothing is in view: the matrix is singular (the
    /// directions of its rows x, y and w, or x, y and z if there is no vanishing point, span less
    /// than a millionth of the volume of orthogonal rows), or there is nothing between the near and
    /// far planes.
    #[doc(alias("setFromProjectionMatrix", "CalculateFrustumPlanes"))]
    pub fn from_view_projection(matrix: &Mat4, clip: ClipSpace) -> Result<Self, Error> {
        Ok(Self::from_equations(frustum_sides(matrix, clip)?))
    }

    /// Creates a frustum from six planes, in the order of [`Side`]. Normals may have any length;
    /// use [`Plane::AT_INFINITY`] for a side without a limit.
    ///
    /// It is not an error if the planes enclose no volume: all boxes are culled then.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite, or if a plane has a zero normal and a negative
    /// `d`.
    pub fn from_planes(planes: [Plane; 6]) -> Result<Self, Error> {
        let mut equations = [DVec4::ZERO; 6];
        for ((side, plane), equation) in Side::ALL.into_iter().zip(planes).zip(&mut equations) {
            Argument::Plane(side).check(&plane.normal.extend(plane.d).to_array())?;
            *equation = normalized_side(side, plane.equation())?;
        }
        Ok(Self::from_equations(equations))
    }

    fn from_equations(equations: [DVec4; 6]) -> Self {
        Self { planes: equations.map(Plane::rounded), padded: equations.map(Plane::with_slack) }
    }

    /// Returns the six planes in the order of [`Side`]. The inside is positive; normals have
    /// length 1, or 0 for planes at infinity.
    #[must_use]
    pub fn planes(&self) -> &[Plane; 6] {
        &self.planes
    }

    /// Returns the plane of a side.
    #[must_use]
    pub fn plane(&self, side: Side) -> &Plane {
        &self.planes[side as usize]
    }

    /// Returns the planes that boxes are tested against, moved outwards by their slack.
    #[inline]
    pub(crate) fn cull_planes(&self) -> &[Plane; 6] {
        &self.padded
    }

    /// Returns `true` if the point is in view, to within the rounding of the planes. Returns
    /// `false` for a point that is not finite.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.planes.iter().all(|plane| plane.contains_point(point))
    }

    /// Returns `true` if the box may be in view. Stops at the first side that the box is outside
    /// of.
    ///
    /// Conservative: returns `true` for every box with a point in view. May also return `true`
    /// for a box that is out of view by less than a millionth of its coordinates, or that is near
    /// an edge or corner of the frustum without being entirely outside any one side. The empty
    /// box is never in view; a box that is infinite, or has a coordinate beyond 5e36, always
    /// counts as in view.
    #[must_use]
    pub fn intersects(&self, aabb: &Aabb) -> bool {
        !aabb.is_empty() && self.first_outside(aabb).is_none()
    }

    /// Classifies a box as in view, perhaps partly in view, or out of view.
    ///
    /// `Outside` is the opposite of [`intersects`](Self::intersects). `Inside` is accurate to a
    /// millionth of the box's coordinates; a box within a box that is `Inside` is never `Outside`.
    #[must_use]
    pub fn classify(&self, aabb: &Aabb) -> Containment {
        if aabb.is_empty() {
            return Containment::Outside;
        }
        let aabb = aabb.with_slack();
        let mut containment = Containment::Inside;
        for plane in &self.padded {
            if plane.positive_vertex_distance(&aabb) < 0.0 {
                return Containment::Outside;
            }
            if plane.negative_vertex_distance(&aabb) < 0.0 {
                containment = Containment::Intersects;
            }
        }
        containment
    }

    /// Returns the first side, in order, that the box is entirely outside of. Returns `None` if
    /// there is none, and for the empty box.
    #[must_use]
    pub fn first_outside(&self, aabb: &Aabb) -> Option<Side> {
        if aabb.is_empty() {
            return None;
        }
        let aabb = aabb.with_slack();
        let is_outside = |plane: &Plane| plane.positive_vertex_distance(&aabb) < 0.0;
        self.padded.iter().position(is_outside).map(|index| Side::ALL[index])
    }

    /// Returns `true` if the sphere may be in view. Conservative in the same way as
    /// [`intersects`](Self::intersects).
    #[must_use]
    pub fn intersects_sphere(&self, sphere: &Sphere) -> bool {
        if sphere.is_empty() {
            return false;
        }
        let (center, radius) = (sphere.center.as_dvec3().extend(1.0), f64::from(sphere.radius));
        self.planes.iter().all(|plane| {
            let terms = plane.equation() * center;
            // As for boxes (see `slack.rs`), but in f64: only the plane was rounded.
            let rounding = f64::from(SLACK) * (terms.abs().element_sum() + radius);
            let underflow = f64::from(f32::from_bits(1)) * center.abs().element_sum();
            terms.element_sum() + radius + rounding + underflow >= 0.0
        })
    }
}

impl Plane {
    /// Returns the signed distance of the p-vertex: the corner farthest along the normal.
    #[inline]
    fn positive_vertex_distance(&self, aabb: &Aabb) -> f32 {
        let (n, min, max) = (self.normal, aabb.min, aabb.max);
        let x = if n.x >= 0.0 { max.x } else { min.x };
        let y = if n.y >= 0.0 { max.y } else { min.y };
        let z = if n.z >= 0.0 { max.z } else { min.z };
        ((n.x * x + n.y * y) + n.z * z) + self.d
    }

    /// Returns the signed distance of the n-vertex, the opposite corner.
    #[inline]
    fn negative_vertex_distance(&self, aabb: &Aabb) -> f32 {
        let (n, min, max) = (self.normal, aabb.min, aabb.max);
        let x = if n.x >= 0.0 { min.x } else { max.x };
        let y = if n.y >= 0.0 { min.y } else { max.y };
        let z = if n.z >= 0.0 { min.z } else { max.z };
        ((n.x * x + n.y * y) + n.z * z) + self.d
    }
}
