//! The bars of issue 5, and whether pleach clears them in this run.

use super::Results;
use super::cases::{load, memory, save};
use crate::rounds::{Table, Who};
use crate::target::{Bar, Kind, Limit, over};

/// What a counter of bytes adds to a copy of the geometry: nodes, materials and the like.
const SLACK: f64 = 1.05;

pub fn bars(results: &Results) -> Vec<Bar> {
    use Kind::{Aim, Must};
    use Limit::{AtLeast, AtMost};
    let mut bars = Vec::new();
    let mut bar = |workload: &str, measured, limit, value, kind| {
        bars.push(Bar { workload: workload.into(), measured, limit, value, kind });
    };

    let table = &results.loads[0];
    let name = &results.loads[0].title;
    let ways = [
        (load::FILE, "gltf::import / pleach, file"),
        (load::SLICE, "gltf::import_slice / pleach, slice"),
    ];
    for (way, measured) in ways {
        let value = over(table.time_of(Who::Gltf, way), table.time_of(Who::Pleach, way));
        bar(name, measured, AtLeast(1.5), value, Must);
        bar(name, measured, AtLeast(3.0), value, Aim);
    }
    let scripts = results.scripts.as_ref().ok();
    let ours = scripts.map(|it| it.pleach);
    let three = scripts.map(|it| it.three_read.median);
    let transform = scripts.map(|it| it.transform_read.median);
    bar(name, "three.js / pleach, slice", AtLeast(50.0), over(three, ours), Must);
    bar(name, "glTF-Transform / pleach, slice", AtLeast(50.0), over(transform, ours), Must);

    let table = &results.save;
    for way in [save::UNEDITED, save::ONE, save::SOME] {
        let value = over(table.time_of(Who::Pleach, way), table.time_of(Who::Pleach, save::LOAD));
        bar(&format!("{}: {way}", table.title), "save / load", AtMost(1.0), value, Must);
    }

    let name = &results.large;
    let print = |way| {
        let mut prints = results.footprints.iter();
        prints.find(|it| it.who == Who::Pleach && it.name == *name && it.way == way)
    };
    let (given, file) = (print(memory::GIVEN), print(memory::FILE));
    let measured = "bytes asked for / geometry, bytes given away";
    bar(name, measured, AtMost(SLACK), given.map(|it| it.copies()), Must);
    let measured = "the same, file, less the file itself";
    bar(name, measured, AtMost(SLACK), file.map(|it| it.copies() - 1.0), Must);
    let measured = "the same, file: mapped, not read";
    bar(name, measured, AtMost(SLACK), file.map(|it| it.copies()), Aim);

    for print in
        results.footprints.iter().filter(|it| it.who == Who::Pleach && it.way == memory::FILE)
    {
        let workload = format!("peak, {}, {}", print.name, print.way);
        let value = print.peak() / print.allowed();
        bar(&workload, "peak / (3 × file + 512 bytes a node)", AtMost(1.0), Some(value), Must);
    }
    bars
}

/// The tables the bars are about, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables: Vec<_> = results.loads.iter().collect();
    tables.extend([&results.save, &results.geometry]);
    tables
}
