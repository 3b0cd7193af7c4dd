//! `Field`: a value somewhere in a JSON text, which knows where: its faults are told with the place.
//!
//! `null` is as if it were not there.

use anyhow::{Result, bail};
use serde_json::Value;

/// A value and its place, as in `culls[2].view_proj`.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) path: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    /// The whole text.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value }
    }

    /// Is it `null`?
    pub(crate) fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// A member of an object, if it is there.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Self { path: self.path_of(key), value })
    }

    /// A member of an object that must be there.
    pub(crate) fn require(&self, key: &str) -> Result<Self> {
        let Some(member) = self.get(key) else { bail!("{} is missing", self.path_of(key)) };
        Ok(member)
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    /// Fails unless it is an object; notes what none of `known` are.
    pub(crate) fn object(&self, known: &[&str], unknown: &mut Vec<String>) -> Result<()> {
        const MAX_UNKNOWN: usize = 20;
        let Value::Object(members) = self.value else {
            return self.error("an object is expected, {…}");
        };
        let unknown_keys = members.keys().filter(|key| !known.contains(&&***key));
        unknown.extend(
            unknown_keys.take(MAX_UNKNOWN.saturating_sub(unknown.len())).map(|it| self.path_of(it)),
        );
        Ok(())
    }

    /// The entries of a list.
    pub(crate) fn list(&self) -> Result<Vec<Self>> {
        let Value::Array(values) = self.value else {
            return self.error("a list is expected, […]");
        };
        let entry = |(index, value)| Self { path: format!("{}[{index}]", self.path), value };
        Ok(values.iter().enumerate().map(entry).collect())
    }

    /// A whole number that is not negative.
    pub(crate) fn index(&self) -> Result<usize> {
        let whole = |number: &f64| (0.0..=1e15).contains(number) && number.fract() == 0.0;
        match self.value.as_f64().filter(whole) {
            Some(number) => Ok(number as usize),
            None => self.error("a whole number from 0 on is expected"),
        }
    }

    /// A number that an f32 can hold.
    pub(crate) fn number(&self) -> Result<f64> {
        match self.value.as_f64() {
            Some(number) if (number as f32).is_finite() => Ok(number),
            Some(_) => self.error("it is too large for a 32-bit float"),
            None => self.error("a number is expected"),
        }
    }

    /// So many numbers.
    pub(crate) fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let list = self.list()?;
        if list.len() != N {
            bail!("{}: {N} numbers are expected, it has {}", self.path, list.len());
        }
        let mut numbers = [0.0; N];
        for (number, entry) in numbers.iter_mut().zip(list) {
            *number = entry.number()?;
        }
        Ok(numbers)
    }

    /// One of some words.
    pub(crate) fn keyword<T: Copy>(&self, keywords: &[(&str, T)]) -> Result<T> {
        let given = self.value.as_str();
        if let Some((_, meaning)) = keywords.iter().find(|(keyword, _)| given == Some(keyword)) {
            return Ok(*meaning);
        }
        let keywords: Vec<String> =
            keywords.iter().map(|(keyword, _)| format!("{keyword:?}")).collect();
        self.error(&format!("{} is expected", keywords.join(" or ")))
    }

    /// An error that says what is there instead.
    fn error<T>(&self, expected: &str) -> Result<T> {
        let path = if self.path.is_empty() { "the questions" } else { &*self.path };
        let found = match self.value {
            Value::Null => "null".into(),
            Value::Array(_) => "a list".into(),
            Value::Object(_) => "an object".into(),
            Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
            other => other.to_string(),
        };
        bail!("{path}: {expected}, it is {found}")
    }
}
