//! Errors. Messages name the thing, the fault and the way out.

use std::fmt;

use pleach_graph::NodeId;

use crate::{Aabb, Side};

/// An error of this crate. The call that returned it changed nothing.
///
/// ```
/// use pleach_spatial::Ray;
/// use pleach_spatial::glam::Vec3;
///
/// let refused = Ray::new(Vec3::ZERO, Vec3::new(0.0, f32::INFINITY, 0.0)).unwrap_err();
/// assert_eq!(refused.to_string(), "ray direction.y is inf; it must be finite");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number is infinite or NaN.
    NotFinite {
        /// The argument that contains the number.
        argument: Argument,
        /// The component: 0 for `x`, 3 for a plane's `d`, or an index into the column-major matrix.
        component: usize,
        /// The number.
        value: f32,
    },
    /// The view-projection has no volume in view: it is singular, or there is nothing between its
    /// sides.
    NoVolume,
    /// A plane has a zero normal and a negative `d`, so that nothing is inside.
    NothingInside(Side),
    /// The direction of a ray is zero.
    ZeroDirection,
    /// The normal of a plane is zero.
    ZeroNormal,
    /// An error of the graph: usually the node was removed.
    Graph(pleach_graph::Error),
    /// The bounds of a node contain a number that is infinite or NaN.
    BoundsNotFinite {
        /// The node.
        node: NodeId,
        /// The bounds.
        bounds: Aabb,
    },
    /// The node has no bounds in this index.
    NoBounds(NodeId),
    /// A triangle refers to a position that does not exist.
    IndexOutOfRange {
        /// The position in the list of indices.
        at: usize,
        /// The index.
        index: u32,
        /// The number of positions.
        vertices: usize,
    },
    /// There are more triangles than a tree can number.
    TooManyTriangles {
        /// The number of triangles.
        triangles: usize,
    },
    /// The number of positions differs from that of the tree.
    VertexCount {
        /// The number of positions given.
        given: usize,
        /// The number of positions that the tree was built with.
        built: usize,
    },
    /// The arrays of translations, rotations and scales of instances differ in length.
    InstanceCounts {
        /// The numbers of translations, rotations and scales.
        counts: [usize; 3],
    },
    /// The matrix of an instance is not finite, or not affine.
    InstanceNotFinite {
        /// The instance.
        instance: usize,
    },
}

impl From<pleach_graph::Error> for Error {
    fn from(error: pleach_graph::Error) -> Self {
        Self::Graph(error)
    }
}

/// The argument that an error refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// A view-projection.
    ViewProjection,
    /// A plane of a frustum.
    Plane(Side),
    /// The origin of a ray.
    RayOrigin,
    /// The direction of a ray.
    RayDirection,
    /// The end point of a ray.
    RayTarget,
    /// A point on a plane.
    PlanePoint,
    /// The normal of a plane.
    PlaneNormal,
}

impl Argument {
    /// Returns an error if a number is not finite.
    pub(crate) fn check(self, numbers: &[f32]) -> Result<(), Error> {
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(()),
            Some(at) => Err(Error::NotFinite { argument: self, component: at, value: numbers[at] }),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { argument: Argument::ViewProjection, component, value } => write!(
                f,
                "view-projection column {} row {} is {value}; it must be finite \
                 (is the camera's transform singular, near = far, or the field of view or aspect ratio zero?)",
                component / 4,
                component % 4,
            ),
            Self::NotFinite { argument: Argument::Plane(side), component: 3, value } => {
                write!(f, "{side} plane d is {value}; it must be finite")
            }
            Self::NotFinite { argument: Argument::Plane(side), component, value } => {
                write!(f, "{side} plane normal.{} is {value}; it must be finite", axis(*component))
            }
            Self::NotFinite { argument, component, value } => {
                write!(f, "{argument}.{} is {value}; it must be finite", axis(*component))
            }
            Self::NoVolume => write!(
                f,
                "the view-projection has no volume in view: it is singular, or there is nothing between \
                 its sides; check near < far, the field of view, the clip space, that the camera's \
                 transform is not singular, and that f32 can represent its near plane at its position",
            ),
            Self::NothingInside(side) => write!(
                f,
                "the {side} plane has a zero normal and a negative d, so nothing is inside; \
                 use `Plane::AT_INFINITY` for a plane at infinity",
            ),
            Self::ZeroDirection => write!(
                f,
                "the direction of the ray is zero; \
                 use a direction with a length, or two different points",
            ),
            Self::Graph(error) => error.fmt(f),
            Self::BoundsNotFinite { node, bounds: Aabb { min, max } } => write!(
                f,
                "node {node}: the bounds are {min} to {max}; all six numbers must be finite \
                 (use `Aabb::EMPTY` for geometry without vertices)",
            ),
            Self::NoBounds(node) => write!(
                f,
                "node {node} has no bounds in this index; call \
                 `SpatialIndex::set_bounds` first",
            ),
            Self::IndexOutOfRange { at, index, vertices } => {
                write!(f, "indices[{at}] is {index}, but there are {vertices} positions",)
            }
            Self::TooManyTriangles { triangles } => write!(
                f,
                "{triangles} triangles are too many for one tree: at most 2^31 - 2; split them",
            ),
            Self::VertexCount { given, built } => write!(
                f,
                "there are {given} positions, but the tree was built with {built}; \
                 build a new tree for a different geometry",
            ),
            Self::InstanceCounts { counts: [translations, rotations, scales] } => write!(
                f,
                "instances have {translations} translations, {rotations} rotations and {scales} scales; \
                 the numbers must be equal or zero",
            ),
            Self::InstanceNotFinite { instance } => write!(
                f,
                "the matrix of instance {instance} must be finite and affine (last row 0 0 0 1)",
            ),
            Self::ZeroNormal => write!(
                f,
                "the normal of the plane is zero; \
                 use a normal with a length, or `Plane::AT_INFINITY`",
            ),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ViewProjection => write!(f, "view-projection"),
            Self::Plane(side) => write!(f, "{side} plane"),
            Self::RayOrigin => write!(f, "ray origin"),
            Self::RayDirection => write!(f, "ray direction"),
            Self::RayTarget => write!(f, "ray target"),
            Self::PlanePoint => write!(f, "plane point"),
            Self::PlaneNormal => write!(f, "plane normal"),
        }
    }
}

fn axis(component: usize) -> &'static str {
    ["x", "y", "z", "w"][component % 4]
}
