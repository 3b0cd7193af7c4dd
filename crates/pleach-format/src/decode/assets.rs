//! Images, materials and geometries, each added to the registry of the scene once.

use std::any::Any;
use std::collections::HashMap;

use pleach::geometry::{Influences, MorphTarget, VertexData};
use pleach::material::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Image, ImageData, Iridescence, Sampler,
    Sheen, Specular, TextureRef, TextureTransform, Transmission, Volume,
};
use pleach::{Geometry, Handle, Material, Scene};

use super::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::Row;
use crate::records::assets::{
    AlphaModeRecord, GeometryRecord, ImageDataRecord, ImageRecord, InfluencesRecord,
    MaterialRecord, MorphTargetRecord, TextureRecord, VertexRecord,
};
use crate::records::numbers::{vec2, vec3, vec4};
use crate::records::scene::tags;

/// The memory of an asset in addition to its value.
const ASSET_BYTES: usize = 512;

/// The assets of a scene, by their index in the file.
pub(super) struct LoadedAssets {
    pub(super) images: Vec<Handle<Image>>,
    pub(super) materials: Vec<Handle<Material>>,
    pub(super) geometries: Vec<Handle<Geometry>>,
}

pub(super) fn decode(
    scene: &Scene,
    images: Vec<ImageRecord>,
    materials: Vec<MaterialRecord>,
    geometries: Vec<GeometryRecord>,
    decoder: &mut Decoder<'_, '_>,
) -> Result<LoadedAssets> {
    let assets = &scene.assets;
    let images = decoder.list(tags::images, "images", images, |decoder, record| {
        Ok(assets.add(decode_image(decoder, record)?))
    })?;
    let materials = decoder.list(tags::materials, "materials", materials, |decoder, record| {
        Ok(assets.add(decode_material(decoder, record, &images)?))
    })?;
    let mut shared = SharedVertices::default();
    let geometries =
        decoder.list(tags::geometries, "geometries", geometries, |decoder, record| {
            Ok(assets.add(decode_geometry(decoder, &mut shared, record)?))
        })?;
    Ok(LoadedAssets { images, materials, geometries })
}

/// Returns the entry at an index of a list in the file.
pub(crate) fn entry<'a, T>(list: &'a [T], name: &str, index: u32) -> Result<&'a T> {
    list.get(index as usize).ok_or_else(|| {
        let message = format!("{name} {index} does not exist; there are {}", list.len());
        Error::new(ErrorKind::Value, message)
    })
}

pub(crate) fn decode_image(decoder: &mut Decoder<'_, '_>, record: ImageRecord) -> Result<Image> {
    decoder.budget.take(None, 1, ASSET_BYTES)?;
    let data = match record.data {
        ImageDataRecord::Encoded { mime, bytes } => {
            ImageData::Encoded { mime, bytes: decoder.columns.get(bytes, decoder.budget)? }
        }
        ImageDataRecord::Rgba8 { width, height, pixels } => {
            let pixels = decoder.columns.get(pixels, decoder.budget)?;
            ImageData::Rgba8 { width, height, pixels }
        }
        ImageDataRecord::External { uri } => ImageData::External { uri },
        ImageDataRecord::RgbF32 { width, height, pixels } => {
            let pixels = decoder.columns.get(pixels, decoder.budget)?;
            ImageData::RgbF32 { width, height, pixels }
        }
    };
    let image = Image { name: record.name, data };
    image.check().map_err(|error| Error::new(ErrorKind::Value, error.to_string()))?;
    Ok(image)
}

pub(crate) fn decode_material(
    decoder: &mut Decoder<'_, '_>,
    record: MaterialRecord,
    images: &[Handle<Image>],
) -> Result<Material> {
    decoder.budget.take(None, 1, ASSET_BYTES + 2 * size_of::<Material>())?;
    let texture = |record: Option<TextureRecord>| {
        record.map(|record| decode_texture(&record, images)).transpose()
    };
    Ok(Material {
        name: record.name,
        base_color: vec4(record.base_color),
        base_color_texture: texture(record.base_color_texture)?,
        metallic: record.metallic.0,
        roughness: record.roughness.0,
        metallic_roughness_texture: texture(record.metallic_roughness_texture)?,
        normal_texture: texture(record.normal_texture)?,
        normal_scale: record.normal_scale.0,
        occlusion_texture: texture(record.occlusion_texture)?,
        occlusion_strength: record.occlusion_strength.0,
        emissive: vec3(record.emissive),
        emissive_texture: texture(record.emissive_texture)?,
        emissive_strength: record.emissive_strength.0,
        alpha_mode: match record.alpha_mode {
            AlphaModeRecord::Opaque => AlphaMode::Opaque,
            AlphaModeRecord::Mask { cutoff } => AlphaMode::Mask { cutoff: cutoff.0 },
            AlphaModeRecord::Blend => AlphaMode::Blend,
        },
        double_sided: record.double_sided,
        unlit: record.unlit,
        ior: record.ior.0,
        dispersion: record.dispersion.0,
        clearcoat: boxed(record.clearcoat, |it| {
            Ok(Clearcoat {
                factor: it.factor.0,
                texture: texture(it.texture)?,
                roughness: it.roughness.0,
                roughness_texture: texture(it.roughness_texture)?,
                normal_texture: texture(it.normal_texture)?,
                normal_scale: it.normal_scale.0,
            })
        })?,
        sheen: boxed(record.sheen, |it| {
            Ok(Sheen {
                color: vec3(it.color),
                color_texture: texture(it.color_texture)?,
                roughness: it.roughness.0,
                roughness_texture: texture(it.roughness_texture)?,
            })
        })?,
        specular: boxed(record.specular, |it| {
            Ok(Specular {
                factor: it.factor.0,
                texture: texture(it.texture)?,
                color: vec3(it.color),
                color_texture: texture(it.color_texture)?,
            })
        })?,
        transmission: boxed(record.transmission, |it| {
            Ok(Transmission { factor: it.factor.0, texture: texture(it.texture)? })
        })?,
        diffuse_transmission: boxed(record.diffuse_transmission, |it| {
            Ok(DiffuseTransmission {
                factor: it.factor.0,
                texture: texture(it.texture)?,
                color: vec3(it.color),
                color_texture: texture(it.color_texture)?,
            })
        })?,
        volume: boxed(record.volume, |it| {
            Ok(Volume {
                thickness: it.thickness.0,
                thickness_texture: texture(it.thickness_texture)?,
                attenuation_distance: it.attenuation_distance.0,
                attenuation_color: vec3(it.attenuation_color),
            })
        })?,
        iridescence: boxed(record.iridescence, |it| {
            Ok(Iridescence {
                factor: it.factor.0,
                texture: texture(it.texture)?,
                ior: it.ior.0,
                thickness_min: it.thickness_min.0,
                thickness_max: it.thickness_max.0,
                thickness_texture: texture(it.thickness_texture)?,
            })
        })?,
        anisotropy: boxed(record.anisotropy, |it| {
            Ok(Anisotropy {
                strength: it.strength.0,
                rotation: it.rotation.0,
                texture: texture(it.texture)?,
            })
        })?,
    })
}

fn boxed<R, T>(record: Option<R>, decode: impl FnOnce(R) -> Result<T>) -> Result<Option<Box<T>>> {
    record.map(|record| decode(record).map(Box::new)).transpose()
}

fn decode_texture(record: &TextureRecord, images: &[Handle<Image>]) -> Result<TextureRef> {
    Ok(TextureRef {
        image: entry(images, "image", record.image)?.clone(),
        sampler: Sampler {
            mag_filter: record.mag_filter.map(|filter| filter.value()),
            min_filter: record.min_filter.map(|filter| filter.value()),
            wrap_u: record.wrap_u.value(),
            wrap_v: record.wrap_v.value(),
        },
        uv_set: record.uv_set,
        transform: record.transform.map(|it| TextureTransform {
            offset: vec2(it.offset),
            rotation: it.rotation.0,
            scale: vec2(it.scale),
        }),
    })
}

/// Vertex data that several geometries share, by column. A column has rows of one type.
#[derive(Default)]
pub(crate) struct SharedVertices(HashMap<u32, Box<dyn Any>>);

impl SharedVertices {
    fn get<T: Row>(
        &mut self,
        decoder: &mut Decoder<'_, '_>,
        record: VertexRecord,
    ) -> Result<VertexData<T>> {
        match record {
            VertexRecord::None => Ok(VertexData::new()),
            VertexRecord::Own(column) => {
                Ok(VertexData::from(decoder.columns.get::<T>(column, decoder.budget)?))
            }
            VertexRecord::Shared(column) => {
                let loaded = self.0.get(&column).and_then(|it| it.downcast_ref::<VertexData<T>>());
                if let Some(loaded) = loaded {
                    return Ok(loaded.clone());
                }
                let rows = decoder.columns.get::<T>(column, decoder.budget)?;
                decoder.budget.take(None, 1, ASSET_BYTES)?;
                let data = VertexData::shared(rows);
                self.0.insert(column, Box::new(data.clone()));
                Ok(data)
            }
        }
    }
}

pub(crate) fn decode_geometry(
    decoder: &mut Decoder<'_, '_>,
    shared: &mut SharedVertices,
    record: GeometryRecord,
) -> Result<Geometry> {
    decoder.budget.take(None, 1, ASSET_BYTES + 2 * size_of::<Geometry>())?;
    let uvs = record.uvs.into_iter().map(|set| shared.get(decoder, set));
    let uvs = uvs.collect::<Result<_>>()?;
    let colors = record.colors.into_iter().map(|set| shared.get(decoder, set));
    let colors = colors.collect::<Result<_>>()?;
    let influences = record.influences.into_iter().map(|InfluencesRecord { joints, weights }| {
        let joints = shared.get(decoder, joints)?;
        Ok(Influences { joints, weights: shared.get(decoder, weights)? })
    });
    let influences = influences.collect::<Result<_>>()?;
    let morph_targets = record.morph_targets.into_iter().map(
        |MorphTargetRecord { name, positions, normals, tangents }| {
            Ok(MorphTarget {
                name,
                positions: shared.get(decoder, positions)?,
                normals: shared.get(decoder, normals)?,
                tangents: shared.get(decoder, tangents)?,
            })
        },
    );
    let morph_targets = morph_targets.collect::<Result<_>>()?;
    let indices = record.indices.map(|column| decoder.columns.get(column, decoder.budget));
    Ok(Geometry {
        topology: record.topology.value(),
        positions: shared.get(decoder, record.positions)?,
        normals: shared.get(decoder, record.normals)?,
        tangents: shared.get(decoder, record.tangents)?,
        uvs,
        colors,
        influences,
        indices: indices.transpose()?,
        morph_targets,
        face_materials: decoder.column_or_empty(record.face_materials)?,
        vertex_materials: decoder.column_or_empty(record.vertex_materials)?,
    })
}
