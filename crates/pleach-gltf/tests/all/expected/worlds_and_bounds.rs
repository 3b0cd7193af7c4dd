//! World matrices, bounds, joint matrices, and posed vertices within bounds.

use glam::DVec3;
use pleach::Scene;
use pleach_gltf::Document;

use super::case::{Case, each_model, tree, tree_mut};
use super::document_queries::{
    each_node, is_plain, loose_bounds, plain_points, player, pose, posed_points, trees,
};
use super::values::{Bounds, index, list};

#[test]
fn world_matrices_are_those_of_the_file_with_the_up_axis_rotation() {
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
fn bounds_of_nodes_and_scenes_are_those_of_their_vertices() {
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
                for kind in 0..3 {
                    let aabb = case.up.bounds(&expected[names[kind]]);
                    case.bounds(format_args!("{what} {}", names[kind]), got[kind], aabb);
                    all[kind] = all[kind].union(aabb);
                }
                let Some(own) = scene.spatial.world_bounds(node) else {
                    case.check(false, format_args!("{what} in the index"), "none", "bounds");
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
            for kind in 0..3 {
                let whole = case.up.bounds(&aabb[names[kind]]);
                case.bounds(format_args!("scene {number} {}", names[kind]), all[kind], whole);
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
fn skins_have_the_expected_joint_matrices_at_rest_and_at_half_time() {
    each_model(|case, document| {
        compare_joint_matrices(case, &document, "joint_matrices");
        let animations = list(&case.expected()["animations"]);
        let moving = animations.iter().position(|it| !list(&it["moving"]).is_empty());
        let Some(animation) = moving else { return };
        let mut document = document;
        for number in 0..document.scenes().len() {
            let half = document.animations()[animation].clip().duration() * 0.5;
            let mut playing = player(&document, animation, number);
            pose(tree_mut(&mut document, number), &mut playing, half);
        }
        compare_joint_matrices(case, &document, "joint_matrices_half");
    });
}

fn compare_joint_matrices(case: &mut Case<'_>, document: &Document, which: &str) {
    for (number, file, node, expected) in each_node(document, case.expected()) {
        let Some(skin) = index(&expected["skin"]) else { continue };
        let matrices = list(&case.expected()["skins"][skin][which]);
        let joint_matrices = tree(document, number).joint_matrices().get(node).unwrap_or_default();
        let what = format!("tree {number} node {file} skin {skin} {which}");
        if !matrices.is_empty() {
            case.equal(format_args!("{what}, how many"), joint_matrices.len(), matrices.len());
        }
        for (joint, (got, expected)) in joint_matrices.iter().zip(matrices).enumerate() {
            case.matrix(format_args!("{what} {joint}"), *got, case.up.matrix(expected));
        }
    }
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

/// The relative rounding error of a box that is transformed in f32.
const ROUNDING: f64 = 1e-6;

fn compare_poses(case: &mut Case<'_>, scene: &Scene, what: &str) {
    for (node, _) in scene.meshes.iter(&scene.graph).filter(|&(node, _)| !is_plain(scene, node)) {
        let Some(own) = scene.spatial.world_bounds(node).map(Bounds::from) else {
            case.check(false, format_args!("{what} {node:?}"), "no bounds", "bounds");
            continue;
        };
        let posed = Bounds::of(posed_points(scene, node));
        // The bounds of skins include all rounding errors.
        let is_skinned = scene.skin(node).is_some();
        let size = posed.min.abs().max(posed.max.abs()).max_element().max(1.0);
        let slack = DVec3::splat(if is_skinned { 0.0 } else { ROUNDING * size });
        let is_in =
            (own.min - slack).cmple(posed.min).all() && (own.max + slack).cmpge(posed.max).all();
        case.check(is_in, format_args!("{what} {node:?}"), own, posed);
    }
}
