//! The page: the bars first, then a table for each workload.

use super::Results;
use super::bars::{bars, tables};
use super::rounds::{Table, Who};
use crate::figures::figure;

pub fn page(results: &Results) -> String {
    let mut text = String::from(
        "## Bars\n\n\
         | workload | measured | must or aim | here | |\n| --- | --- | --: | --: | --- |\n",
    );
    for bar in bars(results) {
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
    text += "\nThe aim for rays, 1.5 times Embree, is not measured: Embree is not among the \
             contenders.\n";
    for table in tables(results) {
        text += &format!("\n{}", section(table));
    }
    text
}

fn section(table: &Table) -> String {
    let pleach = table.time(Who::Pleach).or(table.time(Who::PleachLinear));
    let (unit, per) = table.unit;
    let mut text = format!(
        "## {}\n\n{}\n\n\
         | contender | {unit} | least | most | times pleach |\n\
         | --- | --: | --: | --: | --: |\n",
        table.title, table.note,
    );
    for row in &table.rows {
        let [least, .., most] = row.rounds[..] else { continue };
        let times = pleach.map_or("-".into(), |pleach| figure(row.median() / pleach));
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
