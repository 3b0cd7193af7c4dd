//! `Fade`: how far a layer has been faded in, on its way in or out.
//!
//! Linear in time, so that one layer going out and another coming in make 1
//! together all the while.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fade {
    level: f32,
    goal: f32,
    /// How much the level moves in a second.
    speed: f32,
    /// Is the layer to be removed when the goal is reached?
    leaves: bool,
}

impl Fade {
    /// There, and staying.
    pub(super) const IN: Self = Self { level: 1.0, goal: 1.0, speed: 0.0, leaves: false };
    /// Not there yet.
    pub(super) const OUT: Self = Self { level: 0.0, goal: 0.0, speed: 0.0, leaves: false };

    pub(super) fn level(&self) -> f32 {
        self.level
    }

    /// Starts towards a level; is there at once if there is no time for it.
    pub(super) fn start(&mut self, goal: f32, seconds: f32, leaves: bool) {
        let speed = (goal - self.level).abs() / seconds;
        let is_at_once = !(seconds > 0.0 && speed.is_finite());
        *self = Self { level: if is_at_once { goal } else { self.level }, goal, speed, leaves };
    }

    /// Lets seconds pass; says whether the level moved.
    pub(super) fn advance(&mut self, seconds: f32) -> bool {
        let before = self.level;
        // A NaN or a step back in time moves nothing.
        let step = (self.speed * seconds).max(0.0);
        self.level = if (self.goal - before).abs() <= step {
            self.goal
        } else {
            before + step.copysign(self.goal - before)
        };
        self.level != before
    }

    /// Has the layer gone for good?
    pub(super) fn has_left(&self) -> bool {
        self.leaves && self.level == self.goal
    }

    /// Is the layer on its way out for good?
    pub(super) fn is_leaving(&self) -> bool {
        self.leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_out_and_one_in_make_one_all_the_while() {
        let (mut out, mut into) = (Fade::IN, Fade::OUT);
        out.start(0.0, 0.37, true);
        into.start(1.0, 0.37, false);
        while into.level() < 1.0 {
            assert!((out.level() + into.level() - 1.0).abs() < 1e-6);
            assert!(out.advance(0.01) & into.advance(0.01));
        }
        out.advance(0.01);
        assert!(out.has_left() && !into.has_left() && into.level() == 1.0);
    }

    #[test]
    fn a_fade_of_no_time_is_there_at_once() {
        for seconds in [0.0, -1.0, f32::NAN, 1e-45] {
            let mut fade = Fade::IN;
            fade.start(0.0, seconds, true);
            assert!(fade.has_left() || fade.advance(1e-30) && fade.has_left(), "{seconds}");
        }
    }

    #[test]
    fn bad_seconds_move_nothing() {
        let mut fade = Fade::IN;
        fade.start(0.0, 1.0, false);
        assert!(!fade.advance(f32::NAN) && !fade.advance(-1.0) && fade.level() == 1.0);
        assert!(fade.advance(f32::INFINITY) && fade.level() == 0.0);
    }
}
