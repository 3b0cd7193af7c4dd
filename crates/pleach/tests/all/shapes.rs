//! Shapes: bounds, normals, winding, closed surfaces and volumes compared with analytic ones,
//! documented counts, and rejected parameters.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use pleach::glam::{DVec2, DVec3, Vec2, Vec3, Vec3Swizzles as _};
use pleach::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, ShapeError, Sphere, Torus};
use pleach::{Error, Geometry, UpAxis};
use pleach_spatial::Aabb;
use testkit::Fnv;

/// A shape and its expected properties.
struct Case {
    name: String,
    geometry: Geometry,
    /// The half extents.
    half: Vec3,
    /// The analytic volume; `None` if the surface is not closed.
    volume: Option<f64>,
    /// For round shapes: the distance from the axis and the height, from top to bottom.
    profile: Vec<DVec2>,
    /// The number of segments around the axis, and along the profile of a full circle.
    detail: [u32; 2],
    /// The point that the surface normal at a position points away from.
    inside: Box<dyn Fn(DVec3) -> DVec3>,
}

impl Case {
    /// Returns `true` if vertices lie at the extremes of the circles.
    fn is_exact(&self) -> bool {
        self.detail.iter().all(|segments| segments % 4 == 0)
    }

    fn triangles(&self) -> impl Iterator<Item = [usize; 3]> {
        self.geometry.triangles().map(|triangle| triangle.map(|vertex| vertex as usize))
    }

    fn corners(&self, triangle: [usize; 3]) -> [DVec3; 3] {
        triangle.map(|vertex| self.geometry.positions[vertex].as_dvec3())
    }
}

const DETAILS: [[u32; 2]; 6] = [[3, 2], [4, 2], [5, 3], [32, 16], [12, 7], [33, 20]];

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (size, cells) in
        [(Vec2::ONE, [1, 1]), (Vec2::new(3.0, 0.2), [3, 5]), (Vec2::splat(1e6), [7, 1])]
    {
        cases.push(Case {
            name: format!("plane {size} {cells:?}"),
            geometry: Plane::new(size).with_cells(cells[0], cells[1]).build().unwrap(),
            half: 0.5 * size.extend(0.0),
            volume: None,
            profile: Vec::new(),
            detail: [4, 4],
            inside: Box::new(|position| position - DVec3::Z),
        });
    }
    for size in [Vec3::ONE, Vec3::new(0.3, 4.0, 1e3)] {
        cases.push(Case {
            name: format!("cuboid {size}"),
            geometry: Cuboid::new(size).build().unwrap(),
            half: 0.5 * size,
            volume: Some(size.as_dvec3().element_product()),
            profile: Vec::new(),
            detail: [4, 4],
            inside: Box::new(|_| DVec3::ZERO),
        });
    }
    for [segments, rings] in DETAILS {
        for [a, b] in [[0.5, 1.0], [2.0, 0.25], [1.0, 10.0]] {
            cases.extend(round_cases(a, b, segments, rings));
        }
    }
    cases
}

/// Returns the round shapes of two sizes.
fn round_cases(a: f32, b: f32, segments: u32, rings: u32) -> [Case; 5] {
    let (r, h) = (f64::from(a), f64::from(b));
    let (tube, ring) = (r.min(h) / 2.0, r.max(h));
    let case =
        |name: &str, geometry: Result<Geometry, Error>, volume: f64, down, profile: Vec<_>| {
            let highest = profile.iter().map(|at: &DVec2| at.y).fold(0.0, f64::max);
            Case {
                name: format!("{name} {a} {b}, {segments} by {rings}"),
                geometry: geometry.unwrap(),
                half: DVec3::new(r, r, highest).as_vec3(),
                volume: Some(volume),
                profile,
                detail: [segments, down],
                inside: Box::new(|_| DVec3::ZERO),
            }
        };
    // The point at `index / count` of a full circle, starting at a pole.
    let down = |index: u32, count: u32| {
        let (sin, cos) = (TAU * f64::from(index) / f64::from(count)).sin_cos();
        DVec2::new(sin, cos)
    };
    let half = DVec2::new(0.0, h / 2.0);
    let rim = DVec2::new(r, h / 2.0);
    let low = DVec2::new(1.0, -1.0);

    let sphere = Sphere::new(a).with_detail(segments, rings).build();
    let ball = (0..=rings).map(|ring| r * down(ring, 2 * rings)).collect();
    let cylinder = Cylinder::new(a, b).with_segments(segments).build();
    let cone = Cone::new(a, b).with_segments(segments).build();
    let torus = Torus::new(ring as f32, tube as f32).with_detail(segments, rings + 1).build();
    let tubed = (0..=rings + 1)
        .map(|index| DVec2::new(ring, 0.0) + tube * down(index, rings + 1).rotate(DVec2::Y));
    let capsule = Capsule::new(a, b).with_detail(segments, rings).build();
    let upper = (0..=rings).map(|ring| half + r * down(ring, 4 * rings));
    let lower = (rings..=2 * rings).map(|ring| r * down(ring, 4 * rings) - half);
    [
        case("sphere", sphere, 4.0 / 3.0 * PI * r * r * r, 2 * rings, ball),
        case("cylinder", cylinder, PI * r * r * h, 4, vec![half, rim, rim * low, half * low]),
        Case {
            // A point on the axis that is inside of all slopes.
            inside: Box::new(move |_| DVec3::new(0.0, 0.0, -0.499 * h)),
            ..case("cone", cone, PI * r * r * h / 3.0, 4, vec![half, rim * low, half * low])
        },
        Case {
            inside: Box::new(move |at| (at.truncate().normalize() * ring).extend(0.0)),
            half: DVec3::new(ring + tube, ring + tube, tube).as_vec3(),
            ..case("torus", torus, TAU * ring * PI * tube * tube, rings + 1, tubed.collect())
        },
        Case {
            inside: Box::new(move |at| DVec3::new(0.0, 0.0, at.z.clamp(-h / 2.0, h / 2.0))),
            ..case(
                "capsule",
                capsule,
                PI * r * r * (h + 4.0 / 3.0 * r),
                4 * rings,
                upper.chain(lower).collect(),
            )
        },
    ]
}

#[test]
fn all_shapes_are_valid_geometry() {
    for case in cases() {
        assert_eq!(case.geometry.check(), Ok(()), "{}", case.name);
        assert_eq!(case.geometry.normals.len(), case.geometry.positions.len(), "{}", case.name);
        assert_eq!(case.geometry.uvs[0].len(), case.geometry.positions.len(), "{}", case.name);
    }
}

#[test]
fn bounds_equal_the_analytic_bounds() {
    for case in cases() {
        let bounds = case.geometry.bounds();
        let expected = Aabb::new(-case.half, case.half);
        let size = case.half.max_element();
        if case.is_exact() {
            assert!(bounds.min.abs_diff_eq(expected.min, 1e-6 * size), "{}: {bounds:?}", case.name);
            assert!(bounds.max.abs_diff_eq(expected.max, 1e-6 * size), "{}: {bounds:?}", case.name);
        } else {
            // Smaller by at most the difference between a polygon and its circle.
            let grown = Aabb::new(expected.min - 1e-6 * size, expected.max + 1e-6 * size);
            assert!(grown.contains(&bounds), "{}: {bounds:?}", case.name);
            let min_ratio = case.detail.iter().map(|&n| (PI / f64::from(n)).cos()).product::<f64>();
            let ratio = bounds.size().as_dvec3() / expected.size().as_dvec3();
            assert!(ratio.min_element() >= min_ratio - 1e-6, "{}: {ratio}", case.name);
        }
    }
}

#[test]
fn normals_have_unit_length_and_point_outwards() {
    for case in cases() {
        for (position, normal) in case.geometry.positions.iter().zip(&case.geometry.normals) {
            let (position, normal) = (position.as_dvec3(), normal.as_dvec3());
            assert!((normal.length() - 1.0).abs() < 2e-7, "{}: {normal}", case.name);
            let out = position - (case.inside)(position);
            assert!(normal.dot(out) > 0.0, "{}: {normal} at {position}", case.name);
        }
    }
}

#[test]
fn smooth_normals_equal_the_surface_normals() {
    for case in cases() {
        if !["sphere", "torus", "capsule"].iter().any(|name| case.name.starts_with(name)) {
            continue;
        }
        for (position, normal) in case.geometry.positions.iter().zip(&case.geometry.normals) {
            let out = position.as_dvec3() - (case.inside)(position.as_dvec3());
            let off = normal.as_dvec3() - out.normalize();
            assert!(off.length() < 2e-5, "{}: {normal} at {position}", case.name);
        }
    }
    let cone = Cone::new(3.0, 4.0).build().unwrap();
    let rim = cone.normals[32..65].iter().chain(&cone.normals[..32]);
    for normal in rim {
        assert!((normal.z - 0.6).abs() < 1e-6 && (normal.xy().length() - 0.8).abs() < 1e-6);
    }
}

#[test]
fn triangle_winding_agrees_with_the_normals() {
    for case in cases() {
        for triangle in case.triangles() {
            let [a, b, c] = case.corners(triangle);
            let face = (b - a).cross(c - a);
            assert!(face.length() > 0.0, "{}: a triangle without area", case.name);
            for vertex in triangle {
                let normal = case.geometry.normals[vertex].as_dvec3();
                assert!(normal.dot(face) > 0.0, "{}: {triangle:?}", case.name);
            }
        }
    }
}

#[test]
fn closed_shapes_have_no_gaps() {
    for case in cases() {
        let mut directed_edges = BTreeMap::new();
        for triangle in case.triangles() {
            let corners =
                triangle.map(|at| case.geometry.positions[at].to_array().map(f32::to_bits));
            for side in 0..3 {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                *directed_edges.entry((from, to)).or_insert(0) += 1;
                *directed_edges.entry((to, from)).or_insert(0) -= 1;
            }
        }
        let gaps = directed_edges.values().filter(|&&times| times != 0).count();
        assert_eq!(gaps == 0, case.volume.is_some(), "{}: {gaps} gaps", case.name);
    }
}

#[test]
fn volumes_equal_those_of_the_tessellated_profile() {
    for case in cases() {
        let Some(analytic) = case.volume else { continue };
        let pyramids = case.triangles().map(|triangle| {
            let [a, b, c] = case.corners(triangle);
            a.dot(b.cross(c)) / 6.0
        });
        let volume: f64 = pyramids.sum();
        if case.name.starts_with("cuboid") {
            assert!((volume / analytic - 1.0).abs() < 1e-6, "{}: {volume}", case.name);
            continue;
        }
        // Between two points of the profile lies a frustum with a polygonal base. Where the
        // profile goes up, inside of a torus, its volume is negative.
        let around = f64::from(case.detail[0]);
        let polygon = 0.5 * around * (TAU / around).sin();
        let frusta = case.profile.windows(2).map(|points| {
            let (upper, lower) = (points[0], points[1]);
            let squares = upper.x * upper.x + upper.x * lower.x + lower.x * lower.x;
            polygon * squares / 3.0 * (upper.y - lower.y)
        });
        let expected: f64 = frusta.sum();
        assert!((volume / expected - 1.0).abs() < 1e-5, "{}: {volume}, {expected}", case.name);
        assert!(0.0 < volume && volume < analytic, "{}: {volume}, {analytic}", case.name);
    }
}

#[test]
fn volumes_converge_to_the_analytic_volume() {
    let volume = |geometry: Geometry| -> f64 {
        let at = |vertex: u32| geometry.positions[vertex as usize].as_dvec3();
        geometry.triangles().map(|[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
    };
    let pairs = [
        (Sphere::new(1.0).with_detail(256, 128).build(), 4.0 / 3.0 * PI),
        (Torus::new(2.0, 0.5).with_detail(256, 128).build(), TAU * 2.0 * PI * 0.25),
        (Capsule::new(1.0, 3.0).with_detail(256, 64).build(), PI * (3.0 + 4.0 / 3.0)),
    ];
    for (geometry, expected) in pairs {
        let ratio = volume(geometry.unwrap()) / expected;
        assert!((0.999..1.0).contains(&ratio), "{ratio}");
    }
}

#[test]
fn vertex_and_triangle_counts_are_as_documented() {
    for [segments, rings] in DETAILS {
        let count = |geometry: Result<Geometry, Error>| {
            let geometry = geometry.unwrap();
            (geometry.positions.len() as u32, geometry.triangle_count() as u32)
        };
        let (s, r) = (segments, rings);
        let plane = Plane::default().with_cells(s, r);
        assert_eq!(count(plane.build()), ((s + 1) * (r + 1), 2 * s * r));
        let sphere = Sphere::default().with_detail(s, r);
        assert_eq!(count(sphere.build()), (2 * s + (r - 1) * (s + 1), 2 * s * (r - 1)));
        let cylinder = Cylinder::default().with_segments(s);
        assert_eq!(count(cylinder.build()), (4 * (s + 1), 4 * s));
        let cone = Cone::default().with_segments(s);
        assert_eq!(count(cone.build()), (3 * s + 2, 2 * s));
        let torus = Torus::default().with_detail(s, r + 1);
        assert_eq!(count(torus.build()), ((s + 1) * (r + 2), 2 * s * (r + 1)));
        let capsule = Capsule::default().with_detail(s, r);
        assert_eq!(count(capsule.build()), (2 * s + 2 * r * (s + 1), 4 * r * s));
        let ball = Capsule { length: 0.0, ..capsule };
        assert_eq!(count(ball.build()), (2 * s + (2 * r - 1) * (s + 1), 4 * r * s - 2 * s),);
        assert_eq!(count(Cuboid::default().build()), (24, 12));
    }
}

#[test]
fn default_shapes_fill_a_cube_of_size_one() {
    let shapes = [
        Cuboid::default().build(),
        Sphere::default().build(),
        Cylinder::default().build(),
        Cone::default().build(),
        Torus::default().build(),
        Capsule::default().build(),
        Plane::default().build(),
    ];
    for geometry in shapes.map(Result::unwrap) {
        let half = geometry.bounds().half_extents();
        assert_eq!(half.max_element(), 0.5);
        assert_eq!(geometry.bounds().center(), Vec3::ZERO);
    }
}

#[test]
fn textures_are_upright_and_not_mirrored() {
    for case in cases() {
        let uvs = &case.geometry.uvs[0];
        assert!(uvs.iter().all(|uv| uv.cmpge(Vec2::ZERO).all() && uv.cmple(Vec2::ONE).all()));
        for triangle in case.triangles() {
            // Because v points down, triangles are clockwise in texture space unless mirrored.
            let [a, b, c] = triangle.map(|vertex| uvs[vertex].as_dvec2());
            assert!((b - a).perp_dot(c - a) < 0.0, "{}: {triangle:?}", case.name);
        }
    }
    // The middle of the texture is at the front, its top edge at the top.
    let cylinder = Cylinder::default().build().unwrap();
    let front = cylinder.uvs[0].iter().position(|&uv| uv == Vec2::new(0.5, 0.0)).unwrap();
    assert_eq!(cylinder.positions[front], Vec3::new(0.0, -0.5, 0.5));
    let cuboid = Cuboid::default().build().unwrap();
    for (at, &position) in cuboid.positions.iter().enumerate() {
        if cuboid.normals[at].z == 0.0 {
            assert_eq!(cuboid.uvs[0][at].y, 0.5 - position.z);
        }
    }
    let plane = Plane::default().build().unwrap();
    assert_eq!((plane.positions[0], plane.uvs[0][0]), (Vec3::new(-0.5, 0.5, 0.0), Vec2::ZERO));
}

#[test]
fn no_number_is_negative_zero() {
    for case in cases() {
        let zero =
            |vector: &Vec3| vector.to_array().iter().all(|x| *x != 0.0 || x.is_sign_positive());
        assert!(case.geometry.normals.iter().all(zero), "{}", case.name);
        assert!(case.geometry.positions.iter().all(zero), "{}", case.name);
    }
}

#[test]
fn shapes_of_size_zero_are_flat_and_finite() {
    let flat = [
        Plane::new(Vec2::ZERO).build(),
        Cuboid::new(Vec3::new(1.0, 0.0, 1.0)).build(),
        Sphere::new(0.0).build(),
        Cylinder::new(0.0, 1.0).build(),
        Cylinder::new(1.0, 0.0).build(),
        Cone::new(0.0, 1.0).build(),
        Cone::new(1.0, 0.0).build(),
        Cone::new(0.0, 0.0).build(),
        Torus::new(0.0, 0.0).build(),
        Torus::new(1.0, 0.0).build(),
        Torus::new(1.0, 1.0).build(),
        Capsule::new(0.0, 0.0).build(),
        Capsule::new(0.0, 1.0).build(),
        Sphere::new(1e37).build(),
        Torus::new(1e37, 1e37).build(),
        Capsule::new(1e37, 1e37).build(),
        Capsule::new(1.0, 1e-30).build(),
    ];
    for geometry in flat.map(Result::unwrap) {
        assert_eq!(geometry.check(), Ok(()));
        assert!(geometry.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-6));
    }
}

#[test]
fn torus_without_a_hole_is_closed() {
    let geometry = Torus::new(1.0, 1.0).with_detail(8, 8).build().unwrap();
    let size = geometry.bounds().half_extents();
    assert!(size.abs_diff_eq(Vec3::new(2.0, 2.0, 1.0), 1e-6));
    assert_eq!(geometry.triangle_count(), 2 * 8 * 8 - 2 * 8);
}

#[test]
fn invalid_sizes_are_rejected_by_name() {
    type Build = fn(f32) -> Result<Geometry, Error>;
    let sizes: [(&str, &str, Build); 12] = [
        ("plane", "size.x", |x| Plane::new(Vec2::new(x, 1.0)).build()),
        ("plane", "size.y", |x| Plane::new(Vec2::new(1.0, x)).build()),
        ("cuboid", "size.x", |x| Cuboid::new(Vec3::new(x, 1.0, 1.0)).build()),
        ("cuboid", "size.y", |x| Cuboid::new(Vec3::new(1.0, x, 1.0)).build()),
        ("cuboid", "size.z", |x| Cuboid::new(Vec3::new(1.0, 1.0, x)).build()),
        ("sphere", "radius", |x| Sphere::new(x).build()),
        ("cylinder", "radius", |x| Cylinder::new(x, 1.0).build()),
        ("cylinder", "height", |x| Cylinder::new(1.0, x).build()),
        ("cone", "height", |x| Cone::new(1.0, x).build()),
        ("torus", "radius", |x| Torus::new(x, 1.0).build()),
        ("capsule", "radius", |x| Capsule::new(x, 1.0).build()),
        ("capsule", "length", |x| Capsule::new(1.0, x).build()),
    ];
    for (shape, parameter, build) in sizes {
        for value in [-1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.1e37] {
            let message = build(value).unwrap_err().to_string();
            let expected = format!("{shape}: {parameter} is {value}; it must be from 0 to 1e37");
            assert_eq!(message, expected);
        }
    }
    let thick = Torus::new(1.0, 1.5).build().unwrap_err().to_string();
    assert_eq!(thick, "torus: tube_radius is 1.5; it must be from 0 to 1");
}

#[test]
fn invalid_segment_counts_are_rejected_by_name() {
    let few = [
        (Plane::default().with_cells(0, 1).build(), "plane: cells_x is 0; it must be 1 or more"),
        (Plane::default().with_cells(1, 0).build(), "plane: cells_y is 0; it must be 1 or more"),
        (
            Sphere::default().with_detail(2, 9).build(),
            "sphere: segments is 2; it must be 3 or more",
        ),
        (Sphere::default().with_detail(9, 1).build(), "sphere: rings is 1; it must be 2 or more"),
        (
            Cylinder::default().with_segments(0).build(),
            "cylinder: segments is 0; it must be 3 or more",
        ),
        (Cone::default().with_segments(2).build(), "cone: segments is 2; it must be 3 or more"),
        (Torus::default().with_detail(2, 3).build(), "torus: segments is 2; it must be 3 or more"),
        (
            Torus::default().with_detail(3, 2).build(),
            "torus: tube_segments is 2; it must be 3 or more",
        ),
        (Capsule::default().with_detail(3, 0).build(), "capsule: rings is 0; it must be 1 or more"),
    ];
    for (result, expected) in few {
        assert_eq!(result.unwrap_err().to_string(), expected);
    }
    for many in [
        Plane::default().with_cells(u32::MAX, u32::MAX).build(),
        Sphere::default().with_detail(5000, 5000).build(),
        Cylinder::default().with_segments(u32::MAX).build(),
        Cone::default().with_segments(u32::MAX).build(),
        Torus::default().with_detail(u32::MAX, 3).build(),
        Capsule::default().with_detail(3, u32::MAX).build(),
    ] {
        assert!(matches!(many, Err(Error::Shape(ShapeError::TooMany { .. }))), "{many:?}");
    }
}

/// Hashes positions, normals and texture coordinates of all shapes.
#[test]
fn shapes_have_a_fixed_hash() {
    let mut hash = Fnv::new();
    let mut add = |number: f32| hash.write_f32s(&[number]);
    for Case { geometry, .. } in cases() {
        geometry
            .positions
            .iter()
            .chain(&geometry.normals)
            .flat_map(Vec3::as_ref)
            .for_each(|x| add(*x));
        geometry.uvs[0].iter().flat_map(Vec2::as_ref).for_each(|x| add(*x));
    }
    assert_eq!(format!("{:016x}", hash.finish()), "b7d1f065d9086e02");
}

#[test]
fn segments_start_at_the_back_and_run_counter_clockwise() {
    let cylinder = Cylinder::new(1.0, 1.0).with_segments(5).build().unwrap();
    for (column, position) in cylinder.positions[..6].iter().enumerate() {
        let angle = TAU * (0.25 + column as f64 / 5.0);
        let expected = DVec2::new(angle.cos(), angle.sin());
        assert!(position.as_dvec3().truncate().abs_diff_eq(expected, 1e-6));
    }
}

/// With Y up, each vertex of the shape with Z up is at (x, z, -y), bit for bit.
#[test]
fn shapes_with_y_up_are_those_with_z_up_rotated() {
    type Build = Box<dyn Fn(UpAxis) -> Geometry>;
    let cases: [(&str, Build); 7] = [
        ("plane", Box::new(|up| Plane::new(Vec2::new(2.0, 3.0)).with_up(up).build().unwrap())),
        ("sphere", Box::new(|up| Sphere::new(0.7).with_up(up).build().unwrap())),
        ("cylinder", Box::new(|up| Cylinder::new(0.7, 3.0).with_up(up).build().unwrap())),
        ("cone", Box::new(|up| Cone::new(0.7, 3.0).with_up(up).build().unwrap())),
        ("capsule", Box::new(|up| Capsule::new(0.7, 3.0).with_up(up).build().unwrap())),
        ("torus", Box::new(|up| Torus::new(0.7, 0.1).with_up(up).build().unwrap())),
        (
            "cuboid",
            Box::new(|up| {
                // The size is along the axes of the result.
                let size = if up == UpAxis::Z { [1.0, 2.0, 3.0] } else { [1.0, 3.0, 2.0] };
                Cuboid::new(size.into()).with_up(up).build().unwrap()
            }),
        ),
    ];
    for (name, build) in cases {
        let (z_up, y_up) = (build(UpAxis::Z), build(UpAxis::Y));
        assert_eq!(z_up.indices, y_up.indices);
        assert_eq!(z_up.uvs, y_up.uvs);
        let pairs = z_up.positions.iter().zip(&y_up.positions);
        for (z, y) in pairs.chain(z_up.normals.iter().zip(&y_up.normals)) {
            assert_eq!(
                [z.x, z.z, 0.0 - z.y].map(f32::to_bits),
                y.to_array().map(f32::to_bits),
                "{name}"
            );
        }
    }
}
