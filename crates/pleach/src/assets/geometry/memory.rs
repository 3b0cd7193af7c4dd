//! The memory of geometries: vertex data that several of them share counts once.

use std::collections::HashSet;

use super::{Geometry, VertexData};

impl Geometry {
    /// Returns the size of its data in bytes, without what its handle caches. Shared vertex data is
    /// included: for several geometries use [`memory_of`](Self::memory_of).
    #[must_use]
    pub fn memory(&self) -> usize {
        Self::memory_of([self])
    }

    /// Returns the size of the data of all these geometries in bytes; shared vertex data counts
    /// once.
    ///
    /// ```
    /// use pleach::{VertexData, Geometry, glam::Vec3};
    ///
    /// let own = Geometry::from_positions(vec![Vec3::ZERO; 300]);
    /// assert_eq!(Geometry::memory_of([&own, &own.clone()]), 7200);
    /// let shared = Geometry { positions: VertexData::shared(own.positions.into_vec()), ..own };
    /// assert_eq!(Geometry::memory_of([&shared, &shared.clone()]), 3600);
    /// ```
    #[must_use]
    pub fn memory_of<'a>(geometries: impl IntoIterator<Item = &'a Self>) -> usize {
        let mut counter = MemoryCounter::default();
        for geometry in geometries {
            counter.add(geometry);
        }
        counter.bytes
    }
}

#[derive(Default)]
struct MemoryCounter {
    bytes: usize,
    /// The ids of shared vertex data that was counted.
    counted: HashSet<usize>,
}

impl MemoryCounter {
    fn add(&mut self, geometry: &Geometry) {
        self.add_data(&geometry.positions);
        self.add_data(&geometry.normals);
        self.add_data(&geometry.tangents);
        geometry.uvs.iter().for_each(|set| self.add_data(set));
        geometry.colors.iter().for_each(|set| self.add_data(set));
        for set in &geometry.influences {
            self.add_data(&set.joints);
            self.add_data(&set.weights);
        }
        for target in &geometry.morph_targets {
            self.bytes += target.name.as_ref().map_or(0, String::len);
            self.add_data(&target.positions);
            self.add_data(&target.normals);
            self.add_data(&target.tangents);
        }
        let indices = geometry.indices.as_deref().unwrap_or_default();
        self.bytes += size_of_val(indices)
            + size_of_val(&*geometry.face_materials)
            + size_of_val(&*geometry.vertex_materials);
    }

    fn add_data<T>(&mut self, data: &VertexData<T>) {
        if data.shared_id().is_none_or(|id| self.counted.insert(id)) {
            self.bytes += size_of_val(data.as_slice());
        }
    }
}
