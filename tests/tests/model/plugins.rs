//! The plugins on the raw gates: they reply to Invoke and Cancel as the sequence says, and note what reached them.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use xivmcp_client::ipc::{IpcError, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_mock_host::{GameChange, GameHandle, MockTransport, RawPlugin};

use super::ops::{PLUGINS, Reaction, Reply};

/// How the plugins behave, and what reached them; both in one order.
pub(crate) struct Script {
    pub(crate) replies: [Reply; 2],
    pub(crate) reactions: [Reaction; 2],
    /// The call's id, the tool, the arguments.
    pub(crate) invoked: Vec<(String, String, String)>,
    /// A gate that failed into its caller, or a reply that was not expected.
    pub(crate) faults: Vec<String>,
}

pub(crate) struct Raw {
    pub(crate) plugin: RawPlugin,
    pub(crate) invoke: Option<IpcGuard>,
    pub(crate) cancel: Option<IpcGuard>,
}

/// Calls a gate from inside the host's own calls.
fn inside(script: &Mutex<Script>, transport: &MockTransport, gate: &str, arguments: &[&str], accepted: Option<bool>) {
    let values: Vec<IpcValue> = arguments.iter().map(|text| IpcValue::from(*text)).collect();
    let reply = transport.call_function(&format!("XivMcp.{gate}"), &values, IpcType::Text);
    let answer =
        reply.as_ref().ok().and_then(IpcValue::as_text).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let right = answer.is_some_and(|answer| match accepted {
        Some(accepted) => answer["accepted"] == accepted,
        None => answer["ok"] == false,
    });
    if !right {
        let fault = format!("{gate}{arguments:?} inside a call of the host gave {reply:?}, not accepted: {accepted:?}");
        script.lock().unwrap().faults.push(fault);
    }
}

impl Raw {
    pub(crate) fn provide(&mut self, at: usize, script: &Arc<Mutex<Script>>, game: &GameHandle) {
        let (reply, reaction) = {
            let script = script.lock().unwrap();
            (script.replies[at], script.reactions[at])
        };
        (self.invoke, self.cancel) = (None, None);
        let transport = self.plugin.transport();
        if reply != Reply::NoGate {
            let (script, game, inner) = (Arc::clone(script), game.clone(), transport.clone());
            let signature = IpcSignature::new([IpcType::Text, IpcType::Text, IpcType::Text], IpcType::Text);
            let invoke = Arc::new(move |arguments: &[IpcValue]| invoked(at, &script, &game, &inner, arguments));
            let gate = format!("{}.XivMcp.Invoke", PLUGINS[at]);
            self.invoke = Some(transport.provide_function(&gate, &signature, invoke).expect("Invoke can be provided"));
        }
        if reaction != Reaction::NoGate {
            let (script, inner) = (Arc::clone(script), transport.clone());
            let cancel = Arc::new(move |arguments: &[IpcValue]| {
                let id = arguments[0].as_text().unwrap_or_default();
                let reaction = script.lock().unwrap().reactions[at];
                match reaction {
                    Reaction::Completes => inside(&script, &inner, "CompleteCall", &[id, "{\"a\":1}"], Some(true)),
                    Reaction::Fails => inside(&script, &inner, "FailCall", &[id, "stopped"], Some(true)),
                    Reaction::Nothing | Reaction::NoGate => {}
                }
                Ok(())
            });
            let gate = format!("{}.XivMcp.Cancel", PLUGINS[at]);
            self.cancel =
                Some(transport.provide_action(&gate, &[IpcType::Text], cancel).expect("Cancel can be provided"));
        }
    }
}

fn invoked(
    at: usize,
    script: &Mutex<Script>,
    game: &GameHandle,
    transport: &MockTransport,
    arguments: &[IpcValue],
) -> Result<IpcValue, IpcError> {
    let text = |place: usize| arguments[place].as_text().unwrap_or_default().to_owned();
    let id = text(0);
    let reply = {
        let mut script = script.lock().unwrap();
        script.invoked.push((text(0), text(1), text(2)));
        script.replies[at]
    };
    let pending = r#"{"pending":true}"#;
    let text = match reply {
        Reply::Pending => pending,
        Reply::Result => r#"{"result":{"a":1}}"#,
        Reply::Error => r#"{"error":"no","result":1}"#,
        Reply::Blank | Reply::NoGate => " ",
        Reply::NoJson => "oops",
        Reply::CompletedInside => {
            inside(script, transport, "CompleteCall", &[&id, "{\"a\":1}"], Some(true));
            inside(script, transport, "CompleteCall", &[&id, "2"], Some(false));
            inside(script, transport, "FailCall", &[&id, "late"], Some(false));
            pending
        }
        Reply::CompletedThenError => {
            inside(script, transport, "CompleteCall", &[&id, "{"], None);
            inside(script, transport, "CompleteCall", &[&id, "1"], Some(true));
            r#"{"error":"it went wrong after all"}"#
        }
        Reply::Spends => {
            game.change(GameChange::new().gil(-1));
            r#"{"result":{"a":1}}"#
        }
        Reply::Fails => {
            let (kind, message) = ("Exception".to_owned(), "broken".to_owned());
            return Err(IpcError::Failed { gate: "Invoke".to_owned(), kind, message });
        }
    };
    Ok(text.into())
}
