//! Render lists: columns of draws, sorted for a renderer.

use pleach::RenderList;
use pleach::render_list::Draw;
use pleach_spatial::Visible;
use wasm_bindgen::prelude::*;

use super::assets::id_number;
use super::view::view;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::tree::live;
use crate::worlds::{edit, read};

const WHAT: &str = "render list";
/// The value of a column in rows without a value.
const NONE: u32 = u32::MAX;

/// A render list with its columns.
#[derive(Debug, Default)]
pub(crate) struct List {
    list: RenderList,
    visible: Visible,
    version: Option<u64>,
    opaque: Columns,
    transparent: Columns,
    batches: Vec<u32>,
}

/// One row per draw.
#[derive(Debug, Default)]
struct Columns {
    slots: Vec<u32>,
    parts: Vec<u32>,
    geometries: Vec<f64>,
    materials: Vec<f64>,
    palettes: Vec<u32>,
    flags: Vec<u8>,
    depths: Vec<f32>,
    /// First index or vertex and end of each draw; `NONE` for all of the geometry.
    groups: Vec<u32>,
    /// First and end of each draw's part of the instances.
    instances: Vec<u32>,
}

impl Columns {
    fn fill(&mut self, draws: &[Draw]) {
        let Self { slots, parts, geometries, materials, palettes, .. } = self;
        let Self { flags, depths, groups, instances, .. } = self;
        slots.clear();
        parts.clear();
        geometries.clear();
        materials.clear();
        palettes.clear();
        flags.clear();
        depths.clear();
        groups.clear();
        instances.clear();
        for draw in draws {
            slots.push(draw.node.index() as u32);
            parts.push(draw.part);
            geometries.push(id_number(draw.geometry));
            materials.push(id_number(draw.material));
            palettes.push(draw.joint_matrices.unwrap_or(NONE));
            let flag = |flag, bit: u8| if flag { bit } else { 0 };
            flags.push(
                flag(draw.flipped, 1) | flag(draw.receive_shadow, 2) | flag(draw.is_static, 4),
            );
            depths.push(draw.depth);
            let group = draw.group.clone();
            groups.extend(group.map_or([NONE, NONE], |group| [group.start, group.end]));
            instances.extend([draw.instances.start, draw.instances.end]);
        }
    }

    fn address(&self, which: u32) -> *const u8 {
        match which {
            0 => self.slots.as_ptr().cast(),
            1 => self.parts.as_ptr().cast(),
            2 => self.geometries.as_ptr().cast(),
            3 => self.materials.as_ptr().cast(),
            4 => self.palettes.as_ptr().cast(),
            5 => self.flags.as_ptr(),
            6 => self.depths.as_ptr().cast(),
            7 => self.groups.as_ptr().cast(),
            _ => self.instances.as_ptr().cast(),
        }
    }
}

/// Creates a render list of a world, and returns its number.
#[wasm_bindgen]
pub fn render_list_new(world: u32) -> f64 {
    number(edit(world, |world| Ok(f64::from(world.extra.lists.insert(List::default())))))
}

/// Frees a render list.
#[wasm_bindgen]
pub fn render_list_free(world: u32, list: u32) {
    // A world that was freed has no lists.
    let _ = edit(world, |world| Ok(world.extra.lists.remove(list)));
}

/// Updates the world, and builds a render list for a camera. Nothing is copied if it is the same as before.
#[wasm_bindgen]
pub fn render_list_build(
    world: u32,
    list: u32,
    slot: u32,
    generation: u32,
    width: f32,
    height: f32,
) -> u32 {
    status(edit(world, |world| {
        let camera = live(slot, generation)?;
        world.update()?;
        let view = view(world, camera, width, height)?;
        let it = world.extra.lists.get_mut(list, WHAT)?;
        world.scene.cull(&view, &mut it.visible);
        it.list.build(&world.scene, &it.visible, &view);
        if it.version.replace(it.list.version()) == Some(it.list.version()) {
            return Ok(());
        }
        it.opaque.fill(it.list.opaque());
        it.transparent.fill(it.list.transparent());
        it.batches.clear();
        let mut start = 0;
        for batch in it.list.batches() {
            let end = start + batch.len() as u32;
            it.batches.extend([start, end]);
            start = end;
        }
        Ok(())
    }))
}

fn with<R>(world: u32, list: u32, f: impl FnOnce(&List) -> R) -> Result<R, Fault> {
    read(world, |world| Ok(f(world.extra.lists.get(list, WHAT)?)))
}

/// Returns a number of a render list: 0 opaque draws, 1 transparent draws, 2 elements of the batches (pairs of first and
/// end of opaque draws), 3 instances, 4 the version of the static draws.
#[wasm_bindgen]
pub fn render_list_number(world: u32, list: u32, which: u32) -> f64 {
    let count = with(world, list, |it| match which {
        0 => it.opaque.slots.len() as f64,
        1 => it.transparent.slots.len() as f64,
        2 => it.batches.len() as f64,
        3 => it.list.instances().len() as f64,
        _ => it.list.static_version() as f64,
    });
    number(count)
}

/// Returns the address of a column of the opaque or transparent draws: 0 slot, 1 part, 2 geometry (64-bit float), 3
/// material (64-bit float), 4 first joint matrix, 5 flags (bytes: 1 flipped, 2 receives shadows, 4 static), 6 depth
/// (float), 7 pairs of a group, 8 pairs of instances; or of the batches (9) and instances (10).
#[wasm_bindgen]
pub fn render_list_column(world: u32, list: u32, transparent: bool, which: u32) -> u32 {
    with(world, list, |it| {
        let address = match which {
            9 => it.batches.as_ptr().cast(),
            10 => it.list.instances().as_ptr().cast(),
            _ if transparent => it.transparent.address(which),
            _ => it.opaque.address(which),
        };
        address as usize as u32
    })
    .unwrap_or(0)
}
