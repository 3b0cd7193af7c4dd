//! `pleach, Scene`: everything through the public functions of `Scene` and `RenderList`. A frame's
//! update ends with `clear_changes`, as in a program.
//!
//! The variant `Scene, bulk` edits with the calls of its graph that take many nodes.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use pleach::shapes::Cuboid;
use pleach::{
    AssetId, Camera, Geometry, Handle, Material, Node, NodeId, RenderList, Scene, Transform, View,
    Visible,
};

use crate::game::contender::{Contender, Drawn, Game};
use crate::game::edits::Edits;
use crate::game::field::{self, CameraPose, Field, Level};
use crate::scene::Local;

pub const IN_SCENE: &str = "every node of the field is in the scene";
pub const FINITE: &str = "the transform is finite";
pub const NO_CYCLE: &str = "the edits create no cycle";

/// The number of nodes per call of a setter: their transforms stay in the cache.
const CHUNK: usize = 1024;

#[derive(Default)]
pub struct SceneContender {
    in_bulk: bool,
    content: Option<Content>,
}

/// The arguments of calls for many nodes, kept for their memory.
#[derive(Default)]
struct BulkArguments {
    nodes: Vec<NodeId>,
    transforms: Vec<Transform>,
    parents: Vec<NodeId>,
}

struct Content {
    arguments: BulkArguments,
    scene: Scene,
    camera: NodeId,
    nodes: Vec<NodeId>,
    geometries: Vec<Handle<Geometry>>,
    materials: Vec<Handle<Material>>,
    view: Option<View>,
    visible: Visible,
    list: RenderList,
}

impl Content {
    fn new(game: &Game) -> Self {
        let mut scene = Scene::new();
        let camera = Camera::perspective(field::fov_y());
        let camera = Node::camera(camera.with_near(field::NEAR).with_far(game.field.far));
        let camera = scene.spawn(camera).expect("the camera is valid");
        let geometries = (0..field::GEOMETRIES).map(|geometry| {
            let size = 2.0 * Vec3::from(field::half_extents(geometry));
            scene.assets.add(Cuboid::new(size).build().expect("the sizes are positive"))
        });
        let geometries = geometries.collect();
        let materials =
            (0..field::MATERIALS).map(|_| scene.assets.add(Material::default())).collect();
        let mut content = Self {
            arguments: BulkArguments::default(),
            scene,
            camera,
            nodes: Vec::new(),
            geometries,
            materials,
            view: None,
            visible: Visible::new(),
            list: RenderList::new(),
        };
        content.nodes = vec![camera; game.field.len()];
        for (node, parent) in game.edit_lists.in_creation_order() {
            content.spawn(node, parent, &game.field.local(node, 0));
        }
        content
    }

    fn spawn(&mut self, number: u32, parent: Option<u32>, local: &Local) {
        let mut node = match field::level(number) {
            Level::Mesh => Node::mesh(
                &self.geometries[field::geometry(number) as usize],
                &self.materials[field::material(number) as usize],
            ),
            Level::Area | Level::Object => Node::group(),
        };
        if let Some(parent) = parent {
            node = node.under(self.nodes[parent as usize]);
        }
        let node = self.scene.spawn(node.with_transform(transform(local)));
        self.nodes[number as usize] = node.expect(FINITE);
    }

    fn set_transforms(&mut self, field: &Field, edits: Edits<'_>) {
        for &number in edits.moved {
            let mut node = self.scene.node_mut(self.nodes[number as usize]).expect(IN_SCENE);
            node.set_transform(transform(&field.local(number, edits.step))).expect(FINITE);
        }
    }

    fn attach(&mut self, pairs: &[(u32, u32)]) {
        for &(node, parent) in pairs {
            let (node, parent) = (self.nodes[node as usize], self.nodes[parent as usize]);
            self.scene.attach(node, parent).expect(NO_CYCLE);
        }
    }

    fn set_transforms_in_bulk(&mut self, field: &Field, edits: Edits<'_>) {
        let BulkArguments { nodes, transforms, .. } = &mut self.arguments;
        for numbers in edits.moved.chunks(CHUNK) {
            nodes.clear();
            nodes.extend(numbers.iter().map(|&number| self.nodes[number as usize]));
            transforms.clear();
            let locals = numbers.iter().map(|&number| field.local(number, edits.step));
            transforms.extend(locals.map(|local| transform(&local)));
            self.scene.graph.set_transforms(nodes, transforms).expect(FINITE);
        }
    }

    fn attach_in_bulk(&mut self, pairs: &[(u32, u32)]) {
        let BulkArguments { nodes, parents, .. } = &mut self.arguments;
        nodes.clear();
        nodes.extend(pairs.iter().map(|&(node, _)| self.nodes[node as usize]));
        parents.clear();
        parents.extend(pairs.iter().map(|&(_, parent)| self.nodes[parent as usize]));
        self.scene.graph.attach_each(nodes, parents).expect(NO_CYCLE);
    }

    fn replace(&mut self, field: &Field, edits: Edits<'_>) {
        for &(mesh, _) in edits.replaced {
            self.scene.remove(self.nodes[mesh as usize]).expect(IN_SCENE);
        }
        for &(mesh, parent) in edits.replaced {
            self.spawn(mesh, Some(parent), &field.local(mesh, edits.step));
        }
    }

    fn set_camera(&mut self, camera: &CameraPose) {
        let pose = Transform {
            translation: camera.position.into(),
            rotation: Quat::from_array(camera.rotation),
            scale: Vec3::ONE,
        };
        let mut camera = self.scene.node_mut(self.camera).expect(IN_SCENE);
        camera.set_transform(pose).expect("the pose is finite");
    }
}

/// Inlined, as if it were written at the call site.
#[inline(always)]
pub fn transform(local: &Local) -> Transform {
    Transform {
        translation: local.translation.into(),
        rotation: Quat::from_array(local.rotation),
        scale: local.scale.into(),
    }
}

impl SceneContender {
    pub fn in_bulk() -> Self {
        Self { in_bulk: true, content: None }
    }

    fn content(&mut self) -> &mut Content {
        self.content.as_mut().expect("a field has been built")
    }
}

impl Contender for SceneContender {
    fn build(&mut self, game: &Game) {
        self.content = Some(Content::new(game));
        self.update();
    }

    fn clear(&mut self) {
        self.content = None;
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, camera: &CameraPose) {
        let in_bulk = self.in_bulk;
        let content = self.content();
        if in_bulk {
            content.set_transforms_in_bulk(field, edits);
            content.attach_in_bulk(edits.attached);
        } else {
            content.set_transforms(field, edits);
            content.attach(edits.attached);
        }
        content.replace(field, edits);
        content.set_camera(camera);
    }

    fn update(&mut self) {
        let scene = &mut self.content().scene;
        scene.update().expect("the scene has its own graph");
        scene.clear_changes();
    }

    fn cull(&mut self, _: &CameraPose) {
        let Content { scene, camera, view, visible, .. } = self.content();
        let view = view.insert(scene.view(*camera, field::VIEWPORT).expect("the camera is valid"));
        scene.cull(view, visible);
    }

    fn list(&mut self) {
        let Content { scene, view, visible, list, .. } = self.content();
        list.build(scene, visible, view.as_ref().expect("the scene has been culled"));
    }

    fn drawn(&self) -> Vec<Drawn> {
        let Some(content) = &self.content else { return Vec::new() };
        let numbers: HashMap<NodeId, u32> = content.nodes.iter().copied().zip(0..).collect();
        let materials = content.materials.iter().map(Handle::id);
        let materials: HashMap<AssetId, u32> = materials.zip(0..).collect();
        assert!(content.list.transparent().is_empty(), "all materials are opaque");
        let draws = content.list.opaque().iter();
        draws
            .map(|draw| Drawn { mesh: numbers[&draw.node], material: materials[&draw.material] })
            .collect()
    }
}
