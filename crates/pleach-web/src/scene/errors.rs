//! The errors of scenes, snapshots and files as faults.

use pleach::camera::ViewError;
use pleach::geometry::GeometryError;
use pleach_gltf::ErrorKind;

use crate::fault::Fault;

impl From<pleach::Error> for Fault {
    #[cold]
    fn from(error: pleach::Error) -> Self {
        use pleach::Error;
        let message = error.to_string();
        match error {
            Error::Graph(error) => error.into(),
            Error::Spatial(error) => error.into(),
            Error::Geometry(error) => geometry(&error, message),
            Error::Image(_) => Self::new("wrong-length", message),
            Error::View { camera, error } => {
                let mut fault = match error {
                    ViewError::Frustum(error) => error.into(),
                    ViewError::NoPixels { .. } => Self::new("no-viewport", message),
                    _ => Self::new("out-of-range", message),
                };
                fault.node = camera.map(|camera| camera.node);
                fault
            }
            Error::Shape(_)
            | Error::Projection(_)
            | Error::Shadow(_)
            | Error::Light(_)
            | Error::Environment(_)
            | Error::Curve(_)
            | Error::Clip(_)
            | Error::Bind(_) => Self::new("out-of-range", message),
            Error::Skin(_) => Self::new("skin", message),
            Error::Root | Error::RootAttached | Error::RootRemoved => Self::new("root", message),
            Error::NoCamera(node) => Self { node: Some(node), ..Self::new("wrong-kind", message) },
            Error::Constraint(error) => {
                Self { node: Some(error.node), ..Self::new("constraint-cycle", message) }
            }
            Error::ExternalReference(error) => {
                Self { node: Some(error.referenced), ..Self::new("foreign-node", message) }
            }
            Error::Component { node, .. } => {
                Self { node: Some(node), ..Self::new("out-of-range", message) }
            }
            Error::Patch(_) | Error::Row(_) => Self::new("patch", message),
            Error::InTransaction | Error::NoTransaction => Self::new("busy", message),
            _ => Self::new("internal", message),
        }
    }
}

fn geometry(error: &GeometryError, message: String) -> Fault {
    match *error {
        GeometryError::NotFinite { at, .. } => Fault::new("not-finite", message).at(at),
        GeometryError::Index { at, .. } | GeometryError::Negative { at, .. } => {
            Fault::new("geometry", message).at(at)
        }
        _ => Fault::new("geometry", message),
    }
}

impl From<pleach_format::Error> for Fault {
    #[cold]
    fn from(error: pleach_format::Error) -> Self {
        let code = match error.kind() {
            pleach_format::ErrorKind::Patch => "patch",
            _ => "snapshot",
        };
        Self::new(code, error.to_string())
    }
}

impl From<pleach_gltf::Error> for Fault {
    #[cold]
    fn from(error: pleach_gltf::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Container | ErrorKind::UnknownFormat => "gltf-container",
            ErrorKind::Json => "gltf-json",
            ErrorKind::Reference => "gltf-reference",
            ErrorKind::Value => "gltf-value",
            ErrorKind::Data => "gltf-data",
            ErrorKind::Structure => "gltf-structure",
            ErrorKind::Extension => "gltf-extension",
            ErrorKind::Uri => "gltf-uri",
            ErrorKind::Limit => "gltf-limit",
            ErrorKind::Strict => "gltf-strict",
            ErrorKind::Unwritable => "gltf-unwritable",
            ErrorKind::Io => "gltf-io",
            ErrorKind::OutOfMemory => "out-of-memory",
            ErrorKind::Patch => "patch",
            _ => "internal",
        };
        let pointer = Some(error.pointer()).filter(|pointer| !pointer.is_empty());
        Self { pointer: pointer.map(Into::into), ..Self::new(code, error.to_string()) }
    }
}
