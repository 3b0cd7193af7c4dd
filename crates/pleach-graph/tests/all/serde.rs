//! Serialization of handles and transforms.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use testkit::Rng;

use crate::common::{RandomTransform, seeds, transform_bits};

#[test]
fn a_handle_is_serialized_as_one_number() {
    let node = NodeId::from_bits(0x0000_000c_0000_0003).unwrap();
    let text = serde_json::to_string(&node).unwrap();
    assert_eq!(text, node.to_bits().to_string());
    assert_eq!(serde_json::from_str::<NodeId>(&text).unwrap(), node);
    let largest = NodeId::from_bits(u64::MAX).unwrap();
    let text = serde_json::to_string(&largest).unwrap();
    assert_eq!(
        (text.as_str(), serde_json::from_str(&text).ok()),
        ("18446744073709551615", Some(largest))
    );
}

#[test]
fn a_deserialized_handle_refers_to_its_node_until_it_is_removed() {
    let mut graph = Graph::new();
    let nodes = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    let text = serde_json::to_string(&nodes).unwrap();
    let read: Vec<NodeId> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, nodes);
    graph.remove(nodes[1]).unwrap();
    graph.add_root(Transform::IDENTITY).unwrap();
    assert!(graph.contains(read[0]) && !graph.contains(read[1]) && graph.contains(read[2]));
}

#[test]
fn invalid_handle_bits_are_rejected_with_a_reason() {
    for bad in ["0", "4294967296", "51539607552"] {
        let error = serde_json::from_str::<NodeId>(bad).unwrap_err().to_string();
        assert!(error.contains("handle") && error.contains(bad), "{bad}: {error}");
    }
    for bad in ["-1", "1.5", "\"12v3\"", "null", "18446744073709551616", "[1]"] {
        assert!(serde_json::from_str::<NodeId>(bad).is_err(), "{bad}");
    }
}

#[test]
fn optional_handles_round_trip() {
    let some = Some(NodeId::from_bits(1).unwrap());
    for optional in [some, None] {
        let text = serde_json::to_string(&optional).unwrap();
        assert_eq!(serde_json::from_str::<Option<NodeId>>(&text).unwrap(), optional);
    }
}

#[test]
fn a_transform_round_trips_bit_for_bit() {
    let mut transforms = vec![
        Transform::IDENTITY,
        Transform {
            translation: Vec3::new(-0.0, 1e-45, f32::MAX),
            rotation: Quat::from_xyzw(0.1, -0.0, 0.3, 1e-30),
            scale: Vec3::new(0.0, -1.0, 1e-38),
        },
    ];
    for seed in seeds(100) {
        transforms.push(Rng::new(seed).transform());
    }
    for transform in transforms {
        let text = serde_json::to_string(&transform).unwrap();
        let read: Transform = serde_json::from_str(&text).unwrap();
        assert_eq!(transform_bits(read), transform_bits(transform), "{text}");
    }
}

#[test]
fn a_transform_is_serialized_with_its_field_names() {
    let text = serde_json::to_string(&Transform::from_xyz(1.0, 2.5, -3.0)).unwrap();
    assert_eq!(
        text,
        r#"{"translation":[1.0,2.5,-3.0],"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0]}"#,
    );
    for bad in ["{}", r#"{"translation":[1,2],"rotation":[0,0,0,1],"scale":[1,1,1]}"#, "7"] {
        assert!(serde_json::from_str::<Transform>(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_deserialized_non_finite_transform_is_rejected_by_the_graph() {
    let text = r#"{"translation":[1e39,0,0],"rotation":[0,0,0,1],"scale":[1,1,1]}"#;
    if let Ok(transform) = serde_json::from_str::<Transform>(text) {
        assert!(Graph::new().add_root(transform).is_err());
    }
}
