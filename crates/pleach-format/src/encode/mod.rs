//! A scene as records and columns.
//!
//! Every struct of `pleach` is taken apart without `..`, so that a new field does not compile until it
//! is written, too. Equal scenes give equal bytes: nothing depends on addresses or the order of hashes.

pub(crate) mod assets;
mod clips;
pub(crate) mod components;
mod graph;

use std::collections::HashMap;
use std::sync::Arc;

use pleach::Scene;
use pleach::animation::Clip;
use pleach::light::{Ambient, Background, Environment, EnvironmentMap, EnvironmentSource, Fog};

use self::assets::{AssetNumbers, UsedAssets};
use crate::error::{Error, ErrorKind, Result};
use crate::file::columns::{ColumnWriter, Row};
use crate::records::numbers::{F32, Node, f32s};
use crate::records::scene::{
    BUILT_IN, BackgroundRecord, EnvironmentMapRecord, EnvironmentRecord, EnvironmentSourceRecord,
    FogRecord, Records, SceneRecord,
};

/// Appends the columns of a scene, and returns its records.
pub(crate) fn encode(
    scene: &Scene,
    clips: &[Arc<Clip>],
    columns: &mut SharedColumns<'_>,
) -> Result<Records> {
    let meshes = components::DistinctMeshes::find(scene);
    let assets = UsedAssets::of(&meshes.values, &scene.environment);
    let maps = scene.environment.map.iter();
    columns.writer.reserve(assets.memory());
    Ok(Records {
        scene: SceneRecord {
            name: scene.name.clone(),
            root: Node(scene.root()),
            environment: environment(&scene.environment)?,
        },
        graph: graph::encode(&scene.graph, columns)?,
        images: assets.encode_images(columns)?,
        environment_maps: maps.map(|map| environment_map(map, &assets)).collect::<Result<_>>()?,
        materials: assets.encode_materials()?,
        geometries: assets.encode_geometries(columns)?,
        clips: clips.iter().map(|clip| clips::encode(clip, columns)).collect::<Result<_>>()?,
        meshes: meshes.encode(scene, &assets, columns),
        skins: components::table(scene, columns, components::skin)?,
        cameras: components::table(scene, columns, components::camera)?,
        lights: components::table(scene, columns, components::light)?,
        weights: components::table(scene, columns, components::weights)?,
        lods: components::table(scene, columns, components::lod)?,
        constraints: components::table(scene, columns, components::constraint)?,
        bounds: components::table(scene, columns, components::bounds)?,
    })
}

/// Fails if the scene has a built-in table that this version of the format does not know.
pub(crate) fn check_built_in_kinds(scene: &Scene) -> Result<()> {
    let kinds = scene.component_kinds().map(|(name, _)| name);
    if kinds.take(BUILT_IN.len()).eq(BUILT_IN.iter().copied()) {
        return Ok(());
    }
    Err(unsupported("a built-in kind of components"))
}

/// Encodes an environment without its map, which is a record of its own.
pub(crate) fn environment(environment: &Environment) -> Result<EnvironmentRecord> {
    let Environment { ambient: Ambient { color, intensity }, map: _, background, fog } =
        environment;
    let background = background.map(|background| match background {
        Background::Color(color) => Ok(BackgroundRecord::Color(f32s(color))),
        Background::EnvironmentMap { blur } => {
            Ok(BackgroundRecord::EnvironmentMap { blur: F32(blur) })
        }
        _ => Err(unsupported("the background")),
    });
    let fog = fog.map(|Fog { color, near, far }| FogRecord {
        color: f32s(color),
        near: F32(near),
        far: F32(far),
    });
    Ok(EnvironmentRecord {
        ambient_color: f32s(*color),
        ambient_intensity: F32(*intensity),
        background: background.transpose()?,
        fog,
    })
}

pub(crate) fn environment_map(
    map: &EnvironmentMap,
    assets: &impl AssetNumbers,
) -> Result<EnvironmentMapRecord> {
    let EnvironmentMap { source, intensity, rotation } = map;
    let source = match source {
        EnvironmentSource::Studio => EnvironmentSourceRecord::Studio,
        EnvironmentSource::Image(image) => EnvironmentSourceRecord::Image(assets.image(image)),
        _ => return Err(unsupported("the source of the environment map")),
    };
    Ok(EnvironmentMapRecord { source, intensity: F32(*intensity), rotation: F32(*rotation) })
}

/// Returns the error for a value that is newer than the format.
pub(crate) fn unsupported(what: &str) -> Error {
    let message = format!(
        "{what} cannot be expressed in version {} of the format",
        crate::file::sections::FORMAT_VERSION,
    );
    Error::new(ErrorKind::Unsupported, message)
}

/// Columns, of which those with the same memory are written once.
#[derive(Debug)]
pub(crate) struct SharedColumns<'a> {
    pub(crate) writer: ColumnWriter<'a>,
    /// By address and size of a row: the index of the column.
    written: HashMap<(usize, usize), u32>,
}

impl<'a> SharedColumns<'a> {
    pub(crate) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { writer: ColumnWriter::new(bytes), written: HashMap::new() }
    }

    /// Creates a writer for values before and after edits: equal columns are written once.
    pub(crate) fn deduplicating(bytes: &'a mut Vec<u8>) -> Self {
        Self { writer: ColumnWriter::deduplicating(bytes), written: HashMap::new() }
    }

    /// Appends a column, unless one of this `address` was.
    pub(crate) fn push_shared<T: Row>(&mut self, address: usize, rows: &[T]) -> u32 {
        let Self { writer, written } = self;
        *written.entry((address, size_of::<T>())).or_insert_with(|| writer.push_new(rows))
    }

    /// Appends a column, unless it is empty.
    fn push_some<T: Row>(&mut self, rows: &[T]) -> Option<u32> {
        (!rows.is_empty()).then(|| self.writer.push(rows))
    }
}
