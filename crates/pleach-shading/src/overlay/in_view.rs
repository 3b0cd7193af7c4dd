//! `ViewProjection`: which points a view shows, in f64.

use glam::{DMat4, DVec2, Vec3};
use pleach::{Lens, View};

/// The projection of a view.
#[derive(Clone, Debug)]
pub(super) struct ViewProjection {
    world_to_view: DMat4,
    lens: Lens,
}

impl ViewProjection {
    pub(super) fn new(view: &View) -> Self {
        Self { world_to_view: view.view.as_dmat4(), lens: view.lens() }
    }

    /// Returns the depth of a world-space point along the view direction, or `None` if it is outside
    /// of the view.
    pub(super) fn depth_in_view(&self, point: Vec3) -> Option<f64> {
        let point = self.world_to_view.transform_point3(point.as_dvec3());
        let clip = self.lens.to_clip(point.extend(1.0));
        let at = DVec2::new(clip.x, -clip.y) / clip.w * 0.5 + 0.5;
        // Written so that NaN counts as outside.
        let inside = at.cmpge(DVec2::ZERO).all() && at.cmplt(DVec2::ONE).all();
        let is_between = self.lens.depth_margins(clip).into_iter().all(|margin| margin >= 0.0);
        (clip.w > 0.0 && is_between && inside).then_some(-point.z)
    }
}
