//! Converts PLEACH_environment, the extension of a scene for its ambient light, background and fog.

use glam::Vec3;
use pleach::{Ambient, Background, Environment, Fog};

use crate::json::{self, Tolerant};

/// Returns the environment of a scene of the file; the default if it has none. Passes the member
/// (`None` for all of them) and the reason of each fault to `fault`: an invalid member is ignored.
pub(crate) fn environment<E>(
    scene: Option<&json::Scene<'_>>,
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
    match json.background.as_ref().map(Tolerant::as_result) {
        None => {}
        Some(Err(reason)) => fault(Some("background"), reason)?,
        Some(Ok(json)) => match json.color.map(Vec3::from_array) {
            Some(color) if !color.is_finite() => fault(Some("background"), NOT_FINITE)?,
            color => environment.background = color.map(Background::Color),
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
