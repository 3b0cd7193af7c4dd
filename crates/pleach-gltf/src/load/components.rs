//! Users' own components, in the `extras` of nodes under the name of their kind.
//!
//! Reads the JSON text once all scenes exist, so that components can refer to any node. Extras of
//! other names are not touched.

use std::collections::BTreeSet;
use std::fmt;

use pleach::{Component, NodeId, Scene};

use crate::diagnostics::{Pointer, Result, Tolerance};
use crate::document::NodeIndices;
use crate::json::{Members, value_at};
use crate::{Options, WarningCode};

/// Reads one kind of component.
#[derive(Clone, Copy)]
pub(crate) struct ComponentReader {
    name: &'static str,
    insert: InsertFromJson,
}

type InsertFromJson =
    fn(&str, &mut Scene, NodeId, &dyn Fn(usize) -> Option<NodeId>) -> Result<(), String>;

impl fmt::Debug for ComponentReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Options {
    /// Reads a kind of component from the `extras` of nodes, where saving writes components whose
    /// type implements [`Component::to_json`]. Extras of other names are kept in the file.
    ///
    /// A component that [`Component::from_json`] rejects stays in the file, with a
    /// [warning](crate::WarningCode::InvalidComponent) (an error if [`strict`](Self::strict)).
    /// References to nodes are written as the indices of the nodes in the file; of what edits files,
    /// only [`Prune::drop_unused_nodes`](crate::Prune::drop_unused_nodes) changes these without
    /// updating the references in extras.
    ///
    /// ```
    /// use pleach::{Component, Node, Scene};
    /// use pleach_gltf::{Format, Options};
    ///
    /// #[derive(Clone, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// impl Component for Health {
    ///     const NAME: &'static str = "health";
    ///
    ///     fn to_json(&self, _: &dyn Fn(pleach::NodeId) -> Option<usize>) -> Option<String> {
    ///         Some(self.0.to_string())        // or serde_json::to_string(self).ok()
    ///     }
    ///
    ///     fn from_json(
    ///         json: &str,
    ///         _: &dyn Fn(usize) -> Option<pleach::NodeId>,
    ///     ) -> Result<Self, String> {
    ///         json.parse().map(Health).map_err(|error| format!("{error}"))
    ///     }
    /// }
    ///
    /// let mut scene = Scene::new();
    /// scene.spawn(Node::group().named("player").with(Health(3)))?;
    /// let saved = pleach_gltf::save_bytes(&scene, Format::Glb)?;
    ///
    /// let scene = Options::new().component::<Health>().load_bytes(&saved.bytes)?.into_scene();
    /// let player = scene.find("player").unwrap();
    /// assert_eq!(scene.get::<Health>(player), Some(&Health(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn component<T: Component>(mut self) -> Self {
        self.components.retain(|reader| reader.name != T::NAME);
        self.components.push(ComponentReader {
            name: T::NAME,
            insert: |json, scene, node, nodes| {
                let component = T::from_json(json, nodes)?;
                scene.insert(node, component).map(drop).map_err(|error| error.to_string())
            },
        });
        self
    }
}

/// Reads the components of all nodes. Returns those that were read: the index of the node and the
/// name of the kind.
pub(super) fn components(
    options: &Options,
    text: &str,
    scenes: (&mut [Scene], &[NodeIndices]),
    tolerance: &mut Tolerance,
) -> Result<BTreeSet<(usize, &'static str)>> {
    let mut read = BTreeSet::new();
    if options.components.is_empty() {
        return Ok(read);
    }
    let Some(nodes) = value_at(text, "/nodes") else { return Ok(read) };
    for (index, node) in Members::of(text, &nodes).enumerate() {
        let node = &text[node.value];
        let Some(extras) = value_at(node, "/extras") else { continue };
        for member in Members::of(node, &extras) {
            let key = member.key();
            let reader = options.components.iter().find(|reader| reader.name == key);
            let Some(reader) = reader else { continue };
            for (scene, indices) in scenes.0.iter_mut().zip(scenes.1) {
                let own = |id: &NodeId| indices.index_of(*id) == Some(index as u32);
                let Some(id) = indices.node(index).filter(own) else { continue };
                let json = &node[member.value.clone()];
                match (reader.insert)(json, scene, id, &|index| indices.node(index)) {
                    Ok(()) => _ = read.insert((index, reader.name)),
                    Err(error) => {
                        let at = Pointer::entry("nodes", index);
                        let at = at.key("extras");
                        let message = format!("the component was not read: {error}");
                        let code = WarningCode::InvalidComponent;
                        tolerance.tolerate(&at.key(reader.name), code, message)?;
                    }
                }
            }
        }
    }
    Ok(read)
}
