//! Culling by views, and picking by rays.

use glam::Mat4;
use pleach::{Camera, ClipSpace, Filter, Frustum, Hit, Node, Ray, Scene, Visible};
use pleach_gltf::Document;
use serde_json::Value;

use super::case::{Case, each_model, tree_mut};
use super::document_queries::{is_plain, moment, player, pose};
use super::values::{index, indices, list, matrix, number, numbers};

#[test]
fn only_meshes_outside_of_the_view_are_culled() {
    each_model(|case, mut document| {
        let mesh_nodes = list(&case.expected()["mesh_nodes"]);
        for (number, expected) in list(&case.expected()["scenes"]).iter().enumerate() {
            for view in list(&expected["cull"]) {
                let what = format!("scene {number} seen {}", view["what"]);
                let matrix =
                    (matrix(&view["view_proj"]) * case.up.up_rotation().inverse()).as_mat4();
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

/// Returns the nodes that are visible to a camera with this view-projection matrix.
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
fn rays_hit_the_expected_triangles_at_rest_and_in_motion() {
    each_model(|case, document| {
        let mut document = document;
        for (number, expected) in list(&case.expected()["scenes"]).iter().enumerate() {
            let mut playing = None;
            for (grid_index, grid) in list(&expected["rays"]).iter().enumerate() {
                let grid_pose = &grid["pose"];
                if let Some(animation) = index(&grid_pose["animation"]) {
                    let duration = document.animations()[animation].clip().duration();
                    let seconds = moment(&grid_pose["t"], duration);
                    let playing =
                        playing.get_or_insert_with(|| player(&document, animation, number));
                    pose(tree_mut(&mut document, number), playing, seconds);
                }
                cast_grid(case, &mut document, number, grid_index, grid);
            }
        }
    });
}

/// The flag of a hit with another triangle at the same distance: only the distance is compared.
const TIE: u64 = 1;

/// The flag of a ray that passes an edge: any result is accepted.
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
            case.check(got.is_none(), what, got, "a miss");
            continue;
        };
        if hit[7].as_u64().unwrap() & EDGE == 0 {
            let file = got.and_then(|got| document.index_of(scene, got.node));
            let is_correct = got.is_some_and(|got| is_hit(case, &got, file, hit, diagonal));
            let file = file.map(|file| format!("node {file}"));
            case.check(is_correct, what, (file, got), hit.to_string());
        }
    }
    case.equal(format_args!("scene {scene} grid {grid} rays left over"), hits.count(), 0);
}

/// Returns `true` if a hit is `[k, distance, node, primitive, face, instance, front, flags]`.
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
    let [node, primitive, face, instance] = [2, 3, 4, 5].map(|member| index(&expected[member]));
    let same = (file, got.front) == (node, expected[6] == 1)
        && [Some(got.part), Some(got.triangle), got.instance].map(|it| it.map(|it| it as usize))
            == [primitive, face, instance];
    same || expected[7].as_u64().unwrap() & TIE != 0
}
