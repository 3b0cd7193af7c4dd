//! How far long work has come: a bar on stderr, if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that goes away when it is dropped. On anything but a terminal it is not there.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Of work with so many steps.
    pub(crate) fn new(what: impl Into<String>, steps: u64) -> Self {
        let bar =
            ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what.into());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// How far a load is.
    pub(crate) fn show(&self, progress: pleach_gltf::Progress) {
        self.0.set_length(progress.total as u64);
        self.0.set_position(progress.done as u64);
    }

    /// So many steps are done.
    pub(crate) fn set(&self, steps: u64) {
        self.0.set_position(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
