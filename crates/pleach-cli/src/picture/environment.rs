//! The environment map of the option `--environment`: the built-in studio, or an image file.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use pleach::{EnvironmentMap, Image, Scene};
use pleach_gltf::sniff_mime_type;

/// The value of `--environment`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EnvironmentArg {
    /// The built-in studio.
    Studio,
    /// An equirectangular image file.
    File(PathBuf),
}

impl FromStr for EnvironmentArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(if text == "studio" { Self::Studio } else { Self::File(text.into()) })
    }
}

impl EnvironmentArg {
    /// Sets the environment map of scenes. A file is read and decoded once.
    pub(crate) fn apply<'a>(
        &self,
        scenes: impl IntoIterator<Item = &'a mut Scene>,
    ) -> anyhow::Result<()> {
        let image = match self {
            Self::Studio => None,
            Self::File(path) => {
                let bytes = fs::read(path)
                    .with_context(|| format!("cannot read the environment {}", path.display()))?;
                let mime = sniff_mime_type(&bytes).unwrap_or("application/octet-stream");
                let image = Image::from_encoded(mime, bytes).named(path.display().to_string());
                Some(pleach_gltf::decode(&image)?)
            }
        };
        for scene in scenes {
            let map = match &image {
                None => EnvironmentMap::studio(),
                Some(image) => EnvironmentMap::image(&scene.assets.add(image.clone())),
            };
            scene.environment.map = Some(map);
        }
        Ok(())
    }
}
