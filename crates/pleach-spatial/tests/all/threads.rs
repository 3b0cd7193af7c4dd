//! Queries of one index from several threads at the same time.

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, Filter, Hit, Shape, SpatialIndex, TriangleMesh};
use testkit::sized;

use crate::common::meshes::{down, square};

const THREADS: usize = 4;

/// Groups of tiles side by side: the tile `(group, tile)` covers x from `4 group + tile` on.
struct Tiles {
    graph: Graph,
    index: SpatialIndex,
    mesh: TriangleMesh,
    groups: Vec<(NodeId, Vec<NodeId>)>,
}

impl Tiles {
    fn new(groups: usize) -> Self {
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        let square = square();
        let mesh = TriangleMesh::new(square.positions, square.indices).unwrap();
        let groups = (0..groups).map(|group| {
            let parent = graph.add_root(Transform::from_xyz(4.0 * group as f32, 0.0, 0.0)).unwrap();
            let tiles = (0..3).map(|tile| {
                let at = Transform::from_xyz(tile as f32, 0.0, 0.0);
                let node = graph.add_child(parent, at).unwrap();
                index.set_bounds(&graph, node, mesh.bounds()).unwrap();
                node
            });
            (parent, tiles.collect())
        });
        let groups = groups.collect();
        let mut tiles = Self { graph, index, mesh, groups };
        tiles.frame();
        tiles
    }

    fn frame(&mut self) {
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
    }

    /// Picks below `(x, 0.5)` among the nodes with this parent.
    fn pick_child_of(&self, parent: NodeId, x: f32) -> Option<Hit> {
        let is_child = |node| self.graph.get(node).and_then(|it| it.parent()) == Some(parent);
        let filter = Filter::default().with_predicate(&is_child);
        self.index.pick(&self.graph, &down(x, 0.5), &filter, |_| Some(Shape::new(self.mesh.tree())))
    }
}

#[test]
fn b4_several_threads_pick_with_predicates_that_read_the_graph() {
    let tiles = &Tiles::new(sized(40, 4));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for (number, (group, children)) in tiles.groups.iter().enumerate() {
                    let x = 4.0 * number as f32 + 1.5;
                    let hit = tiles.pick_child_of(*group, x).unwrap();
                    assert_eq!(hit.node, children[1]);
                    let (other, _) = tiles.groups[(number + 1) % tiles.groups.len()];
                    assert_eq!(tiles.pick_child_of(other, x), None, "not a child of it");
                }
            });
        }
    });
}

#[test]
fn b4_several_threads_read_subtree_bounds() {
    let mut tiles = Tiles::new(sized(200, 8));
    for frame in 0..3 {
        // The first query of all, then queries of boxes that a sync has made out of date.
        let z = frame as f32;
        for (group, children) in tiles.groups.iter().step_by(2) {
            tiles
                .graph
                .node_mut(children[2])
                .unwrap()
                .set_translation(Vec3::new(2.0, 0.0, z))
                .unwrap();
            tiles.graph.node_mut(*group).unwrap().set_visible(frame != 1);
        }
        tiles.frame();
        let shared = &tiles;
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let count = shared.groups.len();
                    for at in 0..count {
                        // Each thread in an order of its own.
                        let number = (at + thread * count / THREADS) % count;
                        let top = if number.is_multiple_of(2) { z } else { 0.0 };
                        let x = 4.0 * number as f32;
                        let expected =
                            Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 3.0, 1.0, top));
                        let group = shared.groups[number].0;
                        assert_eq!(
                            shared.index.subtree_bounds(&shared.graph, group),
                            Some(expected)
                        );
                    }
                });
            }
        });
    }
}

#[test]
fn an_index_can_be_shared_and_sent() {
    fn is_shareable<T: Send + Sync>(_: &T) {}
    let tiles = Tiles::new(1);
    is_shareable(&tiles.index);
    is_shareable(&Filter::default());
}

#[cfg(feature = "parallel")]
#[test]
fn a_parallel_sync_gives_the_same_tree() {
    let boxes = sized(20_000, 30);
    let synced = |sync: fn(&mut SpatialIndex, &Graph)| {
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        for number in 0..boxes {
            let x = (number * 7919 % 10_007) as f32;
            let node = graph.add_root(Transform::from_xyz(x, x * 0.37 % 11.0, 0.0)).unwrap();
            index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
        }
        graph.update();
        sync(&mut index, &graph);
        assert_eq!(index.check(), []);
        index.tree_boxes().collect::<Vec<_>>()
    };
    let serial = synced(|index, graph| {
        index.sync(graph).unwrap();
        assert_eq!(index.tree_stats().rebuilds, 0, "the first query builds the tree");
    });
    let parallel = synced(|index, graph| {
        index.sync_parallel(graph).unwrap();
        assert_eq!(index.tree_stats().up_to_date, index.len() >= 16_384);
    });
    assert_eq!(serial, parallel);
    let rebuilt = synced(|index, graph| {
        index.sync(graph).unwrap();
        index.rebuild_parallel();
    });
    assert_eq!(serial, rebuilt);
}
