//! Players: repetition, direction, seeking and invalid numbers.

use pleach::animation::{Channel, Clip, Interpolation, Player, Repeat};
use pleach::glam::Vec3;
use testkit::Rng;

fn player(duration: f32, repeat: Repeat) -> Player {
    let mut player = Player::with_duration(duration);
    player.set_repeat(repeat);
    player
}

/// Computes the time in the clip after `seconds` of playback, pass by pass.
fn naive(duration: f64, repeat: Repeat, seconds: f64) -> f64 {
    let (passes, alternates) = match repeat {
        Repeat::Once => (1, false),
        Repeat::Loop => (u32::MAX, false),
        Repeat::Times(passes) => (passes, false),
        Repeat::PingPong => (u32::MAX, true),
        Repeat::PingPongTimes(passes) => (passes, true),
    };
    let (mut remaining, mut done) = (seconds.max(0.0), 0);
    loop {
        let is_back = alternates && done % 2 == 1;
        let is_last = done + 1 == passes;
        if passes == 0 {
            return 0.0;
        }
        if remaining < duration || is_last {
            let time = remaining.min(duration);
            return if is_back { duration - time } else { time };
        }
        remaining -= duration;
        done += 1;
    }
}

#[test]
fn repetition_agrees_with_a_pass_by_pass_simulation() {
    use Repeat::{Loop, Once, PingPong, PingPongTimes, Times};
    for repeat in [Once, Loop, PingPong, Times(0), Times(1), Times(3), PingPongTimes(0)]
        .into_iter()
        .chain([1, 2, 3, 4].map(PingPongTimes))
    {
        for duration in [0.5f32, 2.0, 7.25] {
            for step in 0..200 {
                let seconds = step as f32 * 0.125;
                let expected = naive(f64::from(duration), repeat, f64::from(seconds)) as f32;
                let mut seeked = player(duration, repeat);
                seeked.seek(seconds);
                assert_eq!(seeked.time(), expected, "{repeat:?} {duration} {seconds}");
                let mut played = player(duration, repeat);
                for _ in 0..step {
                    played.advance(0.125);
                }
                assert_eq!(played.time(), expected, "{repeat:?} {duration} {seconds}, in steps");
                assert_eq!(played.is_finished(), seeked.is_finished());
            }
        }
    }
}

#[test]
fn backwards_playback_mirrors_forwards_playback() {
    for repeat in [Repeat::Once, Repeat::Times(3), Repeat::PingPongTimes(3)] {
        let passes = if repeat == Repeat::Once { 1.0 } else { 3.0 };
        let mut back = player(2.0, repeat);
        back.set_speed(-1.0);
        back.play();
        assert_eq!(back.time(), 2.0, "{repeat:?} starts at the end");
        for step in 1..=(passes * 16.0) as i32 {
            assert!(!back.is_finished() && back.is_playing());
            back.advance(0.125);
            let expected = naive(2.0, repeat, f64::from(passes * 2.0 - step as f32 * 0.125));
            assert_eq!(f64::from(back.time()), expected, "{repeat:?} {step}");
        }
        assert!(back.is_finished() && !back.is_playing());
        assert_eq!(back.time(), 0.0);
    }
}

#[test]
fn endless_clips_play_backwards_from_the_start() {
    let mut looped = player(2.0, Repeat::Loop);
    looped.set_speed(-1.0);
    looped.advance(0.5);
    assert_eq!(looped.time(), 1.5);
    looped.advance(100.0);
    assert_eq!(looped.time(), 1.5);
    let mut ping_pong = player(2.0, Repeat::PingPong);
    ping_pong.set_speed(-1.0);
    let times = [0.5; 8].map(|step| {
        ping_pong.advance(step);
        ping_pong.time()
    });
    assert_eq!(times, [0.5, 1.0, 1.5, 2.0, 1.5, 1.0, 0.5, 0.0]);
    assert!(!looped.is_finished() && !ping_pong.is_finished());
}

#[test]
fn time_stays_exact_over_long_durations() {
    let mut long = player(1.5, Repeat::Loop);
    long.advance(31_536_000.0); // a multiple of the duration
    long.advance(0.75);
    assert_eq!(long.time(), 0.75);
    long.seek(-31_536_000.0 - 0.0);
    assert_eq!(long.time(), 0.0);

    let mut many = player(1.0, Repeat::PingPong);
    let frames = 60 * 60 * 60; // an hour
    for _ in 0..frames {
        many.advance(1.0 / 64.0);
    }
    assert_eq!(many.time(), naive(1.0, Repeat::PingPong, f64::from(frames) / 64.0) as f32);
}

#[test]
fn time_is_always_within_the_clip() {
    let mut random = Rng::new(1);
    let mut number = || f32::from_bits(random.next_u32());
    for round in 0..20_000 {
        let repeats = [Repeat::Once, Repeat::Loop, Repeat::PingPong, Repeat::Times(u32::MAX)];
        let mut player = player(number(), repeats[round % 4]);
        player.set_speed(number());
        for _ in 0..4 {
            player.advance(number());
            player.seek(number());
            player.advance(number());
            player.play();
            let (time, duration) = (player.time(), player.duration());
            assert!((0.0..=duration).contains(&time), "round {round}: {time} of {duration}");
        }
    }
}

#[test]
fn pause_keeps_the_time_stop_rewinds_and_play_resumes() {
    let mut player = player(4.0, Repeat::Once);
    player.advance(1.0);
    player.pause();
    assert!(!player.advance(1.0), "the time did not change");
    assert_eq!((player.time(), player.is_playing()), (1.0, false));
    player.play();
    assert!(player.advance(1.0));
    assert_eq!((player.time(), player.is_playing()), (2.0, true));
    player.stop();
    player.advance(1.0);
    assert_eq!((player.time(), player.is_playing(), player.is_finished()), (0.0, false, false));
}

#[test]
fn finished_clip_holds_its_end_and_restarts_on_play() {
    let mut player = player(1.0, Repeat::Times(2));
    player.advance(1.5);
    assert_eq!((player.time(), player.is_finished()), (0.5, false));
    player.advance(7.0);
    assert_eq!((player.time(), player.is_finished()), (1.0, true));
    player.play();
    assert_eq!((player.time(), player.is_finished()), (0.0, false));
    // A player that reverses at the end is not finished.
    player.seek(2.0);
    player.set_speed(-1.0);
    assert!(!player.is_finished());
    player.advance(0.25);
    assert_eq!(player.time(), 0.75);
}

#[test]
fn clip_without_duration_stays_at_time_zero() {
    for repeat in [Repeat::Once, Repeat::Loop, Repeat::PingPong, Repeat::Times(3)] {
        let mut player = player(0.0, repeat);
        player.advance(1.0);
        player.seek(5.0);
        player.set_speed(-2.0);
        player.advance(1.0);
        assert_eq!(player.time(), 0.0, "{repeat:?}");
    }
    assert!(player(0.0, Repeat::Once).is_finished());
}

#[test]
fn numbers_that_are_not_finite_are_ignored_or_zero() {
    let mut player = player(2.0, Repeat::Loop);
    player.seek(1.0);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        player.seek(bad);
        player.advance(bad);
        assert_eq!(player.time(), 1.0);
        player.set_speed(bad);
        assert_eq!(player.speed(), 0.0);
        assert_eq!(Player::with_duration(bad).duration(), 0.0);
    }
    assert_eq!(Player::with_duration(-1.0).duration(), 0.0);
    let weights = [f32::NAN, -1.0, 0.25, 7.0, f32::INFINITY].map(|weight| {
        player.set_weight(weight);
        player.weight()
    });
    assert_eq!(weights, [0.0, 0.0, 0.25, 1.0, 1.0]);
}

#[test]
fn changing_the_repetition_keeps_the_clamped_position() {
    let mut player = player(2.0, Repeat::Times(5));
    player.seek(7.0);
    player.set_repeat(Repeat::Once);
    assert_eq!((player.time(), player.is_finished()), (2.0, true));
    player.set_repeat(Repeat::PingPong);
    player.advance(0.5);
    assert_eq!(player.time(), 1.5);
}

#[test]
fn clip_duration_is_its_last_key_or_set_explicitly() {
    let channel = |target, times: [f32; 2]| {
        Channel::translation(target, Interpolation::Linear, times, [Vec3::ZERO, Vec3::X]).unwrap()
    };
    let clip =
        Clip::new("c", ["a", "b"], [channel(0, [0.0, 1.0]), channel(1, [1.0, 3.0])]).unwrap();
    assert_eq!((clip.duration(), Player::new(&clip).duration()), (3.0, 3.0));
    assert_eq!(clip.with_duration(10.0).unwrap().duration(), 10.0);
    let early = Clip::new("early", ["a"], [channel(0, [-2.0, -1.0])]).unwrap();
    assert_eq!(early.duration(), 0.0);
    assert_eq!(Clip::new("none", [""; 0], []).unwrap().duration(), 0.0);
}
