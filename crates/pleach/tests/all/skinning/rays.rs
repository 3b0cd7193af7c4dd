//! Rays hit posed meshes as of the last update, and never an old pose.

use pleach::glam::{Mat4, Vec3};
use pleach::{Filter, Geometry, Instances, Mesh, MorphTarget, Node, Ray, Scene};

use crate::common::character::arm;
use crate::common::material;

/// Adds a unit quad facing +Z, with a morph target that lifts it by 1.
fn lift(scene: &Scene) -> pleach::Handle<Geometry> {
    let corners =
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let quad = Geometry::from_triangles(corners.to_vec(), vec![0, 1, 2, 0, 2, 3]);
    scene.assets.add(quad.with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 4])))
}

/// Returns the z coordinate at which a ray from (x, 0.2, 10) downwards hits.
fn depth_at(scene: &mut Scene, x: f32) -> Option<f32> {
    let down = Ray::new(Vec3::new(x, 0.2, 10.0), Vec3::NEG_Z).unwrap();
    scene.pick(&down, &Filter::default()).map(|hit| 10.0 - hit.distance)
}

#[test]
fn mesh_without_weights_is_picked_in_its_rest_shape() {
    let mut scene = Scene::new();
    let (lift, material) = (lift(&scene), material(&scene.assets));
    let node = scene.spawn(Node::mesh(&lift, &material)).unwrap();
    for set_empty in [false, true] {
        scene.set_weights(node, vec![2.0]).unwrap();
        scene.update().unwrap();
        assert_eq!(depth_at(&mut scene, 0.5), Some(2.0));
        if set_empty {
            scene.set_weights(node, Vec::new()).unwrap();
        } else {
            scene.weights.remove(node).unwrap();
        }
        scene.update().unwrap();
        assert_eq!(scene.spatial.world_bounds(node).unwrap().max.z, 0.0);
        assert_eq!(depth_at(&mut scene, 0.5), Some(0.0), "emptied: {set_empty}");
    }
}

#[test]
fn instances_of_a_morphed_mesh_are_picked_at_their_positions() {
    let mut scene = Scene::new();
    let (lift, material) = (lift(&scene), material(&scene.assets));
    let mut mesh = Mesh::new(lift.clone(), material);
    let matrices = (0..5).map(|x| Mat4::from_translation(Vec3::X * (2.0 * x as f32)));
    mesh.instances =
        Some(Box::new(Instances::new(lift.get().bounds(), matrices.collect()).unwrap()));
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    assert_eq!(depth_at(&mut scene, 6.5), Some(0.0));
    scene.set_weights(node, vec![3.0]).unwrap();
    scene.update().unwrap();
    for instance in 0..5 {
        let x = 2.0 * instance as f32 + 0.5;
        assert_eq!(depth_at(&mut scene, x), Some(3.0), "instance {instance}");
        let down = Ray::new(Vec3::new(x, 0.2, 10.0), Vec3::NEG_Z).unwrap();
        let hit = scene.pick(&down, &Filter::default()).unwrap();
        assert_eq!(hit.instance, Some(instance));
    }
    // The bounds contain the morphed instances.
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert!(bounds.contains_point(Vec3::new(8.5, 0.5, 3.0)), "{bounds:?}");
}

#[test]
fn mesh_first_picked_while_flat_is_picked_when_it_has_area() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.graph.node_mut(arm.root).unwrap().set_scale(Vec3::ZERO).unwrap();
    scene.update().unwrap();
    let through = Ray::new(Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&through, &Filter::default()), None, "no area");
    scene.graph.node_mut(arm.root).unwrap().set_scale(Vec3::ONE).unwrap();
    scene.update().unwrap();
    for quad in 0..3 {
        let at = Ray::new(Vec3::new(0.1, 5.0, quad as f32 + 0.3), Vec3::NEG_Y).unwrap();
        let hit = scene.pick(&at, &Filter::default()).expect("it has an area now");
        assert_eq!(hit.triangle / 2, quad);
    }
}

#[test]
fn mirrored_skinned_mesh_is_picked_from_its_front() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 1);
    let quad = scene.mesh(arm.node).unwrap().parts[0].clone();
    let plain = Node::mesh(&quad.geometry, &quad.material).at(Vec3::X * 5.0);
    let plain = scene.spawn(plain).unwrap();
    scene.update().unwrap();
    for mirrored in [false, true] {
        let scale = if mirrored { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        for node in [arm.root, plain] {
            scene.graph.node_mut(node).unwrap().set_scale(scale).unwrap();
        }
        scene.update().unwrap();
        let pick_at = |x: f32| {
            let ray = Ray::new(Vec3::new(x, -5.0, 0.4), Vec3::Y).unwrap();
            scene.pick(&ray, &Filter::default()).unwrap()
        };
        let (skinned, plain) = (pick_at(0.1), pick_at(5.1));
        assert!(plain.front && plain.normal == Vec3::NEG_Y);
        assert_eq!(
            (skinned.front, skinned.normal),
            (plain.front, plain.normal),
            "mirrored: {mirrored}",
        );
    }
}

#[test]
fn picking_never_hits_an_old_pose() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.update().unwrap();
    for step in 0..10 {
        let x = step as f32;
        scene
            .graph
            .node_mut(arm.joints[1])
            .unwrap()
            .set_translation(Vec3::new(x, 0.0, 1.0))
            .unwrap();
        let before = Ray::new(Vec3::new(x - 1.0, 5.0, 1.5), Vec3::NEG_Y).unwrap();
        let now = Ray::new(Vec3::new(x, 5.0, 1.5), Vec3::NEG_Y).unwrap();
        if step > 0 {
            assert!(scene.pick(&before, &Filter::default()).is_some(), "as of the last update");
        }
        scene.update().unwrap();
        assert!(scene.pick(&now, &Filter::default()).is_some());
        assert!(scene.pick(&before, &Filter::default()).is_none());
        assert!(scene.pick(&now, &Filter::default()).is_some());
    }
}

#[test]
fn ray_that_misses_the_posed_bounds_never_hits_the_bind_pose() {
    // Posed triangles are updated only if the ray hits the posed bounds; other meshes must not be
    // tested in their old pose.
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 1);
    scene.graph.node_mut(arm.joints[0]).unwrap().set_scale(Vec3::new(1.0, 1.0, 0.5)).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    let mut z = bounds.max.z;
    for _ in 0..30 {
        z = z.next_up();
        let ray = Ray::new(Vec3::new(0.0, 5.0, z), Vec3::NEG_Y).unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()), None, "at {z}, above {bounds:?}");
    }
}

#[test]
fn hidden_and_filtered_characters_are_not_picked() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.update().unwrap();
    let ray = Ray::new(Vec3::new(0.1, 5.0, 0.5), Vec3::NEG_Y).unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_some());
    assert!(scene.pick(&ray, &Filter::default().with_layers(2)).is_none());
    assert!(scene.pick(&ray, &Filter::default().with_predicate(&|_| false)).is_none());
    scene.graph.node_mut(arm.root).unwrap().set_visible(false);
    scene.update().unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_none());
    assert!(scene.pick(&ray, &Filter::default().with_hidden()).is_some());
}
