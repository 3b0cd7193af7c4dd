//! `Scenes`: several scenes by name, at most one of them active.
//!
//! Invariants: names are unique; the active scene is in the list.

use crate::{Error, Scene, ScenesError};

/// Scenes by name, in insertion order.
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
    scenes: Vec<Scene>,
    active: Option<usize>,
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
    /// [`Error::Scenes`] if a scene of that name exists; the new scene is dropped then.
    pub fn insert(&mut self, scene: Scene) -> Result<(), Error> {
        if self.index_of(&scene.name).is_some() {
            return Err(Error::Scenes(ScenesError::Taken(scene.name)));
        }
        self.scenes.push(scene);
        Ok(())
    }

    /// Removes and returns a scene. If it was active, no scene is active afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if no scene has this name.
    pub fn remove(&mut self, name: &str) -> Result<Scene, Error> {
        let index = self.find(name)?;
        self.active = match self.active {
            Some(active) if active == index => None,
            Some(active) if active > index => Some(active - 1),
            active => active,
        };
        Ok(self.scenes.remove(index))
    }

    /// Returns the scene of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scene> {
        self.index_of(name).map(|index| &self.scenes[index])
    }

    /// Returns the scene of this name for editing. Its name is its key: to rename it, remove it and
    /// insert it again.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Scene> {
        self.index_of(name).map(|index| &mut self.scenes[index])
    }

    /// Makes a scene the active one.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if no scene has this name.
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
        self.scenes.iter().position(|scene| scene.name == name)
    }

    fn find(&self, name: &str) -> Result<usize, Error> {
        self.index_of(name).ok_or_else(|| Error::Scenes(ScenesError::Unknown(name.into())))
    }
}
