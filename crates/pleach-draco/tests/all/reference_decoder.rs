//! Decoded meshes equal those of the reference decoder.

use pleach_draco::{AttributeKind, ComponentType, decode};

use crate::streams::{BOX, BUDGET, STREAMS, hash};

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[test]
fn every_stream_equals_the_reference_decoder() {
    for (number, stream) in STREAMS.iter().enumerate() {
        let mesh = decode(&stream.bytes(), BUDGET).unwrap();
        assert_eq!(mesh.point_count, stream.points, "stream {number}");
        assert_eq!(mesh.indices.len(), stream.triangles * 3, "stream {number}");
        assert_eq!(hash(&mesh), stream.hash, "stream {number}");
    }
}

#[test]
fn the_box_of_the_sample_models_is_a_box() {
    let mesh = decode(&BOX.bytes(), BUDGET).unwrap();
    let [positions, normals] = mesh.attributes.as_slice() else { panic!("not two attributes") };
    assert_eq!((normals.unique_id, positions.unique_id), (0, 1));
    assert_eq!(normals.kind, AttributeKind::Normal);
    assert_eq!(positions.kind, AttributeKind::Position);
    assert_eq!((positions.components, positions.component_type), (3, ComponentType::F32));
    assert!(!positions.normalized);
    let (positions, normals) = (floats(&positions.bytes), floats(&normals.bytes));
    for (position, normal) in positions.chunks(3).zip(normals.chunks(3)) {
        assert!(position.iter().all(|x| (x.abs() - 0.5).abs() < 0.001), "{position:?}");
        // Each side faces along one axis, away from the center.
        let along: f32 = position.iter().zip(normal).map(|(p, n)| p * n).sum();
        assert!((along - 0.5).abs() < 0.01, "{position:?} {normal:?}");
    }
}

#[test]
fn attributes_keep_their_types() {
    let mesh = decode(&STREAMS[1].bytes(), BUDGET).unwrap();
    let types = mesh.attributes.iter().map(|a| (a.unique_id, a.components, a.component_type));
    let expected =
        [(0, 3, ComponentType::F32), (1, 4, ComponentType::U8), (2, 1, ComponentType::F32)];
    assert!(types.eq(expected));
    assert_eq!(mesh.attributes[1].bytes[..4], [255, 0, 0, 255]);
    assert_eq!(floats(&mesh.attributes[2].bytes), [0.5, 0.25, -1.0, 3.0]);
}
