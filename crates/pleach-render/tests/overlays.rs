//! Overlays: lines and labels at pixels that are known otherwise.

use std::collections::BTreeSet;

use pleach::glam::{EulerRot, Mat4, Quat, Vec2, Vec3};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, ClipSpace, Filter, Geometry, Handle, Instances, Material, Mesh, Mode, MorphTarget,
    Node, NodeId, Scene, Skin, Transform, View,
};
use pleach_render::{Overlay, Overlays, Picture, draw_overlays};

const GROUND: [u8; 4] = [10, 20, 30, 255];

/// A scene, and someone who looks at it.
struct Story {
    scene: Scene,
    camera: NodeId,
    material: Handle<Material>,
}

impl Story {
    /// Seen along +Y: x goes to the right, z goes up.
    fn seen_by(camera: Camera, at: Vec3) -> Self {
        let mut scene = Scene::new();
        let place = Transform::from_translation(at).looking_at(at + Vec3::Y, Vec3::Z);
        let camera = scene.spawn(Node::camera(camera).with_transform(place)).unwrap();
        let material = scene.assets.add(Material::default());
        Self { scene, camera, material }
    }

    /// 16 pixels to a metre in a picture of 64 × 64.
    fn in_parallel() -> Self {
        Self::seen_by(Camera::orthographic(4.0), Vec3::new(0.0, -10.0, 0.0))
    }

    fn in_perspective() -> Self {
        Self::seen_by(Camera::default(), Vec3::new(0.0, -5.0, 0.0))
    }

    fn add(&mut self, geometry: Geometry, at: Transform) -> NodeId {
        let geometry = self.scene.assets.add(geometry);
        self.scene.spawn(Node::mesh(&geometry, &self.material).with_transform(at)).unwrap()
    }

    fn add_cube(&mut self, at: Transform) -> NodeId {
        self.add(Cuboid::new(Vec3::ONE).build().unwrap(), at)
    }

    fn view(&mut self, width: u32, height: u32) -> View {
        self.scene.update().unwrap();
        self.scene.view(self.camera, (width, height)).unwrap()
    }

    /// What is seen, by a ray through the middle of each pixel.
    fn look(&mut self, width: u32, height: u32) -> (View, Picture) {
        let view = self.view(width, height);
        let mut picture = Picture::new(width, height, GROUND);
        for y in 0..height {
            for x in 0..width {
                let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let ray = view.ray_through_pixel(pixel).unwrap();
                if let Some(hit) = self.scene.pick(&ray, &Filter::default()) {
                    let place = (y * width + x) as usize;
                    picture.distances[place] = hit.distance;
                    picture.nodes[place] = Some(hit.node);
                }
            }
        }
        (view, picture)
    }

    /// Overlays on a picture without things in it.
    fn draw(&mut self, overlays: &[Overlay]) -> Picture {
        let view = self.view(64, 64);
        let mut picture = unchanged();
        draw_overlays(&mut picture, &self.scene, &view, overlays);
        picture
    }
}

fn unchanged() -> Picture {
    Picture::new(64, 64, GROUND)
}

/// The pixels that are not as they were, by column and row.
fn changed(picture: &Picture) -> BTreeSet<(u32, u32)> {
    let places = picture.pixels.iter().enumerate().filter(|(_, pixel)| **pixel != GROUND);
    let width = picture.width as usize;
    places.map(|(place, _)| ((place % width) as u32, (place / width) as u32)).collect()
}

#[test]
fn a_unit_box_seen_in_parallel_has_its_edges_at_their_pixels() {
    let mut story = Story::in_parallel();
    // Half a pixel aside, so that its edges lie in the middle of pixels.
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let square: BTreeSet<(u32, u32)> =
        (24..=40).flat_map(|place| [(24, place), (40, place), (place, 24), (place, 40)]).collect();
    let mut colors = BTreeSet::new();
    for overlay in [Overlay::Boxes, Overlay::Bvh] {
        let picture = story.draw(&[overlay]);
        assert_eq!(changed(&picture), square, "{overlay}");
        let of_lines = square.iter().map(|&(x, y)| picture.pixels[(y * 64 + x) as usize]);
        let of_lines: BTreeSet<[u8; 4]> = of_lines.collect();
        assert_eq!(of_lines.len(), 1, "{overlay}: every pixel is covered wholly");
        colors.extend(of_lines);
    }
    assert_eq!(colors.len(), 2);

    // Each side of the wireframe has a diagonal, too.
    let wireframe = changed(&story.draw(&[Overlay::Wireframe]));
    assert!(square.is_subset(&wireframe) && wireframe.len() > square.len());
    let mut inside = wireframe.difference(&square);
    assert!(inside.all(|&(x, y)| {
        let (x, y) = (x as i32 - 32, y as i32 - 32);
        (x - y).abs().min((x + y).abs()) <= 1
    }));
}

#[test]
fn lines_between_pixels_cover_both_by_half() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::IDENTITY);
    let picture = story.draw(&[Overlay::Boxes]);
    let at = |x: usize, y: usize| picture.pixels[y * 64 + x];
    assert_eq!(at(23, 32), at(24, 32));
    assert_eq!([at(22, 32), at(25, 32)], [GROUND; 2]);
    // The colour is that of a covered pixel, mixed with the ground.
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let full = story.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    for channel in 0..3 {
        let mean = (f32::from(full[channel]) + f32::from(GROUND[channel])) / 2.0;
        assert!((f32::from(at(23, 32)[channel]) - mean).abs() <= 1.0, "{full:?} {:?}", at(23, 32));
    }
}

#[test]
fn edges_are_drawn_where_a_ray_reaches_them_and_nowhere_else() {
    for camera in [Camera::default(), Camera::orthographic(4.0)] {
        let mut story = Story::seen_by(camera, Vec3::new(0.0, -4.0, 0.0));
        let turned = Quat::from_euler(EulerRot::XYZ, 0.5, 0.3, 0.7);
        story.add_cube(Transform::from_rotation(turned));
        story.add_cube(Transform::from_xyz(0.9, 1.4, 0.6).with_rotation(turned.inverse()));
        let (view, mut picture) = story.look(160, 120);
        draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Wireframe]);
        let drawn = changed(&picture);

        let (mut seen, mut hidden) = (BTreeSet::new(), 0);
        for (from, to) in edges(&story.scene) {
            for step in 0..=600 {
                let point = from.lerp(to, step as f32 / 600.0);
                let pixel = view.project_to_pixel(point).unwrap();
                let ray = view.ray_through_pixel(pixel).unwrap();
                let distance = (point - ray.origin()).length();
                let hit = story.scene.pick(&ray, &Filter::default());
                let front = hit.map_or(f32::INFINITY, |hit| hit.distance);
                if distance <= front + 1e-4 {
                    seen.insert((pixel.x as u32, pixel.y as u32));
                } else if distance > front + 0.1 {
                    hidden += 1;
                }
            }
        }
        assert!(hidden > 1000, "{hidden}");
        let near = |(x, y): (u32, u32), among: &BTreeSet<(u32, u32)>| {
            (x - 1..=x + 1).any(|x| (y - 1..=y + 1).any(|y| among.contains(&(x, y))))
        };
        for &pixel in &drawn {
            assert!(near(pixel, &seen), "{pixel:?} is drawn, but no edge is seen there");
        }
        let missing = seen.difference(&drawn).count();
        // Where an edge meets the outline of a thing, samples and pixels may disagree.
        assert!(missing * 50 < seen.len(), "{missing} of {} pixels are missing", seen.len());
    }
}

/// The edges of all meshes in the world.
fn edges(scene: &Scene) -> Vec<(Vec3, Vec3)> {
    let mut edges = Vec::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let world = scene.graph.node(node).unwrap().world();
        let geometry = &mesh.parts[0].geometry;
        let at = |vertex: u32| world.transform_point3(geometry.positions[vertex as usize]);
        for [a, b, c] in geometry.triangles() {
            edges.extend([(at(a), at(b)), (at(b), at(c)), (at(c), at(a))]);
        }
    }
    edges
}

#[test]
fn boxes_are_fainter_behind_things() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let open = story.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    let wall = Transform::from_xyz(0.0, -3.0, 0.0).with_scale(Vec3::new(3.5, 1.0, 3.5));
    let wall = story.add_cube(wall);
    let (view, mut picture) = story.look(64, 64);
    story.scene.remove(wall).unwrap();
    story.scene.update().unwrap();
    draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Boxes]);
    let behind = picture.pixels[32 * 64 + 40];
    let brightness = |pixel: [u8; 4]| u32::from(pixel[0]) + u32::from(pixel[1]);
    assert!((brightness(GROUND) + 20..brightness(open) - 20).contains(&brightness(behind)));
}

/// A cube with two joints in it, one above the other, and a node between that is none.
fn add_skinned(story: &mut Story) -> [NodeId; 2] {
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let joints = cube.positions.iter().map(|at| [u16::from(at.z > 0.0), 0, 0, 0]).collect();
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; cube.positions.len()];
    let node = story.add(cube.with_influences(joints, weights), Transform::IDENTITY);
    let scene = &mut story.scene;
    let low = scene.spawn(Node::group().at(Vec3::new(1.0 / 32.0, 0.0, -0.3))).unwrap();
    let between = scene.spawn(Node::group().under(low)).unwrap();
    let high = Node::group().under(between).at(Vec3::new(0.0, 0.0, 0.7));
    let high = scene.spawn(high).unwrap();
    let skin = Skin::bound_now(&scene.graph, vec![low, high]).unwrap();
    scene.skins.insert(&scene.graph, node, skin).unwrap();
    [low, high]
}

#[test]
fn bones_are_drawn_in_front_of_what_hides_them() {
    let mut story = Story::in_parallel();
    let joints = add_skinned(&mut story);
    let (view, mut picture) = story.look(64, 64);
    assert!(picture.distances[32 * 64 + 32] < 10.0, "the mesh is in front");
    draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Bones]);
    let drawn = changed(&picture);
    let [low, high] = joints.map(|joint| {
        let place = story.scene.graph.node(joint).unwrap().world_translation();
        view.project_to_pixel(place).unwrap()
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
fn a_joint_that_died_and_a_hidden_skin_have_no_bones() {
    let mut story = Story::in_parallel();
    let [low, high] = add_skinned(&mut story);
    story.scene.remove(high).unwrap();
    let dot = changed(&story.draw(&[Overlay::Bones]));
    assert!((9..50).contains(&dot.len()), "one dot, no bone: {}", dot.len());
    story.scene.remove(low).unwrap();
    assert_eq!(story.draw(&[Overlay::Bones]), unchanged());

    let mut story = Story::in_parallel();
    add_skinned(&mut story);
    let node = story.scene.skins.iter(&story.scene.graph).next().unwrap().0;
    story.scene.node_mut(node).unwrap().set_visible(false);
    assert_eq!(story.draw(&[Overlay::Bones]), unchanged());
}

#[test]
fn lines_go_where_vertices_are_posed() {
    let overlays = [Overlay::Wireframe, Overlay::Normals];
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.2, 1.0)];
    let shift = Vec3::new(-0.75, 0.125, -0.5);
    let triangle = |by: Vec3| {
        let corners = corners.map(|corner| corner + by);
        let mut triangle = Geometry::from_positions(corners.to_vec());
        triangle.normals = vec![Vec3::new(0.0, 0.6, 0.8); 3];
        triangle
    };
    let mut plain = Story::in_parallel();
    plain.add(triangle(shift), Transform::IDENTITY);
    let expected = plain.draw(&overlays);
    assert!(changed(&expected).len() > 40);

    let mut morphed = Story::in_parallel();
    let target = MorphTarget::from_positions(vec![shift * 2.0; 3]);
    let node = morphed.add(triangle(Vec3::ZERO).with_morph_target(target), Transform::IDENTITY);
    morphed.scene.set_weights(node, vec![0.5]).unwrap();
    assert_eq!(morphed.draw(&overlays), expected);

    let mut skinned = Story::in_parallel();
    let geometry =
        triangle(Vec3::ZERO).with_influences(vec![[0; 4]; 3], vec![[1.0, 0.0, 0.0, 0.0]; 3]);
    // Where the mesh's own node is does not matter.
    let node = skinned.add(geometry, Transform::from_xyz(9.0, 9.0, 9.0));
    let joint = skinned.scene.spawn(Node::group().at(shift)).unwrap();
    let skin = Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap();
    skinned.scene.skins.insert(&skinned.scene.graph, node, skin).unwrap();
    assert_eq!(skinned.draw(&overlays), expected);

    let mut twice = Story::in_parallel();
    twice.add(triangle(shift), Transform::IDENTITY);
    twice.add(triangle(-shift), Transform::IDENTITY);
    let expected = twice.draw(&overlays);
    let mut copied = Story::in_parallel();
    let node = copied.add(triangle(Vec3::ZERO), Transform::IDENTITY);
    let places = vec![Mat4::from_translation(shift), Mat4::from_translation(-shift)];
    let copies = Instances::new(triangle(Vec3::ZERO).bounds(), places).unwrap();
    copied.scene.mesh_mut(node).unwrap().instances = Some(Box::new(copies));
    assert_eq!(copied.draw(&overlays), expected);
}

#[test]
fn geometry_of_lines_is_in_the_wireframe() {
    let mut story = Story::in_parallel();
    let ends = vec![Vec3::new(-1.0, 0.0, -1.0 / 32.0), Vec3::new(1.0, 0.0, -1.0 / 32.0)];
    story.add(Geometry::from_positions(ends).with_mode(Mode::Lines), Transform::IDENTITY);
    let row: BTreeSet<(u32, u32)> = (16..48).map(|x| (x, 32)).collect();
    let drawn = changed(&story.draw(&[Overlay::Wireframe]));
    assert!(row.is_subset(&drawn) && drawn.iter().all(|pixel| pixel.1 == 32), "{drawn:?}");
}

#[test]
fn normals_stand_on_the_surface_and_are_as_long_as_the_mesh_is_large() {
    let mut story = Story::in_parallel();
    // A floor seen from its side: its normals go up.
    let floor = [(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
    let floor = floor.map(|(x, y)| Vec3::new(x, y, 0.0));
    let floor = Geometry::from_positions(floor.to_vec()).with_normals(vec![Vec3::Z; 3]);
    let aside = Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0);
    let node = story.add(floor, aside);
    let drawn = changed(&story.draw(&[Overlay::Normals]));
    let columns: BTreeSet<u32> = drawn.iter().map(|pixel| pixel.0).collect();
    assert_eq!(columns, BTreeSet::from([16, 32, 48]));
    let top = |drawn: BTreeSet<(u32, u32)>| drawn.iter().map(|pixel| pixel.1).min().unwrap();
    // A part of the diagonal, which is √5 metres of 16 pixels; and half a pixel at its round end.
    let expected = |scale: f32| (32.5 - 0.025 * scale * 5_f32.sqrt() * 16.0 - 0.5) as u32;
    assert_eq!(top(drawn), expected(1.0));
    let mut node = story.scene.node_mut(node).unwrap();
    node.set_transform(aside.with_scale(Vec3::new(10.0, 10.0, 3.0))).unwrap();
    let drawn = changed(&story.draw(&[Overlay::Normals]));
    assert_eq!(top(drawn), expected(10.0));
}

#[test]
fn geometry_without_normals_has_them_at_its_triangles() {
    let mut story = Story::in_parallel();
    let corners = [(-1.0, 0.0), (1.0, 0.0), (3.0 / 32.0, 1.0)];
    let corners = corners.map(|(x, y)| Vec3::new(x, y, -1.0 / 32.0));
    story.add(Geometry::from_positions(corners.to_vec()), Transform::IDENTITY);
    let drawn = changed(&story.draw(&[Overlay::Normals]));
    assert!(drawn.contains(&(32, 32)) && drawn.iter().all(|&(x, y)| x == 32 && y <= 32));
}

#[test]
fn axes_are_red_green_and_blue() {
    let mut story = Story::in_parallel();
    // What gives the scene a size of about 60 metres.
    story.add_cube(Transform::from_xyz(0.0, 40.0, 0.0).with_scale(Vec3::splat(35.0)));
    let turned = Quat::from_rotation_arc(Vec3::Y, Vec3::NEG_X);
    let place = Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0).with_rotation(turned);
    story.scene.spawn(Node::group().with_transform(place)).unwrap();
    story.scene.spawn(Node::group().at(Vec3::new(-1.0, 0.0, -1.0)).hidden()).unwrap();
    let picture = story.draw(&[Overlay::Axes]);
    let at = |x: usize, y: usize| {
        let [red, green, blue, _] = picture.pixels[y * 64 + x];
        [red, green, blue]
    };
    // Its y goes to the left, its z up, its x away. The root's x goes to the right.
    let strongest = |color: [u8; 3]| (0..3).max_by_key(|&channel| color[channel]).unwrap();
    assert_eq!([at(42, 32), at(22, 32), at(32, 22)].map(strongest), [0, 1, 2]);
    assert!([at(42, 32), at(22, 32), at(32, 22)].iter().flatten().any(|&channel| channel > 150));
    assert_eq!(at(16, 46), [10, 20, 30], "hidden nodes have no axes");
}

#[test]
fn a_label_is_legible() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::IDENTITY);
    let view = story.view(64, 64);
    let mut picture = Picture::new(64, 64, [200, 200, 200, 255]);
    let label = |_| String::from("#1");
    let overlays = Overlays::new(&[Overlay::Ids]).with_labels(&label);
    draw_overlays(&mut picture, &story.scene, &view, overlays);
    let letter = |pixel: &[u8; 4]| match pixel {
        [200, 200, 200, 255] => ' ',
        // No node is seen in this picture, so the letters are grey.
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
    assert_ne!(picture.pixels[32 * 64 + 32], [200, 200, 200, 255], "it is in the middle");
}

#[test]
fn labels_are_the_number_and_the_name_and_white_where_the_node_is_seen() {
    let mut story = Story::in_parallel();
    let node = story.add_cube(Transform::IDENTITY);
    story.scene.node_mut(node).unwrap().set_name("ab");
    let (view, seen) = story.look(64, 64);
    let draw = |label: Option<&dyn Fn(NodeId) -> String>, mut picture: Picture| {
        let overlays = Overlays::new(&[Overlay::Ids]);
        let overlays = label.map_or(overlays, |label| overlays.with_labels(label));
        draw_overlays(&mut picture, &story.scene, &view, overlays);
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
fn labels_do_not_lie_on_each_other_and_stay_in_the_picture() {
    let label = |_| String::from("abc");
    let labelled = |count: usize, at: Vec3| {
        let mut story = Story::in_parallel();
        for _ in 0..count {
            story.add_cube(Transform::from_translation(at));
        }
        let view = story.view(64, 64);
        let mut picture = unchanged();
        let overlays = Overlays::new(&[Overlay::Ids]).with_labels(&label);
        draw_overlays(&mut picture, &story.scene, &view, overlays);
        changed(&picture).len()
    };
    let area = 21 * 11;
    assert_eq!(labelled(1, Vec3::ZERO), area);
    assert_eq!(labelled(2, Vec3::ZERO), 2 * area);
    assert_eq!(labelled(50, Vec3::ZERO) % area, 0, "as many as there is room for");
    for corner in [Vec3::new(1.99, 0.0, 1.99), Vec3::new(-1.99, 0.0, -1.99)] {
        assert_eq!(labelled(1, corner), area, "moved in from the edge");
    }
    assert_eq!(labelled(1, Vec3::new(2.1, 0.0, 0.0)), 0, "its middle is not in the picture");
}

#[test]
fn nothing_is_drawn_when_nothing_is_in_view() {
    for (mut story, away) in [
        (Story::in_parallel(), Vec3::new(0.0, 30.0, 0.0)),
        (Story::in_perspective(), Vec3::new(0.0, 30.0, 0.0)),
        (Story::in_parallel(), Vec3::new(50.0, 0.0, 0.0)),
    ] {
        add_skinned(&mut story);
        story.add_cube(Transform::IDENTITY);
        assert_ne!(story.draw(&Overlay::ALL), unchanged());
        let mut camera = story.scene.graph.node_mut(story.camera).unwrap();
        let at = camera.view().translation();
        camera.set_translation(at + away).unwrap();
        assert_eq!(story.draw(&Overlay::ALL), unchanged());
    }
    let mut empty = Story::in_parallel();
    let overlays = Overlay::ALL.into_iter().filter(|overlay| *overlay != Overlay::Axes);
    assert_eq!(empty.draw(&overlays.collect::<Vec<_>>()), unchanged());
    let mut something = Story::in_parallel();
    something.add_cube(Transform::IDENTITY);
    assert_eq!(something.draw(&[]), unchanged());
}

#[test]
fn distances_and_nodes_stay_and_any_size_will_do() {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (7, 3), (64, 64), (300, 2)] {
        let mut story = Story::in_perspective();
        add_skinned(&mut story);
        story.add_cube(Transform::from_xyz(0.3, 0.0, 0.2));
        let (view, before) = story.look(width, height);
        let mut after = before.clone();
        draw_overlays(&mut after, &story.scene, &view, &Overlay::ALL);
        assert_ne!(after.pixels, before.pixels);
        assert_eq!(after.pixels.len(), (width * height) as usize);
        assert_eq!((after.distances, after.nodes), (before.distances, before.nodes));
    }
    let mut story = Story::in_perspective();
    story.add_cube(Transform::IDENTITY);
    let view = story.view(64, 64);
    for broken in [
        Picture::new(0, 0, GROUND),
        Picture::new(0, 9, GROUND),
        Picture { width: 65, ..unchanged() },
        Picture { distances: Vec::new(), ..unchanged() },
        Picture { nodes: Vec::new(), ..unchanged() },
    ] {
        let mut picture = broken.clone();
        draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL);
        assert_eq!(picture, broken);
    }
}

#[test]
fn lines_are_thicker_in_large_pictures() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::IDENTITY);
    // How much of a column the upper and the lower edge of the box cover, in pixels.
    let mut covered = |height: u32| {
        let view = story.view(8, height);
        let mut picture = Picture::new(8, height, [0, 0, 0, 255]);
        draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Boxes]);
        let column = picture.pixels.iter().skip(4).step_by(8);
        let sum: u32 = column.map(|pixel| u32::from(pixel[0])).sum();
        sum / 255
    };
    assert_eq!([720, 1440, 1442, 2880, 2884].map(&mut covered), [2, 2, 4, 4, 6]);
}

#[test]
fn threads_do_not_matter() {
    let mut story = Story::in_perspective();
    add_skinned(&mut story);
    for place in 0..300 {
        let at = Vec3::new((place % 17) as f32, (place % 23) as f32, (place % 7) as f32) * 0.4;
        let turn = Quat::from_rotation_z(place as f32);
        story.add_cube(Transform::from_translation(at - 2.0).with_rotation(turn));
    }
    let (view, before) = story.look(64, 64);
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut picture = before.clone();
        pool.install(|| draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL));
        picture
    };
    let alone = draw(1);
    assert_ne!(alone, before);
    for threads in [2, 3, 8] {
        assert!(draw(threads) == alone, "{threads} threads");
    }
}

#[test]
fn hostile_scenes_are_borne() {
    let mut story = Story::in_perspective();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::splat(f32::NAN), Vec3::splat(3e38)];
    let broken = Geometry::from_triangles(corners, vec![0, 1, 2, 0, 1, 3, 0, 1, 4_000_000_000]);
    story.add(broken.with_normals(vec![Vec3::NAN, Vec3::ZERO]), Transform::IDENTITY);
    story.add(Geometry::default(), Transform::IDENTITY);
    for scale in [0.0, 1e-30, 1e19, 1e30] {
        story.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(scale)));
        story.add_cube(Transform::from_xyz(scale, scale, -scale));
    }
    let node = story.scene.spawn(Node::group().named("\u{1b}[2J\n木\u{0}")).unwrap();
    story.scene.meshes.insert(&story.scene.graph, node, Mesh::of_parts(Vec::new())).unwrap();
    let node = story.add_cube(Transform::IDENTITY);
    story.scene.node_mut(node).unwrap().set_name(&"x".repeat(100_000));
    story.scene.set_weights(node, vec![f32::NAN, f32::INFINITY]).unwrap();
    add_skinned(&mut story);

    let odd = Mat4::from_cols_array_2d(&[
        [1.0, 0.1, 0.0, 0.0],
        [0.0, 1.0, 0.2, 0.1],
        [0.0, 0.0, -1.0, -1.0],
        [0.3, 0.0, -0.2, 0.5],
    ]);
    let cameras = [
        Camera::default(),
        Camera::default().with_depth(1e-30, f32::INFINITY),
        Camera::default().with_clip(ClipSpace::ZeroToOneReversed),
        Camera::orthographic(1e30).with_depth(-1e30, 1e30),
        Camera::orthographic(1e-6),
        Camera::custom(odd, ClipSpace::ZeroToOne),
    ];
    let mut views = 0;
    for camera in cameras {
        *story.scene.camera_mut(story.camera).unwrap() = camera;
        // Within the cubes, and outside.
        for at in [Vec3::ZERO, Vec3::new(0.0, -5.0, 0.0), Vec3::splat(1e20)] {
            story.scene.node_mut(story.camera).unwrap().set_translation(at).unwrap();
            story.scene.update().unwrap();
            let Ok(view) = story.scene.view(story.camera, (64, 64)) else { continue };
            views += 1;
            let mut picture = unchanged();
            picture.distances.fill(f32::NAN);
            draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL);
            assert!(picture.pixels.iter().all(|pixel| pixel[3] == 255));
        }
    }
    assert!(views >= 10, "{views}");
}

#[test]
fn rays_that_do_not_begin_at_the_camera_hide_what_they_meet() {
    let shifted = Mat4::from_cols_array_2d(&[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.002, -1.0],
        [0.0, 0.0, 2.0, 3.0],
    ]);
    let camera = Camera::custom(shifted, ClipSpace::ZeroToOne);
    let mut story = Story::seen_by(camera, Vec3::new(0.0, -6.0, 0.0));
    story.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(4.0)));
    let (view, before) = story.look(64, 64);
    let ray = view.ray_through_pixel(Vec2::splat(32.0)).unwrap();
    assert!((ray.origin() - view.position).length() > 0.5, "{}", ray.origin());
    let mut picture = before.clone();
    draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Wireframe]);
    let drawn = changed(&picture);
    let met = before.distances.iter().filter(|distance| distance.is_finite()).count();
    assert!(met > 300 && drawn.len() > 40, "{} of {met}", drawn.len());
    // The front is seen with its diagonal; no edge of the back is, which looks smaller.
    let back = view.project_to_pixel(Vec3::new(2.0, 2.0, 0.0)).unwrap();
    let front = view.project_to_pixel(Vec3::new(2.0, -2.0, 0.0)).unwrap();
    assert!(front.x > back.x + 3.0);
    let beside = |x: f32, y: u32| drawn.contains(&(x as u32, y));
    let rows = 28..30;
    assert!(rows.clone().all(|y| beside(front.x, y)), "{front} {drawn:?}");
    assert!(rows.clone().all(|y| !beside(back.x, y)), "{back} {drawn:?}");
}

#[test]
fn overlays_have_names() {
    for overlay in Overlay::ALL {
        assert_eq!(overlay.name().parse(), Ok(overlay));
        assert_eq!(overlay.to_string(), overlay.name());
    }
    let error = "bone".parse::<Overlay>().unwrap_err().to_string();
    assert!(error.contains("\"bone\"") && error.contains("bones, "), "{error}");
}
