//! Reads the accessors of a document: the actual minimum and maximum, for comparison with the values
//! in the file.
//!
//! Decodes the buffer views again, because a document does not keep them.

use std::collections::{BTreeMap, BTreeSet};

use pleach::Assets;

use crate::diagnostics::Pointer;
use crate::diagnostics::{Report, Tolerance};
use crate::files::NoFiles;
use crate::json::{ParseLimits, Root};
use crate::load::budget::Budget;
use crate::load::data::accessor::Accessor;
use crate::load::{Load, data, views};
use crate::{Document, Error, Limits, Options};

impl Document {
    /// Computes the minimum and maximum of each component of accessors of the file, in the
    /// representation of glTF's `min` and `max`: integers as stored, normalized or not.
    ///
    /// Returns one entry per requested accessor: `None` for accessors that do not exist, have no
    /// elements, or have no bytes (because Draco compresses them), and for the remaining ones once
    /// a file has exceeded the limit by referring to the same bytes too often.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"},
    ///     "buffers": [{"uri": "data:;base64,AwEC", "byteLength": 3}],
    ///     "bufferViews": [{"buffer": 0, "byteLength": 3}],
    ///     "accessors": [{"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": 3}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// assert_eq!(document.accessor_min_max(&[0, 1]), [Some([vec![1.0], vec![3.0]]), None]);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn accessor_min_max(&self, accessors: &[usize]) -> Vec<Option<[Vec<f64>; 2]>> {
        let wanted: BTreeSet<usize> = accessors.iter().copied().collect();
        let mut extents = BTreeMap::new();
        self.scan_accessors(|index, accessor| {
            if wanted.contains(&index) {
                extents.insert(index, accessor.min_max());
            }
        });
        accessors.iter().map(|index| extents.get(index).cloned().flatten()).collect()
    }

    /// Calls `visit` with the accessors of the file in order, until a file has exceeded the limit by
    /// referring to the same bytes too often.
    pub(crate) fn scan_accessors(&self, visit: impl FnMut(usize, &Accessor<'_>)) {
        // The file was loaded before, so that this does not fail.
        _ = self.try_scan_accessors(visit);
    }

    fn try_scan_accessors(&self, mut visit: impl FnMut(usize, &Accessor<'_>)) -> Result<(), Error> {
        let Some(source) = &self.source else { return Ok(()) };
        let root = Root::parse(self.json(), ParseLimits::NONE)?;
        let limits = Limits { max_decoded_bytes: u64::MAX, ..Limits::default() };
        let options = Options::new().with_limits(limits);
        let tolerance = Tolerance { strict: false, report: Report::default() };
        let assets = Assets::untracked();
        let mut load = Load::for_reread(&root, &options, &NoFiles, tolerance, assets);
        let views = views(&mut load, &source.buffers)?;
        let data = data(&mut load, &views)?;
        let files = source.files.iter().map(|(_, bytes)| bytes).chain(&source.bin_chunk);
        let read: usize = source.json.len() + files.map(|bytes| bytes.len()).sum::<usize>();
        let mut budget = Budget::new(&Limits::default(), read as u64);
        for (index, accessor) in data.accessors.iter().enumerate() {
            budget.take(&Pointer::ROOT, accessor.stored_bytes(), 1)?;
            visit(index, accessor);
        }
        Ok(())
    }
}
