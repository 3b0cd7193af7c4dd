//! The ground grid, and the outline of selected nodes.

use pleach::glam::{Vec2, Vec3};
use pleach::{Camera, Node, Transform};
use pleach_render::{Overlay, Overlays, Picture, draw_overlays};

use super::fixture::{Fixture, GROUND, changed};

/// Returns a fixture that looks down: x points right, y up; 16 pixels per metre in a picture of
/// 64 × 64.
fn from_above() -> Fixture {
    let mut fixture = Fixture::orthographic();
    let from = Vec3::new(1.0 / 32.0, -1.0 / 32.0, 9.0);
    let transform = Transform::from_translation(from).looking_at(from - Vec3::Z, Vec3::Y);
    fixture.scene.node_mut(fixture.camera).unwrap().set_transform(transform).unwrap();
    fixture
}

/// Returns how much a pixel differs from the ground.
fn difference(picture: &Picture, x: usize, y: usize) -> u32 {
    let pixel = picture.pixels[y * 64 + x];
    (0..3).map(|channel| u32::from(pixel[channel].abs_diff(GROUND[channel]))).sum()
}

#[test]
fn grid_lines_are_a_metre_apart_and_finer_ones_are_fainter() {
    let picture = from_above().draw(&[Overlay::Grid]);
    // The origin is at pixel 31.5, 31.5.
    for (x, y) in [(15, 23), (47, 23), (23, 15), (23, 47)] {
        assert!(difference(&picture, x, y) > 100, "{x} {y}");
    }
    let between = (17..30).map(|x| difference(&picture, x, 24)).max().unwrap();
    assert!((1..100).contains(&between), "{between}");
    let strongest = |x: usize, y: usize| {
        let pixel = picture.pixels[y * 64 + x];
        (0..3).max_by_key(|&channel| pixel[channel]).unwrap()
    };
    assert_eq!([strongest(23, 31), strongest(31, 23)], [0, 1], "the axes are red and green");
}

#[test]
fn the_grid_is_hidden_behind_surfaces_and_drawn_on_them() {
    let mut fixture = from_above();
    // The top of one is at the height of the grid, that of the other above.
    fixture.add_cube(Transform::from_xyz(-1.0, 0.0, -0.5));
    fixture.add_cube(Transform::from_xyz(1.0, 0.0, 0.0));
    let (view, mut picture) = fixture.trace(64, 64);
    draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Grid]);
    let drawn = changed(&picture);
    assert!(drawn.contains(&(15, 28)), "on the surface");
    assert!((41..54).all(|x| (25..38).all(|y| !drawn.contains(&(x, y)))), "behind the surface");
    assert!(drawn.contains(&(47, 18)) && drawn.contains(&(31, 28)));
}

#[test]
fn a_perspective_grid_fades_towards_the_horizon() {
    let mut fixture = Fixture::with_camera(Camera::default(), Vec3::new(0.3, -5.0, 2.0));
    let picture = fixture.draw(&[Overlay::Grid]);
    let strongest = |y: usize| (0..64).map(|x| difference(&picture, x, y)).max().unwrap();
    assert_eq!((0..32).map(strongest).max(), Some(0), "nothing above the horizon");
    let [far, near] = [33, 60].map(strongest);
    assert!(near > 100 && far > 0 && far < near / 2, "{far} {near}");
}

#[test]
fn the_outline_surrounds_what_the_picture_shows_of_a_node() {
    let mut fixture = Fixture::perspective();
    let cube = fixture.add_cube(Transform::from_xyz(0.3, 0.0, 0.2));
    fixture.add_cube(Transform::from_xyz(0.9, -1.0, 0.0));
    let (view, before) = fixture.trace(64, 64);
    let mut picture = before.clone();
    let selected = [cube];
    let overlays = Overlays::new(&[]).with_selection(&selected);
    draw_overlays(&mut picture, &fixture.scene, &view, overlays);
    assert_eq!((&picture.distances, &picture.nodes), (&before.distances, &before.nodes));
    let shown: Vec<Vec2> = (0..64 * 64)
        .filter(|&pixel| before.nodes[pixel] == Some(cube))
        .map(|pixel| Vec2::new((pixel % 64) as f32, (pixel / 64) as f32))
        .collect();
    assert!(shown.len() > 80, "{}", shown.len());
    for (index, (after, before)) in picture.pixels.iter().zip(&before.pixels).enumerate() {
        let at = Vec2::new((index % 64) as f32, (index / 64) as f32);
        let nearest = shown.iter().map(|it| it.distance(at)).fold(f32::INFINITY, f32::min);
        assert_eq!(after != before, nearest > 0.0 && nearest < 2.5, "{at}");
        if nearest == 1.0 {
            assert_eq!(after, &[255, 110, 0, 255], "{at}");
        }
    }
}

#[test]
fn selecting_a_node_selects_its_descendants() {
    let draw = |fixture: &mut Fixture, selected: &[_]| {
        let (view, mut picture) = fixture.trace(64, 64);
        let overlays = Overlays::new(&[]).with_selection(selected);
        draw_overlays(&mut picture, &fixture.scene, &view, overlays);
        changed(&picture)
    };
    let mut fixture = Fixture::perspective();
    let group = fixture.scene.spawn(Node::group()).unwrap();
    let cube = fixture.add_cube(Transform::IDENTITY);
    assert!(draw(&mut fixture, &[group]).is_empty());
    fixture.scene.attach(cube, group).unwrap();
    let outline = draw(&mut fixture, &[group]);
    assert_eq!(outline, draw(&mut fixture, &[cube, group, cube]));
    assert!(outline.len() > 40);
    fixture.scene.remove(group).unwrap();
    let other = fixture.add_cube(Transform::IDENTITY);
    assert!(draw(&mut fixture, &[group, cube]).is_empty(), "removed nodes are ignored");
    assert!(!draw(&mut fixture, &[other]).is_empty());
}
