//! `LightData`: the punctual lights as shaders read them, any number of them.
//!
//! Five texels for each light: those of [`PunctualLight::to_rows`], then the first shadow view and the
//! number of shadow views.

use pleach_shading::PunctualLight;

use crate::upload::staging::Recorder;
use crate::upload::{DataStore, MAX_TEXELS};
use crate::{Error, Gpu, Warning};

/// The texels of a light.
const TEXELS: u32 = 5;

/// The shadow views of a light; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShadowRange {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// The lights in a data store.
#[derive(Debug)]
pub(crate) struct LightData {
    store: DataStore,
    texels: Vec<[f32; 4]>,
    written: Vec<[f32; 4]>,
}

impl LightData {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let store = DataStore::new(gpu, "lights");
        Self { store, texels: Vec::new(), written: Vec::new() }
    }

    pub(crate) fn store(&self) -> &DataStore {
        &self.store
    }

    /// Records the upload of the lights, unless they are there, and returns their number. `shadows`
    /// has an entry for each light.
    pub(crate) fn write(
        &mut self,
        recorder: &mut Recorder<'_>,
        lights: &[PunctualLight],
        shadows: &[ShadowRange],
        warnings: &mut Vec<Warning>,
    ) -> Result<u32, Error> {
        let drawn = lights.len().min((MAX_TEXELS / TEXELS) as usize);
        if drawn < lights.len() {
            warnings.push(Warning::LightsIgnored { lights: lights.len(), drawn });
        }
        self.texels.clear();
        for (light, shadow) in lights[..drawn].iter().zip(shadows) {
            self.texels.extend(light.to_rows());
            self.texels.push([shadow.first as f32, shadow.count as f32, 0.0, 0.0]);
        }
        if self.texels != self.written {
            self.store.reserve(recorder, self.texels.len() as u64)?;
            self.store.write(recorder, 0, self.texels.iter().copied());
            self.written.clone_from(&self.texels);
        }
        Ok(drawn as u32)
    }
}
