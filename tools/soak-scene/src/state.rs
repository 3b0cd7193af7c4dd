//! `State`: a copy of everything about a scene that an undo and a snapshot restore, as plain numbers.
//!
//! Nodes with their handles, order, names and bits; rows in their order; the values of the assets in
//! use; environment and name. Assets are numbered by their first use, so that a scene and the one
//! that was loaded from its snapshot have the same numbers; their ids and versions are kept apart.

use pleach::asset::AssetId;
use pleach::camera::{Camera, Projection};
use pleach::component::{Bounds, Lod, MorphWeights, Skin};
use pleach::glam::{Mat4, Vec3};
use pleach::light::Background;
use pleach::material::{Image, ImageData};
use pleach::{Component, Constraint, Graph, Handle, Light, NodeId, Scene};
use serde::{Deserialize, Serialize};

/// A component of a user, with a reference to another node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// A value.
    pub points: u32,
    /// A node, which may be removed later.
    pub friend: Option<NodeId>,
}

impl Component for Health {
    const NAME: &'static str = "health";
}

/// The names that nodes get.
pub const NAMES: [&str; 3] = ["a", "lamp", "ä🌳"];

/// A copy of a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Everything but the ids of assets.
    content: Vec<u64>,
    /// The ends of the parts of `content`.
    ends: Vec<usize>,
    /// The ids and versions of the assets in use, by number.
    assets: Vec<(AssetId, u64)>,
}

/// The parts of the content, in order.
const PARTS: [&str; 12] = [
    "scene",
    "nodes",
    "names",
    "meshes",
    "lights",
    "weights",
    "constraints",
    "health",
    "cameras",
    "skins",
    "lods",
    "bounds",
];

impl State {
    /// Copies a scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let mut state = Self::default();
        state.add_text(&scene.name);
        let environment = &scene.environment;
        state.add_vec3(environment.ambient.color);
        state.add_f32(environment.ambient.intensity);
        if let Some(Background::Color(color)) = environment.background {
            state.add_vec3(color);
        }
        if let Some(map) = &environment.map {
            state.add_f32(map.intensity);
            if let Some(image) = map.as_image() {
                state.add_image(image);
            }
        }
        state.end_part();
        state.add_nodes(scene);
        // The order of nodes with the same name.
        for name in NAMES {
            scene.graph.find_all(name).for_each(|node| state.add_node(Some(node)));
            state.content.push(u64::MAX);
        }
        state.end_part();
        state.add_meshes(scene);
        state.add_rows(scene, |state, light: &Light| {
            state.add_vec3(light.color);
            state.add_f32(light.intensity);
        });
        state.add_rows(scene, |state, weights: &MorphWeights| {
            weights.0.iter().for_each(|&weight| state.add_f32(weight));
        });
        state.add_rows(scene, |state, constraint: &Constraint| {
            if let Constraint::LookAt { target, up } = constraint {
                state.add_node(Some(*target));
                state.add_vec3(*up);
            }
        });
        state.add_rows(scene, |state, health: &Health| {
            state.content.push(u64::from(health.points));
            state.add_node(health.friend);
        });
        state.add_rows(scene, |state, camera: &Camera| {
            state.content.push(u64::from(camera.layers));
            if let Projection::Perspective { fov_y, .. } = camera.projection {
                state.add_f32(fov_y);
            }
        });
        state.add_rows(scene, |state, skin: &Skin| {
            skin.joints.iter().for_each(|&joint| state.add_node(Some(joint)));
            skin.inverse_bind_matrices.iter().for_each(|matrix| state.add_matrix(matrix));
        });
        state.add_rows(scene, |state, lod: &Lod| {
            for level in &lod.levels {
                state.add_node(Some(level.node));
                state.add_f32(level.min_screen_size);
            }
        });
        state.add_rows(scene, |state, Bounds(bounds): &Bounds| {
            state.add_vec3(bounds.min);
            state.add_vec3(bounds.max);
        });
        state
    }

    /// Returns the number of values.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.content.len()
    }

    /// Returns the bits of the world matrices of all nodes, as the last update of the scene left them.
    #[must_use]
    pub fn worlds(scene: &Scene) -> Vec<u64> {
        let mut state = Self::default();
        let nodes = scene.graph.depth_first().filter_map(|id| scene.graph.get(id));
        for node in nodes {
            state.add_node(Some(node.id()));
            state.add_matrix(&node.world());
        }
        state.content
    }

    /// Returns a description of the first difference to another state; `None` if there is none. The ids
    /// and versions of assets differ between a scene and the one that was loaded from its snapshot.
    #[must_use]
    pub fn difference(&self, other: &Self, compares_ids: bool) -> Option<String> {
        if self.content != other.content || self.ends != other.ends {
            let mut pairs = self.content.iter().zip(&other.content);
            let end = self.content.len().min(other.content.len());
            let at = pairs.position(|(one, other)| one != other).unwrap_or(end);
            let part = self.ends.iter().position(|&end| at < end).unwrap_or(0);
            let values = [self, other].map(|it| it.content.get(at).map(|it| format!("{it:#x}")));
            return Some(format!("{} differ at {at}: {values:?}", PARTS[part]));
        }
        let assets = (&self.assets, &other.assets);
        (compares_ids && assets.0 != assets.1).then(|| format!("assets differ: {assets:?}"))
    }

    fn end_part(&mut self) {
        self.ends.push(self.content.len());
    }

    fn add_f32(&mut self, number: f32) {
        self.content.push(u64::from(number.to_bits()));
    }

    fn add_vec3(&mut self, vector: Vec3) {
        vector.to_array().into_iter().for_each(|number| self.add_f32(number));
    }

    fn add_matrix(&mut self, matrix: &Mat4) {
        matrix.to_cols_array().into_iter().for_each(|number| self.add_f32(number));
    }

    fn add_node(&mut self, node: Option<NodeId>) {
        self.content.push(node.map_or(0, NodeId::to_bits));
    }

    fn add_text(&mut self, text: &str) {
        self.content.push(text.len() as u64);
        self.content.extend(text.bytes().map(u64::from));
    }

    fn add_nodes(&mut self, scene: &Scene) {
        let graph = &scene.graph;
        self.add_node(Some(scene.root()));
        for id in graph.depth_first() {
            let node = graph.node(id).expect("it is alive");
            self.add_node(Some(id));
            self.add_node(node.parent());
            self.content.extend([node.is_visible(), node.is_shown()].map(u64::from));
            self.add_text(node.name().unwrap_or("(none)"));
            let transform = node.transform();
            self.add_vec3(transform.translation);
            // The next update writes the rotation of a constrained node.
            if scene.constraints.get(graph, id).is_some() {
                continue;
            }
            transform.rotation.to_array().into_iter().for_each(|number| self.add_f32(number));
            self.add_vec3(transform.scale);
            if node.has_local_matrix() {
                self.add_matrix(&node.local_matrix());
            }
        }
        self.end_part();
    }

    fn add_meshes(&mut self, scene: &Scene) {
        for (node, mesh) in scene.meshes.iter(&scene.graph) {
            self.add_node(Some(node));
            self.content.push(u64::from(mesh.layers));
            for part in &mesh.parts {
                if self.add_asset(part.geometry.id(), part.geometry.version()) {
                    part.geometry.get().positions.iter().for_each(|&it| self.add_vec3(it));
                }
                if self.add_asset(part.material.id(), part.material.version()) {
                    let material = part.material.get();
                    self.add_vec3(material.base_color.truncate());
                    for texture in material.textures() {
                        self.add_image(&texture.image);
                    }
                }
            }
            if let Some(instances) = &mesh.instances {
                instances.matrices().iter().for_each(|matrix| self.add_matrix(matrix));
            }
        }
        self.end_part();
    }

    fn add_image(&mut self, image: &Handle<Image>) {
        if self.add_asset(image.id(), image.version()) {
            let image = image.get();
            self.add_text(image.name.as_deref().unwrap_or("(none)"));
            if let ImageData::External { uri } = &image.data {
                self.add_text(uri);
            }
        }
    }

    /// Adds the number of an asset. Returns `true` if it was not used before.
    fn add_asset(&mut self, id: AssetId, version: u64) -> bool {
        let known = self.assets.iter().position(|it| it.0 == id);
        self.content.push(known.unwrap_or(self.assets.len()) as u64);
        if known.is_none() {
            self.assets.push((id, version));
        }
        known.is_none()
    }

    fn add_rows<T: Component>(&mut self, scene: &Scene, mut add: impl FnMut(&mut Self, &T)) {
        let graph: &Graph = &scene.graph;
        for (node, row) in scene.table::<T>().iter(graph) {
            self.add_node(Some(node));
            add(self, row);
        }
        self.end_part();
    }
}
