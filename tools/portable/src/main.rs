//! Prints the hash of each recording: the contents of `hashes.txt`.

use portable::{Area, Kernels};

fn main() {
    for area in Area::ALL {
        for seed in 0..area.seeds() {
            println!("{}", area.line(seed, Kernels::SCALAR));
        }
    }
}
