//! Searches the sources of a crate, for tests that list what it declares.

use std::collections::BTreeSet;
use std::path::Path;

/// Returns the names of the public methods that take `&mut self`, of the types whose `impl` line
/// contains one of `types`.
///
/// # Panics
///
/// If the folder cannot be read.
#[must_use]
pub fn mutating_methods(folder: &Path, types: &[&str]) -> BTreeSet<String> {
    methods_with(folder, types, &["&mut self", "&'a mut self"])
}

/// Returns the names of all public methods of the types whose `impl` line contains one of `types`.
///
/// # Panics
///
/// If the folder cannot be read.
#[must_use]
pub fn methods(folder: &Path, types: &[&str]) -> BTreeSet<String> {
    methods_with(folder, types, &["self,", "self)"])
}

fn methods_with(folder: &Path, types: &[&str], receivers: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                find(&std::fs::read_to_string(&path).unwrap(), types, receivers, &mut names);
            }
        }
    }
    names
}

fn find(text: &str, types: &[&str], receivers: &[&str], names: &mut BTreeSet<String>) {
    let mut is_searched = false;
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        if line.starts_with("impl") && line.ends_with('{') {
            is_searched = types.iter().any(|it| line.contains(it));
        }
        let Some(rest) = line.strip_prefix("pub fn ").filter(|_| is_searched) else { continue };
        let is_name = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        let name: String = rest.chars().take_while(is_name).collect();
        let mut signature = rest.to_owned();
        while !signature.contains('{') {
            signature += lines.next().unwrap_or("{");
        }
        if receivers.iter().any(|it| signature.contains(it)) {
            names.insert(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_by_type_and_receiver() {
        let text = "impl<T> Table<T> {\n    pub fn read(&self) {}\n    pub fn write(&mut self) {}\n    fn own(&mut self) {}\n}\n\
                    impl Other {\n    pub fn set(&mut self) {}\n}\nimpl Graph {\n    pub fn add(\n        &mut self,\n    ) {\n";
        let found = |receivers: &[&str]| {
            let mut names = BTreeSet::new();
            find(text, &[" Table<T> {", " Graph {"], receivers, &mut names);
            names.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(found(&["&mut self"]), ["add", "write"]);
        assert_eq!(found(&["self,", "self)"]), ["add", "read", "write"]);
    }
}
