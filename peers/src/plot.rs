//! The plots: cost by number of nodes, both logarithmic, as SVG.

use std::fmt::Write;

use crate::bench::{Outcome, Timing};
use crate::number_format::{size, tick};
use crate::participants::Column;
use crate::report::unit;
use crate::scene::Shape;
use crate::workload::Workload;

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 140.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = HEIGHT - 52.0;

/// The line of a contender: nodes and cost.
struct Line {
    column: Column,
    points: Vec<(f64, f64)>,
}

/// Returns the plot of a workload on a shape, if it was measured at more than one size.
pub fn svg(shape: Shape, workload: Workload, outcomes: &[Outcome]) -> Option<String> {
    let outcomes: Vec<_> = outcomes
        .iter()
        .filter(|outcome| outcome.shape == shape && outcome.workload == workload)
        .collect();
    let mut lines: Vec<_> = Column::ALL.iter().map(|&column| line(column, &outcomes)).collect();
    lines.retain(|line| !line.points.is_empty());
    // The legend has the order of the lines at the right edge, the slowest first.
    lines.sort_by(|a, b| last_cost(b).total_cmp(&last_cost(a)));

    let costs = lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let x = Axis::spanning(outcomes.iter().map(|outcome| outcome.n as f64), LEFT, RIGHT)?;
    let y = Axis::spanning(costs.flat_map(|cost| [cost / 1.2, cost * 1.2]), BOTTOM, TOP)?;

    let unit = if workload == Workload::Nothing { "update" } else { "node" };
    let mut out = String::new();
    frame(&mut out, &format!("{}, {}", workload.name(), shape.name()), unit);
    for outcome in &outcomes {
        let at = x.position(outcome.n as f64);
        rule(&mut out, (at, at), (TOP, BOTTOM));
        label(&mut out, (at, BOTTOM + 18.0), "middle", &size(outcome.n));
    }
    for cost in y.ticks() {
        let at = y.position(cost);
        rule(&mut out, (LEFT, RIGHT), (at, at));
        label(&mut out, (LEFT - 8.0, at + 4.0), "end", &tick(cost));
    }
    for (row, line) in lines.iter().enumerate() {
        draw(&mut out, line, &x, &y);
        legend(&mut out, line.column, row);
    }
    out += "</svg>\n";
    Some(out)
}

fn line(column: Column, outcomes: &[&Outcome]) -> Line {
    let point = |outcome: &&Outcome| {
        let median = outcome.best(column).and_then(Timing::median)?;
        Some((outcome.n as f64, median / unit(outcome)))
    };
    Line { column, points: outcomes.iter().filter_map(point).collect() }
}

fn last_cost(line: &Line) -> f64 {
    line.points.last().map_or(0.0, |point| point.1)
}

fn color(column: Column) -> &'static str {
    match column {
        Column::Pleach => "#d55e00",
        Column::PleachBulk => "#e69f00",
        Column::Naive => "#7f7f7f",
        Column::Loop => "#56b4e9",
        Column::SimdLoop => "#0072b2",
        Column::BevySingle => "#009e73",
        Column::BevyMulti => "#cc79a7",
    }
}

/// A logarithmic axis: `low` is drawn at `from`, `high` at `to`.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Returns `None` if the range of the values is empty.
    fn spanning(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Option<Self> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.reduce(f64::max)?;
        (low < high).then_some(Self { low, high, from, to })
    }

    fn position(&self, value: f64) -> f64 {
        let fraction = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + fraction * (self.to - self.from)
    }

    /// Returns 1, 2 and 5 of every decade, or only 1 if there are many decades.
    fn ticks(&self) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let steps: &[f64] = if self.high / self.low > 3e3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        decades
            .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

/// Adds a line to the document; writing to a string cannot fail.
macro_rules! add {
    ($out:expr, $($text:tt)*) => {
        writeln!($out, $($text)*).expect("a string can be written to")
    };
}

fn frame(out: &mut String, title: &str, unit: &str) {
    add!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#333">"##
    );
    add!(out, r##"<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fff"/>"##);
    add!(out, r##"<text x="{LEFT}" y="26" font-size="15" font-weight="600">{title}</text>"##);
    let (middle, below) = ((LEFT + RIGHT) / 2.0, BOTTOM + 38.0);
    add!(out, r##"<text x="{middle}" y="{below}" text-anchor="middle">nodes</text>"##);
    let middle = (TOP + BOTTOM) / 2.0;
    add!(
        out,
        r##"<text transform="translate(20 {middle}) rotate(-90)" text-anchor="middle">ns per {unit}</text>"##
    );
}

fn rule(out: &mut String, (x1, x2): (f64, f64), (y1, y2): (f64, f64)) {
    add!(out, r##"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="#e4e4e4"/>"##);
}

fn label(out: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    add!(out, r##"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"##);
}

fn draw(out: &mut String, line: &Line, x: &Axis, y: &Axis) {
    let color = color(line.column);
    let width = stroke_width(line.column);
    let points: Vec<_> =
        line.points.iter().map(|&(nodes, cost)| (x.position(nodes), y.position(cost))).collect();
    let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    add!(
        out,
        r##"<polyline points="{}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"/>"##,
        path.join(" ")
    );
    for (x, y) in points {
        add!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{color}"/>"##);
    }
}

fn legend(out: &mut String, column: Column, row: usize) {
    let y = TOP + 12.0 + 22.0 * row as f64;
    let (from, to) = (RIGHT + 18.0, RIGHT + 40.0);
    let (color, width) = (color(column), stroke_width(column));
    add!(
        out,
        r##"<line x1="{from}" y1="{y}" x2="{to}" y2="{y}" stroke="{color}" stroke-width="{width}"/>"##
    );
    label(out, (to + 7.0, y + 4.0), "start", &column.title());
}

fn stroke_width(column: Column) -> f64 {
    if column == Column::Pleach { 3.0 } else { 1.8 }
}
