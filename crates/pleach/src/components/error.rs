//! Errors of skins, lights, environments, constraints and edits of rows. Imports nothing of the crate: `crate::Error`
//! imports this.

use std::fmt;

use pleach_graph::NodeId;

/// A reason why a skin is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkinError {
    /// The number of inverse bind matrices is not the number of joints.
    Counts {
        /// The number of joints.
        joints: usize,
        /// The number of matrices.
        inverse_bind_matrices: usize,
    },
    /// An inverse bind matrix has an infinite or NaN component.
    NotFinite {
        /// The index of the joint.
        joint: usize,
    },
    /// The world matrix of a joint is singular, so it has no inverse bind matrix.
    Singular(NodeId),
}

impl fmt::Display for SkinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts { joints, inverse_bind_matrices } => write!(
                f,
                "{joints} joints, but {inverse_bind_matrices} inverse bind matrices; each joint \
                 needs one",
            ),
            Self::NotFinite { joint } => write!(
                f,
                "the inverse bind matrix of joint {joint} must be finite: the inverse of the \
                 joint's world matrix in the bind pose",
            ),
            Self::Singular(joint) => write!(
                f,
                "the world matrix of joint {joint} is singular (a scale of zero), so nothing can \
                 be bound to it; give it a scale first",
            ),
        }
    }
}

impl std::error::Error for SkinError {}

/// A value of a light that has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LightError {
    /// A directional or ambient light has a range.
    RangeNotApplicable,
    /// An ambient light has shadow settings.
    AmbientShadow,
}

impl fmt::Display for LightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RangeNotApplicable => "only point and spot lights have a range; set it to `None`",
            Self::AmbientShadow => "an ambient light casts no shadows; set `shadow` to `None`",
        })
    }
}

impl std::error::Error for LightError {}

/// A value of an environment that cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The background shows the map, but there is none.
    NoMap,
    /// The blur of the background is not between 0 and 1.
    Blur(f32),
    /// The intensity of the map is negative, infinite or NaN.
    Intensity(f32),
    /// The rotation of the map is infinite or NaN.
    Rotation(f32),
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMap => f.write_str(
                "the background is the map of the environment, which has none; set \
                 `Environment::map`, or another background",
            ),
            Self::Blur(blur) => {
                write!(f, "the blur of the background is {blur}; it must be between 0 and 1")
            }
            Self::Intensity(intensity) => write!(
                f,
                "the intensity of the map is {intensity}; it must be finite and not negative",
            ),
            Self::Rotation(rotation) => {
                write!(f, "the rotation of the map is {rotation}; it must be finite, in radians")
            }
        }
    }
}

impl std::error::Error for EnvironmentError {}

/// A constraint that depends on itself: rotating its node would move its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstraintError {
    /// The constrained node.
    pub node: NodeId,
    /// The target of the constraint.
    pub target: NodeId,
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, target } = self;
        write!(
            f,
            "node {node} cannot be constrained to {target}: rotating it moves {target}, directly or \
             through other constraints; attach {target} elsewhere, or choose another target",
        )
    }
}

impl std::error::Error for ConstraintError {}

/// An edit of a row does not fit a table. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowError {
    /// The name of the kind of component.
    pub component: &'static str,
    /// The node of the row.
    pub node: NodeId,
    /// The reason.
    pub reason: RowMisfit,
}

/// The reason why an edit of a row does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowMisfit {
    /// The node does not exist after the edits.
    Dead,
    /// The node has a row already.
    Exists,
    /// The node has no row.
    Missing,
    /// The index is not that of a row.
    Index,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { component, node, reason } = self;
        write!(f, "the patch does not fit: node {node} ")?;
        match reason {
            RowMisfit::Dead => {
                write!(f, "would be given a {component}, but does not exist after the edits")
            }
            RowMisfit::Exists => write!(
                f,
                "has a {component} that the patch inserts; it was inserted outside of a transaction",
            ),
            RowMisfit::Missing => write!(
                f,
                "has no {component}, which the patch changes or removes; it was removed outside of a \
                 transaction",
            ),
            RowMisfit::Index => {
                write!(f, "has a {component} at an index that is not in its table")
            }
        }
    }
}

impl std::error::Error for RowError {}
