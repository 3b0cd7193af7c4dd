//! The second half of a draw: the passes.

use pleach::{ClipSpace, View};

use super::Renderer;
use crate::draw::canvas::Canvas;
use crate::draw::ids::IdTargets;
use crate::draw::picture_stamp::PictureStamp;
use crate::draw::resources::Resources;
use crate::draw::run::{PassFormats, Run};
use crate::draw::targets::{
    DEPTH_FORMAT, LIGHT_FORMAT, Targets, color_attachment, depth_attachment,
};
use crate::pipeline::key::Pass;
use crate::{Error, device_loss};

impl Renderer {
    /// Makes bundles of runs that are about to be encoded for the second time.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device was lost: wgpu panics if a bundle is finished then.
    pub(super) fn make_bundles(&mut self, view: &View, canvas: Canvas) -> Result<(), Error> {
        let (Some(frame), Some(data)) = (self.frame.group(), self.data.group()) else {
            return Ok(());
        };
        let key = (view.camera, Pass::Light, canvas.samples);
        let Some(state) = self.views.get_mut(&key) else { return Ok(()) };
        let mut runs = [&mut state.fixed, &mut state.opaque];
        if runs.iter().any(|run| run.needs_bundle()) && device_loss::is_lost(&self.gpu.device) {
            return Err(device_loss::error());
        }
        let resources = Resources {
            pipelines: &self.pipelines,
            uploads: &self.uploads,
            materials: &self.materials,
            frame: (frame, None),
            data,
            screen: None,
        };
        let formats = PassFormats {
            colors: &[Some(LIGHT_FORMAT)],
            depth: DEPTH_FORMAT,
            samples: canvas.samples,
        };
        for run in &mut runs {
            run.make_bundle(&self.gpu.device, &resources, formats);
        }
        Ok(())
    }

    /// Returns `true` if the targets show the picture that is prepared.
    pub(super) fn keeps_picture(&self, view: &View, canvas: Canvas) -> bool {
        let targets = if canvas.exposure.is_some() { &self.targets } else { &self.probe };
        let shown = targets.as_ref().and_then(|it| it.shown);
        shown.is_some()
            && shown == self.picture_stamp(view, canvas)
            && !self.shadow_maps.needs_pass()
    }

    /// Returns what the prepared picture depends on.
    fn picture_stamp(&self, view: &View, canvas: Canvas) -> Option<PictureStamp> {
        let state = self.views.get(&(view.camera, Pass::Light, canvas.samples))?;
        Some(PictureStamp {
            camera: view.camera,
            draws: state.opaque.stamp()?,
            uploads: self.uploads.version(),
            frames: self.staging.version(),
        })
    }

    /// Encodes the passes of a picture, up to tone mapping.
    pub(super) fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        view: &View,
        canvas: Canvas,
    ) {
        let samples = canvas.samples;
        let stamp = self.picture_stamp(view, canvas);
        let targets = if canvas.exposure.is_some() { &mut self.targets } else { &mut self.probe };
        let (Some(targets), Some(frame), Some(data)) =
            (targets, self.frame.group(), self.data.group())
        else {
            return;
        };
        let Some(state) = self.views.get_mut(&(view.camera, Pass::Light, samples)) else { return };
        let screen = targets.screen.as_ref().filter(|_| !state.transmissive.is_empty());
        let resources = Resources {
            pipelines: &self.pipelines,
            uploads: &self.uploads,
            materials: &self.materials,
            frame: (frame, None),
            data,
            screen: screen.map(|screen| screen.group()),
        };
        self.shadow_maps.encode(encoder, &resources);

        let is_transparent = !state.transparent.is_empty();
        // Surfaces that are not transmissive, into the picture that the transmissive ones show.
        if let Some(screen) = screen {
            let mut pass =
                begin(encoder, targets, (samples > 1).then(|| screen.view()), Some(far(view)));
            self.background.encode(&mut pass, frame, samples);
            // A texture cannot be read while it is drawn into.
            let resources = Resources { screen: None, ..resources };
            for run in [&state.fixed, &state.opaque, &state.transparent] {
                run.encode(&mut pass, &resources);
            }
            drop(pass);
            if samples == 1 {
                encoder.copy_texture_to_texture(
                    targets.light_texture.as_image_copy(),
                    screen.texture.as_image_copy(),
                    targets.light_texture.size(),
                );
            }
            screen.encode_levels(encoder);
        }
        // Transparent surfaces are drawn after the transmissive ones: then the picture starts again.
        let continues = screen.is_some() && !is_transparent;
        let clear = (!continues).then(|| far(view));
        let mut pass = begin(encoder, targets, targets.resolved.as_ref(), clear);
        if !continues {
            self.background.encode(&mut pass, frame, samples);
            state.fixed.encode(&mut pass, &resources);
            state.opaque.encode(&mut pass, &resources);
        }
        state.transmissive.encode(&mut pass, &resources);
        state.transparent.encode(&mut pass, &resources);
        drop(pass);
        state.runs_mut().into_iter().for_each(Run::finish);
        targets.shown = stamp;
    }

    /// Encodes the id pass, and returns the textures that it draws into.
    pub(super) fn encode_ids(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        view: &View,
    ) -> Result<&IdTargets, Error> {
        let missing = || Error::Device("the id pass was not prepared".into());
        let (Some(targets), Some(frame), Some(data)) =
            (&self.id_targets, self.frame.group(), self.data.group())
        else {
            return Err(missing());
        };
        let state = self.views.get_mut(&(view.camera, Pass::Ids, 1)).ok_or_else(missing)?;
        let resources = Resources {
            pipelines: &self.pipelines,
            uploads: &self.uploads,
            materials: &self.materials,
            frame: (frame, None),
            data,
            screen: None,
        };
        let mut pass = targets.begin(encoder, far(view));
        for run in state.runs() {
            run.encode(&mut pass, &resources);
        }
        drop(pass);
        state.runs_mut().into_iter().for_each(Run::finish);
        Ok(targets)
    }
}

/// Returns the depth of the far plane in clip space.
fn far(view: &View) -> f32 {
    if view.clip_space == ClipSpace::ZeroToOneReversed { 0.0 } else { 1.0 }
}

/// Begins a pass over the targets, which are cleared to a depth, or kept.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    targets: &'a Targets,
    resolve: Option<&'a wgpu::TextureView>,
    clear: Option<f32>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("surfaces"),
        color_attachments: &[Some(color_attachment(&targets.light, resolve, clear.is_some()))],
        depth_stencil_attachment: Some(depth_attachment(&targets.depth, clear)),
        ..wgpu::RenderPassDescriptor::default()
    })
}
