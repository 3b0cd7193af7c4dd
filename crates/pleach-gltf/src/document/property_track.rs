//! Animated properties of materials, cameras and lights (KHR_animation_pointer).
//!
//! A pointer is resolved once, when the file is loaded, to the field of pleach's type that it
//! animates. Pointers to anything else stay in the file and are not applied.
//!
//! The values before an animation are kept, so that they can be restored.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use pleach::animation::WeightCurve;
use pleach::{
    AlphaMode, Anisotropy, AssetVersion, Camera, Clearcoat, DiffuseTransmission, Handle,
    Iridescence, Light, LightKind, Material, NodeId, Projection, Scene, Sheen, Specular,
    TextureRef, TextureTransform, Transmission, Volume,
};

/// The values of one property over time.
#[derive(Clone, Debug)]
pub(crate) struct PropertyTrack {
    pub(crate) target: PropertyTarget,
    /// The values; the number per key is that of the property.
    pub(crate) curve: WeightCurve,
    /// The file's indices of the nodes that have the camera or light.
    pub(crate) nodes: Arc<[u32]>,
}

/// A property that a pointer refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PropertyTarget {
    /// A field of the file's material at this index.
    Material(u32, MaterialProperty),
    /// A parameter of the file's camera at this index.
    Camera(u32, CameraProperty),
    /// A field of the file's light at this index.
    Light(u32, LightProperty),
}

/// A field of a material.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaterialProperty {
    Factor(MaterialField),
    Transform(TextureField, TransformField),
}

/// Returns the numbers of a field, or `None` if the material does not have its extension.
type MaterialField = fn(&mut Material) -> Option<&mut [f32]>;
type TextureField = fn(&mut Material) -> Option<&mut TextureRef>;
type TransformField = fn(&mut TextureTransform) -> &mut [f32];

type CameraProperty = fn(&mut Camera, f32);
/// The number of values per key, and a function that sets the field.
type LightProperty = (usize, fn(&mut Light, &[f32]));

impl PropertyTarget {
    /// Resolves a pointer such as `/materials/3/alphaCutoff`, or returns `None` if the property is
    /// not supported.
    pub(crate) fn parse(pointer: &str) -> Option<Self> {
        let split = |prefix: &str| {
            let (index, path) = pointer.strip_prefix(prefix)?.split_once('/')?;
            let is_number = index.bytes().all(|byte| byte.is_ascii_digit());
            Some((index.parse::<u32>().ok().filter(|_| is_number)?, path))
        };
        if let Some((index, path)) = split("/materials/") {
            return Some(Self::Material(index, MaterialProperty::parse(path)?));
        }
        if let Some((index, path)) = split("/cameras/") {
            return Some(Self::Camera(index, find(CAMERA_PROPERTIES, path)?));
        }
        let (index, path) = split("/extensions/KHR_lights_punctual/lights/")?;
        Some(Self::Light(index, find(LIGHT_PROPERTIES, path)?))
    }

    /// Returns the number of values per key.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Material(_, property) => property.width(),
            Self::Camera(..) => 1,
            Self::Light(_, (width, _)) => width,
        }
    }
}

impl MaterialProperty {
    fn parse(path: &str) -> Option<Self> {
        if let Some((texture, member)) = path.split_once("/extensions/KHR_texture_transform/") {
            let texture = find(TEXTURES, texture)?;
            return Some(Self::Transform(texture, find(TRANSFORM_FIELDS, member)?));
        }
        find(MATERIAL_FIELDS, path).map(Self::Factor)
    }

    /// Returns the numbers of the property, or `None` if the material does not have the extension
    /// or texture that it belongs to.
    fn values(self, material: &mut Material) -> Option<&mut [f32]> {
        match self {
            Self::Factor(field) => field(material),
            Self::Transform(texture, field) => {
                let texture = texture(material)?;
                Some(field(texture.transform.get_or_insert(TextureTransform::IDENTITY)))
            }
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Factor(field) => field(&mut material_with_all_fields()).map_or(0, |it| it.len()),
            Self::Transform(_, field) => field(&mut TextureTransform::IDENTITY.clone()).len(),
        }
    }
}

/// Returns a material for which every field of [`MATERIAL_FIELDS`] exists.
fn material_with_all_fields() -> Material {
    Material {
        alpha_mode: AlphaMode::MASK,
        clearcoat: Some(Box::<Clearcoat>::default()),
        sheen: Some(Box::<Sheen>::default()),
        specular: Some(Box::<Specular>::default()),
        transmission: Some(Box::<Transmission>::default()),
        diffuse_transmission: Some(Box::<DiffuseTransmission>::default()),
        volume: Some(Box::<Volume>::default()),
        iridescence: Some(Box::<Iridescence>::default()),
        anisotropy: Some(Box::<Anisotropy>::default()),
        ..Material::default()
    }
}

fn find<T: Copy>(table: &[(&str, T)], path: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == path).map(|&(_, value)| value)
}

fn one(value: &mut f32) -> &mut [f32] {
    std::slice::from_mut(value)
}

fn two(value: &mut Vec2) -> &mut [f32] {
    AsMut::<[f32; 2]>::as_mut(value)
}

fn three(value: &mut Vec3) -> &mut [f32] {
    AsMut::<[f32; 3]>::as_mut(value)
}

fn four(value: &mut Vec4) -> &mut [f32] {
    AsMut::<[f32; 4]>::as_mut(value)
}

fn alpha_cutoff(material: &mut Material) -> Option<&mut [f32]> {
    match &mut material.alpha_mode {
        AlphaMode::Mask { cutoff } => Some(one(cutoff)),
        AlphaMode::Opaque | AlphaMode::Blend => None,
    }
}

/// The animated members of a glTF material, and the fields that hold them.
#[rustfmt::skip]
const MATERIAL_FIELDS: &[(&str, MaterialField)] = &[
    ("pbrMetallicRoughness/baseColorFactor", |it| Some(four(&mut it.base_color))),
    ("pbrMetallicRoughness/metallicFactor", |it| Some(one(&mut it.metallic))),
    ("pbrMetallicRoughness/roughnessFactor", |it| Some(one(&mut it.roughness))),
    ("alphaCutoff", alpha_cutoff),
    ("emissiveFactor", |it| Some(three(&mut it.emissive))),
    ("normalTexture/scale", |it| Some(one(&mut it.normal_scale))),
    ("occlusionTexture/strength", |it| Some(one(&mut it.occlusion_strength))),
    ("extensions/KHR_materials_anisotropy/anisotropyStrength", |it| Some(one(&mut it.anisotropy.as_mut()?.strength))),
    ("extensions/KHR_materials_anisotropy/anisotropyRotation", |it| Some(one(&mut it.anisotropy.as_mut()?.rotation))),
    ("extensions/KHR_materials_clearcoat/clearcoatFactor", |it| Some(one(&mut it.clearcoat.as_mut()?.factor))),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", |it| Some(one(&mut it.clearcoat.as_mut()?.roughness))),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale", |it| Some(one(&mut it.clearcoat.as_mut()?.normal_scale))),
    ("extensions/KHR_materials_dispersion/dispersion", |it| Some(one(&mut it.dispersion))),
    ("extensions/KHR_materials_emissive_strength/emissiveStrength", |it| Some(one(&mut it.emissive_strength))),
    ("extensions/KHR_materials_ior/ior", |it| Some(one(&mut it.ior))),
    ("extensions/KHR_materials_iridescence/iridescenceFactor", |it| Some(one(&mut it.iridescence.as_mut()?.factor))),
    ("extensions/KHR_materials_iridescence/iridescenceIor", |it| Some(one(&mut it.iridescence.as_mut()?.ior))),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", |it| Some(one(&mut it.iridescence.as_mut()?.thickness_min))),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", |it| Some(one(&mut it.iridescence.as_mut()?.thickness_max))),
    ("extensions/KHR_materials_sheen/sheenColorFactor", |it| Some(three(&mut it.sheen.as_mut()?.color))),
    ("extensions/KHR_materials_sheen/sheenRoughnessFactor", |it| Some(one(&mut it.sheen.as_mut()?.roughness))),
    ("extensions/KHR_materials_specular/specularFactor", |it| Some(one(&mut it.specular.as_mut()?.factor))),
    ("extensions/KHR_materials_specular/specularColorFactor", |it| Some(three(&mut it.specular.as_mut()?.color))),
    ("extensions/KHR_materials_transmission/transmissionFactor", |it| Some(one(&mut it.transmission.as_mut()?.factor))),
    ("extensions/KHR_materials_diffuse_transmission/diffuseTransmissionFactor", |it| Some(one(&mut it.diffuse_transmission.as_mut()?.factor))),
    ("extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorFactor", |it| Some(three(&mut it.diffuse_transmission.as_mut()?.color))),
    ("extensions/KHR_materials_volume/thicknessFactor", |it| Some(one(&mut it.volume.as_mut()?.thickness))),
    ("extensions/KHR_materials_volume/attenuationDistance", |it| Some(one(&mut it.volume.as_mut()?.attenuation_distance))),
    ("extensions/KHR_materials_volume/attenuationColor", |it| Some(three(&mut it.volume.as_mut()?.attenuation_color))),
];

/// The textures of a glTF material, whose transforms can be animated.
#[rustfmt::skip]
const TEXTURES: &[(&str, TextureField)] = &[
    ("pbrMetallicRoughness/baseColorTexture", |it| it.base_color_texture.as_mut()),
    ("pbrMetallicRoughness/metallicRoughnessTexture", |it| it.metallic_roughness_texture.as_mut()),
    ("normalTexture", |it| it.normal_texture.as_mut()),
    ("occlusionTexture", |it| it.occlusion_texture.as_mut()),
    ("emissiveTexture", |it| it.emissive_texture.as_mut()),
    ("extensions/KHR_materials_anisotropy/anisotropyTexture", |it| it.anisotropy.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_clearcoat/clearcoatTexture", |it| it.clearcoat.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture", |it| it.clearcoat.as_mut()?.roughness_texture.as_mut()),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture", |it| it.clearcoat.as_mut()?.normal_texture.as_mut()),
    ("extensions/KHR_materials_iridescence/iridescenceTexture", |it| it.iridescence.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessTexture", |it| it.iridescence.as_mut()?.thickness_texture.as_mut()),
    ("extensions/KHR_materials_sheen/sheenColorTexture", |it| it.sheen.as_mut()?.color_texture.as_mut()),
    ("extensions/KHR_materials_sheen/sheenRoughnessTexture", |it| it.sheen.as_mut()?.roughness_texture.as_mut()),
    ("extensions/KHR_materials_specular/specularTexture", |it| it.specular.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_specular/specularColorTexture", |it| it.specular.as_mut()?.color_texture.as_mut()),
    ("extensions/KHR_materials_transmission/transmissionTexture", |it| it.transmission.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_diffuse_transmission/diffuseTransmissionTexture", |it| it.diffuse_transmission.as_mut()?.texture.as_mut()),
    ("extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture", |it| it.diffuse_transmission.as_mut()?.color_texture.as_mut()),
    ("extensions/KHR_materials_volume/thicknessTexture", |it| it.volume.as_mut()?.thickness_texture.as_mut()),
];

const TRANSFORM_FIELDS: &[(&str, TransformField)] = &[
    ("offset", |it| two(&mut it.offset)),
    ("rotation", |it| one(&mut it.rotation)),
    ("scale", |it| two(&mut it.scale)),
];

const CAMERA_PROPERTIES: &[(&str, CameraProperty)] = &[
    ("perspective/aspectRatio", |it, value| it.aspect = Some(value)),
    ("perspective/yfov", |it, value| {
        if let Projection::Perspective { fov_y, .. } = &mut it.projection {
            *fov_y = value;
        }
    }),
    ("perspective/znear", set_near),
    ("perspective/zfar", set_far),
    ("orthographic/xmag", |it, value| {
        if let Projection::Orthographic { height, .. } = it.projection {
            it.aspect = Some((2.0 * value / height).abs());
        }
    }),
    ("orthographic/ymag", |it, value| {
        if let Projection::Orthographic { height, .. } = &mut it.projection {
            // The width stays the same.
            it.aspect = it.aspect.map(|aspect| (aspect * *height / (2.0 * value)).abs());
            *height = 2.0 * value;
        }
    }),
    ("orthographic/znear", set_near),
    ("orthographic/zfar", set_far),
];

fn set_near(camera: &mut Camera, value: f32) {
    if let Projection::Perspective { near, .. } | Projection::Orthographic { near, .. } =
        &mut camera.projection
    {
        *near = value;
    }
}

fn set_far(camera: &mut Camera, value: f32) {
    if let Projection::Perspective { far, .. } | Projection::Orthographic { far, .. } =
        &mut camera.projection
    {
        *far = value;
    }
}

const LIGHT_PROPERTIES: &[(&str, LightProperty)] = &[
    ("color", (3, |it, value| it.color = Vec3::from_slice(value))),
    ("intensity", (1, |it, value| it.intensity = value[0])),
    ("range", (1, set_range)),
    ("spot/innerConeAngle", (1, set_inner_angle)),
    ("spot/outerConeAngle", (1, set_outer_angle)),
];

fn set_range(light: &mut Light, value: &[f32]) {
    if let LightKind::Point | LightKind::Spot { .. } = light.kind {
        light.range = Some(value[0]);
    }
}

fn set_inner_angle(light: &mut Light, value: &[f32]) {
    if let LightKind::Spot { inner_angle, .. } = &mut light.kind {
        *inner_angle = value[0];
    }
}

fn set_outer_angle(light: &mut Light, value: &[f32]) {
    if let LightKind::Spot { outer_angle, .. } = &mut light.kind {
        *outer_angle = value[0];
    }
}

/// The values that animated properties had before they were animated.
#[derive(Clone, Debug, Default)]
pub(crate) struct PropertyRestValues {
    materials: BTreeMap<u32, Arc<AssetVersion<Material>>>,
    cameras: BTreeMap<(usize, NodeId), Camera>,
    lights: BTreeMap<(usize, NodeId), Light>,
    visibility: BTreeMap<(usize, NodeId), bool>,
}

impl PropertyRestValues {
    /// Records the visibility of a node, unless it was recorded before.
    pub(crate) fn record_visibility(&mut self, scene: usize, node: NodeId, is_visible: bool) {
        self.visibility.entry((scene, node)).or_insert(is_visible);
    }

    /// Writes the values of `tracks` at `seconds` to the materials, and to the cameras and lights
    /// of a scene; `node` returns the scene's node for an index of the file. Materials that do not
    /// change are not edited.
    pub(crate) fn apply(
        &mut self,
        tracks: &[PropertyTrack],
        seconds: f32,
        materials: &[Handle<Material>],
        (scene_index, scene): (usize, &mut Scene),
        node: impl Fn(u32) -> Option<NodeId>,
    ) {
        let mut values = [0.0; 4];
        let mut edited: BTreeMap<u32, Material> = BTreeMap::new();
        for track in tracks {
            let values = &mut values[..track.curve.width()];
            track.curve.sample_into(seconds, values);
            match track.target {
                PropertyTarget::Material(index, property) => {
                    let Some(handle) = materials.get(index as usize) else { continue };
                    let material =
                        edited.entry(index).or_insert_with(|| handle.get().value().clone());
                    if let Some(field) = property.values(material) {
                        field.copy_from_slice(values);
                    }
                }
                PropertyTarget::Camera(_, set) => {
                    for node in track.nodes.iter().filter_map(|&index| node(index)) {
                        let Some(camera) = scene.camera_mut(node) else { continue };
                        self.cameras.entry((scene_index, node)).or_insert(*camera);
                        set(camera, values[0]);
                    }
                }
                PropertyTarget::Light(_, (_, set)) => {
                    for node in track.nodes.iter().filter_map(|&index| node(index)) {
                        let Some(light) = scene.light_mut(node) else { continue };
                        self.lights.entry((scene_index, node)).or_insert(*light);
                        set(light, values);
                    }
                }
            }
        }
        for (index, material) in edited {
            let handle = &materials[index as usize];
            if *handle.get().value() != material {
                let before = handle.replace(material);
                self.materials.entry(index).or_insert(before);
            }
        }
    }

    /// Returns the number of recorded values that differ from the current ones.
    pub(crate) fn changed(&self, materials: &[Handle<Material>], scenes: &[&Scene]) -> usize {
        let changed_materials = self.materials.iter().filter(|(index, material)| {
            materials.get(**index as usize).is_some_and(|it| it.get().value() != material.value())
        });
        let scene = |index: usize| scenes.get(index).copied();
        let cameras = self.cameras.iter().filter(|((index, node), camera)| {
            scene(*index).and_then(|it| it.camera(*node)).is_some_and(|it| it != *camera)
        });
        let lights = self.lights.iter().filter(|((index, node), light)| {
            scene(*index).and_then(|it| it.light(*node)).is_some_and(|it| it != *light)
        });
        let nodes = self.visibility.iter().filter(|((index, node), is_visible)| {
            let node = scene(*index).and_then(|it| it.graph.get(*node));
            node.is_some_and(|it| it.is_visible() != **is_visible)
        });
        changed_materials.count() + cameras.count() + lights.count() + nodes.count()
    }

    /// Writes the recorded values back and forgets them. Nodes that were removed are skipped.
    pub(crate) fn restore(&mut self, materials: &[Handle<Material>], scenes: &mut [Scene]) {
        let Self { materials: old_materials, cameras, lights, visibility } = std::mem::take(self);
        for (index, material) in old_materials {
            materials[index as usize].set(material.value().clone());
        }
        for ((scene, node), camera) in cameras {
            if let Some(current) = scenes[scene].camera_mut(node) {
                *current = camera;
            }
        }
        for ((scene, node), light) in lights {
            if let Some(current) = scenes[scene].light_mut(node) {
                *current = light;
            }
        }
        for ((scene, node), is_visible) in visibility {
            if let Some(mut node) = scenes[scene].graph.get_mut(node) {
                node.set_visible(is_visible);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Document, Options};

    /// Sets the value at a pointer; missing objects are created.
    fn set(file: &mut Value, pointer: &str, value: Value) {
        let mut at = file;
        for step in pointer.split('/').skip(1) {
            at = match step.parse::<usize>() {
                Ok(index) => &mut at[index],
                Err(_) => &mut at[step],
            };
        }
        *at = value;
    }

    /// Returns a file with a material that has every texture and extension, cameras and a light.
    fn base() -> Value {
        let light = json!({"KHR_lights_punctual": {"light": 0}});
        let mut file = json!({
            "asset": {"version": "2.0"},
            "materials": [{"alphaMode": "MASK"}],
            "textures": [{"source": 0}],
            "images": [{"uri": "data:image/png;base64,iVBORw0KGgo="}],
            "cameras": [
                {"type": "perspective", "perspective":
                    {"yfov": 1.0, "znear": 0.125, "zfar": 10.0, "aspectRatio": 2.0}},
                {"type": "orthographic", "orthographic":
                    {"xmag": 4.0, "ymag": 2.0, "znear": 0.125, "zfar": 10.0}}],
            "nodes": [{"camera": 0}, {"camera": 1}, {"extensions": light}],
            "scenes": [{"nodes": [0, 1, 2]}],
            "extensions": {"KHR_lights_punctual": {"lights": [{"type": "spot", "spot":
                {"innerConeAngle": 0.125, "outerConeAngle": 0.5}}]}},
        });
        for (texture, _) in TEXTURES {
            set(&mut file, &format!("/materials/0/{texture}"), json!({"index": 0}));
        }
        file
    }

    /// Adds an animation that gives a property a constant value.
    fn animate(file: &mut Value, pointer: &str, value: &[f32]) {
        let times = [0.0_f32, 1.0];
        let numbers = times.iter().chain(value).chain(value);
        let bytes: Vec<u8> = numbers.flat_map(|it| it.to_le_bytes()).collect();
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][value.len() - 1];
        file["accessors"] = json!([
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": kind}]);
        file["bufferViews"] = json!([{"buffer": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": bytes.len() - 8}]);
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
        file["buffers"] = json!([{"byteLength": bytes.len(), "uri": uri}]);
        let target = json!({"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
        file["animations"] = json!([{"samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": target}]}]);
    }

    fn load(file: &Value) -> Document {
        Options::new().load_bytes(file.to_string().as_bytes()).unwrap()
    }

    /// Returns all numbers of the material, and the cameras and light.
    fn state(document: &Document) -> (Vec<Option<Vec<f32>>>, [Camera; 2], Light) {
        let mut material = document.materials()[0].get().value().clone();
        let factors = MATERIAL_FIELDS.iter().map(|it| MaterialProperty::Factor(it.1));
        let fields = |texture: TextureField| {
            TRANSFORM_FIELDS.iter().map(move |it| MaterialProperty::Transform(texture, it.1))
        };
        let all = factors.chain(TEXTURES.iter().flat_map(|it| fields(it.1)));
        let numbers = all.map(|it| it.values(&mut material).map(|it| it.to_vec())).collect();
        let node = |index| document.node(0, index).unwrap();
        let scene = &document.scenes()[0];
        let cameras = [0, 1].map(|index| *scene.camera(node(index)).unwrap());
        (numbers, cameras, *scene.light(node(2)).unwrap())
    }

    /// The loader is the reference: an animation to a value has the same effect as a file that has
    /// this value.
    #[test]
    fn every_pointer_sets_what_loading_sets() {
        let materials = MATERIAL_FIELDS.iter().map(|it| format!("/materials/0/{}", it.0));
        let transforms = TEXTURES.iter().flat_map(|(texture, _)| {
            let at = format!("/materials/0/{texture}/extensions/KHR_texture_transform");
            TRANSFORM_FIELDS.iter().map(move |it| format!("{at}/{}", it.0))
        });
        let cameras = CAMERA_PROPERTIES.iter().map(|(name, _)| {
            format!("/cameras/{}/{name}", usize::from(name.starts_with("orthographic")))
        });
        let lights = LIGHT_PROPERTIES
            .iter()
            .map(|it| format!("/extensions/KHR_lights_punctual/lights/0/{}", it.0));
        let unchanged = state(&load(&base()));
        for pointer in materials.chain(transforms).chain(cameras).chain(lights) {
            let width = PropertyTarget::parse(&pointer).unwrap().width();
            // Within the range of every property, and no default.
            let first = match &pointer {
                it if it.to_lowercase().ends_with("ior") => 1.25,
                it if it.ends_with("zfar") => 50.0,
                _ => 0.375,
            };
            let value = &[first, 0.25, 0.75, 0.625][..width];
            let mut with_value = base();
            let json = if width == 1 { json!(value[0]) } else { json!(value) };
            set(&mut with_value, &pointer, json);
            let expected = state(&load(&with_value));
            assert_ne!(expected, unchanged, "{pointer}: the value is the default");

            let mut animated = base();
            animate(&mut animated, &pointer, value);
            let mut document = load(&animated);
            document.apply_pointers(0, 0, 0.5);
            assert_eq!(state(&document), expected, "{pointer}");
        }
    }

    #[test]
    fn every_material_path_refers_to_numbers_and_to_a_different_field() {
        for (at, (path, field)) in MATERIAL_FIELDS.iter().enumerate() {
            let mut material = material_with_all_fields();
            let values = field(&mut material).unwrap();
            assert!((1..=4).contains(&values.len()), "{path}");
            values.fill(0.123);
            for (other, (other_path, field)) in MATERIAL_FIELDS.iter().enumerate() {
                let is_written = field(&mut material).unwrap()[0] == 0.123;
                assert_eq!(is_written, at == other, "{path} and {other_path}");
            }
        }
    }

    #[test]
    fn pointers_without_a_supported_property_are_not_resolved() {
        for pointer in [
            "/materials/0",
            "/materials/x/alphaCutoff",
            "/materials/+1/alphaCutoff",
            "/materials/0/doubleSided",
            "/materials/0/normalTexture/index",
            "/cameras/0/type",
            "/meshes/0/weights/0",
            "/extensions/KHR_lights_punctual/lights/0/type",
            "",
        ] {
            assert!(PropertyTarget::parse(pointer).is_none(), "{pointer}");
        }
    }
}
