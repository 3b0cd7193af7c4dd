//! A JSON value with its path, which errors report.
//!
//! `null` is treated as absent.

use anyhow::{Result, bail};
use serde_json::Value;

/// A value and its path, such as `culls[2].view_proj`.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) path: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    /// Creates a field for the whole document.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value }
    }

    /// Returns `true` if the value is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// Returns a member of an object, if present.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Self { path: self.path_of(key), value })
    }

    /// Returns a member of an object, or an error if it is absent.
    pub(crate) fn require(&self, key: &str) -> Result<Self> {
        let Some(member) = self.get(key) else { bail!("{} is missing", self.path_of(key)) };
        Ok(member)
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    /// Returns an error unless the value is an object, and collects members that are not `known`.
    pub(crate) fn object(&self, known: &[&str], unknown: &mut Vec<String>) -> Result<()> {
        const MAX_UNKNOWN: usize = 20;
        let Value::Object(members) = self.value else {
            return self.error("expected an object, {…}");
        };
        let others = members.keys().filter(|key| !known.contains(&&***key));
        unknown.extend(
            others.take(MAX_UNKNOWN.saturating_sub(unknown.len())).map(|it| self.path_of(it)),
        );
        Ok(())
    }

    /// Returns the elements of an array.
    pub(crate) fn list(&self) -> Result<Vec<Self>> {
        let Value::Array(values) = self.value else {
            return self.error("expected an array, […]");
        };
        let entry = |(index, value)| Self { path: format!("{}[{index}]", self.path), value };
        Ok(values.iter().enumerate().map(entry).collect())
    }

    /// Returns a non-negative integer.
    pub(crate) fn index(&self) -> Result<usize> {
        let whole = |number: &f64| (0.0..=1e15).contains(number) && number.fract() == 0.0;
        match self.value.as_f64().filter(whole) {
            Some(number) => Ok(number as usize),
            None => self.error("expected a non-negative integer"),
        }
    }

    /// Returns a number in the range of f32.
    pub(crate) fn number(&self) -> Result<f64> {
        match self.value.as_f64() {
            Some(number) if (number as f32).is_finite() => Ok(number),
            Some(_) => self.error("expected a number in the range of a 32-bit float"),
            None => self.error("expected a number"),
        }
    }

    /// Returns an array of `N` numbers.
    pub(crate) fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let list = self.list()?;
        if list.len() != N {
            bail!("{}: expected {N} numbers, found {}", self.path, list.len());
        }
        let mut numbers = [0.0; N];
        for (number, entry) in numbers.iter_mut().zip(list) {
            *number = entry.number()?;
        }
        Ok(numbers)
    }

    /// Returns the meaning of one of the keywords.
    pub(crate) fn keyword<T: Copy>(&self, keywords: &[(&str, T)]) -> Result<T> {
        let given = self.value.as_str();
        if let Some((_, meaning)) = keywords.iter().find(|(keyword, _)| given == Some(keyword)) {
            return Ok(*meaning);
        }
        let keywords: Vec<String> = keywords.iter().map(|(it, _)| format!("{it:?}")).collect();
        self.error(&format!("expected {}", keywords.join(" or ")))
    }

    /// Returns an error with the expected and the actual value.
    fn error<T>(&self, expected: &str) -> Result<T> {
        let path = if self.path.is_empty() { "the questions" } else { &*self.path };
        let found = match self.value {
            Value::Null => "null".into(),
            Value::Array(_) => "an array".into(),
            Value::Object(_) => "an object".into(),
            Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
            other => other.to_string(),
        };
        bail!("{path}: {expected}, found {found}")
    }
}
