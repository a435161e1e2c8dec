//! Whatever text comes into Invoke and Cancel: there is a reply, and nothing panics or stays behind.

mod support;

use proptest::prelude::*;
use serde_json::Value;
use support::{Host, reading};
use xivmcp_client::protocol::InvokeReply;
use xivmcp_client::{McpCall, PendingCounts};

#[derive(serde::Deserialize, schemars::JsonSchema, serde::Serialize)]
struct Typed {
    number: Option<u8>,
    #[serde(default)]
    list: Vec<Option<String>>,
}

/// Any text, and JSON of any kind.
fn any_args() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("null".to_owned()), "[0-9]{1,4}", "\"[a-z{}\\\\\"]{0,5}\"", Just("{}".to_owned())];
    let json = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(("number|list|[a-z]{1,3}", inner), 0..4).prop_map(|fields| {
                let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    });
    prop_oneof![any::<String>(), json]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // R-CLI-4
    #[test]
    fn any_text_into_invoke_gives_a_reply_that_the_host_can_read(
        id in any::<String>(),
        tool in prop_oneof![any::<String>(), Just("typed_quick".to_owned()), Just("typed_long".to_owned()), Just("raw_tool".to_owned())],
        args in any_args(),
    ) {
        let host = Host::new();
        let client = host.client();
        client.add_tool(reading("typed_quick"), |typed: Typed| Ok(typed)).unwrap();
        client.add_long_running_tool(reading("typed_long"), async |typed: Typed| Ok(typed)).unwrap();
        client.add_tool(reading("raw_tool"), |call: McpCall| call.args::<Value>()).unwrap();
        let reply = host.invoke_text(&id, &tool, &args);
        let read = InvokeReply::read(&reply);
        prop_assert!(read.is_ok(), "{reply}");
        prop_assert_eq!(read == Ok(InvokeReply::Pending), host.ends(&id).len() == 1);
        host.cancel(&id);
        prop_assert_eq!(client.pending(), PendingCounts::default());
    }
}
