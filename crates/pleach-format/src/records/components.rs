//! Tables of components, and the rows of the built-in kinds.

use pleach::camera::ClipSpace;
use pleach::component::BindMode;
use serde::{Deserialize, Serialize};

use super::mirror;
use super::numbers::{F32, F32x3, F32x16, Node};

/// A table: row `i` belongs to the live node in slot `nodes[i]` and has the value
/// `values[indices[i]]`, or `values[i]` if there are no indices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableRecord<R> {
    /// u32; `None` if there are no rows.
    pub(crate) nodes: Option<u32>,
    /// u32.
    pub(crate) indices: Option<u32>,
    pub(crate) values: Vec<R>,
}

impl<R> Default for TableRecord<R> {
    fn default() -> Self {
        Self { nodes: None, indices: None, values: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshRecord {
    pub(crate) parts: Vec<PartRecord>,
    /// Indices into the materials.
    pub(crate) materials: Vec<u32>,
    pub(crate) cast_shadow: bool,
    pub(crate) receive_shadow: bool,
    pub(crate) transparent: Option<bool>,
    pub(crate) is_static: bool,
    pub(crate) frustum_culled: bool,
    pub(crate) layers: u32,
    /// f32 × 16: a matrix per instance.
    pub(crate) instances: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartRecord {
    /// An index into the geometries.
    pub(crate) geometry: u32,
    /// An index into the materials.
    pub(crate) material: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkinRecord {
    pub(crate) joints: Vec<Node>,
    /// f32 × 16. Skins with the same column share its memory.
    pub(crate) inverse_bind_matrices: u32,
    pub(crate) bind_matrix: F32x16,
    pub(crate) bind_mode: BindModeRecord,
    pub(crate) skeleton: Option<Node>,
}

mirror! { BindModeRecord = BindMode { Attached, Detached, } }

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CameraRecord {
    pub(crate) projection: ProjectionRecord,
    pub(crate) aspect: Option<F32>,
    pub(crate) clip_space: ClipSpaceRecord,
    pub(crate) layers: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProjectionRecord {
    Perspective { fov_y: F32, near: F32, far: F32 },
    Orthographic { height: F32, zoom: F32, near: F32, far: F32 },
    Custom(F32x16),
}

mirror! { ClipSpaceRecord = ClipSpace { NegOneToOne, ZeroToOne, ZeroToOneReversed, } }

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LightRecord {
    pub(crate) kind: LightKindRecord,
    pub(crate) color: F32x3,
    pub(crate) intensity: F32,
    pub(crate) range: Option<F32>,
    pub(crate) shadow: Option<ShadowRecord>,
    pub(crate) layers: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LightKindRecord {
    Directional,
    Point,
    Spot { inner_angle: F32, outer_angle: F32 },
    Ambient,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShadowRecord {
    pub(crate) enabled: bool,
    pub(crate) map_size: u32,
    pub(crate) bias: F32,
    pub(crate) normal_bias: F32,
    pub(crate) near: F32,
    pub(crate) far: F32,
    pub(crate) bounds: F32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightsRecord(pub(crate) Vec<F32>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LodRecord(pub(crate) Vec<LevelRecord>);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LevelRecord {
    pub(crate) node: Node,
    pub(crate) min_screen_size: F32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConstraintRecord {
    LookAt { target: Node, up: F32x3 },
    Face { target: Node, up: F32x3 },
    Aim { target: Node, front: F32x3, top: F32x3, up: F32x3 },
    Billboard { camera: Node },
    Upright { camera: Node, axis: F32x3 },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoundsRecord {
    pub(crate) min: F32x3,
    pub(crate) max: F32x3,
}

/// The table of a user's own kind, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserTableRecord {
    pub(crate) kind: String,
    /// u32: the slots of the live nodes with a row.
    pub(crate) nodes: u32,
    /// u8: the rows, one after the other, as postcard writes them.
    pub(crate) rows: u32,
}
