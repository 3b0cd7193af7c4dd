//! `ShadowMaps`: the depth texture of all shadow maps, and the draws of each.
//!
//! Maps are tiles of one texture, so that any number of lights needs one binding. Tiles are powers of two
//! and placed by size along a Z-order curve, which leaves no gaps.
//!
//! The maps are kept from frame to frame: they are listed again only if the list of the picture or the plan
//! is another, and drawn again only if that is so or something was uploaded.
//!
//! Invariants: tiles do not overlap and lie within the atlas, whose size the device allows; while
//! `is_drawn`, the atlas shows what `listed` describes.

use bytemuck::{Pod, Zeroable};
use pleach::{Filter, NodeId, RenderList, Scene, View, Visible};

use crate::draw::list_recorder::ListRecorder;
use crate::draw::resources::Resources;
use crate::draw::staged_buffer::StagedBuffer;
use crate::draw::targets::{DEPTH_FORMAT, depth_attachment, texture};
use crate::draw::view_state::ViewState;
use crate::light::shadow_plan::{MAX_VIEWS, PlannedView};
use crate::pipeline::layouts::Layouts;
use crate::upload::staging::Recorder;
use crate::{Error, Gpu};

/// The largest atlas: 256 MiB.
const MAX_ATLAS: u32 = 8192;
/// The distance of the matrices of the views in their buffer: dynamic offsets are multiples of it.
const MATRIX_STRIDE: usize = 256;

/// The shadow maps of a picture.
#[derive(Debug)]
pub(crate) struct ShadowMaps {
    atlas: Option<(u32, wgpu::TextureView)>,
    generation: u64,
    /// The matrix of each view, for the vertex shader.
    matrices: StagedBuffer,
    group: Option<(u64, wgpu::BindGroup)>,
    tiles: Vec<Tile>,
    /// The times that the sizes of the maps had to be halved.
    halvings: u32,
    casters: Vec<Casters>,
    /// The views whose casters are listed, and the version of the list of the picture then.
    listed: (Vec<PlannedView>, u64),
    /// `true` if the atlas shows the casters.
    is_drawn: bool,
    /// The views for `shadow.wgsl`.
    uniforms: Vec<ShadowViewUniform>,
    /// Scratch: the bytes of `matrices`, and the order of the tiles.
    bytes: Vec<u8>,
    order: Vec<usize>,
}

/// The shadow casters of one map.
#[derive(Debug)]
struct Casters {
    visible: Visible,
    list: RenderList,
    state: ViewState,
}

/// The position and size of a map in the atlas, in texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tile {
    x: u32,
    y: u32,
    size: u32,
}

/// A view as `shadow.wgsl` reads it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ShadowViewUniform {
    matrix: [[f32; 4]; 4],
    tile: [f32; 4],
    parameters: [f32; 4],
}

impl ShadowMaps {
    pub(crate) fn new() -> Self {
        Self {
            atlas: None,
            generation: 0,
            matrices: StagedBuffer::new("shadow matrices", wgpu::BufferUsages::UNIFORM),
            group: None,
            tiles: Vec::new(),
            halvings: 0,
            casters: Vec::new(),
            listed: (Vec::new(), 0),
            is_drawn: false,
            uniforms: vec![ShadowViewUniform::zeroed(); MAX_VIEWS],
            bytes: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Places the maps of a picture and lists what casts shadows into each, unless neither the list of
    /// the picture nor the views changed since the last time. Returns `true` if it did.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        view: &View,
        list: &RenderList,
        views: &[PlannedView],
    ) -> bool {
        let (listed, version) = &self.listed;
        // A list that was never built has version 0.
        if listed == views && *version == list.version() && *version != 0 {
            return false;
        }
        self.place(gpu, views);
        self.build_lists(scene, view, views);
        self.listed.0.clear();
        self.listed.0.extend_from_slice(views);
        self.listed.1 = list.version();
        self.is_drawn = false;
        true
    }

    /// Returns the times that the sizes of the maps had to be halved to fit.
    pub(crate) fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Makes the next draw draw the maps again: what they show was changed.
    pub(crate) fn mark_changed(&mut self) {
        self.is_drawn = false;
    }

    /// Places the maps in the atlas, which is replaced if it is too small.
    fn place(&mut self, gpu: &Gpu, views: &[PlannedView]) {
        self.tiles.clear();
        self.halvings = 0;
        if views.is_empty() {
            return;
        }
        let max = MAX_ATLAS.min(gpu.limits.max_texture_dimension_2d);
        let max = 1 << (31 - max.leading_zeros());
        let area = |halvings: u32| -> u64 {
            views.iter().map(|it| u64::from((it.map_size >> halvings).max(1)).pow(2)).sum()
        };
        self.halvings = (0..16).find(|&it| area(it) <= u64::from(max).pow(2)).unwrap_or(16);
        self.order.clear();
        self.order.extend(0..views.len());
        self.order.sort_unstable_by_key(|&it| (std::cmp::Reverse(views[it].map_size), it));
        self.tiles.resize(views.len(), Tile::default());
        // Along the curve, a tile of n² texels starts at a multiple of n².
        let mut next = 0;
        for &index in &self.order {
            let size = (views[index].map_size >> self.halvings).max(1);
            let [x, y] = z_order(next);
            self.tiles[index] = Tile { x, y, size };
            next += u64::from(size).pow(2);
        }
        let needed = self.tiles.iter().map(|it| (it.x.max(it.y) + it.size).next_power_of_two());
        let needed = needed.max().unwrap_or(1).min(max);
        if self.atlas.as_ref().is_none_or(|(size, _)| *size < needed) {
            let usage =
                wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
            let atlas = texture(&gpu.device, "shadow maps", [needed; 2], DEPTH_FORMAT, 1, usage);
            self.atlas = Some((needed, atlas.create_view(&wgpu::TextureViewDescriptor::default())));
            self.generation += 1;
        }
    }

    /// Returns the atlas, and a number that changes whenever it is replaced.
    pub(crate) fn atlas(&self) -> Option<(&wgpu::TextureView, u64)> {
        self.atlas.as_ref().map(|(_, view)| (view, self.generation))
    }

    /// Lists what casts shadows into each map.
    fn build_lists(&mut self, scene: &Scene, view: &View, views: &[PlannedView]) {
        self.casters.truncate(views.len());
        while self.casters.len() < views.len() {
            self.casters.push(Casters {
                visible: Visible::new(),
                list: RenderList::new(),
                state: ViewState::new(),
            });
        }
        let casts = |node: NodeId| scene.mesh(node).is_some_and(|mesh| mesh.cast_shadow);
        let filter = Filter::default().with_predicate(&casts);
        for (casters, planned) in self.casters.iter_mut().zip(views) {
            scene.spatial.cull(&planned.frustum, &filter, &mut casters.visible);
            // The levels of detail of the camera, and the instances in the map.
            let mut seen = *view;
            seen.view_projection = planned.matrix;
            seen.frustum = planned.frustum;
            seen.clip_space = pleach::ClipSpace::ZeroToOne;
            casters.list.build(scene, &casters.visible, &seen);
        }
    }

    /// Returns the lists of all maps.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &RenderList> {
        self.casters.iter().map(|casters| &casters.list)
    }

    /// Records the draws of all maps.
    pub(crate) fn record(&mut self, recorder: &mut ListRecorder<'_>, state: [u64; 2]) {
        for Casters { list, state: runs, .. } in &mut self.casters {
            self.is_drawn &= !runs.record(recorder, list, state);
        }
    }

    /// Records the upload of the draw records.
    pub(crate) fn upload_records(&mut self, recorder: &mut Recorder<'_>) -> Result<(), Error> {
        self.casters.iter_mut().try_for_each(|casters| casters.state.upload(recorder))
    }

    /// Records the upload of the matrices, and computes the [`uniforms`](Self::uniforms).
    pub(crate) fn upload(
        &mut self,
        recorder: &mut Recorder<'_>,
        layouts: &Layouts,
    ) -> Result<(), Error> {
        self.uniforms.fill(ShadowViewUniform::zeroed());
        let (views, _) = &self.listed;
        let Some((size, _)) = self.atlas else { return Ok(()) };
        if views.is_empty() {
            return Ok(());
        }
        self.bytes.clear();
        self.bytes.resize(MATRIX_STRIDE * views.len(), 0);
        let blocks = self.bytes.chunks_exact_mut(MATRIX_STRIDE);
        for (((view, tile), block), uniform) in
            views.iter().zip(&self.tiles).zip(blocks).zip(&mut self.uniforms)
        {
            let matrix = view.matrix.to_cols_array_2d();
            block[..64].copy_from_slice(bytemuck::bytes_of(&matrix));
            let scale = 1.0 / size as f32;
            let [x, y, width] = [tile.x, tile.y, tile.size].map(|it| it as f32 * scale);
            let texel = view.extent / tile.size as f32;
            *uniform = ShadowViewUniform {
                matrix,
                tile: [x, y, width, width],
                parameters: [view.end, texel, view.bias, scale],
            };
        }
        self.matrices.write(recorder, &self.bytes)?;
        let generation = self.matrices.generation();
        if let Some(buffer) = self.matrices.buffer()
            && self.group.as_ref().is_none_or(|(known, _)| *known != generation)
        {
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: 0,
                size: wgpu::BufferSize::new(64),
            });
            let group = recorder.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("shadow view"),
                layout: &layouts.shadow_frame,
                entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
            });
            self.group = Some((generation, group));
        }
        Ok(())
    }

    /// Returns the views for `shadow.wgsl`.
    pub(crate) fn uniforms(&self) -> &[u8] {
        bytemuck::cast_slice(&self.uniforms)
    }

    /// Returns `true` if [`encode`](Self::encode) will record a pass.
    pub(crate) fn needs_pass(&self) -> bool {
        !self.is_drawn && !self.tiles.is_empty()
    }

    /// Records the pass of all maps, if they changed.
    pub(crate) fn encode(&mut self, encoder: &mut wgpu::CommandEncoder, resources: &Resources<'_>) {
        let (Some((_, atlas)), Some((_, group))) = (&self.atlas, &self.group) else { return };
        if !self.needs_pass() {
            return;
        }
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow maps"),
            depth_stencil_attachment: Some(depth_attachment(atlas, Some(1.0))),
            ..wgpu::RenderPassDescriptor::default()
        });
        for ((index, tile), casters) in (0..).zip(&self.tiles).zip(&self.casters) {
            let [x, y, size] = [tile.x, tile.y, tile.size].map(|it| it as f32);
            pass.set_viewport(x, y, size, size, 0.0, 1.0);
            pass.set_scissor_rect(tile.x, tile.y, tile.size, tile.size);
            let offset = index * MATRIX_STRIDE as u32;
            let resources = Resources { frame: (group, Some(offset)), ..*resources };
            for run in casters.state.runs() {
                run.encode(&mut pass, &resources);
            }
        }
        drop(pass);
        self.is_drawn = true;
    }
}

/// Returns the position of a texel along the Z-order curve: its even and its odd bits.
fn z_order(index: u64) -> [u32; 2] {
    let bits = |start: u32| {
        (0..32).fold(0, |all, bit| all | ((index >> (2 * bit + start)) as u32 & 1) << bit)
    };
    [bits(0), bits(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_fills_squares() {
        let positions: Vec<_> = (0..16).map(z_order).collect();
        assert_eq!(positions[..4], [[0, 0], [1, 0], [0, 1], [1, 1]]);
        assert_eq!(positions[4], [2, 0]);
        assert!(positions.iter().all(|[x, y]| x.max(y) < &4));
    }
}
