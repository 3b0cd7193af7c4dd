//! Components of your own: `Health` and `Spin`, kept by node like meshes and lights.

use pleach::{Component, Node, Scene, rotation};

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";
}

/// Radians per second about the Z axis.
#[derive(Clone)]
struct Spin(f32);

impl Component for Spin {
    const NAME: &'static str = "spin";
}

fn main() -> Result<(), pleach::Error> {
    let mut scene = Scene::new();
    let sails = Node::group().with(Spin(1.5)).with(Health(3));
    let [mill, sails] = scene.spawn_tree(Node::group().child(sails))?[..] else { unreachable!() };
    let clones = scene.clone_subtree(mill, None)?;
    scene.update()?;
    scene.clear_changes();

    // A system: turn every node with a `Spin`, and slow it down.
    let (graph, spins) = scene.graph_and_table_mut::<Spin>();
    for (node, spin) in spins.rows_mut() {
        graph.node_mut(node)?.rotate(rotation::from_rotation_z(spin.0 * 0.5))?;
        spin.0 *= 0.9;
    }
    scene.remove(clones.root())?;
    scene.update()?;
    assert!(scene.changes().changed().eq([sails]) && scene.get(sails) == Some(&Health(3)));
    assert!(scene.changes().changed_rows::<Spin>().eq([sails]));
    assert_eq!(scene.changes().removed_rows::<Health>().count(), 1);
    Ok(())
}
