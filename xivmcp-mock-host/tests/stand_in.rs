//! Other plugins that the test plays.

mod support;

use std::time::Duration;

use serde_json::json;
use xivmcp_client::{McpJob, McpJobStep, McpToolDefinition};
use xivmcp_mock_host::{MockHost, StandIn};

use support::{cat, failure};

fn teller(host: &MockHost) -> StandIn {
    let teller = host.stand_in("Teller");
    teller.offers(McpToolDefinition::new("teller_tell", "Tells.").read_only(true));
    host.player().enable(&teller);
    teller
}

#[test]
fn a_stand_in_answers_as_scripted_and_registers_again() {
    let host = MockHost::simulated();
    let teller = teller(&host);
    let tell = teller.offers(McpToolDefinition::new("teller_tell", "Tells.").read_only(true));
    assert_eq!(host.assistant().call("teller_tell", ()).expect_result(), json!({}));
    let tell = tell.fails("Nobody listens.");
    assert!(host.assistant().call("teller_tell", ()).expect_error().contains("Nobody listens."));
    let tell = tell.returns(7);
    host.dalamud().unload_host();
    host.dalamud().load_host();
    assert_eq!(host.assistant().call("teller_tell", json!({"a": 1})).expect_result(), 7);
    tell.takes(Duration::from_secs(30));
    let call = host.assistant().call("teller_tell", ());
    host.advance(Duration::from_secs(10));
    call.give_up();
    call.expect_cancelled();
    assert_eq!(host.elapsed(), Duration::from_secs(10));
    assert_eq!(teller.calls().len(), 4);
}

#[test]
fn an_expected_call_of_a_stand_in_that_does_not_come_fails_the_test() {
    let text = failure(|| {
        let host = MockHost::simulated();
        let teller = host.stand_in("Teller");
        teller.offers(McpToolDefinition::new("teller_tell", "Tells.").read_only(true)).expect_calls(1);
    });
    assert!(text.contains("teller_tell of Teller should have been called 1 times, it was 0"), "{text}");
}

#[test]
fn in_strict_mode_an_unscripted_tool_that_a_plugin_uses_fails_the_test() {
    let run = |host: &MockHost| {
        let plugin = cat(host);
        teller(host);
        let job = McpJob::new("Tell").step(McpJobStep::new("teller_tell")).step(McpJobStep::new("get_inventory"));
        let job = plugin.client().start_job(job).unwrap();
        host.wait_until(|| host.job(&job).state() == "completed");
    };
    let host = MockHost::simulated();
    run(&host);
    host.finish();
    let text = failure(|| {
        let host = MockHost::simulated();
        host.be_strict();
        run(&host);
    });
    assert!(text.contains("teller_tell of Teller was called with {}, and the test has not scripted it"), "{text}");
    assert!(text.contains("get_inventory was called with {} by plugin:Cat, and the test has not"), "{text}");
}

#[test]
fn what_the_host_refuses_a_stand_in_cannot_offer() {
    let host = MockHost::simulated();
    let text = failure(|| {
        host.stand_in("Teller").offers(McpToolDefinition::new("navigate_to", "Mine.").read_only(true));
    });
    assert!(text.contains("Teller cannot offer navigate_to"), "{text}");
    assert!(text.contains("XIV MCP"), "{text}");
}
