//! `bench`: the format of its answers, not the speed.

use crate::common::Directory;

const NAMES: [&str; 8] = [
    "all_moved",
    "root_moved",
    "leaves_moved",
    "nothing_moved",
    "reparented",
    "build",
    "cull",
    "pick",
];

#[test]
fn the_json_has_every_workload_with_its_times() {
    let here = Directory::new();
    let answer = here.run("bench --nodes 500 --seconds 0 --json").json(0);
    assert_eq!(answer["nodes"], 500);
    assert!(answer["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0));
    let kernel = answer["machine"]["kernel"].as_str().unwrap();
    assert!(["scalar", "sse2", "avx2", "avx512"].contains(&kernel), "{kernel}");
    let workloads = answer["workloads"].as_array().unwrap();
    let names: Vec<&str> = workloads.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    for row in workloads {
        let mut members: Vec<&String> = row.as_object().unwrap().keys().collect();
        members.sort();
        assert_eq!(members, ["naive_ns", "name", "pleach_ns", "ratio", "spread"], "sorted");
        let number = |member: &str| row[member].as_f64().unwrap();
        let (pleach, naive) = (number("pleach_ns"), number("naive_ns"));
        assert!(pleach > 0.0 && naive > 0.0 && number("spread") >= 0.0, "{row}");
        assert!((number("ratio") - naive / pleach).abs() <= 1e-9 * number("ratio"), "{row}");
    }
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0, "no file was requested");
}

#[test]
fn the_table_has_a_row_per_workload_and_the_chart_is_written() {
    let here = Directory::new();
    let text = here.run("bench --nodes 10 --seconds 0 --svg chart.svg").text(0);
    assert!(text.starts_with("10 nodes, "), "{text}");
    for part in ["naive / pleach", "all nodes moved", "1 % re-parented", "wrote chart.svg"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    let svg = std::fs::read_to_string(here.path().join("chart.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("class=\"pleach\"").count(), NAMES.len());
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 1, "no other file remains");
}

#[test]
fn bad_arguments_are_usage_errors() {
    let here = Directory::new();
    for bad in [
        "--nodes 0",
        "--nodes 9",
        "--nodes -5",
        "--nodes 99999999999",
        "--nodes many",
        "--seconds -1",
        "--seconds nan",
        "--seconds 1e9",
        "--svg",
        "model.glb",
    ] {
        let run = here.run(&format!("bench {bad}"));
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{bad}: {}", run.stderr);
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn an_unwritable_chart_is_an_error_before_measuring() {
    let here = Directory::new();
    here.write("file", "");
    for path in ["file/chart.svg", "..", ""] {
        let arguments = ["bench", "--nodes", "10", "--seconds", "0", "--svg", path];
        let run = here.run_args(&arguments);
        if path.is_empty() && run.code == Some(2) {
            continue; // clap rejects an empty path itself
        }
        let error = run.error();
        assert!(error.contains("cannot write"), "{error}");
    }
}
