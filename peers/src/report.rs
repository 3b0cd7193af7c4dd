//! The result tables, in Markdown.

use crate::bench::{Outcome, Timing};
use crate::number_format::{figure, size};
use crate::participants::Column;
use crate::scene::Shape;
use crate::workload::Workload;

/// Formats the tables of one shape.
pub fn tables(shape: Shape, outcomes: &[Outcome]) -> String {
    let mut outcomes: Vec<_> = outcomes.iter().filter(|o| o.shape == shape).collect();
    outcomes.sort_by_key(|outcome| outcome.workload as usize); // stable: sizes stay sorted
    let columns: Vec<_> = Column::ALL
        .iter()
        .copied()
        .filter(|&column| outcomes.iter().any(|o| o.best(column).is_some()))
        .map(|column| (column.title(), column))
        .collect();
    let sparse: Vec<_> = outcomes.iter().copied().filter(|o| o.workload.is_sparse()).collect();

    let mut text = format!(
        "## {}\n\nMedian nanoseconds per node (`nothing`: per update), and the ratio to \
         pleach.\n\n{}",
        shape.name(),
        table(&outcomes, &columns, cost),
    );
    if !sparse.is_empty() {
        text += "\nThe same per edited node.\n\n";
        text += &table(&sparse, &columns, cost_per_edit);
    }
    text += "\nMinimum and maximum over the rounds, per node.\n\n";
    text += &table(&outcomes, &columns, spread);
    let modes = modes(&outcomes);
    if !modes.is_empty() {
        text += "\nBevy's modes, per node. The tables above show the faster one of each kind.\n\n";
        text += &table(&outcomes, &modes, mode_cost);
    }
    text
}

/// Formats a table with a line per outcome and a cell per column.
fn table<C: Copy>(
    outcomes: &[&Outcome],
    columns: &[(String, C)],
    cell: impl Fn(&Outcome, C) -> String,
) -> String {
    let titles = columns.iter().map(|(title, _)| title.clone());
    let mut text = line(["workload".into(), "N".into(), "edited".into()], titles);
    text += &line(["---", "--:", "--:"].map(String::from), columns.iter().map(|_| "--:".into()));
    for outcome in outcomes {
        let head = [outcome.workload.name().into(), size(outcome.n), outcome.edited.to_string()];
        text += &line(head, columns.iter().map(|&(_, column)| cell(outcome, column)));
    }
    text
}

fn line(head: [String; 3], cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<_> = head.into_iter().chain(cells).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cost(outcome: &Outcome, column: Column) -> String {
    compared(outcome, column, unit(outcome))
}

fn cost_per_edit(outcome: &Outcome, column: Column) -> String {
    compared(outcome, column, outcome.edited as f64)
}

fn compared(outcome: &Outcome, column: Column, unit: f64) -> String {
    let Some(timing) = outcome.best(column) else {
        return "-".into();
    };
    let pleach = outcome.best(Column::Pleach).and_then(Timing::median);
    match (timing.median(), pleach) {
        (None, _) => missing(timing).into(),
        (Some(median), None) => figure(median / unit),
        (Some(median), Some(_)) if column == Column::Pleach => figure(median / unit),
        (Some(median), Some(pleach)) => {
            format!("{} ({}×)", figure(median / unit), figure(median / pleach))
        }
    }
}

fn spread(outcome: &Outcome, column: Column) -> String {
    let unit = unit(outcome);
    match outcome.best(column).map(|timing| timing.rounds.as_slice()) {
        Some([min, .., max]) => format!("{}..{}", figure(min / unit), figure(max / unit)),
        _ => "-".into(),
    }
}

/// A mode of Bevy and its column.
type Mode = (Column, &'static str);

fn modes(outcomes: &[&Outcome]) -> Vec<(String, Mode)> {
    let timings = outcomes.first().map_or(&[][..], |outcome| &outcome.timings);
    timings
        .iter()
        .filter(|timing| !timing.mode.is_empty())
        .map(|timing| (timing.mode.into(), (timing.column, timing.mode)))
        .collect()
}

fn mode_cost(outcome: &Outcome, mode: Mode) -> String {
    let matches = |timing: &&Timing| (timing.column, timing.mode) == mode;
    outcome.timings.iter().find(matches).map_or("-".into(), |timing| {
        let each = |median| figure(median / unit(outcome));
        timing.median().map_or(missing(timing).into(), each)
    })
}

fn missing(timing: &Timing) -> &'static str {
    if timing.too_slow { "too slow" } else { "-" }
}

/// Returns the number that the time of a frame is divided by.
pub fn unit(outcome: &Outcome) -> f64 {
    match outcome.workload {
        Workload::Nothing => 1.0,
        _ => outcome.n as f64,
    }
}
