//! Things in the courtyard: a cart, a table, barrels, crates, banners and pennants.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use pleach::glam::{Quat, Vec2, Vec3};
use pleach::shapes::Torus;
use pleach::{Error, Geometry, Node, NodeId, Scene, rotation};

use super::modeling::{
    Random, Surface, ball, block, grid, merged, moved, placed, plain, shaded, tinted, tube, turned,
};
use super::palette::Palette;

/// The radius of the wheels of the cart.
pub(super) const WHEEL: f32 = 0.55;
const ORANGE: Vec3 = Vec3::new(0.95, 0.36, 0.04);
const LEMON: Vec3 = Vec3::new(0.95, 0.68, 0.08);

/// Adds what stands still.
pub(super) fn spawn(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    table(scene, palette)?;
    barrels(scene, palette)?;
    banners(scene, palette)?;
    pennants(scene, palette)
}

/// Adds the cart and returns its node and that of its axle: moving the cart moves all of it, turning the
/// axle moves the wheels.
pub(super) fn cart(
    scene: &mut Scene,
    palette: &Palette,
    at: Vec3,
) -> Result<(NodeId, NodeId), Error> {
    let boards = [
        moved(block(1.3, 2.3, 0.08)?, 0.0, 0.0, 0.72),
        moved(block(0.07, 2.3, 0.42)?, -0.65, 0.0, 0.95),
        moved(block(0.07, 2.3, 0.42)?, 0.65, 0.0, 0.95),
        moved(block(1.3, 0.07, 0.42)?, 0.0, 1.15, 0.95),
        moved(block(1.3, 0.07, 0.42)?, 0.0, -1.15, 0.95),
        moved(block(0.09, 1.9, 0.09)?, -0.45, 1.9, 0.66),
        moved(block(0.09, 1.9, 0.09)?, 0.45, 1.9, 0.66),
        moved(block(1.0, 0.08, 0.08)?, 0.0, 2.75, 0.66),
        moved(block(0.09, 0.09, 0.7)?, 0.0, 1.6, 0.35),
    ];
    let mut random = Random::new(6);
    let heap = (0..90).map(|_| {
        let (x, y) = (random.between(-0.52, 0.52), random.between(-1.0, 1.0));
        let top = 0.36 * (1.0 - 2.4 * x * x) * (1.0 - 0.7 * y * y);
        let color = if random.between(0.0, 1.0) < 0.8 { ORANGE } else { LEMON };
        let color = color * random.between(0.8, 1.05);
        Ok(tinted(moved(ball(0.095, 10)?, x, y, 0.98 + top * random.between(0.7, 1.0)), color))
    });
    let heap = merged(heap.collect::<Result<Vec<_>, Error>>()?);
    let wheel = scene.assets.add(wheel()?);
    let tyre = scene.assets.add(plain(Torus::new(WHEEL, 0.045).with_detail(40, 8).build()?));
    let mesh = |geometry: Geometry, material| Node::mesh(&scene.assets.add(geometry), material);

    let cart = Node::group().named("cart").at(at);
    let cart = cart
        .child(mesh(merged(boards), &palette.wood).named("boards"))
        .child(mesh(heap, &palette.fruit).named("oranges"));
    let cart = scene.spawn(cart)?;
    let mut axle = Node::group().named("axle").under(cart).at(Vec3::Z * WHEEL);
    for x in [-0.82, 0.82] {
        let turn = rotation::from_rotation_y(FRAC_PI_2);
        axle = axle
            .child(Node::mesh(&wheel, &palette.wood).named("wheel").at(Vec3::X * x).rotated(turn));
        axle = axle
            .child(Node::mesh(&tyre, &palette.iron).named("tyre").at(Vec3::X * x).rotated(turn));
    }
    Ok((cart, scene.spawn(axle)?))
}

/// Returns a wheel with ten spokes, about its Z axis.
fn wheel() -> Result<Geometry, Error> {
    let spokes = (0..10).map(|spoke| {
        let turn = rotation::from_rotation_z(TAU * spoke as f32 / 10.0);
        Ok(placed(moved(block(0.05, WHEEL - 0.1, 0.05)?, 0.0, 0.5 * WHEEL, 0.0), Vec3::ZERO, turn))
    });
    let rim = plain(Torus::new(WHEEL - 0.06, 0.06).with_detail(40, 8).build()?);
    let hub = turned(&[(0.0, -0.12), (0.1, -0.12), (0.12, 0.0), (0.1, 0.12), (0.0, 0.12)], 14);
    Ok(merged(spokes.collect::<Result<Vec<_>, Error>>()?.into_iter().chain([rim, hub])))
}

/// Adds a table with a cloth, a carafe, goblets and a bowl of fruit.
fn table(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    const TOP: f32 = 0.78;
    let drape = grid(96, 10, |u, v| {
        let (sin, cos) = libm::sincosf(TAU * u);
        let fold = 0.07 * (1.0 - v) * libm::cosf(TAU * u * 11.0);
        let radius = 0.86 + 0.1 * (1.0 - v) + fold;
        Vec3::new(cos * radius, sin * radius, 0.16 + (TOP - 0.16) * v)
    });
    let cloth = merged([drape, turned(&[(0.86, TOP), (0.0, TOP)], 48)]);
    let cloth = shaded(cloth, |position, _| {
        let stripe = (position.z - 0.26).abs() < 0.035;
        let linen = if stripe { Vec3::new(0.5, 0.05, 0.06) } else { Vec3::new(0.82, 0.78, 0.68) };
        linen * (0.6 + 0.4 * (position.z / TOP).min(1.0))
    });
    let carafe = [
        (0.0, 0.0),
        (0.11, 0.0),
        (0.14, 0.05),
        (0.13, 0.14),
        (0.06, 0.26),
        (0.045, 0.34),
        (0.06, 0.42),
    ];
    let carafe = merged([turned(&carafe, 24), moved(tube(&handle(), 0.012, 8), 0.0, 0.0, 0.0)]);
    let wine = turned(
        &[(0.0, 0.01), (0.1, 0.01), (0.13, 0.05), (0.12, 0.14), (0.1, 0.17), (0.0, 0.17)],
        24,
    );
    let goblet = [
        (0.0, 0.0),
        (0.06, 0.0),
        (0.055, 0.01),
        (0.012, 0.03),
        (0.01, 0.1),
        (0.03, 0.12),
        (0.055, 0.16),
        (0.06, 0.22),
        (0.05, 0.22),
        (0.04, 0.15),
        (0.0, 0.13),
    ];
    let goblet = scene.assets.add(turned(&goblet, 20));
    let bowl = [
        (0.0, 0.0),
        (0.1, 0.0),
        (0.1, 0.02),
        (0.05, 0.035),
        (0.14, 0.06),
        (0.24, 0.13),
        (0.25, 0.14),
        (0.23, 0.14),
        (0.12, 0.07),
        (0.0, 0.05),
    ];
    let fruit = [
        (0.0, 0.0, 0.14, ORANGE),
        (0.13, 0.02, 0.13, LEMON),
        (-0.12, 0.05, 0.13, ORANGE),
        (0.02, 0.14, 0.13, ORANGE),
        (-0.02, -0.13, 0.13, LEMON),
        (0.04, 0.04, 0.25, ORANGE),
        (-0.06, -0.04, 0.24, LEMON),
    ];
    let fruit = fruit.map(|(x, y, z, color)| Ok(tinted(moved(ball(0.075, 16)?, x, y, z), color)));
    let fruit = merged(fruit.into_iter().collect::<Result<Vec<_>, Error>>()?);
    let mesh = |geometry: Geometry, material| Node::mesh(&scene.assets.add(geometry), material);
    let at = |x: f32, y: f32| Vec3::new(x, y, TOP);
    let table = Node::group().named("table").at(Vec3::new(3.7, -3.1, 0.0));
    let table = table
        .child(mesh(cloth, &palette.cloth).named("cloth"))
        .child(mesh(carafe, &palette.glass).named("carafe").at(at(-0.3, 0.1)))
        .child(mesh(wine, &palette.wine).named("wine").at(at(-0.3, 0.1)))
        .child(mesh(turned(&bowl, 28), &palette.gold).named("bowl").at(at(0.25, 0.12)))
        .child(mesh(fruit, &palette.fruit).named("fruit").at(at(0.25, 0.12)))
        .child(Node::mesh(&goblet, &palette.gold).named("goblet").at(at(-0.12, -0.38)))
        .child(Node::mesh(&goblet, &palette.gold).named("goblet").at(at(-0.52, -0.18)));
    scene.spawn(table)?;
    Ok(())
}

/// Returns the path of the handle of the carafe.
fn handle() -> Vec<Vec3> {
    let path = (0..=8).map(|step| {
        let (sin, cos) = libm::sincosf(PI * (step as f32 / 8.0 - 0.5));
        Vec3::new(0.07 + 0.1 * cos, 0.0, 0.27 + 0.13 * sin)
    });
    path.collect()
}

/// Adds barrels and a crate of lemons at the back wing.
fn barrels(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    let staves = [
        (0.3, 0.0),
        (0.36, 0.2),
        (0.39, 0.45),
        (0.36, 0.7),
        (0.3, 0.9),
        (0.27, 0.9),
        (0.27, 0.86),
        (0.0, 0.86),
    ];
    let hoop = |z: f32, radius: f32| {
        turned(&[(radius, z - 0.03), (radius + 0.012, z), (radius, z + 0.03)], 24)
    };
    let barrel = scene.assets.add(turned(&staves, 24));
    let hoops = scene.assets.add(merged([
        hoop(0.1, 0.335),
        hoop(0.28, 0.375),
        hoop(0.62, 0.375),
        hoop(0.8, 0.335),
    ]));
    for (x, y) in [(6.2, 5.7), (7.0, 5.3), (5.3, 5.9)] {
        let node = Node::group().named("barrel").at(Vec3::new(x, y, 0.0));
        let node =
            node.child(Node::mesh(&barrel, &palette.wood)).child(Node::mesh(&hoops, &palette.iron));
        scene.spawn(node)?;
    }
    let slat = |x: f32, y: f32, z: f32, along: f32, across: f32| {
        Ok::<_, Error>(moved(block(along, across, 0.1)?, x, y, z))
    };
    let mut crate_ = vec![moved(block(0.8, 0.6, 0.03)?, 0.0, 0.0, 0.03)];
    for z in [0.1, 0.24, 0.38] {
        for side in [-1.0, 1.0] {
            crate_.push(slat(0.0, 0.3 * side, z, 0.84, 0.03)?);
            crate_.push(slat(0.4 * side, 0.0, z, 0.03, 0.6)?);
        }
    }
    let mut random = Random::new(12);
    let lemons = (0..40).map(|_| {
        let at = Vec3::new(
            random.between(-0.32, 0.32),
            random.between(-0.22, 0.22),
            random.between(0.3, 0.42),
        );
        Ok(tinted(moved(ball(0.075, 10)?, at.x, at.y, at.z), LEMON * random.between(0.85, 1.05)))
    });
    let lemons = scene.assets.add(merged(lemons.collect::<Result<Vec<_>, Error>>()?));
    let crate_ = scene.assets.add(merged(crate_));
    for (x, y, turn) in [(5.1, -1.9, 0.5), (-4.4, 5.6, -0.2)] {
        let node = Node::group()
            .named("crate")
            .at(Vec3::new(x, y, 0.0))
            .rotated(rotation::from_rotation_z(turn));
        let node = node
            .child(Node::mesh(&crate_, &palette.wood))
            .child(Node::mesh(&lemons, &palette.fruit));
        scene.spawn(node)?;
    }
    Ok(())
}

/// Adds banners between the windows of both wings.
fn banners(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    let banner = grid(10, 40, |u, v| {
        let wave = 0.05 * (1.1 - v) * libm::sinf(9.0 * v + 2.0 * u);
        Vec3::new(0.9 * (u - 0.5), wave - 0.1 * (1.0 - v) * u, 2.7 * (v - 1.0))
    });
    let rod = [Vec3::new(-0.58, 0.0, 0.02), Vec3::new(0.58, 0.0, 0.02)];
    let rod = merged([
        tube(&rod, 0.03, 8),
        moved(ball(0.06, 12)?, -0.6, 0.0, 0.02),
        moved(ball(0.06, 12)?, 0.6, 0.0, 0.02),
    ]);
    let (banner, rod) = (scene.assets.add(banner), scene.assets.add(rod));
    let quarter = rotation::from_rotation_z(FRAC_PI_2);
    let places = [
        (Vec3::new(-2.0, 6.66, 6.25), Quat::IDENTITY),
        (Vec3::new(4.0, 6.66, 6.25), Quat::IDENTITY),
        (Vec3::new(-7.66, -2.0, 6.25), quarter),
        (Vec3::new(-7.66, 4.0, 6.25), quarter),
    ];
    for (at, turn) in places {
        let node = Node::group().named("banner").at(at).rotated(turn);
        let node =
            node.child(Node::mesh(&banner, &palette.banner)).child(Node::mesh(&rod, &palette.gold));
        scene.spawn(node)?;
    }
    Ok(())
}

/// Adds strings of pennants across the courtyard.
fn pennants(scene: &mut Scene, palette: &Palette) -> Result<(), Error> {
    const COLORS: [Vec3; 5] = [
        Vec3::new(0.62, 0.05, 0.06),
        Vec3::new(0.85, 0.55, 0.12),
        Vec3::new(0.08, 0.28, 0.38),
        Vec3::new(0.80, 0.74, 0.62),
        Vec3::new(0.16, 0.34, 0.14),
    ];
    let strings = [
        (Vec3::new(-7.9, -1.5, 6.3), Vec3::new(9.8, 6.9, 6.5), 1.7),
        (Vec3::new(-7.9, -5.0, 6.2), Vec3::new(10.3, 4.6, 4.6), 1.6),
    ];
    for (from, to, sag) in strings {
        let at = |t: f32| from + (to - from) * t - Vec3::Z * (4.0 * sag * t * (1.0 - t));
        let count = ((to - from).length() / 0.52) as u32;
        let rope: Vec<Vec3> = (0..=60).map(|step| at(step as f32 / 60.0)).collect();
        let flags = (0..count).map(|number| {
            let [a, b] = [0.12, 0.88].map(|it| at((number as f32 + it) / count as f32));
            let sway = 0.07 * libm::sinf(number as f32 * 1.9);
            let side = (b - a).cross(Vec3::Z).normalize_or(Vec3::Y);
            let tip = (a + b) * 0.5 - Vec3::Z * 0.52 + side * sway;
            let normal = (b - a).cross(tip - a).normalize_or(Vec3::Y);
            let vertex = |at: Vec3| (at, -normal, Vec2::ZERO);
            let mut flag = Surface::default();
            flag.strip(&[vertex(tip), vertex(tip)], &[vertex(a), vertex(b)]);
            tinted(flag.build(), COLORS[number as usize % COLORS.len()])
        });
        let flags = scene.assets.add(merged(flags));
        let rope = scene.assets.add(tinted(tube(&rope, 0.012, 5), Vec3::splat(0.5)));
        let node = Node::group().named("pennants").child(Node::mesh(&flags, &palette.cloth));
        scene.spawn(node.child(Node::mesh(&rope, &palette.cloth)))?;
    }
    Ok(())
}
