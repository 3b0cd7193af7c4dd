//! stub
use crate::{Error, json::Root, report::Tolerance};
use pleach::{Handle, Image};
pub(crate) fn material(_root: &Root<'_>, _index: usize, _images: &[Handle<Image>], _t: &mut Tolerance) -> Result<pleach::Material, Error> { Ok(pleach::Material::default()) }
