//! `SaveContext`: the state of one save.
//!
//! The steps of `compare` and `output` are its methods, one file per kind of object.

use std::collections::HashMap;

use super::compare::animated_nodes::AnimatedNodes;
use super::compare::animation::KeyTimes;
use super::compare::camera_light::{ValueTable, representable_camera, representable_light};
use super::compare::geometry::AttributeCache;
use super::compare::index_map::IndexMap;
use super::compare::instances::Instances;
use super::compare::mesh::{Materials, Meshes};
use super::compare::skin::Skins;
use super::compare::texture::Textures;
use super::input::SaveInput;
use super::output::output_document::OutputDocument;
use crate::Error;

/// The input, the output, and the indices of what was written so far.
pub(crate) struct SaveContext<'a> {
    pub(crate) input: &'a SaveInput<'a>,
    pub(crate) index_map: &'a IndexMap,
    pub(crate) output: OutputDocument<'a>,
    pub(crate) meshes: Meshes,
    pub(crate) materials: Materials,
    pub(crate) attributes: AttributeCache,
    pub(crate) skins: Skins,
    pub(crate) cameras: ValueTable<pleach::Camera>,
    pub(crate) lights: ValueTable<pleach::Light>,
    pub(crate) textures: Textures,
    pub(crate) instances: Instances,
    pub(crate) key_times: KeyTimes,
    pub(crate) animated: AnimatedNodes,
    /// The numbers of morph targets of the meshes of written nodes; only nodes with targets.
    pub(crate) morph_targets: HashMap<usize, usize>,
    /// Nodes animated by the loaded file whose pose differs from it.
    pub(crate) posed: Vec<usize>,
}

impl<'a> SaveContext<'a> {
    /// Creates the context for `input`, with the file's entries as already written.
    pub(crate) fn new(input: &'a SaveInput<'a>, index_map: &'a IndexMap) -> Result<Self, Error> {
        let document = input.document;
        let (appended_buffer, appended_from) = input.appended_buffer();
        let mut output = OutputDocument::new(input.root, appended_buffer, appended_from);
        let scenes = input.scenes.iter();
        let cameras = scenes.clone().flat_map(|scene| scene.cameras.iter(&scene.graph));
        let lights = scenes.flat_map(|scene| scene.lights.iter(&scene.graph));
        let cameras = cameras.map(|(_, camera)| representable_camera(camera));
        let lights = lights.map(|(_, light)| representable_light(light));
        Ok(Self {
            meshes: Meshes::new(input),
            materials: Materials::new(input),
            attributes: AttributeCache::default(),
            skins: Skins::new(input, index_map, &mut output),
            cameras: ValueTable::new(&document.cameras, cameras),
            lights: ValueTable::new(&document.lights, lights),
            textures: Textures::new(input.root, &document.images),
            instances: Instances::new(input)?,
            key_times: KeyTimes::new(),
            animated: AnimatedNodes::of(input, index_map),
            morph_targets: HashMap::new(),
            posed: Vec::new(),
            input,
            index_map,
            output,
        })
    }
}
