//! No call starts threads without being asked, and none fails because they cannot be started.
//!
//! Threads belong to the process, so each case runs in a process of its own.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::process::{Command, Output};
use std::thread;

use pleach_gltf::raw::Root;
use pleach_gltf::{Options, with_threads};

use crate::common::temp_dir::TempDir;

const FILE: &str = "PLEACH_TEST_THREADS_FILE";

/// Writes a file that is long enough for several threads.
fn write_model(directory: &TempDir) -> OsString {
    const NODES: usize = 30_000;
    let nodes = vec![r#"{"name":"a node","translation":[1.0,2.0,3.0]}"#; NODES].join(",");
    let roots: Vec<String> = (0..NODES).map(|it| it.to_string()).collect();
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{nodes}]}}"#,
        roots.join(",")
    );
    directory.write("many.gltf", text.as_bytes());
    directory.at("many.gltf").into_os_string()
}

/// Runs this test program through `prefix`.
fn run(prefix: &[&str], arguments: &[&str], file: &OsString) -> Output {
    let program = env::current_exe().unwrap();
    let mut command: Vec<OsString> = prefix.iter().map(OsString::from).collect();
    command.push(program.into());
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]).args(arguments).env(FILE, file);
    child.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs the current test again through `prefix`.
fn run_again(prefix: &[&str], file: &OsString) {
    let test = thread::current().name().expect("the runner names its threads").to_string();
    let output = run(prefix, &[&test, "--exact", "--nocapture", "--test-threads=1"], file);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{prefix:?}: {}\n{text}\n{errors}", output.status);
    assert!(text.contains("1 passed"), "{prefix:?}: {text}");
}

/// Returns the number of threads of this process.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn no_threads_are_started_unless_requested() {
    let Some(file) = env::var_os(FILE) else {
        let directory = TempDir::new("threads");
        return run_again(&["env"], &write_model(&directory));
    };
    let (text, before) = (fs::read_to_string(&file).unwrap(), threads());
    let document = pleach_gltf::load(&file).unwrap();
    assert_eq!(document.scenes()[0].graph.len(), 30_002);
    assert_eq!(threads(), before, "load");
    assert!(pleach_gltf::validate(text.as_bytes()).loads);
    assert_eq!(threads(), before, "validate");
    assert_eq!(Root::from_json(&text).unwrap().nodes.len(), 30_000);
    assert_eq!(threads(), before, "Root::of");
    document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    assert_eq!(threads(), before, "save_bytes");
    #[cfg(feature = "images")]
    {
        let assets = pleach::Assets::new();
        let image = pleach::Image::from_rgba8(1, 1, vec![255; 4]).unwrap();
        let images: Vec<_> = (0..50).map(|_| assets.add(image.clone())).collect();
        assert_eq!(pleach_gltf::decode_all(&images).len(), 50);
        assert_eq!(threads(), before, "decode_all");
    }
    let started = if cfg!(feature = "parallel") { 2 } else { 0 };
    with_threads(Some(2), || {
        assert_eq!(Root::from_json(&text).unwrap().nodes.len(), 30_000);
        assert_eq!(threads(), before + started);
    });
}

#[test]
fn files_load_although_no_thread_can_be_created() {
    if let Some(file) = env::var_os(FILE) {
        for options in [Options::new(), Options::new().with_threads(3)] {
            let document = options.load(&file).unwrap();
            assert_eq!(document.scenes()[0].graph.len(), 30_002);
        }
        return;
    }
    let directory = TempDir::new("no-threads");
    let file = write_model(&directory);
    for limit in ["--nproc=1", "--nproc=2"] {
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let prefix = ["setpriv", user[0], user[1], user[2], "prlimit", limit];
        let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
        if !has_setpriv || !run(&prefix, &["--list"], &file).status.success() {
            testkit::skip("needs setpriv, prlimit and the right to change the user");
            return;
        }
        run_again(&prefix, &file);
    }
}
