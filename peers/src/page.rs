//! A results page: the targets first, then a table for each workload.

use std::fs;

use crate::args::Args;
use crate::number_format::figure;
use crate::rounds::{Implementation, Table};
use crate::target::Target;

/// Formats the targets, a note about them, and the tables.
pub fn page(targets: &[Target], note: &str, tables: &[&Table]) -> String {
    let mut text = format!("{}\n{note}\n", targets_section(targets));
    for table in tables {
        text += &format!("\n{}", section(table));
    }
    text
}

/// Formats the targets.
pub fn targets_section(targets: &[Target]) -> String {
    let mut text = String::from(
        "## Targets\n\n\
         | workload | measured | target | value | |\n| --- | --- | --: | --: | --- |\n",
    );
    for target in targets {
        text += &format!(
            "| {} | {} | {}{} | {} | {} |\n",
            target.workload,
            target.measured,
            target.prefix(),
            target.limit(),
            target.value(),
            target.verdict(),
        );
    }
    text
}

fn section(table: &Table) -> String {
    let fastest =
        || table.time(Implementation::Pleach).or(table.time(Implementation::PleachLinear));
    let baseline = table
        .baseline
        .map_or_else(fastest, |variant| table.time_of(Implementation::Pleach, variant));
    let (unit, per) = table.unit;
    let mut text = format!(
        "## {}\n\n{}\n\n\
         | contender | {unit} | min | max | relative to {} |\n\
         | --- | --: | --: | --: | --: |\n",
        table.title,
        table.note,
        Implementation::Pleach.with_variant(table.baseline.unwrap_or_default()),
    );
    for row in &table.rows {
        let [min, .., max] = row.rounds[..] else { continue };
        let times = baseline.map_or("-".into(), |baseline| figure(row.median() / baseline));
        text += &format!(
            "| {} | {} | {} | {} | {times} |\n",
            row.name(),
            figure(row.median() / per),
            figure(min / per),
            figure(max / per),
        );
    }
    text
}

/// Prints a page, and writes it to the output folder if one was given.
pub fn publish(page: &str, file: &str, args: &Args) -> Result<(), String> {
    print!("{page}");
    let Some(folder) = &args.out else {
        return Ok(());
    };
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join(file), page))
        .map_err(|error| format!("the results cannot be written: {error}"))
}
