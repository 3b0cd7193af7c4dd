//! Meshes: vertex colours, materials by face, normals that are not there, layers, visibility and
//! levels of detail.

use crate::common::{Table, assert_near, at, plain, rough, srgb, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane};
use pleach::{Camera, Geometry, Level, Lod, Material, Mesh, Node, RenderList, Topology, Visible};

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];

#[test]
fn colours_of_vertices_are_mixed_between_them_and_multiplied_with_the_base() {
    let mut table = Table::new();
    // Black on the left, white on the right.
    let plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    let colors = plane.positions.iter().map(|at| {
        let part = at.x / 4.0 + 0.5;
        Vec4::new(part, part, part, 1.0)
    });
    let colors = colors.collect();
    table.put(plane.with_colors(colors), Vec3::ZERO, unlit(Vec4::new(1.0, 0.5, 0.0, 1.0)));
    let picture = table.picture();
    for column in 16..48 {
        let part = (column as f64 + 0.5 - 16.0) / 32.0;
        let [r, g, b, _] = picture.pixels[20 * 64 + column];
        assert_near(r, srgb(part), &format!("red of column {column}"));
        assert_near(g, srgb(part * 0.5), &format!("green of column {column}"));
        assert_eq!(b, 0);
    }
}

#[test]
fn faces_choose_from_the_palette_of_their_mesh() {
    let mut table = Table::new();
    let plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    let assets = table.scene.assets.clone();
    let [red, green, blue] =
        [Vec4::X, Vec4::Y, Vec4::Z].map(|color| assets.add(unlit(color + Vec4::W)));
    // The lower left triangle is the first.
    let chosen = |faces: Vec<u32>| {
        let mut mesh =
            Mesh::new(assets.add(plane.clone().with_face_materials(faces)), blue.clone());
        mesh.materials = vec![red.clone(), green.clone()];
        let node = table.scene.spawn(Node::group().with_mesh(mesh)).unwrap();
        let picture = table.picture();
        table.scene.remove(node).unwrap();
        [at(&picture, -1.0, -1.0), at(&picture, 1.0, 1.0)]
    };
    let mut chosen = chosen;
    assert_eq!(chosen(vec![0, 1]), [RED, GREEN]);
    assert_eq!(chosen(vec![1, 0]), [GREEN, RED]);
    assert_eq!(chosen(vec![]), [RED, RED]);
    // Beyond the palette: the part's own.
    assert_eq!(chosen(vec![9, 0]), [[0, 0, 255, 255], RED]);
}

#[test]
fn without_normals_or_with_useless_ones_each_triangle_is_flat() {
    let lit = |change: &dyn Fn(&mut Geometry)| {
        let mut table = Table::new();
        let mut cube = Cuboid::new(Vec3::splat(2.0)).build().unwrap();
        change(&mut cube);
        table.put(cube, Vec3::ZERO, Material::from_color(Vec4::ONE * 0.5));
        table.sun();
        table.picture()
    };
    let usual = lit(&|_| {});
    assert_near(at(&usual, 0.0, 0.0)[0], srgb(rough(0.5, 1.0)), "the top");
    assert_eq!(lit(&|cube| cube.normals.clear()), usual);
    assert_eq!(lit(&|cube| cube.normals.fill(Vec3::ZERO)), usual);
    assert_eq!(lit(&|cube| cube.normals.fill(Vec3::NAN)), usual);
    assert_eq!(lit(&|cube| cube.normals.truncate(3)), usual);
    // Of another length they still tell the direction.
    assert_eq!(lit(&|cube| cube.normals.iter_mut().for_each(|it| *it *= 1e-30)), usual);
}

#[test]
fn what_a_view_does_not_show_is_not_in_its_picture() {
    let mut table = Table::new();
    let plane = table.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(Vec4::ONE));
    let seen = |table: &mut Table| table.picture().nodes.contains(&Some(plane));
    assert!(seen(&mut table));
    table.scene.mesh_mut(plane).unwrap().layers = 4;
    assert!(seen(&mut table), "a camera sees all layers");
    table.scene.camera_mut(table.camera).unwrap().layers = 3;
    assert!(!seen(&mut table));
    table.scene.mesh_mut(plane).unwrap().layers = 6;
    assert!(seen(&mut table));
    table.scene.node_mut(plane).unwrap().set_visible(false);
    assert!(!seen(&mut table));
    table.scene.node_mut(plane).unwrap().set_visible(true);
    table.scene.graph.detach(plane).unwrap();
    assert!(!seen(&mut table));
}

#[test]
fn levels_of_detail_are_those_of_the_render_list() {
    let mut table = Table::new();
    let camera = Camera::perspective(0.8, 4.0 / 3.0);
    table.scene.cameras.insert(&table.scene.graph, table.camera, camera).unwrap();
    let levels = [Vec4::X, Vec4::Y, Vec4::Z]
        .map(|color| table.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(color + Vec4::W)));
    let lod = Lod {
        levels: levels
            .into_iter()
            .zip([0.5, 0.2, 0.05])
            .map(|(node, down_to)| Level { node, min_screen_size: down_to })
            .collect(),
    };
    let of = table.scene.spawn(Node::group()).unwrap();
    table.scene.lods.insert(&table.scene.graph, of, lod).unwrap();
    let mut chosen = Vec::new();
    for height in [3.0, 5.0, 9.0, 14.0, 30.0, 200.0] {
        let up = Vec3::new(0.0, 0.0, height);
        table.scene.node_mut(table.camera).unwrap().set_translation(up).unwrap();
        let picture = table.picture();
        let view = table.scene.view(table.camera, (64, 48)).unwrap();
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        table.scene.cull(&view, &mut visible);
        list.build(&table.scene, &visible, &view);
        let drawn: Vec<_> = list.opaque().iter().map(|draw| draw.node).collect();
        let seen: Vec<_> =
            levels.into_iter().filter(|it| picture.nodes.contains(&Some(*it))).collect();
        assert_eq!(seen, drawn, "{height} up");
        chosen.extend(drawn);
    }
    chosen.dedup();
    assert_eq!(chosen, levels, "all were chosen once");
}

#[test]
fn all_modes_of_triangles_show_the_same() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)].map(|it| it * 2.0);
    let shown = |geometry: Geometry| {
        let mut table = Table::new();
        table.put(geometry, Vec3::ZERO, unlit(Vec4::ONE));
        table.picture_with(plain()).pixels
    };
    let list = shown(Geometry::from_triangles(corners.to_vec(), vec![0, 1, 2, 2, 1, 3]));
    assert_eq!(list.iter().filter(|pixel| **pixel == [255; 4]).count(), 16 * 16);
    let strip = Geometry::from_positions(corners.to_vec()).with_topology(Topology::TriangleStrip);
    assert_eq!(shown(strip), list);
    let fan = [corners[0], corners[1], corners[3], corners[2]];
    assert_eq!(
        shown(Geometry::from_positions(fan.to_vec()).with_topology(Topology::TriangleFan)),
        list
    );
}
