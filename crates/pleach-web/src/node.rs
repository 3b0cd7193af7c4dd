//! One node: calls that pass numbers and return one number.
//!
//! They are the hot side of the boundary: an optimized call takes a few nanoseconds.

use glam::{EulerRot, Mat4, Quat, Vec3};
use pleach_graph::axes::LocalAxes;
use pleach_graph::{NodeMut, NodeRef, rotation};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::{number, status};
use crate::node_number::from_parts;
use crate::numbers;
use crate::worlds::{edit, read};

#[inline]
pub(crate) fn with<R>(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(NodeRef<'_>) -> R,
) -> Result<R, Fault> {
    read(world, |world| {
        let id = from_parts(slot, generation);
        match id.and_then(|id| world.graph().get(id)) {
            Some(node) => Ok(f(node)),
            None => Err(Fault::dead(id)),
        }
    })
}

#[inline]
pub(crate) fn with_mut(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&mut NodeMut<'_>) -> Result<(), pleach_graph::Error>,
) -> u32 {
    status(edit(world, |world| {
        let id = from_parts(slot, generation);
        match id.and_then(|id| world.graph_mut().get_mut(id)) {
            Some(mut node) => Ok(f(&mut node)?),
            None => Err(Fault::dead(id)),
        }
    }))
}

/// Returns `true` if the node is alive.
#[wasm_bindgen]
pub fn is_alive(world: u32, slot: u32, generation: u32) -> bool {
    with(world, slot, generation, |_| ()).is_ok()
}

/// Returns a component of the local transform: 0 to 2 translation, 3 to 6 rotation, 7 to 9 scale.
#[wasm_bindgen]
pub fn local(world: u32, slot: u32, generation: u32, component: u32) -> f64 {
    number(with(world, slot, generation, |node| {
        let component = component as usize;
        f64::from(match component {
            0..3 => node.translation()[component],
            3..7 => node.rotation().to_array()[component - 3],
            _ => node.scale()[(component - 7).min(2)],
        })
    }))
}

/// Writes the 10 numbers of the local transform to the numbers.
#[wasm_bindgen]
pub fn locals_to_numbers(world: u32, slot: u32, generation: u32) -> u32 {
    status(with(world, slot, generation, |node| {
        let (t, r, s) = (node.translation(), node.rotation(), node.scale());
        numbers::put(&[t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]);
    }))
}

/// Sets the translation.
#[wasm_bindgen]
pub fn set_position(world: u32, slot: u32, generation: u32, x: f32, y: f32, z: f32) -> u32 {
    with_mut(world, slot, generation, |node| node.set_translation(Vec3::new(x, y, z)).map(drop))
}

/// Sets one component of the translation.
#[wasm_bindgen]
pub fn set_position_component(
    world: u32,
    slot: u32,
    generation: u32,
    axis: u32,
    value: f32,
) -> u32 {
    with_mut(world, slot, generation, |node| {
        let mut translation = node.translation();
        translation[axis.min(2) as usize] = value;
        node.set_translation(translation).map(drop)
    })
}

/// Sets the rotation, which is normalized.
#[wasm_bindgen]
pub fn set_rotation(world: u32, slot: u32, generation: u32, x: f32, y: f32, z: f32, w: f32) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_rotation(Quat::from_xyzw(x, y, z, w)).map(drop)
    })
}

/// Rotates about the node's own x (0), y (1) or z (2) axis, in radians.
#[wasm_bindgen]
pub fn rotate_local(world: u32, slot: u32, generation: u32, axis: u32, angle: f32) -> u32 {
    with_mut(world, slot, generation, |node| {
        let mut angles = [0.0; 3];
        angles[axis.min(2) as usize] = angle;
        let [x, y, z] = angles;
        let turn = rotation::from_euler(EulerRot::XYZ, x, y, z);
        node.set_rotation(rotation::mul(node.rotation(), turn)).map(drop)
    })
}

/// Sets the scale.
#[wasm_bindgen]
pub fn set_scale(world: u32, slot: u32, generation: u32, x: f32, y: f32, z: f32) -> u32 {
    with_mut(world, slot, generation, |node| node.set_scale(Vec3::new(x, y, z)).map(drop))
}

/// Sets one component of the scale.
#[wasm_bindgen]
pub fn set_scale_component(world: u32, slot: u32, generation: u32, axis: u32, value: f32) -> u32 {
    with_mut(world, slot, generation, |node| {
        let mut scale = node.scale();
        scale[axis.min(2) as usize] = value;
        node.set_scale(scale).map(drop)
    })
}

/// Sets translation, rotation and scale from the first 10 numbers.
#[wasm_bindgen]
pub fn set_transform(world: u32, slot: u32, generation: u32) -> u32 {
    let transform = pleach_graph::Transform {
        translation: numbers::take_vec3(0),
        rotation: numbers::take_quat(3),
        scale: numbers::take_vec3(7),
    };
    with_mut(world, slot, generation, |node| node.set_transform(transform).map(drop))
}

/// Sets the local matrix from the first 16 numbers. Any affine matrix is kept as it is.
#[wasm_bindgen]
pub fn set_local_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_local_matrix(numbers::take_matrix()).map(drop)
    })
}

/// Writes the local matrix to the numbers.
#[wasm_bindgen]
pub fn local_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    put_matrix(world, slot, generation, |node| node.local_matrix())
}

/// Writes the world matrix, which is up to date on any line, to the numbers.
#[wasm_bindgen]
pub fn world_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    put_matrix(world, slot, generation, |node| node.compute_world())
}

fn put_matrix(world: u32, slot: u32, generation: u32, f: impl FnOnce(NodeRef<'_>) -> Mat4) -> u32 {
    status(with(world, slot, generation, |node| numbers::put(&f(node).to_cols_array())))
}

/// Writes the 9 numbers of the normal matrix, up to date on any line, to the numbers.
#[wasm_bindgen]
pub fn normal_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    status(edit(world, |world| {
        let id = from_parts(slot, generation).ok_or_else(|| Fault::dead(None))?;
        if world.graph().node(id)?.is_dirty() {
            world.update()?;
        }
        numbers::put(&world.graph().node(id)?.normal_matrix().to_cols_array());
        Ok(())
    }))
}

/// Writes position, rotation and scale in world space (10 numbers), up to date on any line.
#[wasm_bindgen]
pub fn world_transform(world: u32, slot: u32, generation: u32) -> u32 {
    status(with(world, slot, generation, |node| {
        let transform = pleach_graph::Transform::from_matrix(&node.compute_world());
        let (t, r, s) = (transform.translation, transform.rotation, transform.scale);
        numbers::put(&[t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]);
    }))
}

/// Sets the position in world space.
#[wasm_bindgen]
pub fn set_world_position(world: u32, slot: u32, generation: u32, x: f32, y: f32, z: f32) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_world_translation(Vec3::new(x, y, z)).map(drop)
    })
}

/// Sets the rotation in world space.
#[wasm_bindgen]
pub fn set_world_rotation(
    world: u32,
    slot: u32,
    generation: u32,
    x: f32,
    y: f32,
    z: f32,
    w: f32,
) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_world_rotation(Quat::from_xyzw(x, y, z, w)).map(drop)
    })
}

/// Sets the world matrix from the first 16 numbers.
#[wasm_bindgen]
pub fn set_world_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_world_matrix(numbers::take_matrix()).map(drop)
    })
}

/// Turns the node's −Z axis (cameras and lights) to a point in world space; `up` is the second vector of the numbers.
#[wasm_bindgen]
pub fn look_at(world: u32, slot: u32, generation: u32) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.look_at(numbers::take_vec3(0), numbers::take_vec3(3)).map(drop)
    })
}

/// Turns the front of a model to a point in world space: numbers are target, up, front and top of the model.
#[wasm_bindgen]
pub fn face(world: u32, slot: u32, generation: u32) -> u32 {
    let Some(axes) = LocalAxes::new(numbers::take_vec3(6), numbers::take_vec3(9)) else {
        return status(Err(Fault::new(
            "out-of-range",
            "front and top of a model must be two axes",
        )));
    };
    with_mut(world, slot, generation, |node| {
        node.aim(axes, numbers::take_vec3(0), numbers::take_vec3(3)).map(drop)
    })
}

/// Sets the node's own visibility.
#[wasm_bindgen]
pub fn set_visible(world: u32, slot: u32, generation: u32, visible: bool) -> u32 {
    with_mut(world, slot, generation, |node| {
        node.set_visible(visible);
        Ok(())
    })
}

/// Returns the flags of a node: 1 visible, 2 shown, 4 dirty, 8 local dirty, 16 has a matrix; 256 if it is dead.
#[wasm_bindgen]
pub fn flags(world: u32, slot: u32, generation: u32) -> u32 {
    with(world, slot, generation, |node| {
        u32::from(node.is_visible())
            | u32::from(node.is_shown()) << 1
            | u32::from(node.is_dirty()) << 2
            | u32::from(node.is_local_dirty()) << 3
            | u32::from(node.has_local_matrix()) << 4
    })
    .unwrap_or_else(|fault| {
        crate::host::keep(fault);
        256
    })
}

/// Returns the layers of a node with bounds; all layers without bounds.
#[wasm_bindgen]
pub fn layers(world: u32, slot: u32, generation: u32) -> f64 {
    number(read(world, |world| {
        let id = from_parts(slot, generation).ok_or_else(|| Fault::dead(None))?;
        world.graph().node(id)?;
        Ok(f64::from(world.index().layers(id).unwrap_or(u32::MAX)))
    }))
}
