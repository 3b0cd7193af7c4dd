//! Writes answers as JSON with one line per node, skin, pose, …: compact, and comparable line by
//! line.

use std::io::{self, BufWriter, Write};

use anyhow::Result;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::answers::Answers;
use crate::report::output::{Output, write_escaped};

/// The size of a write: small writes through the style stripper are slow.
const CHUNK_SIZE: usize = 1 << 20;

/// Writes the answers and a line break.
pub(crate) fn write(answers: &Answers, output: &mut Output) -> Result<()> {
    let mut out = BufWriter::with_capacity(CHUNK_SIZE, OutputWriter(output));
    // Keeps the I/O error, so that a closed pipe is recognised.
    let written = answers.serialize(&mut Serializer::with_formatter(&mut out, Lines::default()));
    written.map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// The output as a writer.
struct OutputWriter<'a>(&'a mut Output);

impl Write for OutputWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.text(bytes);
        written.map_err(|error| error.downcast().unwrap_or_else(io::Error::other))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A formatter that puts each element of the outermost arrays on its own line.
#[derive(Debug, Default)]
struct Lines {
    depth: usize,
}

/// The depth of the arrays in the outermost object.
const MULTILINE_DEPTH: usize = 2;

impl Lines {
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        if self.depth > MULTILINE_DEPTH { Ok(()) } else { write!(out, "\n{:1$}", "", self.depth) }
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.line(out)
    }
}

impl Formatter for Lines {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        write_escaped(out, fragment)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }
}
