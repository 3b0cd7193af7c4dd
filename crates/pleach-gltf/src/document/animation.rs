//! `Animation`: a clip of a document, and which nodes it moves.

use std::sync::Arc;

use pleach::NodeId;
use pleach::animation::Clip;

/// An animation as the file has it.
#[derive(Clone, Debug)]
pub(crate) struct LoadedAnimation {
    pub(crate) clip: Arc<Clip>,
    /// The file's node for each target of the clip.
    pub(crate) nodes: Vec<u32>,
    pub(crate) visibility_tracks: Vec<VisibilityTrack>,
}

/// When a node is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VisibilityTrack {
    pub(crate) node: u32,
    /// At least one, not decreasing unless the file is odd.
    pub(crate) times: Arc<[f32]>,
    /// As many.
    pub(crate) values: Vec<bool>,
}

impl VisibilityTrack {
    /// Is it shown at a moment?
    pub(crate) fn is_visible_at(&self, seconds: f32) -> bool {
        let after = self.times.partition_point(|&time| time <= seconds);
        self.values.get(after.saturating_sub(1)).copied().unwrap_or(true)
    }
}

/// An animation of a [`Document`](crate::Document): a clip, and the nodes it is for.
#[derive(Clone, Debug)]
pub struct Animation {
    clip: Arc<Clip>,
    pub(crate) targets: Targets,
    /// The file's animation that it was, and its clip then.
    pub(crate) origin: Option<(usize, Arc<Clip>)>,
    pub(crate) visibility_tracks: Vec<VisibilityTrack>,
}

/// Which nodes the targets of a clip are.
#[derive(Clone, Debug)]
pub(crate) enum Targets {
    /// Nodes of the file.
    File(Vec<u32>),
    /// Nodes of one of the document's scenes.
    Scene(usize, Vec<Option<NodeId>>),
}

impl Animation {
    pub(crate) fn from_file(index: usize, source: LoadedAnimation) -> Self {
        let LoadedAnimation { clip, nodes, visibility_tracks } = source;
        let origin = Some((index, Arc::clone(&clip)));
        Self { clip, targets: Targets::File(nodes), origin, visibility_tracks }
    }

    pub(crate) fn from_scene(scene: usize, clip: Arc<Clip>, nodes: Vec<Option<NodeId>>) -> Self {
        Self {
            clip,
            targets: Targets::Scene(scene, nodes),
            origin: None,
            visibility_tracks: Vec::new(),
        }
    }

    /// What happens, over time. Its targets are numbered;
    /// [`Document::bind`](crate::Document::bind) says which nodes they are.
    #[must_use]
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// The file's nodes that the clip's targets are; empty if it was not in the file.
    #[must_use]
    pub fn node_indices(&self) -> &[u32] {
        match &self.targets {
            Targets::File(nodes) => nodes,
            Targets::Scene(..) => &[],
        }
    }

    /// Puts another clip in its place, for the same targets. What is saved then is this one.
    pub fn set_clip(&mut self, clip: impl Into<Arc<Clip>>) {
        self.clip = clip.into();
    }

    /// How many nodes it shows and hides.
    #[must_use]
    pub fn visibility_target_count(&self) -> usize {
        self.visibility_tracks.len()
    }
}
