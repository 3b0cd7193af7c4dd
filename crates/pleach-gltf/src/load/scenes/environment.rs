//! Converts PLEACH_environment, the extension of a scene for its ambient light, environment map,
//! background and fog.

use glam::Vec3;
use pleach::{Ambient, Background, Environment, EnvironmentMap, Fog, Handle, Image};

use crate::json::{self, Tolerant};

/// Returns the environment of a scene of the file; the default if it has none. `images` are those of
/// the file. Passes the member
/// (`None` for all of them) and the reason of each fault to `fault`: an invalid member is ignored.
pub(crate) fn environment<E>(
    scene: Option<&json::Scene<'_>>,
    images: &[Handle<Image>],
    mut fault: impl FnMut(Option<&'static str>, &str) -> Result<(), E>,
) -> Result<Environment, E> {
    let mut environment = Environment::default();
    let extensions = scene.and_then(|scene| scene.extensions.as_ref());
    let json = match extensions.and_then(|it| it.environment.as_ref()).map(Tolerant::as_result) {
        None => return Ok(environment),
        Some(Err(reason)) => {
            fault(None, reason)?;
            return Ok(environment);
        }
        Some(Ok(json)) => json,
    };
    let color = |color: Option<[f32; 3]>| color.map_or(Vec3::ONE, Vec3::from_array);
    match json.ambient.as_ref().map(Tolerant::as_result) {
        None => {}
        Some(Err(reason)) => fault(Some("ambient"), reason)?,
        Some(Ok(json)) => {
            let ambient =
                Ambient { color: color(json.color), intensity: json.intensity.unwrap_or(1.0) };
            if ambient.color.is_finite() && ambient.intensity.is_finite() {
                environment.ambient = ambient;
            } else {
                fault(Some("ambient"), NOT_FINITE)?;
            }
        }
    }
    match json.map.as_ref().map(Tolerant::as_result) {
        None => {}
        Some(Err(reason)) => fault(Some("map"), reason)?,
        Some(Ok(json)) => match map(json, images) {
            Ok(map) => environment.map = Some(map),
            Err(reason) => fault(Some("map"), &reason)?,
        },
    }
    match json.background.as_ref().map(Tolerant::as_result) {
        None => {}
        Some(Err(reason)) => fault(Some("background"), reason)?,
        Some(Ok(json)) => match background(json) {
            Ok(background) => environment.background = background,
            Err(reason) => fault(Some("background"), reason)?,
        },
    }
    match json.fog.as_ref().map(Tolerant::as_result) {
        None => {}
        Some(Err(reason)) => fault(Some("fog"), reason)?,
        Some(Ok(json)) => {
            let fog = Fog { color: color(json.color), near: json.near, far: json.far };
            if fog.color.is_finite() && fog.near.is_finite() && fog.far.is_finite() {
                environment.fog = Some(fog);
            } else {
                fault(Some("fog"), NOT_FINITE)?;
            }
        }
    }
    Ok(environment)
}

const NOT_FINITE: &str = "a number is not finite";

fn map(
    json: &json::PleachEnvironmentMap,
    images: &[Handle<Image>],
) -> Result<EnvironmentMap, String> {
    let map = match json.image {
        None => EnvironmentMap::studio(),
        Some(index) => match images.get(index.index()) {
            Some(image) => EnvironmentMap::image(image),
            None => {
                let (index, count) = (index.index(), images.len());
                return Err(format!("image {index} does not exist; there are {count}"));
            }
        },
    };
    let (intensity, rotation) = (json.intensity.unwrap_or(1.0), json.rotation.unwrap_or(0.0));
    if !(intensity.is_finite() && intensity >= 0.0 && rotation.is_finite()) {
        return Err("the intensity must be finite and not negative, the rotation finite".into());
    }
    Ok(EnvironmentMap { intensity, rotation, ..map })
}

fn background(json: &json::PleachBackground) -> Result<Option<Background>, &'static str> {
    if let Some(map) = json.map {
        let blur = map.blur.unwrap_or(0.0);
        let is_valid = (0.0..=1.0).contains(&blur);
        return if is_valid {
            Ok(Some(Background::EnvironmentMap { blur }))
        } else {
            Err("the blur must be between 0 and 1")
        };
    }
    match json.color.map(Vec3::from_array) {
        Some(color) if !color.is_finite() => Err(NOT_FINITE),
        color => Ok(color.map(Background::Color)),
    }
}
