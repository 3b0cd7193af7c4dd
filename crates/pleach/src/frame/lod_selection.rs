//! Level-of-detail selection: the level that a view draws.
//!
//! The level depends on the view, so it is selected when a render list is built, and two
//! cameras may draw different levels in the same frame. Shadows and picking use the finest. Render
//! lists and renderers call `Scene::draws_level`, so they agree.

use pleach_graph::{Graph, NodeId, NodeMap};

use crate::{Lod, Scene, Table, View};

/// By node that is a level of detail: the node with the [`Lod`], and the index of the level.
#[derive(Clone, Debug, Default)]
pub(crate) struct LodMembers {
    levels: NodeMap<(NodeId, u32)>,
}

impl LodMembers {
    /// Finds the levels again if rows changed or nodes were removed.
    pub(super) fn update(&mut self, graph: &Graph, lods: &mut Table<Lod>, any_removed: bool) {
        if !lods.has_changed() && (!any_removed || lods.is_empty()) {
            return;
        }
        lods.clear_changed();
        self.levels = NodeMap::new();
        for (owner, lod) in lods.iter(graph) {
            for (index, level) in lod.levels.iter().enumerate() {
                // Fails for a level whose node was removed: it is skipped.
                _ = self.levels.insert(graph, level.node, (owner, index as u32));
            }
        }
    }

    /// Returns `true` if there are levels of detail.
    pub(super) fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Returns `true` if `node` is the finest level that is left, or is not a level of detail.
    pub(super) fn is_finest(&self, graph: &Graph, lods: &Table<Lod>, node: NodeId) -> bool {
        let lod = self.levels.get(graph, node).and_then(|(owner, _)| lods.get(graph, *owner));
        lod.is_none_or(|lod| {
            let finest = lod.levels.iter().find(|level| graph.contains(level.node));
            finest.is_some_and(|level| level.node == node)
        })
    }
}

impl Scene {
    /// Returns the index of the level of detail that `view` draws of the node with the [`Lod`]
    /// `owner`; `None` if it is too small to be drawn, or the node has no levels of detail. As of
    /// the last [`update`](Self::update). O(levels).
    ///
    /// The size on screen is that of the finest level that has bounds. A level whose node was
    /// removed is replaced by the next coarser one.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Camera, Level, Lod, Material, Node, Scene, Transform, View, shapes::Sphere};
    ///
    /// let mut scene = Scene::new();
    /// let material = scene.assets.add(Material::default());
    /// let owner = scene.spawn(Node::group())?;
    /// let mut levels = Vec::new();
    /// for (segments, min_screen_size) in [(64, 0.3), (8, 0.01)] {
    ///     let ball = scene.assets.add(Sphere::new(1.0).with_detail(segments, segments).build()?);
    ///     let node = scene.spawn(Node::mesh(&ball, &material).under(owner))?;
    ///     levels.push(Level { node, min_screen_size });
    /// }
    /// scene.lods.insert(&scene.graph, owner, Lod { levels })?;
    /// scene.update()?;
    ///
    /// let from = |distance| View::new(&Camera::default(), Transform::from_xyz(0.0, 0.0, distance), 1.5);
    /// assert_eq!(scene.lod_level(&from(3.0)?, owner), Some(0));
    /// assert_eq!(scene.lod_level(&from(50.0)?, owner), Some(1));
    /// assert_eq!(scene.lod_level(&from(1000.0)?, owner), None);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "LOD")]
    pub fn lod_level(&self, view: &View, owner: NodeId) -> Option<usize> {
        let lod = self.lods.get(&self.graph, owner)?;
        let bounds = lod.levels.iter().find_map(|level| self.spatial.world_bounds(level.node))?;
        let radius = bounds.half_extents().length();
        let selected = lod.level_for(view.screen_size(bounds.center(), radius))?;
        let exists = |index: &usize| self.graph.contains(lod.levels[*index].node);
        (selected..lod.levels.len()).find(exists)
    }

    /// Returns `true` if `node` is the [level of detail](Self::lod_level) that `view` draws, or is
    /// not a level of detail: render lists and renderers skip the others. As of the last
    /// [`update`](Self::update).
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::shapes::Cuboid;
    /// use pleach::{Camera, Material, Node, Scene, Transform, View};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let crate_ = scene.spawn(Node::mesh(&cube, &wood))?;
    /// scene.update()?;
    /// let view = View::new(&Camera::default(), Transform::from_xyz(0.0, 0.0, 3.0), 1.5)?;
    /// assert!(scene.draws_level(&view, crate_), "not a level of detail");
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn draws_level(&self, view: &View, node: NodeId) -> bool {
        match self.derived.lod_members.levels.get(&self.graph, node) {
            Some(&(owner, index)) if self.lods.get(&self.graph, owner).is_some() => {
                self.lod_level(view, owner) == Some(index as usize)
            }
            _ => true,
        }
    }
}
