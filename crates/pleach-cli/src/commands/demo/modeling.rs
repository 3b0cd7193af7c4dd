//! Geometry tools of the demo: turned profiles, tubes, leaves, merged pieces, and vertex colours.
//!
//! Every geometry has positions, normals, one set of texture coordinates and one set of colours, so that
//! any two can be merged. Colours stand for ambient occlusion and for variations of a material.

use std::f32::consts::TAU;

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Sphere};
use pleach::{Error, Geometry, rotation};

/// Normals of adjacent segments of a profile are averaged if the cosine of their angle exceeds this.
const SMOOTH: f32 = 0.75;

/// Turns a profile about the Z axis: pairs of radius and height, upwards along the outside.
pub(super) fn turned(profile: &[(f32, f32)], segments: u32) -> Geometry {
    let points: Vec<Vec2> =
        profile.iter().map(|&(radius, height)| Vec2::new(radius, height)).collect();
    let normals: Vec<Vec2> = points
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).normalize_or(Vec2::Y))
        .map(|along| Vec2::new(along.y, -along.x))
        .collect();
    let joined = |at: usize, other: Option<&Vec2>| match other {
        Some(&other) if normals[at].dot(other) > SMOOTH => {
            (normals[at] + other).normalize_or(normals[at])
        }
        _ => normals[at],
    };
    let mut result = Surface::default();
    for at in 0..normals.len() {
        let ends = [
            (points[at], joined(at, at.checked_sub(1).and_then(|it| normals.get(it)))),
            (points[at + 1], joined(at, normals.get(at + 1))),
        ];
        let rows = ends.map(|(point, normal)| {
            let row = (0..=segments).map(|segment| {
                let (sin, cos) = libm::sincosf(TAU * segment as f32 / segments as f32);
                let uv = Vec2::new(segment as f32 / segments as f32, point.y);
                let position = Vec3::new(point.x * cos, point.x * sin, point.y);
                (position, Vec3::new(normal.x * cos, normal.x * sin, normal.y), uv)
            });
            row.collect::<Vec<_>>()
        });
        result.strip(&rows[0], &rows[1]);
    }
    result.build()
}

/// Sweeps a circle along a path.
pub(super) fn tube(path: &[Vec3], radius: f32, segments: u32) -> Geometry {
    let row = |at: usize| {
        let along = path[(at + 1).min(path.len() - 1)] - path[at.saturating_sub(1)];
        let turn = rotation::from_rotation_arc(Vec3::Z, along.normalize_or(Vec3::Z));
        let row = (0..=segments).map(move |segment| {
            let (sin, cos) = libm::sincosf(TAU * segment as f32 / segments as f32);
            let normal = turn * Vec3::new(cos, sin, 0.0);
            let uv = Vec2::new(segment as f32 / segments as f32, at as f32);
            (path[at] + normal * radius, normal, uv)
        });
        row.collect::<Vec<_>>()
    };
    let mut result = Surface::default();
    for at in 1..path.len() {
        result.strip(&row(at - 1), &row(at));
    }
    result.build()
}

/// Builds a grid of `columns` × `rows` quads from a function of two parameters from 0 to 1. It faces
/// the side from which the first runs to the right and the second upwards.
pub(super) fn grid(columns: u32, rows: u32, position: impl Fn(f32, f32) -> Vec3) -> Geometry {
    let row = |at: u32| {
        let v = at as f32 / rows as f32;
        let row = (0..=columns).map(|column| {
            let u = column as f32 / columns as f32;
            let step = 1e-3;
            let across = position(u + step, v) - position(u - step, v);
            let up = position(u, v + step) - position(u, v - step);
            let normal = across.cross(up).normalize_or(Vec3::Z);
            (position(u, v), normal, Vec2::new(u, 1.0 - v))
        });
        row.collect::<Vec<_>>()
    };
    let mut result = Surface::default();
    for at in 0..rows {
        result.strip(&row(at), &row(at + 1));
    }
    result.build()
}

/// Returns a box whose texture has one repetition per metre, and that is a little darker below.
pub(super) fn block(x: f32, y: f32, z: f32) -> Result<Geometry, Error> {
    let mut block = Cuboid::new(Vec3::new(x, y, z)).build()?;
    let metres = |position: Vec3, normal: Vec3| {
        let normal = normal.abs();
        if normal.z > 0.5 {
            Vec2::new(position.x, position.y)
        } else if normal.x > 0.5 {
            Vec2::new(position.y, -position.z)
        } else {
            Vec2::new(position.x, -position.z)
        }
    };
    let uvs = block.positions.iter().zip(block.normals.iter());
    block.uvs = vec![uvs.map(|(&position, &normal)| metres(position, normal)).collect()];
    Ok(plain(block))
}

/// Returns a sphere that can be merged.
pub(super) fn ball(radius: f32, segments: u32) -> Result<Geometry, Error> {
    Ok(plain(Sphere::new(radius).with_detail(segments, segments / 2).build()?))
}

/// Gives a shape white vertex colours, and texture coordinates if it has none, so that it can be merged.
pub(super) fn plain(mut shape: Geometry) -> Geometry {
    let count = shape.positions.len();
    if shape.uvs.is_empty() {
        shape.uvs = vec![vec![Vec2::ZERO; count].into()];
    }
    shape.colors = vec![vec![Vec4::ONE; count].into()];
    shape.tangents = Vec::new().into();
    shape
}

/// Multiplies the vertex colours by a function of position and normal.
pub(super) fn shaded(mut shape: Geometry, shade: impl Fn(Vec3, Vec3) -> Vec3) -> Geometry {
    let Geometry { positions, normals, colors, .. } = &mut shape;
    let vertices = positions.iter().zip(normals.iter());
    for (color, (&position, &normal)) in colors[0].iter_mut().zip(vertices) {
        *color *= shade(position, normal).extend(1.0);
    }
    shape
}

/// Gives a shape one colour.
pub(super) fn tinted(shape: Geometry, color: Vec3) -> Geometry {
    shaded(shape, |_, _| color)
}

/// Moves and rotates a shape.
pub(super) fn placed(mut shape: Geometry, at: Vec3, turn: Quat) -> Geometry {
    shape.positions.iter_mut().for_each(|position| *position = at + turn * *position);
    shape.normals.iter_mut().for_each(|normal| *normal = turn * *normal);
    shape
}

/// Moves a shape.
pub(super) fn moved(shape: Geometry, x: f32, y: f32, z: f32) -> Geometry {
    placed(shape, Vec3::new(x, y, z), Quat::IDENTITY)
}

/// Merges shapes into one.
pub(super) fn merged(pieces: impl IntoIterator<Item = Geometry>) -> Geometry {
    let mut whole = Geometry {
        uvs: vec![Vec::new().into()],
        colors: vec![Vec::new().into()],
        ..Geometry::default()
    };
    for piece in pieces {
        let first = whole.positions.len() as u32;
        let triangles = piece.triangles().flatten().map(|vertex| first + vertex);
        whole.indices.get_or_insert_default().extend(triangles);
        whole.positions.extend(piece.positions.iter());
        whole.normals.extend(piece.normals.iter());
        whole.uvs[0].extend(piece.uvs[0].iter());
        whole.colors[0].extend(piece.colors[0].iter());
    }
    whole
}

/// Strips of quads in progress.
#[derive(Default)]
pub(super) struct Surface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    indices: Vec<u32>,
}

impl Surface {
    /// Adds a strip between two rows of vertices, the lower first, each from left to right.
    pub(super) fn strip(&mut self, lower: &[(Vec3, Vec3, Vec2)], upper: &[(Vec3, Vec3, Vec2)]) {
        let first = self.positions.len() as u32;
        for &(position, normal, uv) in lower.iter().chain(upper) {
            self.positions.push(position);
            self.normals.push(normal);
            self.uvs.push(uv);
        }
        let count = lower.len() as u32;
        for left in 0..count - 1 {
            let [a, b] = [first + left, first + left + 1];
            self.indices.extend([a, b, b + count, a, b + count, a + count]);
        }
    }

    pub(super) fn build(self) -> Geometry {
        let Self { positions, normals, uvs, indices } = self;
        plain(Geometry::from_triangles(positions, indices).with_normals(normals).with_uvs(uvs))
    }
}

/// A deterministic sequence of random numbers.
pub(super) struct Random(u32);

impl Random {
    pub(super) fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b1) | 1)
    }

    /// Returns a number from `low` to `high`.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        low + (high - low) * (self.0 >> 8) as f32 / 16_777_216.0
    }

    /// Returns a point in the unit ball.
    pub(super) fn in_ball(&mut self) -> Vec3 {
        loop {
            let point = Vec3::from_array([(); 3].map(|()| self.between(-1.0, 1.0)));
            if point.length_squared() <= 1.0 {
                return point;
            }
        }
    }
}
