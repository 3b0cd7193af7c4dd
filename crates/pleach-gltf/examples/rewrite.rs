//! Loads every model below a directory and saves it below another, as `.gltf` and `.glb`:
//! `rewrite IN OUT`. With `--rebuild`, discards the source files and saves only the scenes and
//! animations, as if they had been built in code. CI runs third-party validators on the output.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use pleach_gltf::{Document, ErrorKind, Report};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<String> = env::args().skip(1).collect();
    let is_rebuilt = paths.iter().any(|path| path == "--rebuild");
    paths.retain(|path| path != "--rebuild");
    let [from, to] = &paths[..] else { return Err("usage: rewrite [--rebuild] IN OUT".into()) };
    let mut models = Vec::new();
    find(Path::new(from), &mut models)?;
    models.sort();
    for model in &models {
        let target = Path::new(to).join(model.strip_prefix(from)?);
        let document = match pleach_gltf::load(model) {
            Ok(document) => document,
            Err(error) if error.kind() == ErrorKind::Extension => {
                println!("not written: {error}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let document = if is_rebuilt { rebuilt(document)? } else { document };
        for extension in ["gltf", "glb"] {
            let target = target.with_extension(extension);
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            let report: Report = document.save(target)?;
            print!("{report}");
        }
    }
    println!("{} models loaded", models.len());
    Ok(())
}

/// Returns a document that contains only the scenes and animations.
fn rebuilt(document: Document) -> Result<Document, Box<dyn Error>> {
    let mut bindings = Vec::new();
    for scene in 0..document.scenes().len() {
        for animation in 0..document.animations().len() {
            bindings.push((scene, document.bind(animation, scene)?));
        }
    }
    let mut rebuilt = Document::from_scenes(document.into_scenes());
    for (scene, binding) in bindings {
        rebuilt.add_animation(scene, &binding);
    }
    Ok(rebuilt)
}

fn find(directory: &Path, models: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, models)?;
        } else if path.extension().is_some_and(|it| it == "gltf" || it == "glb") {
            models.push(path);
        }
    }
    Ok(())
}
