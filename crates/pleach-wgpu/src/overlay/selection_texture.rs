//! `SelectionTexture`: which slots are selected, for the outline.
//!
//! A texture with one bit per slot, row by row, as storage buffers do not exist on the limited tier. It
//! is uploaded only when the selection changed.

use pleach_shading::overlay::Selection;

use crate::upload::staging::{Recorder, Target};
use crate::{Error, Gpu};

/// The texels of a row.
const WIDTH: u32 = 256;

/// The slots of a texel, which has four words.
const SLOTS_PER_TEXEL: usize = 128;

/// The texture of a selection.
#[derive(Debug, Default)]
pub(super) struct SelectionTexture {
    texture: Option<(wgpu::TextureView, wgpu::Texture)>,
    selection: Selection,
}

impl SelectionTexture {
    /// Records the upload of a selection if it differs from the one before, and returns the number
    /// of bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not support a texture with a bit per slot.
    pub(super) fn upload(
        &mut self,
        recorder: &mut Recorder<'_>,
        selection: Selection,
    ) -> Result<u64, Error> {
        if self.texture.is_some() && self.selection == selection {
            return Ok(0);
        }
        let texels = selection.slots().len().div_ceil(SLOTS_PER_TEXEL);
        let rows = texels.div_ceil(WIDTH as usize).max(1) as u32;
        let max_rows = recorder.gpu.limits.max_texture_dimension_2d;
        if rows > max_rows {
            let [bytes, max] = [rows, max_rows].map(|rows| 16 * u64::from(WIDTH) * u64::from(rows));
            return Err(Error::TooLarge { what: "selected nodes", bytes, max });
        }
        if self.texture.as_ref().is_some_and(|(_, texture)| texture.height() != rows) {
            self.texture = None;
        }
        let (_, texture) = self.texture.get_or_insert_with(|| create(recorder.gpu, rows));
        let mut words: Vec<u32> = selection.slots().chunks(32).map(word).collect();
        words.resize((4 * WIDTH * rows) as usize, 0);
        let bytes = 4 * words.len() as u64;
        let texture = texture.clone();
        let target = Target::Texels { texture, x: 0, y: 0, width: WIDTH, height: rows };
        recorder.copy(words, target);
        self.selection = selection;
        Ok(bytes)
    }

    /// Returns the view of the texture; `None` before the first upload.
    pub(super) fn view(&self) -> Option<&wgpu::TextureView> {
        self.texture.as_ref().map(|(view, _)| view)
    }
}

/// Packs 32 slots, the first in the lowest bit.
fn word(slots: &[u8]) -> u32 {
    (0..).zip(slots).fold(0, |word, (bit, &slot)| word | u32::from(slot) << bit)
}

fn create(gpu: &Gpu, rows: u32) -> (wgpu::TextureView, wgpu::Texture) {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("selection"),
        size: wgpu::Extent3d { width: WIDTH, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Uint,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    (texture.create_view(&wgpu::TextureViewDescriptor::default()), texture)
}
