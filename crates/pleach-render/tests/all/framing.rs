//! `framing`: every box is framed completely, and not from farther away than necessary; and
//! `visible_bounds`.

use pleach::glam::{Quat, Vec2, Vec3};
use pleach::shapes::Cuboid;
use pleach::{Aabb, Geometry, Material, MorphTarget, Node, Scene, Skin, VertexData, View};
use pleach_render::{framing, visible_bounds};

fn view(bounds: &Aabb, from: Vec3, size: (u32, u32)) -> View {
    let mut scene = Scene::new();
    let (camera, transform) = framing(bounds, from, size.0 as f32 / size.1 as f32);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
    scene.update().unwrap();
    scene.view(camera, size).unwrap()
}

fn directions() -> Vec<Vec3> {
    let mut all =
        vec![Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_Y, Vec3::ZERO, Vec3::NAN, Vec3::INFINITY];
    for i in 0..20 {
        let i = i as f32;
        all.push(
            Vec3::new((i * 1.3).sin(), (i * 2.1).cos(), (i * 0.7).sin()) * 10_f32.powf(i - 10.0),
        );
    }
    all
}

#[test]
fn the_box_is_framed_completely_and_fills_the_picture_in_one_direction() {
    let boxes = [
        Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0)),
        Aabb::new(Vec3::new(3.0, -7.0, 100.0), Vec3::new(4.0, 25.0, 100.5)),
        Aabb::new(Vec3::new(-1e6, -1e6, 0.0), Vec3::new(1e6, 1e6, 3e5)),
        Aabb::new(Vec3::splat(-1e-4), Vec3::splat(1e-4)),
        // A rectangle, and a line.
        Aabb::new(Vec3::new(-2.0, -1.0, 0.0), Vec3::new(2.0, 1.0, 0.0)),
        Aabb::new(Vec3::new(0.0, 0.0, -5.0), Vec3::new(0.0, 0.0, 5.0)),
    ];
    for bounds in &boxes {
        for from in directions() {
            for size in [(1280, 720), (300, 900), (64, 64)] {
                let view = view(bounds, from, size);
                let mut max = 0.0_f32;
                for corner in bounds.corners() {
                    let ndc = view.project(corner).expect("the corner is in front of the camera");
                    let depth = view.depth(corner);
                    assert!(depth > view.near && depth < view.far, "{bounds:?} {from} {depth}");
                    max = max.max(Vec2::new(ndc.x, ndc.y).abs().max_element());
                }
                assert!(max < 1.0, "{bounds:?} from {from}, {size:?}: {max}");
                // A line seen end on has no size; all other boxes fill the picture in one
                // direction.
                if bounds.size().min_element() > 0.0 {
                    assert!(max > 0.9, "{bounds:?} from {from}, {size:?}: {max}");
                }
            }
        }
    }
}

#[test]
fn the_camera_looks_from_the_requested_direction() {
    let bounds = Aabb::new(Vec3::new(-1.0, -2.0, -3.0), Vec3::new(3.0, 4.0, 5.0));
    for from in directions().into_iter().filter(|it| it.is_finite() && *it != Vec3::ZERO) {
        let view = view(&bounds, from, (400, 300));
        assert!(view.direction().dot(-from.normalize()) > 0.9999, "{from}");
    }
}

#[test]
fn degenerate_boxes_give_valid_views() {
    let far = 1e37;
    let odd = [
        Aabb::EMPTY,
        Aabb::new(Vec3::ZERO, Vec3::ZERO),
        Aabb::new(Vec3::splat(7.0), Vec3::splat(7.0)),
        Aabb::new(Vec3::splat(1e-38), Vec3::splat(2e-38)),
        Aabb::new(Vec3::splat(-far), Vec3::splat(far)),
        Aabb::new(Vec3::splat(f32::MAX), Vec3::splat(f32::MAX)),
        Aabb { min: Vec3::NAN, max: Vec3::NAN },
        Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY },
    ];
    for bounds in odd {
        for from in directions() {
            for aspect in [1.5, 0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30, 1e30] {
                let mut scene = Scene::new();
                let (camera, transform) = framing(&bounds, from, aspect);
                let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
                scene.update().unwrap();
                let view = scene.view(camera, (32, 24));
                assert!(view.is_ok(), "{bounds:?} from {from} at {aspect}: {view:?}");
            }
        }
    }
    // A point is near the centre of the picture.
    let point = Vec3::new(7.0, 8.0, 9.0);
    let view = view(&Aabb::new(point, point), Vec3::ONE, (64, 64));
    assert!((view.project_to_pixel(point).unwrap() - 32.0).length() < 6.0);
}

#[test]
fn visible_bounds_enclose_all_visible_vertices_in_their_pose() {
    let mut scene = Scene::new();
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let count = cube.positions.len();
    let (all, weight) = (vec![[0; 4]; count], vec![[1.0, 0.0, 0.0, 0.0]; count]);
    let rise = MorphTarget::from_positions(vec![Vec3::Z; count]);
    let [plain, skinned, morphed] = [
        cube.clone(),
        cube.clone().with_influences(all, weight),
        cube.clone().with_morph_target(rise),
    ]
    .map(|it| scene.assets.add(it));
    let material = scene.assets.add(Material::default());
    assert!(visible_bounds(&scene).is_empty());

    let diamond = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    scene.spawn(Node::mesh(&plain, &material).rotated(diamond)).unwrap();
    let joint = scene.spawn(Node::group()).unwrap();
    scene.update().unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    scene.spawn(Node::mesh(&skinned, &material).skinned(skin).at(Vec3::splat(99.0))).unwrap();
    scene.node_mut(joint).unwrap().set_translation(Vec3::new(-4.0, 0.0, 0.0)).unwrap();
    let morphed = scene.spawn(Node::mesh(&morphed, &material)).unwrap();
    scene.set_weights(morphed, vec![2.0]).unwrap();
    scene.spawn(Node::mesh(&plain, &material).at(Vec3::splat(50.0)).hidden()).unwrap();
    scene.update().unwrap();

    let found = visible_bounds(&scene);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!(found.min.abs_diff_eq(Vec3::new(-4.5, -half, -0.5), 1e-6), "{found:?}");
    assert!(found.max.abs_diff_eq(Vec3::new(half, half, 2.5), 1e-6), "{found:?}");
}

#[test]
fn visible_bounds_ignore_shared_vertices_of_other_meshes() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 90.0, Vec3::Y * 90.0, Vec3::Z * 90.0];
    let positions = VertexData::shared(corners.to_vec());
    let part = |indices: [u32; 3]| Geometry {
        positions: positions.clone(),
        indices: Some(indices.to_vec()),
        ..Geometry::default()
    };
    let mut scene = Scene::new();
    let near = scene.assets.add(part([0, 1, 2]));
    let far = scene.assets.add(part([3, 4, 5]));
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&near, &material).at(Vec3::Z)).unwrap();
    let other = scene.spawn(Node::mesh(&far, &material)).unwrap();
    scene.update().unwrap();
    assert_eq!(visible_bounds(&scene), Aabb::new(Vec3::ZERO, Vec3::splat(90.0)));
    scene.node_mut(other).unwrap().set_visible(false);
    scene.update().unwrap();
    assert_eq!(visible_bounds(&scene), Aabb::new(Vec3::Z, Vec3::ONE));
}
