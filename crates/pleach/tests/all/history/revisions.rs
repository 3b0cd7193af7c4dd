//! Revisions: they depend on everything that was edited, so that a patch fits one state of one scene.

use pleach::camera::Camera;
use pleach::component::{Bounds, Constraint, Level, Lod, Mesh, MorphWeights, Skin};
use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::light::{Background, EnvironmentMap};
use pleach::material::{Image, TextureRef};
use pleach::undo::PatchError;
use pleach::{Aabb, Error, Light, Material, Node, NodeId, Scene};

use super::{Health, state};
use crate::common::spawn_cube;

type Edit = (&'static str, fn(&mut Scene, NodeId, f32) -> Result<(), Error>);

/// Edits by a value, of everything that a patch of a scene has.
const EDITS: &[Edit] = &[
    ("light", |scene, cube, value| scene.insert(cube, Light::point(Vec3::ONE, value)).map(drop)),
    ("light range", |scene, cube, value| {
        scene.light_mut(cube).unwrap().range = Some(value);
        Ok(())
    }),
    ("camera", |scene, cube, value| scene.insert(cube, Camera::perspective(value)).map(drop)),
    ("weights", |scene, cube, value| scene.insert(cube, MorphWeights(vec![value])).map(drop)),
    ("bounds", |scene, cube, value| {
        scene.insert(cube, Bounds(Aabb::new(Vec3::ZERO, Vec3::splat(value)))).map(drop)
    }),
    ("constraint", |scene, cube, value| {
        let up = Vec3::new(0.0, value, 1.0);
        scene.insert(cube, Constraint::LookAt { target: scene.root(), up }).map(drop)
    }),
    ("skin", |scene, cube, value| {
        let matrix = Mat4::from_scale(Vec3::splat(value));
        scene.insert(cube, Skin::new(vec![cube], [matrix])?).map(drop)
    }),
    ("lod", |scene, cube, value| {
        let levels = vec![Level { node: cube, min_screen_size: value }];
        scene.insert(scene.root(), Lod { levels }).map(drop)
    }),
    ("mesh", |scene, cube, value| {
        scene.mesh_mut(cube).unwrap().layers = value as u32;
        Ok(())
    }),
    ("new material", |scene, cube, value| {
        let paint = scene.assets.add(Material { roughness: value, ..Material::default() });
        scene.mesh_mut(cube).unwrap().parts[0].material = paint;
        Ok(())
    }),
    ("new geometry", |scene, cube, value| {
        let geometry = pleach::Geometry::from_positions(vec![Vec3::splat(value); 3]);
        scene.mesh_mut(cube).unwrap().parts[0].geometry = scene.assets.add(geometry);
        Ok(())
    }),
    ("new texture", |scene, cube, value| {
        let image = scene.assets.add(Image::from_rgb_f32(1, 1, vec![[value; 3]])?);
        let texture = Some(TextureRef::new(image));
        let paint = Material { base_color_texture: texture, ..Material::default() };
        scene.mesh_mut(cube).unwrap().parts[0].material = scene.assets.add(paint);
        Ok(())
    }),
    ("material", |scene, cube, value| {
        let material = &scene.mesh(cube).unwrap().parts[0].material;
        material.edit(|material| material.base_color = Vec4::splat(value));
        Ok(())
    }),
    ("geometry", |scene, cube, value| {
        let geometry = &scene.mesh(cube).unwrap().parts[0].geometry;
        geometry.edit(|geometry| geometry.positions[0].x = value);
        Ok(())
    }),
    ("environment", |scene, _, value| {
        scene.environment.background = Some(Background::Color(Vec3::splat(value)));
        Ok(())
    }),
    ("environment map", |scene, _, value| {
        let sky = scene.assets.add(Image::from_rgb_f32(1, 1, vec![[value; 3]])?);
        scene.environment.map = Some(EnvironmentMap::image(&sky));
        Ok(())
    }),
    ("name", |scene, _, value| {
        scene.name = format!("scene {value}");
        Ok(())
    }),
];

/// The same scene each time, with assets of its own.
fn scene() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.insert(cube, Light::point(Vec3::ONE, 1.0)).unwrap();
    (scene, cube)
}

fn edited((name, edit): &Edit, value: f32) -> (Scene, NodeId) {
    let (mut scene, cube) = scene();
    scene.transact(name, |scene| edit(scene, cube, value)).unwrap();
    (scene, cube)
}

#[test]
fn a_patch_of_a_copy_that_was_given_another_value_is_rejected() {
    for edit in EDITS {
        let name = edit.0;
        let (mut two, _) = edited(edit, 2.0);
        let (again, _) = edited(edit, 2.0);
        let (mut three, _) = edited(edit, 3.0);
        assert_eq!(two.graph.lineage(), three.graph.lineage(), "{name}: the same scene");
        assert_eq!(two.graph.revision(), again.graph.revision(), "{name}: the same edit");
        let (_, next) = two.transact("Add", |scene| scene.spawn(Node::group())).unwrap();
        let before = state(&three);
        let error = three.apply(&next).unwrap_err();
        assert!(matches!(error, Error::Patch(PatchError::Revision { .. })), "{name}: {error}");
        assert_eq!(state(&three), before);
    }
}

#[test]
fn scenes_with_equal_nodes_and_another_content_are_other_scenes() {
    for (name, edit) in EDITS {
        let [(mut two, cube), (mut three, _)] = [(); 2].map(|()| scene());
        // Outside of transactions: they have not begun.
        edit(&mut two, cube, 2.0).unwrap();
        edit(&mut three, cube, 3.0).unwrap();
        let (_, patch) = two.transact("Add", |scene| scene.spawn(Node::group())).unwrap();
        let before = state(&three);
        let error = three.apply(&patch).unwrap_err();
        assert!(matches!(error, Error::Patch(PatchError::Lineage { .. })), "{name}: {error}");
        assert_eq!((state(&three), three.graph.lineage()), (before, 0), "{name}");
    }
}

#[test]
fn edits_of_kinds_without_content_lead_to_revisions_of_their_own() {
    let give = |health: u32| {
        let (mut scene, cube) = scene();
        let edit = |scene: &mut Scene| scene.insert(cube, Health(health));
        let (_, patch) = scene.transact("Health", edit).unwrap();
        (scene, patch)
    };
    let [(mut two, patch), (three, _)] = [2, 3].map(give);
    assert_ne!(two.graph.revision(), three.graph.revision());
    // Whoever applies the patch reaches its revision.
    let (mut copy, cube) = scene();
    copy.apply(&patch).unwrap();
    assert_eq!(copy.graph.revision(), two.graph.revision());
    let revision = two.graph.revision();
    two.revert(&patch).unwrap();
    assert_eq!(two.graph.revision(), two.graph.lineage());
    two.apply(&patch).unwrap();
    assert_eq!(two.graph.revision(), revision);
    let (_, next) = two.transact("Remove", |scene| scene.remove(cube)).unwrap();
    assert!(copy.apply(&next).is_ok());
    assert!(three.check_revision(next.graph()).is_err());
}

#[test]
fn the_lineage_does_not_depend_on_other_assets_of_the_registry() {
    let (mut one, _) = scene();
    let mut two = Scene::new();
    let _others: Vec<_> = (0..3).map(|_| two.assets.add(Material::default())).collect();
    let cube = spawn_cube(&mut two, Vec3::X);
    two.insert(cube, Light::point(Vec3::ONE, 1.0)).unwrap();
    one.begin_transaction();
    two.begin_transaction();
    assert_eq!(one.graph.lineage(), two.graph.lineage());
    two.mesh_mut(cube).unwrap().materials = Vec::<_>::new();
    assert!(matches!(two.commit("Nothing"), Ok(patch) if patch.is_empty()));
}

#[test]
fn the_materials_of_faces_are_part_of_the_revision() {
    let select = |roughness: f32| {
        let (mut scene, cube) = scene();
        let paint = scene.assets.add(Material { roughness, ..Material::default() });
        let select = |scene: &mut Scene| {
            scene.mesh_mut(cube).ok_or(Error::NoCamera(cube)).map(|mesh: &mut Mesh| {
                mesh.materials.push(paint.clone());
            })
        };
        scene.transact("Select", select).unwrap();
        scene.graph.revision()
    };
    assert_ne!(select(0.25), select(0.5));
    assert_eq!(select(0.25), select(0.25));
}

/// The lineage is that of the scene when its first transaction begins that is not undone.
#[test]
fn a_transaction_that_is_rolled_back_begins_no_lineage() {
    let mut scene = Scene::new();
    scene.begin_transaction();
    assert!(scene.roll_back());
    assert_eq!((scene.graph.lineage(), scene.graph.revision()), (0, 0));
    let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    let mut copy = scene.clone();
    let brighten = |scene: &mut Scene| scene.insert(lamp, Light::point(Vec3::ONE, 2.0));
    let (_, patch) = scene.transact("Brighten", brighten).unwrap();
    copy.apply(&patch).unwrap();
    assert_eq!(copy.graph.revision(), scene.graph.revision());
}
