//! A file without edits is written unchanged, in both formats.

use std::fs;

use pleach_gltf::{Document, Format};

use super::save_and_check::save_and_check;
use crate::common::temp_dir::TempDir;
use crate::common_save::{
    FORMATS, again, assert_same_scene, check_file, check_notation, differences, json_of, load,
    load_yard, sample_models, saved, text_of, value,
};

#[test]
fn a_file_without_edits_is_the_same_byte_for_byte() {
    for (path, document) in sample_models() {
        let bytes = fs::read(&path).unwrap();
        let format = if bytes.starts_with(b"glTF") { Format::Glb } else { Format::Gltf };
        let saved = document.save_bytes(format).unwrap();
        assert!(saved.bytes == bytes, "{}", path.display());
        for (name, content) in &saved.files {
            let there = fs::read(path.parent().unwrap().join(name)).unwrap();
            assert!(**content == there, "{} of {}", name, path.display());
        }
        assert!(saved.report.is_empty(), "{}: {}", path.display(), saved.report);
    }
    let (text, document) = load_yard();
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn the_other_format_differs_only_in_buffers() {
    let check = |document: &Document, text: &str, what: &str| {
        for format in FORMATS {
            let saved = document.save_bytes(format).unwrap();
            check_file(&saved);
            let json = json_of(&saved.bytes);
            let others: Vec<String> = differences(text, &json)
                .into_iter()
                .filter(|it| {
                    let at = it.trim_start_matches(['+', '-']);
                    !["/buffers", "/bufferViews", "/images"].iter().any(|it| at.starts_with(it))
                })
                .collect();
            assert_eq!(others, [""; 0], "{what}");
            check_notation(text, &json);
            // The members of images are kept.
            let (old, new) = (value(text), value(&json));
            let images = |json: &serde_json::Value| json["images"].as_array().map(Vec::len);
            assert_eq!(images(&old), images(&new));
        }
    };
    for (path, document) in sample_models() {
        let text = json_of(&fs::read(&path).unwrap());
        check(&document, &text, &path.display().to_string());
    }
    let (text, document) = load_yard();
    check(&document, &text, "the yard");
}

#[test]
fn saving_a_saved_file_again_gives_the_same_bytes() {
    for (path, mut document) in sample_models() {
        save_and_check(&mut document, &path.display().to_string());
    }
}

#[test]
fn converting_to_the_other_format_and_back_is_lossless() {
    for (path, document) in sample_models() {
        let what = path.display();
        let bytes = fs::read(&path).unwrap();
        if bytes.starts_with(b"glTF") {
            let there = document.save_bytes(Format::Gltf).unwrap();
            let back = again(&there).save_bytes(Format::Glb).unwrap();
            assert_eq!(differences(&json_of(&bytes), &json_of(&back.bytes)), [""; 0], "{what}");
            assert!(back.bytes == bytes, "{what}");
        } else {
            // Buffers are merged, so the second .glb equals the first.
            let glb = document.save_bytes(Format::Glb).unwrap();
            let gltf = again(&glb).save_bytes(Format::Gltf).unwrap();
            let back = again(&gltf).save_bytes(Format::Glb).unwrap();
            assert!(back.bytes == glb.bytes, "{what}");
        }
    }
}

#[test]
fn models_on_disk_are_saved_with_exactly_their_files() {
    for (path, document) in sample_models() {
        let what = path.display();
        let directory = TempDir::new("disk");
        for (extension, format) in [("gltf", Format::Gltf), ("glb", Format::Glb)] {
            let target = directory.path.join(extension).join(format!("m ö#%.{extension}"));
            fs::create_dir_all(directory.path.join(extension)).unwrap();
            let report = document.save(&target).unwrap();
            assert!(report.is_empty(), "{what}: {report}");
            let first = directory.files();
            let back = pleach_gltf::load(&target).unwrap();
            for (one, other) in document.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what.to_string());
            }
            // Overwrite the file itself.
            back.save(&target).unwrap();
            assert!(directory.files() == first, "{what}");
            let saved = document.save_bytes(format).unwrap();
            let here = |it: &&String| it.starts_with(extension);
            assert_eq!(first.keys().filter(here).count(), 1 + saved.files.len(), "{what}");
        }
    }
}

#[test]
fn all_white_space_is_kept() {
    let plain = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,1]}],"nodes":[{"name":"a","x":[1,{}]},{"name":"b","extensions":{}}],"extras":{"u":1}}"#;
    let styles: [&dyn Fn(char) -> String; 6] = [
        &|it| it.to_string(),
        &|it| format!("{it}\n"),
        &|it| format!("\r\n\t{it} \r\n"),
        &|it| if it == ',' { ",\n    ".into() } else { it.to_string() },
        &|it| if it == ':' { " :\t".into() } else { it.to_string() },
        &|it| format!(" {it} "),
    ];
    for style in styles {
        let mut text = String::from(" \n");
        for it in plain.chars() {
            if "{}[],:".contains(it) { text += &style(it) } else { text.push(it) }
        }
        text += "\n\t ";
        let mut document = load(&text);
        assert_eq!(text_of(&saved(&document)), text);
        // Only a name changes, and white space before commas of the same array.
        let node = document.node(0, 0).unwrap();
        document.scenes_mut()[0].node_mut(node).unwrap().set_name("other");
        let found = save_and_check(&mut document, "white space");
        let close = |text: &str| {
            let pieces: Vec<&str> = text.split(',').map(str::trim_ascii_end).collect();
            let end = &text[text.trim_ascii_end().len()..];
            pieces.join(",") + end
        };
        assert_eq!(close(&found), close(&text.replace("\"a\"", "\"other\"")));
        assert!(found.starts_with(" \n") && found.ends_with("\n\t "));
    }
}
