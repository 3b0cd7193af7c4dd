//! Hostile bytes: every truncation, and random changes, are errors with an offset or scenes that can be
//! updated; memory stays within the limits.

use pleach::glam::Vec3;
use pleach::{Filter, Node, Ray, Scene};
use pleach_format::{Error, ErrorKind, Limits, Options};
use testkit::allocations::Tally;
use testkit::{Effort, Rng};

use crate::common::random_scene::{random_clips, random_scene};

fn unverified() -> Options {
    Options::new().without_checksums()
}

/// Calls `read`, and fails if that takes more memory than the default limits allow for these bytes.
pub(crate) fn within_limits<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    let Limits { max_decoded_bytes, max_decoded_ratio } = Limits::default();
    let limit = max_decoded_bytes + max_decoded_ratio * bytes.len() as u64;
    Tally::reset_peak();
    let before = Tally::now().live;
    let result = read();
    let used = Tally::now().peak - before;
    assert!(used as u64 <= limit, "{used} bytes for a file of {}", bytes.len());
    result
}

fn read_within_limits(options: &Options, bytes: &[u8]) -> Result<Scene, Error> {
    within_limits(bytes, || options.from_bytes(bytes)).map(|snapshot| snapshot.scene)
}

#[test]
fn every_truncation_is_an_error() {
    let mut rng = Rng::from_env(2);
    let scene = random_scene(&mut rng, 20);
    let bytes = Options::new().to_bytes(&scene, &random_clips(&mut rng)).unwrap();
    for length in 0..bytes.len() {
        for options in [Options::new(), unverified()] {
            let error = options.from_bytes(&bytes[..length]).unwrap_err();
            assert!(error.offset().is_some(), "{length}: {error}");
        }
    }
}

#[test]
fn every_changed_bit_is_noticed() {
    let mut rng = Rng::from_env(3);
    let mut bytes = pleach_format::to_bytes(&random_scene(&mut rng, 6)).unwrap();
    let padding = unnoticed(&bytes);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            let error = pleach_format::from_bytes(&bytes).err();
            assert_eq!(error.is_none(), padding.contains(&at), "byte {at}, bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
}

/// Returns the bytes that no checksum covers: two of the header that must be 0 in this version are not, and the
/// zeros between sections are not.
fn unnoticed(bytes: &[u8]) -> Vec<usize> {
    let mut padding: Vec<usize> = (36..40).collect();
    let mut at = 40;
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().unwrap()) as usize;
        let end = at + 16 + length;
        at = end.next_multiple_of(8);
        padding.extend(end..at);
    }
    padding
}

/// Changes bytes: single ones, runs, little-endian numbers, and parts that are copied or cut.
pub(crate) fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(9) {
            0 | 1 => bytes[at] ^= 1 << rng.below(8),
            2 => bytes[at] = rng.next_u32() as u8,
            3 => bytes[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            4 => bytes[at] = bytes[at].wrapping_add(rng.pick(&[1, 255])),
            5 | 6 => {
                let numbers = [
                    0,
                    1,
                    2,
                    7,
                    255,
                    1 << 16,
                    u32::MAX,
                    u32::MAX - 1,
                    1 << 31,
                    0x7fc0_0000,
                    0x7f80_0000,
                ];
                let at = at / 4 * 4;
                if let Some(number) = bytes.get_mut(at..at + 4) {
                    number.copy_from_slice(&rng.pick(&numbers).to_le_bytes());
                }
            }
            7 => {
                let (from, length) = (rng.below(bytes.len()), rng.below(32));
                let length = length.min(bytes.len() - from.max(at));
                bytes.copy_within(from..from + length, at);
            }
            _ if rng.one_in(8) => bytes.truncate(at.max(1)),
            _ => {
                let length = (8 * rng.below(4)).min(bytes.len() - at - 1);
                bytes.drain(at..at + length);
                // The length in the header is that of the file, or nothing else is read.
                let stated = (bytes.len() as u64).to_le_bytes();
                if let Some(header) = bytes.get_mut(24..32) {
                    header.copy_from_slice(&stated);
                }
            }
        }
    }
}

#[test]
fn mutated_files_are_errors_or_scenes() {
    let mut rng = Rng::from_env(4);
    let options = unverified();
    let mut read = 0;
    let (rounds, mutations) = Effort::pick((100, 1_000), (1_000, 10_000));
    for _ in 0..rounds {
        let size = rng.pick(&[1, 5, 20, 40]);
        let scene = random_scene(&mut rng, size);
        let original = options.to_bytes(&scene, &random_clips(&mut rng)).unwrap();
        for _ in 0..mutations {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut rng);
            match read_within_limits(&options, &bytes) {
                Ok(mut scene) => {
                    read += 1;
                    if rng.one_in(4) {
                        use_scene(&mut scene, rng.one_in(4));
                    }
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    println!("{read} of {} mutated files were scenes", rounds * mutations);
    assert!(read > 0 && read < rounds * mutations);
}

/// Updates a scene and asks for what is derived.
fn use_scene(scene: &mut Scene, is_checked: bool) {
    assert_eq!(scene.graph.check(), []);
    if scene.update().is_ok() && is_checked {
        _ = scene.check();
        let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).unwrap();
        _ = scene.pick(&ray, &Filter::default());
        scene.spawn(Node::group()).unwrap();
    }
}

/// Returns a text with other characters, some more or some less.
pub(crate) fn mutated_text(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(16) {
            0..4 => bytes[at] = rng.pick(b"0123456789,.-\"[]{}ein"),
            4..8 => _ = bytes.remove(at),
            8..12 => bytes.insert(at, rng.pick(b"0123456789")),
            12..15 => {
                // A digit, so that the text often stays JSON.
                let digits = bytes[at..].iter().position(u8::is_ascii_digit);
                if let Some(digit) = digits {
                    bytes[at + digit] = rng.pick(b"0123456789");
                }
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_json_is_an_error_or_a_scene() {
    let mut rng = Rng::from_env(5);
    for _ in 0..Effort::pick(20, 200) {
        let scene = random_scene(&mut rng, 10);
        let text = pleach_format::to_json(&scene).unwrap();
        for _ in 0..Effort::pick(100, 1_000) {
            if let Ok(mut scene) = pleach_format::from_json(&mutated_text(&text, &mut rng)) {
                use_scene(&mut scene, false);
            }
        }
    }
}

#[test]
fn files_of_other_versions_name_the_version_that_wrote_them() {
    let mut bytes = pleach_format::to_bytes(&Scene::new()).unwrap();
    bytes[8] = 2;
    bytes[12] = 7;
    let error = pleach_format::from_bytes(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 8: the file has version 2 of the format and was written by pleach-format 7.1.0; this is \
         pleach-format 0.1.0, which reads versions 1 to 1",
    );
    bytes[8] = 1;
    let graph = bytes.windows(4).position(|tag| tag == b"GRPH").unwrap();
    bytes[graph..graph + 4].copy_from_slice(b"NEW!");
    let error = unverified().from_bytes(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Version, Some(graph as u64)));
    assert!(error.to_string().contains("NEW! is unknown"), "{error}");
    assert!(error.to_string().contains("written by pleach-format 7.1.0"), "{error}");
}

#[test]
fn one_column_used_many_times_is_charged_many_times() {
    // A hundred geometries of a megabyte, whose columns are then made the same one.
    let mut scene = Scene::new();
    let wood = scene.assets.add(pleach::Material::default());
    let big = pleach::Geometry::from_positions(vec![Vec3::ONE; 90_000]);
    for index in 0..100 {
        let geometry = if index == 0 { big.clone() } else { pleach::Geometry::default() };
        let geometry = scene.assets.add(geometry);
        scene.spawn(Node::mesh(&geometry, &wood)).unwrap();
    }
    let mut bytes = pleach_format::to_bytes(&scene).unwrap();
    let start = bytes.windows(4).position(|tag| tag == b"GEOM").unwrap() + 16;
    let length = u64::from_le_bytes(bytes[start - 8..start].try_into().unwrap()) as usize;
    // The first record has the only column; all records are made like it.
    let payload = &bytes[start..start + length];
    let first = payload.len() - 99 * 11;
    let record = payload[1..first].to_vec();
    let mut section = vec![100];
    (0..100).for_each(|_| section.extend(&record));
    let mut file = bytes[..start - 8].to_vec();
    file.extend((section.len() as u64).to_le_bytes());
    file.extend(&section);
    file.resize(file.len().next_multiple_of(8), 0);
    file.extend(&bytes.split_off((start + length).next_multiple_of(8)));
    let stated = (file.len() as u64).to_le_bytes();
    file[24..32].copy_from_slice(&stated);
    let limits = Limits { max_decoded_ratio: 8, ..Limits::default() };
    let error = read_within_limits(&unverified().with_limits(limits), &file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    let limits = Limits { max_decoded_ratio: 256, ..limits };
    assert!(unverified().with_limits(limits).from_bytes(&file).is_ok());
}
