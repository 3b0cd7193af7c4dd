//! Overlays: the pixels of the CPU renderer's overlays, on every device.
//!
//! Nodes and depths of the pixels are those of rays, so that nothing but the overlays is compared, except
//! in the test of `Headless`, which draws them.

use pleach::glam::{EulerRot, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{
    Camera, ClipSpace, Filter, Material, Node, NodeId, RenderList, Scene, Skin, Transform, View,
    Visible,
};
use pleach_render::{Picture, draw_overlays};
use pleach_wgpu::overlay::{
    Overlay, OverlayRenderer, OverlayStats, OverlayTextures, Overlays, SurfaceTextures,
};
use pleach_wgpu::{Gpu, Headless, Options};

use crate::adapter::gpus;
use crate::read_back;

const SIZE: [u32; 2] = [128, 96];
const LIGHT: [u8; 4] = [200, 210, 220, 255];
const DARK: [u8; 4] = [10, 20, 30, 255];

/// Two cubes, one of them skinned, and a camera that sees both.
fn scene(camera: Camera) -> (Scene, NodeId, NodeId) {
    let mut scene = Scene::new();
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let joints = cube.positions.iter().map(|at| [u16::from(at.z > 0.0), 0, 0, 0]).collect();
    let weights = vec![[1.0, 0.0, 0.0, 0.0]; cube.positions.len()];
    let skinned = scene.assets.add(cube.clone().with_influences(joints, weights));
    let cube = scene.assets.add(cube);
    let material = scene.assets.add(Material::from_color(Vec4::ONE));
    let rotation = Quat::from_euler(EulerRot::XYZ, 0.5, 0.3, 0.7);
    let at = Vec3::new(0.9, 1.4, 0.6);
    let other = scene.spawn(Node::mesh(&cube, &material).at(at).rotated(rotation)).unwrap();
    let skinned = scene.spawn(Node::mesh(&skinned, &material)).unwrap();
    let low = scene.spawn(Node::group().at(Vec3::new(0.1, 0.0, -0.3))).unwrap();
    let high = scene.spawn(Node::group().under(low).at(Vec3::new(0.0, 0.1, 0.7))).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![low, high]).unwrap();
    scene.skins.insert(&scene.graph, skinned, skin).unwrap();
    let eye = Vec3::new(-1.0, -4.0, 1.7);
    let transform = Transform::from_translation(eye).looking_at(Vec3::new(0.2, 0.3, 0.1), Vec3::Z);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
    scene.update().unwrap();
    (scene, camera, other)
}

/// Returns an empty picture with the nodes and distances of rays, and the depths.
fn trace(scene: &Scene, view: &View, color: [u8; 4]) -> (Picture, Vec<f32>) {
    let mut picture = Picture::new(SIZE[0], SIZE[1], color);
    let mut depths = vec![3e38; picture.pixels.len()];
    for (index, depth) in depths.iter_mut().enumerate() {
        let (x, y) = (index as u32 % SIZE[0], index as u32 / SIZE[0]);
        let ray = view.ray_through_pixel(Vec2::new(x as f32 + 0.5, y as f32 + 0.5)).unwrap();
        if let Some(hit) = scene.pick(&ray, &Filter::default()) {
            picture.distances[index] = hit.distance;
            picture.nodes[index] = Some(hit.node);
            *depth = view.depth(ray.at(hit.distance));
        }
    }
    (picture, depths)
}

/// Creates a texture of the size of the picture with these texels.
fn texture(gpu: &Gpu, format: wgpu::TextureFormat, texels: &[u8]) -> wgpu::Texture {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::COPY_DST
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(texels.len() as u32 / SIZE[1]),
        rows_per_image: None,
    };
    gpu.queue.write_texture(texture.as_image_copy(), texels, layout, texture.size());
    texture
}

/// Draws overlays on a picture with a renderer, and returns the pixels.
fn draw(
    renderer: &mut OverlayRenderer,
    gpu: &Gpu,
    (scene, view): (&Scene, &View),
    (picture, depths): &(Picture, Vec<f32>),
    overlays: Overlays<'_>,
) -> (Vec<[u8; 4]>, OverlayStats) {
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    scene.cull(view, &mut visible);
    list.build(scene, &visible, view);
    let id = |node: &Option<NodeId>| [node.map_or(0, |node| node.index() as u32 + 1), 0, 0, 0];
    let ids: Vec<[u32; 4]> = picture.nodes.iter().map(id).collect();
    let ids = texture(gpu, wgpu::TextureFormat::Rgba32Uint, bytemuck::cast_slice(&ids));
    let depths = texture(gpu, wgpu::TextureFormat::R32Uint, bytemuck::cast_slice(depths));
    let [target, copy] =
        [(); 2].map(|()| texture(gpu, wgpu::TextureFormat::Rgba8Unorm, picture.bytes()));
    let [ids, depths, copy, view_of_target] =
        [&ids, &depths, &copy, &target].map(|it| it.create_view(&Default::default()));
    let textures = OverlayTextures {
        target: &view_of_target,
        format: target.format(),
        size: SIZE,
        surfaces: Some(SurfaceTextures { ids: &ids, depths: &depths }),
        picture: Some(&copy),
    };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let stats = renderer.draw(&mut encoder, scene, &list, view, overlays, &textures).unwrap();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(4 * SIZE[0] * SIZE[1]),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(4 * SIZE[0]),
        rows_per_image: None,
    };
    encoder.copy_texture_to_buffer(
        target.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        target.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let bytes = read_back::bytes(gpu, &buffer);
    (bytemuck::pod_collect_to_vec(&bytes), stats)
}

fn cameras() -> [Camera; 4] {
    let perspective = Camera::default().with_near(0.5).with_far(50.0);
    [
        perspective,
        perspective.with_clip_space(ClipSpace::ZeroToOneReversed),
        perspective.with_clip_space(ClipSpace::NegOneToOne),
        Camera::orthographic(3.0).with_near(0.5).with_far(50.0),
    ]
}

#[test]
fn overlays_have_the_pixels_of_the_cpu_renderer() {
    let overlays: Vec<Overlay> =
        Overlay::ALL.into_iter().filter(|it| *it != Overlay::Ids).collect();
    for test in gpus() {
        let mut renderer = OverlayRenderer::new(&test.gpu);
        for camera in cameras() {
            let (scene, camera_node, selected) = scene(camera);
            let view = scene.view(camera_node, (SIZE[0], SIZE[1])).unwrap();
            let selected = [selected];
            let mut cases: Vec<(String, Overlays<'_>)> = overlays
                .iter()
                .map(|it| (it.to_string(), Overlays::new(std::slice::from_ref(it))))
                .collect();
            cases.push(("outline".into(), Overlays::new(&[]).with_selection(&selected)));
            for color in [LIGHT, DARK] {
                let traced = trace(&scene, &view, color);
                for (name, overlays) in &cases {
                    let mut expected = traced.0.clone();
                    draw_overlays(&mut expected, &scene, &view, *overlays);
                    let (pixels, _) =
                        draw(&mut renderer, &test.gpu, (&scene, &view), &traced, *overlays);
                    let case = format!("{}: {name} {:?} {camera:?}", test.name, color);
                    assert_ne!(expected.pixels, traced.0.pixels, "{case}");
                    compare(&pixels, &expected.pixels, &traced.0.pixels, &case);
                }
            }
        }
    }
}

#[test]
fn an_image_with_overlays_is_the_image_without_them_and_those_of_the_cpu_renderer() {
    for test in gpus() {
        for background in [Vec4::new(0.02, 0.03, 0.05, 1.0), Vec4::ZERO] {
            let options = Options {
                tier: Some(test.gpu.tier),
                background: Some(background),
                ..Options::default()
            };
            let (device, queue) = (test.gpu.device.clone(), test.gpu.queue.clone());
            let mut headless = Headless::with_device(device, queue, options).unwrap();
            let (scene, camera, selected) = scene(Camera::default());
            let view = scene.view(camera, (SIZE[0], SIZE[1])).unwrap();
            let mut picture = trace(&scene, &view, DARK).0;
            picture.pixels = headless.render(&scene, &view, SIZE).unwrap().pixels;
            let selected = [selected];
            for overlay in Overlay::ALL.into_iter().filter(|it| *it != Overlay::Ids) {
                let overlay = [overlay];
                let overlays = Overlays::new(&overlay).with_selection(&selected);
                let mut expected = picture.clone();
                draw_overlays(&mut expected, &scene, &view, overlays);
                let image = headless.render_with_overlays(&scene, &view, SIZE, overlays).unwrap();
                let case = format!("{}: {} {background}", test.name, overlay[0]);
                let [image, expected, before] = [&image.pixels, &expected.pixels, &picture.pixels]
                    .map(|pixels| pixels.iter().map(premultiplied).collect::<Vec<_>>());
                compare(&image, &expected, &before, &case);
            }
            let again = headless.render_with_overlays(&scene, &view, SIZE, &[]).unwrap();
            assert_eq!(again.pixels, picture.pixels, "{}: no overlays", test.name);
        }
    }
}

/// Returns a pixel multiplied by its alpha: the colour of a pixel that is nearly transparent does not
/// matter.
fn premultiplied(&[red, green, blue, alpha]: &[u8; 4]) -> [u8; 4] {
    let [red, green, blue] =
        [red, green, blue].map(|it| (u16::from(it) * u16::from(alpha) / 255) as u8);
    [red, green, blue, alpha]
}

/// Compares the drawn pixels.
#[track_caller]
fn compare(pixels: &[[u8; 4]], expected: &[[u8; 4]], before: &[[u8; 4]], case: &str) {
    let mut drawn = 0;
    let mut sum = 0.0;
    let mut far_off = 0;
    for ((pixel, expected), before) in pixels.iter().zip(expected).zip(before) {
        let distance = |a: &[u8; 4], b: &[u8; 4]| {
            (0..4).map(|channel| f64::from(a[channel].abs_diff(b[channel]))).fold(0.0, f64::max)
        };
        if distance(pixel, before) > 1.0 || expected != before {
            drawn += 1;
            sum += distance(pixel, expected);
            far_off += usize::from(distance(pixel, expected) > 80.0);
        }
    }
    let mean = sum / f64::from(drawn);
    println!("{case}: {mean:.2} of 255 over {drawn} pixels, {far_off} far off");
    assert!(drawn > 30, "{case}: {drawn}");
    assert!(mean < 2.0, "{case}: {mean:.1} of 255 over {drawn} pixels");
    assert!(far_off * 50 <= drawn as usize, "{case}: {far_off} of {drawn} pixels are far off");
}

#[test]
fn lines_and_selection_are_uploaded_only_if_they_changed() {
    for test in gpus() {
        let mut renderer = OverlayRenderer::new(&test.gpu);
        let (mut scene, camera, other) = scene(Camera::default());
        let selected = [other];
        let overlays = Overlays::new(&[Overlay::Boxes, Overlay::Wireframe]);
        let overlays = overlays.with_selection(&selected);
        let mut uploaded = |scene: &Scene, overlays| {
            let view = scene.view(camera, (SIZE[0], SIZE[1])).unwrap();
            let traced = (Picture::new(SIZE[0], SIZE[1], DARK), vec![3e38; 128 * 96]);
            let stats = draw(&mut renderer, &test.gpu, (scene, &view), &traced, overlays).1;
            (stats.lines, stats.uploaded_bytes)
        };
        // Twelve edges of each box; a cube has 12 edges and 6 diagonals, its corners are separate.
        let (lines, bytes) = uploaded(&scene, overlays);
        assert_eq!(lines, 24 + 2 * 30, "{}", test.name);
        assert!(bytes >= u64::from(lines) * 48, "{}", test.name);
        assert_eq!(uploaded(&scene, overlays), (lines, 0), "{}", test.name);

        scene.node_mut(camera).unwrap().translate(Vec3::Y * 0.5).unwrap();
        scene.update().unwrap();
        assert_eq!(uploaded(&scene, overlays), (lines, 0), "{}: the camera moved", test.name);

        scene.node_mut(other).unwrap().translate(Vec3::X * 0.1).unwrap();
        scene.update().unwrap();
        let (_, bytes) = uploaded(&scene, overlays);
        assert!(bytes > 0 && bytes <= 48 * u64::from(lines), "{}: {bytes}", test.name);
        assert_eq!(uploaded(&scene, Overlays::new(&[])), (0, 0), "{}", test.name);
    }
}

#[test]
fn invalid_scenes_are_handled() {
    for test in gpus() {
        let mut renderer = OverlayRenderer::new(&test.gpu);
        let (mut scene, camera, other) = scene(Camera::default().with_near(1e-3));
        for at in [Vec3::ZERO, Vec3::splat(1e20), Vec3::splat(-3e38)] {
            scene.node_mut(other).unwrap().set_translation(at).unwrap();
            scene.update().unwrap();
            let view = scene.view(camera, (SIZE[0], SIZE[1])).unwrap();
            let traced = (Picture::new(SIZE[0], SIZE[1], DARK), vec![f32::NAN; 128 * 96]);
            let selected = [other];
            let overlays = Overlays::new(&Overlay::ALL).with_selection(&selected);
            let (pixels, _) = draw(&mut renderer, &test.gpu, (&scene, &view), &traced, overlays);
            assert!(pixels.iter().all(|pixel| pixel[3] == 255), "{}: {at}", test.name);
        }
    }
}
