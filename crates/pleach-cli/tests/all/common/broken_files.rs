//! Broken and malicious files.

use serde_json::{Value, json};

use super::{Directory, yard};

/// A name that would clear the screen, ring the bell and break the line.
pub(crate) const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\nsecond\r\tline \u{9b}31m";

/// A scene in which every name is `HOSTILE`.
pub(crate) fn hostile_names() -> Value {
    let (mut json, _) = yard::yard();
    rename(&mut json);
    json["asset"]["generator"] = json!(HOSTILE);
    json["extensionsUsed"].as_array_mut().unwrap().push(json!(HOSTILE));
    json
}

fn rename(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(rename),
        Value::Object(members) => {
            for (key, member) in members {
                match key.as_str() {
                    "name" => *member = json!(HOSTILE),
                    _ => rename(member),
                }
            }
        }
        _ => {}
    }
}

/// A chain of `count` nodes.
pub(crate) fn chain(count: usize) -> String {
    let mut text =
        String::from(r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":["#);
    for node in 0..count {
        match node + 1 {
            next if next < count => text += &format!(r#"{{"children":[{next}]}},"#),
            _ => text += r#"{"name":"end"}"#,
        }
    }
    text + "]}"
}

/// Files that no command can read, by name, with a part of the expected error.
pub(crate) fn unreadable() -> (Directory, Vec<(&'static str, &'static str)>) {
    let directory = yard::directory();
    let glb = std::fs::read(directory.path().join("yard.glb")).unwrap();
    directory.write("cut.glb", &glb[..glb.len() / 2]);
    directory.write("head.glb", &glb[..7]);
    directory.write("empty.gltf", "");
    directory.write("noise.glb", (0..=255u8).collect::<Vec<u8>>());
    directory.write(
        "cycle.gltf",
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]}"#,
    );
    directory.write(
        "needs.gltf",
        r#"{"asset":{"version":"2.0"},"extensionsUsed":["VENDOR_x"],"extensionsRequired":["VENDOR_x"]}"#,
    );
    std::fs::create_dir(directory.path().join("folder.gltf")).unwrap();
    let files = vec![
        ("missing.glb", "missing.glb"),
        ("folder.gltf", "folder.gltf"),
        ("cut.glb", "cut.glb"),
        ("head.glb", "head.glb"),
        ("empty.gltf", "empty.gltf"),
        ("noise.glb", "noise.glb"),
        ("cycle.gltf", "/nodes/"),
        ("needs.gltf", "VENDOR_x"),
    ];
    (directory, files)
}
