//! Large files: a million nodes, deep or wide, are loaded, saved and dropped on a small stack; and
//! what a load takes is in proportion to the file.
//!
//! Debug builds use a tenth; `PLEACH_NODES` chooses another number.

mod common;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use common::counting::Counting;
use common::setting;
use pleach_gltf::{Bytes, Document, Format, Options};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Counts what is held, and the most that was.
#[global_allocator]
static COUNTING: Counting = Counting(|bytes| {
    if bytes < 0 {
        HELD.fetch_sub(bytes.unsigned_abs(), Relaxed);
    } else {
        let bytes = bytes.unsigned_abs();
        let now = HELD.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(now, Relaxed);
    }
});

/// Tests run one after the other, so that each counts its own.
static ALONE: Mutex<()> = Mutex::new(());

/// Small, but enough for code that does not recurse: tests have 2 MiB, a main thread 8.
const STACK: usize = if cfg!(debug_assertions) { 512 << 10 } else { 256 << 10 };

fn count() -> usize {
    let usual = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    setting("PLEACH_NODES", usual) as usize
}

/// Writes a file of so many nodes.
type Text = fn(usize) -> String;

/// What a node has beside its children.
fn members(index: usize) -> String {
    match index % 10 {
        0 => format!(r#""name":"node {index}","#),
        5 => r#""translation":[0.001,0,0],"#.into(),
        7 => r#""extras":{"kept":1.50},"#.into(),
        _ => String::new(),
    }
}

/// Each node the child of the one before.
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

/// All nodes roots of one scene.
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
    let alone = ALONE.lock().unwrap_or_else(|broken| broken.into_inner());
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    thread.join().unwrap();
    drop(alone);
}

/// Loads, edits a little, saves in both forms, loads again and drops; tells how long it took.
fn there_and_back(name: &'static str, text: Text, nodes: usize) {
    on_a_small_stack(move || {
        let text = text(nodes);
        PEAK.store(0, Relaxed);
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
        // The file's nodes, the scene's root and the turn.
        assert_eq!(document.scenes()[0].graph.len(), nodes + 2);
        let saved = document.save_bytes(Format::Gltf).unwrap();
        assert!(saved.bytes == *file, "what was not edited is not as it was");
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
            PEAK.load(Relaxed) >> 20
        );
    });
}

#[test]
fn a_long_chain_goes_there_and_back_on_a_small_stack() {
    let nodes = count();
    there_and_back("a chain", chain, nodes);
}

#[test]
fn a_wide_file_goes_there_and_back_on_a_small_stack() {
    let nodes = count();
    there_and_back("a wide file", flat, nodes);
}

#[test]
fn a_long_chain_can_lose_its_middle_and_be_saved() {
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
fn a_load_takes_three_times_the_file_and_512_bytes_a_node() {
    const NODES: usize = 100_000;
    let files: [(&str, Text); 2] = [("a chain", chain), ("a wide file", flat)];
    for (name, text) in files {
        on_a_small_stack(move || {
            let text = text(NODES);
            let size = text.len();
            let file = Bytes::from(text.into_bytes());
            let nothing = std::collections::BTreeMap::<String, Bytes>::new();
            let before = HELD.load(Relaxed);
            PEAK.store(before, Relaxed);
            let document = Options::new().load_with(file, &nothing).unwrap();
            let peak = PEAK.load(Relaxed) - before + size;
            let kept = HELD.load(Relaxed) - before + size;
            let allowed = 3 * size + 512 * NODES;
            println!(
                "{name} of {NODES} nodes, {size} bytes: peak {peak} ({} a node beside the file), \
                 kept {kept}; {allowed} are allowed",
                (peak - size) / NODES,
            );
            assert!(peak <= allowed, "{name}: {peak} bytes; {allowed} are allowed");
            drop(document);
        });
    }
}
