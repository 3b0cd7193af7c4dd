//! The text output of `pleach info`.

use super::Info;
use crate::input::resolve;
use crate::report::bounds::Bounds;
use crate::report::labels::Quoted;
use crate::report::output::{BOLD, DIM, GOOD, OneLine, Output, Styled, WARN};
use crate::report::units::{bytes, count, number, point, seconds, size};

pub(super) fn print(info: &Info, output: &mut Output) -> anyhow::Result<()> {
    let format = if info.format == "glb" { "binary glTF" } else { "glTF" };
    let buffers = match info.format {
        "glb" => String::new(),
        _ => format!(", with {} of buffers", bytes(info.buffer_bytes as usize)),
    };
    output.line(format_args!(
        "{}  {format} {}, {}{buffers}",
        Styled(BOLD, OneLine(&info.file)),
        OneLine(&info.version),
        bytes(info.bytes as usize),
    ))?;
    let counts = &info.counts;
    let mut rows = Rows { output };
    rows.row("generator", info.generator.as_deref().map(|it| OneLine(it).to_string()))?;
    rows.row("copyright", info.copyright.as_deref().map(|it| OneLine(it).to_string()))?;
    rows.row("extensions", extensions(info))?;
    rows.list("scenes", scenes(info))?;
    rows.row("nodes", Some(nodes(info)))?;
    rows.row("meshes", when_any(counts.meshes, || meshes(info)))?;
    rows.row("materials", when_any(counts.materials, || materials(info)))?;
    rows.list("images", images(info))?;
    rows.row(
        "skins",
        when_any(counts.skins, || {
            format!("{}, {}", count(counts.skins, "skin"), count(counts.joints, "joint"))
        }),
    )?;
    rows.list("animations", animations(info))?;
    rows.list(
        "cameras",
        info.cameras.iter().map(|it| format!("{}, {}", entry(it.index, &it.name), it.kind)),
    )?;
    rows.list("lights", lights(info))?;
    rows.list("variants", info.variants.iter().map(|name| Quoted(name).to_string()))?;
    rows.row("bounds", info.bounds.as_ref().map(bounds))?;
    let warnings = match info.warnings {
        0 => Styled(GOOD, "none".to_string()),
        some => Styled(WARN, format!("{some} (see `pleach check {}`)", OneLine(&info.file))),
    };
    rows.row("warnings", Some(warnings.to_string()))
}

/// Lines with a heading and a text.
struct Rows<'a> {
    output: &'a mut Output,
}

impl Rows<'_> {
    fn row(&mut self, what: &str, text: Option<String>) -> anyhow::Result<()> {
        let Some(text) = text else { return Ok(()) };
        self.output.line(format_args!("{}  {text}", Styled(DIM, format_args!("{what:<10}"))))
    }

    /// Prints a line for each of the first entries.
    fn list(
        &mut self,
        what: &str,
        lines: impl ExactSizeIterator<Item = String>,
    ) -> anyhow::Result<()> {
        const MAX_LINES: usize = 12;
        let all = lines.len();
        for (number, line) in lines.take(MAX_LINES).enumerate() {
            self.row(if number == 0 { what } else { "" }, Some(line))?;
        }
        if all > MAX_LINES {
            self.row("", Some(format!("… and {} more", all - MAX_LINES)))?;
        }
        Ok(())
    }
}

fn when_any(count: usize, text: impl FnOnce() -> String) -> Option<String> {
    (count > 0).then(text)
}

/// Formats the index and name of an entry: `3 "name"`.
fn entry(index: usize, name: &Option<String>) -> String {
    match name {
        Some(name) => format!("{index} {}", Quoted(name)),
        None => index.to_string(),
    }
}

fn extensions(info: &Info) -> Option<String> {
    let is_required = |name: &String| info.extensions_required.contains(name);
    let names = info.extensions_used.iter().map(|name| match is_required(name) {
        true => format!("{} (required)", OneLine(name)),
        false => OneLine(name).to_string(),
    });
    when_any(info.extensions_used.len(), || resolve::join_truncated(names))
}

fn scenes(info: &Info) -> impl ExactSizeIterator<Item = String> {
    info.scenes.iter().map(|scene| {
        let mut text = entry(scene.index, &scene.name);
        if scene.default && info.scenes.len() > 1 {
            text += " (default)";
        }
        text += &format!(
            ", {} on {}, {}",
            count(scene.nodes, "node"),
            count(scene.levels, "level"),
            count(scene.triangles, "triangle"),
        );
        if let Some(bounds) = &scene.bounds {
            text += &format!(", {}", size(&bounds.aabb()));
        }
        text
    })
}

fn nodes(info: &Info) -> String {
    match info.unreferenced {
        0 => count(info.counts.nodes, "node"),
        unreferenced => {
            format!("{}, {unreferenced} not in any scene", count(info.counts.nodes, "node"))
        }
    }
}

fn meshes(info: &Info) -> String {
    let counts = &info.counts;
    format!(
        "{}, {}, {}, {}",
        count(counts.meshes, "mesh"),
        count(counts.primitives, "primitive"),
        count(counts.triangles, "triangle"),
        count(counts.vertices, "vertex"),
    )
}

fn materials(info: &Info) -> String {
    let counts = &info.counts;
    match counts.textures {
        0 => count(counts.materials, "material"),
        textures => {
            format!("{}, {}", count(counts.materials, "material"), count(textures, "texture"))
        }
    }
}

fn images(info: &Info) -> impl ExactSizeIterator<Item = String> {
    info.images.iter().map(|image| {
        let mut text = entry(image.index, &image.name);
        if let Some(uri) = &image.missing {
            // A broken data URI may be long.
            let uri: String = uri.chars().take(60).collect();
            return text + &format!(", {} is missing", Quoted(&uri));
        }
        if let Some(mime) = &image.mime {
            text += &format!(", {}", OneLine(mime));
        }
        if let (Some(width), Some(height)) = (image.width, image.height) {
            text += &format!(", {width} × {height} pixels");
        }
        text + &format!(", {}", bytes(image.bytes))
    })
}

fn animations(info: &Info) -> impl ExactSizeIterator<Item = String> {
    info.animations.iter().map(|it| {
        format!(
            "{}, {}, {} on {}",
            entry(it.index, &it.name),
            seconds(it.seconds),
            count(it.channels, "channel"),
            count(it.nodes, "node"),
        )
    })
}

fn lights(info: &Info) -> impl ExactSizeIterator<Item = String> {
    info.lights.iter().map(|it| {
        let unit = if it.kind == "directional" { "lx" } else { "cd" };
        format!("{}, {}, {} {unit}", entry(it.index, &it.name), it.kind, number(it.intensity))
    })
}

fn bounds(bounds: &Bounds) -> String {
    let aabb = bounds.aabb();
    format!("{}, from {} to {}", size(&aabb), point(aabb.min), point(aabb.max))
}
