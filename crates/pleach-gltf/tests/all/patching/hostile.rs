//! Damaged and hostile patches are errors.

use pleach_gltf::patch::FilePatch;
use pleach_gltf::{Bytes, Document, ErrorKind, Options};
use serde_json::{Value, json};
use testkit::allocations::Tally;
use testkit::{Effort, Rng};

use super::{Model, check_patch};

fn models() -> (Document, Document) {
    let a = json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "a", "children": [1]}, {"name": "b", "extras": {"x": [1, "y"]}}],
        "buffers": [{"byteLength": 8, "uri": "data:application/octet-stream;base64,AAECAwQFBgc="}],
        "bufferViews": [{"buffer": 0, "byteLength": 8}]
    });
    let mut b = a.clone();
    b["nodes"] = json!([{"name": "b", "extras": {"x": [1, "z"]}}, {"name": "c"},
        {"name": "a", "children": [1, 0], "translation": [1, 2, 3]}]);
    b["scenes"][0]["nodes"] = json!([2]);
    b["buffers"][0]["uri"] = json!("data:application/octet-stream;base64,AAECAwQFCQc=");
    (Model::new(a).load(), Model::new(b).load())
}

fn decode(bytes: &[u8]) -> Result<FilePatch, pleach_gltf::Error> {
    FilePatch::from_bytes(Bytes::from(bytes.to_vec()))
}

/// The offset of the checksum, which covers everything after it.
fn checksum_at(patch: &[u8]) -> usize {
    16 + u32::from_le_bytes(patch[12..16].try_into().unwrap()) as usize + 16
}

/// Returns the patch with another JSON and a valid checksum.
fn with_json(patch: &[u8], edit: impl FnOnce(&str) -> String) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let at = checksum_at(patch);
    let length = u64::from_le_bytes(patch[at - 16..at - 8].try_into().unwrap()) as usize;
    let (json, rest) = patch[at + 32..].split_at(length);
    let json = edit(std::str::from_utf8(json).unwrap());
    let mut out = patch[..at - 16].to_vec();
    out.extend((json.len() as u64).to_le_bytes());
    out.extend((rest.len() as u64).to_le_bytes());
    let body = [json.as_bytes(), rest].concat();
    out.extend(Sha256::digest(&body));
    out.extend(body);
    out
}

#[test]
fn truncated_patches_are_errors() {
    let (a, b) = models();
    let bytes = check_patch(&a, &b, "").to_bytes();
    for length in 0..bytes.len() {
        let error = decode(&bytes[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Patch, "{length}: {error}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(decode(&longer).unwrap_err().to_string().contains("more bytes follow"));
}

#[test]
fn changed_bits_are_found_by_the_checksum() {
    let (a, b) = models();
    let bytes = check_patch(&a, &b, "").to_bytes();
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        // Only the name of the program that wrote the patch may change.
        let is_name = (16..checksum_at(&bytes) - 16).contains(&at);
        assert_eq!(decode(&bytes).is_ok(), is_name, "byte {at}");
    }
}

#[test]
fn a_newer_version_is_named() {
    let (a, b) = models();
    let mut bytes = check_patch(&a, &b, "").to_bytes();
    bytes[8] = 2;
    let message = decode(&bytes).unwrap_err().to_string();
    let expected = format!(
        "the patch was written by \"pleach {0}\" in version 2 of the format; pleach {0} reads versions \
         up to 1, so use that program or a newer one",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(message, expected);
    let model = decode(b"glTF\x02\0\0\0").unwrap_err();
    assert!(model.to_string().contains("not a patch"), "{model}");
}

#[test]
fn a_patch_for_another_file_is_rejected_with_both_hashes() {
    let (a, b) = models();
    let patch = check_patch(&a, &b, "");
    let error = patch.apply(&b, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Patch);
    for hash in [patch.base(), patch.result()] {
        assert!(error.to_string().contains(&hash.to_string()), "{error}");
    }
    assert!(error.to_string().ends_with("applied to it already"), "{error}");
    let other = Model::new(json!({"asset": {"version": "2.0"}})).load();
    let error = patch.apply(&other, &Options::new()).unwrap_err();
    assert!(error.to_string().ends_with("the file that it was made from"), "{error}");
}

#[test]
fn unknown_edits_and_invalid_members_are_errors() {
    let (a, b) = models();
    let bytes = check_patch(&a, &b, "").to_bytes();
    let cases: [(&str, &str, &str); 8] = [
        (
            "\"edits\":[",
            "\"edits\":[{\"in\":[],\"label\":\"\",\"rotate\":1},",
            "edit 0 of the patch",
        ),
        (
            "\"edits\":[",
            "\"edits\":[{\"in\":[\"trees\",0],\"label\":\"\",\"remove\":true},",
            "edit 0",
        ),
        ("\"layout\":\"free\"", "\"layout\":\"new\"", "\"layout\""),
        ("\"base\":\"", "\"base\":\"z", "\"base\""),
        ("\"counts\":{", "\"counts\":{\"trees\":1,", "\"counts\""),
        ("\"blobs\":[", "\"blobs\":[{\"hash\":\"\",\"length\":1},", "\"blobs\""),
        ("\"edits\":[", "\"edits\":", "invalid"),
        ("\"tail\":1", "\"tail\":18446744073709551615", "\"blobs\""),
    ];
    for (from, to, expected) in cases {
        let edited = with_json(&bytes, |json| {
            assert!(json.contains(from), "{from} in {json}");
            json.replacen(from, to, 1)
        });
        let error = decode(&edited).unwrap_err();
        assert!(error.to_string().contains(expected), "{from} → {to}: {error}");
    }
    let deep = format!(
        "{{\"in\":[],\"label\":\"\",\"set\":[\"a\"],\"new\":{}{}}},",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let edited =
        with_json(&bytes, |json| json.replacen("\"edits\":[", &format!("\"edits\":[{deep}"), 1));
    assert_eq!(decode(&edited).unwrap_err().kind(), ErrorKind::Limit);
}

/// Edits that do not fit, although the checksum is right: cycles, indices out of range, lists of
/// entries in entries, large ids.
#[test]
fn hostile_edits_are_errors() {
    let (a, b) = models();
    let bytes = check_patch(&a, &b, "").to_bytes();
    for edits in [
        r#"{"in":["nodes",1],"label":"","set":["children"],"new":[{"$":["nodes",0]}]}"#,
        r#"{"in":["nodes",1],"label":"","set":["children"],"new":[{"$":["nodes",1]}]}"#,
        r#"{"in":["nodes",1],"label":"","set":["mesh"],"new":{"$":["meshes",7]}}"#,
        r#"{"in":["nodes",4000000000],"label":"","add":{}}"#,
        r#"{"in":["nodes",4000000000],"label":"","remove":true}"#,
        r#"{"in":["nodes",0],"label":"","remove":true}"#,
        r#"{"in":["nodes"],"label":"","order":[0,4294967295]}"#,
        r#"{"in":["nodes"],"label":"","order":[4294967295,4294967295]}"#,
        r#"{"in":["nodes"],"label":"","order":[0,1,0,1]}"#,
        r#"{"in":["nodes"],"label":"","order":[0,1]}"#,
        r#"{"in":["nodes",1],"label":"","set":["extras"],"new":{"$list":"nodes"}}"#,
        r#"{"in":["nodes",1],"label":"","set":["extras","y"],"new":{"$list":"nodes"}}"#,
        r#"{"in":["nodes",1],"label":"","set":["extras","y"],"new":{"$bytes":0}}"#,
        r#"{"in":[],"label":"","set":["other"],"new":{"$list":"nodes"}}"#,
        r#"{"in":[],"label":"","set":["nodes"],"old":{"$list":"nodes"}}"#,
        r#"{"in":[],"label":"","set":[],"old":{},"new":{}}"#,
        r#"{"in":["(chunks)"],"label":"","set":[],"old":[],"new":[[1313821514,{"$bytes":0}]]}"#,
        r#"{"in":["(chunks)"],"label":"","splice":[],"at":0,"old":[],"new":[1]}"#,
        r#"{"in":["nodes",0],"label":"","splice":["children"],"at":18446744073709551615,"old":[1],"new":[]}"#,
        r#"{"in":["nodes",0],"label":"","splice":["children"],"at":5,"old":[],"new":[]}"#,
        r#"{"in":["bufferViews",0],"label":"","set":["byteLength"],"old":{"$bytes":0},"new":{"$bytes":9}}"#,
    ] {
        let edited = with_json(&bytes, |json| {
            let start = json.find("\"edits\":[").unwrap();
            format!("{}\"edits\":[{edits}]}}\n", &json[..start])
        });
        let result = decode(&edited).and_then(|patch| patch.apply(&a, &Options::new()));
        assert!(result.is_err(), "{edits}");
    }
}

/// The most memory that reading and applying a patch of some kilobytes may take.
const MAX_MEMORY: isize = 4 << 20;

/// Damaged JSON with a valid checksum ends in an error, or the result is the right one.
#[test]
fn mutated_patches_are_errors_or_right() {
    let (a, b) = models();
    let patch = check_patch(&a, &b, "");
    let (bytes, result, right) = (patch.to_bytes(), patch.result(), super::content(&b));
    let rng = &mut Rng::from_env(15);
    let mutations = Effort::pick(3_000, 10_000_000);
    let (mut decoded, mut applied, mut most) = (0, 0, 0);
    for _ in 0..mutations {
        let seed = rng.state();
        let edited = with_json(&bytes, |json| mutate_json(json, rng));
        Tally::reset_peak();
        let before = Tally::now().live;
        if let Ok(patch) = decode(&edited) {
            decoded += 1;
            _ = patch.edits().count();
            if let Ok(document) = patch.apply(&a, &Options::new()) {
                applied += 1;
                let is_right = super::content(&document) == right;
                assert!(is_right || patch.result() != result, "seed {seed}");
            }
        }
        let used = Tally::now().peak - before;
        assert!(used <= MAX_MEMORY, "{used} bytes, seed {seed}");
        most = most.max(used);
    }
    println!(
        "{decoded} of {mutations} mutated patches were read, {applied} applied, {most} bytes at most"
    );
    assert!(decoded > applied && applied > 0);
}

/// Changes, removes, inserts and copies characters, and replaces numbers.
fn mutate_json(json: &str, rng: &mut Rng) -> String {
    let mut json = json.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(json.len());
        match rng.below(6) {
            0 => json[at] = b"0123456789{}[],:\"$x"[rng.below(19)],
            1 => _ = json.remove(at),
            2 => json.insert(at, json[rng.below(json.len())]),
            3 => {
                let (from, length) = (rng.below(json.len()), rng.below(24));
                let part = json[from..(from + length).min(json.len())].to_vec();
                json.splice(at..at, part);
            }
            4 => _ = json.drain(at..(at + rng.below(24)).min(json.len())),
            _ => {
                // The next number.
                let Some(start) = json[at..].iter().position(u8::is_ascii_digit) else { continue };
                let start = at + start;
                let length = json[start..].iter().take_while(|it| it.is_ascii_digit()).count();
                let numbers = ["0", "1", "2", "-1", "4294967295", "18446744073709551615", "1e999"];
                json.splice(start..start + length, rng.pick(&numbers).bytes());
            }
        }
    }
    String::from_utf8(json).unwrap_or_default()
}

#[test]
fn values_that_look_like_tokens_are_kept() {
    let file =
        |extras: Value| Model::new(json!({"asset": {"version": "2.0"}, "extras": extras})).load();
    let extras = json!({"$": ["nodes", 0], "$object": {"$bytes": 1}, "a": [{"$list": "nodes"}]});
    check_patch(&file(json!({})), &file(extras.clone()), "added");
    check_patch(&file(extras), &file(json!([1, {"$": 1}])), "replaced");
}
