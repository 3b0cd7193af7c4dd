//! `--gpu`: pictures like those of the CPU, or an error with a remedy.

use crate::common::Directory;

#[cfg(feature = "gpu")]
mod with_the_feature {
    use super::Directory;
    use crate::common::{models, yard};

    /// Runs a command with `--gpu`. Prints `SKIPPED` and returns `false` without an adapter, and
    /// fails in CI.
    fn run(here: &Directory, args: &[&str]) -> bool {
        let run = here.run_args(args);
        if run.stderr.contains("no usable GPU was found") {
            assert!(run.stderr.contains("install a driver"), "{}", run.stderr);
            assert!(std::env::var_os("CI").is_none(), "no adapter; install lavapipe");
            testkit::skip("no adapter");
            return false;
        }
        run.text(0);
        true
    }

    /// Returns the mean difference of two pictures, in bytes of a channel.
    fn difference(here: &Directory, a: &str, b: &str) -> f64 {
        let [a, b] = [a, b].map(|name| image::open(here.path().join(name)).unwrap().to_rgba8());
        assert_eq!(a.dimensions(), b.dimensions());
        let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / a.len() as f64
    }

    #[test]
    fn sample_models_look_as_on_the_cpu() {
        let Some(models) = models() else { return };
        let here = Directory::new();
        let names = ["Fox", "TextureTransformTest", "OrientationTest", "PointLightIntensityTest"];
        for (name, file) in models.iter().filter(|(name, _)| names.contains(&&**name)) {
            let file = file.to_str().unwrap();
            let line = ["render", file, "--size", "320x240", "-o"];
            here.run_args(&[&line[..], &["cpu.png"]].concat()).text(0);
            if !run(&here, &[&line[..], &["gpu.png", "--gpu"]].concat()) {
                return;
            }
            let difference = difference(&here, "cpu.png", "gpu.png");
            println!("{name}: {difference:.2}");
            assert!(difference < 1.5, "{name}: the pictures differ by {difference:.2} of 255");
        }
    }

    #[test]
    fn overlays_look_as_on_the_cpu() {
        let here = yard::directory();
        let mut plain = None;
        let options: [&[&str]; 7] = [
            &[],
            &["--select", "shed"],
            &["--overlay", "grid"],
            &["--overlay", "wireframe,normals"],
            &["--overlay", "boxes,bvh"],
            &["--overlay", "joints,axes"],
            &["--overlay", "ids"],
        ];
        for options in options {
            let line = [&["render", "yard.glb", "--size", "160x120"], options].concat();
            here.run_args(&[&line[..], &["-o", "cpu.png"]].concat()).text(0);
            if !run(&here, &[&line[..], &["--gpu", "-o", "gpu.png"]].concat()) {
                return;
            }
            let pixels = std::fs::read(here.path().join("gpu.png")).unwrap();
            let difference = difference(&here, "cpu.png", "gpu.png");
            println!("{options:?}: {difference:.2}");
            let (plain, without) = plain.get_or_insert_with(|| (pixels.clone(), difference));
            assert!(options.is_empty() || pixels != *plain, "{options:?}: nothing was drawn");
            let limit = *without + 0.3;
            assert!(
                difference < limit,
                "{options:?}: the pictures differ by {difference:.2} of 255"
            );
        }
    }

    #[test]
    fn overlays_and_the_demo_work_on_the_gpu() {
        let here = Directory::new();
        let demo = ["demo", "--frames", "1", "--size", "160x90", "--overlay", "boxes", "-o"];
        here.run_args(&[&demo[..], &["cpu.png"]].concat()).text(0);
        if run(&here, &[&demo[..], &["gpu.png", "--gpu"]].concat()) {
            let difference = difference(&here, "cpu.png", "gpu.png");
            assert!(difference < 12.0, "the pictures differ by {difference:.2} of 255");
        }
    }
}

#[cfg(not(feature = "gpu"))]
#[test]
fn without_the_feature_the_error_names_it() {
    let error = Directory::new().run("demo --frames 1 --gpu").error();
    assert!(error.contains("built without the feature `gpu`"), "{error}");
    assert!(error.contains("cargo install --path crates/pleach-cli --features gpu"), "{error}");
}
