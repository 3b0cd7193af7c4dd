//! What can go wrong, and how it is said: the thing, the fault, the way out.

use std::fmt;

use pleach_graph::NodeId;

use crate::{Aabb, Side};

/// Why a call was refused. Nothing was changed by it.
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
    /// A number is infinite or not a number.
    NotFinite {
        /// Of what.
        argument: Argument,
        /// Which number of it: 0 for `x`, 3 for a plane's `d`, or an index into
        /// the column-major matrix.
        component: usize,
        /// The number.
        value: f32,
    },
    /// No volume is in view: the view-projection is singular, or its sides leave
    /// nothing between them.
    NoVolume,
    /// A plane without a normal has nothing on its inner side, as its `d` is negative.
    NothingInside(Side),
    /// A ray of direction zero leads nowhere.
    ZeroDirection,
    /// A plane of normal zero faces nowhere.
    ZeroNormal,
    /// The graph refused: most often the node is dead.
    Graph(pleach_graph::Error),
    /// A node's bounds have a number that is infinite or not a number.
    BoundsNotFinite {
        /// The node they were meant for.
        node: NodeId,
        /// The bounds.
        bounds: Aabb,
    },
    /// The index has no bounds of this node.
    NoBounds(NodeId),
    /// An index of a triangle is not one of a position.
    IndexOutOfRange {
        /// Where in the list of indices.
        at: usize,
        /// The index.
        index: u32,
        /// How many positions there are.
        vertices: usize,
    },
    /// There is no number for so many triangles.
    TooManyTriangles {
        /// How many there are.
        triangles: usize,
    },
    /// A pose has another number of positions than the tree was built with.
    VertexCount {
        /// How many the pose has.
        given: usize,
        /// How many there were.
        built: usize,
    },
    /// Instances' arrays of translations, rotations and scales are not as long as each other.
    InstanceCounts {
        /// Translations, rotations, scales.
        counts: [usize; 3],
    },
    /// A matrix of an instance has a number that is infinite or not a number.
    InstanceNotFinite {
        /// Which instance.
        instance: usize,
    },
}

impl From<pleach_graph::Error> for Error {
    fn from(error: pleach_graph::Error) -> Self {
        Self::Graph(error)
    }
}

/// What a number belongs to, as errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// A view-projection.
    ViewProjection,
    /// A plane of a frustum.
    Plane(Side),
    /// Where a ray starts.
    RayOrigin,
    /// Where a ray leads.
    RayDirection,
    /// The point that a ray leads to.
    RayTarget,
    /// The point that a plane goes through.
    PlanePoint,
    /// Where a plane's inner side is.
    PlaneNormal,
}

impl Argument {
    /// Refuses numbers that are not finite.
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
                 (a flat camera, near = far, or a field of view or aspect of zero?)",
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
                "the view-projection has no volume in view: it is singular, or its sides leave \
                 nothing between them; check near < far, the field of view, the clip space, that \
                 the camera is not flat, and that it is not so far out that f32 loses its near plane",
            ),
            Self::NothingInside(side) => write!(
                f,
                "the {side} plane has no normal and a negative d, so nothing is inside; \
                 for a plane at infinity use `Plane::AT_INFINITY`",
            ),
            Self::ZeroDirection => write!(
                f,
                "the direction of the ray is zero, which leads nowhere; \
                 give it a length, or two different points",
            ),
            Self::Graph(error) => error.fmt(f),
            Self::BoundsNotFinite { node, bounds: Aabb { min, max } } => write!(
                f,
                "node {node}: bounds from {min} to {max}; all six numbers must be finite \
                 (`Aabb::EMPTY` for geometry without vertices)",
            ),
            Self::NoBounds(node) => write!(
                f,
                "node {node} has no bounds in this index; give it some with \
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
                "the pose has {given} positions, but the tree was built with {built}; \
                 build a new tree for other geometry",
            ),
            Self::InstanceCounts { counts: [translations, rotations, scales] } => write!(
                f,
                "{translations} translations, {rotations} rotations and {scales} scales of instances; \
                 give as many of each, or none",
            ),
            Self::InstanceNotFinite { instance } => write!(
                f,
                "the matrix of instance {instance} must be finite and affine (last row 0 0 0 1)",
            ),
            Self::ZeroNormal => write!(
                f,
                "the normal of the plane is zero, which faces nowhere; \
                 give it a length, or use `Plane::AT_INFINITY`",
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
