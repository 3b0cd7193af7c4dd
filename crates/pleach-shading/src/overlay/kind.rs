//! `Overlay` and `Overlays`: the kinds of overlays and their names, and which are drawn.

use std::fmt;
use std::str::FromStr;

use pleach::NodeId;

/// A debug overlay that is drawn on top of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overlay {
    /// A grid in the plane of the world's x and y axes, where nothing occludes it. It fades out with
    /// the distance from the camera; the spacing of its lines is a power of ten.
    Grid,
    /// The edges of triangles in their current pose, where nothing occludes them; and the lines of
    /// line geometry.
    Wireframe,
    /// The world bounds of each mesh in view, faint where occluded.
    Boxes,
    /// The boxes of the bounding volume hierarchy, coloured by depth: violet for the root, then
    /// blue, green, yellow, red.
    Bvh,
    /// The joints of each skin, linked to their parents, in front of everything.
    Joints,
    /// The local x, y and z axes of each node in red, green and blue, in front of everything.
    Axes,
    /// Vertex normals in their current pose, where nothing occludes them.
    Normals,
    /// The index and name of the node of each mesh in view; grey if the picture does not show it.
    Ids,
}

impl Overlay {
    /// All overlays, in drawing order.
    pub const ALL: [Self; 8] = [
        Self::Grid,
        Self::Wireframe,
        Self::Normals,
        Self::Boxes,
        Self::Bvh,
        Self::Axes,
        Self::Joints,
        Self::Ids,
    ];

    /// Returns the name: `grid`, `wireframe`, `boxes`, `bvh`, `joints`, `axes`, `normals`, `ids`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Wireframe => "wireframe",
            Self::Boxes => "boxes",
            Self::Bvh => "bvh",
            Self::Joints => "joints",
            Self::Axes => "axes",
            Self::Normals => "normals",
            Self::Ids => "ids",
        }
    }
}

impl fmt::Display for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Overlay {
    type Err = UnknownOverlay;

    fn from_str(name: &str) -> Result<Self, UnknownOverlay> {
        let found = Self::ALL.into_iter().find(|overlay| overlay.name() == name);
        found.ok_or_else(|| UnknownOverlay(name.into()))
    }
}

/// The error for a name that is not an [`Overlay`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOverlay(pub String);

impl fmt::Display for UnknownOverlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Overlay::ALL.map(Overlay::name).join(", ");
        write!(f, "{:?} is not an overlay; valid names are {names}", self.0)
    }
}

impl std::error::Error for UnknownOverlay {}

/// The overlays to draw, the nodes to outline, and the text of the [`Overlay::Ids`] labels.
#[derive(Clone, Copy)]
pub struct Overlays<'a> {
    overlays: &'a [Overlay],
    selection: &'a [NodeId],
    label: Option<&'a dyn Fn(NodeId) -> String>,
}

impl<'a> Overlays<'a> {
    /// Selects overlays. Labels are `#index name`, with [`NodeId::index`].
    #[must_use]
    pub fn new(overlays: &'a [Overlay]) -> Self {
        Self { overlays, selection: &[], label: None }
    }

    /// Outlines nodes and all their descendants where the picture shows them. Nodes that were
    /// removed are ignored.
    #[must_use]
    pub fn with_selection(self, nodes: &'a [NodeId]) -> Self {
        Self { selection: nodes, ..self }
    }

    /// Sets a function for the labels, for example to show the node indices of a file.
    #[must_use]
    pub fn with_labels(self, label: &'a dyn Fn(NodeId) -> String) -> Self {
        Self { label: Some(label), ..self }
    }

    /// Returns `true` if an overlay was selected.
    #[must_use]
    pub fn contains(&self, overlay: Overlay) -> bool {
        self.overlays.contains(&overlay)
    }

    /// Returns `true` if no overlay was selected and there are no nodes to outline.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.overlays.is_empty() && self.selection.is_empty()
    }

    /// Returns the nodes to outline.
    #[must_use]
    pub fn selection(&self) -> &'a [NodeId] {
        self.selection
    }

    /// Returns the function for the labels, if one was set.
    #[must_use]
    pub fn label(&self) -> Option<&'a dyn Fn(NodeId) -> String> {
        self.label
    }
}

impl<'a> From<&'a [Overlay]> for Overlays<'a> {
    fn from(overlays: &'a [Overlay]) -> Self {
        Self::new(overlays)
    }
}

impl<'a, const N: usize> From<&'a [Overlay; N]> for Overlays<'a> {
    fn from(overlays: &'a [Overlay; N]) -> Self {
        Self::new(overlays)
    }
}

impl<'a> From<&'a Vec<Overlay>> for Overlays<'a> {
    fn from(overlays: &'a Vec<Overlay>) -> Self {
        Self::new(overlays)
    }
}

impl fmt::Debug for Overlays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlays")
            .field("overlays", &self.overlays)
            .field("selection", &self.selection)
            .field("label", &self.label.is_some())
            .finish()
    }
}
