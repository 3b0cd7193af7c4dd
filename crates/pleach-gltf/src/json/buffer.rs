//! JSON of buffers, buffer views and accessors.

use serde::Deserialize;

use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer<'a> {
    #[serde(borrow, default)]
    pub(crate) uri: Option<Text<'a>>,
    pub(crate) byte_length: UInt,
    pub(crate) extensions: Option<BufferExtensions>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct BufferExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub(crate) meshopt: Option<Fallback>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Fallback {
    #[serde(default)]
    pub(crate) fallback: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView<'a> {
    pub(crate) buffer: UInt,
    #[serde(default)]
    pub(crate) byte_offset: UInt,
    pub(crate) byte_length: UInt,
    pub(crate) byte_stride: Option<UInt>,
    #[serde(borrow, default)]
    pub(crate) extensions: Option<BufferViewExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct BufferViewExtensions<'a> {
    #[serde(rename = "EXT_meshopt_compression", borrow, default)]
    pub(crate) ext_meshopt: Option<Compressed<'a>>,
    #[serde(rename = "KHR_meshopt_compression", borrow, default)]
    pub(crate) khr_meshopt: Option<Compressed<'a>>,
}

/// The compressed data of a buffer view.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Compressed<'a> {
    pub(crate) buffer: UInt,
    #[serde(default)]
    pub(crate) byte_offset: UInt,
    pub(crate) byte_length: UInt,
    pub(crate) byte_stride: UInt,
    pub(crate) count: UInt,
    #[serde(borrow)]
    pub(crate) mode: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) filter: Option<Text<'a>>,
}

impl BufferView<'_> {
    /// Returns the compressed data and the name of its extension, if the view is compressed.
    pub(crate) fn compressed(&self) -> Option<(&'static str, &Compressed<'_>)> {
        let extensions = self.extensions.as_ref()?;
        let khr = extensions.khr_meshopt.as_ref().map(|it| ("KHR_meshopt_compression", it));
        khr.or_else(|| extensions.ext_meshopt.as_ref().map(|it| ("EXT_meshopt_compression", it)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor<'a> {
    pub(crate) buffer_view: Option<UInt>,
    #[serde(default)]
    pub(crate) byte_offset: UInt,
    pub(crate) component_type: UInt,
    #[serde(default)]
    pub(crate) normalized: bool,
    pub(crate) count: UInt,
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Text<'a>,
    pub(crate) sparse: Option<Sparse>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Sparse {
    pub(crate) count: UInt,
    pub(crate) indices: SparseIndices,
    pub(crate) values: SparseValues,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub(crate) buffer_view: UInt,
    #[serde(default)]
    pub(crate) byte_offset: UInt,
    pub(crate) component_type: UInt,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub(crate) buffer_view: UInt,
    #[serde(default)]
    pub(crate) byte_offset: UInt,
}
