//! `Slab`: values by number.
//!
//! Invariant: a number is used again only after `Slab::remove`.

use crate::fault::Fault;

/// Values by number.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<Option<T>>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new() }
    }

    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let free = self.slots.iter().position(Option::is_none).unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[free] = Some(value);
        free as u32
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        self.slots.get_mut(number as usize)?.take()
    }

    /// Returns the value with a number; `what` names it in the error.
    pub(crate) fn get(&self, number: u32, what: &str) -> Result<&T, Fault> {
        match self.slots.get(number as usize) {
            Some(Some(value)) => Ok(value),
            _ => Err(disposed(what)),
        }
    }

    pub(crate) fn get_mut(&mut self, number: u32, what: &str) -> Result<&mut T, Fault> {
        match self.slots.get_mut(number as usize) {
            Some(Some(value)) => Ok(value),
            _ => Err(disposed(what)),
        }
    }
}

#[cold]
fn disposed(what: &str) -> Fault {
    Fault::new("disposed", format!("this {what} was disposed; create another"))
}
