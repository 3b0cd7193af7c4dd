//! The memory that loads allocate: the peak, and the total.

use std::path::Path;

use pleach_gltf::{load, load_bytes};

use super::load_owned;
use crate::allocations::{Tally, tally};
use crate::gltf::SampleFile;
use crate::gltf::generated_files::json_len;
use crate::gltf::gltf_crate::GltfCrate;
use crate::number_format::figure;
use crate::rounds::Implementation;

/// The memory use of one variant of loading a file.
pub struct Footprint {
    pub implementation: Implementation,
    pub variant: &'static str,
    pub name: String,
    pub file: usize,
    /// The size of the file without its JSON.
    pub geometry: usize,
    pub nodes: usize,
    /// The bytes allocated before the load: those of the file, if they are owned.
    pub before: usize,
    pub tally: Tally,
}

pub const FILE: &str = "file";
pub const OWNED: &str = "owned bytes";

impl Footprint {
    /// Returns the peak, including the bytes allocated before.
    pub fn peak(&self) -> f64 {
        (self.before + self.tally.peak) as f64
    }

    /// Returns the limit of the target: three times the file, and 512 bytes per node.
    pub fn allowed(&self) -> f64 {
        (3 * self.file + 512 * self.nodes) as f64
    }

    /// Returns the number of copies of the geometry, if all allocations were copies of it.
    pub fn copy_count(&self) -> f64 {
        self.tally.bytes as f64 / self.geometry as f64
    }
}

pub fn run(sample: &SampleFile, program: &Path) -> Result<Vec<Footprint>, String> {
    let SampleFile { plan, bytes, path } = sample;
    let mut gltf_crate = GltfCrate::start(program, path)?;
    let slice = tally(|| load_bytes(bytes).expect("the file was loaded before")).1;
    let copy = bytes.clone();
    let owned = tally(|| load_owned(copy)).1;
    let file = tally(|| load(path).expect("the file was loaded before")).1;
    let footprint = |implementation, variant, before, tally| Footprint {
        implementation,
        variant,
        name: plan.name(),
        file: bytes.len(),
        geometry: bytes.len() - json_len(bytes),
        nodes: plan.nodes,
        before,
        tally,
    };
    Ok(vec![
        footprint(Implementation::Pleach, FILE, 0, file),
        footprint(Implementation::Pleach, OWNED, bytes.len(), owned),
        footprint(Implementation::Pleach, "slice", 0, slice),
        footprint(Implementation::Gltf, FILE, 0, gltf_crate.tally(FILE)),
        footprint(Implementation::Gltf, "slice", 0, gltf_crate.tally("slice")),
    ])
}

/// Formats the section of the page.
pub fn section(footprints: &[Footprint]) -> String {
    let mut text = String::from(
        "\n## Memory\n\n\
         Memory allocated during a load. The peak is the maximum at once, including owned bytes; a \
         slice belongs to the caller and is not included. The bytes per node are the peak beyond the \
         file itself, divided by the number of nodes. The total is the sum of all allocations, \
         without frees.\n\n\
         | file | contender | peak MB | times the file | bytes per node beyond it | of 3 × file + 512 per \
         node | total, times the file |\n\
         | --- | --- | --: | --: | --: | --: | --: |\n",
    );
    for footprint in footprints {
        let (peak, file) = (footprint.peak(), footprint.file as f64);
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            footprint.name,
            footprint.implementation.with_variant(footprint.variant),
            figure(peak / 1e6),
            figure(peak / file),
            figure(((peak - file) / footprint.nodes as f64).max(0.0)),
            figure(peak / footprint.allowed()),
            figure(footprint.tally.bytes as f64 / file),
        );
    }
    text
}
