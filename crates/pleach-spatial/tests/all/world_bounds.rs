//! World-space bounds, for geometry posed by other nodes.

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, Transform};
use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex};

fn unit_at(x: f32) -> Aabb {
    Aabb::from_center_half(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.5))
}

#[test]
fn world_space_bounds_do_not_move_with_the_node() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let body = graph.add_root(Transform::from_xyz(100.0, 0.0, 0.0)).unwrap();
    index.set_world_bounds(&graph, body, unit_at(5.0)).unwrap();
    graph.update();
    index.sync(&graph).unwrap();
    let forward = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let hit_distance =
        |index: &SpatialIndex| index.raycast_aabb(&forward, &Filter::default()).unwrap().distance;
    assert_eq!((index.world_bounds(body), hit_distance(&index)), (Some(unit_at(5.0)), 4.5));

    graph.node_mut(body).unwrap().set_translation(Vec3::ZERO).unwrap();
    assert_eq!(index.compute_world_bounds(&graph, body), Some(unit_at(5.0)));
    assert_eq!(index.local_bounds(body), None, "they are not in its local space");
    graph.update();
    assert_eq!(index.sync(&graph).unwrap().computed, 0);
    assert_eq!(hit_distance(&index), 4.5);

    index.set_world_bounds(&graph, body, unit_at(7.0)).unwrap();
    assert_eq!(index.sync(&graph).unwrap().computed, 1);
    assert_eq!(hit_distance(&index), 6.5);
    assert!(index.check().is_empty());
}

#[test]
fn local_bounds_replace_world_space_bounds_and_vice_versa() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let body = graph.add_root(Transform::from_xyz(100.0, 0.0, 0.0)).unwrap();
    graph.update();
    for (world_space, expected) in
        [(true, unit_at(1.0)), (false, unit_at(101.0)), (true, unit_at(1.0))]
    {
        if world_space {
            index.set_world_bounds(&graph, body, unit_at(1.0)).unwrap();
        } else {
            index.set_bounds(&graph, body, unit_at(1.0)).unwrap();
        }
        index.sync(&graph).unwrap();
        assert_eq!(index.world_bounds(body), Some(expected));
        assert_eq!(index.subtree_bounds(&graph, body), Some(expected));
    }
}
