//! A graph with bounds: sync, culling by scan and tree, rays, picks and proximity.

use glam::Vec3;
use pleach::{Camera, View};
use pleach_graph::{Graph, NodeId};
use pleach_spatial::{
    Aabb, CullMethod, Filter, Instances, Ray, Shape, SpatialIndex, Sphere, TriangleMesh, Visible,
};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;
use crate::random::RandomTransform;

struct Recording {
    graph: Graph,
    index: SpatialIndex,
    nodes: Vec<NodeId>,
    mesh: TriangleMesh,
    instances: Instances,
}

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    let mut random = Rng::new(seed);
    let mut graph = Graph::new();
    kernels.set_graph(&mut graph);
    let mut index = SpatialIndex::new(&mut graph);
    kernels.set_index(&mut index);
    let corners = (0..20).flat_map(|_| {
        let center = random.vec3(1.0);
        [(); 3].map(|()| center + random.vec3(0.4))
    });
    let mesh = TriangleMesh::new(corners.collect(), (0..60).collect()).unwrap();
    let matrices = (0..5).map(|_| random.invertible(3.0)).collect();
    let instances = Instances::new(mesh.bounds(), matrices).unwrap();
    let mut this = Recording { graph, index, nodes: Vec::new(), mesh, instances };
    let mut digest = Digest::new();
    for round in 0..4 {
        this.edit(&mut random, if round == 0 { 90 } else { 8 });
        kernels.update_graph(&mut this.graph);
        this.index.sync(&this.graph).unwrap();
        this.hash(&mut random, &mut digest);
    }
    digest.finish()
}

impl Recording {
    fn edit(&mut self, random: &mut Rng, count: usize) {
        let Self { graph, index, nodes, mesh, instances } = self;
        for _ in 0..count {
            let transform = random.transform(8.0);
            match random.below(8) {
                0 if nodes.len() > 20 => {
                    graph.remove(random.pick(nodes)).unwrap();
                    nodes.retain(|&node| graph.contains(node));
                }
                1 if nodes.len() > 20 => {
                    let node = random.pick(nodes);
                    graph.node_mut(node).unwrap().set_transform(transform).unwrap();
                }
                kind => {
                    let node = if nodes.is_empty() || kind < 6 {
                        graph.add_root(transform).unwrap()
                    } else {
                        graph.add_child(random.pick(nodes), transform).unwrap()
                    };
                    let bounds = match kind % 3 {
                        0 => instances.bounds(),
                        1 => mesh.bounds(),
                        _ => Aabb::from_center_half(random.vec3(1.0), random.vec3(1.0).abs()),
                    };
                    index.set_bounds(graph, node, bounds).unwrap();
                    nodes.push(node);
                }
            }
        }
    }

    fn hash(&mut self, random: &mut Rng, digest: &mut Digest) {
        let Self { graph, index, nodes, mesh, instances } = self;
        for &node in &*nodes {
            digest.aabb(index.world_bounds(node));
            digest.aabb(index.subtree_bounds(graph, node));
        }
        digest.aabb(Some(index.bounds()));
        let filter = Filter::default();
        let mut visible = Visible::new();
        for _ in 0..3 {
            let view = view(random);
            for plane in view.frustum.planes() {
                digest.vec3(plane.normal);
                digest.floats(&[plane.d]);
            }
            for method in [CullMethod::Scan, CullMethod::Tree] {
                index.set_cull_method(method);
                index.cull(&view.frustum, &filter, &mut visible);
                digest.nodes(visible.nodes().iter().copied());
            }
        }
        let shape = |node: NodeId| match node.index() % 2 {
            0 => Some(Shape::new(mesh.tree())),
            _ => Some(Shape::instanced(mesh.tree(), instances)),
        };
        let (mut hits, mut boxes, mut near, mut found) = (vec![], vec![], vec![], vec![]);
        for _ in 0..25 {
            let ray = Ray::between(random.vec3(15.0), random.vec3(5.0)).unwrap();
            digest.vec3(ray.direction());
            index.raycast_aabb_all(&ray, &filter, &mut boxes);
            for hit in &boxes {
                digest.node(hit.node);
                digest.floats(&[hit.distance]);
            }
            digest.hit(index.pick(graph, &ray, &filter, shape).as_ref());
            index.pick_all(graph, &ray, &filter, shape, &mut hits);
            hits.iter().for_each(|hit| digest.hit(Some(hit)));
            let center = random.vec3(8.0);
            index.nearest(center, 5, &filter, &mut near);
            for hit in &near {
                digest.node(hit.node);
                digest.floats(&[hit.distance]);
            }
            let sphere = Sphere { center, radius: 4.0 };
            digest.floats(&[ray.hit_sphere(&sphere).unwrap_or(-1.0)]);
            index.query_sphere(&sphere, &filter, &mut found);
            digest.nodes(found.iter().copied());
            let aabb = Aabb::from_center_half(center, Vec3::splat(3.0));
            index.query_aabb(&aabb, &filter, &mut found);
            digest.nodes(found.iter().copied());
        }
    }
}

fn view(random: &mut Rng) -> View {
    View::new(&Camera::default(), random.view(12.0), (16, 9)).unwrap()
}
