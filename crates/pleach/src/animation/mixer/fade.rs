//! `Fade`: the fade level of a layer, which moves linearly towards a goal.
//!
//! Linear in time, so that the levels of a cross-fade always sum to 1.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fade {
    level: f32,
    goal: f32,
    /// The change of the level per second.
    speed: f32,
    /// The layer is removed when the goal is reached.
    removes_layer: bool,
}

impl Fade {
    /// Completely faded in.
    pub(super) const IN: Self = Self { level: 1.0, goal: 1.0, speed: 0.0, removes_layer: false };
    /// Completely faded out, but not to be removed.
    pub(super) const OUT: Self = Self { level: 0.0, goal: 0.0, speed: 0.0, removes_layer: false };

    pub(super) fn level(&self) -> f32 {
        self.level
    }

    /// Starts to fade to a level; immediate if `seconds` is not positive.
    pub(super) fn start(&mut self, goal: f32, seconds: f32, removes_layer: bool) {
        let speed = (goal - self.level).abs() / seconds;
        let is_gradual = seconds > 0.0 && speed.is_finite();
        let level = if is_gradual { self.level } else { goal };
        *self = Self { level, goal, speed, removes_layer };
    }

    /// Advances by `seconds` and returns `true` if the level changed.
    pub(super) fn advance(&mut self, seconds: f32) -> bool {
        let before = self.level;
        // NaN and negative steps change nothing.
        let step = (self.speed * seconds).max(0.0);
        self.level = if (self.goal - before).abs() <= step {
            self.goal
        } else {
            before + step.copysign(self.goal - before)
        };
        self.level != before
    }

    /// Returns `true` if the layer has faded out and is to be removed.
    pub(super) fn is_finished(&self) -> bool {
        self.removes_layer && self.level == self.goal
    }

    /// Returns `true` if the layer is fading out to be removed.
    pub(super) fn is_fading_out(&self) -> bool {
        self.removes_layer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_cross_fade_sum_to_one() {
        let (mut fade_out, mut fade_in) = (Fade::IN, Fade::OUT);
        fade_out.start(0.0, 0.37, true);
        fade_in.start(1.0, 0.37, false);
        while fade_in.level() < 1.0 {
            assert!((fade_out.level() + fade_in.level() - 1.0).abs() < 1e-6);
            assert!(fade_out.advance(0.01) & fade_in.advance(0.01));
        }
        fade_out.advance(0.01);
        assert!(fade_out.is_finished() && !fade_in.is_finished() && fade_in.level() == 1.0);
    }

    #[test]
    fn fade_without_duration_is_immediate() {
        for seconds in [0.0, -1.0, f32::NAN, 1e-45] {
            let mut fade = Fade::IN;
            fade.start(0.0, seconds, true);
            assert!(fade.is_finished() || fade.advance(1e-30) && fade.is_finished(), "{seconds}");
        }
    }

    #[test]
    fn negative_and_nan_steps_do_not_change_the_level() {
        let mut fade = Fade::IN;
        fade.start(0.0, 1.0, false);
        assert!(!fade.advance(f32::NAN) && !fade.advance(-1.0) && fade.level() == 1.0);
        assert!(fade.advance(f32::INFINITY) && fade.level() == 0.0);
    }
}
