//! The first half of a draw: everything that the passes need is created and uploaded.

use pleach::{ClipSpace, RenderList, Scene, View};
use pleach_shading::{Backdrop, Lighting};

use super::{DrawStats, MAX_VIEW_STATES, Renderer};
use crate::draw::canvas::Canvas;
use crate::draw::ids::IdTargets;
use crate::draw::list_recorder::ListRecorder;
use crate::draw::targets::Targets;
use crate::draw::tone_map::ToneMapKey;
use crate::draw::view_state::ViewState;
use crate::light::frame::FrameUniforms;
use crate::light::shadow_plan::MAX_VIEWS;
use crate::pipeline::key::Pass;
use crate::upload::UploadStats;
use crate::upload::staging::Recorder;
use crate::{Error, Options, Warning};

impl Renderer {
    /// Returns the way light is read to map it to the colours of a format.
    pub(super) fn tone_map_key(&self, format: wgpu::TextureFormat, canvas: Canvas) -> ToneMapKey {
        let samples = if self.reads_samples { canvas.samples } else { 1 };
        let unmultiply = self.options.straight_alpha;
        ToneMapKey { format, samples, unmultiply }
    }

    /// Prepares the passes of a picture, up to tone mapping.
    pub(super) fn prepare(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        canvas: Canvas,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        self.update_lighting(scene, view, canvas.exposure, &mut stats.warnings);
        let lists_casters = self.plan_shadows(scene, list, view, &mut stats.warnings);
        self.sync(encoder, scene, list, lists_casters, stats)?;
        self.prepare_targets(canvas)?;
        self.write_frame(encoder, scene, view, canvas, Pass::Light, stats)?;
        self.background.prepare(&self.gpu.device, &self.layouts, canvas.samples);
        self.record(encoder, scene, list, view, (Pass::Light, canvas.samples), stats)?;
        let is_transmissive = self
            .views
            .get(&(view.camera, Pass::Light, canvas.samples))
            .is_some_and(|state| !state.transmissive.is_empty());
        let Self { gpu, layouts, .. } = self;
        let targets = if canvas.exposure.is_some() { &mut self.targets } else { &mut self.probe };
        if let Some(targets) = targets
            && is_transmissive
        {
            targets.add_screen(&gpu.device, layouts);
        }
        stats.shadow_maps =
            if self.shadow_maps.needs_pass() { self.shadow_plan.views.len() } else { 0 };
        Ok(())
    }

    /// Prepares the id pass.
    pub(super) fn prepare_ids(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        size: [u32; 2],
    ) -> Result<(), Error> {
        let mut stats = DrawStats::default();
        self.sync(encoder, scene, list, false, &mut stats)?;
        if self.id_targets.as_ref().is_none_or(|it| it.size != size) {
            self.id_targets = Some(IdTargets::new(&self.gpu.device, size)?);
        }
        let canvas = Canvas { size, samples: 1, exposure: Some(1.0) };
        self.write_frame(encoder, scene, view, canvas, Pass::Ids, &mut stats)?;
        self.record(encoder, scene, list, view, (Pass::Ids, 1), &mut stats)
    }

    /// Prepares the tone mapping of a picture for a target.
    pub(super) fn prepare_tone_map(&mut self, format: wgpu::TextureFormat, canvas: Canvas) {
        let key = self.tone_map_key(format, canvas);
        if let Some(targets) = &self.targets {
            self.tone_map.prepare(&self.gpu.device, targets, key);
        }
    }

    /// Collects the light of the scene.
    fn update_lighting(
        &mut self,
        scene: &Scene,
        view: &View,
        exposure: Option<f32>,
        warnings: &mut Vec<Warning>,
    ) {
        let Self { environments, uploads, lighting, .. } = self;
        let decode = uploads.decoder().map(|decode| decode as _);
        let map = scene.environment.map.as_ref().map(|map| environments.get(map, decode));
        let map = match map.transpose() {
            Ok(map) => map,
            Err(cause) => {
                warnings.push(Warning::EnvironmentIgnored(cause));
                None
            }
        };
        lighting.update(scene, view, self.options.studio, map);
        if let Some(exposure) = exposure {
            lighting.add_fill(exposure);
        }
    }

    /// Plans the shadow maps and lists what casts shadows. Returns `true` if the lists were built.
    fn plan_shadows(
        &mut self,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        warnings: &mut Vec<Warning>,
    ) -> bool {
        let Self { shadow_plan, shadow_maps, lighting, options, gpu, .. } = self;
        shadow_plan.update(scene, view, &lighting.lights, options.shadows);
        let is_built = shadow_maps.update(gpu, scene, view, list, &shadow_plan.views);
        if shadow_maps.halvings() > 0 {
            warnings.push(Warning::ShadowMapsReduced { factor: 1 << shadow_maps.halvings() });
        }
        if shadow_plan.ignored > 0 {
            warnings.push(Warning::ShadowsIgnored { lights: shadow_plan.ignored });
        }
        is_built
    }

    /// Uploads what changed.
    fn sync(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        has_new_casters: bool,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let Self { uploads, gpu, shadow_maps, .. } = self;
        let mut lists = [list; 1 + MAX_VIEWS];
        let mut count = 1;
        if has_new_casters {
            for (slot, casters) in lists[1..].iter_mut().zip(shadow_maps.lists()) {
                *slot = casters;
                count += 1;
            }
        }
        stats.uploaded = uploads.sync(gpu, scene, &lists[..count], encoder)?;
        if stats.uploaded != UploadStats::default() {
            shadow_maps.mark_changed();
        }
        stats.warnings.extend(uploads.drain_warnings());
        if self.generation != self.uploads.generation() {
            self.generation = self.uploads.generation();
            self.materials.retain_current(&self.uploads);
        }
        Ok(())
    }

    /// Creates the textures of a canvas, unless there are some.
    fn prepare_targets(&mut self, canvas: Canvas) -> Result<(), Error> {
        let Canvas { size, samples, exposure } = canvas;
        let is_current = |it: &Targets| it.size == size && it.samples == samples;
        let is_picture = exposure.is_some();
        let targets = if is_picture { &mut self.targets } else { &mut self.probe };
        if !targets.as_ref().is_some_and(is_current) {
            let resolves = samples > 1 && !self.reads_samples;
            // First, so that the memory of the former ones can be used.
            *targets = None;
            if is_picture {
                self.tone_map.forget_targets();
            }
            *targets = Some(Targets::new(&self.gpu.device, size, samples, resolves)?);
        }
        Ok(())
    }

    /// Writes the lights, the uniforms of the frame and the shadow views.
    fn write_frame(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        view: &View,
        canvas: Canvas,
        pass: Pass,
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let Self { gpu, frame, shadow_maps, layouts, .. } = self;
        let mut recorder = Recorder { gpu, encoder, staging: &mut self.staging, scatter: None };
        // The id pass has no light.
        let dark = Lighting::default();
        let lighting = if pass == Pass::Ids { &dark } else { &self.lighting };
        let mut light_count = 0;
        if pass != Pass::Ids {
            let ranges = &self.shadow_plan.ranges;
            let warnings = &mut stats.warnings;
            light_count = frame.lights.write(&mut recorder, &lighting.lights, ranges, warnings)?;
            frame.environment.set(gpu, lighting.environment.map.as_ref());
            shadow_maps.upload(&mut recorder, layouts)?;
        }
        let Options { tone_mapping, background, .. } = self.options;
        let backdrop = Backdrop::new(background, scene);
        let uniforms =
            FrameUniforms::new(view, canvas, lighting, light_count, tone_mapping, backdrop);
        frame.uniforms.write(&mut recorder, bytemuck::bytes_of(&uniforms))?;
        let curve = uniforms.tone_mapping();
        self.tone_map.uniforms.write(&mut recorder, bytemuck::cast_slice(&curve))?;
        frame.shadow_views.write(&mut recorder, shadow_maps.uniforms())?;
        if let Some((atlas, generation)) = shadow_maps.atlas() {
            frame.set_shadow_atlas(atlas, generation);
        }
        frame.update(gpu, layouts)?;
        self.data.update(gpu, layouts, &self.uploads);
        recorder.flush();
        Ok(())
    }

    /// Records the draws of the list for a pass with a number of samples, and of the shadow maps.
    fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        (pass, samples): (Pass, u32),
        stats: &mut DrawStats,
    ) -> Result<(), Error> {
        let key = (view.camera, pass, samples);
        if self.views.len() >= MAX_VIEW_STATES && !self.views.contains_key(&key) {
            self.views.clear();
        }
        let gpu = &self.gpu;
        let is_depth_reversed = view.clip_space == ClipSpace::ZeroToOneReversed;
        let needs_layers = pass == Pass::Light && needs_layers(&self.lighting);
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
            max_textures: self.max_textures,
            warnings: &mut stats.warnings,
        };
        let state = u64::from(is_depth_reversed)
            | u64::from(needs_layers) << 1
            | self.frame.generation() << 2;
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
