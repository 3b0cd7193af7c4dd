//! `Pair`: a scene and its model, to which the same steps are applied.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::Vec3;
use pleach::shapes::Cuboid;
use pleach::{
    Camera, Filter, Geometry, Handle, History, Material, Mesh, Node, NodeId, Ray, RenderList,
    Scene, View, Visible,
};
use pleach::{Transform, material::AlphaMode};
use pleach_gltf::Format;
use testkit::naive::{Key, Local};
use testkit::{Rng, matrix};

use crate::model::{Answer, BoxMesh, Model};
use crate::step::Step;

/// The result of a step; the error describes a difference.
pub type Result<T = ()> = core::result::Result<T, String>;

/// A clip that moves a node.
struct Playing {
    mixer: Mixer,
    target: Key,
    keys: [Vec3; 3],
    /// In seconds.
    time: f64,
}

/// A scene and its model.
pub struct Pair {
    scene: Scene,
    model: Model,
    /// By key.
    nodes: Vec<NodeId>,
    geometries: Vec<Handle<Geometry>>,
    materials: Vec<Handle<Material>>,
    visible: Visible,
    list: RenderList,
    playing: Option<Playing>,
    /// The edits that can be undone, unless the scene is animated: poses are not recorded.
    history: Option<History>,
    /// The states before each edit that can be undone, and after each that can be redone.
    undo: Vec<State>,
    redo: Vec<State>,
    limit: usize,
    /// The number of values compared.
    pub compared: u64,
}

/// A copy of everything that an undo restores.
#[derive(Clone)]
struct State {
    model: Model,
    nodes: Vec<NodeId>,
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pair of {} nodes", self.nodes.len())
    }
}

pub(crate) fn ensure(condition: bool, difference: impl FnOnce() -> String) -> Result {
    if condition { Ok(()) } else { Err(difference()) }
}

fn cuboid(size: Vec3) -> Geometry {
    Cuboid::new(size).build().expect("the size is positive")
}

fn alpha_mode(transparent: bool) -> AlphaMode {
    if transparent { AlphaMode::Blend } else { AlphaMode::Opaque }
}

impl Pair {
    /// Creates an empty scene with four geometries and six materials, for up to about `limit` nodes.
    /// Edits are recorded, and can be undone, if it has a history.
    #[must_use]
    pub fn new(limit: usize, with_history: bool) -> Self {
        let scene = Scene::new();
        let mut model = Model {
            sizes: (1..=4).map(|i| Vec3::new(1.0, i as f32 * 0.5, 2.0 / i as f32)).collect(),
            transparent: (0..6).map(|i| i % 3 == 2).collect(),
            ..Model::default()
        };
        let geometries = model.sizes.iter().map(|&size| scene.assets.add(cuboid(size))).collect();
        let material = |&transparent: &bool| Material {
            alpha_mode: alpha_mode(transparent),
            ..Material::default()
        };
        let materials = model.transparent.iter().map(|it| scene.assets.add(material(it))).collect();
        model.tree.add(None, Local::Trs(Vec3::ZERO, Default::default(), Vec3::ONE));
        let nodes = vec![scene.root()];
        let (visible, list) = (Visible::new(), RenderList::new());
        Self {
            scene,
            model,
            nodes,
            geometries,
            materials,
            visible,
            list,
            playing: None,
            history: with_history.then(|| History::with_limit(usize::MAX)),
            undo: Vec::new(),
            redo: Vec::new(),
            limit,
            compared: 0,
        }
    }

    /// Returns the live node with this number, which may be the root.
    fn any(&self, number: usize) -> Key {
        let live = self.model.tree.live();
        live[number % live.len()]
    }

    /// Returns the live node with this number, or `None` if it is the root.
    fn below_root(&self, number: usize) -> Option<Key> {
        Some(self.any(number)).filter(|&key| key != 0)
    }

    fn mesh(&self, [geometry, material]: [usize; 2]) -> Mesh {
        Mesh::new(self.geometries[geometry].clone(), self.materials[material].clone())
    }

    /// Applies a step to the scene and the model, and compares what it returns.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn apply(&mut self, step: &Step) -> Result {
        let is_fail = matches!(step, Step::Fail(_));
        let step = if let Step::Fail(step) = step { step } else { step };
        let Some(history) = &mut self.history else { return self.apply_once(step) };
        let error = |error: pleach::Error| format!("{step:?} failed: {error}");
        match step {
            Step::Undo => {
                let is_undone = history.undo(&mut self.scene).map_err(error)?.is_some();
                ensure(is_undone != self.undo.is_empty(), || "another number of edits".into())?;
                if let Some(state) = self.undo.pop() {
                    let after = self.restore(state);
                    self.redo.push(after);
                }
                Ok(())
            }
            Step::Redo => {
                let is_redone = history.redo(&mut self.scene).map_err(error)?.is_some();
                ensure(is_redone != self.redo.is_empty(), || "another number of edits".into())?;
                if let Some(state) = self.redo.pop() {
                    let before = self.restore(state);
                    self.undo.push(before);
                }
                Ok(())
            }
            Step::Forget => {
                history.clear(&mut self.scene);
                (self.undo, self.redo) = (Vec::new(), Vec::new());
                let parked = self.scene.graph.parked_count();
                ensure(parked == 0, || format!("{parked} nodes are parked"))
            }
            // Poses are not recorded: an undo would not restore them.
            Step::Animate(..) => Ok(()),
            step if step.is_edit() => {
                let before = State { model: self.model.clone(), nodes: self.nodes.clone() };
                self.scene.begin_transaction();
                let result = self.apply_once(step);
                if is_fail {
                    self.scene.roll_back();
                    self.restore(before);
                    return result;
                }
                let patch = self.scene.commit("edit").map_err(error)?;
                if !patch.is_empty()
                    && let Some(history) = &mut self.history
                {
                    history.push(&mut self.scene, patch);
                    self.undo.push(before);
                    self.redo.clear();
                }
                result
            }
            step => self.apply_once(step),
        }
    }

    /// Replaces the model by a copy, and returns it.
    fn restore(&mut self, state: State) -> State {
        State {
            model: std::mem::replace(&mut self.model, state.model),
            nodes: std::mem::replace(&mut self.nodes, state.nodes),
        }
    }

    fn apply_once(&mut self, step: &Step) -> Result {
        let text = |error: pleach::Error| format!("{step:?} failed: {error}");
        match *step {
            Step::Spawn { parent, transform, mesh } => {
                if self.model.tree.live().len() < self.limit {
                    self.spawn(parent, transform, mesh).map_err(text)?;
                }
            }
            Step::Remove(node) => {
                if let Some(key) = self.below_root(node) {
                    let mut gone = Vec::new();
                    self.model.tree.depth_first(key, &mut gone);
                    self.model.tree.remove(key);
                    gone.iter().for_each(|key| _ = self.model.meshes.remove(key));
                    let removed = self.scene.remove(self.nodes[key]).map_err(text)?;
                    ensure(removed == gone.len(), || format!("{removed} nodes were removed"))?;
                }
            }
            Step::Attach(node, parent) => {
                let (Some(key), parent) = (self.below_root(node), self.any(parent)) else {
                    return Ok(());
                };
                let is_cycle = self.model.tree.is_within(parent, key);
                let attached = self.scene.attach(self.nodes[key], self.nodes[parent]);
                ensure(attached.is_err() == is_cycle, || format!("{step:?}: {attached:?}"))?;
                if !is_cycle {
                    self.model.tree.attach(key, Some(parent), usize::MAX);
                }
            }
            Step::Detach(node) => {
                if let Some(key) = self.below_root(node) {
                    self.scene.detach(self.nodes[key]).map_err(text)?;
                    if self.model.tree.node(key).parent.is_some() {
                        self.model.tree.attach(key, None, usize::MAX);
                    }
                }
            }
            Step::SetTransform(node, transform) => {
                let key = self.any(node);
                let mut edited = self.scene.node_mut(self.nodes[key]).map_err(text)?;
                edited.set_transform(transform).map_err(|e| text(e.into()))?;
                self.copy_transform(key)?;
            }
            Step::SetVisible(node, visible) => {
                let key = self.any(node);
                self.scene.node_mut(self.nodes[key]).map_err(text)?.set_visible(visible);
                self.model.tree.set_visible(key, visible);
            }
            Step::SetMesh(node, mesh @ [geometry, material]) => {
                let key = self.any(node);
                let row = BoxMesh { geometry, material, layers: 1 };
                let old = self.model.meshes.insert(key, row);
                let replaced = self.scene.insert(self.nodes[key], self.mesh(mesh)).map_err(text)?;
                ensure(replaced.is_some() == old.is_some(), || "another mesh was there".into())?;
            }
            Step::SetLayers(node, layers) => {
                let key = self.any(node);
                let row = self.scene.get_mut::<Mesh>(self.nodes[key]);
                let expected = self.model.meshes.get_mut(&key);
                ensure(row.is_some() == expected.is_some(), || format!("{step:?}: a mesh"))?;
                if let (Some(row), Some(expected)) = (row, expected) {
                    (row.layers, expected.layers) = (layers, layers);
                }
            }
            Step::RemoveMesh(node) => {
                let key = self.any(node);
                let old = self.model.meshes.remove(&key);
                let removed = self.scene.remove_component::<Mesh>(self.nodes[key]);
                ensure(removed.is_some() == old.is_some(), || format!("{step:?}: a mesh"))?;
            }
            Step::Resize(geometry, size) => {
                let geometry = geometry % self.geometries.len();
                self.geometries[geometry].set(cuboid(size));
                self.model.sizes[geometry] = size;
            }
            Step::SetTransparent(material, transparent) => {
                let material = material % self.materials.len();
                self.materials[material].edit(|it| it.alpha_mode = alpha_mode(transparent));
                self.model.transparent[material] = transparent;
            }
            Step::Update => self.update()?,
            Step::ClearChanges => self.scene.clear_changes(),
            Step::Animate(node, keys, seconds) => self.animate(node, keys, seconds)?,
            Step::Cull { position, toward, fov, far } => self.cull(position, toward, fov, far)?,
            Step::Pick { seed, rays } => {
                self.update()?;
                let mut rng = Rng::new(seed);
                for _ in 0..rays {
                    self.pick(&mut rng)?;
                }
            }
            Step::Save => self.save()?,
            Step::Undo | Step::Redo | Step::Fail(_) | Step::Forget => {}
        }
        Ok(())
    }

    fn spawn(
        &mut self,
        parent: usize,
        transform: Transform,
        mesh: Option<[usize; 2]>,
    ) -> core::result::Result<(), pleach::Error> {
        let parent = self.any(parent);
        let key = self.nodes.len();
        let mut node = Node::group().named(format!("n{key}")).with_transform(transform);
        if let Some(mesh @ [geometry, material]) = mesh {
            node = node.with_mesh(self.mesh(mesh));
            self.model.meshes.insert(key, BoxMesh { geometry, material, layers: 1 });
        }
        self.nodes.push(self.scene.spawn(node.under(self.nodes[parent]))?);
        let Transform { translation, rotation, scale } = transform;
        self.model.tree.add(Some(parent), Local::Trs(translation, rotation, scale));
        self.copy_transform(key).expect("the node was just spawned");
        Ok(())
    }

    /// Copies a local transform from the scene, which may have normalized the rotation.
    fn copy_transform(&mut self, key: Key) -> Result {
        let node = self.scene.node(self.nodes[key]).map_err(|error| error.to_string())?;
        let Transform { translation, rotation, scale } = node.transform();
        self.model.tree.set_local(key, Local::Trs(translation, rotation, scale));
        Ok(())
    }

    /// Updates the scene and compares all world matrices bit for bit, and the derived data with
    /// its definition.
    fn update(&mut self) -> Result {
        self.scene.update().map_err(|error| format!("update: {error}"))?;
        for &key in self.model.tree.live() {
            let node = self.scene.node(self.nodes[key]).map_err(|error| error.to_string())?;
            let (ours, expected) = (node.world().to_cols_array(), self.model.tree.world(key));
            ensure(matrix::bits(&ours) == matrix::bits(&expected), || {
                format!("world of n{key}: {ours:?} in the scene, {expected:?} in the model")
            })?;
            let is_shown = self.model.tree.is_shown(key);
            ensure(node.is_shown() == is_shown, || format!("n{key} is shown: {is_shown}"))?;
            let has_mesh = self.model.meshes.contains_key(&key);
            let bounds = self.scene.world_bounds(self.nodes[key]);
            ensure(bounds.is_some() == has_mesh, || format!("n{key}: bounds {bounds:?}"))?;
            self.compared += 3;
        }
        Ok(())
    }

    /// Compares everything, including the scene's own checks of its invariants.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(&mut self) -> Result {
        self.update()?;
        let problems = self.scene.check();
        ensure(problems.is_empty(), || format!("check: {problems:?}"))?;
        let live = self.model.tree.live().len();
        ensure(self.scene.graph.len() == live, || format!("{live} nodes are alive"))?;
        let meshes = self.model.meshes.len();
        ensure(self.scene.meshes.len() == meshes, || format!("there are {meshes} meshes"))
    }

    fn animate(&mut self, node: usize, keys: [Vec3; 3], seconds: f32) -> Result {
        let is_alive = |playing: &Playing| self.model.tree.node(playing.target).alive;
        if !self.playing.as_ref().is_some_and(is_alive) {
            let Some(target) = self.below_root(node) else { return Ok(()) };
            let text = |error: pleach::Error| error.to_string();
            let times = [0.0, 1.0, 2.0];
            let channel = Channel::translation(0, Interpolation::Linear, times, keys);
            let clip = Clip::new("walk", ["it"], [channel.map_err(|e| text(e.into()))?]);
            let clip = Arc::new(clip.map_err(|e| text(e.into()))?);
            let binding = Binding::new(clip, [self.nodes[target]]).map_err(|e| text(e.into()))?;
            let mut mixer = Mixer::new();
            self.scene.play(&mut mixer, binding);
            self.playing = Some(Playing { mixer, target, keys, time: 0.0 });
        }
        let Some(playing) = &mut self.playing else { return Ok(()) };
        self.scene.animate(&mut playing.mixer, seconds);
        playing.time = (playing.time + f64::from(seconds)) % 2.0;
        let (target, time) = (playing.target, playing.time);
        let [a, b, c] = playing.keys.map(|key| key.as_dvec3());
        let expected = if time < 1.0 { a.lerp(b, time) } else { b.lerp(c, time - 1.0) };
        let node = self.scene.node(self.nodes[target]).map_err(|error| error.to_string())?;
        let translation = node.translation().as_dvec3();
        // The clip jumps where it repeats.
        let is_near_jump = !(1e-3..=2.0 - 1e-3).contains(&time);
        ensure(is_near_jump || translation.abs_diff_eq(expected, 0.05), || {
            format!("n{target} at {time} s is at {translation}, not {expected}")
        })?;
        self.compared += 1;
        self.copy_transform(target)
    }

    fn cull(&mut self, position: Vec3, toward: Vec3, fov: f32, far: f32) -> Result {
        self.update()?;
        let place = Transform::from_translation(position).looking_at(toward, Vec3::Z);
        let camera = Camera::perspective(fov).with_near(0.1).with_far(far);
        let view = View::new(&camera, place, 1.5).map_err(|error| error.to_string())?;
        self.scene.cull(&view, &mut self.visible);
        let mut drawn = BTreeSet::new();
        for (&key, mesh) in &self.model.meshes {
            let is_visible = self.visible.contains(self.nodes[key]);
            let expected = self.model.in_view(key, &view);
            ensure(
                expected == Answer::Borderline || is_visible == (expected == Answer::Yes),
                || format!("n{key} in view: {expected:?} in the model; {mesh:?}"),
            )?;
            if is_visible {
                drawn.insert(self.nodes[key]);
            }
            self.compared += 1;
        }
        let listed: BTreeSet<NodeId> = self.visible.nodes().iter().copied().collect();
        ensure(listed == drawn && listed.len() == self.visible.len(), || {
            format!("{listed:?} are listed, {drawn:?} in view")
        })?;
        self.list.build(&self.scene, &self.visible, &view);
        self.compare_list(drawn)
    }

    /// Compares the draws with the meshes in view: each once, in the documented order.
    fn compare_list(&mut self, mut drawn: BTreeSet<NodeId>) -> Result {
        let (opaque, transparent) = (self.list.opaque(), self.list.transparent());
        for (draws, is_transparent) in [(opaque, false), (transparent, true)] {
            for draw in draws {
                ensure(drawn.remove(&draw.node), || format!("{draw:?} is not in view"))?;
                let key = self.nodes.iter().rposition(|&node| node == draw.node);
                let key = key.ok_or_else(|| format!("{draw:?} is of an unknown node"))?;
                let mesh = self.model.meshes[&key];
                let matches = draw.geometry == self.geometries[mesh.geometry].id()
                    && draw.material == self.materials[mesh.material].id()
                    && self.model.transparent[mesh.material] == is_transparent;
                ensure(matches, || format!("{draw:?} is not that of {mesh:?}"))?;
            }
        }
        ensure(drawn.is_empty(), || format!("{drawn:?} are not drawn"))?;
        let by_material = opaque.is_sorted_by_key(|draw| (draw.material, draw.geometry));
        let back_to_front = transparent.is_sorted_by(|a, b| a.depth >= b.depth);
        ensure(by_material && back_to_front, || format!("not sorted: {:?}", self.list))
    }

    fn pick(&mut self, rng: &mut Rng) -> Result {
        let origin = rng.direction() * rng.between(200.0, 400.0);
        let direction = (rng.vec3(15.0) - origin).normalize();
        let ray = Ray::new(origin, direction).map_err(|error| error.to_string())?;
        let hit = self.scene.pick(&ray, &Filter::default().with_layers(1));
        // The nearest entry into boxes that are slightly larger, and slightly smaller.
        let (mut nearest, mut farthest) = (f64::INFINITY, f64::INFINITY);
        for (&key, mesh) in &self.model.meshes {
            if !self.model.is_drawn(key) || mesh.layers & 1 == 0 {
                continue;
            }
            let entry = |grown| self.model.entry(key, origin, direction, grown);
            if let Some(distance) = entry(1.001) {
                if distance == 0.0 {
                    return Ok(());
                }
                nearest = nearest.min(distance);
            }
            farthest = entry(0.999).map_or(farthest, |distance| farthest.min(distance));
        }
        self.compared += 1;
        let distance = hit.map_or(f64::INFINITY, |hit| f64::from(hit.distance));
        let margin = if distance.is_finite() { 1e-4 * (1.0 + distance) } else { 0.0 };
        ensure((nearest - margin..=farthest + margin).contains(&distance), || {
            format!("{ray:?}: {hit:?}, expected from {nearest} to {farthest}")
        })
    }

    fn save(&mut self) -> Result {
        let saved = pleach_gltf::save_bytes(&self.scene, Format::Glb);
        let saved = saved.map_err(|error| format!("save: {error}"))?;
        let document = pleach_gltf::load_bytes(&saved.bytes);
        let document = document.map_err(|error| format!("load of what was saved: {error}"))?;
        let loaded = document.scene().ok_or("the file has no scene")?;
        for &key in self.model.tree.live() {
            if key == 0 || !self.model.tree.is_within(key, 0) {
                continue;
            }
            let name = format!("n{key}");
            let node = loaded.find(&name).ok_or_else(|| format!("{name} was not saved"))?;
            let (ours, saved) = (self.scene.node(self.nodes[key]), loaded.node(node));
            let (Ok(ours), Ok(saved)) = (ours, saved) else { return Err(name) };
            let bits = |it: Transform| {
                let [x, y, z] = it.translation.to_array();
                let [a, b, c, d] = it.rotation.to_array();
                let [u, v, w] = it.scale.to_array();
                [x, y, z, a, b, c, d, u, v, w].map(f32::to_bits)
            };
            let is_equal = bits(ours.transform()) == bits(saved.transform())
                && ours.is_visible() == saved.is_visible()
                && self.scene.mesh(self.nodes[key]).is_some() == loaded.mesh(node).is_some();
            ensure(is_equal, || format!("{name} differs: {ours:?}, {saved:?}"))?;
            let parent = self.model.tree.node(key).parent.filter(|&parent| parent != 0);
            if let Some(parent) = parent {
                let saved = saved.parent().and_then(|parent| loaded.node(parent).ok()?.name());
                ensure(saved == Some(format!("n{parent}").as_str()), || {
                    format!("{name} was saved below {saved:?}, not n{parent}")
                })?;
            }
            self.compared += 4;
        }
        Ok(())
    }
}
