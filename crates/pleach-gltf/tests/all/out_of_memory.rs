//! Too little memory for a file is an error, not the end of the process.
//!
//! Each case runs in a separate process whose address space is limited by the shell.

use std::process::Command;
use std::{env, fs, thread};

use pleach_gltf::ErrorKind;

use crate::common::temp_dir::TempDir;

const FILE: &str = "PLEACH_TEST_MEMORY_FILE";

/// Runs the current test again with a limit of `kilobytes`, and returns what it printed.
fn run_limited(kilobytes: usize, file: &str) -> String {
    let test = thread::current().name().expect("the runner names its threads").to_string();
    let program = env::current_exe().unwrap();
    let limit = if kilobytes == 0 { String::new() } else { format!("ulimit -v {kilobytes};") };
    let script = format!("{limit} exec \"$0\" \"$1\" --exact --nocapture --test-threads=1");
    let mut child = Command::new("bash");
    child.args(["-c", &script]).arg(program).arg(test).env(FILE, file);
    // One heap for all threads, so that the limit means the same on all machines.
    let output =
        child.env("MALLOC_ARENA_MAX", "1").env("RUST_MIN_STACK", "262144").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kilobytes} kB: {}\n{text}\n{errors}", output.status);
    text
}

/// Returns the address space of this process in kilobytes.
fn address_space() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmSize:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Loads the file that the environment names, in a process started by `run_limited`. Returns `true`
/// if this is such a process.
fn load_in_child() -> bool {
    let Ok(file) = env::var(FILE) else { return false };
    println!("address space: {}", address_space());
    if file.is_empty() {
        return true;
    }
    let result = pleach_gltf::load(&file).and_then(|document| {
        #[cfg(feature = "images")]
        for image in document.images() {
            pleach_gltf::decode(&image.get())?;
        }
        Ok(document)
    });
    match result {
        Ok(document) => println!("result: loaded {}", document.scenes()[0].graph.len()),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
            println!("result: {error}");
        }
    }
    true
}

/// Returns the address space that a process printed.
fn printed_address_space(text: &str) -> usize {
    let line = text.lines().find(|line| line.contains("address space: ")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[cfg(all(target_os = "linux", feature = "images"))]
#[test]
fn b1_too_little_memory_for_binary_data_is_an_error() {
    if load_in_child() {
        return;
    }
    let directory = TempDir::new("memory-data");
    let file = |members: &str| {
        format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[]}}],{members}}}"#)
    };
    let zeros = r#""componentType":5126,"count":2500000,"type":"VEC3","min":[0,0,0],"max":[0,0,0]"#;
    let accessor = file(&format!(
        r#""accessors":[{{{zeros}}}],"meshes":[{{"primitives":[{{"mode":0,"attributes":{{"POSITION":0}}}}]}}]"#
    ));
    // 8,388,608 equal elements of 4 bytes.
    let (count, length) = (8 << 20, 1 + (8 << 20) / 16 + 32);
    let mut stream = vec![0; length];
    stream[0] = 0xa0;
    directory.write("stream.bin", &stream);
    let bytes = 4 * count;
    let meshopt = file(&format!(
        r#""buffers":[{{"byteLength":{length},"uri":"stream.bin"}},{{"byteLength":{bytes},
        "extensions":{{"EXT_meshopt_compression":{{"fallback":true}}}}}}],
        "bufferViews":[{{"buffer":1,"byteLength":{bytes},"extensions":{{"EXT_meshopt_compression":
        {{"buffer":0,"byteLength":{length},"byteStride":4,"mode":"ATTRIBUTES","count":{count}}}}}}}]"#
    ));
    let uri = format!("data:application/octet-stream;base64,{}", "AAAA".repeat(4 << 20));
    let data = file(&format!(r#""buffers":[{{"byteLength":{},"uri":"{uri}"}}]"#, 12 << 20));
    let mut scene = pleach::Scene::new();
    let pixels = vec![255; 4 * 2048 * 2048];
    let image = scene.assets.add(pleach::Image::from_rgba8(2048, 2048, pixels).unwrap());
    let texture = Some(pleach::TextureRef::new(image));
    let material = pleach::Material { base_color_texture: texture, ..Default::default() };
    let material = scene.assets.add(material);
    let cuboid = pleach::shapes::Cuboid::new(glam::Vec3::ONE).build().unwrap();
    let cuboid = scene.assets.add(cuboid);
    scene.spawn(pleach::Node::mesh(&cuboid, &material)).unwrap();
    let image = pleach_gltf::save_bytes(&scene, pleach_gltf::Format::Glb).unwrap().bytes;

    let base = printed_address_space(&run_limited(0, ""));
    for (name, file) in [
        ("accessor.gltf", accessor.into_bytes()),
        ("meshopt.gltf", meshopt.into_bytes()),
        ("data.gltf", data.into_bytes()),
        ("image.glb", image),
    ] {
        directory.write(name, &file);
        let path = directory.at(name);
        let mut refused = 0;
        for megabytes in [3, 10, 20, 28, 36, 60] {
            let text = run_limited(base + megabytes * 1024, path.to_str().unwrap());
            let result = text.lines().find(|line| line.contains("result: ")).unwrap();
            println!("{name}, {megabytes} MB: {result}");
            refused += usize::from(!result.contains("loaded"));
        }
        assert!(refused >= 2, "{name}: {refused} of the limits were too small");
        let text = run_limited(base + (1 << 20), path.to_str().unwrap());
        assert!(text.contains("result: loaded"), "{name}: {text}");
    }
    // Not four times its text: the data URI is not copied while parsing.
    let text = run_limited(base + 60 * 1024, directory.at("data.gltf").to_str().unwrap());
    assert!(text.contains("result: loaded"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn b1_too_little_memory_is_an_error() {
    if load_in_child() {
        return;
    }
    let directory = TempDir::new("memory");
    // Each node is as long as in the file that aborted: 59 bytes.
    const NODES: usize = 100_000;
    let node = r#"{"name":"a node","translation":[1.0,2.0,3.0],"mesh":null},"#;
    let nodes = node.repeat(NODES);
    let roots: Vec<String> = (0..NODES).map(|it| it.to_string()).collect();
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{}]}}"#,
        roots.join(","),
        nodes.trim_end_matches(',')
    );
    directory.write("many.gltf", text.as_bytes());
    let path = directory.at("many.gltf");
    let path = path.to_str().unwrap();
    let base = printed_address_space(&run_limited(0, ""));
    let mut refused = 0;
    // In steps that are much smaller than any of the large allocations.
    for megabytes in [2, 6, 12, 20, 30, 40, 50, 60, 70, 80, 100] {
        let text = run_limited(base + megabytes * 1024, path);
        let result = text.lines().find(|line| line.contains("result: ")).unwrap();
        println!("{megabytes} MB: {result}");
        refused += usize::from(!result.contains("loaded"));
    }
    assert!(refused >= 5, "{refused} of the limits were too small");
    let text = run_limited(base + (1 << 20), path);
    assert!(text.contains(&format!("result: loaded {}", NODES + 2)), "{text}");
}
