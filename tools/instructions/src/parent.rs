//! The table and the counts of earlier commits, read from git.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::table::{Counts, PATH, Table};
use crate::{Error, output};

fn git(arguments: &[&str]) -> Result<String, Error> {
    output(Command::new("git").args(arguments))
}

/// Returns the table before its last change, committed or not; an empty one if it has no history.
pub(crate) fn last_table() -> Result<Table, Error> {
    let is_committed = git(&["status", "--porcelain", "--", PATH])?.is_empty();
    let before = if is_committed {
        let commit = git(&["log", "-1", "--format=%H", "--", PATH])?;
        format!("{}^", commit.trim())
    } else {
        "HEAD".to_owned()
    };
    // The first commit of the table has no parent with one.
    Table::parse(&git(&["show", &format!("{before}:{PATH}")]).unwrap_or_default())
}

/// Measures the parent commit, in a work tree that is removed afterwards.
pub(crate) fn measure() -> Result<Counts, Error> {
    let target = env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let directory = Path::new(&target).join("instructions-parent");
    let path = directory.to_str().ok_or("the target directory is not valid UTF-8")?;
    if directory.exists() {
        _ = git(&["worktree", "remove", "--force", path]);
        _ = fs::remove_dir_all(&directory);
    }
    git(&["worktree", "add", "--detach", path, "HEAD^"])?;
    let counts = crate::measure(&directory);
    git(&["worktree", "remove", "--force", path])?;
    counts
}
