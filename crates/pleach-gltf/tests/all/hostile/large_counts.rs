//! Large counts: memory and time stay proportional to the file.

use std::fmt::Write as _;

use serde_json::json;

use super::model::{list, root, scaled};
use super::tally::Tally;

#[test]
fn many_entries_take_memory_in_proportion_to_the_file() {
    let mut tally = Tally::new("many");
    // Chains, and skins that walk up to the root.
    for count in [1000, scaled(100_000)] {
        let mut nodes = String::new();
        for index in 1..count {
            write!(nodes, r#"{{"children":[{index}]}},"#).unwrap();
        }
        let chain = format!(r#""nodes":[{nodes}{{}}]"#);
        let last = count - 1;
        tally.bytes(
            &format!("a chain of {count}"),
            &root(&format!(r#"{chain},"scenes":[{{"nodes":[0]}}]"#)),
        );
        tally.bytes(
            &format!("a chain of {count}, {count} skins with the last as joint"),
            &root(&format!(
                r#"{chain},"skins":[{}]"#,
                list(count, &format!(r#"{{"joints":[{last}]}}"#))
            )),
        );
        tally.bytes(
            &format!("a chain of {count}, a skin of all its nodes"),
            &root(&format!(
                r#"{chain},"skins":[{{"joints":[{}]}}]"#,
                (0..count).map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
        tally.bytes(
            &format!("a chain of {count}, a skin of every second node, and every fourth"),
            &root(&format!(
                r#"{chain},"skins":[{{"joints":[{}]}},{{"joints":[{}]}}]"#,
                (0..count).step_by(2).map(|it| it.to_string()).collect::<Vec<_>>().join(","),
                (0..count).step_by(4).map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
        tally.bytes(
            &format!("a ring of {count}"),
            &root(&format!(r#""nodes":[{nodes}{{"children":[0]}}]"#)),
        );
        let nodes = list(count, "{}");
        tally.bytes(
            &format!("{count} children of one node, listed backwards"),
            &root(&format!(
                r#""nodes":[{{"children":[{}]}},{nodes}]"#,
                (1..=count).rev().map(|it| it.to_string()).collect::<Vec<_>>().join(",")
            )),
        );
    }
    // Arrays of the shortest entries.
    for (name, item) in [
        ("nodes", "{}"),
        ("scenes", "{}"),
        ("materials", "{}"),
        ("textures", "{}"),
        ("images", "{}"),
        ("samplers", "{}"),
        ("meshes", r#"{"primitives":[]}"#),
        ("skins", r#"{"joints":[]}"#),
        ("animations", r#"{"channels":[],"samplers":[]}"#),
        ("accessors", r#"{"componentType":5121,"count":0,"type":"SCALAR"}"#),
        ("buffers", r#"{"byteLength":0,"uri":"data:,"}"#),
        ("cameras", r#"{"type":"perspective","perspective":{"yfov":1,"znear":1}}"#),
        ("extensionsUsed", "\"\""),
        ("extensionsRequired", "\"KHR_materials_ior\""),
    ] {
        for count in [1000, scaled(100_000), scaled(1_000_000)] {
            tally.bytes(
                &format!("{count} {name}"),
                &root(&format!(r#""{name}":[{}]"#, list(count, item))),
            );
        }
    }
    // Arrays within entries.
    for (name, before, item, after) in [
        ("joints", r#""nodes":[{}],"skins":[{"joints":["#, "0", "]}]"),
        ("children", r#""nodes":[{"children":["#, "1", "]},{}]"),
        ("roots", r#""nodes":[{}],"scenes":[{"nodes":["#, "0", "]}]"),
        ("primitives", r#""meshes":[{"primitives":["#, r#"{"attributes":{}}"#, "]}]"),
        ("target names", r#""meshes":[{"primitives":[],"extras":{"targetNames":["#, "\"\"", "]}}]"),
        ("weights", r#""meshes":[{"primitives":[],"weights":["#, "0", "]}]"),
        (
            "samplers of an animation",
            r#""animations":[{"channels":[],"samplers":["#,
            r#"{"input":0,"output":0}"#,
            "]}]",
        ),
        (
            "channels",
            r#""nodes":[{}],"animations":[{"samplers":[],"channels":["#,
            r#"{"sampler":0,"target":{"path":""}}"#,
            "]}]",
        ),
    ] {
        for count in [scaled(100_000), scaled(1_000_000)] {
            tally.bytes(
                &format!("{count} {name}"),
                &root(&format!("{before}{}{after}", list(count, item))),
            );
        }
    }
    let items = list(100_000, r#"{"type":"point"}"#);
    tally.bytes(
        "100000 lights",
        &root(&format!(r#""extensions":{{"KHR_lights_punctual":{{"lights":[{items}]}}}}"#)),
    );
    tally.end();
}

#[test]
fn many_attributes_and_many_warnings_are_handled() {
    let mut tally = Tally::new("attributes");
    for count in [1024, 1025, scaled(1_000_000)] {
        let mut attributes = String::new();
        for number in 0..count {
            write!(attributes, r#""_{number}":0,"#).unwrap();
        }
        attributes.pop();
        let accessor = r#""accessors":[{"componentType":5126,"count":1,"type":"VEC3"}]"#;
        tally.bytes(
            &format!("{count} attributes"),
            &root(&format!(
                r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{{attributes}}}}}]}}]"#
            )),
        );
        tally.bytes(
            &format!("{count} attributes of a target"),
            &root(&format!(r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{}},"targets":[{{{attributes}}}]}}]}}]"#)),
        );
        let same = list(count, r#""POSITION":0"#);
        tally.bytes(
            &format!("{count} times the same attribute"),
            &root(&format!(
                r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{{same}}}}}]}}]"#
            )),
        );
        let targets = list(count, "{}");
        tally.bytes(
            &format!("{count} targets"),
            &root(&format!(r#"{accessor},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{targets}]}}]}}],"nodes":[{{"mesh":0}},{{"mesh":0}}]"#)),
        );
    }
    #[rustfmt::skip] // A table.
    let sets = [
        "0", "63", "64", "65535", "4294967295", "18446744073709551615", "18446744073709551616",
        "-1", "+1", "00", "", "1e3", "0x1",
    ];
    for set in sets {
        for kind in ["TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"] {
            for code in [5121, 5123, 5126] {
                let json = json!({"asset": {"version": "2.0"},
                    "accessors": [{"componentType": 5126, "count": 1, "type": "VEC3"},
                        {"componentType": code, "count": 1, "type": if kind == "TEXCOORD" { "VEC2" } else { "VEC4" }}],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, format!("{kind}_{set}"): 1}}]}],
                    "nodes": [{"mesh": 0, "skin": 0}], "skins": [{"joints": [0]}], "scenes": [{"nodes": [0]}]});
                tally.value(&format!("{kind}_{set} of {code}"), &json);
            }
        }
    }
    let views = list(scaled(100_000), r#"{"buffer":0,"byteLength":0,"byteStride":7}"#);
    tally.bytes(
        "many warnings",
        &root(&format!(r#""buffers":[{{"byteLength":0,"uri":"data:,"}}],"bufferViews":[{views}]"#)),
    );
    tally.end();
}
