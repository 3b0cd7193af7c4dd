//! The buildings: two wings with arcades, a bell tower and a garden wall.
//!
//! A wing runs along its +X, and its front faces −Y. Bays share their geometries: a render list draws
//! them in a few batches.

use std::f32::consts::{FRAC_PI_2, PI};

use pleach::glam::{Quat, Vec2, Vec3};
use pleach::shapes::Cone;
use pleach::{Error, Geometry, Light, Node, NodeId, Scene, rotation};

use super::modeling::{Surface, block, grid, merged, moved, placed, plain, shaded, tinted, turned};
use super::palette::Palette;

/// The width of a bay.
const BAY: f32 = 3.0;
/// The height at which arches begin: that of the columns.
const SPRING: f32 = 2.7;
const ARCH_RADIUS: f32 = 1.16;
/// The height of the wall with the arches.
const ARCADE: f32 = 4.4;
/// The thickness of the walls.
const WALL: f32 = 0.56;
/// The distance from the front to the wall behind the arcade.
const GALLERY: f32 = 2.9;
/// The height at which the roof begins.
const EAVES: f32 = 6.7;

/// Adds all buildings.
pub(super) fn spawn(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    let buildings = scene.spawn(Node::group().named("buildings"))?;
    let back = Node::group().named("back wing").under(buildings).at(Vec3::new(-8.0, 7.0, 0.0));
    let back = scene.spawn(back)?;
    wing(scene, palette, back, 6)?;
    let left = Node::group().named("left wing").under(buildings).at(Vec3::new(-8.0, -8.0, 0.0));
    let left = scene.spawn(left.rotated(rotation::from_rotation_z(FRAC_PI_2)))?;
    wing(scene, palette, left, 5)?;
    let corner = scene.assets.add(block(3.4, 3.4, EAVES)?);
    let corner = Node::mesh(&corner, &palette.plaster).named("corner").under(buildings);
    scene.spawn(corner.at(Vec3::new(-9.65, 8.75, 0.5 * EAVES)))?;
    tower(scene, palette, buildings)?;
    garden_wall(scene, palette, buildings)
}

/// Adds a wing of some bays.
fn wing(scene: &mut Scene, palette: &Palette, wing: NodeId, bays: u32) -> Result<(), Error> {
    let length = bays as f32 * BAY;
    let middle = 0.5 * length;
    let assets = scene.assets.clone();
    let mut add = |name: &str, geometry: Geometry, material| {
        scene.spawn(Node::mesh(&assets.add(geometry), material).named(name).under(wing))
    };
    let upper = block(length, WALL, EAVES - ARCADE)?;
    add("upper wall", moved(upper, middle, 0.5 * WALL, 0.5 * (EAVES + ARCADE)), &palette.plaster)?;
    let course = |z: f32, depth: f32, height: f32| {
        Ok::<_, Error>(moved(block(length + 0.1, depth, height)?, middle, 0.5 * WALL, z))
    };
    let courses = [
        course(ARCADE, 0.74, 0.2)?,
        course(ARCADE - 0.14, 0.66, 0.1)?,
        course(EAVES - 0.1, 0.8, 0.2)?,
    ];
    add("courses", merged(courses), &palette.stone)?;
    add("roof", roof(length), &palette.tiles)?;
    // Sunlight does not reach far into the gallery, and little light of the sky does.
    let dim = |position: Vec3, _: Vec3| {
        Vec3::splat(0.34 + 0.26 * (1.0 - position.z / ARCADE).clamp(0.0, 1.0))
    };
    let inner = moved(block(length, 0.3, ARCADE)?, middle, GALLERY, 0.5 * ARCADE);
    add("inner wall", shaded(inner, dim), &palette.plaster)?;
    let beams = (0..bays * 3).map(|beam| {
        Ok(moved(block(0.16, GALLERY, 0.18)?, beam as f32 + 0.5, 0.5 * GALLERY, ARCADE - 0.35))
    });
    let ceiling = moved(block(length, GALLERY, 0.1)?, middle, 0.5 * GALLERY, ARCADE - 0.2);
    let beams = beams.collect::<Result<Vec<_>, Error>>()?.into_iter().chain([ceiling]);
    add("ceiling", tinted(merged(beams), Vec3::splat(0.5)), &palette.wood)?;

    let parts = [
        ("arch", assets.add(arch()), &palette.plaster),
        ("archivolt", assets.add(archivolt()?), &palette.stone),
        ("column", assets.add(column()?), &palette.marble),
        ("window frame", assets.add(window_frame()?), &palette.stone),
        ("window", assets.add(moved(block(0.84, 0.1, 1.3)?, 0.0, -0.01, 5.55)), &palette.window),
        ("shutters", assets.add(shutters()?), &palette.shutters),
    ];
    let door = assets.add(moved(block(1.3, 0.1, 2.4)?, 0.0, GALLERY - 0.18, 1.2));
    for bay in 0..bays {
        let group = Node::group().named("bay").under(wing).at(Vec3::X * ((bay as f32 + 0.5) * BAY));
        let parts =
            parts.iter().map(|(name, part, material)| Node::mesh(part, material).named(*name));
        let mut group = parts.fold(group, Node::child);
        if bay % 2 == 1 {
            group = group.child(Node::mesh(&door, &palette.wood).named("door"));
        }
        scene.spawn(group)?;
    }
    let last = Node::mesh(&parts[2].1, &palette.marble).named("column").under(wing);
    scene.spawn(last.at(Vec3::X * (length + 0.5 * BAY)))?;
    lanterns(scene, palette, wing, bays)
}

/// Adds a lantern with a light to the second of each three bays.
fn lanterns(scene: &mut Scene, palette: &Palette, wing: NodeId, bays: u32) -> Result<(), Error> {
    let cage = merged([
        turned(&[(0.0, 0.0), (0.09, 0.02), (0.13, 0.06), (0.12, 0.08)], 6),
        turned(&[(0.15, 0.40), (0.10, 0.48), (0.03, 0.54), (0.0, 0.58)], 6),
        turned(&[(0.012, 0.55), (0.012, 1.2)], 5),
    ]);
    let flame = turned(&[(0.0, 0.08), (0.1, 0.1), (0.115, 0.25), (0.1, 0.4), (0.0, 0.42)], 8);
    let (cage, flame) = (scene.assets.add(cage), scene.assets.add(flame));
    for bay in (1..bays).step_by(2) {
        let at = Vec3::new((bay as f32 + 0.5) * BAY, 1.3, 2.75);
        let lantern = Node::mesh(&cage, &palette.iron).named("lantern").under(wing).at(at);
        let lantern = scene.spawn(lantern)?;
        let glow = Light::point(Vec3::new(1.0, 0.55, 0.22), 1.6).with_range(5.0);
        let flame = Node::mesh(&flame, &palette.flame).named("flame").under(lantern);
        let flame = scene.spawn(flame)?;
        let light = Node::light(glow).named("lantern light").under(lantern);
        scene.spawn(light.at(Vec3::Z * 0.25))?;
        for node in [lantern, flame] {
            if let Some(mesh) = scene.mesh_mut(node) {
                // Otherwise it would shadow its own light.
                mesh.cast_shadow = false;
            }
        }
    }
    Ok(())
}

/// Returns a bay of the wall above the columns, with its arch.
fn arch() -> Geometry {
    const STEPS: u32 = 20;
    let half = 0.5 * BAY;
    // The lower edge from left to right: along the capital, around the arch, along the next capital.
    let around = (0..=STEPS).map(|step| {
        let (sin, cos) = libm::sincosf(PI * (1.0 - step as f32 / STEPS as f32));
        Vec2::new(ARCH_RADIUS * cos, SPRING + ARCH_RADIUS * sin)
    });
    let edge: Vec<Vec2> = [Vec2::new(-half, SPRING)]
        .into_iter()
        .chain(around)
        .chain([Vec2::new(half, SPRING)])
        .collect();
    let mut wall = Surface::default();
    for (y, normal, mirror) in [(0.0, Vec3::NEG_Y, 1.0), (WALL, Vec3::Y, -1.0)] {
        let vertex = |x: f32, z: f32| (Vec3::new(x, y, z), normal, Vec2::new(x, -z));
        let mut lower: Vec<_> = edge.iter().map(|at| vertex(at.x, at.y)).collect();
        let mut upper: Vec<_> = edge.iter().map(|at| vertex(at.x, ARCADE)).collect();
        if mirror < 0.0 {
            lower.reverse();
            upper.reverse();
        }
        wall.strip(&lower, &upper);
    }
    // The underside faces the axis of the arch.
    let row = |y: f32| {
        let row = edge.iter().enumerate().map(move |(index, at)| {
            let normal = match index {
                0 => Vec3::NEG_Z,
                _ if index > STEPS as usize + 1 => Vec3::NEG_Z,
                _ => Vec3::new(-at.x, 0.0, SPRING - at.y) / ARCH_RADIUS,
            };
            (Vec3::new(at.x, y, at.y), normal, Vec2::new(at.x, y))
        });
        row.collect::<Vec<_>>()
    };
    wall.strip(&row(WALL), &row(0.0));
    wall.build()
}

/// Returns the moulding around an arch, with a keystone.
fn archivolt() -> Result<Geometry, Error> {
    const STEPS: u32 = 24;
    let (inner, outer, front) = (ARCH_RADIUS - 0.01, ARCH_RADIUS + 0.2, -0.07);
    let row = |radius: f32, y: f32, normal: fn(Vec3) -> Vec3| {
        let row = (0..=STEPS).map(move |step| {
            let (sin, cos) = libm::sincosf(PI * (1.0 - step as f32 / STEPS as f32));
            let outward = Vec3::new(cos, 0.0, sin);
            let at = outward * radius + Vec3::new(0.0, y, SPRING);
            (at, normal(outward), Vec2::new(step as f32 * 0.2, radius))
        });
        row.collect::<Vec<_>>()
    };
    let mut ring = Surface::default();
    ring.strip(&row(inner, front, |_| Vec3::NEG_Y), &row(outer, front, |_| Vec3::NEG_Y));
    ring.strip(&row(outer, front, |outward| outward), &row(outer, 0.0, |outward| outward));
    ring.strip(&row(inner, 0.1, |outward| -outward), &row(inner, front, |outward| -outward));
    let keystone = moved(block(0.3, 0.2, 0.5)?, 0.0, -0.04, SPRING + ARCH_RADIUS + 0.12);
    Ok(merged([ring.build(), keystone]))
}

/// Returns the column at the left end of a bay.
fn column() -> Result<Geometry, Error> {
    let shaft = [
        (0.31, 0.14),
        (0.33, 0.2),
        (0.31, 0.26),
        (0.25, 0.28),
        (0.25, 0.32),
        (0.235, 0.36),
        (0.23, 1.2),
        (0.2, 2.25),
        (0.23, 2.27),
        (0.23, 2.31),
        (0.2, 2.33),
        (0.2, 2.38),
        (0.27, 2.46),
        (0.31, 2.54),
    ];
    let column = merged([
        moved(block(0.7, 0.7, 0.14)?, 0.0, 0.0, 0.07),
        turned(&shaft, 20),
        moved(block(0.66, 0.66, 0.16)?, 0.0, 0.0, 2.62),
    ]);
    let column = shaded(column, |position, _| Vec3::splat((0.62 + 0.5 * position.z).min(1.0)));
    Ok(moved(column, -0.5 * BAY, 0.5 * WALL, 0.0))
}

fn window_frame() -> Result<Geometry, Error> {
    Ok(merged([
        moved(block(0.14, 0.2, 1.5)?, -0.48, -0.02, 5.55),
        moved(block(0.14, 0.2, 1.5)?, 0.48, -0.02, 5.55),
        moved(block(1.24, 0.26, 0.16)?, 0.0, -0.02, 6.3),
        moved(block(1.3, 0.34, 0.12)?, 0.0, -0.05, 4.86),
        moved(block(0.06, 0.12, 1.3)?, 0.0, -0.03, 5.55),
        moved(block(0.84, 0.12, 0.05)?, 0.0, -0.03, 5.75),
    ]))
}

/// Returns a pair of open shutters with slats.
fn shutters() -> Result<Geometry, Error> {
    let slats = (0..9)
        .map(|slat| Ok(moved(block(0.36, 0.03, 0.09)?, 0.0, -0.04, 0.14 * slat as f32 - 0.56)));
    let mut pieces = slats.collect::<Result<Vec<_>, Error>>()?;
    pieces.push(block(0.44, 0.04, 1.32)?);
    let shutter = merged(pieces);
    let side = |x: f32, turn: f32| {
        placed(shutter.clone(), Vec3::new(x, -0.07, 5.55), rotation::from_rotation_z(turn))
    };
    Ok(merged([side(-0.8, -0.14), side(0.8, 0.14)]))
}

/// Returns a roof of courses of round tiles.
fn roof(length: f32) -> Geometry {
    const COURSES: u32 = 10;
    let columns = (length * 10.0) as u32;
    let course = |number: u32| {
        let tiles = grid(columns, 1, |u, v| {
            let along = number as f32 + 1.25 * v;
            // Two tiles per half metre; each course lies on the one below it.
            let wave = libm::fabsf(libm::sinf(u * length * 2.0 * PI)) * 0.09;
            Vec3::new(
                u * (length + 0.6) - 0.3,
                0.42 * along - 0.75,
                EAVES + 0.05 + 0.21 * along + wave - 0.05 * v,
            )
        });
        let tone = 0.82 + 0.18 * libm::sinf(number as f32 * 2.4);
        shaded(tiles, |position, _| {
            let speckle =
                0.12 * libm::sinf(libm::floorf(position.x * 2.0) * 12.9 + number as f32 * 4.1);
            Vec3::splat(tone + speckle)
        })
    };
    // Boards below the tiles, and the underside of the eaves.
    let boards = grid(1, 1, |u, v| {
        Vec3::new(u * (length + 0.6) - 0.3, 4.4 * v - 0.74, EAVES + 0.04 + 2.2 * v)
    });
    let soffit =
        grid(1, 1, |u, v| Vec3::new(u * (length + 0.6) - 0.3, 0.6 - 1.35 * v, EAVES + 0.02));
    let wood = [boards, soffit].map(|it| tinted(it, Vec3::splat(0.35)));
    merged((0..COURSES).map(course).chain(wood))
}

/// Adds the bell tower behind the back wing.
fn tower(scene: &mut Scene, palette: &Palette, parent: NodeId) -> Result<(), Error> {
    let opening = |z: f32, width: f32, height: f32| {
        let sides = (0..4).map(|side| {
            let turn = rotation::from_rotation_z(FRAC_PI_2 * side as f32);
            let pane = moved(block(width, 0.04, height)?, 0.0, -1.91, z);
            let disc = placed(
                turned(&[(0.5 * width, 0.0), (0.5 * width, 0.04), (0.0, 0.04)], 20),
                Vec3::new(0.0, -1.89, z + 0.5 * height),
                rotation::from_rotation_x(FRAC_PI_2),
            );
            Ok(placed(merged([pane, disc]), Vec3::ZERO, turn))
        });
        Ok::<_, Error>(merged(sides.collect::<Result<Vec<_>, Error>>()?))
    };
    let shaft = moved(block(3.8, 3.8, 14.2)?, 0.0, 0.0, 7.1);
    let bands = [(11.3, 4.1, 0.22), (14.2, 4.4, 0.3), (13.95, 4.15, 0.2)];
    let bands =
        bands.map(|(z, width, height)| Ok(moved(block(width, width, height)?, 0.0, 0.0, z)));
    let bands = bands.into_iter().collect::<Result<Vec<_>, Error>>()?;
    let spire = placed(
        plain(Cone::new(3.0, 2.5).with_segments(4).build()?),
        Vec3::Z * 15.6,
        rotation::from_rotation_z(0.25 * PI),
    );
    let finial = turned(
        &[
            (0.0, 16.7),
            (0.2, 16.8),
            (0.24, 16.92),
            (0.16, 17.05),
            (0.05, 17.1),
            (0.03, 17.6),
            (0.0, 17.65),
        ],
        12,
    );
    let dark = merged([opening(12.35, 1.2, 1.3)?, opening(9.4, 0.6, 1.0)?]);
    let mut tower = Node::group().named("bell tower").under(parent).at(Vec3::new(5.6, 22.5, 0.0));
    for (geometry, material) in [
        (shaft, &palette.stone),
        (merged(bands), &palette.marble),
        (spire, &palette.tiles),
        (finial, &palette.gold),
        (dark, &palette.window),
    ] {
        tower = tower.child(Node::mesh(&scene.assets.add(geometry), material));
    }
    scene.spawn(tower)?;
    Ok(())
}

/// Adds the low wall on the right, with a coping and piers.
fn garden_wall(scene: &mut Scene, palette: &Palette, parent: NodeId) -> Result<(), Error> {
    let wall = moved(block(0.5, 19.0, 1.3)?, 0.0, 0.0, 0.65);
    let coping = moved(block(0.68, 19.0, 0.14)?, 0.0, 0.0, 1.37);
    let piers = (0..5).map(|pier| {
        let shaft = block(0.8, 0.8, 1.7)?;
        let ball = moved(super::modeling::ball(0.3, 16)?, 0.0, 0.0, 1.2);
        Ok(moved(
            merged([shaft, moved(block(0.95, 0.95, 0.12)?, 0.0, 0.0, 0.88), ball]),
            0.0,
            pier as f32 * 4.7 - 9.4,
            0.85,
        ))
    });
    let piers = piers.collect::<Result<Vec<_>, Error>>()?;
    let wall = shaded(merged([wall]), |position, _| Vec3::splat(0.75 + 0.2 * position.z));
    let group = Node::group().named("garden wall").under(parent).at(Vec3::new(10.3, -2.6, 0.0));
    let group = group
        .child(Node::mesh(&scene.assets.add(wall), &palette.plaster).rotated(Quat::IDENTITY))
        .child(Node::mesh(
            &scene.assets.add(merged(piers.into_iter().chain([coping]))),
            &palette.stone,
        ));
    scene.spawn(group)?;
    Ok(())
}
