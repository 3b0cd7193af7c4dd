//! The stack of a walk over a tree: on the call stack, as long as that is enough.

/// Holds `N` entries without allocating.
#[derive(Debug)]
pub(crate) struct Stack<T, const N: usize> {
    near: [T; N],
    len: usize,
    spill: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    #[inline]
    pub(crate) fn new(filler: T) -> Self {
        Self { near: [filler; N], len: 0, spill: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if let Some(place) = self.near.get_mut(self.len) {
            *place = entry;
            self.len += 1;
        } else {
            self.spill.push(entry);
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.len == N
            && let Some(entry) = self.spill.pop()
        {
            return Some(entry);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.near[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_in_comes_out_first_past_the_inline_entries() {
        let mut stack = Stack::<u32, 3>::new(0);
        (0..10).for_each(|i| stack.push(i));
        assert!((5..10).rev().all(|i| stack.pop() == Some(i)));
        stack.push(77);
        assert_eq!(stack.pop(), Some(77));
        assert!((0..5).rev().all(|i| stack.pop() == Some(i)));
        assert_eq!(stack.pop(), None);
    }
}
