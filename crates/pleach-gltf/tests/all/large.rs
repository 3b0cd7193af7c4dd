//! Large files: a million nodes, deep or wide, are loaded, saved and dropped on a small stack, and
//! the memory of a load is proportional to the file.
//!
//! Uses a tenth of the nodes unless `PLEACH_EFFORT` is full.

use std::env;
use std::fmt::Write;
use std::process::Command;
use std::thread;
use std::time::Instant;

use pleach_gltf::{Bytes, Document, Format, Options};
use testkit::{Effort, allocations};

/// A stack that suffices for code that does not recurse; test threads have 2 MiB, a main thread 8.
const STACK: usize = if cfg!(debug_assertions) { 512 << 10 } else { 256 << 10 };

fn count() -> usize {
    Effort::pick(100_000, 1_000_000)
}

/// Generates a file with a number of nodes.
type Text = fn(usize) -> String;

/// Returns the members of a node other than its children.
fn members(index: usize) -> String {
    match index % 10 {
        0 => format!(r#""name":"node {index}","#),
        5 => r#""translation":[0.001,0,0],"#.into(),
        7 => r#""extras":{"kept":1.50},"#.into(),
        _ => String::new(),
    }
}

/// Generates a chain in which each node is the child of the one before.
fn chain(count: usize) -> String {
    let mut nodes = String::new();
    for index in 0..count - 1 {
        write!(nodes, r#"{{{}"children":[{}]}},"#, members(index), index + 1).unwrap();
    }
    let version = r#""asset":{"version":"2.0"}"#;
    format!(
        r#"{{{version},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}{{"name":"last"}}]}}"#
    )
}

/// Generates a scene in which all nodes are roots.
fn flat(count: usize) -> String {
    let (mut nodes, mut roots) = (String::new(), String::new());
    for index in 0..count - 1 {
        let members = members(index);
        write!(nodes, "{{{}}},", members.strip_suffix(',').unwrap_or_default()).unwrap();
        write!(roots, "{index},").unwrap();
    }
    let last = count - 1;
    let version = r#""asset":{"version":"2.0"}"#;
    format!(
        r#"{{{version},"scene":0,"scenes":[{{"nodes":[{roots}{last}]}}],"nodes":[{nodes}{{"name":"last"}}]}}"#
    )
}

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    thread.join().unwrap();
}

/// Loads, edits, saves in both formats, loads again and drops, and prints the times.
fn check_round_trip(name: &'static str, text: Text, nodes: usize) {
    on_a_small_stack(move || {
        let text = text(nodes);
        allocations::Tally::reset_peak();
        let start = Instant::now();
        let mut lap = {
            let mut last = start;
            move |what: &str| {
                println!("{name} of {nodes}: {what} {:?}", last.elapsed());
                last = Instant::now();
            }
        };
        let file = Bytes::from(text.into_bytes());
        let options = Options::new();
        let nothing = std::collections::BTreeMap::<String, Bytes>::new();
        let mut document = options.load_with(file.clone(), &nothing).unwrap();
        lap("load");
        // The file's nodes, the scene's root and the up-axis node.
        assert_eq!(document.scenes()[0].graph.len(), nodes + 2);
        let saved = document.save_bytes(Format::Gltf).unwrap();
        assert!(saved.bytes == *file, "an unedited file is saved unchanged");
        lap("save untouched");
        let scene = &mut document.scenes_mut()[0];
        let last = scene.graph.find("last").unwrap();
        scene.graph.node_mut(last).unwrap().set_name("the end");
        scene.update().unwrap();
        lap("edit");
        let saved = document.save_bytes(Format::Glb).unwrap();
        lap("save edited");
        let again: Document = options.load_with(saved.bytes, &nothing).unwrap();
        lap("load again");
        let scene = &again.scenes()[0];
        let end = scene.graph.find("the end").unwrap();
        assert_eq!(again.index_of(0, end), Some(nodes - 1));
        let before = document.scenes()[0].graph.node(last).unwrap().world();
        assert_eq!(scene.graph.node(end).unwrap().world(), before);
        drop((document, again));
        lap("drop");
        println!(
            "{name} of {nodes}: all {:?}, peak {} MiB",
            start.elapsed(),
            allocations::Tally::now().peak >> 20
        );
    });
}

#[test]
fn a_long_chain_round_trips_on_a_small_stack() {
    let nodes = count();
    check_round_trip("a chain", chain, nodes);
}

#[test]
fn a_wide_file_round_trips_on_a_small_stack() {
    let nodes = count();
    check_round_trip("a wide file", flat, nodes);
}

#[test]
fn a_long_chain_can_be_cut_in_the_middle_and_saved() {
    let nodes = count();
    on_a_small_stack(move || {
        let text = chain(nodes);
        let options = Options::new();
        let mut document = options.load_bytes(text.as_bytes()).unwrap();
        drop(text);
        let middle = document.node(0, nodes / 2).unwrap();
        let scene = &mut document.scenes_mut()[0];
        assert_eq!(scene.remove(middle).unwrap(), nodes - nodes / 2);
        scene.update().unwrap();
        let start = Instant::now();
        let saved = document.save_bytes(Format::Gltf).unwrap();
        println!("a chain of {nodes} without its second half: saved in {:?}", start.elapsed());
        let again = options.load_bytes(&saved.bytes).unwrap();
        assert_eq!(again.scenes()[0].graph.len(), nodes / 2 + 2);
    });
}

#[test]
fn a_load_takes_at_most_three_times_the_file_and_512_bytes_per_node() {
    const NODES: usize = 100_000;
    const ALONE: &str = "PLEACH_TEST_ALONE";
    // Loading starts threads, so that the memory of the whole process is measured, in a separate
    // process.
    if env::var_os(ALONE).is_none() {
        let test = thread::current().name().expect("the runner names its threads").to_string();
        let mut child = Command::new(env::current_exe().unwrap());
        child.args([test.as_str(), "--exact", "--nocapture", "--test-threads=1"]);
        let output = child.env(ALONE, "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && text.contains("1 passed"));
        return;
    }
    let files: [(&str, Text); 2] = [("a chain", chain), ("a wide file", flat)];
    for (name, text) in files {
        on_a_small_stack(move || {
            let text = text(NODES);
            let size = text.len();
            let file = Bytes::from(text.into_bytes());
            let nothing = std::collections::BTreeMap::<String, Bytes>::new();
            let before = allocations::process().0;
            allocations::reset_process_peak();
            let document = Options::new().load_with(file, &nothing).unwrap();
            let (kept, peak) = allocations::process();
            let [kept, peak] = [kept, peak].map(|it| (it - before) as usize + size);
            let allowed = 3 * size + 512 * NODES;
            println!(
                "{name} of {NODES} nodes, {size} bytes: peak {peak} ({} per node in addition to the file), \
                 kept {kept}; {allowed} are allowed",
                (peak - size) / NODES,
            );
            assert!(peak <= allowed, "{name}: {peak} bytes; {allowed} are allowed");
            drop(document);
        });
    }
}
