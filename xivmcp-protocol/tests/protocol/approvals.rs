//! Requests for approval, R-APP-1.

use proptest::prelude::*;
use xivmcp_protocol::{ApprovalRequest, ApprovalRequestError, Capability, utf16_len};

#[test]
fn a_request_needs_a_capability_and_a_summary() {
    // R-APP-1, R-ENV-4
    for (json, said) in [
        ("{}", "`capability` is missing"),
        (r#"{"capability":"combat"}"#, "`summary` is missing"),
        (r#"{"capability":7,"summary":"s"}"#, "`capability` must be a string, not 7"),
        (r#"{"capability":"combat","summary":null}"#, "`summary` must be a string, not null"),
        (r#"{"capability":"combat","summary":" \n"}"#, "`summary` is blank (\" \n\")"),
        (r#"{"capability":" ","summary":"s"}"#, "`capability` is blank (\" \")"),
        ("[]", "the approval request must be a JSON object, not []"),
        ("", "the approval request is not valid JSON: EOF while parsing a value at line 1 column 0"),
    ] {
        assert_eq!(ApprovalRequest::parse(json).unwrap_err().to_string(), said);
    }
}

#[test]
fn a_capability_that_is_not_known_is_kept() {
    // R-APP-2 decides on it
    let request = ApprovalRequest::parse(r#"{"capability":"time_travel","summary":"Back to 1.0"}"#).unwrap();
    assert_eq!(request.capability().as_str(), "time_travel");
}

#[test]
fn a_summary_is_cut_at_200_units_and_never_inside_a_character() {
    // R-APP-1
    let exactly = "x".repeat(200);
    assert_eq!(ApprovalRequest::new(Capability::Combat, &exactly).unwrap().summary(), exactly);
    assert_eq!(ApprovalRequest::new(Capability::Combat, format!("{exactly}y")).unwrap().summary(), exactly);
    let with_bird = format!("{}🐤", "x".repeat(199));
    assert_eq!(ApprovalRequest::new(Capability::Combat, with_bird).unwrap().summary(), "x".repeat(199));
}

proptest! {
    #[test]
    fn a_request_round_trips_and_keeps_the_rule(summary in any::<String>()) {
        match ApprovalRequest::new(Capability::SpendGil, &summary) {
            Ok(request) => {
                prop_assert!(utf16_len(request.summary()) <= 200);
                let json = serde_json::to_string(&request).unwrap();
                prop_assert_eq!(ApprovalRequest::parse(&json).unwrap(), request.clone());
                prop_assert_eq!(serde_json::from_str::<ApprovalRequest>(&json).unwrap(), request);
            }
            Err(error) => prop_assert_eq!(error, ApprovalRequestError::Blank { field: "summary", value: summary }),
        }
    }

    #[test]
    fn any_text_gives_an_answer(text in any::<String>()) {
        let _ = ApprovalRequest::parse(&text);
    }
}
