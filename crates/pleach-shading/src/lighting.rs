//! `Lighting`: all light of a scene as a renderer needs it, and the studio for scenes without.

use std::sync::Arc;

use glam::Vec3;
use pleach::{Fog, NodeId, Scene, View};

use crate::environment::{EnvironmentLight, PrefilteredEnvironment};
use crate::punctual::PunctualLight;

/// Lighting for scenes without lights of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Studio {
    /// A scene without lights gets the studio: a key light at the upper left of the camera, and the
    /// [built-in environment](PrefilteredEnvironment::studio), which metals reflect. A scene with
    /// punctual lights but without ambient light or an environment map gets a dim environment, so
    /// that no surface is black.
    #[default]
    Auto,
    /// The studio, instead of the lights of the scene.
    Always,
    /// Only the lights of the scene.
    Never,
}

/// The brightness of the environment that keeps unlit sides from being black.
const FILL_LIGHT: f32 = 0.18;
/// The factor of the built-in environment next to the key light.
const STUDIO_INTENSITY: f32 = 0.8;
const KEY_LIGHT: Vec3 = Vec3::new(0.6, 0.585, 0.55);

/// The light of a scene, as of its last [update](Scene::update). The default has none.
#[derive(Clone, Debug, Default)]
pub struct Lighting {
    /// The punctual lights that are shown, in the order of slots.
    pub lights: Vec<PunctualLight>,
    /// The light from all directions.
    pub environment: EnvironmentLight,
    /// The fog.
    pub fog: Option<Fog>,
    /// `true` if a fill light is missing, whose brightness depends on the exposure: see
    /// [`add_fill`](Self::add_fill).
    pub needs_fill: bool,
}

impl Lighting {
    /// Collects the light of a scene.
    ///
    /// `map` is the filtered map of the scene's environment, from
    /// [`EnvironmentCache::get`](crate::EnvironmentCache::get). The view determines the position of
    /// the studio's key light only.
    ///
    /// ```
    /// use pleach::{Camera, Light, Node, Scene, glam::Vec3};
    /// use pleach_shading::{Lighting, Studio};
    ///
    /// let mut scene = Scene::new();
    /// let camera = scene.spawn(Node::camera(Camera::default()))?;
    /// scene.spawn(Node::light(Light::directional(Vec3::ONE, 3.0)))?;
    /// scene.update()?;
    /// let view = scene.view(camera, (640, 480))?;
    ///
    /// let lighting = Lighting::from_scene(&scene, &view, Studio::Never, None);
    /// assert_eq!(lighting.lights.len(), 1);
    /// assert!(lighting.environment.is_dark());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn from_scene(
        scene: &Scene,
        view: &View,
        studio: Studio,
        map: Option<Arc<PrefilteredEnvironment>>,
    ) -> Self {
        let mut lighting = Self::default();
        lighting.update(scene, view, studio, map);
        lighting
    }

    /// Collects the light of a scene again, as [`from_scene`](Self::from_scene) does. Takes
    /// O(lights × depth), or O(nodes) for more than 256 lights; up to these it allocates only if
    /// there are more lights than before.
    pub fn update(
        &mut self,
        scene: &Scene,
        view: &View,
        studio: Studio,
        map: Option<Arc<PrefilteredEnvironment>>,
    ) {
        self.environment = EnvironmentLight::uniform(scene.ambient().light());
        if let (Some(map), Some(settings)) = (map, &scene.environment.map) {
            let environment = std::mem::take(&mut self.environment);
            self.environment = environment.with_map(map, settings.intensity, settings.rotation);
        }
        self.fog = scene.environment.fog;
        self.needs_fill = false;
        collect_punctual_lights(scene, &mut self.lights);
        let (has_lights, is_dark) = (!self.lights.is_empty(), self.environment.is_dark());
        match studio {
            Studio::Never => {}
            Studio::Auto if has_lights => self.needs_fill = is_dark,
            Studio::Auto if !is_dark => {}
            Studio::Auto | Studio::Always => {
                self.lights.clear();
                self.lights.push(key_light(view));
                self.environment = studio_environment(STUDIO_INTENSITY);
            }
        }
    }

    /// Adds the fill light for a picture with this exposure, if the lighting
    /// [needs](Self::needs_fill) it.
    pub fn add_fill(&mut self, exposure: f32) {
        if self.needs_fill && exposure > 0.0 {
            self.environment = studio_environment(FILL_LIGHT / exposure);
        }
    }

    /// Keeps the `max` lights that can be brightest within the scene's bounds, and returns how many
    /// were dropped.
    pub fn keep_brightest(&mut self, max: usize, scene: &Scene) -> usize {
        let dropped = self.lights.len().saturating_sub(max);
        if dropped > 0 {
            let bounds = scene.spatial.bounds();
            let (center, radius) =
                (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3().length());
            let mut order: Vec<usize> = (0..self.lights.len()).collect();
            order.sort_by_cached_key(|&i| {
                // Not negative, so the order of the bits is that of the values.
                std::cmp::Reverse(self.lights[i].brightness(center, radius).to_bits())
            });
            order.truncate(max);
            order.sort_unstable();
            self.lights = order.into_iter().map(|i| self.lights[i]).collect();
        }
        dropped
    }
}

fn studio_environment(intensity: f32) -> EnvironmentLight {
    let map = Arc::clone(PrefilteredEnvironment::studio());
    EnvironmentLight::default().with_map(map, intensity, 0.0)
}

/// Returns the studio's key light: at the upper left of the camera, in front of the scene.
fn key_light(view: &View) -> PunctualLight {
    let (back, camera_up) = (-view.direction(), view.up());
    let right = camera_up.cross(back);
    let direction = back * 0.5 + camera_up * 0.65 - right * 0.6;
    PunctualLight::directional(direction.normalize_or(Vec3::Z), KEY_LIGHT)
}

/// The number of lights up to which their ancestors are followed. For more of them the nodes below the root
/// are marked first, so that deep trees with many lights do not take quadratic time.
const MAX_FOLLOWED: usize = 256;

/// Replaces `lights` by the visible punctual lights of a scene, in the order of slots.
fn collect_punctual_lights(scene: &Scene, lights: &mut Vec<PunctualLight>) {
    lights.clear();
    let marked = (scene.lights.len() > MAX_FOLLOWED).then(|| mark_attached(scene));
    let is_attached = |node: NodeId| match &marked {
        Some(marked) => marked.get(node.index()) == Some(&true),
        None => is_attached(scene, node),
    };
    for (node, light) in scene.lights.iter(&scene.graph) {
        let Some(at) = scene.graph.get(node) else { continue };
        if at.is_shown()
            && is_attached(node)
            && let Some(punctual) = PunctualLight::new(light, &at.world())
        {
            lights.push(PunctualLight { node: Some(node), ..punctual });
        }
    }
    lights.sort_unstable_by_key(|light| light.node.map(NodeId::index));
}

/// Returns by slot whether a node is the root of the scene or below it. O(nodes).
fn mark_attached(scene: &Scene) -> Vec<bool> {
    let mut attached = vec![false; scene.graph.parents().len()];
    if let Some(root) = scene.graph.get(scene.root()) {
        let descendants = root.descendants();
        descendants.chain([scene.root()]).for_each(|node| attached[node.index()] = true);
    }
    attached
}

/// Returns `true` if a node is the root of the scene or below it. O(depth).
fn is_attached(scene: &Scene, node: NodeId) -> bool {
    let parent = |node: NodeId| scene.graph.get(node).and_then(|at| at.parent());
    std::iter::successors(Some(node), |&node| parent(node)).any(|node| node == scene.root())
}
