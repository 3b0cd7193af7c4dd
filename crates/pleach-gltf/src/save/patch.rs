//! `Patch`: changes to members of a JSON object, made in its text.
//!
//! What is not named by a path is copied as it stands: order, numbers, white space, members
//! no one here has heard of. New members come last, and look like those before them.

use std::borrow::Cow;

use crate::json::{Member, Members};

/// Changes to the members of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    edits: Vec<Edit>,
}

#[derive(Clone, Debug)]
struct Edit {
    /// From the object down: `["extensions", "KHR_materials_ior", "ior"]`.
    path: Vec<Cow<'static, str>>,
    /// The text of the value; none, to take the member out.
    json: Option<String>,
}

impl Patch {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Gives a member this value. Objects on the way that are not there are made.
    pub(crate) fn put(&mut self, path: &[&'static str], json: impl Into<String>) {
        let path = path.iter().map(|&step| Cow::Borrowed(step)).collect();
        self.edits.push(Edit { path, json: Some(json.into()) });
    }

    /// As [`put`](Self::put), with a name that is not known beforehand.
    pub(crate) fn put_named(
        &mut self,
        path: &[&'static str],
        key: impl Into<String>,
        json: impl Into<String>,
    ) {
        let mut path: Vec<_> = path.iter().map(|&step| Cow::Borrowed(step)).collect();
        path.push(Cow::Owned(key.into()));
        self.edits.push(Edit { path, json: Some(json.into()) });
    }

    /// Takes a member out. Objects that become empty by that go, too.
    pub(crate) fn remove(&mut self, path: &[&'static str]) {
        let path = path.iter().map(|&step| Cow::Borrowed(step)).collect();
        self.edits.push(Edit { path, json: None });
    }

    /// As [`remove`](Self::remove), with a name that is not known beforehand.
    pub(crate) fn remove_named(&mut self, path: &[&'static str], key: impl Into<String>) {
        let mut path: Vec<_> = path.iter().map(|&step| Cow::Borrowed(step)).collect();
        path.push(Cow::Owned(key.into()));
        self.edits.push(Edit { path, json: None });
    }

    /// Puts the value, or takes the member out if there is none.
    pub(crate) fn set(&mut self, path: &[&'static str], json: Option<String>) {
        match json {
            Some(json) => self.put(path, json),
            None => self.remove(path),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The object with the changes.
    pub(crate) fn apply(&self, object: &str) -> String {
        apply(object, &self.edits())
    }

    /// The same, of an object whose members were found before.
    pub(crate) fn apply_to(&self, object: &str, members: &[Member<'_>]) -> String {
        apply_members(object, members.iter().cloned(), &self.edits())
    }

    fn edits(&self) -> Edits<'_> {
        self.edits.iter().map(|it| (&*it.path, it.json.as_deref())).collect()
    }

    /// An object of nothing but this.
    pub(crate) fn object(&self) -> String {
        self.apply("{}")
    }
}

type Edits<'a> = Vec<(&'a [Cow<'static, str>], Option<&'a str>)>;

/// Calls itself as deep as the paths are long, which is a few steps.
fn apply(object: &str, edits: &Edits<'_>) -> String {
    apply_members(object, Members::of(object, &(0..object.len())), edits)
}

fn apply_members<'a>(
    object: &str,
    members: impl Iterator<Item = Member<'a>> + Clone,
    edits: &Edits<'_>,
) -> String {
    let mut out = Writer::new(object, members.clone().next());
    let mut done = vec![false; edits.len()];
    for member in members {
        let key = member.key();
        let value = &object[member.value.clone()];
        let mut inner = Edits::new();
        let mut replaced: Option<Option<&str>> = None;
        for (number, (path, json)) in edits.iter().enumerate() {
            if path.first().is_some_and(|step| *step == *key) {
                done[number] = true;
                match &path[1..] {
                    [] => replaced = Some(*json),
                    rest => inner.push((rest, *json)),
                }
            }
        }
        let lead = &object[out.read..member.start];
        out.read = member.value.end;
        let value = match replaced {
            Some(json) if inner.is_empty() => json.map(Cow::Borrowed),
            Some(json) => below(json.unwrap_or(""), &inner),
            None if inner.is_empty() => Some(Cow::Borrowed(value)),
            None => below(value, &inner),
        };
        if let Some(value) = value {
            out.member(lead, &object[member.start..member.value.start], &value);
        }
    }
    // What was not there, in the order it was named.
    for (number, (path, _)) in edits.iter().enumerate() {
        let Some(key) = path.first().filter(|_| !done[number]) else { continue };
        let mut inner = Edits::new();
        let mut value = None;
        for (other, (path, json)) in edits.iter().enumerate() {
            if path.first() == Some(key) {
                done[other] = true;
                match &path[1..] {
                    [] => value = json.map(Cow::Borrowed),
                    rest => inner.push((rest, *json)),
                }
            }
        }
        if !inner.is_empty() {
            value = below(value.as_deref().unwrap_or(""), &inner).map(|it| Cow::Owned(it.into()));
        }
        if let Some(value) = value {
            let label = format!("{}:{}", quoted(key), out.after_colon);
            let lead = out.lead.clone();
            out.member(&lead, &label, &value);
        }
    }
    out.finish()
}

/// A member with changes below it; none if it becomes empty by them. What is no object is
/// one afterwards, if something is put below it.
fn below<'a>(value: &'a str, edits: &Edits<'_>) -> Option<Cow<'a, str>> {
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

/// Writes an object that looks like another.
struct Writer<'a> {
    object: &'a str,
    /// Up to here the object was copied or left out.
    read: usize,
    out: String,
    is_empty: bool,
    /// The white space before a member.
    lead: String,
    /// The white space after a colon.
    after_colon: String,
}

impl<'a> Writer<'a> {
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
        Self { object, read: open, out, is_empty: true, lead, after_colon }
    }

    fn member(&mut self, lead: &str, label: &str, value: &str) {
        push_lead(&mut self.out, lead, self.is_empty);
        self.is_empty = false;
        self.out.push_str(label);
        self.out.push_str(value);
    }

    fn finish(mut self) -> String {
        let end = self.object.rfind('}').unwrap_or(self.object.len());
        let close = self.object.get(self.read..end).unwrap_or_default();
        if !self.is_empty && close.trim_ascii().is_empty() {
            self.out.push_str(close);
        }
        self.out.push('}');
        self.out
    }
}

/// What is before a member or an entry: white space, and a comma unless it is the first. What
/// was between two has one already; what was before the first, or is new, has not.
pub(super) fn push_lead(out: &mut String, lead: &str, is_first: bool) {
    match (lead.split_once(','), is_first) {
        (Some((_, after)), true) => out.push_str(after),
        (None, false) => {
            out.push(',');
            out.push_str(lead);
        }
        _ => out.push_str(lead),
    }
}

/// A text as JSON has it.
pub(crate) fn quoted(text: &str) -> String {
    // A string cannot fail to be written.
    serde_json::to_string(text).unwrap_or_default()
}

/// A number with all its digits, as short as it can be: reading it gives the same f32.
/// What is not finite becomes 0; JSON has no word for it, and nothing here has such numbers.
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

/// Numbers, as an array.
pub(crate) fn numbers(values: &[f32]) -> String {
    list(values.iter().map(|&value| number(value)))
}

/// Indices, as an array.
pub(crate) fn indices(values: impl IntoIterator<Item = usize>) -> String {
    list(values.into_iter().map(|index| index.to_string()))
}

/// Texts of JSON, as an array.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
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

    fn patched(object: &str, edit: impl FnOnce(&mut Patch)) -> String {
        let mut patch = Patch::new();
        edit(&mut patch);
        patch.apply(object)
    }

    #[test]
    fn what_is_not_named_stays_as_it_was() {
        let object = "{ \"b\" : 1.50,\n  \"name\": \"x\", \"z\":{ \"q\":[ 1 ]} }";
        assert_eq!(patched(object, |_| ()), object);
        let renamed = patched(object, |patch| patch.put(&["name"], "\"y\""));
        assert_eq!(renamed, object.replace("\"x\"", "\"y\""));
    }

    #[test]
    fn new_members_look_like_the_old() {
        let pretty = "{\n  \"a\": 1\n}";
        let more = patched(pretty, |patch| patch.put(&["b"], "2"));
        assert_eq!(more, "{\n  \"a\": 1,\n  \"b\": 2\n}");
        assert_eq!(patched("{}", |patch| patch.put(&["a", "b"], "2")), "{\"a\":{\"b\":2}}");
    }

    #[test]
    fn what_becomes_empty_goes() {
        let object = r#"{"a":1,"extensions":{"X":{"y":1}},"b":2}"#;
        let less = patched(object, |patch| patch.remove(&["extensions", "X", "y"]));
        assert_eq!(less, r#"{"a":1,"b":2}"#);
        assert_eq!(patched(r#"{"a":1,"b":2}"#, |patch| patch.remove(&["a"])), r#"{"b":2}"#);
        assert_eq!(patched(r#"{ "a": 1 }"#, |patch| patch.remove(&["a"])), "{}");
        assert_eq!(patched(r#"{"a":1}"#, |patch| patch.remove(&["b", "c"])), r#"{"a":1}"#);
    }

    #[test]
    fn what_is_no_object_becomes_one_if_something_is_put_there() {
        for extras in ["5", "null", "[1, {}]", "\"{}\""] {
            let object = format!("{{\"extras\":{extras}}}");
            let put = patched(&object, |patch| patch.put(&["extras", "a"], "1"));
            assert_eq!(put, r#"{"extras":{"a":1}}"#);
            assert_eq!(patched(&object, |patch| patch.remove(&["extras", "a"])), object);
        }
        let empty = r#"{"extensions":{ }}"#;
        assert_eq!(patched(empty, |patch| patch.remove(&["extensions", "a"])), empty);
    }

    #[test]
    fn several_edits_below_one_member_join() {
        let both = patched(r#"{"e":{"x":1}}"#, |patch| {
            patch.put(&["e", "y"], "2");
            patch.remove(&["e", "x"]);
            patch.put(&["f", "g"], "3");
            patch.put(&["f", "h"], "4");
        });
        assert_eq!(both, r#"{"e":{"y":2},"f":{"g":3,"h":4}}"#);
    }

    #[test]
    fn numbers_come_back_bit_for_bit() {
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
