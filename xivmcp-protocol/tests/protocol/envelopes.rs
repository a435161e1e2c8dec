//! The envelope, R-ENV-1 to R-ENV-3.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use xivmcp_protocol::{EnvelopeError, HostError, JsonText, NoFields, Reply, UnregisterToolReply, envelope};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Payload {
    text: String,
    raw: JsonText,
}

#[test]
fn a_payload_comes_back_as_it_went() {
    // R-ENV-1
    let payload = Payload { text: "a\"b\u{0}🐤".to_owned(), raw: JsonText::parse("{ \"x\":1.50,\"x\":2 }").unwrap() };
    let json = envelope::ok(&payload);
    assert_eq!(json, r#"{"ok":true,"text":"a\"b\u0000🐤","raw":{ "x":1.50,"x":2 }}"#);
    assert_eq!(Reply::<Payload>::parse(&json), Ok(payload));
}

#[test]
fn unknown_fields_of_a_reply_are_ignored() {
    // R-ENV-3
    let json = r#" {"news":[1,{}],"removed":true,"ok":true,"more":null} "#;
    assert!(Reply::<UnregisterToolReply>::parse(json).unwrap().removed);
}

#[test]
fn a_refusal_gives_the_hosts_sentence() {
    // R-ENV-1
    let refused = |json: &str| match Reply::<UnregisterToolReply>::parse(json) {
        Err(EnvelopeError::Refused(error)) => error.into_message(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(r#"{"ok":false,"error":"no tool `fish`","removed":true}"#), "no tool `fish`");
    assert_eq!(refused(r#"{"ok":false,"error":{"code":1}}"#), r#"{"code":1}"#);
    assert_eq!(refused(r#"{"ok":false,"error":null}"#), "null");
    assert_eq!(refused(r#"{"ok":false}"#), "XIV MCP refused and gave no reason");
}

#[test]
fn what_is_no_envelope_is_told_apart_from_a_refusal() {
    for (reply, why) in [
        ("", "not valid JSON: EOF while parsing a value at line 1 column 0"),
        ("null", "it is no JSON object"),
        ("[true]", "it is no JSON object"),
        ("sorry", "not valid JSON: expected value at line 1 column 1"),
        ("{}", "`ok` is missing"),
        (r#"{"ok":null}"#, "`ok` is neither true nor false"),
        (r#"{"ok":"true"}"#, "`ok` is neither true nor false"),
        (r#"{"ok":1,"error":"x"}"#, "`ok` is neither true nor false"),
        (r#"{"ok":true}"#, "missing field `removed` at line 1 column 11"),
        (r#"{"ok":true"#, "not valid JSON: EOF while parsing an object at line 1 column 10"),
    ] {
        let error = Reply::<UnregisterToolReply>::parse(reply).unwrap_err();
        assert_eq!(error, EnvelopeError::Malformed { reason: why.to_owned(), reply: reply.to_owned() });
        assert_eq!(error.to_string(), format!("XIV MCP's reply cannot be read: {why}. It was: {reply}"));
    }
}

#[test]
fn a_huge_reply_is_cut_in_the_message() {
    let reply = "x".repeat(1_000_000);
    assert!(Reply::<NoFields>::parse(&reply).unwrap_err().to_string().len() < 500);
}

#[test]
fn a_payload_that_json_cannot_say_is_still_an_envelope() {
    // R-ENV-2
    let odd = BTreeMap::from([((1, 2), "a map with keys that are no texts")]);
    assert_eq!(
        envelope::ok(&odd),
        r#"{"ok":false,"error":"the reply cannot be written as JSON: key must be a string"}"#
    );
    assert_eq!(envelope::ok(&[1]), r#"{"ok":false,"error":"the reply is no object: [1]"}"#);
}

#[test]
fn a_result_becomes_a_reply() {
    let reply: Reply<NoFields> = Err(HostError::new("no")).into();
    assert_eq!(reply.to_json(), r#"{"ok":false,"error":"no"}"#);
    let reply: Reply<NoFields> = Ok(NoFields::default()).into();
    assert_eq!(reply.to_json(), r#"{"ok":true}"#);
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        let _ = Reply::<Payload>::parse(&text);
        let _ = Reply::<NoFields>::parse(&format!("{{{text}}}"));
    }

    #[test]
    fn refusals_round_trip(message in any::<String>()) {
        let expected = Err(EnvelopeError::Refused(HostError::new(message.clone())));
        prop_assert_eq!(Reply::<NoFields>::parse(&envelope::error(&message)), expected);
    }

    #[test]
    fn payloads_round_trip(text in any::<String>(), inner in any::<String>()) {
        let payload = Payload { text, raw: JsonText::from_serialize(&[inner]).unwrap() };
        prop_assert_eq!(Reply::<Payload>::parse(&envelope::ok(&payload)), Ok(payload));
    }
}
