//! Tests of [`super`].

use serde::de::DeserializeOwned;

use super::*;

/// Reads and writes `json`, which must come out as it went in.
fn round_trip<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let value: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    value
}

#[test]
fn a_job_keeps_what_it_does_not_know_and_leaves_out_what_is_absent() {
    let bare = r#"{"id":"0a1b2c3d","name":"Farm (P)","state":"queued","progress":"0/3","created":"c","updated":"u"}"#;
    let job: Job = round_trip(bare);
    assert_eq!((job.reason, job.current_step, job.extra.len()), (None, None, 0));

    let full = concat!(
        r#"{"id":"0a1b2c3d","name":"Farm (P)","state":"hibernating","reason":"s1 failed","progress":"a third","#,
        r#""currentStep":{"id":"s2","tool":"a_tool","state":"dreaming","since":"t","error":"e","odd":[1]},"#,
        r#""created":"c","updated":"u","big":18446744073709551615,"mood":{"a":null}}"#
    );
    let job: Job = round_trip(full);
    assert_eq!((job.state.as_str(), job.progress_counts()), ("hibernating", None));
    let step = job.current_step.unwrap();
    assert_eq!((step.state.as_str(), step.since.as_deref()), ("dreaming", Some("t")));
    assert_eq!(step.extra["odd"][0], 1);

    let nulls = r#"{"id":"i","name":"n","state":"queued","reason":null,"progress":"0/1","currentStep":null,"created":"c","updated":"u"}"#;
    let job: Job = serde_json::from_str(nulls).unwrap();
    assert_eq!((job.reason, job.current_step), (None, None), "null is absent");
}

#[test]
fn a_description_keeps_arguments_and_results_byte_for_byte() {
    let json = concat!(
        r#"{"id":"0a1b2c3d","name":"Farm","state":"running","progress":"1/2","created":"c","updated":"u","odd":1,"#,
        r#""steps":[{"id":"s1","tool":"a_tool","note":"n","state":"done","args":{"b": 1.50,"a":1e400},"#,
        r#""result":{"z":[ ],"y":0.10},"attempts":1,"new":true},"#,
        r#"{"id":"s2","tool":"b_tool","state":"failed","args":{},"result":null,"error":"e","attempts":2}],"#,
        r#""log":["00:00:00 s1: x"]}"#
    );
    let description: JobDescription = round_trip(json);
    assert_eq!(description.job.extra["odd"], 1);
    assert!(!description.job.extra.contains_key("steps"));
    assert_eq!(description.steps[0].args.get(), r#"{"b": 1.50,"a":1e400}"#);
    assert_eq!(description.steps[0].extra["new"], true);
    assert_eq!(description.steps[1].result, Some(JsonText::null()));
    // As the plain job it still keeps everything that is known to JSON's tree.
    let plain: Job = serde_json::from_str(&json.replace("1e400", "1")).unwrap();
    assert_eq!(plain.extra["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn replies_read_and_write_their_one_field() {
    let job = r#"{"id":"i","name":"n","state":"queued","progress":"0/1","created":"c","updated":"u"}"#;
    round_trip::<JobReply>(&format!(r#"{{"job":{job}}}"#));
    round_trip::<JobsReply>(&format!(r#"{{"jobs":[{job},{job}]}}"#));
    round_trip::<JobsReply>(r#"{"jobs":[]}"#);
}

#[test]
fn progress_is_two_numbers_or_nothing() {
    for (text, expected) in [
        ("1/3", Some(JobProgress::new(1, 3))),
        ("0/0", Some(JobProgress::new(0, 0))),
        ("4294967295/4294967295", Some(JobProgress::new(u32::MAX, u32::MAX))),
        ("", None),
        ("/", None),
        ("1/", None),
        ("/3", None),
        ("1", None),
        ("1/2/3", None),
        ("+1/3", None),
        ("-1/3", None),
        ("1 / 3", None),
        ("4294967296/1", None),
    ] {
        assert_eq!(JobProgress::parse(text), expected, "{text}");
    }
}

// SPEC §9: the states, as they are spelt
#[test]
fn the_states_are_those_of_the_reference() {
    let texts = |all: &[JobState]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    assert_eq!(texts(JobState::ALL), "queued, running, paused, pending, completed, failed, cancelled");
    let texts = |all: &[StepState]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    assert_eq!(texts(StepState::ALL), "queued, running, done, failed, interrupted, skipped");
    for state in JobState::ALL {
        let finished = ["completed", "failed", "cancelled"].contains(&state.as_str());
        assert_eq!(state.is_finished(), finished, "{state}");
    }
    for state in StepState::ALL {
        assert_eq!(state.is_over(), ["done", "skipped"].contains(&state.as_str()), "{state}");
    }
}

#[test]
fn the_schemas_allow_what_they_do_not_know() {
    let schema = serde_json::to_value(schemars::schema_for!(JobDescription)).unwrap();
    assert_eq!(schema["type"], "object");
    assert!(schema["properties"]["currentStep"].is_object() && schema["properties"]["steps"].is_object());
    assert_ne!(schema["additionalProperties"], false);
}
