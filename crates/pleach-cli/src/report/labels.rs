//! Labels of nodes by the file's index and name: `#12 "door"`.

use std::fmt;

use pleach::{Light, LightKind, NodeId, Scene};
use pleach_gltf::Document;

use crate::input::raw_json;
use crate::report::output::{NAME, OneLine, Styled};

/// The entry of a slot whose node is not in the file.
const NONE: u32 = u32::MAX;

/// The file's index of each node of a scene, including joints outside the scene.
#[derive(Debug)]
pub(crate) struct Indices {
    by_slot: Vec<u32>,
}

impl Indices {
    /// Collects the indices for the scene with index `number`. O(nodes of the file).
    pub(crate) fn of(document: &Document, number: usize) -> Self {
        let mut by_slot = Vec::new();
        for index in 0..raw_json::array_len(document, "/nodes") {
            let Some(node) = document.node(number, index) else { continue };
            if by_slot.len() <= node.index() {
                by_slot.resize(node.index() + 1, NONE);
            }
            by_slot[node.index()] = index as u32;
        }
        Self { by_slot }
    }

    /// Returns the file's index of a node, or `None` for added nodes such as the up-axis node.
    pub(crate) fn get(&self, node: NodeId) -> Option<usize> {
        self.at_slot(node.index())
    }

    pub(crate) fn at_slot(&self, slot: usize) -> Option<usize> {
        self.by_slot.get(slot).filter(|&&index| index != NONE).map(|&index| index as usize)
    }

    /// Returns the label of a node.
    pub(crate) fn label<'a>(&self, scene: &'a Scene, node: NodeId) -> Label<'a> {
        Label { index: self.get(node), name: scene.graph.get(node).and_then(|node| node.name()) }
    }

    /// Returns the path of names from the root to a node, as `find_path` accepts it; `#12` for an
    /// unnamed node.
    ///
    /// For a very deep node it contains only the last names.
    pub(crate) fn path(&self, scene: &Scene, node: NodeId) -> String {
        const MAX_NAMES: usize = 64;
        let Some(start) = scene.graph.get(node) else { return String::new() };
        let above = start.ancestors().filter(|&it| self.get(it).is_some());
        let mut names: Vec<String> = std::iter::once(node)
            .chain(above)
            .take(MAX_NAMES + 1)
            .map(|it| match (scene.graph.get(it).and_then(|it| it.name()), self.get(it)) {
                (Some(name), _) => name.into(),
                (None, Some(index)) => format!("#{index}"),
                (None, None) => "#?".into(),
            })
            .collect();
        if names.len() > MAX_NAMES {
            names[MAX_NAMES] = "…".into();
        }
        names.reverse();
        names.join("/")
    }
}

/// A node label, displayed as `#12 "door"` with a style.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label<'a> {
    pub(crate) index: Option<usize>,
    pub(crate) name: Option<&'a str>,
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "#{index}")?,
            None => write!(f, "#?")?,
        }
        match self.name {
            Some(name) => write!(f, " {}", Styled(NAME, Quoted(name))),
            None => Ok(()),
        }
    }
}

/// A name from a file in quotes, escaped to one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", OneLine(self.0))
    }
}

/// Returns the name of the kind of a light.
pub(crate) fn light_kind(light: &Light) -> &'static str {
    match light.kind {
        LightKind::Directional => "directional",
        LightKind::Point => "point",
        LightKind::Spot { .. } => "spot",
        LightKind::Ambient => "ambient",
        _ => "unknown",
    }
}
