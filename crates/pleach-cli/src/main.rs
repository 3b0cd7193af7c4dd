//! The `pleach` program: inspects, renders and converts glTF scenes, without a GPU.
//!
//! `args.rs` defines the command line and `commands/` has one file per command. A command loads its
//! file (`input/`), calls the libraries, draws (`picture/`) and passes a value to `report/`, which
//! prints it as text or as JSON.
//!
//! Exit codes: 0 success, 1 the file or the result is bad, 2 usage error.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod input;
mod picture;
mod report;

use std::process::ExitCode;

use crate::args::Cli;
use crate::report::output::{Output, Verdict};

fn main() -> ExitCode {
    let cli = Cli::parse_args();
    let mut output = Output::new(cli.json, cli.color);
    input::open::trust_files(cli.trust);
    report::new_file::create_directories(cli.create_dirs);
    let verdict = commands::run(&cli.command, &mut output).and_then(|verdict| {
        output.finish()?;
        Ok(verdict)
    });
    match verdict {
        Ok(Verdict::Pass) => ExitCode::SUCCESS,
        Ok(Verdict::Fail) => ExitCode::from(1),
        Err(error) => {
            output.error(&error);
            ExitCode::from(1)
        }
    }
}
