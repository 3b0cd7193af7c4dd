//! `Renderer`: draws a scene into the caller's target, stage by stage.
//!
//! Prepare (upload what changed, plan shadow maps, write the frame's uniforms, record the draws of the
//! list) → check for errors of the device → encode the passes. Nothing is encoded unless everything could be
//! prepared.

mod encode;
mod measure;
mod overlays;
mod prepare;
mod recover;

use std::collections::HashMap;

use pleach::{NodeId, RenderList, Scene, View};
use pleach_shading::{EnvironmentCache, Lighting};

use crate::draw::background::BackgroundPass;
use crate::draw::canvas::Canvas;
use crate::draw::data_group::DataGroup;
use crate::draw::ids::{IdReadback, IdTargets};
use crate::draw::material_groups::MaterialGroups;
use crate::draw::targets::{Targets, check_size};
use crate::draw::tone_map::ToneMapPass;
use crate::draw::view_state::ViewState;
use crate::error_scope::ErrorScopes;
use crate::light::frame_group::FrameGroup;
use crate::light::shadow_maps::ShadowMaps;
use crate::light::shadow_plan::ShadowPlan;
use crate::overlay::OverlayRenderer;
use crate::pipeline::cache::Pipelines;
use crate::pipeline::key::Pass;
use crate::pipeline::layouts::Layouts;
use crate::upload::staging::Staging;
use crate::upload::{Decoder, UploadStats, Uploads};
use crate::{Error, Gpu, Options, Tier, Warning};

/// The texture that a picture is drawn into.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// A view of a texture that can be rendered to.
    pub view: &'a wgpu::TextureView,
    /// The format of the view. Colours are encoded as sRGB: by the hardware if the format is an
    /// sRGB one, otherwise by the renderer.
    pub format: wgpu::TextureFormat,
    /// The width and height in pixels. If one is 0, nothing is drawn.
    pub size: [u32; 2],
}

/// The results of a draw.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DrawStats {
    /// The bytes that were uploaded.
    pub uploaded: UploadStats,
    /// The number of instanced calls for the picture, without those of shadow maps.
    pub calls: usize,
    /// `true` if nothing changed since the last draw, so that its picture was kept: only its tone
    /// mapping was recorded.
    pub is_kept: bool,
    /// The number of shadow maps that were drawn: 0 if they show what they showed before.
    pub shadow_maps: usize,
    /// The reductions, with their causes.
    pub warnings: Vec<Warning>,
}

/// Draws scenes with wgpu.
///
/// Commands are recorded into the caller's encoder; nothing is submitted and nothing blocks. Buffers,
/// textures and pipelines are kept from frame to frame, and only what changed is uploaded. If nothing
/// changed, the picture is kept as well, and a draw records its tone mapping alone. Pipelines
/// are created when a material needs them for the first time, which takes milliseconds each.
///
/// ```
/// use pleach::glam::{Vec3, Vec4};
/// use pleach::{Camera, Frame, Material, Node, Scene, shapes::Cuboid};
/// use pleach_wgpu::{Options, Renderer, Target};
///
/// # fn gpu() -> Option<(wgpu::Device, wgpu::Queue)> {
/// #     let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
/// #     let adapter = pollster::block_on(instance.request_adapter(&Default::default())).ok()?;
/// #     pollster::block_on(adapter.request_device(&Default::default())).ok()
/// # }
/// # let Some((device, queue)) = gpu() else { return Ok(()) };
/// # let texture = device.create_texture(&wgpu::TextureDescriptor {
/// #     label: None,
/// #     size: wgpu::Extent3d { width: 64, height: 48, depth_or_array_layers: 1 },
/// #     mip_level_count: 1,
/// #     sample_count: 1,
/// #     dimension: wgpu::TextureDimension::D2,
/// #     format: wgpu::TextureFormat::Rgba8UnormSrgb,
/// #     usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
/// #     view_formats: &[],
/// # });
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(Cuboid::new(Vec3::splat(4.0)).build()?);
/// let red = scene.assets.add(Material::from_color(Vec4::new(0.8, 0.05, 0.05, 1.0)));
/// scene.spawn(Node::mesh(&cube, &red))?;
/// let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
/// let camera = scene.spawn(camera)?;
///
/// let mut renderer = Renderer::new(&device, &queue, Options::default())?;
/// renderer.attach(&mut scene);
///
/// // In every frame:
/// let mut frame = Frame::new();
/// scene.frame(camera, (64, 48), 0.0, &mut frame)?;
/// let view = scene.view(camera, (64, 48))?;
/// let target = Target {
///     view: &texture.create_view(&Default::default()),
///     format: texture.format(),
///     size: [64, 48],
/// };
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let stats = renderer.draw(&mut encoder, &scene, &frame.list, &view, &target)?;
/// queue.submit([encoder.finish()]);
/// assert_eq!((stats.calls, stats.warnings.len()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    options: Options,
    uploads: Uploads,
    staging: Staging,
    layouts: Layouts,
    pipelines: Pipelines,
    materials: MaterialGroups,
    /// The generation of the uploads that bind groups refer to.
    generation: u64,
    data: DataGroup,
    frame: FrameGroup,
    environments: EnvironmentCache,
    lighting: Lighting,
    shadow_plan: ShadowPlan,
    shadow_maps: ShadowMaps,
    background: BackgroundPass,
    tone_map: ToneMapPass,
    /// `true` if shaders can read the samples of multisampled textures: not on the limited tier, and not
    /// with wgpu's OpenGL.
    reads_samples: bool,
    /// The textures that a material may have.
    max_textures: usize,
    /// The textures of pictures, and those of the small ones that light is measured with.
    targets: Option<Targets>,
    probe: Option<Targets>,
    id_targets: Option<IdTargets>,
    overlays: OverlayRenderer,
    /// By camera, pass and samples.
    views: HashMap<(Option<NodeId>, Pass, u32), ViewState>,
    /// The warnings of measurements, for the next draw.
    unreported: Vec<Warning>,
    /// Scratch: the warnings of a draw, which are mostly known.
    warnings: Vec<Warning>,
    /// The warnings that were reported, so that each is reported once.
    reported: Vec<Warning>,
}

/// The views whose recorded draws are kept: more would belong to cameras that do not exist any more.
const MAX_VIEW_STATES: usize = 64;
/// The number of warnings that are remembered, so that a scene that changes for days needs no memory
/// for them.
const MAX_REPORTED: usize = 1023;

impl Renderer {
    /// Creates a renderer for a device, in the best tier that it supports, or a lower one if
    /// [`Options::tier`] asks for it.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] and [`Error::OutOfMemory`] if the device refuses the first resources.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        options: Options,
    ) -> Result<Self, Error> {
        Self::with_boxed_decoder(device, queue, options, None)
    }

    /// Creates a renderer like [`new`](Self::new), with a function that decodes images (PNG, JPEG)
    /// into [`Rgba8`](pleach::ImageData::Rgba8). Without it, textures with encoded images are ignored
    /// with a [warning](DrawStats::warnings).
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_decoder(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        options: Options,
        decode: impl Fn(&pleach::Image) -> Result<pleach::Image, String> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        Self::with_boxed_decoder(device, queue, options, Some(Box::new(decode)))
    }

    pub(crate) fn with_boxed_decoder(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        options: Options,
        decoder: Option<Box<Decoder>>,
    ) -> Result<Self, Error> {
        let gpu = Gpu::new(device, queue);
        let tier = options.tier;
        let created = match tier {
            Some(tier) => Self::create(gpu.with_max_tier(tier), options),
            None => match Self::create(gpu.clone(), options.clone()) {
                // Some drivers of old OpenGL have storage buffers, but none for vertex shaders: limits do
                // not show it.
                Err(Error::Device(_)) if gpu.tier == Tier::Full => {
                    Self::create(gpu.with_max_tier(Tier::Limited), options)
                }
                created => created,
            },
        };
        let mut renderer = created?;
        renderer.uploads.set_decoder(decoder);
        Ok(renderer)
    }

    /// Creates a renderer in the tier of `gpu`, without a decoder.
    fn create(gpu: Gpu, options: Options) -> Result<Self, Error> {
        let device = &gpu.device;
        let is_opengl = device.adapter_info().backend == wgpu::Backend::Gl;
        let scopes = ErrorScopes::push(device);
        let renderer = Self {
            uploads: Uploads::new(&gpu, None),
            staging: Staging::default(),
            layouts: Layouts::new(device, gpu.tier),
            pipelines: Pipelines::default(),
            materials: MaterialGroups::default(),
            generation: 0,
            data: DataGroup::default(),
            frame: FrameGroup::new(&gpu),
            environments: EnvironmentCache::default(),
            lighting: Lighting::default(),
            shadow_plan: ShadowPlan::default(),
            shadow_maps: ShadowMaps::new(),
            background: BackgroundPass::default(),
            tone_map: ToneMapPass::new(device),
            reads_samples: gpu.tier == Tier::Full && !is_opengl,
            max_textures: max_textures(&gpu, is_opengl),
            targets: None,
            probe: None,
            id_targets: None,
            overlays: OverlayRenderer::new(&gpu),
            views: HashMap::new(),
            unreported: Vec::new(),
            warnings: Vec::new(),
            reported: Vec::new(),
            gpu,
            options,
        };
        scopes.pop()?;
        Ok(renderer)
    }

    /// Returns the tier that it draws in.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.gpu.tier
    }

    /// Returns the options for modification. The tier stays as it is.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Reads the changes of this scene by change readers from now on, so that a draw costs what
    /// changed. Other scenes are compared with a copy in O(nodes).
    pub fn attach(&mut self, scene: &mut Scene) {
        self.uploads.attach(scene);
    }

    /// Records the commands that draw a list, as of the scene's last [update](Scene::update).
    ///
    /// The list is that of the view. The encoder must be submitted, and before commands of later
    /// draws: what was uploaded by it is not uploaded again, and its picture may be kept. If it is
    /// dropped instead, call [`forget`](Self::forget).
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] and [`Error::TargetTooLarge`] if something exceeds a limit of the device,
    /// [`Error::OutOfMemory`] and [`Error::Device`] if the device refuses a resource, such as after
    /// it was lost. The target is not changed then.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        target: &Target<'_>,
    ) -> Result<DrawStats, Error> {
        let exposure = self.options.exposure.factor(&mut Vec::new());
        self.draw_exposed(encoder, scene, list, view, target, exposure)
    }

    /// Records the commands of a draw with an exposure.
    pub(crate) fn draw_exposed(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        target: &Target<'_>,
        exposure: f32,
    ) -> Result<DrawStats, Error> {
        if target.size.contains(&0) {
            return Ok(DrawStats::default());
        }
        check_size(&self.gpu.device, target.size)?;
        let samples = if self.options.samples >= 4 { 4 } else { 1 };
        let canvas = Canvas { size: target.size, samples, exposure: Some(exposure) };
        self.checked(|it| {
            let warnings = std::mem::take(&mut it.warnings);
            let mut stats = DrawStats { warnings, ..DrawStats::default() };
            it.scoped(|it| {
                it.prepare(encoder, scene, list, view, canvas, &mut stats)?;
                it.prepare_tone_map(target.format, canvas);
                Ok(())
            })?;
            it.staging.check()?;
            stats.is_kept = it.keeps_picture(view, canvas);
            if !stats.is_kept {
                // Only now: a bundle of invalid resources is a panic of wgpu.
                it.make_bundles(view, canvas)?;
                it.encode(encoder, view, canvas);
            }
            it.tone_map.encode(encoder, target.view, it.tone_map_key(target.format, canvas));
            it.keep_new_warnings(&mut stats.warnings);
            Ok(stats)
        })
    }

    /// Adds the warnings of measurements, and removes those that were reported before.
    fn keep_new_warnings(&mut self, warnings: &mut Vec<Warning>) {
        warnings.append(&mut self.unreported);
        warnings.retain(|warning| {
            let is_new = !self.reported.contains(warning);
            if is_new {
                self.reported.truncate(MAX_REPORTED);
                self.reported.push(warning.clone());
            }
            is_new
        });
        if warnings.is_empty() {
            self.warnings = std::mem::take(warnings);
        }
    }

    /// Records the commands that draw node, part, instance and depth of each pixel of a list, with
    /// one sample at the centre of each, and the copy to memory that the CPU can read: for marquee
    /// selection and outlines.
    ///
    /// # Errors
    ///
    /// Those of [`draw`](Self::draw).
    pub fn draw_ids(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        size: [u32; 2],
    ) -> Result<IdReadback, Error> {
        let size = size.map(|it| it.max(1));
        check_size(&self.gpu.device, size)?;
        self.checked(|it| {
            it.scoped(|it| it.prepare_ids(encoder, scene, list, view, size))?;
            it.staging.check()?;
            it.scoped(|it| {
                let device = it.gpu.device.clone();
                it.encode_ids(encoder, view)?.read_back(&device, encoder)
            })
        })
    }
}

/// Returns the textures that a material may have: those of a shader without the ones of the frame (the
/// lights, the environment, the split sum, the shadow maps) and the picture behind transmissive
/// surfaces. wgpu's OpenGL counts the textures of all stages together, so on the limited tier the five of
/// the vertex shader as well.
fn max_textures(gpu: &Gpu, is_opengl: bool) -> usize {
    let of_vertices = if is_opengl && gpu.tier == Tier::Limited { 5 } else { 0 };
    let textures = gpu.limits.max_sampled_textures_per_shader_stage.saturating_sub(5 + of_vertices);
    let samplers = gpu.limits.max_samplers_per_shader_stage.saturating_sub(3);
    textures.min(samplers) as usize
}
