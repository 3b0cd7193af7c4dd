//! The environment: ambient light, background and fog; and the name of the scene.

use glam::Vec3;
use pleach::light::{Ambient, Background, Fog};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::{number, status};
use crate::numbers;
use crate::worlds::{edit, read};

fn check(what: &str, values: &[f32]) -> Result<(), Fault> {
    if values.iter().all(|value| value.is_finite()) {
        Ok(())
    } else {
        Err(Fault::new("not-finite", format!("{what} must be finite; it is {values:?}")))
    }
}

/// Writes colour and intensity of the ambient light to the first 4 numbers.
#[wasm_bindgen]
pub fn ambient(world: u32) -> u32 {
    status(read(world, |world| {
        let Ambient { color, intensity } = world.scene.environment.ambient;
        numbers::put(&[color.x, color.y, color.z, intensity]);
        Ok(())
    }))
}

/// Sets the ambient light from the first 4 numbers.
#[wasm_bindgen]
pub fn set_ambient(world: u32) -> u32 {
    let [x, y, z, intensity] = numbers::take(0);
    status(edit(world, |world| {
        check("the ambient light", &[x, y, z, intensity])?;
        world.scene.environment.ambient = Ambient { color: Vec3::new(x, y, z), intensity };
        Ok(())
    }))
}

/// Writes the colour of the background to the first 3 numbers. Returns 0 without one.
#[wasm_bindgen]
pub fn background(world: u32) -> f64 {
    number(read(world, |world| {
        let Some(Background::Color(color)) = world.scene.environment.background else {
            return Ok(0.0);
        };
        numbers::put(&color.to_array());
        Ok(1.0)
    }))
}

/// Sets the colour of the background from the first 3 numbers, or removes it.
#[wasm_bindgen]
pub fn set_background(world: u32, has_background: bool) -> u32 {
    let color = numbers::take(0);
    status(edit(world, |world| {
        if has_background {
            check("the background", &color)?;
        }
        let background = has_background.then_some(Background::Color(Vec3::from_array(color)));
        world.scene.environment.background = background;
        Ok(())
    }))
}

/// Writes colour, near and far of the fog to the first 5 numbers. Returns 0 without one.
#[wasm_bindgen]
pub fn fog(world: u32) -> f64 {
    number(read(world, |world| {
        let Some(Fog { color, near, far }) = world.scene.environment.fog else { return Ok(0.0) };
        numbers::put(&[color.x, color.y, color.z, near, far]);
        Ok(1.0)
    }))
}

/// Sets the fog from the first 5 numbers, or removes it.
#[wasm_bindgen]
pub fn set_fog(world: u32, has_fog: bool) -> u32 {
    let [x, y, z, near, far] = numbers::take(0);
    status(edit(world, |world| {
        if has_fog {
            check("the fog", &[x, y, z, near, far])?;
        }
        let color = Vec3::new(x, y, z);
        world.scene.environment.fog = has_fog.then_some(Fog { color, near, far });
        Ok(())
    }))
}

/// Returns the name of the scene.
#[wasm_bindgen]
pub fn scene_name(world: u32) -> Result<String, JsValue> {
    Ok(read(world, |world| Ok(world.scene.name.clone()))?)
}

/// Sets the name of the scene.
#[wasm_bindgen]
pub fn set_scene_name(world: u32, name: &str) -> u32 {
    status(edit(world, |world| {
        name.clone_into(&mut world.scene.name);
        Ok(())
    }))
}
