//! The nodes of `pleach tree` in JSON.

use glam::Mat4;
use pleach::{NodeId, Projection, Scene};
use serde::{Serialize, Serializer};

use super::Args;
use super::kinds::{Kinds, NodeKind};
use super::select::{Entry, Selection};
use crate::report::bounds::Bounds;
use crate::report::hidden_by::HiddenBy;
use crate::report::labels::{Indices, light_kind};

/// The selected nodes and the data to describe them.
pub(super) struct Rows<'a> {
    pub(super) args: &'a Args,
    pub(super) scene: &'a Scene,
    pub(super) number: usize,
    pub(super) indices: Indices,
    pub(super) kinds: Kinds,
    pub(super) hidden: HiddenBy,
    pub(super) selection: Selection,
}

/// The description of a node.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    /// The file's index.
    node: Option<usize>,
    pub(super) name: Option<&'a str>,
    parent: Option<usize>,
    depth: usize,
    pub(super) kinds: Vec<NodeKind>,
    children: usize,
    matches: bool,
    /// The number of descendants omitted by `--depth`.
    omitted: usize,
    visible: bool,
    shown: bool,
    pub(super) hidden_by: Option<usize>,
    outside_scene: bool,
    pub(super) mesh: Option<MeshRow>,
    pub(super) joints: Option<usize>,
    pub(super) camera: Option<&'static str>,
    pub(super) light: Option<&'static str>,
    pub(super) bounds: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) local: Option<Local>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) world: Option<[f32; 16]>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshRow {
    pub(super) parts: usize,
    pub(super) triangles: usize,
    pub(super) vertices: usize,
    pub(super) morph_targets: usize,
    pub(super) instances: Option<usize>,
}

/// A transform relative to the parent.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Local {
    Transform { translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3] },
    Matrix { matrix: [f32; 16] },
}

impl<'a> Rows<'a> {
    pub(super) fn row(&self, entry: &Entry) -> Option<Row<'a>> {
        let scene = self.scene;
        let node = scene.graph.get(entry.node)?;
        let index = |node: NodeId| self.indices.get(node);
        let local = || match node.has_local_matrix() {
            true => Local::Matrix { matrix: node.local_matrix().to_cols_array() },
            false => Local::Transform {
                translation: node.translation().to_array(),
                rotation: node.rotation().to_array(),
                scale: node.scale().to_array(),
            },
        };
        let camera = scene.camera(entry.node).map(|camera| match camera.projection {
            Projection::Perspective { .. } => "perspective",
            Projection::Orthographic { .. } => "orthographic",
            Projection::Custom(_) => "custom",
        });
        Some(Row {
            node: index(entry.node),
            name: node.name(),
            parent: node.parent().and_then(index),
            depth: entry.depth,
            kinds: self.kinds.get(scene, entry.node),
            children: node.children().len(),
            matches: entry.matches,
            omitted: entry.omitted,
            visible: node.is_visible(),
            shown: node.is_shown(),
            hidden_by: self.hidden.get(entry.node).and_then(index),
            outside_scene: entry.outside_scene,
            mesh: mesh(scene, entry.node),
            joints: scene.skin(entry.node).map(|skin| skin.joints.len()),
            camera,
            light: scene.light(entry.node).map(light_kind),
            bounds: scene.spatial.world_bounds(entry.node).as_ref().and_then(Bounds::of),
            local: self.args.local.then(local),
            world: self.args.world.then(|| Mat4::to_cols_array(&node.world())),
        })
    }
}

fn mesh(scene: &Scene, node: NodeId) -> Option<MeshRow> {
    let mesh = scene.mesh(node)?;
    let parts = || mesh.parts.iter().map(|part| &part.geometry);
    Some(MeshRow {
        parts: mesh.parts.len(),
        triangles: parts().map(|it| it.get().triangle_count()).sum(),
        vertices: parts().map(|it| it.get().positions.len()).sum(),
        morph_targets: parts().map(|it| it.get().morph_targets.len()).max().unwrap_or(0),
        instances: mesh.instances.as_ref().map(|it| it.len()),
    })
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Answer<'a> {
            file: String,
            /// The index of the scene; one past the last for unreferenced nodes.
            scene: usize,
            name: Option<&'a str>,
            /// The number of nodes in the scene.
            total: usize,
            /// The number of matching nodes.
            matching: usize,
            nodes: List<'a>,
        }
        /// Serialised on the fly, as there may be millions of nodes.
        struct List<'a>(&'a Rows<'a>);
        impl Serialize for List<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let Self(rows) = self;
                serializer.collect_seq(rows.selection.entries.iter().filter_map(|it| rows.row(it)))
            }
        }
        let answer = Answer {
            file: self.args.file.display().to_string(),
            scene: self.number,
            name: Some(&*self.scene.name).filter(|name| !name.is_empty()),
            total: self.selection.nodes,
            matching: self.selection.matching,
            nodes: List(self),
        };
        answer.serialize(serializer)
    }
}
