//! A page of results: the bars first, then a table for each workload.

use std::fs;

use crate::args::Args;
use crate::number_format::figure;
use crate::rounds::{Table, Who};
use crate::target::Bar;

/// The bars, a word about them, and the tables.
pub fn page(bars: &[Bar], note: &str, tables: &[&Table]) -> String {
    let mut text = String::from(
        "## Bars\n\n\
         | workload | measured | must or aim | here | |\n| --- | --- | --: | --: | --- |\n",
    );
    for bar in bars {
        text += &format!(
            "| {} | {} | {}{} | {} | {} |\n",
            bar.workload,
            bar.measured,
            bar.prefix(),
            bar.limit(),
            bar.value(),
            bar.verdict(),
        );
    }
    text += &format!("\n{note}\n");
    for table in tables {
        text += &format!("\n{}", section(table));
    }
    text
}

fn section(table: &Table) -> String {
    let fastest = || table.time(Who::Pleach).or(table.time(Who::PleachLinear));
    let one = table.by.map_or_else(fastest, |way| table.time_of(Who::Pleach, way));
    let (unit, per) = table.unit;
    let mut text = format!(
        "## {}\n\n{}\n\n\
         | contender | {unit} | least | most | times {} |\n\
         | --- | --: | --: | --: | --: |\n",
        table.title,
        table.note,
        Who::Pleach.with_way(table.by.unwrap_or_default()),
    );
    for row in &table.rows {
        let [least, .., most] = row.rounds[..] else { continue };
        let times = one.map_or("-".into(), |one| figure(row.median() / one));
        text += &format!(
            "| {} | {} | {} | {} | {times} |\n",
            row.name(),
            figure(row.median() / per),
            figure(least / per),
            figure(most / per),
        );
    }
    text
}

/// Prints a page, and writes it into the folder that was asked for.
pub fn publish(page: &str, file: &str, args: &Args) -> Result<(), String> {
    print!("{page}");
    let Some(folder) = &args.out else {
        return Ok(());
    };
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join(file), page))
        .map_err(|error| format!("the results cannot be written: {error}"))
}
