//! The minimum and maximum of accessors, as stored.

use pleach_gltf::{Document, load_bytes};
use serde_json::{Value, json};

/// Loads a file with these accessors, buffer views and bytes.
fn file(accessors: &Value, views: &Value, bytes: &[u8]) -> Document {
    let hex: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    let json = json!({
        "asset": {"version": "2.0"}, "accessors": accessors, "bufferViews": views,
        "buffers": [{"uri": format!("data:,{hex}"), "byteLength": bytes.len()}],
    });
    load_bytes(json.to_string().as_bytes()).unwrap()
}

#[test]
fn min_max_is_per_component_and_as_stored() {
    let floats: Vec<u8> =
        [1.5f32, -2.0, 9.0, 0.1, 8.0, -7.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    let bytes = [&floats[..], &[255, 0, 128, 3, 1, 2, 9, 9, 3, 4, 9, 9]].concat();
    let views = json!([
        {"buffer": 0, "byteLength": 24},
        {"buffer": 0, "byteLength": 24, "byteStride": 12},
        {"buffer": 0, "byteOffset": 24, "byteLength": 4},
        {"buffer": 0, "byteOffset": 28, "byteLength": 8},
    ]);
    let accessors = json!([
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2},
        {"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2, "byteOffset": 4},
        {"bufferView": 2, "componentType": 5121, "type": "SCALAR", "count": 4, "normalized": true},
        {"bufferView": 2, "componentType": 5120, "type": "SCALAR", "count": 4, "normalized": true},
        // Two columns of two bytes, each followed by two bytes of padding.
        {"bufferView": 3, "componentType": 5121, "type": "MAT2", "count": 1},
        {"componentType": 5126, "type": "SCALAR", "count": 4},
        {"componentType": 5121, "type": "SCALAR", "count": 4, "sparse": {"count": 1,
            "indices": {"bufferView": 3, "componentType": 5121}, "values": {"bufferView": 2}}},
        {"componentType": 5121, "type": "SCALAR", "count": 4_000_000_000_000u64, "sparse": {
            "count": 1, "indices": {"bufferView": 3, "componentType": 5121},
            "values": {"bufferView": 2}}},
    ]);
    let min_max = file(&accessors, &views, &bytes).accessor_min_max(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let tenth = f64::from(0.1f32);
    let expected = [
        Some([vec![tenth, -2.0, -7.0], vec![1.5, 8.0, 9.0]]),
        Some([vec![-2.0], vec![8.0]]),
        Some([vec![0.0], vec![255.0]]),
        Some([vec![-128.0], vec![3.0]]),
        Some([vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 2.0, 3.0, 4.0]]),
        None,
        Some([vec![0.0], vec![255.0]]),
        Some([vec![0.0], vec![255.0]]),
        None,
    ];
    assert_eq!(min_max, expected);
}

/// One accessor is cheap to scan; thousands of accessors of the same bytes are not.
#[test]
fn scanning_the_same_bytes_repeatedly_is_limited() {
    let bytes = vec![1; 100_000];
    let views = json!([{"buffer": 0, "byteLength": bytes.len()}]);
    let one = json!({"bufferView": 0, "componentType": 5125, "type": "SCALAR", "count": 25_000});
    let count = 5000;
    let document = file(&json!(vec![one; count]), &views, &bytes);
    let wanted: Vec<usize> = (0..count).collect();
    let min_max = document.accessor_min_max(&wanted);
    let ones = f64::from(u32::from_le_bytes([1; 4]));
    assert_eq!(min_max[0], Some([vec![ones], vec![ones]]));
    assert_eq!((min_max.len(), &min_max[count - 1]), (count, &None));
}
