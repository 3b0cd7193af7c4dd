//! What the loader says: errors, warnings, and what it would say if it were strict.

use anyhow::bail;
use pleach_gltf::{Document, Error, ErrorKind, Options, Warning};

use super::Args;
use super::advice::advice_on;
use super::finding::{Findings, Severity};
use crate::input::open::open_with;

/// The file, if it can be loaded; else that is a finding. An error if it is not there at all.
pub(super) fn load(args: &Args, findings: &mut Findings) -> anyhow::Result<Option<Document>> {
    let document = match open_with(&args.file, Options::new()) {
        Ok(document) => document,
        Err(error) => {
            let Some(refusal) = error.downcast_ref::<Error>() else { bail!(error) };
            if refusal.kind() == ErrorKind::Io && refusal.file() == Some(&args.file) {
                // There is no file to speak of.
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
            let message = format!("{omitted} more warnings were not kept");
            let advice = "Mend what is told first, then look again.";
            findings.add_message(Severity::Warning, "omitted-warnings", "", &message, advice);
        }
    }
    if args.strict
        && let Err(error) = open_with(&args.file, Options::new().strict())
    {
        let Some(refusal) = error.downcast_ref::<Error>() else { bail!(error) };
        let message = format!("a strict reader refuses it: {}", refusal.message());
        let advice = "This is the first thing it meets; there may be more, see the warnings.";
        findings.add_message(Severity::Error, "strict", refusal.pointer(), &message, advice);
    }
    Ok(Some(document))
}

fn report_refusal(refusal: &Error, findings: &mut Findings) {
    let (code, advice) = match refusal.kind() {
        ErrorKind::Io => ("io", "Make the file readable."),
        ErrorKind::UnknownFormat => ("format", "Only .gltf and .glb are read; convert it first."),
        ErrorKind::Container => {
            ("container", "The .glb is cut off or damaged; download or export it again.")
        }
        ErrorKind::Json => ("json", "Mend the JSON there, or export it again."),
        ErrorKind::Reference => {
            ("reference", "Give it an index that exists, or take the reference out.")
        }
        ErrorKind::Value => ("value", "Put a value there that glTF allows."),
        ErrorKind::Data => ("data", "The bytes do not fit what is said of them; export it again."),
        ErrorKind::Structure => {
            ("structure", "Give each node one parent at most, and none below itself.")
        }
        ErrorKind::Extension => (
            "extension",
            "Export it without this extension, or take it out of extensionsRequired if the file \
             can be shown without.",
        ),
        ErrorKind::Uri => (
            "uri",
            "Put the file where the URI says: beside the model or in a directory below; others \
             are not read.",
        ),
        ErrorKind::Limit => ("limit", "It asks for far more memory than its size makes likely."),
        _ => ("load", "Export it again."),
    };
    findings.add_message(Severity::Error, code, refusal.pointer(), refusal.message(), advice);
}
