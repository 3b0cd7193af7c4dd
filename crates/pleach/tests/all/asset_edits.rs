//! Edits of shared assets: bounds, culling, picking and the render list follow, in all scenes.

use pleach::glam::{Vec3, Vec4};
use pleach::{
    AlphaMode, Asset, AssetKind, Assets, Camera, Component, Filter, Geometry, Handle, Image,
    Material, Mesh, MorphTarget, Node, NodeId, Ray, RenderList, Scene, TextureRef, Visible, shapes,
};
use testkit::allocations::Tally;

use crate::common::character::arm;
use crate::common::{cube, material, spawn_cube};

const RED: Vec4 = Vec4::new(1.0, 0.0, 0.0, 1.0);

fn scale(geometry: &Handle<Geometry>, factor: f32) {
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| *at *= factor));
}

fn world_max(scene: &Scene, node: NodeId) -> Vec3 {
    scene.spatial.world_bounds(node).unwrap().max
}

/// Returns what a ray along -Z hits at this x and y.
fn pick(scene: &mut Scene, x: f32, y: f32) -> Option<NodeId> {
    let ray = Ray::new(Vec3::new(x, y, 50.0), Vec3::NEG_Z).unwrap();
    scene.pick(&ray, &Filter::default()).map(|hit| hit.node)
}

/// Returns the draws of a view from above, as (opaque, transparent).
fn draws(scene: &mut Scene, camera: NodeId, list: &mut RenderList) -> (Vec<NodeId>, Vec<NodeId>) {
    scene.update().unwrap();
    let view = scene.view(camera, (640, 480)).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    list.build(scene, &visible, &view);
    let nodes = |draws: &[pleach::Draw]| draws.iter().map(|draw| draw.node).collect();
    (nodes(list.opaque()), nodes(list.transparent()))
}

fn camera_above(scene: &mut Scene) -> NodeId {
    let camera = Node::camera(Camera::orthographic(20.0)).at(Vec3::Z * 20.0);
    scene.spawn(camera).unwrap()
}

#[test]
fn d_shared_geometry_edit_moves_bounds_and_picks_of_all_users_in_all_scenes() {
    let (mut one, mut two) = (Scene::new(), Scene::new());
    let (cube, paint) = (cube(&one.assets, 1.0), material(&one.assets));
    let [a, b] = [0.0, 10.0].map(|x| one.spawn(Node::mesh(&cube, &paint).at(Vec3::X * x)).unwrap());
    let c = two.spawn(Node::mesh(&cube, &paint).at(Vec3::Y * 10.0)).unwrap();
    let other = spawn_cube(&mut two, Vec3::Z * 3.0);
    one.update().unwrap();
    two.update().unwrap();
    assert_eq!((pick(&mut one, 11.5, 0.0), pick(&mut two, 1.5, 10.0)), (None, None));
    let id = cube.id();

    scale(&cube, 4.0);
    assert_eq!(world_max(&one, a), Vec3::splat(0.5), "as of the last update");
    assert_eq!(one.update().unwrap().bounds, 2);
    assert_eq!(world_max(&one, a), Vec3::splat(2.0));
    assert_eq!(world_max(&one, b), Vec3::new(12.0, 2.0, 2.0));
    assert_eq!((pick(&mut one, 11.5, 0.0), pick(&mut one, 1.5, 0.0)), (Some(b), Some(a)));
    assert_eq!(two.update().unwrap().bounds, 1, "only the mesh that uses it");
    assert_eq!(world_max(&two, c), Vec3::new(2.0, 12.0, 2.0));
    assert_eq!(pick(&mut two, 1.5, 10.0), Some(c));
    assert_eq!(world_max(&two, other).z, 3.5);
    assert_eq!((cube.id(), cube.version()), (id, 2));

    // Nothing is computed again without another edit.
    assert_eq!((one.update().unwrap().bounds, two.update().unwrap().bounds), (0, 0));
    scale(&cube, 0.25);
    one.update().unwrap();
    assert_eq!((pick(&mut one, 11.5, 0.0), world_max(&one, a)), (None, Vec3::splat(0.5)));
}

#[test]
fn d_shared_geometry_edit_is_culled_by_its_new_bounds() {
    let mut scene = Scene::new();
    let camera = camera_above(&mut scene);
    let node = spawn_cube(&mut scene, Vec3::X * 100.0);
    let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
    let mut list = RenderList::new();
    assert_eq!(draws(&mut scene, camera, &mut list).0, []);
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| at.x -= 100.0));
    assert_eq!(draws(&mut scene, camera, &mut list).0, [node]);
    // Without vertices there is nothing to draw.
    geometry.set(Geometry::default());
    assert_eq!(draws(&mut scene, camera, &mut list).0, []);
    geometry.set(shapes::Cuboid::new(Vec3::splat(300.0)).build().unwrap());
    assert_eq!(draws(&mut scene, camera, &mut list).0, [node]);
}

#[test]
fn d_shared_geometry_edit_moves_the_bounds_and_posed_triangles_of_skins() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.update().unwrap();
    let geometry = scene.mesh(arm.node).unwrap().parts[0].geometry.clone();
    let before = scene.spatial.world_bounds(arm.node).unwrap();
    let center = before.center();
    let across = |scene: &mut Scene, x: f32| {
        let ray = Ray::new(Vec3::new(x, 500.0, center.z + 0.01), Vec3::NEG_Y).unwrap();
        scene.pick(&ray, &Filter::default()).is_some()
    };
    assert!(across(&mut scene, center.x + 0.01));
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| at.x += 50.0));
    scene.update().unwrap();
    let after = scene.spatial.world_bounds(arm.node).unwrap();
    assert!((after.center().x - center.x - 50.0).abs() < 0.01, "{before:?} {after:?}");
    assert!(!across(&mut scene, center.x + 0.01) && across(&mut scene, center.x + 50.01));
}

#[test]
fn d_shared_geometry_edit_moves_morphed_triangles() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
    let vertices = geometry.get().positions.len();
    let target = |by: f32| MorphTarget::from_positions(vec![Vec3::X * by; vertices]);
    geometry.edit(|it| it.morph_targets.push(target(10.0)));
    scene.set_weights(node, vec![1.0]).unwrap();
    scene.update().unwrap();
    assert_eq!(
        (pick(&mut scene, 10.1, 0.2), world_max(&scene, node).x.round()),
        (Some(node), 11.0)
    );
    geometry.edit(|it| it.morph_targets[0] = target(20.0));
    scene.update().unwrap();
    assert_eq!((pick(&mut scene, 10.1, 0.2), pick(&mut scene, 20.1, 0.2)), (None, Some(node)));
    assert_eq!(world_max(&scene, node).x.round(), 21.0);
}

#[test]
fn d_shared_material_edit_moves_draws_between_opaque_and_transparent() {
    let mut scene = Scene::new();
    let camera = camera_above(&mut scene);
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let paint = scene.mesh(node).unwrap().parts[0].material.clone();
    scene.mesh_mut(node).unwrap().is_static = true;
    let mut list = RenderList::new();
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![node], vec![]));
    let version = list.static_version();
    paint.edit(|it| it.alpha_mode = AlphaMode::Blend);
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![], vec![node]));
    assert_ne!(list.static_version(), version);
    let draw = list.transparent()[0].clone();
    assert_eq!(scene.assets.get::<Material>(draw.material), Some(paint.clone()));
    assert!(scene.assets.get::<Geometry>(draw.geometry).is_some());
    paint.edit(|it| it.alpha_mode = AlphaMode::Opaque);
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![node], vec![]));
}

#[test]
fn d_shared_material_edit_paints_a_hundred_crates_by_one_call() {
    let mut scene = Scene::new();
    let (cube, wood) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let iron = material(&scene.assets);
    let crates: Vec<NodeId> = (0..100)
        .map(|i| scene.spawn(Node::mesh(&cube, &wood).at(Vec3::X * i as f32)).unwrap())
        .collect();
    let safe = scene.spawn(Node::mesh(&cube, &iron)).unwrap();
    let mut reader = scene.assets.change_reader();
    scene.update().unwrap();

    wood.edit(|it| it.base_color = RED);
    let color = |node| scene.mesh(node).unwrap().parts[0].material.get().base_color;
    assert!(crates.iter().all(|&node| color(node) == RED));
    assert_eq!(color(safe), Vec4::ONE);
    let changes = reader.read();
    let edited: Vec<_> = changes.edited().iter().map(|it| (it.id, it.kind, it.version)).collect();
    assert_eq!(edited, [(wood.id(), AssetKind::Material, 2)]);
    assert!(changes.unused().is_empty());
}

/// Returns the registries of a level and of the prefabs, the clone of a textured prefab in the
/// level, and its handles.
fn cloned_prefab() -> (Scene, Scene, NodeId, Handle<Geometry>, Handle<Material>, Handle<Image>) {
    let mut prefabs = Scene::new();
    let image = prefabs.assets.add(Image::from_uri("wood.png"));
    let texture = Some(TextureRef::new(image.clone()));
    let paint = Material { base_color_texture: texture, ..Material::default() };
    let (cube, paint) = (cube(&prefabs.assets, 1.0), prefabs.assets.add(paint));
    let prefab = prefabs.spawn(Node::mesh(&cube, &paint)).unwrap();
    let mut level = Scene::new();
    let clone = level.clone_subtree_from(&prefabs, prefab, None).unwrap().root();
    (prefabs, level, clone, cube, paint, image)
}

#[test]
fn d_draw_of_a_prefab_from_another_scene_is_resolved_by_the_levels_registry() {
    let (_prefabs, mut level, clone, cube, paint, image) = cloned_prefab();
    let camera = camera_above(&mut level);
    let mut list = RenderList::new();
    assert_eq!(draws(&mut level, camera, &mut list).0, [clone]);
    let draw = &list.opaque()[0];
    assert_eq!(level.assets.get::<Geometry>(draw.geometry), Some(cube));
    assert_eq!(level.assets.get::<Material>(draw.material), Some(paint));
    assert_eq!(level.assets.get::<Image>(image.id()), Some(image));
}

#[test]
fn d_edit_of_a_prefabs_material_is_reported_once_to_the_reader_of_the_level() {
    let (prefabs, mut level, clone, cube, paint, image) = cloned_prefab();
    let (mut reader, mut theirs) = (level.assets.change_reader(), prefabs.assets.change_reader());
    level.clone_subtree(clone, None).unwrap();
    level
        .clone_subtree_from(&prefabs, prefabs.children(prefabs.root()).next().unwrap(), None)
        .unwrap();
    level.update().unwrap();
    paint.edit(|material| material.base_color = RED);
    image.set(Image::from_uri("iron.png"));
    for reader in [&mut reader, &mut theirs] {
        let edited: Vec<_> =
            reader.read().edited().iter().map(|edit| (edit.id, edit.version)).collect();
        assert_eq!(edited, [(image.id(), 2), (paint.id(), 2)]);
        assert!(reader.read().edited().is_empty());
    }
    // The last handles are those of the level.
    let ids = [image.id(), cube.id(), paint.id()];
    drop((prefabs, cube, paint, image));
    assert!(reader.read().unused().is_empty());
    drop(level);
    for reader in [&mut reader, &mut theirs] {
        let mut unused: Vec<_> = reader.read().unused().iter().map(|asset| asset.id).collect();
        unused.sort_unstable();
        let mut ids = ids;
        ids.sort_unstable();
        assert_eq!(unused, ids);
    }
}

#[test]
fn d_registry_knows_foreign_assets_of_spawned_inserted_and_changed_meshes() {
    let library = Assets::new();
    let paint = || material(&library);
    let mut scene = Scene::new();
    let own = cube(&scene.assets, 1.0);
    let [spawned, inserted, by_table, by_edit] = [(); 4].map(|()| paint());
    scene.spawn(Node::mesh(&own, &spawned)).unwrap();
    assert!(scene.assets.contains(spawned.id()));
    let [a, b] = [(); 2].map(|()| scene.spawn(Node::group()).unwrap());
    scene.insert(a, Mesh::new(own.clone(), inserted.clone())).unwrap();
    assert!(scene.assets.contains(inserted.id()));
    scene.meshes.insert(&scene.graph, b, Mesh::new(own, by_table.clone())).unwrap();
    scene.update().unwrap();
    assert!(scene.assets.contains(by_table.id()));
    scene.mesh_mut(b).unwrap().materials = vec![by_edit.clone()];
    scene.update().unwrap();
    assert!(scene.assets.contains(by_edit.id()));
    assert!(!library.contains(scene.mesh(a).unwrap().parts[0].geometry.id()));
}

/// An own kind of component with an own kind of asset is treated like a mesh.
#[test]
fn d_asset_of_an_own_component_is_known_after_cloning_it_from_another_scene() {
    struct Sound;

    impl Asset for Sound {
        const KIND: AssetKind = AssetKind::Other("sound");
        type Derived = ();
    }

    #[derive(Clone)]
    struct Plays(Handle<Sound>);

    impl Component for Plays {
        const NAME: &'static str = "plays";

        fn include_assets(&self, assets: &Assets) {
            assets.include(&self.0);
        }
    }

    let (mut prefabs, mut level) = (Scene::new(), Scene::new());
    let horn = prefabs.assets.add(Sound);
    let prefab = prefabs.spawn(Node::group().with(Plays(horn.clone()))).unwrap();
    level.clone_subtree_from(&prefabs, prefab, None).unwrap();
    assert_eq!(level.assets.get(horn.id()), Some(horn));
}

#[test]
fn d_asset_does_not_keep_the_registries_of_dropped_scenes() {
    let library = Assets::new();
    let paint = material(&library);
    let level = || assert!(Assets::untracked().include(&paint));
    for _ in 0..10 {
        level();
    }
    let before = Tally::now().live;
    for _ in 0..1000 {
        level();
    }
    assert_eq!(Tally::now().live, before);
    paint.edit(|material| material.roughness = 0.5);
}

#[test]
fn d_threads_include_edit_and_drop_an_asset_at_once() {
    let library = Assets::new();
    let paint = material(&library);
    let levels: Vec<_> = (0..4).map(|_| Assets::new()).collect();
    let mut readers: Vec<_> = levels.iter().map(Assets::change_reader).collect();
    std::thread::scope(|scope| {
        for level in &levels {
            let paint = paint.clone();
            scope.spawn(move || {
                for _ in 0..50 {
                    level.include(&paint);
                    paint.edit(|material| material.roughness *= 0.5);
                    assert_eq!(level.get(paint.id()).as_ref(), Some(&paint));
                }
            });
        }
    });
    let (id, version) = (paint.id(), paint.version());
    assert_eq!(version, 201);
    for reader in &mut readers {
        let changes = reader.read();
        assert_eq!((changes.edited().len(), changes.edited()[0].version), (1, version));
    }
    drop(paint);
    for (level, reader) in levels.iter().zip(&mut readers) {
        assert_eq!(reader.read().unused()[0].id, id);
        assert!(!level.contains(id));
    }
}
