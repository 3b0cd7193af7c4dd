//! Cameras: projection, clip space and layers, as numbers.

use glam::Mat4;
use pleach::Camera;
use pleach::camera::{ClipSpace, Projection};
use wasm_bindgen::prelude::*;

use super::nodes::wrong_kind;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::numbers;
use crate::queries::clip_space;
use crate::tree::live;
use crate::worlds::{edit, read};

const DEFAULT_FOV: f32 = std::f32::consts::FRAC_PI_3;
const DEFAULT_HEIGHT: f32 = 10.0;
const DEFAULT_NEAR: f32 = 0.1;
const DEFAULT_FAR: f32 = 500.0;

/// Near and far plane; those of the default for a custom projection.
fn depths(projection: &Projection) -> [f32; 2] {
    match *projection {
        Projection::Perspective { near, far, .. } | Projection::Orthographic { near, far, .. } => {
            [near, far]
        }
        Projection::Custom(_) => [DEFAULT_NEAR, DEFAULT_FAR],
    }
}

/// Returns a number of a camera: 0 projection (0 perspective, 1 orthographic, 2 custom), 1 vertical field of view, 2
/// near, 3 far, 4 aspect (0: that of the viewport), 5 height, 6 zoom, 7 clip space, 8 layers.
#[wasm_bindgen]
pub fn camera_number(world: u32, slot: u32, generation: u32, which: u32) -> f64 {
    number(read(world, |world| {
        let node = live(slot, generation)?;
        let camera = world.scene.camera(node).ok_or_else(|| wrong_kind(world, node, "camera"))?;
        let [near, far] = depths(&camera.projection);
        let (kind, fov, height, zoom) = match camera.projection {
            Projection::Perspective { fov_y, .. } => (0.0, fov_y, DEFAULT_HEIGHT, 1.0),
            Projection::Orthographic { height, zoom, .. } => (1.0, DEFAULT_FOV, height, zoom),
            Projection::Custom(_) => (2.0, DEFAULT_FOV, DEFAULT_HEIGHT, 1.0),
        };
        Ok(match which {
            0 => kind,
            1 => f64::from(fov),
            2 => f64::from(near),
            3 => f64::from(far),
            4 => f64::from(camera.aspect.unwrap_or(0.0)),
            5 => f64::from(height),
            6 => f64::from(zoom),
            7 => match camera.clip_space {
                ClipSpace::NegOneToOne => 1.0,
                ClipSpace::ZeroToOneReversed => 2.0,
                _ => 0.0,
            },
            _ => f64::from(camera.layers),
        })
    }))
}

fn change(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&mut Camera) -> Result<(), Fault>,
) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        let camera = world.scene.camera(node).ok_or_else(|| wrong_kind(world, node, "camera"))?;
        let mut camera = *camera;
        f(&mut camera).map_err(|fault| Fault { node: Some(node), ..fault })?;
        world.scene.insert(node, camera)?;
        Ok(())
    }))
}

/// Sets a number of a camera. A camera whose projection does not have the number is rejected.
#[wasm_bindgen]
pub fn set_camera_number(world: u32, slot: u32, generation: u32, which: u32, value: f64) -> u32 {
    change(world, slot, generation, |camera| {
        let number = value as f32;
        match which {
            4 => {
                camera.aspect = (number != 0.0).then_some(number);
                return check(camera);
            }
            7 => {
                camera.clip_space = clip_space(value as u32)?;
                return Ok(());
            }
            8 => {
                camera.layers = value as u32;
                return Ok(());
            }
            _ => {}
        }
        if which == 1 && number >= std::f32::consts::PI {
            let message = format!(
                "fov is {number}; it must be less than π, because it is in radians: pass degrees({number})",
            );
            return Err(Fault::new("out-of-range", message));
        }
        let [near, far] = depths(&camera.projection);
        let field = match (which, &mut camera.projection) {
            (0, _) => {
                camera.projection = match value as u32 {
                    0 => Projection::Perspective { fov_y: DEFAULT_FOV, near, far },
                    1 => {
                        // Its depths are evenly spaced, so that an infinite one does not exist.
                        let far = if far.is_finite() { far } else { near + DEFAULT_FAR };
                        Projection::Orthographic { height: DEFAULT_HEIGHT, zoom: 1.0, near, far }
                    }
                    _ => Projection::Custom(Mat4::IDENTITY),
                };
                return Ok(());
            }
            (1, Projection::Perspective { fov_y, .. }) => fov_y,
            (2, Projection::Perspective { near, .. } | Projection::Orthographic { near, .. }) => {
                near
            }
            (3, Projection::Perspective { far, .. } | Projection::Orthographic { far, .. }) => far,
            (5, Projection::Orthographic { height, .. }) => height,
            (6, Projection::Orthographic { zoom, .. }) => zoom,
            _ => {
                let field = ["projection", "fov", "near", "far", "aspect", "height", "zoom"];
                let message = format!(
                    "a camera with this projection has no {}; set `projection` first",
                    field.get(which as usize).unwrap_or(&"such number"),
                );
                return Err(Fault::new("wrong-kind", message));
            }
        };
        *field = number;
        check(camera)
    })
}

/// Near and far may be set one after the other, so that only each of them is checked.
fn check(camera: &Camera) -> Result<(), Fault> {
    let mut alone = camera.projection;
    if let Projection::Perspective { near, far, .. } | Projection::Orthographic { near, far, .. } =
        &mut alone
        && far <= near
        && far.is_finite()
        && *far > 0.0
    {
        *far = *near * 2.0 + 1.0;
    }
    alone.matrix(camera.aspect.unwrap_or(1.0), camera.clip_space)?;
    Ok(())
}

/// Sets a custom projection from the first 16 numbers.
#[wasm_bindgen]
pub fn set_camera_matrix(world: u32, slot: u32, generation: u32) -> u32 {
    let matrix = numbers::take_matrix();
    change(world, slot, generation, |camera| {
        if !matrix.is_finite() {
            return Err(Fault::new("not-finite", "the projection matrix must be finite"));
        }
        camera.projection = Projection::Custom(matrix);
        Ok(())
    })
}
