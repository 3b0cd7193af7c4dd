//! The first half of a draw: everything that the passes need is created and uploaded.

use bytemuck::Zeroable;
use pleach::{ClipSpace, RenderList, Scene, View};
use pleach_shading::{Backdrop, Lighting};

use super::{DrawStats, MAX_VIEW_STATES, Renderer, Target};
use crate::draw::ids::IdTargets;
use crate::draw::list_recorder::ListRecorder;
use crate::draw::screen::ScreenPicture;
use crate::draw::targets::Targets;
use crate::draw::tone_map::ToneMapKey;
use crate::draw::view_state::ViewState;
use crate::light::frame::FrameUniforms;
use crate::light::shadow_maps::ShadowViewUniform;
use crate::light::shadow_plan::MAX_VIEWS;
use crate::pipeline::key::Pass;
use crate::upload::staging::Recorder;
use crate::{Error, Options, Warning};

/// The exposure that light is stored with to be measured: bright light does not overflow half floats.
pub(crate) const MEASURING_EXPOSURE: f32 = 1.0 / 1024.0;

impl Renderer {
    /// Returns the samples of a pixel.
    pub(super) fn samples(&self) -> u32 {
        if self.options.samples >= 4 { 4 } else { 1 }
    }

    pub(super) fn tone_map_key(&self, target: &Target<'_>) -> ToneMapKey {
        let samples = if self.reads_samples { self.samples() } else { 1 };
        let unmultiply = self.options.straight_alpha;
        ToneMapKey { format: target.format, samples, unmultiply }
    }

    #[expect(clippy::too_many_arguments, reason = "those of a draw")]
    pub(super) fn prepare(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        target: &Target<'_>,
        exposure: Option<f32>,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let lighting = self.lighting(scene, view, exposure, &mut stats.warnings);
        self.plan_shadows(scene, view, &lighting, &mut stats.warnings);
        self.sync(encoder, scene, list, stats)?;
        self.prepare_targets(target)?;
        let (samples, needs_layers) = (self.samples(), needs_layers(&lighting));
        self.write_frame(encoder, scene, view, target.size, &lighting, exposure, stats)?;
        self.prepare_tone_map(target);
        self.background.prepare(&self.gpu.device, &self.layouts, samples);
        self.record(encoder, scene, list, view, Pass::Light, samples, needs_layers, stats)?;
        let is_transmissive = self
            .views
            .get(&(view.camera, Pass::Light))
            .is_some_and(|state| !state.transmissive.is_empty());
        if is_transmissive && self.screen.as_ref().is_none_or(|it| it.size != target.size) {
            self.screen = Some(ScreenPicture::new(&self.gpu.device, &self.layouts, target.size));
        }
        Ok(())
    }

    pub(super) fn prepare_ids(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        size: [u32; 2],
    ) -> Result<(), Error> {
        let mut stats = DrawStats::default();
        let lighting = self.lighting(scene, view, None, &mut stats.warnings);
        self.shadow_plan.update(scene, view, &[], self.options.shadows);
        self.shadow_maps.build_lists(scene, view, &[]);
        self.sync(encoder, scene, list, &mut stats)?;
        if self.id_targets.as_ref().is_none_or(|it| it.size != size) {
            self.id_targets = Some(IdTargets::new(&self.gpu.device, size)?);
        }
        self.write_frame(encoder, scene, view, size, &lighting, None, &mut stats)?;
        self.record(encoder, scene, list, view, Pass::Ids, 1, false, &mut stats)
    }

    /// Collects the light of the scene.
    fn lighting(
        &mut self,
        scene: &Scene,
        view: &View,
        exposure: Option<f32>,
        warnings: &mut Vec<Warning>,
    ) -> Lighting {
        let map = scene.environment.map.as_ref().map(|map| self.environments.get(map, None));
        let map = match map.transpose() {
            Ok(map) => map,
            Err(cause) => {
                warnings.push(Warning::EnvironmentIgnored(cause));
                None
            }
        };
        let mut lighting = Lighting::from_scene(scene, view, self.options.studio, map);
        if let Some(exposure) = exposure {
            lighting.add_fill(exposure);
        }
        lighting
    }

    /// Plans the shadow maps and lists what casts shadows.
    fn plan_shadows(
        &mut self,
        scene: &Scene,
        view: &View,
        lighting: &Lighting,
        warnings: &mut Vec<Warning>,
    ) {
        let Self { shadow_plan, shadow_maps, options, gpu, .. } = self;
        shadow_plan.update(scene, view, &lighting.lights, options.shadows);
        let halvings = shadow_maps.place(gpu, &shadow_plan.views);
        if halvings > 0 {
            warnings.push(Warning::ShadowMapsReduced { factor: 1 << halvings });
        }
        if shadow_plan.ignored > 0 {
            warnings.push(Warning::ShadowsIgnored { lights: shadow_plan.ignored });
        }
        shadow_maps.build_lists(scene, view, &shadow_plan.views);
    }

    /// Uploads what changed.
    fn sync(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let Self { uploads, gpu, shadow_maps, .. } = self;
        stats.uploaded = uploads.sync(gpu, scene, &[list], encoder)?;
        for casters in shadow_maps.lists() {
            stats.uploaded += uploads.sync(gpu, scene, &[casters], encoder)?;
        }
        stats.warnings.extend(uploads.drain_warnings());
        if self.generation != self.uploads.generation() {
            self.generation = self.uploads.generation();
            self.materials.retain_uploaded(&self.uploads);
        }
        Ok(())
    }

    fn prepare_targets(&mut self, target: &Target<'_>) -> Result<(), Error> {
        let samples = self.samples();
        let is_current = |it: &Targets| it.size == target.size && it.samples == samples;
        if !self.targets.as_ref().is_some_and(is_current) {
            let resolves = self.tone_map_key(target).samples == 1;
            // First, so that the memory of the former ones can be used.
            self.targets = None;
            self.tone_map.forget_targets();
            self.targets = Some(Targets::new(&self.gpu.device, target.size, samples, resolves)?);
        }
        Ok(())
    }

    fn prepare_tone_map(&mut self, target: &Target<'_>) {
        let key = self.tone_map_key(target);
        if let Some(targets) = &self.targets {
            self.tone_map.prepare(&self.gpu.device, targets, key);
        }
    }

    /// Writes the lights, the uniforms of the frame and the shadow views.
    #[expect(clippy::too_many_arguments, reason = "those of a draw")]
    fn write_frame(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        view: &View,
        size: [u32; 2],
        lighting: &Lighting,
        exposure: Option<f32>,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let gpu = &self.gpu;
        let mut recorder = Recorder { gpu, encoder, staging: &mut self.staging, scatter: None };
        let frame = &mut self.frame;
        let ranges = &self.shadow_plan.ranges;
        let light_count = match ranges.len() == lighting.lights.len() {
            true => {
                frame.lights.write(&mut recorder, &lighting.lights, ranges, &mut stats.warnings)?
            }
            // The id pass has no light.
            false => 0,
        };
        frame.environment.set(gpu, lighting.environment.map.as_ref());
        let Options { tone_mapping, background, .. } = self.options;
        let uniforms = FrameUniforms::new(
            view,
            size,
            lighting,
            light_count,
            exposure.unwrap_or(MEASURING_EXPOSURE),
            tone_mapping,
            Backdrop::new(background, scene),
        );
        frame.uniforms.write(&mut recorder, bytemuck::bytes_of(&uniforms))?;
        let curve = uniforms.tone_mapping();
        self.tone_map.uniforms.write(&mut recorder, bytemuck::cast_slice(&curve))?;
        let mut views = [ShadowViewUniform::zeroed(); MAX_VIEWS];
        let planned = &self.shadow_plan.views;
        self.shadow_maps.upload(&mut recorder, &self.layouts, planned, &mut views)?;
        frame.shadow_views.write(&mut recorder, bytemuck::cast_slice(&views))?;
        if let Some((atlas, generation)) = self.shadow_maps.atlas() {
            frame.set_shadow_atlas(atlas, generation);
        }
        frame.update(gpu, &self.layouts)?;
        self.data.update(gpu, &self.layouts, &self.uploads);
        recorder.flush();
        stats.shadow_maps = planned.len();
        Ok(())
    }

    /// Records the draws of the list, and of the shadow maps.
    #[expect(clippy::too_many_arguments, reason = "those of a draw")]
    fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        pass: Pass,
        samples: u32,
        needs_layers: bool,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let key = (view.camera, pass);
        if self.views.len() >= MAX_VIEW_STATES && !self.views.contains_key(&key) {
            self.views.clear();
        }
        let gpu = &self.gpu;
        let is_depth_reversed = view.clip_space == ClipSpace::ZeroToOneReversed;
        let mut recorder = ListRecorder {
            device: &gpu.device,
            scene,
            uploads: &self.uploads,
            layouts: &mut self.layouts,
            pipelines: &mut self.pipelines,
            materials: &mut self.materials,
            tier: gpu.tier,
            pass,
            samples,
            is_depth_reversed,
            needs_layers,
            max_textures: max_textures(&gpu.limits),
            warnings: &mut stats.warnings,
        };
        let state = u64::from(samples)
            | u64::from(is_depth_reversed) << 8
            | u64::from(needs_layers) << 9
            | self.frame.generation() << 16;
        let state = [self.generation, state];
        let runs = self.views.entry(key).or_insert_with(ViewState::new);
        runs.record(&mut recorder, list, state);
        stats.calls = runs.runs().iter().map(|run| run.len()).sum();
        if pass == Pass::Light {
            (recorder.pass, recorder.samples, recorder.is_depth_reversed) =
                (Pass::Shadow, 1, false);
            self.shadow_maps.record(&mut recorder, state);
        }
        let mut recorder = Recorder { gpu, encoder, staging: &mut self.staging, scatter: None };
        runs.upload(&mut recorder)?;
        self.shadow_maps.upload_records(&mut recorder)?;
        recorder.flush();
        Ok(())
    }
}

/// Returns `true` if a light shines on some layers only.
fn needs_layers(lighting: &Lighting) -> bool {
    lighting.lights.iter().any(|light| light.layers != u32::MAX)
}

/// Returns the textures that a material may have: those of a shader without the ones of the frame (the
/// lights, the environment, the split sum, the shadow maps) and the picture behind transmissive
/// surfaces.
fn max_textures(limits: &wgpu::Limits) -> usize {
    let textures = limits.max_sampled_textures_per_shader_stage.saturating_sub(5);
    let samplers = limits.max_samplers_per_shader_stage.saturating_sub(3);
    textures.min(samplers) as usize
}
