//! `JsonEdit`: changes to the members of a JSON object, applied to its text.
//!
//! Members without a change are copied unchanged: order, digits, white space, unknown members. New
//! members are appended, formatted like the existing ones.

use std::borrow::Cow;

use crate::json::{Member, Members};

/// Changes to the members of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonEdit {
    edits: Vec<MemberEdit>,
}

#[derive(Clone, Debug)]
struct MemberEdit {
    /// The keys from the object to the member: `["extensions", "KHR_materials_ior", "ior"]`.
    path: Vec<Cow<'static, str>>,
    /// The text of the value, or `None` to remove the member.
    json: Option<String>,
}

impl JsonEdit {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Sets a member to the JSON text `json`. Missing objects on the path are created.
    pub(crate) fn set(&mut self, path: &[&'static str], json: impl Into<String>) {
        self.push(path, None, Some(json.into()));
    }

    /// Sets the member `key` of the object at `path`, for keys that are not known at compile time.
    pub(crate) fn set_named(&mut self, path: &[&'static str], key: String, json: String) {
        self.push(path, Some(key), Some(json));
    }

    /// Removes a member, and objects that become empty.
    pub(crate) fn remove(&mut self, path: &[&'static str]) {
        self.push(path, None, None);
    }

    /// Removes the member `key` of the object at `path`, for keys that are not known at compile
    /// time.
    pub(crate) fn remove_named(&mut self, path: &[&'static str], key: String) {
        self.push(path, Some(key), None);
    }

    fn push(&mut self, path: &[&'static str], key: Option<String>, json: Option<String>) {
        let path = path.iter().map(|&step| Cow::Borrowed(step)).chain(key.map(Cow::Owned));
        self.edits.push(MemberEdit { path: path.collect(), json });
    }

    /// Sets a member, or removes it if `json` is `None`.
    pub(crate) fn set_or_remove(&mut self, path: &[&'static str], json: Option<String>) {
        match json {
            Some(json) => self.set(path, json),
            None => self.remove(path),
        }
    }

    /// Returns `true` if the member `key` of the object itself is set or removed.
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.edits.iter().any(|edit| edit.path.len() == 1 && edit.path[0] == *key)
    }

    /// Adds the changes of another edit.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.edits.append(&mut other.edits);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the text of `object` with the changes.
    pub(crate) fn apply(&self, object: &str) -> String {
        apply(object, &self.edits())
    }

    /// Returns the text of `object`, whose members are `members`, with the changes.
    pub(crate) fn apply_to(&self, object: &str, members: &[Member<'_>]) -> String {
        apply_members(object, members.iter().cloned(), &self.edits())
    }

    fn edits(&self) -> MemberEdits<'_> {
        self.edits.iter().map(|it| (&*it.path, it.json.as_deref())).collect()
    }

    /// Returns a new object with these members.
    pub(crate) fn to_object(&self) -> String {
        self.apply("{}")
    }
}

type MemberEdits<'a> = Vec<(&'a [Cow<'static, str>], Option<&'a str>)>;

/// Recurses as deep as the paths are long, which is a few levels.
fn apply(object: &str, edits: &MemberEdits<'_>) -> String {
    apply_members(object, Members::of(object, &(0..object.len())), edits)
}

fn apply_members<'a>(
    object: &str,
    members: impl Iterator<Item = Member<'a>> + Clone,
    edits: &MemberEdits<'_>,
) -> String {
    let mut out = ObjectWriter::new(object, members.clone().next());
    let mut done = vec![false; edits.len()];
    for member in members {
        let key = member.key();
        let value = &object[member.value.clone()];
        let mut inner = MemberEdits::new();
        let mut replaced: Option<Option<&str>> = None;
        for (number, (path, json)) in edits.iter().enumerate() {
            if path.first().is_some_and(|step| *step == *key) {
                done[number] = true;
                match &path[1..] {
                    [] => replaced = Some(*json),
                    nested => inner.push((nested, *json)),
                }
            }
        }
        let lead = &object[out.copied_to..member.start];
        out.copied_to = member.value.end;
        let value = match replaced {
            Some(json) if inner.is_empty() => json.map(Cow::Borrowed),
            Some(json) => apply_nested(json.unwrap_or(""), &inner),
            None if inner.is_empty() => Some(Cow::Borrowed(value)),
            None => apply_nested(value, &inner),
        };
        if let Some(value) = value {
            out.member(lead, &object[member.start..member.value.start], &value);
        }
    }
    // New members, in the order of the edits.
    for (number, (path, _)) in edits.iter().enumerate() {
        let Some(key) = path.first().filter(|_| !done[number]) else { continue };
        let mut inner = MemberEdits::new();
        let mut value = None;
        for (other, (path, json)) in edits.iter().enumerate() {
            if path.first() == Some(key) {
                done[other] = true;
                match &path[1..] {
                    [] => value = json.map(Cow::Borrowed),
                    nested => inner.push((nested, *json)),
                }
            }
        }
        if !inner.is_empty() {
            value = apply_nested(value.as_deref().unwrap_or(""), &inner)
                .map(|it| Cow::Owned(it.into()));
        }
        if let Some(value) = value {
            let label = format!("{}:{}", quoted(key), out.after_colon);
            let lead = out.lead.clone();
            out.member(&lead, &label, &value);
        }
    }
    out.finish()
}

/// Applies edits to the members of `value`. Returns `None` if it becomes empty. Values that are not
/// objects are replaced by an object if a member is set.
fn apply_nested<'a>(value: &'a str, edits: &MemberEdits<'_>) -> Option<Cow<'a, str>> {
    if !value.trim_ascii_start().starts_with('{') {
        let puts = edits.iter().any(|(_, json)| json.is_some());
        return match value {
            _ if puts => Some(Cow::Owned(apply("{}", edits))),
            "" => None,
            _ => Some(Cow::Borrowed(value)),
        };
    }
    let was_empty = Members::of(value, &(0..value.len())).next().is_none();
    let made = apply(value, edits);
    match &*made {
        "{}" if was_empty => Some(Cow::Borrowed(value)),
        "{}" => None,
        _ => Some(Cow::Owned(made)),
    }
}

/// Writes an object in the format of another.
struct ObjectWriter<'a> {
    object: &'a str,
    /// The position up to which the object was copied or left out.
    copied_to: usize,
    out: String,
    is_empty: bool,
    /// The white space before a member.
    lead: String,
    /// The white space after a colon.
    after_colon: String,
}

impl<'a> ObjectWriter<'a> {
    fn new(object: &'a str, first: Option<Member<'_>>) -> Self {
        let open = object.find('{').map_or(0, |at| at + 1);
        let (mut lead, mut after_colon) = (String::new(), String::new());
        if let Some(first) = &first {
            lead = object[open..first.start].into();
            let label = &object[first.start..first.value.start];
            after_colon = label[label.trim_ascii_end().len()..].into();
        }
        let mut out = String::with_capacity(object.len() + 64);
        out.push('{');
        Self { object, copied_to: open, out, is_empty: true, lead, after_colon }
    }

    fn member(&mut self, lead: &str, label: &str, value: &str) {
        push_separator(&mut self.out, lead, self.is_empty);
        self.is_empty = false;
        self.out.push_str(label);
        self.out.push_str(value);
    }

    fn finish(mut self) -> String {
        let end = self.object.rfind('}').unwrap_or(self.object.len());
        let close = self.object.get(self.copied_to..end).unwrap_or_default();
        if !self.is_empty && close.trim_ascii().is_empty() {
            self.out.push_str(close);
        }
        self.out.push('}');
        self.out
    }
}

/// Writes the white space before a member or an entry, with a comma unless it is the first. The
/// text between two entries of the file already contains the comma.
pub(crate) fn push_separator(out: &mut String, lead: &str, is_first: bool) {
    match (lead.split_once(','), is_first) {
        (Some((_, after)), true) => out.push_str(after),
        (None, false) => {
            out.push(',');
            out.push_str(lead);
        }
        _ => out.push_str(lead),
    }
}

/// Returns `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    // Serializing a string cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns the shortest text that parses as the same f32. Values that are not finite become 0; they
/// are rejected earlier, because JSON cannot represent them.
pub(crate) fn number(value: f32) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let is_negative_zero = value == 0.0 && value.is_sign_negative();
    if value == value.trunc() && value.abs() < 16_777_216.0 && !is_negative_zero {
        return format!("{}", value as i32);
    }
    format!("{value:?}")
}

/// Returns a JSON array of numbers.
pub(crate) fn number_array(values: &[f32]) -> String {
    json_array(values.iter().map(|&value| number(value)))
}

/// Returns a JSON array of indices.
pub(crate) fn index_array(values: impl IntoIterator<Item = usize>) -> String {
    json_array(values.into_iter().map(|index| index.to_string()))
}

/// Returns a JSON array of JSON texts.
pub(crate) fn json_array(values: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&value);
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    fn edited(object: &str, record: impl FnOnce(&mut JsonEdit)) -> String {
        let mut edit = JsonEdit::new();
        record(&mut edit);
        edit.apply(object)
    }

    #[test]
    fn members_without_an_edit_are_unchanged() {
        let object = "{ \"b\" : 1.50,\n  \"name\": \"x\", \"z\":{ \"q\":[ 1 ]} }";
        assert_eq!(edited(object, |_| ()), object);
        let renamed = edited(object, |edit| edit.set(&["name"], "\"y\""));
        assert_eq!(renamed, object.replace("\"x\"", "\"y\""));
    }

    #[test]
    fn new_members_are_formatted_like_existing_ones() {
        let pretty = "{\n  \"a\": 1\n}";
        let more = edited(pretty, |edit| edit.set(&["b"], "2"));
        assert_eq!(more, "{\n  \"a\": 1,\n  \"b\": 2\n}");
        assert_eq!(edited("{}", |edit| edit.set(&["a", "b"], "2")), "{\"a\":{\"b\":2}}");
    }

    #[test]
    fn objects_that_become_empty_are_removed() {
        let object = r#"{"a":1,"extensions":{"X":{"y":1}},"b":2}"#;
        let less = edited(object, |edit| edit.remove(&["extensions", "X", "y"]));
        assert_eq!(less, r#"{"a":1,"b":2}"#);
        assert_eq!(edited(r#"{"a":1,"b":2}"#, |edit| edit.remove(&["a"])), r#"{"b":2}"#);
        assert_eq!(edited(r#"{ "a": 1 }"#, |edit| edit.remove(&["a"])), "{}");
        assert_eq!(edited(r#"{"a":1}"#, |edit| edit.remove(&["b", "c"])), r#"{"a":1}"#);
    }

    #[test]
    fn a_value_that_is_not_an_object_is_replaced_if_a_member_is_set() {
        for extras in ["5", "null", "[1, {}]", "\"{}\""] {
            let object = format!("{{\"extras\":{extras}}}");
            let put = edited(&object, |edit| edit.set(&["extras", "a"], "1"));
            assert_eq!(put, r#"{"extras":{"a":1}}"#);
            assert_eq!(edited(&object, |edit| edit.remove(&["extras", "a"])), object);
        }
        let empty = r#"{"extensions":{ }}"#;
        assert_eq!(edited(empty, |edit| edit.remove(&["extensions", "a"])), empty);
    }

    #[test]
    fn several_edits_of_one_member_are_combined() {
        let both = edited(r#"{"e":{"x":1}}"#, |edit| {
            edit.set(&["e", "y"], "2");
            edit.remove(&["e", "x"]);
            edit.set(&["f", "g"], "3");
            edit.set(&["f", "h"], "4");
        });
        assert_eq!(both, r#"{"e":{"y":2},"f":{"g":3,"h":4}}"#);
    }

    #[test]
    fn numbers_round_trip_bit_for_bit() {
        let mut random = Rng::new(7);
        for _ in 0..20_000 {
            let value = f32::from_bits(random.next_u32());
            if value.is_finite() {
                let text = number(value);
                let back: f32 = serde_json::from_str(&text).unwrap();
                assert_eq!(back.to_bits(), value.to_bits(), "{text}");
            }
        }
        for (value, text) in [(1.0, "1"), (-0.0, "-0.0"), (0.1, "0.1"), (1e-7, "1e-7")] {
            assert_eq!(number(value), text);
            assert_eq!(serde_json::from_str::<f32>(text).unwrap().to_bits(), value.to_bits());
        }
    }
}
