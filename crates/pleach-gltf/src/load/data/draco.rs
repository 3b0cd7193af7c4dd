//! `DecodedPrimitive`: the source of a primitive's attributes: accessors or a Draco stream.
//!
//! The accessors of a compressed primitive describe the attributes; the stream contains their data.

use std::borrow::Cow;

use super::accessor::Accessor;
use crate::Error;
use crate::diagnostics::{Pointer, Result};
use crate::json::{Primitive, UInt};
#[cfg(feature = "draco")]
use crate::load::check_available;
use crate::load::{Data, Load};

const NAME: &str = "KHR_draco_mesh_compression";

/// The memory that decoding one stream may take in any case, in bytes. Most of it is released when
/// the stream is decoded; what remains is taken from the budget. A flat mesh compresses to a
/// fraction of a byte per triangle, so that the size of the stream bounds nothing.
#[cfg(feature = "draco")]
const WORKING_BYTES: usize = 192 << 20;

/// The decoded Draco stream of a primitive; empty if it is not compressed.
#[derive(Debug, Default)]
pub(crate) struct DecodedPrimitive {
    /// Three indices per triangle.
    pub(crate) indices: Option<Vec<u32>>,
    #[cfg(feature = "draco")]
    attributes: Vec<(String, pleach_draco::Attribute)>,
}

impl DecodedPrimitive {
    /// Decodes the Draco stream of a primitive, if it has one.
    #[cfg(feature = "draco")]
    pub(crate) fn of(
        load: &mut Load<'_>,
        data: &Data<'_>,
        primitive: &Primitive<'_>,
        at: &Pointer<'_>,
    ) -> Result<Self> {
        use crate::json::check_index;
        use crate::{ErrorKind, WarningCode};

        let Some(draco) = primitive.extensions.as_ref().and_then(|it| it.draco.as_ref()) else {
            return Ok(Self::default());
        };
        let at = at.key("extensions");
        let at = at.key(NAME);
        let view_at = at.key("bufferView");
        let view = check_index(draco.buffer_view, data.views.len(), "buffer view", &view_at)?;
        let stream = data.views[view].bytes.as_deref().unwrap_or_default();
        let limit = memory_limit(data, primitive, &at)?.min(load.budget.left().max(WORKING_BYTES));
        let decoded = pleach_draco::decode(stream, limit).map_err(|error| {
            let kind = match error {
                pleach_draco::Error::OverBudget { .. } => ErrorKind::Limit,
                pleach_draco::Error::OutOfMemory { .. } => ErrorKind::OutOfMemory,
                _ => ErrorKind::Data,
            };
            Error::new(kind, &at, error.to_string()).caused_by(error)
        })?;
        load.budget.take(&at, decoded.indices.len(), size_of::<u32>())?;
        let attributes_at = at.key("attributes");
        let mut attributes = Vec::new();
        for (name, id) in &draco.attributes.0 {
            let at = attributes_at.key(name);
            let found = decoded.attributes.iter().find(|it| u64::from(it.unique_id) == id.get());
            let Some(attribute) = found else {
                let message = format!("the stream has no attribute {}", id.get());
                return Err(Error::data(&at, message));
            };
            load.budget.take(&at, attribute.bytes.len(), 1)?;
            if let Some(accessor) = primitive.attributes.get(name) {
                let count = data.accessor(accessor, &at)?.count;
                if count != decoded.point_count {
                    let message = format!(
                        "its accessor has {count} elements, but the stream has {} points",
                        decoded.point_count
                    );
                    load.tolerate(&at, WarningCode::DracoElementCount, message)?;
                }
            }
            check_available(attribute.bytes.len(), 1, || at.to_string())?;
            attributes.push((name.to_string(), attribute.clone()));
        }
        Ok(Self { indices: Some(decoded.indices), attributes })
    }

    /// Falls back to the accessors if they have bytes, because the decoder is not compiled in.
    #[cfg(not(feature = "draco"))]
    pub(crate) fn of(
        _load: &mut Load<'_>,
        data: &Data<'_>,
        primitive: &Primitive<'_>,
        at: &Pointer<'_>,
    ) -> Result<Self> {
        let draco = primitive.extensions.as_ref().and_then(|it| it.draco.as_ref());
        let position = primitive.attributes.get("POSITION");
        let is_present = |index| data.accessor(index, at).is_ok_and(Accessor::has_bytes);
        if draco.is_some() && !position.is_some_and(is_present) {
            let extensions = at.key("extensions");
            let message = "the mesh is compressed by Draco; enable the feature `draco` to load it";
            return Err(Error::new(crate::ErrorKind::Extension, &extensions.key(NAME), message));
        }
        Ok(Self::default())
    }

    /// Returns the accessor of an attribute, with the data of the stream if it has the attribute.
    pub(crate) fn accessor<'a>(
        &'a self,
        data: &'a Data<'_>,
        name: &str,
        index: UInt,
        at: &Pointer<'_>,
    ) -> Result<Cow<'a, Accessor<'a>>> {
        let accessor = data.accessor(index, at)?;
        #[cfg(feature = "draco")]
        if let Some((_, attribute)) = self.attributes.iter().find(|(it, _)| it == name) {
            use super::accessor::Component;

            let component = match attribute.component_type {
                pleach_draco::ComponentType::I8 => Component::I8,
                pleach_draco::ComponentType::U8 => Component::U8,
                pleach_draco::ComponentType::I16 => Component::I16,
                pleach_draco::ComponentType::U16 => Component::U16,
                pleach_draco::ComponentType::U32 => Component::U32,
                pleach_draco::ComponentType::F32 => Component::F32,
                pleach_draco::ComponentType::I32 => {
                    return Err(Error::data(
                        at,
                        "the stream has signed 32-bit components, which glTF does not support",
                    ));
                }
            };
            let (bytes, components) = (&*attribute.bytes, attribute.components);
            return Ok(Cow::Owned(Accessor::tightly_packed(
                bytes,
                components,
                component,
                accessor.normalized,
            )));
        }
        #[cfg(not(feature = "draco"))]
        let _ = name;
        Ok(Cow::Borrowed(accessor))
    }
}

/// Returns the memory limit for decoding a primitive, by its number of triangles and vertices:
/// twice what was measured, plus a constant for the tables of the entropy coders.
#[cfg(feature = "draco")]
fn memory_limit(data: &Data<'_>, primitive: &Primitive<'_>, at: &Pointer<'_>) -> Result<usize> {
    let count = |index: UInt| data.accessor(index, at).map(|it| it.count);
    let corners = primitive.indices.map_or(Ok(0), count)?;
    let mut vertices = 0;
    for (_, index) in &primitive.attributes.0 {
        vertices = vertices.max(count(*index)?);
    }
    let attributes = primitive.attributes.0.len();
    let triangle = 70 + 40 * attributes;
    let point = 2 * 16 * attributes;
    let all = (corners / 3).saturating_mul(triangle).saturating_add(vertices.saturating_mul(point));
    Ok(all.saturating_mul(2).saturating_add(16 << 20))
}
