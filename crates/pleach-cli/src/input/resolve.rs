//! Which scene, node, camera or animation of a file is meant: by index or by name.
//!
//! What is not there is an error that says what there is.

use anyhow::{Context, bail};
use pleach::{NodeId, Scene};
use pleach_gltf::Document;

use crate::picture::pose::apply_pose;

/// Which scene of a file.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SceneArgs {
    /// Which scene, by index or name [default: the one the file says to show]
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,
}

impl SceneArgs {
    /// The number of the scene: as the file's, or one more than the last for what no scene lists.
    pub(crate) fn resolve(&self, document: &Document) -> anyhow::Result<usize> {
        let scenes = document.scenes();
        let Some(wanted) = &self.scene else {
            let number = document.default_scene().unwrap_or(0);
            if number >= scenes.len() && document.unreferenced_nodes().is_none() {
                bail!("the file has no scene and no nodes: there is nothing to show");
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

/// Which pose of an animation.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PoseArgs {
    /// Play this animation, by index or name
    #[arg(long, value_name = "ANIMATION")]
    animation: Option<String>,

    /// At this second of the animation, or of the file's first if none is told
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time: Option<f32>,
}

fn seconds(text: &str) -> Result<f32, String> {
    let seconds = text.parse().ok().filter(|it: &f32| it.is_finite() && *it >= 0.0);
    seconds.ok_or_else(|| "a number of seconds that is not negative is expected".into())
}

impl PoseArgs {
    /// The animation's index, and the second.
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

    /// Puts a scene into the pose, or leaves it at rest, and brings it up to date.
    pub(crate) fn apply(&self, document: &mut Document, number: usize) -> anyhow::Result<()> {
        let pose = self.resolve(document)?;
        apply_pose(document, number, pose)
    }
}

/// A scene by its number, as `SceneArgs::of` gives it.
pub(crate) fn scene(document: &Document, number: usize) -> anyhow::Result<&Scene> {
    let scene = document.scenes().get(number).or_else(|| document.unreferenced_nodes());
    scene.with_context(|| format!("the file has no scene {number}"))
}

/// A scene by its number, to change.
pub(crate) fn scene_mut(document: &mut Document, number: usize) -> anyhow::Result<&mut Scene> {
    if number < document.scenes().len() {
        return Ok(&mut document.scenes_mut()[number]);
    }
    document.unreferenced_nodes_mut().with_context(|| format!("the file has no scene {number}"))
}

/// The node above the topmost of the file: the turn, or the root.
pub(crate) fn roots_parent(document: &Document, number: usize, scene: &Scene) -> NodeId {
    document.up_axis_node(number).unwrap_or(scene.root())
}

/// A node of a scene: by name, or by the file's index (`#12`, or `12` if nothing is called so).
pub(crate) fn node(document: &Document, number: usize, wanted: &str) -> anyhow::Result<NodeId> {
    let scene = scene(document, number)?;
    let by_index = |text: &str| text.parse().ok().and_then(|index| document.node(number, index));
    // In which other scene it is.
    let other_scene = |index: &str| {
        let index = index.parse().ok()?;
        (0..=document.scenes().len()).find(|&other| document.node(other, index).is_some())
    };
    if let Some(index) = wanted.strip_prefix('#') {
        return by_index(index).with_context(|| match other_scene(index) {
            Some(other) if other < document.scenes().len() => {
                format!("node {wanted} is not in scene {number}, but in scene {other}")
            }
            Some(_) => format!("node {wanted} is in no scene"),
            None => format!("the file has no node {wanted}"),
        });
    }
    let mut named = scene.graph.find_all(wanted);
    match (named.next(), named.next()) {
        (Some(node), None) => return Ok(node),
        (Some(_), Some(_)) => {
            let tags = scene.graph.find_all(wanted).filter_map(|it| document.index_of(number, it));
            let tags = join_truncated(tags.map(|index| format!("#{index}")));
            bail!("several nodes are called {wanted:?}: {tags}; choose one of these");
        }
        _ => {}
    }
    by_index(wanted)
        .with_context(|| format!("no node is called {wanted:?}; `pleach tree` shows what there is"))
}

/// An index that is below a count: `3`, or `#3`, which is no name.
fn index(text: &str, count: usize) -> Option<usize> {
    text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|&index| index < count)
}

/// A list that stays short, whatever the file has.
pub(crate) fn join_truncated(items: impl Iterator<Item = String>) -> String {
    const MAX_ITEMS: usize = 12;
    let mut items: Vec<String> = items.take(MAX_ITEMS + 1).collect();
    if items.len() > MAX_ITEMS {
        items[MAX_ITEMS] = "…".into();
    }
    if items.is_empty() { "none".into() } else { items.join(", ") }
}
