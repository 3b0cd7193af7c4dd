//! Images, materials and geometries.

use pleach::geometry::Topology;
use pleach::material::{MagFilter, MinFilter, Wrap};
use serde::{Deserialize, Serialize};

use super::mirror;
use super::numbers::{F32, F32x2, F32x3, F32x4};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImageRecord {
    pub(crate) name: Option<String>,
    pub(crate) data: ImageDataRecord,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImageDataRecord {
    /// `bytes` is a column of u8.
    Encoded {
        mime: String,
        bytes: u32,
    },
    /// `pixels` is a column of u8.
    Rgba8 {
        width: u32,
        height: u32,
        pixels: u32,
    },
    External {
        uri: String,
    },
    /// `pixels` is a column of f32 × 3.
    RgbF32 {
        width: u32,
        height: u32,
        pixels: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaterialRecord {
    pub(crate) name: Option<String>,
    pub(crate) base_color: F32x4,
    pub(crate) base_color_texture: Option<TextureRecord>,
    pub(crate) metallic: F32,
    pub(crate) roughness: F32,
    pub(crate) metallic_roughness_texture: Option<TextureRecord>,
    pub(crate) normal_texture: Option<TextureRecord>,
    pub(crate) normal_scale: F32,
    pub(crate) occlusion_texture: Option<TextureRecord>,
    pub(crate) occlusion_strength: F32,
    pub(crate) emissive: F32x3,
    pub(crate) emissive_texture: Option<TextureRecord>,
    pub(crate) emissive_strength: F32,
    pub(crate) alpha_mode: AlphaModeRecord,
    pub(crate) double_sided: bool,
    pub(crate) unlit: bool,
    pub(crate) ior: F32,
    pub(crate) dispersion: F32,
    pub(crate) clearcoat: Option<ClearcoatRecord>,
    pub(crate) sheen: Option<SheenRecord>,
    pub(crate) specular: Option<SpecularRecord>,
    pub(crate) transmission: Option<TransmissionRecord>,
    pub(crate) diffuse_transmission: Option<DiffuseTransmissionRecord>,
    pub(crate) volume: Option<VolumeRecord>,
    pub(crate) iridescence: Option<IridescenceRecord>,
    pub(crate) anisotropy: Option<AnisotropyRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AlphaModeRecord {
    Opaque,
    Mask { cutoff: F32 },
    Blend,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextureRecord {
    /// An index into the images.
    pub(crate) image: u32,
    pub(crate) mag_filter: Option<MagFilterRecord>,
    pub(crate) min_filter: Option<MinFilterRecord>,
    pub(crate) wrap_u: WrapRecord,
    pub(crate) wrap_v: WrapRecord,
    pub(crate) uv_set: u32,
    pub(crate) transform: Option<TextureTransformRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextureTransformRecord {
    pub(crate) offset: F32x2,
    pub(crate) rotation: F32,
    pub(crate) scale: F32x2,
}

mirror! { MagFilterRecord = MagFilter { Nearest, Linear, } }
mirror! { MinFilterRecord = MinFilter {
    Nearest, Linear, NearestMipmapNearest, LinearMipmapNearest, NearestMipmapLinear, LinearMipmapLinear,
} }
mirror! { WrapRecord = Wrap { Repeat, MirroredRepeat, ClampToEdge, } }

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClearcoatRecord {
    pub(crate) factor: F32,
    pub(crate) texture: Option<TextureRecord>,
    pub(crate) roughness: F32,
    pub(crate) roughness_texture: Option<TextureRecord>,
    pub(crate) normal_texture: Option<TextureRecord>,
    pub(crate) normal_scale: F32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SheenRecord {
    pub(crate) color: F32x3,
    pub(crate) color_texture: Option<TextureRecord>,
    pub(crate) roughness: F32,
    pub(crate) roughness_texture: Option<TextureRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecularRecord {
    pub(crate) factor: F32,
    pub(crate) texture: Option<TextureRecord>,
    pub(crate) color: F32x3,
    pub(crate) color_texture: Option<TextureRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransmissionRecord {
    pub(crate) factor: F32,
    pub(crate) texture: Option<TextureRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffuseTransmissionRecord {
    pub(crate) factor: F32,
    pub(crate) texture: Option<TextureRecord>,
    pub(crate) color: F32x3,
    pub(crate) color_texture: Option<TextureRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeRecord {
    pub(crate) thickness: F32,
    pub(crate) thickness_texture: Option<TextureRecord>,
    pub(crate) attenuation_distance: F32,
    pub(crate) attenuation_color: F32x3,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IridescenceRecord {
    pub(crate) factor: F32,
    pub(crate) texture: Option<TextureRecord>,
    pub(crate) ior: F32,
    pub(crate) thickness_min: F32,
    pub(crate) thickness_max: F32,
    pub(crate) thickness_texture: Option<TextureRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnisotropyRecord {
    pub(crate) strength: F32,
    pub(crate) rotation: F32,
    pub(crate) texture: Option<TextureRecord>,
}

/// The values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VertexRecord {
    /// There are none.
    None,
    /// A column that only this attribute has.
    Own(u32),
    /// A column whose memory several attributes share.
    Shared(u32),
}

mirror! { TopologyRecord = Topology {
    Points, Lines, LineLoop, LineStrip, Triangles, TriangleStrip, TriangleFan,
} }

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeometryRecord {
    pub(crate) topology: TopologyRecord,
    /// f32 × 3.
    pub(crate) positions: VertexRecord,
    /// f32 × 3.
    pub(crate) normals: VertexRecord,
    /// f32 × 4.
    pub(crate) tangents: VertexRecord,
    /// f32 × 2.
    pub(crate) uvs: Vec<VertexRecord>,
    /// f32 × 4.
    pub(crate) colors: Vec<VertexRecord>,
    pub(crate) influences: Vec<InfluencesRecord>,
    /// u32.
    pub(crate) indices: Option<u32>,
    pub(crate) morph_targets: Vec<MorphTargetRecord>,
    /// u32; `None` if empty.
    pub(crate) face_materials: Option<u32>,
    /// u32; `None` if empty.
    pub(crate) vertex_materials: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InfluencesRecord {
    /// u16 × 4.
    pub(crate) joints: VertexRecord,
    /// f32 × 4.
    pub(crate) weights: VertexRecord,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MorphTargetRecord {
    pub(crate) name: Option<String>,
    /// f32 × 3.
    pub(crate) positions: VertexRecord,
    /// f32 × 3.
    pub(crate) normals: VertexRecord,
    /// f32 × 3.
    pub(crate) tangents: VertexRecord,
}
