//! Animations match the file, move the expected nodes, and return them to the rest pose.

use pleach::animation::{Channel, Clip, Interpolation, Track};
use pleach_gltf::Document;
use serde_json::Value;

use super::case::{Case, each_model, tree, tree_mut};
use super::document_queries::{each_node, player, pose};
use super::values::{indices, list, number_of, numbers};

/// Returns the duration of a clip without visibility, which the expected values leave out.
fn duration_of_channels(clip: &Clip) -> f32 {
    let last = |channel: &Channel| channel.track().times().last().copied().unwrap_or(0.0);
    clip.channels().iter().map(last).fold(0.0, f32::max)
}

#[test]
fn animations_have_their_names_durations_channels_and_interpolations() {
    each_model(|case, document| {
        for (number, expected) in list(&case.expected()["animations"]).iter().enumerate() {
            let animation = &document.animations()[number];
            let clip = animation.clip();
            let what = format!("animation {number}");
            let name = expected["name"].as_str().unwrap_or_default();
            case.equal(format_args!("{what} name"), clip.name(), name);
            let duration = [f64::from(duration_of_channels(clip))];
            case.near(
                format_args!("{what} duration"),
                &duration,
                &[number_of(expected, "duration")],
            );
            // Supported channels of KHR_animation_pointer would be included.
            let channels = number_of(expected, "channels") as usize;
            case.equal(format_args!("{what} channels"), clip.channels().len(), channels);
            let ignored = number_of(expected, "ignored_channels") as usize;
            let shown = animation.visibility_target_count();
            case.check(shown <= ignored, format_args!("{what} pointers"), shown, ignored);
            let mut names: Vec<_> = clip.channels().iter().map(|it| name_of(it.track())).collect();
            names.sort_unstable();
            names.dedup();
            let expected: Vec<_> =
                list(&expected["interpolations"]).iter().filter_map(Value::as_str).collect();
            case.equal(format_args!("{what} interpolations"), names, expected);
        }
    });
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
fn animations_move_the_expected_nodes_only() {
    each_model(|case, _| {
        let animations = list(&case.expected()["animations"]);
        for (animation, expected) in animations.iter().enumerate() {
            let mut document = case.load();
            for number in 0..document.scenes().len() {
                let duration = duration_of_channels(document.animations()[animation].clip());
                let mut playing = player(&document, animation, number);
                for (step, sample) in list(&expected["samples"]).iter().enumerate() {
                    let seconds = (f64::from(duration) * step as f64 / 4.0) as f32;
                    let what = format!("animation {animation} sample {step}");
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
fn removing_a_layer_returns_every_node_to_its_rest_pose() {
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
