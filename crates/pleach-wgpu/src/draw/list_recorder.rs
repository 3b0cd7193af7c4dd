//! `ListRecorder`: turns the draws of a render list into calls.
//!
//! Reads a list and what was uploaded; writes runs. A batch of the list costs one lookup of its pipeline
//! and material, and 32 bytes for each draw of it.

use pleach::{AlphaMode, Draw, RenderList, Scene};

use crate::draw::material_groups::MaterialGroups;
use crate::draw::record::{DrawRecord, NONE};
use crate::draw::run::{Call, Run};
use crate::pipeline::cache::Pipelines;
use crate::pipeline::key::{
    Alpha, Attributes, Illumination, Lobes, Pass, PipelineKey, ShaderKey, TextureSet, texture_bit,
};
use crate::pipeline::layouts::Layouts;
use crate::pipeline::vertex::VERTEX_ATTRIBUTES;
use crate::upload::{
    GpuGeometry, GpuMaterial, MaterialFeatures, Primitives, Uploads, VertexStream,
};
use crate::{Tier, Warning};

/// The inputs of recording, and the state that all draws of a view share.
#[derive(Debug)]
pub(crate) struct ListRecorder<'a> {
    pub(crate) device: &'a wgpu::Device,
    pub(crate) scene: &'a Scene,
    pub(crate) uploads: &'a Uploads,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) pipelines: &'a mut Pipelines,
    pub(crate) materials: &'a mut MaterialGroups,
    pub(crate) tier: Tier,
    pub(crate) pass: Pass,
    pub(crate) samples: u32,
    pub(crate) is_depth_reversed: bool,
    /// `true` if a light shines on some layers only, so that records need the layers of their
    /// meshes.
    pub(crate) needs_layers: bool,
    /// The textures of a material that a shader may have.
    pub(crate) max_textures: usize,
    pub(crate) warnings: &'a mut Vec<Warning>,
}

impl ListRecorder<'_> {
    /// Adds draws of the same geometry, group, material and winding to a run.
    pub(crate) fn add_batch(&mut self, run: &mut Run, list: &RenderList, draws: &[Draw]) {
        let Some(first) = draws.first() else { return };
        let Some(geometry) = self.uploads.geometry(first.geometry) else { return };
        let Some(material) = self.uploads.material(first.material) else { return };
        // Without vertices, or not uploaded: there are no buffers to bind.
        if geometry.index_count() == 0 || !geometry.has(VertexStream::Positions) {
            return;
        }
        let double_sided = material.features().double_sided;
        let start = run.record_count();
        for draw in draws {
            self.add_records(run, list, draw);
        }
        let records = start..run.record_count();
        let base = self.key(first, geometry, material);
        // Blended surfaces that are seen from both sides: the far side first.
        let is_layered = self.pass == Pass::Light
            && base.shader.alpha == Alpha::Blended
            && double_sided
            && base.primitives == Primitives::Triangles;
        let culls = match (is_layered, double_sided) {
            (true, _) => &[Some(wgpu::Face::Front), Some(wgpu::Face::Back)][..],
            (false, true) => &[None],
            (false, false) => &[Some(wgpu::Face::Back)],
        };
        for &cull in culls {
            let key = PipelineKey { cull, ..base };
            let pipeline = self.pipelines.id(self.device, self.layouts, key);
            let textures = self.pipelines.shader(pipeline).textures;
            let Self { device, layouts, uploads, materials, .. } = self;
            materials.prepare(device, layouts, uploads, first.material, textures);
            run.push_call(Call {
                pipeline,
                material: first.material,
                geometry: first.geometry,
                group: first.group.clone(),
                records: records.clone(),
            });
        }
    }

    /// Returns `true` if a draw shows what is behind it.
    pub(crate) fn is_transmissive(&self, draw: &Draw) -> bool {
        self.uploads.material(draw.material).is_some_and(|it| it.features().transmission)
    }

    fn add_records(&self, run: &mut Run, list: &RenderList, draw: &Draw) {
        let layers = match self.needs_layers {
            true => self.scene.mesh(draw.node).map_or(u32::MAX, |mesh| mesh.layers),
            false => u32::MAX,
        };
        let morph = self.uploads.morph_record(draw.node, draw.part).unwrap_or(NONE);
        let record = DrawRecord::new(draw, morph, layers);
        if draw.instances.is_empty() || draw.joint_matrices.is_some() {
            return run.push_record(record);
        }
        let Some(first) = self.uploads.instance_row(draw.node) else { return };
        let range = draw.instances.start as usize..draw.instances.end as usize;
        for &instance in list.instances().get(range).unwrap_or_default() {
            run.push_record(record.with_instance(instance, first + instance));
        }
    }

    fn key(&mut self, draw: &Draw, geometry: &GpuGeometry, material: &GpuMaterial) -> PipelineKey {
        let is_skinned = draw.joint_matrices.is_some();
        let has_instances = !draw.instances.is_empty() && !is_skinned;
        let is_morphed = self.uploads.morph_record(draw.node, draw.part).is_some();
        let features = material.features();
        let alpha = match features.alpha_mode {
            AlphaMode::Opaque => Alpha::Opaque,
            AlphaMode::Mask { .. } => Alpha::Masked,
            AlphaMode::Blend => Alpha::Blended,
        };
        let has_surface = geometry.primitives() == Primitives::Triangles;
        let illumination = if features.unlit {
            Illumination::Unlit
        } else if has_surface || geometry.has(VertexStream::Normals) {
            Illumination::Lit
        } else {
            Illumination::WithoutNormals
        };
        PipelineKey {
            shader: ShaderKey {
                tier: self.tier,
                pass: self.pass,
                attributes: attributes(geometry, is_skinned)
                    .with(Attributes::INSTANCES, has_instances)
                    .with(Attributes::MORPHS, is_morphed),
                textures: self.textures(draw, material),
                lobes: lobes(&features),
                alpha,
                illumination,
            },
            primitives: geometry.primitives(),
            cull: None,
            is_mirrored: draw.flipped,
            is_depth_reversed: self.is_depth_reversed,
            samples: self.samples,
        }
    }

    /// Returns the textures of a material, as many as a shader may have.
    fn textures(&mut self, draw: &Draw, material: &GpuMaterial) -> TextureSet {
        let textures = material.textures();
        let ignored = textures.len().saturating_sub(self.max_textures);
        if ignored > 0 {
            let warning = Warning::TexturesIgnored { material: draw.material, ignored };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        // In the order of the slots: extensions are at the end.
        textures.iter().take(self.max_textures).fold(0, |set, it| set | texture_bit(it.slot))
    }
}

fn attributes(geometry: &GpuGeometry, is_skinned: bool) -> Attributes {
    let sets = if is_skinned { geometry.influence_sets() } else { 0 };
    let streams = VERTEX_ATTRIBUTES.into_iter();
    streams
        .fold(Attributes::default(), |all, it| all.with(it.0, geometry.has(it.1)))
        .with(Attributes::SKIN, sets >= 1)
        .with(Attributes::SKIN2, sets >= 2)
}

fn lobes(features: &MaterialFeatures) -> Lobes {
    Lobes::default()
        .with(Lobes::CLEARCOAT, features.clearcoat)
        .with(Lobes::SHEEN, features.sheen)
        .with(Lobes::SPECULAR, features.specular)
        .with(Lobes::TRANSMISSION, features.transmission)
        .with(Lobes::VOLUME, features.volume)
        .with(Lobes::DIFFUSE_TRANSMISSION, features.diffuse_transmission)
        .with(Lobes::IRIDESCENCE, features.iridescence)
        .with(Lobes::ANISOTROPY, features.anisotropy)
        .with(Lobes::DISPERSION, features.dispersion)
}
