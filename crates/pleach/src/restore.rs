//! Support for readers and writers of whole scenes: scenes made of graphs, rows inserted as they were, and
//! the list of all tables.

use pleach_graph::{Graph, NodeId};

use crate::{Component, Error, Scene};

impl Scene {
    /// Creates a scene from a graph and the node in it that becomes the [root](Self::root). For
    /// loaders; nodes that are not below the root are neither drawn nor picked.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if `root` is not in the graph.
    ///
    /// ```
    /// use pleach::{Graph, Scene, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let root = graph.add_root(Transform::IDENTITY)?;
    /// let lamp = graph.add_child(root, Transform::IDENTITY)?;
    /// let scene = Scene::from_graph(graph, root)?;
    /// assert!(scene.is_attached(lamp));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn from_graph(graph: Graph, root: NodeId) -> Result<Self, Error> {
        graph.node(root)?;
        Ok(Self::with_root(graph, root))
    }

    /// Inserts rows as they were in another scene, without [`Component::validate`]: a constraint
    /// whose target was removed afterwards, for example, is restored too, and reported by
    /// [`check`](Self::check) as before. Registers the kind, also if there are no rows.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph; the rows before it remain.
    ///
    /// ```
    /// # use pleach::{Component, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// scene.restore_rows([(root, Health(3))])?;
    /// assert_eq!(scene.get::<Health>(root).unwrap().0, 3);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn restore_rows<T: Component>(
        &mut self,
        rows: impl IntoIterator<Item = (NodeId, T)>,
    ) -> Result<(), Error> {
        let (graph, table) = self.graph_and_table_mut::<T>();
        let mut rows = rows.into_iter();
        if rows.size_hint().0 > 0 {
            table.reserve(rows.size_hint().0, graph.flags().len());
        }
        rows.try_for_each(|(node, row)| table.insert_unchecked(graph, node, row).map(drop))
    }

    /// Iterates over the tables: the name of each kind of component and its number of rows, the
    /// built-in kinds first, then those of users in the order of their registration.
    ///
    /// ```
    /// # use pleach::{Component, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// let mut scene = Scene::new();
    /// scene.register::<Health>();
    /// assert_eq!(scene.component_kinds().next(), Some(("mesh", 0)));
    /// assert_eq!(scene.component_kinds().last(), Some(("health", 0)));
    /// ```
    pub fn component_kinds(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.tables().map(|table| (table.name(), table.row_count()))
    }
}
