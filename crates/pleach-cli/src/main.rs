//! The `pleach` program: look at any glTF scene, on any machine.
//!
//! `args.rs` says what may be asked, `commands/` has a file for each command, which reads the file,
//! asks the libraries and hands a value to `output.rs`: for people as text, for scripts as JSON.
//!
//! Exit codes: 0 all is fine, 1 the file or the answer is bad, 2 the command line is.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod input;
mod picture;
mod report;

use std::io;
use std::process::ExitCode;

use crate::args::Cli;
use crate::report::output::{Output, Verdict};

fn main() -> ExitCode {
    let cli = Cli::parse_args();
    let mut output = Output::new(cli.json, cli.color);
    input::open::trust_files(cli.trust);
    let verdict = commands::run(&cli.command, &mut output).and_then(|verdict| {
        output.finish()?;
        Ok(verdict)
    });
    match verdict {
        Ok(Verdict::Pass) => ExitCode::SUCCESS,
        Ok(Verdict::Fail) => ExitCode::from(1),
        // Whoever read has read enough, as `head` does.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error);
            ExitCode::from(1)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
