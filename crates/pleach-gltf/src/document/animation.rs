//! `Animation`: a clip of a document and its target nodes.

use std::sync::Arc;

use pleach::NodeId;
use pleach::animation::Clip;

use super::property_track::PropertyTrack;
use super::rest_pose::RestPose;

/// An animation as loaded from the file.
#[derive(Clone, Debug)]
pub(crate) struct LoadedAnimation {
    pub(crate) clip: Arc<Clip>,
    /// The file's node index for each target of the clip.
    pub(crate) nodes: Vec<u32>,
    pub(crate) visibility_tracks: Vec<VisibilityTrack>,
    pub(crate) property_tracks: Vec<PropertyTrack>,
}

/// Step keys for the visibility of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VisibilityTrack {
    pub(crate) node: u32,
    /// Key times in seconds: at least one, not decreasing.
    pub(crate) times: Arc<[f32]>,
    /// One value per key.
    pub(crate) values: Vec<bool>,
}

impl VisibilityTrack {
    /// Returns `true` if the node is visible at `seconds`.
    pub(crate) fn is_visible_at(&self, seconds: f32) -> bool {
        let after = self.times.partition_point(|&time| time <= seconds);
        self.values.get(after.saturating_sub(1)).copied().unwrap_or(true)
    }
}

/// An animation of a [`Document`](crate::Document): a clip and its target nodes.
#[derive(Clone, Debug)]
pub struct Animation {
    clip: Arc<Clip>,
    pub(crate) targets: Targets,
    /// The index in the file and the clip as loaded.
    pub(crate) origin: Option<(usize, Arc<Clip>)>,
    pub(crate) visibility_tracks: Vec<VisibilityTrack>,
    pub(crate) property_tracks: Vec<PropertyTrack>,
    /// The poses that nodes of a scene had when the animation was added, by target.
    pub(crate) rest_poses: Vec<Option<RestPose>>,
}

/// The target nodes of a clip.
#[derive(Clone, Debug)]
pub(crate) enum Targets {
    /// Node indices of the file.
    File(Vec<u32>),
    /// Nodes of one of the document's scenes.
    Scene(usize, Vec<Option<NodeId>>),
}

impl Animation {
    pub(crate) fn from_file(index: usize, source: LoadedAnimation) -> Self {
        let LoadedAnimation { clip, nodes, visibility_tracks, property_tracks } = source;
        let origin = Some((index, Arc::clone(&clip)));
        Self {
            clip,
            targets: Targets::File(nodes),
            origin,
            visibility_tracks,
            property_tracks,
            rest_poses: Vec::new(),
        }
    }

    pub(crate) fn from_scene(
        scene: usize,
        clip: Arc<Clip>,
        nodes: Vec<Option<NodeId>>,
        rest_poses: Vec<Option<RestPose>>,
    ) -> Self {
        Self {
            clip,
            targets: Targets::Scene(scene, nodes),
            origin: None,
            visibility_tracks: Vec::new(),
            property_tracks: Vec::new(),
            rest_poses,
        }
    }

    /// Returns the clip. Its targets are numbered;
    /// [`Document::bind`](crate::Document::bind) maps them to nodes.
    #[must_use]
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// Returns the file's node index for each target of the clip; empty if the animation is not
    /// from the file.
    #[must_use]
    pub fn node_indices(&self) -> &[u32] {
        match &self.targets {
            Targets::File(nodes) => nodes,
            Targets::Scene(..) => &[],
        }
    }

    /// Replaces the clip, for the same targets. Saving then writes the new clip.
    pub fn set_clip(&mut self, clip: impl Into<Arc<Clip>>) {
        self.clip = clip.into();
    }

    /// Returns the number of nodes whose visibility is animated.
    #[must_use]
    pub fn visibility_target_count(&self) -> usize {
        self.visibility_tracks.len()
    }

    /// Returns the number of animated properties of materials, cameras and lights.
    #[must_use]
    pub fn property_target_count(&self) -> usize {
        self.property_tracks.len()
    }
}
