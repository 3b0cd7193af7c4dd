//! The order of an attribute's values: vertices as a traversal of the triangles visits them.
//!
//! Encoder and decoder traverse the mesh in the same way, so values are predicted from
//! neighbors that are known already. There are two methods: *depth first*, and *maximum
//! prediction degree*, which prefers triangles whose next vertex can be predicted from most
//! neighbors.

use super::descriptor::TraversalMethod;
use crate::Error;
use crate::budget::Budget;
use crate::connectivity::corner_table::{CornerTable, INVALID, get, next, previous, set};

/// The mapping between vertices and entries. Entries are values in the order of the stream.
pub(crate) struct EntryOrder {
    /// By entry: the corner at which its vertex was visited.
    pub(crate) entry_to_corner: Vec<u32>,
    /// By vertex: its entry.
    pub(crate) vertex_to_entry: Vec<u32>,
}

impl EntryOrder {
    /// Traverses the triangles of a corner table.
    pub(crate) fn new(
        method: TraversalMethod,
        table: &CornerTable,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        match method {
            TraversalMethod::DepthFirst => depth_first(table, budget),
            TraversalMethod::MaxPredictionDegree => max_prediction_degree(table, budget),
        }
    }
}

/// The state of a traversal.
struct Traverser<'a> {
    table: &'a CornerTable,
    order: EntryOrder,
    /// By triangle.
    visited: Vec<bool>,
}

const LEAVES_THE_MESH: Error = Error::Malformed("a traversal leaves its triangles");

impl<'a> Traverser<'a> {
    fn new(table: &'a CornerTable, budget: &mut Budget) -> Result<Self, Error> {
        let vertices = table.vertex_count();
        let order = EntryOrder {
            entry_to_corner: budget.vec_with_capacity(vertices)?,
            vertex_to_entry: budget.vec_filled(vertices, INVALID)?,
        };
        let visited = budget.vec_filled(table.triangle_count(), false)?;
        Ok(Self { table, order, visited })
    }

    /// Returns `true` if the triangle of a corner was visited, or if there is none.
    fn is_triangle_visited(&self, corner: u32) -> bool {
        self.visited.get(corner as usize / 3).copied().unwrap_or(true)
    }

    /// Returns `true` if the vertex of a corner was visited.
    fn is_vertex_visited(&self, corner: u32) -> Result<bool, Error> {
        let vertex = self.table.vertex(corner) as usize;
        let entry = self.order.vertex_to_entry.get(vertex).ok_or(LEAVES_THE_MESH)?;
        Ok(*entry != INVALID)
    }

    /// Gives the vertex of a corner the next entry, unless it has one. Returns `true` if it had
    /// none.
    fn visit_vertex(&mut self, corner: u32) -> Result<bool, Error> {
        if self.is_vertex_visited(corner)? {
            return Ok(false);
        }
        let entry = self.order.entry_to_corner.len() as u32;
        set(&mut self.order.vertex_to_entry, self.table.vertex(corner), entry);
        self.order.entry_to_corner.push(corner);
        Ok(true)
    }

    fn visit_triangle(&mut self, corner: u32) -> Result<(), Error> {
        *self.visited.get_mut(corner as usize / 3).ok_or(LEAVES_THE_MESH)? = true;
        Ok(())
    }

    fn finish(self, budget: &mut Budget) -> EntryOrder {
        budget.release(self.visited);
        self.order
    }
}

fn depth_first(table: &CornerTable, budget: &mut Budget) -> Result<EntryOrder, Error> {
    let mut traverser = Traverser::new(table, budget)?;
    // Each triangle of a valid mesh is left towards two others at most once.
    let mut stack = budget.vec_with_capacity(table.triangle_count() + 1)?;
    for triangle in 0..table.corner_count() as u32 / 3 {
        let start = triangle * 3;
        if traverser.is_triangle_visited(start) {
            continue;
        }
        traverser.visit_vertex(next(start))?;
        traverser.visit_vertex(previous(start))?;
        stack.push(start);
        while let Some(&top) = stack.last() {
            if traverser.is_triangle_visited(top) {
                stack.pop();
                continue;
            }
            let mut corner = top;
            loop {
                traverser.visit_triangle(corner)?;
                if traverser.visit_vertex(corner)? && !table.is_on_boundary(table.vertex(corner)) {
                    corner = table.right_corner(corner);
                    continue;
                }
                let (left, right) = (table.left_corner(corner), table.right_corner(corner));
                match (traverser.is_triangle_visited(left), traverser.is_triangle_visited(right)) {
                    (true, true) => {
                        stack.pop();
                        break;
                    }
                    (false, true) => corner = left,
                    (true, false) => corner = right,
                    (false, false) => {
                        if stack.len() == stack.capacity() {
                            return Err(LEAVES_THE_MESH);
                        }
                        stack.pop();
                        stack.push(left);
                        stack.push(right);
                        break;
                    }
                }
            }
        }
    }
    budget.release(stack);
    Ok(traverser.finish(budget))
}

fn max_prediction_degree(table: &CornerTable, budget: &mut Budget) -> Result<EntryOrder, Error> {
    let mut traverser = Traverser::new(table, budget)?;
    let mut prediction_degree = budget.vec_filled(table.vertex_count(), 0u8)?;
    let below = budget.vec_filled(table.corner_count(), INVALID)?;
    let mut queue = CornerQueue { tops: [INVALID; 3], below, best: 0 };
    for triangle in 0..table.triangle_count() as u32 {
        let start = triangle * 3;
        queue.push(start, 0);
        queue.best = 0;
        traverser.visit_vertex(next(start))?;
        traverser.visit_vertex(previous(start))?;
        traverser.visit_vertex(start)?;
        while let Some(mut corner) = queue.pop() {
            if traverser.is_triangle_visited(corner) {
                continue;
            }
            loop {
                traverser.visit_triangle(corner)?;
                traverser.visit_vertex(corner)?;
                let (left, right) = (table.left_corner(corner), table.right_corner(corner));
                let is_right_open = !traverser.is_triangle_visited(right);
                if !traverser.is_triangle_visited(left) {
                    let priority = priority(&traverser, left, &mut prediction_degree)?;
                    if !is_right_open && priority <= queue.best {
                        corner = left;
                        continue;
                    }
                    queue.push(left, priority);
                }
                if is_right_open {
                    let priority = priority(&traverser, right, &mut prediction_degree)?;
                    if priority <= queue.best {
                        corner = right;
                        continue;
                    }
                    queue.push(right, priority);
                }
                break;
            }
        }
    }
    budget.release(prediction_degree);
    budget.release(queue.below);
    Ok(traverser.finish(budget))
}

/// Corners to continue from: three stacks, one per priority; 0 is the best.
///
/// A corner is in at most one stack, once: it is pushed when the triangle of its opposite corner
/// is visited. So each corner stores the one below it, and nothing grows.
struct CornerQueue {
    tops: [u32; 3],
    /// By corner: the corner below it in its stack.
    below: Vec<u32>,
    /// All stacks before this one are empty.
    best: usize,
}

impl CornerQueue {
    fn push(&mut self, corner: u32, priority: usize) {
        set(&mut self.below, corner, self.tops[priority]);
        self.tops[priority] = corner;
        self.best = self.best.min(priority);
    }

    fn pop(&mut self) -> Option<u32> {
        while let Some(&top) = self.tops.get(self.best) {
            if top != INVALID {
                self.tops[self.best] = get(&self.below, top);
                return Some(top);
            }
            self.best += 1;
        }
        None
    }
}

/// Returns 0 if the vertex was visited, 1 if its prediction degree exceeds 1, otherwise 2.
fn priority(
    traverser: &Traverser<'_>,
    corner: u32,
    prediction_degree: &mut [u8],
) -> Result<usize, Error> {
    if traverser.is_vertex_visited(corner)? {
        return Ok(0);
    }
    let vertex = traverser.table.vertex(corner) as usize;
    let degree = prediction_degree.get_mut(vertex).ok_or(LEAVES_THE_MESH)?;
    *degree = degree.saturating_add(1);
    Ok(if *degree > 1 { 1 } else { 2 })
}
