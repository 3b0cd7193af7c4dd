//! The text output of `pleach stats`.

use super::moves::Move;
use super::{Levels, MaterialUse, Stats, memory};
use crate::report::labels::{Label, Quoted};
use crate::report::output::{BOLD, DIM, OneLine, Output, Styled};
use crate::report::table::Table;
use crate::report::units::{bytes, count, percent, thousands};

/// The maximum number of rows of each table.
const MAX_ROWS: usize = 20;

pub(super) fn print(stats: &Stats, output: &mut Output) -> anyhow::Result<()> {
    let name = stats.name.as_ref().map(|name| format!(" {}", Quoted(name))).unwrap_or_default();
    output.line(format_args!(
        "{}, scene {}{name}, {}",
        Styled(BOLD, OneLine(&stats.file)),
        stats.scene,
        count(stats.levels.total, "node"),
    ))?;
    memory_table(&stats.memory, output)?;
    levels(&stats.levels, output)?;
    moves(stats, output)?;
    materials(&stats.materials, output)
}

fn heading(output: &mut Output, text: &str) -> anyhow::Result<()> {
    output.line(format_args!("\n{}", Styled(BOLD, text)))
}

fn memory_table(memory: &memory::Memory, output: &mut Output) -> anyhow::Result<()> {
    heading(output, "Memory")?;
    let mut table = Table::new(&["category", "bytes", "", "elements"]).left(&[0, 2, 3]);
    let row = |part: &memory::Part| {
        let about = if part.estimated { "about" } else { "" };
        [part.category.into(), bytes(part.bytes), about.into(), count(part.count, part.unit)]
    };
    for part in memory.loaded.iter().filter(|part| part.count > 0) {
        table.add_row(row(part));
    }
    let blank = String::new;
    table.add_row(["total".into(), bytes(memory.loaded_bytes), "about".into(), blank()]);
    for part in memory.on_demand.iter().filter(|part| part.count > 0) {
        let [name, bytes, about, of] = row(part);
        table.add_row([name, bytes, about, format!("{of}, on first use")]);
    }
    output.line(table)
}

fn levels(levels: &Levels, output: &mut Output) -> anyhow::Result<()> {
    if levels.total == 0 {
        return Ok(());
    }
    heading(output, "Levels")?;
    let max = levels.nodes.iter().copied().max().unwrap_or(0);
    output.line(format_args!(
        "{}, at most {} on level {}",
        count(levels.nodes.len(), "level"),
        count(max, "node"),
        thousands(levels.widest),
    ))?;
    let digits = thousands(max).len();
    for (level, &nodes) in levels.nodes.iter().enumerate().take(MAX_ROWS) {
        // At least one symbol for a non-empty level.
        let bar = "▪".repeat((nodes * 40).div_ceil(max.max(1)));
        let line = format!("{:>5}  {:>digits$}", level + 1, thousands(nodes));
        output.line(format_args!("{line}  {}", Styled(DIM, bar)))?;
    }
    if levels.nodes.len() > MAX_ROWS {
        output.line(format_args!("    …  {} more", thousands(levels.nodes.len() - MAX_ROWS)))?;
    }
    Ok(())
}

fn moves(stats: &Stats, output: &mut Output) -> anyhow::Result<()> {
    let moves = &stats.moves;
    if moves.is_empty() {
        return Ok(());
    }
    heading(output, "Moving a root node")?;
    // The most expensive ones, in the order of the file.
    let mut shown: Vec<&Move> = moves.iter().collect();
    shown.sort_by_key(|it| (std::cmp::Reverse((it.changed, it.boxes)), it.node));
    let hidden: Vec<&Move> = shown.split_off(MAX_ROWS.min(shown.len()));
    shown.sort_by_key(|it| it.node);
    let headings = ["node", "descendants", "changed", "of all", "bounds", "skins"];
    let mut table = Table::new(&headings).left(&[0]);
    for it in shown {
        table.add_row([
            truncated(&Label { index: it.node, name: it.name.as_deref() }.to_string()),
            thousands(it.descendants),
            thousands(it.changed),
            percent(it.changed, stats.levels.total),
            thousands(it.boxes),
            thousands(it.skins),
        ]);
    }
    output.line(table)?;
    if let Some(max_changed) = hidden.iter().map(|it| it.changed).max() {
        output.line(format_args!(
            "… and {} more, which change at most {}",
            thousands(hidden.len()),
            count(max_changed, "node"),
        ))?;
    }
    Ok(())
}

fn materials(materials: &[MaterialUse], output: &mut Output) -> anyhow::Result<()> {
    if materials.is_empty() {
        return Ok(());
    }
    heading(output, "Materials")?;
    let mut table = Table::new(&["material", "parts", "triangles"]).left(&[0]);
    for it in materials.iter().take(MAX_ROWS) {
        let index = it.index.map_or("default".into(), |index| index.to_string());
        let name = it.name.as_ref().map(|name| format!(" {}", Quoted(name))).unwrap_or_default();
        table.add_row([truncated(&(index + &name)), thousands(it.parts), thousands(it.triangles)]);
    }
    output.line(table)?;
    if materials.len() > MAX_ROWS {
        output.line(format_args!("… and {} more", thousands(materials.len() - MAX_ROWS)))?;
    }
    Ok(())
}

/// Truncates a label, so that one name does not widen the whole table.
fn truncated(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let plain = anstream::adapter::strip_str(text).to_string();
    match plain.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}
