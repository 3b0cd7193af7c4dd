//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use crate::participants::Column;
use crate::scene::{Order, Shape};
use crate::workload::Workload;

pub const HELP: &str = "\
Runs the same transform-hierarchy workloads on several implementations, with --space the
same culling, ray and tree workloads, with --scene frames of a scene, with --frame the whole
frame of a game, or with --gltf the loading and saving of glTF files.

  --shape SHAPE          flat, tree, chains, crowd              (may be repeated)
  --n N                  nodes, such as 1000 or 100k or 1M      (may be repeated)
  --workload WORKLOAD    build, all_moved, all_set, root_moved, leaves_1pct, nothing,
                         reparent_1pct, churn_1pct              (may be repeated)
  --contender NAME       pleach, pleach_bulk, naive, loop, simd_loop, bevy_single,
                         bevy_multi                             (may be repeated)
  --order ORDER          natural, breadth, depth, shuffled: the order of creation
  --seed SEED            the seed of the scenes and the edit lists
  --quick                1k and 10k nodes, few rounds
  --space                bounds, culling, rays and trees instead of transforms
  --scene                skins, animation and whole frames instead of transforms
  --gltf                 loading and saving of files instead of transforms; these three
                         accept only the options --seed, --quick and --out
  --frame                the frame of a game instead of transforms. Its workloads are game,
                         calm and wild, its contenders scene, scene_bulk, graph_index,
                         graph, naive, bevy and three; it accepts --n, --workload, --contender, --rounds,
                         --seed, --quick and --out
  --threads              update_parallel relative to update instead of transforms; it accepts
                         --shape, --n, --order, --rounds and --seed
  --rounds N             the number of rounds of --frame and --threads
  --out DIR              writes the tables and plots to DIR";

/// The benchmark to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Transforms,
    Space,
    Scene,
    Frame,
    Gltf,
    Threads,
}

pub struct Args {
    pub mode: Mode,
    pub shapes: Vec<Shape>,
    pub sizes: Vec<usize>,
    pub workloads: Vec<Workload>,
    pub columns: Vec<Column>,
    /// The names of workloads and contenders as given: each benchmark has its own.
    pub workload_names: Vec<String>,
    pub contender_names: Vec<String>,
    pub rounds: Option<u32>,
    pub order: Order,
    pub seed: u64,
    pub quick: bool,
    pub out: Option<PathBuf>,
}

impl Args {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut args = Self {
            mode: Mode::Transforms,
            shapes: Vec::new(),
            sizes: Vec::new(),
            workloads: Vec::new(),
            columns: Vec::new(),
            workload_names: Vec::new(),
            contender_names: Vec::new(),
            rounds: None,
            order: Order::Natural,
            seed: 1,
            quick: false,
            out: None,
        };
        while let Some(option) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{option} needs a value"));
            match option.as_str() {
                "--shape" => args.shapes.push(value()?.parse()?),
                "--n" => args.sizes.push(parse_node_count(&value()?)?),
                "--workload" => args.workload_names.push(value()?),
                "--contender" => args.contender_names.push(value()?),
                "--order" => args.order = value()?.parse()?,
                "--seed" => args.seed = number(&value()?)?,
                "--rounds" => args.rounds = Some(number(&value()?)?),
                "--quick" => args.quick = true,
                "--space" => args.mode = Mode::Space,
                "--scene" => args.mode = Mode::Scene,
                "--frame" => args.mode = Mode::Frame,
                "--gltf" => args.mode = Mode::Gltf,
                "--threads" => args.mode = Mode::Threads,
                "--out" => args.out = Some(value()?.into()),
                "--help" => return Err(HELP.into()),
                _ => return Err(format!("unknown option {option}\n\n{HELP}")),
            }
        }
        args.fill_in()?;
        Ok(args)
    }

    /// Selects all values of options that were not given, in the order of the tables.
    fn fill_in(&mut self) -> Result<(), String> {
        let sizes: &[usize] = match (self.mode, self.quick) {
            (Mode::Threads, _) => {
                &[1_000, 3_000, 10_000, 20_000, 30_000, 100_000, 300_000, 1_000_000]
            }
            (Mode::Frame, true) => &[10_000],
            (Mode::Frame, false) => &[10_000, 100_000, 1_000_000],
            (_, true) => &[1_000, 10_000],
            (_, false) => &[1_000, 10_000, 100_000, 1_000_000],
        };
        if self.mode == Mode::Transforms {
            self.workloads = parse_all(&self.workload_names)?;
            self.columns = parse_all(&self.contender_names)?;
        }
        default_to_all(&mut self.shapes, &[Shape::Tree, Shape::Flat, Shape::Chains, Shape::Crowd]);
        default_to_all(&mut self.sizes, sizes);
        default_to_all(&mut self.workloads, Workload::ALL);
        default_to_all(&mut self.columns, Column::ALL);
        self.sizes.sort_unstable();
        Ok(())
    }
}

/// Parses the names of an option's values.
pub fn parse_all<T: FromStr<Err = String>>(names: &[String]) -> Result<Vec<T>, String> {
    names.iter().map(|name| name.parse()).collect()
}

/// Selects all values if none were given.
pub fn default_to_all<T: Clone>(selected: &mut Vec<T>, all: &[T]) {
    if selected.is_empty() {
        selected.extend_from_slice(all);
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a valid number"))
}

/// Parses a number of nodes, with `k` for thousands and `M` for millions.
fn parse_node_count(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1_000_000),
            None => (text, 1),
        },
    };
    let nodes = number::<usize>(digits)?.saturating_mul(unit);
    if (200..=20_000_000).contains(&nodes) {
        Ok(nodes)
    } else {
        Err(format!("{text} is not a valid number of nodes: the range is 200 to 20M"))
    }
}
