//! Calls, R-CALL-4, R-CALL-6 and R-CALL-8.

use proptest::prelude::*;
use xivmcp_protocol::{
    CallId, InvokeReply, InvokeReplyError, JsonText,
    call::{completed_result, failure_message},
};

fn result(json: &str) -> InvokeReply {
    InvokeReply::Result(JsonText::parse(json).unwrap())
}

fn error(text: &str) -> InvokeReply {
    InvokeReply::Error(text.to_owned())
}

#[test]
fn a_reply_is_read_in_the_hosts_order() {
    // R-CALL-6
    let general = "the tool failed and gave no reason";
    for (reply, read) in [
        ("", result("null")),
        (" \n\u{3000}", result("null")),
        (r#"{"error":"full"}"#, error("full")),
        (r#"{"error":""}"#, error("")),
        (r#"{"error":null}"#, error(general)),
        (r#"{"error":null,"result":1,"pending":true}"#, error(general)),
        (r#"{"pending":true,"error":{"code": 5}}"#, error(r#"{"code": 5}"#)),
        (r#"{"error":false}"#, error("false")),
        (r#"{"error":"\ud800"}"#, error(r#""\ud800""#)),
        (r#"{"result":1,"pending":true}"#, InvokeReply::Pending),
        (r#"{"result":1.50,"pending":"true"}"#, result("1.50")),
        (r#"{"pending":1,"result":null}"#, result("null")),
        (r#"{"new":{},"result":{"b":1,"a":[ ]}}"#, result(r#"{"b":1,"a":[ ]}"#)),
        (" {\"result\" : \"x\" }\n", result("\"x\"")),
    ] {
        assert_eq!(InvokeReply::read(reply).as_ref(), Ok(&read), "{reply}");
    }
}

#[test]
fn a_reply_that_says_nothing_is_told_apart() {
    // R-CALL-6
    for reply in ["{}", r#"{"pending":false}"#, r#"{"Result":1}"#, r#"{"pending":"true"}"#] {
        assert_eq!(InvokeReply::read(reply), Err(InvokeReplyError::NoOutcome { reply: reply.to_owned() }));
    }
    for reply in ["null", "[]", "7", "done", "{", r#"{"result":1} {"result":2}"#] {
        assert_eq!(InvokeReply::read(reply), Err(InvokeReplyError::NotAnObject { reply: reply.to_owned() }));
    }
    assert_eq!(
        InvokeReply::read("done").unwrap_err().to_string(),
        "replied with no JSON object: done",
        "the host puts the plugin's name in front"
    );
}

#[test]
fn a_completion_is_the_bare_result_and_blank_is_null() {
    // R-CALL-8
    assert_eq!(completed_result("").unwrap(), JsonText::null());
    assert_eq!(completed_result("\t ").unwrap(), JsonText::null());
    assert_eq!(completed_result(r#" {"result": 1.0} "#).unwrap().get(), r#"{"result": 1.0}"#);
    assert!(completed_result("{").is_err());
}

#[test]
fn a_blank_failure_gets_a_general_message() {
    // R-CALL-8
    assert_eq!(failure_message(" the bags are full"), " the bags are full");
    assert_eq!(failure_message("\u{3000}"), "the tool failed and gave no reason");
}

#[test]
fn a_call_id_from_the_host_has_32_hex_digits() {
    // R-CALL-4
    for number in [0, 1, u128::MAX] {
        assert!(CallId::from(number).is_regular());
    }
    assert_eq!(CallId::from(u128::MAX).as_str(), "f".repeat(32));
    for odd in ["", "0123", "g123456789abcdef0123456789abcdef", "éééééééééééééééé"] {
        assert!(!CallId::new(odd).is_regular(), "{odd}");
        assert_eq!(serde_json::to_string(&CallId::new(odd)).unwrap(), format!("\"{odd}\""), "yet it is handed back");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        let _ = InvokeReply::read(&text);
        let _ = completed_result(&text);
    }

    #[test]
    fn what_is_written_is_read_again(text in any::<String>()) {
        for reply in [InvokeReply::Error(text.clone()), InvokeReply::Result(JsonText::from_serialize(&text).unwrap())] {
            prop_assert_eq!(InvokeReply::read(&reply.to_json()), Ok(reply.clone()));
            prop_assert_eq!(serde_json::to_string(&reply).unwrap(), reply.to_json());
            prop_assert_eq!(serde_json::from_str::<InvokeReply>(&reply.to_json()).unwrap(), reply);
        }
    }
}
