//! Handles and unused assets: scenarios, random edits compared with a naive model, threads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{
    Asset, AssetChangeReader, AssetId, AssetKind, AssetRef, Assets, Geometry, Handle, Image,
    Material, TextureRef, UnusedAsset,
};
use testkit::Rng;

/// Drains the unused assets into a new list.
fn drained(assets: &Assets) -> Vec<UnusedAsset> {
    let mut unused = Vec::new();
    assets.drain_unused(&mut unused);
    unused
}

fn ids(unused: &[UnusedAsset]) -> Vec<AssetId> {
    unused.iter().map(|asset| asset.id).collect()
}

#[test]
fn clones_of_a_handle_share_its_asset() {
    let assets = Assets::new();
    let quad = assets.add(Geometry::from_positions(vec![Vec3::X; 3]));
    let same = quad.clone();
    assert_eq!(quad.get().positions, [Vec3::X; 3]);
    assert!(std::ptr::eq(quad.get().value(), same.get().value()));
    assert_eq!((quad.ref_count(), assets.len()), (2, 1));
    drop(quad);
    assert_eq!((same.ref_count(), assets.len()), (1, 1));
}

#[test]
#[expect(clippy::mutable_key_type, reason = "the mutable part of a handle is not hashed")]
fn handles_compare_and_hash_by_asset() {
    let assets = Assets::new();
    let [a, b] = [(); 2].map(|()| assets.add(Material::default()));
    assert!(a == a.clone() && a != b && a < b);
    let set: HashSet<Handle<Material>> = [a.clone(), a.clone(), b.clone()].into();
    assert_eq!(set.len(), 2);
    assert_eq!(format!("{a:?}"), format!("Handle(material {})", a.id()));
    assert_eq!(format!("{:?}", a.id()), "a1");
    assert_eq!(size_of::<Option<Handle<Material>>>(), size_of::<usize>());
}

#[test]
fn handles_are_send_and_sync() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Assets>();
    crosses::<Handle<Geometry>>();
    crosses::<Handle<Material>>();
    crosses::<Handle<Image>>();
    crosses::<AssetRef<Geometry>>();
    crosses::<AssetChangeReader>();
}

#[test]
fn dropping_the_last_handle_is_reported_once() {
    let assets = Assets::new();
    let rock = assets.add(Geometry::default());
    let (id, again) = (rock.id(), rock.clone());
    drop(rock);
    assert_eq!(drained(&assets), []);
    drop(again);
    let unused = drained(&assets);
    assert_eq!((unused.len(), unused[0].id, unused[0].kind), (1, id, AssetKind::Geometry));
    assert_eq!(drained(&assets), []);
    assert_eq!(assets.len(), 0);
}

#[test]
fn unused_assets_are_sorted_by_id() {
    let assets = Assets::new();
    let mut handles: Vec<_> = (0..10).map(|_| assets.add(Material::default())).collect();
    let expected: Vec<AssetId> = handles.iter().map(Handle::id).collect();
    for at in [3, 7, 0, 5, 2, 1, 0, 1, 1, 0] {
        drop(handles.remove(at));
    }
    assert_eq!(ids(&drained(&assets)), expected);
}

#[test]
fn draining_replaces_the_contents_of_the_list() {
    let assets = Assets::new();
    let mut unused = Vec::new();
    let first = assets.add(Material::default()).id();
    assets.drain_unused(&mut unused);
    assert_eq!(ids(&unused), [first]);
    assets.drain_unused(&mut unused);
    assert_eq!(unused, []);
}

#[test]
fn dropping_a_material_releases_its_images() {
    let assets = Assets::new();
    let image = assets.add(Image::from_uri("wood.png"));
    let texture = TextureRef::new(image.clone());
    let material = Material { base_color_texture: Some(texture), ..Material::default() };
    let wood = assets.add(material);
    let expected = [(image.id(), AssetKind::Image), (wood.id(), AssetKind::Material)];
    assert_eq!(wood.get().textures().count(), 1);
    drop(image);
    assert_eq!(drained(&assets), []);
    drop(wood);
    let unused: Vec<_> = drained(&assets).iter().map(|asset| (asset.id, asset.kind)).collect();
    assert_eq!(unused, expected);
}

#[test]
fn a_change_after_make_unique_does_not_affect_other_handles() {
    let assets = Assets::new();
    let white = assets.add(Material::default());
    let (id, mut red) = (white.id(), white.clone());
    red.make_unique().edit(|it| it.base_color = Vec4::new(1.0, 0.0, 0.0, 1.0));
    assert_eq!((white.id(), white.get().base_color, white.ref_count()), (id, Vec4::ONE, 1));
    assert!(red.id() > id && red.get().base_color.y == 0.0);
    assert_eq!((drained(&assets), assets.len()), (vec![], 2));
}

#[test]
fn d_shared_material_edit_changes_it_for_all_handles_and_keeps_the_id() {
    let assets = Assets::new();
    let wood = assets.add(Material::default());
    let same = wood.clone();
    let (id, before) = (wood.id(), wood.get());
    let color = same.edit(|it| {
        it.base_color = Vec4::new(1.0, 0.0, 0.0, 1.0);
        it.base_color
    });
    assert_eq!((wood.get().base_color, before.base_color), (color, Vec4::ONE));
    assert_eq!((wood.id(), same.id()), (id, id));
    assert_eq!((wood.version(), wood.get().version(), before.version()), (2, 2, 1));
    // Undo.
    let edited = same.replace(before.value().clone());
    assert_eq!((wood.get().base_color, wood.version()), (Vec4::ONE, 3));
    assert_eq!((edited.version(), edited.base_color), (2, color));
    assert_eq!((drained(&assets), assets.len()), (vec![], 1));
}

#[test]
fn d_shared_material_edit_that_panics_keeps_the_old_value() {
    let wood = Assets::new().add(Material::default());
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        wood.edit(|it| {
            it.roughness = 0.0;
            panic!("on purpose");
        });
    }));
    assert!(outcome.is_err());
    assert_eq!((wood.get().roughness, wood.version()), (1.0, 1));
    wood.edit(|it| it.roughness = 0.5);
    assert_eq!((wood.get().roughness, wood.version()), (0.5, 2));
}

#[test]
fn d_shared_material_edit_on_threads_is_neither_lost_nor_torn() {
    let assets = Assets::new();
    let wood = assets.add(Material { roughness: 0.0, metallic: 0.0, ..Material::default() });
    let mut reader = assets.change_reader();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    wood.edit(|it| {
                        it.roughness += 1.0;
                        it.metallic += 1.0;
                    });
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while last < 2001 {
                    let seen = wood.version();
                    let now = wood.get();
                    assert!(now.version() >= seen.max(last));
                    assert_eq!(now.roughness, now.metallic);
                    assert_eq!(now.version(), now.roughness as u64 + 1);
                    last = now.version();
                }
            });
        }
    });
    assert_eq!(wood.get().roughness, 2000.0);
    let edited = reader.read().edited();
    assert_eq!((edited.len(), edited[0].id, edited[0].version), (1, wood.id(), 2001));
}

#[test]
fn d_shared_material_edit_is_listed_once_by_each_reader() {
    let assets = Assets::new();
    let [wood, iron, glass] = [(); 3].map(|()| assets.add(Material::default()));
    let rock = assets.add(Geometry::default());
    wood.edit(|it| it.ior = 1.0);
    let (mut one, mut two) = (assets.change_reader(), assets.change_reader());
    let listed = |reader: &mut AssetChangeReader| {
        let changes = reader.read();
        let edited = changes.edited().iter().map(|it| (it.id, it.kind, it.version)).collect();
        (edited, ids(changes.unused()))
    };
    let nothing: (Vec<(AssetId, AssetKind, u64)>, Vec<AssetId>) = (vec![], vec![]);
    assert_eq!(listed(&mut one), nothing, "edits before the reader was created");

    rock.edit(|it| it.positions.push(Vec3::X));
    iron.edit(|it| it.ior = 1.0);
    iron.edit(|it| it.ior = 2.0);
    let edits = vec![(iron.id(), AssetKind::Material, 3), (rock.id(), AssetKind::Geometry, 2)];
    assert_eq!(listed(&mut one), (edits.clone(), vec![]));
    assert_eq!(listed(&mut one), nothing);

    // An asset that was edited and then dropped is unused only.
    glass.edit(|it| it.ior = 1.0);
    let id = glass.id();
    drop(glass);
    iron.edit(|it| it.ior = 3.0);
    let iron_edit = (iron.id(), AssetKind::Material, 4);
    assert_eq!(listed(&mut one), (vec![iron_edit], vec![id]));
    assert_eq!(listed(&mut two), (vec![iron_edit, edits[1]], vec![id]));
    assert_eq!(ids(&drained(&assets)), [id], "independent of the readers");
    drop(one);
    iron.edit(|it| it.ior = 4.0);
    assert_eq!(listed(&mut two).0, [(iron.id(), AssetKind::Material, 5)]);
    assert_eq!(listed(&mut assets.change_reader()), nothing);
}

#[test]
fn readers_that_do_not_read_hold_a_bounded_number_of_changes() {
    let assets = Assets::untracked();
    let wood = assets.add(Material::default());
    let mut reader = assets.change_reader();
    for _ in 0..1000 {
        wood.edit(|it| it.ior += 1.0);
    }
    for _ in 0..50_000 {
        drop(assets.add(Fragile));
    }
    let kept = assets.add(Fragile);
    drop(assets.add(Fragile));
    let changes = reader.read();
    assert!(changes.is_incomplete() && changes.unused().len() <= 32_768);
    assert_eq!((changes.edited().len(), changes.edited()[0].version), (1, 1001));
    assert!(changes.unused().iter().all(|it| !assets.contains(it.id)));
    assert!(assets.contains(kept.id()));
    let changes = reader.read();
    assert!(!changes.is_incomplete() && changes.unused().is_empty());
}

#[test]
fn assets_are_found_by_id_and_type_while_they_have_handles() {
    let (assets, others) = (Assets::new(), Assets::new());
    let wood = assets.add(Material::default());
    let id = wood.id();
    assert_eq!(assets.get::<Material>(id), Some(wood.clone()));
    assert_eq!((assets.get::<Geometry>(id), others.get::<Material>(id)), (None, None));
    assets.get::<Material>(id).unwrap().edit(|it| it.ior = 2.0);
    assert_eq!((wood.get().ior, wood.ref_count()), (2.0, 1));
    drop(wood);
    assert!(assets.get::<Material>(id).is_none() && !assets.contains(id));
}

#[test]
fn derived_data_belongs_to_one_version() {
    let assets = Assets::new();
    let quad = assets.add(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    let before = quad.snapshot();
    let tree = std::ptr::from_ref(before.tree());
    assert!(quad.get().has_tree() && std::ptr::eq(quad.clone().get().tree(), tree));
    assert_eq!(quad.get().bounds().max, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(quad.get().morphed_bounds(&[]), quad.get().bounds());

    quad.edit(|it| it.positions[1] = Vec3::new(5.0, 0.0, 0.0));
    let now = quad.get();
    assert!(!now.has_tree() && before.has_tree());
    assert_eq!((now.bounds().max.x, now.tree().bounds().max.x), (5.0, 5.0));
    assert_eq!((before.bounds().max.x, before.tree().bounds().max.x), (1.0, 1.0));

    // A fork starts with its own.
    let fork = quad.fork();
    assert!(fork.id() != quad.id() && fork.version() == 1 && !fork.get().has_tree());
}

/// An asset that cannot be cloned.
struct Fragile;

impl Clone for Fragile {
    fn clone(&self) -> Self {
        panic!("on purpose");
    }
}

impl Asset for Fragile {
    const KIND: AssetKind = AssetKind::Other("fragile");
    type Derived = ();
}

#[test]
fn registry_clones_share_state_and_handles_outlive_them() {
    let assets = Assets::new();
    let other = assets.clone();
    let a = assets.add(Material::default());
    let b = other.add(Material::default());
    assert!(a.id() < b.id());
    assert_eq!(
        (assets.len(), format!("{other:?}")),
        (2, "Assets { len: 2, unused: Some(0) }".into())
    );
    let (of_a, of_b) = (a.id(), b.id());
    drop((a, b));
    assert_eq!(ids(&drained(&other)), [of_a, of_b]);
    assert_eq!(drained(&assets), []);

    let mut last = assets.add(Material::default());
    drop((assets, other));
    last.make_unique().edit(|it| it.roughness = 0.5);
    assert_eq!(last.get().roughness, 0.5);
}

#[test]
fn assets_of_different_registries_are_never_equal() {
    let (one, two) = (Assets::new(), Assets::new());
    let (a, b) = (one.add(Material::default()), two.add(Material::default()));
    assert_eq!((a.id().to_string(), b.id().to_string()), ("a1".into(), "a1".into()));
    assert!(a.id() != b.id() && a != b);
    let id = b.id();
    drop(b);
    assert_eq!((drained(&one), ids(&drained(&two))), (vec![], vec![id]));
}

#[test]
fn untracked_registry_reports_nothing() {
    let assets = Assets::untracked();
    drop(assets.add(Material::default()));
    assert_eq!((drained(&assets), assets.len()), (vec![], 0));
}

#[test]
fn custom_assets_need_neither_clone_nor_debug() {
    struct Sound;
    impl Asset for Sound {
        const KIND: AssetKind = AssetKind::Other("sound");
        type Derived = ();
    }
    let assets = Assets::new();
    let horn = assets.add(Sound);
    assert_eq!(format!("{horn:?}"), "Handle(sound a1)");
    drop(horn);
    assert_eq!(drained(&assets)[0].kind, AssetKind::Other("sound"));
}

#[test]
fn panic_during_clone_leaves_the_registry_consistent() {
    let assets = Assets::new();
    let mut vase = assets.add(Fragile);
    let other = vase.clone();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        vase.make_unique();
    }));
    assert!(outcome.is_err());
    assert!(vase == other && assets.len() == 1);
    drop((vase, other));
    assert_eq!((drained(&assets).len(), assets.len()), (1, 0));
}

#[test]
fn material_defaults_are_those_of_gltf() {
    let material = Material::default();
    assert_eq!((material.base_color, material.emissive), (Vec4::ONE, Vec3::ZERO));
    let numbers = [material.metallic, material.roughness, material.normal_scale];
    assert_eq!(numbers, [1.0; 3]);
    assert_eq!((material.occlusion_strength, material.emissive_strength), (1.0, 1.0));
    assert_eq!((material.ior, material.dispersion), (1.5, 0.0));
    assert!(!material.double_sided && !material.unlit);
    assert!(!material.is_transparent() && !material.is_transmissive());
    assert_eq!(material.textures().count(), 0);

    let transform = pleach::TextureTransform::default();
    assert_eq!(
        (transform.offset, transform.rotation, transform.scale),
        (Vec2::ZERO, 0.0, Vec2::ONE)
    );
    assert_eq!(pleach::Sampler::default().wrap_u, pleach::Wrap::Repeat);
    let film = pleach::Iridescence::default();
    assert_eq!((film.ior, film.thickness_min, film.thickness_max), (1.3, 100.0, 400.0));
    assert_eq!(pleach::Volume::default().attenuation_distance, f32::INFINITY);
}

#[test]
fn only_alpha_blending_is_transparent_and_glass_is_transmissive() {
    use pleach::{AlphaMode, Transmission};
    let clear = Vec4::new(1.0, 1.0, 1.0, 0.0);
    let opaque = Material::from_color(clear);
    let masked = Material { alpha_mode: AlphaMode::MASK, ..opaque.clone() };
    let blended = Material { alpha_mode: AlphaMode::Blend, ..opaque.clone() };
    let asked = [&opaque, &masked, &blended].map(Material::is_transparent);
    assert_eq!(asked, [false, false, true]);
    let transmission = Some(Box::new(Transmission { factor: 0.5, texture: None }));
    let glass = Material { transmission, ..Material::default() };
    assert!(glass.is_transmissive() && !glass.is_transparent());
}

#[test]
fn all_textures_of_a_material_are_listed() {
    use pleach::{
        Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, Transmission,
        Volume,
    };
    let assets = Assets::new();
    let images: Vec<_> =
        (0..19).map(|at| assets.add(Image::from_uri(format!("{at}.png")))).collect();
    let mut next = images.iter();
    let mut texture = || next.next().map(|image| TextureRef::new(image.clone()));
    let material = Material {
        base_color_texture: texture(),
        metallic_roughness_texture: texture(),
        normal_texture: texture(),
        occlusion_texture: texture(),
        emissive_texture: texture(),
        clearcoat: Some(Box::new(Clearcoat {
            texture: texture(),
            roughness_texture: texture(),
            normal_texture: texture(),
            ..Clearcoat::default()
        })),
        sheen: Some(Box::new(Sheen {
            color_texture: texture(),
            roughness_texture: texture(),
            ..Sheen::default()
        })),
        specular: Some(Box::new(Specular {
            texture: texture(),
            color_texture: texture(),
            ..Specular::default()
        })),
        transmission: Some(Box::new(Transmission {
            texture: texture(),
            ..Transmission::default()
        })),
        diffuse_transmission: Some(Box::new(DiffuseTransmission {
            texture: texture(),
            color_texture: texture(),
            ..DiffuseTransmission::default()
        })),
        volume: Some(Box::new(Volume { thickness_texture: texture(), ..Volume::default() })),
        iridescence: Some(Box::new(Iridescence {
            texture: texture(),
            thickness_texture: texture(),
            ..Iridescence::default()
        })),
        anisotropy: Some(Box::new(Anisotropy { texture: texture(), ..Anisotropy::default() })),
        ..Material::default()
    };
    let listed: Vec<AssetId> = material.textures().map(|texture| texture.image.id()).collect();
    assert_eq!(listed, images.iter().map(Handle::id).collect::<Vec<_>>());
}

#[test]
fn image_debug_output_omits_the_bytes() {
    let image = Image::from_encoded("image/png", vec![0; 1000]).named("wood");
    assert_eq!(format!("{:?}", image.data), "Encoded(image/png, 1000 bytes)");
    assert_eq!(image.memory(), 1009);
    let huge = Image::from_rgba8(u32::MAX, u32::MAX, vec![0; 4]);
    assert_eq!(
        huge.unwrap_err().to_string(),
        "image: 4 bytes are given, but 4294967295 x 4294967295 pixels of four bytes are \
         73786976260478468100",
    );
    assert!(Image::from_rgba8(0, 7, vec![]).is_ok());
}

/// An edit of a list of handles.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Add,
    Clone(usize),
    Change(usize),
    Drop(usize),
    Drain,
}

/// The naive model: handles are a list of ids, and references are counted by searching it.
#[derive(Default)]
struct Model {
    handles: Vec<AssetId>,
    unused: BTreeSet<AssetId>,
}

impl Model {
    fn release(&mut self, id: AssetId) {
        if !self.handles.contains(&id) {
            self.unused.insert(id);
        }
    }
}

#[test]
fn random_edits_agree_with_a_list_of_ids() {
    for seed in 0..50 {
        let mut random = Rng::new(seed);
        let assets = Assets::new();
        let mut handles: Vec<Handle<Material>> = Vec::new();
        let mut model = Model::default();
        let mut values = BTreeMap::new();
        for step in 0..300 {
            let edit = match (random.below(8), handles.len()) {
                (0 | 1, _) | (_, 0) => Edit::Add,
                (2 | 3, len) => Edit::Clone(random.below(len)),
                (4, len) => Edit::Change(random.below(len)),
                (5 | 6, len) => Edit::Drop(random.below(len)),
                _ => Edit::Drain,
            };
            let at = format!("seed {seed}, step {step}: {edit:?}");
            match edit {
                Edit::Add => {
                    handles.push(assets.add(Material { ior: step as f32, ..Material::default() }));
                    model.handles.push(handles[handles.len() - 1].id());
                }
                Edit::Clone(index) => {
                    handles.push(handles[index].clone());
                    model.handles.push(model.handles[index]);
                }
                Edit::Change(index) => {
                    handles[index].make_unique().edit(|it| it.ior = step as f32);
                    let old = std::mem::replace(&mut model.handles[index], handles[index].id());
                    model.release(old);
                    values.insert(handles[index].id(), step as f32);
                }
                Edit::Drop(index) => {
                    drop(handles.swap_remove(index));
                    let old = model.handles.swap_remove(index);
                    model.release(old);
                }
                Edit::Drain => {
                    let expected: Vec<_> = std::mem::take(&mut model.unused).into_iter().collect();
                    assert_eq!(ids(&drained(&assets)), expected, "{at}");
                }
            }
            let live: BTreeSet<_> = model.handles.iter().collect();
            assert_eq!(assets.len(), live.len(), "{at}");
            for (handle, id) in handles.iter().zip(&model.handles) {
                let count = model.handles.iter().filter(|other| *other == id).count();
                assert_eq!((handle.id(), handle.ref_count()), (*id, count), "{at}");
                // All handles of an asset have its value.
                let ior = handle.get().ior;
                assert_eq!(*values.entry(*id).or_insert(ior), ior, "{at}");
            }
        }
    }
}

#[test]
fn every_asset_dropped_on_threads_is_reported_once() {
    let assets = Assets::new();
    let shared = assets.add(Material::default());
    let mut ids_seen: Vec<AssetId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|seed| {
                let (assets, shared) = (assets.clone(), shared.clone());
                scope.spawn(move || {
                    let mut random = Rng::new(seed);
                    let (mut handles, mut ids_seen) = (vec![shared], Vec::new());
                    for _ in 0..2000 {
                        match random.below(4) {
                            0 => handles.push(assets.add(Material::default())),
                            1 => handles.push(handles[random.below(handles.len())].clone()),
                            2 => _ = handles[random.below(handles.len())].fork(),
                            _ if handles.len() > 1 => {
                                drop(handles.swap_remove(1 + random.below(handles.len() - 1)));
                            }
                            _ => (),
                        }
                        ids_seen.extend(handles.last().map(Handle::id));
                    }
                    ids_seen
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    ids_seen.sort_unstable();
    ids_seen.dedup();
    assert_eq!((shared.ref_count(), assets.len()), (1, 1));
    let unused = ids(&drained(&assets));
    assert!(unused.is_sorted_by(|a, b| a < b));
    let reported: HashSet<_> = unused.iter().copied().collect();
    assert!(ids_seen.iter().all(|id| reported.contains(id) != (*id == shared.id())));
}

#[test]
fn concurrent_drain_reports_every_asset_once() {
    let assets = Assets::new();
    let mut reported = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let assets = assets.clone();
                scope.spawn(move || (0..5000).for_each(|_| drop(assets.add(Material::default()))))
            })
            .collect();
        while !threads.iter().all(|thread| thread.is_finished()) {
            let part = ids(&drained(&assets));
            assert!(part.is_sorted_by(|a, b| a < b));
            reported.extend(part);
        }
    });
    reported.extend(ids(&drained(&assets)));
    reported.sort_unstable();
    reported.dedup();
    assert_eq!((reported.len(), assets.len()), (20_000, 0));
}
