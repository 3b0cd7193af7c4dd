//! `ViewState`: the recorded draws of one view, kept from frame to frame.
//!
//! Static meshes, other opaque ones, transmissive ones and transparent ones are a run each. The first is
//! recorded again only if the list's `static_version` changes, the others if the list does.

use pleach::{Draw, RenderList};

use crate::Error;
use crate::draw::list_recorder::ListRecorder;
use crate::draw::run::{Run, Stamp};
use crate::upload::staging::Recorder;

/// The runs of a view.
#[derive(Debug)]
pub(crate) struct ViewState {
    /// Opaque draws of static meshes.
    pub(crate) fixed: Run,
    /// Other opaque draws.
    pub(crate) opaque: Run,
    pub(crate) transmissive: Run,
    pub(crate) transparent: Run,
}

impl ViewState {
    pub(crate) fn new() -> Self {
        Self {
            fixed: Run::new(),
            opaque: Run::new(),
            transmissive: Run::new(),
            transparent: Run::new(),
        }
    }

    /// Records the draws of a list whose runs are out of date, and returns `true` if there are any.
    /// `state` identifies what the runs depend on apart from the list: the uploaded resources and the
    /// state of the pass.
    pub(crate) fn record(
        &mut self,
        recorder: &mut ListRecorder<'_>,
        list: &RenderList,
        state: [u64; 2],
    ) -> bool {
        let stamp = |version: u64| -> Stamp { [version, state[0], state[1]] };
        // The layers of meshes are not part of the static version.
        let static_version = match recorder.needs_layers {
            true => list.version(),
            false => list.static_version(),
        };
        let (all, fixed) = (stamp(list.version()), stamp(static_version));
        let (is_current, is_fixed_current) =
            (self.opaque.is_current(all), self.fixed.is_current(fixed));
        if is_current && is_fixed_current {
            return false;
        }
        if !is_fixed_current {
            self.fixed.begin(fixed);
        }
        if !is_current {
            self.opaque.begin(all);
            self.transmissive.begin(all);
            self.transparent.begin(all);
        }
        for batch in list.batches() {
            let is_transmissive = recorder.is_transmissive(&batch[0]);
            for draws in batch.chunk_by(|a, b| a.is_static == b.is_static) {
                let is_static = draws[0].is_static && !is_transmissive;
                let (run, skip) = match (is_transmissive, is_static) {
                    (true, _) => (&mut self.transmissive, is_current),
                    (false, true) => (&mut self.fixed, is_fixed_current),
                    (false, false) => (&mut self.opaque, is_current),
                };
                if !skip {
                    recorder.add_batch(run, list, draws);
                }
            }
        }
        if !is_current {
            for draws in list.transparent().chunk_by(can_share_call) {
                // Blended surfaces that transmit light are drawn with the transmissive ones.
                let run = match recorder.is_transmissive(&draws[0]) {
                    true => &mut self.transmissive,
                    false => &mut self.transparent,
                };
                recorder.add_batch(run, list, draws);
            }
        }
        true
    }

    /// Returns the runs in the order of drawing.
    pub(crate) fn runs(&self) -> [&Run; 4] {
        let Self { fixed, opaque, transmissive, transparent, .. } = self;
        [fixed, opaque, transmissive, transparent]
    }

    /// Returns the runs in the order of drawing, for modification.
    pub(crate) fn runs_mut(&mut self) -> [&mut Run; 4] {
        let Self { fixed, opaque, transmissive, transparent, .. } = self;
        [fixed, opaque, transmissive, transparent]
    }

    /// Records the upload of the records that changed.
    pub(crate) fn upload(&mut self, recorder: &mut Recorder<'_>) -> Result<(), Error> {
        self.runs_mut().into_iter().try_for_each(|run| run.upload(recorder))
    }
}

/// Returns `true` if two adjacent transparent draws can be one call, as [`RenderList::batches`] does
/// for opaque ones.
fn can_share_call(a: &Draw, b: &Draw) -> bool {
    let is_plain = |draw: &Draw| draw.joint_matrices.is_none() && draw.instances.is_empty();
    let key = |draw: &Draw| (draw.material, draw.geometry, draw.flipped);
    is_plain(a) && is_plain(b) && key(a) == key(b) && a.group == b.group
}
