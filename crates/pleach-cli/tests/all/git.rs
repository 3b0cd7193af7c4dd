//! The settings of docs/version-control.md, tried in a real repository.
//!
//! The settings are read from the document itself, so that it cannot differ from what is tested.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Directory, yard};
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../../../docs/version-control.md");

/// Returns the code block after the line that contains `heading`.
fn block(heading: &str) -> &'static str {
    let after = DOCUMENT.split_once(heading).unwrap_or_else(|| panic!("no {heading}")).1;
    let code = after.split_once("```").unwrap().1.split_once('\n').unwrap().1;
    code.split_once("```").unwrap().0
}

/// A repository with the settings of the document.
struct Repository {
    directory: Directory,
}

struct Output {
    code: Option<i32>,
    text: String,
}

impl Repository {
    /// Returns `None`, with a printed notice, if git is not installed and not required.
    fn new() -> Option<Self> {
        let has_git = Command::new("git").arg("--version").stdout(Stdio::null()).status();
        if !has_git.is_ok_and(|it| it.success()) {
            assert!(std::env::var_os("CI").is_none(), "git is not installed");
            eprintln!("SKIPPED: git is not installed");
            return None;
        }
        let here = Self { directory: Directory::new() };
        here.git("init --quiet --initial-branch=main");
        here.git("config user.name test");
        here.git("config user.email test@example.com");
        here.git("config commit.gpgsign false");
        here.directory.write(".gitattributes", block("`.gitattributes`"));
        for line in
            block("everybody runs these once").lines().filter(|it| it.starts_with("git config"))
        {
            here.shell(line);
        }
        Some(here)
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, mut command: Command) -> Output {
        // The program is found as users find it.
        let program = Path::new(env!("CARGO_BIN_EXE_pleach")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(program.to_path_buf()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(path).unwrap()).current_dir(self.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE").env("GIT_PAGER", "cat");
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        Output { code: output.status.code(), text: String::from_utf8(text).unwrap() }
    }

    fn try_git(&self, line: &str) -> Output {
        let mut command = Command::new("git");
        command.args(line.split_whitespace());
        self.run(command)
    }

    #[track_caller]
    fn git(&self, line: &str) -> String {
        let output = self.try_git(line);
        assert_eq!(output.code, Some(0), "git {line}: {}", output.text);
        output.text
    }

    #[track_caller]
    fn shell(&self, line: &str) {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        let output = self.run(command);
        assert_eq!(output.code, Some(0), "{line}: {}", output.text);
    }

    /// Writes a model, as .glb, and commits it.
    #[track_caller]
    fn commit(&self, json: &Value) {
        self.directory.write("model.gltf", json.to_string());
        self.directory.run("convert model.gltf yard.glb").text(0);
        fs::remove_file(self.path().join("model.gltf")).unwrap();
        self.git("add .gitattributes yard.glb");
        self.git("commit --quiet -m edit");
    }

    fn model(&self) -> Value {
        self.directory.run("convert yard.glb out.gltf --force").text(0);
        serde_json::from_slice(&fs::read(self.path().join("out.gltf")).unwrap()).unwrap()
    }
}

/// Commits the yard, and one edit of it in each of the branches `main` and `other`.
fn branches(ours: impl FnOnce(&mut Value), theirs: impl FnOnce(&mut Value)) -> Option<Repository> {
    let repository = Repository::new()?;
    let (base, bytes) = yard::yard();
    repository.directory.write("yard.bin", bytes);
    repository.commit(&base);
    repository.git("checkout --quiet -b other");
    let mut model = base.clone();
    theirs(&mut model);
    repository.commit(&model);
    repository.git("checkout --quiet main");
    let mut model = base;
    ours(&mut model);
    repository.commit(&model);
    Some(repository)
}

#[test]
fn git_merges_models() {
    let branches = branches(
        |ours| ours["nodes"][1]["translation"] = json!([9, 1, 0]),
        |theirs| {
            theirs["nodes"][1]["extras"] = json!({"price": 3});
            theirs["materials"][1]["doubleSided"] = json!(false);
        },
    );
    let Some(repository) = branches else { return };
    repository.git("merge --quiet --no-edit other");
    let merged = repository.model();
    assert_eq!(merged["nodes"][1]["translation"], json!([9, 1, 0]));
    assert_eq!(merged["nodes"][1]["extras"], json!({"price": 3}));
    assert_eq!(merged["materials"][1]["doubleSided"], false);
}

#[test]
fn git_reports_conflicts_and_leaves_our_model() {
    let branches = branches(
        |ours| ours["nodes"][1]["translation"] = json!([9, 1, 0]),
        |theirs| theirs["nodes"][1]["translation"] = json!([8, 1, 0]),
    );
    let Some(repository) = branches else { return };
    let merge = repository.try_git("merge --no-edit other");
    assert_eq!(merge.code, Some(1), "{}", merge.text);
    let conflict =
        "! changed    nodes #1 yard/shed translation: base [2,1,0], ours [9,1,0], theirs [8,1,0]";
    assert!(merge.text.contains(conflict), "{}", merge.text);
    assert!(merge.text.contains("CONFLICT"), "{}", merge.text);
    assert_eq!(repository.git("status --short yard.glb").trim(), "UU yard.glb");
    assert_eq!(repository.model()["nodes"][1]["translation"], json!([9, 1, 0]));
}

#[test]
fn git_shows_differences_of_models() {
    let branches = branches(
        |ours| ours["nodes"][1]["translation"] = json!([9, 1, 0]),
        |theirs| theirs["nodes"][1]["name"] = json!("hut"),
    );
    let Some(repository) = branches else { return };
    let diff = repository.git("diff HEAD~1 -- yard.glb");
    assert!(diff.contains("~ moved      scene 0: yard/shed #1: 7 m"), "{diff}");
    let log = repository.git("log -p --ext-diff -1 other -- yard.glb");
    assert!(log.contains("~ renamed    scene 0: yard/shed #1: \"shed\" → \"hut\""), "{log}");
    // An added file has nothing to compare with.
    repository.git("log -p --ext-diff main");
}
