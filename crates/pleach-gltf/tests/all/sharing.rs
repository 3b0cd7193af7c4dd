//! Vertex data that many primitives share is decoded once, stored once and written once.

use crate::common::accessors::Builder;
use crate::common::container::{chunks_of, glb};
use pleach::{Geometry, Material, Node, Scene};
use pleach_gltf::{Document, ErrorKind, Format, load_bytes, save_bytes};
use serde_json::{Value, json};

/// Returns a grid of `side` × `side` vertices, with a mesh for each row of its squares. All meshes
/// reference the same accessors for positions, normals and uvs, or, if `separate`, accessors of
/// their own for the same bytes. `more` is added to each primitive.
fn grid(side: u32, separate: bool, more: &Value) -> Vec<u8> {
    let (vertices, rows) = (side * side, side - 1);
    let uv = |n: u32| [(n % side) as f32, (n / side) as f32];
    let point = |n: u32| [uv(n)[0], uv(n)[1], ((n * 7) % 5) as f32];
    let mut builder = Builder::default();
    builder.floats("VEC3", &(0..vertices).flat_map(point).collect::<Vec<_>>());
    builder.floats("VEC3", &(0..vertices).flat_map(|_| [0.0, 0.0, 1.0]).collect::<Vec<_>>());
    builder.floats("VEC2", &(0..vertices).flat_map(uv).collect::<Vec<_>>());
    let mut meshes = Vec::new();
    for row in 0..rows {
        let mut first = 0;
        if separate && row > 0 {
            first = builder.accessors.len();
            builder.accessors.extend_from_within(..3);
        }
        let corners = |a| [a, a + 1, a + side, a + 1, a + side + 1, a + side];
        let indices = (row * side..row * side + rows).flat_map(corners);
        let bytes: Vec<u8> = indices.flat_map(u32::to_le_bytes).collect();
        let indices = builder.packed(5125, "SCALAR", 6 * rows as usize, &bytes);
        let mut primitive = json!({
            "attributes": {"POSITION": first, "NORMAL": first + 1, "TEXCOORD_0": first + 2},
            "indices": indices
        });
        let members = more.as_object().into_iter().flatten();
        members.for_each(|(name, value)| primitive[name] = value.clone());
        meshes.push(json!({"primitives": [primitive]}));
    }
    let nodes: Vec<Value> = (0..rows).map(|row| json!({"mesh": row})).collect();
    let text = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": builder.bin.len()}],
        "bufferViews": builder.views, "accessors": builder.accessors, "meshes": meshes, "nodes": nodes,
        "scenes": [{"nodes": (0..rows).collect::<Vec<_>>()}], "scene": 0
    });
    glb(text.to_string().as_bytes(), &builder.bin)
}

/// Returns the geometries of a document, by mesh.
fn geometries(document: &Document) -> Vec<Geometry> {
    let scene = document.scene().expect("it has a scene");
    scene
        .meshes
        .iter(&scene.graph)
        .map(|(_, mesh)| mesh.parts[0].geometry.get().value().clone())
        .collect()
}

#[test]
fn meshes_of_one_accessor_share_its_vertices() {
    let (side, file) = (40, grid(40, false, &Value::Null));
    let document = load_bytes(&file).unwrap();
    let all = geometries(&document);
    assert_eq!(all.len(), side - 1);
    let first = &all[0];
    for geometry in &all {
        assert!(geometry.positions.shared_id().is_some());
        assert_eq!(geometry.positions.shared_id(), first.positions.shared_id());
        assert_eq!(geometry.normals.shared_id(), first.normals.shared_id());
        assert_eq!(geometry.uvs[0].shared_id(), first.uvs[0].shared_id());
    }
    let vertices = side * side * (12 + 12 + 8);
    let indices = (side - 1) * (side - 1) * 6 * 4;
    assert_eq!(Geometry::memory_of(&all), vertices + indices);
}

#[test]
fn shared_accessors_load_like_separate_ones() {
    let (shared, separate) = (grid(17, false, &Value::Null), grid(17, true, &Value::Null));
    let (shared, separate) = (load_bytes(&shared).unwrap(), load_bytes(&separate).unwrap());
    let (shared, separate) = (geometries(&shared), geometries(&separate));
    assert_eq!(shared, separate);
    assert!(separate.iter().all(|geometry| geometry.positions.shared_id().is_none()));
    // Each row has its own bounds, not those of the whole grid.
    for (row, geometry) in shared.iter().enumerate() {
        let bounds = geometry.bounds();
        assert_eq!((bounds.min.y, bounds.max.y), (row as f32, row as f32 + 1.0));
    }
}

/// A copy of the vertices per mesh would exceed 32 MiB plus 64 bytes per byte of the file.
#[test]
fn hundreds_of_meshes_of_shared_vertices_are_within_the_limits() {
    let file = grid(300, false, &Value::Null);
    let document = load_bytes(&file).unwrap();
    let vertices = 300 * 300 * (12 + 12 + 8);
    assert!(299 * vertices > (32 << 20) + 64 * file.len());
    assert!(Geometry::memory_of(&geometries(&document)) < 2 * file.len());
}

/// Skinning processes all vertices for each primitive, so each primitive counts them.
#[test]
fn skinned_meshes_of_shared_vertices_count_each_time() {
    let file = grid(300, false, &json!({"targets": [{"POSITION": 0}]}));
    let error = load_bytes(&file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    let file = grid(30, false, &json!({"targets": [{"POSITION": 0}]}));
    let document = load_bytes(&file).unwrap();
    let moved = |geometry: &Geometry| geometry.morph_targets[0].positions.shared_id();
    let all = geometries(&document);
    assert!(all.iter().all(|geometry| moved(geometry) == geometry.positions.shared_id()));
}

/// Without indices each primitive has all triangles of the shared vertices: a BVH for each takes
/// that much memory.
#[test]
fn meshes_without_indices_of_shared_vertices_count_each_time() {
    let load = |meshes: usize| {
        let mut builder = Builder::default();
        builder.floats("VEC3", &[0.5; 3 * 200_000]);
        builder.floats("SCALAR", &[0.0]);
        // An unknown attribute distinguishes them.
        let mesh = |number: usize| {
            let attributes = json!({"POSITION": 0, format!("_{number}"): 1});
            json!({"primitives": [{"attributes": attributes}]})
        };
        let text = json!({
            "asset": {"version": "2.0"},
            "buffers": [{"byteLength": builder.bin.len()}],
            "bufferViews": builder.views, "accessors": builder.accessors,
            "meshes": (0..meshes).map(mesh).collect::<Vec<_>>()
        });
        load_bytes(&glb(text.to_string().as_bytes(), &builder.bin))
    };
    assert!(load(10).is_ok());
    assert_eq!(load(400).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn shared_vertex_data_is_written_once() {
    let source = load_bytes(&grid(30, false, &Value::Null)).unwrap();
    let mut scene = Scene::new();
    let material = scene.assets.add(Material::default());
    for geometry in geometries(&source) {
        let geometry = scene.assets.add(geometry);
        scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    }
    scene.update().unwrap();
    let saved = save_bytes(&scene, Format::Glb).unwrap();
    let text: Value = serde_json::from_slice(&chunks_of(&saved.bytes)[0].1).unwrap();
    // Three attributes, and indices for each mesh.
    assert_eq!(text["accessors"].as_array().unwrap().len(), 3 + 29);
    let again = load_bytes(&saved.bytes).unwrap();
    assert_eq!(geometries(&again), geometries(&source));
}

#[test]
fn an_edited_geometry_reuses_shared_accessors_of_the_file() {
    let file = grid(10, false, &Value::Null);
    let mut document = load_bytes(&file).unwrap();
    let first = geometries(&document)[0].clone();
    let turned = Geometry { indices: Some(vec![0, 10, 1]), ..first };
    let scene = document.scene_mut().unwrap();
    let geometry = scene.assets.add(turned);
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    scene.update().unwrap();
    let saved = document.save_bytes(Format::Glb).unwrap();
    let text: Value = serde_json::from_slice(&chunks_of(&saved.bytes)[0].1).unwrap();
    let builder = &text["meshes"][9]["primitives"][0];
    let columns = json!({"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2});
    assert_eq!(builder["attributes"], columns);
    assert_eq!(text["accessors"].as_array().unwrap().len(), 3 + 9 + 1);
}
