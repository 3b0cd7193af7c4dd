//! `demo`: the first command of a new user.

use crate::common::Directory;

#[test]
fn the_demo_prints_its_frames_and_writes_a_picture() {
    let here = Directory::new();
    let text = here.run("demo --frames 30 --size 96x54").text(0);
    assert!(text.starts_with("A courtyard: 275 nodes, 210 meshes, 6 lights"), "{text}");
    assert!(text.contains("frame  changed  in view  culled  draws"), "{text}");
    assert!(text.contains("wrote demo.png: 96 × 54"), "{text}");
    let png = std::fs::read(here.path().join("demo.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
}

/// Counts are the same on every machine; times are not.
#[test]
fn frames_count_changed_and_culled_nodes() {
    let here = Directory::new();
    let answer = here.run("demo --frames 140 --size 32x18 -o a.png --json").json(0);
    let frames = answer["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 140);
    let counts = |frame: usize| {
        ["changed", "in_view", "culled", "draws"].map(|name| frames[frame][name].as_u64().unwrap())
    };
    // The cart (8 nodes with its wheels) drives in from behind the camera; the arm (7 with the
    // sword) swings all the time. Then only the 5 nodes of the rings turn, in every third frame.
    // Of one mesh in view, no instance is.
    assert_eq!(counts(1), [15, 170, 40, 169]);
    assert_eq!(counts(60), [15, 171, 39, 170]);
    let later: Vec<u64> = (130..139).map(|frame| counts(frame)[0]).collect();
    assert!(later.iter().all(|&changed| changed == 7 || changed == 12), "{later:?}");
    assert!(later.contains(&7) && later.contains(&12), "{later:?}");
    for cost in ["animate_us", "update_us", "cull_us", "list_us"] {
        assert!(frames.iter().all(|frame| frame[cost].as_f64().is_some_and(|it| it >= 0.0)));
    }
}
