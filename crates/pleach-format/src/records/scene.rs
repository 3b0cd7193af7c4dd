//! The whole scene: which records there are, and in which section each is.

use serde::{Deserialize, Serialize};

use super::assets::{GeometryRecord, ImageRecord, MaterialRecord};
use super::clips::ClipRecord;
use super::components::{
    BoundsRecord, CameraRecord, ConstraintRecord, LightRecord, LodRecord, MeshRecord, SkinRecord,
    TableRecord, WeightsRecord,
};
use super::graph::GraphRecord;
use super::numbers::{F32, F32x3, Node};
use crate::file::sections::Tag;

pub(crate) const DATA: Tag = Tag(*b"DATA");
pub(crate) const SCENE: Tag = Tag(*b"SCEN");
pub(crate) const GRAPH: Tag = Tag(*b"GRPH");
pub(crate) const USER: Tag = Tag(*b"USER");

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SceneRecord {
    pub(crate) name: String,
    pub(crate) root: Node,
    pub(crate) environment: EnvironmentRecord,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvironmentRecord {
    pub(crate) ambient_color: F32x3,
    pub(crate) ambient_intensity: F32,
    pub(crate) background: Option<BackgroundRecord>,
    pub(crate) fog: Option<FogRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BackgroundRecord {
    Color(F32x3),
    EnvironmentMap { blur: F32 },
}

/// The environment map of the scene; a list of one, which is in a section of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvironmentMapRecord {
    pub(crate) source: EnvironmentSourceRecord,
    pub(crate) intensity: F32,
    pub(crate) rotation: F32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EnvironmentSourceRecord {
    Studio,
    /// The index of an image.
    Image(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FogRecord {
    pub(crate) color: F32x3,
    pub(crate) near: F32,
    pub(crate) far: F32,
}

/// Passes the lists of records and the tables to a macro: the tag of the section of each, and for
/// tables the name of the kind.
macro_rules! sections {
    ($then:ident) => {
        $then! {
            lists {
                images: ImageRecord = b"IMAG",
                environment_maps: EnvironmentMapRecord = b"ENVM",
                materials: MaterialRecord = b"MATL",
                geometries: GeometryRecord = b"GEOM",
                clips: ClipRecord = b"CLIP",
            }
            tables {
                meshes: MeshRecord = b"MESH" "mesh",
                skins: SkinRecord = b"SKIN" "skin",
                cameras: CameraRecord = b"CAMR" "camera",
                lights: LightRecord = b"LGHT" "light",
                weights: WeightsRecord = b"WGHT" "weights",
                lods: LodRecord = b"LODS" "lod",
                constraints: ConstraintRecord = b"CNST" "constraint",
                bounds: BoundsRecord = b"BNDS" "bounds",
            }
        }
    };
}
pub(crate) use sections;

macro_rules! declare_records {
    (
        lists { $($list:ident: $item:ty = $list_tag:literal,)* }
        tables { $($table:ident: $row:ty = $table_tag:literal $name:literal,)* }
    ) => {
        /// All records of a scene, except users' own components.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub(crate) struct Records {
            pub(crate) scene: SceneRecord,
            pub(crate) graph: GraphRecord,
            $(#[serde(default = "Vec::new")] pub(crate) $list: Vec<$item>,)*
            $(#[serde(default)] pub(crate) $table: TableRecord<$row>,)*
        }

        /// The tags of lists and tables.
        pub(crate) mod tags {
            use crate::file::sections::Tag;
            $(#[allow(non_upper_case_globals)] pub(crate) const $list: Tag = Tag(*$list_tag);)*
            $(#[allow(non_upper_case_globals)] pub(crate) const $table: Tag = Tag(*$table_tag);)*
        }

        /// Returns `true` for tags of sections that this version reads.
        pub(crate) fn is_known(tag: Tag) -> bool {
            const TAGS: &[Tag] = &[
                DATA, SCENE, GRAPH, USER, $(tags::$list,)* $(tags::$table,)*
            ];
            TAGS.contains(&tag)
        }

        /// The names of the built-in kinds of components, in the order of `pleach`.
        pub(crate) const BUILT_IN: &[&str] = &[$($name,)*];
    };
}

sections!(declare_records);
