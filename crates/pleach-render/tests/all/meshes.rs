//! Meshes: vertex colours, materials per face, missing normals, layers, visibility and levels of
//! detail.

use crate::common::{Fixture, assert_near, at, exact_settings, rough_reflection, srgb, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane};
use pleach::{Camera, Geometry, Level, Lod, Material, Mesh, Node, RenderList, Topology, Visible};

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];

#[test]
fn vertex_colours_are_interpolated_and_multiplied_with_the_base_colour() {
    let mut fixture = Fixture::new();
    // Black on the left, white on the right.
    let plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    let colors = plane.positions.iter().map(|at| {
        let part = at.x / 4.0 + 0.5;
        Vec4::new(part, part, part, 1.0)
    });
    let colors = colors.collect();
    fixture.put(plane.with_colors(colors), Vec3::ZERO, unlit(Vec4::new(1.0, 0.5, 0.0, 1.0)));
    let picture = fixture.picture();
    for column in 16..48 {
        let part = (column as f64 + 0.5 - 16.0) / 32.0;
        let [r, g, b, _] = picture.pixels[20 * 64 + column];
        assert_near(r, srgb(part), &format!("red of column {column}"));
        assert_near(g, srgb(part * 0.5), &format!("green of column {column}"));
        assert_eq!(b, 0);
    }
}

#[test]
fn faces_select_from_the_materials_of_their_mesh() {
    let mut fixture = Fixture::new();
    let plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    let assets = fixture.scene.assets.clone();
    let [red, green, blue] =
        [Vec4::X, Vec4::Y, Vec4::Z].map(|color| assets.add(unlit(color + Vec4::W)));
    // The lower left triangle is the first.
    let chosen = |faces: Vec<u32>| {
        let mut mesh =
            Mesh::new(assets.add(plane.clone().with_face_materials(faces)), blue.clone());
        mesh.materials = vec![red.clone(), green.clone()];
        let node = fixture.scene.spawn(Node::group().with_mesh(mesh)).unwrap();
        let picture = fixture.picture();
        fixture.scene.remove(node).unwrap();
        [at(&picture, -1.0, -1.0), at(&picture, 1.0, 1.0)]
    };
    let mut chosen = chosen;
    assert_eq!(chosen(vec![0, 1]), [RED, GREEN]);
    assert_eq!(chosen(vec![1, 0]), [GREEN, RED]);
    assert_eq!(chosen(vec![]), [RED, RED]);
    // Out of range: the part's own material.
    assert_eq!(chosen(vec![9, 0]), [[0, 0, 255, 255], RED]);
}

/// The picture shows the materials that the render list's draws have.
#[test]
fn m102_vertices_select_from_the_materials_of_their_mesh() {
    let mut fixture = Fixture::new();
    let plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    let firsts: Vec<u32> = plane.triangles().map(|[first, ..]| first).collect();
    let assets = fixture.scene.assets.clone();
    let [red, green, blue] =
        [Vec4::X, Vec4::Y, Vec4::Z].map(|color| assets.add(unlit(color + Vec4::W)));
    // Both triangles begin at different vertices, so that each has its own material.
    let mut indices = plane.indices.clone().unwrap();
    if firsts[0] == firsts[1] {
        indices[3..6].rotate_left(1);
    }
    let mut vertices = vec![9; plane.positions.len()];
    (vertices[indices[0] as usize], vertices[indices[3] as usize]) = (1, 0);
    let plane = plane.with_indices(indices).with_vertex_materials(vertices.clone());
    for materials in [vec![red.clone(), green.clone()], vec![red.clone()]] {
        let mut mesh = Mesh::new(assets.add(plane.clone()), blue.clone());
        mesh.materials = materials.clone();
        let node = fixture.scene.spawn(Node::group().with_mesh(mesh)).unwrap();
        let picture = fixture.picture();
        fixture.scene.remove(node).unwrap();
        // The second one is out of range the second time: the part's own material.
        let first = if materials.len() == 2 { GREEN } else { [0, 0, 255, 255] };
        assert_eq!([at(&picture, -1.0, -1.0), at(&picture, 1.0, 1.0)], [first, RED]);
    }
}

#[test]
fn missing_or_invalid_normals_give_flat_shading() {
    let lit = |change: &dyn Fn(&mut Geometry)| {
        let mut fixture = Fixture::new();
        let mut cube = Cuboid::new(Vec3::splat(2.0)).build().unwrap();
        change(&mut cube);
        fixture.put(cube, Vec3::ZERO, Material::from_color(Vec4::ONE * 0.5));
        fixture.sun();
        fixture.picture()
    };
    let usual = lit(&|_| {});
    assert_near(at(&usual, 0.0, 0.0)[0], srgb(rough_reflection(0.5, 1.0)), "the top");
    assert_eq!(lit(&|cube| cube.normals.clear()), usual);
    assert_eq!(lit(&|cube| cube.normals.fill(Vec3::ZERO)), usual);
    assert_eq!(lit(&|cube| cube.normals.fill(Vec3::NAN)), usual);
    assert_eq!(lit(&|cube| cube.normals.truncate(3)), usual);
    // Their length is irrelevant.
    assert_eq!(lit(&|cube| cube.normals.iter_mut().for_each(|it| *it *= 1e-30)), usual);
}

#[test]
fn meshes_that_are_hidden_detached_or_on_other_layers_are_not_drawn() {
    let mut fixture = Fixture::new();
    let plane = fixture.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(Vec4::ONE));
    let seen = |fixture: &mut Fixture| fixture.picture().nodes.contains(&Some(plane));
    assert!(seen(&mut fixture));
    fixture.scene.mesh_mut(plane).unwrap().layers = 4;
    assert!(seen(&mut fixture), "a camera sees all layers");
    fixture.scene.camera_mut(fixture.camera).unwrap().layers = 3;
    assert!(!seen(&mut fixture));
    fixture.scene.mesh_mut(plane).unwrap().layers = 6;
    assert!(seen(&mut fixture));
    fixture.scene.node_mut(plane).unwrap().set_visible(false);
    assert!(!seen(&mut fixture));
    fixture.scene.node_mut(plane).unwrap().set_visible(true);
    fixture.scene.graph.detach(plane).unwrap();
    assert!(!seen(&mut fixture));
}

#[test]
fn levels_of_detail_match_the_render_list() {
    let mut fixture = Fixture::new();
    let camera = Camera::perspective(0.8).with_aspect(4.0 / 3.0);
    fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
    let levels = [Vec4::X, Vec4::Y, Vec4::Z]
        .map(|color| fixture.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(color + Vec4::W)));
    let lod = Lod {
        levels: levels
            .into_iter()
            .zip([0.5, 0.2, 0.05])
            .map(|(node, min_size)| Level { node, min_screen_size: min_size })
            .collect(),
    };
    let of = fixture.scene.spawn(Node::group()).unwrap();
    fixture.scene.lods.insert(&fixture.scene.graph, of, lod).unwrap();
    let mut chosen = Vec::new();
    for height in [3.0, 5.0, 9.0, 14.0, 30.0, 200.0] {
        let up = Vec3::new(0.0, 0.0, height);
        fixture.scene.node_mut(fixture.camera).unwrap().set_translation(up).unwrap();
        let picture = fixture.picture();
        let view = fixture.scene.view(fixture.camera, (64, 48)).unwrap();
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        fixture.scene.cull(&view, &mut visible);
        list.build(&fixture.scene, &visible, &view);
        let drawn: Vec<_> = list.opaque().iter().map(|draw| draw.node).collect();
        let seen: Vec<_> =
            levels.into_iter().filter(|it| picture.nodes.contains(&Some(*it))).collect();
        assert_eq!(seen, drawn, "height {height}");
        chosen.extend(drawn);
    }
    chosen.dedup();
    assert_eq!(chosen, levels, "each level was selected once");
}

#[test]
fn all_triangle_topologies_give_the_same_picture() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)].map(|it| it * 2.0);
    let shown = |geometry: Geometry| {
        let mut fixture = Fixture::new();
        fixture.put(geometry, Vec3::ZERO, unlit(Vec4::ONE));
        fixture.picture_with(exact_settings()).pixels
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
