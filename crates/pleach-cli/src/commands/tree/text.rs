//! The lines of a tree, for people.
//!
//! Indentation stops at `DEEPEST` levels; below, the depth is told. So a chain of a million nodes
//! takes a line of usual length for each.

use std::fmt::Write;

use glam::{Mat4, Quat, Vec3};

use super::kinds::KindName;
use super::node_rows::{Local, Row, Rows};
use super::select::Entry;
use crate::report::labels::{Label, Quoted};
use crate::report::output::{BOLD, DIM, OneLine, Output, Painted, WARN};
use crate::report::units::{count, number, point, size, thousands};

/// As many levels are indented.
const DEEPEST: usize = 24;

/// So many bytes go out at once.
const CHUNK: usize = 1 << 16;

/// What lines are drawn with: past a node, nothing, to a node, to the last.
struct Pen {
    past: &'static str,
    blank: &'static str,
    branch: &'static str,
    last: &'static str,
}

const LINES: Pen = Pen { past: "│  ", blank: "   ", branch: "├─ ", last: "└─ " };
const ASCII: Pen = Pen { past: "|  ", blank: "   ", branch: "|- ", last: "`- " };

pub(super) fn print(rows: &Rows<'_>, output: &mut Output) -> anyhow::Result<()> {
    let selection = &rows.selection;
    let pen = if rows.args.ascii { ASCII } else { LINES };
    let mut text = String::new();
    header(&mut text, rows)?;
    // By depth: was the last node there the last of its parent?
    let mut ended: Vec<bool> = Vec::new();
    let mut outside_scene = false;
    for entry in &selection.entries {
        if entry.outside_scene && !outside_scene {
            outside_scene = true;
            writeln!(text, "{}", Painted(DIM, "not in the scene, but posing what is:"))?;
        }
        let Some(row) = rows.row(entry) else { continue };
        ended.truncate(entry.depth);
        ended.push(entry.is_last);
        indent(&mut text, &pen, entry, &ended)?;
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
    write!(text, "{}", Painted(BOLD, OneLine(&file)))?;
    write!(text, ", scene {}", rows.number)?;
    if !rows.scene.name.is_empty() {
        write!(text, " {}", Quoted(&rows.scene.name))?;
    }
    writeln!(text, ", {}", count(rows.selection.nodes, "node"))?;
    Ok(())
}

fn indent(text: &mut String, pen: &Pen, entry: &Entry, ended: &[bool]) -> anyhow::Result<()> {
    for &is_last in ended.iter().take(entry.depth.min(DEEPEST)) {
        text.push_str(if is_last { pen.blank } else { pen.past });
    }
    text.push_str(if entry.is_last { pen.last } else { pen.branch });
    if entry.depth > DEEPEST {
        write!(text, "{}", Painted(DIM, format_args!("(depth {}) ", entry.depth)))?;
    }
    Ok(())
}

fn line(text: &mut String, rows: &Rows<'_>, entry: &Entry, row: &Row<'_>) -> anyhow::Result<()> {
    let label = rows.indices.label(rows.scene, entry.node);
    if entry.matches {
        write!(text, "{label}  {}", what(row))?;
        remarks(text, &label, row)?;
    } else {
        // It is here for what is below it.
        write!(text, "{}", Painted(DIM, anstream::adapter::strip_str(&label.to_string())))?;
    }
    if entry.omitted > 0 {
        write!(text, "  {}", Painted(DIM, format_args!("(+{} below)", thousands(entry.omitted))))?;
    }
    text.push('\n');
    Ok(())
}

/// Whether it is hidden, and where it is if that was asked for.
fn remarks(text: &mut String, label: &Label<'_>, row: &Row<'_>) -> anyhow::Result<()> {
    match row.hidden_by {
        Some(by) if Some(by) == label.index => write!(text, "  {}", Painted(WARN, "hidden"))?,
        Some(by) => write!(text, "  {}", Painted(WARN, format_args!("hidden by #{by}")))?,
        None => {}
    }
    if let Some(local) = &row.local {
        write!(text, "  {}", Painted(DIM, in_parent(local)))?;
    }
    if let Some(world) = &row.world {
        let axes = axes(&Mat4::from_cols_array(world));
        write!(text, "  {}", Painted(DIM, format_args!("world {axes}")))?;
    }
    Ok(())
}

/// What a node is, and how much of it.
fn what(row: &Row<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for kind in &row.kinds {
        match kind {
            KindName::Mesh if row.kinds.contains(&KindName::Skin) => {}
            KindName::Mesh => parts.push("mesh".into()),
            KindName::Skin => {
                parts.push(format!("skinned mesh ({})", count(row.joints.unwrap_or(0), "joint")));
            }
            KindName::Camera => parts.push(format!("camera ({})", row.camera.unwrap_or("none"))),
            KindName::Light => parts.push(format!("light ({})", row.light.unwrap_or("none"))),
            KindName::Joint => parts.push("joint".into()),
            KindName::Group => parts.push("group".into()),
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

/// What of a local transform is not the identity.
fn in_parent(local: &Local) -> String {
    let (translation, rotation, scale) = match local {
        Local::Parts { translation, rotation, scale } => {
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
        parts.push(format!("turned ({x}, {y}, {z}, {w})"));
    }
    if scale != Vec3::ONE {
        parts.push(format!("scaled {}", point(scale)));
    }
    if parts.is_empty() { "local identity".into() } else { format!("local {}", parts.join(" ")) }
}

/// Where the axes of a matrix point, and where its origin is.
fn axes(matrix: &Mat4) -> String {
    let [x, y, z, at] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
        .map(|column| point(column.truncate()));
    format!("x {x} y {y} z {z} at {at}")
}
