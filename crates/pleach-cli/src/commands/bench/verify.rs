//! Verifies that both sides compute the same results before they are measured.
//!
//! They round differently, so a world transform may differ by a few units in the last place, and a
//! box that touches the edge of the view may be in it or not.

use anyhow::ensure;
use pleach::glam::{Mat4, Vec4};

use super::spatial::RayHit;
use super::tree_spec::BenchTree;

/// The allowed rounding error relative to the largest number.
const TOLERANCE: f32 = 1e-5;

/// Checks that the world transforms agree.
pub(super) fn worlds(ours: &impl BenchTree, naive: &impl BenchTree) -> anyhow::Result<()> {
    let (ours, naive) = (ours.worlds(), naive.worlds());
    ensure!(ours.len() == naive.len(), "pleach has {} nodes, not {}", ours.len(), naive.len());
    for (node, (ours, naive)) in ours.iter().zip(&naive).enumerate() {
        ensure!(
            is_near(ours, naive),
            "pleach and the naive tree differ at node {node}: {ours} and {naive}; this is a bug"
        );
    }
    Ok(())
}

fn is_near(a: &Mat4, b: &Mat4) -> bool {
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    let size = b.iter().fold(1.0, |size: f32, part| size.max(part.abs()));
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= size * TOLERANCE)
}

/// Checks that the same nodes are in view. Both lists are sorted; `margin` returns how far the box
/// of a node extends into the view, negative if it is outside.
pub(super) fn in_view(
    ours: &[u32],
    naive: &[u32],
    margin: impl Fn(u32) -> f32,
) -> anyhow::Result<()> {
    let missing = naive.iter().filter(|node| ours.binary_search(node).is_err());
    let more = ours.iter().filter(|node| naive.binary_search(node).is_err());
    for &node in missing.chain(more) {
        let margin = margin(node);
        ensure!(
            margin.abs() <= 1e-3,
            "pleach and the naive loop disagree about node {node}, which is {margin} m inside \
             the view; this is a bug"
        );
    }
    Ok(())
}

/// Checks that a ray hits the same node at the same distance.
pub(super) fn hits(ray: usize, ours: Option<RayHit>, naive: Option<RayHit>) -> anyhow::Result<()> {
    let agree = match (ours, naive) {
        (None, None) => true,
        (Some(ours), Some(naive)) => {
            let difference = (ours.distance - naive.distance).abs() / (1.0 + naive.distance);
            // Of two hits at the same distance, either may be first.
            difference <= if ours.node == naive.node { 1e-4 } else { TOLERANCE }
        }
        _ => false,
    };
    ensure!(
        agree,
        "pleach and the naive loop disagree about ray {ray}: {ours:?} and {naive:?}; this is a \
         bug"
    );
    Ok(())
}

/// Returns how far the box from `low` to `high` extends into the volume bounded by `planes`.
pub(super) fn margin(planes: &[Vec4; 6], low: Vec4, high: Vec4) -> f32 {
    let extent = |plane: &Vec4| {
        let farthest = Vec4::select(plane.cmpgt(Vec4::ZERO), high, low).with_w(1.0);
        plane.dot(farthest) / plane.truncate().length()
    };
    planes.iter().map(extent).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_results_are_errors() {
        let hit = |node, distance| Some(RayHit { distance, node });
        assert!(hits(0, None, None).is_ok() && hits(0, hit(1, 2.0), hit(1, 2.000_01)).is_ok());
        assert!(hits(0, hit(1, 2.0), hit(2, 2.0)).is_ok());
        assert!(hits(0, hit(1, 2.0), hit(1, 2.1)).is_err());
        assert!(hits(0, hit(1, 2.0), hit(2, 2.001)).is_err());
        assert!(hits(0, None, hit(1, 2.0)).is_err() && hits(0, hit(1, 2.0), None).is_err());

        let inside = |_| 1.0;
        assert!(in_view(&[1, 2], &[1, 2], inside).is_ok());
        assert!(in_view(&[1], &[1, 2], inside).is_err() && in_view(&[1, 2], &[1], inside).is_err());
        assert!(in_view(&[1], &[1, 2], |_| -1e-5).is_ok());

        let rotated = Mat4::from_rotation_x(1e-3);
        assert!(is_near(&Mat4::IDENTITY, &Mat4::IDENTITY) && !is_near(&Mat4::IDENTITY, &rotated));
        assert!(!is_near(&Mat4::NAN, &Mat4::IDENTITY));
    }

    #[test]
    fn the_margin_is_the_depth_of_a_box_in_the_view() {
        let mut planes = [Vec4::new(0.0, 0.0, 1.0, 100.0); 6];
        planes[3] = Vec4::new(2.0, 0.0, 0.0, -2.0);
        let of = |x: f32| {
            margin(&planes, Vec4::new(x - 0.5, 0.0, 0.0, 1.0), Vec4::new(x, 1.0, 1.0, 1.0))
        };
        assert_eq!([of(3.0), of(1.0), of(-1.0)], [2.0, 0.0, -2.0]);
    }
}
