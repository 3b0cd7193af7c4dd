//! One difference between two files, as text and JSON.

use std::fmt;

use serde::Serialize;

use super::change_kind::ChangeKind;
use super::transform_delta::TransformDelta;
use crate::report::output::{DIM, ERROR, GOOD, NAME, OneLine, Styled, WARN};
use crate::report::units::count;

/// One difference between two files.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    /// The kind: `added`, `removed`, `moved`, …
    pub(super) change: ChangeKind,
    /// The index of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<usize>,
    /// The path of names from the scene's root, or the name of an object that is not a node.
    pub(super) path: String,
    /// The index in the first file.
    pub(super) a: Option<u32>,
    /// The index in the second file.
    pub(super) b: Option<u32>,
    #[serde(flatten)]
    pub(super) detail: Detail,
}

/// The details of a change.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Detail {
    /// No details.
    Empty {},
    /// A node was added or removed with its descendants.
    Subtree { descendants: usize },
    /// The old and new names.
    Names { from: Option<String>, to: Option<String> },
    /// The names of the default scenes.
    DefaultScene { from: Option<String>, to: Option<String> },
    /// The old and new parents.
    Parent { from: String, to: String, world: TransformDelta },
    /// The change of the local and world transforms.
    Transform { local: TransformDelta, world: TransformDelta },
    /// A component was added, removed or changed.
    Component { action: Action },
    /// The material of parts of the mesh changed.
    Materials { action: Action, parts: Vec<usize> },
    /// The number of added, removed and changed channels of an animation.
    Channels { added: usize, removed: usize, changed: usize, seconds: [f32; 2] },
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Added,
    Removed,
    Changed,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        })
    }
}

/// A change displayed as a line; with the scene index if there are several scenes.
pub(super) struct ChangeLine<'a> {
    pub(super) change: &'a Change,
    pub(super) with_scenes: bool,
}

impl fmt::Display for ChangeLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { change, scene, path, a, b, detail } = self.change;
        let (sign, style) = match change.action() {
            Action::Added => ("+", GOOD),
            Action::Removed => ("-", ERROR),
            Action::Changed => ("~", WARN),
        };
        write!(f, "{}", Styled(style, format_args!("{sign} {:<10}", change.as_str())))?;
        if let Some(scene) = scene.filter(|_| self.with_scenes) {
            write!(f, " {}", Styled(DIM, format_args!("scene {scene}:")))?;
        }
        let path = if path.is_empty() { "(no name)" } else { path };
        write!(f, " {}", Styled(NAME, OneLine(path)))?;
        let index = match (a, b) {
            (Some(a), Some(b)) if a == b => format!(" #{a}"),
            (Some(a), Some(b)) => format!(" #{a}→#{b}"),
            (Some(index), None) | (None, Some(index)) => format!(" #{index}"),
            (None, None) => String::new(),
        };
        write!(f, "{}", Styled(DIM, index))?;
        write!(f, "{detail}")
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty {} | Self::Subtree { descendants: 0 } => Ok(()),
            Self::Subtree { descendants } => {
                write!(f, " and {}", count(*descendants, "descendant"))
            }
            Self::DefaultScene { from: None, to: None } => Ok(()),
            Self::Names { from, to } | Self::DefaultScene { from, to } => {
                write!(f, ": {} → {}", quoted(from), quoted(to))
            }
            Self::Parent { from, to, world } => {
                write!(f, ": from {} to {}", OneLine(root(from)), OneLine(root(to)))?;
                if *world != TransformDelta::IDENTITY {
                    write!(f, "; in the world {world}")?;
                }
                Ok(())
            }
            Self::Transform { local, world } if local == world => write!(f, ": {local}"),
            Self::Transform { local, world } => write!(f, ": {local}; in the world {world}"),
            Self::Component { action } => write!(f, ": {action}"),
            Self::Materials { action, parts } => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, ": {action} for part {}", parts.join(", "))
            }
            Self::Channels { added, removed, changed, seconds: [from, to] } => {
                write!(f, ": channels {changed} changed, {added} added, {removed} removed")?;
                if from != to {
                    write!(f, "; {from} s → {to} s")?;
                }
                Ok(())
            }
        }
    }
}

fn quoted(name: &Option<String>) -> String {
    name.as_ref().map_or("no name".into(), |name| format!("{name:?}"))
}

fn root(path: &str) -> &str {
    if path.is_empty() { "the root" } else { path }
}

impl fmt::Display for TransformDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.distance != 0.0 {
            parts.push(format!("{} m", short(self.distance)));
        }
        if self.degrees != 0.0 {
            parts.push(format!("{}°", short(self.degrees)));
        }
        match self.scale {
            [1.0, 1.0, 1.0] => {}
            [x, y, z] if x == y && y == z => parts.push(format!("scale ×{}", short(x))),
            scale => parts.push(format!("scale ×({})", scale.map(short).join(", "))),
        }
        let text = if parts.is_empty() { "by a rounding error".into() } else { parts.join(", ") };
        f.write_str(&text)
    }
}

/// Formats a number with at most six digits and without trailing zeros.
fn short(number: f64) -> String {
    if number != 0.0 && !(1e-4..1e9).contains(&number.abs()) {
        return format!("{number:.2e}");
    }
    let before = (number.abs().max(1.0) as u64).to_string().len();
    let text = format!("{number:.0$}", 6usize.saturating_sub(before));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_six_digits() {
        let cases = [
            (0.0, "0"),
            (1.5, "1.5"),
            (2.0 / 3.0, "0.66667"),
            (123_456.7, "123457"),
            (90.0, "90"),
            (1e-7, "1.00e-7"),
            (-3e12, "-3.00e12"),
            (f64::INFINITY, "inf"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}
