//! A progress bar on stderr, shown only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar that is cleared when dropped; hidden unless stderr is a terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Creates a bar for work with `steps` steps.
    pub(crate) fn new(what: impl Into<String>, steps: u64) -> Self {
        let bar =
            ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what.into());
        // No steady tick: it would need a thread. The bar is drawn whenever the position is set.
        bar.tick();
        Self(bar)
    }

    /// Sets length and position from the progress of a load.
    pub(crate) fn show(&self, progress: pleach_gltf::Progress) {
        self.0.set_length(progress.total as u64);
        self.0.set_position(progress.done as u64);
    }

    /// Sets the number of completed steps.
    pub(crate) fn set(&self, steps: u64) {
        self.0.set_position(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
