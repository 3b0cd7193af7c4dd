//! Writes answers to stdout as text or JSON, and notes and errors to stderr, one line each.
//!
//! Invariant: with `--json` stdout contains one JSON value and nothing else.

use std::fmt;
use std::io::{self, Write};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::input::open;

/// The result of a command, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Exit code 0.
    Pass,
    /// The file or the result is bad: exit code 1.
    Fail,
}

/// The use of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();

/// The output streams. Styles, as in `line(Styled(style, text))`, are stripped unless the stream is
/// a terminal.
pub(crate) struct Output {
    json: bool,
    stdout: anstream::AutoStream<io::Stdout>,
    /// `true` if the reader closed the pipe, as `head` does; nothing more is written.
    is_closed: bool,
    stderr: anstream::AutoStream<io::Stderr>,
}

impl Output {
    pub(crate) fn new(json: bool, color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        let choose = |auto: ColorChoice| match choice {
            ColorChoice::Auto => auto,
            other => other,
        };
        let stdout = choose(anstream::AutoStream::choice(&io::stdout()));
        let stderr = choose(anstream::AutoStream::choice(&io::stderr()));
        Self {
            json,
            is_closed: false,
            stdout: anstream::AutoStream::new(io::stdout(), stdout),
            stderr: anstream::AutoStream::new(io::stderr(), stderr),
        }
    }

    /// Writes the answer as JSON, or calls `text` to write it as text.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.json { self.value(answer) } else { text(self) }
    }

    /// Writes a value as JSON.
    pub(crate) fn value<T: Serialize>(&mut self, value: &T) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        // Only strings can contain characters that need escaping. One write, since many small
        // writes through the style stripper are slow.
        let mut safe = Vec::with_capacity(text.len() + 1);
        write_escaped(&mut safe, &text)?;
        safe.push(b'\n');
        self.write(&safe)
    }

    /// Writes bytes, unless the pipe is closed. That is not an error, so that the exit code does not
    /// depend on the reader.
    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let written = self.stdout.write_all(bytes);
        self.check_closed(written)
    }

    fn check_closed(&mut self, result: io::Result<()>) -> anyhow::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.is_closed = true,
            other => other?,
        }
        Ok(())
    }

    /// Writes one line of text.
    pub(crate) fn line(&mut self, text: impl fmt::Display) -> anyhow::Result<()> {
        self.write(format!("{text}\n").as_bytes())
    }

    /// Writes text unchanged.
    pub(crate) fn text(&mut self, text: &[u8]) -> anyhow::Result<()> {
        self.write(text)
    }

    /// Writes a note to stderr as one line.
    pub(crate) fn note(&mut self, text: impl fmt::Display) {
        // A failed write to stderr cannot be reported.
        _ = writeln!(self.stderr, "{} {}", Styled(WARN, "note:"), OneLine(&text.to_string()));
    }

    /// Writes an error and its causes to stderr as one line.
    pub(crate) fn error(&mut self, error: &anyhow::Error) {
        let mut text = String::new();
        for cause in error.chain() {
            let cause = cause.to_string();
            // Some errors include their cause in their own message.
            if text.ends_with(&cause) {
                continue;
            }
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&cause);
        }
        if error.downcast_ref().is_some_and(open::trust_may_help) {
            text.push_str("; if you trust the file, retry with --trust");
        }
        _ = writeln!(self.stderr, "{} {}", Styled(ERROR, "error:"), OneLine(&text));
    }

    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = self.stdout.flush();
        self.check_closed(flushed)
    }
}

/// A value displayed with a style.
pub(crate) struct Styled<T>(pub(crate) Style, pub(crate) T);

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(style, what) = self;
        write!(f, "{style}{what}{style:#}")
    }
}

/// Untrusted text: line breaks, control characters, terminal escapes and characters that change the
/// writing direction are escaped.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if c.is_control() || is_invisible(c) {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// Returns `true` for invisible characters that change how the rest of a line is displayed.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a fragment of JSON with characters escaped that JSON allows in strings but terminals
/// interpret.
pub(crate) fn write_escaped<W: ?Sized + Write>(out: &mut W, fragment: &str) -> io::Result<()> {
    let needs_escape = |c: char| matches!(c, '\u{7f}'..='\u{9f}') || is_invisible(c);
    let mut rest = fragment;
    while let Some(at) = rest.find(needs_escape) {
        let (before, from) = rest.split_at(at);
        out.write_all(before.as_bytes())?;
        let mut after = from.chars();
        if let Some(c) = after.next() {
            write!(out, "\\u{:04x}", u32::from(c))?;
        }
        rest = after.as_str();
    }
    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_parses_to_the_same_string() {
        let hostile = "a\u{9b}31m\u{202e}b\u{7f}\u{200d}é\u{1b}[0m\n";
        assert_eq!(
            OneLine(hostile).to_string(),
            "a\\u{9b}31m\\u{202e}b\\u{7f}\u{200d}é\\u{1b}[0m\\n"
        );
        let (json, mut safe) = (serde_json::to_string(hostile).unwrap(), Vec::new());
        write_escaped(&mut safe, &json).unwrap();
        let safe = String::from_utf8(safe).unwrap();
        assert!(!safe.chars().any(|c| c.is_control() || is_invisible(c)), "{safe:?}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), hostile);
    }
}
