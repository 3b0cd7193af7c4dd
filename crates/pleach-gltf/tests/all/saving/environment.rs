//! The environment of a scene is saved in the extension PLEACH_environment.

use pleach::glam::Vec3;
use pleach::{Ambient, Background, Environment, Fog, Scene};
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
