//! The scene: nodes as they were described, what they are by their rows, and what happens to
//! rows when they are touched or their nodes removed.

mod common;

use common::figure::arm;
use common::{cube, paint, spawn_cube};
use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{
    Aabb, Ambient, Camera, Constraint, Error, Filter, Geometry, Handle, Instances, Kind, Level,
    Light, Lod, Mesh, Node, NodeId, Part, Projection, Ray, RenderList, Scene, SceneUpdate, Skin,
    Transform, Visible, shapes,
};

// ---- spawning ----

#[test]
fn a_new_scene_has_a_root_and_nothing_else() {
    let mut scene = Scene::new();
    let root = scene.root();
    assert_eq!(scene.graph.len(), 1);
    assert_eq!(scene.graph.node(root).unwrap().parent(), None);
    assert_eq!(scene.graph.node(root).unwrap().transform(), Transform::IDENTITY);
    assert_eq!(scene.graph.node(root).unwrap().name(), None);
    assert_eq!(scene.kind(root), Some(Kind::Root));
    assert_eq!(scene.update().unwrap().bounds, 0);
    assert_eq!(scene.update().unwrap(), SceneUpdate::default());
    assert!(scene.environment.background.is_none() && scene.environment.fog.is_none());
}

#[test]
fn a_node_is_what_it_was_described_as() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let yard = scene.spawn(Node::group()).unwrap();
    let turn = Quat::from_rotation_z(0.5);
    let node = Node::mesh(&cube, &paint)
        .named("crate")
        .under(yard)
        .at(Vec3::new(1.0, 2.0, 3.0))
        .rotated(turn)
        .scaled(Vec3::splat(2.0))
        .hidden();
    let node = scene.spawn(node).unwrap();
    let at = scene.graph.node(node).unwrap();
    assert_eq!((at.name(), at.parent(), at.is_visible()), (Some("crate"), Some(yard), false));
    assert_eq!(at.translation(), Vec3::new(1.0, 2.0, 3.0));
    assert!(at.rotation().abs_diff_eq(turn, 1e-6));
    assert_eq!(at.scale(), Vec3::splat(2.0));
    let mesh = scene.mesh(node).unwrap();
    assert_eq!((&mesh.parts[0].geometry, &mesh.parts[0].material), (&cube, &paint));

    let pose = Transform::from_xyz(4.0, 5.0, 6.0);
    let posed = scene.spawn(Node::group().at(Vec3::ONE).with_transform(pose)).unwrap();
    assert_eq!(scene.graph.node(posed).unwrap().transform(), pose);
    assert_eq!(scene.graph.node(posed).unwrap().parent(), Some(scene.root()));
}

#[test]
fn nodes_have_no_name_unless_they_are_given_one() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    for node in [
        Node::group(),
        Node::mesh(&cube, &paint),
        Node::camera(Camera::default()),
        Node::light(Light::ambient(Vec3::ONE, 1.0)),
    ] {
        let node = scene.spawn(node).unwrap();
        assert_eq!(scene.graph.node(node).unwrap().name(), None);
    }
    // Names need not be unique; the oldest is found.
    let [a, b] = [(); 2].map(|()| scene.spawn(Node::group().named("door")).unwrap());
    assert_eq!(scene.graph.find("door"), Some(a));
    assert!(scene.graph.find_all("door").eq([a, b]));
}

#[test]
fn children_are_spawned_with_their_parent_in_order() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let wheel = |name: &str| Node::mesh(&cube, &paint).named(name);
    let tank = Node::group()
        .named("tank")
        .at(Vec3::X)
        .child(
            Node::mesh(&cube, &paint)
                .named("hull")
                .child(Node::group().named("turret").at(Vec3::Z).child(Node::group().named("gun"))),
        )
        .child(wheel("left"))
        .child(wheel("right"));
    let tank = scene.spawn(tank).unwrap();
    let name = |node: NodeId| scene.graph.node(node).unwrap().name().unwrap();
    let children: Vec<&str> = scene.graph.node(tank).unwrap().children().map(name).collect();
    assert_eq!(children, ["hull", "left", "right"]);
    let all: Vec<&str> = scene.graph.node(tank).unwrap().descendants().map(name).collect();
    assert_eq!(all, ["tank", "hull", "turret", "gun", "left", "right"]);
    assert_eq!(scene.meshes.len(), 3);
    scene.update().unwrap();
    let gun = scene.graph.find("gun").unwrap();
    assert_eq!(scene.graph.node(gun).unwrap().world_translation(), Vec3::new(1.0, 0.0, 1.0));
}

#[test]
fn several_children_are_added_at_once() {
    let mut scene = Scene::new();
    let rack = scene.spawn(Node::group()).unwrap();
    let first = scene.spawn(Node::group().under(rack)).unwrap();
    let nodes = scene.spawn_all(rack, (0..5).map(|i| Node::group().named(i.to_string()))).unwrap();
    assert_eq!(nodes.len(), 5);
    let children: Vec<NodeId> = scene.graph.node(rack).unwrap().children().collect();
    assert_eq!(children[0], first);
    assert_eq!(children[1..], nodes, "after those that were there");
    // Below the one named here, whatever their descriptions say.
    let other = scene.spawn(Node::group()).unwrap();
    let nodes = scene.spawn_all(rack, [Node::group().under(other)]).unwrap();
    assert_eq!(scene.graph.node(nodes[0]).unwrap().parent(), Some(rack));
    assert_eq!(scene.spawn_all(rack, []).unwrap(), []);
}

#[test]
fn a_description_can_be_spawned_many_times() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let crates = Node::mesh(&cube, &paint).child(Node::mesh(&cube, &paint).at(Vec3::Z));
    let nodes: Vec<NodeId> =
        (0..10).map(|i| scene.spawn(crates.clone().at(Vec3::X * i as f32)).unwrap()).collect();
    scene.update().unwrap();
    assert_eq!(scene.meshes.len(), 20);
    assert_eq!(cube.ref_count(), 1 + 2 + 20, "shared, not copied");
    let bounds = scene.spatial.subtree_bounds(&scene.graph, nodes[9]).unwrap();
    assert_eq!((bounds.min.x, bounds.max.z), (8.5, 1.5));
}

#[test]
fn what_cannot_be_spawned_leaves_nothing_behind() {
    let mut scene = Scene::new();
    let gone = scene.spawn(Node::group()).unwrap();
    scene.remove(gone).unwrap();
    scene.update().unwrap();
    let before = (scene.graph.len(), scene.meshes.len());

    let error = scene.spawn(Node::group().under(gone)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("node {gone} is not in this graph: it was removed, or is another graph's"),
    );
    let error = scene.spawn(Node::group().at(Vec3::new(0.0, f32::NAN, 0.0))).unwrap_err();
    let root = scene.root();
    assert_eq!(
        error.to_string(),
        format!("new child of {root}: translation.y is NaN; it must be finite"),
    );

    // A grandchild is not finite: nothing of the family comes into being.
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let bad = Node::group().scaled(Vec3::splat(f32::INFINITY));
    let family = Node::mesh(&cube, &paint)
        .named("top")
        .child(Node::mesh(&cube, &paint).child(bad))
        .child(Node::mesh(&cube, &paint));
    let error = scene.spawn(family).unwrap_err();
    assert!(error.to_string().ends_with("scale.x is inf; it must be finite"), "{error}");
    assert_eq!(scene.graph.find("top"), None);
    assert_eq!(scene.graph.len(), before.0);
    assert_eq!(scene.meshes.iter(&scene.graph).count(), 0);
    scene.update().unwrap();
    assert_eq!((scene.graph.len(), scene.meshes.len()), before);
    assert_eq!(scene.check(), [""; 0]);

    // Of several, those before the one that failed stay.
    let nodes = [Node::group(), Node::group().at(Vec3::NAN), Node::group()];
    let top = scene.root();
    assert!(scene.spawn_all(top, nodes).is_err());
    assert_eq!(scene.graph.len(), before.0 + 1);
}

// ---- kinds ----

#[test]
fn kinds_are_told_by_rows() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    let light = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    let group = scene.spawn(Node::group()).unwrap();
    for (node, kind) in [
        (scene.root(), Kind::Root),
        (arm.node, Kind::SkinnedMesh),
        (arm.bones[1], Kind::Bone),
        (arm.top, Kind::Group),
        (cube, Kind::Mesh),
        (camera, Kind::Camera),
        (light, Kind::Light),
        (group, Kind::Group),
    ] {
        assert_eq!(scene.kind(node), Some(kind));
    }

    // Several at once: the first counts, and all rows are there.
    let lantern =
        Node::light(Light::point(Vec3::ONE, 5.0)).with_mesh(scene.mesh(cube).unwrap().clone());
    let lantern = scene.spawn(lantern).unwrap();
    assert_eq!(scene.kind(lantern), Some(Kind::Mesh));
    assert!(scene.light(lantern).is_some() && scene.mesh(lantern).is_some());
    scene.meshes.remove(lantern);
    assert_eq!(scene.kind(lantern), Some(Kind::Light));
    scene.lights.remove(lantern);
    assert_eq!(scene.kind(lantern), Some(Kind::Group));
    scene.skins.remove(arm.node);
    assert_eq!(scene.kind(arm.node), Some(Kind::Mesh));
    assert_eq!(scene.kind(arm.bones[1]), Some(Kind::Group));
    scene.remove(cube).unwrap();
    assert_eq!(scene.kind(cube), None);
}

#[test]
fn a_group_is_a_node_without_anything_to_show() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.graph.attach(cube, group).unwrap();
    scene.graph.node_mut(group).unwrap().set_translation(Vec3::Y).unwrap();
    scene.update().unwrap();
    assert!(!scene.spatial.contains(group));
    assert!(scene.mesh(group).is_none() && scene.camera(group).is_none());
    assert_eq!(scene.graph.node(cube).unwrap().world_translation(), Vec3::new(1.0, 1.0, 0.0));
    let bounds = scene.spatial.subtree_bounds(&scene.graph, group).unwrap();
    assert_eq!(bounds.center(), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn a_mesh_has_geometry_and_material_that_can_be_exchanged() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh(node).unwrap();
    assert!(mesh.cast_shadow && mesh.receive_shadow && mesh.frustum_culled);
    assert!(!mesh.is_static && mesh.transparent.is_none() && mesh.instances.is_none());
    scene.update().unwrap();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 0.5);

    let large = cube(&scene.assets, 4.0);
    scene.mesh_mut(node).unwrap().parts[0].geometry = large.clone();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 0.5, "as of the last update");
    assert_eq!(scene.update().unwrap().bounds, 1);
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 2.0);
    let down = Ray::new(Vec3::new(1.5, 0.2, 9.0), Vec3::NEG_Z).unwrap();
    assert!(scene.pick(&down, &Filter::default()).is_some());

    // The value behind a handle, changed in place.
    let geometry = &mut scene.mesh_mut(node).unwrap().parts[0].geometry;
    geometry.make_mut().positions.iter_mut().for_each(|at| *at *= 0.5);
    scene.update().unwrap();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 1.0);
    assert!(scene.pick(&down, &Filter::default()).is_none());
    assert_eq!(large.bounds().max.x, 2.0, "whoever shares it keeps the old");
}

#[test]
fn a_mesh_of_several_parts_is_bounded_and_met_part_by_part() {
    let mut scene = Scene::new();
    let paint = paint(&scene.assets);
    let part = |x: f32| {
        let mut geometry = shapes::Cuboid::new(Vec3::ONE).build().unwrap();
        geometry.positions.iter_mut().for_each(|at| at.x += x);
        Part { geometry: scene.assets.add(geometry), material: paint.clone() }
    };
    let mesh = Mesh::of_parts(vec![part(0.0), part(5.0), part(10.0)]);
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert_eq!((bounds.min.x, bounds.max.x), (-0.5, 10.5));
    for (number, x) in [0.1, 5.1, 10.1].into_iter().enumerate() {
        let ray = Ray::new(Vec3::new(x, 0.2, 9.0), Vec3::NEG_Z).unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().part, number as u32);
    }
}

#[test]
fn a_palette_of_materials_is_checked() {
    let mut scene = Scene::new();
    let paint = paint(&scene.assets);
    let mut geometry = shapes::Cuboid::new(Vec3::ONE).build().unwrap();
    geometry.face_materials = (0..12).map(|face| face / 6).collect();
    let geometry = scene.assets.add(geometry);
    let node = scene.spawn(Node::mesh(&geometry, &paint).named("dice")).unwrap();
    scene.mesh_mut(node).unwrap().palette = vec![paint.clone()];
    assert_eq!(
        scene.check(),
        [format!("node {node} \"dice\": part 0: a face has material 1, but the palette has 1")],
    );
    scene.mesh_mut(node).unwrap().palette.push(paint);
    assert_eq!(scene.check(), [""; 0]);
    let mesh = scene.mesh(node).unwrap();
    let chosen = geometry.face_material(7) as usize;
    assert_eq!(mesh.palette[chosen], mesh.palette[1]);
}

#[test]
fn a_skinned_mesh_without_joints_and_weights_is_told() {
    let mut scene = Scene::new();
    let (bone, node) = (scene.spawn(Node::group()).unwrap(), spawn_cube(&mut scene, Vec3::ZERO));
    let skin = Skin::new(vec![bone], vec![Mat4::IDENTITY]).unwrap();
    scene.skins.insert(&scene.graph, node, skin).unwrap();
    assert_eq!(
        scene.check(),
        [format!("node {node}: part 0 is skinned, but its geometry has no joints and weights")],
    );
    // It has every field that a mesh has.
    assert_eq!(scene.kind(node), Some(Kind::SkinnedMesh));
    assert!(scene.mesh(node).unwrap().cast_shadow);
}

#[test]
fn check_names_what_does_not_fit() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let (target, level) =
        (scene.spawn(Node::group()).unwrap(), scene.spawn(Node::group()).unwrap());
    let look = Constraint::LookAt { target, up: Vec3::Z };
    scene.constraints.set(&scene.graph, arm.top, look).unwrap();
    let lod = Lod { levels: vec![Level { node: level, down_to: 0.0 }] };
    scene.lods.insert(&scene.graph, arm.top, lod).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.check(), [""; 0]);
    for node in [target, level, arm.bones[2]] {
        scene.remove(node).unwrap();
    }
    scene.set_weights(arm.node, vec![1.0]).unwrap();
    scene.update().unwrap();
    let (top, node) = (arm.top, arm.node);
    let mut problems = scene.check();
    problems.sort();
    let mut expected = [
        format!("node {top}: level 0 is a dead node"),
        format!("node {top}: it is to turn with a dead node"),
        format!("node {node} \"arm\": joint 2 is a dead node"),
        format!("node {node} \"arm\": part 0 has 0 morph targets, but there are 1 weights"),
    ];
    expected.sort();
    assert_eq!(problems, expected);
}

#[test]
fn geometry_that_is_empty_has_no_bounds_and_does_no_harm() {
    let mut scene = Scene::new();
    let paint = paint(&scene.assets);
    let nothing = scene.assets.add(Geometry::default());
    let node = scene.spawn(Node::mesh(&nothing, &paint)).unwrap();
    let camera = camera(&mut scene);
    let mut visible = Visible::new();
    let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(scene.spatial.world_bounds(node), None);
    let mut list = RenderList::new();
    list.build(&scene, &visible, &view);
    assert!(list.opaque().is_empty());
    // Vertices come later.
    let cube = cube(&scene.assets, 1.0);
    scene.mesh_mut(node).unwrap().parts[0].geometry = cube;
    scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [node]);
}

// ---- tables ----

/// A camera at its default place, which sees the origin.
fn camera(scene: &mut Scene) -> NodeId {
    let place = Camera::default_place();
    scene.spawn(Node::camera(Camera::default()).with_transform(place)).unwrap()
}

#[test]
fn rows_may_be_given_changed_and_taken_at_any_time() {
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let node = scene.spawn(Node::group()).unwrap();
    let mut visible = Visible::new();
    let mut seen = |scene: &mut Scene| {
        scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
        visible.nodes().to_vec()
    };
    assert_eq!(seen(&mut scene), []);
    let mesh = Mesh::new(cube(&scene.assets, 1.0), paint(&scene.assets));
    assert!(scene.meshes.insert(&scene.graph, node, mesh.clone()).unwrap().is_none());
    assert_eq!(seen(&mut scene), [node]);
    scene.mesh_mut(node).unwrap().layers = 0;
    assert_eq!(seen(&mut scene), []);
    assert!(scene.meshes.insert(&scene.graph, node, mesh).unwrap().is_some(), "the one before");
    assert_eq!(seen(&mut scene), [node]);
    assert!(scene.meshes.remove(node).is_some());
    assert!(scene.meshes.remove(node).is_none());
    assert_eq!(seen(&mut scene), []);
    assert!(!scene.spatial.contains(node));

    // Taken and given between two updates.
    let mesh = Mesh::new(cube(&scene.assets, 1.0), paint(&scene.assets));
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    let row = scene.meshes.remove(node).unwrap();
    scene.meshes.insert(&scene.graph, node, row).unwrap();
    assert_eq!(seen(&mut scene), [node]);
}

#[test]
fn only_rows_that_were_touched_are_bounded_anew() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> = (0..20).map(|i| spawn_cube(&mut scene, Vec3::X * i as f32)).collect();
    assert_eq!(scene.update().unwrap().bounds, 20);
    assert_eq!(scene.update().unwrap(), SceneUpdate::default());
    for &node in &nodes[3..6] {
        scene.mesh_mut(node).unwrap().receive_shadow = false;
        scene.mesh_mut(node).unwrap().receive_shadow = true;
    }
    assert_eq!(scene.update().unwrap(), SceneUpdate { bounds: 3, ..SceneUpdate::default() });
    // Reading touches nothing.
    assert!(scene.mesh(nodes[0]).is_some());
    assert!(scene.meshes.get(&scene.graph, nodes[1]).is_some());
    assert_eq!(scene.meshes.iter(&scene.graph).count(), 20);
    assert_eq!(scene.update().unwrap(), SceneUpdate::default());
    scene.graph.node_mut(nodes[7]).unwrap().set_translation(Vec3::Y).unwrap();
    let expected = SceneUpdate { moved: 1, bounds: 1, ..SceneUpdate::default() };
    assert_eq!(scene.update().unwrap(), expected);
}

#[test]
fn rows_of_the_dead_are_refused() {
    let mut scene = Scene::new();
    let gone = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh(gone).unwrap().clone();
    scene.remove(gone).unwrap();
    assert!(scene.mesh(gone).is_none() && scene.mesh_mut(gone).is_none(), "at once");
    let dead = Error::Graph(pleach_graph::Error::Dead(gone));
    assert_eq!(scene.meshes.insert(&scene.graph, gone, mesh).unwrap_err(), dead);
    assert_eq!(scene.set_weights(gone, vec![1.0]), Err(dead.clone()));
    assert_eq!(scene.remove(gone), Err(dead.clone()));
    assert_eq!(scene.view(gone, 1.0), Err(Error::NoCamera(gone)));
    scene.update().unwrap();
}

// ---- removing ----

#[test]
fn removing_a_node_removes_what_is_below_with_all_rows() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let lamp = Node::light(Light::ambient(Vec3::ONE, 1.0)).under(arm.bones[2]);
    scene.spawn(lamp).unwrap();
    scene.spawn(Node::camera(Camera::default()).under(arm.bones[2])).unwrap();
    scene.set_weights(arm.node, vec![0.0]).unwrap();
    let other = spawn_cube(&mut scene, Vec3::ZERO);
    scene.update().unwrap();
    assert_eq!(scene.remove(arm.top), Ok(7));
    assert!(scene.skin(arm.node).is_none());
    let update = scene.update().unwrap();
    assert_eq!(update.removed, 1);
    assert_eq!(scene.graph.len(), 2);
    assert_eq!([scene.meshes.len(), scene.spatial.len()], [1, 1]);
    assert_eq!([scene.skins.len(), scene.weights.len()], [0, 0]);
    assert_eq!([scene.lights.len(), scene.cameras.len()], [0, 0]);
    assert!(scene.mesh(other).is_some());
    assert_eq!(scene.check(), [""; 0]);
}

#[test]
fn the_root_cannot_be_removed() {
    let mut scene = Scene::new();
    spawn_cube(&mut scene, Vec3::ZERO);
    let error = scene.remove(scene.root()).unwrap_err();
    assert_eq!(error, Error::Root);
    assert_eq!(
        error.to_string(),
        "the root of a scene cannot be removed; remove its children, or drop the scene",
    );
    assert_eq!(scene.graph.len(), 2);
}

#[test]
fn removing_tells_which_assets_became_unused() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let ids = [cube.id(), paint.id()];
    let nodes = [(); 2].map(|()| scene.spawn(Node::mesh(&cube, &paint)).unwrap());
    drop((cube, paint));
    scene.update().unwrap();
    let mut unused = Vec::new();
    scene.remove(nodes[0]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    assert!(unused.is_empty(), "the other has them");
    scene.remove(nodes[1]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    let mut freed: Vec<_> = unused.iter().map(|asset| asset.id).collect();
    freed.sort();
    assert_eq!(freed, ids);
}

#[test]
fn a_node_in_the_slot_of_a_removed_one_has_none_of_its_rows() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.set_weights(arm.node, vec![1.0]).unwrap();
    let eye = camera(&mut scene);
    scene.update().unwrap();
    // Without an update between removing and spawning, and with one.
    for updated in [false, true] {
        let old = spawn_cube(&mut scene, Vec3::ZERO);
        scene.update().unwrap();
        scene.remove(old).unwrap();
        if updated {
            scene.update().unwrap();
        }
        let new = scene.spawn(Node::group()).unwrap();
        assert_eq!(new.index(), old.index());
        assert!(scene.mesh(new).is_none());
        scene.update().unwrap();
        assert!(scene.mesh(new).is_none() && !scene.spatial.contains(new));
        let mut visible = Visible::new();
        scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
        assert!(!visible.nodes().contains(&new));
        scene.remove(new).unwrap();
        scene.update().unwrap();
    }
}

// ---- views and light ----

#[test]
fn a_view_is_of_a_camera_and_of_nothing_else() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group()).unwrap();
    let eye = camera(&mut scene);
    scene.update().unwrap();
    let error = scene.view(group, (800, 600)).unwrap_err();
    assert_eq!(error, Error::NoCamera(group));
    assert_eq!(
        error.to_string(),
        format!("node {group} has no camera; give it one in `Scene::cameras`"),
    );
    let view = scene.view(eye, (800, 600)).unwrap();
    assert_eq!(view.position, Vec3::new(0.0, 10.0, 5.0));
    let projected = view.project(Vec3::ZERO).unwrap();
    assert!(projected.x.abs() < 1e-5 && projected.y.abs() < 1e-5);
    assert!(view.project(Vec3::Z).unwrap().y > projected.y);

    // Fields may change; the next view has them.
    let fov_y = 0.3;
    scene.camera_mut(eye).unwrap().projection =
        Projection::Perspective { fov_y, near: 0.1, far: 50.0 };
    let narrow = scene.view(eye, (800, 600)).unwrap();
    assert!(narrow.projection != view.projection && narrow.far == 50.0);
}

#[test]
fn preparing_a_frame_updates_and_looks_but_does_not_cull() {
    // M120 in two calls, M121 in one.
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.node_mut(eye).unwrap().set_translation(Vec3::new(1.0, 10.0, 5.0)).unwrap();
    scene.update().unwrap();
    let view = scene.view(eye, 1.5).unwrap();
    assert_eq!(view.position, Vec3::new(1.0, 10.0, 5.0), "where it is now");
    let inverse = scene.graph.node(eye).unwrap().inverse_world().unwrap();
    assert!(view.view.abs_diff_eq(inverse, 1e-5));

    scene.graph.node_mut(cube).unwrap().set_translation(Vec3::Y * 500.0).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    assert_eq!(visible.nodes(), [cube], "as of the last update");
    scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [], "update, view and cull in one call");
    assert!(scene.visible_meshes(cube, 1.5, &mut visible).is_err());
}

#[test]
fn ambient_light_adds_up_while_it_is_shown() {
    let mut scene = Scene::new();
    scene.environment.ambient = Ambient { color: Vec3::new(1.0, 0.0, 0.0), intensity: 0.5 };
    let sum = |scene: &mut Scene| {
        scene.update().unwrap();
        let ambient = scene.ambient();
        ambient.color * ambient.intensity
    };
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(0.5, 0.0, 0.0), 1e-6));
    let house = scene.spawn(Node::group()).unwrap();
    let glow = Light::ambient(Vec3::new(0.0, 1.0, 0.0), 0.25);
    scene.spawn(Node::light(glow).under(house)).unwrap();
    let other = scene.spawn(Node::light(Light::ambient(Vec3::ONE, 1.0))).unwrap();
    scene.spawn(Node::light(Light::point(Vec3::ONE, 100.0))).unwrap();
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(1.5, 1.25, 1.0), 1e-5));
    scene.graph.node_mut(house).unwrap().set_visible(false);
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(1.5, 1.0, 1.0), 1e-5), "hidden with its house");
    scene.remove(other).unwrap();
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(0.5, 0.0, 0.0), 1e-5));
}

#[test]
fn several_cameras_see_the_same_scene_each_for_itself() {
    let mut scene = Scene::new();
    let left = spawn_cube(&mut scene, Vec3::X * -50.0);
    let right = spawn_cube(&mut scene, Vec3::X * 50.0);
    let eyes = [left, right].map(|cube| {
        let at = scene.graph.node(cube).unwrap().translation();
        let place = Transform::from_translation(at + Vec3::Y * 9.0).looking_at(at, Vec3::Z);
        scene.spawn(Node::camera(Camera::default()).with_transform(place)).unwrap()
    });
    scene.update().unwrap();
    let mut results = [Visible::new(), Visible::new()];
    for (eye, visible) in eyes.iter().zip(&mut results) {
        scene.cull(&scene.view(*eye, 1.0).unwrap(), visible);
    }
    assert_eq!(results[0].nodes(), [left]);
    assert_eq!(results[1].nodes(), [right]);
}

// ---- copies on one node ----

fn row_of(cube: &Handle<Geometry>) -> Instances {
    let row = (0..10).map(|x| Mat4::from_translation(Vec3::X * (3 * x) as f32));
    Instances::new(cube.bounds(), row.collect()).unwrap()
}

#[test]
fn copies_on_one_node_are_met_one_by_one() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let mut mesh = Mesh::new(cube.clone(), paint);
    mesh.instances = Some(Box::new(row_of(&cube)));
    let node = Node::group().with_mesh(mesh).at(Vec3::Y * 2.0).scaled(Vec3::splat(2.0));
    let node = scene.spawn(node).unwrap();
    scene.update().unwrap();
    let bounds = Aabb::new(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(55.0, 3.0, 1.0));
    assert_eq!(scene.spatial.world_bounds(node), Some(bounds));
    for copy in 0..10 {
        let ray = Ray::new(Vec3::new(6.0 * copy as f32 + 0.3, 2.4, 9.0), Vec3::NEG_Z).unwrap();
        let hit = scene.pick(&ray, &Filter::default()).unwrap();
        assert_eq!((hit.node, hit.instance, hit.distance), (node, Some(copy), 8.0));
        let between = Ray::new(Vec3::new(6.0 * copy as f32 + 3.0, 2.4, 9.0), Vec3::NEG_Z).unwrap();
        assert!(scene.pick(&between, &Filter::default()).is_none());
    }
}

// ---- the graph that a scene follows ----

#[test]
fn a_graph_that_was_exchanged_is_refused() {
    let mut scene = Scene::new();
    spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph = pleach::Graph::new();
    let error = scene.update().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the feed was subscribed to another graph; subscribe to this one with `Graph::subscribe`",
    );
}

#[test]
fn weights_may_be_set_before_and_after_the_mesh() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group()).unwrap();
    scene.set_weights(node, vec![2.0]).unwrap();
    scene.update().unwrap();
    let quad = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
        .with_morph_target(pleach::MorphTarget::from_positions(vec![Vec3::Z; 3]));
    let mesh = Mesh::new(scene.assets.add(quad), paint(&scene.assets));
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert!((bounds.max.z - 2.0).abs() < 1e-5);
    let down = Ray::new(Vec3::new(0.2, 0.2, 9.0), Vec3::NEG_Z).unwrap();
    assert_eq!(scene.pick(&down, &Filter::default()).unwrap().distance, 7.0);
}
