//! Records and columns as a patch of a scene.
//!
//! Whether the patch fits the scene is checked last, as a whole.

use pleach::asset::Asset;
use pleach::component::{Component, RowEdit};
use pleach::graph::Patch;
use pleach::undo::ScenePatch;
use pleach::{Geometry, Handle, Image, Material, Scene};

use super::records::{
    AssetEditRecord, GEOMETRY_EDITS, IMAGE_EDITS, MATERIAL_EDITS, Records, RowEditRecord,
};
use crate::AssetMap;
use crate::decode::assets::{
    SharedVertices, decode_geometry, decode_image, decode_material, entry,
};
use crate::decode::components::{bounds, camera, constraint, light, lod, mesh, skin, weights};
use crate::decode::{Decoder, at_most_one, environment, environment_map};
use crate::error::{Error, ErrorKind, Result};
use crate::file::sections::Tag;
use crate::records::scene::{EnvironmentMapRecord, tags};

/// Creates a patch from its records, without users' own components. Assets that are new are added to
/// `map` and to the registry of the scene.
pub(super) fn decode(
    graph: Patch,
    records: Records,
    scene: &Scene,
    map: &mut AssetMap,
    decoder: &mut Decoder<'_, '_>,
) -> Result<ScenePatch> {
    let origin = graph.revisions().1;
    let mut patch = ScenePatch::from_graph(graph);
    let head = records.scene;
    patch.set_scene_name(head.name);

    let (images, materials, geometries) =
        (&mut map.images, &mut map.materials, &mut map.geometries);
    let mut shared = SharedVertices::default();
    if !images.has_added("image", head.images, records.images.len(), origin)? {
        let new = decoder.list(tags::images, "images", records.images, decode_image)?;
        new.into_iter().for_each(|value| images.push(&scene.assets.add(value), origin));
    }
    let images = images.handles();
    let material = |decoder: &mut Decoder<'_, '_>, record| decode_material(decoder, record, images);
    if !materials.has_added("material", head.materials, records.materials.len(), origin)? {
        let new = decoder.list(tags::materials, "materials", records.materials, material)?;
        new.into_iter().for_each(|value| materials.push(&scene.assets.add(value), origin));
    }
    let mut geometry =
        |decoder: &mut Decoder<'_, '_>, record| decode_geometry(decoder, &mut shared, record);
    if !geometries.has_added("geometry", head.geometries, records.geometries.len(), origin)? {
        let new =
            decoder.list(tags::geometries, "geometries", records.geometries, &mut geometry)?;
        new.into_iter().for_each(|value| geometries.push(&scene.assets.add(value), origin));
    }
    let (materials, geometries) = (materials.handles(), geometries.handles());

    let mut environments = head.environment.map(|change| change.map(|it| environment(&it)));
    let maps = decoder.list(
        tags::environment_maps,
        "environment_maps",
        records.environment_maps,
        |_, record| {
            let map = |it: Option<EnvironmentMapRecord>| {
                it.map(|it| environment_map(&it, images)).transpose()
            };
            Ok([map(record.old)?, map(record.new)?])
        },
    )?;
    if let Some(maps) = at_most_one(maps)? {
        let Some(environments) = &mut environments else {
            let message = "an environment map is edited, but not the environment";
            return Err(Error::new(ErrorKind::Value, message));
        };
        environments.iter_mut().zip(maps).for_each(|(environment, map)| environment.map = map);
    }
    patch.set_environment(environments);

    let of_image = (IMAGE_EDITS, "image_edits");
    assets::<Image, _>(&mut patch, of_image, records.image_edits, images, decoder, decode_image)?;
    let of_material = (MATERIAL_EDITS, "material_edits");
    assets::<Material, _>(
        &mut patch,
        of_material,
        records.material_edits,
        materials,
        decoder,
        material,
    )?;
    let of_geometry = (GEOMETRY_EDITS, "geometry_edits");
    assets::<Geometry, _>(
        &mut patch,
        of_geometry,
        records.geometry_edits,
        geometries,
        decoder,
        geometry,
    )?;

    rows(&mut patch, tags::meshes, "meshes", records.meshes, decoder, |decoder, record| {
        mesh(decoder, record, geometries, materials)
    })?;
    rows(&mut patch, tags::skins, "skins", records.skins, decoder, skin)?;
    rows(&mut patch, tags::cameras, "cameras", records.cameras, decoder, camera)?;
    rows(&mut patch, tags::lights, "lights", records.lights, decoder, light)?;
    rows(&mut patch, tags::weights, "weights", records.weights, decoder, weights)?;
    rows(&mut patch, tags::lods, "lods", records.lods, decoder, lod)?;
    rows(&mut patch, tags::constraints, "constraints", records.constraints, decoder, constraint)?;
    rows(&mut patch, tags::bounds, "bounds", records.bounds, decoder, bounds)?;
    Ok(patch)
}

/// Checks that a patch fits the scene that it was read for.
pub(super) fn check(patch: &ScenePatch, scene: &Scene) -> Result<()> {
    scene.check_patch(patch).map_err(misfit)
}

/// Returns the error for a patch that does not fit.
pub(super) fn misfit(error: impl ToString) -> Error {
    Error::new(ErrorKind::Patch, error.to_string())
}

fn assets<T: Asset, R>(
    patch: &mut ScenePatch,
    (tag, name): (Tag, &'static str),
    records: Vec<AssetEditRecord<R>>,
    handles: &[Handle<T>],
    decoder: &mut Decoder<'_, '_>,
    mut decode: impl FnMut(&mut Decoder<'_, '_>, R) -> Result<T>,
) -> Result<()> {
    let edits = decoder.list(tag, name, records, |decoder, record| {
        let AssetEditRecord { asset, old, new } = record;
        let handle = entry(handles, "asset", asset)?.clone();
        Ok((handle, decode(decoder, old)?, decode(decoder, new)?))
    })?;
    patch.extend_asset_edits(edits);
    Ok(())
}

fn rows<T: Component, R>(
    patch: &mut ScenePatch,
    tag: Tag,
    name: &'static str,
    records: Vec<RowEditRecord<R>>,
    decoder: &mut Decoder<'_, '_>,
    mut decode: impl FnMut(&mut Decoder<'_, '_>, R) -> Result<T>,
) -> Result<()> {
    let edits = decoder.list(tag, name, records, |decoder, record| {
        // The list may have twice the capacity.
        decoder.budget.take(None, 1, size_of::<RowEdit<T>>())?;
        row(record, |value| decode(decoder, value))
    })?;
    patch.set_row_edits(edits);
    Ok(())
}

/// Returns the edit of a record, with values that `decode` returns.
pub(crate) fn row<T, R>(
    record: RowEditRecord<R>,
    mut decode: impl FnMut(R) -> Result<T>,
) -> Result<RowEdit<T>> {
    Ok(match record {
        RowEditRecord::Insert { node, new } => RowEdit::Insert { node: node.0, new: decode(new)? },
        RowEditRecord::Remove { node, index, old } => RowEdit::Remove {
            node: node.0,
            index: usize::try_from(index).unwrap_or(usize::MAX),
            old: decode(old)?,
        },
        RowEditRecord::Change { node, old, new } => {
            RowEdit::Change { node: node.0, old: decode(old)?, new: decode(new)? }
        }
    })
}
