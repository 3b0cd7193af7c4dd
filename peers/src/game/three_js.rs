//! three.js, by `tools/gltf-js/frame.mjs`: a process that reads the field and the edit lists from a
//! file, and runs only in its turn.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::{env, fs};

use serde_json::{Value, json};

use super::contender::{Drawn, Game};
use super::edits::Motion;
use super::field::{self, AREA_NODES, Level, PERIOD};
use super::remote;
use super::runner::{FrameTimes, Runner};
use crate::process::LineProcess;

pub struct ThreeJs {
    process: LineProcess,
    /// The file of the open field.
    file: PathBuf,
}

impl ThreeJs {
    /// Starts the script, or returns the reason why it cannot run.
    pub fn start() -> Result<Self, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/gltf-js");
        if !folder.join("node_modules").is_dir() {
            return Err("run `npm ci` in `tools/gltf-js` first".into());
        }
        let mut command = Command::new("node");
        // A million meshes need more memory than Node's default.
        command.args(["--max-old-space-size=8192", "--expose-gc"]).arg(folder.join("frame.mjs"));
        let process = LineProcess::start(&mut command)
            .map_err(|error| format!("`node` cannot be run: {error}"))?;
        let name = format!("pleach-peers-frame-{}.json", std::process::id());
        Ok(Self { process, file: env::temp_dir().join(name) })
    }
}

impl Runner for ThreeJs {
    fn open(&mut self, game: &Rc<Game>) -> Result<(), String> {
        fs::write(&self.file, document(game).to_string())
            .map_err(|error| format!("{}: {error}", self.file.display()))?;
        self.process.request(&format!("open {}", self.file.display()));
        // On failure the file stays in the system's temporary folder.
        _ = fs::remove_file(&self.file);
        Ok(())
    }

    fn close(&mut self) {
        self.process.request("close");
    }

    fn run(&mut self, motion: Motion, frames: u32) -> FrameTimes {
        remote::run(&mut self.process, motion, frames)
    }

    fn drawn(&mut self) -> Vec<Drawn> {
        remote::drawn(&mut self.process)
    }
}

/// Returns the field and the edit lists.
fn document(game: &Game) -> Value {
    let Game { field, edit_lists, .. } = game;
    let nodes = 0..field.len() as u32;
    let of_meshes = |value: fn(u32) -> u32| {
        let is_mesh = |node| field::level(node) == Level::Mesh;
        let values =
            nodes.clone().map(|node| if is_mesh(node) { i64::from(value(node)) } else { -1 });
        values.collect::<Vec<_>>()
    };
    let creation = edit_lists.in_creation_order();
    let creation = creation.map(|(node, parent)| (node, parent.map_or(-1, i64::from)));
    let of_steps = |motion| (0..PERIOD).map(move |step| edit_lists.edits(motion, step));
    let moved = |motion| of_steps(motion).map(|edits| edits.moved.to_vec()).collect::<Vec<_>>();
    let cameras = (0..PERIOD).map(|step| {
        let camera = field.camera(step);
        json!({ "position": camera.position, "rotation": camera.rotation })
    });
    let attached = of_steps(Motion::Game).map(|edits| edits.attached);
    let replaced = of_steps(Motion::Game).map(|edits| edits.replaced);
    json!({
        "period": PERIOD,
        "areaNodes": AREA_NODES,
        "positions": field.positions,
        "homes": field::TABLES.homes.to_vec(),
        "rotations": field::TABLES.rotations.to_vec(),
        "materials": of_meshes(field::material),
        "geometries": of_meshes(field::geometry),
        "materialCount": field::MATERIALS,
        "halfExtents": (0..field::GEOMETRIES).map(field::half_extents).collect::<Vec<_>>(),
        "creation": creation.collect::<Vec<_>>(),
        "moved": { "game": moved(Motion::Game), "calm": moved(Motion::Calm) },
        "attached": attached.collect::<Vec<_>>(),
        "replaced": replaced.collect::<Vec<_>>(),
        "cameras": cameras.collect::<Vec<_>>(),
        "fovY": field::fov_y().to_degrees(),
        "aspect": f64::from(field::VIEWPORT.0) / f64::from(field::VIEWPORT.1),
        "near": field::NEAR,
        "far": field.far,
    })
}
