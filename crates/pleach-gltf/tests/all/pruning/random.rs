//! Random files lose exactly what the naive walk does not find; damaged files stay unchanged.

use pleach_gltf::{Bytes, Format, GltfArray, Options, Prune};
use serde_json::{Value, json};
use testkit::Rng;

use super::naive::assert_pruned;
use super::prune_and_check::{assert_same, doubled, pruned};
use crate::common_save::{AccessorBuilder, Files, load_with, saved, text_of, value};

/// Returns a file of random lists in which any entry may be used or not.
fn random(rng: &mut Rng) -> (Value, Files) {
    let mut columns = AccessorBuilder::default();
    let kinds = 2 + rng.below(6);
    for _ in 0..kinds {
        let at: Vec<f32> = (0..9).map(|_| rng.moderate()).collect();
        let bound = |is_max: bool| -> Vec<f32> {
            let of = |axis: usize| {
                let mut values = [at[axis], at[axis + 3], at[axis + 6]];
                values.sort_by(f32::total_cmp);
                values[if is_max { 2 } else { 0 }]
            };
            (0..3).map(of).collect()
        };
        let bounds = format!(", \"min\": {:?}, \"max\": {:?}", bound(false), bound(true));
        columns.floats(&at, "VEC3", &bounds);
        let odd: Vec<u8> = (0..3 + rng.below(3)).map(|_| rng.below(3) as u8).collect();
        columns.add(&odd, 3, 5121, "SCALAR", "");
    }
    let any = |rng: &mut Rng, count: usize| rng.below(count);
    let [images, samplers, textures, materials, meshes, nodes] =
        std::array::from_fn(|_| 1 + rng.below(6));
    let list = |count: usize, mut make: Box<dyn FnMut(usize) -> Value + '_>| -> Value {
        (0..count).map(&mut *make).collect()
    };
    let name = |index: usize| format!("n{index}");
    let mut file = json!({"asset": {"version": "2.0"}, "scene": 0});
    file["images"] =
        list(images, Box::new(|it| json!({"name": name(it), "uri": format!("{it}.png")})));
    file["samplers"] = list(samplers, Box::new(|it| json!({"name": name(it), "wrapS": 33071})));
    file["textures"] = list(
        textures,
        Box::new(
            |it| json!({"name": name(it), "source": any(rng, images), "sampler": any(rng, samplers)}),
        ),
    );
    file["materials"] = list(
        materials,
        Box::new(|it| {
            let mut material = json!({"name": name(it), "alphaCutoff": 0.25});
            if rng.below(2) == 0 {
                material["normalTexture"] = json!({"index": any(rng, textures)});
            } else {
                material["pbrMetallicRoughness"] =
                    json!({"baseColorTexture": {"index": any(rng, textures)}});
            }
            material
        }),
    );
    file["meshes"] = list(
        meshes,
        Box::new(|it| {
            let mut part = json!({"attributes": {"POSITION": 2 * any(rng, kinds)}});
            if rng.below(2) == 0 {
                part["indices"] = json!(2 * any(rng, kinds) + 1);
            }
            if rng.below(2) == 0 {
                part["material"] = json!(any(rng, materials));
            }
            json!({"name": name(it), "primitives": [part]})
        }),
    );
    file["nodes"] = list(
        nodes,
        Box::new(|it| {
            let mut node = json!({"name": name(it), "translation": [it, 0, 0]});
            if rng.below(3) > 0 {
                node["mesh"] = json!(any(rng, meshes));
            }
            node
        }),
    );
    file["scenes"] = json!([{"nodes": (0..nodes).collect::<Vec<_>>()}]);
    for (index, list) in [("accessors", &columns.accessors), ("bufferViews", &columns.views)] {
        let mut entries = value(&format!("[{list}]"));
        for (number, entry) in entries.as_array_mut().unwrap().iter_mut().enumerate() {
            entry["name"] = json!(name(number));
        }
        file[index] = entries;
    }
    file["buffers"] = json!([{"uri": "all.bin", "byteLength": columns.bytes.len()}]);
    let mut files = Files::from([("all.bin".to_string(), Bytes::from(columns.bytes))]);
    for image in 0..images {
        let png = [b"\x89PNG\r\n\x1a\n", image.to_string().as_bytes()].concat();
        files.insert(format!("{image}.png"), Bytes::from(png));
    }
    (file, files)
}

#[test]
fn random_files_keep_exactly_what_a_naive_walk_finds() {
    for seed in 0..60 {
        let what = format!("seed {seed}");
        let (file, files) = random(&mut Rng::new(seed));
        let text = file.to_string();
        let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), &what);
        let after = value(&text_of(&saved(&document)));
        assert_pruned(&file, &after, &what);
        let lost =
            ["meshes", "materials", "textures", "images", "samplers", "accessors", "bufferViews"];
        let lost = lost.map(|list| {
            let count = |file: &Value| file[list].as_array().map_or(0, Vec::len);
            count(&file) - count(&after)
        });
        let summary = [
            GltfArray::Meshes,
            GltfArray::Materials,
            GltfArray::Textures,
            GltfArray::Images,
            GltfArray::Samplers,
            GltfArray::Accessors,
            GltfArray::BufferViews,
        ];
        assert_eq!(lost, summary.map(|list| dropped.unused(list)), "{what}");
        pruned(load_with(&text, &files), Prune::new().merge_equal(), &what);
    }
}

#[test]
fn damaged_files_are_pruned_correctly_or_not_at_all() {
    let (text, files) = doubled();
    let mut tried = 0;
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let mut bytes = text.clone().into_bytes();
        let digits: Vec<usize> =
            (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        for _ in 0..1 + rng.below(3) {
            // Other numbers, and occasionally text that is not valid JSON.
            let (at, kinds) = match rng.below(8) {
                0 => (rng.below(bytes.len()), 19),
                _ => (digits[rng.below(digits.len())], 10),
            };
            bytes[at] = b"0123456789{}[],:\" x"[rng.below(kinds)];
        }
        let Ok(document) = Options::new().load_with(bytes, &files) else { continue };
        tried += 1;
        let before = document.save_bytes(Format::Gltf).unwrap();
        let known: Files = before.files.iter().cloned().collect();
        let original = Options::new().load_with(before.bytes, &known).unwrap();
        let (made, _) = Prune::new()
            .merge_equal()
            .run(document)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_same(&original, &made, &format!("seed {seed}"));
    }
    assert!(tried > 150, "only {tried} could be read");
}
