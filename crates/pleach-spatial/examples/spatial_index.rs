//! A yard of crates, some of them moving: culling for a camera, and picking the crate under the
//! cursor, with one spatial index.

use pleach_graph::glam::camera::rh::{proj::directx, view};
use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{Graph, Transform};
use pleach_spatial::{
    ClipSpace, CullReason, Filter, Frustum, Ray, Shape, SpatialIndex, TriangleMesh, Visible,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);

    // A unit cube, shared by a hundred nodes.
    let cube = cube()?;
    let mut crates = Vec::new();
    for i in 0..100 {
        let transform = Transform::from_xyz((i % 10) as f32 * 3.0, (i / 10) as f32 * 3.0, 0.5);
        let node = graph.add_root(transform)?;
        index.set_bounds(&graph, node, cube.bounds())?;
        crates.push(node);
    }

    // A camera south of the yard, looking north.
    let eye = Vec3::new(12.0, -20.0, 5.0);
    let camera = directx::perspective(0.8, 16.0 / 9.0, 0.1, 40.0)
        * view::look_at_mat4(eye, Vec3::new(12.0, 9.0, 0.5), Vec3::Z);
    let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;

    let mut visible = Visible::new();
    for frame in 0..3 {
        for &node in &crates[..5] {
            let transform = Transform::from_xyz(frame as f32 * 3.0, 0.0, 20.0 * frame as f32);
            graph.node_mut(node)?.set_transform(transform)?;
        }
        graph.update();
        let stats = index.sync(&graph)?;
        index.cull(&frustum, &Filter::default(), &mut visible);
        println!(
            "frame {frame}: {} boxes computed, {} of {} nodes in view",
            stats.computed,
            visible.len(),
            index.len(),
        );
    }

    // Explain why a crate that flew away is not in view.
    let reason = index.cull_reason(&graph, crates[0], &frustum, &Filter::default())?;
    println!("{}: {reason}", crates[0]);
    assert!(matches!(reason, CullReason::Outside(_)));

    // Pick the crate in the centre of the image.
    let ray = camera_ray(&camera, 0.0, 0.0, eye)?;
    let shape = |_| Some(Shape::new(cube.tree()));
    let hit = index
        .pick(&graph, &ray, &Filter::default(), shape)
        .expect("there is a crate in the centre");
    println!("{} is {:.2} m away, hit at {:.2}", hit.node, hit.distance, hit.point);
    assert!(hit.front && visible.contains(hit.node));
    Ok(())
}

/// Returns the ray from the eye through a point of the image, both coordinates from -1 to 1.
fn camera_ray(camera: &Mat4, x: f32, y: f32, eye: Vec3) -> Result<Ray, pleach_spatial::Error> {
    Ray::between(eye, camera.inverse().project_point3(Vec3::new(x, y, 1.0)))
}

fn cube() -> Result<TriangleMesh, pleach_spatial::Error> {
    let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) - 0.5;
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    TriangleMesh::new((0..8).map(corner).collect(), triangles.collect())
}
