//! Memory use of assets: adding and dropping assets repeatedly does not grow it.
//!
//! Allocations are counted per thread, so that the tests can run in parallel.

use pleach::glam::Vec3;
use pleach::{Assets, Geometry, Image, Material, TextureRef, UnusedAsset};
use testkit::allocations::Tally;

/// Adds a material with an image and a geometry with a built tree, and drops all of them.
fn add_and_drop(assets: &Assets) {
    let image = assets.add(Image::from_uri("wood.png"));
    let texture = Some(TextureRef::new(image));
    let mut wood = assets.add(Material { base_color_texture: texture, ..Material::default() });
    let rock = assets.add(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    assert_eq!(rock.tree().len(), 1);
    wood.make_mut().roughness = 0.5;
    let old_wood = wood.clone();
    wood.make_mut().roughness = 0.25;
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
            assert_eq!(unused.len(), 25);
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
fn draining_and_changing_in_place_allocate_nothing() {
    let assets = Assets::new();
    let mut cloth = assets.add(Geometry::from_positions(vec![Vec3::ZERO; 300]));
    let mut unused = Vec::new();
    let mut frame = |position: Vec3| {
        cloth.make_mut().positions.fill(position);
        assets.drain_unused(&mut unused);
        assert_eq!(unused.len(), 1);
    };
    // Twice, because two buffers are swapped.
    frame(Vec3::X);
    frame(Vec3::Y);
    let before = Tally::now().calls;
    for _ in 0..1000 {
        frame(Vec3::Z);
    }
    assert_eq!(Tally::now().calls, before);
}

#[test]
fn asset_memory_is_as_documented() {
    let assets = Assets::new();
    let before = Tally::now();
    let material = assets.add(Material::default());
    let after = Tally::now();
    assert_eq!(
        (after.calls - before.calls, after.live - before.live),
        (1, 32 + size_of::<Material>() as isize)
    );
    drop(material);
    assert_eq!(size_of::<UnusedAsset>(), 32);
}
