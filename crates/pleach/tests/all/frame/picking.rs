//! Picking takes shared references: from several threads, with predicates that read the scene.

use pleach::glam::Vec3;
use pleach::{Filter, Hit, NodeId, Ray, Scene};
use testkit::Rng;

use crate::common::character::{Character, CharacterOptions};
use crate::common::spawn_cube;

fn rays(random: &mut Rng, count: usize) -> Vec<Ray> {
    let ray = |random: &mut Rng| {
        let origin = random.direction() * 30.0;
        Ray::new(origin, random.vec3(4.0) - origin).unwrap()
    };
    (0..count).map(|_| ray(random)).collect()
}

#[test]
fn b4_several_threads_pick_the_same_posed_scene() {
    let mut random = Rng::from_env(4);
    let seed = random.state();
    let mut scene = Scene::new();
    let options = CharacterOptions { targets: 2, parts: 2, ..CharacterOptions::default() };
    let characters: Vec<Character> =
        (0..6).map(|_| Character::spawn(&mut scene, &mut random, options)).collect();
    for _ in 0..10 {
        spawn_cube(&mut scene, random.vec3(6.0));
    }
    let rays = rays(&mut random, 64);
    for round in 0..5 {
        for character in &characters {
            character.pose(&mut scene, &mut random);
        }
        scene.update().unwrap();
        // All threads start without posed triangles, in different orders.
        let scene = &scene;
        let picked: Vec<Vec<Option<Hit>>> = std::thread::scope(|threads| {
            let start = |thread: usize| {
                let rays = &rays;
                threads.spawn(move || {
                    let mut hits = vec![None; rays.len()];
                    for step in 0..rays.len() {
                        let index = (step + 16 * thread) % rays.len();
                        hits[index] = scene.pick(&rays[index], &Filter::default());
                        let bounds = scene.subtree_bounds(scene.root());
                        assert!(bounds.is_some());
                    }
                    hits
                })
            };
            let threads: Vec<_> = (0..4).map(start).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let expected: Vec<Option<Hit>> =
            rays.iter().map(|ray| scene.pick(ray, &Filter::default())).collect();
        assert!(expected.iter().any(Option::is_some));
        for hits in picked {
            assert_eq!(hits, expected, "seed {seed}, round {round}");
        }
    }
}

/// With `pick(&mut self)` this was error E0502: the predicate borrows the scene.
#[test]
fn b4_a_predicate_may_look_at_the_scene() {
    let mut scene = Scene::new();
    let near = spawn_cube(&mut scene, Vec3::X * 2.0);
    let far = spawn_cube(&mut scene, Vec3::X * 4.0);
    scene.mesh_mut(near).unwrap().cast_shadow = false;
    scene.update().unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let casts = |node: NodeId| scene.mesh(node).is_some_and(|mesh| mesh.cast_shadow);
    let hit = scene.pick(&ray, &Filter::default().with_predicate(&casts)).unwrap();
    assert_eq!(hit.node, far);
    let picks = |node: NodeId| scene.pick(&ray, &Filter::default()).unwrap().node == node;
    let hit = scene.pick(&ray, &Filter::default().with_predicate(&picks)).unwrap();
    assert_eq!(hit.node, near, "a predicate may even pick");
}

#[test]
fn pick_nodes_lists_each_node_once_nearest_first() {
    let mut random = Rng::from_env(5);
    let seed = random.state();
    let mut scene = Scene::new();
    let options = CharacterOptions { triangles: 60, ..CharacterOptions::default() };
    for _ in 0..4 {
        Character::spawn(&mut scene, &mut random, options);
    }
    for _ in 0..40 {
        spawn_cube(&mut scene, random.vec3(3.0));
    }
    scene.update().unwrap();
    let (mut all, mut nodes) = (Vec::new(), Vec::new());
    let mut most = 0;
    for ray in rays(&mut random, 100) {
        scene.pick_all(&ray, &Filter::default(), &mut all);
        scene.pick_nodes(&ray, &Filter::default(), &mut nodes);
        let mut expected: Vec<Hit> = Vec::new();
        for hit in &all {
            if !expected.iter().any(|it| it.node == hit.node) {
                expected.push(*hit);
            }
        }
        assert_eq!(nodes, expected, "seed {seed}");
        most = most.max(all.len() - nodes.len());
    }
    assert!(most > 2, "no node was hit more than once");
}
