//! The plot: load times of the file with 100k nodes, on a logarithmic scale.

use super::cases::load;
use super::javascript::Scripts;
use crate::number_format::{figure, tick};
use crate::rounds::{Implementation, Table};

pub const NAME: &str = "gltf-load.svg";

const WIDTH: f64 = 680.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = WIDTH - 80.0;
const TOP: f64 = 48.0;
const ROW: f64 = 34.0;

pub fn svg(table: &Table, scripts: Option<&Scripts>) -> String {
    let time_of = |implementation| table.time_of(implementation, load::SLICE);
    let rows = [
        ("pleach", time_of(Implementation::Pleach), "#0072b2"),
        ("gltf crate", time_of(Implementation::Gltf), "#999999"),
        ("glTF-Transform", scripts.map(|it| it.transform_read.median), "#999999"),
        ("three.js", scripts.map(|it| it.three_read.median), "#999999"),
    ];
    let rows: Vec<_> =
        rows.iter().filter_map(|&(name, time, color)| Some((name, time? / 1e6, color))).collect();
    let max = rows.iter().map(|row| row.1).fold(1.0, f64::max);
    let decades = max.log10().ceil().max(1.0);
    let x_of = |ms: f64| LEFT + (RIGHT - LEFT) * (ms.max(1.0).log10() / decades);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"15\">{}: ms, from memory</text>\n",
        bottom + 40.0,
        table.title,
    );
    for decade in 0..=decades as i32 {
        let ms = 10_f64.powi(decade);
        let at = x_of(ms);
        out += &format!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            bottom + 18.0,
            tick(ms),
        );
    }
    for (index, (name, ms, color)) in rows.iter().enumerate() {
        let (top, end) = (TOP + ROW * index as f64, x_of(*ms));
        out += &format!(
            "<rect x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{color}\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>\n\
             <text x=\"{:.1}\" y=\"{}\">{}</text>\n",
            top + 6.0,
            end - LEFT,
            ROW - 12.0,
            LEFT - 8.0,
            top + ROW / 2.0 + 5.0,
            end + 6.0,
            top + ROW / 2.0 + 5.0,
            figure(*ms),
        );
    }
    out + "</svg>\n"
}
