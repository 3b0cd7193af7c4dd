//! Draws on a device that was lost: errors, never panics.

use pleach::{Material, Scene};
use pleach_wgpu::overlay::Overlay;
use pleach_wgpu::{Headless, Options};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{RED, SIZE, add, front_view, square};

fn scene() -> Scene {
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), Material::from_color(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    scene
}

#[test]
fn a_lost_device_is_an_error_whenever_it_is_lost() {
    let view = front_view();
    // Before the first draw, before bundles are recorded, and after that.
    for draws in 0..3 {
        for TestGpu { name, gpu } in gpus() {
            let mut scene = scene();
            let device = gpu.device.clone();
            let options = Options { tier: Some(gpu.tier), ..Options::default() };
            let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
            for _ in 0..draws {
                headless.render_with_overlays(&scene, &view, SIZE, &Overlay::ALL).unwrap();
            }
            device.destroy();
            for attempt in 0..3 {
                let result = headless.render(&scene, &view, SIZE);
                assert!(result.is_err(), "{name}, {draws} draws, attempt {attempt}");
                assert!(headless.render_ids(&scene, &view, SIZE).is_err(), "{name}, ids");
                let overlays = headless.render_with_overlays(&scene, &view, SIZE, &Overlay::ALL);
                assert!(overlays.is_err(), "{name}, overlays");
                // Something new to upload and to record.
                let node = add(&mut scene, square(), Material::from_color(RED));
                scene.spawn(node).unwrap();
                scene.update().unwrap();
            }
        }
    }
}

#[test]
fn a_renderer_for_a_lost_device_is_created_or_refused() {
    for TestGpu { gpu, .. } in gpus() {
        gpu.device.destroy();
        let headless = Headless::with_device(gpu.device, gpu.queue, Options::default());
        if let Ok(mut headless) = headless {
            assert!(headless.render(&scene(), &front_view(), SIZE).is_err());
        }
    }
}
