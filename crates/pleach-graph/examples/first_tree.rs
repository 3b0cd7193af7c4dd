//! Builds a small scene, moves it, and prints what changed.
//!
//! `cargo run --release --example first_tree`

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Error, Graph, NodeId, Transform, axes};

pub(crate) fn main() -> Result<(), Error> {
    let mut graph = Graph::new();

    // A tank (a hull, a turret on top, and a barrel in front of it), and a separate
    // camera.
    let tank = add(&mut graph, None, "tank", Transform::from_xyz(10.0, 20.0, 0.0))?;
    add(&mut graph, Some(tank), "hull", Transform::IDENTITY)?;
    let turret = add(&mut graph, Some(tank), "turret", Transform::from_xyz(0.0, 0.0, 1.5))?;
    let barrel = add(&mut graph, Some(turret), "barrel", Transform::from_xyz(0.0, -2.0, 0.0))?;
    let eye = Transform::from_xyz(0.0, 0.0, 5.0).looking_at(Vec3::new(10.0, 20.0, 0.0), axes::UP);
    add(&mut graph, None, "camera", eye)?;

    println!("The first update computes everything:");
    frame(&mut graph)?;

    println!("Nothing was edited:");
    frame(&mut graph)?;

    println!("The turret rotates by 90 degrees; the barrel follows, the hull does not:");
    let quarter = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    graph.node_mut(turret)?.set_rotation(quarter)?;
    frame(&mut graph)?;

    println!("The tank moves, and loses its barrel, which stays in place:");
    graph.detach_in_place(barrel)?;
    graph.node_mut(tank)?.set_translation(Vec3::new(10.0, 26.0, 0.0))?;
    frame(&mut graph)?;
    let left_behind = graph.node(barrel)?.world_translation();
    assert!(left_behind.abs_diff_eq(Vec3::new(12.0, 20.0, 1.5), 1e-5));

    println!("The tank is removed:");
    graph.remove(tank)?;
    frame(&mut graph)?;
    assert!(graph.get(turret).is_none(), "a dead handle stays dead");
    Ok(())
}

fn add(
    graph: &mut Graph,
    parent: Option<NodeId>,
    name: &str,
    transform: Transform,
) -> Result<NodeId, Error> {
    let node = match parent {
        Some(parent) => graph.add_child(parent, transform)?,
        None => graph.add_root(transform)?,
    };
    graph.node_mut(node)?.set_name(name);
    Ok(node)
}

/// One frame: update, print what changed, and clear.
fn frame(graph: &mut Graph) -> Result<(), Error> {
    let updated = graph.update();
    println!("  {} of {} nodes changed", updated.changed, graph.len());
    for node in graph.changed() {
        let view = graph.node(node)?;
        let position = view.world_translation();
        let indent = view.depth() * 2;
        println!("  {:indent$}{node} {:8} at {position:.2}", "", view.name().unwrap_or("?"));
    }
    for node in graph.removed() {
        println!("  {node} was removed");
    }
    graph.clear_changes();
    Ok(())
}
