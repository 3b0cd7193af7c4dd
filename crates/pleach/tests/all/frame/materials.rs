//! Materials selected by face or by vertex: one draw for each, cached with the geometry.

use std::collections::BTreeSet;

use pleach::glam::Vec3;
use pleach::shapes::Sphere;
use pleach::{
    AlphaMode, Camera, Draw, Geometry, Handle, Material, Mesh, Node, RenderList, Scene, Topology,
    View, Visible,
};
use testkit::{Rng, allocations};

use crate::common::material;

fn build(scene: &mut Scene, list: &mut RenderList) {
    scene.update().unwrap();
    let view = View::new(&Camera::default(), Camera::default_transform(), 1.5).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    list.build(scene, &visible, &view);
}

fn draws(list: &RenderList) -> Vec<Draw> {
    list.opaque().iter().chain(list.transparent()).cloned().collect()
}

/// Every triangle is in exactly one draw, and that draw has its material.
#[track_caller]
fn assert_split(scene: &Scene, mesh: &Mesh, list: &RenderList) {
    let part = &mesh.parts[0];
    let geometry = part.geometry.get();
    let groups = geometry.material_groups().unwrap();
    let mut expected: Vec<_> = geometry
        .triangles()
        .enumerate()
        .map(|(triangle, corners)| {
            let material = geometry.face_material(triangle) as usize;
            (corners, mesh.materials.get(material).unwrap_or(&part.material).id())
        })
        .collect();
    let mut found = Vec::new();
    for draw in draws(list) {
        let range = draw.group.clone().expect("a range");
        let corners = &groups.indices()[range.start as usize..range.end as usize];
        found.extend(corners.chunks(3).map(|it| ([it[0], it[1], it[2]], draw.material)));
    }
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(scene.check().is_empty(), "{:?}", scene.check());
}

#[test]
fn m102_materials_by_face_and_by_vertex_reach_the_render_list() {
    let mut random = Rng::from_env(102);
    let mut scene = Scene::new();
    let own = material(&scene.assets);
    let materials: Vec<Handle<Material>> = (0..4).map(|_| material(&scene.assets)).collect();
    let sphere = Sphere::new(1.0).build().unwrap();
    let strip = Geometry::from_positions((0..40).map(|_| random.vec3(1.0)).collect())
        .with_topology(Topology::TriangleStrip);
    for geometry in [sphere, strip] {
        let faces = geometry.triangle_count();
        let by_face: Vec<u32> = (0..faces).map(|_| random.below(4) as u32).collect();
        let by_vertex = (0..geometry.positions.len()).map(|_| random.below(3) as u32).collect();
        let cases = [
            geometry.clone().with_face_materials(by_face),
            geometry.clone().with_vertex_materials(by_vertex),
        ];
        for (geometry, count) in cases.into_iter().zip([4, 3]) {
            geometry.check().unwrap();
            assert_eq!(geometry.material_count(), count);
            let mut mesh = Mesh::new(scene.assets.add(geometry), own.clone());
            mesh.materials = materials.clone();
            let node = scene.spawn(Node::group().with_mesh(mesh.clone())).unwrap();
            let mut list = RenderList::new();
            build(&mut scene, &mut list);
            let used: BTreeSet<_> = draws(&list).iter().map(|draw| draw.material).collect();
            assert_eq!((draws(&list).len(), used.len()), (count, count));
            assert_split(&scene, &mesh, &list);
            scene.remove(node).unwrap();
        }
    }
}

#[test]
fn m102_each_material_decides_whether_its_draw_is_transparent() {
    let mut scene = Scene::new();
    let own = material(&scene.assets);
    let glass = Material { alpha_mode: AlphaMode::Blend, ..Material::default() };
    let materials = vec![material(&scene.assets), scene.assets.add(glass)];
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].to_vec();
    let roof = Geometry::from_triangles(corners, vec![0, 1, 2, 0, 2, 3]);
    let roof = scene.assets.add(roof.with_face_materials(vec![1, 0]));
    let mut mesh = Mesh::new(roof, own.clone());
    mesh.materials = materials.clone();
    mesh.is_static = true;
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    let mut list = RenderList::new();
    build(&mut scene, &mut list);
    assert_eq!(list.opaque()[0].material, materials[0].id());
    assert_eq!(list.transparent()[0].material, materials[1].id());
    let version = list.static_version();

    // Out of range: a problem, and the part's own material.
    scene.mesh_mut(node).unwrap().materials.truncate(1);
    build(&mut scene, &mut list);
    assert_ne!(list.static_version(), version);
    let used: Vec<_> = draws(&list).iter().map(|draw| draw.material).collect();
    assert_eq!(used, [own.id(), materials[0].id()]);
    assert_eq!(scene.check().len(), 1);

    // Without material indices the first material is used; without a list the part's own.
    let plain = scene.assets.add(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    scene.mesh_mut(node).unwrap().parts[0].geometry = plain;
    build(&mut scene, &mut list);
    assert_eq!((list.opaque()[0].material, &list.opaque()[0].group), (materials[0].id(), &None));
    scene.mesh_mut(node).unwrap().materials.clear();
    build(&mut scene, &mut list);
    assert_eq!(list.opaque()[0].material, own.id());
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn m102_splitting_by_material_does_not_allocate_in_every_frame() {
    let mut scene = Scene::new();
    let own = material(&scene.assets);
    let sphere = Sphere::new(1.0).build().unwrap();
    let faces = (0..sphere.triangle_count() as u32).map(|face| face % 5).collect();
    let mut mesh = Mesh::new(scene.assets.add(sphere.with_face_materials(faces)), own.clone());
    mesh.materials = (0..5).map(|_| material(&scene.assets)).collect();
    scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    let view = View::new(&Camera::default(), Camera::default_transform(), 1.5).unwrap();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    scene.cull(&view, &mut visible);
    list.build(&scene, &visible, &view);
    let (count, ()) = allocations::count(|| list.build(&scene, &visible, &view));
    assert_eq!((count, list.opaque().len()), (0, 5));
}
