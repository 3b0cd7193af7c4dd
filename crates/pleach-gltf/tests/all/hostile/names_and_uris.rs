//! Any names, URIs and resolver results; no file outside of the model's directory is opened.

use std::sync::Mutex;

use pleach_gltf::{Bytes, Options, Resolver};
use serde_json::{Map, Value, json};

use super::model::{list, root, scaled};
use super::tally::Tally;
use crate::common::temp_dir::TempDir;

#[test]
fn names_may_contain_anything() {
    let mut tally = Tally::new("names");
    let long = "x".repeat(scaled(10 << 20));
    let quotes = "\\\"".repeat(scaled(1 << 20));
    let wide = "\\u2764".repeat(scaled(1 << 18));
    #[rustfmt::skip] // A table.
    let names = [
        "", "\\u0000", "a\\u0000b", "\\ud800", "\\udc00", "\\ud800\\ud800", "\\ud83d\\ude00",
        "\\uDC00\\uD800", "\\x", "\\u12", "\u{feff}", "\u{202e}", "\n", "\u{1}", "../../x", "con",
        "/", "~1", &long, &quotes, &wide,
    ];
    for name in names {
        let short: String = name.chars().take(20).collect();
        let short = format!("{short:?} ({} bytes)", name.len());
        tally
            .bytes(&format!("a node {short}"), &root(&format!(r#""nodes":[{{"name":"{name}"}}]"#)));
        tally.bytes(
            &format!("a scene {short}"),
            &root(&format!(r#""scenes":[{{"name":"{name}"}}]"#)),
        );
        tally.bytes(&format!("a key {short}"), &root(&format!(r#""{name}":[{{"name":1}}]"#)));
        tally.bytes(
            &format!("a key above a fault {short}"),
            &root(&format!(r#""x":{{"{name}":[1,}}}}"#)),
        );
        tally.bytes(&format!("an attribute {short}"), &root(&format!(
            r#""meshes":[{{"primitives":[{{"attributes":{{"{name}":0,"TEXCOORD_64":0,"POSITION":0}}}}]}}],"nodes":[{{"mesh":0}}],"accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}}]"#
        )));
        tally.bytes(
            &format!("an attribute without accessor {short}"),
            &root(&format!(r#""meshes":[{{"primitives":[{{"attributes":{{"{name}":7}}}}]}}]"#)),
        );
        tally.bytes(&format!("an animation and its node {short}"), &root(&format!(
            r#""nodes":[{{"name":"{name}"}}],"animations":[{{"name":"{name}","channels":[{{"sampler":0,"target":{{"node":0,"path":"{name}"}}}}],"samplers":[{{"input":0,"output":0,"interpolation":"{name}"}}]}}]"#
        )));
        tally.bytes(&format!("a pointer {short}"), &root(&format!(
            r#""nodes":[{{}}],"animations":[{{"channels":[{{"sampler":0,"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"/nodes/0/{name}"}}}}}}}}],"samplers":[{{"input":0,"output":0}}]}}]"#
        )));
        tally.bytes(
            &format!("an image {short}"),
            &root(&format!(r#""images":[{{"uri":"{name}","mimeType":"{name}","name":"{name}"}}]"#)),
        );
        tally.bytes(
            &format!("a buffer {short}"),
            &root(&format!(r#""buffers":[{{"uri":"{name}","byteLength":1}}]"#)),
        );
        tally.bytes(
            &format!("an extension {short}"),
            &root(&format!(r#""extensionsRequired":["{name}"]"#)),
        );
        tally.bytes(
            &format!("a version {short}"),
            format!(r#"{{"asset":{{"version":"2.{name}","minVersion":"{name}"}}}}"#).as_bytes(),
        );
        tally.bytes(
            &format!("a type {short}"),
            &root(&format!(r#""accessors":[{{"componentType":5126,"count":1,"type":"{name}"}}]"#)),
        );
        tally.bytes(
            &format!("a camera {short}"),
            &root(&format!(r#""cameras":[{{"type":"{name}"}}]"#)),
        );
    }
    tally.end();
}

fn gltf_with(uri: &str, length: u64) -> Vec<u8> {
    let json = json!({"asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": length}],
        "images": [{"uri": uri}]});
    json.to_string().into_bytes()
}

#[test]
fn uris_do_not_leave_the_directory() {
    let mut tally = Tally::new("uris");
    let directory = TempDir::new("hostile");
    let inside = directory.at("model");
    std::fs::create_dir_all(inside.join("sub")).unwrap();
    std::fs::write(directory.at("secret.bin"), b"secret!!").unwrap();
    std::fs::write(inside.join("data.bin"), [0; 64]).unwrap();
    std::fs::write(inside.join("sub").join("a b.bin"), [0; 64]).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret.bin", inside.join("out.bin")).unwrap();
        symlink("data.bin", inside.join("in.bin")).unwrap();
        symlink("..", inside.join("up")).unwrap();
        symlink("loop.bin", inside.join("loop.bin")).unwrap();
        symlink("/dev/zero", inside.join("zero.bin")).unwrap();
        symlink("nothing", inside.join("dangling.bin")).unwrap();
        _ = std::process::Command::new("mkfifo").arg(inside.join("pipe.bin")).status();
    }
    let long = "a/".repeat(100_000);
    let many = "%2e%2e%2f".repeat(100_000);
    // URIs, and whether they may be read.
    #[rustfmt::skip] // A table.
    let uris = [
        ("data.bin", true), ("./data.bin", true), ("sub/../data.bin", true),
        ("sub/a%20b.bin", true), ("sub/a b.bin", true), ("in.bin", cfg!(unix)),
        ("%64ata.bin", true), ("", false), (".", false), ("sub", false), ("sub/", false),
        ("../secret.bin", false), ("..%2fsecret.bin", false), ("%2e%2e/secret.bin", false),
        ("%2E%2E%2Fsecret.bin", false), ("sub/../../secret.bin", false), ("sub/../..", false),
        ("..", false), ("/etc/passwd", false), ("//etc/passwd", false), ("%2fetc%2fpasswd", false),
        ("file:///etc/passwd", false), ("FILE:///etc/passwd", false), ("file:data.bin", false),
        ("http://localhost/x", false), ("https://example.com/data.bin", false),
        ("ftp://x/y", false), ("javascript:1", false), ("\\\\host\\share", false),
        ("..\\secret.bin", false), ("C:\\x", false), ("/dev/zero", false), ("/dev/stdin", false),
        ("out.bin", false), ("up/secret.bin", false), ("up/model/../secret.bin", false),
        ("loop.bin", false), ("zero.bin", false), ("dangling.bin", false), ("pipe.bin", false),
        ("data.bin%00.png", false), ("data.bin\u{0}", false), ("%", false), ("%zz", false),
        ("%ff", false), ("data.bin?x=1", false), ("data.bin#x", false), ("%+64ata.bin", false),
        (&long, false), (&many, false), ("data:", false), ("data:,", false),
        ("data:;base64", false), ("data:;base64,", false), ("data:;base64,A", false),
        ("data:;base64,AAA", false), ("data:;base64,AAAA=", false), ("data:;base64,A AA", false),
        ("data:;base64,====", false), ("data:;base64,AAAA\u{0}", false),
        ("data:;base64,%41%41%41%41", false), ("data:application/octet-stream,%00%01%", false),
        ("data:text/plain;charset=utf-16;base64,AAAAAAAAAAA=", true),
        ("DATA:;base64,AAAAAAAAAAA=", true), ("data:\u{1F600};base64,AAAAAAAAAAA=", true),
        ("data", false), ("data:;base64,-_-_", false),
    ];
    for (uri, may) in uris {
        let short: String = uri.chars().take(40).collect();
        let file = gltf_with(uri, 8);
        let path = inside.join("case.gltf");
        std::fs::write(&path, &file).unwrap();
        let loaded = tally.case(&format!("{short:?}"), file.len(), || Options::new().load(&path));
        assert!(
            loaded.is_none_or(|it| it == may),
            "{short:?}: {:?}",
            Options::new().load(&path).err()
        );
        tally.bytes(&format!("{short:?} in memory"), &file);
        for length in [0, 1, 64, 65, u64::MAX] {
            let file = gltf_with(uri, length);
            std::fs::write(&path, &file).unwrap();
            tally
                .case(&format!("{short:?} of {length}"), file.len(), || Options::new().load(&path));
        }
        // Images that cannot be read cause a warning; the rest is loaded.
        let image = json!({"asset": {"version": "2.0"}, "images": [{"uri": uri}]}).to_string();
        std::fs::write(&path, &image).unwrap();
        let loaded =
            tally.case(&format!("{short:?} as image"), file.len(), || Options::new().load(&path));
        assert!(loaded != Some(false), "{short:?} as image");
    }
    for length in [0u64, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 31, 1 << 32, 1 << 53, u64::MAX] {
        for uri in ["data:;base64,AAAAAAA=", "data:,01234", "data:,%30%31%32%33%34"] {
            let file = gltf_with(uri, length);
            let loaded = tally.bytes(&format!("{uri} of {length}"), &file);
            assert!(loaded.is_none_or(|it| it == (length <= 5)), "{uri} of {length}");
        }
    }
    // The model as its own buffer, many times; and an external file.
    for (uri, size) in [("case.gltf", 1 << 20), ("big.bin", 1 << 20)] {
        std::fs::write(inside.join("big.bin"), vec![0; size]).unwrap();
        let buffers = list(scaled(10_000), &format!(r#"{{"uri":"{uri}","byteLength":1}}"#));
        let images = list(scaled(10_000), &format!(r#"{{"uri":"{uri}"}}"#));
        for (name, rest) in [
            ("buffers", format!(r#""buffers":[{buffers}]"#)),
            ("images", format!(r#""images":[{images}]"#)),
        ] {
            let mut file = root(&rest);
            file.resize(size.max(file.len()), b' ');
            let path = inside.join("case.gltf");
            std::fs::write(&path, &file).unwrap();
            tally.case(&format!("many {name} that are all {uri}"), file.len(), || {
                Options::new().load(&path)
            });
        }
    }
    for path in
        [inside.clone(), inside.join("nothing.gltf"), inside.join("sub"), "/".into(), "".into()]
    {
        tally.case(&format!("the model is {path:?}"), 0, || Options::new().load(&path));
    }
    tally.end();
}

/// A resolver that returns too many bytes, too few, or an error.
struct UnreliableResolver(usize);

impl Resolver for UnreliableResolver {
    fn read(&self, _name: &str, _max_bytes: u64) -> std::io::Result<Bytes> {
        match self.0 {
            usize::MAX => Err(std::io::Error::other("no")),
            length => Ok(Bytes::from(vec![0; length])),
        }
    }
}

#[test]
fn resolvers_may_be_unreliable() {
    let mut tally = Tally::new("resolvers");
    for given in [0, 1, 8, 1 << 20, usize::MAX] {
        for length in [0, 1, 8, 1 << 20, 1 << 40, u64::MAX] {
            let name = format!("{given} bytes for {length}");
            tally.with(&name, &gltf_with("x", length), &UnreliableResolver(given));
        }
    }
    // Bytes that become fewer with each access.
    struct Shrinking(Mutex<usize>);
    impl AsRef<[u8]> for Shrinking {
        fn as_ref(&self) -> &[u8] {
            let mut left = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
            *left = left.saturating_sub(7);
            &[b' '; 4096][..*left]
        }
    }
    tally.case("a file that shrinks while it is read", 4096, || {
        Options::new().load_with(Bytes::new(Shrinking(Mutex::new(4096))), &UnreliableResolver(0))
    });
    let mut json = Map::new();
    json.insert("asset".into(), json!({"version": "2.0"}));
    tally.value("nothing but a version", &Value::Object(json));
    tally.end();
}
