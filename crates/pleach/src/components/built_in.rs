//! The built-in kinds of components, and the generic access to any kind.
//!
//! `built_in_tables` is the only list of the built-in kinds. A new kind is a file of its own with its
//! type and `Component` for it, one entry here, and the lines that declare and export its module
//! (`mod.rs`, `lib.rs`); nothing else knows the kinds, except the stage that uses the data.

use std::any::Any;

use pleach_graph::{Graph, NodeId};

use super::any_table::AnyTable;
use super::component::AnyComponent;
use crate::{Component, Error, Scene, Table};

/// Passes the built-in tables to a macro: the documentation, name and type of each.
macro_rules! built_in_tables {
    ($then:ident) => {
        $then! {
            /// Meshes by node.
            meshes: Mesh,
            /// Skins by node.
            skins: Skin,
            /// Cameras by node.
            cameras: Camera,
            /// Lights by node.
            lights: Light,
            /// Morph target weights by node.
            weights: MorphWeights,
            /// Levels of detail by node.
            lods: Lod,
            /// Constraints by node: rotations that follow other nodes.
            constraints: Constraint,
            /// Bounds by node that are set by the user, instead of those of the mesh.
            bounds: Bounds,
        }
    };
}
pub(crate) use built_in_tables;

/// The tables of users' own kinds, in the order of their registration.
pub(crate) type UserTables = Vec<Box<dyn AnyTable>>;

macro_rules! implement_access {
    ($($(#[$doc:meta])* $table:ident: $kind:ident,)*) => {
        /// The components of a node to spawn, by the name of their table.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Components {
            $($table: Option<crate::$kind>,)*
            others: Vec<Box<dyn AnyComponent>>,
        }

        impl Components {
            /// Adds a component; replaces one of the same kind.
            pub(crate) fn set<T: Component>(&mut self, component: T) {
                $(
                    if let Some(field) = (&mut self.$table as &mut dyn Any).downcast_mut() {
                        *field = Some(component);
                        return;
                    }
                )*
                let is_kind = |other: &&mut Box<dyn AnyComponent>| (&***other as &dyn Any).is::<T>();
                match self.others.iter_mut().find(is_kind) {
                    Some(other) => *other = Box::new(component),
                    None => self.others.push(Box::new(component)),
                }
            }

            /// Inserts the components into the tables of a scene.
            pub(crate) fn insert_into(self, scene: &mut Scene, node: NodeId) -> Result<(), Error> {
                $(
                    if let Some(component) = self.$table {
                        component.include_assets(&scene.assets);
                        scene.$table.insert(&scene.graph, node, component)?;
                    }
                )*
                self.others.into_iter().try_for_each(|other| other.insert_into(scene, node))
            }

            /// Inserts clones of the components for each of `nodes`. Some of them are inserted if
            /// it fails.
            pub(crate) fn insert_clones_into(
                &self,
                scene: &mut Scene,
                nodes: &[NodeId],
            ) -> Result<(), Error> {
                $(
                    if let Some(component) = &self.$table {
                        scene.$table.insert_clones(&scene.graph, nodes, component)?;
                    }
                )*
                self.others.iter().try_for_each(|other| other.insert_clones_into(scene, nodes))
            }
        }

        impl Scene {
            /// Returns all tables: the built-in ones, then those of users in the order of their
            /// registration.
            pub(crate) fn tables(&self) -> impl Iterator<Item = &dyn AnyTable> {
                let built_in = [$(&self.$table as &dyn AnyTable,)*];
                built_in.into_iter().chain(self.user_tables.iter().map(|table| &**table))
            }

            /// Returns the graph, and all tables for editing.
            pub(crate) fn graph_and_tables_mut(
                &mut self,
            ) -> (&Graph, impl Iterator<Item = &mut dyn AnyTable>) {
                let Self { graph, user_tables, $($table,)* .. } = self;
                let built_in = [$($table as &mut dyn AnyTable,)*];
                let others = user_tables.iter_mut().map(|table| &mut **table);
                (graph, built_in.into_iter().chain(others))
            }

            /// Returns the table of a kind, built in or not. It is empty if the kind was never
            /// used.
            ///
            /// ```
            /// # use pleach::{Camera, Component, Node, Scene};
            /// # #[derive(Clone)] struct Health(u32);
            /// # impl Component for Health { const NAME: &'static str = "health"; }
            /// let mut scene = Scene::new();
            /// assert!(scene.table::<Health>().is_empty());
            /// scene.spawn(Node::group().with(Health(3)))?;
            /// assert!(scene.table::<Health>().iter(&scene.graph).all(|(_, health)| health.0 == 3));
            /// assert!(std::ptr::eq(scene.table::<Camera>(), &scene.cameras));
            /// # Ok::<(), pleach::Error>(())
            /// ```
            #[must_use]
            pub fn table<T: Component>(&self) -> &Table<T> {
                $(
                    if let Some(table) = (&self.$table as &dyn Any).downcast_ref() {
                        return table;
                    }
                )*
                let mut tables = self.user_tables.iter().map(|table| &**table as &dyn Any);
                tables.find_map(|table| table.downcast_ref()).unwrap_or(const { &Table::<T>::new() })
            }

            /// Returns the graph and the table of a kind, both for editing: for loops that move the
            /// nodes that have a component, and edit it ([`Table::rows_mut`]) or not. The rows are
            /// those of live nodes, unless [`Graph::remove`] removed some since the last update;
            /// after [`remove`](Self::remove) there are none.
            ///
            /// ```
            /// # use pleach::glam::Vec3;
            /// # use pleach::{Component, Node, Scene};
            /// # #[derive(Clone)] struct Speed(Vec3);
            /// # impl Component for Speed { const NAME: &'static str = "speed"; }
            /// let mut scene = Scene::new();
            /// let ball = scene.spawn(Node::group().with(Speed(Vec3::X)))?;
            /// let (graph, speeds) = scene.graph_and_table_mut::<Speed>();
            /// for (node, speed) in speeds.rows() {
            ///     let position = graph.node(node)?.translation();
            ///     graph.node_mut(node)?.set_translation(position + speed.0 * 0.5)?;
            /// }
            /// assert_eq!(scene.node(ball)?.translation(), Vec3::X * 0.5);
            /// # Ok::<(), pleach::Error>(())
            /// ```
            pub fn graph_and_table_mut<T: Component>(&mut self) -> (&mut Graph, &mut Table<T>) {
                $(
                    if let Some(table) = (&mut self.$table as &mut dyn Any).downcast_mut() {
                        return (&mut self.graph, table);
                    }
                )*
                let Self { user_tables: tables, recorder, .. } = self;
                let is_kind = |table: &Box<dyn AnyTable>| (&**table as &dyn Any).is::<Table<T>>();
                let index = tables.iter().position(is_kind).unwrap_or_else(|| {
                    let mut table = Table::<T>::new();
                    recorder.begin_table(&mut table);
                    tables.push(Box::new(table));
                    tables.len() - 1
                });
                let table = (&mut *tables[index] as &mut dyn Any).downcast_mut();
                (&mut self.graph, table.expect("the table was found by its type, or just added"))
            }
        }
    };
}

built_in_tables!(implement_access);

impl Scene {
    /// Registers a kind of component, so that its table exists. Inserting a component does it too;
    /// the order of registration is the order in which tables are cloned, checked and saved.
    ///
    /// ```
    /// # use pleach::{Component, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// let mut scene = Scene::new();
    /// scene.register::<Health>();
    /// ```
    pub fn register<T: Component>(&mut self) {
        self.table_mut::<T>();
    }

    /// Returns the table of a kind for editing; registers the kind.
    ///
    /// ```
    /// # use pleach::{Component, Node, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().with(Health(3)))?;
    /// assert_eq!(scene.table_mut::<Health>().remove(node).unwrap().0, 3);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn table_mut<T: Component>(&mut self) -> &mut Table<T> {
        self.graph_and_table_mut().1
    }

    /// Inserts a component of a node and returns the previous one of the same kind, if any.
    ///
    /// # Errors
    ///
    /// Those of [`Table::insert`].
    ///
    /// ```
    /// # use pleach::{Camera, Component, Node, Scene};
    /// # #[derive(Clone, Debug, PartialEq)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group())?;
    /// assert_eq!(scene.insert(node, Health(3))?, None);
    /// assert_eq!(scene.insert(node, Health(2))?, Some(Health(3)));
    /// scene.insert(node, Camera::default())?;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "add_component")]
    pub fn insert<T: Component>(&mut self, node: NodeId, component: T) -> Result<Option<T>, Error> {
        component.include_assets(&self.assets);
        let (graph, table) = self.graph_and_table_mut();
        table.insert(graph, node, component)
    }

    /// Returns a component of a node.
    ///
    /// ```
    /// # use pleach::{Component, Node, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().with(Health(3)))?;
    /// assert_eq!(scene.get::<Health>(node).unwrap().0, 3);
    /// assert!(scene.get::<Health>(scene.root()).is_none());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "get_component")]
    #[must_use]
    pub fn get<T: Component>(&self, node: NodeId) -> Option<&T> {
        self.table().get(&self.graph, node)
    }

    /// Returns a component of a node for editing. It counts as changed.
    ///
    /// ```
    /// # use pleach::{Component, Node, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().with(Health(3)))?;
    /// if let Some(health) = scene.get_mut::<Health>(node) {
    ///     health.0 -= 1;
    /// }
    /// assert_eq!(scene.get::<Health>(node).unwrap().0, 2);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn get_mut<T: Component>(&mut self, node: NodeId) -> Option<&mut T> {
        let (graph, table) = self.graph_and_table_mut();
        table.get_mut(graph, node)
    }

    /// Removes and returns a component of a node. [`remove`](Self::remove) removes the node.
    ///
    /// ```
    /// # use pleach::{Component, Node, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health { const NAME: &'static str = "health"; }
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().with(Health(3)))?;
    /// assert!(scene.remove_component::<Health>(node).is_some());
    /// assert!(scene.get::<Health>(node).is_none());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn remove_component<T: Component>(&mut self, node: NodeId) -> Option<T> {
        self.table_mut().remove(node)
    }

    /// Returns the users' own components of a node that are to be saved with it, as JSON text: the
    /// name of each kind and [`Component::to_json`], in the order of registration. For exporters.
    ///
    /// ```
    /// # use pleach::{Component, Node, NodeId, Scene};
    /// # #[derive(Clone)] struct Health(u32);
    /// # impl Component for Health {
    /// #     const NAME: &'static str = "health";
    /// #     fn to_json(&self, _: &dyn Fn(NodeId) -> Option<usize>) -> Option<String> {
    /// #         Some(self.0.to_string())
    /// #     }
    /// # }
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().with(Health(3)))?;
    /// assert_eq!(scene.components_to_json(node, &|_| None), [("health", "3".to_string())]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn components_to_json(
        &self,
        node: NodeId,
        index_of: &dyn Fn(NodeId) -> Option<usize>,
    ) -> Vec<(&'static str, String)> {
        let tables = self.user_tables.iter();
        let json = tables.filter_map(|table| {
            Some((table.name(), table.row_to_json(&self.graph, node, index_of)?))
        });
        json.collect()
    }
}
