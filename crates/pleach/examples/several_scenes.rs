//! A game and its menu as two scenes with shared assets, and a prefab cloned from a third.

use pleach::glam::{Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{Camera, Error, Material, Node, Scene, Scenes};

fn main() -> Result<(), Error> {
    // A prefab: a lamp of two nodes.
    let mut prefabs = Scene::named("prefabs");
    let cube = prefabs.assets.add(Cuboid::new(Vec3::splat(0.2)).build()?);
    let brass = prefabs.assets.add(Material::from_color(Vec4::new(0.8, 0.6, 0.2, 1.0)));
    let lamp = prefabs.spawn(
        Node::group()
            .named("lamp")
            .child(Node::mesh(&cube, &brass).named("bulb").at(Vec3::Z * 2.0)),
    )?;

    // Scenes that share the assets of the prefabs.
    let mut scenes = Scenes::new();
    for (name, lamps) in [("menu", 1), ("game", 5)] {
        let mut scene = Scene::named(name);
        scene.assets = prefabs.assets.clone();
        for i in 0..lamps {
            let clones = scene.clone_subtree_from(&prefabs, lamp, None)?;
            scene.node_mut(clones.root())?.set_translation(Vec3::X * i as f32)?;
        }
        let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
        scene.spawn(camera.named("camera"))?;
        scenes.insert(scene)?;
    }

    // One is active at a time.
    scenes.activate("menu")?;
    for name in ["menu", "game"] {
        scenes.activate(name)?;
        let scene = scenes.active_mut().expect("it was just activated");
        scene.update()?;
        println!("{}: {} nodes, {} meshes", scene.name, scene.graph.len(), scene.meshes.len());
    }
    assert_eq!(scenes.active().map(|scene| scene.meshes.len()), Some(5));

    // The clones are independent of the prefab, their geometry is shared.
    prefabs.remove(lamp)?;
    let game = scenes.get("game").expect("it was inserted");
    let bulbs: Vec<_> = game.graph.find_all("bulb").collect();
    assert_eq!(bulbs.len(), 5);
    assert!(bulbs.iter().all(|&bulb| {
        game.mesh(bulb).is_some_and(|mesh| mesh.parts[0].geometry.id() == cube.id())
    }));
    let last = game.node(bulbs[4])?.world_translation();
    assert_eq!(last, Vec3::new(4.0, 0.0, 2.0));
    Ok(())
}
