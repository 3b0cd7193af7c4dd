//! `CubeMap`: six square faces with mip levels, sampled as a GPU does.
//!
//! Faces, their axes and the filter are those of WebGPU, Vulkan and OpenGL: +X, -X, +Y, -Y, +Z, -Z;
//! bilinear filtering continues across edges; where three faces meet, the missing fourth texel is
//! the mean of the other three.

use glam::Vec3;

/// One mip level of a cube map: six faces of `size` × `size` texels.
#[derive(Clone, Debug, PartialEq)]
pub struct CubeLevel {
    size: usize,
    texels: Vec<Vec3>,
}

/// A cube map: mip levels, each half as large as the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct CubeMap {
    levels: Vec<CubeLevel>,
}

impl CubeLevel {
    /// Creates a level of black texels.
    pub(crate) fn new(size: usize) -> Self {
        Self { size, texels: vec![Vec3::ZERO; 6 * size * size] }
    }

    /// Creates a level of `6 * size * size` texels.
    pub(crate) fn from_texels(size: usize, texels: Vec<Vec3>) -> Self {
        Self { size, texels }
    }

    /// Returns the width and height of a face in texels.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the linear colours of all faces, in the order +X, -X, +Y, -Y, +Z, -Z; each in rows
    /// from the top.
    #[must_use]
    pub fn texels(&self) -> &[Vec3] {
        &self.texels
    }

    /// Returns the texels as 16-bit floats with an alpha of 1, for a texture of the format
    /// `Rgba16Float`.
    #[must_use]
    pub fn to_rgba16f(&self) -> Vec<[u16; 4]> {
        let one = half_bits(1.0);
        let to_bits = |texel: &Vec3| {
            let [r, g, b] = texel.to_array().map(half_bits);
            [r, g, b, one]
        };
        self.texels.iter().map(to_bits).collect()
    }

    /// Returns the unit vector through the centre of a texel.
    pub(crate) fn direction(&self, index: usize) -> Vec3 {
        let (face, at) = (index / (self.size * self.size), index % (self.size * self.size));
        let [s, t] = [at % self.size, at / self.size].map(|i| self.coordinate(i as f32));
        face_direction(face, s, t).normalize()
    }

    /// Returns unit vectors through the centres of the quarters of a texel.
    pub(crate) fn subtexel_directions(&self, index: usize) -> [Vec3; 4] {
        let (face, at) = (index / (self.size * self.size), index % (self.size * self.size));
        let [x, y] = [at % self.size, at / self.size].map(|i| i as f32);
        [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)].map(|(dx, dy)| {
            face_direction(face, self.coordinate(x + dx), self.coordinate(y + dy)).normalize()
        })
    }

    /// Returns the coordinate of a texel's centre on its face, from -1 to 1.
    fn coordinate(&self, position: f32) -> f32 {
        (position + 0.5) * (2.0 / self.size as f32) - 1.0
    }

    /// Returns the solid angle of a texel, up to a factor that all texels share.
    pub(crate) fn relative_solid_angle(&self, index: usize) -> f32 {
        let at = index % (self.size * self.size);
        let [s, t] = [at % self.size, at / self.size].map(|i| self.coordinate(i as f32));
        let squared = 1.0 + s * s + t * t;
        1.0 / (squared * squared.sqrt())
    }

    /// Returns the level of half the size, each texel the mean of four.
    pub(crate) fn halved(&self) -> Self {
        let mut half = Self::new(self.size / 2);
        for index in 0..half.texels.len() {
            let (row, x) = (index / half.size, index % half.size);
            // Rows of all faces are consecutive, and the number of rows of a face is even.
            let at = 2 * row * self.size + 2 * x;
            let [a, b] = [at, at + self.size].map(|at| self.texels[at] + self.texels[at + 1]);
            half.texels[index] = (a + b) * 0.25;
        }
        half
    }

    /// Samples the level with bilinear filtering.
    #[must_use]
    pub fn sample(&self, direction: Vec3) -> Vec3 {
        let (face, s, t) = project(direction);
        let scale = 0.5 * self.size as f32;
        let (x, y) = ((s + 1.0) * scale - 0.5, (t + 1.0) * scale - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (x - left, y - top);
        let (left, top) = (left as i32, top as i32);
        let last = self.size as i32 - 1;
        let [a, b, c, d] = if left >= 0 && top >= 0 && left < last && top < last {
            let at = (face * self.size + top as usize) * self.size + left as usize;
            let below = at + self.size;
            [self.texels[at], self.texels[at + 1], self.texels[below], self.texels[below + 1]]
        } else {
            self.border_texels(face, left, top)
        };
        let (upper, lower) = (a + (b - a) * fx, c + (d - c) * fx);
        upper + (lower - upper) * fy
    }

    /// Returns four texels of which some are beyond an edge of the face.
    fn border_texels(&self, face: usize, left: i32, top: i32) -> [Vec3; 4] {
        let positions = [(left, top), (left + 1, top), (left, top + 1), (left + 1, top + 1)];
        let mut texels = [Vec3::ZERO; 4];
        let (mut sum, mut corner) = (Vec3::ZERO, None);
        for (i, (x, y)) in positions.into_iter().enumerate() {
            match self.texel(face, x, y) {
                Some(texel) => {
                    texels[i] = texel;
                    sum += texel;
                }
                None => corner = Some(i),
            }
        }
        if let Some(i) = corner {
            texels[i] = sum * (1.0 / 3.0);
        }
        texels
    }

    /// Returns a texel of a face, or of the adjacent one beyond an edge. `None` beyond a corner.
    fn texel(&self, face: usize, x: i32, y: i32) -> Option<Vec3> {
        let size = self.size as i32;
        let is_inside = |at: i32| (0..size).contains(&at);
        let (face, x, y) = match (is_inside(x), is_inside(y)) {
            (true, true) => (face, x as usize, y as usize),
            (false, false) => return None,
            _ => {
                let [s, t] = [x, y].map(|at| self.coordinate(at as f32));
                let (face, s, t) = project(face_direction(face, s, t));
                let index =
                    |at: f32| (((at + 1.0) * 0.5 * self.size as f32) as usize).min(self.size - 1);
                (face, index(s), index(t))
            }
        };
        self.texels.get((face * self.size + y) * self.size + x).copied()
    }
}

impl CubeMap {
    /// Creates a cube map of levels, each half as large as the one before.
    pub(crate) fn new(levels: Vec<CubeLevel>) -> Self {
        Self { levels }
    }

    /// Returns the mip levels, at least one, the largest first.
    #[must_use]
    pub fn levels(&self) -> &[CubeLevel] {
        &self.levels
    }

    /// Samples the map with trilinear filtering. `lod` is clamped to the levels that there are.
    #[must_use]
    pub fn sample(&self, direction: Vec3, lod: f32) -> Vec3 {
        let lod = lod.clamp(0.0, (self.levels.len() - 1) as f32);
        let (level, fraction) = (lod as usize, lod.fract());
        let near = self.levels[level].sample(direction);
        if fraction == 0.0 {
            return near;
        }
        let far = self.levels[level + 1].sample(direction);
        near + (far - near) * fraction
    }
}

/// Returns the direction of a point of a face, with coordinates from -1 to 1 to the right and
/// downwards.
fn face_direction(face: usize, s: f32, t: f32) -> Vec3 {
    match face {
        0 => Vec3::new(1.0, -t, -s),
        1 => Vec3::new(-1.0, -t, s),
        2 => Vec3::new(s, 1.0, t),
        3 => Vec3::new(s, -1.0, -t),
        4 => Vec3::new(s, -t, 1.0),
        _ => Vec3::new(-s, -t, -1.0),
    }
}

/// Returns the face that a direction points at, and the coordinates there. The zero vector and NaN
/// point at the middle of +Z.
fn project(direction: Vec3) -> (usize, f32, f32) {
    let Vec3 { x, y, z } = direction;
    let size = direction.abs();
    let (face, s, t, major) = if size.z >= size.x && size.z >= size.y {
        if z >= 0.0 { (4, x, -y, size.z) } else { (5, -x, -y, size.z) }
    } else if size.y >= size.x {
        if y >= 0.0 { (2, x, z, size.y) } else { (3, x, -z, size.y) }
    } else if x >= 0.0 {
        (0, -z, -y, size.x)
    } else {
        (1, z, -y, size.x)
    };
    if major > 0.0 { (face, s / major, t / major) } else { (4, 0.0, 0.0) }
}

/// Returns the bits of the nearest 16-bit float of a value that is not negative.
pub(crate) fn half_bits(value: f32) -> u16 {
    let bits = if value > 0.0 { value.min(65504.0).to_bits() } else { 0 };
    // Multiples of 2⁻²⁴ below the smallest normal number.
    if bits < 113 << 23 {
        return (f32::from_bits(bits) * 16_777_216.0).round_ties_even() as u16;
    }
    let rounded = bits + 0xfff + ((bits >> 13) & 1);
    ((rounded >> 13) - (112 << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_of_a_texel_samples_that_texel() {
        let texels = (0..6 * 8 * 8).map(|i| Vec3::splat(i as f32)).collect();
        let level = CubeLevel::from_texels(8, texels);
        for i in 0..level.texels().len() {
            let sample = level.sample(level.direction(i)).x;
            assert!((sample - i as f32).abs() < 0.05, "{i}: {sample}");
        }
    }

    #[test]
    fn samples_are_continuous_across_edges_and_corners() {
        let black = CubeLevel::new(8);
        let texels = (0..black.texels().len()).map(|i| black.direction(i)).collect();
        let level = CubeLevel::from_texels(8, texels);
        for i in 0..20_000 {
            let i = i as f32;
            let around = Vec3::new(libm::sinf(i), libm::cosf(i * 1.7), libm::sinf(i * 0.3 + 1.0));
            let sample = level.sample(around.normalize());
            assert!((sample - around.normalize()).length() < 0.09, "{around}: {sample}");
        }
    }

    #[test]
    fn half_floats_are_rounded_to_the_nearest() {
        let values = [0.0, 1.0, 0.5, 65504.0, 1e9, 5.960_464_5e-8, 6.1e-5, 0.1, 2049.0, 2051.0];
        let expected = [0, 0x3c00, 0x3800, 0x7bff, 0x7bff, 1, 0x03ff, 0x2e66, 0x6800, 0x6802];
        assert_eq!(values.map(half_bits), expected);
        assert_eq!(half_bits(f32::NAN), 0);
    }
}
