//! Converts the members of a node: its transform, camera, light, weights and instances.
//!
//! Saving uses these functions, too, to compare a scene with the file.

use glam::{Mat4, Quat, Vec3};
use pleach::{
    Camera, ClipSpace, Instances, Light, LightKind, Part, Projection, ProjectionError,
    ProjectionParameter, Transform,
};
use pleach_graph::rotation;

use crate::diagnostics::{Pointer, Result, Tolerance};
use crate::json::{self, Tolerant};
use crate::load::mesh::morph_target_count;
use crate::load::{Data, Load};
use crate::{Error, ErrorKind, WarningCode};

/// A local transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Local {
    Trs(Transform),
    Matrix(Mat4),
}

/// Returns the local transform of a node in the file's representation.
pub(crate) fn local(
    node: &json::Node<'_>,
    at: &Pointer<'_>,
    tolerance: &mut Tolerance,
) -> Result<Local> {
    let has_trs = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        let at = at.key("matrix");
        if has_trs {
            let message = "the node also has a translation, rotation or scale; the matrix is used";
            tolerance.tolerate(&at, WarningCode::MatrixAndTransform, message)?;
        }
        let matrix = Mat4::from_cols_array(matrix);
        let last = matrix.row(3).to_array();
        if last != [0.0, 0.0, 0.0, 1.0] {
            let message = format!("its last row is {last:?}; it must be [0, 0, 0, 1]");
            return Err(Error::value(&at, message));
        }
        return Ok(Local::Matrix(matrix));
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, Quat::from_array);
    if rotation.to_array() == [0.0; 4] {
        let message = "rotation is the zero quaternion; use (0, 0, 0, 1) for the identity";
        return Err(Error::value(&at.key("rotation"), message));
    }
    let length = rotation.as_dquat().length() as f32;
    if (length - 1.0).abs() > 0.01 {
        let message = format!("the quaternion has length {length}; it is normalized");
        tolerance.tolerate(&at.key("rotation"), WarningCode::RotationLength, message)?;
    }
    Ok(Local::Trs(Transform {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
        rotation,
        scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
    }))
}

/// Returns the weights of a node's morph targets, if its mesh has any: those of the node, or else
/// of the mesh.
pub(crate) fn weights(
    node: &json::Node<'_>,
    mesh: &json::Mesh<'_>,
    parts: &[Part],
) -> Option<Vec<f32>> {
    let targets = morph_target_count(parts);
    let given = node.weights.as_deref().or(mesh.weights.as_deref());
    (targets > 0).then(|| {
        let mut weights = given.unwrap_or_default().to_vec();
        weights.resize(targets, 0.0);
        weights
    })
}

/// Converts a camera.
pub(crate) fn camera(
    camera: &json::Camera<'_>,
    at: &Pointer<'_>,
    tolerance: &mut Tolerance,
) -> Result<Camera> {
    // Some exporters write `null` for what they do not know.
    let mut required = |key: &str, value: Option<f32>, default: f32, code: WarningCode| {
        if value.is_none() {
            let at = at.key(&camera.kind);
            let message = format!("the member is missing; {default} is used");
            tolerance.tolerate(&at.key(key), code, message)?;
        }
        Ok::<_, Error>(value.unwrap_or(default))
    };
    let made = match (&*camera.kind, camera.perspective, camera.orthographic) {
        ("perspective", Some(projection), _) => Camera {
            projection: Projection::Perspective {
                fov_y: required(
                    "yfov",
                    projection.yfov,
                    std::f32::consts::FRAC_PI_4,
                    WarningCode::CameraFieldOfView,
                )?,
                near: required("znear", projection.znear, 0.1, WarningCode::CameraNearPlane)?,
                far: projection.zfar.unwrap_or(f32::INFINITY),
            },
            aspect: projection.aspect_ratio,
            clip_space: ClipSpace::default(),
            layers: u32::MAX,
        },
        ("orthographic", _, Some(projection)) => {
            let code = WarningCode::CameraProjection;
            let ymag = required("ymag", projection.ymag, 1.0, code)?;
            let xmag = required("xmag", projection.xmag, ymag, code)?;
            Camera {
                projection: Projection::Orthographic {
                    // A negative magnification would mirror the image, which files do not intend.
                    height: 2.0 * ymag.abs(),
                    zoom: 1.0,
                    near: required("znear", projection.znear, 0.0, WarningCode::CameraNearPlane)?,
                    far: required("zfar", projection.zfar, 100.0, WarningCode::CameraFarPlane)?,
                },
                // NaN would not equal itself, so that the camera would seem edited.
                aspect: Some((xmag / ymag).abs()).filter(|aspect| !aspect.is_nan()),
                clip_space: ClipSpace::default(),
                layers: u32::MAX,
            }
        }
        (kind @ ("perspective" | "orthographic"), ..) => {
            let message = format!("a camera of type {kind:?} must have the member {kind:?}");
            return Err(Error::value(at, message));
        }
        (other, ..) => {
            let message = format!("{other:?} is neither \"perspective\" nor \"orthographic\"");
            return Err(Error::value(&at.key("type"), message));
        }
    };
    let aspect = made.aspect.unwrap_or(1.0);
    if let Err(error) = made.projection.matrix(aspect, ClipSpace::NegOneToOne) {
        let message = format!("the camera is unusable: {error}");
        tolerance.tolerate(at, projection_code(&error), message)?;
    }
    Ok(made)
}

fn projection_code(error: &pleach::Error) -> WarningCode {
    let pleach::Error::Projection(error) = error else { return WarningCode::CameraProjection };
    match error {
        ProjectionError::OutOfRange { parameter: ProjectionParameter::FovY, .. } => {
            WarningCode::CameraFieldOfView
        }
        ProjectionError::OutOfRange { parameter: ProjectionParameter::Near, .. } => {
            WarningCode::CameraNearPlane
        }
        ProjectionError::FarBeforeNear { .. } | ProjectionError::InfiniteFar => {
            WarningCode::CameraFarPlane
        }
        ProjectionError::Extreme => WarningCode::CameraExtreme,
        _ => WarningCode::CameraProjection,
    }
}

/// Converts a light of KHR_lights_punctual.
pub(crate) fn light(
    light: &json::Light<'_>,
    at: &Pointer<'_>,
    tolerance: &mut Tolerance,
) -> Result<Light> {
    let range = light.range;
    let kind = match &*light.kind {
        "directional" => LightKind::Directional,
        "point" => LightKind::Point,
        "spot" => {
            let spot = light.spot.unwrap_or_default();
            let inner_angle = spot.inner_cone_angle.unwrap_or(0.0);
            let outer_angle = spot.outer_cone_angle.unwrap_or(std::f32::consts::FRAC_PI_4);
            let is_valid = 0.0 <= inner_angle
                && inner_angle < outer_angle
                && outer_angle <= std::f32::consts::FRAC_PI_2 + 1e-6;
            if !is_valid {
                let message = format!(
                    "cone angles of {inner_angle} and {outer_angle}; they must satisfy 0 ≤ inner < outer ≤ π/2"
                );
                tolerance.tolerate(&at.key("spot"), WarningCode::LightConeAngles, message)?;
            }
            LightKind::Spot { inner_angle, outer_angle }
        }
        other => {
            let message =
                format!("{other:?} is not one of \"directional\", \"point\" and \"spot\"");
            return Err(Error::value(&at.key("type"), message));
        }
    };
    if range.is_some_and(|range| range <= 0.0) {
        let message = "the range is not positive";
        tolerance.tolerate(&at.key("range"), WarningCode::LightRange, message)?;
    }
    let color = light.color.map_or(Vec3::ONE, Vec3::from_array);
    let range = range.filter(|_| kind != LightKind::Directional);
    let intensity = light.intensity.unwrap_or(1.0);
    Ok(Light { kind, color, intensity, range, shadow: None, layers: u32::MAX })
}

/// Warns of extensions of nodes that have no effect and are invalid.
pub(crate) fn check_kept_extensions(
    root: &json::Root<'_>,
    tolerance: &mut Tolerance,
) -> Result<()> {
    for (index, node) in root.nodes.iter().enumerate() {
        let Some(extensions) = &node.extensions else { continue };
        let hoverability = extensions.hoverability.as_ref().and_then(Tolerant::reason);
        let selectability = extensions.selectability.as_ref().and_then(Tolerant::reason);
        let kept =
            [("KHR_node_hoverability", hoverability), ("KHR_node_selectability", selectability)];
        for (name, reason) in kept {
            let Some(reason) = reason else { continue };
            let at = Pointer::entry("nodes", index);
            let at = at.key("extensions");
            let message = format!("{reason}; the extension is kept and has no effect");
            tolerance.tolerate(&at.key(name), WarningCode::InvalidExtension, message)?;
        }
    }
    Ok(())
}

/// Returns the instances of EXT_mesh_gpu_instancing, if the node has any.
pub(crate) fn instances(
    load: &mut Load<'_>,
    data: &Data<'_>,
    node: &json::Node<'_>,
    parts: &[Part],
    at: &Pointer<'_>,
) -> Result<Option<Instances>> {
    let Some(attributes) = node.instancing() else { return Ok(None) };
    let at = at.key("extensions");
    let at = at.key("EXT_mesh_gpu_instancing");
    let at = at.key("attributes");
    let (mut translations, mut rotations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    for (name, index) in &attributes.0 {
        let at = at.key(name);
        let accessor = data.accessor(*index, &at)?;
        match &**name {
            "TRANSLATION" => {
                translations = accessor.vec3s(&at, &mut load.budget)?;
                check_finite(&translations, &at)?;
            }
            "ROTATION" => {
                rotations = accessor.quats(&at, &mut load.budget)?;
                for (number, rotation) in rotations.iter_mut().enumerate() {
                    // Quantized quaternions do not have exactly length 1.
                    *rotation = rotation::normalize(*rotation).ok_or_else(|| {
                        let message =
                            format!("rotation {number} is {rotation}, which cannot be normalized");
                        Error::value(&at, message)
                    })?;
                }
            }
            "SCALE" => {
                scales = accessor.vec3s(&at, &mut load.budget)?;
                check_finite(&scales, &at)?;
            }
            _ => {}
        }
    }
    let count = translations.len().max(rotations.len()).max(scales.len());
    load.budget.take(&at, count, 256)?;
    let bounds = parts
        .iter()
        .fold(pleach::Aabb::EMPTY, |all, part| all.union(&part.geometry.get().bounds()));
    let made = Instances::from_arrays(bounds, &translations, &rotations, &scales);
    made.map(Some).map_err(|error| Error::new(ErrorKind::Data, &at, error.to_string()))
}

fn check_finite(vectors: &[Vec3], at: &Pointer<'_>) -> Result<()> {
    match vectors.iter().position(|vector| !vector.is_finite()) {
        Some(number) => Err(Error::value(
            at,
            format!("the value of instance {number} is {}, which is not finite", vectors[number]),
        )),
        None => Ok(()),
    }
}
