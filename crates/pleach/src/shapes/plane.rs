//! A flat rectangle.

use glam::{Vec2, Vec3};

use super::error::Validator;
use super::orient;
use crate::{Error, Geometry, UpAxis};

/// A rectangle in the XY plane that faces +Z, or with +Y up in the XZ plane, facing +Y. Its back is not drawn unless the material is
/// double-sided.
///
/// `(cells_x + 1) * (cells_y + 1)` vertices, and two triangles per cell, in rows starting at +Y, or with
/// +Y up at −Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The size along X and Y, or with +Y up along X and Z.
    pub size: Vec2,
    /// The number of cells along X; at least 1.
    pub cells_x: u32,
    /// The number of cells along Y; at least 1.
    pub cells_y: u32,
    /// The axis that points up; +Z by default.
    pub up: UpAxis,
}

impl Plane {
    /// Creates a plane of one cell.
    #[must_use]
    pub fn new(size: Vec2) -> Self {
        Self { size, cells_x: 1, cells_y: 1, up: UpAxis::Z }
    }

    /// Sets the number of cells along X and Y.
    #[must_use]
    pub fn with_cells(self, cells_x: u32, cells_y: u32) -> Self {
        Self { cells_x, cells_y, ..self }
    }

    /// Sets the axis that points up.
    #[must_use]
    pub fn with_up(self, up: UpAxis) -> Self {
        Self { up, ..self }
    }

    /// Builds the geometry.
    ///
    /// ```
    /// let geometry = pleach::shapes::Plane::default().build()?;
    /// assert!(geometry.triangle_count() > 0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for invalid parameters; see the [module documentation](super).
    pub fn build(&self) -> Result<Geometry, Error> {
        let shape = Validator("plane");
        shape.size("size.x", self.size.x)?;
        shape.size("size.y", self.size.y)?;
        let columns = shape.count("cells_x", self.cells_x, 1)?;
        let rows = shape.count("cells_y", self.cells_y, 1)?;
        shape.vertices(columns, rows)?;

        let (mut positions, mut uvs, mut indices) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..=rows {
            for column in 0..=columns {
                let u = f64::from(column) / f64::from(columns);
                let v = f64::from(row) / f64::from(rows);
                let x = (u - 0.5) * f64::from(self.size.x);
                let y = (0.5 - v) * f64::from(self.size.y);
                positions.push(Vec3::new(x as f32, y as f32, 0.0));
                uvs.push(Vec2::new(u as f32, v as f32));
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let upper = row * (columns + 1) + column;
                let lower = upper + columns + 1;
                indices.extend([upper, lower, lower + 1, upper, lower + 1, upper + 1]);
            }
        }
        let normals = vec![Vec3::Z; positions.len()];
        let plane = Geometry::from_triangles(positions, indices);
        Ok(orient(plane.with_normals(normals).with_uvs(uvs), self.up))
    }
}

impl Default for Plane {
    fn default() -> Self {
        Self::new(Vec2::ONE)
    }
}
