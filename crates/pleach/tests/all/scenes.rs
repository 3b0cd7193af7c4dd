//! Collections of scenes: by name, in order, with one active scene.

use crate::common::spawn_cube;
use pleach::glam::Vec3;
use pleach::{Error, Node, Scene, Scenes, ScenesError};

fn three() -> Scenes {
    let mut scenes = Scenes::new();
    for name in ["menu", "level", "credits"] {
        scenes.insert(Scene::named(name)).unwrap();
    }
    scenes
}

fn names(scenes: &Scenes) -> Vec<&str> {
    scenes.iter().map(|scene| scene.name.as_str()).collect()
}

fn active(scenes: &Scenes) -> Option<&str> {
    scenes.active().map(|scene| scene.name.as_str())
}

#[test]
fn new_collection_is_empty() {
    let mut scenes = Scenes::new();
    assert!(scenes.is_empty());
    assert_eq!((scenes.len(), scenes.iter().len()), (0, 0));
    assert!(scenes.active().is_none() && scenes.active_mut().is_none());
    assert!(scenes.get("menu").is_none() && scenes.get_mut("menu").is_none());
}

#[test]
fn scenes_are_in_insertion_order() {
    let mut scenes = three();
    assert_eq!(names(&scenes), ["menu", "level", "credits"]);
    assert_eq!(scenes.len(), 3);
    let taken = scenes.remove("level").unwrap();
    assert_eq!(taken.name, "level");
    assert_eq!(names(&scenes), ["menu", "credits"]);
    scenes.insert(taken).unwrap();
    assert_eq!(names(&scenes), ["menu", "credits", "level"], "the last one added");
    assert!(scenes.iter_mut().map(|scene| scene.name.clone()).eq(["menu", "credits", "level"]));
}

#[test]
fn scene_names_are_unique() {
    let mut scenes = three();
    let mut rejected = Scene::named("level");
    rejected.spawn(Node::group()).unwrap();
    let error = scenes.insert(rejected).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"there is a scene named "level"; remove it first, or give this one another name"#,
    );
    assert_eq!(error.0.graph.len(), 2, "the scene is given back");
    assert_eq!(Error::from(error), Error::Scenes(ScenesError::Taken("level".into())));
    assert_eq!(names(&scenes), ["menu", "level", "credits"]);
    // The empty name is an ordinary name.
    scenes.insert(Scene::new()).unwrap();
    assert!(scenes.insert(Scene::new()).is_err());
    assert!(scenes.get("").is_some());
}

#[test]
fn m123_names_cannot_collide_by_renaming_a_scene() {
    let mut scenes = three();
    scenes.get_mut("level").unwrap().name = "menu".into();
    scenes.iter_mut().for_each(|scene| scene.name = "menu".into());
    assert!(scenes.names().eq(["menu", "level", "credits"]));
    let level = scenes.get_mut("level").unwrap();
    level.spawn(Node::group()).unwrap();
    assert_eq!(scenes.get("menu").unwrap().graph.len(), 1);
    assert_eq!(scenes.get("level").unwrap().graph.len(), 2);
    assert_eq!(
        scenes.rename("level", "menu"),
        Err(Error::Scenes(ScenesError::Taken("menu".into()))),
    );
    assert_eq!(scenes.rename("level", "level"), Ok(()));
    assert_eq!(scenes.rename("level", "level 2"), Ok(()));
    assert!(scenes.get("level").is_none());
    assert_eq!(scenes.remove("level 2").unwrap().name, "level 2");
    assert!(scenes.rename("attic", "cellar").is_err());
}

#[test]
fn several_scenes_can_be_borrowed_at_once() {
    let mut scenes = three();
    let [credits, menu] = scenes.get_disjoint_mut(["credits", "menu"]).unwrap();
    assert_eq!((credits.name.as_str(), menu.name.as_str()), ("credits", "menu"));
    assert!(scenes.get_disjoint_mut(["menu", "menu"]).is_none());
    assert!(scenes.get_disjoint_mut(["menu", "attic"]).is_none());
}

#[test]
fn unknown_names_are_rejected_without_effect() {
    let mut scenes = three();
    scenes.activate("level").unwrap();
    let unknown = Error::Scenes(ScenesError::Unknown("attic".into()));
    assert_eq!(scenes.activate("attic"), Err(unknown.clone()));
    assert_eq!(scenes.remove("attic").unwrap_err(), unknown);
    assert_eq!(unknown.to_string(), r#"there is no scene named "attic""#);
    assert_eq!(active(&scenes), Some("level"));
    assert_eq!(names(&scenes), ["menu", "level", "credits"]);
    assert!(scenes.get("attic").is_none());
    assert!(scenes.get("Level").is_none(), "names are case-sensitive");
}

#[test]
fn active_scene_is_kept_when_others_are_added_and_removed() {
    let mut scenes = three();
    assert_eq!(active(&scenes), None, "none is active at first");
    scenes.activate("level").unwrap();
    assert_eq!(active(&scenes), Some("level"));
    scenes.insert(Scene::named("attic")).unwrap();
    assert_eq!(active(&scenes), Some("level"));
    scenes.remove("menu").unwrap();
    assert_eq!(active(&scenes), Some("level"), "a scene before it was removed");
    scenes.remove("credits").unwrap();
    assert_eq!(active(&scenes), Some("level"), "a scene after it was removed");
    scenes.activate("attic").unwrap();
    assert_eq!(active(&scenes), Some("attic"));
    scenes.deactivate();
    assert_eq!(active(&scenes), None);
    scenes.deactivate();
}

#[test]
fn removing_the_active_scene_leaves_none_active() {
    for name in ["menu", "level", "credits"] {
        let mut scenes = three();
        scenes.activate(name).unwrap();
        scenes.remove(name).unwrap();
        assert_eq!(active(&scenes), None);
        assert!(scenes.active_mut().is_none());
        assert_eq!(scenes.len(), 2);
    }
}

#[test]
fn scenes_are_independent() {
    let mut scenes = three();
    let menu = scenes.get_mut("menu").unwrap();
    let cube = spawn_cube(menu, Vec3::ZERO);
    menu.graph.node_mut(cube).unwrap().set_name("button");
    menu.update().unwrap();
    assert_eq!(scenes.get("menu").unwrap().graph.find("button"), Some(cube));
    assert_eq!(scenes.get("level").unwrap().graph.find("button"), None);
    scenes.activate("level").unwrap();
    scenes.active_mut().unwrap().spawn(Node::group().named("hero")).unwrap();
    for scene in scenes.iter_mut() {
        scene.update().unwrap();
    }
    assert!(scenes.active().unwrap().graph.find("hero").is_some());
    let lens: Vec<usize> = scenes.iter().map(|scene| scene.graph.len()).collect();
    assert_eq!(lens, [2, 2, 1]);
}

#[test]
fn removed_scene_can_be_renamed_and_inserted_again() {
    let mut scenes = three();
    let mut scene = scenes.remove("menu").unwrap();
    assert_eq!(scene.name, "menu");
    scene.name = "start".into();
    scenes.insert(scene).unwrap();
    assert_eq!(names(&scenes), ["level", "credits", "start"]);
    assert!(scenes.get("menu").is_none());
    assert_eq!(Scene::new().name, "");
    assert_eq!(Scene::default().name, "");
}

#[test]
fn scene_can_be_cloned_into_another_of_the_collection() {
    let mut scenes = three();
    let menu = scenes.get_mut("menu").unwrap();
    let cube = spawn_cube(menu, Vec3::ZERO);
    let prefab = scenes.remove("menu").unwrap();
    let level = scenes.get_mut("level").unwrap();
    let clones = level.clone_subtree_from(&prefab, cube, None).unwrap();
    level.update().unwrap();
    assert!(level.mesh(clones.root()).is_some());
    scenes.insert(prefab).unwrap();
    assert!(scenes.get("menu").unwrap().mesh(cube).is_some());
}
