//! Cameras and lights: projections, types, positions and directions.

use pleach::{ClipSpace, LightKind};

use super::case::{each_model, tree};
use super::document_queries::each_node;
use super::values::{index, indices, list, matrix, number_of, numbers};

#[test]
fn cameras_have_the_expected_projections() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["cameras"]).iter().enumerate() {
            let camera = &document.cameras()[number];
            let aspect = camera.aspect.unwrap_or(1.0);
            let got = camera.projection.matrix(aspect, ClipSpace::NegOneToOne).unwrap();
            let projection = matrix(&expected["projection"]);
            case.matrix(format_args!("camera {number} projection"), got, projection);
            let aspect = expected["aspectRatio"].as_f64();
            if expected["type"] == "perspective" {
                let what = format_args!("camera {number} has an aspect");
                case.equal(what, camera.aspect.is_some(), aspect.is_some());
            }
            let nodes = indices(&expected["nodes"]);
            for (tree_number, file, node, _) in each_node(&document, case.expected()) {
                let row = tree(&document, tree_number).camera(node);
                if nodes.contains(&file) {
                    case.equal(format_args!("camera {number} of node {file}"), row, Some(camera));
                }
            }
        }
    });
}

#[test]
fn lights_have_the_expected_types_positions_and_directions() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["lights"]).iter().enumerate() {
            let what = format!("light {number}");
            let light = document.lights()[number];
            let (kind, range, angles) = match light.kind {
                LightKind::Directional => ("directional", None, [None, None]),
                LightKind::Point => ("point", light.range, [None, None]),
                LightKind::Spot { inner_angle, outer_angle } => {
                    ("spot", light.range, [Some(inner_angle), Some(outer_angle)])
                }
                other => panic!("{other:?}"),
            };
            case.equal(format_args!("{what} type"), Some(kind), expected["type"].as_str());
            let [inner, outer] = angles;
            let got = [range, inner, outer].into_iter().map(|it| it.map(f64::from));
            for (name, got) in ["range", "inner", "outer"].into_iter().zip(got) {
                let (got, expected) =
                    (Vec::from_iter(got), Vec::from_iter(expected[name].as_f64()));
                case.near(format_args!("{what} {name}"), &got, &expected);
            }
            let color = light.color.as_dvec3().to_array();
            case.near(format_args!("{what} color"), &color, &numbers(&expected["color"]));
            let intensity = [f64::from(light.intensity)];
            let expected_intensity = [number_of(expected, "intensity")];
            case.near(format_args!("{what} intensity"), &intensity, &expected_intensity);
            for at in list(&expected["at"]) {
                let file = index(&at["node"]).unwrap();
                for (number, it, node, _) in each_node(&document, case.expected()) {
                    if it != file {
                        continue;
                    }
                    let world = tree(&document, number).graph.node(node).unwrap().world();
                    let got = light.position(&world).as_dvec3().to_array();
                    let position = case.up.vector(&at["position"]).to_array();
                    case.near(format_args!("{what} on node {file} position"), &got, &position);
                    let Some(got) = light.direction(&world) else {
                        case.equal(format_args!("{what} without a direction"), kind, "point");
                        continue;
                    };
                    let direction = case.up.vector(&at["direction"]).to_array();
                    let got = got.as_dvec3().to_array();
                    case.near(format_args!("{what} on node {file} direction"), &got, &direction);
                }
            }
        }
    });
}
