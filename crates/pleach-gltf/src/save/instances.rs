//! Copies of meshes on their way out: EXT_mesh_gpu_instancing.

use glam::{Mat4, Quat, Vec3};
use pleach::{Assets, Mesh};

use super::column::Use;
use super::node::lenient;
use super::patch::Patch;
use super::sheet::Sheet;
use crate::json::{Node, Root};
use crate::load::{self, Buffer, Loading};
use crate::options::Options;
use crate::place::At;
use crate::resolve::Nothing;
use crate::{Error, Limits};

const NAME: &str = "EXT_mesh_gpu_instancing";

/// Reads what the file's copies were, if any are to be compared.
pub(crate) struct Instances<'a> {
    root: &'a Root<'a>,
    buffers: &'a [Buffer],
}

impl<'a> Instances<'a> {
    pub(crate) fn new(root: &'a Root<'a>, buffers: &'a [Buffer]) -> Self {
        Self { root, buffers }
    }

    /// What differs between a node's copies and the file's.
    pub(crate) fn put(
        &self,
        sheet: &mut Sheet<'_>,
        mesh: &Mesh,
        was: &Node<'_>,
        patch: &mut Patch,
        at: &At<'_>,
    ) -> Result<(), Error> {
        let Some(now) = mesh.instances.as_deref() else {
            if was.instancing().is_some() {
                patch.remove(&["extensions", NAME]);
            }
            return Ok(());
        };
        if was.instancing().is_some()
            && self.matrices(mesh, was)?.as_deref() == Some(now.matrices())
        {
            return Ok(());
        }
        let count = now.matrices().len();
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
                sheet.report.warn(at, message);
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
        Ok(())
    }

    /// The matrices of the file's copies.
    fn matrices(&self, mesh: &Mesh, was: &Node<'_>) -> Result<Option<Vec<Mat4>>, Error> {
        let limits = Limits { decoded_bytes: u64::MAX, ..Limits::default() };
        let options = Options::new().with_limits(limits);
        let mut load =
            Loading::again(self.root, &options, &Nothing, lenient(), Assets::without_feed());
        let views = load::views(&mut load, self.buffers)?;
        let data = load::data(&mut load, &views)?;
        let made = load::node::instances(&mut load, &data, was, &mesh.parts, &At::ROOT)?;
        Ok(made.map(|it| it.matrices().to_vec()))
    }
}
