//! Adaptive supersampling: which pixels get more than one ray, and the sample positions.
//!
//! A pixel is an edge if its node, orientation or colour differs from one of its four neighbours.
//! The patterns are fixed: no two samples share a row or a column of the pixel.

use glam::{Vec2, Vec3, Vec4};
use pleach::NodeId;

/// The result of the ray through the centre of a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixel {
    /// Linear colour after tone mapping, premultiplied by alpha; and alpha.
    pub(crate) color: Vec4,
    pub(crate) distance: f32,
    /// The distance of the first surface that hides everything behind it.
    pub(crate) opaque_distance: f32,
    pub(crate) node: Option<NodeId>,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    pub(crate) normal: Vec3,
}

impl Pixel {
    /// A pixel without a hit.
    pub(crate) const EMPTY: Self = Self {
        color: Vec4::ZERO,
        distance: f32::INFINITY,
        opaque_distance: f32::INFINITY,
        node: None,
        part: 0,
        instance: 0,
        normal: Vec3::ZERO,
    };

    fn differs_from(&self, other: &Self) -> bool {
        let surface = |it: &Self| (it.node, it.part, it.instance);
        if surface(self) != surface(other) {
            return true;
        }
        if self.node.is_some() && self.normal.dot(other.normal) < 0.9 {
            return true;
        }
        let perceptual =
            |it: &Self| Vec4::from_array(it.color.to_array().map(|it| it.max(0.0).sqrt()));
        (perceptual(self) - perceptual(other)).abs().max_element() > 0.05
    }
}

/// Returns `true` if a pixel differs from one of its neighbours.
pub(crate) fn is_edge(pixels: &[Pixel], width: usize, x: usize, y: usize) -> bool {
    let at = y * width + x;
    let neighbours = [
        (x > 0).then(|| at - 1),
        (x + 1 < width).then(|| at + 1),
        at.checked_sub(width),
        Some(at + width),
    ];
    let mut others = neighbours.into_iter().flatten().filter_map(|at| pixels.get(at));
    others.any(|other| pixels[at].differs_from(other))
}

/// Returns the sample positions within a pixel, from 0 to 1.
pub(crate) fn pattern(samples: u32) -> &'static [Vec2] {
    match samples {
        0..4 => &[],
        4..16 => &PATTERN_4,
        _ => &PATTERN_16,
    }
}

const PATTERN_4: [Vec2; 4] = [
    Vec2::new(0.375, 0.125),
    Vec2::new(0.875, 0.375),
    Vec2::new(0.125, 0.625),
    Vec2::new(0.625, 0.875),
];

const PATTERN_16: [Vec2; 16] = {
    let mut positions = [Vec2::ZERO; 16];
    let mut i = 0;
    while i < 16 {
        let (column, row) = (i % 4, i / 4);
        let x = (4 * column + row) as f32 + 0.5;
        let y = (4 * row + (3 - column)) as f32 + 0.5;
        positions[i] = Vec2::new(x / 16.0, y / 16.0);
        i += 1;
    }
    positions
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_samples_share_a_row_or_column_and_their_mean_is_the_center() {
        for samples in [4, 16] {
            let positions = pattern(samples);
            let cell = |it: f32| (it * samples as f32) as usize;
            let mut columns: Vec<usize> = positions.iter().map(|it| cell(it.x)).collect();
            let mut rows: Vec<usize> = positions.iter().map(|it| cell(it.y)).collect();
            columns.sort_unstable();
            rows.sort_unstable();
            let all: Vec<usize> = (0..samples as usize).collect();
            assert_eq!((columns, rows), (all.clone(), all));
            let mean = positions.iter().sum::<Vec2>() / samples as f32;
            assert_eq!(mean, Vec2::splat(0.5));
        }
    }
}
