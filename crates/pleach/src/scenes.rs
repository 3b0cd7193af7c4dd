//! `Scenes`: several scenes by name, one of them active.
//!
//! Invariant: names are unique; the active one, if any, is among them.

use crate::{Error, Scene, ScenesError};

/// Several scenes by name, in the order they came in.
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
    /// No scenes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scene under its own name.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if there is one of that name; the scene is dropped then.
    pub fn insert(&mut self, scene: Scene) -> Result<(), Error> {
        if self.index_of(&scene.name).is_some() {
            return Err(Error::Scenes(ScenesError::Taken(scene.name)));
        }
        self.scenes.push(scene);
        Ok(())
    }

    /// Takes a scene out. If it was the active one, none is.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if there is none of this name.
    pub fn remove(&mut self, name: &str) -> Result<Scene, Error> {
        let index = self.find(name)?;
        self.active = match self.active {
            Some(active) if active == index => None,
            Some(active) if active > index => Some(active - 1),
            active => active,
        };
        Ok(self.scenes.remove(index))
    }

    /// A scene.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scene> {
        self.index_of(name).map(|index| &self.scenes[index])
    }

    /// A scene, to change. (Its name is its key here: take it out to change that.)
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Scene> {
        self.index_of(name).map(|index| &mut self.scenes[index])
    }

    /// Makes a scene the active one.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if there is none of this name.
    pub fn activate(&mut self, name: &str) -> Result<(), Error> {
        self.active = Some(self.find(name)?);
        Ok(())
    }

    /// Makes none active.
    pub fn deactivate(&mut self) {
        self.active = None;
    }

    /// The active scene.
    #[must_use]
    pub fn active(&self) -> Option<&Scene> {
        self.active.map(|index| &self.scenes[index])
    }

    /// The active scene, to change.
    pub fn active_mut(&mut self) -> Option<&mut Scene> {
        self.active.map(|index| &mut self.scenes[index])
    }

    /// All scenes, in the order they came in.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Scene> {
        self.scenes.iter()
    }

    /// All scenes, to change.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Scene> {
        self.scenes.iter_mut()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scenes.len()
    }

    /// Are there none?
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
