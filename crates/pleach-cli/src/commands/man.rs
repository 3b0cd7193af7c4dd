//! `pleach man`: writes the manual pages of the program and its commands.

use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use serde_json::json;

use crate::args::Cli;
use crate::report::new_file;
use crate::report::output::{GOOD, Output, Styled, Verdict};

/// Print the manual page, or write the pages of all commands to a directory
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach man --out man1 && man man1/pleach-render.1")]
pub(crate) struct Args {
    /// Write all pages to this directory, as pleach.1, pleach-demo.1, …
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    if let Some(directory) = &args.out {
        new_file::check_directory(directory)
            .and_then(|()| Ok(clap_mangen::generate_to(Cli::command(), directory)?))
            .with_context(|| format!("cannot write manual pages to {}", directory.display()))?;
        let wrote = format!("{} manual pages to {}", Styled(GOOD, "wrote"), directory.display());
        output.answer(&json!({"directory": directory}), |output| output.line(wrote))?;
        return Ok(Verdict::Pass);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    let page = String::from_utf8(page)?;
    output.answer(&json!({"page": page}), |output| output.text(page.as_bytes()))?;
    Ok(Verdict::Pass)
}
