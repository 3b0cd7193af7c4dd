//! Assets and a history: what counts towards its limit, and edits that it does not know.

use pleach::geometry::Instances;
use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::light::EnvironmentMap;
use pleach::material::{Image, TextureRef};
use pleach::{Aabb, Error, Geometry, History, Light, Material, Mesh, Node, NodeId, Scene};

use super::{Health, state};
use crate::common::{material, spawn_cube};

/// A scene with a mesh of 100 000 bytes of vertices and a material with an image of 40 000 bytes.
fn scene() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let rock = scene.assets.add(Geometry::from_positions(vec![Vec3::ZERO; 100_000 / 12]));
    let image = scene.assets.add(Image::from_rgba8(100, 100, vec![0; 40_000]).unwrap());
    let texture = Some(TextureRef::new(image));
    let paint = scene.assets.add(Material { base_color_texture: texture, ..Material::default() });
    let node = scene.spawn(Node::mesh(&rock, &paint)).unwrap();
    (scene, node)
}

/// Returns the size of the patch of an edit, in bytes.
fn bytes_of(scene: &mut Scene, edit: impl FnOnce(&mut Scene) -> Result<(), Error>) -> usize {
    let (_, patch) = scene.transact("Edit", edit).unwrap();
    patch.byte_size()
}

#[test]
fn assets_of_removed_and_replaced_rows_count_once() {
    let (mut scene, node) = scene();
    let bytes = bytes_of(&mut scene, |scene| scene.remove(node).map(drop));
    assert!((140_000..145_000).contains(&bytes), "{bytes}");

    // Two meshes that share their assets.
    let (mut scene, node) = self::scene();
    let mesh = scene.mesh(node).unwrap().clone();
    let other = scene.spawn(Node::group().with(mesh)).unwrap();
    let bytes = bytes_of(&mut scene, |scene| {
        scene.remove(node)?;
        scene.remove(other).map(drop)
    });
    assert!((140_000..145_000).contains(&bytes), "{bytes}");

    // A row that still uses them does not keep them alive.
    let (mut scene, node) = self::scene();
    let bytes = bytes_of(&mut scene, |scene| {
        scene.mesh_mut(node).unwrap().layers = 4;
        Ok(())
    });
    assert!(bytes < 5_000, "{bytes}");
    let bytes = bytes_of(&mut scene, |scene| {
        let paint = scene.assets.add(Material::default());
        scene.mesh_mut(node).unwrap().parts[0].material = paint;
        Ok(())
    });
    assert!((40_000..45_000).contains(&bytes), "{bytes}");
    let bytes = bytes_of(&mut scene, |scene| {
        let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
        geometry.set(Geometry::default());
        scene.remove(node).map(drop)
    });
    assert!((100_000..105_000).contains(&bytes), "{bytes}: it is not counted twice");
}

#[test]
fn the_image_of_an_environment_map_and_that_of_a_replaced_texture_count() {
    let mut scene = Scene::new();
    let sky = scene.assets.add(Image::from_rgba8(100, 100, vec![0; 40_000]).unwrap());
    scene.environment.map = Some(EnvironmentMap::image(&sky));
    let bytes = bytes_of(&mut scene, |scene| {
        scene.environment.map = None;
        Ok(())
    });
    assert!((40_000..45_000).contains(&bytes), "{bytes}");

    let (mut scene, node) = self::scene();
    let paint = scene.mesh(node).unwrap().parts[0].material.clone();
    let bytes = bytes_of(&mut scene, |_| {
        paint.edit(|paint| paint.base_color_texture = None);
        Ok(())
    });
    assert!((40_000..45_000).contains(&bytes), "{bytes}");
}

#[test]
fn instances_count() {
    let (mut scene, node) = scene();
    let instances = Instances::new(Aabb::EMPTY, vec![Mat4::IDENTITY; 1_000]).unwrap();
    let mesh = scene.mesh(node).unwrap().clone();
    let mesh = Mesh { instances: Some(Box::new(instances)), ..mesh };
    let bytes = bytes_of(&mut scene, |scene| scene.insert(node, mesh).map(drop));
    assert!(bytes > 64_000, "{bytes}");
}

#[test]
fn a_limit_in_bytes_drops_steps_that_keep_large_assets() {
    let mut history = History::with_limit(300_000);
    let (mut scene, first) = scene();
    let add = |scene: &mut Scene| {
        let rock = scene.assets.add(Geometry::from_positions(vec![Vec3::ZERO; 100_000 / 12]));
        scene.spawn(Node::mesh(&rock, &material(&scene.assets))).unwrap()
    };
    let nodes = [first, add(&mut scene), add(&mut scene), add(&mut scene)];
    for node in nodes {
        history.transact(&mut scene, "Delete", |scene| scene.remove(node)).unwrap();
        assert!(history.byte_size() <= history.limit());
    }
    assert_eq!(history.undo_labels().len(), 2);
}

#[test]
fn a_borrow_that_changes_nothing_makes_no_step() {
    let mut scene = Scene::new();
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.insert(cube, Light::point(Vec3::ONE, 0.0)).unwrap();
    let mut history = History::new();
    history.transact(&mut scene, "Add", |scene| scene.spawn(Node::group())).unwrap();
    history.undo(&mut scene).unwrap();
    let revision = scene.graph.revision();
    let edit = |scene: &mut Scene| {
        assert!(scene.mesh_mut(cube).is_some());
        scene.lights.rows_mut().for_each(|(_, light)| light.intensity *= 2.0);
        let light = *scene.light(cube).unwrap();
        scene.insert(cube, light)?;
        let transform = scene.node(cube)?.transform();
        scene.node_mut(cube)?.set_transform(transform)?;
        scene.set_transforms(&[cube], &[transform])?;
        let environment = scene.environment.clone();
        scene.environment = environment;
        Ok::<_, Error>(())
    };
    history.transact(&mut scene, "Nothing", edit).unwrap();
    assert_eq!((history.undo_label(), history.redo_label()), (None, Some("Add")));
    assert!(!history.is_modified());
    assert_eq!(scene.graph.revision(), revision);

    // Other bits are another value.
    let negate = |scene: &mut Scene| {
        scene.light_mut(cube).unwrap().intensity = -0.0;
        scene.environment.ambient.intensity = -0.0;
        Ok::<_, Error>(())
    };
    history.transact(&mut scene, "Negate", negate).unwrap();
    assert_eq!(history.undo_label(), Some("Negate"));
    history.undo(&mut scene).unwrap();
    assert_eq!(scene.light(cube).unwrap().intensity.to_bits(), 0);
    assert_eq!(scene.environment.ambient.intensity.to_bits(), 0);

    // Of a kind without content it is not known.
    scene.insert(cube, Health(1)).unwrap();
    let borrow = |scene: &mut Scene| {
        assert!(scene.get_mut::<Health>(cube).is_some());
        Ok::<_, Error>(())
    };
    history.transact(&mut scene, "Borrow", borrow).unwrap();
    assert_eq!(history.undo_label(), Some("Borrow"));
}

#[test]
fn merged_edits_that_return_to_the_value_before_are_dropped() {
    let mut scene = Scene::new();
    let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    let mut set = |intensity: f32| {
        let edit = |scene: &mut Scene| {
            scene.light_mut(lamp).unwrap().intensity = intensity;
            Ok::<_, Error>(())
        };
        scene.transact("Slide", edit).unwrap().1
    };
    let (mut patch, next) = (set(2.0), set(1.0));
    assert!(patch.append(&next) && patch.is_empty(), "{patch:?}");
}

#[test]
fn an_edit_of_an_asset_that_a_step_does_not_know_is_not_lost() {
    let mut scene = Scene::new();
    let cube = spawn_cube(&mut scene, Vec3::X);
    let red = scene.mesh(cube).unwrap().parts[0].material.clone();
    let mut history = History::new();
    let paint = |scene: &mut Scene| {
        red.edit(|red| red.base_color = Vec4::splat(0.5));
        scene.node_mut(cube)?.set_translation(Vec3::Y)?;
        Ok::<_, Error>(())
    };
    history.transact(&mut scene, "Paint", paint).unwrap();

    // A clone shares the asset.
    let mut clone = scene.clone();
    let mut history_of_clone = History::new();
    let roughen = |_: &mut Scene| {
        red.edit(|red| red.roughness = 0.25);
        Ok::<_, Error>(())
    };
    history_of_clone.transact(&mut clone, "Roughen", roughen).unwrap();
    let before = state(&scene);
    let error = history.undo(&mut scene).unwrap_err();
    assert!(matches!(error, Error::AssetEdit(_)));
    let message = format!("material {} has version 3, but the patch expects", red.id());
    assert!(error.to_string().contains(&message), "{error}");
    assert_eq!((state(&scene), red.get().roughness), (before, 0.25), "nothing changed");

    history_of_clone.undo(&mut clone).unwrap();
    assert_eq!(history.undo(&mut scene), Ok(Some("Paint")));
    assert_eq!(red.version(), 1);
    // The value counts, not the number of its version.
    let value = red.get().value().clone();
    red.set(value);
    assert_eq!(history.redo(&mut scene), Ok(Some("Paint")));
    // Outside of transactions.
    red.edit(|red| red.metallic = 0.75);
    assert!(history.undo(&mut scene).is_err());
    assert_eq!((history.undo_label(), red.get().metallic), (Some("Paint"), 0.75));
}
