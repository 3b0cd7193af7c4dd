//! `RowChangeReader`: one reader of the log of a table, with its own position.

use std::fmt;

use pleach_graph::NodeId;

use super::row_log::Reader;
use crate::{Error, Table};

/// A reader of the changes of a table, which reads at its own pace.
///
/// A renderer, a physics world and an editor each take one from [`Table::change_reader`] and read it
/// whenever they want; each sees every change once. A read costs the number of rows that were written
/// since the last one. A reader that falls behind costs memory for the rows that it knows and those
/// that exist now, not for the writes that it missed; a dropped one costs nothing.
///
/// ```
/// use std::collections::BTreeMap;
/// use pleach::{Component, Node, Scene};
///
/// #[derive(Clone)]
/// struct Health(u32);
///
/// impl Component for Health {
///     const NAME: &'static str = "health";
/// }
///
/// let mut scene = Scene::new();
/// let table = scene.table_mut::<Health>();
/// let (mut display, mut network) = (table.change_reader(), table.change_reader());
/// let orc = scene.spawn(Node::group().with(Health(3)))?;
/// let elf = scene.spawn(Node::group().with(Health(5)))?;
///
/// // The display keeps a copy of all rows, and follows in each frame.
/// let mut bars = BTreeMap::new();
/// let changes = display.read(scene.table::<Health>())?;
/// for node in changes.inserted().chain(changes.changed()) {
///     bars.insert(node, scene.get::<Health>(node).unwrap().0);
/// }
/// assert_eq!(bars, BTreeMap::from([(orc, 3), (elf, 5)]));
///
/// scene.get_mut::<Health>(elf).unwrap().0 = 4;
/// scene.remove(orc)?;
/// let changes = display.read(scene.table::<Health>())?;
/// assert!(changes.changed().eq([elf]));
/// assert!(changes.removed().eq([orc]));
///
/// // The network reads for the first time, and never knew the orc.
/// let changes = network.read(scene.table::<Health>())?;
/// assert!(changes.inserted().eq([elf]));
/// assert_eq!(changes.changed().count() + changes.removed().count(), 0);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Debug)]
pub struct RowChangeReader(pub(super) Reader);

impl RowChangeReader {
    /// Returns what changed since the last call, or since this reader was created.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignChangeReader`] if the reader was created by another table (a clone of a table
    /// is another table). The reader misses nothing by it.
    pub fn read<'a, T>(&mut self, table: &'a Table<T>) -> Result<RowChanges<'a, T>, Error> {
        let position = table.log().read(&mut self.0).ok_or(Error::ForeignChangeReader)?;
        Ok(RowChanges { table, position })
    }
}

/// The changes that a [`RowChangeReader`] had not read yet: the difference between the rows that it
/// knew and those of the table.
///
/// Guarantees: a node is in at most one of the lists, once. A row that was inserted and removed in the
/// meantime is in none; one that was removed and inserted again is [`changed`](Self::changed). The
/// order is unspecified, but depends only on the calls made so far.
///
/// The row of a node that was removed with [`Graph::remove`](pleach_graph::Graph::remove) exists until
/// the next [`update`](crate::Scene::update), or until its slot gets another row;
/// [`Scene::remove`](crate::Scene::remove) drops it at once. So after an update all nodes of
/// [`inserted`](Self::inserted) and [`changed`](Self::changed) are alive.
pub struct RowChanges<'a, T> {
    table: &'a Table<T>,
    position: u64,
}

impl<'a, T> RowChanges<'a, T> {
    /// Iterates over the nodes that have a row and had none.
    pub fn inserted(&self) -> impl Iterator<Item = NodeId> + Clone + use<'a, T> {
        self.list(false, true)
    }

    /// Iterates over the nodes that had and have a row, which was replaced or borrowed mutably in the
    /// meantime.
    pub fn changed(&self) -> impl Iterator<Item = NodeId> + Clone + use<'a, T> {
        self.list(true, true)
    }

    /// Iterates over the nodes that had a row and have none, whether or not they are alive.
    pub fn removed(&self) -> impl Iterator<Item = NodeId> + Clone + use<'a, T> {
        self.list(true, false)
    }

    fn list(
        &self,
        had_row: bool,
        has_row: bool,
    ) -> impl Iterator<Item = NodeId> + Clone + use<'a, T> {
        let Self { table, position } = *self;
        let unread = table.log().since(position).filter(move |&(_, had)| had == had_row);
        unread.map(|(node, _)| node).filter(move |&node| table.has_row(node) == has_row)
    }
}

impl<T> Clone for RowChanges<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RowChanges<'_, T> {}

impl<T> fmt::Debug for RowChanges<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |nodes: &mut dyn Iterator<Item = NodeId>| nodes.collect::<Vec<_>>();
        let mut changes = f.debug_struct("RowChanges");
        changes.field("inserted", &list(&mut self.inserted()));
        changes.field("changed", &list(&mut self.changed()));
        changes.field("removed", &list(&mut self.removed())).finish()
    }
}
