//! `GpuRenderer` of a program that was built without the feature `gpu`: there is none.

use anyhow::bail;
use pleach::{Scene, View};
use pleach_render::{Overlays, Picture, Settings};

/// Has no values.
pub(crate) enum GpuRenderer {}

impl GpuRenderer {
    /// Returns the error that names the feature.
    pub(crate) fn new(_: &Settings) -> anyhow::Result<Self> {
        bail!(
            "--gpu: this program was built without the feature `gpu`; \
             build it with: cargo install --path crates/pleach-cli --features gpu"
        )
    }

    pub(crate) fn render(
        &mut self,
        _: &Scene,
        _: &View,
        _: Overlays<'_>,
    ) -> anyhow::Result<Picture> {
        match *self {}
    }

    pub(crate) fn warnings(&self) -> &[String] {
        match *self {}
    }
}
