//! Every sample model gives the answers of two other implementations: `expected.json`, beside
//! each model, says what. See `support` for how they are compared.
//!
//! Each is loaded twice: turned so that Z is up, and as it is in the file.

mod support;

use glam::{DMat4, DVec3, Mat4, Quat, Vec3, Vec4};
use pleach::animation::{Interpolation, Layer, LayerId, Mixer, Repeat, Track};
use pleach::{Camera, ClipSpace, Filter, Frustum, Hit, LightKind, Mesh, Mode, Node, NodeId, Ray};
use pleach::{Scene, Visible};
use pleach_gltf::{Document, ErrorKind};
use serde_json::Value;

use support::{
    Bounds, Case, Failures, Up, each_model, index, indices, list, matrix, models, number,
};
use support::{numbers, tree, tree_mut};

// ---- what is asked ----

/// The file's nodes of each tree: of each scene, and at last those that no scene lists.
fn trees(expected: &Value) -> Vec<Vec<usize>> {
    let mut trees: Vec<Vec<usize>> =
        list(&expected["scenes"]).iter().map(|scene| indices(&scene["nodes"])).collect();
    let mut outside: Vec<usize> = (0..list(&expected["nodes"]).len()).collect();
    outside.retain(|node| !trees.iter().flatten().any(|listed| listed == node));
    if !outside.is_empty() {
        trees.push(outside);
    }
    trees
}

/// Every node of a file with what is expected of it, in every tree that has it.
fn each_node<'a>(
    document: &Document,
    expected: &'a Value,
) -> Vec<(usize, usize, NodeId, &'a Value)> {
    let mut all = Vec::new();
    for (number, nodes) in trees(expected).into_iter().enumerate() {
        for file in nodes {
            // That it is there is compared by a test of its own.
            if let Some(node) = document.node(number, file) {
                all.push((number, file, node, &expected["nodes"][file]));
            }
        }
    }
    all
}

/// Every part of a mesh, in each place where it is shown: its vertices in the world, without
/// skin and morph targets.
fn plain_points(scene: &Scene, node: NodeId) -> Vec<DVec3> {
    let mesh = scene.mesh(node).unwrap();
    let mut points = Vec::new();
    for place in places(scene, node, mesh) {
        for part in &mesh.parts {
            let positions = part.geometry.positions.iter();
            points.extend(positions.map(|point| place.transform_point3(point.as_dvec3())));
        }
    }
    points
}

/// The matrices of a node's copies in the world.
fn places(scene: &Scene, node: NodeId, mesh: &Mesh) -> Vec<DMat4> {
    let world = scene.graph.node(node).unwrap().world().as_dmat4();
    match &mesh.instances {
        Some(instances) => {
            instances.matrices().iter().map(|copy| world * copy.as_dmat4()).collect()
        }
        None => vec![world],
    }
}

/// Every vertex where it is drawn: with morph targets and skin, in f64.
fn posed_points(scene: &Scene, node: NodeId) -> Vec<DVec3> {
    let mesh = scene.mesh(node).unwrap();
    let weights = scene.weights.get(&scene.graph, node).cloned().unwrap_or_default();
    let places = places(scene, node, mesh);
    let palette: Option<Vec<DMat4>> =
        scene.palettes().of(node).map(|palette| palette.iter().map(Mat4::as_dmat4).collect());
    let mut points = Vec::new();
    for part in &mesh.parts {
        let geometry = &part.geometry;
        for vertex in 0..geometry.positions.len() {
            let mut point = geometry.positions[vertex].as_dvec3();
            for (target, &weight) in geometry.morph_targets.iter().zip(&weights) {
                let shift = target.positions.get(vertex).copied().unwrap_or_default();
                point += shift.as_dvec3() * f64::from(weight);
            }
            let Some(palette) = &palette else {
                points.extend(places.iter().map(|place| place.transform_point3(point)));
                continue;
            };
            let mut posed = DVec3::ZERO;
            for set in &geometry.influences {
                for (&joint, &weight) in set.joints[vertex].iter().zip(&set.weights[vertex]) {
                    if weight != 0.0 {
                        let moved = palette[usize::from(joint)].transform_point3(point);
                        posed += moved * f64::from(weight);
                    }
                }
            }
            points.push(posed);
        }
    }
    points
}

/// The boxes of a mesh's geometries after their matrices, in f64.
fn loose_bounds(scene: &Scene, node: NodeId) -> Bounds {
    let mesh = scene.mesh(node).unwrap();
    let parts = mesh.parts.iter().map(|part| Bounds::from(part.geometry.bounds()));
    let places = &places(scene, node, mesh);
    parts
        .flat_map(|part| places.iter().map(move |place| part.after(place)))
        .fold(Bounds::EMPTY, Bounds::union)
}

/// Is a mesh shown as it is: once, without skin and morph targets?
fn is_plain(scene: &Scene, node: NodeId) -> bool {
    scene.skin(node).is_none()
        && scene.weights.get(&scene.graph, node).is_none()
        && scene.mesh(node).is_some_and(|mesh| mesh.instances.is_none())
}

/// A mixer that plays an animation of a document on one of its trees, once.
fn player(document: &Document, animation: usize, number: usize) -> (Mixer, LayerId) {
    let binding = document.bind(animation, number).unwrap();
    let mut mixer = Mixer::new();
    let scene = tree(document, number);
    let layer = Layer::new(binding).with_repeat(Repeat::Once);
    let id = mixer.add(layer, &scene.graph, &scene.weights);
    (mixer, id)
}

/// Brings a scene into the pose of a moment.
fn pose(scene: &mut Scene, (mixer, layer): &mut (Mixer, LayerId), seconds: f32) {
    mixer.player_mut(*layer).unwrap().seek(seconds);
    mixer.sample();
    scene.write_pose(mixer);
    scene.update().unwrap();
}

/// A moment that is given with seven digits, of a clip whose duration is known to the bit.
fn moment(seconds: &Value, duration: f32) -> f32 {
    let quarter = (4.0 * number(seconds) / f64::from(duration)).round();
    if duration == 0.0 { 0.0 } else { (f64::from(duration) * quarter / 4.0) as f32 }
}

// ---- structure ----

#[test]
fn models_load_or_are_refused_as_expected() {
    let Some(models) = models() else { return };
    let mut failures = Failures::default();
    for model in models.iter().filter(|model| model.is_refused()) {
        for up in [Up::Z, Up::Y] {
            match up.options().load(model.path()) {
                Ok(_) => failures.add(format!("{}: loaded, expected a refusal", model.name)),
                Err(error) if error.kind() == ErrorKind::Io => {
                    failures.add(format!("{}: {error}", model.name));
                }
                Err(error) => eprintln!("refused, as it should be: {error}"),
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
        let has_outside = trees(case.expected()).len() > document.scenes().len();
        case.equal(format_args!("nodes outside"), document.outside().is_some(), has_outside);
        for (number, scene) in document.scenes().iter().chain(document.outside()).enumerate() {
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
            let top = document.turn(number).unwrap_or(scene.root());
            let file = |node| document.index_of(number, node);
            let roots = scene.graph.node(top).unwrap().children().map(file);
            let roots: Vec<_> = roots.collect();
            let expected_roots = indices(&expected["roots"]).into_iter().map(Some).collect();
            case.equal(format_args!("scene {number} roots"), roots, expected_roots);
            let nodes = scene.graph.node(top).unwrap().descendants().skip(1).map(file);
            let nodes: Vec<_> = nodes.collect();
            let expected_nodes = indices(&expected["nodes"]).into_iter().map(Some).collect();
            case.equal(format_args!("scene {number} nodes"), nodes, expected_nodes);
            let has_turn = case.up == Up::Z && !list(&expected["roots"]).is_empty();
            let turn = document.turn(number).is_some();
            case.equal(format_args!("scene {number} has a turn"), turn, has_turn);
        }
    });
}

#[test]
fn nodes_have_their_names_parents_children_and_visibility() {
    each_model(|case, document| {
        for (number, nodes) in trees(case.expected()).into_iter().enumerate() {
            let all = 0..list(&case.expected()["nodes"]).len();
            let there: Vec<_> = all.filter(|&it| document.node(number, it).is_some()).collect();
            let mut expected = nodes.clone();
            expected.sort_unstable();
            case.equal(format_args!("tree {number} has the nodes"), there, expected);
        }
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let scene = tree(&document, number);
            let view = scene.graph.node(node).unwrap();
            let what = format!("tree {number} node {file}");
            case.equal(format_args!("{what} index"), document.index_of(number, node), Some(file));
            case.equal(format_args!("{what} name"), view.name(), expected["name"].as_str());
            let top = document.turn(number).unwrap_or(scene.root());
            let parent = index(&expected["parent"]);
            let parent = parent.map_or(Some(top), |parent| document.node(number, parent));
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
fn nodes_carry_their_meshes_skins_cameras_lights_weights_and_instances() {
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
            let place = |node: usize| document.node(number, node);
            let joints = skin.map(|skin| indices(&skin["joints"]).into_iter().map(place).collect());
            let got = scene.skin(node).map(|skin| skin.joints.iter().copied().map(Some).collect());
            case.equal::<Option<Vec<_>>>(format_args!("{what} joints"), got, joints);
            let skeleton = skin.and_then(|skin| index(&skin["skeleton"])).and_then(place);
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
            let copies = scene.mesh(node).and_then(|mesh| mesh.instances.as_deref());
            let copies = copies.map_or(&[][..], |copies| copies.matrices());
            let instances = list(&expected["instances"]);
            case.equal(format_args!("{what} instances"), copies.len(), instances.len());
            for (copy, (got, expected)) in copies.iter().zip(instances).enumerate() {
                case.matrix(format_args!("{what} instance {copy}"), *got, matrix(expected));
            }
        }
    });
}

#[test]
fn meshes_have_their_modes_counts_and_boxes() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["meshes"]).iter().enumerate() {
            let (parts, primitives) = (&document.meshes()[number], list(&expected["primitives"]));
            case.equal(format_args!("mesh {number} primitives"), parts.len(), primitives.len());
            for (place, (part, expected)) in parts.iter().zip(primitives).enumerate() {
                let what = format!("mesh {number} primitive {place}");
                let geometry = &part.geometry;
                let modes = [
                    Mode::Points,
                    Mode::Lines,
                    Mode::LineLoop,
                    Mode::LineStrip,
                    Mode::Triangles,
                    Mode::TriangleStrip,
                    Mode::TriangleFan,
                ];
                let mode = modes[index(&expected["mode"]).unwrap()];
                case.equal(format_args!("{what} mode"), geometry.mode, mode);
                let counts = [
                    geometry.positions.len(),
                    geometry.indices.as_ref().map_or(0, Vec::len),
                    geometry.triangle_count(),
                    geometry.morph_targets.len(),
                ];
                let names = ["vertices", "indices", "triangles", "targets"];
                let named = names.map(|name| index(&expected[name]).unwrap());
                case.equal(format_args!("{what} {names:?}"), counts, named);
                // A geometry is in the space of its node, which is not turned.
                let aabb = Up::Y.bounds(&expected["aabb"]);
                case.bounds(format_args!("{what} box"), geometry.bounds().into(), aabb);
            }
        }
    });
}

// ---- places ----

#[test]
fn worlds_are_those_of_the_file_turned() {
    each_model(|case, document| {
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let view = tree(&document, number).graph.node(node).unwrap();
            let what = format!("tree {number} node {file}");
            let world = case.up.matrix(&expected["world"]);
            case.matrix(format_args!("{what} world"), view.world(), world);
            case.equal(format_args!("{what} is stale"), view.is_dirty(), false);
        }
    });
}

#[test]
fn boxes_of_nodes_and_scenes_are_those_of_their_vertices() {
    each_model(|case, document| {
        let names = ["static", "loose", "posed"];
        for (number, nodes) in trees(case.expected()).into_iter().enumerate() {
            let scene = tree(&document, number);
            let (mut all, mut all_plain) = ([Bounds::EMPTY; 3], true);
            for expected in list(&case.expected()["mesh_nodes"]) {
                let file = index(&expected["node"]).unwrap();
                let Some(node) = document.node(number, file).filter(|_| nodes.contains(&file))
                else {
                    continue;
                };
                let what = format!("tree {number} node {file}");
                let got = [
                    Bounds::of(plain_points(scene, node)),
                    loose_bounds(scene, node),
                    Bounds::of(posed_points(scene, node)),
                ];
                for place in 0..3 {
                    let aabb = case.up.bounds(&expected[names[place]]);
                    case.bounds(format_args!("{what} {}", names[place]), got[place], aabb);
                    all[place] = all[place].union(aabb);
                }
                let Some(own) = scene.spatial.world_bounds(node) else {
                    case.that(false, format_args!("{what} in the index"), "none", "bounds");
                    continue;
                };
                let posed = case.up.bounds(&expected["posed"]);
                case.contains(format_args!("{what} in the index"), own.into(), posed);
                if is_plain(scene, node) {
                    let loose = case.up.bounds(&expected["loose"]);
                    case.bounds(format_args!("{what} in the index"), own.into(), loose);
                } else {
                    all_plain = false;
                }
            }
            let Some(expected) = list(&case.expected()["scenes"]).get(number) else { continue };
            let aabb = &expected["aabb"];
            case.equal(
                format_args!("scene {number} has bounds"),
                !scene.spatial.bounds().is_empty(),
                !aabb.is_null(),
            );
            if aabb.is_null() {
                continue;
            }
            for place in 0..3 {
                let whole = case.up.bounds(&aabb[names[place]]);
                case.bounds(format_args!("scene {number} {}", names[place]), all[place], whole);
            }
            let (own, posed) = (scene.spatial.bounds(), case.up.bounds(&aabb["posed"]));
            case.contains(format_args!("scene {number} in the index"), own.into(), posed);
            if all_plain {
                let loose = case.up.bounds(&aabb["loose"]);
                case.bounds(format_args!("scene {number} in the index"), own.into(), loose);
            }
        }
    });
}

#[test]
fn skins_have_the_expected_joint_matrices_at_rest_and_half_way() {
    each_model(|case, document| {
        compare_palettes(case, &document, "joint_matrices");
        let animations = list(&case.expected()["animations"]);
        let moving = animations.iter().position(|it| !list(&it["moving"]).is_empty());
        let Some(animation) = moving else { return };
        let mut document = document;
        for number in 0..document.scenes().len() {
            let half = document.animations()[animation].clip().duration() * 0.5;
            let mut playing = player(&document, animation, number);
            pose(tree_mut(&mut document, number), &mut playing, half);
        }
        compare_palettes(case, &document, "joint_matrices_half");
    });
}

fn compare_palettes(case: &mut Case<'_>, document: &Document, which: &str) {
    for (number, file, node, expected) in each_node(document, case.expected()) {
        let Some(skin) = index(&expected["skin"]) else { continue };
        let matrices = list(&case.expected()["skins"][skin][which]);
        let palette = tree(document, number).palettes().of(node).unwrap_or_default();
        let what = format!("tree {number} node {file} skin {skin} {which}");
        if !matrices.is_empty() {
            case.equal(format_args!("{what}, how many"), palette.len(), matrices.len());
        }
        for (joint, (got, expected)) in palette.iter().zip(matrices).enumerate() {
            case.matrix(format_args!("{what} {joint}"), *got, case.up.matrix(expected));
        }
    }
}

// ---- animations ----

#[test]
fn animations_have_their_names_durations_channels_and_interpolations() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["animations"]).iter().enumerate() {
            let animation = &document.animations()[number];
            let clip = animation.clip();
            let what = format!("animation {number}");
            let name = expected["name"].as_str().unwrap_or_default();
            case.equal(format_args!("{what} name"), clip.name(), name);
            let duration = [f64::from(clip.duration())];
            case.near(
                format_args!("{what} duration"),
                &duration,
                &[number_of(expected, "duration")],
            );
            // Channels of pointers at what a clip can play would be among them.
            let channels = number_of(expected, "channels") as usize;
            case.equal(format_args!("{what} channels"), clip.channels().len(), channels);
            let ignored = number_of(expected, "ignored_channels") as usize;
            let shown = animation.shown_count();
            case.that(shown <= ignored, format_args!("{what} pointers"), shown, ignored);
            let mut names: Vec<_> = clip.channels().iter().map(|it| name_of(it.track())).collect();
            names.sort_unstable();
            names.dedup();
            let expected: Vec<_> =
                list(&expected["interpolations"]).iter().filter_map(Value::as_str).collect();
            case.equal(format_args!("{what} interpolations"), names, expected);
        }
    });
}

fn number_of(value: &Value, key: &str) -> f64 {
    number(&value[key])
}

fn name_of(track: &Track) -> &'static str {
    let interpolation = match track {
        Track::Translation(curve) | Track::Scale(curve) => curve.interpolation(),
        Track::Rotation(curve) => curve.interpolation(),
        Track::Weights(curve) => curve.interpolation(),
    };
    match interpolation {
        Interpolation::Linear => "LINEAR",
        Interpolation::Step => "STEP",
        Interpolation::CubicSpline => "CUBICSPLINE",
    }
}

#[test]
fn animations_move_what_they_should_and_nothing_else() {
    each_model(|case, _| {
        let animations = list(&case.expected()["animations"]);
        for (animation, expected) in animations.iter().enumerate() {
            let mut document = case.load();
            for number in 0..document.scenes().len() {
                let duration = document.animations()[animation].clip().duration();
                let mut playing = player(&document, animation, number);
                for (place, sample) in list(&expected["samples"]).iter().enumerate() {
                    let seconds = (f64::from(duration) * place as f64 / 4.0) as f32;
                    let what = format!("animation {animation} sample {place}");
                    let t = number_of(sample, "t");
                    case.near(format_args!("{what} time"), &[f64::from(seconds)], &[t]);
                    pose(tree_mut(&mut document, number), &mut playing, seconds);
                    compare_sample(case, &document, expected, sample, &what);
                }
            }
        }
    });
}

fn compare_sample(
    case: &mut Case<'_>,
    document: &Document,
    animation: &Value,
    sample: &Value,
    what: &str,
) {
    let moving = indices(&animation["moving"]);
    for (number, file, node, expected) in each_node(document, case.expected()) {
        if number >= document.scenes().len() {
            continue;
        }
        let scene = tree(document, number);
        let moved = moving.iter().position(|&it| it == file).map(|it| &sample["world"][it]);
        let world = case.up.matrix(moved.unwrap_or(&expected["world"]));
        let got = scene.graph.node(node).unwrap().world();
        case.matrix(format_args!("{what} tree {number} node {file} world"), got, world);
        let weights = &sample["weights"][file.to_string()];
        let weights = if weights.is_null() { &expected["weights"] } else { weights };
        let got = scene.weights.get(&scene.graph, node).into_iter().flatten();
        let got: Vec<f64> = got.map(|&weight| f64::from(weight)).collect();
        let what = format_args!("{what} tree {number} node {file} weights");
        case.near(what, &got, &numbers(weights));
    }
}

#[test]
fn a_layer_that_leaves_brings_every_node_to_rest() {
    each_model(|case, mut document| {
        for animation in 0..document.animations().len() {
            for number in 0..document.scenes().len() {
                let duration = document.animations()[animation].clip().duration();
                let mut playing = player(&document, animation, number);
                let scene = tree_mut(&mut document, number);
                pose(scene, &mut playing, duration * 0.5);
                let (mut mixer, layer) = playing;
                mixer.remove(layer);
                mixer.sample();
                scene.write_pose(&mut mixer);
                scene.update().unwrap();
            }
        }
        for (number, file, node, expected) in each_node(&document, case.expected()) {
            let got = tree(&document, number).graph.node(node).unwrap().world();
            let world = case.up.matrix(&expected["world"]);
            case.matrix(format_args!("tree {number} node {file} world"), got, world);
        }
    });
}

#[test]
fn every_posed_vertex_is_inside_its_nodes_bounds_at_twenty_times_of_every_animation() {
    each_model(|case, _| {
        for animation in 0..list(&case.expected()["animations"]).len() {
            let mut document = case.load();
            for number in 0..document.scenes().len() {
                let duration = document.animations()[animation].clip().duration();
                let mut playing = player(&document, animation, number);
                let scene = tree_mut(&mut document, number);
                for moment in 0..20 {
                    let seconds = duration * moment as f32 / 19.0;
                    pose(scene, &mut playing, seconds);
                    let what = format!("animation {animation} at {seconds} s, scene {number}");
                    compare_poses(case, scene, &what);
                }
            }
        }
    });
}

/// What rounding takes from a box that is turned in f32.
const ROUNDING: f64 = 1e-6;

fn compare_poses(case: &mut Case<'_>, scene: &Scene, what: &str) {
    for (node, _) in scene.meshes.iter(&scene.graph).filter(|&(node, _)| !is_plain(scene, node)) {
        let Some(own) = scene.spatial.world_bounds(node).map(Bounds::from) else {
            case.that(false, format_args!("{what} {node:?}"), "no bounds", "bounds");
            continue;
        };
        let posed = Bounds::of(posed_points(scene, node));
        // Boxes of skins are made large enough for all rounding.
        let is_skinned = scene.skin(node).is_some();
        let size = posed.min.abs().max(posed.max.abs()).max_element().max(1.0);
        let slack = DVec3::splat(if is_skinned { 0.0 } else { ROUNDING * size });
        let is_in =
            (own.min - slack).cmple(posed.min).all() && (own.max + slack).cmpge(posed.max).all();
        case.that(is_in, format_args!("{what} {node:?}"), own, posed);
    }
}

// ---- questions ----

#[test]
fn what_a_view_does_not_see_is_culled_and_nothing_else() {
    each_model(|case, mut document| {
        let mesh_nodes = list(&case.expected()["mesh_nodes"]);
        for (number, expected) in list(&case.expected()["scenes"]).iter().enumerate() {
            for view in list(&expected["cull"]) {
                let what = format!("scene {number} seen {}", view["what"]);
                let matrix = (matrix(&view["view_proj"]) * case.up.turn().inverse()).as_mat4();
                let frustum = Frustum::from_view_projection(&matrix, ClipSpace::NegOneToOne);
                let frustum = frustum.unwrap();
                let visible = seen(&mut document.scenes_mut()[number], matrix);
                let scene = &document.scenes()[number];
                let (inside, unsure) = (indices(&view["inside"]), indices(&view["unsure"]));
                for mesh_node in mesh_nodes {
                    let file = index(&mesh_node["node"]).unwrap();
                    let Some(node) = document.node(number, file) else { continue };
                    if unsure.contains(&file) {
                        continue;
                    }
                    let is_inside = inside.contains(&file);
                    let loose = case.up.bounds(&mesh_node["loose"]).aabb();
                    let what = format!("{what}: node {file}");
                    case.equal(format_args!("{what} loose"), frustum.intersects(&loose), is_inside);
                    let got = visible.contains(node);
                    if !scene.graph.node(node).unwrap().is_shown() {
                        case.equal(format_args!("{what}, which is hidden"), got, false);
                    } else if is_plain(scene, node) {
                        case.equal(format_args!("{what} in view"), got, is_inside);
                    } else if !got {
                        let posed = case.up.bounds(&mesh_node["posed"]).aabb();
                        let in_view = frustum.intersects(&posed);
                        case.equal(format_args!("{what} posed, but culled"), in_view, false);
                    }
                }
            }
        }
    });
}

/// What a camera with this matrix from world to clip space sees.
fn seen(scene: &mut Scene, matrix: Mat4) -> Visible {
    let camera = Camera::custom(matrix, ClipSpace::NegOneToOne);
    let camera = scene.spawn(Node::camera(camera)).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, (1, 1), &mut visible).unwrap();
    scene.remove(camera).unwrap();
    scene.update().unwrap();
    visible
}

#[test]
fn rays_meet_the_expected_triangles_at_rest_and_in_motion() {
    each_model(|case, document| {
        let mut document = document;
        for (number, expected) in list(&case.expected()["scenes"]).iter().enumerate() {
            let mut playing = None;
            for (place, grid) in list(&expected["rays"]).iter().enumerate() {
                let grid_pose = &grid["pose"];
                if let Some(animation) = index(&grid_pose["animation"]) {
                    let duration = document.animations()[animation].clip().duration();
                    let seconds = moment(&grid_pose["t"], duration);
                    let playing =
                        playing.get_or_insert_with(|| player(&document, animation, number));
                    pose(tree_mut(&mut document, number), playing, seconds);
                }
                cast_grid(case, &mut document, number, place, grid);
            }
        }
    });
}

/// Distance only: another triangle is as near.
const TIE: u64 = 1;
/// Any answer: the ray passes an edge.
const EDGE: u64 = 2;

fn cast_grid(
    case: &mut Case<'_>,
    document: &mut Document,
    scene: usize,
    grid: usize,
    expected: &Value,
) {
    let [origin, du, dv, dir] =
        ["origin", "du", "dv", "dir"].map(|name| case.up.vector(&expected[name]));
    let offset = numbers(&case.expected()["ray_offset"]);
    let n = index(&expected["n"]).unwrap();
    let mut hits = list(&expected["hits"]).iter().peekable();
    let whole = &case.expected()["scenes"][scene]["aabb"]["posed"];
    let diagonal = if whole.is_null() { 0.0 } else { case.up.bounds(whole).diagonal() };
    for k in 0..n * n {
        let (i, j) = ((k % n) as f64 + offset[0], (k / n) as f64 + offset[1]);
        let ray = Ray::new((origin + i * du + j * dv).as_vec3(), dir.as_vec3()).unwrap();
        let tree = tree_mut(document, scene);
        let got = tree.pick(&ray, &Filter::default().with_hidden());
        let what = format_args!("scene {scene} grid {grid} ray {k}");
        let Some(hit) = hits.next_if(|hit| index(&hit[0]) == Some(k)) else {
            case.that(got.is_none(), what, got, "a miss");
            continue;
        };
        if hit[7].as_u64().unwrap() & EDGE == 0 {
            let file = got.and_then(|got| document.index_of(scene, got.node));
            let is_right = got.is_some_and(|got| is_hit(case, &got, file, hit, diagonal));
            let file = file.map(|file| format!("node {file}"));
            case.that(is_right, what, (file, got), hit.to_string());
        }
    }
    case.equal(format_args!("scene {scene} grid {grid} rays left over"), hits.count(), 0);
}

/// Is a hit the expected one: `[k, distance, node, primitive, face, instance, front, flags]`?
fn is_hit(
    case: &Case<'_>,
    got: &Hit,
    file: Option<usize>,
    expected: &Value,
    diagonal: f64,
) -> bool {
    let distance = number(&expected[1]);
    let allowed = case.tolerance().max(1e-4) * distance.max(1.0).max(diagonal);
    if (f64::from(got.distance) - distance).abs() > allowed {
        return false;
    }
    let [node, primitive, face, instance] = [2, 3, 4, 5].map(|place| index(&expected[place]));
    let same = (file, got.front) == (node, expected[6] == 1)
        && [Some(got.part), Some(got.triangle), got.instance].map(|it| it.map(|it| it as usize))
            == [primitive, face, instance];
    same || expected[7].as_u64().unwrap() & TIE != 0
}

// ---- cameras and lights ----

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
fn lights_have_the_expected_kinds_places_and_directions() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["lights"]).iter().enumerate() {
            let what = format!("light {number}");
            let light = document.lights()[number];
            let (kind, range, angles) = match light.kind {
                LightKind::Directional { .. } => ("directional", None, [None, None]),
                LightKind::Point { range, .. } => ("point", range, [None, None]),
                LightKind::Spot { range, inner_angle, outer_angle, .. } => {
                    ("spot", range, [Some(inner_angle), Some(outer_angle)])
                }
                LightKind::Ambient => ("ambient", None, [None, None]),
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
