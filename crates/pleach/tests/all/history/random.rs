//! Random edits of scenes, undone, redone, merged and dropped in any order, against copies of the
//! whole state.

use pleach::glam::Vec3;
use pleach::{
    Constraint, Error, Handle, History, Light, Material, MorphWeights, Node, NodeId, Scene,
    Transform,
};
use testkit::{Effort, Rng};

use super::{Health, state};
use crate::common::{cube, material, problems};

struct Model {
    scene: Scene,
    materials: Vec<Handle<Material>>,
    random: Rng,
    /// The number of edits.
    edits: usize,
}

impl Model {
    fn new(seed: u64) -> Self {
        let scene = Scene::new();
        let materials = (0..3).map(|_| material(&scene.assets)).collect();
        Self { scene, materials, random: Rng::new(seed), edits: 0 }
    }

    /// Edits the scene at random, once.
    fn edit(scene: &mut Scene, materials: &[Handle<Material>], random: &mut Rng) {
        let nodes: Vec<NodeId> = scene.walk().collect();
        let (node, other) = (random.pick(&nodes), random.pick(&nodes));
        let others: Vec<NodeId> = nodes.iter().copied().filter(|&it| it != scene.root()).collect();
        if others.is_empty() || (others.len() < 30 && random.one_in(4)) {
            let geometry = cube(&scene.assets, 1.0);
            let new = Node::mesh(&geometry, &materials[random.below(3)]).named("new").under(node);
            match random.below(3) {
                0 => _ = scene.spawn(new.at(random.vec3(9.0))).unwrap(),
                1 => _ = scene.spawn(new.with(Health(random.next_u32() % 100))).unwrap(),
                _ => _ = scene.clone_subtree(node, None).unwrap(),
            }
            return;
        }
        let child = random.pick(&others);
        let result: Result<(), Error> = match random.below(17) {
            0 => scene.remove(child).map(drop),
            // From the graph alone: the rows are dropped later.
            1 => scene.graph.remove(child).map(drop).map_err(Into::into),
            2 => scene.attach(child, other),
            3 => scene.detach(child),
            4 => scene.insert(node, Health(random.next_u32() % 100)).map(drop),
            5 => {
                scene.remove_component::<Health>(node);
                Ok(())
            }
            6 => {
                if let Some(health) = scene.get_mut::<Health>(node) {
                    health.0 += 1;
                }
                Ok(())
            }
            7 => {
                let (graph, table) = scene.graph_and_table_mut::<Health>();
                table.iter_mut(graph).for_each(|(_, health)| health.0 += 1);
                Ok(())
            }
            8 => scene.insert(node, Light::point(random.vec3(1.0).abs(), 1.0)).map(drop),
            9 => {
                scene.remove_component::<Light>(node);
                Ok(())
            }
            10 => {
                let color = random.vec3(1.0).abs().extend(1.0);
                materials[random.below(3)].edit(|material| material.base_color = color);
                Ok(())
            }
            11 => {
                scene.environment.ambient.intensity = random.below(10) as f32;
                scene.name = random.pick(&["a", "b", "c"]).into();
                Ok(())
            }
            12 if node != other => {
                let up = Vec3::Z;
                match scene.insert(node, Constraint::LookAt { target: other, up }) {
                    Err(Error::Constraint(_)) => Ok(()),
                    result => result.map(drop),
                }
            }
            13 if scene.mesh(node).is_none() => {
                scene.insert(node, MorphWeights(vec![random.below(10) as f32])).map(drop)
            }
            14 => {
                if let Some(mesh) = scene.mesh_mut(node) {
                    mesh.layers = 1 << random.below(8);
                }
                Ok(())
            }
            15 => {
                scene.node_mut(node).unwrap().set_visible(random.one_in(2));
                Ok(())
            }
            _ => {
                let transform = Transform::from_translation(random.vec3(9.0));
                scene.set_transforms(&[node, child], &[transform; 2])
            }
        };
        match result {
            Ok(()) | Err(Error::Graph(pleach_graph::Error::Cycle { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn edits(scene: &mut Scene, materials: &[Handle<Material>], random: &mut Rng) -> usize {
        let count = 1 + random.below(5);
        for _ in 0..count {
            match random.below(12) {
                0 => {
                    let before = state(scene);
                    let fails = random.one_in(2);
                    let nested = scene.transact("nested", |scene| {
                        Self::edits(scene, materials, random);
                        if fails { Err(Error::NoTransaction) } else { Ok(()) }
                    });
                    match nested {
                        Ok(((), patch)) => assert!(patch.is_empty()),
                        Err(_) => assert_eq!(state(scene), before),
                    }
                }
                1 => _ = scene.update().unwrap(),
                _ => Self::edit(scene, materials, random),
            }
        }
        count
    }

    fn transact(&mut self, history: &mut History) {
        let Self { scene, materials, random, edits } = self;
        let run = |scene: &mut Scene| {
            *edits += Self::edits(scene, materials, random);
            Ok::<_, Error>(())
        };
        history.transact(scene, "edit", run).unwrap();
    }
}

/// Returns the problems of a scene other than a removed target, which the edits cause.
fn faults(scene: &Scene) -> Vec<String> {
    problems(scene).into_iter().filter(|it| !it.contains("is a dead node")).collect()
}

fn run(seed: u64, steps: usize) -> usize {
    let mut model = Model::new(seed);
    let mut history = History::with_limit(usize::MAX);
    // The states before and after each step that can be undone, and redone.
    let (mut undo, mut redo): (Vec<[String; 2]>, Vec<[String; 2]>) = (Vec::new(), Vec::new());
    for step in 0..steps {
        let before = state(&model.scene);
        match model.random.below(10) {
            0..4 => {
                let count = history.undo_labels().len();
                model.transact(&mut history);
                if history.undo_labels().len() > count {
                    redo.clear();
                    undo.push([before, state(&model.scene)]);
                } else {
                    assert_eq!(state(&model.scene), before, "seed {seed}, step {step}");
                }
            }
            4 => {
                let Model { scene, materials, random, .. } = &mut model;
                let failed = scene.transact("fails", |scene| {
                    Model::edits(scene, materials, random);
                    Err::<(), _>(Error::NoTransaction)
                });
                assert_eq!(failed.map(drop), Err(Error::NoTransaction));
                assert_eq!(state(scene), before, "rolled back, seed {seed}, step {step}");
            }
            5 | 6 => {
                let undone = history.undo(&mut model.scene).unwrap().is_some();
                assert_eq!(undone, !undo.is_empty());
                if let Some(states) = undo.pop() {
                    assert_eq!(state(&model.scene), states[0], "undo, seed {seed}, step {step}");
                    redo.push(states);
                }
            }
            7 => {
                let redone = history.redo(&mut model.scene).unwrap().is_some();
                assert_eq!(redone, !redo.is_empty());
                if let Some(states) = redo.pop() {
                    assert_eq!(state(&model.scene), states[1], "redo, seed {seed}, step {step}");
                    undo.push(states);
                }
            }
            8 => {
                // Two steps become one.
                let mut merged = History::with_limit(usize::MAX);
                let [first, last] = [(); 2].map(|()| {
                    let Model { scene, materials, random, .. } = &mut model;
                    merged
                        .transact_merged(scene, "merged", "key", |scene| {
                            Model::edits(scene, materials, random);
                            Ok::<_, Error>(())
                        })
                        .unwrap();
                    state(scene)
                });
                assert!(merged.undo_labels().len() <= 1);
                let (mut before_undo, mut count) = (last.clone(), 0);
                while merged.undo(&mut model.scene).unwrap().is_some() {
                    count += 1;
                    before_undo = state(&model.scene);
                }
                assert!(count <= 1, "{first}");
                assert_eq!(before_undo, before, "merged, seed {seed}, step {step}");
                while merged.redo(&mut model.scene).unwrap().is_some() {}
                assert_eq!(state(&model.scene), last, "merged, seed {seed}, step {step}");
                while merged.undo(&mut model.scene).unwrap().is_some() {}
                merged.clear(&mut model.scene);
            }
            _ => {
                model.scene.update().unwrap();
                let copy = model.scene.clone();
                assert_eq!(state(&copy), state(&model.scene));
                assert_eq!(faults(&copy), [""; 0], "seed {seed}, step {step}");
            }
        }
        if step % 8 == 0 {
            model.scene.update().unwrap();
            assert_eq!(faults(&model.scene), [""; 0], "seed {seed}, step {step}");
        }
        assert_eq!(model.scene.graph.check(), []);
    }
    history.clear(&mut model.scene);
    assert_eq!(model.scene.graph.parked_count(), 0);
    model.edits
}

#[test]
fn any_order_of_undo_and_redo_restores_copies_of_the_whole_state() {
    let (seeds, steps) = Effort::pick((4, 1_000), (50, 20_000));
    let edits: usize = (0..seeds).map(|seed| run(seed, steps)).sum();
    println!("{edits} edits");
}
