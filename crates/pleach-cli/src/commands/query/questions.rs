//! The questions about a model, parsed from JSON.
//!
//! Every number is finite, every view-projection matrix has a frustum and every ray a direction;
//! otherwise parsing fails with the path of the value. `check` verifies that the model has the
//! referenced objects.

use anyhow::{Context, Result, bail, ensure};
use glam::{DVec3, Mat4, Vec3};
use pleach::{ClipSpace, Frustum};
use serde_json::Value;

use super::field::Field;
use super::model::Model;

/// The maximum number of rays per side of a grid, and in all grids together.
const MAX_RAYS_PER_SIDE: usize = 4096;
const MAX_RAYS: usize = 1 << 25;
/// The maximum number of matrices of nodes and joints in all poses together.
const MAX_MATRICES: usize = 1 << 23;
/// The maximum number of nodes times views.
const MAX_CULL_TESTS: usize = 1 << 27;
/// The default position of a ray in its grid cell.
const DEFAULT_OFFSET: [f64; 2] = [0.37, 0.61];

/// The questions.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) up: Up,
    pub(crate) poses: Vec<Option<Pose>>,
    pub(crate) culls: Vec<Cull>,
    pub(crate) grids: Vec<Grid>,
}

/// The up axis of questions and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// The file's axis.
    Y,
    /// The axis of pleach.
    Z,
}

/// A time in an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) animation: usize,
    pub(crate) t: f32,
}

/// A culling question.
#[derive(Debug)]
pub(crate) struct Cull {
    /// The index of the scene; the default scene if `None`.
    pub(crate) scene: Option<usize>,
    pub(crate) frustum: Frustum,
}

/// A grid of `n` × `n` parallel rays.
#[derive(Debug)]
pub(crate) struct Grid {
    /// The index of the scene; the default scene if `None`.
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
    /// Returns the origin of ray `k`.
    pub(crate) fn ray_origin(&self, k: usize) -> Vec3 {
        let (i, j) = ((k % self.n) as f64, (k / self.n) as f64);
        let origin = self.origin + (i + self.offset[0]) * self.du + (j + self.offset[1]) * self.dv;
        origin.as_vec3()
    }
}

impl Questions {
    /// Parses the questions and returns them with the paths of unknown members.
    pub(crate) fn parse(text: &str) -> Result<(Self, Vec<String>)> {
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text).context("invalid JSON")?;
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
            ensure!(rays <= MAX_RAYS, "{at}: {rays} rays so far; the maximum is {MAX_RAYS}");
            questions.grids.push(grid);
        }
        Ok((questions, unknown))
    }

    /// Checks that the model has the referenced scenes and animations, and that the answers are not
    /// too large.
    pub(crate) fn check(&self, model: &Model<'_>) -> Result<()> {
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
            "poses: {poses} poses of {nodes} nodes and {joints} joints are too many; split them into \
             several calls of at most {MAX_MATRICES} matrices"
        );
        ensure!(
            views.saturating_mul(nodes) <= MAX_CULL_TESTS,
            "culls: {views} views of {nodes} nodes are too many; split them into several calls"
        );
        Ok(())
    }
}

/// Checks that `index` is less than `count`.
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
            "{at}: expected 1 to {MAX_RAYS_PER_SIDE} rays per side, found {count}"
        );
        Ok(count)
    })?;
    let step = |key| field.get(key).map_or(Ok(DVec3::ZERO), |it| vector(&it));
    let dir_field = field.require("dir")?;
    let dir = vector(&dir_field)?.as_vec3();
    ensure!(dir != Vec3::ZERO, "{}: expected a direction, its length is zero", dir_field.path);
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
    // If the corners are finite, so are all rays between them.
    for corner in [0, n - 1, n * n - n, n * n - 1] {
        let at = &field.path;
        let is_finite = grid.ray_origin(corner).is_finite();
        ensure!(is_finite, "{at}: the origin of ray {corner} is out of range");
    }
    Ok(grid)
}

/// Returns three numbers rounded to f32.
fn vector(field: &Field<'_>) -> Result<DVec3> {
    Ok(DVec3::from_array(field.numbers::<3>()?).as_vec3().as_dvec3())
}
