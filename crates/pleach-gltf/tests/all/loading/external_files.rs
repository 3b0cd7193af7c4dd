//! External files: read by name below the model's directory, and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use pleach::ImageData;
use pleach_gltf::ErrorKind::Uri;
use pleach_gltf::{Directory, Document, Error, ErrorKind, Options};
use serde_json::json;

use super::file::{file, full_file};
use crate::common::temp_dir::TempDir;

/// Loads a model in `base` with one buffer of four bytes.
fn with_buffer(base: &Path, uri: &str) -> Result<Document, Error> {
    let model = file(json!({"buffers": [{"uri": uri, "byteLength": 4}]}));
    fs::write(base.join("model.gltf"), model.text()).unwrap();
    pleach_gltf::load(base.join("model.gltf"))
}

#[test]
fn external_files_are_read_by_percent_encoded_names() {
    let directory = TempDir::new("names");
    for name in ["a b.bin", "sub/c.bin", "100%.bin", "❤.bin", "x;y=1.bin"] {
        directory.write(name, b"1234");
    }
    for uri in [
        "a%20b.bin",
        "a b.bin",
        "sub/c.bin",
        "./sub/../sub/c.bin",
        "sub%2Fc.bin",
        "100%25.bin",
        "100%.bin",
        "❤.bin",
        "%E2%9D%A4.bin",
        "x;y=1.bin",
    ] {
        if let Err(error) = with_buffer(&directory.path, uri) {
            panic!("{uri}: {error}");
        }
    }
    // Not all systems allow such names.
    if cfg!(unix) {
        directory.write("q?#.bin", b"1234");
        assert!(with_buffer(&directory.path, "q%3F%23.bin").is_ok());
    }
}

#[test]
fn nothing_outside_of_the_models_directory_is_read() {
    let directory = TempDir::new("unreferenced");
    directory.write("secret.bin", b"1234");
    directory.write("model/in.bin", b"1234");
    let base = directory.at("model");
    let absolute = directory.at("secret.bin");
    let absolute = absolute.to_str().unwrap();
    let file_uri = format!("file://{absolute}");
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "sub/../../secret.bin",
        "./../secret.bin",
        absolute,
        &absolute.replace('/', "%2F"),
        &file_uri,
        "http://localhost/in.bin",
        "//localhost/in.bin",
        "",
        "in.bin%00",
        "in.bin/",
        ".",
        "in.bin/../../secret.bin",
    ] {
        match with_buffer(&base, uri) {
            Ok(_) => panic!("{uri:?} was read"),
            Err(error) => {
                assert_eq!((error.kind(), error.pointer()), (Uri, "/buffers/0/uri"), "{uri:?}");
            }
        }
    }
    assert!(with_buffer(&base, "in.bin").is_ok());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_pipes_and_directories_are_not_read() {
    use std::os::unix::fs::symlink;

    let directory = TempDir::new("links");
    directory.write("secret.bin", b"1234");
    directory.write("model/in.bin", b"1234");
    let base = directory.at("model");
    symlink("../secret.bin", base.join("out.bin")).unwrap();
    symlink("..", base.join("up")).unwrap();
    symlink("loop.bin", base.join("loop.bin")).unwrap();
    symlink("in.bin", base.join("alias.bin")).unwrap();
    symlink("/dev/zero", base.join("zero.bin")).unwrap();
    fs::create_dir(base.join("folder")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(base.join("pipe")).status();
    let mut refused = vec!["out.bin", "up/secret.bin", "loop.bin", "zero.bin", "folder"];
    // Opening a pipe would block.
    if pipe.is_ok_and(|status| status.success()) {
        refused.push("pipe");
    }
    for uri in refused {
        let error = with_buffer(&base, uri).unwrap_err();
        assert_eq!((error.kind(), error.pointer()), (Uri, "/buffers/0/uri"), "{error}");
    }
    assert!(with_buffer(&base, "alias.bin").is_ok(), "a link within the directory is followed");
}

#[test]
fn an_error_names_the_file_and_has_its_cause_as_source() {
    let directory = TempDir::new("cause");
    let error = with_buffer(&directory.path, "none.bin").unwrap_err();
    assert_eq!(error.file(), Some(&*directory.at("model.gltf")));
    assert!(error.to_string().contains("model.gltf: /buffers/0/uri: \"none.bin\""), "{error}");
    let cause = std::error::Error::source(&error).unwrap();
    let cause = cause.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(cause.kind(), std::io::ErrorKind::NotFound);

    let missing = pleach_gltf::load(directory.at("none.gltf")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert_eq!(missing.file(), Some(&*directory.at("none.gltf")));
    assert_eq!(pleach_gltf::load(&directory.path).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_missing_image_is_a_warning_and_a_missing_buffer_an_error() {
    let directory = TempDir::new("missing");
    let text = full_file().set("/images/-", json!({"uri": "none.png"})).text();
    directory.write("model.gltf", text.as_bytes());
    let document = pleach_gltf::load(directory.at("model.gltf")).unwrap();
    let warnings = document.report().warnings();
    assert_eq!((warnings.len(), &*warnings[0].pointer), (1, "/images/1/uri"));
    assert!(
        matches!(&document.images()[1].get().data, ImageData::External { uri } if uri == "none.png")
    );
    assert_eq!(with_buffer(&directory.path, "none.bin").unwrap_err().kind(), Uri);
}

#[test]
fn a_directory_is_a_resolver() {
    let directory = TempDir::new("resolver");
    directory.write("data.bin", b"1234");
    let model = file(json!({"buffers": [{"uri": "data.bin", "byteLength": 4}]}));
    let load =
        |path: PathBuf| Options::new().load_with(model.text().into_bytes(), &Directory::new(path));
    assert!(load(directory.path.clone()).is_ok());
    assert_eq!(load(directory.at("none")).unwrap_err().kind(), Uri);
}
