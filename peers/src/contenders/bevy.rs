//! `bevy`: Bevy's transform systems in Bevy's world and schedule.
//!
//! The edits use the fastest method available to a system: a cached query that iterates over the
//! tables when everything moves and looks entities up when some do, `insert(ChildOf)` to reparent,
//! `despawn` and `spawn` to replace, `spawn_batch` to build. The three systems are those of
//! `TransformPlugin`, in its order, run by the single-threaded executor (they are a chain, and use
//! the threads of the task pool); then the trackers are cleared as an `App` does after each update.
//! The other schedules of an app, and the plugin's check that parents have transforms, are omitted
//! in Bevy's favour.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_math::Quat;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::systems::{
    StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms,
    sync_simple_transforms,
};

use crate::contender::{Contender, Edits};
use crate::prepared::Prepared;
use crate::scene::{Local, ROOT, Scene, position_at};
use crate::workload::Workload;

/// The index of the node in the scene.
#[derive(Component)]
struct Number(u32);

pub struct Bevy {
    static_optimizations: bool,
    bevy: Option<BevyWorld>,
}

struct BevyWorld {
    world: World,
    schedule: Schedule,
    entities: Vec<Entity>,
    prepared: Prepared<Transform>,
    transforms: QueryState<&'static mut Transform>,
    numbered: QueryState<(&'static Number, &'static mut Transform)>,
}

impl Bevy {
    /// Creates the contender. The first call in a process determines the number of threads of
    /// Bevy's compute pool.
    pub fn new(threads: usize, static_optimizations: bool) -> Self {
        start_pool(threads);
        Self { static_optimizations, bevy: None }
    }

    fn bevy(&mut self) -> &mut BevyWorld {
        self.bevy.as_mut().expect("a scene has been built")
    }
}

impl BevyWorld {
    fn new(static_optimizations: bool) -> Self {
        let (mut world, schedule) = transform_world(static_optimizations);
        Self {
            transforms: world.query(),
            numbered: world.query(),
            entities: Vec::new(),
            prepared: Prepared::default(),
            world,
            schedule,
        }
    }

    fn update(&mut self) {
        self.schedule.run(&mut self.world);
        self.world.clear_trackers();
    }

    fn entity(&self, node: u32) -> Entity {
        self.entities[node as usize]
    }

    /// Spawns the scene in batches, each up to the first node whose parent is not spawned yet.
    fn spawn(&mut self, scene: &Scene) {
        self.entities.reserve(scene.len());
        let root = (transform(&scene.locals[ROOT as usize]), Number(ROOT));
        self.entities.push(self.world.spawn(root).id());
        while self.entities.len() < scene.len() {
            let start = self.entities.len();
            let known = |parent: &&u32| (**parent as usize) < start;
            let run = scene.parents[start..].iter().take_while(known).count();
            let bundles: Vec<_> = (start..start + run)
                .map(|node| {
                    let parent = ChildOf(self.entity(scene.parents[node]));
                    (transform(&scene.locals[node]), Number(node as u32), parent)
                })
                .collect();
            self.entities.extend(self.world.spawn_batch(bundles));
        }
    }

    fn move_all(&mut self, step: u32) {
        for (number, mut transform) in self.numbered.iter_mut(&mut self.world) {
            transform.translation = position_at(number.0, step).into();
        }
    }

    fn set_all(&mut self, step: u32) {
        let prepared = self.prepared.at(step, self.entities.len(), transform);
        for (number, mut to) in self.numbered.iter_mut(&mut self.world) {
            *to = prepared[number.0 as usize];
        }
    }

    fn move_some(&mut self, nodes: &[u32], step: u32) {
        let mut transforms = self.transforms.query_mut(&mut self.world);
        for &node in nodes {
            let mut transform = transforms
                .get_mut(self.entities[node as usize])
                .expect("every node has a transform");
            transform.translation = position_at(node, step).into();
        }
    }

    fn attach(&mut self, pairs: &[(u32, u32)]) {
        for &(node, parent) in pairs {
            let parent = ChildOf(self.entity(parent));
            self.world.entity_mut(self.entity(node)).insert(parent);
        }
    }

    fn replace(&mut self, leaves: &[(u32, u32)], step: u32) {
        for &(leaf, _) in leaves {
            self.world.despawn(self.entity(leaf));
        }
        for &(leaf, parent) in leaves {
            let transform = transform(&Local::at(position_at(leaf, step)));
            let parent = ChildOf(self.entity(parent));
            let entity_ref = self.world.spawn((transform, Number(leaf), parent));
            self.entities[leaf as usize] = entity_ref.id();
        }
    }
}

/// Starts Bevy's compute pool. The first call in a process determines its number of threads.
pub fn start_pool(threads: usize) {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(threads).build());
}

/// Creates a world and a schedule with the transform systems.
pub fn transform_world(static_optimizations: bool) -> (World, Schedule) {
    let mut world = World::new();
    world.insert_resource(if static_optimizations {
        StaticTransformOptimizations::Enabled
    } else {
        StaticTransformOptimizations::Disabled
    });
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems(
        (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms).chain(),
    );
    (world, schedule)
}

pub fn transform(local: &Local) -> Transform {
    let [x, y, z, w] = local.rotation;
    Transform {
        translation: local.translation.into(),
        rotation: Quat::from_xyzw(x, y, z, w),
        scale: local.scale.into(),
    }
}

impl Contender for Bevy {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn clear(&mut self) {
        self.bevy = None;
    }

    fn build(&mut self, scene: &Scene) {
        let mut bevy = BevyWorld::new(self.static_optimizations);
        bevy.spawn(scene);
        bevy.update();
        self.bevy = Some(bevy);
    }

    fn frame(&mut self, edits: Edits<'_>) {
        let bevy = self.bevy();
        match edits {
            Edits::Nothing => {}
            Edits::MoveAll { step } => bevy.move_all(step),
            Edits::SetAll { step } => bevy.set_all(step),
            Edits::MoveRoot { step } => bevy.move_some(&[ROOT], step),
            Edits::MoveLeaves { leaves, step } => bevy.move_some(leaves, step),
            Edits::Attach(pairs) => bevy.attach(pairs),
            Edits::Replace { leaves, step } => bevy.replace(leaves, step),
        }
        bevy.update();
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        let bevy = self.bevy();
        let mut worlds = bevy.world.query::<&GlobalTransform>();
        let worlds = worlds.query(&bevy.world);
        let world = |&entity: &Entity| {
            let world = worlds.get(entity).expect("every node has a world transform");
            world.to_matrix().to_cols_array()
        };
        bevy.entities.iter().map(world).collect()
    }
}
