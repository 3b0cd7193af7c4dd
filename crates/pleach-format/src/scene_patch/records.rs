//! The records of patches of scenes, in addition to those of graphs.

use serde::{Deserialize, Serialize};

use crate::file::sections::Tag;
use crate::records::assets::{GeometryRecord, ImageRecord, MaterialRecord};
use crate::records::components::{
    BoundsRecord, CameraRecord, ConstraintRecord, LightRecord, LodRecord, MeshRecord, SkinRecord,
    WeightsRecord,
};
use crate::records::numbers::Node;
use crate::records::scene::{DATA, EnvironmentMapRecord, EnvironmentRecord, USER, sections};

pub(super) const SCENE_PATCH: Tag = Tag(*b"SPCH");
pub(super) const IMAGE_EDITS: Tag = Tag(*b"IMGE");
pub(super) const MATERIAL_EDITS: Tag = Tag(*b"MATE");
pub(super) const GEOMETRY_EDITS: Tag = Tag(*b"GEOE");

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenePatchRecord {
    /// The number of images that the other side has before the patch.
    pub(super) images: u32,
    pub(super) materials: u32,
    pub(super) geometries: u32,
    /// Before and after.
    pub(super) name: Option<[String; 2]>,
    /// Before and after.
    pub(super) environment: Option<[EnvironmentRecord; 2]>,
}

/// The environment map before and after. A patch has at most one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnvironmentMapEditRecord {
    pub(super) old: Option<EnvironmentMapRecord>,
    pub(super) new: Option<EnvironmentMapRecord>,
}

/// An edit of an asset by its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AssetEditRecord<R> {
    pub(super) asset: u32,
    pub(super) old: R,
    pub(super) new: R,
}

/// An edit of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RowEditRecord<R> {
    Insert { node: Node, new: R },
    Remove { node: Node, index: u64, old: R },
    Change { node: Node, old: R, new: R },
}

/// The edits of the rows of a user's own kind, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserEditsRecord {
    pub(crate) kind: String,
    pub(crate) count: u32,
    /// u8: the edits, one after the other, as postcard writes them.
    pub(crate) edits: u32,
}

macro_rules! declare_records {
    (
        lists { $($list:ident: $item:ty = $list_tag:literal,)* }
        tables { $($table:ident: $row:ty = $table_tag:literal $name:literal,)* }
    ) => {
        /// All records of a patch, except those of its graph and users' own components.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub(super) struct Records {
            pub(super) scene: ScenePatchRecord,
            #[serde(default)]
            pub(super) images: Vec<ImageRecord>,
            #[serde(default)]
            pub(super) materials: Vec<MaterialRecord>,
            #[serde(default)]
            pub(super) geometries: Vec<GeometryRecord>,
            #[serde(default)]
            pub(super) environment_maps: Vec<EnvironmentMapEditRecord>,
            #[serde(default = "Vec::new")]
            pub(super) image_edits: Vec<AssetEditRecord<ImageRecord>>,
            #[serde(default = "Vec::new")]
            pub(super) material_edits: Vec<AssetEditRecord<MaterialRecord>>,
            #[serde(default = "Vec::new")]
            pub(super) geometry_edits: Vec<AssetEditRecord<GeometryRecord>>,
            $(#[serde(default = "Vec::new")] pub(super) $table: Vec<RowEditRecord<$row>>,)*
        }
    };
}

sections!(declare_records);

/// Passes the lists of `Records` to a macro, with the tags of their sections.
macro_rules! patch_lists {
    ($then:ident) => {
        $then! {
            images = crate::records::scene::tags::images,
            materials = crate::records::scene::tags::materials,
            geometries = crate::records::scene::tags::geometries,
            environment_maps = crate::records::scene::tags::environment_maps,
            image_edits = crate::scene_patch::records::IMAGE_EDITS,
            material_edits = crate::scene_patch::records::MATERIAL_EDITS,
            geometry_edits = crate::scene_patch::records::GEOMETRY_EDITS,
            meshes = crate::records::scene::tags::meshes,
            skins = crate::records::scene::tags::skins,
            cameras = crate::records::scene::tags::cameras,
            lights = crate::records::scene::tags::lights,
            weights = crate::records::scene::tags::weights,
            lods = crate::records::scene::tags::lods,
            constraints = crate::records::scene::tags::constraints,
            bounds = crate::records::scene::tags::bounds,
        }
    };
}
pub(super) use patch_lists;

macro_rules! declare_tags {
    ($($list:ident = $tag:path,)*) => {
        /// Returns `true` for tags of sections that this version reads.
        pub(super) fn is_known(tag: Tag) -> bool {
            const TAGS: &[Tag] = &[
                DATA, crate::patch::PATCH, crate::patch::EDITS, SCENE_PATCH, USER, $($tag,)*
            ];
            TAGS.contains(&tag)
        }

        /// The names of all members in JSON.
        pub(super) const MEMBERS: &[&str] = &[
            "format", "version", "writer", "patch", "edits", "scene", "components", "columns",
            $(stringify!($list),)*
        ];
    };
}

patch_lists!(declare_tags);
