//! `bevy`: Bevy's transform systems in Bevy's world and schedule, Bevy's test of a sphere and a box
//! for each mesh, and a sorted vector of draws.
//!
//! The edits use the fastest method available to a system, as in the transform benchmark: look-ups
//! in a cached query, or one pass over the tables if everything moves; `insert(ChildOf)`, `despawn`
//! and `spawn`. Culling is one pass over the tables, on all threads of the pool if it has more than
//! one, which also collects the materials; what `check_visibility` writes for other systems is
//! omitted in Bevy's favour.

use bevy_ecs::prelude::*;
use bevy_math::Vec3A;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_utils::Parallel;

use crate::bevy_frustum::{Aabb, frustum, is_visible};
use crate::contenders::bevy::{start_pool, transform, transform_world};
use crate::game::contender::{Contender, Drawn, Game};
use crate::game::edits::Edits;
use crate::game::field::{self, CameraPose, Field, Level};
use crate::game::planes::Planes;
use crate::scene::Local;

/// The number of a node in the field.
#[derive(Component)]
struct Number(u32);

#[derive(Component)]
struct Material(u32);

type Meshes = (Entity, &'static GlobalTransform, &'static Aabb, &'static Material);

pub struct Bevy {
    threads: usize,
    static_optimizations: bool,
    content: Option<Content>,
}

struct Content {
    world: World,
    schedule: Schedule,
    entities: Vec<Entity>,
    transforms: QueryState<&'static mut Transform>,
    numbered: QueryState<(&'static Number, &'static mut Transform)>,
    meshes: QueryState<Meshes>,
    /// The visible meshes by thread: material and entity.
    queues: Parallel<Vec<(u32, Entity)>>,
    draws: Vec<(u32, Entity)>,
}

impl Bevy {
    /// Creates the contender. The first call in a process determines the number of threads of
    /// Bevy's compute pool.
    pub fn new(threads: usize, static_optimizations: bool) -> Self {
        start_pool(threads);
        Self { threads, static_optimizations, content: None }
    }

    fn content(&mut self) -> &mut Content {
        self.content.as_mut().expect("a field has been built")
    }
}

impl Content {
    fn new(game: &Game, static_optimizations: bool) -> Self {
        let (mut world, schedule) = transform_world(static_optimizations);
        let mut content = Self {
            transforms: world.query(),
            numbered: world.query(),
            meshes: world.query(),
            entities: vec![Entity::PLACEHOLDER; game.field.len()],
            queues: Parallel::default(),
            draws: Vec::new(),
            world,
            schedule,
        };
        for (node, parent) in game.edit_lists.in_creation_order() {
            content.spawn(node, parent, &game.field.local(node, 0));
        }
        content
    }

    fn spawn(&mut self, node: u32, parent: Option<u32>, local: &Local) {
        let base = (transform(local), Number(node));
        let parent = parent.map(|parent| ChildOf(self.entities[parent as usize]));
        let entity = match (parent, field::level(node)) {
            (Some(parent), Level::Mesh) => {
                let half_extents = field::half_extents(field::geometry(node));
                let aabb =
                    Aabb { center: Vec3A::ZERO, half_extents: Vec3A::from_array(half_extents) };
                self.world.spawn((base, parent, aabb, Material(field::material(node))))
            }
            (Some(parent), _) => self.world.spawn((base, parent)),
            (None, _) => self.world.spawn(base),
        };
        self.entities[node as usize] = entity.id();
    }

    fn set_transforms(&mut self, field: &Field, nodes: &[u32], step: u32) {
        if nodes.len() == self.entities.len() {
            for (number, mut to) in self.numbered.iter_mut(&mut self.world) {
                *to = transform(&field.local(number.0, step));
            }
            return;
        }
        let mut transforms = self.transforms.query_mut(&mut self.world);
        for &node in nodes {
            let entity = self.entities[node as usize];
            let mut to = transforms.get_mut(entity).expect("every node has a transform");
            *to = transform(&field.local(node, step));
        }
    }
}

impl Contender for Bevy {
    fn build(&mut self, game: &Game) {
        self.content = Some(Content::new(game, self.static_optimizations));
        self.update();
    }

    fn clear(&mut self) {
        self.content = None;
    }

    fn edit(&mut self, field: &Field, edits: Edits<'_>, _: &CameraPose) {
        let content = self.content();
        content.set_transforms(field, edits.moved, edits.step);
        for &(node, parent) in edits.attached {
            let parent = ChildOf(content.entities[parent as usize]);
            content.world.entity_mut(content.entities[node as usize]).insert(parent);
        }
        for &(mesh, _) in edits.replaced {
            content.world.despawn(content.entities[mesh as usize]);
        }
        for &(mesh, parent) in edits.replaced {
            content.spawn(mesh, Some(parent), &field.local(mesh, edits.step));
        }
    }

    fn update(&mut self) {
        let Content { world, schedule, .. } = self.content();
        schedule.run(world);
        world.clear_trackers();
    }

    fn cull(&mut self, camera: &CameraPose) {
        let threads = self.threads;
        let Content { world, meshes, queues, draws, .. } = self.content();
        let planes = Planes::new(&camera.clip_from_world).to_array();
        let frustum = frustum(planes.map(|plane| plane.to_array()));
        draws.clear();
        if threads > 1 {
            meshes.par_iter(world).for_each_init(
                || queues.borrow_local_mut(),
                |queue, (entity, transform, aabb, material)| {
                    if is_visible(transform, aabb, &frustum) {
                        queue.push((material.0, entity));
                    }
                },
            );
            queues.drain_into(draws);
            return;
        }
        for (entity, transform, aabb, material) in meshes.iter(world) {
            if is_visible(transform, aabb, &frustum) {
                draws.push((material.0, entity));
            }
        }
    }

    fn list(&mut self) {
        self.content().draws.sort_unstable_by_key(|&(material, _)| material);
    }

    fn drawn(&self) -> Vec<Drawn> {
        let Some(content) = &self.content else { return Vec::new() };
        let drawn = |&(material, entity): &(u32, Entity)| {
            let number = content.world.get::<Number>(entity).expect("every node has a number");
            Drawn { mesh: number.0, material }
        };
        content.draws.iter().map(drawn).collect()
    }
}
