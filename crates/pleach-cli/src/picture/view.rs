//! The view of a scene: through a camera of the file, or from a direction with everything in view.

use anyhow::{Context, bail};
use glam::Vec3;
use pleach::{Camera, NodeId, Projection, Transform, View};
use pleach_gltf::Document;
use pleach_render::Framing;

use crate::input::resolve::{join_truncated, scene};
use crate::input::values::{self, Size};

/// The default direction: from the front of a model that faces −Y, slightly from the left and
/// above.
const DEFAULT_DIRECTION: Vec3 = Vec3::new(-0.55, -1.0, 0.45);

/// The direction of a view of the whole scene and the size of the picture.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ViewpointArgs {
    /// Look from this direction, +Z up [default: -0.55,-1,0.45]
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    from: Option<Vec3>,

    /// The width and height of the picture, in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub(crate) size: Size,
}

fn direction(text: &str) -> Result<Vec3, String> {
    let from = values::vector(text)?;
    if from == Vec3::ZERO {
        return Err("0,0,0 is not a direction: its length is zero".into());
    }
    Ok(from)
}

impl ViewpointArgs {
    /// Returns the direction from the scene towards the camera.
    pub(crate) fn direction(&self) -> Vec3 {
        self.from.unwrap_or(DEFAULT_DIRECTION)
    }

    /// Returns an empty framing for a camera in direction `from`.
    pub(crate) fn framing(&self, from: Vec3) -> Framing {
        Framing::new(from, self.aspect())
    }

    fn aspect(&self) -> f32 {
        self.size.width as f32 / self.size.height as f32
    }

    /// Returns the view through `camera` placed at `transform`.
    pub(crate) fn view(&self, (camera, transform): (Camera, Transform)) -> anyhow::Result<View> {
        Ok(View::new(&camera, transform, self.viewport())?)
    }

    fn viewport(&self) -> (u32, u32) {
        (self.size.width, self.size.height)
    }
}

/// The camera, or the direction of a view of the whole scene.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ViewArgs {
    /// The camera: its name, the name of its node, its index, or #NODE
    /// [default: a view of the whole scene]
    #[arg(long, value_name = "CAMERA", conflicts_with = "from")]
    camera: Option<String>,

    #[command(flatten)]
    pub(crate) viewpoint: ViewpointArgs,
}

impl ViewArgs {
    /// Returns the view of an updated scene.
    pub(crate) fn view(&self, document: &Document, number: usize) -> anyhow::Result<View> {
        let mut all = self.viewpoint.framing(self.viewpoint.direction());
        all.add_scene(scene(document, number)?);
        self.view_of(document, number, all)
    }

    /// Returns the view through the selected camera, or of everything in `all`.
    pub(crate) fn view_of(
        &self,
        document: &Document,
        number: usize,
        all: Framing,
    ) -> anyhow::Result<View> {
        if let Some(wanted) = &self.camera {
            let node = find_camera(document, number, wanted)?;
            let scene = scene(document, number)?;
            let camera = *scene.camera(node).context("the node no longer has a camera")?;
            let camera = fit_aspect(camera, self.viewpoint.aspect());
            let view = View::new(&camera, scene.node(node)?.world(), self.viewpoint.viewport());
            let mut view =
                view.with_context(|| format!("cannot render through camera {wanted:?}"))?;
            view.camera = Some(node);
            return Ok(view);
        }
        self.viewpoint.view(all.camera())
    }

    /// Returns `true` if a camera was selected.
    pub(crate) fn has_camera(&self) -> bool {
        self.camera.is_some()
    }
}

/// Adapts a camera to the aspect ratio of the picture: the whole of its own view stays visible,
/// with more on two sides, instead of being stretched.
fn fit_aspect(mut camera: Camera, aspect: f32) -> Camera {
    let Some(own) = camera.aspect.filter(|own| own.is_finite() && *own > 0.0) else {
        return camera;
    };
    // The factor by which the height must grow so that the full width is visible.
    let ratio = (own / aspect).max(1.0);
    match &mut camera.projection {
        Projection::Perspective { fov_y, .. } if ratio > 1.0 => {
            *fov_y = 2.0 * libm::atanf(libm::tanf(*fov_y * 0.5) * ratio);
        }
        Projection::Orthographic { height, .. } => *height *= ratio,
        Projection::Perspective { .. } => {}
        // A custom projection cannot be adapted.
        _ => return camera,
    }
    camera.aspect = None;
    camera
}

/// Returns the node of a camera by the name of the node, the name or index of the camera, or
/// `#NODE`.
fn find_camera(document: &Document, number: usize, wanted: &str) -> anyhow::Result<NodeId> {
    let scene = scene(document, number)?;
    let mut cameras: Vec<(Option<usize>, NodeId)> = scene
        .cameras
        .iter(&scene.graph)
        .map(|(node, _)| (document.index_of(number, node), node))
        .collect();
    cameras.sort();
    // The index of a node's camera in the file.
    let own = |index: Option<usize>| -> Option<usize> {
        document.raw(&format!("/nodes/{}/camera", index?))?.parse().ok()
    };
    let node_name = |node: NodeId| scene.graph.get(node).and_then(|node| node.name());
    let own_name = |index| document.name(&format!("/cameras/{}", own(index)?));

    let by = |matches: &dyn Fn(Option<usize>, NodeId) -> bool| {
        let mut found = cameras.iter().filter(|&&(index, node)| matches(index, node));
        match (found.next(), found.next()) {
            (Some(&(_, node)), None) => Ok(Some(node)),
            (Some((a, _)), Some((b, _))) => {
                let tag = |index: &Option<usize>| index.map_or("#?".into(), |it| format!("#{it}"));
                let tags = [tag(a), tag(b)].join(" and ");
                bail!("several cameras match {wanted:?}, at nodes {tags}; choose one by its node");
            }
            _ => Ok(None),
        }
    };
    if let Some(index) = wanted.strip_prefix('#').and_then(|index| index.parse().ok()) {
        let found = by(&|at, _| at == Some(index))?;
        return found
            .with_context(|| format!("node {wanted} has no camera, or is not in the scene"));
    }
    let number = wanted.parse().ok();
    let found = match by(&|_, node| node_name(node) == Some(wanted))? {
        Some(node) => Some(node),
        None => match by(&|index, _| own_name(index).as_deref() == Some(wanted))? {
            Some(node) => Some(node),
            None => by(&|index, _| number.is_some() && own(index) == number)?,
        },
    };
    found.with_context(|| {
        let names = cameras.iter().map(|&(index, node)| match (index, node_name(node)) {
            (Some(index), Some(name)) => format!("{name:?} (#{index})"),
            (Some(index), None) => format!("#{index}"),
            _ => "an unnamed camera".into(),
        });
        let existing = match cameras.len() {
            0 => "it has no cameras".into(),
            _ => format!("it has: {}", join_truncated(names)),
        };
        format!(
            "no camera {wanted:?} in this scene; {existing}; omit --camera to view the whole scene"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_of_a_camera_is_never_cropped() {
        let wide = Camera::perspective(1.0).with_aspect(2.0);
        let tall = fit_aspect(wide, 0.5);
        let fov_y = |camera: Camera| match camera.projection {
            Projection::Perspective { fov_y, .. } => fov_y,
            _ => unreachable!(),
        };
        assert_eq!((fov_y(fit_aspect(wide, 3.0)), fit_aspect(wide, 3.0).aspect), (1.0, None));
        // The width of the view: the tangent of half the angle times the aspect ratio.
        let across = |fov_y: f32, aspect: f32| (fov_y * 0.5).tan() * aspect;
        assert!((across(fov_y(tall), 0.5) - across(1.0, 2.0)).abs() < 1e-5);
        let flat = fit_aspect(Camera::orthographic(2.0).with_aspect(3.0), 1.5);
        assert!(matches!(flat.projection, Projection::Orthographic { height: 4.0, .. }));
        assert_eq!(fit_aspect(Camera::default(), 2.0), Camera::default());
    }
}
