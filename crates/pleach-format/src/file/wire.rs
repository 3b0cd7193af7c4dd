//! Structured values as bytes: postcard, with the offset of what is not valid.

use std::cell::Cell;
use std::fmt;

use postcard::{Deserializer, Serializer, de_flavors, ser_flavors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::sections::{Section, Writer};
use crate::error::{Error, ErrorKind, Result};

/// Appends a value to a buffer.
pub(crate) fn write<T: Serialize + ?Sized>(bytes: &mut Vec<u8>, value: &T) -> Result<()> {
    let mut serializer = Serializer { output: Append(bytes) };
    value.serialize(&mut serializer).map_err(|error| {
        Error::new(ErrorKind::Unsupported, format!("a value cannot be written: {error}"))
    })
}

struct Append<'a>(&'a mut Vec<u8>);

impl ser_flavors::Flavor for Append<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Reads values from the payload of a section.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    section: Section<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(section: Section<'a>) -> Self {
        Self { section, at: 0 }
    }

    /// Returns the offset in the file of what is read next.
    pub(crate) fn offset(&self) -> u64 {
        (self.section.offset + self.at) as u64
    }

    pub(crate) fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let at = Cell::new(self.at);
        let source = Counted { bytes: self.section.bytes, at: &at };
        let value = T::deserialize(&mut Deserializer::from_flavor(source));
        self.at = at.get();
        value.map_err(|error| {
            let message = format!("section {}: {}", self.section.tag, describe(&error));
            let may_be_newer = matches!(
                error,
                postcard::Error::SerdeDeCustom | postcard::Error::DeserializeBadEnum
            );
            if may_be_newer {
                return Error::at(ErrorKind::Value, self.offset(), self.name_writer(&message));
            }
            Error::at(ErrorKind::Value, self.offset(), message)
        })
    }

    /// Fails if the number of the variant that is read next is not less than `count`.
    pub(crate) fn check_variant(&self, what: &str, count: u32) -> Result<()> {
        let at = Cell::new(self.at);
        let source = Counted { bytes: self.section.bytes, at: &at };
        // What is not an integer is an error of `read`.
        match u32::deserialize(&mut Deserializer::from_flavor(source)) {
            Ok(number) if number >= count => {
                let message = format!("section {}: {what} {number} is unknown", self.section.tag);
                Err(Error::at(ErrorKind::Version, self.offset(), self.name_writer(&message)))
            }
            _ => Ok(()),
        }
    }

    fn name_writer(&self, message: &str) -> String {
        format!("{message} to {}; {}", Writer::THIS, newer(self.section.writer))
    }

    /// Fails if the section has more bytes than were read.
    pub(crate) fn finish(&self) -> Result<()> {
        let left = self.section.bytes.len() - self.at;
        if left == 0 {
            return Ok(());
        }
        let message = format!("section {} has {left} bytes more than expected", self.section.tag);
        Err(Error::at(ErrorKind::Length, self.offset(), message))
    }
}

/// Returns the remedy for a value that this version does not know.
pub(crate) fn newer(writer: impl fmt::Display) -> String {
    format!("it was written by {writer}, so read it with that version or a later one")
}

fn describe(error: &postcard::Error) -> &'static str {
    match error {
        postcard::Error::DeserializeUnexpectedEnd => "it ends in the middle of a value",
        postcard::Error::DeserializeBadVarint => "an integer has too many bytes",
        postcard::Error::DeserializeBadBool => "a truth value is neither 0 nor 1",
        postcard::Error::DeserializeBadOption => "the mark of an option is neither 0 nor 1",
        postcard::Error::DeserializeBadUtf8 => "a text is not valid UTF-8",
        // The numbers of variants, and handles.
        postcard::Error::SerdeDeCustom | postcard::Error::DeserializeBadEnum => {
            "a value is not valid, or unknown"
        }
        _ => "a value is not valid",
    }
}

/// A slice that is read from a position that the caller sees, also after an error.
struct Counted<'de> {
    bytes: &'de [u8],
    at: &'de Cell<usize>,
}

impl<'de> de_flavors::Flavor<'de> for Counted<'de> {
    type Remainder = ();
    type Source = ();

    fn pop(&mut self) -> postcard::Result<u8> {
        let at = self.at.get();
        let byte = self.bytes.get(at).ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        self.at.set(at + 1);
        Ok(*byte)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.bytes.len() - self.at.get())
    }

    fn try_take_n(&mut self, count: usize) -> postcard::Result<&'de [u8]> {
        let at = self.at.get();
        let taken = self.bytes[at..].get(..count);
        let taken = taken.ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        self.at.set(at + count);
        Ok(taken)
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
