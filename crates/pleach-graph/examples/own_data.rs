//! Your own data by node, and two systems that follow the changes at their own
//! pace.

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{ChangeReader, Error, Graph, NodeMap, Transform};

/// A copy of the world matrices, like a GPU buffer.
struct Mirror {
    reader: ChangeReader,
    buffer: Vec<Mat4>,
    uploads: usize,
}

impl Mirror {
    fn sync(&mut self, graph: &Graph) -> Result<(), Error> {
        let changes = self.reader.read(graph)?;
        let column = graph.world_matrices();
        self.buffer.resize(column.len(), Mat4::IDENTITY);
        let mut ranges = Vec::new();
        changes.changed().ranges(0, &mut ranges);
        for range in ranges {
            self.uploads += range.len();
            self.buffer[range.clone()].copy_from_slice(&column[range]);
        }
        Ok(())
    }
}

pub(crate) fn main() -> Result<(), Error> {
    let mut graph = Graph::new();
    let ground = graph.add_root(Transform::IDENTITY)?;
    let mut velocities = NodeMap::new();
    for i in 0..100 {
        let ball = graph.add_child(ground, Transform::from_xyz(i as f32, 0.0, 10.0))?;
        if i % 10 == 0 {
            velocities.insert(&graph, ball, Vec3::ZERO)?;
        }
    }

    let mut every_frame = Mirror { reader: graph.change_reader(), buffer: Vec::new(), uploads: 0 };
    let mut occasional = Mirror { reader: graph.change_reader(), buffer: Vec::new(), uploads: 0 };
    for frame in 1..=60 {
        for (ball, velocity) in velocities.rows_mut() {
            velocity.z -= 9.81 / 60.0;
            let position = graph.node(ball)?.translation() + *velocity / 60.0;
            graph.node_mut(ball)?.set_translation(position)?;
        }
        graph.update();
        every_frame.sync(&graph)?;
        if frame % 20 == 0 {
            occasional.sync(&graph)?;
        }
        if frame == 30 {
            let (first, _) = velocities.rows().next().expect("ten balls fall");
            graph.remove(first)?;
        }
        velocities.remove_dead(graph.removed());
        graph.clear_changes();
    }
    assert_eq!(velocities.len(), 9);
    assert_eq!(every_frame.buffer, graph.world_matrices());
    assert_eq!(occasional.buffer, graph.world_matrices());
    println!(
        "60 frames of {} nodes, up to 10 falling: {} rows uploaded every frame, {} every 20 frames",
        graph.len(),
        every_frame.uploads,
        occasional.uploads,
    );
    Ok(())
}
