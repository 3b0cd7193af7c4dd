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
    /// The list that was recorded last, and its number.
    last: (Vec<Draw>, Vec<Draw>, Vec<u32>),
    version: u64,
}

impl ViewState {
    pub(crate) fn new() -> Self {
        Self {
            fixed: Run::new(),
            opaque: Run::new(),
            transmissive: Run::new(),
            transparent: Run::new(),
            last: (Vec::new(), Vec::new(), Vec::new()),
            version: 0,
        }
    }

    /// Returns a number that changes whenever the list is another than the last one.
    fn list_version(&mut self, list: &RenderList) -> u64 {
        let (opaque, transparent, instances) = &mut self.last;
        let is_same = opaque == list.opaque()
            && transparent == list.transparent()
            && instances == list.instances();
        if !is_same {
            opaque.clear();
            opaque.extend_from_slice(list.opaque());
            transparent.clear();
            transparent.extend_from_slice(list.transparent());
            instances.clear();
            instances.extend_from_slice(list.instances());
            self.version += 1;
        }
        self.version
    }

    /// Records the draws of a list whose runs are out of date. `state` identifies what the runs
    /// depend on apart from the list: the uploaded resources and the state of the pass.
    pub(crate) fn record(
        &mut self,
        recorder: &mut ListRecorder<'_>,
        list: &RenderList,
        state: [u64; 2],
    ) {
        if recorder.needs_layers {
            // The layers of meshes are not in the list.
            self.version += 1;
        }
        let list_version = self.list_version(list);
        let stamp = |version: u64| -> Stamp { [version, state[0], state[1]] };
        let (all, fixed) = (stamp(list_version), stamp(list.static_version()));
        let (is_current, is_fixed_current) =
            (self.opaque.is_current(all), self.fixed.is_current(fixed));
        if is_current && is_fixed_current {
            return;
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
