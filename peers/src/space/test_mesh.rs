//! A closed mesh: a subdivided icosahedron, displaced to a bumpy sphere of about radius 1. No
//! triangle is degenerate, and neighbours share their corners bit for bit.

use glam::Vec3;

pub struct Mesh {
    pub triangles: Vec<[Vec3; 3]>,
}

/// The number of segments of each edge of the icosahedron.
const SUBDIVISIONS: usize = 71;

impl Mesh {
    pub fn new() -> Self {
        let mut triangles = Vec::with_capacity(20 * SUBDIVISIONS * SUBDIVISIONS);
        for face in icosahedron() {
            let corner = |i: usize, j: usize| displaced(grid_point(face, i, j));
            for i in 0..SUBDIVISIONS {
                for j in 0..SUBDIVISIONS - i {
                    triangles.push([corner(i, j), corner(i + 1, j), corner(i, j + 1)]);
                    if i + j + 1 < SUBDIVISIONS {
                        triangles.push([corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
                    }
                }
            }
        }
        Self { triangles }
    }
}

/// Returns a point of the face's grid. The order of the summation depends only on the corners, so
/// that both faces of an edge get the same bits.
fn grid_point([a, b, c]: [Vec3; 3], i: usize, j: usize) -> Vec3 {
    let mut weights = [(a, SUBDIVISIONS - i - j), (b, i), (c, j)];
    weights.sort_by(|(first, _), (second, _)| {
        let [first, second] = [first.to_array(), second.to_array()];
        first.partial_cmp(&second).expect("no corner is NaN")
    });
    weights.iter().map(|&(corner, weight)| corner * weight as f32).sum()
}

fn displaced(point: Vec3) -> Vec3 {
    let direction = point.normalize();
    let Vec3 { x, y, z } = direction * 9.0;
    direction * (0.9 + 0.05 * (x.sin() * y.cos() + (2.0 * z).sin() * (1.7 * x).cos()))
}

fn icosahedron() -> [[Vec3; 3]; 20] {
    let t = (1.0 + 5.0_f32.sqrt()) / 2.0;
    #[rustfmt::skip]
    let corners = [
        [-1.0, t, 0.0], [1.0, t, 0.0], [-1.0, -t, 0.0], [1.0, -t, 0.0],
        [0.0, -1.0, t], [0.0, 1.0, t], [0.0, -1.0, -t], [0.0, 1.0, -t],
        [t, 0.0, -1.0], [t, 0.0, 1.0], [-t, 0.0, -1.0], [-t, 0.0, 1.0],
    ].map(Vec3::from);
    #[rustfmt::skip]
    let faces = [
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    faces.map(|face: [usize; 3]| face.map(|corner| corners[corner]))
}
