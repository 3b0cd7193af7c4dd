//! The text output of `pleach tree`.
//!
//! Indentation stops at `MAX_INDENT` levels; below, the depth is printed. So a chain of a million
//! nodes has lines of bounded length.

use std::fmt::Write;

use glam::{Mat4, Quat, Vec3};

use super::kinds::NodeKind;
use super::node_rows::{Local, Row, Rows};
use super::select::Entry;
use crate::report::labels::{Label, Quoted};
use crate::report::output::{BOLD, DIM, OneLine, Output, Styled, WARN};
use crate::report::units::{count, number, point, size, thousands};

/// The maximum number of indented levels.
const MAX_INDENT: usize = 24;

/// The size of a write in bytes.
const CHUNK: usize = 1 << 16;

/// The symbols of the tree lines.
struct Symbols {
    past: &'static str,
    blank: &'static str,
    branch: &'static str,
    last: &'static str,
}

const LINES: Symbols = Symbols { past: "│  ", blank: "   ", branch: "├─ ", last: "└─ " };
const ASCII: Symbols = Symbols { past: "|  ", blank: "   ", branch: "|- ", last: "`- " };

pub(super) fn print(rows: &Rows<'_>, output: &mut Output) -> anyhow::Result<()> {
    let selection = &rows.selection;
    let symbols = if rows.args.ascii { ASCII } else { LINES };
    let mut text = String::new();
    header(&mut text, rows)?;
    // By depth: whether the current node is the last child of its parent.
    let mut ended: Vec<bool> = Vec::new();
    let mut outside_scene = false;
    for entry in &selection.entries {
        if entry.outside_scene && !outside_scene {
            outside_scene = true;
            writeln!(text, "{}", Styled(DIM, "joints outside the scene:"))?;
        }
        let Some(row) = rows.row(entry) else { continue };
        ended.truncate(entry.depth);
        ended.push(entry.is_last);
        indent(&mut text, &symbols, entry, &ended)?;
        line(&mut text, rows, entry, &row)?;
        if text.len() > CHUNK {
            output.text(text.as_bytes())?;
            text.clear();
        }
    }
    if rows.args.filter.is_some() || !rows.args.kind.is_empty() {
        let all = count(selection.nodes, "node");
        writeln!(text, "{} of {all} match", thousands(selection.matching))?;
    }
    output.text(text.as_bytes())
}

fn header(text: &mut String, rows: &Rows<'_>) -> anyhow::Result<()> {
    let file = rows.args.file.display().to_string();
    write!(text, "{}", Styled(BOLD, OneLine(&file)))?;
    write!(text, ", scene {}", rows.number)?;
    if !rows.scene.name.is_empty() {
        write!(text, " {}", Quoted(&rows.scene.name))?;
    }
    writeln!(text, ", {}", count(rows.selection.nodes, "node"))?;
    Ok(())
}

fn indent(text: &mut String, lines: &Symbols, entry: &Entry, ended: &[bool]) -> anyhow::Result<()> {
    for &is_last in ended.iter().take(entry.depth.min(MAX_INDENT)) {
        text.push_str(if is_last { lines.blank } else { lines.past });
    }
    text.push_str(if entry.is_last { lines.last } else { lines.branch });
    if entry.depth > MAX_INDENT {
        write!(text, "{}", Styled(DIM, format_args!("(depth {}) ", entry.depth)))?;
    }
    Ok(())
}

fn line(text: &mut String, rows: &Rows<'_>, entry: &Entry, row: &Row<'_>) -> anyhow::Result<()> {
    let label = rows.indices.label(rows.scene, entry.node);
    if entry.matches {
        write!(text, "{label}  {}", description(row))?;
        notes(text, &label, row)?;
    } else {
        // It is shown only for its descendants.
        write!(text, "{}", Styled(DIM, anstream::adapter::strip_str(&label.to_string())))?;
    }
    if entry.omitted > 0 {
        write!(text, "  {}", Styled(DIM, format_args!("(+{} omitted)", thousands(entry.omitted))))?;
    }
    text.push('\n');
    Ok(())
}

/// Appends the hiding node and the requested transforms.
fn notes(text: &mut String, label: &Label<'_>, row: &Row<'_>) -> anyhow::Result<()> {
    match row.hidden_by {
        Some(by) if Some(by) == label.index => write!(text, "  {}", Styled(WARN, "hidden"))?,
        Some(by) => write!(text, "  {}", Styled(WARN, format_args!("hidden by #{by}")))?,
        None => {}
    }
    if let Some(local) = &row.local {
        write!(text, "  {}", Styled(DIM, in_parent(local)))?;
    }
    if let Some(world) = &row.world {
        let axes = axes(&Mat4::from_cols_array(world));
        write!(text, "  {}", Styled(DIM, format_args!("world {axes}")))?;
    }
    Ok(())
}

/// Returns the kinds and sizes of a node.
fn description(row: &Row<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for kind in &row.kinds {
        match kind {
            NodeKind::Mesh if row.kinds.contains(&NodeKind::Skin) => {}
            NodeKind::Mesh => parts.push("mesh".into()),
            NodeKind::Skin => {
                parts.push(format!("skinned mesh ({})", count(row.joints.unwrap_or(0), "joint")));
            }
            NodeKind::Camera => parts.push(format!("camera ({})", row.camera.unwrap_or("none"))),
            NodeKind::Light => parts.push(format!("light ({})", row.light.unwrap_or("none"))),
            NodeKind::Joint => parts.push("joint".into()),
            NodeKind::Group => parts.push("group".into()),
        }
    }
    if let Some(mesh) = &row.mesh {
        parts.push(count(mesh.triangles, "triangle"));
        parts.push(count(mesh.vertices, "vertex"));
        if mesh.parts != 1 {
            parts.push(count(mesh.parts, "part"));
        }
        if mesh.morph_targets > 0 {
            parts.push(count(mesh.morph_targets, "morph target"));
        }
        if let Some(instances) = mesh.instances {
            parts.push(count(instances, "instance"));
        }
    }
    if let Some(bounds) = &row.bounds {
        parts.push(size(&bounds.aabb()));
    }
    parts.join(", ")
}

/// Formats the parts of a local transform that are not the identity.
fn in_parent(local: &Local) -> String {
    let (translation, rotation, scale) = match local {
        Local::Transform { translation, rotation, scale } => {
            (Vec3::from(*translation), Quat::from_array(*rotation), Vec3::from(*scale))
        }
        Local::Matrix { matrix } => {
            return format!("local {}", axes(&Mat4::from_cols_array(matrix)));
        }
    };
    let mut parts = Vec::new();
    if translation != Vec3::ZERO {
        parts.push(format!("at {}", point(translation)));
    }
    if rotation != Quat::IDENTITY {
        let [x, y, z, w] = rotation.to_array().map(number);
        parts.push(format!("rotated ({x}, {y}, {z}, {w})"));
    }
    if scale != Vec3::ONE {
        parts.push(format!("scaled {}", point(scale)));
    }
    if parts.is_empty() { "local identity".into() } else { format!("local {}", parts.join(" ")) }
}

/// Formats the axes and the origin of a matrix.
fn axes(matrix: &Mat4) -> String {
    let [x, y, z, at] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
        .map(|column| point(column.truncate()));
    format!("x {x} y {y} z {z} at {at}")
}
