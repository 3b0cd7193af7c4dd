//! `Player`: the clock of one playing clip.
//!
//! A player moves along a path of seconds: the clip once, a number of times, or
//! endlessly. It stores its progress along that path, in f64, and computes the time in
//! the clip from it. Playing backwards moves backwards along the path, so no other state
//! is needed, and long steps cost the same as short ones.
//!
//! Invariant: `progress` is finite; it is within the path if that has an end, and
//! within the first period otherwise.

use super::clip::Clip;

/// The repetition of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Plays once, then holds the last pose.
    Once,
    /// Repeats endlessly.
    #[default]
    Loop,
    /// Plays the given number of times, then holds the last pose.
    Times(u32),
    /// Plays forwards and backwards alternately, endlessly.
    PingPong,
    /// Plays the given number of passes, alternately forwards and backwards, then holds
    /// the last pose: 2 is once forwards and once backwards.
    PingPongTimes(u32),
}

impl Repeat {
    /// Returns the number of passes through the clip in either direction; `None` if endless.
    fn passes(self) -> Option<u32> {
        match self {
            Self::Once => Some(1),
            Self::Times(passes) | Self::PingPongTimes(passes) => Some(passes),
            Self::Loop | Self::PingPong => None,
        }
    }

    fn alternates(self) -> bool {
        matches!(self, Self::PingPong | Self::PingPongTimes(_))
    }
}

/// The clock of one clip: time, speed, repetition and blend weight.
///
/// ```
/// use pleach::animation::{Player, Repeat};
///
/// let mut player = Player::with_duration(2.0);        // seconds; plays in a loop
/// player.advance(5.0);
/// assert_eq!(player.time(), 1.0);
///
/// player.set_repeat(Repeat::Once);
/// player.set_speed(-1.0);                             // backwards
/// player.seek(2.0);
/// player.advance(0.5);
/// assert_eq!((player.time(), player.is_finished()), (1.5, false));
/// player.advance(1.5);
/// assert_eq!((player.time(), player.is_finished()), (0.0, true));
/// player.play();                                      // restarts at the end
/// assert_eq!((player.time(), player.is_finished()), (2.0, false));
/// ```
#[doc(alias("AnimationAction", "AnimationPlayer"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// The position along the path, in seconds of the clip.
    progress: f64,
    duration: f32,
    speed: f32,
    weight: f32,
    repeat: Repeat,
    is_paused: bool,
}

impl Player {
    /// Creates a player for a clip: at its start, playing in a loop, with speed and
    /// weight 1.
    #[must_use]
    pub fn new(clip: &Clip) -> Self {
        Self::with_duration(clip.duration())
    }

    /// Creates a player like [`new`](Self::new), for a clip of a duration in seconds.
    #[must_use]
    pub fn with_duration(seconds: f32) -> Self {
        let duration = finite_or_zero(seconds).max(0.0);
        Self {
            progress: 0.0,
            duration,
            speed: 1.0,
            weight: 1.0,
            repeat: Repeat::Loop,
            is_paused: false,
        }
    }

    /// Resumes after a [`pause`](Self::pause) or [`stop`](Self::stop); restarts
    /// if it has [finished](Self::is_finished). A clip that plays backwards a finite number
    /// of times starts at its end.
    pub fn play(&mut self) {
        self.is_paused = false;
        if self.is_finished() {
            self.rewind();
        }
    }

    /// Stops time at the current position.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Stops time and returns to the start, or to the end if the clip plays backwards a finite
    /// number of times. A mixer holds that pose; to release the nodes, set the weight to 0 or
    /// remove the layer.
    pub fn stop(&mut self) {
        self.is_paused = true;
        self.rewind();
    }

    fn rewind(&mut self) {
        self.progress = if self.speed < 0.0 { self.end().unwrap_or(0.0) } else { 0.0 };
    }

    /// Returns `true` if the player is neither paused nor finished.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        !self.is_paused && !self.is_finished()
    }

    /// Returns `true` if all repetitions have been played in the current direction. Never
    /// `true` for [`Loop`](Repeat::Loop) and [`PingPong`](Repeat::PingPong).
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match self.end() {
            Some(_) if self.speed < 0.0 => self.progress <= 0.0,
            Some(end) => self.speed > 0.0 && self.progress >= end,
            None => false,
        }
    }

    /// Sets the position to that after `seconds` of playing at speed 1 from the start of the
    /// clip. Endless repetition wraps around; otherwise the position is clamped to the start
    /// and to the end of the last repetition. Numbers that are not finite are ignored.
    pub fn seek(&mut self, seconds: f32) {
        self.set_progress(f64::from(seconds));
    }

    /// Advances by `seconds` times the speed, unless paused, and returns `true` if the
    /// position changed. Negative seconds step back.
    pub fn advance(&mut self, seconds: f32) -> bool {
        let before = self.progress;
        if !self.is_paused {
            self.set_progress(before + f64::from(seconds) * f64::from(self.speed));
        }
        self.progress != before
    }

    fn set_progress(&mut self, progress: f64) {
        if !progress.is_finite() {
            return;
        }
        self.progress = match self.end() {
            Some(end) => progress.clamp(0.0, end),
            // Wrapped, so that precision does not degrade over a long time.
            None => wrap(progress, self.period()),
        };
    }

    /// Returns the end of the path in seconds, or `None` if it is endless.
    fn end(&self) -> Option<f64> {
        self.repeat.passes().map(|passes| f64::from(passes) * f64::from(self.duration))
    }

    /// Returns the seconds after which the poses repeat.
    fn period(&self) -> f64 {
        let passes = if self.repeat.alternates() { 2.0 } else { 1.0 };
        f64::from(self.duration) * passes
    }

    /// Returns the time in the clip, in seconds: 0 to the clip's duration.
    #[must_use]
    pub fn time(&self) -> f32 {
        let duration = f64::from(self.duration);
        let is_at_end = self.end().is_some_and(|end| self.progress >= end);
        let time = match self.repeat {
            Repeat::Times(0) | Repeat::PingPongTimes(0) => 0.0,
            Repeat::Once | Repeat::Times(_) if is_at_end => duration,
            Repeat::PingPongTimes(passes) if is_at_end => duration * f64::from(passes % 2),
            // An endless path is one period long: see `set_progress`.
            Repeat::Loop | Repeat::PingPong => self.progress,
            _ => wrap(self.progress, self.period()),
        };
        let time = if time > duration { self.period() - time } else { time };
        (time as f32).clamp(0.0, self.duration)
    }

    /// Returns the duration of the clip, in seconds.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Returns the speed, in seconds of the clip per second; negative if it plays backwards.
    #[must_use]
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Sets the speed: 1 is normal, negative is backwards. Numbers that are not finite
    /// become 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = finite_or_zero(speed);
    }

    /// Returns the repetition.
    #[must_use]
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// Sets the repetition and keeps the position, wrapped or clamped as by
    /// [`seek`](Self::seek).
    pub fn set_repeat(&mut self, repeat: Repeat) {
        self.repeat = repeat;
        self.set_progress(self.progress);
    }

    /// Returns the blend weight, 0 to 1.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.weight
    }

    /// Sets the blend weight, clamped to 0 to 1; NaN becomes 0.
    pub fn set_weight(&mut self, weight: f32) {
        self.weight = clamp_weight(weight);
    }
}

/// Clamps a weight to 0 to 1; NaN becomes 0.
pub(super) fn clamp_weight(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}

fn finite_or_zero(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// Returns `progress` modulo `period`, which may be 0. Exact, except for negative numbers
/// smaller than the rounding error, which become 0.
fn wrap(progress: f64, period: f64) -> f64 {
    if period <= 0.0 {
        return 0.0;
    }
    if (0.0..period).contains(&progress) {
        return progress;
    }
    let wrapped = progress.rem_euclid(period);
    if wrapped < period { wrapped } else { 0.0 }
}
