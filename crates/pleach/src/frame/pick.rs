//! Picking: the triangles that a ray hits, in their current pose.
//!
//! Reads what the last update derived; writes the caller's buffers, and caches the triangles of the
//! skinned and morphed meshes that a ray comes near. Takes shared references only: several threads
//! may pick at the same time, and predicates may read the scene.

use pleach_graph::NodeId;
use pleach_spatial::{Filter, Hit, Ray, Shape};

use super::posed_triangles::Pose;
use crate::{Aabb, MorphWeights, Scene, TreeRef};

impl Scene {
    /// Returns the nearest triangle of a visible mesh, in its current pose, that a ray hits. As of
    /// the last [`update`](Self::update), but with the current triangles of a geometry that was
    /// edited since, as far as they are within its bounds before the edit.
    ///
    /// Poses the triangles of the skinned and morphed meshes near the ray whose pose changed since
    /// they were last picked: O(vertices) each. Of levels of detail the finest is hit. A skinned
    /// mesh has the same front faces whether its skeleton is mirrored or not.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Filter, Material, Node, Ray, Scene, shapes::Cuboid};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let near = scene.spawn(Node::mesh(&cube, &wood).named("glass").at(Vec3::X * 2.0))?;
    /// let far = scene.spawn(Node::mesh(&cube, &wood).at(Vec3::X * 4.0))?;
    /// scene.update()?;
    ///
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// let hit = scene.pick(&ray, &Filter::default()).unwrap();
    /// assert_eq!((hit.node, hit.distance), (near, 1.5));
    ///
    /// // A predicate may read the scene.
    /// let opaque = |node| scene.node(node).is_ok_and(|node| node.name() != Some("glass"));
    /// let hit = scene.pick(&ray, &Filter::default().with_predicate(&opaque)).unwrap();
    /// assert_eq!(hit.node, far);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("RayCast3D", "intersectObject"))]
    #[must_use]
    #[doc(alias = "raycaster")]
    #[doc(alias = "raycast")]
    #[doc(alias = "intersect_object")]
    pub fn pick(&self, ray: &Ray, filter: &Filter<'_>) -> Option<Hit> {
        self.spatial.pick_parts(&self.graph, ray, filter, |node, part| self.shape(node, part))
    }

    /// Replaces the contents of `hits` with every triangle that a ray hits, nearest first.
    /// Otherwise like [`pick`](Self::pick).
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Filter, Material, Node, Ray, Scene, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// scene.spawn(Node::mesh(&cube, &wood))?;
    /// scene.update()?;
    /// let mut hits = Vec::new();
    /// scene.pick_all(&Ray::new(Vec3::new(-3.0, 0.1, 0.2), Vec3::X)?, &Filter::default(), &mut hits);
    /// assert_eq!(hits.len(), 2);                        // the front and the back
    /// assert_eq!([hits[0].distance, hits[1].distance], [2.5, 3.5]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias("intersectObjects", "RaycastAll"))]
    #[doc(alias = "intersect_objects")]
    pub fn pick_all(&self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<Hit>) {
        let shape = |node, part| self.shape(node, part);
        self.spatial.pick_all_parts(&self.graph, ray, filter, shape, hits);
    }

    /// Replaces the contents of `hits` with the nearest hit of each node that a ray hits, nearest
    /// first: each node once. Otherwise like [`pick_all`](Self::pick_all).
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Filter, Material, Node, Ray, Scene, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// let near = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let far = scene.spawn(Node::mesh(&cube, &wood).at(Vec3::X * 4.0))?;
    /// scene.update()?;
    /// let mut hits = Vec::new();
    /// scene.pick_nodes(&Ray::new(Vec3::X * -3.0, Vec3::X)?, &Filter::default(), &mut hits);
    /// assert_eq!(hits.iter().map(|hit| hit.node).collect::<Vec<_>>(), [near, far]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn pick_nodes(&self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<Hit>) {
        let shape = |node, part| self.shape(node, part);
        self.spatial.pick_nodes_parts(&self.graph, ray, filter, shape, hits);
    }

    /// Returns the bounds of a node and its descendants in world space, or `None` if none of them
    /// has bounds. As of the last [`update`](Self::update). See
    /// [`SpatialIndex::subtree_bounds`](crate::SpatialIndex::subtree_bounds) for the cost.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Material, Node, Scene, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// let stack = scene.spawn(Node::group())?;
    /// scene.spawn_all(stack, [0.0, 1.0, 2.0].map(|z| Node::mesh(&cube, &wood).at(Vec3::Z * z)))?;
    /// scene.update()?;
    /// assert_eq!(scene.subtree_bounds(stack).unwrap().max.z, 2.5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias("Box3.setFromObject", "aabb", "bounding_box"))]
    pub fn subtree_bounds(&self, node: NodeId) -> Option<Aabb> {
        self.spatial.subtree_bounds(&self.graph, node).filter(|bounds| !bounds.is_empty())
    }

    /// Returns the triangles of a mesh part and the space they are in.
    fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_, TreeRef<'_>>> {
        let mesh = self.mesh(node)?;
        if !self.derived.lod_members.is_finest(&self.graph, &self.lods, node) {
            return None;
        }
        let part = part as usize;
        let is_skinned = self.skin(node).is_some();
        let weights = self.weights.get(&self.graph, node);
        let tree = if is_skinned || weights.is_some() {
            let pose = || Pose {
                mesh,
                joint_matrices: self.joint_matrices().get(node).unwrap_or(&[]),
                weights: weights.map_or(&[][..], MorphWeights::as_slice),
            };
            TreeRef::Borrowed(self.derived.posed_triangles.tree(&self.graph, node, part, pose)?)
        } else {
            TreeRef::Asset(mesh.parts.get(part)?.geometry.get())
        };
        Some(match &mesh.instances {
            _ if is_skinned => {
                let mirrored = self.derived.joint_matrices.mirrors(node);
                Shape { mirrored, ..Shape::world_space(tree) }
            }
            Some(instances) => Shape::instanced(tree, instances),
            None => Shape::new(tree),
        })
    }
}
