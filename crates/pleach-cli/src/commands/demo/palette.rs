//! The materials of the demo, one handle each.

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::material::{Clearcoat, Sheen, Transmission, Volume};
use pleach::{Assets, Error, Handle, Image, Material, TextureRef, TextureTransform};

use super::patterns;

/// All materials.
pub(super) struct Palette {
    pub(super) plaster: Handle<Material>,
    pub(super) stone: Handle<Material>,
    pub(super) paving: Handle<Material>,
    pub(super) marble: Handle<Material>,
    pub(super) tiles: Handle<Material>,
    pub(super) wood: Handle<Material>,
    pub(super) shutters: Handle<Material>,
    pub(super) clay: Handle<Material>,
    pub(super) leaves: Handle<Material>,
    pub(super) fruit: Handle<Material>,
    pub(super) cloth: Handle<Material>,
    pub(super) banner: Handle<Material>,
    pub(super) gold: Handle<Material>,
    pub(super) steel: Handle<Material>,
    pub(super) iron: Handle<Material>,
    pub(super) window: Handle<Material>,
    pub(super) glass: Handle<Material>,
    pub(super) wine: Handle<Material>,
    pub(super) water: Handle<Material>,
    pub(super) flame: Handle<Material>,
}

impl Palette {
    pub(super) fn new(assets: &Assets) -> Result<Self, Error> {
        let add = |name: &str, material: Material| assets.add(material.named(name));
        let textured = |image: Image, repetitions: f32| {
            let mut texture = TextureRef::new(assets.add(image));
            let scale = Vec2::splat(repetitions);
            texture.transform = Some(TextureTransform { scale, ..TextureTransform::IDENTITY });
            Some(texture)
        };
        let metal =
            |color: [f32; 3], roughness| Material { metallic: 1.0, roughness, ..matte(color) };
        let clear = |color: [f32; 3]| Material {
            roughness: 0.05,
            transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
            ..matte(color)
        };
        let cloth = |color: [f32; 3]| Material {
            roughness: 0.9,
            double_sided: true,
            sheen: Some(Box::new(Sheen {
                color: Vec3::from(color) * 0.6 + Vec3::splat(0.1),
                roughness: 0.4,
                ..Sheen::default()
            })),
            ..matte(color)
        };
        let coat = Clearcoat { factor: 0.6, roughness: 0.15, ..Clearcoat::default() };
        Ok(Self {
            plaster: add(
                "plaster",
                Material {
                    base_color_texture: textured(patterns::plaster()?, 0.25),
                    roughness: 0.95,
                    ..matte([0.80, 0.56, 0.33])
                },
            ),
            stone: add(
                "stone",
                Material {
                    base_color_texture: textured(patterns::masonry()?, 0.5),
                    roughness: 0.85,
                    ..matte([0.68, 0.58, 0.45])
                },
            ),
            paving: add(
                "paving",
                Material {
                    base_color_texture: textured(patterns::paving()?, 1.0),
                    roughness: 0.7,
                    ..matte([0.62, 0.52, 0.42])
                },
            ),
            marble: add("marble", Material { roughness: 0.35, ..matte([0.66, 0.60, 0.50]) }),
            tiles: add("roof tiles", Material { roughness: 0.8, ..matte([0.58, 0.20, 0.10]) }),
            wood: add(
                "wood",
                Material {
                    base_color_texture: textured(patterns::planks()?, 1.0),
                    roughness: 0.7,
                    ..matte([0.42, 0.24, 0.12])
                },
            ),
            shutters: add("painted wood", Material { roughness: 0.5, ..matte([0.05, 0.23, 0.22]) }),
            clay: add("clay", Material { roughness: 0.75, ..matte([0.55, 0.22, 0.11]) }),
            leaves: add(
                "leaves",
                Material { roughness: 0.6, double_sided: true, ..matte([0.14, 0.24, 0.05]) },
            ),
            fruit: add(
                "fruit",
                Material {
                    clearcoat: Some(Box::new(coat)),
                    roughness: 0.5,
                    ..matte([1.0, 1.0, 1.0])
                },
            ),
            cloth: add("cloth", cloth([1.0, 1.0, 1.0])),
            banner: add(
                "banner",
                Material {
                    base_color_texture: Some(TextureRef::new(assets.add(patterns::banner()?))),
                    ..cloth([1.0, 1.0, 1.0])
                },
            ),
            gold: add("gold", metal([1.0, 0.74, 0.32], 0.25)),
            steel: add("steel", metal([0.78, 0.80, 0.84], 0.28)),
            iron: add("iron", metal([0.16, 0.15, 0.15], 0.55)),
            window: add("window", Material { roughness: 0.1, ..matte([0.02, 0.03, 0.05]) }),
            glass: add("glass", clear([0.93, 0.97, 0.95])),
            wine: add("wine", clear([0.45, 0.03, 0.06])),
            water: add(
                "water",
                Material {
                    ior: 1.33,
                    volume: Some(Box::new(Volume {
                        thickness: 0.5,
                        attenuation_distance: 1.2,
                        attenuation_color: Vec3::new(0.35, 0.75, 0.78),
                        ..Volume::default()
                    })),
                    ..clear([0.75, 0.93, 0.95])
                },
            ),
            flame: add(
                "flame",
                Material {
                    emissive: Vec3::new(1.0, 0.58, 0.2),
                    emissive_strength: 1.3,
                    ..matte([0.9, 0.8, 0.6])
                },
            ),
        })
    }
}

/// Returns a rough material of one linear colour.
fn matte([red, green, blue]: [f32; 3]) -> Material {
    Material { roughness: 0.8, ..Material::from_color(Vec4::new(red, green, blue, 1.0)) }
}
