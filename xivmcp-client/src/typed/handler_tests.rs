//! The forms that closures may have, and what they become.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LongRunningHandler, LongRunningTool, QuickHandler, QuickTool, Running};
use crate::call::McpCall;
use crate::tool_error::{Cancelled, McpToolError};

#[derive(Deserialize, JsonSchema)]
struct Farm {
    minutes: Option<u32>,
}

#[derive(Serialize)]
struct Report {
    kills: u32,
}

fn quick<Takes>(handler: impl QuickHandler<Takes>) -> QuickTool {
    handler.erase()
}

fn long<Takes>(handler: impl LongRunningHandler<Takes>) -> LongRunningTool {
    handler.erase()
}

fn call() -> McpCall {
    crate::TestCall::new("myplugin_farm").call()
}

/// None of these handlers waits for anything.
fn now(running: Running) -> Result<String, McpToolError> {
    running.now_or_never().expect("the handler waits")
}

fn run(tool: &QuickTool, args: &str) -> Result<String, String> {
    (tool.run)(&call(), args).map_err(|error| error.to_string())
}

fn start(tool: &LongRunningTool, args: &str) -> Result<String, String> {
    (tool.start)(call(), args).and_then(now).map_err(|error| error.to_string())
}

async fn farm(_call: McpCall, args: Farm) -> Result<Report, McpToolError> {
    Ok(Report { kills: args.minutes.unwrap_or(60) })
}

#[test]
fn a_quick_handler_takes_what_it_names() {
    let one = || Ok(Report { kills: 1 });
    let forms = [
        quick(one),
        quick(|_call: McpCall| Ok(Report { kills: 1 })),
        quick(|args: Farm| Ok(Report { kills: args.minutes.ok_or("no minutes")? })),
        quick(|_call: McpCall, args: Farm| Ok(Report { kills: args.minutes.unwrap_or(60) })),
    ];
    for tool in &forms {
        assert_eq!(run(tool, r#"{"minutes":1}"#).unwrap(), r#"{"result":{"kills":1}}"#);
    }
    assert_eq!(forms.each_ref().map(|tool| tool.schema.is_some()), [false, false, true, true]);
    assert_eq!(run(&forms[2], "{}").unwrap_err(), "no minutes");
}

#[test]
fn a_long_running_handler_takes_what_it_names() {
    let forms = [
        long(async || Ok(Report { kills: 1 })),
        long(async |_call: McpCall| Ok(Report { kills: 1 })),
        long(async |args: Farm| Ok(Report { kills: args.minutes.ok_or("no minutes")? })),
        long(async |call: McpCall, args: Farm| farm(call, args).await),
        long(farm),
        long(|call: McpCall, args: Farm| async move { farm(call, args).await }),
    ];
    for tool in &forms {
        assert_eq!(start(tool, r#"{"minutes":1}"#).unwrap(), r#"{"kills":1}"#);
    }
    assert_eq!(forms.each_ref().map(|tool| tool.schema.is_some()), [false, false, true, true, true, true]);
    assert_eq!(start(&forms[2], "{}").unwrap_err(), "no minutes");
}

#[test]
fn an_async_closure_may_capture_and_is_cloned_for_each_call() {
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    let tool = long(async move |_call: McpCall, args: Farm| {
        std::future::ready(()).await;
        if args.minutes == Some(0) {
            return Err(Cancelled.into());
        }
        "7".parse::<u32>()?;
        Ok(Report { kills: seen.fetch_add(1, Ordering::Relaxed) })
    });
    assert_eq!(start(&tool, "{}").unwrap(), r#"{"kills":0}"#);
    assert_eq!(start(&tool, "{}").unwrap(), r#"{"kills":1}"#);
    assert!((tool.start)(call(), r#"{"minutes":0}"#).and_then(now).unwrap_err().is_cancelled());
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn nothing_of_an_async_handler_runs_before_its_first_poll_or_with_wrong_arguments() {
    let count = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&count);
    let tool = long(async move |_args: Farm| {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let running = (tool.start)(call(), "{}").unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 0);
    assert_eq!(now(running).unwrap(), "null");
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert!((tool.start)(call(), r#"{"minutes":[]}"#).is_err());
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn a_result_need_not_be_send() {
    #[derive(Serialize)]
    struct Local {
        kills: u32,
        #[serde(skip)]
        _not_send: std::rc::Rc<()>,
    }
    let tool = long(async |_args: Farm| {
        std::future::ready(()).await;
        Ok(Local { kills: 1, _not_send: std::rc::Rc::new(()) })
    });
    assert_eq!(start(&tool, "{}").unwrap(), r#"{"kills":1}"#);
}
