//! Checks the alignment of accessors and buffer views, and that each has one purpose.

use std::collections::BTreeMap;

use super::context::Context;
use super::finding::Findings;
use super::gltf_arrays::{FLOAT, GltfArrays};
use super::rule::Rule;
use crate::json::{Accessor, UInt};

/// The purpose of an accessor or buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    Vertices,
    Indices,
    InverseBindMatrices,
    KeyTimes,
    KeyValues,
    Image,
    /// Of instances, sparse accessors and compressed data.
    Other,
}

pub(super) fn check(context: &Context<'_>, arrays: &GltfArrays, findings: &mut Findings) {
    let root = &context.root;
    for (index, accessor) in root.accessors.iter().enumerate() {
        for fault in faults(context, accessor) {
            findings.add_note(Rule::AccessorLayout, format!("/accessors/{index}"), fault);
        }
    }
    for (index, accessor) in arrays.accessors.iter().enumerate() {
        if accessor.byte_offset.is_some() && accessor.buffer_view.is_none() {
            let note = "it has a byteOffset, but no bufferView";
            findings.add_note(Rule::AccessorLayout, format!("/accessors/{index}"), note);
        }
    }
    let purposes = purposes(context);
    let mut by_accessor: BTreeMap<usize, Purpose> = BTreeMap::new();
    for &(accessor, purpose) in &purposes {
        let first = *by_accessor.entry(accessor).or_insert(purpose);
        if first != purpose {
            let note = format!("{first:?} and {purpose:?}");
            findings.add_note(Rule::AccessorUse, format!("/accessors/{accessor}"), note);
        }
    }
    let mut by_view: BTreeMap<usize, Purpose> = BTreeMap::new();
    let of_target = |target: Option<f64>| match target {
        Some(34962.0) => Some(Purpose::Vertices),
        Some(34963.0) => Some(Purpose::Indices),
        _ => None,
    };
    for (index, view) in arrays.views.iter().enumerate() {
        let target = view.target.as_ref().and_then(serde_json::Value::as_f64);
        by_view.extend(of_target(target).map(|purpose| (index, purpose)));
    }
    let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
    for (&accessor, &purpose) in &by_accessor {
        let Some(view) = view_of(context, accessor) else { continue };
        if purpose == Purpose::Vertices {
            check_vertices(context, accessor, view, findings);
            *shared.entry(view).or_default() += 1;
        }
        let is_animation = matches!(purpose, Purpose::KeyTimes | Purpose::KeyValues);
        let purpose = if is_animation { Purpose::Other } else { purpose };
        add_view(view, purpose, &mut by_view, findings);
    }
    for image in root.images.iter().filter_map(|it| it.buffer_view) {
        add_view(image.index(), Purpose::Image, &mut by_view, findings);
        if root.buffer_views.get(image.index()).is_some_and(|it| it.byte_stride.is_some()) {
            let note = "it contains an image";
            findings.add_note(Rule::ByteStride, format!("/bufferViews/{}", image.get()), note);
        }
    }
    for (index, view) in root.buffer_views.iter().enumerate() {
        let Some(stride) = view.byte_stride else {
            if shared.get(&index).is_some_and(|&accessors| accessors > 1) {
                let note = "several accessors of vertices share it, so it needs a byteStride";
                findings.add_note(Rule::AccessorLayout, format!("/bufferViews/{index}"), note);
            }
            continue;
        };
        let is_indices = by_view.get(&index) == Some(&Purpose::Indices);
        if is_indices || stride > view.byte_length {
            let note = if is_indices { "it contains indices" } else { "beyond the length" };
            findings.add_note(Rule::ByteStride, format!("/bufferViews/{index}/byteStride"), note);
        }
        if !stride.index().is_multiple_of(4) {
            let note = "not a multiple of 4";
            let pointer = format!("/bufferViews/{index}/byteStride");
            findings.add_note(Rule::InvalidMember, pointer, note);
        }
    }
}

fn add_view(
    view: usize,
    purpose: Purpose,
    by_view: &mut BTreeMap<usize, Purpose>,
    findings: &mut Findings,
) {
    let first = *by_view.entry(view).or_insert(purpose);
    if first != purpose {
        let note = format!("{first:?} and {purpose:?}");
        findings.add_note(Rule::AccessorUse, format!("/bufferViews/{view}"), note);
    }
}

fn view_of(context: &Context<'_>, accessor: usize) -> Option<usize> {
    context.root.accessors.get(accessor)?.buffer_view.map(UInt::index)
}

/// Returns the accessors with their purposes, in the order of the file.
pub(super) fn purposes(context: &Context<'_>) -> Vec<(usize, Purpose)> {
    let root = &context.root;
    let mut purposes = Vec::new();
    for primitive in root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let lists = std::iter::once(&primitive.attributes).chain(&primitive.targets);
        for (_, accessor) in lists.flat_map(|list| &list.0) {
            purposes.push((accessor.index(), Purpose::Vertices));
        }
        purposes.extend(primitive.indices.map(|it| (it.index(), Purpose::Indices)));
    }
    for skin in &root.skins {
        let matrices = skin.inverse_bind_matrices;
        purposes.extend(matrices.map(|it| (it.index(), Purpose::InverseBindMatrices)));
    }
    for sampler in root.animations.iter().flat_map(|it| &it.samplers) {
        purposes.push((sampler.input.index(), Purpose::KeyTimes));
        purposes.push((sampler.output.index(), Purpose::KeyValues));
    }
    for attributes in root.nodes.iter().filter_map(|node| node.instancing()) {
        purposes.extend(attributes.0.iter().map(|it| (it.1.index(), Purpose::Other)));
    }
    purposes
}

/// Returns the size of an element in bytes, of a component, and whether it is a matrix.
fn sizes(accessor: &Accessor<'_>) -> Option<(usize, usize, bool)> {
    let component = match accessor.component_type.get() {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    let (rows, columns) = match &*accessor.kind {
        "SCALAR" => (1, 1),
        "VEC2" => (2, 1),
        "VEC3" => (3, 1),
        "VEC4" => (4, 1),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return None,
    };
    let column: usize = rows * component;
    let is_matrix = columns > 1;
    let column = if is_matrix { column.next_multiple_of(4) } else { column };
    Some((column * columns, component, is_matrix))
}

fn faults(context: &Context<'_>, accessor: &Accessor<'_>) -> Vec<String> {
    let Some((_, component, is_matrix)) = sizes(accessor) else { return Vec::new() };
    let mut faults = Vec::new();
    if accessor.normalized && matches!(accessor.component_type.get(), 5125 | FLOAT) {
        faults.push("only bytes and shorts can be normalized".into());
    }
    if accessor.sparse.as_ref().is_some_and(|sparse| sparse.count > accessor.count) {
        faults.push("more sparse elements than elements".into());
    }
    let view = accessor.buffer_view.and_then(|view| context.root.buffer_views.get(view.index()));
    let offset = accessor.byte_offset.index();
    let total = offset.saturating_add(view.map_or(0, |view| view.byte_offset.index()));
    if !total.is_multiple_of(component) || !offset.is_multiple_of(component) {
        faults.push(format!("its offset is not a multiple of {component}"));
    }
    let stride = view.and_then(|view| view.byte_stride).map_or(0, UInt::index);
    if is_matrix && (!offset.is_multiple_of(4) || !stride.is_multiple_of(4)) {
        faults.push("the columns of a matrix are not aligned to 4 bytes".into());
    }
    faults
}

/// Checks the alignment of vertex attributes.
fn check_vertices(context: &Context<'_>, accessor: usize, view: usize, findings: &mut Findings) {
    let Some(it) = context.root.accessors.get(accessor) else { return };
    let Some(view) = context.root.buffer_views.get(view) else { return };
    let size = sizes(it).map_or(4, |it| it.0);
    let stride = view.byte_stride.map_or(size, UInt::index);
    let total = it.byte_offset.index().saturating_add(view.byte_offset.index());
    if !total.is_multiple_of(4) || !it.byte_offset.index().is_multiple_of(4) {
        let note = "vertices are not aligned to 4 bytes";
        findings.add_note(Rule::AccessorLayout, format!("/accessors/{accessor}"), note);
    } else if !stride.is_multiple_of(4) {
        let note = format!("its elements are {stride} bytes apart, which is not a multiple of 4");
        findings.add_note(Rule::AccessorLayout, format!("/accessors/{accessor}"), note);
    }
}
