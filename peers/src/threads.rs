//! Measurements of pleach alone, on a tree in which every node moved: its update on one thread and
//! on all, and the memory bandwidth that the former achieves.

use std::hint::black_box;
use std::time::Instant;

use crate::bench::median;
use crate::contender::Contender;
use crate::contenders::pleach::Pleach;
use crate::number_format::{figure, size};
use crate::scene::{Case, Scene};

const ROUNDS: u32 = 15;

/// The bytes that an update reads per node: transform, parent and slot.
const BYTES_READ: f64 = 48.0 + 4.0 + 4.0;
/// The bytes that it writes: the world matrix. They are also read from memory first, unless the
/// processor detects that whole cache lines are written.
const BYTES_WRITTEN: f64 = 64.0;

/// Update times in nanoseconds per node.
struct Updates {
    serial: f64,
    parallel: f64,
}

/// Bandwidth in GB/s: as seen by the program, and including the reading of cache lines before they
/// are written.
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
         pleach on {} {}, every node moved, update only.\n\n\
         | | ns per node | |\n| --- | --: | --: |\n\
         | `update` | {} | |\n\
         | `update_parallel`, {threads} threads | {} | {}× the speed |\n\n\
         `update` transfers {bytes:.0} bytes per node, or {:.0} including the reading of the cache \
         lines that are written. The triad `a[i] = b[i] + s * c[i]` on one thread transfers \
         12 bytes per step, or 16.\n\n\
         | | GB/s | including reads before writes |\n| --- | --: | --: |\n\
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

/// Times both kinds of update alternately.
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

/// Returns the bytes of parent matrices read per node, if each is fetched once.
fn parent_bytes(scene: &Scene) -> f64 {
    let mut is_parent = vec![false; scene.len()];
    for (_, parent) in scene.children() {
        is_parent[parent as usize] = true;
    }
    let parents = is_parent.iter().filter(|&&is_parent| is_parent).count();
    BYTES_WRITTEN * parents as f64 / scene.len() as f64
}

/// Measures the triad over three arrays of `total` bytes together.
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
