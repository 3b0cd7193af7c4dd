//! The visible surfaces of the pixels: nodes as both renderers see them, parts and instances as the
//! GPU renderer and [`Scene::pick`] do.
//!
//! Opaque and masked triangles must agree at pixel centres, except within a pixel of an edge, where
//! rounding decides. Points, lines and blended surfaces are counted separately: their coverage is a
//! matter of each renderer.

use std::collections::BTreeSet;

use pleach::glam::Vec2;
use pleach::{Filter, Mesh, NodeId, Scene, Topology, View};
use pleach_wgpu::PixelId;

/// The agreement of two id images.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdAgreement {
    /// The pixels where opaque or masked triangles decide.
    pub pixels: usize,
    /// Of these, the ones that show another node, part or instance.
    pub different: usize,
    /// Of the different ones, those further than a pixel from every edge.
    pub inside: usize,
    /// The pixels that show points, lines or blended surfaces in either image.
    pub separate: usize,
    /// Of these, the ones that show another node.
    pub separate_different: usize,
}

impl IdAgreement {
    /// Returns the fraction of equal pixels among those of opaque and masked triangles.
    pub fn fraction(&self) -> f64 {
        1.0 - self.different as f64 / self.pixels.max(1) as f64
    }
}

/// Returns the surface that a ray through the centre of each pixel hits.
pub fn pick(scene: &Scene, view: &View, (width, height): (u32, u32)) -> Vec<Option<PixelId>> {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    pixels
        .map(|(x, y)| {
            let ray = view.ray_through_pixel(Vec2::new(x as f32 + 0.5, y as f32 + 0.5))?;
            let hit = scene.pick(&ray, &Filter::default())?;
            let (part, instance) = (hit.part, hit.instance.unwrap_or(0));
            Some(PixelId { node: hit.node, part, instance })
        })
        .collect()
}

/// Compares images of the same width, row by row. Where a ray hits the expected node, its part and instance
/// are expected as well: rays do not see textures, so they may stop at what a mask cuts out.
pub fn compare(
    scene: &Scene,
    width: usize,
    expected: &[Option<NodeId>],
    picked: &[Option<PixelId>],
    found: &[Option<PixelId>],
) -> IdAgreement {
    let separate = separate_nodes(scene);
    let is_separate = |node: Option<NodeId>| node.is_some_and(|node| separate.contains(&node));
    let mut agreement = IdAgreement::default();
    for (pixel, ((&one, &hit), &other)) in expected.iter().zip(picked).zip(found).enumerate() {
        let node = other.map(|it| it.node);
        if is_separate(one) || is_separate(node) {
            agreement.separate += 1;
            agreement.separate_different += usize::from(one != node);
            continue;
        }
        agreement.pixels += 1;
        let is_same_part = hit.is_none_or(|hit| Some(hit.node) != one || Some(hit) == other);
        if one != node || !is_same_part {
            agreement.different += 1;
            let near_edge = is_edge(expected, width, pixel)
                || is_edge(picked, width, pixel)
                || is_edge(found, width, pixel);
            agreement.inside += usize::from(!near_edge);
        }
    }
    agreement
}

/// Returns `true` if one of the eight neighbours of a pixel shows another surface.
fn is_edge<T: PartialEq>(nodes: &[Option<T>], width: usize, pixel: usize) -> bool {
    let (x, y) = (pixel % width, pixel / width);
    let height = nodes.len() / width;
    let rows = y.saturating_sub(1)..(y + 2).min(height);
    rows.flat_map(|y| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| y * width + x))
        .any(|neighbour| nodes[neighbour] != nodes[pixel])
}

/// Returns the nodes with points, lines or transparent materials.
fn separate_nodes(scene: &Scene) -> BTreeSet<NodeId> {
    let is_transparent = |mesh: &Mesh, part| {
        mesh.is_transparent(part, 0)
            || (1..mesh.materials.len() as u32).any(|index| mesh.is_transparent(part, index))
    };
    let mut nodes = nodes_with(scene, is_transparent);
    nodes.append(&mut points_and_lines(scene));
    nodes
}

/// Returns the nodes with points or lines.
pub fn points_and_lines(scene: &Scene) -> BTreeSet<NodeId> {
    nodes_with(scene, |mesh, part| {
        !matches!(
            mesh.parts[part].geometry.get().topology,
            Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan
        )
    })
}

/// Returns the nodes with a part for which a test returns `true`.
fn nodes_with(scene: &Scene, test: impl Fn(&Mesh, usize) -> bool) -> BTreeSet<NodeId> {
    let meshes = scene.meshes.iter(&scene.graph);
    meshes
        .filter(|(_, mesh)| (0..mesh.parts.len()).any(|part| test(mesh, part)))
        .map(|(node, _)| node)
        .collect()
}
