//! Bounds that are set in the world: for what other nodes pose.

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, Transform};
use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex};

fn unit_at(x: f32) -> Aabb {
    Aabb::from_center_half(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.5))
}

#[test]
fn bounds_in_the_world_stay_when_the_node_moves_and_follow_when_they_are_set() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let body = graph.add_root(Transform::from_xyz(100.0, 0.0, 0.0)).unwrap();
    index.set_world_bounds(&graph, body, unit_at(5.0)).unwrap();
    graph.update();
    index.sync(&graph).unwrap();
    let ahead = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    let near =
        |index: &SpatialIndex| index.raycast_aabb(&ahead, &Filter::default()).unwrap().distance;
    assert_eq!((index.world_bounds(body), near(&index)), (Some(unit_at(5.0)), 4.5));

    graph.node_mut(body).unwrap().set_translation(Vec3::ZERO).unwrap();
    assert_eq!(index.compute_world_bounds(&graph, body), Some(unit_at(5.0)));
    graph.update();
    assert_eq!(index.sync(&graph).unwrap().computed, 0);
    assert_eq!(near(&index), 4.5);

    index.set_world_bounds(&graph, body, unit_at(7.0)).unwrap();
    assert_eq!(index.sync(&graph).unwrap().computed, 1);
    assert_eq!(near(&index), 6.5);
    assert!(index.check().is_empty());
}

#[test]
fn own_bounds_take_the_place_of_those_in_the_world_and_back() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let body = graph.add_root(Transform::from_xyz(100.0, 0.0, 0.0)).unwrap();
    graph.update();
    for (in_world, expected) in
        [(true, unit_at(1.0)), (false, unit_at(101.0)), (true, unit_at(1.0))]
    {
        if in_world {
            index.set_world_bounds(&graph, body, unit_at(1.0)).unwrap();
        } else {
            index.set_bounds(&graph, body, unit_at(1.0)).unwrap();
        }
        index.sync(&graph).unwrap();
        assert_eq!(index.world_bounds(body), Some(expected));
        assert_eq!(index.subtree_bounds(&graph, body), Some(expected));
    }
}
