//! Random edits of a scene: nodes, rows of any kind, assets, environment and name, in nested
//! transactions that may fail.

use pleach::camera::Camera;
use pleach::component::{Bounds, Level, Lod, MorphWeights, Skin};
use pleach::geometry::Instances;
use pleach::glam::{Mat4, Vec3};
use pleach::light::{Background, EnvironmentMap};
use pleach::material::{Image, TextureRef};
use pleach::{
    Aabb, Constraint, Error, Geometry, Handle, Light, Material, Node, NodeId, Scene, Transform,
};
use testkit::Rng;

use crate::state::{Health, NAMES, State};

/// The assets that edits use.
#[derive(Clone, Debug)]
pub struct SharedAssets {
    geometries: Vec<Handle<Geometry>>,
    materials: Vec<Handle<Material>>,
    images: Vec<Handle<Image>>,
}

impl SharedAssets {
    /// Returns the assets of the meshes of a scene, and others, so that there are some.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let (mut geometries, mut materials) = (Vec::new(), Vec::new());
        let mut images: Vec<Handle<Image>> = Vec::new();
        for part in scene.meshes.iter(&scene.graph).flat_map(|(_, mesh)| &mesh.parts) {
            if !geometries.contains(&part.geometry) {
                geometries.push(part.geometry.clone());
            }
            if !materials.contains(&part.material) {
                materials.push(part.material.clone());
            }
        }
        geometries.truncate(2);
        materials.truncate(2);
        for material in &materials {
            images.extend(material.get().textures().map(|texture| texture.image.clone()));
        }
        let sky = scene.environment.map.as_ref().and_then(EnvironmentMap::as_image);
        images.extend(sky.cloned());
        images.truncate(2);
        geometries.push(scene.assets.add(triangle(Vec3::X)));
        materials.push(scene.assets.add(Material::default()));
        images.push(scene.assets.add(Image::from_uri("0.png")));
        Self { geometries, materials, images }
    }

    fn geometry(&self, random: &mut Rng) -> &Handle<Geometry> {
        &self.geometries[random.below(self.geometries.len())]
    }

    fn material(&self, random: &mut Rng) -> &Handle<Material> {
        &self.materials[random.below(self.materials.len())]
    }

    fn image(&self, random: &mut Rng) -> &Handle<Image> {
        &self.images[random.below(self.images.len())]
    }
}

fn triangle(corner: Vec3) -> Geometry {
    Geometry::from_positions(vec![Vec3::ZERO, Vec3::Y, corner])
}

/// Performs 1 to 5 edits. `issued` receives the nodes that were added.
///
/// # Errors
///
/// A description, if a transaction inside does not roll back to the state before it.
pub fn edit_some(
    scene: &mut Scene,
    assets: &SharedAssets,
    random: &mut Rng,
    issued: &mut Vec<NodeId>,
) -> Result<(), String> {
    for _ in 0..1 + random.below(5) {
        match random.below(16) {
            0 => edit_nested(scene, assets, random, issued)?,
            1 => _ = scene.update().map_err(|error| error.to_string())?,
            _ => edit(scene, assets, random, issued).map_err(|error| error.to_string())?,
        }
    }
    Ok(())
}

fn edit_nested(
    scene: &mut Scene,
    assets: &SharedAssets,
    random: &mut Rng,
    issued: &mut Vec<NodeId>,
) -> Result<(), String> {
    let (before, fails) = (State::of(scene), random.one_in(2));
    let mut result = Ok(());
    let nested = scene.transact("nested", |scene| {
        result = edit_some(scene, assets, random, issued);
        if fails { Err(Error::NoTransaction) } else { Ok(()) }
    });
    result?;
    match nested {
        Ok(((), patch)) if patch.is_empty() => Ok(()),
        Err(Error::NoTransaction) if State::of(scene) == before => Ok(()),
        Ok(_) => Err("the edits of a transaction inside do not belong to the outer one".into()),
        Err(error) => Err(format!("a transaction inside was not rolled back: {error}")),
    }
}

/// Performs one edit.
fn edit(
    scene: &mut Scene,
    assets: &SharedAssets,
    random: &mut Rng,
    issued: &mut Vec<NodeId>,
) -> Result<(), Error> {
    let nodes: Vec<NodeId> = scene.graph.depth_first().collect();
    let (node, other) = (random.pick(&nodes), random.pick(&nodes));
    if nodes.len() < 5 || (nodes.len() < 16 && random.one_in(4)) {
        let new = Node::mesh(assets.geometry(random), assets.material(random)).under(node);
        let health = Health { points: random.next_u32(), friend: Some(other) };
        match random.below(4) {
            0 => issued.push(scene.spawn(new.at(random.vec3(9.0)))?),
            1 => issued.push(scene.spawn(new.named(random.pick(&NAMES)).with(health))?),
            2 => issued.push(scene.graph.add_root(transform(random))?),
            _ => {
                let clones = scene.clone_subtree(node, None)?;
                issued.extend(clones.pairs().iter().map(|pair| pair.1));
            }
        }
        return Ok(());
    }
    let is_root = node == scene.root();
    if random.one_in(4) {
        return edit_other_kinds(scene, assets, random, [node, other]);
    }
    match random.below(22) {
        0 if !is_root => _ = scene.remove(node)?,
        // From the graph alone: the rows are dropped later.
        1 if !is_root => _ = scene.graph.remove(node)?,
        2 | 3 if !is_root => match scene.graph.attach_at(node, other, random.below(3)) {
            Ok(()) | Err(pleach::graph::Error::Cycle { .. }) => {}
            Err(error) => return Err(error.into()),
        },
        4 if !is_root => scene.detach(node)?,
        5 => {
            let health = Health { points: random.next_u32(), friend: Some(other) };
            scene.insert(node, health)?;
        }
        6 => _ = scene.remove_component::<Health>(node),
        7 => {
            if let Some(health) = scene.get_mut::<Health>(node) {
                health.points ^= 1;
            }
        }
        8 => {
            let (graph, table) = scene.graph_and_table_mut::<Health>();
            table.iter_mut(graph).for_each(|(_, health)| health.points ^= 1);
        }
        9 => _ = scene.insert(node, Light::point(random.vec3(1.0).abs(), 1.0))?,
        10 => _ = scene.remove_component::<Light>(node),
        11 => {
            let color = random.vec3(1.0).abs().extend(1.0);
            assets.material(random).edit(|material| material.base_color = color);
        }
        12 => assets.geometry(random).set(triangle(random.vec3(2.0))),
        13 => match random.below(3) {
            0 => scene.environment.ambient.intensity = random.below(10) as f32,
            1 => scene.environment.background = Some(Background::Color(random.vec3(1.0).abs())),
            _ => scene.name = random.pick(&NAMES).into(),
        },
        14 if node != other => {
            let up = Vec3::Z;
            match scene.insert(node, Constraint::LookAt { target: other, up }) {
                Ok(_) | Err(Error::Constraint(_)) => {}
                Err(error) => return Err(error),
            }
        }
        15 if scene.mesh(node).is_none() => {
            _ = scene.insert(node, MorphWeights(vec![random.below(10) as f32]))?;
        }
        16 => {
            if let Some(mesh) = scene.mesh_mut(node) {
                mesh.layers = 1 << random.below(8);
            }
        }
        17 => _ = scene.node_mut(node)?.set_visible(random.one_in(2)),
        18 => _ = scene.node_mut(node)?.set_name(random.pick(&NAMES)),
        19 => {
            _ = scene.node_mut(node)?.set_local_matrix(random.affine(2.0)).map_err(Error::from)?;
        }
        _ => scene.set_transforms(&[node, other], &[transform(random), transform(random)])?,
    }
    Ok(())
}

/// Performs one edit of a camera, a skin, levels of detail, bounds, instances, an image, a texture or the
/// environment map; or one that changes nothing.
fn edit_other_kinds(
    scene: &mut Scene,
    assets: &SharedAssets,
    random: &mut Rng,
    [node, other]: [NodeId; 2],
) -> Result<(), Error> {
    match random.below(18) {
        0 => _ = scene.insert(node, Camera::perspective(0.5 + random.vec3(0.2).x))?,
        1 => {
            if let Some(camera) = scene.camera_mut(node) {
                camera.layers = 1 << random.below(8);
            }
        }
        2 => _ = scene.cameras.remove(node),
        3 => {
            let matrices = [Mat4::IDENTITY, random.affine(2.0)];
            scene.insert(node, Skin::new(vec![other, node], matrices)?)?;
        }
        4 => _ = scene.skins.remove(node),
        5 => {
            let level = Level { node: other, min_screen_size: random.below(9) as f32 / 8.0 };
            scene.insert(node, Lod { levels: vec![level; 1 + random.below(2)] })?;
        }
        6 => _ = scene.lods.remove(node),
        7 => {
            let bounds = Bounds(Aabb::new(Vec3::ZERO, random.vec3(3.0).abs()));
            scene.bounds.insert(&scene.graph, node, bounds)?;
        }
        8 => _ = scene.bounds.remove(node),
        9 => {
            if let Some(mesh) = scene.mesh_mut(node) {
                let matrices = (0..random.below(3)).map(|_| random.affine(2.0)).collect();
                let instances = Instances::new(Aabb::EMPTY, matrices)?;
                mesh.instances = random.one_in(2).then(|| Box::new(instances));
            }
        }
        10 => assets.image(random).set(Image::from_uri(format!("{}.png", random.below(9)))),
        11 => {
            let name = random.pick(&NAMES);
            assets.image(random).edit(|image| image.name = Some(name.into()));
        }
        12 | 13 => {
            let texture =
                (!random.one_in(3)).then(|| TextureRef::new(assets.image(random).clone()));
            assets.material(random).edit(|material| material.base_color_texture = texture);
        }
        14 => scene.environment.map = None,
        15 => {
            let map = EnvironmentMap::image(assets.image(random));
            let intensity = random.below(5) as f32;
            scene.environment.map = Some(EnvironmentMap { intensity, ..map });
        }
        16 => {
            // Borrowed and not changed.
            scene.meshes.rows_mut().for_each(drop);
            _ = scene.light_mut(node);
        }
        _ => {
            let part = scene.mesh_mut(node).and_then(|mesh| mesh.parts.first_mut());
            if let Some(part) = part {
                part.material.make_unique();
            }
        }
    }
    Ok(())
}

fn transform(random: &mut Rng) -> Transform {
    Transform { translation: random.vec3(9.0), rotation: random.rotation(), scale: random.scale() }
}
