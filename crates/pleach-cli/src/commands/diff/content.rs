//! What nodes show, made comparable across two files.
//!
//! Handles of different files never equal. Here each geometry, image and material gets a number,
//! the same for all that hold the same. Each is looked at once, however many nodes share it.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use glam::{Vec2, Vec3, Vec4};
use pleach::{Asset, AssetId, Geometry, Handle, Image, ImageData, Material, NodeId, Part, Scene};

/// Numbers for what is the same.
#[derive(Default)]
pub(super) struct Contents {
    geometries: Alike<Geometry>,
    images: Alike<Image>,
    materials: HashMap<AssetId, u32>,
    /// By what they are, as text.
    kinds_of_material: HashMap<String, u32>,
}

/// Values that were met, by what they hold.
struct Alike<T: Asset> {
    by_id: HashMap<AssetId, u32>,
    by_hash: HashMap<u64, Vec<(Handle<T>, u32)>>,
    count: u32,
}

impl<T: Asset> Default for Alike<T> {
    fn default() -> Self {
        Self { by_id: HashMap::new(), by_hash: HashMap::new(), count: 0 }
    }
}

impl<T: Asset> Alike<T> {
    fn number(
        &mut self,
        handle: &Handle<T>,
        hash: impl FnOnce(&T, &mut DefaultHasher),
        is_same: impl Fn(&T, &T) -> bool,
    ) -> u32 {
        if let Some(&number) = self.by_id.get(&handle.id()) {
            return number;
        }
        let mut hasher = DefaultHasher::new();
        hash(handle, &mut hasher);
        let met = self.by_hash.entry(hasher.finish()).or_default();
        let number = match met.iter().find(|(other, _)| is_same(other, handle)) {
            Some((_, number)) => *number,
            None => {
                self.count += 1;
                met.push((handle.clone(), self.count));
                self.count
            }
        };
        self.by_id.insert(handle.id(), number);
        number
    }
}

impl Contents {
    /// The same number for the same geometry.
    pub(super) fn geometry(&mut self, geometry: &Handle<Geometry>) -> u32 {
        self.geometries.number(geometry, hash_geometry, |one, other| one == other)
    }

    /// The same number for the same material, its name and textures included.
    pub(super) fn material(&mut self, material: &Handle<Material>) -> u32 {
        if let Some(&number) = self.materials.get(&material.id()) {
            return number;
        }
        let mut bare: Material = (**material).clone();
        let name = bare.name.take();
        // Images are told apart by number, as their handles print differently in each file.
        let mut text = without_handles(&format!("{bare:?}"));
        for texture in material.textures() {
            let hash = |image: &Image, state: &mut DefaultHasher| hash_image(image, state);
            let is_same = |one: &Image, other: &Image| one.data == other.data;
            let image = self.images.number(&texture.image, hash, is_same);
            // A string cannot fail to be written to.
            _ = write!(text, " {image}");
        }
        _ = write!(text, " {name:?}");
        let next = self.kinds_of_material.len() as u32;
        let number = *self.kinds_of_material.entry(text).or_insert(next);
        self.materials.insert(material.id(), number);
        number
    }

    /// What a node is, but for its name, its place in the tree, and nodes it names.
    pub(super) fn of_node(&mut self, scene: &Scene, node: NodeId) -> u64 {
        let mut hasher = DefaultHasher::new();
        let graph = &scene.graph;
        if let Some(view) = graph.get(node) {
            for column in view.local_matrix().to_cols_array() {
                hash_number(column, &mut hasher);
            }
            view.is_visible().hash(&mut hasher);
        }
        if let Some(mesh) = scene.meshes.get(graph, node) {
            for Part { geometry, material } in &mesh.parts {
                (self.geometry(geometry), self.material(material)).hash(&mut hasher);
            }
            let copies = mesh.instances.as_ref();
            copies.map(|copies| copies.len()).hash(&mut hasher);
        }
        let lights = scene.lights.get(graph, node);
        let kinds = (scene.cameras.get(graph, node).is_some(), lights.is_some());
        (kinds, scene.skins.get(graph, node).is_some()).hash(&mut hasher);
        hasher.finish()
    }
}

/// `Handle(image a7)` says nothing outside of its file.
fn without_handles(text: &str) -> String {
    let mut pieces = text.split("Handle(");
    let mut out = String::from(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.push_str(piece.split_once(')').map_or(piece, |(_, rest)| rest));
    }
    out
}

fn hash_image(image: &Image, state: &mut DefaultHasher) {
    match &image.data {
        ImageData::Encoded { mime, bytes } => (mime, bytes).hash(state),
        ImageData::Rgba8 { width, height, pixels } => (width, height, pixels).hash(state),
        ImageData::External { uri } => uri.hash(state),
    }
}

/// Numbers that are equal hash alike, also 0 and −0.
fn hash_number(number: f32, state: &mut DefaultHasher) {
    state.write_u32((number + 0.0).to_bits());
}

fn hash_geometry(geometry: &Geometry, state: &mut DefaultHasher) {
    let three = |column: &[Vec3], state: &mut DefaultHasher| {
        column.len().hash(state);
        column.iter().flat_map(|it| it.to_array()).for_each(|it| hash_number(it, state));
    };
    let four = |column: &[Vec4], state: &mut DefaultHasher| {
        column.len().hash(state);
        column.iter().flat_map(|it| it.to_array()).for_each(|it| hash_number(it, state));
    };
    let two = |column: &[Vec2], state: &mut DefaultHasher| {
        column.len().hash(state);
        column.iter().flat_map(|it| it.to_array()).for_each(|it| hash_number(it, state));
    };
    geometry.mode.hash(state);
    geometry.indices.hash(state);
    three(&geometry.positions, state);
    three(&geometry.normals, state);
    four(&geometry.tangents, state);
    geometry.uvs.iter().for_each(|column| two(column, state));
    geometry.colors.iter().for_each(|column| four(column, state));
    for influences in &geometry.influences {
        influences.joints.hash(state);
    }
    for target in &geometry.morph_targets {
        three(&target.positions, state);
    }
}
