//! Converts PLEACH_bounds, the extension of a node for bounds that were set by the user.

use glam::Vec3;
use pleach::Aabb;

use crate::json;

/// The name of the extension.
pub(crate) const PLEACH_BOUNDS: &str = "PLEACH_bounds";

/// Returns the bounds of a node of the file, `None` if it has none, or the reason why they are
/// invalid.
pub(crate) fn bounds(node: &json::Node<'_>) -> Result<Option<Aabb>, String> {
    let extensions = node.extensions.as_ref();
    let Some(json) = extensions.and_then(|it| it.bounds.as_ref()) else { return Ok(None) };
    let aabb = match *json.as_result()? {
        json::PleachBounds { min: Some(min), max: Some(max) } => {
            Aabb { min: Vec3::from_array(min), max: Vec3::from_array(max) }
        }
        json::PleachBounds { min: None, max: None } => return Ok(Some(Aabb::EMPTY)),
        _ => return Err("only one of min and max".into()),
    };
    if aabb.is_finite() { Ok(Some(aabb)) } else { Err("a number is not finite".into()) }
}
