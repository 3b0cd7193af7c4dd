//! Surfaces of revolution around the Z axis, and the discs that close them. All round shapes
//! consist of these two.
//!
//! Positions on shared edges are computed in f64 from the same radius, height and direction,
//! and rounded once, so they match bit for bit.

use glam::{DVec2, DVec3, Vec2, Vec3};

use super::circle::radial_direction;
use crate::Geometry;

/// A point of a profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProfilePoint {
    /// The distance from the axis; 0 is a pole.
    pub(super) radius: f64,
    /// The position along the axis.
    pub(super) height: f64,
    /// The components of the normal away from the axis and along it.
    pub(super) normal: DVec2,
    /// The v texture coordinate.
    pub(super) v: f64,
}

/// Adds the surface of revolution of a profile, which is given from top to bottom along the
/// outside.
///
/// Each point of the profile becomes a row of `segments + 1` vertices, the last at the position
/// of the first; a pole becomes a row of `segments` vertices, at the centres of the columns.
pub(super) fn revolve(geometry: &mut Geometry, profile: &[ProfilePoint], segments: u32) {
    let add_row = |point| add_row(geometry, point, segments);
    let rows: Vec<VertexRow> = profile.iter().map(add_row).collect();
    let indices = geometry.indices.get_or_insert_default();
    for rows in rows.windows(2) {
        let (upper, lower) = (rows[0], rows[1]);
        for column in 0..segments {
            // Seen from outside, columns run to the right. At a pole two corners coincide, and
            // the degenerate triangle is left out.
            let [upper_left, lower_left] = [upper.first + column, lower.first + column];
            let [upper_right, lower_right] = [upper.right(column), lower.right(column)];
            if !lower.is_pole {
                indices.extend([upper_left, lower_left, lower_right]);
            }
            if !upper.is_pole {
                indices.extend([upper_left, lower_right, upper_right]);
            }
        }
    }
}

/// Adds a disc that faces up or down: `segments + 1` vertices, the first at the centre. Adds
/// nothing if the radius is 0.
///
/// The texture is upright when seen from that side with +X to the right.
pub(super) fn add_disc(geometry: &mut Geometry, radius: f64, height: f64, up: bool, segments: u32) {
    if radius == 0.0 {
        return;
    }
    let (normal, down) = if up { (Vec3::Z, -0.5) } else { (Vec3::NEG_Z, 0.5) };
    let center = geometry.positions.len() as u32;
    let rim = (0..segments).map(|column| radial_direction(column, segments));
    for direction in std::iter::once(DVec2::ZERO).chain(rim) {
        geometry.positions.push(position(direction, radius, height));
        geometry.normals.push(normal);
        let uv = DVec2::splat(0.5) + direction * DVec2::new(0.5, down);
        geometry.uvs[0].push(uv.as_vec2());
    }
    let indices = geometry.indices.get_or_insert_default();
    for column in 0..segments {
        let (this, next) = (center + 1 + column, center + 1 + (column + 1) % segments);
        indices.extend(if up { [center, this, next] } else { [center, next, this] });
    }
}

/// Returns an empty geometry for `revolve` and `add_disc`.
pub(super) fn empty_geometry() -> Geometry {
    Geometry::default().with_uvs(Vec::new()).with_indices(Vec::new())
}

/// A row of vertices around the axis.
#[derive(Clone, Copy)]
struct VertexRow {
    first: u32,
    is_pole: bool,
}

impl VertexRow {
    /// Returns the vertex at the right end of a column.
    fn right(self, column: u32) -> u32 {
        self.first + column + u32::from(!self.is_pole)
    }
}

fn add_row(geometry: &mut Geometry, point: &ProfilePoint, segments: u32) -> VertexRow {
    let row = VertexRow { first: geometry.positions.len() as u32, is_pole: point.radius == 0.0 };
    let columns = if row.is_pole { segments } else { segments + 1 };
    for column in 0..columns {
        // In units of half a column.
        let (index, count) = (2 * column + u32::from(row.is_pole), 2 * segments);
        let direction = radial_direction(index, count);
        geometry.positions.push(position(direction, point.radius, point.height));
        let normal = (direction * point.normal.x).extend(point.normal.y);
        geometry.normals.push(to_f32(normal));
        let u = f64::from(index) / f64::from(count);
        geometry.uvs[0].push(Vec2::new(u as f32, point.v as f32));
    }
    row
}

fn position(direction: DVec2, radius: f64, height: f64) -> Vec3 {
    to_f32((direction * radius).extend(height))
}

/// Rounds to f32, without negative zeros.
fn to_f32(vector: DVec3) -> Vec3 {
    vector.as_vec3() + Vec3::ZERO
}
