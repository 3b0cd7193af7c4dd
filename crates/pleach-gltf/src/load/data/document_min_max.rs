//! The actual minimum and maximum of accessors, for comparison with the values in the file.
//!
//! Decodes the buffer views again, because a document does not keep them.

use pleach::Assets;

use crate::diagnostics::Pointer;
use crate::diagnostics::{Report, Tolerance};
use crate::files::NoFiles;
use crate::json::{ParseLimits, Root};
use crate::load::budget::Budget;
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
        // The file was loaded before, so that this does not fail.
        self.accessor_ranges(accessors).unwrap_or_else(|_| vec![None; accessors.len()])
    }

    fn accessor_ranges(&self, wanted: &[usize]) -> Result<Vec<Option<[Vec<f64>; 2]>>, Error> {
        let Some(source) = &self.source else { return Ok(vec![None; wanted.len()]) };
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
        let min_max = |&index: &usize| {
            let accessor = data.accessors.get(index)?;
            budget.take(&Pointer::ROOT, accessor.min_max_bytes(), 1).ok()?;
            accessor.min_max()
        };
        Ok(wanted.iter().map(min_max).collect())
    }
}
