//! Each overlay: joints, posed vertices, normals, axes.

use std::collections::BTreeSet;

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Geometry, Instances, MorphTarget, Node, Skin, Topology, Transform};
use pleach_render::{Overlay, draw_overlays};

use super::fixture::{Fixture, add_skinned, changed, unchanged};

#[test]
fn joints_are_drawn_in_front_of_everything() {
    let mut fixture = Fixture::orthographic();
    let joints = add_skinned(&mut fixture);
    let (view, mut picture) = fixture.trace(64, 64);
    assert!(picture.distances[32 * 64 + 32] < 10.0, "the mesh is in front");
    draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Joints]);
    let drawn = changed(&picture);
    let [low, high] = joints.map(|joint| {
        let position = fixture.scene.graph.node(joint).unwrap().world_translation();
        view.project_to_pixel(position).unwrap()
    });
    for joint in [low, high] {
        assert!(drawn.contains(&(joint.x as u32, joint.y as u32)), "a dot at {joint}");
    }
    let columns = |y: f32| drawn.iter().filter(|pixel| pixel.1 == y as u32).count();
    for row in 0..(low.y - high.y) as u32 {
        assert!((1..8).contains(&columns(high.y + row as f32)), "row {row}");
    }
    assert_eq!([columns(high.y - 4.0), columns(low.y + 4.0)], [0, 0]);
}

#[test]
fn removed_joints_and_hidden_skins_are_not_drawn() {
    let mut fixture = Fixture::orthographic();
    let [low, high] = add_skinned(&mut fixture);
    fixture.scene.remove(high).unwrap();
    let dot = changed(&fixture.draw(&[Overlay::Joints]));
    assert!((9..50).contains(&dot.len()), "one dot, no link: {}", dot.len());
    fixture.scene.remove(low).unwrap();
    assert_eq!(fixture.draw(&[Overlay::Joints]), unchanged());

    let mut fixture = Fixture::orthographic();
    add_skinned(&mut fixture);
    let node = fixture.scene.skins.iter(&fixture.scene.graph).next().unwrap().0;
    fixture.scene.node_mut(node).unwrap().set_visible(false);
    assert_eq!(fixture.draw(&[Overlay::Joints]), unchanged());
}

#[test]
fn lines_follow_posed_vertices() {
    let overlays = [Overlay::Wireframe, Overlay::Normals];
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.2, 1.0)];
    let shift = Vec3::new(-0.75, 0.125, -0.5);
    let triangle = |by: Vec3| {
        let corners = corners.map(|corner| corner + by);
        let mut triangle = Geometry::from_positions(corners.to_vec());
        triangle.normals = [Vec3::new(0.0, 0.6, 0.8); 3].into();
        triangle
    };
    let mut plain = Fixture::orthographic();
    plain.add(triangle(shift), Transform::IDENTITY);
    let expected = plain.draw(&overlays);
    assert!(changed(&expected).len() > 40);

    let mut morphed = Fixture::orthographic();
    let target = MorphTarget::from_positions(vec![shift * 2.0; 3]);
    let node = morphed.add(triangle(Vec3::ZERO).with_morph_target(target), Transform::IDENTITY);
    morphed.scene.set_weights(node, vec![0.5]).unwrap();
    assert_eq!(morphed.draw(&overlays), expected);

    let mut skinned = Fixture::orthographic();
    let geometry =
        triangle(Vec3::ZERO).with_influences(vec![[0; 4]; 3], vec![[1.0, 0.0, 0.0, 0.0]; 3]);
    // The position of the mesh's node is irrelevant.
    let node = skinned.add(geometry, Transform::from_xyz(9.0, 9.0, 9.0));
    let joint = skinned.scene.spawn(Node::group().at(shift)).unwrap();
    let skin = Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap();
    skinned.scene.skins.insert(&skinned.scene.graph, node, skin).unwrap();
    assert_eq!(skinned.draw(&overlays), expected);

    let mut twice = Fixture::orthographic();
    twice.add(triangle(shift), Transform::IDENTITY);
    twice.add(triangle(-shift), Transform::IDENTITY);
    let expected = twice.draw(&overlays);
    let mut instanced = Fixture::orthographic();
    let node = instanced.add(triangle(Vec3::ZERO), Transform::IDENTITY);
    let matrices = vec![Mat4::from_translation(shift), Mat4::from_translation(-shift)];
    let instances = Instances::new(triangle(Vec3::ZERO).bounds(), matrices).unwrap();
    instanced.scene.mesh_mut(node).unwrap().instances = Some(Box::new(instances));
    assert_eq!(instanced.draw(&overlays), expected);
}

#[test]
fn line_geometry_is_part_of_the_wireframe() {
    let mut fixture = Fixture::orthographic();
    let ends = vec![Vec3::new(-1.0, 0.0, -1.0 / 32.0), Vec3::new(1.0, 0.0, -1.0 / 32.0)];
    fixture.add(Geometry::from_positions(ends).with_topology(Topology::Lines), Transform::IDENTITY);
    let row: BTreeSet<(u32, u32)> = (16..48).map(|x| (x, 32)).collect();
    let drawn = changed(&fixture.draw(&[Overlay::Wireframe]));
    assert!(row.is_subset(&drawn) && drawn.iter().all(|pixel| pixel.1 == 32), "{drawn:?}");
}

#[test]
fn normals_are_perpendicular_and_their_length_depends_on_the_size_of_the_mesh() {
    let mut fixture = Fixture::orthographic();
    // A floor seen from its side: its normals point up.
    let floor = [(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
    let floor = floor.map(|(x, y)| Vec3::new(x, y, 0.0));
    let floor = Geometry::from_positions(floor.to_vec()).with_normals(vec![Vec3::Z; 3]);
    let aside = Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0);
    let node = fixture.add(floor, aside);
    let drawn = changed(&fixture.draw(&[Overlay::Normals]));
    let columns: BTreeSet<u32> = drawn.iter().map(|pixel| pixel.0).collect();
    assert_eq!(columns, BTreeSet::from([16, 32, 48]));
    let top = |drawn: BTreeSet<(u32, u32)>| drawn.iter().map(|pixel| pixel.1).min().unwrap();
    // A fraction of the diagonal, which is √5 metres at 16 pixels per metre; and half a pixel at
    // its round end.
    let expected = |scale: f32| (32.5 - 0.025 * scale * 5_f32.sqrt() * 16.0 - 0.5) as u32;
    assert_eq!(top(drawn), expected(1.0));
    let mut node = fixture.scene.node_mut(node).unwrap();
    node.set_transform(aside.with_scale(Vec3::new(10.0, 10.0, 3.0))).unwrap();
    let drawn = changed(&fixture.draw(&[Overlay::Normals]));
    assert_eq!(top(drawn), expected(10.0));
}

#[test]
fn geometry_without_normals_shows_triangle_normals() {
    let mut fixture = Fixture::orthographic();
    let corners = [(-1.0, 0.0), (1.0, 0.0), (3.0 / 32.0, 1.0)];
    let corners = corners.map(|(x, y)| Vec3::new(x, y, -1.0 / 32.0));
    fixture.add(Geometry::from_positions(corners.to_vec()), Transform::IDENTITY);
    let drawn = changed(&fixture.draw(&[Overlay::Normals]));
    assert!(drawn.contains(&(32, 32)) && drawn.iter().all(|&(x, y)| x == 32 && y <= 32));
}

#[test]
fn axes_are_red_green_and_blue() {
    let mut fixture = Fixture::orthographic();
    // This gives the scene a size of about 60 metres.
    fixture.add_cube(Transform::from_xyz(0.0, 40.0, 0.0).with_scale(Vec3::splat(35.0)));
    let rotated = Quat::from_rotation_arc(Vec3::Y, Vec3::NEG_X);
    let transform = Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0).with_rotation(rotated);
    fixture.scene.spawn(Node::group().with_transform(transform)).unwrap();
    fixture.scene.spawn(Node::group().at(Vec3::new(-1.0, 0.0, -1.0)).hidden()).unwrap();
    let picture = fixture.draw(&[Overlay::Axes]);
    let at = |x: usize, y: usize| {
        let [red, green, blue, _] = picture.pixels[y * 64 + x];
        [red, green, blue]
    };
    // The node's y points left, its z up, its x away. The root's x points right.
    let strongest = |color: [u8; 3]| (0..3).max_by_key(|&channel| color[channel]).unwrap();
    assert_eq!([at(42, 32), at(22, 32), at(32, 22)].map(strongest), [0, 1, 2]);
    assert!([at(42, 32), at(22, 32), at(32, 22)].iter().flatten().any(|&channel| channel > 150));
    assert_eq!(at(16, 46), [10, 20, 30], "hidden nodes have no axes");
}

#[test]
fn overlay_names_round_trip() {
    for overlay in Overlay::ALL {
        assert_eq!(overlay.name().parse(), Ok(overlay));
        assert_eq!(overlay.to_string(), overlay.name());
    }
    let error = "mesh".parse::<Overlay>().unwrap_err().to_string();
    assert!(error.contains("\"mesh\"") && error.contains("joints, "), "{error}");
}
