//! Memory of the device is freed once nothing shows its contents.

use pleach::{EnvironmentMap, Image, Material, Scene, TextureRef};
use pleach_wgpu::{Headless, Options, Studio};

use crate::adapter::gpu_with_limits;
use crate::pictures::{RED, SIZE, add, front_view, square};

#[test]
fn textures_of_former_materials_and_environments_are_freed() {
    let Some(gpu) = gpu_with_limits(|_| {}) else { return };
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), Material::from_color(RED));
    let node = scene.spawn(node).unwrap();
    scene.update().unwrap();
    let material = scene.mesh(node).unwrap().parts[0].material.clone();
    let device = gpu.device.clone();
    let options = Options { studio: Studio::Never, ..Options::default() };
    let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
    // The bytes of the device after some pictures: calls that are drawn again are bundles.
    let mut draw = |scene: &Scene| {
        for _ in 0..3 {
            headless.render(scene, &front_view(), SIZE).unwrap();
        }
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        device.generate_allocator_report().unwrap().total_allocated_bytes
    };
    draw(&scene);
    scene.environment.map = Some(EnvironmentMap::studio());
    let lit = draw(&scene);
    scene.environment.map = None;
    let plain = draw(&scene);
    assert!(lit > plain + 100_000, "{lit} bytes with a map, {plain} without");
    let white = Image::from_rgba8(512, 512, vec![255; 4 << 18]).unwrap();
    let white = TextureRef::new(scene.assets.add(white));
    material.edit(|it| it.base_color_texture = Some(white));
    let textured = draw(&scene);
    assert!(textured > plain + (1 << 20), "{textured} bytes with an image, {plain} without");
    material.edit(|it| it.base_color_texture = None);
    let after = draw(&scene);
    assert!(after < plain + 100_000, "{after} bytes after an image, {plain} before");
}
