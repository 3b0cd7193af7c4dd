//! Copies of meshes on their way out: EXT_mesh_gpu_instancing.

use std::collections::HashMap;

use glam::{Mat4, Quat, Vec3};
use pleach::{Assets, Mesh};

use super::Writing;
use super::column::Use;
use super::node::lenient;
use super::patch::Patch;
use super::sheet::Sheet;
use crate::Options;
use crate::diagnostics::Pointer;
use crate::files::NoFiles;
use crate::json::Node;
use crate::load::{self, Buffer, Load};
use crate::{Error, Limits, WarningCode};

const NAME: &str = "EXT_mesh_gpu_instancing";

/// What the file's copies are, by node.
pub(crate) struct Instances {
    file: HashMap<u32, Vec<Mat4>>,
}

impl Instances {
    /// Reads them again, if there are any.
    pub(crate) fn new(writing: &Writing<'_>, buffers: &[Buffer]) -> Result<Self, Error> {
        let mut file = HashMap::new();
        let root = writing.root;
        let mut nodes = root.nodes.iter().enumerate().filter(|(_, it)| it.instancing().is_some());
        let Some(first) = nodes.next() else { return Ok(Self { file }) };
        let limits = Limits { max_decoded_bytes: u64::MAX, ..Limits::default() };
        let options = Options::new().with_limits(limits);
        let mut load = Load::for_reread(root, &options, &NoFiles, lenient(), Assets::untracked());
        let views = load::views(&mut load, buffers)?;
        let data = load::data(&mut load, &views)?;
        for (index, node) in std::iter::once(first).chain(nodes) {
            let made = load::node::instances(&mut load, &data, node, &[], &Pointer::ROOT)?;
            file.extend(made.map(|it| (index as u32, it.matrices().to_vec())));
        }
        Ok(Self { file })
    }

    /// What differs between a node's copies and the file's.
    pub(crate) fn put(
        &self,
        sheet: &mut Sheet<'_>,
        mesh: &Mesh,
        (source, was): (Option<u32>, &Node<'_>),
        patch: &mut Patch,
        at: &Pointer<'_>,
    ) {
        let Some(now) = mesh.instances.as_deref() else {
            if was.instancing().is_some() {
                patch.remove(&["extensions", NAME]);
            }
            return;
        };
        let file = source.and_then(|source| self.file.get(&source));
        let numbers = |it: &Mat4| it.to_cols_array().map(f32::to_bits);
        if file.is_some_and(|it| it.iter().map(numbers).eq(now.matrices().iter().map(numbers))) {
            return;
        }
        let count = now.matrices().len();
        if count == 0 {
            sheet.report.warn(
                at,
                WarningCode::DroppedEmptyInstances,
                "a mesh with no copies shows nothing, and is left out",
            );
            for key in ["mesh", "weights", "skin"] {
                patch.remove(&[key]);
            }
            patch.remove(&["extensions", NAME]);
            return;
        }
        drop_strangers(sheet, was, count, patch, at);
        let (mut translations, mut rotations, mut scales) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, matrix) in now.matrices().iter().enumerate() {
            let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
            let back = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            let size = matrix.to_cols_array().iter().fold(0f32, |most, it| most.max(it.abs()));
            if !back.abs_diff_eq(*matrix, 1e-5 * size.max(1.0)) {
                let message = format!(
                    "copy {number} is sheared or flat, which glTF's copies cannot be; it is \
                     written as near as can be"
                );
                sheet.report.warn(at, WarningCode::ApproximatedInstance, message);
            }
            let is_right = rotation.is_finite() && rotation.length_squared() > 0.5;
            rotations.push(if is_right { rotation } else { Quat::IDENTITY });
            translations.push(translation);
            scales.push(scale);
        }
        for key in ["TRANSLATION", "ROTATION", "SCALE"] {
            patch.remove(&["extensions", NAME, "attributes", key]);
        }
        let mut put = |key: &'static str, accessor: usize| {
            patch.put(&["extensions", NAME, "attributes", key], accessor.to_string());
        };
        put("TRANSLATION", sheet.vec3s(&translations, Use::Other, false));
        if rotations.iter().any(|&rotation| rotation != Quat::IDENTITY) {
            put("ROTATION", sheet.quats(&rotations));
        }
        if scales.iter().any(|&scale| scale != Vec3::ONE) {
            put("SCALE", sheet.vec3s(&scales, Use::Other, false));
        }
        sheet.used.insert(NAME);
    }
}

/// Other attributes are for the file's copies: if their number changes, they go.
fn drop_strangers(
    sheet: &mut Sheet<'_>,
    was: &Node<'_>,
    count: usize,
    patch: &mut Patch,
    at: &Pointer<'_>,
) {
    for (name, accessor) in was.instancing().map_or(&[][..], |it| &it.0) {
        let have = sheet.root.accessors.get(accessor.index()).map(|it| it.count.index());
        let is_known = ["TRANSLATION", "ROTATION", "SCALE"].contains(&&**name);
        if !is_known && have != Some(count) {
            patch.remove_named(&["extensions", NAME, "attributes"], name.to_string());
            let message = format!(
                "attribute {:?} of its copies is for another number of them, and left out",
                &**name
            );
            sheet.report.warn(at, WarningCode::DroppedInstanceAttribute, message);
        }
    }
}
