//! The measurement of the exposure: the light of a small picture.
//!
//! The rule is that of [`Exposure::Auto`]; the points of the picture are the centres of a coarse grid of
//! pixels, as in `pleach-render`.

use pleach::{RenderList, Scene, View};
use pleach_shading::glam::Vec3;
use pleach_shading::{Exposure, luminance};

use super::{DrawStats, Renderer};
use crate::draw::canvas::{Canvas, MEASURING_EXPOSURE};
use crate::{Error, Readback};

/// The columns and rows of the grid, at most.
const GRID: u32 = 48;

/// The light of a picture, on its way from the GPU.
#[derive(Debug)]
pub(crate) struct LightReadback(Readback);

impl LightReadback {
    /// Waits for the light and returns the exposure of the picture.
    pub(crate) fn wait(self, device: &wgpu::Device) -> Result<f32, Error> {
        let bytes = self.0.wait(device)?;
        let texels = bytemuck::pod_collect_to_vec::<u8, [u16; 4]>(&bytes);
        let light = |[r, g, b, _]: [u16; 4]| {
            luminance(Vec3::new(half_to_f32(r), half_to_f32(g), half_to_f32(b)))
        };
        let mut lights: Vec<f32> =
            texels.into_iter().map(|it| light(it) / MEASURING_EXPOSURE).collect();
        Ok(Exposure::Auto.factor(&mut lights))
    }
}

impl Renderer {
    /// Records the commands that draw the light of a small picture, and the copy to memory that the CPU
    /// can read.
    pub(crate) fn measure_light(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        size: [u32; 2],
    ) -> Result<LightReadback, Error> {
        let size = size.map(|it| it.clamp(1, GRID));
        let canvas = Canvas { size, samples: 1, exposure: None };
        self.checked(|it| {
            let mut stats = DrawStats::default();
            it.scoped(|it| it.prepare(encoder, scene, list, view, canvas, &mut stats))?;
            it.staging.check()?;
            it.make_bundles(view, canvas)?;
            it.encode(encoder, view, canvas);
            let readback = it.scoped(|it| match &it.probe {
                Some(probe) => probe.read_light(&it.gpu.device, encoder),
                None => Err(Error::Device("the measurement was not prepared".into())),
            })?;
            it.unreported.append(&mut stats.warnings);
            Ok(LightReadback(readback))
        })
    }
}

/// Returns the value of a half float.
fn half_to_f32(bits: u16) -> f32 {
    let (exponent, mantissa) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let value = match exponent {
        0 => mantissa as f32 / (1 << 24) as f32,
        31 if mantissa > 0 => f32::NAN,
        31 => f32::INFINITY,
        // The bias of the exponent is 15 instead of 127.
        _ => f32::from_bits((exponent + 112) << 23 | mantissa << 13),
    };
    if bits >> 15 == 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_have_their_values() {
        let halves = [0x0000, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3c00, 0x7bff, 0xc000, 0x7c00];
        let values = [
            0.0,
            5.960_464_5e-8,
            6.097_555e-5,
            6.103_515_6e-5,
            0.333_251_95,
            1.0,
            65504.0,
            -2.0,
            f32::INFINITY,
        ];
        assert_eq!(halves.map(half_to_f32), values);
        assert!(half_to_f32(0x7e00).is_nan());
    }
}
