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
        if self.place(&scene.name).is_some() {
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
        let place = self.known(name)?;
        self.active = match self.active {
            Some(active) if active == place => None,
            Some(active) if active > place => Some(active - 1),
            active => active,
        };
        Ok(self.scenes.remove(place))
    }

    /// A scene.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scene> {
        self.place(name).map(|place| &self.scenes[place])
    }

    /// A scene, to change. (Its name is its key here: take it out to change that.)
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Scene> {
        self.place(name).map(|place| &mut self.scenes[place])
    }

    /// Makes a scene the active one.
    ///
    /// # Errors
    ///
    /// [`Error::Scenes`] if there is none of this name.
    pub fn activate(&mut self, name: &str) -> Result<(), Error> {
        self.active = Some(self.known(name)?);
        Ok(())
    }

    /// Makes none active.
    pub fn deactivate(&mut self) {
        self.active = None;
    }

    /// The active scene.
    #[must_use]
    pub fn active(&self) -> Option<&Scene> {
        self.active.map(|place| &self.scenes[place])
    }

    /// The active scene, to change.
    pub fn active_mut(&mut self) -> Option<&mut Scene> {
        self.active.map(|place| &mut self.scenes[place])
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

    fn place(&self, name: &str) -> Option<usize> {
        self.scenes.iter().position(|scene| scene.name == name)
    }

    fn known(&self, name: &str) -> Result<usize, Error> {
        self.place(name).ok_or_else(|| Error::Scenes(ScenesError::Unknown(name.into())))
    }
}
