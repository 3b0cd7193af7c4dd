//! Scenes, nodes and meshes match the file.

use glam::{Quat, Vec3, Vec4};
use pleach::Topology;
use pleach_gltf::ErrorKind;

use super::case::{Case, Failures, each_model, models, tree};
use super::document_queries::{each_node, trees};
use super::values::{Up, index, indices, list, matrix, numbers};

#[test]
fn models_load_or_are_rejected_as_expected() {
    let Some(models) = models() else { return };
    let mut failures = Failures::default();
    for model in models.iter().filter(|model| model.is_rejected()) {
        for up in [Up::Z, Up::Y] {
            match up.options().load(model.path()) {
                Ok(_) => failures.add(format!("{}: loaded, expected an error", model.name)),
                Err(error) if error.kind() == ErrorKind::Io => {
                    failures.add(format!("{}: {error}", model.name));
                }
                Err(error) => eprintln!("rejected as expected: {error}"),
            }
        }
    }
    failures.panic_if_any();
    each_model(|case, document| {
        case.equal(format_args!("scenes"), document.scenes().len(), case_len(case, "scenes"));
        case.equal(format_args!("meshes"), document.meshes().len(), case_len(case, "meshes"));
        case.equal(format_args!("cameras"), document.cameras().len(), case_len(case, "cameras"));
        case.equal(format_args!("lights"), document.lights().len(), case_len(case, "lights"));
        let animations = case_len(case, "animations");
        case.equal(format_args!("animations"), document.animations().len(), animations);
        let default = index(&case.expected()["default_scene"]);
        case.equal(format_args!("default scene"), document.default_scene(), default);
        let has_unreferenced = trees(case.expected()).len() > document.scenes().len();
        case.equal(
            format_args!("unreferenced nodes"),
            document.unreferenced_nodes().is_some(),
            has_unreferenced,
        );
        for (number, scene) in
            document.scenes().iter().chain(document.unreferenced_nodes()).enumerate()
        {
            case.equal(format_args!("tree {number} checks"), scene.check(), Vec::new());
        }
    });
}

fn case_len(case: &Case<'_>, array: &str) -> usize {
    list(&case.expected()[array]).len()
}

#[test]
fn scenes_have_their_names_roots_and_nodes_depth_first() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["scenes"]).iter().enumerate() {
            let scene = &document.scenes()[number];
            let name = expected["name"].as_str().unwrap_or_default();
            case.equal(format_args!("scene {number} name"), &*scene.name, name);
            let parent_of_roots = document.up_axis_node(number).unwrap_or(scene.root());
            let file = |node| document.index_of(number, node);
            let roots = scene.graph.node(parent_of_roots).unwrap().children().map(file);
            let roots: Vec<_> = roots.collect();
            let expected_roots = indices(&expected["roots"]).into_iter().map(Some).collect();
            case.equal(format_args!("scene {number} roots"), roots, expected_roots);
            let nodes = scene.graph.node(parent_of_roots).unwrap().descendants().skip(1).map(file);
            let nodes: Vec<_> = nodes.collect();
            let expected_nodes = indices(&expected["nodes"]).into_iter().map(Some).collect();
            case.equal(format_args!("scene {number} nodes"), nodes, expected_nodes);
            let needs_up_axis_node = case.up == Up::Z && !list(&expected["roots"]).is_empty();
            let has_up_axis_node = document.up_axis_node(number).is_some();
            case.equal(
                format_args!("scene {number} has an up-axis node"),
                has_up_axis_node,
                needs_up_axis_node,
            );
        }
    });
}

#[test]
fn nodes_have_their_names_parents_children_and_visibility() {
    each_model(|case, document| {
        for (number, nodes) in trees(case.expected()).into_iter().enumerate() {
            let all = 0..list(&case.expected()["nodes"]).len();
            let present: Vec<_> = all.filter(|&it| document.node(number, it).is_some()).collect();
            let mut expected = nodes.clone();
            expected.sort_unstable();
            case.equal(format_args!("tree {number} has the nodes"), present, expected);
        }
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let scene = tree(&document, number);
            let view = scene.graph.node(node).unwrap();
            let what = format!("tree {number} node {file}");
            case.equal(format_args!("{what} index"), document.index_of(number, node), Some(file));
            case.equal(format_args!("{what} name"), view.name(), expected["name"].as_str());
            let parent_of_roots = document.up_axis_node(number).unwrap_or(scene.root());
            let parent = index(&expected["parent"]);
            let parent =
                parent.map_or(Some(parent_of_roots), |parent| document.node(number, parent));
            case.equal(format_args!("{what} parent"), view.parent(), parent);
            let children = view.children().map(|child| document.index_of(number, child));
            let children: Vec<_> = children.collect();
            let listed = indices(&expected["children"]).into_iter().map(Some).collect();
            case.equal(format_args!("{what} children"), children, listed);
            let visible = expected["visible"] != false;
            case.equal(format_args!("{what} visible"), view.is_visible(), visible);
        }
    });
}

#[test]
fn nodes_have_the_transforms_of_the_file() {
    each_model(|case, document| {
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let view = tree(&document, number).graph.node(node).unwrap();
            let what = format!("tree {number} node {file}");
            let has_matrix = expected.get("m").is_some();
            case.equal(format_args!("{what} has a matrix"), view.has_local_matrix(), has_matrix);
            if has_matrix {
                let local = matrix(&expected["m"]);
                case.matrix(format_args!("{what} matrix"), view.local_matrix(), local);
                continue;
            }
            let wide = |vector: Vec3| vector.as_dvec3().to_array();
            let (t, s) = (numbers(&expected["t"]), numbers(&expected["s"]));
            case.near(format_args!("{what} translation"), &wide(view.translation()), &t);
            case.near(format_args!("{what} scale"), &wide(view.scale()), &s);
            let r: Vec<f32> = numbers(&expected["r"]).iter().map(|&it| it as f32).collect();
            let r = Vec4::from(Quat::from_slice(&r).normalize()).as_dvec4().to_array();
            let got = Vec4::from(view.rotation().normalize()).as_dvec4().to_array();
            case.near(format_args!("{what} rotation"), &got, &r);
        }
    });
}

#[test]
fn nodes_have_their_meshes_skins_cameras_lights_weights_and_instances() {
    each_model(|case, document| {
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let scene = tree(&document, number);
            let what = format!("tree {number} node {file}");
            let handles = |parts: &[pleach::Part]| -> Vec<_> {
                parts.iter().map(|part| (part.geometry.id(), part.material.id())).collect()
            };
            let mesh = index(&expected["mesh"]).map(|mesh| handles(&document.meshes()[mesh]));
            let got = scene.mesh(node).map(|mesh| handles(&mesh.parts));
            case.equal(format_args!("{what} mesh"), got, mesh);
            let camera = index(&expected["camera"]).map(|camera| &document.cameras()[camera]);
            case.equal(format_args!("{what} camera"), scene.camera(node), camera);
            let light = index(&expected["light"]).map(|light| &document.lights()[light]);
            case.equal(format_args!("{what} light"), scene.light(node), light);

            let skin = index(&expected["skin"]).map(|skin| &case.expected()["skins"][skin]);
            let node_at = |node: usize| document.node(number, node);
            let joints =
                skin.map(|skin| indices(&skin["joints"]).into_iter().map(node_at).collect());
            let got = scene.skin(node).map(|skin| skin.joints.iter().copied().map(Some).collect());
            case.equal::<Option<Vec<_>>>(format_args!("{what} joints"), got, joints);
            let skeleton = skin.and_then(|skin| index(&skin["skeleton"])).and_then(node_at);
            let got = scene.skin(node).and_then(|skin| skin.skeleton);
            case.equal(format_args!("{what} skeleton"), got, skeleton);

            let weights: Vec<f64> = scene
                .weights
                .get(&scene.graph, node)
                .into_iter()
                .flatten()
                .map(|&weight| f64::from(weight))
                .collect();
            case.near(format_args!("{what} weights"), &weights, &numbers(&expected["weights"]));
            let instances = scene.mesh(node).and_then(|mesh| mesh.instances.as_deref());
            let instances = instances.map_or(&[][..], |instances| instances.matrices());
            let listed = list(&expected["instances"]);
            case.equal(format_args!("{what} instances"), instances.len(), listed.len());
            for (instance, (got, expected)) in instances.iter().zip(listed).enumerate() {
                case.matrix(format_args!("{what} instance {instance}"), *got, matrix(expected));
            }
        }
    });
}

#[test]
fn meshes_have_their_modes_counts_and_bounds() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["meshes"]).iter().enumerate() {
            let (parts, primitives) = (&document.meshes()[number], list(&expected["primitives"]));
            case.equal(format_args!("mesh {number} primitives"), parts.len(), primitives.len());
            for (index_in_mesh, (part, expected)) in parts.iter().zip(primitives).enumerate() {
                let what = format!("mesh {number} primitive {index_in_mesh}");
                let geometry = &part.geometry;
                let modes = [
                    Topology::Points,
                    Topology::Lines,
                    Topology::LineLoop,
                    Topology::LineStrip,
                    Topology::Triangles,
                    Topology::TriangleStrip,
                    Topology::TriangleFan,
                ];
                let mode = modes[index(&expected["mode"]).unwrap()];
                case.equal(format_args!("{what} mode"), geometry.get().topology, mode);
                let counts = [
                    geometry.get().positions.len(),
                    geometry.get().indices.as_ref().map_or(0, Vec::len),
                    geometry.get().triangle_count(),
                    geometry.get().morph_targets.len(),
                ];
                let names = ["vertices", "indices", "triangles", "targets"];
                let named = names.map(|name| index(&expected[name]).unwrap());
                case.equal(format_args!("{what} {names:?}"), counts, named);
                // A geometry is in the local space of its node, without the up-axis rotation.
                let aabb = Up::Y.bounds(&expected["aabb"]);
                case.bounds(format_args!("{what} box"), geometry.get().bounds().into(), aabb);
            }
        }
    });
}
