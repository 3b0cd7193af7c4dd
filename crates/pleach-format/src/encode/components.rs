//! The rows of the built-in tables, in the order of their tables.
//!
//! Most scenes have few different meshes and many nodes with each, so meshes that are the same are
//! written once; rows of other kinds are written one by one.

use std::collections::HashMap;

use pleach::asset::AssetId;
use pleach::camera::Projection;
use pleach::component::{Bounds, Component, Constraint, Level, Lod, MorphWeights, Part, Skin};
use pleach::light::{LightKind, Shadow};
use pleach::{Aabb, Camera, Light, Mesh, Scene};

use super::assets::{AssetNumbers, UsedAssets};
use super::{SharedColumns, unsupported};
use crate::error::Result;
use crate::records::components::{
    BindModeRecord, BoundsRecord, CameraRecord, ClipSpaceRecord, ConstraintRecord, LevelRecord,
    LightKindRecord, LightRecord, LodRecord, MeshRecord, PartRecord, ProjectionRecord,
    ShadowRecord, SkinRecord, TableRecord, WeightsRecord,
};
use crate::records::numbers::{F32, Node, f32s};

/// Encodes a table row by row. Rows of nodes that were removed are skipped.
pub(super) fn table<T: Component, R>(
    scene: &Scene,
    columns: &mut SharedColumns<'_>,
    encode: impl Fn(&T, &mut SharedColumns<'_>) -> Result<R>,
) -> Result<TableRecord<R>> {
    let rows = scene.table::<T>().iter(&scene.graph);
    let nodes: Vec<u32> = rows.clone().map(|(node, _)| node.index() as u32).collect();
    let values = rows.map(|(_, row)| encode(row, columns)).collect::<Result<_>>()?;
    Ok(TableRecord { nodes: columns.push_some(&nodes), indices: None, values })
}

/// The meshes of a scene, of which those with a single part and equal settings are one.
#[derive(Debug)]
pub(crate) struct DistinctMeshes<'a> {
    /// In the order of their first rows.
    pub(crate) values: Vec<&'a Mesh>,
    /// By row: the index of its value.
    indices: Vec<u32>,
}

/// All of a mesh with a single part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SimpleMesh {
    geometry: AssetId,
    material: AssetId,
    transparent: Option<bool>,
    settings: [bool; 4],
    layers: u32,
}

impl SimpleMesh {
    fn of(mesh: &Mesh) -> Option<Self> {
        let Mesh {
            parts,
            materials,
            cast_shadow,
            receive_shadow,
            transparent,
            is_static,
            frustum_culled,
            layers,
            instances,
        } = mesh;
        let [Part { geometry, material }] = &parts[..] else { return None };
        (materials.is_empty() && instances.is_none()).then(|| Self {
            geometry: geometry.id(),
            material: material.id(),
            transparent: *transparent,
            settings: [*cast_shadow, *receive_shadow, *is_static, *frustum_culled],
            layers: *layers,
        })
    }
}

impl<'a> DistinctMeshes<'a> {
    pub(crate) fn find(scene: &'a Scene) -> Self {
        let mut distinct = Self { values: Vec::new(), indices: Vec::new() };
        let mut found: HashMap<SimpleMesh, u32> = HashMap::new();
        let mut last = None;
        for (_, mesh) in scene.meshes.iter(&scene.graph) {
            let next = distinct.values.len() as u32;
            let index = match SimpleMesh::of(mesh) {
                Some(simple) => match last {
                    Some((other, index)) if other == simple => index,
                    _ => {
                        let index = *found.entry(simple).or_insert(next);
                        last = Some((simple, index));
                        index
                    }
                },
                None => next,
            };
            if index == next {
                distinct.values.push(mesh);
            }
            distinct.indices.push(index);
        }
        distinct
    }

    pub(super) fn encode(
        &self,
        scene: &Scene,
        assets: &UsedAssets,
        columns: &mut SharedColumns<'_>,
    ) -> TableRecord<MeshRecord> {
        let rows = scene.meshes.iter(&scene.graph);
        let nodes: Vec<u32> = rows.map(|(node, _)| node.index() as u32).collect();
        let values = self.values.iter().map(|mesh| encode_mesh(mesh, assets, columns));
        let values: Vec<MeshRecord> = values.collect();
        let is_distinct = values.len() == self.indices.len();
        TableRecord {
            nodes: columns.push_some(&nodes),
            indices: (!is_distinct).then(|| columns.writer.push(&self.indices)),
            values,
        }
    }
}

/// Returns the record of a mesh; `numbers` has its assets.
pub(crate) fn encode_mesh(
    mesh: &Mesh,
    numbers: &impl AssetNumbers,
    columns: &mut SharedColumns<'_>,
) -> MeshRecord {
    let Mesh {
        parts,
        materials,
        cast_shadow,
        receive_shadow,
        transparent,
        is_static,
        frustum_culled,
        layers,
        instances,
    } = mesh;
    let part = |Part { geometry, material }: &Part| PartRecord {
        geometry: numbers.geometry(geometry),
        material: numbers.material(material),
    };
    let materials = materials.iter().map(|material| numbers.material(material));
    MeshRecord {
        parts: parts.iter().map(part).collect(),
        materials: materials.collect(),
        cast_shadow: *cast_shadow,
        receive_shadow: *receive_shadow,
        transparent: *transparent,
        is_static: *is_static,
        frustum_culled: *frustum_culled,
        layers: *layers,
        instances: instances.as_ref().map(|instances| columns.writer.push(instances.matrices())),
    }
}

pub(crate) fn skin(skin: &Skin, columns: &mut SharedColumns<'_>) -> Result<SkinRecord> {
    let Skin { joints, inverse_bind_matrices, bind_matrix, bind_mode, skeleton } = skin;
    let address = inverse_bind_matrices.as_ptr().addr();
    Ok(SkinRecord {
        joints: joints.iter().map(|&joint| Node(joint)).collect(),
        inverse_bind_matrices: columns.push_shared(address, inverse_bind_matrices),
        bind_matrix: f32s(bind_matrix.to_cols_array()),
        bind_mode: BindModeRecord::of(*bind_mode).ok_or_else(|| unsupported("a bind mode"))?,
        skeleton: skeleton.map(Node),
    })
}

pub(crate) fn camera(camera: &Camera, _: &mut SharedColumns<'_>) -> Result<CameraRecord> {
    let Camera { projection, aspect, clip_space, layers } = *camera;
    Ok(CameraRecord {
        projection: match projection {
            Projection::Perspective { fov_y, near, far } => {
                ProjectionRecord::Perspective { fov_y: F32(fov_y), near: F32(near), far: F32(far) }
            }
            Projection::Orthographic { height, zoom, near, far } => {
                ProjectionRecord::Orthographic {
                    height: F32(height),
                    zoom: F32(zoom),
                    near: F32(near),
                    far: F32(far),
                }
            }
            Projection::Custom(matrix) => ProjectionRecord::Custom(f32s(matrix.to_cols_array())),
        },
        aspect: aspect.map(F32),
        clip_space: ClipSpaceRecord::of(clip_space).ok_or_else(|| unsupported("a clip space"))?,
        layers,
    })
}

pub(crate) fn light(light: &Light, _: &mut SharedColumns<'_>) -> Result<LightRecord> {
    let Light { kind, color, intensity, range, shadow, layers } = *light;
    Ok(LightRecord {
        kind: match kind {
            LightKind::Directional => LightKindRecord::Directional,
            LightKind::Point => LightKindRecord::Point,
            LightKind::Spot { inner_angle, outer_angle } => LightKindRecord::Spot {
                inner_angle: F32(inner_angle),
                outer_angle: F32(outer_angle),
            },
            LightKind::Ambient => LightKindRecord::Ambient,
            _ => return Err(unsupported("a kind of light")),
        },
        color: f32s(color),
        intensity: F32(intensity),
        range: range.map(F32),
        shadow: shadow.map(|Shadow { enabled, map_size, bias, normal_bias, near, far, bounds }| {
            ShadowRecord {
                enabled,
                map_size,
                bias: F32(bias),
                normal_bias: F32(normal_bias),
                near: F32(near),
                far: F32(far),
                bounds: F32(bounds),
            }
        }),
        layers,
    })
}

pub(crate) fn weights(weights: &MorphWeights, _: &mut SharedColumns<'_>) -> Result<WeightsRecord> {
    let MorphWeights(weights) = weights;
    Ok(WeightsRecord(weights.iter().copied().map(F32).collect()))
}

pub(crate) fn lod(lod: &Lod, _: &mut SharedColumns<'_>) -> Result<LodRecord> {
    let Lod { levels } = lod;
    let level = |&Level { node, min_screen_size }: &Level| LevelRecord {
        node: Node(node),
        min_screen_size: F32(min_screen_size),
    };
    Ok(LodRecord(levels.iter().map(level).collect()))
}

pub(crate) fn constraint(
    constraint: &Constraint,
    _: &mut SharedColumns<'_>,
) -> Result<ConstraintRecord> {
    Ok(match *constraint {
        Constraint::LookAt { target, up } => {
            ConstraintRecord::LookAt { target: Node(target), up: f32s(up) }
        }
        Constraint::Face { target, up } => {
            ConstraintRecord::Face { target: Node(target), up: f32s(up) }
        }
        Constraint::Aim { target, axes, up } => ConstraintRecord::Aim {
            target: Node(target),
            front: f32s(axes.front()),
            top: f32s(axes.up()),
            up: f32s(up),
        },
        Constraint::Billboard { camera } => ConstraintRecord::Billboard { camera: Node(camera) },
        Constraint::Upright { camera, axis } => {
            ConstraintRecord::Upright { camera: Node(camera), axis: f32s(axis) }
        }
        _ => return Err(unsupported("a kind of constraint")),
    })
}

pub(crate) fn bounds(bounds: &Bounds, _: &mut SharedColumns<'_>) -> Result<BoundsRecord> {
    let Bounds(Aabb { min, max }) = *bounds;
    Ok(BoundsRecord { min: f32s(min), max: f32s(max) })
}
