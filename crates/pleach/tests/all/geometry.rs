//! Geometry: validation, triangles of all topologies, bounds, normals, trees.

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{Assets, Attribute, Error, Geometry, GeometryError, MorphTarget, Topology};
use pleach_spatial::{Aabb, Ray};

fn quad() -> Geometry {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    Geometry::from_triangles(corners, vec![0, 1, 2, 0, 2, 3])
}

/// Returns a quad with all attributes.
fn full() -> Geometry {
    let target = MorphTarget {
        name: Some("puff".into()),
        positions: [Vec3::Z; 4].into(),
        normals: [Vec3::X; 4].into(),
        tangents: [Vec3::Y; 4].into(),
    };
    quad()
        .with_normals(vec![Vec3::Z; 4])
        .with_tangents(vec![Vec4::new(1.0, 0.0, 0.0, 1.0); 4])
        .with_uvs(vec![Vec2::ZERO; 4])
        .with_uvs(vec![Vec2::ONE; 4])
        .with_colors(vec![Vec4::ONE; 4])
        .with_influences(vec![[0, 1, 2, 3]; 4], vec![[0.25; 4]; 4])
        .with_morph_target(target)
        .with_face_materials(vec![0, 2])
}

fn error(geometry: &Geometry) -> GeometryError {
    match geometry.check() {
        Err(Error::Geometry(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn valid_geometry_is_accepted() {
    for geometry in [Geometry::default(), quad(), full()] {
        assert_eq!(geometry.check(), Ok(()));
    }
    let lines = Geometry::from_positions(vec![Vec3::ZERO; 5]).with_topology(Topology::Lines);
    assert_eq!(lines.check(), Ok(()));
}

#[test]
fn every_attribute_must_be_as_long_as_the_positions() {
    type Shorten = fn(&mut Geometry);
    let attributes: [(Shorten, Attribute, &str); 10] = [
        (|it| _ = it.normals.pop(), Attribute::Normals, "normals"),
        (|it| _ = it.tangents.pop(), Attribute::Tangents, "tangents"),
        (|it| _ = it.uvs[1].pop(), Attribute::Uvs(1), "uvs[1]"),
        (|it| _ = it.colors[0].pop(), Attribute::Colors(0), "colors[0]"),
        (|it| _ = it.influences[0].joints.pop(), Attribute::Joints(0), "influences[0].joints"),
        (|it| _ = it.influences[0].weights.pop(), Attribute::Weights(0), "influences[0].weights"),
        (
            |it| _ = it.morph_targets[0].positions.pop(),
            Attribute::MorphPositions(0),
            "morph_targets[0].positions",
        ),
        (
            |it| _ = it.morph_targets[0].normals.pop(),
            Attribute::MorphNormals(0),
            "morph_targets[0].normals",
        ),
        (
            |it| _ = it.morph_targets[0].tangents.pop(),
            Attribute::MorphTangents(0),
            "morph_targets[0].tangents",
        ),
        // A set of texture coordinates must not be shorter.
        (|it| it.uvs[0].truncate(3), Attribute::Uvs(0), "uvs[0]"),
    ];
    for (shorten, attribute, name) in attributes {
        let mut geometry = full();
        shorten(&mut geometry);
        assert_eq!(error(&geometry), GeometryError::Count { attribute, entries: 3, positions: 4 });
        let message = geometry.check().unwrap_err().to_string();
        let expected = format!(
            "geometry: {name} has 3 entries, but there are 4 positions; each vertex needs one"
        );
        assert_eq!(message, expected);
    }
    let empty_set = quad().with_uvs(vec![]);
    assert_eq!(
        error(&empty_set),
        GeometryError::Count { attribute: Attribute::Uvs(0), entries: 0, positions: 4 },
    );
}

#[test]
fn index_out_of_range_is_reported() {
    let mut geometry = full();
    geometry.indices.as_mut().unwrap()[4] = 4;
    assert_eq!(error(&geometry), GeometryError::Index { at: 4, index: 4, positions: 4 });
    // In every topology, even if no triangle uses the index.
    let points = Geometry::from_triangles(vec![], vec![0]).with_topology(Topology::Points);
    assert_eq!(error(&points), GeometryError::Index { at: 0, index: 0, positions: 0 });
}

#[test]
fn numbers_that_are_not_finite_are_reported() {
    type Corrupt = fn(&mut Geometry);
    let numbers: [(Corrupt, &str); 9] = [
        (|it| it.positions[2].y = f32::NAN, "positions[2].y is NaN; it must be finite"),
        (|it| it.normals[3].x = f32::INFINITY, "normals[3].x is inf; it must be finite"),
        (|it| it.tangents[0].w = f32::NAN, "tangents[0].w is NaN; it must be finite"),
        (|it| it.uvs[1][1].y = f32::NAN, "uvs[1][1].y is NaN; it must be finite"),
        (|it| it.colors[0][1].z = -f32::INFINITY, "colors[0][1].z is -inf; it must be finite"),
        (
            |it| it.influences[0].weights[3][2] = f32::NAN,
            "influences[0].weights[3][2] is NaN; it must be finite",
        ),
        (
            |it| it.influences[0].weights[3][1] = -0.5,
            "influences[0].weights[3][1] is -0.5; a weight must not be negative",
        ),
        (
            |it| it.morph_targets[0].positions[1].z = f32::NAN,
            "morph_targets[0].positions[1].z is NaN; it must be finite",
        ),
        (
            |it| it.morph_targets[0].tangents[0].x = f32::NAN,
            "morph_targets[0].tangents[0].x is NaN; it must be finite",
        ),
    ];
    for (corrupt, expected) in numbers {
        let mut geometry = full();
        corrupt(&mut geometry);
        assert_eq!(geometry.check().unwrap_err().to_string(), format!("geometry: {expected}"));
    }
}

#[test]
fn face_materials_are_one_per_triangle_or_none() {
    let mut geometry = full();
    assert_eq!([0, 1, 2].map(|triangle| geometry.face_material(triangle)), [0, 2, 0]);
    assert_eq!((geometry.material_count(), quad().material_count()), (3, 1));
    geometry.face_materials.push(1);
    assert_eq!(error(&geometry), GeometryError::FaceCount { entries: 3, triangles: 2 });
    assert_eq!(
        geometry.check().unwrap_err().to_string(),
        "geometry: face_materials has 3 entries, but there are 2 triangles; \
         each needs one, or none has one",
    );
    // Lines have no faces.
    let lines = quad().with_topology(Topology::LineStrip).with_face_materials(vec![0]);
    assert_eq!(error(&lines), GeometryError::FaceCount { entries: 1, triangles: 0 });
}

#[test]
fn triangles_of_every_topology_are_those_of_gltf() {
    let of = |topology, vertices: usize| {
        let geometry = Geometry::from_positions(vec![Vec3::ZERO; vertices]).with_topology(topology);
        let triangles = geometry.triangles();
        assert_eq!(triangles.len(), geometry.triangle_count());
        triangles.collect::<Vec<_>>()
    };
    assert_eq!(of(Topology::Triangles, 8), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(of(Topology::TriangleStrip, 6), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
    assert_eq!(of(Topology::TriangleFan, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    for topology in [Topology::Triangles, Topology::TriangleStrip, Topology::TriangleFan] {
        assert_eq!(
            (of(topology, 0).len(), of(topology, 2).len(), of(topology, 3).len()),
            (0, 0, 1)
        );
    }
    for topology in [Topology::Points, Topology::Lines, Topology::LineLoop, Topology::LineStrip] {
        assert_eq!(of(topology, 9), [[0; 3]; 0]);
    }
}

#[test]
fn indexed_strips_and_fans_keep_degenerate_triangles() {
    let indices = vec![7, 5, 5, 6, 9];
    let strip = Geometry::from_triangles(vec![Vec3::ZERO; 10], indices.clone())
        .with_topology(Topology::TriangleStrip);
    assert_eq!(strip.triangles().collect::<Vec<_>>(), [[7, 5, 5], [5, 6, 5], [5, 6, 9]]);
    let fan = strip.with_topology(Topology::TriangleFan);
    assert_eq!(fan.triangles().collect::<Vec<_>>(), [[5, 5, 7], [5, 6, 7], [6, 9, 7]]);
    assert_eq!((fan.triangle(2), fan.triangle(3)), (Some([6, 9, 7]), None));
    assert_eq!(fan.triangles().skip(1).len(), 2);
}

#[test]
fn strip_triangles_have_consistent_winding() {
    let corners = (0..9).map(|at| Vec3::new((at / 2) as f32, 1.0 - (at % 2) as f32, 0.0));
    let strip = Geometry::from_positions(corners.collect()).with_topology(Topology::TriangleStrip);
    for [a, b, c] in strip.triangles() {
        let [a, b, c] = [a, b, c].map(|vertex| strip.positions[vertex as usize]);
        assert_eq!((b - a).cross(c - a), Vec3::Z);
    }
}

#[test]
fn bounds_are_exact_and_empty_without_vertices() {
    assert_eq!(Geometry::default().bounds(), Aabb::EMPTY);
    assert_eq!(Assets::new().add(Geometry::default()).get().bounds(), Aabb::EMPTY);
    assert_eq!(quad().bounds(), Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)));
    let mut invalid = quad();
    invalid.positions[1] = Vec3::new(f32::NAN, 9.0, 9.0);
    assert_eq!(invalid.bounds(), quad().bounds());
}

#[test]
fn tree_uses_the_triangle_indices_of_the_geometry() {
    // Four quads in a row, as a strip with four degenerate triangles.
    let corners = (0..10).map(|at| Vec3::new((at / 2) as f32, 1.0 - (at % 2) as f32, 0.0));
    let strip =
        Geometry::from_triangles(corners.collect(), vec![0, 1, 2, 3, 3, 2, 2, 3, 4, 5, 6, 7, 8, 9])
            .with_topology(Topology::TriangleStrip);
    let strip = Assets::new().add(strip);
    assert_eq!(strip.get().tree().len(), strip.get().triangle_count());
    for at in 0..4 {
        let ray = Ray::new(Vec3::new(at as f32 + 0.6, 0.7, 1.0), Vec3::NEG_Z).unwrap();
        let (triangle, hit) = strip.get().tree().raycast(&ray).unwrap();
        assert_eq!(strip.get().tree().triangle(triangle), strip.get().triangle(triangle as usize));
        assert_eq!(hit.distance, 1.0);
        let corners = strip.get().triangle(triangle as usize).unwrap();
        let corners = corners.map(|vertex| strip.get().positions[vertex as usize]);
        assert!(Aabb::from_points(corners).contains_point(Vec3::new(at as f32 + 0.6, 0.7, 0.0)));
    }
}

#[test]
fn tree_skips_triangles_with_invalid_indices() {
    let mut geometry = quad();
    geometry.indices.as_mut().unwrap()[0] = 77;
    let invalid = Assets::new().add(geometry);
    let down = |x, y| Ray::new(Vec3::new(x, y, 1.0), Vec3::NEG_Z).unwrap();
    assert_eq!(invalid.get().tree().raycast(&down(0.9, 0.1)), None);
    assert_eq!(invalid.get().tree().raycast(&down(0.1, 0.9)).unwrap().0, 1);
    for empty in [
        Geometry::default(),
        Geometry::from_triangles(vec![], vec![0, 1, 2]),
        quad().with_topology(Topology::Lines),
    ] {
        assert_eq!(empty.build_tree().raycast(&down(0.5, 0.5)), None);
    }
}

#[test]
fn smooth_normals_do_not_depend_on_the_triangulation() {
    // A cube of 8 vertices: three faces meet at each corner, with one or two triangles each.
    let corner =
        |bits: u32| Vec3::from_array([0, 1, 2].map(|axis| (bits >> axis & 1) as f32 - 0.5));
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    let mut cube = Geometry::from_triangles((0..8).map(corner).collect(), indices);
    cube.compute_normals();
    for (normal, position) in cube.normals.iter().zip(&cube.positions) {
        assert!(normal.abs_diff_eq(position.normalize(), 1e-6), "{normal} at {position}");
    }
}

#[test]
fn flat_normals_split_shared_vertices() {
    let mut bent = full();
    bent.positions[3] = Vec3::new(0.0, 0.0, 1.0);
    bent.uvs[0][3] = Vec2::new(5.0, 6.0);
    let before = bent.clone();
    bent.compute_flat_normals();
    assert_eq!(bent.check(), Ok(()));
    assert_eq!((bent.positions.len(), bent.indices.as_ref(), bent.triangle_count()), (6, None, 2));
    for (triangle, old) in before.triangles().enumerate() {
        for (corner, old) in old.into_iter().enumerate() {
            let (new, old) = (3 * triangle + corner, old as usize);
            assert_eq!(bent.positions[new], before.positions[old]);
            assert_eq!(bent.uvs[0][new], before.uvs[0][old]);
            assert_eq!(bent.influences[0].joints[new], before.influences[0].joints[old]);
        }
    }
    assert_eq!(bent.normals[..3], [Vec3::Z; 3]);
    assert_eq!((bent.normals[3], bent.normals[4]), (bent.normals[5], bent.normals[5]));
    assert!(bent.normals[3].z < 0.9);
    assert_eq!(bent.morph_targets[0].tangents.len(), 6);
    assert_eq!(bent.face_materials, before.face_materials);
}

#[test]
fn normals_of_degenerate_triangles_point_up() {
    let mut line = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0]);
    line.compute_normals();
    assert_eq!(line.normals, [Vec3::Z; 3]);
    let mut invalid =
        Geometry::from_triangles(vec![Vec3::NAN, Vec3::X, Vec3::Y], vec![0, 1, 2, 1, 2, 9]);
    invalid.compute_normals();
    assert_eq!(invalid.normals, [Vec3::Z; 3]);
    invalid.split_triangles();
    assert_eq!((invalid.positions.len(), invalid.positions[5]), (6, Vec3::ZERO));
    let mut points = quad().with_topology(Topology::Points);
    points.compute_flat_normals();
    assert_eq!(points, quad().with_topology(Topology::Points));
    let mut empty = Geometry::default();
    empty.compute_normals();
    empty.compute_flat_normals();
    assert_eq!(empty, Geometry::default());
}

#[test]
fn normals_are_correct_for_tiny_and_huge_geometry() {
    for scale in [1e-38, 1e-20, 1.0, 1e18, 3e38] {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|corner| corner * scale);
        let mut geometry = Geometry::from_positions(corners.to_vec());
        geometry.compute_normals();
        assert_eq!(geometry.normals, [Vec3::Z; 3], "{scale}");
    }
}

#[test]
fn memory_counts_all_attributes() {
    assert_eq!(Geometry::default().memory(), 0);
    let vertex = 12 + 12 + 16 + 2 * 8 + 16 + (8 + 16) + 3 * 12;
    assert_eq!(full().memory(), 4 * vertex + 6 * 4 + 2 * 4 + "puff".len());
}

#[test]
fn missing_morph_weights_are_zero() {
    let geometry = quad()
        .with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 4]))
        .with_morph_target(MorphTarget::default().named("normals only"))
        .with_morph_target(MorphTarget::from_positions(vec![Vec3::X; 4]));
    let mut positions = vec![Vec3::ONE; 99];
    let mut morphed = |weights: &[f32]| {
        geometry.morphed_positions(weights, &mut positions);
        positions[3]
    };
    assert_eq!(morphed(&[]), Vec3::Y);
    assert_eq!(morphed(&[0.5]), Vec3::new(0.0, 1.0, 0.5));
    assert_eq!(morphed(&[-1.0, 1.0, 2.0, 7.0]), Vec3::new(2.0, 1.0, -1.0));
    assert_eq!(morphed(&[f32::NAN, f32::INFINITY, 1.0]), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn morphed_bounds_are_exact_without_weights_and_tight_with() {
    let geometry = quad().with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 4]));
    for weights in [&[][..], &[0.0], &[f32::NAN]] {
        assert_eq!(geometry.morphed_bounds(weights), geometry.bounds());
    }
    let bounds = geometry.morphed_bounds(&[-2.0]);
    let expected = Aabb::new(Vec3::new(0.0, 0.0, -2.0), Vec3::new(1.0, 1.0, -2.0));
    assert!(bounds.contains(&expected));
    assert!(
        bounds.min.abs_diff_eq(expected.min, 1e-5) && bounds.max.abs_diff_eq(expected.max, 1e-5)
    );
    assert_eq!(Geometry::default().morphed_bounds(&[1.0]), Aabb::EMPTY);
    // Overflow is clamped.
    let far = quad().with_morph_target(MorphTarget::from_positions(vec![Vec3::MAX; 4]));
    assert_eq!(far.morphed_bounds(&[1e9]).max, Vec3::MAX);
    assert!(far.morphed_bounds(&[1e9]).is_finite());
}

#[test]
fn vertices_without_an_offset_are_within_the_morphed_bounds() {
    // Offsets for one vertex only: rejected by `check`, but the bounds are still correct.
    let short = quad().with_morph_target(MorphTarget::from_positions(vec![Vec3::ONE]));
    assert!(short.check().is_err());
    assert!(short.morphed_bounds(&[5.0]).contains_point(Vec3::Y));
}
