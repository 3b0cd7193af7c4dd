//! `Instances`: culling and picking of individual instances.

use crate::common::RandomShapes;
use crate::common::meshes::{self, Mesh, assert_first_of_each_node, down, square};
use crate::common::plain_ray::{Crossing, MARGIN};
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::{Mat4, Quat, Vec3};
use pleach_spatial::{
    Aabb, ClipSpace, Error, Filter, Frustum, Hit, Instances, Plane, Ray, Shape, SpatialIndex,
    TriangleMesh,
};
use testkit::{Rng, sized};

const UNIT: Aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);

fn at(x: f32, y: f32, z: f32) -> Mat4 {
    Mat4::from_translation(Vec3::new(x, y, z))
}

/// Returns a rotated, non-uniformly scaled, sheared, mirrored, tiny or singular matrix.
fn any_matrix(random: &mut Rng) -> Mat4 {
    let translation = random.vec3(10.0);
    match random.below(6) {
        0 => random.invertible(10.0),
        1 => at(translation.x, translation.y, translation.z) * Mat4::from_scale(Vec3::splat(1e-3)),
        2 => {
            at(translation.x, translation.y, translation.z)
                * Mat4::from_scale(Vec3::new(-1.0, 2.0, 0.0))
        }
        3 => Mat4::from_scale_rotation_translation(random.scale(), Quat::IDENTITY, translation),
        4 => Mat4::IDENTITY,
        _ => Mat4::from_scale_rotation_translation(random.scale(), random.rotation(), translation),
    }
}

fn cull(instances: &Instances, frustum: &Frustum) -> Vec<u32> {
    let mut visible = vec![77];
    instances.cull(frustum, &mut visible);
    visible
}

/// Asserts that culling, boxes and bounds match those of each instance.
#[track_caller]
fn assert_matches_brute_force(
    instances: &Instances,
    geometry: Aabb,
    matrices: &[Mat4],
    random: &mut Rng,
) {
    assert_eq!(instances.check(), []);
    assert_eq!(instances.matrices(), matrices);
    assert_eq!((instances.len(), instances.is_empty()), (matrices.len(), matrices.is_empty()));
    let boxes: Vec<Aabb> = matrices.iter().map(|it| geometry.transformed(it)).collect();
    for (instance, aabb) in boxes.iter().enumerate() {
        assert_eq!(instances.bounds_of(instance), Some(*aabb).filter(|it| !it.is_empty()));
    }
    assert_eq!(instances.bounds_of(boxes.len()), None);
    let all = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
    assert_eq!(instances.bounds(), all);
    for _ in 0..sized(10, 2) {
        let frustum = random.frustum(12.0);
        let expected = boxes.iter().enumerate().filter(|(_, aabb)| frustum.intersects(aabb));
        let expected: Vec<u32> = expected.map(|(instance, _)| instance as u32).collect();
        assert_eq!(cull(instances, &frustum), expected, "{frustum:?}");
    }
}

#[test]
fn culling_matches_testing_every_instance() {
    let mut random = Rng::new(1);
    for count in [0, 1, 2, 8, 9, 64, 65, 300] {
        let count = sized(count, count.min(9));
        let geometry = random.typical_box();
        let matrices: Vec<Mat4> = (0..count).map(|_| any_matrix(&mut random)).collect();
        let instances = Instances::new(geometry, matrices.clone()).unwrap();
        assert_matches_brute_force(&instances, geometry, &matrices, &mut random);
    }
}

#[test]
fn set_moves_one_instance_only() {
    let mut random = Rng::new(2);
    let geometry = random.typical_box();
    let count = sized(150, 9);
    let mut matrices: Vec<Mat4> = (0..count).map(|_| any_matrix(&mut random)).collect();
    let mut instances = Instances::new(geometry, matrices.clone()).unwrap();
    for step in 0..sized(600, 20) {
        let instance = random.below(count);
        // Mostly by a little, sometimes to anywhere.
        matrices[instance] = if random.one_in(3) {
            any_matrix(&mut random)
        } else {
            Mat4::from_translation(random.vec3(0.2)) * matrices[instance]
        };
        assert_eq!(instances.set(instance, matrices[instance]), Ok(true));
        if step % 20 == 0 {
            assert_matches_brute_force(&instances, geometry, &matrices, &mut random);
        }
    }
    assert_matches_brute_force(&instances, geometry, &matrices, &mut random);
    // There is no such instance.
    assert_eq!(instances.set(count, Mat4::IDENTITY), Ok(false));
    assert_eq!(instances.set(usize::MAX, Mat4::IDENTITY), Ok(false));
    assert_matches_brute_force(&instances, geometry, &matrices, &mut random);
}

#[test]
fn matrices_that_are_not_finite_or_not_affine_are_errors() {
    let mut bad = vec![
        Mat4::from_translation(Vec3::new(f32::NAN, 0.0, 0.0)),
        Mat4::from_scale(Vec3::new(1.0, f32::INFINITY, 1.0)),
    ];
    for column in 0..4 {
        let mut matrix = Mat4::IDENTITY;
        matrix.col_mut(column).w += 0.5;
        bad.push(matrix);
    }
    for matrix in bad {
        let error = Instances::new(UNIT, vec![Mat4::IDENTITY, matrix]).unwrap_err();
        assert_eq!(error, Error::InstanceNotFinite { instance: 1 });
        assert_eq!(
            error.to_string(),
            "the matrix of instance 1 must be finite and affine (last row 0 0 0 1)",
        );
        let mut instances = Instances::new(UNIT, vec![Mat4::IDENTITY; 3]).unwrap();
        assert_eq!(instances.set(2, matrix), Err(Error::InstanceNotFinite { instance: 2 }));
        assert_eq!(instances.matrices(), [Mat4::IDENTITY; 3]);
        assert_eq!(instances.bounds(), UNIT);
    }
}

#[test]
fn instances_of_an_empty_geometry_are_never_in_view() {
    let everywhere = Frustum::from_planes([Plane::AT_INFINITY; 6]).unwrap();
    for geometry in [Aabb::EMPTY, Aabb::new(Vec3::NAN, Vec3::ONE)] {
        let mut instances = Instances::new(geometry, vec![Mat4::IDENTITY; 3]).unwrap();
        assert_eq!(instances.set(1, at(1.0, 2.0, 3.0)), Ok(true));
        assert_eq!(instances.len(), 3);
        assert_eq!((instances.bounds(), instances.bounds_of(1)), (Aabb::EMPTY, None));
        assert_eq!(cull(&instances, &everywhere), []);
    }
    let none = Instances::new(UNIT, vec![]).unwrap();
    assert!(none.is_empty());
    assert_eq!((none.bounds(), cull(&none, &everywhere)), (Aabb::EMPTY, vec![]));
    let many = Instances::new(UNIT, vec![Mat4::IDENTITY; 100]).unwrap();
    assert!(cull(&many, &everywhere).into_iter().eq(0..100));
}

/// The frustum and all boxes are in the node's space.
#[test]
fn a_frustum_in_the_nodes_space_finds_the_instances_in_view() {
    let mut random = Rng::new(3);
    let matrices: Vec<Mat4> = (0..sized(100, 5)).map(|_| any_matrix(&mut random)).collect();
    let instances = Instances::new(UNIT, matrices.clone()).unwrap();
    let (mut in_view, mut culled) = (0, 0);
    for _ in 0..sized(40, 3) {
        let camera = random.camera(20.0);
        let rotation = random.rotation();
        let world = Mat4::from_scale_rotation_translation(Vec3::splat(1.5), rotation, Vec3::ONE);
        let local = Frustum::from_view_projection(&(camera * world), ClipSpace::ZeroToOne).unwrap();
        let world_space = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne).unwrap();
        let visible = cull(&instances, &local);
        for (instance, matrix) in matrices.iter().enumerate() {
            // A point in view is never culled.
            let center = (world * *matrix).transform_point3(Vec3::ZERO);
            if world_space.planes().iter().all(|plane| plane.distance(center) > 1e-3) {
                assert!(visible.contains(&(instance as u32)), "{instance} is in view");
                in_view += 1;
            }
        }
        culled += matrices.len() - visible.len();
    }
    assert!((in_view > 50 && culled > 1000) || cfg!(miri), "{in_view} {culled}");
}

// ---- picking ----------------------------------------------------------------

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    mesh: Mesh,
    geometry: TriangleMesh,
    /// By slot.
    instances: Vec<Option<Instances>>,
}

impl Scene {
    fn new(mesh: Mesh) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let geometry = TriangleMesh::new(mesh.positions.clone(), mesh.indices.clone()).unwrap();
        Self { graph, index, mesh, geometry, instances: Vec::new() }
    }

    fn add(&mut self, transform: Transform, matrices: Option<Vec<Mat4>>) -> NodeId {
        let node = self.graph.add_root(transform).unwrap();
        let bounds = self.geometry.bounds();
        let instances = matrices.map(|matrices| Instances::new(bounds, matrices).unwrap());
        let local = instances.as_ref().map_or(bounds, Instances::bounds);
        self.index.set_bounds(&self.graph, node, local).unwrap();
        self.instances.push(instances);
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
        node
    }

    fn shape(&self, node: NodeId) -> Option<Shape<'_>> {
        let triangles = self.geometry.tree();
        Some(match &self.instances[node.index()] {
            Some(instances) => Shape::instanced(triangles, instances),
            None => Shape::new(triangles),
        })
    }

    fn pick(&self, ray: &Ray) -> Option<Hit> {
        self.index.pick(&self.graph, ray, &Filter::default(), |node| self.shape(node))
    }

    fn pick_all(&self, ray: &Ray) -> Vec<Hit> {
        let mut hits = Vec::new();
        let filter = Filter::default();
        self.index.pick_all(&self.graph, ray, &filter, |node| self.shape(node), &mut hits);
        assert_first_of_each_node(&hits, |nodes| {
            self.index.pick_nodes(&self.graph, ray, &filter, |node| self.shape(node), nodes);
        });
        hits
    }

    /// Compares with every triangle of every instance. Returns the number of hits.
    #[track_caller]
    fn compare(&self, ray: &Ray) -> usize {
        let all = self.pick_all(ray);
        let mut hit_count = 0;
        for node in self.graph.roots() {
            let world = self.graph.node(node).unwrap().world().as_dmat4();
            let instances: Vec<(Option<u32>, Mat4)> = match &self.instances[node.index()] {
                None => vec![(None, Mat4::IDENTITY)],
                Some(it) => (0..).map(Some).zip(it.matrices().iter().copied()).collect(),
            };
            for (instance, matrix) in instances {
                let matrix = world * matrix.as_dmat4();
                for (number, corners) in self.mesh.triangles().enumerate() {
                    let corners = corners.map(|at| matrix.transform_point3(at.as_dvec3()));
                    let key = (node, instance, number as u32);
                    let is_same = |hit: &&Hit| (hit.node, hit.instance, hit.triangle) == key;
                    let hits: Vec<&Hit> = all.iter().filter(is_same).collect();
                    let Some(crossing) = Crossing::new(ray, corners) else {
                        assert!(hits.is_empty(), "{hits:?} is edge-on to {ray:?}");
                        continue;
                    };
                    if crossing.clear {
                        let expected = usize::from(crossing.is_hit(ray, 0.0));
                        assert_eq!(hits.len(), expected, "{key:?} by {ray:?}: {crossing:?}");
                    }
                    for hit in hits {
                        assert!(crossing.is_hit(ray, MARGIN), "{hit:?} by {ray:?}");
                        let mirrored = matrix.determinant() < 0.0;
                        assert_eq!(hit.front, crossing.counter_clockwise != mirrored, "{hit:?}");
                        assert_eq!(hit.front, hit.normal.dot(ray.direction()) < 0.0, "{hit:?}");
                        let weights = hit.barycentrics.as_dvec3();
                        let [a, b, c] = corners;
                        let on = a * weights.x + b * weights.y + c * weights.z;
                        assert!(
                            (hit.point.as_dvec3() - on).length() < 1e-4,
                            "{hit:?} is not at {on}"
                        );
                        hit_count += 1;
                    }
                }
            }
        }
        assert_eq!(hit_count, all.len());
        assert!(all.is_sorted_by(|a, b| a.distance <= b.distance));
        assert_eq!(self.pick(ray), all.first().copied());
        hit_count
    }
}

#[test]
fn picking_instances_matches_testing_every_triangle() {
    let mut random = Rng::new(4);
    let mut hit_count = 0;
    for _ in 0..sized(6, 1) {
        let mut scene = Scene::new(meshes::sphere(sized(1, 0)));
        for count in [sized(30, 3), 0, 1, sized(10, 2)] {
            // Not singular: such instances are never hit.
            let matrices = (0..count).map(|_| random.invertible(6.0)).collect();
            scene.add(random.transform(4.0), (count > 0).then_some(matrices));
        }
        for _ in 0..sized(40, 3) {
            let ray = match random.one_in(2) {
                true => random.ray(8.0),
                false => Ray::between(random.vec3(12.0), random.vec3(3.0))
                    .unwrap()
                    .with_max_distance(99.0),
            };
            hit_count += scene.compare(&ray);
        }
        // After an instance has moved, and the node's bounds with it.
        let instances = scene.instances[0].as_mut().unwrap();
        instances.set(1, Mat4::from_translation(Vec3::new(20.0, 0.0, 0.0))).unwrap();
        let bounds = instances.bounds();
        let node = scene.graph.roots().next().unwrap();
        scene.index.set_bounds(&scene.graph, node, bounds).unwrap();
        scene.index.sync(&scene.graph).unwrap();
        let center = scene.graph.node(node).unwrap().world().transform_point3(Vec3::X * 20.0);
        let ray = Ray::new(center + Vec3::new(0.01, 0.02, 40.0), Vec3::NEG_Z).unwrap();
        assert!(scene.compare(&ray) >= 2);
        let hits = scene.pick_all(&ray);
        assert!(hits.iter().any(|hit| (hit.node, hit.instance) == (node, Some(1))));
    }
    assert!(hit_count > 300 || cfg!(miri), "{hit_count} hits");
}

#[test]
fn ties_between_instances_go_to_the_smallest_index() {
    let mut scene = Scene::new(square());
    let instances: Vec<Mat4> = [8.0, 0.0, 0.0, 3.0, 0.0].map(|x| at(x, 0.0, 0.0)).to_vec();
    let first = scene.add(Transform::IDENTITY, Some(instances.clone()));
    let second = scene.add(Transform::IDENTITY, Some(instances));
    let hit = scene.pick(&down(0.75, 0.25)).unwrap();
    assert_eq!((hit.node, hit.instance, hit.triangle), (first, Some(1), 0));
    // On the common edge of both triangles of each instance.
    let all = scene.pick_all(&down(0.5, 0.5));
    let mut expected = Vec::new();
    for node in [first, second] {
        for instance in [1, 2, 4] {
            expected.extend([0, 1].map(|triangle| (node, Some(instance), triangle)));
        }
    }
    assert!(all.iter().map(|hit| (hit.node, hit.instance, hit.triangle)).eq(expected));
    // A nearer instance with a larger index still comes first.
    scene.instances[second.index()].as_mut().unwrap().set(4, at(0.0, 0.0, 1.0)).unwrap();
    let bounds = scene.instances[second.index()].as_ref().unwrap().bounds();
    scene.index.set_bounds(&scene.graph, second, bounds).unwrap();
    scene.index.sync(&scene.graph).unwrap();
    let hit = scene.pick(&down(0.75, 0.25)).unwrap();
    assert_eq!((hit.node, hit.instance, hit.distance), (second, Some(4), 4.0));
    assert_eq!(hit.point, Vec3::new(0.75, 0.25, 1.0));
}

#[test]
fn instances_with_a_singular_transform_are_never_hit() {
    let mut scene = Scene::new(square());
    let flat = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0));
    let node = scene.add(Transform::IDENTITY, Some(vec![flat, at(0.0, 0.0, -1.0)]));
    scene.add(Transform::from_scale(Vec3::new(1.0, 1.0, 0.0)), Some(vec![Mat4::IDENTITY]));
    let hits = scene.pick_all(&down(0.75, 0.25));
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].node, hits[0].instance), (node, Some(1)));
    assert_eq!(scene.pick(&down(0.75, 0.25)), Some(hits[0]));
}

/// Mirroring twice is not mirroring.
#[test]
fn the_front_side_depends_on_node_and_instance_together() {
    let mirror = Vec3::new(-1.0, 1.0, 1.0);
    for (node, instance) in [(Vec3::ONE, mirror), (mirror, Vec3::ONE), (mirror, mirror)] {
        let mut scene = Scene::new(meshes::cube());
        scene.add(Transform::from_scale(node), Some(vec![Mat4::from_scale(instance)]));
        let hits = scene.pick_all(&down(0.3, 0.2));
        assert_eq!(hits.len(), 2);
        assert!(hits[0].front && hits[0].normal == Vec3::Z);
        assert!(!hits[1].front && hits[1].normal == Vec3::NEG_Z);
    }
}

#[test]
fn from_arrays_gives_the_same_instances_as_matrices() {
    let geometry = Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5));
    let translations = [Vec3::X, Vec3::Y * 3.0];
    let scales = [Vec3::splat(2.0), Vec3::ONE];
    let instances = Instances::from_arrays(geometry, &translations, &[], &scales).unwrap();
    assert_eq!(
        instances.bounds_of(0),
        Some(Aabb::new(Vec3::new(0.0, -1.0, -1.0), Vec3::new(2.0, 1.0, 1.0)))
    );
    assert_eq!(instances.bounds_of(1).unwrap().max.y, 3.5);
    let error = Instances::from_arrays(geometry, &translations, &[], &scales[..1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "instances have 2 translations, 0 rotations and 1 scales; the numbers must be equal or zero",
    );
}
