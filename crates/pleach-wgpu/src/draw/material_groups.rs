//! `MaterialGroups`: the bind groups of materials.
//!
//! A pass binds only the textures that it reads: a shadow caster none, a masked one its base colour. So
//! a material has one bind group for each set of textures that a pipeline reads of it.
//!
//! Invariant: a group has the block and the textures of its material, as long as the generation of the
//! material is that of the group.

use std::collections::HashMap;

use pleach::AssetId;

use crate::pipeline::key::{TextureSet, texture_bit};
use crate::pipeline::layouts::Layouts;
use crate::upload::Uploads;

/// The bind groups of materials, by material and textures, with the generation of the material.
#[derive(Debug, Default)]
pub(crate) struct MaterialGroups {
    groups: HashMap<(AssetId, TextureSet), (u64, wgpu::BindGroup)>,
}

impl MaterialGroups {
    /// Creates the bind group of a material, unless there is one.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        layouts: &mut Layouts,
        uploads: &Uploads,
        id: AssetId,
        textures: TextureSet,
    ) {
        let Some(material) = uploads.material(id) else { return };
        let known = self.groups.get(&(id, textures));
        if known.is_some_and(|(generation, _)| *generation == material.generation()) {
            return;
        }
        let block = uploads.material_block(material);
        let mut entries = vec![(0, wgpu::BindingResource::Buffer(block))];
        for texture in material.textures().iter().filter(|it| textures & texture_bit(it.slot) != 0)
        {
            let binding = entries.len() as u32;
            entries.push((binding, wgpu::BindingResource::TextureView(&texture.view)));
            entries.push((binding + 1, wgpu::BindingResource::Sampler(&texture.sampler)));
        }
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("material"),
            layout: layouts.material(device, textures),
            entries: &entries,
        });
        self.groups.insert((id, textures), (material.generation(), group));
    }

    pub(crate) fn get(&self, material: AssetId, textures: TextureSet) -> Option<&wgpu::BindGroup> {
        self.groups.get(&(material, textures)).map(|(_, group)| group)
    }

    /// Drops the groups of materials that are not on the GPU any more, and of former generations, which
    /// refer to former textures. O(groups).
    pub(crate) fn retain_current(&mut self, uploads: &Uploads) {
        self.groups.retain(|&(material, _), (generation, _)| {
            uploads.material(material).is_some_and(|it| it.generation() == *generation)
        });
    }
}
