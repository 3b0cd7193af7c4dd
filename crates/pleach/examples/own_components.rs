//! Components of your own: `Health` and `Spin`, kept by node like meshes and lights.

use pleach::{Component, Node, Scene, rotation};

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";
}

/// Radians per second about the Z axis.
#[derive(Clone, Debug)]
struct Spin(f32);

impl Component for Spin {
    const NAME: &'static str = "spin";
}

fn main() -> Result<(), pleach::Error> {
    let mut scene = Scene::new();
    let mill = Node::group().named("mill").with(Health(10));
    let sails = Node::group().named("sails").with(Spin(1.5)).with(Health(3));
    let [mill, sails] = scene.spawn_tree(mill.child(sails))?[..] else { unreachable!() };

    // They are cloned with their nodes.
    let clones = scene.clone_subtree(mill, None)?;
    let (mill_2, sails_2) = (clones.root(), clones.get(sails).unwrap());
    assert_eq!(scene.get(sails_2), Some(&Health(3)));

    // A system: turn every node with a `Spin`.
    scene.update()?;
    scene.clear_changes();
    let (graph, spins) = scene.graph_and_table_mut::<Spin>();
    for (node, spin) in spins.rows() {
        graph.node_mut(node)?.rotate(rotation::from_rotation_z(spin.0 * 0.5))?;
    }
    scene.get_mut::<Health>(sails).unwrap().0 -= 1;
    scene.update()?;
    assert!(scene.changes().changed().eq([sails, sails_2]));
    assert!(scene.changes().changed_rows::<Health>().eq([sails]));

    // They are dropped with their nodes.
    scene.remove(mill_2)?;
    scene.update()?;
    assert!(scene.table::<Spin>().rows().map(|(node, _)| node).eq([sails]));
    assert_eq!(scene.changes().removed_rows::<Health>().count(), 2);
    assert_eq!(scene.get(mill), Some(&Health(10)));
    Ok(())
}
