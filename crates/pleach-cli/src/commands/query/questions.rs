//! `Questions`: what is asked of a model, read from JSON.
//!
//! Every number is finite, every matrix has a volume in view and every ray a direction, or it is
//! refused with its place in the text. Whether the model has what is named is asked by `check`.

use anyhow::{Context, Result, bail, ensure};
use glam::{DVec3, Mat4, Vec3};
use pleach::{ClipSpace, Frustum};
use serde_json::Value;

use super::field::Field;
use super::model::Model;

/// The most rays on a side of a grid, and of all grids together.
const MAX_RAYS_PER_SIDE: usize = 4096;
const MAX_RAYS: usize = 1 << 25;
/// The most matrices of all poses together, of nodes and joints.
const MAX_MATRICES: usize = 1 << 23;
/// The most nodes that all views together look at.
const MAX_CULL_TESTS: usize = 1 << 27;
/// Where in its cell a ray of a grid is, unless it is said.
const DEFAULT_OFFSET: [f64; 2] = [0.37, 0.61];

/// What is asked.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) up: Up,
    pub(crate) poses: Vec<Option<Pose>>,
    pub(crate) culls: Vec<Cull>,
    pub(crate) grids: Vec<Grid>,
}

/// The axes of questions and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// The file's.
    Y,
    /// pleach's.
    Z,
}

/// A moment of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) animation: usize,
    pub(crate) t: f32,
}

/// What does a view see?
#[derive(Debug)]
pub(crate) struct Cull {
    /// The one to show, if none is named.
    pub(crate) scene: Option<usize>,
    pub(crate) frustum: Frustum,
}

/// What do `n` × `n` parallel rays meet?
#[derive(Debug)]
pub(crate) struct Grid {
    /// The one to show, if none is named.
    pub(crate) scene: Option<usize>,
    pub(crate) pose: Option<Pose>,
    pub(crate) dir: Vec3,
    pub(crate) n: usize,
    origin: DVec3,
    du: DVec3,
    dv: DVec3,
    offset: [f64; 2],
}

impl Grid {
    /// Where ray `k` starts.
    pub(crate) fn ray_origin(&self, k: usize) -> Vec3 {
        let (i, j) = ((k % self.n) as f64, (k / self.n) as f64);
        let origin = self.origin + (i + self.offset[0]) * self.du + (j + self.offset[1]) * self.dv;
        origin.as_vec3()
    }
}

impl Questions {
    /// Reads them, and tells which members mean nothing.
    pub(crate) fn parse(text: &str) -> Result<(Self, Vec<String>)> {
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text).context("this is not JSON")?;
        let (root, mut unknown) = (Field::root(&value), Vec::new());
        root.object(&["up", "poses", "culls", "rays"], &mut unknown)?;
        let ups = [("y", Up::Y), ("z", Up::Z)];
        let up = root.get("up").map_or(Ok(Up::Z), |up| up.keyword(&ups))?;
        let mut questions = Self { up, poses: Vec::new(), culls: Vec::new(), grids: Vec::new() };
        for entry in entries(&root, "poses")? {
            questions.poses.push(pose(&entry, &mut unknown)?);
        }
        for entry in entries(&root, "culls")? {
            questions.culls.push(cull(&entry, &mut unknown)?);
        }
        let mut rays = 0;
        for entry in entries(&root, "rays")? {
            let grid = grid(&entry, &mut unknown)?;
            rays += grid.n * grid.n;
            let at = &entry.path;
            ensure!(rays <= MAX_RAYS, "{at}: {rays} rays so far; {MAX_RAYS} can be asked at once");
            questions.grids.push(grid);
        }
        Ok((questions, unknown))
    }

    /// Does the model have the scenes and animations that are named?
    pub(crate) fn check(&self, model: &Model) -> Result<()> {
        let (scenes, animations) =
            (model.document.scenes().len(), model.document.animations().len());
        for (number, &pose) in self.poses.iter().enumerate() {
            check(pose.map(|it| it.animation), animations, "animation", || {
                format!("poses[{number}].animation")
            })?;
        }
        for (number, cull) in self.culls.iter().enumerate() {
            check(cull.scene, scenes, "scene", || format!("culls[{number}].scene"))?;
        }
        for (number, grid) in self.grids.iter().enumerate() {
            check(grid.scene, scenes, "scene", || format!("rays[{number}].scene"))?;
            check(grid.pose.map(|it| it.animation), animations, "animation", || {
                format!("rays[{number}].pose.animation")
            })?;
        }
        let joints = model.document.skins().map(|(joints, _)| joints.len()).sum::<usize>();
        let (nodes, poses, views) = (model.len(), self.poses.len(), self.culls.len());
        let matrices = nodes.saturating_add(joints);
        ensure!(
            poses.saturating_mul(matrices) <= MAX_MATRICES,
            "poses: {poses} poses of {nodes} nodes and {joints} joints are too much at once; ask in \
             several calls for {MAX_MATRICES} matrices each"
        );
        ensure!(
            views.saturating_mul(nodes) <= MAX_CULL_TESTS,
            "culls: {views} views of {nodes} nodes are too much at once; ask in several calls"
        );
        Ok(())
    }
}

/// Is what is named there?
fn check(index: Option<usize>, count: usize, kind: &str, at: impl Fn() -> String) -> Result<()> {
    let Some(index) = index.filter(|&index| index >= count) else { return Ok(()) };
    let available = match count {
        0 => "none".into(),
        1 => format!("one {kind}, 0"),
        _ => format!("{count} {kind}s, 0 to {}", count - 1),
    };
    bail!("{}: there is no {kind} {index}; the file has {available}", at())
}

fn entries<'a>(root: &Field<'a>, key: &str) -> Result<Vec<Field<'a>>> {
    root.get(key).map_or(Ok(Vec::new()), |list| list.list())
}

fn pose(field: &Field<'_>, unknown: &mut Vec<String>) -> Result<Option<Pose>> {
    if field.is_null() {
        return Ok(None);
    }
    field.object(&["animation", "t"], unknown)?;
    let t = field.get("t").map_or(Ok(0.0), |t| t.number())?;
    Ok(Some(Pose { animation: field.require("animation")?.index()?, t: t as f32 }))
}

fn scene(field: &Field<'_>) -> Result<Option<usize>> {
    field.get("scene").map(|scene| scene.index()).transpose()
}

fn cull(field: &Field<'_>, unknown: &mut Vec<String>) -> Result<Cull> {
    field.object(&["scene", "view_proj", "clip"], unknown)?;
    let clips =
        [("zero_to_one", ClipSpace::ZeroToOne), ("minus_one_to_one", ClipSpace::NegOneToOne)];
    let clip = field.get("clip").map_or(Ok(ClipSpace::ZeroToOne), |clip| clip.keyword(&clips))?;
    let matrix = field.require("view_proj")?;
    let numbers = matrix.numbers::<16>()?.map(|number| number as f32);
    let frustum = Frustum::from_view_projection(&Mat4::from_cols_array(&numbers), clip);
    let frustum = frustum.with_context(|| matrix.path.clone())?;
    Ok(Cull { scene: scene(field)?, frustum })
}

fn grid(field: &Field<'_>, unknown: &mut Vec<String>) -> Result<Grid> {
    const KNOWN: [&str; 8] = ["scene", "pose", "origin", "dir", "du", "dv", "n", "offset"];
    field.object(&KNOWN, unknown)?;
    let pose = match field.get("pose") {
        Some(given) => pose(&given, unknown)?,
        None => None,
    };
    let n = field.get("n").map_or(Ok(1), |n| {
        let count = n.index()?;
        let at = &n.path;
        ensure!(
            (1..=MAX_RAYS_PER_SIDE).contains(&count),
            "{at}: 1 to {MAX_RAYS_PER_SIDE} rays on a side are expected, it is {count}"
        );
        Ok(count)
    })?;
    let step = |key| field.get(key).map_or(Ok(DVec3::ZERO), |it| vector(&it));
    let dir_field = field.require("dir")?;
    let dir = vector(&dir_field)?.as_vec3();
    ensure!(dir != Vec3::ZERO, "{}: a direction is expected, it has no length", dir_field.path);
    let grid = Grid {
        scene: scene(field)?,
        pose,
        dir,
        n,
        origin: vector(&field.require("origin")?)?,
        du: step("du")?,
        dv: step("dv")?,
        offset: field.get("offset").map_or(Ok(DEFAULT_OFFSET), |it| it.numbers())?,
    };
    // What the corners hold all rays between them hold.
    for corner in [0, n - 1, n * n - n, n * n - 1] {
        let at = &field.path;
        ensure!(
            grid.ray_origin(corner).is_finite(),
            "{at}: ray {corner} starts beyond all numbers"
        );
    }
    Ok(grid)
}

/// Three numbers, as 32-bit floats.
fn vector(field: &Field<'_>) -> Result<DVec3> {
    Ok(DVec3::from_array(field.numbers::<3>()?).as_vec3().as_dvec3())
}
