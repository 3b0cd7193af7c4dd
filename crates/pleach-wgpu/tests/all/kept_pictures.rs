//! A picture in which nothing changed is kept; after any change, it is the one that a renderer without any
//! data draws.

use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::{
    AlphaMode, Ambient, Background, Camera, EnvironmentMap, Fog, Frame, Image, Instances, Level,
    Light, Lod, Material, MorphTarget, MorphWeights, Node, NodeId, Scene, Shadow, Skin, TextureRef,
    Transmission, Wrap,
};
use pleach_wgpu::overlay::{Overlay, OverlayTextures, Overlays};
use pleach_wgpu::{DrawStats, Exposure, Gpu, Options, Renderer, Shadows, Target, ToneMapping};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{GREEN, RED, add, square, unlit};
use crate::read_back;

/// Rows of both sizes are copied without padding.
const SIZES: [[u32; 2]; 2] = [[128, 64], [64, 64]];
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// A scene with a camera, and the options and size of its pictures: all that the edits of the test change.
struct World {
    scene: Scene,
    camera: NodeId,
    middle: NodeId,
    morphed: NodeId,
    static_node: NodeId,
    joint: NodeId,
    instanced: NodeId,
    textured: NodeId,
    lod: NodeId,
    sun: NodeId,
    options: Options,
    size: [u32; 2],
}

/// A static mesh, a transmissive, a transparent, a morphed, a skinned, an instanced and a textured one, one
/// with levels of detail, a wall behind them, and a light with a shadow.
fn world() -> World {
    let mut scene = Scene::new();
    let mut spawn = |material: Material, x: f32, y: f32| {
        let node = add(&mut scene, square(), material);
        scene.spawn(node.at(Vec3::new(x, y, 0.0))).unwrap()
    };
    let static_node = spawn(Material::from_color(GREEN), -3.5, 2.0);
    let middle = spawn(Material::from_color(RED), 0.5, 0.0);
    let glass = Transmission { factor: 1.0, texture: None };
    spawn(Material { transmission: Some(Box::new(glass)), ..Material::default() }, -1.0, -1.0);
    spawn(Material { alpha_mode: AlphaMode::Blend, ..unlit(RED.with_w(0.5)) }, 1.0, -1.0);
    scene.meshes.get_mut(&scene.graph, static_node).unwrap().is_static = true;
    let morphed = square().with_morph_target(MorphTarget::from_positions(vec![Vec3::X; 4]));
    let node = add(&mut scene, morphed, Material::default());
    let morphed = scene.spawn(node.at(Vec3::new(0.0, 1.0, 1.0))).unwrap();
    scene.weights.insert(&scene.graph, morphed, MorphWeights::from(vec![0.5])).unwrap();
    let joint = scene.spawn(Node::group()).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    let skinned = square().with_influences(vec![[0; 4]; 4], vec![[1.0, 0.0, 0.0, 0.0]; 4]);
    let node = add(&mut scene, skinned, unlit(GREEN)).skinned(skin);
    scene.spawn(node).unwrap();
    scene.node_mut(joint).unwrap().set_translation(Vec3::new(3.5, 0.0, 1.0)).unwrap();
    let node = add(&mut scene, square(), unlit(RED)).scaled(Vec3::splat(0.4));
    let instanced = scene.spawn(node.at(Vec3::new(3.5, 0.0, -1.2))).unwrap();
    let matrices = [-1.5, 1.5].map(|x| Mat4::from_translation(Vec3::X * x)).to_vec();
    let instances = Instances::new(square().bounds(), matrices).unwrap();
    scene.meshes.get_mut(&scene.graph, instanced).unwrap().instances = Some(Box::new(instances));
    let pixels = [[230, 5, 5, 255], [5, 230, 5, 255]].concat();
    let image = scene.assets.add(Image::from_rgba8(2, 1, pixels).unwrap());
    let texture = Some(TextureRef::new(image));
    let mut tile = square();
    let uvs = tile.uvs[0].iter().map(|uv| *uv * 2.0).collect::<Vec<_>>();
    tile.uvs = vec![uvs.into()];
    let material = Material { base_color_texture: texture, ..unlit(Vec4::ONE) };
    let node = add(&mut scene, tile, material);
    let textured = scene.spawn(node.at(Vec3::new(-3.5, 0.0, -1.0))).unwrap();
    let lod = scene.spawn(Node::group().at(Vec3::new(-1.5, 0.0, 1.6))).unwrap();
    let mut levels = Vec::new();
    for (color, min_screen_size) in [(RED, 0.01), (GREEN, 0.0)] {
        let node = add(&mut scene, square(), unlit(color)).scaled(Vec3::splat(0.5));
        let node = scene.spawn(node).unwrap();
        scene.graph.attach(node, lod).unwrap();
        levels.push(Level { node, min_screen_size });
    }
    scene.lods.insert(&scene.graph, lod, Lod { levels }).unwrap();
    let sun = Light::directional(Vec3::ONE, 2.0).with_shadow(Shadow::default());
    let at = pleach::Transform::from_xyz(-3.0, -8.0, 4.0).looking_at(Vec3::ZERO, Vec3::Z);
    let sun = scene.spawn(Node::light(sun).with_transform(at)).unwrap();
    let wall = Material { metallic: 0.0, ..Material::from_color(Vec4::ONE) };
    let node = add(&mut scene, square(), wall).scaled(Vec3::splat(3.0));
    scene.spawn(node.at(Vec3::Y * 3.0)).unwrap();
    let transform = pleach::Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    let camera = Node::camera(Camera::perspective(0.5)).with_transform(transform);
    let camera = scene.spawn(camera).unwrap();
    World {
        scene,
        camera,
        middle,
        morphed,
        static_node,
        joint,
        instanced,
        textured,
        lod,
        sun,
        options: Options::default(),
        size: SIZES[0],
    }
}

fn target_texture(gpu: &Gpu, [width, height]: [u32; 2]) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Draws a frame into a new texture and returns its bytes.
fn draw(
    gpu: &Gpu,
    renderer: &mut Renderer,
    world: &mut World,
    frame: &mut Frame,
) -> (Vec<u8>, DrawStats) {
    let World { scene, camera, size, .. } = world;
    let [width, height] = *size;
    let texture = target_texture(gpu, *size);
    scene.frame(*camera, (width, height), 0.0, frame).unwrap();
    let view = *frame.view().unwrap();
    let target =
        Target { view: &texture.create_view(&Default::default()), format: FORMAT, size: *size };
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let stats = renderer.draw(&mut encoder, scene, &frame.list, &view, &target).unwrap();
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(4 * width * height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(4 * width),
        rows_per_image: None,
    };
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        texture.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    (read_back::bytes(gpu, &buffer), stats)
}

fn new_renderer(gpu: &Gpu, world: &World) -> Renderer {
    Renderer::new(&gpu.device, &gpu.queue, world.options.clone()).unwrap()
}

/// Returns the picture of a renderer that keeps its pipelines alone.
fn draw_again(gpu: &Gpu, renderer: &mut Renderer, world: &mut World) -> Vec<u8> {
    renderer.forget();
    *renderer.options_mut() = world.options.clone();
    draw(gpu, renderer, world, &mut Frame::new()).0
}

type Edit = (&'static str, fn(&mut World));

/// Edits of everything that a picture shows.
const EDITS: &[Edit] = &[
    ("a node moves", |world| {
        let mut node = world.scene.node_mut(world.middle).unwrap();
        node.translate(Vec3::new(0.2, 0.0, 0.1)).unwrap();
    }),
    ("a static node moves", |world| {
        let mut node = world.scene.node_mut(world.static_node).unwrap();
        node.translate(Vec3::new(0.0, 0.0, 0.3)).unwrap();
    }),
    ("the camera moves", |world| {
        world.scene.node_mut(world.camera).unwrap().translate(Vec3::X * 0.1).unwrap();
    }),
    ("a node is hidden", |world| {
        world.scene.node_mut(world.morphed).unwrap().set_visible(false);
    }),
    ("a node is shown", |world| {
        world.scene.node_mut(world.morphed).unwrap().set_visible(true);
    }),
    ("morph weights", |world| {
        let weights = MorphWeights::from(vec![0.9]);
        let World { scene, morphed, .. } = world;
        scene.weights.insert(&scene.graph, *morphed, weights).unwrap();
    }),
    ("a material is edited", |world| {
        let mesh = world.scene.mesh(world.middle).unwrap();
        mesh.parts[0].material.edit(|it| it.base_color = Vec4::new(0.1, 0.2, 0.9, 1.0));
    }),
    ("a geometry is edited", |world| {
        let mesh = world.scene.mesh(world.middle).unwrap().clone();
        let mut triangle = square();
        triangle.indices = Some(vec![0, 1, 2]);
        mesh.parts[0].geometry.set(triangle);
    }),
    ("a joint moves", |world| {
        world.scene.node_mut(world.joint).unwrap().translate(Vec3::X * -0.5).unwrap();
    }),
    ("an instance moves", |world| {
        let mesh = world.scene.meshes.get_mut(&world.scene.graph, world.instanced).unwrap();
        let instances = mesh.instances.as_mut().unwrap();
        _ = instances.set(1, Mat4::from_translation(Vec3::new(2.0, 0.0, 0.5))).unwrap();
    }),
    ("an image is edited", |world| {
        let mesh = world.scene.mesh(world.textured).unwrap();
        let texture = mesh.parts[0].material.get().base_color_texture.clone().unwrap();
        let pixels = [[5, 5, 230, 255], [5, 230, 5, 255]].concat();
        texture.image.set(Image::from_rgba8(2, 1, pixels).unwrap());
    }),
    ("a sampler is edited", |world| {
        let mesh = world.scene.mesh(world.textured).unwrap();
        mesh.parts[0].material.edit(|it| {
            it.base_color_texture.as_mut().unwrap().sampler.wrap_u = Wrap::ClampToEdge;
        });
    }),
    ("another level of detail", |world| {
        let lod = world.scene.lods.get_mut(&world.scene.graph, world.lod).unwrap();
        lod.levels[0].min_screen_size = 100.0;
    }),
    ("shadow settings", |world| {
        let sun = world.scene.lights.get_mut(&world.scene.graph, world.sun).unwrap();
        sun.shadow.as_mut().unwrap().map_size = 64;
    }),
    ("no shadows by the options", |world| world.options.shadows = Shadows::Off),
    ("shadows by the options", |world| world.options.shadows = Shadows::All),
    ("a light on other layers", |world| {
        let sun = world.scene.lights.get_mut(&world.scene.graph, world.sun).unwrap();
        sun.layers = 1 << 7;
    }),
    ("a mesh on other layers", |world| {
        let mesh = world.scene.meshes.get_mut(&world.scene.graph, world.static_node).unwrap();
        mesh.layers |= 1 << 7;
    }),
    ("a light on all layers", |world| {
        let sun = world.scene.lights.get_mut(&world.scene.graph, world.sun).unwrap();
        sun.layers = u32::MAX;
    }),
    ("a mesh is removed", |world| {
        world.scene.remove(world.middle).unwrap();
    }),
    ("a mesh is spawned", |world| {
        let node = add(&mut world.scene, square(), Material::from_color(GREEN));
        world.scene.spawn(node.at(Vec3::Z)).unwrap();
    }),
    ("a light is spawned", |world| {
        let lamp = Light::point(Vec3::X, 50.0);
        world.scene.spawn(Node::light(lamp).at(Vec3::new(0.0, -3.0, 0.0))).unwrap();
    }),
    ("ambient light", |world| {
        world.scene.environment.ambient = Ambient { color: Vec3::Y, intensity: 0.5 };
    }),
    ("an environment map", |world| {
        world.scene.environment.map = Some(EnvironmentMap::studio());
    }),
    ("the background", |world| {
        world.scene.environment.background = Some(Background::EnvironmentMap { blur: 0.5 });
    }),
    ("fog", |world| {
        world.scene.environment.fog = Some(Fog { color: Vec3::X, near: 1.0, far: 20.0 });
    }),
    ("exposure", |world| world.options.exposure = Exposure::Fixed(0.5)),
    ("tone mapping", |world| world.options.tone_mapping = ToneMapping::Clamp),
    ("the background of the options", |world| world.options.background = Some(Vec4::ZERO)),
    ("straight alpha", |world| world.options.straight_alpha = true),
    ("samples", |world| world.options.samples = 1),
    ("the size", |world| world.size = SIZES[1]),
];

#[test]
fn pictures_are_kept_until_something_changes() {
    for TestGpu { name, gpu } in gpus() {
        let mut world = world();
        world.options.tier = Some(gpu.tier);
        let mut renderer = new_renderer(&gpu, &world);
        renderer.attach(&mut world.scene);
        let mut other = new_renderer(&gpu, &world);
        let mut frame = Frame::new();
        let (mut shown, stats) = draw(&gpu, &mut renderer, &mut world, &mut frame);
        assert!(!stats.is_kept && stats.shadow_maps > 0, "{name}: {stats:?}");
        for (edit, perform) in EDITS {
            // Edits of assets in tests that run at the same time count as changes.
            let is_kept = (0..1000).any(|_| {
                let (same, stats) = draw(&gpu, &mut renderer, &mut world, &mut frame);
                assert!(same == shown && stats.calls > 0, "{name}, before {edit}: {stats:?}");
                stats.is_kept
            });
            assert!(is_kept, "{name}, before {edit}");
            perform(&mut world);
            *renderer.options_mut() = world.options.clone();
            let before = shown;
            let stats;
            (shown, stats) = draw(&gpu, &mut renderer, &mut world, &mut frame);
            assert!(shown != before, "{name}: {edit} is not visible");
            // The alpha of the target is a matter of tone mapping.
            assert!(!stats.is_kept || *edit == "straight alpha", "{name}, {edit}: {stats:?}");
            assert!(shown == draw_again(&gpu, &mut other, &mut world), "{name}, {edit}");
        }
    }
}

#[test]
fn scenes_that_are_drawn_in_turns_are_not_mixed_up() {
    for TestGpu { name, gpu } in gpus() {
        let (mut first, mut second) = (world(), world());
        let mesh = second.scene.mesh(second.static_node).unwrap();
        mesh.parts[0].material.edit(|it| it.base_color = RED);
        let options = Options { tier: Some(gpu.tier), ..Options::default() };
        (first.options, second.options) = (options.clone(), options.clone());
        let mut other = new_renderer(&gpu, &first);
        let expected = [&mut first, &mut second].map(|it| draw_again(&gpu, &mut other, it));
        assert!(expected[0] != expected[1], "{name}");
        let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options).unwrap();
        let mut frames = [Frame::new(), Frame::new()];
        for turn in 0..6 {
            let world = if turn % 2 == 0 { &mut first } else { &mut second };
            let (shown, _) = draw(&gpu, &mut renderer, world, &mut frames[turn % 2]);
            assert!(shown == expected[turn % 2], "{name}, turn {turn}");
        }
    }
}

#[test]
fn ids_and_overlays_between_two_pictures_do_not_change_them() {
    for TestGpu { name, gpu } in gpus() {
        let mut world = world();
        world.options.tier = Some(gpu.tier);
        let mut renderer = new_renderer(&gpu, &world);
        renderer.attach(&mut world.scene);
        let mut frame = Frame::new();
        let expected = draw_again(&gpu, &mut new_renderer(&gpu, &world), &mut world);
        let texture = target_texture(&gpu, world.size);
        let target = &texture.create_view(&Default::default());
        for turn in 0..6 {
            let (shown, stats) = draw(&gpu, &mut renderer, &mut world, &mut frame);
            assert!(shown == expected, "{name}, turn {turn}: {stats:?}");
            let view = *frame.view().unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let World { scene, size, .. } = &world;
            if turn % 2 == 0 {
                // Of another size as well.
                let size = SIZES[turn / 2 % 2];
                renderer.draw_ids(&mut encoder, scene, &frame.list, &view, size).unwrap();
            } else {
                let textures = OverlayTextures {
                    target,
                    format: FORMAT,
                    size: *size,
                    surfaces: None,
                    picture: None,
                };
                let overlays = Overlays::new(&Overlay::ALL);
                renderer
                    .draw_overlays(&mut encoder, scene, &frame.list, &view, overlays, &textures)
                    .unwrap();
            }
            gpu.queue.submit([encoder.finish()]);
        }
    }
}

#[test]
fn two_cameras_that_take_turns_have_pictures_of_their_own() {
    for TestGpu { name, gpu } in gpus() {
        let mut world = world();
        world.options.tier = Some(gpu.tier);
        let at = pleach::Transform::from_xyz(4.0, -9.0, 2.0).looking_at(Vec3::ZERO, Vec3::Z);
        let other = Node::camera(Camera::perspective(0.6)).with_transform(at);
        let cameras = [world.camera, world.scene.spawn(other).unwrap()];
        let mut renderer = new_renderer(&gpu, &world);
        renderer.attach(&mut world.scene);
        let mut frames = [Frame::new(), Frame::new()];
        let mut other = new_renderer(&gpu, &world);
        let mut expected = [const { Vec::new() }; 2];
        for turn in 0..12 {
            // Each twice in a row, then with a change between the two.
            let index = turn / 2 % 2;
            if turn == 9 {
                let mut node = world.scene.node_mut(world.middle).unwrap();
                node.translate(Vec3::X * 0.1).unwrap();
            }
            if turn == 0 || turn == 9 {
                expected = cameras.map(|camera| {
                    world.camera = camera;
                    draw_again(&gpu, &mut other, &mut world)
                });
                assert!(expected[0] != expected[1], "{name}");
            }
            world.camera = cameras[index];
            let (shown, stats) = draw(&gpu, &mut renderer, &mut world, &mut frames[index]);
            assert!(shown == expected[index], "{name}, turn {turn}: {stats:?}");
        }
    }
}

#[test]
fn after_a_dropped_encoder_was_forgotten_everything_is_drawn_again() {
    for TestGpu { name, gpu } in gpus() {
        let mut world = world();
        world.options.tier = Some(gpu.tier);
        let mut renderer = new_renderer(&gpu, &world);
        renderer.attach(&mut world.scene);
        let mut frame = Frame::new();
        let expected = draw_again(&gpu, &mut new_renderer(&gpu, &world), &mut world);
        world.scene.frame(world.camera, (world.size[0], world.size[1]), 0.0, &mut frame).unwrap();
        let texture = target_texture(&gpu, world.size);
        let view = &texture.create_view(&Default::default());
        let target = Target { view, format: FORMAT, size: world.size };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let view = *frame.view().unwrap();
        renderer.draw(&mut encoder, &world.scene, &frame.list, &view, &target).unwrap();
        drop(encoder);
        renderer.forget();
        let (shown, stats) = draw(&gpu, &mut renderer, &mut world, &mut frame);
        assert!(shown == expected && !stats.is_kept, "{name}: {stats:?}");
    }
}
