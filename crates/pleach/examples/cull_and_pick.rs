//! A yard of crates: what a camera sees, why a crate is not seen, and the crate under the cursor.

use pleach::glam::{Vec2, Vec3};
use pleach::shapes::Cuboid;
use pleach::{Camera, Error, Filter, Material, Node, Scene, Transform, Visible, axes};

fn main() -> Result<(), Error> {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    let wood = scene.assets.add(Material::default());
    let yard = scene.spawn(Node::group().named("yard"))?;
    let crates = (0..100).map(|i| {
        let position = Vec3::new((i % 10) as f32 * 3.0, (i / 10) as f32 * 3.0, 0.5);
        Node::mesh(&cube, &wood).named(format!("crate {i}")).at(position)
    });
    let crates = scene.spawn_all(yard, crates)?;

    // A camera south of the yard, looking north.
    let transform =
        Transform::from_xyz(12.0, -6.0, 3.0).looking_at(Vec3::Y * 9.0 + Vec3::X * 12.0, axes::UP);
    let camera = Camera::perspective(0.8).with_far(25.0);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform))?;
    scene.update()?;

    // Cull. The buffer is kept from frame to frame.
    let view = scene.view(camera, (1280, 720))?;
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    println!("{} of {} crates are in view", visible.len(), crates.len());
    assert!(visible.len() > 20 && visible.len() < crates.len());

    // The last row is beyond the far plane.
    let (graph, filter) = (&scene.graph, Filter::default());
    let reason = scene.spatial.cull_reason(graph, crates[99], &view.frustum, &filter)?;
    println!("{}: {reason}", scene.node(crates[99])?.name().unwrap_or_default());
    assert!(!reason.is_in_view() && !visible.contains(crates[99]));

    // Pick the crate under the cursor.
    let expected = crates[14];
    let cursor = view.project_to_pixel(scene.node(expected)?.world_translation());
    let ray = view.ray_through_pixel(cursor.unwrap_or(Vec2::ZERO)).expect("a pixel of the image");
    let hit = scene.pick(&ray, &filter).expect("the crate is in view");
    println!("{} is {:.2} m away", scene.node(hit.node)?.name().unwrap_or_default(), hit.distance);
    assert_eq!(hit.node, expected);

    // A hidden crate is neither drawn nor picked.
    scene.node_mut(expected)?.set_visible(false);
    scene.update()?;
    let behind = scene.pick(&ray, &filter);
    assert!(behind.is_none_or(|behind| behind.node != expected && behind.distance > hit.distance));
    Ok(())
}
