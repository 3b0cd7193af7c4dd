//! Tangents for geometry without: MikkTSpace, one per corner of a triangle.
//!
//! glTF asks for MikkTSpace where a file has no tangents, and normal maps are baked with it. It may
//! give one vertex several tangents, where texture coordinates are mirrored: so tangents belong to
//! the corners of triangles.
//!
//! Invariant: all results are finite, the same on every machine, and numbered as
//! [`Geometry::triangles`].

use bevy_mikktspace::{Ops, TangentSpace, generate_tangents};
use glam::{DVec3, Vec2, Vec3, Vec4};
use pleach::{Geometry, Material};

/// Returns the set of texture coordinates that the tangents of a material follow, or `None` if no
/// lobe or texture of the material needs tangents.
///
/// It is that of the normal map; without one, that of the clear coat's normal map, or of the
/// anisotropy's texture.
///
/// ```
/// use pleach::{Anisotropy, Material};
/// use pleach_shading::tangents::tangent_uv_set;
///
/// let brushed = Anisotropy { strength: 0.5, ..Anisotropy::default() };
/// let steel = Material { anisotropy: Some(Box::new(brushed)), ..Material::default() };
/// assert_eq!(tangent_uv_set(&steel), Some(0));
/// assert_eq!(tangent_uv_set(&Material::default()), None);
/// ```
#[must_use]
pub fn tangent_uv_set(material: &Material) -> Option<usize> {
    if material.unlit {
        return None;
    }
    let coat = material.clearcoat.as_ref().and_then(|it| it.normal_texture.as_ref());
    let texture = material.normal_texture.as_ref().or(coat);
    let anisotropy = || {
        let it = material.anisotropy.as_ref()?;
        Some(it.texture.as_ref().map_or(0, |texture| texture.uv_set as usize))
    };
    texture.map(|it| it.uv_set as usize).or_else(anisotropy)
}

/// Computes the tangents at the corners of each triangle: the direction of increasing u, and in `w`
/// the sign of the bitangent, as in [`Geometry::tangents`].
///
/// Without normals, those of the triangles are used. Returns `None` without triangles or without
/// this set of texture coordinates. A triangle without an area, in space or in texture coordinates,
/// that touches no other has a tangent perpendicular to its normal. O(n log n) in the number of
/// triangles; about 500 bytes per triangle are used meanwhile.
///
/// ```
/// use pleach::glam::{Vec2, Vec4};
/// use pleach::shapes::Plane;
/// use pleach_shading::tangents::corner_tangents;
///
/// let floor = Plane::new(Vec2::ONE).build()?;
/// let tangents = corner_tangents(&floor, 0).unwrap();
/// assert_eq!(tangents.len(), floor.triangles().count());
/// assert!(tangents.iter().flatten().all(|it| *it == Vec4::new(1.0, 0.0, 0.0, 1.0)));
/// # Ok::<(), pleach::Error>(())
/// ```
#[must_use]
pub fn corner_tangents(geometry: &Geometry, uv_set: usize) -> Option<Vec<[Vec4; 3]>> {
    let uvs = geometry.uvs.get(uv_set)?;
    let triangles: Vec<[u32; 3]> = geometry.triangles().collect();
    if triangles.is_empty() || uvs.is_empty() {
        return None;
    }
    let mut corners = Corners::new(geometry, uvs, &triangles);
    // The error type has no values.
    generate_tangents(&mut corners).ok()?;
    Some(corners.tangents)
}

/// The corners of all triangles, with finite numbers of a moderate size.
struct Corners<'a> {
    triangles: &'a [[u32; 3]],
    positions: Vec<[f32; 3]>,
    /// By vertex, or by triangle if the geometry has no normals.
    normals: Vec<Vec3>,
    has_normals: bool,
    uvs: Vec<[f32; 2]>,
    tangents: Vec<[Vec4; 3]>,
}

impl<'a> Corners<'a> {
    fn new(geometry: &Geometry, uvs: &[Vec2], triangles: &'a [[u32; 3]]) -> Self {
        let positions = unit_size(&geometry.positions);
        let has_normals = geometry.normals.len() >= positions.len();
        let direction =
            |normal: DVec3| pleach_graph::unit(normal).map_or(Vec3::Z, |it| it.as_vec3());
        let face_normal = |vertices: &[u32; 3]| {
            let [a, b, c] =
                vertices.map(|it| positions.get(it as usize).copied().unwrap_or_default());
            direction((b - a).cross(c - a))
        };
        let normals: Vec<Vec3> = if has_normals {
            geometry.normals.iter().map(|it| direction(it.as_dvec3())).collect()
        } else {
            triangles.iter().map(face_normal).collect()
        };
        let uv = |uv: &Vec2| {
            uv.to_array().map(|it| if it.is_finite() { it.clamp(-1e6, 1e6) } else { 0.0 })
        };
        let mut corners = Self {
            triangles,
            positions: positions.iter().map(|it| it.as_vec3().to_array()).collect(),
            normals,
            has_normals,
            uvs: uvs.iter().map(uv).collect(),
            tangents: vec![[Vec4::ZERO; 3]; triangles.len()],
        };
        for face in 0..triangles.len() {
            corners.tangents[face] = [0, 1, 2]
                .map(|corner| corners.normal_at(face, corner).any_orthonormal_vector().extend(1.0));
        }
        corners
    }

    fn normal_at(&self, face: usize, corner: usize) -> Vec3 {
        let index = if self.has_normals { self.triangles[face][corner] as usize } else { face };
        self.normals.get(index).copied().unwrap_or(Vec3::Z)
    }
}

/// Returns the positions, moved and scaled to a box of size 2: tangents depend on neither, and no
/// intermediate result overflows. Positions that are not finite are at the centre.
fn unit_size(positions: &[Vec3]) -> Vec<DVec3> {
    let finite = positions.iter().filter(|it| it.is_finite()).map(|it| it.as_dvec3());
    let (min, max) =
        finite.fold((DVec3::MAX, DVec3::MIN), |(min, max), it| (min.min(it), max.max(it)));
    let (center, size) = ((min + max) * 0.5, (max - min).max_element());
    let scale = if size > 0.0 && size.is_finite() { 2.0 / size } else { 1.0 };
    let to_unit = |position: &Vec3| {
        if position.is_finite() { (position.as_dvec3() - center) * scale } else { DVec3::ZERO }
    };
    positions.iter().map(to_unit).collect()
}

/// Functions with the same bits on every machine.
struct LibmOps;

impl Ops for LibmOps {
    fn sqrt(x: f32) -> f32 {
        libm::sqrtf(x)
    }

    fn acos(x: f32) -> f32 {
        libm::acos(f64::from(x)) as f32
    }
}

impl bevy_mikktspace::Geometry<LibmOps> for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.triangles.len()
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.positions.get(self.triangles[face][vert] as usize).copied().unwrap_or_default()
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        self.normal_at(face, vert).to_array()
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.uvs.get(self.triangles[face][vert] as usize).copied().unwrap_or_default()
    }

    fn set_tangent(&mut self, tangent_space: Option<TangentSpace>, face: usize, vert: usize) {
        let Some(space) = tangent_space else { return };
        let tangent = Vec3::from(space.tangent());
        if tangent.is_finite() && tangent.length_squared() > 0.5 {
            // MikkTSpace's v grows upwards, glTF's downwards.
            let sign = if space.is_orientation_preserving() { -1.0 } else { 1.0 };
            self.tangents[face][vert] = tangent.extend(sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach::shapes::{Cuboid, Sphere};
    use testkit::Rng;

    use super::*;

    /// The directions in which u and v grow on a triangle, by its edges.
    fn gradients(geometry: &Geometry, vertices: [u32; 3]) -> Option<[Vec3; 2]> {
        let [p, q, r] = vertices.map(|it| geometry.positions[it as usize]);
        let [a, b, c] = vertices.map(|it| geometry.uvs[0][it as usize]);
        let (first, second) = (b - a, c - a);
        let area = first.perp_dot(second);
        if area.abs() < 1e-9 {
            return None;
        }
        let u = ((q - p) * second.y - (r - p) * first.y) / area;
        let v = ((r - p) * first.x - (q - p) * second.x) / area;
        Some([u.normalize(), v.normalize()])
    }

    #[test]
    fn tangents_follow_u_and_bitangents_follow_decreasing_v() {
        let cuboid = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).build().unwrap();
        let sphere = Sphere::new(1.0).build().unwrap();
        for geometry in [cuboid, sphere] {
            let tangents = corner_tangents(&geometry, 0).unwrap();
            let mut compared = 0;
            for (vertices, tangents) in geometry.triangles().zip(tangents) {
                let Some([u, v]) = gradients(&geometry, vertices) else { continue };
                for (vertex, tangent) in vertices.into_iter().zip(tangents) {
                    let normal = geometry.normals[vertex as usize];
                    let bitangent = normal.cross(tangent.truncate()) * tangent.w;
                    assert!(tangent.truncate().dot(normal).abs() < 1e-4);
                    assert!(tangent.truncate().dot(u) > 0.8, "{tangent} {u}");
                    assert!(bitangent.dot(-v) > 0.8, "{bitangent} {v}");
                    compared += 1;
                }
            }
            assert!(compared >= 36, "{compared}");
        }
    }

    #[test]
    fn mirrored_texture_coordinates_give_a_vertex_two_tangents() {
        let positions = [(-1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0)];
        let uvs = positions.map(|(x, y): (f32, f32)| Vec2::new(x.abs(), 1.0 - y));
        let geometry = Geometry::from_triangles(
            positions.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec(),
            vec![0, 1, 2, 1, 3, 2],
        )
        .with_uvs(uvs.to_vec());
        let tangents = corner_tangents(&geometry, 0).unwrap();
        assert_eq!(tangents[0], [Vec4::new(-1.0, 0.0, 0.0, -1.0); 3]);
        assert_eq!(tangents[1], [Vec4::new(1.0, 0.0, 0.0, 1.0); 3]);
        assert_eq!(corner_tangents(&geometry, 1), None);
        assert_eq!(corner_tangents(&Geometry::default(), 0), None);
    }

    #[test]
    fn hostile_geometry_gives_finite_tangents() {
        let odd = [0.0, 1.0, -1.0, 0.5, 1e-40, 1e30, -3e38, f32::NAN, f32::INFINITY];
        let mut rng = Rng::new(61);
        for round in 0..400 {
            let mut pick = |count: usize| odd[rng.below(count)];
            let limit = if round % 2 == 0 { odd.len() } else { 4 };
            let mut vectors = |count: usize| -> Vec<Vec3> {
                (0..count).map(|_| Vec3::new(pick(limit), pick(limit), pick(limit))).collect()
            };
            let (positions, normals, uvs) = (vectors(12), vectors(12), vectors(12));
            let indices = (0..60).map(|_| rng.below(if round % 3 == 0 { 14 } else { 12 }) as u32);
            let mut geometry = Geometry::from_triangles(positions, indices.collect())
                .with_uvs(uvs.iter().map(|it| it.truncate()).collect());
            if round % 5 != 0 {
                geometry = geometry.with_normals(normals);
            }
            let tangents = corner_tangents(&geometry, 0).unwrap();
            assert!(tangents.iter().flatten().all(|it| it.is_finite()), "round {round} of seed 61");
        }
    }
}
