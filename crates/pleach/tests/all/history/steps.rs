//! `History`: limit, marks, merging, assets that it keeps, and what it refuses.

use pleach::glam::{Quat, Vec3};
use pleach::{Constraint, Error, History, Node, Scene};

use super::{Health, state};
use crate::common::{material, spawn_cube};

fn add(history: &mut History, scene: &mut Scene, label: &str) {
    history.transact(scene, label, |scene| scene.spawn(Node::group())).unwrap();
}

#[test]
fn over_the_limit_the_oldest_steps_are_dropped_and_reported() {
    let mut scene = Scene::new();
    let mut history = History::with_limit(2_000);
    for label in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        add(&mut history, &mut scene, label);
        assert!(history.byte_size() <= history.limit());
    }
    let kept = history.undo_labels().len();
    let dropped = history.take_dropped();
    assert!(kept > 0 && kept < 8);
    assert_eq!(dropped.len() + kept, 8);
    assert_eq!(&*dropped[0], "a");
    assert!(history.take_dropped().is_empty());
    while history.undo(&mut scene).unwrap().is_some() {}
    assert_eq!(scene.graph.len(), 1 + dropped.len());
    // A single step is kept, however large it is.
    let mut history = History::with_limit(0);
    add(&mut history, &mut scene, "large");
    assert_eq!(history.undo(&mut scene).unwrap(), Some("large"));
}

#[test]
fn dropped_steps_free_what_they_kept() {
    let mut scene = Scene::new();
    let mut history = History::with_limit(1);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let geometry = scene.mesh(cube).unwrap().parts[0].geometry.id();
    history.transact(&mut scene, "Delete", |scene| scene.remove(cube)).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.graph.parked_count(), 1);
    assert!(scene.assets.contains(geometry), "the history needs it");
    add(&mut history, &mut scene, "another");
    assert_eq!(scene.graph.parked_count(), 0);
    assert!(!scene.assets.contains(geometry), "released");
}

#[test]
fn is_modified_since_the_saved_state() {
    let mut scene = Scene::new();
    let mut history = History::new();
    assert!(!history.is_modified());
    add(&mut history, &mut scene, "a");
    assert!(history.is_modified());
    history.set_saved();
    history.undo(&mut scene).unwrap();
    assert!(history.is_modified());
    history.redo(&mut scene).unwrap();
    assert!(!history.is_modified());
    // Another edit after an undo: the saved state cannot be reached any more.
    history.undo(&mut scene).unwrap();
    add(&mut history, &mut scene, "b");
    assert!(history.is_modified());
    history.undo(&mut scene).unwrap();
    assert!(history.is_modified());
    // Merged edits lead to another state, too.
    let mut history = History::new();
    let merged = |history: &mut History, scene: &mut Scene| {
        history.transact_merged(scene, "c", "key", |scene| scene.spawn(Node::group())).unwrap();
    };
    merged(&mut history, &mut scene);
    merged(&mut history, &mut scene);
    assert_eq!(history.undo_labels().len(), 1);
    history.undo(&mut scene).unwrap();
    assert!(!history.is_modified(), "as it was created");
    history.redo(&mut scene).unwrap();
    history.set_saved();
    merged(&mut history, &mut scene);
    assert!(history.is_modified());
    history.clear(&mut scene);
    assert!(history.is_modified() && history.undo(&mut scene).unwrap().is_none());
}

#[test]
fn marks_that_cannot_be_reached_are_refused() {
    let mut scene = Scene::new();
    let mut history = History::new();
    let begin = history.mark();
    add(&mut history, &mut scene, "a");
    let after_a = history.mark();
    add(&mut history, &mut scene, "b");
    assert!(history.return_to(&mut scene, begin).unwrap());
    assert!(history.return_to(&mut scene, after_a).unwrap());
    assert_eq!((history.undo_label(), history.redo_label()), (Some("a"), Some("b")));
    history.undo(&mut scene).unwrap();
    add(&mut history, &mut scene, "c");
    assert!(!history.return_to(&mut scene, after_a).unwrap());
    assert_eq!(history.undo_label(), Some("c"));
}

#[test]
fn a_slider_is_one_step_until_something_else_happens() {
    let mut scene = Scene::new();
    let mut history = History::new();
    let lamp = scene.spawn(Node::group()).unwrap();
    let slide = |history: &mut History, scene: &mut Scene, x: f32| {
        history
            .transact_merged(scene, "Slide", "x of lamp", |scene| {
                scene.node_mut(lamp)?.set_translation(Vec3::X * x)?;
                Ok::<_, Error>(())
            })
            .unwrap();
    };
    let before = state(&scene);
    (0..100).for_each(|step| slide(&mut history, &mut scene, step as f32));
    let bytes = history.byte_size();
    (0..1000).for_each(|step| slide(&mut history, &mut scene, step as f32));
    assert_eq!(history.undo_labels().len(), 1);
    assert_eq!(history.byte_size(), bytes, "the memory does not grow");
    history.end_merging();
    slide(&mut history, &mut scene, 5.0);
    assert_eq!(history.undo_labels().len(), 2);
    history.undo(&mut scene).unwrap();
    slide(&mut history, &mut scene, 6.0);
    assert_eq!(history.undo_labels().len(), 2, "an undo begins a new step");
    while history.undo(&mut scene).unwrap().is_some() {}
    assert_eq!(state(&scene), before);
}

/// An update writes the rotation of a constrained node without recording it, so that its value before
/// must stay in the step even if the recorded edits cancel each other out.
#[test]
fn a_merged_step_restores_the_transform_of_a_node_that_it_constrained() {
    let mut scene = Scene::new();
    let mut history = History::new();
    let [lamp, target] =
        [Vec3::ZERO, Vec3::ONE].map(|at| scene.spawn(Node::group().at(at)).unwrap());
    scene.update().unwrap();
    let before = state(&scene);
    let mut edit = |scene: &mut Scene, x: f32, constrain: bool| {
        let edited = history.transact_merged(scene, "Aim", "lamp", |scene| {
            scene.node_mut(lamp)?.set_translation(Vec3::X * x)?;
            if constrain {
                let look_at = Constraint::LookAt { target, up: Vec3::Z };
                scene.constraints.insert(&scene.graph, lamp, look_at)?;
            }
            Ok::<_, Error>(())
        });
        edited.unwrap();
    };
    edit(&mut scene, 1.0, false);
    edit(&mut scene, 0.0, true);
    scene.update().unwrap();
    assert_ne!(scene.node(lamp).unwrap().rotation(), Quat::IDENTITY);
    assert_eq!(history.undo_labels().len(), 1);
    history.undo(&mut scene).unwrap();
    scene.update().unwrap();
    assert_eq!(state(&scene), before);
}

#[test]
fn parked_nodes_count_towards_the_limit() {
    let mut scene = Scene::new();
    let nodes: Vec<_> = (0..1000).map(|_| scene.spawn(Node::group()).unwrap()).collect();
    let mut history = History::new();
    let removed = history.transact(&mut scene, "Delete", |scene| {
        nodes.iter().try_for_each(|&node| scene.remove(node).map(drop))
    });
    removed.unwrap();
    assert_eq!(scene.graph.parked_count(), 1000);
    // Their slots are 170 bytes each, and their records in the patch some more.
    assert!(history.byte_size() > 1000 * 170, "{}", history.byte_size());
}

#[test]
fn undo_and_redo_are_refused_inside_of_a_transaction() {
    let mut scene = Scene::new();
    let mut history = History::new();
    add(&mut history, &mut scene, "a");
    scene.begin_transaction();
    assert_eq!(history.undo(&mut scene), Err(Error::InTransaction));
    assert!(scene.roll_back());
    assert_eq!(history.undo(&mut scene), Ok(Some("a")));
    assert_eq!(scene.commit("nothing").map(drop), Err(Error::NoTransaction));
}

#[test]
fn an_undo_that_does_not_fit_changes_nothing() {
    let mut scene = Scene::new();
    let mut history = History::new();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    history
        .transact(&mut scene, "Edit", |scene| {
            scene.node_mut(cube)?.set_translation(Vec3::X)?;
            scene.insert(cube, Health(1)).map(drop)
        })
        .unwrap();
    // Outside of transactions.
    scene.remove(cube).unwrap();
    let before = state(&scene);
    assert!(matches!(history.undo(&mut scene), Err(Error::Patch(_))));
    assert_eq!(state(&scene), before);
    assert_eq!(history.undo_label(), Some("Edit"));
}

#[test]
fn replacing_a_whole_table_is_an_error() {
    let mut scene = Scene::new();
    let result = scene.transact("Replace", |scene| {
        scene.environment.ambient.intensity = 3.0;
        scene.lights = pleach::Table::new();
        Ok::<_, Error>(())
    });
    assert_eq!(result.map(drop), Err(Error::Replaced("light")));
    assert_eq!(scene.environment.ambient.intensity, 0.0);
    assert!(!scene.is_in_transaction());
    let result = scene.transact("Replace", |scene| {
        scene.graph = pleach::Graph::new();
        Ok::<_, Error>(())
    });
    assert_eq!(result.map(drop), Err(Error::Replaced("graph")));
}

#[test]
fn an_undone_edit_of_an_asset_has_its_version_back() {
    let mut scene = Scene::new();
    let red = material(&scene.assets);
    let (_, patch) = scene
        .transact("Paint", |_| {
            red.edit(|red| red.base_color.x = 0.5);
            red.edit(|red| red.base_color.y = 0.5);
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!((red.version(), patch.assets().count()), (3, 1));
    let mut reader = scene.assets.change_reader();
    scene.revert(&patch).unwrap();
    assert_eq!(red.version(), 1);
    assert_eq!(reader.read().edited().len(), 1, "readers see an undo like any other edit");
    red.edit(|red| red.base_color.x = 0.75);
    assert_eq!(red.version(), 4, "a number is not used for two values");
}

#[test]
fn a_panic_undoes_everything() {
    let mut scene = Scene::new();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let before = state(&scene);
    let panicked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        scene.transact("panics", |scene| -> Result<(), Error> {
            scene.remove(cube)?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(state(&scene), before);
}
