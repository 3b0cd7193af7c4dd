//! Measures writing and reading of snapshots against `.glb` files of the same scenes, on one thread, and prints the
//! page docs/benchmarks/snapshot.md.
//!
//! `cargo run --release -p pleach-format --example snapshot_speed [ROUNDS] > docs/benchmarks/snapshot.md`

use std::hint::black_box;
use std::time::Instant;

use pleach::glam::Vec3;
use pleach::shapes::Sphere;
use pleach::{Material, Node, Scene, Transform, rotation};
use pleach_gltf::{Format, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds = std::env::args().nth(1).map_or(Ok(15), |rounds| rounds.parse())?;
    println!("# Snapshots\n");
    println!(
        "Scenes written to memory and read from it, as snapshots (`pleach-format`) and as `.glb` files"
    );
    println!(
        "(`pleach-gltf`), with one thread. Medians of {rounds} rounds, in which each is measured once, in turn."
    );
    println!(
        "Reading a `.glb` file ends with an update of the scene, reading a snapshot does not. The copy is one"
    );
    println!("`memcpy` of the snapshot into new memory, for comparison with the memory's speed.\n");
    println!("To reproduce:\n\n```sh");
    println!(
        "cargo run --release -p pleach-format --example snapshot_speed > docs/benchmarks/snapshot.md\n```\n"
    );
    let title = "100k nodes with meshes, of 64 geometries and 16 materials";
    let mut missed = !compare(title, &nodes(100_000)?, rounds, Some(5.0))?;
    let title = "10k nodes with a geometry of their own each: mostly vertex data";
    missed |= !compare(title, &geometries(10_000)?, rounds, None)?;
    if missed {
        return Err("a target was missed: snapshots must be 5 times as fast as `.glb`".into());
    }
    Ok(())
}

/// A tree of named nodes with full transforms, each with one of a few meshes.
fn nodes(count: usize) -> Result<Scene, pleach::Error> {
    let mut scene = Scene::new();
    let sphere = |i: usize| Ok(scene.assets.add(Sphere::new(1.0 + i as f32).build()?));
    let geometries = (0..64).map(sphere).collect::<Result<Vec<_>, pleach::Error>>()?;
    let materials: Vec<_> = (0..16).map(|_| scene.assets.add(Material::default())).collect();
    let mut parent = scene.root();
    for i in 0..count - 1 {
        if i % 100 == 0 {
            parent = scene.root();
        }
        let transform = Transform {
            translation: Vec3::new(i as f32 * 0.5, (i % 97) as f32, 0.25),
            rotation: rotation::from_rotation_z(i as f32 * 0.01),
            scale: Vec3::splat(1.0 + (i % 7) as f32),
        };
        let mesh = Node::mesh(&geometries[i % 64], &materials[i % 16]);
        let mesh = mesh.named(format!("node {i}")).with_transform(transform).under(parent);
        let node = scene.spawn(mesh)?;
        if i % 10 == 0 {
            parent = node;
        }
    }
    Ok(scene)
}

/// Nodes whose geometries are all different: mostly vertex data.
fn geometries(count: usize) -> Result<Scene, pleach::Error> {
    let mut scene = Scene::new();
    let material = scene.assets.add(Material::default());
    for i in 0..count {
        let geometry = scene.assets.add(Sphere::new(1.0 + i as f32).build()?);
        scene.spawn(Node::mesh(&geometry, &material).at(Vec3::X * i as f32))?;
    }
    Ok(scene)
}

/// Measures one scene, prints its table, and returns whether the target was met: how many times as fast
/// as `.glb` snapshots must be.
fn compare(
    title: &str,
    scene: &Scene,
    rounds: usize,
    target: Option<f64>,
) -> Result<bool, Box<dyn std::error::Error>> {
    let snapshot = pleach_format::to_bytes(scene)?;
    let glb = pleach_gltf::save_bytes(scene, Format::Glb)?.bytes;
    let loader = Options::new();
    let reader = pleach_format::Options::new();
    let mut times: [Vec<f64>; 6] = Default::default();
    for _ in 0..rounds {
        let measured = [
            seconds(|| pleach_format::to_bytes(scene).map(drop))?,
            seconds(|| pleach_gltf::save_bytes(scene, Format::Glb).map(drop))?,
            seconds(|| reader.from_bytes(&snapshot))?,
            seconds(|| loader.load_bytes(&glb))?,
            seconds(|| Ok::<_, std::fmt::Error>(black_box(snapshot.clone())))?,
            seconds(|| {
                let mut loaded = reader.from_bytes(&snapshot)?;
                loaded.scene.update()?;
                Ok::<_, Box<dyn std::error::Error>>(loaded)
            })?,
        ];
        for (times, measured) in times.iter_mut().zip(measured) {
            times.push(measured);
        }
    }
    let [write, write_glb, read, read_glb, copy, read_and_update] = times.map(median);
    let speeds = [write_glb / write, read_glb / read_and_update];
    println!("## {title}\n");
    println!("| | snapshot | glb | glb / snapshot | target |\n| --- | --: | --: | --: | --: |");
    let target_text = target.map_or(String::new(), |target| format!("≥ {target}"));
    let row = |name: &str, snapshot: f64, glb: f64, target: &str| {
        let [own, other] = [snapshot, glb].map(|seconds| seconds * 1e3);
        println!("| {name} | {own:.2} ms | {other:.1} ms | {:.1} | {target} |", glb / snapshot);
    };
    row("write", write, write_glb, &target_text);
    row("read, with the first update", read_and_update, read_glb, &target_text);
    row("read, without it", read, read_glb, "");
    let [own, other] = [&snapshot, &glb].map(|bytes| bytes.len() as f64 / 1e6);
    println!("| size | {own:.2} MB | {other:.2} MB | {:.2} | |", other / own);
    println!("| copy of the bytes | {:.2} ms | | | |\n", copy * 1e3);
    Ok(speeds.iter().all(|&speed| speed >= target.unwrap_or(0.0)))
}

/// Returns the time of a call. Dropping its result is not timed.
fn seconds<T, E>(call: impl FnOnce() -> Result<T, E>) -> Result<f64, E> {
    let start = Instant::now();
    let result = black_box(call()?);
    let seconds = start.elapsed().as_secs_f64();
    drop(result);
    Ok(seconds)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
