//! A frame in the steady state does not allocate, apart from what wgpu allocates.

use std::backtrace::Backtrace;

use pleach::glam::{Vec3, Vec4};
use pleach::{
    AlphaMode, Camera, EnvironmentMap, Frame, Image, Light, Material, MorphTarget, MorphWeights,
    Node, NodeId, Scene, Shadow, Skin, shapes,
};
use pleach_wgpu::{DrawStats, Options, Renderer, Target};
use testkit::allocations;

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{SIZE, square};

/// Meshes with all kinds of data, a light with a shadow, and the nodes that move in a frame.
fn scene(has_shadow: bool) -> (Scene, NodeId, Vec<NodeId>) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(shapes::Cuboid::new(Vec3::splat(0.1)).build().unwrap());
    let glass = Material {
        transmission: Some(Box::new(pleach::Transmission { factor: 1.0, texture: None })),
        ..Material::default()
    };
    let smoke = Material { alpha_mode: AlphaMode::Blend, ..Material::default() };
    let materials = [Material::from_color(Vec4::ONE), Material::default(), glass, smoke]
        .map(|it| scene.assets.add(it));
    let at = |i: usize| Vec3::new((i % 20) as f32 * 0.1, 0.0, (i / 20) as f32 * 0.1) - Vec3::ONE;
    let nodes = (0..400).map(|i| Node::mesh(&cube, &materials[i % 4]).at(at(i)));
    let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
    let joint = scene.spawn(Node::group()).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    let skinned = square().with_influences(vec![[0; 4]; 4], vec![[1.0, 0.0, 0.0, 0.0]; 4]);
    let skinned = scene.assets.add(skinned);
    scene.spawn(Node::mesh(&skinned, &materials[0]).skinned(skin)).unwrap();
    let morphed = square().with_morph_target(MorphTarget::from_positions(vec![Vec3::X; 4]));
    let morphed = scene.assets.add(morphed);
    let morphed = scene.spawn(Node::mesh(&morphed, &materials[1])).unwrap();
    scene.weights.insert(&scene.graph, morphed, MorphWeights::from(vec![0.5])).unwrap();
    // A warning in every frame.
    let image = scene.assets.add(Image::from_encoded("image/png", Vec::new()));
    scene.environment.map = Some(EnvironmentMap::image(&image));
    let mut sun = Light::directional(Vec3::ONE, 1.0);
    if has_shadow {
        sun = sun.with_shadow(Shadow::default());
    }
    scene.spawn(Node::light(sun)).unwrap();
    let camera = Node::camera(Camera::default()).at(Vec3::new(0.0, 0.0, 10.0));
    let camera = scene.spawn(camera).unwrap();
    // Far from each other, so that they are scattered on the full tier; and a joint.
    let moved = nodes.into_iter().step_by(20).chain([joint]).collect();
    (scene, camera, moved)
}

/// Returns the crate that an allocation is due to: `pleach…`, or `wgpu…` with what is below it.
fn culprit(trace: &Backtrace) -> Option<String> {
    let text = trace.to_string();
    // Lines of symbols are "  12: path"; others are positions.
    let symbols = text.lines().filter_map(|line| line.trim_start().split_once(": "));
    let roots = symbols.map(|(_, path)| path.trim_start_matches(['<', '&', '_']).to_string());
    roots.into_iter().find(|path| path.starts_with("pleach") || path.starts_with("wgpu"))
}

/// Draws frames until the buffers have their sizes, and returns the paths of functions of pleach that
/// allocate in the next ones.
fn allocating_functions(
    TestGpu { name, gpu }: TestGpu,
    has_shadow: bool,
    moves: bool,
) -> Vec<String> {
    let (mut scene, camera, moved) = scene(has_shadow);
    let options = Options { tier: Some(gpu.tier), ..Options::default() };
    let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options).unwrap();
    renderer.attach(&mut scene);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let target = Target { view: &view, format: texture.format(), size: SIZE };
    let mut frame = Frame::new();
    let mut found = Vec::new();
    for number in 0..10 {
        if moves {
            for &node in &moved {
                let x = (number % 2) as f32 * 0.01;
                let mut node = scene.graph.node_mut(node).unwrap();
                let at = Vec3 { x, ..node.translation() };
                node.set_translation(at).unwrap();
            }
        }
        let mut draw = || {
            scene.frame(camera, (SIZE[0], SIZE[1]), 0.0, &mut frame).unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let view = *frame.view().unwrap();
            let stats = renderer.draw(&mut encoder, &scene, &frame.list, &view, &target).unwrap();
            gpu.queue.submit([encoder.finish()]);
            stats
        };
        if number < 9 {
            assert_eq!(draw().warnings.len(), usize::from(number == 0), "{name}");
            continue;
        }
        let (traces, stats): (_, DrawStats) = allocations::trace(draw);
        assert!(frame.list.opaque().len() > 200 && stats.calls > 4, "{name}: {stats:?}");
        assert_eq!(stats.uploaded.worlds > 0, moves, "{name}");
        assert_eq!(stats.uploaded.joints > 0, moves, "{name}");
        assert_eq!(stats.shadow_maps > 0, moves && has_shadow, "{name}");
        // wgpu allocates for each encoder and pass, so the culprits can be named.
        assert!(traces.len() > 5, "{name}: {} allocations", traces.len());
        let culprits: Vec<_> = traces.iter().map(culprit).collect();
        assert!(culprits.iter().all(Option::is_some), "{name}: {}", traces[0]);
        found.extend(culprits.into_iter().flatten().filter(|it| it.starts_with("pleach")));
    }
    found
}

/// Asserts that no function of pleach allocates, on any device.
///
/// In a process without backtraces: wgpu captures some in debug builds, which cannot be traced.
fn assert_no_allocations(test: &str, has_shadow: bool, moves: bool) {
    let variable = "RUST_LIB_BACKTRACE";
    if std::env::var_os(variable).is_none_or(|it| it != "0") {
        let program = std::env::current_exe().unwrap();
        let name = format!("steady_state::{test}");
        let mut command = std::process::Command::new(program);
        let status = command.args([&name, "--exact", "--nocapture"]).env(variable, "0").status();
        assert!(status.unwrap().success(), "{name}");
        return;
    }
    for test in gpus() {
        let name = test.name.clone();
        assert_eq!(allocating_functions(test, has_shadow, moves), [""; 0], "{name}");
    }
}

#[test]
fn a_frame_in_which_nothing_changed_does_not_allocate() {
    assert_no_allocations("a_frame_in_which_nothing_changed_does_not_allocate", true, false);
}

#[test]
fn a_frame_in_which_a_few_nodes_moved_does_not_allocate() {
    assert_no_allocations("a_frame_in_which_a_few_nodes_moved_does_not_allocate", false, true);
}

#[test]
fn a_frame_with_new_shadow_maps_does_not_allocate() {
    assert_no_allocations("a_frame_with_new_shadow_maps_does_not_allocate", true, true);
}
