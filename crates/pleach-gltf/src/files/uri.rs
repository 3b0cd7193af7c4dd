//! URIs in files: data URIs and relative file names. Other schemes are rejected.

use std::borrow::Cow;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine, decoded_len_estimate};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Padding is optional.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A parsed URI.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Uri<'a> {
    /// `data:image/png;base64,…`
    Data { mime: &'a str, base64: bool, content: &'a str },
    /// A path relative to the model, percent-decoded.
    File(String),
}

impl<'a> Uri<'a> {
    /// Parses a URI, or returns the reason for which it is rejected.
    pub(crate) fn parse(uri: &'a str) -> Result<Self, String> {
        if uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
            let Some((head, content)) = uri[5..].split_once(',') else {
                return Err("the data URI has no comma before its data".into());
            };
            // Like browsers: case-insensitive, and with leading spaces.
            let (start, last) = head.rsplit_once(';').unwrap_or((head, ""));
            let base64 = last.trim_start_matches(' ').eq_ignore_ascii_case("base64");
            let head = if base64 { start } else { head };
            let mime = head.split(';').next().unwrap_or_default();
            return Ok(Self::Data { mime, base64, content });
        }
        let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if is_scheme {
            return Err(format!(
                "{} is not supported; only relative file names and data URIs are",
                shortened(uri)
            ));
        }
        let name = percent_decoded(uri)?;
        if name.is_empty() || name.contains('\0') {
            return Err("the URI does not name a file".into());
        }
        Ok(Self::File(name))
    }
}

/// The reason why a data URI was not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DataError {
    /// An invalid URI, or one that is longer than the limit.
    Refused(String),
    /// An allocation of this number of bytes failed.
    OutOfMemory(usize),
}

/// Returns an empty vector with the capacity `bytes`.
fn reserve(bytes: usize) -> Result<Vec<u8>, DataError> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|_| DataError::OutOfMemory(bytes))?;
    Ok(buffer)
}

/// Decodes the content of a data URI of at most `max_bytes` bytes.
pub(crate) fn decode_data(
    base64: bool,
    content: &str,
    max_bytes: u64,
) -> Result<Vec<u8>, DataError> {
    let min_bytes = if base64 { content.len() / 4 * 3 } else { content.len() / 3 };
    if min_bytes as u64 > max_bytes {
        let message = format!("a data URI of at least {min_bytes} bytes; the limit is {max_bytes}");
        return Err(DataError::Refused(message));
    }
    if !base64 {
        let mut decoded = reserve(content.len())?;
        decoded.extend(percent_decode_str(content));
        return Ok(decoded);
    }
    let base64_error = |error: DecodeError| {
        DataError::Refused(format!("the data URI is not valid base64: {error}"))
    };
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c');
    let mut decoded = reserve(decoded_len_estimate(content.len()))?;
    match BASE64.decode_vec(content, &mut decoded) {
        Err(_) if content.bytes().any(|byte| is_space(&byte)) => {
            let mut dense = reserve(content.len())?;
            dense.extend(content.bytes().filter(|byte| !is_space(byte)));
            decoded.clear();
            BASE64.decode_vec(dense, &mut decoded).map_err(base64_error)?;
        }
        result => result.map_err(base64_error)?,
    }
    Ok(decoded)
}

/// The characters of a name that are percent-encoded: all but unreserved ones and `/`.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// Encodes the name of a file as a URI.
pub(crate) fn percent_encode(name: &str) -> String {
    utf8_percent_encode(name, ENCODED).to_string()
}

/// Quotes a URI for a message, truncated after 60 characters.
pub(crate) fn shortened(uri: &str) -> String {
    let end = uri.char_indices().nth(60).map_or(uri.len(), |(at, _)| at);
    if end < uri.len() { format!("{:?}…", &uri[..end]) } else { format!("{uri:?}") }
}

/// Decodes `%20` and the like. A `%` without two hexadecimal digits is kept, as real files contain
/// it.
fn percent_decoded(uri: &str) -> Result<String, String> {
    let name = percent_decode_str(uri).decode_utf8().map(Cow::into_owned);
    name.map_err(|_| format!("{} is not valid UTF-8 after percent-decoding", shortened(uri)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_percent_decoded() {
        assert_eq!(Uri::parse("a%20b/%E2%9D%A4.bin"), Ok(Uri::File("a b/❤.bin".into())));
        assert_eq!(Uri::parse("100%.bin"), Ok(Uri::File("100%.bin".into())));
        assert_eq!(Uri::parse("%+4.bin"), Ok(Uri::File("%+4.bin".into())));
        assert!(Uri::parse("%ff%fe").is_err());
        assert!(Uri::parse("").is_err());
        assert!(Uri::parse("a%00b").is_err());
    }

    #[test]
    fn other_schemes_are_rejected() {
        for uri in ["http://a/b.bin", "file:///etc/passwd", "C:/b.bin", "ftp:b"] {
            assert!(Uri::parse(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn data_uris_are_decoded() {
        let uri = "data:application/octet-stream;base64,AQID/w==";
        let Ok(Uri::Data { mime, base64, content }) = Uri::parse(uri) else { panic!("{uri}") };
        assert_eq!(mime, "application/octet-stream");
        assert_eq!(decode_data(base64, content, 100), Ok(vec![1, 2, 3, 255]));
        assert!(decode_data(base64, content, 2).is_err());
        assert_eq!(decode_data(true, "AQI", 100), Ok(vec![1, 2]));
        assert_eq!(decode_data(false, "a%20b", 100), Ok(b"a b".to_vec()));
        assert!(decode_data(true, "A*I=", 100).is_err());
    }

    #[test]
    fn base64_marker_is_case_insensitive_and_white_space_is_ignored() {
        for uri in [
            "DATA:application/octet-stream;BASE64,AQID/w==",
            "data:application/octet-stream;Base64,AQID/w==",
            "data:application/octet-stream; base64,AQ\nID /w=\t=\r\n",
            "data:application/octet-stream;charset=utf-8;bAse64,AQID/w==",
        ] {
            let Ok(Uri::Data { mime, base64, content }) = Uri::parse(uri) else { panic!("{uri}") };
            assert_eq!(mime, "application/octet-stream", "{uri}");
            assert_eq!(decode_data(base64, content, 100), Ok(vec![1, 2, 3, 255]), "{uri}");
        }
        assert_eq!(Uri::parse("data:base64,AQ"), Ok(plain("base64")));
        assert_eq!(Uri::parse("data:;base64x,AQ"), Ok(plain("")));
        assert!(decode_data(true, "A *I=", 100).is_err());
    }

    fn plain(mime: &str) -> Uri<'_> {
        Uri::Data { mime, base64: false, content: "AQ" }
    }
}
