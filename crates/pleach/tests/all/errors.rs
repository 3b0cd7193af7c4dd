//! Every error is a `std::error::Error`, and converts to `pleach::Error` by `?`.

use pleach::animation::{BindError, Binding, Channel, Clip, ClipError, CurveError, Interpolation};
use pleach::glam::Vec3;
use pleach::shapes::ShapeError;
use pleach::{
    ConstraintError, Error, ExternalReferenceError, GeometryError, ImageError, LightError,
    NameTaken, Node, ProjectionError, Scene, Scenes, ScenesError, ShadowError, SkinError,
    UnmappedNode, ViewError,
};

#[test]
fn every_error_implements_std_error() {
    fn is_error<T: std::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<pleach_graph::Error>();
    is_error::<pleach_spatial::Error>();
    is_error::<Error>();
    is_error::<BindError>();
    is_error::<ClipError>();
    is_error::<ConstraintError>();
    is_error::<CurveError>();
    is_error::<ExternalReferenceError>();
    is_error::<GeometryError>();
    is_error::<ImageError>();
    is_error::<LightError>();
    is_error::<ProjectionError>();
    is_error::<ScenesError>();
    is_error::<ShadowError>();
    is_error::<ShapeError>();
    is_error::<SkinError>();
    is_error::<UnmappedNode>();
    is_error::<ViewError>();
    // It has a scene, which is neither cloned nor compared.
    fn is_plain_error<T: std::error::Error + Send + Sync + 'static>() {}
    is_plain_error::<NameTaken>();
}

#[test]
fn errors_of_lights_names_and_clones_state_the_remedy() {
    let mut scenes = Scenes::new();
    scenes.insert(Scene::named("level")).unwrap();
    let taken = scenes.insert(Scene::named("level")).unwrap_err();
    assert!(taken.to_string().contains("give this one another name"), "{taken}");
    assert_eq!(Error::from(taken), Error::Scenes(ScenesError::Taken("level".into())));

    let error: Error = LightError::AmbientShadow.into();
    assert!(error.to_string().starts_with("light: ") && error.to_string().contains("`None`"));
    let node = Scene::new().root();
    assert!(UnmappedNode(node).to_string().contains(&node.to_string()));
}

#[test]
fn errors_of_animation_convert_to_the_error_of_the_crate() {
    fn animate(keys: usize, nodes: usize) -> Result<(), Error> {
        let mut scene = Scene::new();
        let node = scene.spawn(Node::group())?;
        let times = [0.0, 1.0];
        let channel = Channel::translation(0, Interpolation::Linear, times, vec![Vec3::X; keys])?;
        let clip = Clip::new("clip", ["node"], [channel])?;
        Binding::new(clip, vec![node; nodes])?;
        Ok(())
    }
    assert_eq!(animate(2, 1), Ok(()));
    assert!(matches!(animate(3, 1), Err(Error::Clip(ClipError::Channel { .. }))));
    assert!(matches!(animate(2, 2), Err(Error::Bind(BindError::Count { .. }))));
    assert!(animate(3, 1).unwrap_err().to_string().starts_with("translation of target 0: "));
}
