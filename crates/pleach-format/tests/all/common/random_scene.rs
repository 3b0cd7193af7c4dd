//! Random scenes that contain every kind of component, asset and value.

use std::num::NonZeroU32;
use std::sync::Arc;

use pleach::animation::{Channel, Clip, Interpolation};
use pleach::axes::LocalAxes;
use pleach::camera::{ClipSpace, Projection};
use pleach::component::{BindMode, Bounds, Constraint, Level, Lod, MorphWeights, Part, Skin};
use pleach::geometry::{Influences, Instances, MorphTarget, Topology, VertexData};
use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::light::{
    Ambient, Background, Environment, EnvironmentMap, EnvironmentSource, Fog, Shadow,
};
use pleach::material::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Image, Iridescence, MagFilter,
    MinFilter, Sampler, Sheen, Specular, TextureRef, TextureTransform, Transmission, Volume, Wrap,
};
use pleach::{
    Aabb, Camera, Geometry, Handle, Light, Material, Mesh, Node, NodeId, Scene, Transform,
};
use testkit::Rng;

/// Creates a scene of about `size` nodes.
pub(crate) fn random_scene(rng: &mut Rng, size: usize) -> Scene {
    let mut scene = Scene::named(format!("scene {}", rng.below(100)));
    if rng.one_in(3) {
        scene.graph.set_max_generation(NonZeroU32::new(1 + rng.below(3) as u32).unwrap());
    }
    let nodes = grow(&mut scene, rng, size);
    scene.environment = Environment {
        map: None,
        ambient: Ambient { color: rng.vec3(1.0), intensity: number(rng) },
        background: rng.one_in(2).then(|| Background::Color(rng.vec3(1.0))),
        fog: rng.one_in(2).then(|| Fog {
            color: rng.vec3(1.0),
            near: number(rng),
            far: number(rng),
        }),
    };
    add_environment_map(&mut scene, &mut Rng::new(rng.state()));
    let assets = RandomAssets::new(&scene, rng);
    for &node in &nodes {
        if rng.one_in(2) {
            scene.insert(node, mesh(rng, &assets)).unwrap();
        }
        if rng.one_in(8) {
            add_component(&mut scene, rng, node, &nodes);
        }
    }
    let matrices: Arc<[Mat4]> = (0..3).map(|_| rng.affine(2.0)).collect();
    for _ in 0..rng.below(4) {
        let joints = (0..3).map(|_| rng.pick(&nodes)).collect();
        let mut skin = Skin::new(joints, Arc::clone(&matrices)).unwrap();
        skin.bind_matrix = rng.affine(1.0);
        skin.skeleton = rng.choose(&nodes).copied().filter(|_| rng.one_in(2));
        if rng.one_in(2) {
            skin.bind_mode = BindMode::Detached;
        }
        scene.insert(rng.pick(&nodes), skin).unwrap();
    }
    // Afterwards some of the nodes that components refer to are removed, and others added.
    for _ in 0..rng.below(4) {
        let node = rng.pick(&nodes);
        if scene.graph.contains(node) && node != scene.root() {
            if rng.one_in(2) { _ = scene.remove(node) } else { _ = scene.graph.remove(node) }
        }
    }
    for _ in 0..rng.below(4) {
        scene.spawn(Node::group()).unwrap();
    }
    scene
}

/// A number that is often an edge case.
pub(crate) fn number(rng: &mut Rng) -> f32 {
    match rng.below(12) {
        0 => f32::INFINITY,
        1 => f32::NEG_INFINITY,
        2 => f32::from_bits(0x7fc0_1234),
        3 => -0.0,
        4 => f32::from_bits(1),
        _ => rng.moderate(),
    }
}

pub(crate) fn transform(rng: &mut Rng) -> Transform {
    match rng.below(4) {
        0 => Transform::IDENTITY,
        1 => Transform::from_translation(rng.vec3(10.0)),
        _ => {
            Transform { translation: rng.vec3(10.0), rotation: rng.rotation(), scale: rng.scale() }
        }
    }
}

/// Adds, moves, names, hides and removes nodes.
fn grow(scene: &mut Scene, rng: &mut Rng, size: usize) -> Vec<NodeId> {
    let mut nodes = vec![scene.root()];
    for _ in 0..size {
        let node = rng.pick(&nodes);
        match rng.below(12) {
            0..=6 => nodes.push(scene.graph.add_child(node, transform(rng)).unwrap()),
            7 => nodes.push(scene.graph.add_root(transform(rng)).unwrap()),
            8 => {
                let other = rng.pick(&nodes);
                if node != scene.root() {
                    _ = scene.graph.attach(node, other);
                }
            }
            9 => {
                let names = ["", "a", "b", "ä 🌳", "a long name with several words"];
                scene.node_mut(node).unwrap().set_name(rng.pick(&names));
            }
            10 => _ = scene.node_mut(node).unwrap().set_visible(rng.one_in(2)),
            _ if rng.one_in(2) => {
                scene.node_mut(node).unwrap().set_local_matrix(rng.affine(5.0)).unwrap();
            }
            _ => {
                if node != scene.root() {
                    scene.graph.remove(node).unwrap();
                    nodes.retain(|&node| scene.graph.contains(node));
                }
            }
        }
    }
    nodes
}

pub(crate) fn add_component(scene: &mut Scene, rng: &mut Rng, node: NodeId, nodes: &[NodeId]) {
    match rng.below(6) {
        0 => {
            let projection = match rng.below(3) {
                0 => Projection::Perspective { fov_y: 1.0, near: 0.1, far: f32::INFINITY },
                1 => Projection::Orthographic {
                    height: 3.0,
                    zoom: 2.0,
                    near: -1.0,
                    far: number(rng),
                },
                _ => Projection::Custom(rng.affine(2.0)),
            };
            let clip_spaces =
                [ClipSpace::NegOneToOne, ClipSpace::ZeroToOne, ClipSpace::ZeroToOneReversed];
            let camera = Camera {
                projection,
                aspect: rng.one_in(2).then(|| number(rng)),
                clip_space: rng.pick(&clip_spaces),
                layers: rng.next_u32(),
            };
            scene.insert(node, camera).unwrap();
        }
        1 => {
            let color = rng.vec3(1.0);
            let light = match rng.below(4) {
                0 => Light::directional(color, number(rng)).with_shadow(Shadow {
                    enabled: rng.one_in(2),
                    map_size: rng.next_u32(),
                    bias: number(rng),
                    normal_bias: number(rng),
                    near: number(rng),
                    far: number(rng),
                    bounds: number(rng),
                }),
                1 => Light::point(color, number(rng)).with_range(number(rng)),
                2 => Light::spot(color, 1.0, number(rng), number(rng)),
                _ => Light::ambient(color, number(rng)),
            };
            scene.insert(node, light.with_layers(rng.next_u32())).unwrap();
        }
        2 => {
            let weights: Vec<f32> = (0..rng.below(4)).map(|_| number(rng)).collect();
            scene.insert(node, MorphWeights(weights)).unwrap();
        }
        3 => {
            let level =
                |rng: &mut Rng| Level { node: rng.pick(nodes), min_screen_size: number(rng) };
            let levels = (0..rng.below(3)).map(|_| level(rng)).collect();
            scene.insert(node, Lod { levels }).unwrap();
        }
        4 => {
            let (target, up) = (rng.pick(nodes), Vec3::Z);
            let constraint = match rng.below(5) {
                0 => Constraint::LookAt { target, up },
                1 => Constraint::Face { target, up },
                2 => {
                    let axes = LocalAxes::new(rng.direction(), rng.direction());
                    Constraint::Aim { target, axes: axes.unwrap_or(LocalAxes::MODEL), up }
                }
                3 => Constraint::Billboard { camera: target },
                _ => Constraint::Upright { camera: target, axis: rng.direction() },
            };
            // Fails if it depends on itself.
            _ = scene.insert(node, constraint);
        }
        _ => {
            let bounds = match rng.below(3) {
                0 => Aabb::EMPTY,
                _ => Aabb::from_points([rng.vec3(5.0), rng.vec3(5.0)]),
            };
            scene.insert(node, Bounds(bounds)).unwrap();
        }
    }
}

pub(crate) fn add_environment_map(scene: &mut Scene, rng: &mut Rng) {
    let sky = Image::from_rgb_f32(2, 1, vec![rng.vec3(9.0).into(), [1e-40, -0.0, 1e30]]).unwrap();
    let source = match rng.below(4) {
        0 => return,
        1 => EnvironmentSource::Studio,
        2 => EnvironmentSource::Image(scene.assets.add(sky.named("sky"))),
        _ => {
            let file = Image::from_encoded("image/vnd.radiance", vec![3; 5]);
            EnvironmentSource::Image(scene.assets.add(file))
        }
    };
    let map = EnvironmentMap { source, intensity: number(rng), rotation: number(rng) };
    scene.environment.map = Some(map);
    if rng.one_in(2) {
        scene.environment.background = Some(Background::EnvironmentMap { blur: number(rng) });
    }
}

pub(crate) struct RandomAssets {
    pub(crate) images: [Handle<Image>; 3],
    pub(crate) geometries: Vec<Handle<Geometry>>,
    pub(crate) materials: Vec<Handle<Material>>,
}

impl RandomAssets {
    pub(crate) fn new(scene: &Scene, rng: &mut Rng) -> Self {
        let images = [
            scene.assets.add(Image::from_rgba8(2, 1, vec![1, 2, 3, 4, 5, 6, 7, 8]).unwrap()),
            scene.assets.add(Image::from_encoded("image/png", vec![9; 13]).named("encoded")),
            scene.assets.add(Image::from_uri("wood.png")),
        ];
        let shared = VertexData::shared((0..5).map(|_| rng.vec3(3.0)).collect());
        let geometries = (0..4).map(|_| scene.assets.add(geometry(rng, &shared))).collect();
        let materials = (0..4).map(|_| scene.assets.add(material(rng, &images))).collect();
        Self { images, geometries, materials }
    }
}

pub(crate) fn geometry(rng: &mut Rng, shared: &VertexData<Vec3>) -> Geometry {
    let count = if rng.one_in(4) { 0 } else { shared.len() };
    let vec3s = |rng: &mut Rng| (0..count).map(|_| rng.vec3(3.0)).collect::<VertexData<Vec3>>();
    let vec4s = |rng: &mut Rng| (0..count).map(|_| rng.vec3(1.0).extend(1.0)).collect();
    let topologies = [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::Triangles,
        Topology::TriangleStrip,
        Topology::TriangleFan,
    ];
    Geometry {
        topology: rng.pick(&topologies),
        positions: if rng.one_in(2) { shared.clone() } else { vec3s(rng) },
        normals: if rng.one_in(2) { VertexData::new() } else { vec3s(rng) },
        tangents: vec4s(rng),
        uvs: (0..rng.below(3))
            .map(|_| (0..count).map(|_| Vec2::splat(number(rng))).collect())
            .collect(),
        colors: (0..rng.below(2)).map(|_| vec4s(rng)).collect(),
        influences: (0..rng.below(2))
            .map(|_| Influences {
                joints: (0..count).map(|_| [0u16, 1, 2, rng.below(3) as u16]).collect(),
                weights: (0..count).map(|_| [0.5, 0.25, 0.25, 0.0]).collect(),
            })
            .collect(),
        indices: rng.one_in(2).then(|| (0..6).map(|_| rng.below(5) as u32).collect()),
        morph_targets: (0..rng.below(3))
            .map(|_| MorphTarget {
                name: rng.one_in(2).then(|| "smile".into()),
                positions: if rng.one_in(2) { shared.clone() } else { vec3s(rng) },
                normals: vec3s(rng),
                tangents: vec3s(rng),
            })
            .collect(),
        face_materials: (0..rng.below(3)).map(|_| rng.next_u32()).collect(),
        vertex_materials: (0..rng.below(3)).map(|_| rng.next_u32()).collect(),
    }
}

pub(crate) fn material(rng: &mut Rng, images: &[Handle<Image>]) -> Material {
    let texture = |rng: &mut Rng| {
        rng.one_in(2).then(|| TextureRef {
            image: images[rng.below(images.len())].clone(),
            sampler: Sampler {
                mag_filter: rng.pick(&[None, Some(MagFilter::Nearest), Some(MagFilter::Linear)]),
                min_filter: rng.pick(&[
                    None,
                    Some(MinFilter::Nearest),
                    Some(MinFilter::Linear),
                    Some(MinFilter::NearestMipmapNearest),
                    Some(MinFilter::LinearMipmapNearest),
                    Some(MinFilter::NearestMipmapLinear),
                    Some(MinFilter::LinearMipmapLinear),
                ]),
                wrap_u: rng.pick(&[Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge]),
                wrap_v: rng.pick(&[Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge]),
            },
            uv_set: rng.below(3) as u32,
            transform: rng.one_in(2).then(|| TextureTransform {
                offset: Vec2::splat(number(rng)),
                rotation: number(rng),
                scale: Vec2::new(number(rng), 2.0),
            }),
        })
    };
    let mut boxes = || rng.one_in(2);
    let [clearcoat, sheen, specular, transmission, diffuse, volume, iridescence, anisotropy] =
        [(); 8].map(|()| boxes());
    Material {
        name: rng.one_in(2).then(|| "stone".into()),
        base_color: Vec4::new(number(rng), 0.5, 0.25, number(rng)),
        base_color_texture: texture(rng),
        metallic: number(rng),
        roughness: number(rng),
        metallic_roughness_texture: texture(rng),
        normal_texture: texture(rng),
        normal_scale: number(rng),
        occlusion_texture: texture(rng),
        occlusion_strength: number(rng),
        emissive: rng.vec3(2.0),
        emissive_texture: texture(rng),
        emissive_strength: number(rng),
        alpha_mode: match rng.below(3) {
            0 => AlphaMode::Opaque,
            1 => AlphaMode::Mask { cutoff: number(rng) },
            _ => AlphaMode::Blend,
        },
        double_sided: rng.one_in(2),
        unlit: rng.one_in(2),
        ior: number(rng),
        dispersion: number(rng),
        clearcoat: clearcoat.then(|| {
            Box::new(Clearcoat {
                factor: number(rng),
                texture: texture(rng),
                roughness: number(rng),
                roughness_texture: texture(rng),
                normal_texture: texture(rng),
                normal_scale: number(rng),
            })
        }),
        sheen: sheen.then(|| {
            Box::new(Sheen {
                color: rng.vec3(1.0),
                color_texture: texture(rng),
                roughness: number(rng),
                roughness_texture: texture(rng),
            })
        }),
        specular: specular.then(|| {
            Box::new(Specular {
                factor: number(rng),
                texture: texture(rng),
                color: rng.vec3(1.0),
                color_texture: texture(rng),
            })
        }),
        transmission: transmission
            .then(|| Box::new(Transmission { factor: number(rng), texture: texture(rng) })),
        diffuse_transmission: diffuse.then(|| {
            Box::new(DiffuseTransmission {
                factor: number(rng),
                texture: texture(rng),
                color: rng.vec3(1.0),
                color_texture: texture(rng),
            })
        }),
        volume: volume.then(|| {
            Box::new(Volume {
                thickness: number(rng),
                thickness_texture: texture(rng),
                attenuation_distance: number(rng),
                attenuation_color: rng.vec3(1.0),
            })
        }),
        iridescence: iridescence.then(|| {
            Box::new(Iridescence {
                factor: number(rng),
                texture: texture(rng),
                ior: number(rng),
                thickness_min: number(rng),
                thickness_max: number(rng),
                thickness_texture: texture(rng),
            })
        }),
        anisotropy: anisotropy.then(|| {
            Box::new(Anisotropy {
                strength: number(rng),
                rotation: number(rng),
                texture: texture(rng),
            })
        }),
    }
}

pub(crate) fn mesh(rng: &mut Rng, assets: &RandomAssets) -> Mesh {
    let part = |rng: &mut Rng| Part {
        geometry: assets.geometries[rng.below(assets.geometries.len())].clone(),
        material: assets.materials[rng.below(assets.materials.len())].clone(),
    };
    let parts = if rng.one_in(4) { rng.below(4) } else { 1 };
    let mut mesh = Mesh::from_parts((0..parts).map(|_| part(rng)).collect());
    if rng.one_in(4) {
        mesh.materials = (0..rng.below(3)).map(|_| part(rng).material).collect();
    }
    if rng.one_in(4) {
        mesh.cast_shadow = rng.one_in(2);
        mesh.receive_shadow = rng.one_in(2);
        mesh.transparent = rng.pick(&[None, Some(false), Some(true)]);
        mesh.is_static = rng.one_in(2);
        mesh.frustum_culled = rng.one_in(2);
        mesh.layers = rng.next_u32();
    }
    if rng.one_in(6) {
        let matrices = (0..rng.below(5)).map(|_| rng.affine(3.0)).collect();
        mesh.instances = Some(Box::new(Instances::new(Aabb::EMPTY, matrices).unwrap()));
    }
    mesh
}

/// Creates clips with every kind of channel.
pub(crate) fn random_clips(rng: &mut Rng) -> Vec<Arc<Clip>> {
    let clip = |rng: &mut Rng| {
        let times: Arc<[f32]> = [0.0, 0.5, 0.5, 2.0].into();
        let vec3s = |rng: &mut Rng| (0..4).map(|_| rng.vec3(2.0)).collect::<Vec<_>>();
        let rotations: Vec<_> = (0..4).map(|_| rng.rotation()).collect();
        let spline: Vec<_> = (0..12).map(|_| rng.rotation() * 2.0).collect();
        let weights: Vec<f32> = (0..8).map(|_| rng.moderate()).collect();
        let channels = vec![
            Channel::translation(0, Interpolation::Linear, Arc::clone(&times), vec3s(rng)),
            Channel::scale(1, Interpolation::Step, Arc::clone(&times), vec3s(rng)),
            Channel::rotation(0, Interpolation::Linear, [1.0, 2.0, 3.0, 4.0], rotations),
            Channel::rotation(1, Interpolation::CubicSpline, Arc::clone(&times), spline),
            Channel::weights(1, Interpolation::Linear, times, weights),
        ];
        let channels: Vec<Channel> = channels.into_iter().map(Result::unwrap).collect();
        let clip = Clip::new("walk", ["hip", ""], channels).unwrap();
        Arc::new(clip.with_duration(rng.between(0.0, 9.0)).unwrap())
    };
    (0..rng.below(3)).map(|_| clip(rng)).collect()
}
