//! `AssetMap`: the numbers by which the patches of a scene refer to its assets.
//!
//! Ids of assets are unique in a program, so they mean nothing to another one. A map gives every asset
//! a number that is the same on both sides: those of a scene have the indices that they have in its
//! snapshot, and an asset that a patch uses first has the next number.
//!
//! Invariant: `numbers` has the index of each of `handles` by its id. Handles are appended only.

use std::collections::HashMap;

use pleach::asset::{Asset, AssetId};
use pleach::{Geometry, Handle, Image, Material, Scene};

use crate::encode::assets::{AssetNumbers, UsedAssets};
use crate::encode::components::DistinctMeshes;
use crate::error::{Error, ErrorKind, Result};

/// The numbers of the assets of a scene in the files of its patches.
///
/// A program that writes patches and one that reads them have a map each. Both begin with
/// [`of_scene`](Self::of_scene): one with the scene that it wrote a snapshot of, the other with the
/// scene of that snapshot. Then every patch is written and read once, in order, and adds the assets
/// that are new. The map keeps its assets alive, as the other side may refer to them.
///
/// ```
/// use pleach::{Material, Mesh, Node, Scene, glam::Vec3, shapes::Cuboid};
/// use pleach_format::{AssetMap, Options};
///
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
/// let wood = scene.assets.add(Material::default());
/// let node = scene.spawn(Node::mesh(&cube, &wood))?;
/// let snapshot = pleach_format::to_bytes(&scene)?;
/// let mut map = AssetMap::of_scene(&scene);
///
/// let (_, patch) = scene.transact("Paint", |scene| {
///     wood.edit(|material| material.roughness = 0.5);                  // edited in place
///     let iron = scene.assets.add(Material::default().named("iron"));  // new
///     scene.insert(node, Mesh::new(cube.clone(), iron))
/// })?;
/// let options = Options::new();
/// let bytes = options.scene_patch_to_bytes(&patch, &mut map)?;
///
/// // On another machine:
/// let mut copy = pleach_format::from_bytes(&snapshot)?;
/// let mut map = AssetMap::of_scene(&copy);
/// let patch = options.scene_patch_from_bytes(&bytes, &copy, &mut map)?;
/// copy.apply(&patch)?;
/// assert_eq!(copy.mesh(node).unwrap().parts[0].material.get().name.as_deref(), Some("iron"));
/// copy.revert(&patch)?;
/// assert_eq!(copy.mesh(node).unwrap().parts[0].material.get().roughness, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AssetMap {
    pub(crate) images: Numbers<Image>,
    pub(crate) materials: Numbers<Material>,
    pub(crate) geometries: Numbers<Geometry>,
}

/// The assets of one kind, by number.
#[derive(Debug)]
pub(crate) struct Numbers<T: Asset> {
    handles: Vec<Handle<T>>,
    /// By asset: the revision that the patch leads to which added it; 0 for those of the scene.
    origins: Vec<u64>,
    numbers: HashMap<AssetId, u32>,
}

/// The number of assets of each kind: a state of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) images: u32,
    pub(crate) materials: u32,
    pub(crate) geometries: u32,
}

impl AssetMap {
    /// Numbers the assets that the meshes of a scene use, in the order of their creation.
    ///
    /// A scene and the one that is read from its snapshot have the same numbers.
    #[must_use]
    pub fn of_scene(scene: &Scene) -> Self {
        let used = UsedAssets::of(&DistinctMeshes::find(scene).values, &scene.environment);
        let mut map = Self::default();
        used.images.handles().for_each(|handle| map.images.push(handle, 0));
        used.materials.handles().for_each(|handle| map.materials.push(handle, 0));
        used.geometries.handles().for_each(|handle| map.geometries.push(handle, 0));
        map
    }

    /// Returns the number of assets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.images.handles.len() + self.materials.handles.len() + self.geometries.handles.len()
    }

    /// Returns `true` if the map has no assets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            images: self.images.handles.len() as u32,
            materials: self.materials.handles.len() as u32,
            geometries: self.geometries.handles.len() as u32,
        }
    }

    /// Forgets the assets that were added since there were as many as `counts`.
    pub(crate) fn truncate(&mut self, counts: Counts) {
        self.images.truncate(counts.images);
        self.materials.truncate(counts.materials);
        self.geometries.truncate(counts.geometries);
    }
}

impl AssetNumbers for AssetMap {
    fn image(&self, handle: &Handle<Image>) -> u32 {
        self.images.number(handle)
    }

    fn material(&self, handle: &Handle<Material>) -> u32 {
        self.materials.number(handle)
    }

    fn geometry(&self, handle: &Handle<Geometry>) -> u32 {
        self.geometries.number(handle)
    }
}

impl<T: Asset> Numbers<T> {
    /// Returns the assets, by number.
    pub(crate) fn handles(&self) -> &[Handle<T>] {
        &self.handles
    }

    pub(crate) fn contains(&self, handle: &Handle<T>) -> bool {
        self.numbers.contains_key(&handle.id())
    }

    /// Returns the number of an asset, which was added before.
    fn number(&self, handle: &Handle<T>) -> u32 {
        *self.numbers.get(&handle.id()).expect("all assets of the patch were collected")
    }

    pub(crate) fn push(&mut self, handle: &Handle<T>, origin: u64) {
        self.numbers.insert(handle.id(), self.handles.len() as u32);
        self.handles.push(handle.clone());
        self.origins.push(origin);
    }

    fn truncate(&mut self, count: u32) {
        for handle in self.handles.drain(count as usize..) {
            self.numbers.remove(&handle.id());
        }
        self.origins.truncate(count as usize);
    }

    /// Returns `true` if the assets that a patch adds are here already, because it was read or written
    /// before: `count` of them, from number `first` on. `origin` is the revision that it leads to.
    ///
    /// # Errors
    ///
    /// If other assets have these numbers, or there are fewer than `first`.
    pub(crate) fn has_added(
        &self,
        kind: &str,
        first: u32,
        count: usize,
        origin: u64,
    ) -> Result<bool> {
        let known = self.handles.len();
        if known == first as usize {
            return Ok(false);
        }
        let added = self.origins.get(first as usize..).unwrap_or(&[]);
        if known == first as usize + count && added.iter().all(|&it| it == origin) {
            return Ok(true);
        }
        let message = format!(
            "the patch was written when there were {first} assets of kind {kind}, but the map has \
             {known}: read every patch of a scene once, in order, with the same map",
        );
        Err(Error::new(ErrorKind::Patch, message))
    }
}

impl<T: Asset> Default for Numbers<T> {
    fn default() -> Self {
        Self { handles: Vec::new(), origins: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Asset> Clone for Numbers<T> {
    fn clone(&self) -> Self {
        let Self { handles, origins, numbers } = self;
        Self { handles: handles.clone(), origins: origins.clone(), numbers: numbers.clone() }
    }
}
