//! `pleach, Scene`: everything through the public functions of `Scene` and `RenderList`. A frame's
//! update ends with `clear_changes`, as in a program.

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

#[derive(Default)]
pub struct SceneContender(Option<Content>);

struct Content {
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
        self.nodes[number as usize] = node.expect("the transforms are finite");
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, camera: &CameraPose) {
        for &number in edits.moved {
            let mut node = self.scene.node_mut(self.nodes[number as usize]).expect(IN_SCENE);
            node.set_transform(transform(&field.local(number, edits.step)))
                .expect("the transform is finite");
        }
        for &(node, parent) in edits.attached {
            let (node, parent) = (self.nodes[node as usize], self.nodes[parent as usize]);
            self.scene.attach(node, parent).expect("the edits create no cycle");
        }
        for &(mesh, _) in edits.replaced {
            self.scene.remove(self.nodes[mesh as usize]).expect(IN_SCENE);
        }
        for &(mesh, parent) in edits.replaced {
            self.spawn(mesh, Some(parent), &field.local(mesh, edits.step));
        }
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
    fn content(&mut self) -> &mut Content {
        self.0.as_mut().expect("a field has been built")
    }
}

impl Contender for SceneContender {
    fn build(&mut self, game: &Game) {
        self.0 = Some(Content::new(game));
        self.update();
    }

    fn clear(&mut self) {
        self.0 = None;
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, camera: &CameraPose) {
        self.content().edit(field, edits, camera);
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
        let Some(content) = &self.0 else { return Vec::new() };
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
