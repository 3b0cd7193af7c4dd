//! Reports the errors and warnings of the loader, and its errors in strict mode.

use anyhow::bail;
use pleach_gltf::{Document, Error, ErrorKind, Options, Warning};

use super::Args;
use super::advice::advice_on;
use super::finding::{Findings, Severity};
use crate::input::open::open_with;

/// Loads the file, or adds the reason for the failure to `findings`. Returns an error if the file
/// does not exist.
pub(super) fn load(args: &Args, findings: &mut Findings) -> anyhow::Result<Option<Document>> {
    let document = match open_with(&args.file, Options::new()) {
        Ok(document) => document,
        Err(error) => {
            let Some(refusal) = error.downcast_ref::<Error>() else { bail!(error) };
            if refusal.kind() == ErrorKind::Io && refusal.file() == Some(&args.file) {
                // The file itself cannot be read.
                bail!(error);
            }
            report_refusal(refusal, findings);
            return Ok(None);
        }
    };
    for Warning { pointer, code, message } in document.report().warnings() {
        let advice = advice_on(*code, pointer);
        findings.add_message(Severity::Warning, "tolerated", pointer, message, advice);
    }
    match document.report().omitted() {
        0 => {}
        omitted => {
            let message = format!("{omitted} more warnings were omitted");
            let advice = "Correct the other warnings first, then check again.";
            findings.add_message(Severity::Warning, "omitted-warnings", "", &message, advice);
        }
    }
    if args.strict
        && let Err(error) = open_with(&args.file, Options::new().strict())
    {
        let Some(refusal) = error.downcast_ref::<Error>() else { bail!(error) };
        let message = format!("a strict loader rejects it: {}", refusal.message());
        let advice = "This is the first error in strict mode; there may be more, see the warnings.";
        findings.add_message(Severity::Error, "strict", refusal.pointer(), &message, advice);
    }
    Ok(Some(document))
}

fn report_refusal(refusal: &Error, findings: &mut Findings) {
    let (code, advice) = match refusal.kind() {
        ErrorKind::Io => ("io", "Make the file readable."),
        ErrorKind::UnknownFormat => {
            ("format", "Only .gltf and .glb are supported; convert it first.")
        }
        ErrorKind::Container => {
            ("container", "The .glb is truncated or damaged; download or export it again.")
        }
        ErrorKind::Json => ("json", "Correct the JSON, or export it again."),
        ErrorKind::Reference => ("reference", "Use an index that exists, or remove the reference."),
        ErrorKind::Value => ("value", "Use a value that glTF allows."),
        ErrorKind::Data => ("data", "The data do not match their description; export it again."),
        ErrorKind::Structure => ("structure", "Give each node at most one parent, without cycles."),
        ErrorKind::Extension => (
            "extension",
            "Export it without this extension, or remove it from extensionsRequired if the file \
             can be displayed without it.",
        ),
        ErrorKind::Uri => (
            "uri",
            "Put the file at its URI, in the directory of the model or below it; other files \
             are not read without --trust.",
        ),
        ErrorKind::Limit => ("limit", "It requires far more memory than its size suggests."),
        _ => ("load", "Export it again."),
    };
    findings.add_message(Severity::Error, code, refusal.pointer(), refusal.message(), advice);
}
