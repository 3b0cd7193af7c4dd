//! The destinations of buffers: files, chunks, data URIs, and existing bytes.

use std::fs;

use pleach::Image;
use pleach_gltf::{Bytes, Document, ErrorKind, Format, Options, WriteOptions, load_bytes};

use super::save_and_check::{accessor, save_and_check};
use crate::common::container::{chunks_of, glb_of};
use crate::common::temp_dir::TempDir;
use crate::common_save::{
    FORMATS, Files, again, assert_differences, check_file, describe, json_of, load, load_with,
    load_yard, saved, text_of, value, yard,
};

#[test]
fn a_glb_saved_as_gltf_has_a_bin_of_the_same_name() {
    let (_, document) = load_yard();
    let glb = load_bytes(&document.save_bytes(Format::Glb).unwrap().bytes).unwrap();
    let directory = TempDir::new("names");
    fs::create_dir(directory.at("deep")).unwrap();
    glb.save(directory.path.join("deep/a b#c%é.gltf")).unwrap();
    assert_eq!(directory.names(), ["deep/a b#c%é.bin", "deep/a b#c%é.gltf"]);
    let back = pleach_gltf::load(directory.path.join("deep/a b#c%é.gltf")).unwrap();
    assert_eq!(describe(&back.scenes()[0]), describe(&document.scenes()[0]));
    let uri = value(back.json())["buffers"][0]["uri"].clone();
    assert!(!uri.as_str().unwrap().contains(['#', ' ']), "{uri}");
}

#[test]
fn file_names_that_load_can_be_saved() {
    for (uri, name) in [
        ("data.bin", "data.bin"),
        ("./data.bin", "data.bin"),
        ("sub/../data.bin", "data.bin"),
        ("sub/data.bin", "sub/data.bin"),
        ("a%20b%23%25.bin", "a b#%.bin"),
        ("中%E4%B8%AD.bin", "中中.bin"),
    ] {
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":3,"uri":"{uri}"}}]}}"#
        );
        let directory = TempDir::new("uris");
        fs::create_dir_all(directory.path.join("in/sub")).unwrap();
        fs::write(directory.path.join("in").join(name), [1, 2, 3]).unwrap();
        fs::write(directory.path.join("in/m.gltf"), &text).unwrap();
        let document = pleach_gltf::load(directory.path.join("in/m.gltf")).unwrap();
        fs::create_dir(directory.at("out")).unwrap();
        document.save(directory.path.join("out/m.gltf")).unwrap();
        let files = directory.files();
        assert_eq!(files["out/m.gltf"], text.as_bytes());
        let back = pleach_gltf::load(directory.path.join("out/m.gltf")).unwrap();
        assert_eq!(back.json(), text);
        assert_eq!(files.get(&format!("out/{name}")), Some(&vec![1, 2, 3]), "{uri}");
    }
}

#[test]
fn paths_are_known_before_writing() {
    let (_, document) = load_yard();
    let glb = load_bytes(&document.save_bytes(Format::Glb).unwrap().bytes).unwrap();
    let directory = TempDir::new("before");
    let path = directory.path.join("out/m.gltf");
    let mut saved = glb.save_bytes_for(&path).unwrap();
    assert_eq!(saved.paths(&path).unwrap(), [directory.path.join("out/m.bin")]);
    assert!(directory.names().is_empty());
    fs::create_dir(directory.at("out")).unwrap();
    saved.write(&path).unwrap();
    let written = directory.files();
    glb.save(&path).unwrap();
    assert_eq!(directory.files(), written);
    assert_eq!(written["out/m.gltf"], saved.bytes);
    assert_eq!(written["out/m.bin"], *saved.files[0].1);

    // If one name is outside of the directory, nothing is written.
    let path = directory.path.join("other/m.gltf");
    saved.files.push(("a/../../b.bin".into(), Bytes::from(vec![1])));
    for error in [saved.paths(&path).unwrap_err(), saved.write(&path).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Unwritable, "{error}");
    }
    assert_eq!(directory.files(), written);
}

#[test]
fn bytes_after_the_buffer_in_a_bin_are_kept() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":3,"uri":"data.bin"}]}"#;
    let directory = TempDir::new("tail");
    fs::write(directory.path.join("data.bin"), [1, 2, 3, 4, 5]).unwrap();
    fs::write(directory.path.join("m.gltf"), text).unwrap();
    let document = pleach_gltf::load(directory.path.join("m.gltf")).unwrap();
    document.save(directory.path.join("m.gltf")).unwrap();
    assert_eq!(directory.files()["data.bin"], [1, 2, 3, 4, 5]);
}

#[test]
fn chunks_of_a_glb_are_kept() {
    let padded = |text: &str| {
        let mut json = text.as_bytes().to_vec();
        json.resize(json.len().next_multiple_of(4) + 8, b' ');
        json
    };
    let plain = padded("{\"asset\":{\"version\":\"2.0\"}}\n");
    let data = padded(
        r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":1,"uri":"data:;base64,AA=="}]}"#,
    );
    let short = padded(r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":2}]}"#);
    let files = [
        ("plain", glb_of(&[(b"JSON", &plain)])),
        ("unknown", glb_of(&[(b"JSON", &plain), (b"ODD!", &[1; 8]), (b"odd?", &[])])),
        ("bytes no buffer uses", glb_of(&[(b"JSON", &plain), (b"BIN\0", &[1, 2, 3, 4])])),
        ("no bytes", glb_of(&[(b"JSON", &plain), (b"BIN\0", &[])])),
        ("a data URI and a chunk", glb_of(&[(b"JSON", &data), (b"BIN\0", &[1, 2, 3, 4])])),
        (
            "bytes after the buffer",
            glb_of(&[(b"JSON", &short), (b"BIN\0", &[1, 2, 3, 4, 5, 6, 7, 8])]),
        ),
        ("all", glb_of(&[(b"JSON", &short), (b"BIN\0", &[9; 4]), (b"ODD!", &[1; 8])])),
    ];
    for (what, file) in &files {
        let document = load_bytes(file).unwrap();
        let saved = document.save_bytes(Format::Glb).unwrap();
        assert_eq!(chunks_of(&saved.bytes), chunks_of(file), "{what}");
        assert_eq!(saved.bytes, *file, "{what}");
    }
    // They are also kept after an edit.
    let json = padded(r#"{"asset":{"version":"2.0"},"nodes":[{}],"scenes":[{"nodes":[0]}]}"#);
    let file = glb_of(&[(b"JSON", &json), (b"ODD!", &[1; 8])]);
    let mut document = load_bytes(&file).unwrap();
    let node = document.node(0, 0).unwrap();
    document.scenes_mut()[0].node_mut(node).unwrap().set_name("x");
    let chunks = chunks_of(&document.save_bytes(Format::Glb).unwrap().bytes);
    assert_eq!(chunks[1], (u32::from_le_bytes(*b"ODD!"), vec![1; 8]));
}

#[test]
fn new_bytes_are_appended_to_a_file_of_the_same_name() {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    files.insert("buffer.bin".into(), bytes.clone());
    let text = text.replace("data.bin", "buffer.bin");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_unique().edit(|it| it.positions[1].x = 2.0);
    let after = save_and_check(&mut document, "growing");
    let length = bytes.len().next_multiple_of(4);
    assert_differences(
        &text,
        &after,
        &[
            &accessor(13, 5126, 3, "VEC3", "\"max\":[2,1,0],\"min\":[0,0,0],"),
            &format!(
                "+/bufferViews/13 = {{\"buffer\":0,\"byteLength\":36,\"byteOffset\":{length},\"target\":34962}}"
            ),
            &format!("/buffers/0/byteLength = {}", length + 36),
            "/meshes/0/primitives/0/attributes/POSITION = 13",
        ],
    );
    let saved = saved(&document);
    let grown = &saved.files.iter().find(|it| it.0 == "buffer.bin").unwrap().1;
    assert_eq!(grown[..bytes.len()], *bytes);
}

#[test]
fn two_buffers_of_one_file_are_unchanged_by_new_bytes() {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    files.insert("buffer.bin".into(), bytes);
    let text = text.replace("data.bin", "buffer.bin").replace(
        "\"buffers\": [ ",
        "\"buffers\": [ { \"uri\": \"buffer.bin\", \"byteLength\": 8 }, ",
    );
    let text = text.replace("\"buffer\" : 0", "\"buffer\" : 1");
    let mut document = load_with(&text, &files);
    let node = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].geometry.make_unique().edit(|it| it.positions[1].x = 2.0);
    save_and_check(&mut document, "two buffers");
}

/// Returns the yard as a `.glb` with a chunk, an external image, and an external buffer.
fn mixed_yard(extra: &str) -> (Vec<u8>, Files) {
    let (text, mut files) = yard();
    let bytes = files.remove("data.bin").unwrap();
    let text = text.replace("\"uri\": \"data.bin\", ", "").replace(
        " } ],\n  \"extras\"",
        &format!(" }}, {{ \"uri\": \"{extra}\", \"byteLength\": 3 }} ],\n  \"extras\""),
    );
    files.insert(extra.into(), Bytes::from(vec![7, 8, 9]));
    let mut json = text.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunk = bytes.to_vec();
    chunk.resize(chunk.len().next_multiple_of(4), 0);
    (glb_of(&[(b"JSON", &json), (b"BIN\0", &chunk)]), files)
}

#[test]
fn a_glb_with_external_files_keeps_them_external() {
    // Also if a file has the name that new bytes would use.
    for extra in ["more.bin", "buffer.bin"] {
        let (glb, files) = mixed_yard(extra);
        let mut document = Options::new().load_with(glb.clone(), &files).unwrap();
        assert!(document.save_bytes(Format::Glb).unwrap().bytes == glb, "{extra}");
        for is_edited in [false, true] {
            if is_edited {
                let node = document.node(0, 1).unwrap();
                let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
                mesh.parts[0].geometry.make_unique().edit(|it| it.positions[0].z = -1.0);
            }
            save_and_check(&mut document, extra);
            for format in FORMATS {
                let saved = document.save_bytes(format).unwrap();
                let kept = saved.files.iter().find(|it| it.0 == extra);
                assert_eq!(kept.map(|it| it.1.to_vec()), Some(vec![7, 8, 9]), "{extra} {format:?}");
            }
        }
    }
}

#[test]
fn new_bytes_of_a_glb_without_a_chunk_go_to_a_file() {
    let (text, files) = yard();
    for name in ["data.bin", "buffer.bin"] {
        let mut files = files.clone();
        let bytes = files.remove("data.bin").unwrap();
        files.insert(name.into(), bytes.clone());
        let mut json = text.replace("data.bin", name).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let glb = glb_of(&[(b"JSON", &json)]);
        let mut document = Options::new().load_with(glb.clone(), &files).unwrap();
        assert!(document.save_bytes(Format::Glb).unwrap().bytes == glb, "{name}");
        let node = document.node(0, 1).unwrap();
        let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
        mesh.parts[0].geometry.make_unique().edit(|it| it.positions[0].z = -1.0);
        save_and_check(&mut document, name);
        let saved = document.save_bytes(Format::Glb).unwrap();
        let kept = &saved.files.iter().find(|it| it.0 == name).unwrap().1;
        assert_eq!(kept[..bytes.len()], *bytes, "{name}");
    }
}

#[test]
fn data_uris_stay_in_a_gltf_and_are_embedded_in_a_glb() {
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":3,"uri":"data:;base64,AQID"},{"byteLength":5,"name":"b","uri":"data:application/octet-stream;base64,BAUGBwg="}],"bufferViews":[{"buffer":1,"byteLength":4,"byteOffset":1},{"buffer":0,"byteLength":2},{"buffer":1,"byteLength":5,"extras":{"x":1.0}}],"images":[{"uri":"data:image/png;base64,iVBORw0KGgo="},{"bufferView":0,"mimeType":"image/png"}]}"#;
    let document = load(text);
    assert_eq!(text_of(&saved(&document)), text);
    let glb = document.save_bytes(Format::Glb).unwrap();
    check_file(&glb);
    assert!(glb.files.is_empty());
    let chunks = chunks_of(&glb.bytes);
    let image = b"\x89PNG\r\n\x1a\n";
    assert_eq!(chunks[1].1, [&[1, 2, 3, 0, 4, 5, 6, 7, 8, 0, 0, 0][..], image].concat());
    assert_differences(
        text,
        &json_of(&glb.bytes),
        &[
            "/bufferViews/0/buffer = 0",
            "/bufferViews/0/byteOffset = 5",
            "/bufferViews/2/buffer = 0",
            "+/bufferViews/2/byteOffset = 4",
            "+/bufferViews/3 = {\"buffer\":0,\"byteLength\":8,\"byteOffset\":12}",
            "/buffers/0/byteLength = 20",
            "-/buffers/0/uri",
            "-/buffers/1",
            "+/images/0/bufferView = 3",
            "+/images/0/mimeType = \"image/png\"",
            "-/images/0/uri",
        ],
    );
}

#[test]
fn images_of_one_file_become_views_of_the_chunk() {
    let text = r#"{"asset":{"version":"2.0"},"images":[{"uri":"a%20b.png"},{"uri":"a%20b.png","name":"doubled"},{"uri":"c.webp","mimeType":"image/webp"}]}"#;
    let files = Files::from([
        ("a b.png".into(), Bytes::from(b"\x89PNG\r\n\x1a\n".to_vec())),
        ("c.webp".into(), Bytes::from(b"RIFF\x04\0\0\0WEBP!".to_vec())),
    ]);
    let document = load_with(text, &files);
    assert_eq!(text_of(&saved(&document)), text);
    let glb = document.save_bytes(Format::Glb).unwrap();
    check_file(&glb);
    assert!(glb.files.is_empty());
    let back = again(&glb);
    for (one, other) in document.images().iter().zip(back.images()) {
        let bytes = |it: &Image| match &it.data {
            pleach::ImageData::Encoded { bytes, .. } => bytes.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes(&one.get()), bytes(&other.get()));
        assert_eq!(one.get().name, other.get().name);
    }
    // Images that are not loaded keep their URIs.
    let left = Options::new().skip_images().load_with(text.as_bytes().to_vec(), &files).unwrap();
    assert_eq!(json_of(&left.save_bytes(Format::Glb).unwrap().bytes).trim_end(), text);
}

#[test]
fn a12_embedded_images_move_into_the_chunk_of_a_glb() {
    let png = b"\x89PNG\r\n\x1a\nnot really";
    let uri = crate::common::accessors::data_uri("image/png", png);
    let plain = crate::common::accessors::data_uri("image/x-raw", b"raw");
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"images":[{{"uri":"{uri}","name":"oak"}},{{"uri":"{plain}"}}],
        "textures":[{{"source":0}}],"materials":[{{"emissiveTexture":{{"index":0}}}}]}}"#
    );
    let document = load(&text);
    let saved = document.save_bytes(Format::Glb).unwrap();
    check_file(&saved);
    let json = json_of(&saved.bytes);
    assert!(!json.contains("base64"), "{json}");
    let images = &value(&json)["images"];
    assert_eq!(images[0]["mimeType"], "image/png");
    assert_eq!(
        (&images[0]["name"], &images[1]["mimeType"]),
        (&"oak".into(), &"image/x-raw".into())
    );
    let back = again(&saved);
    let bytes = |document: &Document, image: usize| match &document.images()[image].get().data {
        pleach::ImageData::Encoded { bytes, .. } => bytes.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!([bytes(&back, 0), bytes(&back, 1)], [png.to_vec(), b"raw".to_vec()]);
    // A .gltf keeps its data URIs.
    assert_eq!(document.save_bytes(Format::Gltf).unwrap().bytes, text.as_bytes());
}

#[test]
fn b2_remains_of_a_killed_save_are_removed_by_the_next() {
    let directory = TempDir::new("remains");
    let (_, document) = load_yard();
    let path = directory.at("out.glb");
    for remains in ["out.glb.4194999.part", "out.glb.4194999-3.part"] {
        directory.write(remains, b"half");
    }
    // Not remains of this file.
    let others = ["out.glb.part", "out.glb.x.part", "out.gltf.7.part", "a-out.glb.7.part"];
    for other in others {
        directory.write(other, b"x");
    }
    // A writer that lives holds a lock.
    directory.write("out.glb.12-0.part", b"being written");
    let writer = fs::File::open(directory.at("out.glb.12-0.part")).unwrap();
    writer.lock().unwrap();
    document.save(&path).unwrap();
    let mut expected = vec!["out.glb", "out.glb.12-0.part"];
    expected.extend(others);
    expected.sort_unstable();
    assert_eq!(directory.names(), expected);
    drop(writer);
    document.save(&path).unwrap();
    assert!(!directory.names().contains(&"out.glb.12-0.part".to_string()));
}

#[test]
fn b2_missing_directories_are_created_on_request_only() {
    let directory = TempDir::new("directories");
    let (_, document) = load_yard();
    for name in ["new/out.glb", "new/out.gltf"] {
        let path = directory.at(name);
        let error = document.save(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(error.to_string().contains("does not exist"), "{error}");
        assert_eq!(directory.names(), [""; 0]);
        let saved = document.save_bytes_for(&path).unwrap();
        saved.write_with(&path, &WriteOptions::new().create_directories()).unwrap();
        assert!(path.exists());
        fs::remove_dir_all(directory.at("new")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn b2_symbolic_link_is_written_through() {
    use std::os::unix::fs::symlink;

    let directory = TempDir::new("links");
    let (_, document) = load_yard();
    directory.write("store/real.glb", b"old");
    symlink("store/real.glb", directory.at("link.glb")).unwrap();
    symlink("link.glb", directory.at("second.glb")).unwrap();
    symlink("store/later.glb", directory.at("dangling.glb")).unwrap();
    let expected = document.save_bytes(Format::Glb).unwrap().bytes;
    for (link, target) in [("second.glb", "store/real.glb"), ("dangling.glb", "store/later.glb")] {
        document.save(directory.at(link)).unwrap();
        assert!(fs::symlink_metadata(directory.at(link)).unwrap().is_symlink(), "{link}");
        assert!(fs::read(directory.at(target)).unwrap() == expected, "{target}");
    }
    assert!(fs::symlink_metadata(directory.at("link.glb")).unwrap().is_symlink());
}
