//! `Frustum`: the six planes around what a camera sees.
//!
//! Boxes are tested in f32 with a slack that makes up for all rounding (`slack.rs`), so
//! that nothing in view is ever culled. The operations and their order are the definition
//! of culling: the kernels repeat them and are equal bit for bit.
//!
//! Invariant: every plane has a normal of length 1, or is `Plane::AT_INFINITY`.

use std::fmt;

use glam::{DVec4, Mat4, Vec3};

use crate::error::Argument;
use crate::shapes::clip_space::{frustum_sides, normalized_side};
use crate::shapes::slack::SLACK;
use crate::{Aabb, ClipSpace, Error, Plane, Sphere};

/// A side of a frustum. In this order planes are given and tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Where the picture ends on the left.
    Left,
    /// Where it ends on the right.
    Right,
    /// Where it ends below.
    Bottom,
    /// Where it ends above.
    Top,
    /// What is too close is outside.
    Near,
    /// What is too far away is outside.
    Far,
}

impl Side {
    /// All six, in order.
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

/// How much of something is in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Containment {
    /// All of it.
    Inside,
    /// Perhaps some of it: it is not wholly beyond any one side.
    Intersects,
    /// Nothing.
    Outside,
}

/// What a camera sees: the volume between six planes, which belong to it.
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
    /// The same with slack.
    padded: [Plane; 6],
}

impl Frustum {
    /// What is in view after `projection * view`, where column vectors are multiplied from
    /// the right, as in glam. In which space the planes are depends on what the matrix
    /// takes: the world, if it is a camera's view-projection.
    ///
    /// A far plane at infinity is recognised. One that is some million times as far as the
    /// near plane may be taken for that, as f32 hardly tells the two apart.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](Error::NotFinite) names the number. [`NoVolume`](Error::NoVolume) and
    /// [`NothingInside`](Error::NothingInside) if the matrix shows nothing: it is singular (the
    /// directions of its rows x, y and w, or x, y and z if there is no vanishing point, span
    /// less than a millionth of what rows at right angles would), or its near and far planes
    /// leave nothing between them.
    pub fn from_view_projection(matrix: &Mat4, clip: ClipSpace) -> Result<Self, Error> {
        Ok(Self::from_equations(frustum_sides(matrix, clip)?))
    }

    /// What is inside of six planes, in the order of [`Side`]. Their normals may have any
    /// length; for a side that is open, give [`Plane::AT_INFINITY`].
    ///
    /// Planes that leave nothing between them are no error: all boxes are culled then.
    ///
    /// # Errors
    ///
    /// If a number is not finite, or if a plane has a normal of zero and a negative `d`.
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

    /// The six planes, in the order of [`Side`]: inside is positive, and normals have
    /// length 1, or 0 at infinity.
    #[must_use]
    pub fn planes(&self) -> &[Plane; 6] {
        &self.planes
    }

    /// The plane of a side.
    #[must_use]
    pub fn plane(&self, side: Side) -> &Plane {
        &self.planes[side as usize]
    }

    /// The planes that boxes are tested against: pushed out by their slack.
    #[inline]
    pub(crate) fn cull_planes(&self) -> &[Plane; 6] {
        &self.padded
    }

    /// Is the point in view? To within the rounding of the planes; never, if it is not
    /// finite.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.planes.iter().all(|plane| plane.contains_point(point))
    }

    /// May some of the box be in view? Stops at the first side that it is beyond.
    ///
    /// A box with a point in view is never missed. One that is not may be kept: by a
    /// millionth of its coordinates, or if it passes a corner of the frustum but is not
    /// wholly beyond any one side. The empty box is never in view; one that is infinite,
    /// or has a coordinate beyond 5e36, always may be.
    #[must_use]
    pub fn intersects(&self, aabb: &Aabb) -> bool {
        !aabb.is_empty() && self.first_outside(aabb).is_none()
    }

    /// Is all of the box in view, perhaps some of it, or nothing?
    ///
    /// `ExternalReferenceError` is certain, and the opposite of [`intersects`](Self::intersects). `Inside`
    /// is to within a millionth of the box's coordinates; what is in a box that is
    /// `Inside` is never `ExternalReferenceError`.
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

    /// The first side, in order, that the whole box is beyond. `None` if there is none,
    /// and for the empty box, which is nowhere.
    #[must_use]
    pub fn first_outside(&self, aabb: &Aabb) -> Option<Side> {
        if aabb.is_empty() {
            return None;
        }
        let aabb = aabb.with_slack();
        let is_outside = |plane: &Plane| plane.positive_vertex_distance(&aabb) < 0.0;
        self.padded.iter().position(is_outside).map(|index| Side::ALL[index])
    }

    /// May some of the sphere be in view? With the same promises as
    /// [`intersects`](Self::intersects).
    #[must_use]
    pub fn intersects_sphere(&self, sphere: &Sphere) -> bool {
        if sphere.is_empty() {
            return false;
        }
        let (center, radius) = (sphere.center.as_dvec3().extend(1.0), f64::from(sphere.radius));
        self.planes.iter().all(|plane| {
            let terms = plane.equation() * center;
            // As for boxes: see `slack.rs`. In f64, so only the plane was rounded.
            let rounding = f64::from(SLACK) * (terms.abs().element_sum() + radius);
            let underflow = f64::from(f32::from_bits(1)) * center.abs().element_sum();
            terms.element_sum() + radius + rounding + underflow >= 0.0
        })
    }
}

impl Plane {
    /// How far inside the corner is that is farthest along the normal.
    #[inline]
    fn positive_vertex_distance(&self, aabb: &Aabb) -> f32 {
        let (n, min, max) = (self.normal, aabb.min, aabb.max);
        let x = if n.x >= 0.0 { max.x } else { min.x };
        let y = if n.y >= 0.0 { max.y } else { min.y };
        let z = if n.z >= 0.0 { max.z } else { min.z };
        ((n.x * x + n.y * y) + n.z * z) + self.d
    }

    /// How far inside the opposite corner is.
    #[inline]
    fn negative_vertex_distance(&self, aabb: &Aabb) -> f32 {
        let (n, min, max) = (self.normal, aabb.min, aabb.max);
        let x = if n.x >= 0.0 { min.x } else { max.x };
        let y = if n.y >= 0.0 { min.y } else { max.y };
        let z = if n.z >= 0.0 { min.z } else { max.z };
        ((n.x * x + n.y * y) + n.z * z) + self.d
    }
}
