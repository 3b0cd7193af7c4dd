//! three.js and glTF-Transform, by `tools/gltf-js/bench.mjs`, which does its own rounds: each job
//! in a process of its own, after a warm-up.

use std::path::Path;
use std::process::Command;

use pleach_gltf::load_bytes;
use serde_json::Value;

use super::SampleFile;
use crate::bench::median;
use crate::number_format::figure;
use crate::rounds::{Table, time_once};

/// What the script's jobs needed.
pub struct Scripts {
    pub node: String,
    pub rounds: u32,
    pub three_read: Job,
    pub transform_read: Job,
    pub transform_write: Job,
    /// Nanoseconds of pleach's loads of the same bytes just before and just after: the machine
    /// may have been another one when the rounds were run.
    pub pleach: f64,
}

/// Nanoseconds, and bytes of a process.
#[derive(Clone, Copy)]
pub struct Job {
    pub median: f64,
    pub min: f64,
    peak: f64,
}

/// Runs it, or tells why it cannot be.
pub fn run(sample: &SampleFile, rounds: u32) -> Result<Scripts, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/gltf-js");
    if !folder.join("node_modules").is_dir() {
        return Err("`npm ci` in `tools/gltf-js` has to come first".into());
    }
    let mut loads = Vec::new();
    let mut pleach = || {
        for _ in 0..=rounds {
            loads.push(time_once(|| load_bytes(&sample.bytes).expect("the file is right")));
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

/// The page's section about them.
pub fn section(scripts: &Result<Scripts, String>, load: &Table) -> String {
    let title = format!("\n## JavaScript: {}\n\n", load.title);
    let scripts = match scripts {
        Ok(scripts) => scripts,
        Err(reason) => return format!("{title}Not measured: {reason}.\n"),
    };
    let mut text = format!(
        "{title}From memory, by `tools/gltf-js/bench.mjs`, Node {}: {} rounds after a warm-up, each \
         job in a process of its own, after the others' rounds; pleach loads the same bytes just before and after. Images are not decoded. three.js \
         makes a scene, glTF-Transform a document of its own. The peak is that of the process, \
         Node included.\n\n\
         | job | ms | least | peak MB | times pleach |\n| --- | --: | --: | --: | --: |\n",
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
