//! The targets of the glTF benchmark.

use super::Results;
use super::cases::{load, memory, save};
use crate::rounds::{Implementation, Table};
use crate::target::{Kind, Limit, Target, ratio};

/// The tolerance for memory other than geometry: nodes, materials and the like.
const SLACK: f64 = 1.05;

pub fn targets(results: &Results) -> Vec<Target> {
    use Kind::{Goal, Required};
    use Limit::{AtLeast, AtMost};
    let mut targets = Vec::new();
    let mut target = |workload: &str, measured, limit, value, kind| {
        targets.push(Target { workload: workload.into(), measured, limit, value, kind });
    };

    let table = &results.loads[0];
    let name = &results.loads[0].title;
    let variants = [
        (load::FILE, "gltf::import / pleach, file"),
        (load::SLICE, "gltf::import_slice / pleach, slice"),
    ];
    for (variant, measured) in variants {
        let value = ratio(
            table.time_of(Implementation::Gltf, variant),
            table.time_of(Implementation::Pleach, variant),
        );
        target(name, measured, AtLeast(1.5), value, Required);
        target(name, measured, AtLeast(3.0), value, Goal);
    }
    let variants = [
        (load::FILE, "pleach / gltf::import, file"),
        (load::SLICE, "pleach / gltf::import_slice, slice"),
    ];
    for (variant, measured) in variants {
        let value = ratio(
            table.time_of(Implementation::Pleach, variant),
            table.time_of(Implementation::Gltf, variant),
        );
        target(name, measured, AtMost(1.3), value, Required);
        target(name, measured, AtMost(1.0), value, Goal);
    }
    let scripts = results.scripts.as_ref().ok();
    let ours = scripts.map(|it| it.pleach);
    let three = scripts.map(|it| it.three_read.median);
    let transform = scripts.map(|it| it.transform_read.median);
    target(name, "three.js / pleach, slice", AtLeast(50.0), ratio(three, ours), Required);
    target(name, "glTF-Transform / pleach, slice", AtLeast(50.0), ratio(transform, ours), Required);

    let table = &results.save;
    for variant in [save::UNEDITED, save::ONE_NODE, save::ONE_PERCENT] {
        let value = ratio(
            table.time_of(Implementation::Pleach, variant),
            table.time_of(Implementation::Pleach, save::LOAD),
        );
        target(&format!("{}: {variant}", table.title), "save / load", AtMost(1.0), value, Required);
    }

    let name = &results.large;
    let footprint = |variant| {
        let mut footprints = results.footprints.iter();
        footprints.find(|it| {
            it.implementation == Implementation::Pleach && it.name == *name && it.variant == variant
        })
    };
    let (owned, file) = (footprint(memory::OWNED), footprint(memory::FILE));
    let measured = "bytes allocated / geometry, owned bytes";
    target(name, measured, AtMost(SLACK), owned.map(|it| it.copy_count()), Required);
    let measured = "the same for a file, without the file itself";
    target(name, measured, AtMost(SLACK), file.map(|it| it.copy_count() - 1.0), Required);
    let measured = "the same for a file, if it were memory-mapped";
    target(name, measured, AtMost(SLACK), file.map(|it| it.copy_count()), Goal);

    for footprint in results
        .footprints
        .iter()
        .filter(|it| it.implementation == Implementation::Pleach && it.variant == memory::FILE)
    {
        let workload = format!("peak, {}, {}", footprint.name, footprint.variant);
        let value = footprint.peak() / footprint.allowed();
        target(
            &workload,
            "peak / (3 × file + 512 bytes per node)",
            AtMost(1.0),
            Some(value),
            Required,
        );
    }
    targets
}

/// Returns the tables of the targets, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables: Vec<_> = results.loads.iter().collect();
    tables.extend([&results.save, &results.geometry]);
    tables
}
