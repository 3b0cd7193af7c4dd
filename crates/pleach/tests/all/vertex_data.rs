//! Vertex data shared by geometries: stored once, copied on write.

use pleach::glam::{Vec2, Vec3};
use pleach::{Aabb, Assets, Geometry, VertexData};

fn points() -> Vec<Vec3> {
    (0..8).map(|n| Vec3::new(n as f32, 0.0, -(n as f32))).collect()
}

fn shared(indices: Option<Vec<u32>>) -> Geometry {
    Geometry { positions: VertexData::shared(points()), indices, ..Geometry::default() }
}

#[test]
fn changing_one_clone_does_not_affect_others() {
    let first = VertexData::shared(points());
    let mut second = first.clone();
    let third = first.clone();
    assert!(first.shared_id().is_some());
    assert_eq!(first.shared_id(), second.shared_id());
    assert_eq!(first.as_ptr(), third.as_ptr());

    second[7] = Vec3::splat(100.0);
    second.push(Vec3::ZERO);
    assert_eq!((second.len(), second.shared_id()), (9, None));
    assert_eq!(first, points());
    assert_eq!(third, first);
    assert_ne!(second, first);
}

#[test]
fn cached_results_are_invalidated_by_changes() {
    let mut data = VertexData::shared(points());
    let before = data.bounds();
    assert_eq!(before, Aabb::new(Vec3::new(0.0, 0.0, -7.0), Vec3::new(7.0, 0.0, 0.0)));
    data[0].y = 5.0;
    assert_eq!(data.bounds().max, Vec3::new(7.0, 5.0, 0.0));

    let mut geometry = shared(None);
    geometry.check().unwrap();
    geometry.positions[3].x = f32::NAN;
    let error = geometry.check().unwrap_err().to_string();
    assert_eq!(error, "geometry: positions[3].x is NaN; it must be finite");
}

#[test]
fn error_in_shared_data_is_reported_for_each_geometry() {
    let mut bad = points();
    bad[2].z = f32::INFINITY;
    let bad = VertexData::shared(bad);
    for _ in 0..2 {
        let geometry = Geometry { positions: bad.clone(), ..Geometry::default() };
        let error = geometry.check().unwrap_err().to_string();
        assert_eq!(error, "geometry: positions[2].z is inf; it must be finite");
    }
}

#[test]
fn last_owner_takes_the_values_without_copying() {
    let data = VertexData::shared(points());
    let address = data.as_ptr();
    let other = data.clone();
    let (copied, moved) = (other.into_vec(), data.into_vec());
    assert_ne!(copied.as_ptr(), address);
    assert_eq!(moved.as_ptr(), address);
}

#[test]
fn bounds_of_shared_positions_cover_only_referenced_vertices() {
    let part = shared(Some(vec![1, 2, 3]));
    let used = Aabb::from_points(points()[1..4].iter().copied());
    assert_eq!(part.bounds(), used);
    assert_eq!(Assets::new().add(part).get().bounds(), used);
    // All positions, if there are no indices or the data is not shared.
    let all = Aabb::from_points(points());
    assert_eq!(shared(None).bounds(), all);
    assert_eq!(Geometry::from_triangles(points(), vec![1, 2, 3]).bounds(), all);
    // An index out of range is ignored.
    let out_of_range = shared(Some(vec![1, 2, 9]));
    assert_eq!(out_of_range.bounds(), Aabb::from_points(points()[1..3].iter().copied()));
}

#[test]
fn memory_counts_shared_data_once() {
    let positions = VertexData::shared(points());
    let uvs = VertexData::shared(vec![Vec2::ZERO; 8]);
    let part = |first: u32| Geometry {
        positions: positions.clone(),
        uvs: vec![uvs.clone()],
        normals: vec![Vec3::Z; 8].into(),
        indices: Some(vec![first, first + 1, first + 2]),
        ..Geometry::default()
    };
    let parts: Vec<Geometry> = (0..6).map(part).collect();
    assert_eq!(parts[0].memory(), 8 * (12 + 8 + 12) + 12);
    assert_eq!(Geometry::memory_of(&parts), 8 * (12 + 8) + 6 * (8 * 12 + 12));
}
