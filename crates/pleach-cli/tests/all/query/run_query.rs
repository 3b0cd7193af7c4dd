//! Runs `pleach query` with questions on stdin.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use serde_json::Value;

use crate::common::{self, Run};

/// Runs `pleach query FILE -` with this text on stdin.
pub(crate) fn ask(file: &Path, questions: &str) -> Run {
    let mut command = common::command();
    command.args([OsStr::new("query"), file.as_os_str(), OsStr::new("-")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut pipe, text) = (child.stdin.take().unwrap(), questions.to_string());
    // The program may exit without reading everything.
    let writer = thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `pleach query FILE -` with these questions.
pub(crate) fn query(file: &Path, questions: &Value) -> Run {
    ask(file, &questions.to_string())
}
