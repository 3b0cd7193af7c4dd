//! The expected list: a brute-force traversal that tests each node separately.

use std::collections::BTreeMap;

use pleach::glam::{DMat4, DVec4, Vec3};
use pleach::{Aabb, AlphaMode, ClipSpace, Draw, Lod, NodeId, RenderList, Scene, View};

use super::setup::draws;

/// Returns `true` if a node is below the scene root and visible with all its ancestors.
pub(crate) fn is_visible_in_scene(scene: &Scene, node: NodeId) -> bool {
    let parent = scene.graph.node(node).unwrap().parent();
    scene.graph.node(node).unwrap().is_visible()
        && parent.map_or(node == scene.root(), |parent| is_visible_in_scene(scene, parent))
}

/// Returns the world bounds of a mesh.
pub(crate) fn world_aabb(scene: &Scene, node: NodeId) -> Aabb {
    if scene.skin(node).is_some() {
        return scene.spatial.world_bounds(node).unwrap();
    }
    let mesh = scene.mesh(node).unwrap();
    let boxes = mesh.parts.iter().map(|part| part.geometry.get().bounds());
    let local_bounds = match &mesh.instances {
        Some(instances) => instances.bounds(),
        None => boxes.fold(Aabb::EMPTY, |all, part| all.union(&part)),
    };
    local_bounds.transformed(&scene.graph.node(node).unwrap().world())
}

/// Returns the `Lod` that a node is a level of, and the index of the level.
pub(crate) fn level_of(scene: &Scene, node: NodeId) -> Option<(&Lod, usize)> {
    let mut lods = scene.lods.iter(&scene.graph);
    lods.find_map(|(_, lod)| {
        let number = lod.levels.iter().position(|level| level.node == node)?;
        Some((lod, number))
    })
}

/// Returns `true` if a node is the level for its screen size in a view.
fn is_selected_level(scene: &Scene, view: &View, node: NodeId) -> bool {
    let Some((lod, number)) = level_of(scene, node) else { return true };
    let first = world_aabb(scene, lod.levels[0].node);
    let size = view.screen_size(first.center(), first.half_extents().length());
    let min_size = |number: usize| lod.levels[number].min_screen_size;
    size >= min_size(number) && (0..number).all(|finer| size < min_size(finer))
}

fn is_in_view(scene: &Scene, view: &View, node: NodeId) -> bool {
    let mesh = scene.mesh(node).unwrap();
    is_visible_in_scene(scene, node)
        && mesh.layers & view.layers != 0
        && (!mesh.frustum_culled || view.frustum.intersects(&world_aabb(scene, node)))
        && is_selected_level(scene, view, node)
}

/// Returns the signed distances of a point beyond the sides of a view, in f64: left, right, bottom,
/// top, near, far.
fn distances_beyond(view: &View, point: DVec4) -> [f64; 6] {
    let p = view.view_projection.as_dmat4() * point;
    let (near, far) = match view.clip_space {
        ClipSpace::NegOneToOne => (-p.w - p.z, p.z - p.w),
        ClipSpace::ZeroToOne => (-p.z, p.z - p.w),
        ClipSpace::ZeroToOneReversed => (p.z - p.w, -p.z),
    };
    [-p.w - p.x, p.x - p.w, -p.w - p.y, p.y - p.w, near, far]
}

/// Returns the instances of a mesh that are certainly in view, and those that may be.
pub(crate) fn instances_in_view(scene: &Scene, view: &View, node: NodeId) -> (Vec<u32>, Vec<u32>) {
    let mesh = scene.mesh(node).unwrap();
    let instances = mesh.instances.as_ref().unwrap();
    let world = scene.graph.node(node).unwrap().world().as_dmat4();
    let (mut certain, mut possible) = (Vec::new(), Vec::new());
    for (instance, matrix) in instances.matrices().iter().enumerate() {
        let to_world: DMat4 = world * matrix.as_dmat4();
        let points = mesh.parts.iter().flat_map(|part| part.geometry.get().positions.to_vec());
        let is_inside = |point: Vec3| {
            let sides = distances_beyond(view, to_world * point.as_dvec3().extend(1.0));
            sides.iter().all(|&distance| distance < -1e-4)
        };
        if !mesh.frustum_culled || points.into_iter().any(is_inside) {
            certain.push(instance as u32);
        }
        let corners = instances.bounds_of(instance).unwrap().corners();
        let corners =
            corners.map(|corner| distances_beyond(view, world * corner.as_dvec3().extend(1.0)));
        let is_out = |side: usize| corners.iter().all(|sides| sides[side] > 1e-3);
        if !mesh.frustum_culled || !(0..6).any(is_out) {
            possible.push(instance as u32);
        }
    }
    (certain, possible)
}

/// Compares a list with a brute-force traversal of all nodes.
#[track_caller]
pub(crate) fn assert_list(scene: &Scene, view: &View, list: &RenderList) {
    let mut remaining: BTreeMap<(usize, u32), &Draw> = BTreeMap::new();
    for draw in draws(list) {
        let again = remaining.insert((draw.node.index(), draw.part), draw);
        assert!(again.is_none(), "{draw:?} occurs twice");
    }
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let mut expected = is_in_view(scene, view, node);
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        if let (true, Some(_)) = (expected, &mesh.instances) {
            (certain, possible) = instances_in_view(scene, view, node);
            let is_listed = remaining.contains_key(&(node.index(), 0));
            expected = if possible.is_empty() { false } else { is_listed || !certain.is_empty() };
        }
        for (number, part) in mesh.parts.iter().enumerate() {
            let draw = remaining.remove(&(node.index(), number as u32));
            assert_eq!(draw.is_some(), expected, "part {number} of {node}, {mesh:?}");
            let Some(draw) = draw else { continue };
            assert_eq!(draw.node, node);
            assert_eq!(draw.world as usize, node.index());
            assert_eq!((draw.geometry, draw.material), (part.geometry.id(), part.material.id()));
            let first_matrix = scene.joint_matrices().range(node).map(|range| range.start as u32);
            assert_eq!(draw.joint_matrices, first_matrix);
            let world = scene.graph.node(node).unwrap().world();
            if scene.skin(node).is_none() {
                assert_eq!(draw.flipped, world.as_dmat4().determinant() < 0.0, "{node}");
            }
            assert_eq!(draw.receive_shadow, mesh.receive_shadow);
            assert_eq!(draw.is_static, mesh.is_static);
            assert_eq!(draw.depth, view.depth(world_aabb(scene, node).center()));
            let blend = part.material.get().alpha_mode == AlphaMode::Blend;
            let transparent = mesh.transparent.unwrap_or(blend);
            assert_eq!(list.transparent().contains(draw), transparent, "{draw:?}");
            let instances =
                &list.instances()[draw.instances.start as usize..draw.instances.end as usize];
            if mesh.instances.is_none() {
                assert!(draw.instances.is_empty());
                continue;
            }
            assert!(instances.is_sorted_by(|a, b| a < b), "each once, in order");
            assert!(
                certain.iter().all(|instance| instances.contains(instance)),
                "{instances:?} without {certain:?}"
            );
            assert!(
                instances.iter().all(|instance| possible.contains(instance)),
                "{instances:?}, {possible:?}"
            );
        }
    }
    assert!(remaining.is_empty(), "{remaining:?} are not expected");
    assert_order(list);
}

#[track_caller]
fn assert_order(list: &RenderList) {
    let front_to_back = |a: &Draw, b: &Draw| {
        (a.material, a.geometry, a.flipped) != (b.material, b.geometry, b.flipped)
            || a.depth <= b.depth
    };
    let key = |draw: &Draw| (draw.material, draw.geometry);
    assert!(list.opaque().is_sorted_by(|a, b| key(a) <= key(b) && front_to_back(a, b)));
    assert!(list.transparent().is_sorted_by(|a, b| a.depth >= b.depth));

    let batched: Vec<&Draw> = list.batches().flatten().collect();
    assert!(batched.iter().copied().eq(list.opaque()), "each draw is in one batch, in order");
    let plain = |draw: &Draw| draw.joint_matrices.is_none() && draw.instances.is_empty();
    let same = |a: &Draw, b: &Draw| {
        (a.material, a.geometry, a.flipped) == (b.material, b.geometry, b.flipped)
    };
    for batch in list.batches() {
        let first = &batch[0];
        assert!(batch.len() == 1 || batch.iter().all(|it| plain(it) && same(it, first)));
    }
    let batches: Vec<&[Draw]> = list.batches().collect();
    for pair in batches.windows(2) {
        let (a, b) = (pair[0].last().unwrap(), &pair[1][0]);
        assert!(!(plain(a) && plain(b) && same(a, b)), "these could be one batch");
    }
}
