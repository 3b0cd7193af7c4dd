//! The integer values of an attribute: corrections from the stream, added to predictions.

use super::descriptor::{AttributeDescriptor, Encoding};
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::bitstream::reader::Reader;
use crate::bitstream::symbols;
use crate::budget::Budget;
use crate::prediction::octahedron::Octahedron;
use crate::prediction::parallelogram::{self, CreaseEdges};
use crate::prediction::tex_coords::{Orientations, TexCoordPredictor};
use crate::prediction::wrap::WrapTransform;
use crate::prediction::{MeshData, Positions, delta, geometric_normal};

/// Draco's numbers of prediction schemes. Those between are of older versions.
const NO_PREDICTION: i8 = -2;
const DELTA: i8 = 0;
const PARALLELOGRAM: i8 = 1;
const CONSTRAINED_MULTI_PARALLELOGRAM: i8 = 4;
const TEX_COORDS_PORTABLE: i8 = 5;
const GEOMETRIC_NORMAL: i8 = 6;

/// Draco's numbers of prediction transforms: how corrections are added.
const WRAP: i8 = 1;
const NORMAL_OCTAHEDRON_CANONICALIZED: i8 = 3;

/// The inputs, in addition to the stream, from which the integer values of an attribute are decoded.
pub(super) struct IntegerValues<'a> {
    pub(super) descriptor: &'a AttributeDescriptor,
    pub(super) entry_count: usize,
    /// For predictions from neighbors; `None` for sequential connectivity.
    pub(super) mesh: Option<MeshData<'a>>,
    /// For predictions from positions, if those are decoded already.
    pub(super) positions: Option<Positions<'a>>,
}

impl IntegerValues<'_> {
    /// Decodes the values, entry by entry.
    pub(super) fn decode(
        &self,
        reader: &mut Reader<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<i32>, Error> {
        let components = self.descriptor.integers_per_value();
        let scheme = reader.i8()?;
        if scheme == NO_PREDICTION {
            return self.corrections(reader, true, budget);
        }
        let transform = reader.i8()?;
        let is_octahedral = self.descriptor.encoding == Encoding::Octahedral;
        if transform != if is_octahedral { NORMAL_OCTAHEDRON_CANONICALIZED } else { WRAP } {
            let value = transform.cast_unsigned().into();
            return Err(Error::Unsupported { field: "prediction transform", value });
        }
        let mut values = self.corrections(reader, !is_octahedral, budget)?;
        let no_positions = Error::Malformed("a prediction needs positions that do not exist");
        match (scheme, self.mesh) {
            (GEOMETRIC_NORMAL, Some(mesh)) if is_octahedral => {
                let octahedron = Octahedron::read(reader)?;
                let flips = RansBitDecoder::read(reader)?;
                let positions = self.positions.ok_or(no_positions)?;
                geometric_normal::restore(&mut values, mesh, positions, octahedron, flips)?;
            }
            (DELTA..=GEOMETRIC_NORMAL, _) if is_octahedral => {
                delta::restore_normals(&mut values, Octahedron::read(reader)?);
            }
            (PARALLELOGRAM, Some(mesh)) => {
                let wrap = WrapTransform::read(reader)?;
                parallelogram::restore_single(&mut values, components, mesh, wrap);
            }
            (CONSTRAINED_MULTI_PARALLELOGRAM, Some(mesh)) => {
                let mut creases = CreaseEdges::read(reader, mesh.table, budget)?;
                let wrap = WrapTransform::read(reader)?;
                parallelogram::restore_constrained_multi(
                    &mut values,
                    components,
                    mesh,
                    wrap,
                    &mut creases,
                )?;
            }
            (TEX_COORDS_PORTABLE, Some(mesh)) if components == 2 => {
                let orientations = Orientations::read(reader, self.entry_count, budget)?;
                let wrap = WrapTransform::read(reader)?;
                let positions = self.positions.ok_or(no_positions)?;
                let mut predictor = TexCoordPredictor { mesh, positions, orientations };
                predictor.restore(&mut values, wrap)?;
                predictor.orientations.release(budget);
            }
            // Without a corner table, every scheme is this one.
            (DELTA, _) | (PARALLELOGRAM..=GEOMETRIC_NORMAL, None) => {
                delta::restore(&mut values, components, WrapTransform::read(reader)?);
            }
            _ => {
                let value = scheme.cast_unsigned().into();
                return Err(Error::Unsupported { field: "prediction scheme", value });
            }
        }
        Ok(values)
    }

    /// Reads the corrections. Signed ones have their sign in the lowest bit.
    fn corrections(
        &self,
        reader: &mut Reader<'_>,
        signed: bool,
        budget: &mut Budget,
    ) -> Result<Vec<i32>, Error> {
        let components = self.descriptor.integers_per_value();
        let to_correction = |symbol: u32| {
            if signed {
                (symbol >> 1).cast_signed() ^ -(symbol & 1).cast_signed()
            } else {
                symbol.cast_signed()
            }
        };
        let is_compressed = reader.u8()? > 0;
        if is_compressed {
            return symbols::decode(reader, self.entry_count, components, budget, to_correction);
        }
        let size = usize::from(reader.u8()?);
        if size > 4 {
            return Err(Error::Malformed("an integer has more than 4 bytes"));
        }
        let count = self.entry_count.saturating_mul(components);
        let bytes = reader.bytes(count.saturating_mul(size))?;
        let mut corrections = budget.vec_with_capacity(count)?;
        for index in 0..count {
            let bytes = bytes[index * size..].iter().take(size).rev();
            let symbol = bytes.fold(0, |symbol, &byte| symbol << 8 | u32::from(byte));
            corrections.push(to_correction(symbol));
        }
        Ok(corrections)
    }
}
