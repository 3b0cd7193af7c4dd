//! Normals for geometry without: smooth, or flat per triangle.
//!
//! Computed in f64, with libm's arc tangent, in the order of the triangles: the same bits
//! everywhere.

use glam::{DVec3, Vec3};
use pleach_graph::axes::UP;
use pleach_graph::unit;

use super::{Geometry, Topology};

impl Geometry {
    /// Computes smooth normals: at each vertex the mean of the triangles' normals, weighted by
    /// their angles at the vertex, so that the triangulation of a flat face does not matter.
    ///
    /// Triangles are smooth where they share a vertex: two vertices at the same position make an
    /// edge. A vertex without a triangle that has an area gets [`UP`].
    ///
    /// ```
    /// use pleach::shapes::Cuboid;
    /// use pleach::glam::Vec3;
    ///
    /// let mut cuboid = Cuboid::new(Vec3::ONE).build()?;      // 24 vertices
    /// cuboid.compute_normals();
    /// assert_eq!(cuboid.normals[0], Vec3::X);                // edges are kept
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn compute_normals(&mut self) {
        let mut sums = vec![DVec3::ZERO; self.positions.len()];
        for vertices in self.triangles() {
            let Some([a, b, c]) = self.corners(vertices) else { continue };
            let cross = (b - a).cross(c - a);
            let Some(normal) = unit(cross) else { continue };
            let doubled_area = cross.length();
            let angle = |from: DVec3, to: DVec3| libm::atan2(doubled_area, from.dot(to));
            let angles = [angle(b - a, c - a), angle(c - b, a - b), angle(a - c, b - c)];
            for (vertex, angle) in vertices.into_iter().zip(angles) {
                sums[vertex as usize] += normal * angle;
            }
        }
        self.normals = sums.into_iter().map(unit_or_up).collect();
    }

    /// Computes flat normals: one per triangle. Each triangle gets [its own
    /// vertices](Self::split_triangles) first.
    pub fn compute_flat_normals(&mut self) {
        self.split_triangles();
        if self.indices.is_none() && self.topology == Topology::Triangles {
            self.compute_normals();
        }
    }

    /// Gives each triangle three vertices of its own: converts any topology of triangles to
    /// [`Topology::Triangles`] without indices; points and lines are not changed.
    ///
    /// All vertex attributes follow. An index out of range becomes a vertex of zeros.
    pub fn split_triangles(&mut self) {
        if matches!(
            self.topology,
            Topology::Points | Topology::Lines | Topology::LineLoop | Topology::LineStrip
        ) {
            return;
        }
        let vertices: Vec<u32> = self.triangles().flatten().collect();
        gather(&mut self.positions, &vertices);
        gather(&mut self.normals, &vertices);
        gather(&mut self.tangents, &vertices);
        self.uvs.iter_mut().for_each(|uvs| gather(uvs, &vertices));
        self.colors.iter_mut().for_each(|colors| gather(colors, &vertices));
        for influences in &mut self.influences {
            gather(&mut influences.joints, &vertices);
            gather(&mut influences.weights, &vertices);
        }
        for target in &mut self.morph_targets {
            gather(&mut target.positions, &vertices);
            gather(&mut target.normals, &vertices);
            gather(&mut target.tangents, &vertices);
        }
        (self.topology, self.indices) = (Topology::Triangles, None);
    }

    /// Returns the positions of three vertices; `None` if one is out of range.
    fn corners(&self, vertices: [u32; 3]) -> Option<[DVec3; 3]> {
        let at = |vertex: u32| self.positions.get(vertex as usize).map(|at| at.as_dvec3());
        Some([at(vertices[0])?, at(vertices[1])?, at(vertices[2])?])
    }
}

fn gather<T: Copy + Default>(values: &mut Vec<T>, vertices: &[u32]) {
    if !values.is_empty() {
        let value = |&vertex: &u32| values.get(vertex as usize).copied().unwrap_or_default();
        *values = vertices.iter().map(value).collect();
    }
}

fn unit_or_up(sum: DVec3) -> Vec3 {
    unit(sum).map_or(UP, |normal| normal.as_vec3())
}
