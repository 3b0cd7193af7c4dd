//! Lights: position, direction, influence bounds and shadow views.
//!
//! `PLEACH_SEED=7 cargo test -p pleach lights` repeats a run.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

use pleach::glam::{DVec3, Mat4, Quat, Vec3, Vec4};
use pleach::{
    ClipSpace, Error, Light, LightError, LightKind, Node, Scene, SceneProblemKind, Shadow,
    ShadowError, ShadowView,
};
use pleach_graph::{Graph, Transform, axes};
use pleach_spatial::{Aabb, Containment};
use testkit::Rng;

const CLIPS: [ClipSpace; 3] =
    [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Random world matrices.
trait RandomWorlds {
    /// Returns a world matrix with its rotation and position; scaled if `is_scaled`.
    fn world(&mut self, is_scaled: bool) -> (Mat4, Quat, Vec3);
}

impl RandomWorlds for Rng {
    fn world(&mut self, is_scaled: bool) -> (Mat4, Quat, Vec3) {
        let (rotation, position) = (self.rotation(), self.vec3(50.0));
        let scale = match is_scaled {
            true => Vec3::from_array([0; 3].map(|_| self.between(0.1, 9.0))),
            false => Vec3::ONE,
        };
        (Mat4::from_scale_rotation_translation(scale, rotation, position), rotation, position)
    }
}

fn sun() -> Light {
    Light::directional(Vec3::ONE, 1.0)
}

#[test]
fn lights_are_plain_data() {
    let color = Vec3::new(1.0, 0.95, 0.8);
    let sun = Light::directional(color, 1.2);
    assert_eq!((sun.kind, sun.range, sun.shadow), (LightKind::Directional, None, None));
    assert_eq!((sun.color, sun.intensity, sun.layers), (color, 1.2, u32::MAX));
    assert_eq!(Light::ambient(color, 0.3).kind, LightKind::Ambient);

    let shadow = Shadow { map_size: 512, ..Shadow::default() };
    let point_light = Light::point(color, 60.0).with_range(4.0).with_shadow(shadow).with_layers(2);
    assert_eq!((point_light.kind, point_light.shadow), (LightKind::Point, Some(shadow)));
    assert_eq!((point_light.range(), point_light.layers), (4.0, 2));

    let spot = Light::spot(color, 9.0, 0.2, 0.4).with_range(7.0).with_shadow(shadow);
    assert_eq!(spot.kind, LightKind::Spot { inner_angle: 0.2, outer_angle: 0.4 });
    assert_eq!((spot.range, spot.shadow), (Some(7.0), Some(shadow)));
    assert_eq!((sun.range(), Light::point(color, 1.0).range()), (INF, INF));
}

#[test]
fn d_values_of_lights_without_an_effect_are_errors() {
    let (sun, lamp) = (sun(), Light::point(Vec3::ONE, 1.0));
    let ambient = Light::ambient(Vec3::ONE, 1.0);
    let spot = Light::spot(Vec3::ONE, 1.0, 0.2, 0.4).with_shadow(Shadow::default());
    for valid in [sun.with_shadow(Shadow::default()), lamp.with_range(4.0), ambient, spot] {
        assert_eq!(valid.check(), Ok(()));
    }
    let cases = [
        (sun.with_range(3.0), LightError::RangeNotApplicable),
        (ambient.with_range(3.0), LightError::RangeNotApplicable),
        (ambient.with_shadow(Shadow::default()), LightError::AmbientShadow),
    ];
    for (light, error) in cases {
        assert_eq!(light.check(), Err(Error::Light(error)));
        // Rejected where it enters a scene, and reported after an edit in place.
        let mut scene = Scene::new();
        assert_eq!(scene.spawn(Node::light(light)), Err(Error::Light(error)));
        assert_eq!(scene.graph.len(), 1, "nothing is left behind");
        let node = scene.spawn(Node::group()).unwrap();
        assert_eq!(scene.insert(node, light), Err(Error::Light(error)));
        assert_eq!(scene.lights.insert(&scene.graph, node, light), Err(Error::Light(error)));
        assert_eq!((scene.lights.len(), scene.check().len()), (0, 0));
        scene.insert(node, Light { range: None, shadow: None, ..light }).unwrap();
        *scene.light_mut(node).unwrap() = light;
        assert_eq!(scene.check()[0].kind, SceneProblemKind::Light(error));
    }
    // They have no effect either.
    assert_eq!(
        (sun.with_range(3.0).range(), ambient.with_shadow(Shadow::default()).shadow()),
        (INF, None)
    );
}

/// The defaults of all fields.
#[test]
fn shadow_keeps_its_fields() {
    let expected = Shadow {
        enabled: true,
        map_size: 2048,
        bias: 0.0005,
        normal_bias: 0.0,
        near: 0.5,
        far: 100.0,
        bounds: 30.0,
    };
    assert_eq!(Shadow::default(), expected);
    assert_eq!(sun().with_shadow(expected).shadow(), Some(&expected));
    let off = Shadow { enabled: false, ..expected };
    let sun = sun().with_shadow(off);
    assert_eq!(sun.shadow(), None);
    assert_eq!(sun.shadow, Some(off), "kept while disabled");
}

#[test]
fn direction_is_the_rotated_negative_z_for_any_scale() {
    let mut random = Rng::from_env(20_240_607);
    let spot = Light::spot(Vec3::ONE, 1.0, 0.1, 0.2);
    for _ in 0..2_000 {
        let (_, rotation, position) = random.world(false);
        let size = Vec3::from_array([0; 3].map(|_| random.between(-6.0, 6.0).exp2()));
        for mirror in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::new(-1.0, -1.0, 1.0)] {
            let scale = size * mirror;
            let world = Mat4::from_scale_rotation_translation(scale, rotation, position);
            for light in [sun(), spot] {
                let direction = light.direction(&world).unwrap();
                assert!(direction.abs_diff_eq(rotation * Vec3::NEG_Z, 1e-6), "{scale}");
                assert!((direction.length() - 1.0).abs() < 1e-6);
                assert_eq!(light.position(&world), position);
            }
        }
    }
    assert_eq!(sun().direction(&Mat4::IDENTITY), Some(Vec3::NEG_Z));
}

/// A mirrored car has mirrored headlights.
#[test]
fn mirrored_parent_mirrors_the_direction() {
    let mut graph = Graph::new();
    let car = graph.add_root(Transform::IDENTITY).unwrap();
    let at = Transform::IDENTITY.looking_at(Vec3::new(1.0, -2.0, -0.5), axes::UP);
    let point_light = graph.add_child(car, at).unwrap();
    for mirror in [Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, -1.0, 1.0), Vec3::splat(-1.0)] {
        graph.node_mut(car).unwrap().set_scale(mirror).unwrap();
        graph.update();
        let direction = sun().direction(&graph.node(point_light).unwrap().world()).unwrap();
        let expected = Vec3::new(1.0, -2.0, -0.5).normalize() * mirror;
        assert!(direction.abs_diff_eq(expected, 1e-6), "{mirror}: {direction}");
    }
}

#[test]
fn look_at_and_direction_agree_under_any_parent() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..1_000 {
        let mut graph = Graph::new();
        let mut node = graph.add_root(Transform::IDENTITY).unwrap();
        for _ in 0..3 {
            let scale = Vec3::from_array([0; 3].map(|_| {
                let size = random.between(0.3, 3.0);
                if random.between(0.0, 1.0) < 0.2 { -size } else { size }
            }));
            let at = Transform::from_translation(random.vec3(4.0));
            let at = at.with_rotation(random.rotation()).with_scale(scale);
            node = graph.add_child(node, at).unwrap();
        }
        let target = random.vec3(100.0);
        graph.node_mut(node).unwrap().look_at(target, axes::UP).unwrap();
        graph.update();
        let world = graph.node(node).unwrap().world();
        let expected = (target - sun().position(&world)).normalize();
        let direction = sun().direction(&world).unwrap();
        assert!(direction.abs_diff_eq(expected, 1e-4), "{direction} {expected}");
    }
}

/// The result does not depend on the up direction, even if it is not that of the world.
#[test]
fn sun_shines_in_the_direction_given_to_look_at() {
    let toward = Vec3::new(-0.3, -0.5, -1.0);
    for up in [Vec3::Y, Vec3::Z, toward, Vec3::ZERO] {
        let rotation = axes::look_rotation(toward, up).unwrap();
        let direction = sun().direction(&Mat4::from_quat(rotation)).unwrap();
        assert!(direction.abs_diff_eq(toward.normalize(), 1e-6), "{up}: {direction}");
    }
}

#[test]
fn light_without_a_direction_returns_none() {
    let flat = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(sun().direction(&flat), None);
    assert_eq!(sun().direction(&Mat4::NAN), None);
    assert_eq!(sun().direction(&Mat4::from_scale(Vec3::new(0.0, 0.0, 1.0))), Some(Vec3::NEG_Z));
    assert_eq!(sun().direction(&Mat4::from_scale(Vec3::splat(1e-45))), Some(Vec3::NEG_Z));
    assert_eq!(sun().direction(&Mat4::from_scale(Vec3::splat(3e38))), Some(Vec3::NEG_Z));
    assert_eq!(Light::point(Vec3::ONE, 1.0).direction(&Mat4::IDENTITY), None);
    assert_eq!(Light::ambient(Vec3::ONE, 1.0).direction(&Mat4::IDENTITY), None);
}

#[test]
fn light_without_a_range_has_no_bounds() {
    let world = Mat4::from_translation(Vec3::ONE);
    let spot = Light::spot(Vec3::ONE, 1.0, 0.1, 0.2);
    let point_light = Light::point(Vec3::ONE, 1.0);
    for light in
        [sun(), Light::ambient(Vec3::ONE, 1.0), point_light, spot, point_light.with_range(INF)]
    {
        assert_eq!(light.influence_bounds(&world), None, "{light:?}");
    }
}

#[test]
fn point_light_bounds_do_not_depend_on_scale() {
    let point_light = Light::point(Vec3::ONE, 1.0).with_range(2.0);
    let position = Vec3::new(1.0, 2.0, 3.0);
    let world = Mat4::from_translation(position) * Mat4::from_scale(Vec3::splat(100.0));
    let bounds = point_light.influence_bounds(&world).unwrap();
    assert_eq!((bounds.min, bounds.max), (position - 2.0, position + 2.0));
    let empty_range = point_light.with_range(0.0).influence_bounds(&world).unwrap();
    assert_eq!((empty_range.min, empty_range.max), (position, position));
    for invalid in [-1.0, NAN] {
        assert_eq!(point_light.with_range(invalid).influence_bounds(&world), Some(Aabb::EMPTY));
        let spot = Light::spot(Vec3::ONE, 1.0, 0.0, 0.3).with_range(invalid);
        assert_eq!(spot.influence_bounds(&world), Some(Aabb::EMPTY));
    }
}

/// All points of the cone and its rim are within the bounds, and the bounds are tight.
#[test]
fn spot_light_bounds_enclose_its_cone_tightly() {
    let mut random = Rng::from_env(20_240_607);
    for _ in 0..300 {
        let (world, rotation, position) = random.world(true);
        let outer = random.between(0.0, 1.0) * FRAC_PI_2;
        let range = random.between(0.1, 50.0);
        let spot = Light::spot(Vec3::ONE, 1.0, 0.0, outer).with_range(range);
        let bounds = spot.influence_bounds(&world).unwrap();
        let mut points = Aabb::new(position, position);
        for _ in 0..4_000 {
            let angle = f64::from(outer) * f64::from(random.between(0.0, 1.0)).sqrt().min(1.0);
            let angle = if random.between(0.0, 1.0) < 0.5 { f64::from(outer) } else { angle };
            let azimuth = f64::from(random.between(0.0, 7.0));
            let local =
                DVec3::new(angle.sin() * azimuth.cos(), angle.sin() * azimuth.sin(), -angle.cos());
            let distance =
                f64::from(range * if random.between(0.0, 1.0) < 0.8 { 1.0 } else { 0.5 });
            let point = (rotation.as_dquat().normalize() * local * distance + position.as_dvec3())
                .as_vec3();
            let grown = Aabb::new(bounds.min - 1e-5, bounds.max + 1e-5);
            assert!(grown.contains_point(point), "{outer} {range}: {point} not in {bounds:?}");
            points = points.union(&Aabb::new(point, point));
        }
        let slack = ((points.min - bounds.min).max(bounds.max - points.max)).max_element();
        assert!(slack < 0.05 * range, "{outer} {range}: {slack}");
    }
}

#[test]
fn spot_light_without_a_valid_cone_has_the_bounds_of_a_point_light() {
    let sphere_bounds = Aabb::from_center_half(Vec3::ZERO, Vec3::splat(3.0));
    for outer in [NAN, -0.1, 1.6, INF] {
        let spot = Light::spot(Vec3::ONE, 1.0, 0.0, outer).with_range(3.0);
        assert_eq!(spot.influence_bounds(&Mat4::IDENTITY), Some(sphere_bounds), "{outer}");
    }
    let spot = Light::spot(Vec3::ONE, 1.0, 0.0, 0.3).with_range(3.0);
    let flat = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(spot.influence_bounds(&flat), Some(sphere_bounds));
    let half = Light::spot(Vec3::ONE, 1.0, 0.0, FRAC_PI_2).with_range(3.0);
    let bounds = half.influence_bounds(&Mat4::IDENTITY).unwrap();
    assert_eq!(
        (bounds.min, bounds.max.truncate()),
        (Vec3::splat(-3.0), Vec3::splat(3.0).truncate())
    );
    assert!(bounds.max.z < 1e-5);
}

fn is_in_shadow_view(map: &ShadowView, point: DVec3, tolerance: f64) -> bool {
    let clip = map.matrix.as_dmat4() * point.extend(1.0);
    let at = clip.truncate() / clip.w;
    let from = if map.clip_space == ClipSpace::NegOneToOne { -1.0 } else { 0.0 };
    let limit = 1.0 + tolerance;
    clip.w > 0.0
        && at.truncate().abs().max_element() <= limit
        && (from - tolerance..=limit).contains(&at.z)
}

/// The bounds are a cube around the node, along the axes of the light.
#[test]
fn shadow_view_of_a_directional_light_contains_its_bounds() {
    let mut random = Rng::from_env(20_240_607);
    for round in 0..600 {
        let (world, rotation, position) = random.world(round % 2 == 0);
        let bounds = random.between(0.5, 60.0);
        let (near, far) = (random.between(-5.0, 2.0), random.between(3.0, 200.0));
        let shadow = Shadow { bounds, near, far, ..Shadow::default() };
        let sun = sun().with_shadow(shadow);
        let clip = CLIPS[round % 3];
        let map = sun.shadow_view(&world, clip).unwrap().unwrap();
        assert_eq!(map.clip_space, clip);
        let [bounds, near, far] = [bounds, near, far].map(f64::from);
        let point = |x: f64, y: f64, z: f64| {
            rotation.as_dquat().normalize() * DVec3::new(x, y, z) + position.as_dvec3()
        };
        for corner in 0..8 {
            let at = |bit: i32| if corner >> bit & 1 == 1 { bounds } else { -bounds };
            assert!(is_in_shadow_view(&map, point(at(0), at(1), at(2)), 1e-4));
            // The volume from near to far is contained as well.
            let depth = if corner >> 2 & 1 == 1 { near } else { far };
            assert!(is_in_shadow_view(&map, point(at(0), at(1), -depth), 1e-4));
            let inner = point(at(0) * 0.999, at(1) * 0.999, at(2) * 0.999).as_vec3();
            assert!(map.frustum.contains_point(inner));
        }
        for (x, y, z) in [(1.01, 0.0, 0.0), (-1.01, 0.0, 0.0), (0.0, 1.01, 0.0), (0.0, 0.0, 1.01)] {
            let z = if z > 0.0 { (-near).max(bounds) + 0.05 * (far + bounds) } else { 0.0 };
            let out = point(x * bounds, y * bounds, z);
            assert!(!is_in_shadow_view(&map, out, 1e-4), "{x} {y} {z}");
            assert!(!map.frustum.contains_point(out.as_vec3()));
        }
        let beyond = point(0.0, 0.0, -far.max(bounds) * 1.01);
        assert!(!is_in_shadow_view(&map, beyond, 1e-4));
    }
}

/// Points nearer to the light have smaller depths; right and up are those of the node.
#[test]
fn shadow_view_of_a_directional_light_has_its_orientation() {
    let shadow = Shadow { bounds: 10.0, near: 0.0, far: 10.0, ..Shadow::default() };
    for clip in CLIPS {
        let map = shadow.directional(&Mat4::IDENTITY, clip).unwrap();
        let at = |point: Vec3| map.matrix.project_point3(point);
        assert!(at(Vec3::new(5.0, 0.0, 0.0)).abs_diff_eq(at(Vec3::ZERO) + Vec3::X * 0.5, 1e-6));
        assert!(at(Vec3::new(0.0, 5.0, 0.0)).abs_diff_eq(at(Vec3::ZERO) + Vec3::Y * 0.5, 1e-6));
        let (near, far) = (at(Vec3::Z * 10.0).z, at(Vec3::Z * -10.0).z);
        let expected = match clip {
            ClipSpace::NegOneToOne => (-1.0, 1.0),
            ClipSpace::ZeroToOne => (0.0, 1.0),
            ClipSpace::ZeroToOneReversed => (1.0, 0.0),
        };
        assert!((near - expected.0).abs() < 1e-6 && (far - expected.1).abs() < 1e-6);
    }
}

#[test]
fn shadow_view_of_a_spot_light_contains_its_cone() {
    let mut random = Rng::from_env(20_240_607);
    for round in 0..300 {
        let (world, rotation, position) = random.world(true);
        let outer = random.between(0.05, 1.4);
        let range = random.between(5.0, 50.0);
        let spot = Light::spot(Vec3::ONE, 1.0, 0.0, outer).with_range(range);
        let spot = spot.with_shadow(Shadow { near: 0.1, far: 500.0, ..Shadow::default() });
        let map = spot.shadow_view(&world, CLIPS[round % 3]).unwrap().unwrap();
        for step in 0..64 {
            let azimuth = f64::from(step) * 0.1;
            let angle = f64::from(outer) * f64::from(step % 4) / 3.0;
            let along =
                DVec3::new(angle.sin() * azimuth.cos(), angle.sin() * azimuth.sin(), -angle.cos());
            let point = |distance: f64| {
                rotation.as_dquat().normalize() * along * distance + position.as_dvec3()
            };
            let nearest = 0.11 / angle.cos();
            for distance in [nearest, f64::from(range)] {
                assert!(
                    is_in_shadow_view(&map, point(distance), 2e-3),
                    "{outer} {angle} {distance}"
                );
            }
            assert!(!is_in_shadow_view(&map, point(f64::from(range) * 1.02 / angle.cos()), 1e-5));
        }
        assert!(!is_in_shadow_view(
            &map,
            position.as_dvec3() - rotation.as_dquat() * DVec3::NEG_Z,
            0.0
        ));
    }
}

/// Includes flat boxes and points.
#[test]
fn shadow_view_from_an_aabb_is_tight() {
    let mut random = Rng::from_env(20_240_607);
    for round in 0..600 {
        let (world, ..) = random.world(true);
        let is_thick = round % 2 == 0;
        let half = random.vec3(40.0).abs() + 1.0;
        let half = if is_thick { half } else { half.with_z(0.0) };
        let aabb = Aabb::from_center_half(random.vec3(1000.0), half);
        let map = ShadowView::from_aabb(&aabb, &world, CLIPS[round % 3]).unwrap();
        let mut max = DVec3::ZERO;
        for corner in aabb.corners() {
            assert!(is_in_shadow_view(&map, corner.as_dvec3(), 0.0), "{aabb:?}");
            assert_ne!(map.frustum.classify(&Aabb::new(corner, corner)), Containment::Outside);
            max = max.max(map.matrix.as_dmat4().project_point3(corner.as_dvec3()).abs());
        }
        assert!(!is_thick || max.x.min(max.y) > 0.99, "{aabb:?}: {max}");
    }
    let wall = Aabb::new(Vec3::new(-1000.0, 0.0, -1000.0), Vec3::new(1000.0, 0.0, 1000.0));
    for clip in CLIPS {
        // Seen edge-on.
        for world in [Mat4::IDENTITY, Mat4::from_rotation_x(1.0), Mat4::from_rotation_y(1.0)] {
            let map = ShadowView::from_aabb(&wall, &world, clip).unwrap();
            assert!(wall.corners().iter().all(|corner| is_in_shadow_view(
                &map,
                corner.as_dvec3(),
                0.0
            )));
        }
    }
    for point in [Vec3::ZERO, Vec3::splat(1e6)] {
        let map =
            ShadowView::from_aabb(&Aabb::new(point, point), &Mat4::IDENTITY, ClipSpace::ZeroToOne);
        assert!(is_in_shadow_view(&map.unwrap(), point.as_dvec3(), 0.0));
    }
}

#[test]
fn light_without_shadow_has_no_shadow_view() {
    let world = Mat4::IDENTITY;
    let off = Shadow { enabled: false, ..Shadow::default() };
    let point_light = Light::point(Vec3::ONE, 1.0).with_shadow(Shadow::default());
    let ambient = Light::ambient(Vec3::ONE, 1.0);
    for light in [sun(), sun().with_shadow(off), point_light, ambient] {
        assert_eq!(light.shadow_view(&world, ClipSpace::ZeroToOne), Ok(None));
    }
    assert!(point_light.shadow().is_some(), "its six maps are computed by the renderer");
}

#[test]
fn invalid_shadow_parameters_are_rejected_with_name_and_value() {
    let clip = ClipSpace::ZeroToOne;
    let error = |shadow: Shadow| shadow.directional(&Mat4::IDENTITY, clip).unwrap_err();
    let shadow = Shadow::default();
    for bounds in [0.0, -2.0, NAN, INF] {
        assert_eq!(
            error(Shadow { bounds, ..shadow }).to_string(),
            format!(
                "shadow: bounds is {bounds}; it must be positive and finite: \
                 how far the map extends to each side"
            ),
        );
    }
    assert_eq!(
        error(Shadow { far: 0.5, ..shadow }).to_string(),
        "shadow: far is 0.5; it must be greater than near, which is 0.5 \
         (an infinite perspective has an infinite far, and no zfar in a file)",
    );
    assert_eq!(
        error(Shadow { far: INF, ..shadow }).to_string(),
        "shadow: far is inf; it must be finite in an orthographic projection, \
         whose depths are evenly spaced",
    );
    assert_eq!(
        error(Shadow { near: NAN, ..shadow }).to_string(),
        "shadow: near is NaN; it must be finite, and positive in a perspective: \
         0.1 will often do",
    );
    let flat = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(
        shadow.directional(&flat, clip).unwrap_err().to_string(),
        "shadow: the world matrix of the light is singular (a scale of zero, or nearly), \
         so it has no direction; give its node and the parents a scale",
    );
    assert_eq!(shadow.spot(&flat, 0.5, clip), Err(Error::Shadow(ShadowError::Singular)));
    assert_eq!(
        shadow.spot(&Mat4::IDENTITY, FRAC_PI_2, clip).unwrap_err().to_string(),
        "shadow: the outer angle of the spot light is 1.5707964; \
         it must be greater than 0 and less than π/2, in radians, to have a shadow map",
    );
    assert!(shadow.spot(&Mat4::IDENTITY, FRAC_PI_4, clip).is_ok());
    assert!(Shadow { near: 0.0, ..shadow }.spot(&Mat4::IDENTITY, FRAC_PI_4, clip).is_err());
    assert!(Shadow { far: INF, ..shadow }.spot(&Mat4::IDENTITY, FRAC_PI_4, clip).is_ok());
    assert_eq!(
        ShadowView::from_aabb(&Aabb::EMPTY, &Mat4::IDENTITY, clip).unwrap_err().to_string(),
        "shadow: the bounds from [inf, inf, inf] to [-inf, -inf, -inf] cannot be covered; \
         they must be finite, and not empty",
    );
    let mut not_finite = Mat4::IDENTITY;
    not_finite.w_axis = Vec4::new(NAN, 0.0, 0.0, 1.0);
    assert!(matches!(
        shadow.directional(&not_finite, clip),
        Err(Error::Shadow(ShadowError::Frustum(_))),
    ));
}
