//! Measurements of pleach alone, on a tree with everything moved: its update on one thread and
//! on all, and how near the first comes to what the memory can do.

use std::hint::black_box;
use std::time::Instant;

use crate::bench::median;
use crate::contender::Contender;
use crate::contenders::pleach::Pleach;
use crate::number_format::{figure, size};
use crate::scene::{Case, Scene};

const ROUNDS: u32 = 15;

/// Bytes of a node that an update reads: its transform, its parent's and its own place.
const BYTES_READ: f64 = 48.0 + 4.0 + 4.0;
/// Bytes that it writes: the world matrix. They are also read from memory first, if the
/// processor does not know that whole lines are going to be written.
const BYTES_WRITTEN: f64 = 64.0;

/// Nanoseconds per node.
struct Updates {
    serial: f64,
    parallel: f64,
}

/// Billions of bytes per second: as the program sees it, and with the reading of lines that
/// are about to be written.
struct Bandwidth {
    plain: f64,
    with_ownership: f64,
}

pub fn section(case: &Case) -> String {
    let scene = Scene::new(case);
    let updates = updates(&scene);
    let bytes = BYTES_READ + BYTES_WRITTEN + parent_bytes(&scene);
    let update = Bandwidth {
        plain: bytes / updates.serial,
        with_ownership: (bytes + BYTES_WRITTEN) / updates.serial,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!(
        "## Threads and bandwidth\n\n\
         pleach on {} {}, everything moved, the update alone.\n\n\
         | | ns per node | |\n| --- | --: | --: |\n\
         | `update` | {} | |\n\
         | `update_parallel`, {threads} threads | {} | {}× as fast |\n\n\
         `update` moves {bytes:.0} bytes per node, {:.0} with the matrices' lines being read \
         before they are written. The triad `a[i] = b[i] + s * c[i]` on one thread moves 12 \
         bytes per step, or 16.\n\n\
         | | GB/s | with lines read before writing |\n| --- | --: | --: |\n\
         | `update` | {:.1} | {:.1} |\n",
        case.shape.name(),
        size(case.n),
        figure(updates.serial),
        figure(updates.parallel),
        figure(updates.serial / updates.parallel),
        bytes + BYTES_WRITTEN,
        update.plain,
        update.with_ownership,
    );
    let footprint = case.n as f64 * (BYTES_READ + BYTES_WRITTEN);
    for total in [footprint, 768e6] {
        let triad = triad(total);
        text += &format!(
            "| triad over {:.0} MB | {:.1} (`update` is at {:.0} %) | {:.1} ({:.0} %) |\n",
            total / 1e6,
            triad.plain,
            100.0 * update.plain / triad.plain,
            triad.with_ownership,
            100.0 * update.with_ownership / triad.with_ownership,
        );
    }
    text
}

/// Times both kinds of update by turns.
fn updates(scene: &Scene) -> Updates {
    let mut pleach = Pleach::default();
    pleach.build(scene);
    let mut times = [Vec::new(), Vec::new()];
    for step in 0..2 * ROUNDS {
        let in_parallel = step % 2 == 1;
        pleach.move_all(step);
        let graph = pleach.graph();
        let start = Instant::now();
        if in_parallel {
            black_box(graph.update_parallel());
        } else {
            black_box(graph.update());
        }
        times[usize::from(in_parallel)].push(start.elapsed().as_nanos() as f64);
        graph.clear_changes();
    }
    let [serial, parallel] = times.map(|times| median(times) / scene.len() as f64);
    Updates { serial, parallel }
}

/// Bytes read of parents' matrices per node, if each parent's is fetched once.
fn parent_bytes(scene: &Scene) -> f64 {
    let mut is_parent = vec![false; scene.len()];
    for (_, parent) in scene.children() {
        is_parent[parent as usize] = true;
    }
    let parents = is_parent.iter().filter(|&&is_parent| is_parent).count();
    BYTES_WRITTEN * parents as f64 / scene.len() as f64
}

/// Over three arrays of `total` bytes together.
fn triad(total: f64) -> Bandwidth {
    let length = (total / 12.0) as usize;
    let mut a = vec![1.0_f32; length];
    let b = vec![2.0_f32; length];
    let c = vec![3.0_f32; length];
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let factor = black_box(0.5);
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = *b + factor * *c;
        }
        black_box(&mut a);
        start.elapsed().as_nanos() as f64
    });
    let each = median(times.collect()) / length as f64;
    Bandwidth { plain: 12.0 / each, with_ownership: 16.0 / each }
}
