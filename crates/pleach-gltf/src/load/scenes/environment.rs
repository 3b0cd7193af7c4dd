//! Converts PLEACH_environment, the extension of a scene for its ambient light, background and fog.

use glam::Vec3;
use pleach::{Ambient, Background, Environment, Fog};

use crate::json;

/// Returns the environment of a scene of the file; the default if it has none.
pub(crate) fn environment(scene: Option<&json::Scene<'_>>) -> Environment {
    let extensions = scene.and_then(|scene| scene.extensions);
    let Some(json) = extensions.and_then(|it| it.environment) else {
        return Environment::default();
    };
    let color = |color: Option<[f32; 3]>, default: Vec3| color.map_or(default, Vec3::from_array);
    let mut environment = Environment::default();
    if let Some(ambient) = json.ambient {
        environment.ambient = Ambient {
            color: color(ambient.color, Vec3::ONE),
            intensity: ambient.intensity.unwrap_or(1.0),
        };
    }
    if let Some(color) = json.background.and_then(|it| it.color) {
        environment.background = Some(Background::Color(Vec3::from_array(color)));
    }
    if let Some(fog) = json.fog {
        let color = color(fog.color, Vec3::ONE);
        environment.fog = Some(Fog { color, near: fog.near, far: fog.far });
    }
    environment
}
