//! How many bytes geometries occupy: columns that they have in common count once.

use std::collections::HashSet;

use super::{Geometry, VertexData};

impl Geometry {
    /// The bytes its data occupy, without what a handle works out. What it shares with others counts:
    /// for several geometries ask [`memory_of`](Self::memory_of).
    #[must_use]
    pub fn memory(&self) -> usize {
        Self::memory_of([self])
    }

    /// The bytes that the data of all these geometries occupy, what they share once.
    ///
    /// ```
    /// use pleach::{Column, Geometry, glam::Vec3};
    ///
    /// let own = Geometry::from_positions(vec![Vec3::ZERO; 300]);
    /// assert_eq!(Geometry::memory_of([&own, &own.clone()]), 7200);
    /// let shared = Geometry { positions: Column::shared(own.positions.into_vec()), ..own };
    /// assert_eq!(Geometry::memory_of([&shared, &shared.clone()]), 3600);
    /// ```
    #[must_use]
    pub fn memory_of<'a>(geometries: impl IntoIterator<Item = &'a Self>) -> usize {
        let mut tally = Tally::default();
        for geometry in geometries {
            tally.add(geometry);
        }
        tally.bytes
    }
}

#[derive(Default)]
struct Tally {
    bytes: usize,
    /// Shared columns that were counted.
    counted: HashSet<usize>,
}

impl Tally {
    fn add(&mut self, geometry: &Geometry) {
        self.column(&geometry.positions);
        self.column(&geometry.normals);
        self.column(&geometry.tangents);
        geometry.uvs.iter().for_each(|set| self.column(set));
        geometry.colors.iter().for_each(|set| self.column(set));
        for set in &geometry.influences {
            self.column(&set.joints);
            self.column(&set.weights);
        }
        for target in &geometry.morph_targets {
            self.bytes += target.name.as_ref().map_or(0, String::len);
            self.column(&target.positions);
            self.column(&target.normals);
            self.column(&target.tangents);
        }
        let indices = geometry.indices.as_deref().unwrap_or_default();
        self.bytes += size_of_val(indices) + size_of_val(&*geometry.face_materials);
    }

    fn column<T>(&mut self, column: &VertexData<T>) {
        if column.shared_id().is_none_or(|id| self.counted.insert(id)) {
            self.bytes += size_of_val(column.as_slice());
        }
    }
}
