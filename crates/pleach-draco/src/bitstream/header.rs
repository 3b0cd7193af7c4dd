//! The header of a stream, and the metadata after it.

use super::reader::Reader;
use crate::Error;

/// The encoding of the triangles.
pub(crate) enum ConnectivityMethod {
    /// A list of indices.
    Sequential,
    /// By the Edgebreaker algorithm.
    Edgebreaker,
}

/// The flag of streams with metadata between the header and the connectivity.
const HAS_METADATA: u16 = 1 << 15;

/// The encoder type of triangular meshes.
const TRIANGULAR_MESH: u8 = 1;

/// Reads the header and skips the metadata.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<ConnectivityMethod, Error> {
    reader.expect_prefix(b"DRACO")?;
    let (major, minor) = (reader.u8()?, reader.u8()?);
    if (major, minor) != (2, 2) {
        return Err(Error::UnsupportedVersion { major, minor });
    }
    let geometry_type = reader.u8()?;
    if geometry_type != TRIANGULAR_MESH {
        return Err(Error::NotAMesh { geometry_type });
    }
    let method = reader.u8()?;
    if reader.u16()? & HAS_METADATA != 0 {
        skip_metadata(reader)?;
    }
    match method {
        0 => Ok(ConnectivityMethod::Sequential),
        1 => Ok(ConnectivityMethod::Edgebreaker),
        _ => Err(Error::Unsupported { field: "connectivity method", value: method.into() }),
    }
}

/// Skips the metadata of each attribute that has some, and that of the mesh.
fn skip_metadata(reader: &mut Reader<'_>) -> Result<(), Error> {
    for _ in 0..reader.varint()? {
        reader.varint()?;
        skip_metadata_element(reader)?;
    }
    skip_metadata_element(reader)
}

/// Skips a metadata element and its sub-metadata.
///
/// Elements are nested, but each begins where the one before ends, so it is enough to count how
/// many are still to come.
fn skip_metadata_element(reader: &mut Reader<'_>) -> Result<(), Error> {
    let mut remaining = 1u64;
    let mut is_named = false;
    while remaining > 0 {
        if is_named {
            skip_name(reader)?;
        }
        for _ in 0..reader.varint()? {
            skip_name(reader)?;
            reader.length_prefixed()?;
        }
        remaining += u64::from(reader.varint()?);
        remaining -= 1;
        is_named = true;
    }
    Ok(())
}

fn skip_name(reader: &mut Reader<'_>) -> Result<(), Error> {
    let length = reader.u8()?;
    reader.bytes(length.into())?;
    Ok(())
}
