//! `Geometry::check`: reports the first inconsistency by attribute, vertex and value.
//!
//! Checks what the rest of the crate, or a GPU, relies on. Not checked: that normals have length 1,
//! or that weights sum to 1; such data looks wrong, but is harmless.

use super::{Geometry, VertexData};
use crate::{Attribute, Error, GeometryError};

impl Geometry {
    /// Checks that the attributes, indices and materials are consistent. O(n).
    ///
    /// ```
    /// use pleach::{Geometry, glam::Vec3};
    ///
    /// let quad = Geometry::from_triangles(vec![Vec3::ZERO; 4], vec![0, 1, 2, 0, 2, 4]);
    /// let error = quad.check().unwrap_err().to_string();
    /// assert_eq!(error, "geometry: indices[5] is 4, but there are 4 positions");
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Geometry`] with the first inconsistency: an attribute whose length is neither that
    /// of the positions nor (except for sets of uvs, colours and influences) zero; a wrong number
    /// of face materials; an index out of range; a number that is not finite; a negative weight.
    pub fn check(&self) -> Result<(), Error> {
        self.check_counts()?;
        self.check_indices()?;
        Ok(self.check_numbers()?)
    }

    fn check_counts(&self) -> Result<(), GeometryError> {
        let positions = self.positions.len();
        let check_len = |attribute, entries| match entries == positions {
            true => Ok(()),
            false => Err(GeometryError::Count { attribute, entries, positions }),
        };
        let check_optional_len = |attribute, entries| match entries {
            0 => Ok(()),
            _ => check_len(attribute, entries),
        };
        check_optional_len(Attribute::Normals, self.normals.len())?;
        check_optional_len(Attribute::Tangents, self.tangents.len())?;
        for (set, uvs) in self.uvs.iter().enumerate() {
            check_len(Attribute::Uvs(set), uvs.len())?;
        }
        for (set, colors) in self.colors.iter().enumerate() {
            check_len(Attribute::Colors(set), colors.len())?;
        }
        for (set, influences) in self.influences.iter().enumerate() {
            check_len(Attribute::Joints(set), influences.joints.len())?;
            check_len(Attribute::Weights(set), influences.weights.len())?;
        }
        for (index, target) in self.morph_targets.iter().enumerate() {
            check_optional_len(Attribute::MorphPositions(index), target.positions.len())?;
            check_optional_len(Attribute::MorphNormals(index), target.normals.len())?;
            check_optional_len(Attribute::MorphTangents(index), target.tangents.len())?;
        }
        check_optional_len(Attribute::Materials, self.vertex_materials.len())?;
        let (entries, triangles) = (self.face_materials.len(), self.triangle_count());
        if entries != 0 && entries != triangles {
            return Err(GeometryError::FaceCount { entries, triangles });
        }
        Ok(())
    }

    fn check_indices(&self) -> Result<(), GeometryError> {
        let (indices, positions) = (self.indices.as_deref().unwrap_or(&[]), self.positions.len());
        match indices.iter().position(|&index| index as usize >= positions) {
            Some(at) => Err(GeometryError::Index { at, index: indices[at], positions }),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), GeometryError> {
        check_finite(Attribute::Positions, &self.positions)?;
        check_finite(Attribute::Normals, &self.normals)?;
        check_finite(Attribute::Tangents, &self.tangents)?;
        for (set, uvs) in self.uvs.iter().enumerate() {
            check_finite(Attribute::Uvs(set), uvs)?;
        }
        for (set, colors) in self.colors.iter().enumerate() {
            check_finite(Attribute::Colors(set), colors)?;
        }
        for (set, influences) in self.influences.iter().enumerate() {
            let attribute = Attribute::Weights(set);
            check_finite(attribute, &influences.weights)?;
            if let Some((at, component, value)) =
                find_number(&influences.weights, |weight| weight < 0.0)
            {
                return Err(GeometryError::Negative { attribute, at, component, value });
            }
        }
        for (index, target) in self.morph_targets.iter().enumerate() {
            check_finite(Attribute::MorphPositions(index), &target.positions)?;
            check_finite(Attribute::MorphNormals(index), &target.normals)?;
            check_finite(Attribute::MorphTangents(index), &target.tangents)?;
        }
        Ok(())
    }
}

fn check_finite<const N: usize, V: Copy + Into<[f32; N]>>(
    attribute: Attribute,
    values: &VertexData<V>,
) -> Result<(), GeometryError> {
    if values.is_finite() {
        return Ok(());
    }
    match find_number(values, |number| !number.is_finite()) {
        Some((at, component, value)) => {
            Err(GeometryError::NotFinite { attribute, at, component, value })
        }
        None => Ok(()),
    }
}

/// Returns the first number that is `bad`, with the indices of its value and component.
fn find_number<const N: usize, V: Copy + Into<[f32; N]>>(
    values: &[V],
    bad: impl Fn(f32) -> bool,
) -> Option<(usize, usize, f32)> {
    values.iter().enumerate().find_map(|(at, &value)| {
        let numbers: [f32; N] = value.into();
        let component = numbers.iter().position(|&number| bad(number))?;
        Some((at, component, numbers[component]))
    })
}
