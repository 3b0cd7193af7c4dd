//! `Pointer`: a location in the JSON as a linked list on the stack, formatted only for errors and
//! warnings.

use std::fmt;

/// A location in the JSON. Displays as a JSON pointer: `/nodes/14/skin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer<'a> {
    parent: Option<&'a Pointer<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    /// The whole file.
    Root,
    Key(&'a str),
    Index(usize),
    /// A member that is an array, and an index in it: `/nodes/14`.
    Entry(&'a str, usize),
}

impl<'a> Pointer<'a> {
    /// The root of the file.
    pub(crate) const ROOT: Pointer<'static> = Pointer { parent: None, step: Step::Root };

    /// Returns the pointer to a member of the root.
    pub(crate) const fn root(key: &'a str) -> Self {
        Pointer { parent: None, step: Step::Key(key) }
    }

    /// Returns the pointer to an entry of one of the root's arrays.
    pub(crate) const fn entry(array: &'a str, index: usize) -> Self {
        Pointer { parent: None, step: Step::Entry(array, index) }
    }

    /// Returns the pointer to a member of this object.
    pub(crate) const fn key(&'a self, key: &'a str) -> Self {
        Pointer { parent: Some(self), step: Step::Key(key) }
    }

    /// Returns the pointer to an entry of this array.
    pub(crate) const fn index(&'a self, index: usize) -> Self {
        Pointer { parent: Some(self), step: Step::Index(index) }
    }

    /// Returns the pointer to an entry of an array that is a member of this object.
    pub(crate) const fn item(&'a self, array: &'a str, index: usize) -> Self {
        Pointer { parent: Some(self), step: Step::Entry(array, index) }
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The depth is that of the code that reads the JSON, which is a few steps.
        let mut steps = vec![self.step];
        let mut at = self;
        while let Some(parent) = at.parent {
            steps.push(parent.step);
            at = parent;
        }
        for step in steps.into_iter().rev() {
            match step {
                Step::Root => {}
                Step::Key(key) => write!(f, "/{}", Escaped(key))?,
                Step::Index(index) => write!(f, "/{index}")?,
                Step::Entry(key, index) => write!(f, "/{}/{index}", Escaped(key))?,
            }
        }
        Ok(())
    }
}

/// A key as escaped in JSON pointers: `~0` for `~`, `~1` for `/`.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(['~', '/']) {
            let (text, end) = match part.as_bytes().last() {
                Some(b'~') => (&part[..part.len() - 1], "~0"),
                Some(b'/') => (&part[..part.len() - 1], "~1"),
                _ => (part, ""),
            };
            write!(f, "{text}{end}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_as_a_json_pointer() {
        let mesh = Pointer::entry("meshes", 3);
        let part = mesh.item("primitives", 0);
        let attributes = part.key("attributes");
        assert_eq!(
            attributes.key("_a/b~c").to_string(),
            "/meshes/3/primitives/0/attributes/_a~1b~0c"
        );
        assert_eq!(Pointer::ROOT.to_string(), "");
        assert_eq!(Pointer::root("scenes").index(2).to_string(), "/scenes/2");
    }
}
