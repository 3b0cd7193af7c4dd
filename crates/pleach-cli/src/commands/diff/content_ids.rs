//! Identifiers of content that are comparable across two files.
//!
//! Handles of different files are never equal. Here each geometry, image and material gets a number
//! that is the same for equal content. Each is processed once, however many nodes share it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use pleach::{
    Asset, AssetId, Geometry, Handle, Image, ImageData, Material, Mesh, NodeId, Part, Scene,
};

use super::vertex_data::{VertexDataCache, hash_float};

/// Numbers of geometries, images and materials by content.
#[derive(Default)]
pub(super) struct ContentIds {
    vertex_data: VertexDataCache,
    geometries: ContentTable<Geometry>,
    images: ContentTable<Image>,
    materials: HashMap<AssetId, u32>,
    /// Materials with the first of equal images, and their numbers.
    materials_by_hash: HashMap<u64, Vec<(Material, u32)>>,
    material_count: u32,
}

/// The known values and their numbers.
struct ContentTable<T: Asset> {
    by_id: HashMap<AssetId, u32>,
    by_hash: HashMap<u64, Vec<(Handle<T>, u32)>>,
    /// The first value of each number, which start at 1.
    first: Vec<Handle<T>>,
}

impl<T: Asset> Default for ContentTable<T> {
    fn default() -> Self {
        Self { by_id: HashMap::new(), by_hash: HashMap::new(), first: Vec::new() }
    }
}

impl<T: Asset> ContentTable<T> {
    /// Assigns a number to a value that has none yet.
    fn number(
        &mut self,
        handle: &Handle<T>,
        hash: u64,
        mut is_same: impl FnMut(&T, &T) -> bool,
    ) -> u32 {
        let known = self.by_hash.entry(hash).or_default();
        let value = handle.get();
        let number = match known.iter().find(|(other, _)| is_same(&other.get(), &value)) {
            Some((_, number)) => *number,
            None => {
                self.first.push(handle.clone());
                known.push((handle.clone(), self.first.len() as u32));
                self.first.len() as u32
            }
        };
        self.by_id.insert(handle.id(), number);
        number
    }
}

impl ContentIds {
    /// Returns the number of a geometry; equal geometries have the same.
    pub(super) fn geometry(&mut self, geometry: &Handle<Geometry>) -> u32 {
        if let Some(&number) = self.geometries.by_id.get(&geometry.id()) {
            return number;
        }
        let Self { vertex_data, geometries, .. } = self;
        let hash = vertex_data.hash(&geometry.get());
        geometries.number(geometry, hash, |one, other| vertex_data.is_same(one, other))
    }

    /// Returns the number of a material; equal materials, including names and textures, have the
    /// same.
    pub(super) fn material(&mut self, material: &Handle<Material>) -> u32 {
        if let Some(&number) = self.materials.get(&material.id()) {
            return number;
        }
        let mut bare: Material = material.get().value().clone();
        let state = &mut DefaultHasher::new();
        bare.name.hash(state);
        bare.base_color.to_array().into_iter().for_each(|it| hash_float(it, state));
        // Handles differ between files: equal images are represented by the first of them.
        for texture in bare.textures_mut() {
            let number = self.image(&texture.image);
            number.hash(state);
            texture.image = self.images.first[number as usize - 1].clone();
        }
        let known = self.materials_by_hash.entry(state.finish()).or_default();
        let number = match known.iter().find(|(other, _)| *other == bare) {
            Some((_, number)) => *number,
            None => {
                self.material_count += 1;
                known.push((bare, self.material_count));
                self.material_count
            }
        };
        self.materials.insert(material.id(), number);
        number
    }

    fn image(&mut self, image: &Handle<Image>) -> u32 {
        if let Some(&number) = self.images.by_id.get(&image.id()) {
            return number;
        }
        let is_same = |one: &Image, other: &Image| one.data == other.data;
        self.images.number(image, hash_image(&image.get()), is_same)
    }

    /// Returns a hash of a node without its name, its position in the tree and references to other
    /// nodes.
    pub(super) fn of_node(&mut self, scene: &Scene, node: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        let graph = &scene.graph;
        if let Some(view) = graph.get(node) {
            for column in view.local_matrix().to_cols_array() {
                hash_float(column, &mut hasher);
            }
            view.is_visible().hash(&mut hasher);
        }
        if let Some(mesh) = scene.meshes.get(graph, node) {
            self.hash_parts(mesh, &mut hasher);
            let instances = mesh.instances.as_ref();
            instances.map(|instances| instances.len()).hash(&mut hasher);
        }
        let lights = scene.lights.get(graph, node);
        let kinds = (scene.cameras.get(graph, node).is_some(), lights.is_some());
        (kinds, scene.skins.get(graph, node).is_some()).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns a hash of the mesh, camera or light of a node, or `None` if it has none of them.
    pub(super) fn of_object(&mut self, scene: &Scene, node: NodeId) -> Option<u64> {
        let graph = &scene.graph;
        let mesh = scene.meshes.get(graph, node);
        let camera = scene.cameras.get(graph, node);
        let light = scene.lights.get(graph, node);
        if mesh.is_none() && camera.is_none() && light.is_none() {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        if let Some(mesh) = mesh {
            self.hash_parts(mesh, &mut hasher);
        }
        // Few nodes have one.
        camera.map(|camera| format!("{camera:?}")).hash(&mut hasher);
        light.map(|light| format!("{light:?}")).hash(&mut hasher);
        Some(hasher.finish())
    }

    fn hash_parts(&mut self, mesh: &Mesh, hasher: &mut DefaultHasher) {
        for Part { geometry, material } in &mesh.parts {
            (self.geometry(geometry), self.material(material)).hash(hasher);
        }
    }
}

fn hash_image(image: &Image) -> u64 {
    let state = &mut DefaultHasher::new();
    match &image.data {
        ImageData::Encoded { mime, bytes } => (mime, bytes).hash(state),
        ImageData::Rgba8 { width, height, pixels } => (width, height, pixels).hash(state),
        ImageData::RgbF32 { width, height, pixels } => {
            (width, height).hash(state);
            pixels.iter().flatten().for_each(|number| number.to_bits().hash(state));
        }
        ImageData::External { uri } => uri.hash(state),
        _ => {}
    }
    state.finish()
}
