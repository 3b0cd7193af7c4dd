//! Records and columns as a scene.
//!
//! Everything is checked on the way: indices against the lists, columns against their types and lengths,
//! and the graph as a whole. Memory is taken from the budget first.

pub(crate) mod assets;
mod clips;
pub(crate) mod components;
mod graph;

pub(crate) use components::{begin_table, check_distinct};

use std::collections::HashMap;
use std::sync::Arc;

use glam::Mat4;
use pleach::animation::Clip;
use pleach::light::{Ambient, Background, Environment, EnvironmentMap, EnvironmentSource, Fog};
use pleach::{Handle, Image, NodeId, Scene};

use crate::error::{Error, ErrorKind, Place, Result};
use crate::file::columns::{Columns, Row};
use crate::file::sections::Tag;
use crate::limits::Budget;
use crate::records::numbers::vec3;
use crate::records::scene::{
    BackgroundRecord, EnvironmentMapRecord, EnvironmentRecord, EnvironmentSourceRecord, Records,
    tags,
};

/// The offsets of the records in the file, by list. Empty for JSON.
#[derive(Debug, Default)]
pub(crate) struct Offsets(pub(crate) HashMap<Tag, Vec<u64>>);

impl Offsets {
    /// Returns the place of a record.
    fn place(&self, tag: Tag, list: &'static str, index: usize) -> Place {
        let offset = self.0.get(&tag).and_then(|offsets| offsets.get(index).copied());
        Place { list, index, offset }
    }
}

/// The columns, the budget and the offsets that records are decoded with.
pub(crate) struct Decoder<'a, 'b> {
    pub(crate) columns: &'a Columns<'b>,
    pub(crate) budget: &'a mut Budget,
    pub(crate) offsets: &'a Offsets,
    /// By column: inverse bind matrices that skins share.
    pub(crate) bind_matrices: HashMap<u32, Arc<[Mat4]>>,
}

impl Decoder<'_, '_> {
    /// Copies a column; it is empty if there is none.
    fn column_or_empty<T: Row>(&mut self, column: Option<u32>) -> Result<Vec<T>> {
        column.map_or(Ok(Vec::new()), |column| self.columns.get(column, self.budget))
    }

    /// Decodes a list of records.
    pub(crate) fn list<R, T>(
        &mut self,
        tag: Tag,
        name: &'static str,
        records: Vec<R>,
        mut decode: impl FnMut(&mut Self, R) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.budget.take(self.offsets.place(tag, name, 0).offset, records.len(), size_of::<T>())?;
        let records = records.into_iter().enumerate();
        let decoded = records.map(|(index, record)| {
            let place = self.offsets.place(tag, name, index);
            decode(self, record).map_err(|error| error.within(place))
        });
        decoded.collect()
    }

    /// Returns the live nodes in the slots of a column.
    pub(crate) fn nodes(&mut self, scene: &Scene, column: u32) -> Result<Vec<NodeId>> {
        let slots = self.columns.iter::<u32>(column)?;
        self.budget.take(self.columns.offset(column, 0), slots.len(), size_of::<NodeId>())?;
        let mut nodes = Vec::with_capacity(slots.len());
        for (at, slot) in slots.enumerate() {
            let node = scene.graph.node_at(slot as usize).ok_or_else(|| {
                let message = format!("slot {slot} has no live node, but a component");
                Error::at(ErrorKind::Value, self.columns.offset(column, at), message)
            })?;
            nodes.push(node);
        }
        Ok(nodes)
    }
}

/// Creates a scene from its records, without users' own components, and its clips.
pub(crate) fn decode(
    records: Records,
    decoder: &mut Decoder<'_, '_>,
) -> Result<(Scene, Vec<Arc<Clip>>)> {
    let Records { scene: head, graph, images, materials, geometries, clips, .. } = records;
    let graph = graph::decode(&graph, decoder)?;
    let mut scene = Scene::from_graph(graph, head.root.0)
        .map_err(|error| Error::new(ErrorKind::Value, format!("the root of the scene: {error}")))?;
    scene.name = head.name;
    scene.environment = environment(&head.environment);
    let assets = assets::decode(&scene, images, materials, geometries, decoder)?;
    let maps = decoder.list(
        tags::environment_maps,
        "environment_maps",
        records.environment_maps,
        |_, record| environment_map(&record, &assets.images),
    )?;
    scene.environment.map = at_most_one(maps)?;
    components::meshes(&mut scene, records.meshes, &assets, decoder)?;
    use components::{bounds, camera, constraint, light, lod, skin, table, weights};
    table(&mut scene, tags::skins, "skins", records.skins, decoder, skin)?;
    table(&mut scene, tags::cameras, "cameras", records.cameras, decoder, camera)?;
    table(&mut scene, tags::lights, "lights", records.lights, decoder, light)?;
    table(&mut scene, tags::weights, "weights", records.weights, decoder, weights)?;
    table(&mut scene, tags::lods, "lods", records.lods, decoder, lod)?;
    table(&mut scene, tags::constraints, "constraints", records.constraints, decoder, constraint)?;
    table(&mut scene, tags::bounds, "bounds", records.bounds, decoder, bounds)?;
    let clips = decoder.list(tags::clips, "clips", clips, clips::decode)?;
    Ok((scene, clips))
}

pub(crate) fn environment(record: &EnvironmentRecord) -> Environment {
    Environment {
        ambient: Ambient {
            color: vec3(record.ambient_color),
            intensity: record.ambient_intensity.0,
        },
        map: None,
        background: record.background.map(|background| match background {
            BackgroundRecord::Color(color) => Background::Color(vec3(color)),
            BackgroundRecord::EnvironmentMap { blur } => {
                Background::EnvironmentMap { blur: blur.0 }
            }
        }),
        fog: record.fog.map(|fog| Fog { color: vec3(fog.color), near: fog.near.0, far: fog.far.0 }),
    }
}

/// Returns the only entry of a list of environment maps or their edits.
pub(crate) fn at_most_one<T>(list: Vec<T>) -> Result<Option<T>> {
    if list.len() > 1 {
        let message = format!("the file has {} environment maps; a scene has one", list.len());
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(list.into_iter().next())
}

pub(crate) fn environment_map(
    record: &EnvironmentMapRecord,
    images: &[Handle<Image>],
) -> Result<EnvironmentMap> {
    let source = match record.source {
        EnvironmentSourceRecord::Studio => EnvironmentSource::Studio,
        EnvironmentSourceRecord::Image(index) => {
            EnvironmentSource::Image(assets::entry(images, "image", index)?.clone())
        }
    };
    Ok(EnvironmentMap { source, intensity: record.intensity.0, rotation: record.rotation.0 })
}
