//! Loads a glTF model and renders it: `cargo run -p pleach-gltf --example load_and_draw [MODEL]`.
//!
//! Without an argument the model is a red cube, built and saved in memory.

use pleach::glam::{Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{Material, Node, Scene};
use pleach_gltf::{Document, Format, Options};
use pleach_render::{Renderer, framing, visible_bounds};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut document = match std::env::args_os().nth(1) {
        Some(path) => pleach_gltf::load(path)?,
        None => red_cube()?,
    };
    print!("{}", document.report());
    let scene = document.scene_mut().ok_or("the file has no scene")?;
    scene.update()?;

    // A camera that frames the model from the right, front and above.
    let bounds = visible_bounds(scene);
    let (camera, transform) = framing(&bounds, Vec3::new(1.0, -2.0, 1.0), 4.0 / 3.0);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform))?;
    scene.update()?;

    let decode = |image: &_| pleach_gltf::decode(image).map_err(|error| error.to_string());
    let mut renderer = Renderer::new().with_decoder(decode);
    let picture = renderer.render(scene, &scene.view(camera, (160, 120))?)?;
    let drawn = picture.nodes.iter().flatten().count();
    println!("{} meshes cover {drawn} of {} pixels", scene.meshes.len(), picture.nodes.len());
    assert!(drawn > picture.nodes.len() / 10, "the model fills the picture");
    if std::env::args_os().nth(1).is_none() {
        let [red, green, blue, _] = picture.pixels[60 * 160 + 80];
        assert!(red > 2 * green.max(blue), "the centre is red");
    }
    Ok(())
}

fn red_cube() -> Result<Document, Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    let red = scene.assets.add(Material::from_color(Vec4::new(0.8, 0.05, 0.05, 1.0)));
    scene.spawn(Node::mesh(&cube, &red).named("cube"))?;
    let saved = pleach_gltf::save_bytes(&scene, Format::Glb)?;
    Ok(Options::new().load_bytes(&saved.bytes)?)
}
