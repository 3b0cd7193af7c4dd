//! The environment of a scene is saved in the extension PLEACH_environment.

use pleach::glam::Vec3;
use pleach::{
    Ambient, Background, Environment, EnvironmentMap, EnvironmentSource, Fog, Image, ImageData,
    Scene,
};
use pleach_gltf::{ErrorKind, Format, Options, WarningCode};

use super::save_and_check::save_and_check;
use crate::common_save::{
    again, assert_differences, check_file, load, load_yard, saved, text_of, value,
};

const DUSK: Vec3 = Vec3::new(0.1, 0.25, 0.15);

fn dusk() -> Environment {
    Environment {
        map: None,
        ambient: Ambient { color: Vec3::new(1.0, 0.5, 2.0), intensity: 0.3 },
        background: Some(Background::Color(DUSK)),
        fog: Some(Fog { color: DUSK, near: 50.0, far: 200.5 }),
    }
}

#[test]
fn m117_m118_background_and_fog_are_saved_and_loaded() {
    let cases = [
        dusk(),
        Environment { fog: None, ..dusk() },
        Environment { background: None, ambient: Ambient::default(), ..dusk() },
        Environment { background: Some(Background::Color(Vec3::ZERO)), ..Environment::default() },
        Environment::default(),
    ];
    for environment in cases {
        let mut scene = Scene::new();
        scene.environment = environment.clone();
        let built = pleach_gltf::save_bytes(&scene, Format::Glb).unwrap();
        let (_, mut document) = load_yard();
        document.scenes_mut()[0].environment = environment.clone();
        save_and_check(&mut document, "an environment");
        for saved in [&built, &saved(&document)] {
            check_file(saved);
            assert!(saved.report.is_empty(), "{}", saved.report);
            assert_eq!(again(saved).scenes()[0].environment, environment);
        }
    }
}

#[test]
fn malformed_environment_is_ignored_with_a_warning_unless_strict() {
    let file = |environment: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["PLEACH_environment"],"scenes":[{{"extensions":{{"PLEACH_environment":{environment}}}}}]}}"#
        )
    };
    let at = "/scenes/0/extensions/PLEACH_environment";
    for (environment, pointer) in [
        (r#"{"background":{"color":[1,0,0]},"fog":{"far":2}}"#, format!("{at}/fog")),
        (r#"{"background":{"color":[1,0,0]},"fog":[1]}"#, format!("{at}/fog")),
        (r#"{"background":{"color":[1,0,0]},"fog":{"near":1,"far":1e39}}"#, format!("{at}/fog")),
        (r#"{"background":{"color":[1,0,0]},"ambient":{"color":[1]}}"#, format!("{at}/ambient")),
        (r#"{"background":{"color":"red"}}"#, format!("{at}/background")),
        (r#"{"map":{"image":0}}"#, format!("{at}/map")),
        (r#"{"map":{"intensity":-1}}"#, format!("{at}/map")),
        (r#"{"map":{"rotation":1e39}}"#, format!("{at}/map")),
        (r#"{"background":{"map":{"blur":1.5}}}"#, format!("{at}/background")),
        ("7", at.into()),
    ] {
        let text = file(environment);
        let mut document = load(&text);
        let warning = &document.report().warnings()[0];
        assert_eq!((warning.code, &*warning.pointer), (WarningCode::InvalidEnvironment, &*pointer));
        let strict = Options::new().strict().load_bytes(text.as_bytes()).unwrap_err();
        assert_eq!((strict.kind(), strict.pointer()), (ErrorKind::Strict, &*pointer), "{strict}");
        let loaded = &document.scenes()[0].environment;
        assert_eq!((loaded.fog, loaded.ambient), (None, Ambient::default()), "{environment}");
        assert_eq!(loaded.map, None, "{environment}");
        assert_eq!(loaded.background.is_some(), environment.contains("[1,0,0]"));
        // It is kept, and replaced by an edit.
        assert_eq!(text_of(&saved(&document)), text);
        document.scenes_mut()[0].environment = dusk();
        save_and_check(&mut document, environment);
        assert_eq!(again(&saved(&document)).scenes()[0].environment, dusk());
    }
}

#[test]
fn only_what_changed_of_an_environment_is_edited() {
    let text = r#"{"asset":{"version":"2.0"},"extensionsUsed":["PLEACH_environment"],"scenes":[
      { "extensions": { "PLEACH_environment": { "fog": { "near": 1.0, "far" : 2.50 }, "extras": 1.0 }, "VENDOR_x": {} } } ]}"#;
    let mut document = load(text);
    let fog = Fog { color: Vec3::ONE, near: 1.0, far: 2.5 };
    assert_eq!(document.scenes()[0].environment.fog, Some(fog));
    assert_eq!(text_of(&saved(&document)), text);
    document.scenes_mut()[0].environment.background = Some(Background::Color(Vec3::X));
    let after = text_of(&saved(&document));
    let extension = &value(&after)["scenes"][0]["extensions"]["PLEACH_environment"];
    assert_eq!(extension["extras"], 1.0);
    assert_eq!(extension["background"]["color"][0], 1);
    document.scenes_mut()[0].environment = Environment::default();
    assert_differences(
        text,
        &text_of(&saved(&document)),
        &["-/scenes/0/extensions/PLEACH_environment"],
    );
}

/// A Radiance file of one pixel, without run lengths: (1, 0.5, 0.25).
const RADIANCE: &[u8] = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x40\x20\x81";

#[test]
fn environment_maps_are_saved_with_their_images_and_loaded() {
    let sources: [fn(&Scene) -> EnvironmentSource; 3] = [
        |_| EnvironmentSource::Studio,
        |scene| {
            let sky = Image::from_encoded("image/vnd.radiance", RADIANCE.to_vec()).named("sky");
            EnvironmentSource::Image(scene.assets.add(sky))
        },
        |scene| {
            let sky = Image::from_rgb_f32(2, 1, vec![[1.0, 0.5, 0.25], [64.0, 0.0, 128.0]]);
            EnvironmentSource::Image(scene.assets.add(sky.unwrap()))
        },
    ];
    for (number, source) in sources.into_iter().enumerate() {
        let background = Some(Background::EnvironmentMap { blur: 0.25 });
        let set = |scene: &mut Scene| {
            let map = EnvironmentMap { source: source(scene), intensity: 0.5, rotation: -1.25 };
            scene.environment = Environment { map: Some(map), background, ..dusk() };
        };
        let mut scene = Scene::new();
        set(&mut scene);
        let built = pleach_gltf::save_bytes(&scene, Format::Glb).unwrap();
        let (_, mut document) = load_yard();
        set(&mut document.scenes_mut()[0]);
        save_and_check(&mut document, "an environment map");
        for saved in [&built, &saved(&document)] {
            check_file(saved);
            assert!(saved.report.is_empty(), "{}", saved.report);
            let document = again(saved);
            let loaded = &document.scenes()[0].environment;
            let Some(map) = &loaded.map else { panic!("{number}: {loaded:?}") };
            assert_eq!((map.intensity, map.rotation, loaded.background), (0.5, -1.25, background));
            assert_eq!(loaded.fog, dusk().fog);
            let image = map.as_image().map(|image| image.get().value().clone());
            match (number, image.as_ref().map(|image| &image.data)) {
                (0, None) => {}
                (1, Some(ImageData::Encoded { mime, bytes })) => {
                    assert_eq!((&**mime, &**bytes), ("image/vnd.radiance", RADIANCE));
                    assert_eq!(image.unwrap().name.as_deref(), Some("sky"));
                }
                // These numbers have a common exponent, and are written without rounding.
                (2, Some(ImageData::Encoded { mime, .. })) => {
                    assert_eq!(mime, "image/vnd.radiance");
                    let decoded = pleach_gltf::decode(&image.unwrap()).unwrap();
                    let pixels = vec![[1.0, 0.5, 0.25], [64.0, 0.0, 128.0]];
                    assert_eq!(decoded, Image::from_rgb_f32(2, 1, pixels).unwrap());
                }
                (_, data) => panic!("{number}: {data:?}"),
            }
        }
    }
}

#[test]
fn radiance_files_are_decoded_to_floating_point_pixels() {
    let file = Image::from_encoded("", RADIANCE.to_vec());
    let decoded = pleach_gltf::decode(&file).unwrap();
    assert_eq!(decoded, Image::from_rgb_f32(1, 1, vec![[1.0, 0.5, 0.25]]).unwrap());
    assert_eq!(pleach_gltf::image_size(RADIANCE), Some((1, 1)));
    for length in 0..RADIANCE.len() {
        let cut = Image::from_encoded("image/vnd.radiance", RADIANCE[..length].to_vec());
        assert!(pleach_gltf::decode(&cut).is_err(), "{length} bytes");
    }
}

/// Edits of a map change nothing else, and an image of the file is used again.
#[test]
fn editing_a_map_edits_its_members_only() {
    let text = r#"{"asset":{"version":"2.0"},"extensionsUsed":["PLEACH_environment"],"images":[{"uri":"a.avif"},{"uri":"b.hdr", "mimeType": "image/x-other"}],"scenes":[
      { "extensions": { "PLEACH_environment": { "map": { "image": 1, "intensity" : 2.0, "extras": 3 } } } } ]}"#;
    let loaded = Options::new().skip_images().load_bytes(text.as_bytes());
    let mut document = loaded.unwrap();
    assert_eq!(text_of(&saved(&document)), text);
    let image = document.images()[0].clone();
    let map = document.scenes_mut()[0].environment.map.as_mut().unwrap();
    assert_eq!(map.intensity, 2.0);
    map.source = EnvironmentSource::Image(image);
    let after = value(&text_of(&saved(&document)));
    let map = &after["scenes"][0]["extensions"]["PLEACH_environment"]["map"];
    assert_eq!((map["image"].as_u64(), map["intensity"].as_f64()), (Some(0), Some(2.0)));
    assert_eq!(after["images"], value(text)["images"]);
}

#[test]
fn image_based_lights_are_written_back_unchanged() {
    let text = r#"{"asset":{"version":"2.0"},"extensionsUsed":["EXT_lights_image_based"],"extensionsRequired":["EXT_lights_image_based"],
      "extensions": { "EXT_lights_image_based": { "lights" : [ { "intensity": 1.50, "rotation":[0,0,0,1], "specularImageSize": 1,
        "irradianceCoefficients": [[1.0,1,1],[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0]],
        "specularImages": [ [ 0, 0, 0, 0, 0, 0 ] ] } ] } },
      "images":[{"uri":"face.png"}],"nodes":[{"name":"a"}],"scene":0,
      "scenes":[ { "nodes":[0], "extensions": { "EXT_lights_image_based": { "light": 0 } } } ]}"#;
    let mut document = Options::new().skip_images().load_bytes(text.as_bytes()).unwrap();
    assert!(document.report().is_empty(), "{}", document.report());
    assert_eq!(text_of(&saved(&document)), text);
    let scene = &mut document.scenes_mut()[0];
    let node = scene.find("a").unwrap();
    scene.node_mut(node).unwrap().set_name("b");
    assert_eq!(text_of(&saved(&document)), text.replace(r#""name":"a""#, r#""name":"b""#));
}
