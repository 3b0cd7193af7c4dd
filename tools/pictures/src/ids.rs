//! The nodes of the pixels, as both renderers see them.
//!
//! Opaque and masked triangles must agree at pixel centres, except within a pixel of an edge, where
//! rounding decides. Points, lines and blended surfaces are counted separately: their coverage is a
//! matter of each renderer.

use std::collections::BTreeSet;

use pleach::{NodeId, Scene, Topology};

/// The agreement of two id images.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdAgreement {
    /// The pixels where opaque or masked triangles decide.
    pub pixels: usize,
    /// Of these, the ones that show another node.
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

/// Compares two images of nodes of the same width, row by row.
pub fn compare(
    scene: &Scene,
    width: usize,
    expected: &[Option<NodeId>],
    found: &[Option<NodeId>],
) -> IdAgreement {
    let separate = separate_nodes(scene);
    let is_separate = |node: Option<NodeId>| node.is_some_and(|node| separate.contains(&node));
    let mut agreement = IdAgreement::default();
    for (pixel, (&one, &other)) in expected.iter().zip(found).enumerate() {
        if is_separate(one) || is_separate(other) {
            agreement.separate += 1;
            agreement.separate_different += usize::from(one != other);
            continue;
        }
        agreement.pixels += 1;
        if one != other {
            agreement.different += 1;
            let near_edge = is_edge(expected, width, pixel) || is_edge(found, width, pixel);
            agreement.inside += usize::from(!near_edge);
        }
    }
    agreement
}

/// Returns `true` if one of the eight neighbours of a pixel shows another node.
fn is_edge(nodes: &[Option<NodeId>], width: usize, pixel: usize) -> bool {
    let (x, y) = (pixel % width, pixel / width);
    let height = nodes.len() / width;
    let rows = y.saturating_sub(1)..(y + 2).min(height);
    rows.flat_map(|y| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| y * width + x))
        .any(|neighbour| nodes[neighbour] != nodes[pixel])
}

/// Returns the nodes with points, lines or transparent materials.
fn separate_nodes(scene: &Scene) -> BTreeSet<NodeId> {
    let mut nodes = BTreeSet::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let separate = mesh.parts.iter().enumerate().any(|(part, it)| {
            let topology = it.geometry.get().topology;
            let triangles = matches!(
                topology,
                Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan
            );
            let transparent = mesh.is_transparent(part, 0)
                || (1..mesh.materials.len() as u32).any(|index| mesh.is_transparent(part, index));
            !triangles || transparent
        });
        if separate {
            nodes.insert(node);
        }
    }
    nodes
}
