//! `pleach completions`: prints the completion script of a shell.

use clap::CommandFactory;
use serde_json::json;

use crate::args::Cli;
use crate::report::output::{Output, Verdict};

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:  pleach completions bash > ~/.local/share/bash-completion/completions/pleach"
)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pleach", &mut script);
    let script = String::from_utf8(script)?;
    output.answer(&json!({"shell": args.shell.to_string(), "script": script}), |output| {
        output.text(script.as_bytes())
    })?;
    Ok(Verdict::Pass)
}
