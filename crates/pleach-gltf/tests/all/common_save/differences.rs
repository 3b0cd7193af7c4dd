//! Differences between two JSON texts.
//!
//! They are compared with an independent JSON parser: as values (`differences`), and leaf by leaf
//! as text (`check_notation`).

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::value;
use crate::common::pointer::escaped;

/// Returns the differences between two texts in the order of the pointers: `/nodes/1/name =
/// "gate"`, `+/nodes/7 = {}`, `-/nodes/3/matrix`. Entries of arrays are compared by index.
pub(crate) fn differences(before: &str, after: &str) -> Vec<String> {
    let mut all = Vec::new();
    compare("", &value(before), &value(after), &mut all);
    all
}

fn compare(at: &str, before: &Value, after: &Value, all: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let at = format!("{at}/{}", escaped(key));
                member(&at, old.get(key), new.get(key), all);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.iter().chain(new).any(|it| !is_leaf(it)) => {
            for index in 0..old.len().max(new.len()) {
                member(&format!("{at}/{index}"), old.get(index), new.get(index), all);
            }
        }
        _ if !is_same(before, after) => all.push(format!("{at} = {after}")),
        _ => {}
    }
}

fn member(at: &str, before: Option<&Value>, after: Option<&Value>, all: &mut Vec<String>) {
    match (before, after) {
        (Some(before), Some(after)) => compare(at, before, after, all),
        (Some(_), None) => all.push(format!("-{at}")),
        (None, Some(after)) => all.push(format!("+{at} = {after}")),
        (None, None) => {}
    }
}

fn is_leaf(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Returns `true` if two values are equal, where 1 equals 1.0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        _ => one == other,
    }
}

/// Asserts the differences.
#[track_caller]
pub(crate) fn assert_differences(before: &str, after: &str, expected: &[&str]) {
    let found = differences(before, after);
    assert!(
        found == expected,
        "found\n  {}\nexpected\n  {}\nin\n{after}",
        found.join("\n  "),
        expected.join("\n  "),
    );
    check_notation(before, after);
}

/// Asserts that equal values have the same text and order: digits of numbers, escapes of strings.
#[track_caller]
pub(crate) fn check_notation(before: &str, after: &str) {
    let (old, new) = (leaves(before), leaves(after));
    let positions: HashMap<&str, usize> =
        old.iter().enumerate().map(|(position, (at, _))| (&**at, position)).collect();
    // An array with one changed number is written from scratch.
    let changed: HashSet<String> = differences(before, after)
        .iter()
        .map(|it| it.trim_start_matches(['+', '-']).split(" = ").next().unwrap().to_string())
        .collect();
    let is_within_changed =
        |at: &str| at.match_indices('/').any(|(end, _)| end > 0 && changed.contains(&at[..end]));
    let mut last = 0;
    for (at, written) in &new {
        let Some(&position) = positions.get(&**at) else { continue };
        if is_within_changed(at) {
            continue;
        }
        let was = &old[position].1;
        let means_same = is_same(&value(was), &value(written));
        assert!(!means_same || was == written, "{at} was written {was}, and is now {written}");
        assert!(position >= last, "{at} comes earlier than it did");
        last = position;
    }
}

/// Returns the text of all scalars and empty containers by JSON pointer.
fn leaves(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut scan = Scan { text: text.as_bytes(), at: 0 };
    scan.space();
    scan.value("", &mut all);
    all
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.text[self.at] != b'"' {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }

    fn value(&mut self, pointer: &str, all: &mut Vec<(String, String)>) {
        let (open, start) = (self.text[self.at], self.at);
        match open {
            b'{' | b'[' => {
                self.at += 1;
                self.space();
                let mut index = 0;
                while !matches!(self.text[self.at], b'}' | b']') {
                    let mut step = index.to_string();
                    if open == b'{' {
                        step = serde_json::from_str::<String>(&self.string()).unwrap();
                        self.space();
                        assert_eq!(self.text[self.at], b':');
                        self.at += 1;
                        self.space();
                    }
                    self.value(&format!("{pointer}/{step}"), all);
                    index += 1;
                    self.space();
                    if self.text[self.at] == b',' {
                        self.at += 1;
                        self.space();
                    }
                }
                self.at += 1;
                if index == 0 {
                    let written = String::from_utf8(self.text[start..self.at].to_vec()).unwrap();
                    all.push((pointer.into(), written));
                }
            }
            b'"' => all.push((pointer.into(), self.string())),
            _ => {
                while self.at < self.text.len()
                    && !matches!(self.text[self.at], b',' | b'}' | b']')
                    && !self.text[self.at].is_ascii_whitespace()
                {
                    self.at += 1;
                }
                let written = String::from_utf8(self.text[start..self.at].to_vec()).unwrap();
                all.push((pointer.into(), written));
            }
        }
    }
}
