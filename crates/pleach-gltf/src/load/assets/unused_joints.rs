//! Joints that a skin does not have, but that weigh nothing: every viewer shows the mesh all the
//! same, and so it is read as if the first joint stood there.

use std::collections::HashMap;

use pleach::{AssetId, Geometry, Handle, Part};

use crate::diagnostics::At;
use crate::load::Loading;
use crate::{Error, WarningCode};

/// Takes the first joint where one that is not there weighs nothing. Geometries that meshes
/// share stay shared.
pub(crate) fn mend(load: &mut Loading<'_>, meshes: &mut [Vec<Part>]) -> Result<(), Error> {
    let counts = joint_counts(load, meshes);
    let mut mended: HashMap<AssetId, Handle<Geometry>> = HashMap::new();
    for (index, parts) in meshes.iter_mut().enumerate() {
        let mesh = At::entry("meshes", index);
        for (number, part) in parts.iter_mut().enumerate() {
            let id = part.geometry.id();
            let Some(&have) = counts.get(&id) else { continue };
            if let Some(known) = mended.get(&id) {
                part.geometry = known.clone();
                continue;
            }
            let at = mesh.item("primitives", number);
            if let Some(geometry) = without_strays(load, &part.geometry, have, &at)? {
                part.geometry = load.assets.add(geometry);
                mended.insert(id, part.geometry.clone());
            }
        }
    }
    Ok(())
}

/// By geometry: how many joints the smallest skin has that poses it. None for a skin of no
/// joints, which has no first one.
fn joint_counts(load: &Loading<'_>, meshes: &[Vec<Part>]) -> HashMap<AssetId, usize> {
    let root = load.root;
    let mut by_mesh: Vec<Option<usize>> = vec![None; meshes.len()];
    for node in &root.nodes {
        let skin = node.skin.and_then(|skin| root.skins.get(skin.index()));
        let mesh = node.mesh.and_then(|mesh| by_mesh.get_mut(mesh.index()));
        if let (Some(skin), Some(mesh)) = (skin, mesh) {
            let joints = skin.joints.len();
            *mesh = Some(mesh.map_or(joints, |least| least.min(joints)));
        }
    }
    let mut counts = HashMap::new();
    for (parts, joints) in meshes.iter().zip(by_mesh) {
        let Some(joints) = joints else { continue };
        for part in parts.iter().filter(|part| !part.geometry.influences.is_empty()) {
            let least = counts.entry(part.geometry.id()).or_insert(joints);
            *least = joints.min(*least);
        }
    }
    counts.retain(|_, joints| *joints > 0);
    counts
}

/// The geometry with all its joints in range that weigh nothing, if some are not.
fn without_strays(
    load: &mut Loading<'_>,
    geometry: &Geometry,
    have: usize,
    at: &At<'_>,
) -> Result<Option<Geometry>, Error> {
    let is_stray = |joint: u16, weight: f32| usize::from(joint) >= have && weight == 0.0;
    let stray = |(vertex, (joints, weights)): (usize, (&[u16; 4], &[f32; 4]))| {
        let lane = (0..4).find(|&lane| is_stray(joints[lane], weights[lane]))?;
        Some((vertex, joints[lane]))
    };
    let attributes = at.key("attributes");
    let mut made: Option<Geometry> = None;
    for (number, set) in geometry.influences.iter().enumerate() {
        let mut strays = set.joints.iter().zip(&set.weights).enumerate().filter_map(stray);
        let Some((first, joint)) = strays.next() else { continue };
        let more = match strays.count() {
            0 => String::new(),
            1 => "; so is that of 1 more vertex".into(),
            more => format!("; so are those of {more} more vertices"),
        };
        let message = format!(
            "vertex {first} names joint {joint} with a weight of 0, but the skin has {have}; it is \
             read as joint 0{more}",
        );
        load.tolerance.bend(
            &attributes.key(&format!("JOINTS_{number}")),
            WarningCode::UnusedJointOutOfRange,
            message,
        )?;
        if made.is_none() {
            load.budget.take(at, geometry.memory(), 1)?;
        }
        let joints = &mut made.get_or_insert_with(|| geometry.clone()).influences[number].joints;
        let rows = joints.iter_mut().zip(&set.weights);
        for (joint, &weight) in rows.flat_map(|(joints, weights)| joints.iter_mut().zip(weights)) {
            if is_stray(*joint, weight) {
                *joint = 0;
            }
        }
    }
    Ok(made)
}
