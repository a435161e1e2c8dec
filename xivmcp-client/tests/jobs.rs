//! The job builder: what is an error before anything is sent, and what the messages say.

use serde_json::json;
use xivmcp_client::{JobError, McpJob, McpJobStep};

fn farm() -> McpJobStep {
    McpJobStep::new("myplugin_farm")
}

fn message(job: &McpJob) -> String {
    job.check().unwrap_err().to_string()
}

#[test]
fn a_reference_becomes_a_placeholder_with_the_id_that_the_host_gives() {
    let mut job = McpJob::new("Farm").step(farm().id("first"));
    let second = job.add(farm());
    let third = job.add(farm());
    assert_eq!((second.id(), third.id()), ("s1", "s2"));
    let job = job.step(farm().args(json!({ "list": [{ "deep": format!("sell {}", third.result("drops.0")) }] })));
    let request = job.to_request().unwrap();
    assert_eq!(request.steps[3].args.as_ref().unwrap().get(), r#"{"list":[{"deep":"sell {{s2.drops.0}}"}]}"#);
    assert_eq!(request.check().unwrap().steps[2].id, "s2");
}

#[test]
fn what_is_wrong_with_a_job_is_told_by_step() {
    let later = |args| McpJob::new("Farm").step(farm().args(args)).step(farm());
    let cases = [
        (McpJob::new("Farm"), "`steps` is empty: a job needs at least one step"),
        (McpJob::new(" ").step(farm()), "`name` is blank"),
        (
            McpJob::new("Farm").steps([farm().id("a"), farm().id("a")]),
            "`steps[1].id` is `a`, which steps[0] has already: each step needs an id of its own",
        ),
        (
            McpJob::new("Farm").step(farm()).step(McpJobStep::new("Farm!")),
            "step `s2`: `Farm!` is no tool name: 3 to 64 characters a-z, 0-9 and _, beginning with a letter",
        ),
        (later(json!([1])), "step `s1`: its arguments must be a JSON object: they are an array"),
        (later(json!({ "x": "{{s2.kills}}" })), "step `s1`: `{{s2.kills}}` names a step that does not come before it"),
        (later(json!({ "x": "{{s1.kills}}" })), "step `s1`: `{{s1.kills}}` names a step that does not come before it"),
        (
            later(json!({ "x": ["{{go.kills}}"] })),
            "step `s1`: `{{go.kills}}` names a step that this job does not have; it has s1, s2",
        ),
        (
            McpJob::new("Farm").step(farm().id("a")).step(farm().args(json!({ "x": "{{a.}}" }))),
            "step `s1`: `{{a.}}` is no placeholder: write `{{id.path}}`, the step's id of A-Z a-z 0-9 _ and -, the path \
             of one or more characters but `}`",
        ),
    ];
    for (job, expected) in cases {
        assert_eq!(message(&job), expected);
    }
}

#[derive(serde::Serialize)]
struct Stand {
    at_point: [f32; 2],
}

// R-CLI-10
#[test]
fn the_arguments_of_a_step_are_written_exactly_as_they_are() {
    let raw = xivmcp_client::JsonText::parse(r#"{"b": 1.50, "a": 1e400}"#).unwrap();
    for (step, sent) in [
        (farm().args(Stand { at_point: [1.5, -0.0] }), r#"{"at_point":[1.5,-0.0]}"#),
        (farm().args(raw), r#"{"b": 1.50, "a": 1e400}"#),
    ] {
        let request = McpJob::new("Farm").step(step).to_request();
        assert_eq!(request.unwrap().steps[0].args.as_ref().unwrap().get(), sent);
    }
}

#[test]
fn arguments_that_json_cannot_say_are_an_error_and_none_are_fine() {
    let odd = std::collections::HashMap::from([((1, 2), 3)]);
    let job = McpJob::new("Farm").step(farm().args(odd));
    assert!(matches!(job.check(), Err(JobError::Args { .. })));
    let job = McpJob::new("Farm").step(farm().args(Stand { at_point: [1.0, f32::NAN] }));
    assert_eq!(
        message(&job),
        "step `s1`: its arguments must be a JSON object: at `at_point[1]`: the number is NaN, which JSON does not have"
    );
    let job = McpJob::new("Farm").step(farm().args(None::<u8>));
    assert!(job.to_request().unwrap().steps[0].args.is_none());
}

#[test]
fn text_that_only_looks_like_a_placeholder_stays() {
    let job = McpJob::new("Farm").step(farm()).step(farm().args(json!({ "x": "{{ s1.kills }} {{s1}} {{" })));
    assert_eq!(job.check(), Ok(()));
}
