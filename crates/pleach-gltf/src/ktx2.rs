//! Decodes KTX2 textures (KHR_texture_basisu): the largest mip level of Basis Universal data, ETC1S
//! or UASTC, to pixels.
//!
//! The transcoder trusts the sizes in the header, so these are checked first: nothing is allocated
//! that the header's width and height, within the limit, do not account for.

use basisu::{DecodeFlags, SourceFormat, TargetFormat, Transcoder};
use pleach::ImageData;

use crate::ErrorKind;

/// The first bytes of a KTX2 file.
pub(crate) const IDENTIFIER: &[u8] = b"\xabKTX 20\xbb\r\n\x1a\n";

/// The kind of an error and its reason.
type Failure = (ErrorKind, String);

/// Decodes the largest mip level to RGBA, if it is at most `max_dimension` pixels wide and high.
pub(crate) fn decode(bytes: &[u8], max_dimension: u32) -> Result<ImageData, Failure> {
    let header = Header::parse(bytes)?;
    header.check(max_dimension)?;
    let transcoder = Transcoder::new(bytes).map_err(invalid)?;
    if !matches!(transcoder.source_format(), SourceFormat::Etc1s | SourceFormat::UastcLdr) {
        return Err(unsupported("is neither ETC1S nor UASTC"));
    }
    let pixels =
        transcoder.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(invalid)?;
    Ok(ImageData::Rgba8 { width: header.width, height: header.height, pixels })
}

fn invalid(error: basisu::Error) -> Failure {
    let reason = match error {
        basisu::Error::Truncated => "its KTX2 data is truncated",
        _ => "its KTX2 data is invalid",
    };
    (ErrorKind::Data, reason.into())
}

fn unsupported(what: &str) -> Failure {
    let reason = format!(
        "it is a KTX2 texture that {what}; only two-dimensional Basis Universal textures are decoded"
    );
    (ErrorKind::Data, reason)
}

/// The members of a KTX2 header that decoding depends on.
struct Header {
    vk_format: u32,
    width: u32,
    height: u32,
    depth: u32,
    layers: u32,
    faces: u32,
    supercompression: u32,
    /// The size of the largest mip level after decompression, in bytes.
    level_bytes: u64,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let u32_at = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let parse = || {
            Some(Self {
                vk_format: u32_at(12)?,
                width: u32_at(20)?,
                height: u32_at(24)?,
                depth: u32_at(28)?,
                layers: u32_at(32)?,
                faces: u32_at(36)?,
                supercompression: u32_at(44)?,
                level_bytes: u64::from_le_bytes(*bytes.get(96..)?.first_chunk()?),
            })
        };
        let truncated =
            || (ErrorKind::Data, format!("its KTX2 header ends at byte {}", bytes.len()));
        parse().filter(|_| bytes.starts_with(IDENTIFIER)).ok_or_else(truncated)
    }

    fn check(&self, max_dimension: u32) -> Result<(), Failure> {
        const NONE: u32 = 0;
        const BASIS_LZ: u32 = 1;
        const ZSTANDARD: u32 = 2;
        if self.vk_format != 0 {
            return Err(unsupported(&format!("has the Vulkan format {}", self.vk_format)));
        }
        if self.depth > 1
            || self.layers > 1
            || self.faces != 1
            || self.width == 0
            || self.height == 0
        {
            return Err(unsupported("is a volume, an array, a cube map or empty"));
        }
        if self.width > max_dimension || self.height > max_dimension {
            let (width, height) = (self.width, self.height);
            let reason = format!(
                "it has {width} x {height} pixels; no more than {max_dimension} each are decoded"
            );
            return Err((ErrorKind::Limit, reason));
        }
        // A block of 4 x 4 pixels takes 16 bytes as UASTC.
        let blocks = u64::from(self.width.div_ceil(4)) * u64::from(self.height.div_ceil(4));
        match self.supercompression {
            NONE | BASIS_LZ => Ok(()),
            ZSTANDARD if self.level_bytes == 16 * blocks => Ok(()),
            ZSTANDARD => {
                let reason = format!(
                    "its KTX2 header gives {} bytes for its first level, which has {}",
                    self.level_bytes,
                    16 * blocks,
                );
                Err((ErrorKind::Data, reason))
            }
            scheme => Err(unsupported(&format!("has supercompression scheme {scheme}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    /// A file, its pixels, its width and height.
    type Sample = (&'static [u8], &'static [u8], (u32, u32));

    const FILES: [Sample; 4] = [
        (
            include_bytes!("../tests/ktx2/etc1s.ktx2"),
            include_bytes!("../tests/ktx2/etc1s.rgba"),
            (12, 8),
        ),
        (
            include_bytes!("../tests/ktx2/etc1s-alpha.ktx2"),
            include_bytes!("../tests/ktx2/etc1s-alpha.rgba"),
            (12, 8),
        ),
        (
            include_bytes!("../tests/ktx2/uastc.ktx2"),
            include_bytes!("../tests/ktx2/uastc.rgba"),
            (5, 3),
        ),
        (
            include_bytes!("../tests/ktx2/uastc-zstd.ktx2"),
            include_bytes!("../tests/ktx2/uastc-zstd.rgba"),
            (12, 8),
        ),
    ];

    #[test]
    fn a12_ktx2_textures_are_decoded_as_by_the_reference_transcoder() {
        for (file, expected, (width, height)) in FILES {
            let pixels = expected.to_vec();
            assert_eq!(decode(file, 64).unwrap(), ImageData::Rgba8 { width, height, pixels });
        }
    }

    /// The file consists of the blocks of `uastc-zstd`, 8 x 8 times, and six smaller mip levels with
    /// the blocks in another order.
    #[test]
    fn the_largest_of_several_mip_levels_is_decoded() {
        let file = include_bytes!("../tests/ktx2/uastc-mips.ktx2");
        let (tile, (width, height)) = (FILES[3].1, (96, 64));
        let row = |y: usize| tile[48 * (y % 8)..][..48].repeat(8);
        let pixels: Vec<u8> = (0..64).flat_map(row).collect();
        assert_eq!(decode(file, 128).unwrap(), ImageData::Rgba8 { width, height, pixels });
        assert_eq!(decode(file, 95).unwrap_err().0, ErrorKind::Limit);
    }

    #[test]
    fn textures_that_cannot_be_decoded_return_the_reason() {
        let edited = |at: usize, value: u32| {
            let mut file = FILES[3].0.to_vec();
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
            file
        };
        let cases = [
            (edited(12, 43), ErrorKind::Data, "has the Vulkan format 43"),
            (edited(36, 6), ErrorKind::Data, "a cube map"),
            (edited(24, 0), ErrorKind::Data, "empty"),
            (edited(20, 65), ErrorKind::Limit, "it has 65 x 8 pixels"),
            (edited(44, 3), ErrorKind::Data, "supercompression scheme 3"),
            (edited(100, 1), ErrorKind::Data, "which has 96"),
            (FILES[0].0[..90].to_vec(), ErrorKind::Data, "ends at byte 90"),
        ];
        for (file, kind, part) in cases {
            let (found, reason) = decode(&file, 64).unwrap_err();
            assert!(found == kind && reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn corrupt_textures_do_not_panic() {
        let mut rng = Rng::new(20_261_116);
        for round in 0..2000 {
            let mut file = FILES[round % 4].0.to_vec();
            for _ in 0..=rng.below(6) {
                let at = rng.below(file.len());
                file[at] = rng.below(256) as u8;
            }
            let image = pleach::Image::from_encoded("image/ktx2", file);
            let _ = crate::decode(&image);
        }
    }
}
