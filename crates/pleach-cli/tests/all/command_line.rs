//! The command line itself: help, completions, manual pages, exit codes, colours.

use crate::common::{Directory, command, yard};

const COMMANDS: [&str; 16] = [
    "demo",
    "info",
    "tree",
    "check",
    "stats",
    "render",
    "turntable",
    "pick",
    "cull",
    "convert",
    "diff",
    "copy-node",
    "bench",
    "query",
    "completions",
    "man",
];

#[test]
fn help_lists_every_command_and_each_has_an_example() {
    let here = Directory::new();
    let help = here.run("help").text(0);
    for name in COMMANDS {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in:\n{help}");
        let own = here.run(&format!("{name} --help")).text(0);
        let (_, example) = own.split_once("Example").unwrap_or_else(|| panic!("{name}:\n{own}"));
        assert!(example.contains(&format!("pleach {name}")), "{name}:\n{example}");
        assert!(own.contains("--json"), "{name}:\n{own}");
    }
}

#[test]
fn usage_errors_exit_with_2_and_name_the_valid_values() {
    let here = yard::directory();
    for (line, hint) in [
        ("", "Usage"),
        ("dance", "Usage"),
        ("info", "<FILE>"),
        ("info yard.glb --loud", "--loud"),
        ("render yard.glb", "--output"),
        ("render yard.glb -o yard.bmp", ".png, .apng or .gif"),
        ("render yard.glb -o a.png --size 0x5", "1280x720"),
        ("render yard.glb -o a.png --overlay stars", "wireframe"),
        ("render yard.glb -o a.png --samples 3", "1, 4 or 16"),
        ("render yard.glb -o a.png --time -1", "non-negative"),
        ("render yard.glb -o a.png --from 0,0,0", "not a direction"),
        ("render yard.glb -o a.png --fps 0", "0.1 to 1000"),
        ("render yard.glb -o a.png --exposure -1", "--exposure"),
        ("pick yard.glb", "--ray"),
        ("pick yard.glb --pixel -1,0", "--pixel"),
        ("pick yard.glb --pixel 5,720", "Usage: pleach pick"),
        ("turntable yard.glb -o a.gif --camera eye", "--camera"),
        ("render yard.glb -o a.png --threads -1", "1..=1024"),
        ("render yard.glb -o a.png --background white", "none or three non-negative numbers"),
        ("completions klingon", "bash"),
        ("demo --frames 0", "1..=100000"),
        ("turntable yard.glb -o a.gif --color maybe", "always"),
    ] {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{line} does not contain {hint}: {}", run.stderr);
    }
}

#[test]
fn completions_cover_every_command() {
    let here = Directory::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = here.run(&format!("completions {shell}")).text(0);
        for name in COMMANDS {
            assert!(script.contains(name), "{shell} lacks {name}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_the_program_and_for_each_command() {
    let here = Directory::new();
    assert!(here.run("man").text(0).contains(".TH pleach 1"));
    assert!(here.run("man --out pages").error().contains("use --create-dirs to create it"));
    let wrote = here.run("man --out pages --create-dirs");
    assert_eq!(wrote.text(0), "wrote manual pages to pages\n");
    assert!(here.run("man --json").json(0)["page"].is_string());
    assert!(here.run("completions bash --json").json(0)["script"].is_string());
    for name in COMMANDS {
        let page = std::fs::read_to_string(here.path().join(format!("pages/pleach-{name}.1")));
        assert!(page.unwrap().contains(".SH SYNOPSIS"), "{name}");
    }
}

#[test]
fn colours_are_used_only_on_request() {
    let here = yard::directory();
    assert!(!here.run("tree yard.glb").text(0).contains('\x1b'));
    assert!(here.run("tree yard.glb --color always").text(0).contains('\x1b'));
    let error = here.run("info nothing.glb").error();
    assert!(!error.contains('\x1b') && error.contains("nothing.glb"), "{error}");
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let here = yard::directory();
    let mut child = command()
        .current_dir(here.path())
        .args(["query", "yard.glb", "-"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Closed before the questions are sent, so before anything is written.
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"{}").unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
}
