//! The assets that JavaScript holds, by id.
//!
//! An asset lives while a scene or this table holds it. JavaScript has one object per id, which
//! releases the id when it is disposed or collected.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pleach::asset::{Asset, AssetId, AssetKind, Assets, Handle};
use pleach::material::Image;
use pleach::{Geometry, Material};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::number;
use crate::worlds::{edit, read};

/// An asset that JavaScript holds.
#[derive(Debug)]
pub(crate) enum Kept {
    Material(Handle<Material>),
    Geometry(Handle<Geometry>),
    Image(Handle<Image>),
}

/// The kinds of assets that JavaScript knows.
pub(crate) trait Kind: Asset {
    const WHAT: &'static str;
    fn wrap(handle: Handle<Self>) -> Kept;
    fn unwrap(kept: &Kept) -> Option<&Handle<Self>>;
}

macro_rules! impl_kind {
    ($($kind:ident: $what:literal,)*) => {$(
        impl Kind for $kind {
            const WHAT: &'static str = $what;

            fn wrap(handle: Handle<Self>) -> Kept {
                Kept::$kind(handle)
            }

            fn unwrap(kept: &Kept) -> Option<&Handle<Self>> {
                match kept {
                    Kept::$kind(handle) => Some(handle),
                    _ => None,
                }
            }
        }
    )*};
}

impl_kind! {
    Material: "material",
    Geometry: "geometry",
    Image: "image",
}

thread_local! {
    static KEPT: RefCell<BTreeMap<u64, Kept>> = const { RefCell::new(BTreeMap::new()) };
    /// For assets that are created before any scene has them; scenes include them when they are used.
    static CREATED: Assets = Assets::untracked();
}

/// Returns an id as a number that JavaScript represents exactly: it counts blocks of assets in the high half.
pub(crate) fn id_number(id: AssetId) -> f64 {
    id.to_bits() as f64
}

/// Keeps an asset alive and returns its id.
pub(crate) fn keep<T: Kind>(handle: &Handle<T>) -> f64 {
    let id = handle.id();
    KEPT.with_borrow_mut(|kept| {
        kept.entry(id.to_bits()).or_insert_with(|| T::wrap(handle.clone()));
    });
    id_number(id)
}

/// Adds a new asset, keeps it alive and returns its id.
pub(crate) fn create<T: Kind>(value: T) -> f64 {
    keep(&CREATED.with(|assets| assets.add(value)))
}

/// Returns the handle of an asset that JavaScript holds.
pub(crate) fn find<T: Kind>(id: f64) -> Result<Handle<T>, Fault> {
    KEPT.with_borrow(|kept| {
        let kept = kept.get(&(id as u64)).ok_or_else(|| {
            Fault::new("disposed", format!("this {} was disposed; create another", T::WHAT))
        })?;
        T::unwrap(kept).cloned().ok_or_else(|| {
            Fault::new("wrong-type", format!("a {} is needed here, not another asset", T::WHAT))
        })
    })
}

fn with_kept<R>(id: f64, f: impl FnOnce(&Kept) -> R) -> Result<R, Fault> {
    KEPT.with_borrow(|kept| match kept.get(&(id as u64)) {
        Some(kept) => Ok(f(kept)),
        None => Err(Fault::new("disposed", "this asset was disposed; create another")),
    })
}

/// Lets go of an asset; it lives on while a scene uses it.
#[wasm_bindgen]
pub fn asset_release(id: f64) {
    // Dropped outside of the table, because dropping a material drops its images.
    drop(KEPT.with_borrow_mut(|kept| kept.remove(&(id as u64))));
}

/// Returns the number of assets that JavaScript holds.
#[wasm_bindgen]
pub fn assets_held() -> u32 {
    KEPT.with_borrow(BTreeMap::len) as u32
}

/// Returns the version of an asset, which counts up with each edit.
#[wasm_bindgen]
pub fn asset_version(id: f64) -> f64 {
    number(with_kept(id, |kept| match kept {
        Kept::Material(handle) => handle.version() as f64,
        Kept::Geometry(handle) => handle.version() as f64,
        Kept::Image(handle) => handle.version() as f64,
    }))
}

/// Returns the name of a material or image, or an empty string.
#[wasm_bindgen]
pub fn asset_name(id: f64) -> Result<String, JsValue> {
    Ok(with_kept(id, |kept| match kept {
        Kept::Material(handle) => handle.get().name.clone(),
        Kept::Image(handle) => handle.get().name.clone(),
        Kept::Geometry(_) => None,
    })?
    .unwrap_or_default())
}

/// Sets the name of a material or image; an empty one removes it.
#[wasm_bindgen]
pub fn asset_set_name(id: f64, name: &str) -> Result<(), JsValue> {
    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
    with_kept(id, |kept| match kept {
        Kept::Material(handle) => handle.edit(|material| material.name = name),
        Kept::Image(handle) => handle.edit(|image| image.name = name),
        Kept::Geometry(_) => {}
    })?;
    Ok(())
}

/// Copies an asset, and returns the id of the copy.
#[wasm_bindgen]
pub fn asset_fork(id: f64) -> f64 {
    number((|| {
        if let Ok(handle) = find::<Material>(id) {
            return Ok(create(handle.get().value().clone()));
        }
        Ok(create(find::<Geometry>(id)?.get().value().clone()))
    })())
}

/// Keeps the material (1) or geometry (0) with this id that a mesh of the world uses. Returns `true` if there is one.
#[wasm_bindgen]
pub fn asset_keep_used(world: u32, id: f64, which: u32) -> bool {
    let found = read(world, |world| {
        let scene = &world.scene;
        for (_, mesh) in scene.meshes.iter(&scene.graph) {
            for part in &mesh.parts {
                if which == 0 && id_number(part.geometry.id()) == id {
                    return Ok(Some(keep(&part.geometry)));
                }
                if which == 1 && id_number(part.material.id()) == id {
                    return Ok(Some(keep(&part.material)));
                }
            }
            let used = mesh.materials.iter().find(|it| which == 1 && id_number(it.id()) == id);
            if let Some(material) = used {
                return Ok(Some(keep(material)));
            }
        }
        Ok(None)
    });
    matches!(found, Ok(Some(_)))
}

/// Returns the assets that lost their last use in this world since the last call: pairs of kind (0 geometry, 1 material,
/// 2 image) and id.
#[wasm_bindgen]
pub fn drain_unused(world: u32) -> Result<Vec<f64>, JsValue> {
    Ok(edit(world, |world| {
        let mut unused = Vec::new();
        world.scene.assets.drain_unused(&mut unused);
        let pair = |kind: AssetKind, id| {
            let kind = match kind {
                AssetKind::Geometry => 0.0,
                AssetKind::Material => 1.0,
                AssetKind::Image => 2.0,
                _ => 3.0,
            };
            [kind, id_number(id)]
        };
        Ok(unused.iter().flat_map(|asset| pair(asset.kind, asset.id)).collect::<Vec<f64>>())
    })?)
}
