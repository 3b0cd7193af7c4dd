//! three.js and glTF-Transform, by `tools/gltf-js/bench.mjs`, which runs its own rounds: each job
//! in a process of its own, after a warm-up.

use std::path::Path;
use std::process::Command;

use pleach_gltf::load_bytes;
use serde_json::Value;

use super::SampleFile;
use crate::bench::median;
use crate::number_format::figure;
use crate::rounds::{Table, time_once};

/// The results of the script's jobs.
pub struct Scripts {
    pub node: String,
    pub rounds: u32,
    pub three_read: Job,
    pub transform_read: Job,
    pub transform_write: Job,
    /// The time of pleach's loads of the same bytes immediately before and after, in nanoseconds,
    /// since the load of the machine may have changed since the rounds.
    pub pleach: f64,
}

/// Times in nanoseconds, and the peak memory of the process in bytes.
#[derive(Clone, Copy)]
pub struct Job {
    pub median: f64,
    pub min: f64,
    peak: f64,
}

/// Runs the script, or returns the reason why it cannot run.
pub fn run(sample: &SampleFile, rounds: u32) -> Result<Scripts, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/gltf-js");
    if !folder.join("node_modules").is_dir() {
        return Err("run `npm ci` in `tools/gltf-js` first".into());
    }
    let mut loads = Vec::new();
    let mut pleach = || {
        for _ in 0..=rounds {
            loads.push(time_once(|| load_bytes(&sample.bytes).expect("the file is valid")));
        }
    };
    pleach();
    let output = Command::new("node")
        .arg(folder.join("bench.mjs"))
        .arg(&sample.path)
        .args(["--rounds", &rounds.to_string()])
        .output()
        .map_err(|error| format!("`node` cannot be run: {error}"))?;
    pleach();
    let result: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())?;
    let job = |name: &str| {
        let job = &result[name];
        let number =
            |key: &str| job[key].as_f64().ok_or_else(|| format!("{name}: {}", job["error"]));
        let [median, min, peak] = [number("medianMs")?, number("minMs")?, number("peakRssMiB")?];
        Ok::<_, String>(Job { median: median * 1e6, min: min * 1e6, peak: peak * 1048576.0 })
    };
    Ok(Scripts {
        node: result["node"].as_str().unwrap_or_default().to_owned(),
        rounds,
        three_read: job("threeRead")?,
        transform_read: job("transformRead")?,
        transform_write: job("transformWrite")?,
        pleach: median(loads),
    })
}

/// Formats the section of the page.
pub fn section(scripts: &Result<Scripts, String>, load: &Table) -> String {
    let title = format!("\n## JavaScript: {}\n\n", load.title);
    let scripts = match scripts {
        Ok(scripts) => scripts,
        Err(reason) => return format!("{title}Not measured: {reason}.\n"),
    };
    let mut text = format!(
        "{title}From memory, by `tools/gltf-js/bench.mjs`, Node {}: {} rounds after a warm-up, each \
         job in a process of its own, after the rounds of the others; pleach loads the same bytes \
         immediately before and after. Images are not decoded. three.js creates a scene, \
         glTF-Transform its own document. The peak is that of the process, including Node.\n\n\
         | job | ms | min | peak MB | relative to pleach |\n| --- | --: | --: | --: | --: |\n",
        scripts.node, scripts.rounds,
    );
    text += &format!("| pleach, load | {} | - | - | 1.00 |\n", figure(scripts.pleach / 1e6));
    let jobs = [
        ("three.js, load", scripts.three_read),
        ("glTF-Transform, load", scripts.transform_read),
        ("glTF-Transform, save", scripts.transform_write),
    ];
    for (name, job) in jobs {
        text += &format!(
            "| {name} | {} | {} | {} | {} |\n",
            figure(job.median / 1e6),
            figure(job.min / 1e6),
            figure(job.peak / 1e6),
            figure(job.median / scripts.pleach),
        );
    }
    text
}
