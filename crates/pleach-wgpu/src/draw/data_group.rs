//! `DataGroup`: bind group 1, the data of the scene by index.

use crate::Gpu;
use crate::pipeline::layouts::{Layouts, data};
use crate::upload::Uploads;

/// The bind group of the matrices and morph targets.
#[derive(Debug, Default)]
pub(crate) struct DataGroup {
    group: Option<(u64, wgpu::BindGroup)>,
}

impl DataGroup {
    /// Creates the group again if one of its resources was replaced.
    pub(crate) fn update(&mut self, gpu: &Gpu, layouts: &Layouts, uploads: &Uploads) {
        let generation = uploads.generation();
        if self.group.as_ref().is_some_and(|(known, _)| *known == generation) {
            return;
        }
        let stores = [
            (data::WORLDS, uploads.worlds()),
            (data::JOINTS, uploads.joints()),
            (data::INSTANCES, uploads.instances()),
            (data::MORPH_DELTAS, uploads.morph_deltas()),
            (data::MORPH_RECORDS, uploads.morph_records()),
        ];
        let entries = stores
            .map(|(binding, store)| wgpu::BindGroupEntry { binding, resource: store.binding() });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scene data"),
            layout: &layouts.data,
            entries: &entries,
        });
        self.group = Some((generation, group));
    }

    pub(crate) fn group(&self) -> Option<&wgpu::BindGroup> {
        self.group.as_ref().map(|(_, group)| group)
    }
}
