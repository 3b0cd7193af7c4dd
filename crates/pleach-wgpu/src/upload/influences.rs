//! Joint influences as a GPU reads them: one interleaved stream, with weights that sum to one.
//!
//! Per vertex and set of four: four joints (16 bits each), then four weights (32 bits each). There are
//! one or two sets; of more than eight influences per vertex the eight largest are kept.

use pleach::Geometry;

/// The size of one set of a vertex in bytes.
pub const INFLUENCE_SET: u64 = 24;

/// The interleaved influences of a geometry.
#[derive(Debug)]
pub(crate) struct InterleavedInfluences {
    pub(crate) bytes: Vec<u8>,
    /// The number of sets per vertex: 1 or 2.
    pub(crate) sets: u32,
    /// `true` if a vertex has more than eight influences.
    pub(crate) is_reduced: bool,
}

impl InterleavedInfluences {
    /// Interleaves the influences; `None` if there are none. O(vertices × influences).
    pub(crate) fn new(geometry: &Geometry) -> Option<Self> {
        let vertices = geometry.positions.len();
        let is_complete = |set: &pleach::Influences| {
            set.joints.len() == vertices && set.weights.len() == vertices
        };
        let given = geometry.influences.iter().filter(|set| is_complete(set)).count();
        if given == 0 || vertices == 0 {
            return None;
        }
        let sets = given.min(2);
        let mut bytes = Vec::with_capacity(vertices * sets * INFLUENCE_SET as usize);
        let mut is_reduced = false;
        let mut used: Vec<(u16, f32)> = Vec::new();
        for vertex in 0..vertices {
            used.clear();
            let weights = geometry.normalized_joint_weights(vertex, usize::MAX);
            used.extend(weights.map(|(joint, weight)| (joint as u16, weight)));
            if used.len() > 4 * sets {
                is_reduced = true;
                reduce(&mut used, 4 * sets);
            }
            used.resize(4 * sets, (0, 0.0));
            for four in used.as_chunks::<4>().0 {
                four.iter().for_each(|(joint, _)| bytes.extend(joint.to_ne_bytes()));
                four.iter().for_each(|(_, weight)| bytes.extend(weight.to_ne_bytes()));
            }
        }
        Some(Self { bytes, sets: sets as u32, is_reduced })
    }
}

/// Keeps the largest weights, in their order, scaled to sum to one.
fn reduce(used: &mut Vec<(u16, f32)>, count: usize) {
    while used.len() > count {
        let smallest = (0..used.len()).min_by(|&a, &b| used[a].1.total_cmp(&used[b].1));
        used.remove(smallest.unwrap_or(0));
    }
    let sum: f32 = used.iter().map(|(_, weight)| weight).sum();
    used.iter_mut().for_each(|(_, weight)| *weight /= sum);
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn weights(influences: &InterleavedInfluences) -> Vec<f32> {
        let sets = influences.bytes.chunks(INFLUENCE_SET as usize);
        sets.flat_map(|set| bytemuck::pod_collect_to_vec::<u8, f32>(&set[8..])).collect()
    }

    #[test]
    fn weights_sum_to_one() {
        let geometry = Geometry::from_positions(vec![Vec3::X])
            .with_influences(vec![[3, 1, 0, 0]], vec![[1.0, 3.0, 0.0, 0.0]]);
        let influences = InterleavedInfluences::new(&geometry).unwrap();
        assert_eq!(influences.bytes[..8], *bytemuck::bytes_of(&[3u16, 1, 0, 0]));
        assert_eq!(weights(&influences), [0.25, 0.75, 0.0, 0.0]);
    }

    #[test]
    fn of_twelve_influences_the_eight_largest_are_kept() {
        let mut geometry = Geometry::from_positions(vec![Vec3::X]);
        for set in 0..3 {
            let weight = [0.05, 0.1, 0.15][set];
            geometry = geometry.with_influences(vec![[4 * set as u16; 4]], vec![[weight; 4]]);
        }
        let influences = InterleavedInfluences::new(&geometry).unwrap();
        assert!(influences.is_reduced);
        let weights = weights(&influences);
        assert_eq!(weights.len(), 8);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(weights[0] < weights[7]);
    }
}
