//! Scenes that exceed a limit of the device: an error, or a reduced picture with a warning.

use pleach::glam::{Vec3, Vec4};
use pleach::{
    Anisotropy, Clearcoat, DiffuseTransmission, Geometry, Image, Iridescence, Material,
    MorphTarget, MorphWeights, Node, Scene, Sheen, Skin, Specular, TextureRef, Transmission,
    Volume,
};
use pleach_wgpu::overlay::Overlay;
use pleach_wgpu::{
    Error, Exposure, Gpu, Headless, Options, RenderedImage, Renderer, Tier, Warning,
};

use crate::adapter::{TestGpu, gpu_with_limits, gpus};
use crate::pictures::{GREEN, RED, SIZE, add, front_view, is_green, is_red, middle, square, unlit};

fn render(gpu: Gpu, scene: &Scene) -> Result<RenderedImage, Error> {
    let options = Options { tier: Some(gpu.tier), ..Options::default() };
    let mut headless = Headless::with_device(gpu.device, gpu.queue, options)?;
    headless.render(scene, &front_view(), SIZE)
}

/// Storage buffers of 64 KiB: 1024 matrices of three texels, rounded to lines.
fn small_buffers() -> Option<Gpu> {
    gpu_with_limits(|limits| limits.max_storage_buffer_binding_size = 1 << 16)
}

#[test]
fn a_texture_beyond_the_limit_is_reduced() {
    let Some(gpu) = gpu_with_limits(|limits| limits.max_texture_dimension_2d = 1024) else {
        return;
    };
    let mut scene = Scene::new();
    let red = [230, 10, 10, 255].repeat(4096 * 2);
    let image = scene.assets.add(Image::from_rgba8(4096, 2, red).unwrap());
    let white = unlit(Vec4::ONE);
    let material = Material { base_color_texture: Some(TextureRef::new(image)), ..white };
    let node = add(&mut scene, square(), material);
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let image = render(gpu, &scene).unwrap();
    assert!(is_red(middle(&image)), "{:?}", middle(&image));
    let [Warning::ImageReduced { size, reduced, .. }] = &image.warnings[..] else {
        panic!("{:?}", image.warnings);
    };
    assert_eq!((*size, *reduced), ([4096, 2], [1024, 1]));
}

#[test]
fn a_material_with_too_many_textures_is_drawn_without_some() {
    let mut scene = Scene::new();
    let mut textures = (0..19).map(|_| {
        let white = Image::from_rgba8(1, 1, vec![255; 4]).unwrap();
        Some(TextureRef::new(scene.assets.add(white)))
    });
    let mut next = || textures.next().unwrap();
    let material = Material {
        base_color_texture: next(),
        metallic_roughness_texture: next(),
        normal_texture: next(),
        occlusion_texture: next(),
        emissive_texture: next(),
        emissive: Vec3::new(0.9, 0.0, 0.0),
        clearcoat: Some(Box::new(Clearcoat {
            factor: 0.5,
            texture: next(),
            roughness_texture: next(),
            normal_texture: next(),
            ..Default::default()
        })),
        sheen: Some(Box::new(Sheen {
            color: Vec3::splat(0.1),
            color_texture: next(),
            roughness_texture: next(),
            ..Default::default()
        })),
        specular: Some(Box::new(Specular {
            texture: next(),
            color_texture: next(),
            ..Default::default()
        })),
        transmission: Some(Box::new(Transmission { factor: 0.1, texture: next() })),
        diffuse_transmission: Some(Box::new(DiffuseTransmission {
            factor: 0.1,
            texture: next(),
            color_texture: next(),
            ..Default::default()
        })),
        volume: Some(Box::new(Volume { thickness_texture: next(), ..Default::default() })),
        iridescence: Some(Box::new(Iridescence {
            factor: 0.1,
            texture: next(),
            thickness_texture: next(),
            ..Default::default()
        })),
        anisotropy: Some(Box::new(Anisotropy {
            strength: 0.1,
            texture: next(),
            ..Default::default()
        })),
        ..Material::from_color(RED)
    };
    drop(textures);
    let node = add(&mut scene, square(), material);
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    for TestGpu { name, gpu } in gpus() {
        let is_limited = gpu.limits.max_sampled_textures_per_shader_stage < 19 + 5;
        let image = render(gpu, &scene).unwrap();
        let [r, g, b, _] = middle(&image);
        assert!(r > g && r > b, "{name}: {r} {g} {b}");
        let ignored = image.warnings.iter().find_map(|it| match it {
            Warning::TexturesIgnored { ignored, .. } => Some(*ignored),
            _ => None,
        });
        assert_eq!(ignored.is_some(), is_limited, "{name}: {:?}", image.warnings);
    }
}

#[test]
fn a_device_that_refuses_the_full_tier_draws_in_the_limited_one() {
    // Too small for the workgroups of the full tier, which its other limits allow.
    let change = |limits: &mut wgpu::Limits| limits.max_compute_workgroup_size_x = 32;
    let Some(gpu) = gpu_with_limits(change) else { return };
    assert_eq!(gpu.tier, Tier::Full);
    let create = |tier| {
        let options = Options { tier, ..Options::default() };
        Renderer::with_decoder(&gpu.device, &gpu.queue, options, |_| Ok(one_texel(GREEN)))
    };
    assert!(matches!(create(Some(Tier::Full)), Err(Error::Device(_))));
    let renderer = create(None).unwrap();
    assert_eq!(renderer.tier(), Tier::Limited);
    // The decoder is not lost.
    let mut scene = Scene::new();
    let image = scene.assets.add(Image::from_encoded("image/png", vec![1, 2, 3]));
    let white = unlit(Vec4::ONE);
    let material = Material { base_color_texture: Some(TextureRef::new(image)), ..white };
    let node = add(&mut scene, square(), material);
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let (device, queue) = (gpu.device.clone(), gpu.queue.clone());
    let mut headless = Headless::with_renderer(device, queue, renderer);
    let image = headless.render(&scene, &front_view(), SIZE).unwrap();
    assert!(is_green(middle(&image)), "{:?}", middle(&image));
}

fn one_texel(color: Vec4) -> Image {
    Image::from_rgba8(1, 1, color.to_array().map(|it| (it * 255.0) as u8).to_vec()).unwrap()
}

#[test]
fn more_nodes_than_a_buffer_holds_are_an_error() {
    let Some(gpu) = small_buffers() else { return };
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    for _ in 0..2000 {
        scene.spawn(Node::group()).unwrap();
    }
    scene.update().unwrap();
    let error = render(gpu, &scene).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("world matrices need"), "{error}");
}

#[test]
fn more_joints_than_a_buffer_holds_are_an_error() {
    let Some(gpu) = small_buffers() else { return };
    let mut scene = Scene::new();
    let joints: Vec<_> = (0..200).map(|_| scene.spawn(Node::group()).unwrap()).collect();
    for first in 0..10 {
        // Equal skins share their matrices.
        let joints = [&joints[first..], &joints[..first]].concat();
        let skin = Skin::from_current_pose(&scene.graph, joints).unwrap();
        let skinned = square().with_influences(vec![[0; 4]; 4], vec![[1.0, 0.0, 0.0, 0.0]; 4]);
        let node = add(&mut scene, skinned, unlit(RED)).skinned(skin);
        scene.spawn(node).unwrap();
    }
    scene.update().unwrap();
    let error = render(gpu, &scene).unwrap_err();
    assert!(error.to_string().contains("joint matrices need"), "{error}");
}

#[test]
fn a_geometry_whose_morph_targets_do_not_fit_is_drawn_without_them() {
    let Some(gpu) = small_buffers() else { return };
    let mut scene = Scene::new();
    let mut morphed = square();
    for _ in 0..1100 {
        morphed = morphed.with_morph_target(MorphTarget::from_positions(vec![Vec3::X * 0.5; 4]));
    }
    let node = add(&mut scene, morphed, unlit(RED));
    let node = scene.spawn(node).unwrap();
    scene.weights.insert(&scene.graph, node, MorphWeights::from(vec![1.0])).unwrap();
    let node = add(&mut scene, square(), unlit(GREEN));
    scene.spawn(node.at(Vec3::Y)).unwrap();
    scene.update().unwrap();
    let image = render(gpu, &scene).unwrap();
    assert!(is_red(middle(&image)), "{:?}", middle(&image));
    let warning = image.warnings.iter().any(|it| matches!(it, Warning::MorphTargetsIgnored { .. }));
    assert!(warning, "{:?}", image.warnings);
}

#[test]
fn a_geometry_beyond_the_largest_buffer_is_not_drawn_and_the_others_are() {
    let Some(gpu) = gpu_with_limits(|limits| {
        limits.max_buffer_size = 1 << 20;
        limits.max_storage_buffer_binding_size = 1 << 20;
    }) else {
        return;
    };
    let mut scene = Scene::new();
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let large = Geometry::from_positions(corners.repeat(40_000));
    let node = add(&mut scene, large, unlit(GREEN));
    scene.spawn(node.at(Vec3::NEG_Y)).unwrap();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let image = render(gpu, &scene).unwrap();
    assert!(is_red(middle(&image)), "{:?}", middle(&image));
    let [Warning::GeometryIgnored { .. }] = &image.warnings[..] else {
        panic!("{:?}", image.warnings);
    };
}

#[test]
fn after_a_picture_that_cannot_be_read_back_the_same_renderer_draws_another() {
    let Some(gpu) = gpu_with_limits(|limits| {
        limits.max_buffer_size = 1 << 20;
        limits.max_storage_buffer_binding_size = 1 << 20;
    }) else {
        return;
    };
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let mut headless = Headless::with_device(gpu.device, gpu.queue, Options::default()).unwrap();
    let error = headless.render(&scene, &front_view(), [1024, 512]).unwrap_err();
    assert!(error.to_string().contains("pixels to read back need"), "{error}");
    let image = headless.render(&scene, &front_view(), SIZE).unwrap();
    assert!(is_red(middle(&image)), "{:?}", middle(&image));
}

#[test]
fn after_running_out_of_memory_the_same_renderer_draws_a_smaller_picture() {
    let Some(gpu) = gpu_with_limits(|_| {}) else { return };
    let size = [16384, 8192];
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    if gpu.limits.max_texture_dimension_2d >= size[0] {
        // The light of four samples per pixel: 4 GiB.
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 4,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba16Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        texture.destroy();
    }
    if pollster::block_on(scope.pop()).is_none() {
        return testkit::skip("the device has memory for a picture of its largest size");
    }
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    for exposure in [Exposure::Fixed(1.0), Exposure::Auto] {
        for overlays in [&[][..], &Overlay::ALL] {
            let options = Options { exposure, ..Options::default() };
            let (device, queue) = (gpu.device.clone(), gpu.queue.clone());
            let mut headless = Headless::with_device(device, queue, options).unwrap();
            let mut render =
                |size| headless.render_with_overlays(&scene, &front_view(), size, overlays);
            let before = render(SIZE).unwrap();
            assert!(is_red(middle(&before)) || !overlays.is_empty(), "{:?}", middle(&before));
            assert_eq!(render(size).unwrap_err(), Error::OutOfMemory);
            assert!(render(SIZE).unwrap().pixels == before.pixels);
        }
    }
}

#[test]
fn after_an_error_the_same_renderer_draws_a_smaller_scene() {
    let Some(gpu) = small_buffers() else { return };
    let mut scene = Scene::new();
    let node = add(&mut scene, square(), unlit(RED));
    scene.spawn(node).unwrap();
    scene.update().unwrap();
    let mut large = scene.clone();
    for _ in 0..2000 {
        large.spawn(Node::group()).unwrap();
    }
    large.update().unwrap();
    let options = Options::default();
    let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
    let before = headless.render(&scene, &front_view(), SIZE).unwrap();
    headless.render(&large, &front_view(), SIZE).unwrap_err();
    let after = headless.render(&scene, &front_view(), SIZE).unwrap();
    assert!(before.pixels == after.pixels && is_red(middle(&after)));
}
