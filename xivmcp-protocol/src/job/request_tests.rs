//! Tests of [`super`].

use proptest::prelude::*;

use super::*;

fn refusal(json: &str) -> String {
    CheckedJob::parse(json).expect_err(json).to_string()
}

fn steps(ids: &[Option<&str>]) -> Vec<JobStepRequest> {
    let step = |id: &Option<&str>| JobStepRequest { id: id.map(str::to_owned), ..JobStepRequest::new("a_tool") };
    ids.iter().map(step).collect()
}

fn numbered(existing: &[&str], ids: &[Option<&str>]) -> Result<Vec<String>, String> {
    let checked = number_steps(existing, &steps(ids)).map_err(|error| error.to_string())?;
    Ok(checked.into_iter().map(|step| step.id).collect())
}

// R-JOB-1, R-ENV-4
#[test]
fn a_job_that_is_not_as_it_must_be_is_refused_naming_the_field_and_its_value() {
    for (json, expected) in [
        ("[]", "the job must be an object, not []"),
        (r#"["Farm", [{"tool": "a_tool"}]]"#, r#"the job must be an object, not ["Farm", [{"tool": "a_tool"}]]"#),
        ("null", "the job must be an object, not null"),
        (r#""text""#, r#"the job must be an object, not "text""#),
        ("{}", "`name` is missing"),
        (r#"{"name": null, "steps": []}"#, "`name` is missing"),
        (r#"{"name": 5, "steps": []}"#, "`name` must be text, not 5"),
        (r#"{"name": " \t", "steps": [{"tool": "a_tool"}]}"#, "`name` is blank"),
        (r#"{"name": "Farm"}"#, "`steps` is missing"),
        (r#"{"name": "Farm", "steps": null}"#, "`steps` is missing"),
        (r#"{"name": "Farm", "steps": {"tool": "a_tool"}}"#, r#"`steps` must be an array, not {"tool": "a_tool"}"#),
        (r#"{"name": "Farm", "steps": []}"#, "`steps` is empty: a job needs at least one step"),
        (r#"{"name": "Farm", "steps": [["x"]]}"#, r#"`steps[0]` must be an object, not ["x"]"#),
        (r#"{"name": "Farm", "steps": [null]}"#, "`steps[0]` must be an object, not null"),
        (r#"{"name": "Farm", "steps": [{"tool": "a_tool"}, {"id": "b"}]}"#, "`steps[1].tool` is missing"),
        (r#"{"name": "Farm", "steps": [{"tool": ""}]}"#, "`steps[0].tool` is blank"),
        (r#"{"name": "Farm", "steps": [{"tool": ["a"]}]}"#, r#"`steps[0].tool` must be text, not ["a"]"#),
        (r#"{"name": "Farm", "steps": [{"tool": "a_tool", "id": 1}]}"#, "`steps[0].id` must be text, not 1"),
        (r#"{"name": "Farm", "steps": [{"tool": "a_tool", "note": {}}]}"#, "`steps[0].note` must be text, not {}"),
        (r#"{"name": "\ud800", "steps": []}"#, r#"`name` must be text, not "\ud800""#),
    ] {
        assert_eq!(refusal(json), expected);
    }
    for json in ["", "  ", "{", "nonsense", r#"{"name": "a"} x"#] {
        assert!(refusal(json).starts_with("the job is no JSON: "), "{json}");
    }
    let long = refusal(&format!(r#"{{"name": [{}], "steps": []}}"#, "1,".repeat(5_000) + "1"));
    assert!(long.len() < 200 && long.ends_with('…'), "{long}");
}

// R-JOB-1
#[test]
fn args_that_are_no_object_count_as_empty_and_an_object_keeps_its_bytes() {
    for (args, expected) in [
        (r#", "args": {"b": 1.50, "a": [ ]}"#, r#"{"b": 1.50, "a": [ ]}"#),
        (r#", "args": {}"#, "{}"),
        ("", "{}"),
        (r#", "args": null"#, "{}"),
        (r#", "args": []"#, "{}"),
        (r#", "args": "{\"a\": 1}""#, "{}"),
        (r#", "args": 7"#, "{}"),
        (r#", "args": true"#, "{}"),
    ] {
        let job = CheckedJob::parse(&format!(r#"{{"name": "Farm", "steps": [{{"tool": "a_tool"{args}}}]}}"#)).unwrap();
        assert_eq!(job.steps[0].args.get(), expected, "{args}");
    }
}

// R-ENV-3, R-JOB-1
#[test]
fn unknown_fields_are_ignored_and_null_is_absent() {
    let job = CheckedJob::parse(
        r#" {"x": [1], "steps": [{"note": "go", "id": "farm", "tool": "a_tool", "y": null}, {"tool": "b", "id": null, "note": null}], "name": " Farm "}"#,
    )
    .unwrap();
    assert_eq!(job.name, " Farm ");
    assert_eq!((job.steps[0].id.as_str(), job.steps[0].note.as_deref()), ("farm", Some("go")));
    assert_eq!((job.steps[1].id.as_str(), job.steps[1].note.as_deref()), ("s1", None));
    let twice = CheckedJob::parse(r#"{"name": "a", "name": "b", "steps": [{"tool": "a_tool"}]}"#).unwrap();
    assert_eq!(twice.name, "b", "the last of equal keys counts");
}

// R-JOB-2
#[test]
fn steps_without_an_id_are_numbered_counting_only_those() {
    let ids = |ids: &[&str]| Ok(ids.iter().map(ToString::to_string).collect::<Vec<_>>());
    for (existing, sent, expected) in [
        (&[][..], &[None, None][..], ids(&["s1", "s2"])),
        (&[], &[Some("farm"), None, Some("x"), None], ids(&["farm", "s1", "x", "s2"])),
        (&[], &[Some("s2"), None], ids(&["s2", "s1"])),
        (&[], &[Some(""), Some(" ")], ids(&["s1", "s2"])),
        (&[], &[Some("a"), Some("A")], ids(&["a", "A"])),
        // Appended ones go on from the number of steps, whatever ids those have.
        (&["a", "b", "c"], &[None, Some("x"), None], ids(&["s4", "x", "s5"])),
        (&["s1"], &[None], ids(&["s2"])),
        (&["s1"], &[], ids(&[])),
    ] {
        assert_eq!(numbered(existing, sent), expected, "{existing:?} {sent:?}");
    }
}

// R-JOB-2
#[test]
fn an_id_that_is_there_already_is_refused() {
    for (existing, sent, expected) in [
        (
            &[][..],
            &[Some("a"), None, Some("a")][..],
            "`steps[2].id` is `a`, which steps[0] has already: each step needs an id of its own",
        ),
        (
            &[],
            &[Some("s1"), None],
            "`steps[1]` has no `id` and would get `s1`, which steps[0] has already: give it an id of its own",
        ),
        (
            &[],
            &[None, Some("s1")],
            "`steps[1].id` is `s1`, which steps[0] has already: each step needs an id of its own",
        ),
        (
            &["farm"],
            &[Some("farm")],
            "`steps[0].id` is `farm`, which a step of the job has already: each step needs an id of its own",
        ),
        (
            &["s2"],
            &[None],
            "`steps[0]` has no `id` and would get `s2`, which a step of the job has already: give it an id of its own",
        ),
    ] {
        assert_eq!(numbered(existing, sent), Err(expected.to_owned()));
    }
}

#[test]
fn a_request_is_written_without_what_is_absent() {
    let mut step = JobStepRequest::new("a_tool");
    assert_eq!(serde_json::to_string(&step).unwrap(), r#"{"tool":"a_tool"}"#);
    step.id = Some("a".to_owned());
    step.args = Some(JsonText::parse(r#"{"x": 1.50}"#).unwrap());
    step.note = Some("n".to_owned());
    let json = r#"{"name":"Farm","steps":[{"id":"a","tool":"a_tool","args":{"x": 1.50},"note":"n"}]}"#;
    let request = JobRequest::new("Farm", [step]);
    assert_eq!(serde_json::to_string(&request).unwrap(), json);
    assert_eq!(serde_json::from_str::<JobRequest>(json).unwrap(), request);
    assert_eq!(JobRequest::parse(json).unwrap(), request);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        name in r"\PC{1,12}",
        steps in proptest::collection::vec(
            ("[a-z_]{1,8}", proptest::option::of(r"\PC{0,6}"), proptest::option::of(r"[a-z \\]{0,6}"), any::<Option<f64>>()),
            0..6,
        ),
    ) {
        let steps = steps.into_iter().map(|(tool, id, note, number)| JobStepRequest {
            id,
            tool,
            args: number.map(|number| JsonText::from(serde_json::json!({ "a": number }))),
            note,
        });
        let request = JobRequest::new(name, steps);
        let json = serde_json::to_string(&request).unwrap();
        prop_assert_eq!(&JobRequest::parse(&json).unwrap(), &request);
        prop_assert_eq!(serde_json::from_str::<JobRequest>(&json).unwrap(), request);
    }

    #[test]
    fn checked_ids_are_never_blank_and_never_twice(
        existing in proptest::collection::btree_set("[as][0-9]|farm", 0..5),
        sent in proptest::collection::vec(proptest::option::of("[as][0-9]| "), 0..6),
    ) {
        let existing: Vec<String> = existing.into_iter().collect();
        let sent: Vec<_> = sent.iter().map(Option::as_deref).collect();
        if let Ok(checked) = number_steps(&existing, &steps(&sent)) {
            prop_assert_eq!(checked.len(), sent.len());
            let mut all: Vec<_> = existing.iter().chain(checked.iter().map(|step| &step.id)).collect();
            let count = all.len();
            all.sort();
            all.dedup();
            prop_assert_eq!(all.len(), count);
            prop_assert!(checked.iter().all(|step| !step.id.trim().is_empty()));
        }
    }

    #[test]
    fn no_text_panics(text in r#"[{}\[\]":,a-z \\0-9]{0,40}|\PC{0,20}"#) {
        let _ = CheckedJob::parse(&text);
        let _ = JobStepRequest::parse_list(&text);
    }
}
