//! `MorphWeights`: the weights of a node's morph targets.

use core::ops::{Deref, DerefMut};

use pleach_graph::NodeId;

use crate::content::Content;
use crate::{Component, Scene, SceneProblemKind};

/// The weights of the morph targets of a node's mesh, in the order of the targets.
///
/// ```
/// use pleach::MorphWeights;
///
/// let mut weights = MorphWeights::from(vec![0.0, 1.0]);
/// weights[0] = 0.5;
/// assert_eq!(weights.iter().sum::<f32>(), 1.5);
/// ```
#[doc(alias("blendShape", "blend_shapes"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphWeights(pub Vec<f32>);

impl MorphWeights {
    /// Returns the weights.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

impl From<Vec<f32>> for MorphWeights {
    fn from(weights: Vec<f32>) -> Self {
        Self(weights)
    }
}

impl Deref for MorphWeights {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for MorphWeights {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a MorphWeights {
    type Item = &'a f32;
    type IntoIter = core::slice::Iter<'a, f32>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Component for MorphWeights {
    const NAME: &'static str = "weights";

    fn write_content(&self, content: &mut Content) -> bool {
        content.write_numbers(&self.0);
        true
    }

    fn check(&self, scene: &Scene, node: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        for (part, it) in scene.mesh(node).iter().flat_map(|mesh| &mesh.parts).enumerate() {
            let (targets, weights) = (it.geometry.get().morph_targets.len(), self.len());
            if targets != weights {
                report(SceneProblemKind::MorphWeightCount { part, targets, weights });
            }
        }
    }

    fn byte_size(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.0[..])
    }
}
