//! Geometries: vertex data that is copied in, read by address, and edited in place.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use pleach::asset::AssetVersion;
use pleach::geometry::{MorphTarget, Topology, VertexData};
use pleach::{Aabb, Geometry};
use wasm_bindgen::prelude::*;

use super::assets::{create, find};
use crate::fault::Fault;
use crate::host::{number, status};
use crate::numbers;

fn rows<const N: usize, T: From<[f32; N]>>(what: &str, values: &[f32]) -> Result<Vec<T>, Fault> {
    let (rows, rest) = values.as_chunks::<N>();
    if rest.is_empty() {
        Ok(rows.iter().copied().map(T::from).collect())
    } else {
        let what = format!("{what}, {N} floats for each vertex,");
        Err(Fault::length(&what, values.len(), rows.len() * N + N))
    }
}

fn optional<const N: usize, T: From<[f32; N]>>(
    what: &str,
    values: Option<Vec<f32>>,
) -> Result<Option<Vec<T>>, Fault> {
    values.map(|values| rows(what, &values)).transpose()
}

fn topology(number: u32) -> Result<Topology, Fault> {
    Ok(match number {
        0 => Topology::Points,
        1 => Topology::Lines,
        2 => Topology::LineLoop,
        3 => Topology::LineStrip,
        4 => Topology::Triangles,
        5 => Topology::TriangleStrip,
        6 => Topology::TriangleFan,
        _ => return Err(Fault::new("out-of-range", format!("{number} is not a topology"))),
    })
}

/// Creates a geometry from arrays, and returns its id. The topology is a number of glTF; texture coordinates are 2
/// floats per vertex, colours and tangents 4.
#[wasm_bindgen]
pub fn geometry_new(
    topology_number: u32,
    positions: &[f32],
    indices: Option<Vec<u32>>,
    normals: Option<Vec<f32>>,
    uvs: Option<Vec<f32>>,
    uvs1: Option<Vec<f32>>,
    colors: Option<Vec<f32>>,
    tangents: Option<Vec<f32>>,
    joints: Option<Vec<u16>>,
    weights: Option<Vec<f32>>,
    face_materials: Option<Vec<u32>>,
) -> Result<f64, JsValue> {
    let mut geometry = Geometry::from_positions(rows("the array of positions", positions)?)
        .with_topology(topology(topology_number)?);
    geometry.indices = indices;
    if let Some(normals) = optional("the array of normals", normals)? {
        geometry = geometry.with_normals(normals);
    }
    let uvs = [
        optional::<2, Vec2>("the array of uvs", uvs)?,
        optional::<2, Vec2>("the array of uvs1", uvs1)?,
    ];
    for uvs in uvs.into_iter().flatten() {
        geometry = geometry.with_uvs(uvs);
    }
    if let Some(colors) = optional::<4, Vec4>("the array of colors", colors)? {
        geometry = geometry.with_colors(colors);
    }
    if let Some(tangents) = optional::<4, Vec4>("the array of tangents", tangents)? {
        geometry = geometry.with_tangents(tangents);
    }
    match (joints, weights) {
        (Some(joints), Some(weights)) => {
            let (joints, rest) = joints.as_chunks::<4>();
            if !rest.is_empty() {
                let given = joints.len() * 4 + rest.len();
                let what = "the array of joints, 4 for each vertex,";
                Err(Fault::length(what, given, joints.len() * 4 + 4))?;
            }
            let weights = rows::<4, [f32; 4]>("the array of weights", &weights)?;
            geometry = geometry.with_influences(joints.to_vec(), weights);
        }
        (None, None) => {}
        _ => Err(Fault::new("geometry", "joints and weights belong together: pass both"))?,
    }
    if let Some(materials) = face_materials {
        geometry = geometry.with_face_materials(materials);
    }
    geometry.check().map_err(Fault::from)?;
    Ok(create(geometry))
}

/// Changes a copy of a geometry, and makes it the current version if it is consistent.
fn change(id: f64, f: impl FnOnce(&mut Geometry) -> Result<(), Fault>) -> Result<(), Fault> {
    let handle = find::<Geometry>(id)?;
    let mut geometry = handle.get().value().clone();
    f(&mut geometry)?;
    geometry.check()?;
    handle.set(geometry);
    Ok(())
}

fn write<const N: usize, T: Clone + From<[f32; N]>>(
    name: &str,
    target: &mut VertexData<T>,
    values: &[f32],
    first: Option<u32>,
) -> Result<(), Fault> {
    let values: Vec<T> = rows(&format!("the array of {name}"), values)?;
    let Some(first) = first else {
        *target = values.into();
        return Ok(());
    };
    let (start, count) = (first as usize, target.len());
    let range = start..start.saturating_add(values.len());
    let Some(target) = target.get_mut(range.clone()) else {
        let message = format!(
            "{name} {start} to {} are not all there: the geometry has {count} vertices",
            range.end,
        );
        return Err(Fault::new("out-of-range", message));
    };
    target.clone_from_slice(&values);
    Ok(())
}

/// Sets an attribute of a geometry for everything that uses it: all vertices, or those from `first` on.
#[wasm_bindgen]
pub fn geometry_set(
    id: f64,
    name: &str,
    values: &[f32],
    first: Option<u32>,
) -> Result<(), JsValue> {
    Ok(change(id, |geometry| match name {
        "positions" => write::<3, Vec3>(name, &mut geometry.positions, values, first),
        "normals" => write::<3, Vec3>(name, &mut geometry.normals, values, first),
        "tangents" => write::<4, Vec4>(name, &mut geometry.tangents, values, first),
        "uvs" => write::<2, Vec2>(name, set_of(&mut geometry.uvs, 0), values, first),
        "uvs1" => write::<2, Vec2>(name, set_of(&mut geometry.uvs, 1), values, first),
        "colors" => write::<4, Vec4>(name, set_of(&mut geometry.colors, 0), values, first),
        _ => Err(Fault::new("out-of-range", format!("geometries have no {name} to set"))),
    })?)
}

fn set_of<T: Default>(sets: &mut Vec<T>, index: usize) -> &mut T {
    if sets.len() <= index {
        sets.resize_with(index + 1, T::default);
    }
    &mut sets[index]
}

/// Sets or removes the indices of a geometry.
#[wasm_bindgen]
pub fn geometry_set_indices(id: f64, indices: Option<Vec<u32>>) -> Result<(), JsValue> {
    Ok(change(id, |geometry| {
        geometry.indices = indices;
        Ok(())
    })?)
}

/// Sets the material of each triangle: positions in the list of materials of a mesh. Nothing removes them.
#[wasm_bindgen]
pub fn geometry_set_face_materials(id: f64, materials: Vec<u32>) -> Result<(), JsValue> {
    Ok(change(id, |geometry| {
        geometry.face_materials = materials;
        Ok(())
    })?)
}

/// Adds a morph target.
#[wasm_bindgen]
pub fn geometry_add_morph_target(
    id: f64,
    name: &str,
    positions: &[f32],
    normals: Option<Vec<f32>>,
) -> Result<(), JsValue> {
    Ok(change(id, |geometry| {
        let positions = rows::<3, Vec3>("the array of offsets of positions", positions)?;
        let mut target = MorphTarget::from_positions(positions);
        if let Some(normals) = optional::<3, Vec3>("the array of offsets of normals", normals)? {
            target.normals = normals.into();
        }
        target.name = Some(name.to_owned()).filter(|name| !name.is_empty());
        geometry.morph_targets.push(target);
        Ok(())
    })?)
}

/// Returns the names of the morph targets; empty strings for those without one.
#[wasm_bindgen]
pub fn geometry_morph_targets(id: f64) -> Result<Vec<String>, JsValue> {
    let geometry = find::<Geometry>(id)?.snapshot();
    Ok(geometry.morph_targets.iter().map(|it| it.name.clone().unwrap_or_default()).collect())
}

/// Computes smooth normals from the triangles.
#[wasm_bindgen]
pub fn geometry_compute_normals(id: f64) -> Result<(), JsValue> {
    Ok(change(id, |geometry| {
        geometry.compute_normals();
        Ok(())
    })?)
}

/// The address of an array and its number of elements.
fn array<T>(values: &[T], elements: usize) -> (u32, usize) {
    (values.as_ptr() as usize as u32, values.len() * elements)
}

fn locate(geometry: &Arc<AssetVersion<Geometry>>, name: &str) -> Result<(u32, usize), Fault> {
    let none = (0, 0);
    Ok(match name {
        "positions" => array(&geometry.positions, 3),
        "normals" => array(&geometry.normals, 3),
        "tangents" => array(&geometry.tangents, 4),
        "uvs" => geometry.uvs.first().map_or(none, |uvs| array(uvs, 2)),
        "uvs1" => geometry.uvs.get(1).map_or(none, |uvs| array(uvs, 2)),
        "colors" => geometry.colors.first().map_or(none, |colors| array(colors, 4)),
        "indices" => geometry.indices.as_ref().map_or(none, |indices| array(indices, 1)),
        "joints" => geometry.influences.first().map_or(none, |it| array(&it.joints, 4)),
        "weights" => geometry.influences.first().map_or(none, |it| array(&it.weights, 4)),
        "faceMaterials" => array(&geometry.face_materials, 1),
        _ => return morph_array(geometry, name),
    })
}

/// Finds the offsets of a morph target: "morphPositions 2", or "morphNormals 2" and "morphTangents 2".
fn morph_array(geometry: &Geometry, name: &str) -> Result<(u32, usize), Fault> {
    let unknown = || Fault::new("out-of-range", format!("geometries have no {name}"));
    let (kind, index) = name.split_once(' ').ok_or_else(unknown)?;
    let index = index.parse::<usize>().map_err(|_| unknown())?;
    let target = geometry.morph_targets.get(index).ok_or_else(unknown)?;
    Ok(match kind {
        "morphPositions" => array(&target.positions, 3),
        "morphNormals" => array(&target.normals, 3),
        "morphTangents" => array(&target.tangents, 3),
        _ => return Err(unknown()),
    })
}

/// Returns the address of an attribute: floats, 32-bit indices, or 16-bit joints. It is valid until the geometry
/// is edited or dropped.
#[wasm_bindgen]
pub fn geometry_address(id: f64, name: &str) -> Result<u32, JsValue> {
    Ok(locate(&find::<Geometry>(id)?.snapshot(), name)?.0)
}

/// Returns the number of elements of an attribute; 0 if the geometry does not have it.
#[wasm_bindgen]
pub fn geometry_length(id: f64, name: &str) -> Result<u32, JsValue> {
    Ok(locate(&find::<Geometry>(id)?.snapshot(), name)?.1 as u32)
}

/// Returns the topology as a number of glTF.
#[wasm_bindgen]
pub fn geometry_topology(id: f64) -> f64 {
    number(find::<Geometry>(id).map(|geometry| match geometry.get().topology {
        Topology::Points => 0.0,
        Topology::Lines => 1.0,
        Topology::LineLoop => 2.0,
        Topology::LineStrip => 3.0,
        Topology::Triangles => 4.0,
        Topology::TriangleStrip => 5.0,
        Topology::TriangleFan => 6.0,
    }))
}

/// Writes the bounds to the first 6 numbers.
#[wasm_bindgen]
pub fn geometry_bounds(id: f64) -> u32 {
    status(find::<Geometry>(id).map(|geometry| {
        let Aabb { min, max } = geometry.get().bounds();
        numbers::put(&[min.x, min.y, min.z, max.x, max.y, max.z]);
    }))
}
