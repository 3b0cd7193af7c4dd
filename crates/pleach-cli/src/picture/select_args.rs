//! The nodes that a picture outlines.

use pleach::NodeId;
use pleach_gltf::Document;

use crate::input::resolve;

/// The nodes to outline.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SelectArgs {
    /// Outline a node and its descendants, by name or by index as #12; may be repeated
    #[arg(long, value_name = "NODE")]
    select: Vec<String>,
}

impl SelectArgs {
    /// Returns the nodes of a scene. `number` is an index as `SceneArgs::resolve` returns it.
    pub(crate) fn resolve(
        &self,
        document: &Document,
        number: usize,
    ) -> anyhow::Result<Vec<NodeId>> {
        self.select.iter().map(|wanted| resolve::node(document, number, wanted)).collect()
    }
}
