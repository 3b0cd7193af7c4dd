//! Truncated files, invalid containers, invalid text and deep nesting.

use super::model::{list, rich, root, scaled, small};
use super::tally::Tally;
use super::usage::exercise;
use crate::common::container::glb;

#[test]
fn the_unmodified_models_load() {
    for model in [small(), rich()] {
        let document = pleach_gltf::load_bytes(&model.glb()).unwrap();
        println!("{}", document.report());
        exercise(document).unwrap();
        exercise(pleach_gltf::load_bytes(model.gltf().to_string().as_bytes()).unwrap()).unwrap();
    }
}

#[test]
fn a_file_may_be_truncated_at_any_byte() {
    let mut tally = Tally::new("cut");
    let small = small();
    let glb = small.glb();
    for end in 0..=glb.len() {
        tally.bytes(&format!("small.glb at byte {end}"), &glb[..end]);
    }
    let gltf = small.gltf().to_string();
    for end in 0..=gltf.len() {
        tally.bytes(&format!("small.gltf at byte {end}"), &gltf.as_bytes()[..end]);
    }
    let rich = rich();
    for (format, file) in [("glb", rich.glb()), ("gltf", rich.gltf().to_string().into_bytes())] {
        for end in (0..=file.len()).filter(|end| end % 7 == 0) {
            if tally.is_chosen(end / 7) {
                tally.bytes(&format!("rich.{format} at byte {end}"), &file[..end]);
            }
        }
    }
    tally.end();
}

#[test]
fn any_byte_of_the_container_may_have_any_value() {
    let mut tally = Tally::new("framing");
    let small = small();
    let glb = small.glb();
    let json = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    let framing = (0..20).chain(20 + json..28 + json);
    for at in framing {
        for byte in [0, 1, 2, 4, 0x7f, 0x80, 0xff] {
            let mut file = glb.clone();
            file[at] = byte;
            tally.bytes(&format!("byte {at} is {byte:#x}"), &file);
        }
    }
    for at in [4, 8, 12, 16, 20 + json, 24 + json] {
        for number in
            [0, 1, 2, 3, 11, 12, 13, 19, 20, 1 << 31, u32::MAX, u32::MAX - 3, u32::MAX - 11]
        {
            let mut file = glb.clone();
            file[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
            tally.bytes(&format!("the number at {at} is {number}"), &file);
        }
    }
    // Every byte of the file, with a few values.
    for at in 0..glb.len() {
        for byte in [0, b'"', b'{', b'9', b'\\', 0xff] {
            let mut file = glb.clone();
            file[at] = byte;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} of all is {byte:#x}"), &file);
            }
        }
    }
    // Many chunks.
    for (name, kind, count, size) in [
        ("empty", *b"ABCD", scaled(200_000), 0),
        ("json", *b"JSON", 1000, 4),
        ("bin", *b"BIN\0", 1000, 4),
    ] {
        let mut file = glb.clone();
        for _ in 0..count {
            file.extend(u32::to_le_bytes(size));
            file.extend(kind);
            file.extend(vec![b' '; size as usize]);
        }
        let length = u32::to_le_bytes(file.len() as u32);
        file[8..12].copy_from_slice(&length);
        tally.bytes(&format!("{count} chunks: {name}"), &file);
    }
    tally.end();
}

#[test]
fn deeply_nested_json_is_rejected_or_skipped() {
    let mut tally = Tally::new("nested");
    for depth in [100, 127, 128, 129, 255, 256, 257, 100_000, scaled(1_000_000)] {
        let objects = format!("{}{}{}", "{\"a\":".repeat(depth), 0, "}".repeat(depth));
        let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (kind, deep) in [("objects", objects), ("arrays", arrays)] {
            let files = [
                ("extras", root(&format!(r#""extras":{deep}"#))),
                ("extensions", root(&format!(r#""extensions":{{"X":{deep}}}"#))),
                ("a node's extras", root(&format!(r#""nodes":[{{"extras":{deep}}}]"#))),
                (
                    "mesh extras",
                    root(&format!(r#""meshes":[{{"primitives":[],"extras":{deep}}}]"#)),
                ),
                (
                    "targetNames",
                    root(&format!(
                        r#""meshes":[{{"primitives":[],"extras":{{"targetNames":{deep}}}}}]"#
                    )),
                ),
                ("an unknown member", root(&format!(r#""unknown":{deep}"#))),
                ("nodes", root(&format!(r#""nodes":{deep}"#))),
                ("the root", deep.clone().into_bytes()),
            ];
            for (location, file) in files {
                tally.bytes(&format!("{depth} {kind} as {location}"), &file);
            }
        }
        tally.bytes(&format!("{depth} brackets, none closed"), "[".repeat(depth).as_bytes());
        tally.bytes(&format!("{depth} braces, none closed"), "{\"a\":".repeat(depth).as_bytes());
    }
    tally.end();
}

#[test]
fn invalid_text_is_rejected() {
    let mut tally = Tally::new("text");
    let file = small().gltf().to_string().into_bytes();
    let mark = b"\xef\xbb\xbf";
    for (name, before) in [
        ("a byte order mark", &mark[..]),
        ("two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbf"),
        ("a truncated byte order mark", b"\xef\xbb"),
        ("UTF-16", b"\xff\xfe"),
        ("spaces", b" \n\r\t"),
        ("a zero", b"\0"),
    ] {
        tally.bytes(&format!("{name} before"), &[before, &file].concat());
        tally.bytes(&format!("{name} after"), &[&file, before].concat());
        tally.bytes(&format!("{name} alone"), before);
        tally.bytes(
            &format!("{name} in a glb"),
            &glb(&[before, &small().json.to_string().into_bytes()].concat(), &small().bin),
        );
    }
    let wide: Vec<u8> =
        String::from_utf8_lossy(&file).encode_utf16().flat_map(u16::to_le_bytes).collect();
    tally.bytes("all in UTF-16", &wide);
    for at in 0..file.len() {
        for bad in [0xffu8, 0xc0, 0xed, 0xf8, 0x80] {
            let mut file = file.clone();
            file[at] = bad;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} is {bad:#x}"), &file);
            }
        }
    }
    for (name, rest) in [
        ("nodes", r#""nodes":[{}],"nodes":[{},{}]"#),
        ("scene", r#""scene":0,"scene":0,"scenes":[{}]"#),
        ("asset", r#""asset":{"version":"1.0"}"#),
        ("names", r#""nodes":[{"name":"a","name":"b"}]"#),
        ("extras", r#""nodes":[{"extras":1,"extras":2}],"extras":1,"extras":{}"#),
        ("unknown", r#""x":1,"x":2,"nodes":[{"y":1,"y":2}]"#),
        ("escaped", r#""nodes":[{}],"\u006eodes":[{},{}]"#),
        (
            "attributes",
            r#""meshes":[{"primitives":[{"attributes":{"POSITION":0,"POSITION":1}}]}],"accessors":[{"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5126,"count":4,"type":"VEC3"}]"#,
        ),
        (
            "extensions",
            r#""extensions":{"KHR_lights_punctual":{"lights":[]},"KHR_lights_punctual":{"lights":[]}}"#,
        ),
    ] {
        tally.bytes(&format!("{name} twice"), &root(rest));
    }
    #[rustfmt::skip] // A table.
    let numbers = [
        "1e400", "-1e400", "1e-400", "-0", "00", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x10",
        "1e", "--1", "1_000", "1e99999999999999999999",
    ];
    for number in numbers {
        for member in ["translation", "scale", "rotation"] {
            let width = if member == "rotation" { 4 } else { 3 };
            tally.bytes(
                &format!("{member} of {number}"),
                &root(&format!(r#""nodes":[{{"{member}":[{}]}}]"#, list(width, number))),
            );
        }
        tally.bytes(
            &format!("a mesh {number}"),
            &root(&format!(r#""nodes":[{{"mesh":{number}}}],"meshes":[{{"primitives":[]}}]"#)),
        );
        tally.bytes(&format!("unknown {number}"), &root(&format!(r#""x":{number}"#)));
    }
    let digits = "9".repeat(scaled(1 << 20));
    for number in [
        digits.clone(),
        format!("0.{digits}"),
        format!("{digits}e-1048576"),
        format!("1e{digits}"),
        format!("-{digits}.{digits}"),
    ] {
        let short: String = number.chars().take(8).collect();
        tally.bytes(
            &format!("a number of many digits: {short}"),
            &root(&format!(r#""nodes":[{{"translation":[{number},0,0]}}]"#)),
        );
        tally.bytes(
            &format!("a count of many digits: {short}"),
            &root(&format!(r#""scene":{number}"#)),
        );
        tally.bytes(
            &format!("an unknown number of many digits: {short}"),
            &root(&format!(r#""x":{number}"#)),
        );
    }
    tally.end();
}
