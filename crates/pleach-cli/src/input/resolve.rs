//! Resolves scenes, nodes and animations of a file by index or by name.
//!
//! A name that does not exist is an error that lists the alternatives.

use anyhow::{Context, bail};
use pleach::{NodeId, Scene};
use pleach_gltf::Document;

use crate::picture::pose::apply_pose;

/// The scene argument.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SceneArgs {
    /// The scene, by index or name [default: the file's default scene]
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,
}

impl SceneArgs {
    /// Returns the index of the scene; one past the last stands for the nodes that no scene
    /// references.
    pub(crate) fn resolve(&self, document: &Document) -> anyhow::Result<usize> {
        let scenes = document.scenes();
        let Some(wanted) = &self.scene else {
            let number = document.default_scene().unwrap_or(0);
            if number >= scenes.len() && document.unreferenced_nodes().is_none() {
                bail!("the file has neither scenes nor nodes");
            }
            return Ok(number);
        };
        let named = scenes.iter().position(|scene| scene.name == *wanted);
        let number = named.or_else(|| index(wanted, scenes.len()));
        number.with_context(|| {
            let names = scenes.iter().enumerate().map(|(number, scene)| match &*scene.name {
                "" => number.to_string(),
                name => format!("{number} {name:?}"),
            });
            format!("no scene {wanted:?}; the file has: {}", join_truncated(names))
        })
    }
}

/// The pose arguments.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PoseArgs {
    /// Pose the scene with this animation, by index or name
    #[arg(long, value_name = "ANIMATION")]
    animation: Option<String>,

    /// The time in the animation; without --animation, in the first animation [default: 0]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time: Option<f32>,
}

/// The variant argument.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct VariantArgs {
    /// Show this material variant of the file [default: its own materials]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

impl VariantArgs {
    /// Applies the variant to all scenes.
    pub(crate) fn apply(&self, document: &mut Document) -> anyhow::Result<()> {
        let Some(wanted) = &self.variant else { return Ok(()) };
        if document.apply_variant(Some(wanted)) {
            return Ok(());
        }
        if document.variants().is_empty() {
            bail!("no variant {wanted:?}; the file has no material variants");
        }
        let names = document.variants().iter().map(|name| format!("{name:?}"));
        bail!("no variant {wanted:?}; the file has: {}", join_truncated(names))
    }
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse().ok().filter(|it: &f32| it.is_finite() && *it >= 0.0);
    seconds.ok_or_else(|| "expected a non-negative number of seconds".into())
}

impl PoseArgs {
    /// Returns the index of the animation and the time in seconds.
    pub(crate) fn resolve(&self, document: &Document) -> anyhow::Result<Option<(usize, f32)>> {
        let first = self.time.map(|_| "0");
        let Some(wanted) = self.animation.as_deref().or(first) else { return Ok(None) };
        let animations = document.animations();
        let named = animations.iter().position(|it| it.clip().name() == wanted);
        let index = named.or_else(|| index(wanted, animations.len())).with_context(|| {
            let names = animations.iter().enumerate().map(|(index, it)| match it.clip().name() {
                "" => index.to_string(),
                name => format!("{index} {name:?}"),
            });
            format!("no animation {wanted:?}; the file has: {}", join_truncated(names))
        })?;
        Ok(Some((index, self.time.unwrap_or(0.0))))
    }

    /// Applies the pose to a scene, if there is one, and updates it.
    pub(crate) fn apply(&self, document: &mut Document, number: usize) -> anyhow::Result<()> {
        let pose = self.resolve(document)?;
        apply_pose(document, number, pose)
    }
}

/// Returns a scene by its index, as `SceneArgs::resolve` returns it.
pub(crate) fn scene(document: &Document, number: usize) -> anyhow::Result<&Scene> {
    let scene = document.scenes().get(number).or_else(|| document.unreferenced_nodes());
    scene.with_context(|| format!("the file has no scene {number}"))
}

/// Returns a scene by its index for modification.
pub(crate) fn scene_mut(document: &mut Document, number: usize) -> anyhow::Result<&mut Scene> {
    if number < document.scenes().len() {
        return Ok(&mut document.scenes_mut()[number]);
    }
    document.unreferenced_nodes_mut().with_context(|| format!("the file has no scene {number}"))
}

/// Returns the parent of the file's root nodes: the up-axis node, or the root of the scene.
pub(crate) fn roots_parent(document: &Document, number: usize, scene: &Scene) -> NodeId {
    document.up_axis_node(number).unwrap_or(scene.root())
}

/// Returns a node of a scene by name or by the file's index (`#12`, or `12` if no node has that
/// name).
pub(crate) fn node(document: &Document, number: usize, wanted: &str) -> anyhow::Result<NodeId> {
    let scene = scene(document, number)?;
    let by_index = |text: &str| text.parse().ok().and_then(|index| document.node(number, index));
    // The other scene that contains the node.
    let other_scene = |index: &str| {
        let index = index.parse().ok()?;
        (0..=document.scenes().len()).find(|&other| document.node(other, index).is_some())
    };
    if let Some(index) = wanted.strip_prefix('#') {
        return by_index(index).with_context(|| match other_scene(index) {
            Some(other) if other < document.scenes().len() => {
                format!("node {wanted} is not in scene {number} but in scene {other}")
            }
            Some(_) => format!("node {wanted} is not in any scene"),
            None => format!("the file has no node {wanted}"),
        });
    }
    let mut named = scene.graph.find_all(wanted);
    match (named.next(), named.next()) {
        (Some(node), None) => return Ok(node),
        (Some(_), Some(_)) => {
            let tags = scene.graph.find_all(wanted).filter_map(|it| document.index_of(number, it));
            let tags = join_truncated(tags.map(|index| format!("#{index}")));
            bail!("several nodes are named {wanted:?}: {tags}; use one of these");
        }
        _ => {}
    }
    by_index(wanted)
        .with_context(|| format!("no node is named {wanted:?}; `pleach tree` lists the nodes"))
}

/// Parses an index less than `count`: `3`, or `#3`, which is never a name.
fn index(text: &str, count: usize) -> Option<usize> {
    text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|&index| index < count)
}

/// Joins the first items with commas and ends with `…` if there are more.
pub(crate) fn join_truncated(items: impl Iterator<Item = String>) -> String {
    const MAX_ITEMS: usize = 12;
    let mut items: Vec<String> = items.take(MAX_ITEMS + 1).collect();
    if items.len() > MAX_ITEMS {
        items[MAX_ITEMS] = "…".into();
    }
    if items.is_empty() { "none".into() } else { items.join(", ") }
}
