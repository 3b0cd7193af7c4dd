//! The rows of the built-in tables.

use std::sync::Arc;

use glam::Mat4;
use pleach::axes::LocalAxes;
use pleach::camera::Projection;
use pleach::component::{Bounds, Component, Constraint, Level, Lod, MorphWeights, Part, Skin};
use pleach::geometry::Instances;
use pleach::light::{LightKind, Shadow};
use pleach::{Aabb, Camera, Geometry, Handle, Light, Material, Mesh, NodeId, Scene};

use super::Decoder;
use super::assets::{LoadedAssets, entry};
use crate::error::{Error, ErrorKind, Result};
use crate::file::sections::Tag;
use crate::records::components::{
    BoundsRecord, CameraRecord, ConstraintRecord, LevelRecord, LightKindRecord, LightRecord,
    LodRecord, MeshRecord, PartRecord, ProjectionRecord, SkinRecord, TableRecord, WeightsRecord,
};
use crate::records::numbers::{mat4, vec3};
use crate::records::scene::tags;

/// The memory of a row in a table, in addition to the component.
pub(crate) const ROW_BYTES: usize = 96;
/// The memory that a table has by slot.
pub(crate) const TABLE_SLOT_BYTES: usize = 8;
/// The memory of an instance, in addition to its matrix: its box, and its part of the tree.
const INSTANCE_BYTES: usize = 192;

/// Decodes the rows of a table and inserts them into the scene.
pub(super) fn table<R, T: Component>(
    scene: &mut Scene,
    tag: Tag,
    name: &'static str,
    record: TableRecord<R>,
    decoder: &mut Decoder<'_, '_>,
    decode: impl FnMut(&mut Decoder<'_, '_>, R) -> Result<T>,
) -> Result<()> {
    let TableRecord { nodes: Some(column), indices, values } = record else {
        return check_unused(name, record.values.len());
    };
    let nodes = begin_table::<T>(scene, column, decoder)?;
    let count = nodes.len();
    let values = decoder.list(tag, name, values, decode)?;
    let inserted = match indices {
        None if nodes.len() == values.len() => scene.restore_rows(nodes.into_iter().zip(values)),
        None => {
            let message =
                format!("{name}: there are {} nodes, but {} values", nodes.len(), values.len(),);
            return Err(Error::at(ErrorKind::Value, decoder.columns.offset(column, 0), message));
        }
        Some(indices) => {
            let rows: Vec<u32> = decoder.columns.get(indices, decoder.budget)?;
            if rows.len() != nodes.len() {
                let message =
                    format!("{name}: there are {} nodes, but {} indices", nodes.len(), rows.len());
                let offset = decoder.columns.offset(indices, 0);
                return Err(Error::at(ErrorKind::Value, offset, message));
            }
            if let Some(at) = rows.iter().position(|&index| index as usize >= values.len()) {
                let message = format!(
                    "{name}: value {} does not exist; there are {}",
                    rows[at],
                    values.len()
                );
                let offset = decoder.columns.offset(indices, at);
                return Err(Error::at(ErrorKind::Value, offset, message));
            }
            let rows = rows.into_iter().map(|index| values[index as usize].clone());
            scene.restore_rows(nodes.into_iter().zip(rows))
        }
    };
    inserted.map_err(|error| Error::new(ErrorKind::Value, format!("{name}: {error}")))?;
    check_distinct::<T>(scene, name, count)
        .map_err(|error| Error::at(ErrorKind::Value, decoder.columns.offset(column, 0), error))
}

/// Checks that a table has `count` rows: fewer if a node had two.
pub(crate) fn check_distinct<T: Component>(
    scene: &Scene,
    name: &str,
    count: usize,
) -> Result<(), String> {
    let rows = scene.table::<T>().len();
    if rows == count { Ok(()) } else { Err(format!("{name}: a node is listed twice")) }
}

/// Returns the nodes with a row, after taking the memory of the table from the budget.
pub(crate) fn begin_table<T>(
    scene: &Scene,
    column: u32,
    decoder: &mut Decoder<'_, '_>,
) -> Result<Vec<NodeId>> {
    let nodes = decoder.nodes(scene, column)?;
    let offset = decoder.columns.offset(column, 0);
    decoder.budget.take(offset, nodes.len(), ROW_BYTES + 2 * size_of::<T>())?;
    decoder.budget.take(offset, scene.graph.flags().len(), TABLE_SLOT_BYTES)?;
    Ok(nodes)
}

fn check_unused(name: &str, values: usize) -> Result<()> {
    if values == 0 {
        return Ok(());
    }
    let message = format!("{name}: there are {values} values, but no nodes");
    Err(Error::new(ErrorKind::Value, message))
}

pub(super) fn meshes(
    scene: &mut Scene,
    record: TableRecord<MeshRecord>,
    assets: &LoadedAssets,
    decoder: &mut Decoder<'_, '_>,
) -> Result<()> {
    // Rows with the same value have a list of parts each.
    if let (Some(_), Some(indices)) = (record.nodes, record.indices) {
        charge_clones(&record.values, indices, decoder)?;
    }
    let LoadedAssets { images: _, materials, geometries } = assets;
    table(scene, tags::meshes, "meshes", record, decoder, |decoder, record| {
        mesh(decoder, record, geometries, materials)
    })
}

/// Decodes a mesh; its record refers to `geometries` and `materials` by index.
pub(crate) fn mesh(
    decoder: &mut Decoder<'_, '_>,
    record: MeshRecord,
    geometries: &[Handle<Geometry>],
    materials: &[Handle<Material>],
) -> Result<Mesh> {
    let part = |part: PartRecord| {
        Ok(Part {
            geometry: entry(geometries, "geometry", part.geometry)?.clone(),
            material: entry(materials, "material", part.material)?.clone(),
        })
    };
    let material = |index| entry(materials, "material", index).cloned();
    let instances = record.instances.map(|column| instances(decoder, column)).transpose()?;
    Ok(Mesh {
        parts: record.parts.into_iter().map(part).collect::<Result<_>>()?,
        materials: record.materials.into_iter().map(material).collect::<Result<_>>()?,
        cast_shadow: record.cast_shadow,
        receive_shadow: record.receive_shadow,
        transparent: record.transparent,
        is_static: record.is_static,
        frustum_culled: record.frustum_culled,
        layers: record.layers,
        instances,
    })
}

/// Takes the memory of the lists in values that several rows have from the budget.
fn charge_clones(values: &[MeshRecord], indices: u32, decoder: &mut Decoder<'_, '_>) -> Result<()> {
    for index in decoder.columns.iter::<u32>(indices)? {
        let Some(value) = values.get(index as usize) else { continue };
        let handles = 2 * value.parts.len() + value.materials.len();
        decoder.budget.take(None, 8, handles)?;
        if let Some(column) = value.instances {
            let instances = decoder.columns.rows::<Mat4>(column)?;
            decoder.budget.take(None, instances, INSTANCE_BYTES + size_of::<Mat4>())?;
        }
    }
    Ok(())
}

/// Decodes instances. The next update sets the bounds of the geometry.
fn instances(decoder: &mut Decoder<'_, '_>, column: u32) -> Result<Box<Instances>> {
    let offset = decoder.columns.offset(column, 0);
    decoder.budget.take(offset, decoder.columns.rows::<Mat4>(column)?, INSTANCE_BYTES)?;
    let matrices = decoder.columns.get(column, decoder.budget)?;
    let instances = Instances::new(Aabb::EMPTY, matrices);
    let instances =
        instances.map_err(|error| Error::at(ErrorKind::Value, offset, error.to_string()))?;
    Ok(Box::new(instances))
}

pub(crate) fn skin(decoder: &mut Decoder<'_, '_>, record: SkinRecord) -> Result<Skin> {
    let column = record.inverse_bind_matrices;
    let inverse_bind_matrices = match decoder.bind_matrices.get(&column) {
        Some(matrices) => Arc::clone(matrices),
        None => {
            // Twice: the column is copied into the shared slice.
            decoder.budget.take(None, decoder.columns.rows::<Mat4>(column)?, size_of::<Mat4>())?;
            let matrices: Arc<[Mat4]> = decoder.columns.get::<Mat4>(column, decoder.budget)?.into();
            decoder.bind_matrices.insert(column, Arc::clone(&matrices));
            matrices
        }
    };
    Ok(Skin {
        joints: record.joints.into_iter().map(|joint| joint.0).collect(),
        inverse_bind_matrices,
        bind_matrix: mat4(record.bind_matrix),
        bind_mode: record.bind_mode.value(),
        skeleton: record.skeleton.map(|node| node.0),
    })
}

pub(crate) fn camera(_: &mut Decoder<'_, '_>, record: CameraRecord) -> Result<Camera> {
    Ok(Camera {
        projection: match record.projection {
            ProjectionRecord::Perspective { fov_y, near, far } => {
                Projection::Perspective { fov_y: fov_y.0, near: near.0, far: far.0 }
            }
            ProjectionRecord::Orthographic { height, zoom, near, far } => {
                Projection::Orthographic {
                    height: height.0,
                    zoom: zoom.0,
                    near: near.0,
                    far: far.0,
                }
            }
            ProjectionRecord::Custom(matrix) => Projection::Custom(mat4(matrix)),
        },
        aspect: record.aspect.map(|aspect| aspect.0),
        clip_space: record.clip_space.value(),
        layers: record.layers,
    })
}

pub(crate) fn light(_: &mut Decoder<'_, '_>, record: LightRecord) -> Result<Light> {
    let kind = match record.kind {
        LightKindRecord::Directional => LightKind::Directional,
        LightKindRecord::Point => LightKind::Point,
        LightKindRecord::Spot { inner_angle, outer_angle } => {
            LightKind::Spot { inner_angle: inner_angle.0, outer_angle: outer_angle.0 }
        }
        LightKindRecord::Ambient => LightKind::Ambient,
    };
    Ok(Light {
        kind,
        color: vec3(record.color),
        intensity: record.intensity.0,
        range: record.range.map(|range| range.0),
        shadow: record.shadow.map(|shadow| Shadow {
            enabled: shadow.enabled,
            map_size: shadow.map_size,
            bias: shadow.bias.0,
            normal_bias: shadow.normal_bias.0,
            near: shadow.near.0,
            far: shadow.far.0,
            bounds: shadow.bounds.0,
        }),
        layers: record.layers,
    })
}

pub(crate) fn weights(_: &mut Decoder<'_, '_>, record: WeightsRecord) -> Result<MorphWeights> {
    Ok(MorphWeights(record.0.into_iter().map(|weight| weight.0).collect()))
}

pub(crate) fn lod(_: &mut Decoder<'_, '_>, record: LodRecord) -> Result<Lod> {
    let level = |LevelRecord { node, min_screen_size }| Level {
        node: node.0,
        min_screen_size: min_screen_size.0,
    };
    Ok(Lod { levels: record.0.into_iter().map(level).collect() })
}

pub(crate) fn constraint(_: &mut Decoder<'_, '_>, record: ConstraintRecord) -> Result<Constraint> {
    Ok(match record {
        ConstraintRecord::LookAt { target, up } => {
            Constraint::LookAt { target: target.0, up: vec3(up) }
        }
        ConstraintRecord::Face { target, up } => {
            Constraint::Face { target: target.0, up: vec3(up) }
        }
        ConstraintRecord::Aim { target, front, top, up } => {
            let axes = LocalAxes::new(vec3(front), vec3(top)).ok_or_else(|| {
                let message = "the axes are parallel, zero or not finite";
                Error::new(ErrorKind::Value, message)
            })?;
            Constraint::Aim { target: target.0, axes, up: vec3(up) }
        }
        ConstraintRecord::Billboard { camera } => Constraint::Billboard { camera: camera.0 },
        ConstraintRecord::Upright { camera, axis } => {
            Constraint::Upright { camera: camera.0, axis: vec3(axis) }
        }
    })
}

pub(crate) fn bounds(_: &mut Decoder<'_, '_>, record: BoundsRecord) -> Result<Bounds> {
    Ok(Bounds(Aabb { min: vec3(record.min), max: vec3(record.max) }))
}
