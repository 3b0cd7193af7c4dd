//! Plants: orange trees in pots, cypresses behind the wall, ivy and flower pots.
//!
//! Foliage is one geometry of leaves per kind of plant, which its nodes share.

use std::f32::consts::{PI, TAU};

use pleach::glam::{EulerRot, Mat4, Vec2, Vec3};
use pleach::{Error, Geometry, Instances, Mesh, Node, NodeId, Scene, rotation};

use super::modeling::{Random, Surface, ball, merged, moved, placed, shaded, tinted, tube, turned};
use super::palette::Palette;

/// Adds all plants.
pub(super) fn spawn(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    let garden = scene.spawn(Node::group().named("garden"))?;
    orange_trees(scene, palette, garden)?;
    cypresses(scene, palette, garden)?;
    flower_pots(scene, palette, garden)?;
    let ivy = leaves(800, 0.16, 5, |random| {
        // Denser at the bottom, and in strands.
        let strand = libm::floorf(random.between(0.0, 9.0));
        let height = random.between(0.0, 1.0) * (2.2 + 1.8 * libm::sinf(strand * 2.1));
        let x =
            0.22 * strand + random.between(-0.22, 0.22) + 0.16 * libm::sinf(height * 1.7 + strand);
        Vec3::new(x, random.between(-0.1, 0.02), height)
    });
    let ivy = scene.assets.add(ivy);
    for (x, y, turn) in [(-8.0, 1.2, 0.5 * PI), (8.2, 7.0, 0.0)] {
        let node =
            Node::mesh(&ivy, &palette.leaves).named("ivy").under(garden).at(Vec3::new(x, y, 0.0));
        scene.spawn(node.rotated(rotation::from_rotation_z(turn)))?;
    }
    Ok(())
}

/// Returns leaves at random positions: bent diamonds of `length`, each in a green of its own.
fn leaves(count: u32, length: f32, seed: u32, position: impl Fn(&mut Random) -> Vec3) -> Geometry {
    let mut random = Random::new(seed);
    let leaf = || {
        let mut leaf = Surface::default();
        let normal = |x: f32| Vec3::new(x, 0.0, 1.0).normalize_or(Vec3::Z);
        let vertex =
            |x: f32, y: f32, z: f32| (Vec3::new(x, y, z) * length, normal(x), Vec2::new(x, y));
        leaf.strip(
            &[vertex(0.0, 0.0, 0.0), vertex(0.26, 0.45, 0.1)],
            &[vertex(-0.26, 0.45, 0.1), vertex(0.0, 1.0, 0.0)],
        );
        leaf.build()
    };
    merged((0..count).map(|_| {
        let turn = rotation::from_euler(
            EulerRot::ZYX,
            random.between(0.0, TAU),
            random.between(-0.9, 0.9),
            random.between(-1.1, 0.6),
        );
        let tone = random.between(0.55, 1.45);
        let green =
            Vec3::new(tone * random.between(0.8, 1.3), tone, tone * random.between(0.5, 1.2));
        tinted(placed(leaf(), position(&mut random), turn), green)
    }))
}

/// Returns a clay pot with earth in it.
fn pot(radius: f32, height: f32) -> Geometry {
    let (r, h) = (radius, height);
    let side = [
        (0.66 * r, 0.0),
        (0.7 * r, 0.04 * h),
        (0.92 * r, 0.78 * h),
        (0.92 * r, 0.8 * h),
        (1.05 * r, 0.83 * h),
        (1.05 * r, h),
        (0.9 * r, h),
        (0.88 * r, 0.88 * h),
        (0.0, 0.9 * h),
    ];
    shaded(turned(&side, 24), |position, _| {
        let is_earth = position.truncate().length() < 0.89 * r && position.z > 0.86 * h;
        if is_earth { Vec3::new(0.25, 0.3, 0.4) } else { Vec3::splat(0.75 + 0.25 * position.z / h) }
    })
}

/// Adds orange trees in large pots.
fn orange_trees(scene: &mut Scene, palette: &Palette, parent: NodeId) -> Result<(), Error> {
    const CROWN: f32 = 0.95;
    let crown = leaves(1500, 0.25, 1, |random| {
        let point = random.in_ball();
        // Mostly near the surface of the crown.
        point * CROWN * (0.72 + 0.3 * point.length())
    });
    let crown = shaded(moved(crown, 0.0, 0.0, 2.55), |position, _| {
        let center = (position - Vec3::Z * 2.55).length() / CROWN;
        Vec3::splat(
            (0.3 + 0.75 * center * center).min(1.0) * (0.8 + 0.2 * (position.z - 1.6)).min(1.1),
        )
    });
    let path: Vec<Vec3> = (0..9)
        .map(|i| {
            let z = i as f32 * 0.2;
            Vec3::new(0.03 * libm::sinf(z * 3.0), 0.03 * libm::cosf(z * 4.0), 0.7 + z)
        })
        .collect();
    let trunk = tinted(tube(&path, 0.06, 8), Vec3::splat(0.7));
    let fruit = ball(0.085, 12)?;
    let mut random = Random::new(9);
    let places = (0..26).map(|_| {
        let point = random.in_ball().normalize_or(Vec3::X) * CROWN * random.between(0.82, 1.0);
        Mat4::from_translation(point + Vec3::Z * 2.5)
    });
    let instances = Instances::new(fruit.bounds(), places.collect())?;
    let fruit = scene.assets.add(tinted(fruit, Vec3::new(0.95, 0.36, 0.04)));
    let (crown, trunk) = (scene.assets.add(crown), scene.assets.add(trunk));
    let pot = scene.assets.add(pot(0.55, 0.8));
    let places = [
        (-6.2, -4.6, 0.0, 1.0),
        (-5.9, 4.9, 1.9, 1.05),
        (3.4, 5.4, 4.0, 1.0),
        (8.6, -5.6, 2.7, 1.1),
    ];
    for (x, y, turn, scale) in places {
        let tree = Node::group().named("orange tree").under(parent).at(Vec3::new(x, y, 0.0));
        let oranges = Mesh {
            instances: Some(Box::new(instances.clone())),
            ..Mesh::new(fruit.clone(), palette.fruit.clone())
        };
        let tree = tree
            .rotated(rotation::from_rotation_z(turn))
            .scaled(Vec3::splat(scale))
            .child(Node::mesh(&pot, &palette.clay).named("pot"))
            .child(Node::mesh(&trunk, &palette.wood).named("trunk"))
            .child(Node::mesh(&crown, &palette.leaves).named("crown"))
            .child(Node::group().named("oranges").with_mesh(oranges));
        scene.spawn(tree)?;
    }
    Ok(())
}

/// Adds cypresses behind the garden wall and the buildings.
fn cypresses(scene: &mut Scene, palette: &Palette, parent: NodeId) -> Result<(), Error> {
    let crown = leaves(1500, 0.48, 2, |random| {
        let height = random.between(0.0, 1.0);
        let radius = 0.95 * libm::sqrtf(height.min(0.25) * 4.0) * libm::powf(1.0 - height, 0.55);
        let (sin, cos) = libm::sincosf(random.between(0.0, TAU));
        let out = radius * random.between(0.75, 1.0);
        Vec3::new(cos * out, sin * out, 0.4 + 7.2 * height)
    });
    let core =
        turned(&[(0.3, 0.0), (0.7, 0.9), (0.75, 2.2), (0.6, 4.5), (0.3, 6.5), (0.0, 7.4)], 12);
    let crown = merged([tinted(crown, Vec3::new(0.5, 0.62, 0.6)), tinted(core, Vec3::splat(0.16))]);
    let crown = scene.assets.add(crown);
    let places = [
        (12.4, -4.2, 1.0),
        (13.0, -0.6, 1.12),
        (12.2, 3.4, 0.95),
        (13.6, 7.0, 1.2),
        (12.6, 11.5, 1.1),
        (15.5, 14.0, 1.3),
        (17.5, 4.0, 1.2),
        (-13.5, 13.5, 1.3),
        (-12.0, 17.0, 1.45),
    ];
    for (number, (x, y, scale)) in (0..).zip(places) {
        let tree = Node::mesh(&crown, &palette.leaves).named("cypress").under(parent);
        let turn = rotation::from_rotation_z(1.3 * number as f32);
        scene.spawn(tree.at(Vec3::new(x, y, 0.0)).rotated(turn).scaled(Vec3::splat(scale)))?;
    }
    Ok(())
}

/// Adds small pots with flowers.
fn flower_pots(scene: &mut Scene, palette: &Palette, parent: NodeId) -> Result<(), Error> {
    let shrub = leaves(260, 0.16, 3, |random| {
        random.in_ball() * Vec3::new(0.26, 0.26, 0.2) + Vec3::Z * 0.52
    });
    let mut random = Random::new(4);
    let blossoms = (0..34).map(|_| {
        let point = random.in_ball().normalize_or(Vec3::Z) * Vec3::new(0.33, 0.33, 0.27);
        let shade = random.between(0.7, 1.0);
        let color = Vec3::new(0.75 * shade, 0.04, 0.16 * shade);
        Ok(tinted(moved(ball(0.045, 6)?, point.x, point.y, 0.56 + point.z.abs()), color))
    });
    let blossoms = merged(blossoms.collect::<Result<Vec<_>, Error>>()?);
    let (shrub, blossoms) = (scene.assets.add(shrub), scene.assets.add(blossoms));
    let pot = scene.assets.add(pot(0.27, 0.42));
    for (x, y, scale) in [
        (-5.1, -5.3, 1.0),
        (-7.1, -3.5, 1.2),
        (-6.9, 6.3, 1.1),
        (-4.9, 6.3, 1.0),
        (1.1, 6.3, 1.1),
        (7.2, 6.2, 1.2),
        (6.4, 6.35, 0.9),
    ] {
        let group = Node::group()
            .named("flowers")
            .under(parent)
            .at(Vec3::new(x, y, 0.0))
            .scaled(Vec3::splat(scale));
        let group = group
            .child(Node::mesh(&pot, &palette.clay))
            .child(Node::mesh(&shrub, &palette.leaves))
            .child(Node::mesh(&blossoms, &palette.fruit));
        scene.spawn(group)?;
    }
    Ok(())
}
