//! The SVG chart: a pair of bars for each workload on a logarithmic scale, in the viewer's light or
//! dark colour scheme.

use super::{Answer, Machine, short, time};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = WIDTH - 175.0;
const TOP: f64 = 84.0;
/// The vertical distance between workloads.
const STEP: f64 = 44.0;
const BAR: f64 = 15.0;

const STYLE: &str = "\
    .title { font-size: 16px; font-weight: 600 } .paper { fill: #ffffff } .ink { fill: #24292f } .soft { fill: #57606a } \
    .rule { stroke: #d8dee4 } .pleach { fill: #d55e00 } .naive { fill: #9aa2ab } \
    @media (prefers-color-scheme: dark) { \
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9198a1 } \
    .rule { stroke: #30363d } .pleach { fill: #f0883e } .naive { fill: #6e7681 } }";

/// Returns the chart of all workloads.
pub(super) fn svg(answer: &Answer) -> String {
    let Answer { machine: Machine { cores, kernel }, nodes, workloads } = answer;
    let bottom = TOP + STEP * workloads.len() as f64;
    let height = bottom + 40.0;
    let mut out = String::new();
    let title = format!("pleach and a naive scene graph: {nodes} nodes");
    let note = format!("{kernel}, {cores} cores, one thread; lower is better, logarithmic scale");
    add(
        &mut out,
        &format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" font-size="12" role="img">"#
        ),
    );
    add(&mut out, &format!("<title>{}</title>\n<style>{STYLE}</style>", escaped(&title)));
    add(&mut out, &format!(r#"<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>"#));
    let heading = Text { x: 20.0, y: 30.0, anchor: "start", class: "ink title" };
    add(&mut out, &heading.text(&title));
    let heading = Text { y: 50.0, class: "soft", ..heading };
    add(&mut out, &heading.text(&note));

    let times = || workloads.iter().flat_map(|row| [row.pleach_ns, row.naive_ns]);
    let axis = Axis::over(times());
    for decade in axis.decades() {
        let x = axis.x(decade);
        add(
            &mut out,
            &format!(
                r#"<line class="rule" x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#,
                TOP - 8.0
            ),
        );
        let label = Text { x, y: bottom + 18.0, anchor: "middle", class: "soft" };
        add(&mut out, &label.text(&short_time(decade)));
    }
    for (position, row) in workloads.iter().enumerate() {
        let y = TOP + STEP * position as f64;
        let name = Text { x: LEFT - 12.0, y: y + BAR + 4.0, anchor: "end", class: "ink" };
        add(&mut out, &name.text(row.title));
        for (line, class, time_of) in [(0.0, "pleach", row.pleach_ns), (1.0, "naive", row.naive_ns)]
        {
            let (top, length) = (y + line * (BAR + 2.0), axis.x(time_of) - LEFT);
            add(
                &mut out,
                &format!(
                    r#"<rect class="{class}" x="{LEFT}" y="{top:.1}" width="{length:.1}" height="{BAR}" rx="2"/>"#
                ),
            );
            let label = Text {
                x: LEFT + length + 6.0,
                y: top + BAR - 3.5,
                anchor: "start",
                class: if class == "pleach" { "ink" } else { "soft" },
            };
            add(&mut out, &label.text(&format!("{class} {}", time(time_of))));
        }
        let ratio = Text { x: WIDTH - 20.0, y: y + BAR + 4.0, anchor: "end", class: "ink" };
        add(&mut out, &ratio.text(&format!("× {}", short(row.ratio))));
    }
    add(&mut out, "</svg>");
    out
}

fn add(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// The position and style of a text.
struct Text<'a> {
    x: f64,
    y: f64,
    anchor: &'a str,
    class: &'a str,
}

impl Text<'_> {
    fn text(&self, text: &str) -> String {
        let Self { x, y, anchor, class } = self;
        let text = escaped(text);
        format!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        )
    }
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML cannot represent control characters.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A logarithmic axis from one power of ten to another.
struct Axis {
    first: i32,
    last: i32,
}

impl Axis {
    fn over(times: impl Iterator<Item = f64>) -> Self {
        let decade = |time: f64| libm::log10(time.clamp(1e-3, 1e15));
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for time in times.filter(|time| !time.is_nan()) {
            (first, last) = (first.min(decade(time)), last.max(decade(time)));
        }
        if first > last {
            return Self { first: 0, last: 1 };
        }
        // Leaves a visible length for the shortest bar.
        let first = (first - 0.15).floor() as i32;
        Self { first, last: (last.ceil() as i32).max(first + 1) }
    }

    fn x(&self, time: f64) -> f64 {
        let decade = libm::log10(time.clamp(1e-3, 1e15));
        let fraction = (decade - f64::from(self.first)) / f64::from(self.last - self.first);
        LEFT + fraction.clamp(0.0, 1.0).max(0.0) * (RIGHT - LEFT)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|decade| libm::pow(10.0, f64::from(decade)))
    }
}

/// Formats an axis label without trailing zeros.
fn short_time(nanoseconds: f64) -> String {
    let text = time(nanoseconds);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Measured;
    use super::*;

    fn answer(times: &[(f64, f64)]) -> Answer {
        let row = |&(pleach_ns, naive_ns): &(f64, f64)| Measured {
            name: "name",
            title: r#"<b> & "c" > d"#,
            pleach_ns,
            naive_ns,
            ratio: naive_ns / pleach_ns,
            spread: 0.1,
        };
        let machine = Machine { cores: 2, kernel: "a<b\u{1}".into() };
        Answer { machine, nodes: 1000, workloads: times.iter().map(row).collect() }
    }

    /// Returns the tags and asserts that they are well formed: nested correctly, with quoted
    /// attributes and only known entities in text.
    fn tags(svg: &str) -> Vec<String> {
        let (mut open, mut tags, mut rest) = (Vec::new(), Vec::new(), svg);
        while let Some((text, after)) = rest.split_once('<') {
            assert!(!text.contains('>'), "{text}");
            for entity in text.split('&').skip(1) {
                let (entity, _) = entity.split_once(';').unwrap();
                assert!(["amp", "lt", "gt", "quot"].contains(&entity), "{entity}");
            }
            let (tag, after) = after.split_once('>').unwrap();
            assert!(!tag.contains(['<', '&']) && tag.matches('"').count() % 2 == 0, "{tag}");
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap().to_owned();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else {
                tags.push(tag.to_owned());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
            rest = after;
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
        tags
    }

    fn widths(tags: &[String], class: &str) -> Vec<f64> {
        let bars = tags.iter().filter(|tag| tag.starts_with(&format!("rect class=\"{class}\"")));
        let width = |bar: &String| bar.split("width=\"").nth(1)?.split('"').next()?.parse().ok();
        bars.map(|bar| width(bar).unwrap()).collect()
    }

    #[test]
    fn the_chart_is_well_formed_and_names_are_escaped() {
        let svg = svg(&answer(&[(100.0, 1000.0), (2.5e6, 3e6)]));
        tags(&svg);
        assert!(svg.contains("&lt;b&gt; &amp; &quot;c&quot; &gt; d"));
        assert!(svg.contains("a&lt;b\u{fffd}") && !svg.contains('\u{1}'));
        for text in ["1000 nodes", "pleach 100 ns", "naive 3.00 ms", "× 10.0", "× 1.20"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn bar_lengths_are_logarithmic() {
        let tags = tags(&svg(&answer(&[(100.0, 1000.0), (10_000.0, 100_000.0)])));
        let (ours, theirs) = (widths(&tags, "pleach"), widths(&tags, "naive"));
        let step = theirs[0] - ours[0];
        assert!(ours[0] > 0.0 && step > 0.0);
        for (bar, decades) in [(ours[1], 2.0), (theirs[1], 3.0)] {
            assert!((bar - ours[0] - decades * step).abs() < 0.3, "{bar} {decades}");
        }
        assert!((theirs[1] - (RIGHT - LEFT)).abs() < 0.1);
    }

    #[test]
    fn degenerate_times_make_a_valid_chart() {
        for times in [
            &[][..],
            &[(1.0, 1.0)],
            &[(0.0, f64::INFINITY)],
            &[(f64::NAN, 1.0)],
            &[(1e-300, 1e300)],
        ] {
            let tags = tags(&svg(&answer(times)));
            assert!(!tags.iter().any(|tag| tag.contains("inf")), "{tags:?}");
            for bar in [widths(&tags, "pleach"), widths(&tags, "naive")].concat() {
                assert!((0.0..=RIGHT - LEFT).contains(&bar), "{bar}");
            }
        }
    }

    #[test]
    fn axis_labels_have_no_trailing_zeros() {
        let ticks = [1.0, 10.0, 100.0, 1e3, 1e5, 1e6, 1e9].map(short_time);
        assert_eq!(ticks, ["1 ns", "10 ns", "100 ns", "1 µs", "100 µs", "1 ms", "1 s"]);
    }
}
