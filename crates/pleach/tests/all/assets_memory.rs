//! Memory use of assets: adding and dropping assets repeatedly does not grow it.
//!
//! Allocations are counted per thread, so that the tests can run in parallel.

use std::sync::Arc;

use pleach::glam::Vec3;
use pleach::{Assets, Geometry, Image, Material, TextureRef, UnusedAsset};
use testkit::allocations::Tally;

/// Adds a material with an image and a geometry with a built tree, and drops all of them.
fn add_and_drop(assets: &Assets) {
    let image = assets.add(Image::from_uri("wood.png"));
    let texture = Some(TextureRef::new(image));
    let mut wood = assets.add(Material { base_color_texture: texture, ..Material::default() });
    let rock = assets.add(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    assert_eq!(rock.get().tree().len(), 1);
    wood.make_unique().edit(|it| it.roughness = 0.5);
    let old_wood = wood.clone();
    wood.make_unique().edit(|it| it.roughness = 0.25);
    assert_ne!(wood, old_wood);
}

#[test]
fn adding_and_dropping_assets_does_not_grow_memory() {
    let assets = Assets::new();
    let mut unused = Vec::new();
    let mut frame = |rounds: usize| {
        for _ in 0..rounds {
            for _ in 0..5 {
                add_and_drop(&assets);
            }
            assets.drain_unused(&mut unused);
            assert_eq!(unused.len(), 20);
        }
    };
    frame(10);
    let before = Tally::now().live;
    frame(5000);
    assert_eq!(Tally::now().live, before);
    assert_eq!(assets.len(), 0);
}

#[test]
fn untracked_registry_needs_no_drain() {
    let assets = Assets::untracked();
    add_and_drop(&assets);
    let before = Tally::now().live;
    for _ in 0..20_000 {
        add_and_drop(&assets);
    }
    assert_eq!(Tally::now().live, before);
}

#[test]
fn an_edit_per_frame_does_not_grow_memory() {
    let assets = Assets::new();
    let cloth = assets.add(Geometry::from_positions(vec![Vec3::ZERO; 300]));
    let mut reader = assets.change_reader();
    let idle = assets.change_reader();
    let mut next = Some(Geometry::from_positions(vec![Vec3::ZERO; 300]));
    let mut frame = |position: Vec3| {
        // The vertices are written to the buffers of the version before the last.
        let mut geometry = next.take().unwrap();
        geometry.positions.fill(position);
        let data = geometry.positions.as_ptr();
        next = Some(Arc::into_inner(cloth.replace(geometry)).unwrap().into_value());
        assert_eq!(cloth.get().positions.as_ptr(), data);
        assert_eq!(reader.read().edited().len(), 1);
    };
    frame(Vec3::X);
    frame(Vec3::Y);
    let before = Tally::now().live;
    for _ in 0..1000 {
        frame(Vec3::Z);
    }
    assert_eq!(Tally::now().live, before);
    drop(idle);
}

#[test]
fn reading_and_draining_allocate_nothing() {
    let assets = Assets::new();
    let cloth = assets.add(Geometry::from_positions(vec![Vec3::ZERO; 300]));
    let (mut unused, mut reader) = (Vec::new(), assets.change_reader());
    let mut frame = || {
        assert_eq!((cloth.get().positions.len(), cloth.version()), (300, 1));
        assert_eq!(assets.get(cloth.id()), Some(cloth.clone()));
        assert!(reader.read().edited().is_empty());
        assets.drain_unused(&mut unused);
    };
    frame();
    let before = Tally::now().calls;
    for _ in 0..1000 {
        frame();
    }
    assert_eq!(Tally::now().calls, before);
}

#[test]
fn asset_memory_is_as_documented() {
    let assets = Assets::new();
    let before = Tally::now();
    let material = assets.add(Material::default());
    let after = Tally::now();
    let second = assets.add(Material::default());
    let last = Tally::now();
    // The first asset also allocates a node of the registry, for 11 assets.
    assert_eq!((after.calls - before.calls, last.calls - after.calls), (3, 2));
    let own = last.live - after.live - size_of::<Material>() as isize;
    assert!((80..=120).contains(&own), "{own} bytes");
    drop((material, second));
    assert_eq!(size_of::<UnusedAsset>(), 32);
}
