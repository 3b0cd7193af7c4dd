//! The assets that meshes use: each once, in the order of their ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach::asset::{Asset, AssetId, AssetVersion};
use pleach::geometry::{Influences, MorphTarget, VertexData};
use pleach::light::{Environment, EnvironmentMap};
use pleach::material::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Image, ImageData, Iridescence, Sampler,
    Sheen, Specular, TextureRef, TextureTransform, Transmission, Volume,
};
use pleach::{Geometry, Handle, Material, Mesh};

use super::{SharedColumns, unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::Row;
use crate::records::assets::{
    AlphaModeRecord, AnisotropyRecord, ClearcoatRecord, DiffuseTransmissionRecord, GeometryRecord,
    ImageDataRecord, ImageRecord, InfluencesRecord, IridescenceRecord, MagFilterRecord,
    MaterialRecord, MinFilterRecord, MorphTargetRecord, SheenRecord, SpecularRecord, TextureRecord,
    TextureTransformRecord, TopologyRecord, TransmissionRecord, VertexRecord, VolumeRecord,
    WrapRecord,
};
use crate::records::numbers::{F32, f32s};

/// The numbers by which a file refers to assets: in a snapshot the index of a record, in a patch the
/// number in an [`AssetMap`](crate::AssetMap).
pub(crate) trait AssetNumbers {
    fn image(&self, handle: &Handle<Image>) -> u32;

    fn material(&self, handle: &Handle<Material>) -> u32;

    fn geometry(&self, handle: &Handle<Geometry>) -> u32;
}

/// Assets of one kind by id: the handle, the version that is written, and its index in the file.
///
/// The versions are kept, so that edits by other threads change neither what is written nor the addresses
/// that shared columns are recognized by.
pub(crate) struct Indexed<T: Asset>(BTreeMap<AssetId, IndexedAsset<T>>);

struct IndexedAsset<T: Asset> {
    handle: Handle<T>,
    version: Arc<AssetVersion<T>>,
    index: u32,
}

impl<T: Asset> Indexed<T> {
    fn new<'a>(handles: impl Iterator<Item = &'a Handle<T>>) -> Self {
        let mut indexed = BTreeMap::new();
        for handle in handles {
            indexed.entry(handle.id()).or_insert_with(|| IndexedAsset {
                handle: handle.clone(),
                version: handle.snapshot(),
                index: 0,
            });
        }
        (0..).zip(indexed.values_mut()).for_each(|(index, asset)| asset.index = index);
        Self(indexed)
    }

    fn values(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(|asset| asset.version.value())
    }

    /// Returns the handles in the order of their indices.
    pub(crate) fn handles(&self) -> impl Iterator<Item = &Handle<T>> {
        self.0.values().map(|asset| &asset.handle)
    }

    /// Returns the index of an asset, which was among the handles.
    fn index(&self, handle: &Handle<T>) -> u32 {
        self.0
            .get(&handle.id())
            .expect("all assets of the meshes and the environment were collected")
            .index
    }
}

/// All assets that the meshes and the environment of a scene use.
pub(crate) struct UsedAssets {
    pub(crate) images: Indexed<Image>,
    pub(crate) materials: Indexed<Material>,
    pub(crate) geometries: Indexed<Geometry>,
}

impl AssetNumbers for UsedAssets {
    fn image(&self, handle: &Handle<Image>) -> u32 {
        self.images.index(handle)
    }

    fn material(&self, handle: &Handle<Material>) -> u32 {
        self.materials.index(handle)
    }

    fn geometry(&self, handle: &Handle<Geometry>) -> u32 {
        self.geometries.index(handle)
    }
}

impl UsedAssets {
    pub(crate) fn of(meshes: &[&Mesh], environment: &Environment) -> Self {
        let parts = || meshes.iter().flat_map(|mesh| &mesh.parts);
        let own = parts().map(|part| &part.material);
        let materials = Indexed::new(own.chain(meshes.iter().flat_map(|mesh| &mesh.materials)));
        let textures = materials.values().flat_map(Material::textures);
        let map = environment.map.as_ref().and_then(EnvironmentMap::as_image);
        Self {
            images: Indexed::new(textures.map(|texture| &texture.image).chain(map)),
            materials,
            geometries: Indexed::new(parts().map(|part| &part.geometry)),
        }
    }

    /// Returns the size of all columns of assets in bytes, roughly.
    pub(super) fn memory(&self) -> usize {
        let images: usize = self.images.values().map(Image::memory).sum();
        images + Geometry::memory_of(self.geometries.values()) * 33 / 32
    }

    pub(super) fn encode_images(
        &self,
        columns: &mut SharedColumns<'_>,
    ) -> Result<Vec<ImageRecord>> {
        self.images.values().map(|image| encode_image(image, columns)).collect()
    }

    pub(super) fn encode_materials(&self) -> Result<Vec<MaterialRecord>> {
        self.materials.values().map(|material| encode_material(material, self)).collect()
    }

    pub(super) fn encode_geometries(
        &self,
        columns: &mut SharedColumns<'_>,
    ) -> Result<Vec<GeometryRecord>> {
        self.geometries.values().map(|geometry| encode_geometry(geometry, columns)).collect()
    }
}

/// Returns the record of a material; `numbers` has its images.
pub(crate) fn encode_material(
    material: &Material,
    numbers: &impl AssetNumbers,
) -> Result<MaterialRecord> {
    let Material {
        name,
        base_color,
        base_color_texture,
        metallic,
        roughness,
        metallic_roughness_texture,
        normal_texture,
        normal_scale,
        occlusion_texture,
        occlusion_strength,
        emissive,
        emissive_texture,
        emissive_strength,
        alpha_mode,
        double_sided,
        unlit,
        ior,
        dispersion,
        clearcoat,
        sheen,
        specular,
        transmission,
        diffuse_transmission,
        volume,
        iridescence,
        anisotropy,
    } = material;
    let texture = |texture: &Option<TextureRef>| {
        texture.as_ref().map(|texture| encode_texture(texture, numbers)).transpose()
    };
    Ok(MaterialRecord {
        name: name.clone(),
        base_color: f32s(*base_color),
        base_color_texture: texture(base_color_texture)?,
        metallic: F32(*metallic),
        roughness: F32(*roughness),
        metallic_roughness_texture: texture(metallic_roughness_texture)?,
        normal_texture: texture(normal_texture)?,
        normal_scale: F32(*normal_scale),
        occlusion_texture: texture(occlusion_texture)?,
        occlusion_strength: F32(*occlusion_strength),
        emissive: f32s(*emissive),
        emissive_texture: texture(emissive_texture)?,
        emissive_strength: F32(*emissive_strength),
        alpha_mode: match *alpha_mode {
            AlphaMode::Opaque => AlphaModeRecord::Opaque,
            AlphaMode::Mask { cutoff } => AlphaModeRecord::Mask { cutoff: F32(cutoff) },
            AlphaMode::Blend => AlphaModeRecord::Blend,
        },
        double_sided: *double_sided,
        unlit: *unlit,
        ior: F32(*ior),
        dispersion: F32(*dispersion),
        clearcoat: option(clearcoat, |it| {
            let Clearcoat {
                factor,
                texture: strength,
                roughness,
                roughness_texture,
                normal_texture,
                normal_scale,
            } = it;
            Ok(ClearcoatRecord {
                factor: F32(*factor),
                texture: texture(strength)?,
                roughness: F32(*roughness),
                roughness_texture: texture(roughness_texture)?,
                normal_texture: texture(normal_texture)?,
                normal_scale: F32(*normal_scale),
            })
        })?,
        sheen: option(sheen, |it| {
            let Sheen { color, color_texture, roughness, roughness_texture } = it;
            Ok(SheenRecord {
                color: f32s(*color),
                color_texture: texture(color_texture)?,
                roughness: F32(*roughness),
                roughness_texture: texture(roughness_texture)?,
            })
        })?,
        specular: option(specular, |it| {
            let Specular { factor, texture: strength, color, color_texture } = it;
            Ok(SpecularRecord {
                factor: F32(*factor),
                texture: texture(strength)?,
                color: f32s(*color),
                color_texture: texture(color_texture)?,
            })
        })?,
        transmission: option(transmission, |it| {
            let Transmission { factor, texture: fraction } = it;
            Ok(TransmissionRecord { factor: F32(*factor), texture: texture(fraction)? })
        })?,
        diffuse_transmission: option(diffuse_transmission, |it| {
            let DiffuseTransmission { factor, texture: fraction, color, color_texture } = it;
            Ok(DiffuseTransmissionRecord {
                factor: F32(*factor),
                texture: texture(fraction)?,
                color: f32s(*color),
                color_texture: texture(color_texture)?,
            })
        })?,
        volume: option(volume, |it| {
            let Volume { thickness, thickness_texture, attenuation_distance, attenuation_color } =
                it;
            Ok(VolumeRecord {
                thickness: F32(*thickness),
                thickness_texture: texture(thickness_texture)?,
                attenuation_distance: F32(*attenuation_distance),
                attenuation_color: f32s(*attenuation_color),
            })
        })?,
        iridescence: option(iridescence, |it| {
            let Iridescence {
                factor,
                texture: strength,
                ior,
                thickness_min,
                thickness_max,
                thickness_texture,
            } = it;
            Ok(IridescenceRecord {
                factor: F32(*factor),
                texture: texture(strength)?,
                ior: F32(*ior),
                thickness_min: F32(*thickness_min),
                thickness_max: F32(*thickness_max),
                thickness_texture: texture(thickness_texture)?,
            })
        })?,
        anisotropy: option(anisotropy, |it| {
            let Anisotropy { strength, rotation, texture: directions } = it;
            Ok(AnisotropyRecord {
                strength: F32(*strength),
                rotation: F32(*rotation),
                texture: texture(directions)?,
            })
        })?,
    })
}

fn encode_texture(texture: &TextureRef, numbers: &impl AssetNumbers) -> Result<TextureRecord> {
    let TextureRef { image, sampler, uv_set, transform } = texture;
    let Sampler { mag_filter, min_filter, wrap_u, wrap_v } = *sampler;
    let wrap = |wrap| WrapRecord::of(wrap).ok_or_else(|| unsupported("the wrap mode of a texture"));
    let filter = || unsupported("the filter of a texture");
    Ok(TextureRecord {
        image: numbers.image(image),
        mag_filter: mag_filter.map(|it| MagFilterRecord::of(it).ok_or_else(filter)).transpose()?,
        min_filter: min_filter.map(|it| MinFilterRecord::of(it).ok_or_else(filter)).transpose()?,
        wrap_u: wrap(wrap_u)?,
        wrap_v: wrap(wrap_v)?,
        uv_set: *uv_set,
        transform: transform.map(|TextureTransform { offset, rotation, scale }| {
            TextureTransformRecord {
                offset: f32s(offset),
                rotation: F32(rotation),
                scale: f32s(scale),
            }
        }),
    })
}

#[allow(clippy::ref_option, clippy::borrowed_box, reason = "that is how materials store them")]
fn option<T, R>(
    extension: &Option<Box<T>>,
    encode: impl FnOnce(&T) -> Result<R>,
) -> Result<Option<R>> {
    extension.as_deref().map(encode).transpose()
}

pub(crate) fn encode_image(image: &Image, columns: &mut SharedColumns<'_>) -> Result<ImageRecord> {
    image.check().map_err(|error| Error::new(ErrorKind::Value, error.to_string()))?;
    let Image { name, data } = image;
    let data = match data {
        ImageData::Encoded { mime, bytes } => {
            ImageDataRecord::Encoded { mime: mime.clone(), bytes: columns.writer.push(bytes) }
        }
        ImageData::Rgba8 { width, height, pixels } => ImageDataRecord::Rgba8 {
            width: *width,
            height: *height,
            pixels: columns.writer.push(pixels),
        },
        ImageData::External { uri } => ImageDataRecord::External { uri: uri.clone() },
        ImageData::RgbF32 { width, height, pixels } => ImageDataRecord::RgbF32 {
            width: *width,
            height: *height,
            pixels: columns.writer.push(pixels),
        },
        _ => return Err(unsupported("the data of an image")),
    };
    Ok(ImageRecord { name: name.clone(), data })
}

pub(crate) fn encode_geometry(
    geometry: &Geometry,
    columns: &mut SharedColumns<'_>,
) -> Result<GeometryRecord> {
    let Geometry {
        topology,
        positions,
        normals,
        tangents,
        uvs,
        colors,
        influences,
        indices,
        morph_targets,
        face_materials,
        vertex_materials,
    } = geometry;
    Ok(GeometryRecord {
        topology: TopologyRecord::of(*topology).ok_or_else(|| unsupported("a topology"))?,
        positions: vertices(positions, columns),
        normals: vertices(normals, columns),
        tangents: vertices(tangents, columns),
        uvs: uvs.iter().map(|set| vertices(set, columns)).collect(),
        colors: colors.iter().map(|set| vertices(set, columns)).collect(),
        influences: influences
            .iter()
            .map(|Influences { joints, weights }| InfluencesRecord {
                joints: vertices(joints, columns),
                weights: vertices(weights, columns),
            })
            .collect(),
        indices: indices.as_ref().map(|indices| columns.writer.push(indices)),
        morph_targets: morph_targets
            .iter()
            .map(|MorphTarget { name, positions, normals, tangents }| MorphTargetRecord {
                name: name.clone(),
                positions: vertices(positions, columns),
                normals: vertices(normals, columns),
                tangents: vertices(tangents, columns),
            })
            .collect(),
        face_materials: columns.push_some(face_materials),
        vertex_materials: columns.push_some(vertex_materials),
    })
}

fn vertices<T: Row>(data: &VertexData<T>, columns: &mut SharedColumns<'_>) -> VertexRecord {
    match data.shared_id() {
        Some(address) => VertexRecord::Shared(columns.push_shared(address, data)),
        None if data.is_empty() => VertexRecord::None,
        None => VertexRecord::Own(columns.writer.push(data)),
    }
}
