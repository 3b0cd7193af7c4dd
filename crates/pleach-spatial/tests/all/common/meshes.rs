//! Closed surfaces: every edge has a triangle on both sides, and all triangles are
//! counter-clockwise seen from outside. And a square, with a ray towards it.

use std::collections::HashMap;

use pleach_spatial::glam::Vec3;
use pleach_spatial::{Hit, Ray};

#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) indices: Vec<u32>,
}

impl Mesh {
    pub(crate) fn triangles(&self) -> impl ExactSizeIterator<Item = [Vec3; 3]> + '_ {
        let (triangles, remainder) = self.indices.as_chunks::<3>();
        assert!(remainder.is_empty());
        triangles.iter().map(|corners| corners.map(|index| self.positions[index as usize]))
    }

    /// Returns each edge once, as a pair of indices.
    pub(crate) fn edges(&self) -> Vec<[u32; 2]> {
        let (triangles, _) = self.indices.as_chunks::<3>();
        let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        edges.filter(|[from, to]| from < to).collect()
    }

    /// Returns `true` if every edge is used once in each direction.
    pub(crate) fn is_closed(&self) -> bool {
        let (triangles, _) = self.indices.as_chunks::<3>();
        let mut edges = HashMap::new();
        for &[a, b, c] in triangles {
            for edge in [[a, b], [b, c], [c, a]] {
                *edges.entry(edge).or_insert(0) += 1;
            }
        }
        edges.iter().all(|(&[from, to], &times)| times == 1 && edges.get(&[to, from]) == Some(&1))
    }

    pub(crate) fn map(mut self, f: impl Fn(Vec3) -> Vec3) -> Self {
        self.positions.iter_mut().for_each(|position| *position = f(*position));
        self
    }
}

/// Returns a cube from −1 to 1.
pub(crate) fn cube() -> Mesh {
    let corner = |bits: u32| {
        let at = |bit: u32| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(at(0), at(1), at(2))
    };
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Mesh {
        positions: (0..8).map(corner).collect(),
        indices: faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect(),
    }
}

/// Returns a sphere of radius 1 with `8 * 4^levels` triangles. Coordinates are multiples of
/// 2^-12, so that the midpoints of edges are exact.
pub(crate) fn sphere(levels: usize) -> Mesh {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let mut mesh = Mesh { positions: axes.to_vec(), indices: Vec::new() };
    for [a, b, c] in
        [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    {
        mesh.indices.extend([a, b, c]);
    }
    for _ in 0..levels {
        mesh = subdivided(&mesh);
    }
    mesh
}

/// Splits each triangle into four, with the new corners on the sphere.
fn subdivided(mesh: &Mesh) -> Mesh {
    let mut positions = mesh.positions.clone();
    let mut midpoints = HashMap::new();
    let mut midpoint = |a: u32, b: u32| {
        *midpoints.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let sum = positions[a as usize] + positions[b as usize];
            positions.push((sum.normalize() * 4096.0).round() / 4096.0);
            positions.len() as u32 - 1
        })
    };
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    let mut indices = Vec::new();
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
        indices.extend([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca]);
    }
    Mesh { positions, indices }
}

/// Returns a sphere with bumps: rays from the centre cross the surface once, others may cross it
/// more often.
pub(crate) fn bumpy(levels: usize) -> Mesh {
    sphere(levels).map(|at| {
        let bump = 1.0 + 0.15 * (9.0 * at.x).sin() * (7.0 * at.y + 1.0).sin() * (8.0 * at.z).cos();
        ((at * bump) * 4096.0).round() / 4096.0
    })
}

/// Returns long thin triangles: two tips 100 apart, and a ring of radius 1 between them.
pub(crate) fn spindle(sides: u32) -> Mesh {
    let mut positions = vec![Vec3::new(0.0, 0.0, 50.0), Vec3::new(0.0, 0.0, -50.0)];
    positions.extend((0..sides).map(|side| {
        let (sin, cos) = (side as f32 / sides as f32 * std::f32::consts::TAU).sin_cos();
        (Vec3::new(cos, sin, 0.0) * 4096.0).round() / 4096.0
    }));
    let mut indices = Vec::new();
    for side in 0..sides {
        let (a, b) = (2 + side, 2 + (side + 1) % sides);
        indices.extend([0, a, b, 1, b, a]);
    }
    Mesh { positions, indices }
}

/// Returns a square in x and y from 0 to 1, whose front faces +Z.
pub(crate) fn square() -> Mesh {
    Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y],
        indices: vec![0, 1, 2, 0, 2, 3],
    }
}

/// Returns a ray along −Z from z = 5.
pub(crate) fn down(x: f32, y: f32) -> Ray {
    Ray::new(Vec3::new(x, y, 5.0), Vec3::NEG_Z).unwrap()
}

/// Asserts that `pick_nodes` gives the first hit of each node in the list of all hits.
#[track_caller]
pub(crate) fn assert_first_of_each_node(all: &[Hit], pick_nodes: impl Fn(&mut Vec<Hit>)) {
    let is_first = |&(at, hit): &(usize, &Hit)| all[..at].iter().all(|it| it.node != hit.node);
    let expected: Vec<Hit> = all.iter().enumerate().filter(is_first).map(|(_, hit)| *hit).collect();
    let mut hits = all.to_vec();
    pick_nodes(&mut hits);
    assert_eq!(hits, expected, "the nearest hit of each node");
}
