//! A list that is not built again, because nothing changed, is the one that would be built: after
//! every kind of edit, lists and frames that are kept equal ones made from nothing.

use pleach::glam::Vec3;
use pleach::{Frame, Level, Lod, Node, NodeId, RenderList, Scene, Visible};
use testkit::{Effort, Rng};

use super::random_edits::{EDITS, World};
use crate::common::RandomValues;
use crate::common::character::{Character, CharacterOptions};

/// A scene with everything that a list can depend on.
struct Stage {
    world: World,
    character: Character,
    /// The node with levels of detail, and its levels.
    lod: (NodeId, [NodeId; 2]),
}

/// The edits in addition to those of [`World::edit`].
const MORE_EDITS: usize = 12;

impl Stage {
    fn new(random: &mut Rng) -> Self {
        let mut world = World::new(random, 30);
        let options = CharacterOptions { targets: 2, ..CharacterOptions::default() };
        let character = Character::spawn(&mut world.scene, random, options);
        let owner = world.scene.spawn(Node::group()).unwrap();
        let levels = [0, 1].map(|level| {
            let node = Node::mesh(&world.geometries[level], &world.materials[0]).under(owner);
            world.scene.spawn(node).unwrap()
        });
        let lod = Lod { levels: levels.map(|node| Level { node, min_screen_size: 0.05 }).into() };
        world.scene.insert(owner, lod).unwrap();
        Self { world, character, lod: (owner, levels) }
    }

    fn edit(&mut self, random: &mut Rng, kind: usize) {
        if kind >= MORE_EDITS {
            return self.world.edit(random, kind - MORE_EDITS);
        }
        let node = random.pick(&self.world.nodes);
        let camera = self.world.camera;
        let scene = &mut self.world.scene;
        match kind {
            0 => {}
            1 => {
                let at = random.vec3(2.0) + Vec3::Z * 30.0;
                _ = scene.node_mut(camera).unwrap().set_translation(at).unwrap();
            }
            2 => scene.camera_mut(camera).unwrap().layers = random.pick(&[1, 2, u32::MAX]),
            3 => {
                if let Some(mesh) = scene.mesh_mut(node) {
                    mesh.layers = random.pick(&[1, 2, 3]);
                }
            }
            4 => {
                if let Some(mesh) = scene.mesh_mut(node) {
                    mesh.frustum_culled ^= true;
                }
            }
            5 => self.character.pose(scene, random),
            6 => {
                let weights = (0..2).map(|_| random.number()).collect();
                scene.set_weights(self.character.node, weights).unwrap();
            }
            7 => {
                let min_screen_size = random.pick(&[0.001, 0.05, 0.9]);
                let (owner, levels) = self.lod;
                let level = |node| Level { node, min_screen_size };
                scene.insert(owner, Lod { levels: levels.map(level).into() }).unwrap();
            }
            8 => undo_removal(scene, node),
            9 => _ = scene.graph.update(),
            10 => scene.detach(node).unwrap(),
            _ => scene.attach(node, scene.root()).unwrap(),
        }
    }
}

/// Removes a node with its components and brings it back, with updates in between.
fn undo_removal(scene: &mut Scene, node: NodeId) {
    scene.begin_transaction();
    scene.remove(node).unwrap();
    let patch = scene.commit("remove").unwrap();
    scene.update().unwrap();
    scene.revert(&patch).unwrap();
}

#[track_caller]
fn assert_same(list: &RenderList, fresh: &RenderList) {
    assert_eq!(list.opaque(), fresh.opaque());
    assert_eq!(list.transparent(), fresh.transparent());
    assert_eq!(list.instances(), fresh.instances());
    assert_eq!(list.world_matrices(), fresh.world_matrices());
    assert_eq!(list.normal_matrices(), fresh.normal_matrices());
}

/// Returns the list of a scene as it is, made from nothing.
fn fresh_list(scene: &Scene, camera: NodeId) -> RenderList {
    let (mut visible, mut list) = (Visible::new(), RenderList::new().with_matrices());
    let view = scene.view(camera, 1.0).unwrap();
    scene.cull(&view, &mut visible);
    list.build(scene, &visible, &view);
    list
}

#[test]
fn kept_lists_equal_lists_made_from_nothing_after_every_kind_of_edit() {
    let mut random = Rng::from_env(43);
    println!("seed {}", random.state());
    let mut skipped = 0;
    for _ in 0..Effort::pick(3, 60) {
        let mut stages = [Stage::new(&mut random), Stage::new(&mut random)];
        let (mut list, mut visible) = (RenderList::new().with_matrices(), Visible::new());
        let mut frame = Frame::new();
        frame.list = RenderList::new().with_matrices();
        stages.iter_mut().for_each(|stage| _ = stage.world.scene.update().unwrap());
        for step in 0..300 {
            // Mostly the same scene; the list and the frame are kept.
            let stage = &mut stages[usize::from(random.one_in(8))];
            let kind = random.below(MORE_EDITS + EDITS);
            println!("step {step}, edit {kind}");
            if random.one_in(2) {
                stage.edit(&mut random, kind);
            }
            let Stage { world: World { scene, camera, .. }, .. } = stage;
            if random.one_in(2) {
                let version = frame.list.version();
                scene.frame(*camera, 1.0, 0.0, &mut frame).unwrap();
                assert_same(&frame.list, &fresh_list(scene, *camera));
                skipped += usize::from(frame.list.version() == version);
                // Other tests edit assets of this process meanwhile, which counts as a change.
                let is_kept = (0..1000).any(|_| {
                    let version = frame.list.version();
                    scene.frame(*camera, 1.0, 0.0, &mut frame).unwrap();
                    frame.list.version() == version
                });
                assert!(is_kept, "nothing changed");
            }
            let view = scene.view(*camera, 1.0).unwrap();
            scene.cull(&view, &mut visible);
            list.build(scene, &visible, &view);
            assert_same(&list, &fresh_list(scene, *camera));
        }
    }
    assert!(skipped > 50, "{skipped} frames were skipped");
}

/// Clones have the stamps and counters of the original until they are edited.
#[test]
fn clones_of_a_scene_and_swapped_parts_are_not_confused() {
    let mut random = Rng::new(3);
    let mut stage = Stage::new(&mut random);
    let camera = stage.world.camera;
    stage.world.scene.update().unwrap();
    let mut clone = stage.world.scene.clone();
    let [a, b] = [stage.world.nodes[1], stage.world.nodes[2]];
    let original = &mut stage.world.scene;
    let (mut list, mut visible) = (RenderList::new().with_matrices(), Visible::new());
    let view = original.view(camera, 1.0).unwrap();
    original.cull(&view, &mut visible);
    // As many edits of both, but others, without an update.
    original.graph.remove(a).unwrap();
    clone.graph.remove(b).unwrap();
    let fresh = |scene: &Scene| {
        let mut list = RenderList::new().with_matrices();
        list.build(scene, &visible, &view);
        list
    };
    for scene in [&*original, &clone, &*original] {
        list.build(scene, &visible, &view);
        assert_same(&list, &fresh(scene));
    }
    core::mem::swap(&mut original.graph, &mut clone.graph);
    list.build(original, &visible, &view);
    assert_same(&list, &fresh(original));
    core::mem::swap(&mut original.spatial, &mut clone.spatial);
    list.build(original, &visible, &view);
    assert_same(&list, &fresh(original));
    core::mem::swap(&mut original.meshes, &mut clone.meshes);
    list.build(original, &visible, &view);
    assert_same(&list, &fresh(original));
}
