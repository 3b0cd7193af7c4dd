//! The kinds of differences between two files.

use serde::{Serialize, Serializer};

use super::change::Action;

macro_rules! kinds {
    ($($kind:ident = $text:literal,)+) => {
        /// The kind of a difference.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum ChangeKind {
            $($kind,)+
        }

        impl ChangeKind {
            /// Returns the kind as text, the same for people and scripts.
            pub(super) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $text,)+
                }
            }
        }
    };
}

kinds! {
    Added = "added",
    Removed = "removed",
    Renamed = "renamed",
    Reparented = "reparented",
    Moved = "moved",
    Hidden = "hidden",
    Shown = "shown",
    Mesh = "mesh",
    Material = "material",
    Instances = "instances",
    Skin = "skin",
    Weights = "weights",
    Camera = "camera",
    Light = "light",
    SceneAdded = "scene added",
    SceneRemoved = "scene removed",
    SceneRenamed = "scene renamed",
    DefaultScene = "default scene",
    UnreferencedAdded = "unreferenced added",
    UnreferencedRemoved = "unreferenced removed",
    MeshRenamed = "mesh renamed",
    SkinRenamed = "skin renamed",
    CameraRenamed = "camera renamed",
    LightRenamed = "light renamed",
    ImageRenamed = "image renamed",
    Animation = "animation",
    AnimationAdded = "animation added",
    AnimationRemoved = "animation removed",
    AnimationRenamed = "animation renamed",
}

impl ChangeKind {
    /// Returns what happened to the node, scene or animation as a whole.
    pub(super) const fn action(self) -> Action {
        match self {
            Self::Added | Self::SceneAdded | Self::UnreferencedAdded | Self::AnimationAdded => {
                Action::Added
            }
            Self::Removed
            | Self::SceneRemoved
            | Self::UnreferencedRemoved
            | Self::AnimationRemoved => Action::Removed,
            _ => Action::Changed,
        }
    }
}

impl Serialize for ChangeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
