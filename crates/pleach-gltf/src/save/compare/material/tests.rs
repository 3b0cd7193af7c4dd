//! Materials from JSON and back.

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{Assets, Handle, Image, MagFilter, MinFilter, Sampler, Wrap};
use testkit::Rng;

use super::*;
use crate::diagnostics::Tolerance;
use crate::json::ParseLimits;
use crate::json::{Root, value_at};
use crate::load;

const FILE: &str = r#"{"asset":{"version":"2.0"},
    "images":[{"uri":"a.png"},{"uri":"b.jpg"},{"uri":"c.webp"},{"uri":"d.ktx2"}],
    "samplers":[{"magFilter":9728},{}],
    "textures":[{"source":0},{"source":0,"sampler":0},{"source":1,"sampler":1},{}]}"#;

fn images() -> Vec<Handle<Image>> {
    let assets = Assets::untracked();
    ["a.png", "b.jpg", "c.webp", "d.ktx2"].map(|uri| assets.add(Image::from_uri(uri))).into()
}

fn loaded(file: &str, images: &[Handle<Image>]) -> Material {
    let mut strict = Tolerance { strict: true, report: Report::default() };
    let root = Root::parse(file, ParseLimits::NONE).unwrap();
    load::material::material(&root, 0, images, &mut strict).unwrap()
}

/// Returns the file with its first material changed to `now`, or with `now` added if it has none.
fn saved(file: &str, images: &[Handle<Image>], now: &Material) -> Result<String, Error> {
    let root = Root::parse(file, ParseLimits::NONE).unwrap();
    let mut output = OutputDocument::new(&root, 0, 0);
    let mut textures = Textures::new(&root, images);
    if root.materials.is_empty() {
        let edit =
            material_edit(&Material::default(), now, &mut output, &mut textures, &Pointer::ROOT)?;
        output.materials.add(edit.to_object());
    } else {
        let was = loaded(file, images);
        let edit = material_edit(&was, now, &mut output, &mut textures, &Pointer::ROOT)?;
        output.materials.edit(0, edit);
    }
    let mut root_edit = JsonEdit::new();
    let arrays = [
        ("materials", &output.materials),
        ("textures", &output.textures),
        ("samplers", &output.samplers),
        ("images", &output.images),
    ];
    for (key, array) in arrays {
        let source = value_at(file, &format!("/{key}")).map(|span| &file[span]);
        if let Some(json) = array.write(source).filter(|_| !array.is_unchanged()) {
            root_edit.set(&[key], json);
        }
    }
    Ok(root_edit.apply(file))
}

fn material_of(file: &str) -> &str {
    &file[value_at(file, "/materials/0").unwrap()]
}

/// Returns the text of a new material.
fn new(now: &Material, images: &[Handle<Image>]) -> String {
    material_of(&saved(FILE, images, now).unwrap()).into()
}

struct Random(Rng);

impl Random {
    fn seeded() -> Self {
        Self(Rng::from_env(20_240_607))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.below(end as usize) as u64
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Returns a value from 0 to 1, or often the default, which is a special case.
    fn unit(&mut self, default: f32) -> f32 {
        if self.chance() { default } else { self.below(1001) as f32 / 1000.0 }
    }

    fn unit3(&mut self, default: f32) -> Vec3 {
        if self.chance() {
            return Vec3::splat(default);
        }
        Vec3::new(self.unit(default), self.unit(default), self.unit(default))
    }

    fn maybe<T: Default>(&mut self, fill: impl Fn(&mut Self) -> T) -> Option<Box<T>> {
        match self.below(4) {
            0 => Some(Box::default()),
            1 | 2 => Some(Box::new(fill(self))),
            _ => None,
        }
    }

    fn texture(&mut self, images: &[Handle<Image>]) -> Option<TextureRef> {
        if self.chance() {
            return None;
        }
        let mut texture = TextureRef::new(images[self.below(4) as usize].clone());
        if self.chance() {
            let mags = [None, Some(MagFilter::Nearest), Some(MagFilter::Linear)];
            let mins = [
                None,
                Some(MinFilter::Nearest),
                Some(MinFilter::Linear),
                Some(MinFilter::NearestMipmapNearest),
                Some(MinFilter::LinearMipmapNearest),
                Some(MinFilter::NearestMipmapLinear),
                Some(MinFilter::LinearMipmapLinear),
            ];
            let wraps = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge];
            texture.sampler = Sampler {
                mag_filter: mags[self.below(3) as usize],
                min_filter: mins[self.below(7) as usize],
                wrap_u: wraps[self.below(3) as usize],
                wrap_v: wraps[self.below(3) as usize],
            };
        }
        if self.chance() {
            texture.uv_set = self.below(3) as u32;
        }
        texture.transform = match self.below(4) {
            0 => Some(TextureTransform::IDENTITY),
            1 => Some(TextureTransform {
                offset: Vec2::new(self.unit(0.0), self.unit(0.0)),
                rotation: self.unit(0.0),
                scale: Vec2::new(self.unit(1.0), self.unit(1.0)),
            }),
            _ => None,
        };
        Some(texture)
    }

    fn material(&mut self, images: &[Handle<Image>]) -> Material {
        let mut material = Material {
            name: self.chance().then(|| format!("\"paint\\ {}\"", self.below(9))),
            base_color: self.unit3(1.0).extend(self.unit(1.0)),
            base_color_texture: self.texture(images),
            metallic: self.unit(1.0),
            roughness: self.unit(1.0),
            metallic_roughness_texture: self.texture(images),
            normal_texture: self.texture(images),
            occlusion_texture: self.texture(images),
            emissive: self.unit3(0.0),
            emissive_texture: self.texture(images),
            emissive_strength: self.unit(1.0) * 3.0,
            alpha_mode: match self.below(3) {
                0 => AlphaMode::Opaque,
                1 => AlphaMode::Blend,
                _ => AlphaMode::Mask { cutoff: self.unit(0.5) },
            },
            double_sided: self.chance(),
            unlit: self.chance(),
            ior: self.unit(0.5) + 1.0,
            dispersion: self.unit(0.0),
            clearcoat: self.maybe(|it| Clearcoat {
                factor: it.unit(0.0),
                texture: it.texture(images),
                roughness: it.unit(0.0),
                roughness_texture: it.texture(images),
                normal_texture: it.texture(images),
                normal_scale: 1.0,
            }),
            sheen: self.maybe(|it| Sheen {
                color: it.unit3(0.0),
                color_texture: it.texture(images),
                roughness: it.unit(0.0),
                roughness_texture: it.texture(images),
            }),
            specular: self.maybe(|it| Specular {
                factor: it.unit(1.0),
                texture: it.texture(images),
                color: it.unit3(1.0),
                color_texture: it.texture(images),
            }),
            transmission: self
                .maybe(|it| Transmission { factor: it.unit(0.0), texture: it.texture(images) }),
            diffuse_transmission: self.maybe(|it| DiffuseTransmission {
                factor: it.unit(0.0),
                texture: it.texture(images),
                color: it.unit3(1.0),
                color_texture: it.texture(images),
            }),
            volume: self.maybe(|it| Volume {
                thickness: it.unit(0.0),
                thickness_texture: it.texture(images),
                attenuation_distance: it.unit(f32::INFINITY) + 0.1,
                attenuation_color: it.unit3(1.0),
            }),
            iridescence: self.maybe(|it| Iridescence {
                factor: it.unit(0.0),
                texture: it.texture(images),
                ior: it.unit(0.3) + 1.0,
                thickness_min: it.unit(100.0),
                thickness_max: it.unit(400.0),
                thickness_texture: it.texture(images),
            }),
            anisotropy: self.maybe(|it| Anisotropy {
                strength: it.unit(0.0),
                rotation: it.unit(0.0),
                texture: it.texture(images),
            }),
            ..Material::default()
        };
        // These values are written only with their texture.
        if material.normal_texture.is_some() {
            material.normal_scale = self.unit(1.0);
        }
        if material.occlusion_texture.is_some() {
            material.occlusion_strength = self.unit(1.0);
        }
        if let Some(coat) = &mut material.clearcoat
            && coat.normal_texture.is_some()
        {
            coat.normal_scale = self.unit(1.0);
        }
        material
    }
}

#[test]
fn every_field_round_trips() {
    let (mut random, images) = (Random::seeded(), images());
    for _ in 0..2000 {
        let material = random.material(&images);
        let file = saved(FILE, &images, &material).unwrap();
        assert_eq!(loaded(&file, &images), material, "{file}");
        assert_eq!(saved(&file, &images, &material).unwrap(), file);
    }
}

#[test]
fn an_edit_leaves_other_members_unchanged() {
    const EXTRAS: &str = "{ \"a\":1.50 ,\"b\" : [ ]}";
    let (mut random, images) = (Random::seeded(), images());
    for _ in 0..2000 {
        let (a, b) = (random.material(&images), random.material(&images));
        let plain = saved(FILE, &images, &a).unwrap();
        // Unknown members, in the material and in one of its textures.
        let mut foreign = JsonEdit::new();
        foreign.set(&["extras"], EXTRAS);
        foreign.set(&["extensions", "VENDOR_x"], EXTRAS);
        if a.base_color_texture.is_some() && b.base_color_texture.is_some() {
            foreign.set(&[PBR, "baseColorTexture", "extras"], EXTRAS);
            foreign.set(&[PBR, "baseColorTexture", EXTENSIONS, "VENDOR_y"], EXTRAS);
        }
        if a.sheen.is_some() && b.sheen.is_some() {
            foreign.set(&[EXTENSIONS, SHEEN.name, "extras"], EXTRAS);
        }
        let mut before = plain.clone();
        let span = value_at(&plain, "/materials/0").unwrap();
        before.replace_range(span.clone(), &foreign.apply(&plain[span]));
        assert_eq!(loaded(&before, &images), a);

        let after = saved(&before, &images, &b).unwrap();
        assert_eq!(loaded(&after, &images), b, "{before}\n{after}");
        assert_eq!(after.matches(EXTRAS).count(), before.matches(EXTRAS).count(), "{after}");
        // After the reverse edit only the order of members may differ.
        let back = saved(&after, &images, &a).unwrap();
        assert_eq!(loaded(&back, &images), a);
    }
}

#[test]
fn a_new_material_contains_only_values_that_are_not_the_default() {
    let images = images();
    assert_eq!(new(&Material::default(), &images), "{}");
    let red = Material::from_color(Vec4::new(1.0, 0.0, 0.25, 1.0)).named("red");
    assert_eq!(
        new(&red, &images),
        concat!(
            r#"{"name":"red","pbrMetallicRoughness":"#,
            r#"{"baseColorFactor":[1,0,0.25,1],"metallicFactor":0}}"#
        )
    );
    let glass = Material {
        unlit: true,
        ior: 1.4,
        base_color_texture: Some(TextureRef::new(images[0].clone())),
        transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
        volume: Some(Box::default()),
        ..Material::default()
    };
    assert_eq!(
        new(&glass, &images),
        concat!(
            r#"{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"extensions":{"#,
            r#""KHR_materials_unlit":{},"KHR_materials_ior":{"ior":1.4},"#,
            r#""KHR_materials_transmission":{"transmissionFactor":1},"#,
            r#""KHR_materials_volume":{"thicknessFactor":0}}}"#
        )
    );
}

#[test]
fn written_extensions_are_listed_as_used() {
    let (mut random, images) = (Random::seeded(), images());
    for _ in 0..200 {
        let material = random.material(&images);
        let root = Root::parse(FILE, ParseLimits::NONE).unwrap();
        let mut output = OutputDocument::new(&root, 0, 0);
        let mut textures = Textures::new(&root, &images);
        let made = material_edit(
            &Material::default(),
            &material,
            &mut output,
            &mut textures,
            &Pointer::ROOT,
        )
        .unwrap()
        .to_object();
        let textures = output.textures.write(None).unwrap_or_default();
        let named = |text: &str| -> Vec<String> {
            text.split('"')
                .filter(|key| key.starts_with("KHR_") || key.starts_with("EXT_"))
                .map(String::from)
                .collect()
        };
        let mut expected = [named(&made), named(&textures)].concat();
        expected.sort();
        expected.dedup();
        assert_eq!(output.used.iter().copied().collect::<Vec<_>>(), expected, "{made}");
    }
}

#[test]
fn one_changed_value_edits_one_member() {
    let images = images();
    let file = FILE.replace(
        r#""textures""#,
        r#""materials":[ { "alphaCutoff" : 0.30, "normalTexture": {"texCoord":1.0, "x":2,
            "scale":5e-1, "index":0, "extensions":{"KHR_texture_transform":{"texCoord":2}}} } ],
        "textures""#,
    );
    let was = loaded(&file, &images);
    assert_eq!(was.normal_texture.as_ref().unwrap().uv_set, 2);

    let mut now = was.clone();
    now.normal_scale = 1.0;
    let expected = file.replace("\n            \"scale\":5e-1,", "");
    assert_eq!(saved(&file, &images, &now).unwrap(), expected);

    // The same image with another sampler.
    let mut now = was.clone();
    now.normal_texture.as_mut().unwrap().sampler.mag_filter = Some(MagFilter::Nearest);
    let expected = file.replace("\"index\":0", "\"index\":1");
    assert_eq!(saved(&file, &images, &now).unwrap(), expected);

    // Another set of texture coordinates: the transform no longer overrides it, but remains.
    let mut now = was.clone();
    now.normal_texture.as_mut().unwrap().uv_set = 3;
    let moved = saved(&file, &images, &now).unwrap();
    assert!(moved.contains(r#"{"KHR_texture_transform":{"rotation":0}}"#), "{moved}");
    assert_eq!(loaded(&moved, &images), now);

    // The cutoff belonged to another mode and is not used for this one.
    let now = Material { alpha_mode: AlphaMode::MASK, ..was.clone() };
    let file = saved(&file, &images, &now).unwrap();
    assert!(material_of(&file).ends_with(", \"alphaMode\": \"MASK\" }"), "{file}");
    assert_eq!(loaded(&file, &images), now);

    // Without the transform its set of texture coordinates still applies.
    let mut now = was.clone();
    now.normal_texture.as_mut().unwrap().transform = None;
    let file = saved(&file, &images, &now).unwrap();
    assert!(file.contains("\"texCoord\":2, \"x\":2,"), "{file}");
    assert_eq!(loaded(&file, &images), now);
}

#[test]
fn a_texture_replaces_a_texture_info_without_an_image() {
    let images = images();
    let file = FILE.replace(
        r#""textures""#,
        r#""materials":[{"emissiveTexture":{"index":3,"texCoord":4},"occlusionTexture":
        {"index":3,"strength":0.5},"extensions":{"KHR_materials_sheen":null}}],"textures""#,
    );
    let was = loaded(&file, &images);
    assert_eq!((&was.emissive_texture, was.occlusion_strength), (&None, 0.5));
    let texture = Some(TextureRef::new(images[0].clone()));
    let now = Material {
        emissive_texture: texture.clone(),
        occlusion_texture: texture,
        occlusion_strength: 1.0,
        sheen: Some(Box::default()),
        ..was
    };
    let file = saved(&file, &images, &now).unwrap();
    assert!(material_of(&file).starts_with(r#"{"emissiveTexture":{"index":0},"#), "{file}");
    assert_eq!(loaded(&file, &images), now);
}

#[test]
fn a_number_that_json_cannot_represent_is_refused() {
    let images = images();
    let broken = Material { roughness: f32::NAN, ..Material::default() }.named("rust");
    let error = saved(FILE, &images, &broken).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable);
    assert_eq!(
        error.to_string(),
        "material \"rust\": pbrMetallicRoughness/roughnessFactor is NaN; \
         JSON can only represent finite numbers"
    );
}

#[test]
fn a_scale_without_its_texture_is_reported() {
    let root = Root::parse(FILE, ParseLimits::NONE).unwrap();
    let mut output = OutputDocument::new(&root, 0, 0);
    let mut textures = Textures::new(&root, &[]);
    let clearcoat = Clearcoat { normal_scale: 3.0, ..Clearcoat::default() };
    let material =
        Material { normal_scale: 2.0, clearcoat: Some(Box::new(clearcoat)), ..Material::default() };
    let made =
        material_edit(&Material::default(), &material, &mut output, &mut textures, &Pointer::ROOT)
            .unwrap();
    assert_eq!(
        made.to_object(),
        r#"{"extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":0}}}"#
    );
    assert_eq!(
        output.report.to_string(),
        "a material: normal_scale 2 is not written because it has no texture\n\
         a material: clearcoat.normal_scale 3 is not written because it has no texture\n"
    );
}
