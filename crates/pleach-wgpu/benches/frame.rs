//! The processor time of a frame: update, cull, list, and the commands of the renderer.
//!
//! `cargo bench -p pleach-wgpu --bench frame [-- FILTER]`. `WGPU_BACKEND=gl` selects another adapter.
//!
//! Timed are `Scene::update`, `Scene::cull`, `RenderList::build` (by `Scene::frame`), and the creation,
//! recording and finishing of a command encoder, with the work of wgpu and of the driver in these calls.
//! Edits, the submission and the wait for the GPU are not: each frame begins when the GPU is idle. The size
//! of the picture does not matter, so it is small.

use std::time::{Duration, Instant};

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{Camera, Frame, Light, Material, Node, NodeId, Scene, Transform, shapes};
use pleach_wgpu::{Options, Renderer, Target, Tier};
use testkit::Rng;

const SIZE: [u32; 2] = [64, 36];
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// The timed frames of each benchmark, after [`WARM_UP`] others.
const FRAMES: usize = 100;
const WARM_UP: usize = 10;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_test = args.iter().any(|arg| arg == "--test");
    let filter = args.iter().find(|arg| !arg.starts_with("--")).map_or("", |arg| arg);
    let Some((device, queue)) = pollster::block_on(request_device()) else {
        println!("SKIPPED: no adapter");
        return;
    };
    println!("{:?}", device.adapter_info());
    println!("microseconds, median (minimum) of {FRAMES} frames\n");
    println!(
        "{:64} {:>16} {:>16} {:>16} {:>16}",
        "", "frame", "update to list", "record", "finish"
    );
    for tier in [Tier::Full, Tier::Limited] {
        for bench in &BENCHES {
            let name = format!("{}_{tier:?}", bench.name).to_lowercase();
            if name.contains(filter) {
                let frames = if is_test { 1 } else { FRAMES };
                print_line(&name, &mut bench.run(&device, &queue, tier, frames));
            }
        }
    }
}

/// The edits of each frame.
#[derive(Clone, Copy, PartialEq)]
enum Edits {
    Nothing,
    OnePercentMoved,
    CameraTurned,
}

struct Bench {
    name: &'static str,
    edits: Edits,
    /// `true` for the product of the geometries and materials instead of as many batches as there are
    /// materials.
    has_many_batches: bool,
}

const BENCHES: [Bench; 4] = [
    Bench {
        name: "frame_100k_nodes_10k_in_view_nothing_changed",
        edits: Edits::Nothing,
        has_many_batches: false,
    },
    Bench {
        name: "frame_100k_nodes_10k_in_view_1_percent_moved",
        edits: Edits::OnePercentMoved,
        has_many_batches: false,
    },
    Bench {
        name: "frame_100k_nodes_10k_in_view_1_percent_moved_1024_batches",
        edits: Edits::OnePercentMoved,
        has_many_batches: true,
    },
    Bench {
        name: "frame_100k_nodes_10k_in_view_camera_turned",
        edits: Edits::CameraTurned,
        has_many_batches: false,
    },
];

/// The times of a frame: until the list is built, to record the commands, and to finish the encoder.
type Times = [Duration; 3];

impl Bench {
    fn run(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        tier: Tier,
        frames: usize,
    ) -> Vec<Times> {
        let (mut scene, camera, moved) = field(self.has_many_batches);
        let options = Options { tier: Some(tier), ..Options::default() };
        let mut renderer = Renderer::new(device, queue, options).expect("a renderer");
        renderer.attach(&mut scene);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let texture = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &texture, format: FORMAT, size: SIZE };
        let mut frame = Frame::new();
        let mut all = Vec::new();
        for number in 0..WARM_UP + frames {
            self.edit(&mut scene, camera, &moved, number);
            let start = Instant::now();
            scene.frame(camera, (SIZE[0], SIZE[1]), 0.0, &mut frame).expect("a valid scene");
            let listed = Instant::now();
            let mut encoder = device.create_command_encoder(&Default::default());
            let view = frame.view().expect("the frame has a view");
            let stats = renderer.draw(&mut encoder, &scene, &frame.list, view, &target);
            let recorded = Instant::now();
            let commands = encoder.finish();
            let finished = Instant::now();
            queue.submit([commands]);
            device.poll(wgpu::PollType::wait_indefinitely()).expect("the GPU is ready");
            let stats = stats.expect("nothing exceeds a limit");
            self.check(&frame, &stats, number, moved.len());
            if number >= WARM_UP {
                all.push([listed - start, recorded - listed, finished - recorded]);
            }
        }
        all
    }

    fn edit(&self, scene: &mut Scene, camera: NodeId, moved: &[NodeId], number: usize) {
        let sway = if number.is_multiple_of(2) { 0.01 } else { -0.01 };
        match self.edits {
            Edits::Nothing => {}
            Edits::OnePercentMoved => {
                for &node in moved {
                    let mut node = scene.graph.node_mut(node).expect("the node is alive");
                    let at = node.translation();
                    node.set_translation(at + Vec3::Z * sway).expect("finite");
                }
            }
            Edits::CameraTurned => {
                let turned = Quat::from_rotation_z(sway) * camera_transform().rotation;
                let mut camera = scene.graph.node_mut(camera).expect("the camera is alive");
                camera.set_rotation(turned).expect("finite");
            }
        }
    }

    /// Panics if the frame was not the one that the name states.
    fn check(&self, frame: &Frame, stats: &pleach_wgpu::DrawStats, number: usize, moved: usize) {
        let batches = if self.has_many_batches { 1024 } else { 64 };
        assert_eq!((frame.list.opaque().len(), stats.calls), (10_000, batches));
        assert_eq!(stats.warnings, []);
        if number > 0 {
            let moved = if self.edits == Edits::OnePercentMoved { moved } else { 0 };
            let camera = usize::from(self.edits == Edits::CameraTurned);
            let rows = (stats.uploaded.worlds / 48) as usize;
            assert!((moved + camera..=(moved + camera) * 5 / 4).contains(&rows), "{rows} rows");
        }
    }
}

/// Returns 100,000 meshes in 1000 areas, a camera that has a tenth of the areas in view, and a hundredth
/// of the nodes, all leaves, from all areas.
fn field(has_many_batches: bool) -> (Scene, NodeId, Vec<NodeId>) {
    let mut scene = Scene::new();
    let mut rng = Rng::new(16);
    let geometries: Vec<_> = (0..16)
        .map(|i| shapes::Cuboid::new(Vec3::splat(0.5 + i as f32 / 32.0)).build().expect("a box"))
        .map(|cuboid| scene.assets.add(cuboid))
        .collect();
    let materials: Vec<_> = (0..64)
        .map(|i| Material::from_color(Vec4::new(i as f32 / 64.0, 0.5, 0.3, 1.0)))
        .map(|material| scene.assets.add(material))
        .collect();
    let mut leaves = Vec::new();
    let mut mesh_count = 0;
    let mut mesh = |rng: &mut Rng, center: Vec3| {
        mesh_count += 1;
        let geometry = if has_many_batches { mesh_count / 64 % 16 } else { mesh_count % 16 };
        let node = Node::mesh(&geometries[geometry], &materials[mesh_count % 64]);
        node.at(center + rng.vec3(2.0))
    };
    for area in 0..1000 {
        // Directions from the camera, which looks along +Y: every tenth area is within 12° of it, the
        // others are more than 60° away.
        let turn = (area / 10) as f32 / 100.0;
        let degrees = match area % 10 {
            0 => 24.0 * turn - 12.0,
            direction => 60.0 + 240.0 * (direction as f32 - 1.0 + turn) / 9.0,
        };
        let direction = Vec2::from_angle((90.0 + degrees).to_radians());
        let center = (direction * (60.0 + 90.0 * rng.between(0.0, 1.0))).extend(0.0);
        for _ in 0..10 {
            let object = scene.spawn(mesh(&mut rng, center)).expect("finite");
            for _ in 0..9 {
                let leaf = mesh(&mut rng, Vec3::ZERO).under(object);
                leaves.push(scene.spawn(leaf).expect("finite"));
            }
        }
    }
    let camera = Node::camera(Camera::perspective(0.6));
    let camera = scene.spawn(camera.with_transform(camera_transform())).expect("finite");
    let sun = Node::light(Light::directional(Vec3::ONE, 3.0));
    scene.spawn(sun).expect("finite");
    let moved = leaves.chunks(90).map(|leaves| rng.pick(leaves)).collect();
    (scene, camera, moved)
}

fn camera_transform() -> Transform {
    Transform::IDENTITY.looking_at(Vec3::Y, Vec3::Z)
}

async fn request_device() -> Option<(wgpu::Device, wgpu::Queue)> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let instance = wgpu::Instance::new(descriptor);
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.ok()?;
    let required_limits = adapter.limits();
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    adapter.request_device(&descriptor).await.ok()
}

fn print_line(name: &str, times: &mut [Times]) {
    let column = |time: &dyn Fn(&Times) -> Duration| {
        let mut times: Vec<_> = times.iter().map(|it| time(it).as_secs_f64() * 1e6).collect();
        times.sort_by(f64::total_cmp);
        format!("{:.0} ({:.0})", times[times.len() / 2], times[0])
    };
    println!(
        "{name:64} {:>16} {:>16} {:>16} {:>16}",
        column(&|it| it.iter().sum()),
        column(&|it| it[0]),
        column(&|it| it[1]),
        column(&|it| it[2])
    );
}
