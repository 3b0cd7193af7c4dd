//! Whatever a scene contains is restored: in bytes and in JSON.

use pleach::glam::Vec3;
use pleach::{Node, Scene};
use pleach_format::Options;
use testkit::{Effort, Rng};

use crate::common::compare::{assert_same, assert_same_updates};
use crate::common::random_scene::{random_clips, random_scene};

#[test]
fn random_scenes_are_restored_with_handles_order_and_bits() {
    let mut rng = Rng::from_env(1);
    for _ in 0..Effort::pick(300, 5_000) {
        let size = rng.pick(&[0, 1, 10, 60, 200]);
        let mut scene = random_scene(&mut rng, size);
        let is_updated = rng.one_in(2) && scene.update().is_ok();
        let clips = random_clips(&mut rng);
        let options = Options::new();
        let bytes = options.to_bytes(&scene, &clips).unwrap();
        let mut loaded = options.from_bytes(&bytes).unwrap();
        assert_same(&scene, &loaded.scene);
        assert_eq!(loaded.clips, clips);
        assert!(options.to_bytes(&loaded.scene, &loaded.clips).unwrap() == bytes);

        let text = options.to_json(&scene, &clips).unwrap();
        let from_json = options.from_json(&text).unwrap();
        assert_same(&scene, &from_json.scene);
        assert!(options.to_bytes(&from_json.scene, &from_json.clips).unwrap() == bytes);

        assert_same_updates(&mut scene, &mut loaded.scene);
        if is_updated {
            // Otherwise the update of the original drops rows of removed nodes, in another order.
            let bytes = options.to_bytes(&scene, &clips).unwrap();
            assert!(bytes == options.to_bytes(&loaded.scene, &clips).unwrap());
        }
    }
}

#[test]
fn removed_handles_stay_dead_after_loading() {
    let mut scene = Scene::new();
    let mut dead = Vec::new();
    for round in 0..5 {
        let nodes = [(); 3].map(|()| scene.spawn(Node::group()).unwrap());
        if round < 4 {
            nodes.iter().for_each(|&node| _ = scene.remove(node).unwrap());
            dead.extend(nodes);
        }
    }
    let mut loaded = pleach_format::from_bytes(&pleach_format::to_bytes(&scene).unwrap()).unwrap();
    for _ in 0..10 {
        assert!(dead.iter().all(|&node| loaded.node(node).is_err()));
        dead.push(loaded.spawn(Node::group()).unwrap());
        loaded.remove(*dead.last().unwrap()).unwrap();
    }
}

#[test]
fn edits_and_readers_go_on_after_loading() {
    let mut scene = Scene::new();
    let post = scene.spawn(Node::group().named("post")).unwrap();
    let lamp = scene.spawn(Node::group().under(post)).unwrap();
    let mut loaded = pleach_format::from_bytes(&pleach_format::to_bytes(&scene).unwrap()).unwrap();
    assert!(loaded.changes().added().eq([scene.root(), post, lamp]));
    loaded.update().unwrap();
    let mut reader = loaded.graph.change_reader();
    loaded.clear_changes();
    loaded.node_mut(post).unwrap().set_translation(Vec3::X).unwrap();
    loaded.update().unwrap();
    assert!(reader.read(&loaded.graph).unwrap().changed().eq([post, lamp]));
    assert!(loaded.changes().changed().eq([post, lamp]));
    assert_eq!(loaded.check(), []);
}
