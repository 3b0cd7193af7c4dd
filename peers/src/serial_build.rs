//! The second build of this program, with Bevy's serial propagation.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The remedy if there is none.
pub const REMEDY: &str = "start the benchmark with `cargo run` to build it.";

/// Builds it if necessary, next to this build, and returns its path. Requires `cargo run`;
/// otherwise an existing build is used if there is one.
pub fn path() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let target = program.parent()?.parent()?.join("bevy-serial");
    if let (Some(cargo), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR"))
    {
        eprintln!("Building the program again for Bevy's serial propagation.");
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--release", "--no-default-features"])
            .arg("--manifest-path")
            .arg(Path::new(&package).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    let serial = target.join("release").join(program.file_name()?);
    serial.is_file().then_some(serial)
}
