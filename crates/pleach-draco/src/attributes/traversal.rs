//! The order of an attribute's values: vertices as a walk over the triangles meets them.
//!
//! Encoder and decoder take the same walk, so values are predicted from neighbours that are
//! known already. There are two: *depth first*, and one that prefers triangles whose next
//! vertex can be predicted from most neighbours.

use crate::budget::Room;
use crate::connectivity::corner_table::{Corners, NONE, at, next, previous, set};
use crate::error::Fault;

/// Which vertex has which entry.
pub(crate) struct Order {
    /// By entry: the corner at which its vertex was met.
    pub(crate) corner: Vec<u32>,
    /// By vertex: its entry.
    pub(crate) entry: Vec<u32>,
}

/// The state of a walk.
struct Walk<'a> {
    corners: &'a Corners,
    order: Order,
    /// By triangle.
    passed: Vec<bool>,
}

const NOWHERE: Fault = Fault::Broken("a walk over its triangles leaves them");

impl<'a> Walk<'a> {
    fn new(corners: &'a Corners, room: &mut Room) -> Result<Self, Fault> {
        let vertices = corners.leftmost.len();
        let order = Order { corner: room.empty(vertices)?, entry: room.filled(vertices, NONE)? };
        let passed = room.filled(corners.vertex.len() / 3, false)?;
        Ok(Self { corners, order, passed })
    }

    /// Whether a triangle was passed; where there is none, there is nothing to pass.
    fn passed(&self, corner: u32) -> bool {
        self.passed.get(corner as usize / 3).copied().unwrap_or(true)
    }

    /// Whether the vertex of a corner was met.
    fn met(&self, corner: u32) -> Result<bool, Fault> {
        let vertex = self.corners.vertex(corner) as usize;
        let entry = self.order.entry.get(vertex).ok_or(NOWHERE)?;
        Ok(*entry != NONE)
    }

    /// Gives the vertex of a corner the next entry, unless it has one. True if it had none.
    fn meet(&mut self, corner: u32) -> Result<bool, Fault> {
        if self.met(corner)? {
            return Ok(false);
        }
        let entry = self.order.corner.len() as u32;
        set(&mut self.order.entry, self.corners.vertex(corner), entry);
        self.order.corner.push(corner);
        Ok(true)
    }

    fn pass(&mut self, corner: u32) -> Result<(), Fault> {
        *self.passed.get_mut(corner as usize / 3).ok_or(NOWHERE)? = true;
        Ok(())
    }

    fn right(&self, corner: u32) -> u32 {
        self.corners.opposite(next(corner))
    }

    fn left(&self, corner: u32) -> u32 {
        self.corners.opposite(previous(corner))
    }

    fn end(self, room: &mut Room) -> Order {
        room.give(self.passed);
        self.order
    }
}

/// Depth first.
pub(crate) fn depth_first(corners: &Corners, room: &mut Room) -> Result<Order, Fault> {
    let mut walk = Walk::new(corners, room)?;
    // Each triangle is left towards two others at most once, if all is well.
    let mut stack = room.empty(corners.vertex.len() / 3 + 1)?;
    for triangle in 0..corners.vertex.len() as u32 / 3 {
        let start = triangle * 3;
        if walk.passed(start) {
            continue;
        }
        walk.meet(next(start))?;
        walk.meet(previous(start))?;
        stack.push(start);
        while let Some(&top) = stack.last() {
            if walk.passed(top) {
                stack.pop();
                continue;
            }
            let mut corner = top;
            loop {
                walk.pass(corner)?;
                if walk.meet(corner)? && !corners.is_on_boundary(corners.vertex(corner)) {
                    corner = walk.right(corner);
                    continue;
                }
                let (left, right) = (walk.left(corner), walk.right(corner));
                match (walk.passed(left), walk.passed(right)) {
                    (true, true) => {
                        stack.pop();
                        break;
                    }
                    (false, true) => corner = left,
                    (true, false) => corner = right,
                    (false, false) => {
                        if stack.len() == stack.capacity() {
                            return Err(NOWHERE);
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
    room.give(stack);
    Ok(walk.end(room))
}

/// The best predicted first.
pub(crate) fn best_first(corners: &Corners, room: &mut Room) -> Result<Order, Fault> {
    let triangles = corners.vertex.len() / 3;
    let mut walk = Walk::new(corners, room)?;
    let mut degree = room.filled(corners.leftmost.len(), 0u8)?;
    let below = room.filled(corners.vertex.len(), NONE)?;
    let mut queue = Queue { tops: [NONE; 3], below, best: 0 };
    for triangle in 0..triangles as u32 {
        let start = triangle * 3;
        queue.push(start, 0);
        queue.best = 0;
        walk.meet(next(start))?;
        walk.meet(previous(start))?;
        walk.meet(start)?;
        while let Some(mut corner) = queue.pop() {
            if walk.passed(corner) {
                continue;
            }
            loop {
                walk.pass(corner)?;
                walk.meet(corner)?;
                let (left, right) = (walk.left(corner), walk.right(corner));
                let to_right = !walk.passed(right);
                if !walk.passed(left) {
                    let priority = priority(&walk, left, &mut degree)?;
                    if !to_right && priority <= queue.best {
                        corner = left;
                        continue;
                    }
                    queue.push(left, priority);
                }
                if to_right {
                    let priority = priority(&walk, right, &mut degree)?;
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
    room.give(degree);
    room.give(queue.below);
    Ok(walk.end(room))
}

/// Corners to go on from, the best first, and the latest of these: three stacks.
///
/// A corner is in at most one, once: it is pushed when the triangle across is passed. So each
/// knows the one below it, and nothing grows.
struct Queue {
    tops: [u32; 3],
    /// By corner.
    below: Vec<u32>,
    /// No stack before this one has corners.
    best: usize,
}

impl Queue {
    fn push(&mut self, corner: u32, priority: usize) {
        set(&mut self.below, corner, self.tops[priority]);
        self.tops[priority] = corner;
        self.best = self.best.min(priority);
    }

    fn pop(&mut self) -> Option<u32> {
        while let Some(&top) = self.tops.get(self.best) {
            if top != NONE {
                self.tops[self.best] = at(&self.below, top);
                return Some(top);
            }
            self.best += 1;
        }
        None
    }
}

/// 0 if the vertex is known, 1 if it was seen from another triangle before, else 2.
fn priority(walk: &Walk<'_>, corner: u32, degree: &mut [u8]) -> Result<usize, Fault> {
    if walk.met(corner)? {
        return Ok(0);
    }
    let degree = degree.get_mut(walk.corners.vertex(corner) as usize).ok_or(NOWHERE)?;
    *degree = degree.saturating_add(1);
    Ok(if *degree > 1 { 1 } else { 2 })
}
