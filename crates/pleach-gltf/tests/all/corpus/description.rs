//! Describes a loaded document as text, line by line, for comparison and review.

use std::fmt::Write;

use glam::Mat4;
use pleach::animation::{Interpolation, Track};
use pleach::{
    AlphaMode, Camera, Geometry, ImageData, Light, LightKind, Material, NodeId, Part, Projection,
    Scene, TextureRef, Topology, Wrap,
};
use pleach_gltf::Document;

/// Describes the content of a document.
pub(super) fn description(document: &Document) -> String {
    let mut out = String::new();
    let trees = document.scenes().iter().chain(document.unreferenced_nodes());
    for (number, scene) in trees.enumerate() {
        let is_listed = number < document.scenes().len();
        let title = if is_listed { "scene" } else { "nodes of no scene, as scene" };
        let is_default = document.default_scene() == Some(number);
        let default = if is_default { ", the default" } else { "" };
        _ = writeln!(out, "{title} {number} {:?}{default}", scene.name);
        for node in scene.graph.depth_first().filter(|&node| node != scene.root()) {
            describe_node(&mut out, document, number, scene, node);
        }
    }
    for (number, parts) in document.meshes().iter().enumerate() {
        for (index, part) in parts.iter().enumerate() {
            _ = writeln!(out, "mesh {number} primitive {index}: {}", geometry(part));
            describe_geometry(&mut out, &part.geometry.get());
        }
    }
    for (number, material) in document.materials().iter().enumerate() {
        _ = writeln!(out, "material {number}: {}", self::material(&material.get()));
    }
    for (number, image) in document.images().iter().enumerate() {
        let data = match &image.get().data {
            ImageData::Rgba8 { .. } => "decoded".to_string(),
            ImageData::Encoded { bytes, .. } => format!("{} bytes", bytes.len()),
            ImageData::External { uri } => uri.clone(),
            other => panic!("{other:?}"),
        };
        _ = writeln!(out, "image {number}: {data}");
    }
    for (number, (joints, binds)) in document.skins().enumerate() {
        _ = writeln!(out, "skin {number}: joints {joints:?}");
        for bind in binds {
            _ = writeln!(out, "  inverse bind {}", matrix(*bind));
        }
    }
    for (number, camera) in document.cameras().iter().enumerate() {
        _ = writeln!(out, "camera {number}: {}", self::camera(camera));
    }
    for (number, light) in document.lights().iter().enumerate() {
        _ = writeln!(out, "light {number}: {}", self::light(light));
    }
    describe_animations(&mut out, document);
    describe_unknown(&mut out, document, "");
    for warning in document.report().warnings() {
        _ = writeln!(out, "warning {warning}");
    }
    out
}

fn describe_node(
    out: &mut String,
    document: &Document,
    number: usize,
    scene: &Scene,
    node: NodeId,
) {
    let index = |node: NodeId| {
        document.index_of(number, node).map_or_else(|| "-".into(), |index| index.to_string())
    };
    let it = scene.graph.node(node).unwrap();
    let parent = it.parent().filter(|&parent| parent != scene.root());
    let parent = parent.map_or_else(String::new, |parent| format!(" in {}", index(parent)));
    let name = it.name().map_or_else(|| "unnamed".into(), |name| format!("{name:?}"));
    let kind = if it.has_local_matrix() { ", local matrix" } else { "" };
    let hidden = match (it.is_visible(), it.is_shown()) {
        (false, _) => ", hidden",
        (true, false) => ", hidden by a parent",
        (true, true) => "",
    };
    let world = matrix(it.compute_world());
    _ = writeln!(out, "  node {} {name}{parent}: world {world}{kind}{hidden}", index(node));
    describe_unknown(out, document, &format!("/nodes/{}", index(node)));
    if let Some(mesh) = scene.mesh(node) {
        let is_same = |parts: &Vec<Part>| {
            let mut pairs = parts.iter().zip(&mesh.parts);
            parts.len() == mesh.parts.len() && pairs.all(|(a, b)| a.geometry == b.geometry)
        };
        let of = document.meshes().iter().position(is_same);
        let of = of.map_or_else(|| "of its own".into(), |of: usize| of.to_string());
        _ = writeln!(out, "    mesh {of}");
        for instance in mesh.instances.iter().flat_map(|it| it.matrices()) {
            _ = writeln!(out, "    instance {}", matrix(*instance));
        }
    }
    if let Some(weights) = scene.weights.get(&scene.graph, node) {
        _ = writeln!(out, "    weights {}", numbers(weights));
    }
    if let Some(skin) = scene.skin(node) {
        let joints: Vec<String> = skin.joints.iter().map(|&joint| index(joint)).collect();
        let skeleton = skin.skeleton.map_or_else(|| "none".into(), index);
        _ = writeln!(out, "    skin of joints {}, skeleton {skeleton}", joints.join(" "));
    }
    if let Some(camera) = scene.camera(node) {
        _ = writeln!(out, "    camera {}", self::camera(camera));
    }
    if let Some(light) = scene.light(node) {
        _ = writeln!(out, "    light {}", self::light(light));
    }
}

/// Describes extras and unknown extensions.
fn describe_unknown(out: &mut String, document: &Document, pointer: &str) {
    for member in ["extras", "extensions/VENDOR_unknown"] {
        if let Some(text) = document.raw(&format!("{pointer}/{member}")) {
            let text: Vec<&str> = text.split_whitespace().collect();
            _ = writeln!(out, "    {pointer}/{member} is {}", text.join(" "));
        }
    }
}

fn geometry(part: &Part) -> String {
    let geometry = &part.geometry;
    let mode = match geometry.get().topology {
        Topology::Points => "points",
        Topology::Lines => "lines",
        Topology::LineLoop => "line loop",
        Topology::LineStrip => "line strip",
        Topology::Triangles => "triangles",
        Topology::TriangleStrip => "triangle strip",
        Topology::TriangleFan => "triangle fan",
    };
    let bounds = geometry.get().bounds();
    format!(
        "{mode}, {} vertices, bounds {} to {}, material {:?}",
        geometry.get().positions.len(),
        numbers(&bounds.min.to_array()),
        numbers(&bounds.max.to_array()),
        part.material.get().name.as_deref().unwrap_or_default(),
    )
}

fn describe_geometry(out: &mut String, geometry: &Geometry) {
    let mut line = |name: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            _ = writeln!(out, "  {name} {}", rows.join(", "));
        }
    };
    line("positions", geometry.positions.iter().map(|it| numbers(&it.to_array())).collect());
    line("normals", geometry.normals.iter().map(|it| numbers(&it.to_array())).collect());
    for uvs in &geometry.uvs {
        line("uvs", uvs.iter().map(|it| numbers(&it.to_array())).collect());
    }
    for colors in &geometry.colors {
        line("colors", colors.iter().map(|it| numbers(&it.to_array())).collect());
    }
    for set in &geometry.influences {
        line("joints", set.joints.iter().map(|it| format!("{it:?}")).collect());
        line("weights", set.weights.iter().map(|it| numbers(it)).collect());
    }
    line("indices", geometry.indices.iter().flatten().map(u32::to_string).collect());
    for target in &geometry.morph_targets {
        let name = format!("target {:?} positions", target.name.as_deref().unwrap_or_default());
        line(&name, target.positions.iter().map(|it| numbers(&it.to_array())).collect());
    }
}

fn material(material: &Material) -> String {
    let alpha = match material.alpha_mode {
        AlphaMode::Opaque => "opaque".to_string(),
        AlphaMode::Mask { cutoff } => format!("mask at {}", number(cutoff)),
        AlphaMode::Blend => "blend".to_string(),
    };
    let mut line = format!(
        "{:?}, {alpha}, base color {}, metallic {}, roughness {}, emissive {} times {}, ior {}",
        material.name.as_deref().unwrap_or_default(),
        numbers(&material.base_color.to_array()),
        number(material.metallic),
        number(material.roughness),
        numbers(&material.emissive.to_array()),
        number(material.emissive_strength),
        number(material.ior),
    );
    for (is_set, name) in [(material.double_sided, "double-sided"), (material.unlit, "unlit")] {
        if is_set {
            _ = write!(line, ", {name}");
        }
    }
    if let Some(texture) = &material.base_color_texture {
        _ = write!(line, ", base color texture {}", self::texture(texture));
    }
    if let Some(coat) = &material.clearcoat {
        let (factor, roughness) = (number(coat.factor), number(coat.roughness));
        _ = write!(line, ", clearcoat {factor} of roughness {roughness}");
    }
    if let Some(transmission) = &material.transmission {
        _ = write!(line, ", transmission {}", number(transmission.factor));
    }
    line
}

fn texture(texture: &TextureRef) -> String {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::MirroredRepeat => "mirrored repeat",
        Wrap::ClampToEdge => "clamp to edge",
    };
    let sampler = &texture.sampler;
    let mut line = format!(
        "uv set {}, wrap {} and {}, magnified {}",
        texture.uv_set,
        wrap(sampler.wrap_u),
        wrap(sampler.wrap_v),
        if sampler.mag_filter == Some(pleach::MagFilter::Nearest) { "nearest" } else { "linear" },
    );
    if let Some(transform) = texture.transform {
        let (offset, scale) = (transform.offset.to_array(), transform.scale.to_array());
        let rotation = number(transform.rotation);
        let (offset, scale) = (numbers(&offset), numbers(&scale));
        _ = write!(line, ", offset {offset}, rotation {rotation}, scale {scale}");
    }
    line
}

fn camera(camera: &Camera) -> String {
    let aspect = camera.aspect.map_or_else(|| "any".into(), number);
    match camera.projection {
        Projection::Perspective { fov_y, near, far } => format!(
            "perspective, {} radians, near {}, far {}, aspect {aspect}",
            number(fov_y),
            number(near),
            number(far)
        ),
        Projection::Orthographic { height, zoom, near, far } => format!(
            "orthographic, height {}, near {}, far {}, aspect {aspect}",
            number(height / zoom),
            number(near),
            number(far)
        ),
        Projection::Custom(_) => "custom".into(),
    }
}

fn light(light: &Light) -> String {
    let range = |range: Option<f32>| range.map_or_else(|| "infinite".into(), number);
    let kind = match light.kind {
        LightKind::Directional => "directional".to_string(),
        LightKind::Point => format!("point, range {}", range(light.range)),
        LightKind::Spot { inner_angle, outer_angle } => format!(
            "spot, range {}, from {} to {} radians",
            range(light.range),
            number(inner_angle),
            number(outer_angle)
        ),
        LightKind::Ambient => "ambient".to_string(),
        other => panic!("{other:?}"),
    };
    let color = numbers(&light.color.to_array());
    format!("{kind}, color {color}, intensity {}", number(light.intensity))
}

fn describe_animations(out: &mut String, document: &Document) {
    for (number, animation) in document.animations().iter().enumerate() {
        let clip = animation.clip();
        let duration = self::number(clip.duration());
        _ = writeln!(out, "animation {number} {:?}: {duration} seconds", clip.name());
        for channel in clip.channels() {
            let track = channel.track();
            let interpolation = match track {
                Track::Translation(curve) | Track::Scale(curve) => curve.interpolation(),
                Track::Rotation(curve) => curve.interpolation(),
                Track::Weights(curve) => curve.interpolation(),
            };
            let interpolation = match interpolation {
                Interpolation::Step => "step",
                Interpolation::Linear => "linear",
                Interpolation::CubicSpline => "cubic spline",
            };
            let node = animation.node_indices()[channel.target() as usize];
            _ = writeln!(out, "  node {node} {}, {interpolation}", track.property());
            // Four samples per second, some of them between keys.
            for quarter in 0..=(clip.duration() * 4.0) as u32 {
                let seconds = quarter as f32 / 4.0;
                let value = match track {
                    Track::Translation(curve) | Track::Scale(curve) => {
                        numbers(&curve.sample(seconds).to_array())
                    }
                    Track::Rotation(curve) => numbers(&curve.sample(seconds).to_array()),
                    Track::Weights(curve) => {
                        let mut weights = vec![0.0; curve.width()];
                        curve.sample_into(seconds, &mut weights);
                        numbers(&weights)
                    }
                };
                _ = writeln!(out, "    at {}: {value}", self::number(seconds));
            }
        }
    }
}

/// Formats the columns of a matrix, with the last row only if the matrix is not affine.
fn matrix(matrix: Mat4) -> String {
    let is_affine = matrix.row(3).to_array() == [0.0, 0.0, 0.0, 1.0];
    let rows = if is_affine { 3 } else { 4 };
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
    columns.map(|column| numbers(&column.to_array()[..rows])).join(" | ")
}

fn numbers(numbers: &[f32]) -> String {
    numbers.iter().map(|&it| number(it)).collect::<Vec<_>>().join(" ")
}

/// Formats a number with at most five decimals.
fn number(number: f32) -> String {
    let text = format!("{number:.5}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}
