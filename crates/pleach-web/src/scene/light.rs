//! Lights: kind, colour, intensity, range, angles and shadow, as numbers.

use glam::Vec3;
use pleach::Light;
use pleach::light::{LightKind, Shadow};
use wasm_bindgen::prelude::*;

use super::nodes::wrong_kind;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::numbers;
use crate::tree::live;
use crate::worlds::{World, edit, read};

/// More texels than any device has in a row.
const MAX_MAP_SIZE: f32 = 65_536.0;

fn with<R>(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&World, &Light) -> Result<R, Fault>,
) -> Result<R, Fault> {
    read(world, |world| {
        let node = live(slot, generation)?;
        let light = world.scene.light(node).ok_or_else(|| wrong_kind(world, node, "light"))?;
        f(world, light)
    })
}

fn change(
    world: u32,
    slot: u32,
    generation: u32,
    f: impl FnOnce(&mut Light) -> Result<(), Fault>,
) -> u32 {
    status(edit(world, |world| {
        let node = live(slot, generation)?;
        let light = world.scene.light(node).ok_or_else(|| wrong_kind(world, node, "light"))?;
        let mut light = *light;
        f(&mut light)
            .and_then(|()| check(&light))
            .map_err(|fault| Fault { node: Some(node), ..fault })?;
        world.scene.insert(node, light)?;
        Ok(())
    }))
}

/// Rejects numbers that are not finite, and angles of a spot light that are out of range.
pub(crate) fn check(light: &Light) -> Result<(), Fault> {
    if !light.color.is_finite()
        || !light.intensity.is_finite()
        || light.range.is_some_and(f32::is_nan)
    {
        return Err(Fault::new(
            "not-finite",
            "colour, intensity and range of a light must be finite",
        ));
    }
    if let LightKind::Spot { inner_angle, outer_angle } = light.kind {
        let right_angle = std::f32::consts::FRAC_PI_2;
        if !(0.0..=right_angle).contains(&inner_angle)
            || !(0.0..=right_angle).contains(&outer_angle)
        {
            let message = format!(
                "the angles of a spot light are {inner_angle} and {outer_angle}; they must be from 0 to π/2, in \
                 radians: `degrees(30)` converts",
            );
            return Err(Fault::new("out-of-range", message));
        }
    }
    if let Some(shadow) = &light.shadow {
        let Shadow { bias, normal_bias, near, far, bounds, .. } = *shadow;
        if [bias, normal_bias, near, far, bounds].iter().any(|number| !number.is_finite()) {
            return Err(Fault::new("not-finite", "the numbers of a shadow must be finite"));
        }
        if !(near >= 0.0 && far > near) {
            let message = format!(
                "the shadow begins at {near} and ends at {far}; near must not be negative, and far greater than near",
            );
            return Err(Fault::new("out-of-range", message));
        }
    }
    Ok(())
}

/// Returns a number of a light: 0 intensity, 1 range (infinite without one), 2 inner angle, 3 outer angle, 4 layers.
#[wasm_bindgen]
pub fn light_number(world: u32, slot: u32, generation: u32, which: u32) -> f64 {
    number(with(world, slot, generation, |_, light| {
        let angles = match light.kind {
            LightKind::Spot { inner_angle, outer_angle } => [inner_angle, outer_angle],
            _ => [0.0, 0.0],
        };
        Ok(match which {
            0 => f64::from(light.intensity),
            1 => f64::from(light.range()),
            2 | 3 => f64::from(angles[which as usize - 2]),
            _ => f64::from(light.layers),
        })
    }))
}

/// Sets a number of a light.
#[wasm_bindgen]
pub fn set_light_number(world: u32, slot: u32, generation: u32, which: u32, value: f64) -> u32 {
    change(world, slot, generation, |light| {
        let number = value as f32;
        match (which, &mut light.kind) {
            (0, _) => light.intensity = number,
            (1, _) => light.range = (number != f32::INFINITY).then_some(number),
            (2, LightKind::Spot { inner_angle, .. }) => *inner_angle = number,
            (3, LightKind::Spot { outer_angle, .. }) => *outer_angle = number,
            (2 | 3, _) => {
                return Err(Fault::new(
                    "wrong-kind",
                    "only spot lights have angles; create one of type 'spot'",
                ));
            }
            _ => light.layers = value as u32,
        }
        Ok(())
    })
}

/// Writes the colour to the first 3 numbers.
#[wasm_bindgen]
pub fn light_color(world: u32, slot: u32, generation: u32) -> u32 {
    status(with(world, slot, generation, |_, light| {
        numbers::put(&light.color.to_array());
        Ok(())
    }))
}

/// Sets the colour from the first 3 numbers.
#[wasm_bindgen]
pub fn set_light_color(world: u32, slot: u32, generation: u32) -> u32 {
    let color: Vec3 = numbers::take_vec3(0);
    change(world, slot, generation, |light| {
        light.color = color;
        Ok(())
    })
}

/// Writes the direction in which a directional or spot light shines, up to date on any line. Returns 0 for others.
#[wasm_bindgen]
pub fn light_direction(world: u32, slot: u32, generation: u32) -> f64 {
    number(with(world, slot, generation, |world, light| {
        let matrix = world.graph().node(live(slot, generation)?)?.compute_world();
        let Some(direction) = light.direction(&matrix) else { return Ok(0.0) };
        numbers::put(&direction.to_array());
        Ok(1.0)
    }))
}

/// Writes the shadow to the first 7 numbers: enabled, size of the map, bias, normal bias, near, far, bounds. Returns 0
/// without one.
#[wasm_bindgen]
pub fn light_shadow(world: u32, slot: u32, generation: u32) -> f64 {
    number(with(world, slot, generation, |_, light| {
        let Some(it) = &light.shadow else { return Ok(0.0) };
        let enabled = f32::from(u8::from(it.enabled));
        let size = it.map_size as f32;
        numbers::put(&[enabled, size, it.bias, it.normal_bias, it.near, it.far, it.bounds]);
        Ok(1.0)
    }))
}

/// Writes the default shadow to the first 7 numbers.
#[wasm_bindgen]
pub fn default_shadow() {
    let it = Shadow::default();
    let size = it.map_size as f32;
    numbers::put(&[1.0, size, it.bias, it.normal_bias, it.near, it.far, it.bounds]);
}

/// Sets the shadow from the first 7 numbers, or removes it.
#[wasm_bindgen]
pub fn set_light_shadow(world: u32, slot: u32, generation: u32, has_shadow: bool) -> u32 {
    let [enabled, map_size, bias, normal_bias, near, far, bounds] = numbers::take(0);
    change(world, slot, generation, |light| {
        let is_size = (1.0..=MAX_MAP_SIZE).contains(&map_size) && map_size.fract() == 0.0;
        if has_shadow && !is_size {
            let message = format!(
                "the size of a shadow map is {map_size} texels; it must be a whole number from 1 to {MAX_MAP_SIZE}",
            );
            return Err(Fault::new("out-of-range", message));
        }
        light.shadow = has_shadow.then_some(Shadow {
            enabled: enabled != 0.0,
            map_size: map_size as u32,
            bias,
            normal_bias,
            near,
            far,
            bounds,
        });
        Ok(())
    })
}
