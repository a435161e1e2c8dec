//! The conformance scenarios under `tests/scenarios`: all of them hold, and every rule of SPEC §1 to §10 and §12 is named by
//! one of them, or by a Rust test where a scenario cannot go.
//!
//! A rule is named in a comment line, `# R-CALL-4: …`, before the steps that exercise it; at least one of those must expect
//! something, or it could not fail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use xivmcp_mock_host::scenario::Scenario;

/// What a scenario cannot reach, why, and the test that covers it: file (from the workspace's root) and function.
const ELSEWHERE: &[(&str, &str, &str, &str)] = &[
    (
        "R-IPC-3",
        "the gates that scenarios call take text, into which every value of a scenario can be converted",
        "tests/tests/rules/ipc.rs",
        "a_wrong_number_of_arguments_and_a_value_that_cannot_be_converted_fail",
    ),
    (
        "R-IPC-5",
        "a subscriber of a scenario never fails",
        "tests/tests/rules/ipc.rs",
        "subscribers_are_called_in_their_order_and_one_that_fails_stops_those_after_it",
    ),
    ("R-IPC-8", "a scenario has one thread", "tests/tests/rules/ipc.rs", "any_thread_may_call_any_gate_at_any_time"),
    (
        "R-CALL-5",
        "a scenario cannot ask which thread it is on",
        "tests/tests/rules/calls.rs",
        "invoke_runs_on_the_framework_thread_and_arguments_are_passed_on_as_sent",
    ),
    (
        "R-CALL-9",
        "a scenario cannot ask which thread it is on",
        "tests/tests/rules/calls_ending.rs",
        "cancelling_calls_cancel_on_the_framework_thread_and_waits_two_minutes",
    ),
    (
        "R-CALL-11",
        "outcomes in scenarios are raw, without marks and cuts",
        "xivmcp-mock-host/tests/server/mcp.rs",
        "a_long_result_is_cut",
    ),
    (
        "R-CALL-11",
        "what a scenario lists is without marks and cuts",
        "xivmcp-mock-host/src/core/marks.rs",
        "long_words_of_a_plugin_are_cut_and_all_are_marked",
    ),
    (
        "R-TIME-3",
        "it is the client that polls, and scenarios have none",
        "tests/tests/rules/client_calls.rs",
        "an_approval_is_polled_every_250_ms_until_it_is_no_longer_pending",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The scenarios: name and text, in the order of their names.
fn scenarios() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.iter().map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), read(file))).collect()
}

/// The rule numbers in a text, `R-WORD-12`, and with `R-TIME-1…5` each of them.
fn rules_in(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in text.split("R-").skip(1) {
        let Some((word, rest)) = part.split_once('-') else { continue };
        if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
            continue;
        }
        let (first, rest) = number(rest);
        let Some(first) = first else { continue };
        let last = rest.strip_prefix('…').and_then(|rest| number(rest).0).unwrap_or(first);
        found.extend((first..=last).map(|rule| format!("R-{word}-{rule}")));
    }
    found
}

/// The digits that a text begins with, as a number, and what follows.
fn number(text: &str) -> (Option<u32>, &str) {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    (digits.parse().ok(), rest)
}

/// The rules that SPEC §1 to §10 and §12 define: bullets that begin with a number, and the numbers of §12's table.
fn rules_of_the_spec() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    let mut section = 0;
    for line in read(&root().join("docs/SPEC.md")).lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = number(title).0.unwrap_or(0);
        }
        let defines = line.strip_prefix("- ").filter(|rest| rest.starts_with("R-"));
        match (section, defines) {
            (1..=10, Some(rule)) => rules.extend(rules_in(rule.split(' ').next().unwrap_or_default())),
            (12, _) if line.starts_with("R-") => rules.extend(rules_in(line)),
            _ => {}
        }
    }
    rules
}

/// The rules that a scenario names before a step that could fail; and the lines that name some before none.
fn rules_of_a_scenario(text: &str) -> (BTreeSet<String>, Vec<usize>) {
    let (mut rules, mut idle) = (BTreeSet::new(), Vec::new());
    let mut named: Option<(usize, BTreeSet<String>)> = None;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("# R-") {
            idle.extend(named.take().map(|(line, _)| line));
            let numbers = line.split(':').next().unwrap_or_default();
            named = Some((index + 1, rules_in(numbers)));
        } else if !line.starts_with('#')
            && line.contains("\"expect\":")
            && let Some((_, exercised)) = named.take()
        {
            rules.extend(exercised);
        }
    }
    idle.extend(named.map(|(line, _)| line));
    (rules, idle)
}

#[test]
fn every_scenario_holds() {
    let scenarios = scenarios();
    let sections = ["01-", "02-", "03-", "04-", "05-", "06-", "07-", "08-", "09-", "10-", "12-"];
    for section in sections {
        assert!(scenarios.iter().any(|(name, _)| name.starts_with(section)), "no scenario {section}*.jsonl");
    }
    let mut wrong = Vec::new();
    for (name, text) in &scenarios {
        let scenario = Scenario::parse(text).unwrap_or_else(|bad| panic!("{name}: {bad}"));
        let mut played = 0;
        wrong.extend(scenario.play(|_| played += 1).iter().map(|mismatch| format!("{name}: {mismatch}")));
        assert_eq!(played, scenario.len(), "{name}: every step was played");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_is_named_by_a_scenario_or_by_the_test_that_covers_it() {
    let spec = rules_of_the_spec();
    // Were the reading of SPEC.md broken, everything would be covered.
    for known in ["R-IPC-1", "R-ENV-3", "R-OWN-4", "R-AUD-1", "R-JOB-13", "R-DEP-7", "R-TIME-1", "R-TIME-5"] {
        assert!(spec.contains(known), "{known} was not found in SPEC.md");
    }
    assert!(!spec.contains("R-CLI-1"), "§11 is the client's");
    let mut covered: BTreeMap<String, &str> = BTreeMap::new();
    let scenarios = scenarios();
    for (name, text) in &scenarios {
        let (rules, idle) = rules_of_a_scenario(text);
        assert!(idle.is_empty(), "{name}: no step that expects something follows the rules named in lines {idle:?}");
        covered.extend(rules.into_iter().map(|rule| (rule, name.as_str())));
    }
    for (rule, name) in &covered {
        assert!(spec.contains(rule), "{name} names {rule}, which SPEC.md does not define");
    }
    covered.extend(ELSEWHERE.iter().map(|(rule, _, file, _)| ((*rule).to_owned(), *file)));
    let missing: Vec<&String> = spec.iter().filter(|rule| !covered.contains_key(*rule)).collect();
    assert!(missing.is_empty(), "neither a scenario nor the list names {missing:?}");
}

#[test]
fn the_tests_that_stand_in_for_scenarios_exist_and_run() {
    let spec = rules_of_the_spec();
    for (rule, _, file, function) in ELSEWHERE {
        assert!(spec.contains(*rule), "SPEC.md does not define {rule}");
        let text = read(&root().join(file));
        let head = format!("fn {function}(");
        let Some(place) = text.find(&head) else { panic!("{rule}: {file} has no test {function}") };
        let attributes = text[..place].rsplit("\n\n").next().unwrap_or_default();
        assert!(attributes.contains("#[test]"), "{rule}: {function} in {file} is no test");
        assert!(!attributes.contains("#[ignore"), "{rule}: {function} in {file} is left out");
    }
}

#[test]
fn the_reading_of_rules_reads_them() {
    let names = |text| rules_in(text).into_iter().collect::<Vec<_>>();
    assert_eq!(names("R-TIME-1…3, and R-JOB-12 both"), ["R-JOB-12", "R-TIME-1", "R-TIME-2", "R-TIME-3"]);
    assert_eq!(names("R-, R-x-1, R-JOB-, XR-OWN-2"), ["R-OWN-2"]);
    let (rules, idle) = rules_of_a_scenario(
        "# R-A-1, R-B-2: x\n{}\n{\"expect\": 1}\n# R-C-3: idle\n{}\n# R-D-4: R-E-5\n{\"expect\": 1}",
    );
    assert_eq!(
        (rules.into_iter().collect::<Vec<_>>(), idle),
        (vec!["R-A-1".into(), "R-B-2".into(), "R-D-4".into()], vec![4])
    );
}
