//! `Scenes`: several scenes by name, at most one of them active.
//!
//! Invariants: names are unique, whatever happens to the `name` of a scene; the active scene is in
//! the list.

use std::fmt;

use crate::{Error, Scene, ScenesError};

/// Scenes by name, in insertion order.
///
/// A scene is found by the name that it had when it was inserted. Editing [`Scene::name`] afterwards
/// does not change that; [`rename`](Self::rename) does.
///
/// ```
/// use pleach::{Scene, Scenes};
///
/// let mut scenes = Scenes::new();
/// scenes.insert(Scene::named("menu"))?;
/// scenes.insert(Scene::named("level"))?;
/// scenes.activate("level")?;
/// assert_eq!(scenes.active().unwrap().name, "level");
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Scenes {
    names: Vec<String>,
    /// In the order of `names`.
    scenes: Vec<Scene>,
    active: Option<usize>,
}

/// A scene that was not inserted, because another one has its name.
#[derive(Debug)]
pub struct NameTaken(pub Box<Scene>);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ScenesError::Taken(self.0.name.clone()).fmt(f)
    }
}

impl std::error::Error for NameTaken {}

impl From<NameTaken> for Error {
    /// Drops the scene.
    fn from(NameTaken(scene): NameTaken) -> Self {
        Self::Scenes(ScenesError::Taken(scene.name))
    }
}

impl Scenes {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scene under its own name.
    ///
    /// # Errors
    ///
    /// [`NameTaken`], with the scene, if a scene of that name exists.
    ///
    /// ```
    /// # use pleach::{Scene, Scenes};
    /// let mut scenes = Scenes::new();
    /// scenes.insert(Scene::named("level"))?;
    /// let mut other = scenes.insert(Scene::named("level")).unwrap_err().0;
    /// other.name = "level 2".into();
    /// scenes.insert(*other)?;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn insert(&mut self, scene: Scene) -> Result<(), NameTaken> {
        if self.index_of(&scene.name).is_some() {
            return Err(NameTaken(Box::new(scene)));
        }
        self.names.push(scene.name.clone());
        self.scenes.push(scene);
        Ok(())
    }

    /// Removes and returns a scene. If it was active, no scene is active afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if no scene has this name.
    ///
    /// ```
    /// # use pleach::{Scene, Scenes};
    /// # let mut scenes = Scenes::new();
    /// scenes.insert(Scene::named("menu"))?;
    /// assert_eq!(scenes.remove("menu")?.name, "menu");
    /// assert!(scenes.is_empty());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn remove(&mut self, name: &str) -> Result<Scene, Error> {
        let index = self.find(name)?;
        self.active = match self.active {
            Some(active) if active == index => None,
            Some(active) if active > index => Some(active - 1),
            active => active,
        };
        self.names.remove(index);
        Ok(self.scenes.remove(index))
    }

    /// Changes the name of a scene: the name that it is found by, and its [`Scene::name`].
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if no scene has the name `name`, or another scene has the name `new_name`.
    ///
    /// ```
    /// # use pleach::{Scene, Scenes};
    /// # let mut scenes = Scenes::new();
    /// scenes.insert(Scene::named("draft"))?;
    /// scenes.rename("draft", "level")?;
    /// assert_eq!(scenes.get("level").unwrap().name, "level");
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn rename(&mut self, name: &str, new_name: &str) -> Result<(), Error> {
        let index = self.find(name)?;
        if self.index_of(new_name).is_some_and(|other| other != index) {
            return Err(Error::Scenes(ScenesError::Taken(new_name.into())));
        }
        self.names[index] = new_name.into();
        self.scenes[index].name = new_name.into();
        Ok(())
    }

    /// Returns the scene of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scene> {
        self.index_of(name).map(|index| &self.scenes[index])
    }

    /// Returns the scene of this name for editing.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Scene> {
        self.index_of(name).map(|index| &mut self.scenes[index])
    }

    /// Returns several scenes for editing at once; `None` if one of them does not exist, or is
    /// requested twice.
    ///
    /// ```
    /// # use pleach::{Node, Scene, Scenes};
    /// # let mut scenes = Scenes::new();
    /// scenes.insert(Scene::named("prefabs"))?;
    /// scenes.insert(Scene::named("level"))?;
    /// let [prefabs, level] = scenes.get_disjoint_mut(["prefabs", "level"]).unwrap();
    /// let tree = prefabs.spawn(Node::group().named("tree"))?;
    /// level.clone_subtree_from(prefabs, tree, None)?;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        names: [&str; N],
    ) -> Option<[&mut Scene; N]> {
        // A name that does not exist has an index out of range.
        let indices = names.map(|name| self.index_of(name).unwrap_or(usize::MAX));
        self.scenes.get_disjoint_mut(indices).ok()
    }

    /// Makes a scene the active one.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if no scene has this name.
    ///
    /// ```
    /// # use pleach::{Scene, Scenes};
    /// # let mut scenes = Scenes::new();
    /// scenes.insert(Scene::named("menu"))?;
    /// scenes.activate("menu")?;
    /// assert!(scenes.activate("attic").is_err());
    /// assert_eq!(scenes.active().unwrap().name, "menu");
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn activate(&mut self, name: &str) -> Result<(), Error> {
        self.active = Some(self.find(name)?);
        Ok(())
    }

    /// Makes no scene active.
    pub fn deactivate(&mut self) {
        self.active = None;
    }

    /// Returns the active scene.
    #[must_use]
    pub fn active(&self) -> Option<&Scene> {
        self.active.map(|index| &self.scenes[index])
    }

    /// Returns the active scene for editing.
    pub fn active_mut(&mut self) -> Option<&mut Scene> {
        self.active.map(|index| &mut self.scenes[index])
    }

    /// Iterates over the names that the scenes are found by, in insertion order.
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Iterates over all scenes in insertion order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Scene> {
        self.scenes.iter()
    }

    /// Iterates over all scenes for editing, in insertion order.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Scene> {
        self.scenes.iter_mut()
    }

    /// Returns the number of scenes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scenes.len()
    }

    /// Returns `true` if there are no scenes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scenes.is_empty()
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    fn find(&self, name: &str) -> Result<usize, Error> {
        self.index_of(name).ok_or_else(|| Error::Scenes(ScenesError::Unknown(name.into())))
    }
}
