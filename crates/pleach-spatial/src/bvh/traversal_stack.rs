//! The stack of a traversal: stored inline, with a heap fallback.

/// A stack that holds `N` entries without allocating.
#[derive(Debug)]
pub(crate) struct Stack<T, const N: usize> {
    inline: [T; N],
    len: usize,
    heap: Vec<T>,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    #[inline]
    pub(crate) fn new(filler: T) -> Self {
        Self { inline: [filler; N], len: 0, heap: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        if let Some(slot) = self.inline.get_mut(self.len) {
            *slot = entry;
            self.len += 1;
        } else {
            self.heap.push(entry);
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.len == N
            && let Some(entry) = self.heap.pop()
        {
            return Some(entry);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.inline[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_beyond_the_inline_capacity_are_popped_in_reverse_order() {
        let mut stack = Stack::<u32, 3>::new(0);
        (0..10).for_each(|i| stack.push(i));
        assert!((5..10).rev().all(|i| stack.pop() == Some(i)));
        stack.push(77);
        assert_eq!(stack.pop(), Some(77));
        assert!((0..5).rev().all(|i| stack.pop() == Some(i)));
        assert_eq!(stack.pop(), None);
    }
}
