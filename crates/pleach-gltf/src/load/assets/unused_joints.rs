//! Replaces joint indices that are out of range but have a weight of 0 by joint 0. Other viewers
//! show such meshes.

use std::collections::HashMap;

use pleach::{AssetId, Geometry, Handle, Part};

use crate::WarningCode;
use crate::diagnostics::{Pointer, Result};
use crate::load::{Load, as_in_more};

/// Sets out-of-range joint indices with a weight of 0 to 0, with a warning. Geometries that meshes
/// share stay shared.
pub(crate) fn clear(load: &mut Load<'_>, meshes: &mut [Vec<Part>]) -> Result<()> {
    let counts = min_joint_counts(load, meshes);
    let mut cleared: HashMap<AssetId, Handle<Geometry>> = HashMap::new();
    for (index, parts) in meshes.iter_mut().enumerate() {
        let mesh = Pointer::entry("meshes", index);
        for (number, part) in parts.iter_mut().enumerate() {
            let id = part.geometry.id();
            let Some(&joint_count) = counts.get(&id) else { continue };
            if let Some(known) = cleared.get(&id) {
                part.geometry = known.clone();
                continue;
            }
            let at = mesh.item("primitives", number);
            if let Some(geometry) =
                with_unused_joints_cleared(load, &part.geometry.get(), joint_count, &at)?
            {
                part.geometry = load.assets.add(geometry);
                cleared.insert(id, part.geometry.clone());
            }
        }
    }
    Ok(())
}

/// Returns, by geometry, the joint count of the smallest skin that deforms it. Omits skins without
/// joints, which have no joint 0.
fn min_joint_counts(load: &Load<'_>, meshes: &[Vec<Part>]) -> HashMap<AssetId, usize> {
    let root = load.root;
    let mut by_mesh: Vec<Option<usize>> = vec![None; meshes.len()];
    for node in &root.nodes {
        let skin = node.skin.and_then(|skin| root.skins.get(skin.index()));
        let mesh = node.mesh.and_then(|mesh| by_mesh.get_mut(mesh.index()));
        if let (Some(skin), Some(mesh)) = (skin, mesh) {
            let joints = skin.joints.len();
            *mesh = Some(mesh.map_or(joints, |min| min.min(joints)));
        }
    }
    let mut counts = HashMap::new();
    for (parts, joints) in meshes.iter().zip(by_mesh) {
        let Some(joints) = joints else { continue };
        for part in parts.iter().filter(|part| !part.geometry.get().influences.is_empty()) {
            let min = counts.entry(part.geometry.id()).or_insert(joints);
            *min = joints.min(*min);
        }
    }
    counts.retain(|_, joints| *joints > 0);
    counts
}

/// Returns the geometry with its unused joint indices in range, or `None` if they already are.
fn with_unused_joints_cleared(
    load: &mut Load<'_>,
    geometry: &Geometry,
    joint_count: usize,
    at: &Pointer<'_>,
) -> Result<Option<Geometry>> {
    let is_unused = |joint: u16, weight: f32| usize::from(joint) >= joint_count && weight == 0.0;
    let first_unused = |(vertex, (joints, weights)): (usize, (&[u16; 4], &[f32; 4]))| {
        let lane = (0..4).find(|&lane| is_unused(joints[lane], weights[lane]))?;
        Some((vertex, joints[lane]))
    };
    let attributes = at.key("attributes");
    let mut result: Option<Geometry> = None;
    for (number, set) in geometry.influences.iter().enumerate() {
        let mut unused = set.joints.iter().zip(&set.weights).enumerate().filter_map(first_unused);
        let Some((first, joint)) = unused.next() else { continue };
        let more = as_in_more(unused.count(), "vertex", "vertices");
        let message = format!(
            "vertex {first} refers to joint {joint} with a weight of 0, but the skin has only {joint_count}; \
             joint 0 is used instead{more}",
        );
        load.tolerate(
            &attributes.key(&format!("JOINTS_{number}")),
            WarningCode::UnusedJointOutOfRange,
            message,
        )?;
        if result.is_none() {
            load.budget.take(at, geometry.memory(), 1)?;
        }
        let joints = &mut result.get_or_insert_with(|| geometry.clone()).influences[number].joints;
        let vertices = joints.iter_mut().zip(&set.weights);
        for (joint, &weight) in
            vertices.flat_map(|(joints, weights)| joints.iter_mut().zip(weights))
        {
            if is_unused(*joint, weight) {
                *joint = 0;
            }
        }
    }
    Ok(result)
}
