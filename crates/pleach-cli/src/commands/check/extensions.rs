//! Checks for extensions that are used but not declared, declared but not used, or not supported.

use std::collections::BTreeMap;
use std::fmt;

use pleach_gltf::{ErrorKind, load_bytes};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use super::context::Context;
use super::finding::{Findings, Rule, Severity::*};
use super::skip_scalars::skip_scalar_values;
use crate::input::raw_json::array;

const UNDECLARED: Rule = Rule {
    severity: Warning,
    code: "extension-undeclared",
    message: "an extension is used but not listed in extensionsUsed",
    advice: "Add its name to extensionsUsed: other loaders may check only there.",
};
const REQUIRED_ONLY: Rule = Rule {
    severity: Warning,
    code: "extension-required-only",
    message: "an extension is listed in extensionsRequired but not in extensionsUsed",
    advice: "Add its name to extensionsUsed, or remove it if it is not required.",
};
const UNUSED: Rule = Rule {
    severity: Hint,
    code: "extension-unused",
    message: "an extension is listed in extensionsUsed but not used",
    advice: "Remove its name from extensionsUsed.",
};
const UNKNOWN: Rule = Rule {
    severity: Hint,
    code: "extension-unknown",
    message: "an extension is not supported: it is preserved but has no effect",
    advice: "No action is needed; pictures and answers ignore it.",
};

/// Extensions that are used without a member of their name.
const WITHOUT_MEMBERS: [&str; 2] = ["KHR_mesh_quantization", "KHR_animation_pointer"];

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let declared: Vec<String> = array(context.document, "/extensionsUsed");
    let required: Vec<String> = array(context.document, "/extensionsRequired");
    for (index, name) in required.iter().enumerate().filter(|(_, it)| !declared.contains(it)) {
        findings.add_note(&REQUIRED_ONLY, format!("/extensionsRequired/{index}"), name);
    }
    let mut used = BTreeMap::new();
    let mut json = serde_json::Deserializer::from_str(context.document.json());
    // JSON that is nested too deeply is skipped.
    if (Usage { used: &mut used, is_extensions: false }).deserialize(&mut json).is_err() {
        return;
    }
    for name in used.keys().filter(|name| !declared.contains(name)) {
        findings.add_note(&UNDECLARED, "/extensionsUsed", name);
    }
    for (index, name) in declared.iter().enumerate() {
        let pointer = format!("/extensionsUsed/{index}");
        if !is_known(name) {
            findings.add_note(&UNKNOWN, &pointer, name);
        }
        if !used.contains_key(name) && !WITHOUT_MEMBERS.contains(&name.as_str()) {
            findings.add_note(&UNUSED, &pointer, name);
        }
    }
}

/// Returns `true` if the loader supports an extension.
fn is_known(name: &str) -> bool {
    let names = [name];
    let file = json!({
        "asset": {"version": "2.0"}, "extensionsUsed": names, "extensionsRequired": names,
    });
    let refused = load_bytes(file.to_string().as_bytes()).err();
    refused.is_none_or(|error| error.kind() != ErrorKind::Extension)
}

/// A visitor that counts the members of all `extensions` objects without keeping values.
struct Usage<'a> {
    /// The number of uses by name.
    used: &'a mut BTreeMap<String, usize>,
    /// `true` if the visited object is an `extensions` object.
    is_extensions: bool,
}

impl<'de> DeserializeSeed<'de> for Usage<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Usage<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "extras" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            map.next_value_seed(Usage { used: self.used, is_extensions: key == "extensions" })?;
            if self.is_extensions {
                *self.used.entry(key).or_default() += 1;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Usage { used: self.used, is_extensions: false })?.is_some() {}
        Ok(())
    }

    skip_scalar_values!();
}
