//! A patch of a scene as records and columns.

use pleach::component::{Component, RowEdit};
use pleach::light::EnvironmentMap;
use pleach::undo::{RecordedAsset, ScenePatch};
use pleach::{Geometry, Handle, Image, Material, Mesh};

use super::records::{
    AssetEditRecord, EnvironmentMapEditRecord, Records, RowEditRecord, ScenePatchRecord,
};
use crate::AssetMap;
use crate::asset_map::{Counts, Numbers};
use crate::encode::assets::{AssetNumbers, encode_geometry, encode_image, encode_material};
use crate::encode::components::{
    bounds, camera, constraint, encode_mesh, light, lod, skin, weights,
};
use crate::encode::{SharedColumns, environment, environment_map, unsupported};
use crate::error::Result;
use crate::records::numbers::Node;

/// Appends the columns of a patch, and returns its records. The assets that are new to `map` are added
/// to it.
pub(super) fn encode(
    patch: &ScenePatch,
    map: &mut AssetMap,
    columns: &mut SharedColumns<'_>,
) -> Result<Records> {
    check_asset_kinds(patch)?;
    let before = map.counts();
    add_new_assets(patch, map);
    let map = &*map;
    let Counts { images, materials, geometries } = before;
    let environments = patch
        .environment()
        .map(|[old, new]| Ok::<_, crate::Error>([environment(old)?, environment(new)?]));
    Ok(Records {
        scene: ScenePatchRecord {
            images,
            materials,
            geometries,
            name: patch.scene_name().cloned(),
            environment: environments.transpose()?,
        },
        images: new_assets(&map.images, images, patch, |it| encode_image(it, columns))?,
        materials: new_assets(&map.materials, materials, patch, |it| encode_material(it, map))?,
        geometries: new_assets(&map.geometries, geometries, patch, |it| {
            encode_geometry(it, columns)
        })?,
        environment_maps: environment_maps(patch, map)?,
        image_edits: asset_edits(patch, |it| map.image(it), |it| encode_image(it, columns))?,
        material_edits: asset_edits(patch, |it| map.material(it), |it| encode_material(it, map))?,
        geometry_edits: asset_edits(
            patch,
            |it| map.geometry(it),
            |it| encode_geometry(it, columns),
        )?,
        meshes: rows(patch, |it| Ok(encode_mesh(it, map, columns)))?,
        skins: rows(patch, |it| skin(it, columns))?,
        cameras: rows(patch, |it| camera(it, columns))?,
        lights: rows(patch, |it| light(it, columns))?,
        weights: rows(patch, |it| weights(it, columns))?,
        lods: rows(patch, |it| lod(it, columns))?,
        constraints: rows(patch, |it| constraint(it, columns))?,
        bounds: rows(patch, |it| bounds(it, columns))?,
    })
}

/// Fails if a user's own kind of asset was edited: there is no way to write it.
fn check_asset_kinds(patch: &ScenePatch) -> Result<()> {
    let known = patch.asset_edits::<Image>().count()
        + patch.asset_edits::<Material>().count()
        + patch.asset_edits::<Geometry>().count();
    if patch.assets().count() == known {
        return Ok(());
    }
    Err(unsupported("an edit of an asset that is neither an image, a material nor a geometry"))
}

/// Gives numbers to the assets that a patch uses and that have none, in the order of their ids.
fn add_new_assets(patch: &ScenePatch, map: &mut AssetMap) {
    let origin = patch.graph().revisions().1;
    let meshes = || patch.row_edits::<Mesh>().iter().flat_map(RowEdit::values);
    let parts = || meshes().flat_map(|mesh| &mesh.parts);
    let edited = patch.asset_edits::<Material>();
    let materials = parts().map(|part| &part.material);
    let materials = materials.chain(meshes().flat_map(|mesh| &mesh.materials));
    let materials =
        add_new(&mut map.materials, edited.map(|it| &it.handle).chain(materials), origin);
    let geometries = patch.asset_edits::<Geometry>().map(|edit| &edit.handle);
    add_new(&mut map.geometries, geometries.chain(parts().map(|part| &part.geometry)), origin);

    let versions = patch.asset_edits::<Material>().flat_map(|edit| [&edit.old, &edit.new]);
    let versions: Vec<_> =
        versions.cloned().chain(materials.iter().map(Handle::snapshot)).collect();
    let textures = versions.iter().flat_map(|version| version.textures());
    let images = textures.map(|texture| &texture.image);
    let edited = patch.asset_edits::<Image>().map(|edit| &edit.handle);
    let environments = patch.environment().into_iter().flatten();
    let skies = environments.filter_map(|it| it.map.as_ref()?.as_image());
    add_new(&mut map.images, edited.chain(images).chain(skies), origin);
}

/// Adds the handles that a list does not have yet, and returns them.
fn add_new<'a, T: pleach::asset::Asset>(
    numbers: &mut Numbers<T>,
    handles: impl Iterator<Item = &'a Handle<T>>,
    origin: u64,
) -> Vec<Handle<T>> {
    let mut new: Vec<Handle<T>> =
        handles.filter(|handle| !numbers.contains(handle)).cloned().collect();
    new.sort_unstable();
    new.dedup();
    new.iter().for_each(|handle| numbers.push(handle, origin));
    new
}

/// Returns the records of assets from number `first` on: as they were before the patch if it edits
/// them, and otherwise as they are now.
fn new_assets<T: pleach::asset::Asset, R>(
    numbers: &Numbers<T>,
    first: u32,
    patch: &ScenePatch,
    mut encode: impl FnMut(&T) -> Result<R>,
) -> Result<Vec<R>> {
    let records = numbers.handles()[first as usize..].iter().map(|handle| {
        match patch.asset_edits::<T>().find(|edit| edit.handle == *handle) {
            Some(edit) => encode(&edit.old),
            None => encode(&handle.snapshot()),
        }
    });
    records.collect()
}

/// Returns the edit of the environment map, if the environment was edited and has or had one.
fn environment_maps(patch: &ScenePatch, map: &AssetMap) -> Result<Vec<EnvironmentMapEditRecord>> {
    let Some([old, new]) = patch.environment() else { return Ok(Vec::new()) };
    if old.map.is_none() && new.map.is_none() {
        return Ok(Vec::new());
    }
    let encode =
        |it: &Option<EnvironmentMap>| it.as_ref().map(|it| environment_map(it, map)).transpose();
    Ok(vec![EnvironmentMapEditRecord { old: encode(&old.map)?, new: encode(&new.map)? }])
}

fn asset_edits<T: pleach::asset::Asset, R>(
    patch: &ScenePatch,
    number: impl Fn(&Handle<T>) -> u32,
    mut encode: impl FnMut(&T) -> Result<R>,
) -> Result<Vec<AssetEditRecord<R>>> {
    let edits = patch.asset_edits::<T>().map(|edit: &RecordedAsset<T>| {
        let asset = number(&edit.handle);
        Ok(AssetEditRecord { asset, old: encode(&edit.old)?, new: encode(&edit.new)? })
    });
    edits.collect()
}

fn rows<T: Component, R>(
    patch: &ScenePatch,
    mut encode: impl FnMut(&T) -> Result<R>,
) -> Result<Vec<RowEditRecord<R>>> {
    patch.row_edits::<T>().iter().map(|edit| row(edit, &mut encode)).collect()
}

/// Returns the record of an edit of a row, with values that `encode` returns.
pub(crate) fn row<'a, T, R>(
    edit: &'a RowEdit<T>,
    mut encode: impl FnMut(&'a T) -> Result<R>,
) -> Result<RowEditRecord<R>> {
    Ok(match edit {
        RowEdit::Insert { node, new } => {
            RowEditRecord::Insert { node: Node(*node), new: encode(new)? }
        }
        RowEdit::Remove { node, index, old } => {
            RowEditRecord::Remove { node: Node(*node), index: *index as u64, old: encode(old)? }
        }
        RowEdit::Change { node, old, new } => {
            RowEditRecord::Change { node: Node(*node), old: encode(old)?, new: encode(new)? }
        }
    })
}
