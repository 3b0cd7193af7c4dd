//! Labels: legible, without overlaps, and inside the picture.

use pleach::glam::Vec3;
use pleach::{NodeId, Transform};
use pleach_render::{Overlay, Overlays, Picture, draw_overlays};

use super::fixture::{Fixture, changed, unchanged};

#[test]
fn a_label_is_legible() {
    let mut fixture = Fixture::orthographic();
    fixture.add_cube(Transform::IDENTITY);
    let view = fixture.view(64, 64);
    let mut picture = Picture::new(64, 64, [200, 200, 200, 255]);
    let label = |_| String::from("#1");
    let overlays = Overlays::new(&[Overlay::Ids]).with_labels(&label);
    draw_overlays(&mut picture, &fixture.scene, &view, overlays);
    let letter = |pixel: &[u8; 4]| match pixel {
        [200, 200, 200, 255] => ' ',
        // The picture shows no node, so the letters are grey.
        [165, 165, 165, 255] => '#',
        [red, green, blue, 255] if *red < 90 && red == green && green == blue => '.',
        other => panic!("{other:?}"),
    };
    let rows = picture.pixels.chunks(64).map(|row| row.iter().map(letter).collect::<String>());
    let rows: Vec<String> =
        rows.map(|row| row.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    let expected = [
        "...............",
        "...............",
        "...#.#....#....",
        "...#.#...##....",
        "..#####...#....",
        "...#.#....#....",
        "..#####...#....",
        "...#.#....#....",
        "...#.#...###...",
        "...............",
        "...............",
    ];
    assert_eq!(rows, expected);
    assert_ne!(picture.pixels[32 * 64 + 32], [200, 200, 200, 255], "it is in the centre");
}

#[test]
fn labels_are_index_and_name_and_white_if_the_node_is_visible() {
    let mut fixture = Fixture::orthographic();
    let node = fixture.add_cube(Transform::IDENTITY);
    fixture.scene.node_mut(node).unwrap().set_name("ab");
    let (view, seen) = fixture.trace(64, 64);
    let draw = |label: Option<&dyn Fn(NodeId) -> String>, mut picture: Picture| {
        let overlays = Overlays::new(&[Overlay::Ids]);
        let overlays = label.map_or(overlays, |label| overlays.with_labels(label));
        draw_overlays(&mut picture, &fixture.scene, &view, overlays);
        picture
    };
    let same = |node: NodeId| format!("#{} ab", node.index());
    assert_eq!(draw(None, seen.clone()), draw(Some(&same), seen.clone()));
    let other = |node: NodeId| format!("#{} ab", node.index() + 1);
    assert_ne!(draw(None, seen.clone()), draw(Some(&other), seen.clone()));
    let brightest = |picture: Picture| picture.pixels.into_iter().map(|pixel| pixel[0]).max();
    assert_eq!(brightest(draw(None, seen)), Some(255));
    assert_eq!(brightest(draw(None, unchanged())), Some(165));
}

#[test]
fn labels_do_not_overlap_and_stay_inside_the_picture() {
    let label = |_| String::from("abc");
    let labelled = |count: usize, at: Vec3| {
        let mut fixture = Fixture::orthographic();
        for _ in 0..count {
            fixture.add_cube(Transform::from_translation(at));
        }
        let view = fixture.view(64, 64);
        let mut picture = unchanged();
        let overlays = Overlays::new(&[Overlay::Ids]).with_labels(&label);
        draw_overlays(&mut picture, &fixture.scene, &view, overlays);
        changed(&picture).len()
    };
    let area = 21 * 11;
    assert_eq!(labelled(1, Vec3::ZERO), area);
    assert_eq!(labelled(2, Vec3::ZERO), 2 * area);
    assert_eq!(labelled(50, Vec3::ZERO) % area, 0, "as many as fit");
    for corner in [Vec3::new(1.99, 0.0, 1.99), Vec3::new(-1.99, 0.0, -1.99)] {
        assert_eq!(labelled(1, corner), area, "moved inside from the edge");
    }
    assert_eq!(labelled(1, Vec3::new(2.1, 0.0, 0.0)), 0, "its centre is outside of the picture");
}
