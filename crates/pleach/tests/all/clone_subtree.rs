//! Cloned subtrees, within a scene and from another: equal components that refer to the
//! cloned nodes, and independent poses.

use crate::common::character::{Character, CharacterOptions, arm};
use crate::common::skinning::joint_matrices;
use crate::common::{cube, material, nearly_equal, spawn_cube, world};
use pleach::glam::{DVec3, Mat4, Quat, Vec3};
use pleach::{
    Camera, Constraint, Filter, Instances, Level, Light, Lod, Mesh, Node, NodeId, Ray, Scene, Skin,
    Visible,
};
use pleach_graph::CloneMap;
use testkit::Rng;

/// A robot with all kinds of components, which refer only to nodes of the robot.
struct Robot {
    character: Character,
    sword: NodeId,
    lamp: NodeId,
    eye: NodeId,
    shield: NodeId,
    levels: Vec<NodeId>,
}

fn robot(scene: &mut Scene, random: &mut Rng) -> Robot {
    let options = CharacterOptions { targets: 2, parts: 2, ..CharacterOptions::default() };
    let character = Character::spawn(scene, random, options);
    scene.set_weights(character.node, vec![0.25, 0.5]).unwrap();
    scene.skins.get_mut(&scene.graph, character.node).unwrap().skeleton = Some(character.joints[0]);
    let (cube, material) = (cube(&scene.assets, 0.5), material(&scene.assets));
    let hand = *character.joints.last().unwrap();
    let sword = Node::mesh(&cube, &material).named("sword").under(hand).at(Vec3::Z);
    let sword = scene.spawn(sword).unwrap();
    let lamp = Node::light(Light::point(Vec3::ONE, 10.0)).named("lamp").under(character.joints[1]);
    let lamp = scene.spawn(lamp).unwrap();
    let eye = Node::camera(Camera::default()).named("eye").under(character.root).at(Vec3::Y * 4.0);
    let eye = scene.spawn(eye).unwrap();
    let look_at = Constraint::LookAt { target: sword, up: Vec3::Z };
    scene.constraints.insert(&scene.graph, eye, look_at).unwrap();
    let shield = scene.spawn(Node::group().named("shield").under(character.root)).unwrap();
    let levels = [1.0, 0.1].map(|_| Node::mesh(&cube, &material));
    let levels = scene.spawn_all(shield, levels).unwrap();
    let sizes = levels.iter().zip([0.5, 0.01]);
    let lod_levels =
        sizes.map(|(&node, min_screen_size)| Level { node, min_screen_size }).collect();
    scene.lods.insert(&scene.graph, shield, Lod { levels: lod_levels }).unwrap();
    Robot { character, sword, lamp, eye, shield, levels }
}

/// Returns the clone of a robot.
fn cloned_robot(robot: &Robot, clones: &CloneMap) -> Robot {
    let new = |old: NodeId| clones.get(old).expect("the whole robot is cloned");
    Robot {
        character: Character {
            root: new(robot.character.root),
            node: new(robot.character.node),
            joints: robot.character.joints.iter().map(|&joint| new(joint)).collect(),
            targets: robot.character.targets,
        },
        sword: new(robot.sword),
        lamp: new(robot.lamp),
        eye: new(robot.eye),
        shield: new(robot.shield),
        levels: robot.levels.iter().map(|&level| new(level)).collect(),
    }
}

/// Asserts that names, transforms and components are equal; a node that a component refers to
/// is mapped by `expected_node`.
#[track_caller]
fn assert_equal_components(
    from: &Scene,
    to: &Scene,
    clones: &CloneMap,
    expected_node: impl Fn(NodeId) -> Option<NodeId>,
) {
    for &(old, new) in clones.pairs() {
        let (a, b) = (from.graph.node(old).unwrap(), to.graph.node(new).unwrap());
        assert_eq!(a.name(), b.name());
        assert_eq!(a.transform(), b.transform());
        assert_eq!(a.is_visible(), b.is_visible());
        let children: Vec<_> = a.children().map(|child| clones.get(child)).collect();
        assert!(b.children().map(Some).take(children.len()).eq(children));

        let (mesh, mesh_clone) = (from.mesh(old), to.mesh(new));
        assert_eq!(mesh.is_some(), mesh_clone.is_some());
        if let (Some(a), Some(b)) = (mesh, mesh_clone) {
            let parts = |mesh: &Mesh| -> Vec<_> {
                mesh.parts.iter().map(|it| (it.geometry.id(), it.material.id())).collect()
            };
            assert_eq!(parts(a), parts(b), "assets are shared");
            assert_eq!((a.cast_shadow, a.layers), (b.cast_shadow, b.layers));
        }
        let (skin, skin_clone) = (from.skin(old), to.skin(new));
        assert_eq!(skin.is_some(), skin_clone.is_some());
        if let (Some(a), Some(b)) = (skin, skin_clone) {
            let joints: Vec<_> =
                a.joints.iter().map(|&joint| expected_node(joint).unwrap()).collect();
            assert_eq!(joints, b.joints);
            assert_eq!(a.inverse_bind_matrices, b.inverse_bind_matrices);
            assert_eq!(a.bind_matrix, b.bind_matrix);
            assert_eq!(a.skeleton.and_then(&expected_node), b.skeleton);
        }
        assert_eq!(from.camera(old), to.camera(new));
        assert_eq!(from.light(old), to.light(new));
        assert_eq!(from.weights.get(&from.graph, old), to.weights.get(&to.graph, new));
        let lod = from.lods.get(&from.graph, old).cloned();
        let lod = lod.map(|lod| Lod {
            levels: lod
                .levels
                .iter()
                .map(|level| Level { node: expected_node(level.node).unwrap(), ..*level })
                .collect(),
        });
        assert_eq!(lod.as_ref(), to.lods.get(&to.graph, new));
        let (a, b) = (from.constraints.get(&from.graph, old), to.constraints.get(&to.graph, new));
        assert_eq!(a.map(|a| expected_node(a.target()).unwrap()), b.map(Constraint::target));
    }
}

/// Asserts that joint matrices, attachment, constraint and bounds of a robot are up to date.
#[track_caller]
fn assert_posed(scene: &Scene, robot: &Robot) {
    let expected = joint_matrices(scene, robot.character.node);
    let matrices = scene.joint_matrices().get(robot.character.node).unwrap();
    assert!(matrices.iter().zip(&expected).all(|(a, b)| nearly_equal(a, b, 1e-5)));
    let hand = scene.graph.node(robot.sword).unwrap().parent().unwrap();
    assert_eq!(hand, *robot.character.joints.last().unwrap());
    let (eye, sword) = (world(scene, robot.eye), world(scene, robot.sword));
    let ahead = eye.transform_vector3(DVec3::NEG_Z).normalize();
    let to_sword = (sword.w_axis - eye.w_axis).truncate().normalize();
    assert!(ahead.dot(to_sword) > 1.0 - 1e-6, "looks at its own sword: {ahead} {to_sword}");
    assert!(scene.spatial.world_bounds(robot.character.node).is_some());
}

#[test]
fn clone_within_a_scene_has_equal_components_that_refer_to_its_own_nodes() {
    let mut random = Rng::new(1);
    let mut scene = Scene::new();
    let robot = robot(&mut scene, &mut random);
    scene.graph.node_mut(robot.lamp).unwrap().set_visible(false);
    let clones = scene.clone_subtree(robot.character.root, None).unwrap();
    let count = scene.graph.node(robot.character.root).unwrap().descendants().count();
    assert_eq!(clones.pairs().len(), count);
    assert_eq!(scene.graph.node(clones.root()).unwrap().parent(), Some(scene.root()));
    assert_equal_components(&scene, &scene, &clones, |node| clones.get(node));
    scene.update().unwrap();
    assert_posed(&scene, &robot);
    assert_posed(&scene, &cloned_robot(&robot, &clones));
    assert_eq!(scene.check(), []);
}

#[test]
fn clone_from_another_scene_has_equal_components_that_refer_to_its_own_nodes() {
    let mut random = Rng::new(2);
    let mut prefab = Scene::new();
    let robot = robot(&mut prefab, &mut random);
    let mut level = Scene::new();
    // Makes the slots differ.
    for _ in 0..7 {
        spawn_cube(&mut level, Vec3::ZERO);
    }
    let yard = level.spawn(Node::group().named("yard").at(Vec3::X * 9.0)).unwrap();
    for number in 0..5 {
        let clones = level.clone_subtree_from(&prefab, robot.character.root, Some(yard)).unwrap();
        assert_eq!(level.graph.node(clones.root()).unwrap().parent(), Some(yard));
        assert_equal_components(&prefab, &level, &clones, |node| clones.get(node));
        level.update().unwrap();
        assert_posed(&level, &cloned_robot(&robot, &clones));
        assert_eq!(level.skins.len(), number + 1);
    }
    prefab.update().unwrap();
    assert_posed(&prefab, &robot);
    assert_eq!(level.check(), []);
}

#[test]
fn clones_are_posed_independently() {
    let mut random = Rng::new(3);
    let mut scene = Scene::new();
    let first = robot(&mut scene, &mut random);
    let mut robots = vec![first];
    for number in 1..20 {
        // Clones of the first robot, and of clones.
        let from = random.below(robots.len());
        let clones = scene.clone_subtree(robots[from].character.root, None).unwrap();
        let clone = cloned_robot(&robots[from], &clones);
        let at = Vec3::X * 20.0 * number as f32;
        scene.graph.node_mut(clone.character.root).unwrap().set_translation(at).unwrap();
        robots.push(clone);
    }
    scene.update().unwrap();
    for _ in 0..10 {
        let moved = random.below(robots.len());
        let before: Vec<Vec<Mat4>> = robots
            .iter()
            .map(|it| scene.joint_matrices().get(it.character.node).unwrap().to_vec())
            .collect();
        robots[moved].character.pose(&mut scene, &mut random);
        let update = scene.update().unwrap();
        assert_eq!(update.skins, 1);
        for (number, robot) in robots.iter().enumerate() {
            assert_posed(&scene, robot);
            let same = scene.joint_matrices().get(robot.character.node).unwrap() == before[number];
            assert_eq!(same, number != moved);
        }
    }
}

#[test]
fn cloned_skinned_meshes_are_picked_in_their_own_pose() {
    let mut scene = Scene::new();
    let left = arm(&mut scene, 3);
    let clones = scene.clone_subtree(left.root, None).unwrap();
    let right = clones.get(left.joints[0]).unwrap();
    let quarter = std::f32::consts::FRAC_PI_2;
    for (joint, rotation) in [(left.joints[0], quarter), (right, -quarter)] {
        let rotation = Quat::from_rotation_y(rotation);
        scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
    }
    scene.update().unwrap();
    for (x, expected) in [(2.5, left.node), (-2.5, clones.get(left.node).unwrap())] {
        let ray = Ray::new(Vec3::new(x, 5.0, 0.1), Vec3::NEG_Y).unwrap();
        let mut hits = Vec::new();
        scene.pick_all(&ray, &Filter::default(), &mut hits);
        assert_eq!(hits.iter().map(|hit| hit.node).collect::<Vec<_>>(), [expected]);
    }
    // Morph weights are independent as well.
    scene.set_weights(left.node, vec![1.0]).unwrap();
    assert!(scene.weights.get(&scene.graph, clones.get(left.node).unwrap()).is_none());
}

#[test]
fn whole_scene_can_be_cloned_into_another() {
    let mut random = Rng::new(4);
    let mut menu = Scene::named("menu");
    let robot = robot(&mut menu, &mut random);
    let cube = spawn_cube(&mut menu, Vec3::Y);
    let mut game = Scene::named("game");
    let clones = game.clone_subtree_from(&menu, menu.root(), None).unwrap();
    assert_eq!(clones.pairs().len(), menu.graph.len());
    assert_eq!(game.graph.len(), menu.graph.len() + 1);
    assert_ne!(clones.root(), game.root(), "the cloned root is an ordinary node");
    assert_equal_components(&menu, &game, &clones, |node| clones.get(node));
    game.update().unwrap();
    assert_posed(&game, &cloned_robot(&robot, &clones));
    assert!(game.spatial.world_bounds(clones.get(cube).unwrap()).is_some());
    assert_eq!(game.name, "game");
}

#[test]
fn clone_can_be_attached_below_its_source() {
    let mut random = Rng::new(5);
    let mut scene = Scene::new();
    let robot = robot(&mut scene, &mut random);
    let hand = *robot.character.joints.last().unwrap();
    let before = scene.graph.len();
    let clones = scene.clone_subtree(robot.character.root, Some(hand)).unwrap();
    assert_eq!(scene.graph.len(), before + clones.pairs().len());
    scene.update().unwrap();
    assert_posed(&scene, &robot);
    assert_posed(&scene, &cloned_robot(&robot, &clones));
}

#[test]
fn references_to_nodes_outside_of_the_subtree_are_kept_within_a_scene() {
    let mut scene = Scene::new();
    let character = arm(&mut scene, 3);
    let (target, level) = (spawn_cube(&mut scene, Vec3::X), spawn_cube(&mut scene, Vec3::Y));
    // Clones the mesh alone: joints, target and level are outside of the subtree.
    let look_at = Constraint::Face { target, up: Vec3::Z };
    scene.constraints.insert(&scene.graph, character.node, look_at).unwrap();
    let lod = Lod { levels: vec![Level { node: level, min_screen_size: 0.0 }] };
    scene.lods.insert(&scene.graph, character.node, lod.clone()).unwrap();
    scene.skins.get_mut(&scene.graph, character.node).unwrap().skeleton = Some(character.root);
    let clones = scene.clone_subtree(character.node, None).unwrap();
    let clone = clones.root();
    let skin = scene.skin(clone).unwrap();
    assert_eq!((&skin.joints, skin.skeleton), (&character.joints, Some(character.root)));
    assert_eq!(scene.constraints.get(&scene.graph, clone), Some(&look_at));
    assert_eq!(scene.lods.get(&scene.graph, clone), Some(&lod));
    scene.graph.node_mut(character.joints[0]).unwrap().set_translation(Vec3::X).unwrap();
    assert_eq!(scene.update().unwrap().skins, 1, "both have the same joint matrices");
    assert_eq!(scene.joint_matrices().get(clone), scene.joint_matrices().get(character.node));
}

/// Counts everything that a rejected clone must not change.
fn counts(scene: &Scene) -> [usize; 8] {
    [
        scene.graph.len(),
        scene.meshes.iter(&scene.graph).count(),
        scene.skins.iter(&scene.graph).count(),
        scene.cameras.iter(&scene.graph).count(),
        scene.lights.iter(&scene.graph).count(),
        scene.weights.iter(&scene.graph).count(),
        scene.lods.iter(&scene.graph).count(),
        scene.constraints.iter(&scene.graph).count(),
    ]
}

#[test]
fn external_references_are_rejected_when_cloning_from_another_scene() {
    type AddReference = fn(&mut Scene, NodeId, NodeId);
    let references: [AddReference; 3] = [
        |scene, node, outside| {
            let skin = Skin::new(vec![outside], vec![Mat4::IDENTITY]).unwrap();
            scene.skins.insert(&scene.graph, node, skin).unwrap();
        },
        |scene, node, outside| {
            let look_at = Constraint::LookAt { target: outside, up: Vec3::Z };
            scene.constraints.insert(&scene.graph, node, look_at).unwrap();
        },
        |scene, node, outside| {
            let lod = Lod { levels: vec![Level { node: outside, min_screen_size: 0.0 }] };
            scene.lods.insert(&scene.graph, node, lod).unwrap();
        },
    ];
    for add_reference in references {
        let mut prefab = Scene::new();
        let root = spawn_cube(&mut prefab, Vec3::ZERO);
        let inner = spawn_cube(&mut prefab, Vec3::X);
        prefab.graph.attach(inner, root).unwrap();
        let outside = prefab.spawn(Node::group()).unwrap();
        add_reference(&mut prefab, inner, outside);
        let mut level = Scene::new();
        spawn_cube(&mut level, Vec3::ZERO);
        level.update().unwrap();
        let before = counts(&level);
        let error = level.clone_subtree_from(&prefab, root, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "node {inner} of the other scene references its node {outside} (a joint, target or level), \
                 which is not cloned with it; clone a subtree that contains both",
            ),
        );
        assert_eq!(counts(&level), before);
        level.update().unwrap();
        assert_eq!(counts(&level), before);
        assert_eq!(level.spatial.len(), 1);
        assert_eq!(level.check(), []);

        // A subtree that contains both can be cloned.
        assert!(level.clone_subtree_from(&prefab, prefab.root(), None).is_ok());
    }
}

#[test]
fn external_skeleton_root_is_dropped_without_an_error() {
    let mut prefab = Scene::new();
    let character = arm(&mut prefab, 2);
    let root = prefab.root();
    prefab.skins.get_mut(&prefab.graph, character.node).unwrap().skeleton = Some(root);
    let mut level = Scene::new();
    let clones = level.clone_subtree_from(&prefab, character.root, None).unwrap();
    assert_eq!(level.skin(clones.get(character.node).unwrap()).unwrap().skeleton, None);
}

#[test]
fn dead_nodes_are_rejected_as_source_and_parent() {
    let mut scene = Scene::new();
    let (removed, cube) = (spawn_cube(&mut scene, Vec3::ZERO), spawn_cube(&mut scene, Vec3::X));
    scene.remove(removed).unwrap();
    scene.update().unwrap();
    let other = Scene::new();
    let before = counts(&scene);
    let message =
        format!("node {removed} is not in this graph: it was removed, or belongs to another graph");
    assert_eq!(scene.clone_subtree(removed, None).unwrap_err().to_string(), message);
    assert_eq!(scene.clone_subtree(cube, Some(removed)).unwrap_err().to_string(), message);
    assert_eq!(scene.clone_subtree_from(&other, removed, None).unwrap_err().to_string(), message);
    let root = other.root();
    assert_eq!(
        scene.clone_subtree_from(&other, root, Some(removed)).unwrap_err().to_string(),
        message
    );
    assert_eq!(counts(&scene), before);
}

#[test]
fn references_to_dead_nodes_can_be_cloned() {
    // A target, a joint and a level were removed; the components that refer to them remain, without
    // effect.
    let mut scene = Scene::new();
    let character = arm(&mut scene, 3);
    let target = scene.spawn(Node::group().under(character.root)).unwrap();
    let level = scene.spawn(Node::group().under(character.root)).unwrap();
    let look_at = Constraint::LookAt { target, up: Vec3::Z };
    scene.constraints.insert(&scene.graph, character.node, look_at).unwrap();
    let lod = Lod { levels: vec![Level { node: level, min_screen_size: 0.0 }] };
    scene.lods.insert(&scene.graph, character.root, lod).unwrap();
    for removed in [target, level, character.joints[2]] {
        scene.remove(removed).unwrap();
    }
    scene.update().unwrap();
    let before = counts(&scene);
    let clones = scene.clone_subtree(character.root, None).expect("within a scene");
    assert_eq!(counts(&scene)[0], before[0] + clones.pairs().len());
    scene.update().unwrap();
    assert!(scene.joint_matrices().get(clones.get(character.node).unwrap()).is_some());

    let mut other = Scene::new();
    other
        .clone_subtree_from(&scene, character.root, None)
        .expect("a dead node cannot be part of a subtree");
    other.update().unwrap();
}

#[test]
fn constraint_cycle_is_cloned_or_rejected_as_a_whole() {
    let mut scene = Scene::new();
    let root = scene.spawn(Node::group()).unwrap();
    let [a, b] =
        [Vec3::X, Vec3::Y].map(|at| scene.spawn(Node::group().under(root).at(at)).unwrap());
    let [a_tip, b_tip] =
        [a, b].map(|node| scene.spawn(Node::group().under(node).at(Vec3::Z)).unwrap());
    let look_at = |target| Constraint::LookAt { target, up: Vec3::Z };
    scene.constraints.insert(&scene.graph, a, look_at(b_tip)).unwrap();
    // Creates the cycle: b looks at a descendant of a.
    scene.graph.attach(a_tip, root).unwrap();
    scene.constraints.insert(&scene.graph, b, look_at(a_tip)).unwrap();
    scene.graph.attach(a_tip, a).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 2);

    let before = counts(&scene);
    match scene.clone_subtree(root, None) {
        Ok(clones) => {
            assert_equal_components(&scene, &scene, &clones, |node| clones.get(node));
            scene.update().unwrap();
            assert_eq!(scene.skipped_constraints(), 4);
        }
        Err(_) => assert_eq!(counts(&scene), before, "nothing is cloned"),
    }
    let mut other = Scene::new();
    let before = counts(&other);
    match other.clone_subtree_from(&scene, root, None) {
        Ok(clones) => assert_equal_components(&scene, &other, &clones, |node| clones.get(node)),
        Err(_) => assert_eq!(counts(&other), before, "nothing is cloned"),
    }
}

#[test]
fn cloned_instances_are_edited_independently() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let mut mesh = Mesh::new(cube.clone(), material);
    let at = |x: f32| Mat4::from_translation(Vec3::X * x);
    mesh.instances =
        Some(Box::new(Instances::new(cube.get().bounds(), vec![at(0.0), at(3.0)]).unwrap()));
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    let clone = scene.clone_subtree(node, None).unwrap().root();
    let instances = scene.mesh_mut(clone).unwrap().instances.as_mut().unwrap();
    instances.set(1, at(30.0)).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 3.5);
    assert_eq!(scene.spatial.world_bounds(clone).unwrap().max.x, 30.5);
}

#[test]
fn clones_are_shown_and_hidden_independently() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.attach(cube, group).unwrap();
    scene.mesh_mut(cube).unwrap().layers = 4;
    scene.graph.node_mut(group).unwrap().set_visible(false);
    let clones = scene.clone_subtree(group, None).unwrap();
    let clone = clones.get(cube).unwrap();
    let transform = Camera::default_transform();
    let camera = scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [], "hidden like the source");
    scene.graph.node_mut(clones.root()).unwrap().set_visible(true);
    scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [clone]);
    assert_eq!(scene.spatial.layers(clone), Some(4));
}

#[test]
fn removing_a_clone_leaves_nothing_behind() {
    let mut random = Rng::new(6);
    let mut prefab = Scene::new();
    let robot = robot(&mut prefab, &mut random);
    let geometry = prefab.mesh(robot.character.node).unwrap().parts[0].geometry.clone();
    let mut level = Scene::new();
    level.update().unwrap();
    let (empty, handles) = (counts(&level), geometry.ref_count());
    for round in 0..50 {
        let clones: Vec<_> = (0..3)
            .map(|_| level.clone_subtree_from(&prefab, robot.character.root, None).unwrap())
            .collect();
        level.update().unwrap();
        assert_eq!(geometry.ref_count(), handles + 3);
        for clones in &clones {
            level.remove(clones.root()).unwrap();
        }
        // Slots may be reused before the update.
        let others = (0..random.below(4)).map(|_| spawn_cube(&mut level, Vec3::ZERO));
        let others: Vec<NodeId> = others.collect();
        level.update().unwrap();
        assert_eq!(level.meshes.len(), others.len(), "round {round}");
        for other_node in others {
            level.remove(other_node).unwrap();
        }
        level.update().unwrap();
        assert_eq!(counts(&level), empty, "round {round}");
        assert_eq!(
            [level.meshes.len(), level.skins.len(), level.lights.len(), level.cameras.len()],
            [0; 4]
        );
        assert_eq!([level.weights.len(), level.lods.len(), level.spatial.len()], [0; 3]);
        assert_eq!(geometry.ref_count(), handles, "the assets are released");
        assert!(level.joint_matrices().matrices().is_empty());
    }
}
