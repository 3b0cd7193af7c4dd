//! `Player`: the clock of one playing clip.
//!
//! A player walks a path of seconds: the clip once, so many times over, or for
//! ever. It keeps one number, how far along that path it is, in f64; the time in
//! the clip is worked out from it. Playing backwards walks the path backwards, so
//! nothing else need be remembered, and long steps cost what short ones do.
//!
//! Invariant: `progress` is finite; it is within the path where that has an end, and
//! within the first period where it has none.

use super::clip::Clip;

/// How often a clip plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// Once; then it holds its last pose.
    Once,
    /// Over and over.
    #[default]
    Loop,
    /// So many times over; then it holds its last pose.
    Times(u32),
    /// There and back, over and over.
    PingPong,
    /// So many times in turn there or back: 2 is there and back, once.
    PingPongTimes(u32),
}

impl Repeat {
    /// How often the clip is passed through, there or back.
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

/// The clock of one clip: where it is, how fast, how often, and how much it counts.
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
/// player.play();                                      // again, from its end
/// assert_eq!((player.time(), player.is_finished()), (2.0, false));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Seconds of the clip played, from the beginning of the path.
    progress: f64,
    duration: f32,
    speed: f32,
    weight: f32,
    repeat: Repeat,
    is_paused: bool,
}

impl Player {
    /// A player for a clip: at its beginning, playing in a loop, with speed and
    /// weight 1.
    #[must_use]
    pub fn new(clip: &Clip) -> Self {
        Self::with_duration(clip.duration())
    }

    /// A player for something of so many seconds.
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

    /// Goes on after a [`pause`](Self::pause) or [`stop`](Self::stop); starts again
    /// if it had [finished](Self::is_finished). A clip that plays backwards, and not
    /// for ever, starts at its end.
    pub fn play(&mut self) {
        self.is_paused = false;
        if self.is_finished() {
            self.rewind();
        }
    }

    /// Stands still where it is.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Stands still where it began. It holds that pose; to let go of the nodes,
    /// give it weight 0 or remove its layer.
    pub fn stop(&mut self) {
        self.is_paused = true;
        self.rewind();
    }

    fn rewind(&mut self) {
        self.progress = if self.speed < 0.0 { self.end().unwrap_or(0.0) } else { 0.0 };
    }

    /// Is time passing: neither paused nor finished?
    #[must_use]
    pub fn is_playing(&self) -> bool {
        !self.is_paused && !self.is_finished()
    }

    /// Has it played as often as it should, in the direction it plays? Never for
    /// [`Loop`](Repeat::Loop) and [`PingPong`](Repeat::PingPong).
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match self.end() {
            Some(_) if self.speed < 0.0 => self.progress <= 0.0,
            Some(end) => self.speed > 0.0 && self.progress >= end,
            None => false,
        }
    }

    /// Goes to a place: as if it had been playing for so many seconds from the
    /// beginning of the clip. What lies before the beginning or past the end of the
    /// last repetition is held there; what is not a finite number is ignored.
    pub fn seek(&mut self, seconds: f32) {
        self.set_progress(f64::from(seconds));
    }

    /// Lets seconds pass, unless it is paused; says whether it moved. Negative
    /// seconds go back.
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
            // Kept short, so that a clip that has played for a year is as exact.
            None => wrap(progress, self.period()),
        };
    }

    /// Where the path ends, if it does.
    fn end(&self) -> Option<f64> {
        self.repeat.passes().map(|passes| f64::from(passes) * f64::from(self.duration))
    }

    /// After how many seconds a pose comes again.
    fn period(&self) -> f64 {
        let passes = if self.repeat.alternates() { 2.0 } else { 1.0 };
        f64::from(self.duration) * passes
    }

    /// Where it is in the clip, in seconds: 0 to the clip's duration.
    #[must_use]
    pub fn time(&self) -> f32 {
        let duration = f64::from(self.duration);
        let is_at_end = self.end().is_some_and(|end| self.progress >= end);
        let time = match self.repeat {
            Repeat::Times(0) | Repeat::PingPongTimes(0) => 0.0,
            Repeat::Once | Repeat::Times(_) if is_at_end => duration,
            Repeat::PingPongTimes(passes) if is_at_end => duration * f64::from(passes % 2),
            // An endless path is one period long: see `go_to`.
            Repeat::Loop | Repeat::PingPong => self.progress,
            _ => wrap(self.progress, self.period()),
        };
        let time = if time > duration { self.period() - time } else { time };
        (time as f32).clamp(0.0, self.duration)
    }

    /// How long its clip is, in seconds.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Seconds of the clip in a second; negative if it plays backwards.
    #[must_use]
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Sets how fast it plays; 1 is natural, negative is backwards. What is not a
    /// finite number is 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = finite_or_zero(speed);
    }

    /// How often it plays.
    #[must_use]
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// Sets how often it plays, keeping its place where the new path has it.
    pub fn set_repeat(&mut self, repeat: Repeat) {
        self.repeat = repeat;
        self.set_progress(self.progress);
    }

    /// How much it counts, 0 to 1.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.weight
    }

    /// Sets how much it counts: 0 for not at all, 1 for fully. Other numbers are
    /// held at these; NaN is 0.
    pub fn set_weight(&mut self, weight: f32) {
        self.weight = clamp_weight(weight);
    }
}

/// A number from 0 to 1; NaN is 0.
pub(super) fn clamp_weight(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}

fn finite_or_zero(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// What is left of `progress` within `period`, which may be 0. Exact, but for a
/// negative number smaller than rounding, which becomes 0.
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
