//! Patches of scenes as files: another machine follows edit by edit, what does not fit is rejected as a
//! whole, and hostile bytes are errors.

use pleach::component::Component;
use pleach::geometry::VertexData;
use pleach::glam::Vec3;
use pleach::light::Background;
use pleach::undo::ScenePatch;
use pleach::{Error, Image, Light, Material, Mesh, Node, NodeId, Scene};
use pleach_format::{AssetMap, ErrorKind, Options};
use serde::{Deserialize, Serialize};
use testkit::{Effort, Rng};

use crate::common::compare::{assert_same_content, assert_same_nodes_updated};
use crate::common::random_scene::{
    RandomAssets, add_component, add_environment_map, geometry, material, mesh, number,
    random_scene, transform,
};
use crate::hostile::{mutate, mutated_text, within_limits};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Health {
    points: u32,
    friend: Option<NodeId>,
}

impl Component for Health {
    const NAME: &'static str = "health";
}

pub(crate) fn options() -> Options {
    Options::new().component::<Health>()
}

/// Edits something about a scene: nodes, rows of any kind, assets, environment and name.
pub(crate) fn random_edit(scene: &mut Scene, assets: &mut RandomAssets, rng: &mut Rng) {
    let nodes: Vec<NodeId> = scene.graph.depth_first().collect();
    let node = rng.pick(&nodes);
    match rng.below(22) {
        0 => _ = scene.graph.add_child(node, transform(rng)).unwrap(),
        1 => _ = scene.spawn(Node::group().under(node).with(mesh(rng, assets))).unwrap(),
        2 if node != scene.root() => _ = scene.remove(node).unwrap(),
        3 if node != scene.root() => _ = scene.graph.remove(node).unwrap(),
        4 if node != scene.root() => _ = scene.graph.attach(node, rng.pick(&nodes)),
        5 => _ = scene.node_mut(node).unwrap().set_transform(transform(rng)).unwrap(),
        6 => _ = scene.node_mut(node).unwrap().set_name(rng.pick(&["", "a", "ä🌳"])),
        7 => _ = scene.node_mut(node).unwrap().set_visible(rng.one_in(2)),
        8 | 9 => _ = scene.insert(node, mesh(rng, assets)).unwrap(),
        10 => add_component(scene, rng, node, &nodes),
        11 => _ = scene.meshes.remove(node),
        12 => scene.lights.rows_mut().for_each(|(_, light)| light.color *= 0.5),
        13 => scene.meshes.rows_mut().take(2).for_each(|(_, mesh)| mesh.layers ^= 1),
        14 => {
            let health = Health { points: rng.next_u32(), friend: rng.choose(&nodes).copied() };
            scene.insert(node, health).unwrap();
        }
        15 => _ = scene.table_mut::<Health>().remove(node),
        16 => {
            let value = material(rng, &assets.images);
            if rng.one_in(2) {
                rng.choose(&assets.materials).unwrap().set(value);
            } else {
                assets.materials.push(scene.assets.add(value));
            }
        }
        17 => {
            let shared = VertexData::shared(vec![rng.vec3(1.0); 5]);
            let value = geometry(rng, &shared);
            if rng.one_in(2) {
                rng.choose(&assets.geometries).unwrap().set(value);
            } else {
                assets.geometries.push(scene.assets.add(value));
            }
        }
        18 => rng.choose(&assets.geometries).unwrap().edit(|geometry| {
            geometry.positions.iter_mut().for_each(|position| position.x += 1.0);
        }),
        19 => {
            let image = Image::from_uri(format!("{}.png", rng.below(9)));
            if rng.one_in(2) {
                rng.choose(&assets.images).unwrap().set(image);
            } else {
                assets.images[rng.below(3)] = scene.assets.add(image);
            }
        }
        20 => {
            scene.environment.background = Some(Background::Color(Vec3::splat(number(rng))));
            scene.environment.map = None;
            add_environment_map(scene, &mut Rng::new(rng.state()));
        }
        21 => scene.name = format!("scene {}", rng.below(9)),
        _ => {}
    }
}

fn record(scene: &mut Scene, assets: &mut RandomAssets, rng: &mut Rng) -> ScenePatch {
    let edit = |scene: &mut Scene| {
        (0..rng.below(12)).for_each(|_| random_edit(scene, assets, rng));
        Ok::<_, Error>(())
    };
    scene.transact("Edit", edit).unwrap().1
}

/// Returns the scene of a snapshot, without the rows of removed nodes that an update would drop.
pub(crate) fn copy_of(scene: &Scene) -> Scene {
    options().from_bytes(&options().to_bytes(scene, &[]).unwrap()).unwrap().scene
}

/// A scene, a map of its assets, and the same on another machine.
fn two_machines(rng: &mut Rng, size: usize) -> [(Scene, AssetMap); 2] {
    let mut scene = random_scene(rng, size);
    scene.register::<Health>();
    let mut scene = copy_of(&scene);
    if rng.one_in(2) {
        // Revisions are part of a snapshot.
        scene.transact("Begin", |_| Ok::<_, Error>(())).unwrap();
    }
    let copy = copy_of(&scene);
    [scene, copy].map(|scene| {
        let map = AssetMap::of_scene(&scene);
        (scene, map)
    })
}

#[test]
fn another_machine_follows_and_undoes_every_patch() {
    let mut rng = Rng::from_env(1);
    for _ in 0..Effort::pick(100, 5_000) {
        let [(mut scene, mut map), (mut copy, mut copy_map)] = two_machines(&mut rng, 20);
        let mut assets = RandomAssets::new(&scene, &mut rng);
        for _ in 0..5 {
            let before = scene.clone();
            let patch = record(&mut scene, &mut assets, &mut rng);
            let mut second = map.clone();
            let bytes = options().scene_patch_to_bytes(&patch, &mut map).unwrap();
            let text = options().scene_patch_to_json(&patch, &mut second).unwrap();
            // Both forms are the same patch; a patch can be read again.
            let mut text_map = copy_map.clone();
            let of_text = options().scene_patch_from_json(&text, &copy, &mut text_map).unwrap();
            let mut read = options().scene_patch_from_bytes(&bytes, &copy, &mut copy_map).unwrap();
            let again = options().scene_patch_from_bytes(&bytes, &copy, &mut copy_map).unwrap();
            assert!(again.rows().eq(read.rows()) && again.assets().eq(read.assets()));
            assert!(of_text.rows().eq(read.rows()) && of_text.graph() == read.graph());
            assert_eq!((map.len(), copy_map.len()), (copy_map.len(), text_map.len()));

            if rng.one_in(2) {
                (copy_map, read) = (text_map, of_text);
            }
            copy.apply(&read).unwrap();
            assert_same_content(&scene, &copy);
            assert_eq!(scene.graph.revision(), copy.graph.revision());
            if rng.one_in(2) {
                copy.revert(&read).unwrap();
                scene.revert(&patch).unwrap();
                assert_same_content(&scene, &copy);
                assert_same_content_but_assets(&before, &copy);
                copy.apply(&read).unwrap();
                scene.apply(&patch).unwrap();
            }
        }
        assert_same_nodes_updated(&mut scene, &mut copy);
    }
}

/// Compares what does not depend on assets, which the clone shares with its original.
fn assert_same_content_but_assets(a: &Scene, b: &Scene) {
    assert!(a.graph.depth_first().eq(b.graph.depth_first()));
    let nodes = |scene: &Scene| {
        let table = scene.table::<Health>().iter(&scene.graph);
        table.map(|(node, health)| (node, health.clone())).collect::<Vec<_>>()
    };
    assert_eq!((nodes(a), &a.name), (nodes(b), &b.name));
}

/// A scene with a lamp, a machine that is to follow, and a patch of it.
fn lamp() -> (Scene, NodeId, [Vec<u8>; 2]) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(pleach::Geometry::from_positions(vec![Vec3::ZERO; 3]));
    let wood = scene.assets.add(Material::default());
    let lamp = scene.spawn(Node::mesh(&cube, &wood)).unwrap();
    let copy = pleach_format::from_bytes(&pleach_format::to_bytes(&scene).unwrap()).unwrap();
    let mut map = AssetMap::of_scene(&scene);
    let mut step = |edit: &dyn Fn(&mut Scene) -> Result<(), Error>| {
        let (_, patch) = scene.transact("Edit", edit).unwrap();
        options().scene_patch_to_bytes(&patch, &mut map).unwrap()
    };
    let first = step(&|scene| {
        let glass = scene.assets.add(Material::default());
        scene.insert(lamp, Mesh::new(cube.clone(), glass))?;
        scene.insert(lamp, Light::point(Vec3::ONE, 1.0)).map(drop)
    });
    let second = step(&|scene| {
        wood.edit(|material| material.roughness = 0.5);
        scene.insert(lamp, Light::point(Vec3::ONE, 2.0)).map(drop)
    });
    (copy, lamp, [first, second])
}

#[test]
fn patches_of_other_scenes_and_in_another_order_are_rejected() {
    let (mut scene, lamp, [first, second]) = lamp();
    let mut map = AssetMap::of_scene(&scene);
    let before = pleach_format::to_bytes(&scene).unwrap();
    let mut read = |bytes: &[u8], scene: &Scene| {
        let len = map.len();
        let result = options().scene_patch_from_bytes(bytes, scene, &mut map);
        assert!(result.is_ok() || map.len() == len, "the map changed");
        result
    };
    let kind = |result: Result<ScenePatch, pleach_format::Error>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Patch, "{error}");
        error.to_string()
    };
    assert!(kind(read(&second, &scene)).contains("in order"));
    assert!(kind(read(&first, &Scene::named("other"))).contains("another graph"));
    assert!(pleach_format::to_bytes(&scene).unwrap() == before);

    let patch = read(&first, &scene).unwrap();
    scene.apply(&patch).unwrap();
    assert!(kind(read(&first, &scene)).contains("patches are applied once"));
    assert!(matches!(scene.apply(&patch), Err(Error::Patch(_))));
    let patch = read(&second, &scene).unwrap();
    scene.apply(&patch).unwrap();
    assert_eq!(scene.light(lamp).unwrap().intensity, 2.0);

    // The numbers of another map would be those of other assets.
    scene.revert(&patch).unwrap();
    let mut other = AssetMap::default();
    let result = options().scene_patch_from_bytes(&second, &scene, &mut other);
    assert!(kind(result).contains("the map has 0"));
}

#[test]
fn patches_of_a_copy_that_was_given_other_values_are_rejected() {
    let (scene, lamp, _) = lamp();
    let health = |points| Health { points, friend: None };
    type Edit<'a> = Box<dyn Fn(&mut Scene, u16) -> Result<(), Error> + 'a>;
    let edits: [Edit<'_>; 4] = [
        Box::new(|scene, value| {
            scene.insert(lamp, Light::point(Vec3::ONE, value.into())).map(drop)
        }),
        Box::new(|scene, value| {
            let wood = &scene.mesh(lamp).unwrap().parts[0].material;
            wood.edit(|material| material.roughness = 1.0 / f32::from(value));
            Ok(())
        }),
        Box::new(|scene, value| {
            scene.environment.background = Some(Background::Color(Vec3::splat(value.into())));
            Ok(())
        }),
        Box::new(|scene, value| scene.insert(lamp, health(value.into())).map(drop)),
    ];
    for (index, edit) in edits.iter().enumerate() {
        let [mut two, mut three] = [(); 2].map(|()| copy_of(&scene));
        two.transact("Set", |scene| edit(scene, 2)).unwrap();
        three.transact("Set", |scene| edit(scene, 3)).unwrap();
        let mut map = AssetMap::of_scene(&two);
        let (_, next) = two.transact("Next", |scene| scene.spawn(Node::group())).unwrap();
        let bytes = options().scene_patch_to_bytes(&next, &mut map).unwrap();
        let mut map = AssetMap::of_scene(&three);
        let error = options().scene_patch_from_bytes(&bytes, &three, &mut map).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Patch, "{index}: {error}");
        assert!(matches!(three.apply(&next), Err(Error::Patch(_))), "{index}");
    }
}

#[test]
fn rows_that_are_not_as_expected_are_rejected() {
    let (mut scene, lamp, [first, second]) = lamp();
    let mut map = AssetMap::of_scene(&scene);
    // Later edits outside of transactions do not change the lineage.
    scene.transact("Begin", |_| Ok::<_, Error>(())).unwrap();
    scene.insert(lamp, Light::point(Vec3::ONE, 9.0)).unwrap();
    let error = options().scene_patch_from_bytes(&first, &scene, &mut map).unwrap_err();
    assert!(error.to_string().contains("has a light that the patch inserts"), "{error}");
    scene.lights.remove(lamp);
    let patch = options().scene_patch_from_bytes(&first, &scene, &mut map).unwrap();
    scene.apply(&patch).unwrap();
    scene.lights.remove(lamp);
    let error = options().scene_patch_from_bytes(&second, &scene, &mut map).unwrap_err();
    assert!(error.to_string().contains("has no light"), "{error}");
}

#[test]
fn newer_versions_other_kinds_and_not_registered_components_are_named() {
    let mut scene = Scene::new();
    let root = scene.root();
    let copy = scene.clone();
    let health = Health { points: 1, friend: None };
    let (_, patch) = scene.transact("Edit", |scene| scene.insert(root, health)).unwrap();
    let map = || AssetMap::of_scene(&copy);
    let error = Options::new().scene_patch_to_bytes(&patch, &mut map()).unwrap_err();
    assert!(error.to_string().contains("kind \"health\", which is not registered"), "{error}");
    let mut bytes = options().scene_patch_to_bytes(&patch, &mut map()).unwrap();
    let read =
        |options: Options, bytes: &[u8]| options.scene_patch_from_bytes(bytes, &copy, &mut map());
    let error = read(Options::new(), &bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Component);
    let skipped = read(Options::new().skip_component("health"), &bytes).unwrap();
    assert_eq!(skipped.rows().count(), 0);
    let error = pleach_format::patch_from_bytes(&bytes, &copy.graph).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotPleach);
    bytes[8] = 2;
    assert_eq!(read(options(), &bytes).unwrap_err().kind(), ErrorKind::Version);
}

#[test]
fn own_kinds_of_assets_cannot_be_written() {
    struct Sound;
    impl pleach::asset::Asset for Sound {
        const KIND: pleach::asset::AssetKind = pleach::asset::AssetKind::Other("sound");
        type Derived = ();
    }
    let mut scene = Scene::new();
    let horn = scene.assets.add(Sound);
    let edit = |_: &mut Scene| {
        horn.set(Sound);
        Ok::<_, Error>(())
    };
    let (_, patch) = scene.transact("Edit", edit).unwrap();
    let error = options().scene_patch_to_bytes(&patch, &mut AssetMap::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn values_that_an_edit_of_an_asset_leaves_are_written_once() {
    let mut scene = Scene::new();
    let rock = scene.assets.add(pleach::Geometry {
        positions: (0..1000).map(|i| Vec3::splat(i as f32)).collect(),
        normals: vec![Vec3::Z; 1000].into(),
        ..pleach::Geometry::default()
    });
    let wood = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&rock, &wood)).unwrap();
    let mut map = AssetMap::of_scene(&scene);
    let edit = |_: &mut Scene| {
        rock.edit(|rock| rock.normals.fill(Vec3::X));
        Ok::<_, Error>(())
    };
    let (_, patch) = scene.transact("Edit", edit).unwrap();
    let bytes = options().scene_patch_to_bytes(&patch, &mut map).unwrap();
    // Positions once, normals twice.
    assert!((36_000..36_500).contains(&bytes.len()), "{}", bytes.len());
}

#[test]
fn hostile_patches_of_scenes_are_errors_or_do_not_fit() {
    let mut rng = Rng::from_env(2);
    let unverified = options().without_checksums();
    let (rounds, mutations) = Effort::pick((50, 400), (1_000, 10_000));
    let (mut read, mut applied, mut rejected) = (0, 0, 0);
    for _ in 0..rounds {
        let size = rng.pick(&[2, 10, 20]);
        let [(mut scene, mut map), (copy, copy_map)] = two_machines(&mut rng, size);
        let mut assets = RandomAssets::new(&scene, &mut rng);
        let patch = record(&mut scene, &mut assets, &mut rng);
        let original = options().scene_patch_to_bytes(&patch, &mut map).unwrap();
        for length in (0..original.len()).step_by(Effort::pick(31, 1)) {
            let truncated = &original[..length];
            let result = unverified.scene_patch_from_bytes(truncated, &copy, &mut copy_map.clone());
            assert!(result.unwrap_err().offset().is_some(), "{length}");
        }
        let before = options().to_bytes(&copy, &[]).unwrap();
        for _ in 0..mutations {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut rng);
            let mut map = copy_map.clone();
            let read_patch = || unverified.scene_patch_from_bytes(&bytes, &copy, &mut map);
            let Ok(patch) = within_limits(&bytes, read_patch) else {
                assert_eq!(map.len(), copy_map.len(), "the map changed");
                continue;
            };
            read += 1;
            if rng.one_in(8) {
                let mut copy = unverified.from_bytes(&before).unwrap().scene;
                // Assets of another registry; what is in the rows does not matter here.
                if copy.apply(&patch).is_ok() {
                    applied += 1;
                    assert_eq!(copy.graph.check(), []);
                    _ = copy.update();
                    // The places of removed nodes may be wrong, which is found then.
                    let applied = options().to_bytes(&copy, &[]);
                    if copy.revert(&patch).is_err() {
                        rejected += 1;
                        assert!(options().to_bytes(&copy, &[]) == applied, "it changed the scene");
                    }
                } else {
                    assert!(options().to_bytes(&copy, &[]).unwrap() == before);
                }
                assert_eq!(copy.graph.check(), []);
            }
        }
        assert!(options().to_bytes(&copy, &[]).unwrap() == before, "reading changed the scene");
    }
    let mutated = rounds * mutations;
    println!(
        "{read} of {mutated} mutated patches were read, {applied} applied, {rejected} not undone"
    );
    assert!(read > 0 && applied > 0);
}

#[test]
fn mutated_json_of_a_patch_of_a_scene_is_an_error_or_does_not_fit() {
    let mut rng = Rng::from_env(3);
    let (rounds, mutations) = Effort::pick((30, 100), (300, 2_000));
    let (mut read, mut applied) = (0, 0);
    for _ in 0..rounds {
        let [(mut scene, mut map), (copy, copy_map)] = two_machines(&mut rng, 5);
        let mut assets = RandomAssets::new(&scene, &mut rng);
        let patch = record(&mut scene, &mut assets, &mut rng);
        let text = options().scene_patch_to_json(&patch, &mut map).unwrap();
        let before = options().to_bytes(&copy, &[]).unwrap();
        for _ in 0..mutations {
            let text = mutated_text(&text, &mut rng);
            let mut map = copy_map.clone();
            let read_patch = || options().scene_patch_from_json(&text, &copy, &mut map);
            let Ok(patch) = within_limits(text.as_bytes(), read_patch) else {
                assert_eq!(map.len(), copy_map.len(), "the map changed");
                continue;
            };
            read += 1;
            if rng.one_in(4) {
                let mut copy = options().from_bytes(&before).unwrap().scene;
                if copy.apply(&patch).is_ok() {
                    applied += 1;
                    _ = copy.update();
                } else {
                    assert!(options().to_bytes(&copy, &[]).unwrap() == before);
                }
                assert_eq!(copy.graph.check(), []);
            }
        }
        assert!(options().to_bytes(&copy, &[]).unwrap() == before, "reading changed the scene");
    }
    println!("{read} of {} mutated texts were read, {applied} applied", rounds * mutations);
    assert!(read > 0 && applied > 0);
}

#[test]
fn an_unknown_variant_names_the_version_that_wrote_it() {
    let mut scene = Scene::new();
    let root = scene.root();
    let copy = scene.clone();
    let lamp = Light::point(Vec3::ONE, 1.0);
    let (_, patch) = scene.transact("Edit", |scene| scene.insert(root, lamp)).unwrap();
    let mut bytes = options().scene_patch_to_bytes(&patch, &mut AssetMap::default()).unwrap();
    bytes[12] = 7;
    let section = bytes.windows(4).position(|tag| tag == b"LGHT").unwrap();
    assert_eq!(bytes[section + 17], 0, "the number of `Insert`");
    bytes[section + 17] = 3;
    let read = options().without_checksums();
    let error = read.scene_patch_from_bytes(&bytes, &copy, &mut AssetMap::default()).unwrap_err();
    assert!(error.offset().is_some());
    assert!(error.to_string().contains("written by pleach-format 7.1.0"), "{error}");

    let text = options().scene_patch_to_json(&patch, &mut AssetMap::default()).unwrap();
    let text = text.replace("{\"insert\":", "{\"place\":");
    let error =
        options().scene_patch_from_json(&text, &copy, &mut AssetMap::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Version);
    assert!(error.to_string().contains("written by \"pleach-format 0.1.0\""), "{error}");
}
