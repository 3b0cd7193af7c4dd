//! `Columns`: where a primitive's attributes come from: accessors, or a Draco stream.

use std::borrow::Cow;

use super::accessor::Accessor;
use super::{Data, Loading};
use crate::json::{Draco, Primitive, Whole, checked};
use crate::place::At;
use crate::{Error, ErrorKind};

const NAME: &str = "KHR_draco_mesh_compression";

/// What was decoded for a primitive, if it is compressed.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) indices: Option<Vec<u32>>,
}

impl Columns {
    /// Decodes a primitive, if it is compressed.
    pub(crate) fn of(
        _load: &mut Loading<'_>,
        data: &Data<'_>,
        primitive: &Primitive<'_>,
        at: &At<'_>,
    ) -> Result<Self, Error> {
        let Some(draco) = primitive.extensions.as_ref().and_then(|it| it.draco.as_ref()) else {
            return Ok(Self::default());
        };
        let at = at.key("extensions");
        let at = at.key(NAME);
        _ = stream(data, draco, &at)?;
        Err(Error::new(ErrorKind::Extension, &at, "not yet"))
    }

    /// The column of an attribute.
    pub(crate) fn accessor<'a>(
        &'a self,
        data: &'a Data<'_>,
        _name: &str,
        index: Whole,
        at: &At<'_>,
    ) -> Result<Cow<'a, Accessor<'a>>, Error> {
        data.accessor(index, at).map(Cow::Borrowed)
    }
}

fn stream<'a>(data: &'a Data<'_>, draco: &Draco<'_>, at: &At<'_>) -> Result<&'a [u8], Error> {
    let at = at.key("bufferView");
    let view = checked(draco.buffer_view, data.views.len(), "buffer view", &at)?;
    data.views[view].bytes.as_deref().ok_or_else(|| Error::data(&at, "the view has no bytes"))
}
