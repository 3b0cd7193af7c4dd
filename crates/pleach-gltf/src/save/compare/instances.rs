//! Mesh instances: EXT_mesh_gpu_instancing.

use std::collections::HashMap;

use glam::{Mat4, Quat, Vec3};
use pleach::{Assets, Mesh};

use super::super::output::accessor::Target;
use super::super::output::json_edit::JsonEdit;
use super::node::lenient;
use crate::diagnostics::Pointer;
use crate::files::NoFiles;
use crate::json::Node;
use crate::load::{self, Load};
use crate::save::{SaveContext, SaveInput};
use crate::{Error, Limits, Options, WarningCode};

const NAME: &str = "EXT_mesh_gpu_instancing";

/// The instance matrices in the file, by node.
pub(crate) struct Instances {
    file: HashMap<u32, Vec<Mat4>>,
}

impl Instances {
    /// Reads the instances of the file again, if there are any.
    pub(crate) fn new(input: &SaveInput<'_>) -> Result<Self, Error> {
        let mut file = HashMap::new();
        let root = input.root;
        // Those of nodes without a mesh are not loaded.
        let has_instances = |it: &Node<'_>| it.mesh.is_some() && it.instancing().is_some();
        let mut nodes = root.nodes.iter().enumerate().filter(|(_, it)| has_instances(it));
        let Some(first) = nodes.next() else { return Ok(Self { file }) };
        let limits = Limits { max_decoded_bytes: u64::MAX, ..Limits::default() };
        let options = Options::new().with_limits(limits);
        let mut load = Load::for_reread(root, &options, &NoFiles, lenient(), Assets::untracked());
        let views = load::views(&mut load, input.source().map_or(&[], |source| &source.buffers))?;
        let data = load::data(&mut load, &views)?;
        for (index, node) in std::iter::once(first).chain(nodes) {
            let made = load::node::instances(&mut load, &data, node, &[], &Pointer::ROOT)?;
            file.extend(made.map(|it| (index as u32, it.matrices().to_vec())));
        }
        Ok(Self { file })
    }
}

impl SaveContext<'_> {
    /// Edits the instances of a node where they differ from the file's.
    pub(crate) fn edit_instances(
        &mut self,
        mesh: &Mesh,
        (source, was): (Option<u32>, &Node<'_>),
        edit: &mut JsonEdit,
        at: &Pointer<'_>,
    ) {
        let Some(now) = mesh.instances.as_deref() else {
            if was.instancing().is_some() {
                edit.remove(&["extensions", NAME]);
            }
            return;
        };
        let file = source.and_then(|source| self.instances.file.get(&source));
        let bits = |it: &Mat4| it.to_cols_array().map(f32::to_bits);
        if file.is_some_and(|it| it.iter().map(bits).eq(now.matrices().iter().map(bits))) {
            return;
        }
        let count = now.matrices().len();
        if count == 0 {
            self.output.report.warn(
                at,
                WarningCode::DroppedEmptyInstances,
                "a mesh without instances draws nothing; it is left out",
            );
            for key in ["mesh", "weights", "skin"] {
                edit.remove(&[key]);
            }
            edit.remove(&["extensions", NAME]);
            return;
        }
        self.drop_mismatched_instance_attributes(was, count, edit, at);
        let (mut translations, mut rotations, mut scales) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, matrix) in now.matrices().iter().enumerate() {
            // In f64, whose results are the same on every processor.
            let (scale, rotation, translation) = matrix.as_dmat4().to_scale_rotation_translation();
            let (scale, rotation, translation) =
                (scale.as_vec3(), rotation.as_quat(), translation.as_vec3());
            let recomposed = Mat4::from_scale_rotation_translation(scale, rotation, translation);
            let size = matrix.to_cols_array().iter().fold(0f32, |max, it| max.max(it.abs()));
            if !recomposed.abs_diff_eq(*matrix, 1e-5 * size.max(1.0)) {
                let message = format!(
                    "instance {number} is sheared or singular, which glTF cannot represent; the \
                     nearest transform is written"
                );
                self.output.report.warn(at, WarningCode::ApproximatedInstance, message);
            }
            let is_valid = rotation.is_finite() && rotation.as_dquat().length_squared() > 0.5;
            rotations.push(if is_valid { rotation } else { Quat::IDENTITY });
            translations.push(translation);
            scales.push(scale);
        }
        for key in ["TRANSLATION", "ROTATION", "SCALE"] {
            edit.remove(&["extensions", NAME, "attributes", key]);
        }
        let mut put = |key: &'static str, accessor: usize| {
            edit.set(&["extensions", NAME, "attributes", key], accessor.to_string());
        };
        put("TRANSLATION", self.output.vec3s(&translations, Target::Other, false));
        if rotations.iter().any(|&rotation| rotation != Quat::IDENTITY) {
            put("ROTATION", self.output.quats(&rotations));
        }
        if scales.iter().any(|&scale| scale != Vec3::ONE) {
            put("SCALE", self.output.vec3s(&scales, Target::Other, false));
        }
        self.output.used.insert(NAME);
    }

    /// Removes other instance attributes of the file if the number of instances changed.
    fn drop_mismatched_instance_attributes(
        &mut self,
        was: &Node<'_>,
        count: usize,
        edit: &mut JsonEdit,
        at: &Pointer<'_>,
    ) {
        for (name, accessor) in was.instancing().map_or(&[][..], |it| &it.0) {
            let element_count =
                self.input.root.accessors.get(accessor.index()).map(|it| it.count.index());
            let is_known = ["TRANSLATION", "ROTATION", "SCALE"].contains(&&**name);
            if !is_known && element_count != Some(count) {
                edit.remove_named(&["extensions", NAME, "attributes"], name.to_string());
                let message = format!(
                    "instance attribute {:?} has another number of elements; it is left out",
                    &**name
                );
                self.output.report.warn(at, WarningCode::DroppedInstanceAttribute, message);
            }
        }
    }
}
