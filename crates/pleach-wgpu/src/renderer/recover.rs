//! Recovery from a draw that failed: everything on the GPU is forgotten.
//!
//! A draw that fails has recorded some uploads and created some resources, which may be invalid. wgpu does
//! not report the use of an invalid resource as an error of that use alone, so all of them are dropped: the
//! next draw starts from the beginning.

use super::Renderer;
use crate::Error;
use crate::draw::background::BackgroundPass;
use crate::draw::data_group::DataGroup;
use crate::draw::material_groups::MaterialGroups;
use crate::draw::tone_map::ToneMapPass;
use crate::error_scope::ErrorScopes;
use crate::light::frame_group::FrameGroup;
use crate::light::shadow_maps::ShadowMaps;
use crate::overlay::OverlayRenderer;
use crate::pipeline::cache::Pipelines;
use crate::pipeline::layouts::Layouts;
use crate::upload::staging::Staging;

impl Renderer {
    /// Forgets everything that is on the GPU: the next draw uploads and draws all of it again.
    ///
    /// Call it if an encoder that a draw recorded into is dropped instead of submitted: the renderer
    /// assumes that what it recorded is executed. A draw that returns an error has done so itself.
    ///
    /// ```no_run
    /// # fn draw(
    /// #     device: &wgpu::Device, queue: &wgpu::Queue, mut renderer: pleach_wgpu::Renderer, is_cancelled: bool,
    /// # ) {
    /// let encoder = device.create_command_encoder(&Default::default());
    /// // Draws into the encoder; then:
    /// if is_cancelled {
    ///     renderer.forget();
    /// } else {
    ///     queue.submit([encoder.finish()]);
    /// }
    /// # }
    /// ```
    pub fn forget(&mut self) {
        let scopes = ErrorScopes::push(&self.gpu.device);
        self.forget_uploads();
        // The next draw reports what the device refuses.
        _ = scopes.pop();
    }

    /// Calls a function that draws; if it fails, forgets everything that is on the GPU.
    pub(super) fn checked<T>(
        &mut self,
        draw: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = draw(self);
        if let Err(error) = &result {
            let scopes = ErrorScopes::push(&self.gpu.device);
            self.forget_uploads();
            if matches!(error, Error::Device(_) | Error::OutOfMemory) {
                self.forget_pipelines();
            }
            // The first error is the cause.
            _ = scopes.pop();
        }
        result
    }

    /// Runs a step; an error of the device comes before that of the step.
    pub(super) fn scoped<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let scopes = ErrorScopes::push(&self.gpu.device);
        let result = step(self);
        scopes.pop()?;
        result
    }

    fn forget_uploads(&mut self) {
        self.staging = Staging::default();
        self.uploads.forget(&self.gpu);
        self.materials = MaterialGroups::default();
        self.data = DataGroup::default();
        self.frame = FrameGroup::new(&self.gpu);
        self.shadow_maps = ShadowMaps::new();
        (self.targets, self.probe, self.id_targets) = (None, None, None);
        self.tone_map.forget_targets();
        self.overlays = OverlayRenderer::new(&self.gpu);
        self.views.clear();
    }

    fn forget_pipelines(&mut self) {
        let device = &self.gpu.device;
        self.layouts = Layouts::new(device, self.gpu.tier);
        self.pipelines = Pipelines::default();
        self.background = BackgroundPass::default();
        self.tone_map = ToneMapPass::new(device);
    }
}
